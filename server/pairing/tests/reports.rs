//! Report files: what is wrong and where, and what a change touches.

use zeitnot_pairing::results::BoardResult;
use zeitnot_pairing::round::Score;
use zeitnot_pairing::trf::{self, Report};

const HEAD: &str = "012 Evening\n142 3\n152 W\n";

fn player(tpn: u16, points: &str, rounds: &str) -> String {
    format!(
        "001 {tpn:>4}      {:<33} {:>4} {:>27}{points:>4} {:>4}  {rounds}",
        format!("Player {tpn}"),
        2000 - tpn,
        "",
        ""
    )
    .trim_end()
    .to_owned()
        + "\n"
}

/// The place of the error in a file of the head, lines 4 and 5, and more lines.
fn error(one: &str, two: &str, more: &str) -> (usize, usize, String) {
    let text = format!("{HEAD}{}{}{more}", player(1, "0.0", one), player(2, "0.0", two));
    let error = Report::read(&text).expect_err("an error");
    (error.line, error.column, error.message)
}

#[test]
fn errors_name_line_and_column() {
    let at = |one, two, more| {
        let (line, column, _) = error(one, two, more);
        (line, column)
    };
    // An opponent together with a bye.
    assert_eq!(at("   2 w H", "   1 b 0", ""), (4, 99));
    assert_eq!(at("   2 x 1", "   1 b 0", ""), (4, 97));
    assert_eq!(at("   2 w 7", "   1 b 0", ""), (4, 99));
    assert_eq!(at("   2 w 1", "   1 w 0", ""), (4, 97));
    assert_eq!(at("   2 w 1", "   1 b =", ""), (4, 97));
    assert_eq!(at("   3 w 1", "   1 b 0", ""), (4, 92));
    assert_eq!(at("   1 w 1", "0000 - Z", ""), (4, 92));
    assert_eq!(at("  2x w 1", "   1 b 0", ""), (4, 92));
    assert_eq!(at("   2 w 1", "0000 - Z", ""), (4, 92));
    assert_eq!(at("0000 - 1", "0000 - Z", ""), (4, 99));
    assert_eq!(at("0000 - Z  0000 - ?", "", ""), (4, 109));
    assert_eq!(at("", "", "240 Q 001    1\n"), (6, 5));
    assert_eq!(at("", "", "240 H 001    9\n"), (6, 5));
    assert_eq!(at("", "", "260 001 002    1  two\n"), (6, 19));
    assert_eq!(at("", "", "250      one  001 001 0001 0002\n"), (6, 10));
    assert_eq!(at("", "", "162  W 1.0    Q 0.5\n"), (6, 15));
    assert_eq!(at("", "", "XXS W=1 D=x\n"), (6, 9));
    assert_eq!(at("", "", "142 many\n"), (6, 4));
    assert_eq!(at("", "", "152 green\n"), (6, 5));
    assert_eq!(at("", "", "001    2      Twice\n"), (6, 5));
    assert_eq!(at("", "", "001           Nobody\n"), (6, 5));
    assert_eq!(at("", "", "310   1 Team\n"), (6, 1));
}

#[test]
fn wrong_points_are_a_warning() {
    let text = format!("{HEAD}{}{}", player(1, "3.0", "   2 w 1"), player(2, "0.0", "   1 b 0"));
    let report = Report::read(&text).expect("a report");
    assert_eq!(report.warnings.len(), 1);
    assert_eq!((report.warnings[0].line, report.warnings[0].column), (4, 81));
}

#[test]
fn a_change_touches_only_its_lines() {
    let text = format!(
        "### drawn up by hand\n{HEAD}GER    1   x  national data\n{}{}{}{}",
        player(1, "0.0", "   2 w"),
        player(2, "0.0", "   1 b"),
        player(3, "0.0", "0000 - Z"),
        "999 from another program\n",
    );
    let mut report = Report::read(&text).expect("a report");
    assert_eq!(report.write(), text);
    report.tournament.set_result(1, 1, 2, BoardResult::Played(Score::Win)).expect("a board");
    let changed = report.write();
    let differing: Vec<(&str, &str)> = text.lines().zip(changed.lines()).filter(|(a, b)| a != b).collect();
    assert_eq!(differing.len(), 2, "{differing:?}");
    assert!(differing[0].1.ends_with("1.0          2 w 1"), "{}", differing[0].1);
    assert_eq!(text.lines().count(), changed.lines().count());
    // And the result is a file again.
    assert_eq!(Report::read(&changed).expect("a report").tournament, report.tournament);
}

#[test]
fn hostile_text_is_refused_or_read_but_never_breaks() {
    let pieces = [
        "001", "240", "250", "260", "162", "XXA", "XXP", "XXS", "132", "299", "   1", " w 1", "ß", "\t",
        "99999", "-", "\n", "\r",
    ];
    let mut random = zeitnot_pairing::simulate::Random::new(7);
    for _ in 0..3000 {
        let mut text = String::new();
        for _ in 0..random.below(60) {
            text.push_str(pieces[random.below(pieces.len())]);
            for _ in 0..random.below(12) {
                text.push(' ');
            }
        }
        if let Ok(report) = Report::read(&text) {
            assert_eq!(report.write(), text);
        }
    }
}

#[test]
fn old_files_are_latin_1() {
    assert_eq!(trf::decode("Müller".as_bytes()), "Müller");
    assert_eq!(trf::decode(b"M\xfcller"), "Müller");
}
