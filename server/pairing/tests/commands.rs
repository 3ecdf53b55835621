//! The commands, text in and text out.

use std::fs;
use std::path::Path;

use zeitnot_pairing::command::{self, Format, PairOptions, PairOutput, StandingsOptions, exit};
use zeitnot_pairing::round::{Color, Entry};
use zeitnot_pairing::simulate::Random;
use zeitnot_pairing::tiebreak::parse_list;
use zeitnot_pairing::tournament::{Player, Tournament};
use zeitnot_pairing::trf::{Dialect, Report};

fn file(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(path)).expect("a data file")
}

fn first(folder: &str, start: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(folder);
    let found = fs::read_dir(folder).expect("folder").map(|e| e.expect("entry").path()).find(|path| {
        path.extension().is_some_and(|e| e == "trf")
            && path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(start))
    });
    fs::read_to_string(found.expect("a case")).expect("text")
}

#[test]
fn pairs_are_printed_like_the_reference() {
    let answer = command::pair(&first("pairings", "h012"), PairOptions::default());
    assert_eq!((answer.code, answer.output.as_str()), (exit::OK, "3\n1 7\n3 4\n2 0\n"));
    assert!(answer.messages.is_empty());
}

#[test]
fn every_board_has_its_reasons() {
    let options = PairOptions { output: PairOutput::Explained, ..PairOptions::default() };
    let text = command::pair(&first("pairings", "h012"), options).output;
    for part in [
        "board 1: 1 Test0001 Player0001 - 7 Test0007 Player0007",
        "1 floats down from 5.0 to the bracket of 2.5",
        "not met by this pair, for want of better: C12, C13",
        "5.2.4 the higher ranked player's preference granted",
        "bye: 2 Test0002 Player0002",
        "out: 5 Test0005 Player0005 (absent)",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[test]
fn the_report_with_the_round_can_be_checked() {
    let options = PairOptions { output: PairOutput::Report, ..PairOptions::default() };
    let report = command::pair(&first("pairings", "h012"), options).output;
    let answer = command::check(&report, false);
    assert_eq!(answer.code, exit::OK, "{}", answer.output);
    assert_eq!(answer.output.lines().count(), 6);
    assert!(answer.output.lines().all(|line| line.ends_with("agrees")), "{}", answer.output);
    // Pairing on without results is possible, with a warning.
    let answer = command::pair(&report, PairOptions::default());
    assert!(answer.messages.iter().any(|m| m.contains("round 6 has games without a result")), "{answer:?}");
}

#[test]
fn exit_codes_tell_what_happened() {
    let pair = |text: &str| command::pair(text, PairOptions::default());
    assert_eq!(pair(&file("extra/impossible/imp01.trf")).code, exit::NO_PAIRING);
    assert_eq!(pair("012 Nothing\n").code, exit::BAD_REQUEST);
    assert_eq!(
        pair("001    x\n").messages,
        ["line 1, column 5: expected a pairing number from 1 to 9999, found 'x'"]
    );
    let swapped = file("tiebreaks/tb1_swiss8_all_played.trf").replace("142 5", "142 9");
    // With more rounds to come, round 5 is no longer the last one, which may change its pairing; nothing else does.
    assert!(command::check(&swapped, false).output.starts_with("round 1: agrees\nround 2: agrees\n"));
    let other = file("tiebreaks/tb1_swiss8_all_played.trf").replace("FIDE_DUTCH_2025", "FIDE_DUBOV");
    assert_eq!(pair(&other).code, exit::BAD_REQUEST);
}

#[test]
fn a_check_names_what_differs() {
    // Round 1 paired as neighbours.
    let paired = |opponent, colour| vec![Entry::Paired { opponent, colour }];
    let rows = [(1, 2, Color::White), (2, 1, Color::Black), (3, 4, Color::White), (4, 3, Color::Black)];
    let players = rows.map(|(tpn, opponent, colour)| Player {
        tpn,
        rounds: paired(opponent, colour),
        ..Player::default()
    });
    let tournament = Tournament {
        rounds: Some(3),
        initial_colour: Some(Color::White),
        players: players.to_vec(),
        ..Tournament::default()
    };
    let text = Report::new(tournament, Dialect::Trf2026).write();
    let answer = command::check(&text, false);
    assert_eq!(answer.code, exit::NO_PAIRING, "{answer:?}");
    assert!(answer.output.contains("only in the file:  1 2, 3 4"), "{}", answer.output);
    assert!(answer.output.contains("only by the rules: 1 3, 4 2"), "{}", answer.output);
}

#[test]
fn standings_come_in_every_format() {
    let text = file("tiebreaks/tb2_swiss9_unplayed.trf");
    let options = |format| StandingsOptions {
        criteria: parse_list("BH/C1,SB,DE").expect("codes"),
        format,
        ..StandingsOptions::default()
    };
    let csv = command::standings(&text, &options(Format::Csv)).output;
    assert!(csv.starts_with(
        "Rank,No,Title,Name,Fed,Rating,Points,BH/C1,SB,DE\r\n1,1,,Test0001 Player0001,,2534,5.0,13,14,-\r\n"
    ));
    assert!(command::standings(&text, &options(Format::Markdown)).output.contains("| 2 | 5 |"));
    let html = command::standings(&text, &options(Format::Html)).output;
    assert!(html.contains("Standings after round 5") && html.contains("Crosstable after round 5"));
    let explained =
        command::standings(&text, &StandingsOptions { explain: true, ..options(Format::Text) }).output;
    assert!(explained.contains("BH/C1 8.5 = 1.5 (r1 v 7) + 2.5 (r2 dummy, capped, cut)"), "{explained}");
    let cross = StandingsOptions { crosstable: true, ..options(Format::Text) };
    assert!(command::standings(&text, &cross).output.contains("½ bye"));
}

#[test]
fn a_round_robin_knows_no_buchholz_and_no_early_leavers() {
    let text = file("tiebreaks/tb3_roundrobin6_berger.trf");
    let mut options =
        StandingsOptions { criteria: parse_list("BH,SB").expect("codes"), ..StandingsOptions::default() };
    let answer = command::standings(&text, &options);
    assert!(answer.messages[0].contains("BH must not be used in a round robin"));
    assert!(!answer.output.contains("BH"));
    options.excluded = vec![1];
    let without = command::standings(&text, &options).output;
    assert!(!without.contains("Test0001"));
    // Player 4 lost to 1 and so keeps all points; player 5 beat 1 and loses that one.
    assert!(
        without.contains("3.5")
            && without.lines().last().is_some_and(|l| l.contains("Test0005") && l.contains("1.0")),
        "{without}"
    );
    assert_eq!(command::check(&text, false).code, exit::OK);
}

/// Damaged files get an answer, whatever it is.
#[test]
fn damaged_files_never_break_a_command() {
    let mut random = Random::new(11);
    let originals = [
        first("pairings", "h012"),
        first("pairings", "h030"),
        first("pairings", "h061"),
        first("pairings", "h062"),
        file("tiebreaks/tb2_swiss9_unplayed.trf"),
        file("tiebreaks/tb3_roundrobin6_berger.trf"),
        file("extra/c2_defect/seed8848759-r9-p10.trf"),
    ];
    let every =
        "DE,WIN,WON,BPG,BWG,PS/C1,REP,STD,BH/C1,BH/M2,AOB,FB,SB/C1,KS,ARO/C1,TPR,PTP,APRO,APPO,RTNG,TPN/R";
    let options =
        StandingsOptions { criteria: parse_list(every).expect("codes"), ..StandingsOptions::default() };
    let mut read = 0;
    let count = std::env::var("SIMULATIONS").ok().and_then(|text| text.parse().ok()).unwrap_or(600);
    for _ in 0..count {
        let mut text = originals[random.below(originals.len())].clone().into_bytes();
        for _ in 0..=random.below(4) {
            let at = random.below(text.len());
            match random.below(4) {
                0 => drop(text.remove(at)),
                1 => text.insert(at, b"0123456789 -+=wbHUZF\n"[random.below(21)]),
                2 => text[at] = b"0123456789 -+=wbHUZF\n"[random.below(21)],
                // A whole line goes, or comes twice.
                _ => {
                    let lines: Vec<&[u8]> = text.split(|&b| b == b'\n').collect();
                    let line = random.below(lines.len());
                    let twice = random.happens(300);
                    let kept = lines.iter().enumerate().flat_map(|(i, l)| {
                        std::iter::repeat_n(*l, if i == line { 2 * usize::from(twice) } else { 1 })
                    });
                    text = kept.collect::<Vec<_>>().join(&b'\n');
                }
            }
        }
        let text = String::from_utf8_lossy(&text);
        read += usize::from(Report::read(&text).is_ok());
        for output in [PairOutput::Explained, PairOutput::Report] {
            let round = [None, Some(0), Some(1), Some(3), Some(usize::MAX)][random.below(5)];
            command::pair(&text, PairOptions { output, round, literal_parity: random.happens(500) });
        }
        command::check(&text, false);
        command::standings(&text, &options);
        command::standings(
            &text,
            &StandingsOptions { explain: true, rounds: Some(random.below(12)), ..options.clone() },
        );
    }
    assert!(read > count / 15, "{read} of the damaged files could still be read");
}
