//! Worked crosstables and FIDE's printed numbers.

use std::fs;
use std::path::Path;
use std::str::FromStr;

use serde_json::Value as Json;
use zeitnot_pairing::standings::{self, Rules};
use zeitnot_pairing::tiebreak::{Criterion, Mode, Ratio, TieBreaks, parse_list};
use zeitnot_pairing::trf::Report;

fn read(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/tiebreaks").join(name);
    fs::read_to_string(path).expect("a data file")
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 0.000_06
}

/// Checks every asserted value and ranking of a worked crosstable; says how many values there were.
fn check(name: &str) -> usize {
    let json: Json = serde_json::from_str(&read(&format!("{name}.json"))).expect("JSON");
    let report = Report::read(&read(&format!("{name}.trf"))).expect("a report");
    let tournament = &report.tournament;
    let mode = if json["mode"] == "round_robin" { Mode::RoundRobin } else { Mode::Swiss };
    let rounds = tournament.rounds_paired();
    let tie_breaks = TieBreaks::new(tournament, mode, rounds);
    let mut wrong = Vec::new();
    let mut count = 0;
    let index = |tpn: &str| tournament.index_of(tpn.parse().expect("a number")).expect("a player");
    for (tpn, values) in json["expected"].as_object().expect("players") {
        for (code, expected) in values.as_object().expect("values") {
            let value = tie_breaks.value(Criterion::from_str(code).expect("a code"), index(tpn));
            let found = value.value.map(Ratio::to_f64);
            count += 1;
            if !found.is_some_and(|found| close(found, expected.as_f64().expect("a number"))) {
                wrong.push(format!(
                    "{tpn} {code}: expected {expected}, found {found:?}: {:?}",
                    value.contributions
                ));
            }
        }
    }
    if let Some(adjusted) = json["adjusted_scores_art_16_3"].as_object() {
        for (tpn, expected) in adjusted {
            let found = f64::from(tie_breaks.adjusted_score(index(tpn)).tenths()) / 10.0;
            if !close(found, expected.as_f64().expect("a number")) {
                wrong.push(format!("{tpn} adjusted: expected {expected}, found {found}"));
            }
        }
    }
    for (list, order) in json["ranking"].as_object().expect("rankings") {
        let Some(order) = order.as_array() else { continue };
        let rules = Rules { mode, criteria: parse_list(list).expect("a list"), ..Rules::default() };
        let found: Vec<Json> =
            standings::standings(tournament, &rules).places.iter().map(|p| Json::from(p.tpn)).collect();
        if found != *order {
            wrong.push(format!("{list}: expected {order:?}, found {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{name}\n{}", wrong.join("\n"));
    count
}

#[test]
fn a_swiss_without_unplayed_rounds() {
    assert_eq!(check("tb1_swiss8_all_played"), 160);
}

#[test]
fn a_swiss_with_every_kind_of_unplayed_round() {
    assert_eq!(check("tb2_swiss9_unplayed"), 164);
}

#[test]
fn a_round_robin_with_a_forfeit() {
    assert_eq!(check("tb3_roundrobin6_berger"), 82);
}

/// C.07 9.2: half of the possible points. With three players everybody has two games in three rounds.
#[test]
fn the_koya_limit_does_not_count_the_round_that_everybody_sits_out() {
    let text = [
        "012 Three\n142 3\n192 FIDE_ROUNDROBIN\n".to_owned(),
        row(1, "1.5", "   2 w 1     3 b =  0000 - Z"),
        row(2, "1.0", "   1 b 0  0000 - Z     3 w 1"),
        row(3, "0.5", "0000 - Z     1 w =     2 b 0"),
    ];
    let report = Report::read(&text.concat()).expect("a report");
    let tie_breaks = TieBreaks::new(&report.tournament, Mode::RoundRobin, 3);
    let koya = Criterion::from_str("KS").expect("a code");
    let found: Vec<Option<f64>> =
        (0..3).map(|player| tie_breaks.value(koya, player).value.map(Ratio::to_f64)).collect();
    assert_eq!(found, [Some(1.0), Some(0.0), Some(0.5)]);
}

fn row(tpn: u16, points: &str, rounds: &str) -> String {
    format!("001 {tpn:>4}      {:<33} {:>32}{points:>4} {:>4}  {rounds}\n", format!("Player {tpn}"), "", "")
}
