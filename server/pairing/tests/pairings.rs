//! Known rounds: file in, pairing out.

use std::fs;
use std::path::{Path, PathBuf};

use zeitnot_pairing::dutch::{self, Pairing};
use zeitnot_pairing::trf::Report;

fn data(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(folder)
}

fn lines(pairing: &Pairing) -> Vec<String> {
    let boards = pairing.boards.iter().map(|board| format!("{} {}", board.white, board.black));
    boards.chain(pairing.bye.map(|tpn| format!("{tpn} 0"))).collect()
}

/// Every file of a folder with its expected lines, in order where the manifest asserts the board order.
fn check(folder: &str, free: &[&str]) -> usize {
    let mut wrong = Vec::new();
    let mut count = 0;
    let mut files: Vec<PathBuf> = fs::read_dir(data(folder)).expect("folder").map(|e| e.expect("entry").path()).collect();
    files.sort();
    for path in files.iter().filter(|p| p.extension().is_some_and(|e| e == "trf")) {
        let name = path.file_stem().expect("name").to_string_lossy().into_owned();
        let report = Report::read(&fs::read_to_string(path).expect("text")).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(report.warnings.is_empty(), "{name}: {:?}", report.warnings);
        let expected = fs::read_to_string(path.with_extension("pairs")).expect("pairs");
        let mut expected: Vec<String> = expected.lines().skip(1).map(str::to_owned).collect();
        let mut found = match dutch::pair(&report.tournament) {
            Ok(pairing) => lines(&pairing),
            Err(error) => vec![error.to_string()],
        };
        if free.iter().any(|part| name.contains(part)) {
            expected.sort();
            found.sort();
        }
        if expected != found {
            wrong.push(format!("{name}:\n  expected {expected:?}\n  found    {found:?}"));
        }
        count += 1;
    }
    assert!(wrong.is_empty(), "{} of {count} differ\n{}", wrong.len(), wrong.join("\n"));
    count
}

#[test]
fn the_reference_rounds() {
    assert_eq!(check("pairings", &["baku"]), 62);
}

/// Rounds in which a weight that carries allocates a second bye.
#[test]
fn nobody_gets_a_second_bye() {
    assert_eq!(check("extra/c2_defect", &[]), 3);
}

#[test]
fn baku_splits_22_players_into_12_and_10() {
    assert_eq!(check("extra/baku_192", &["baku"]), 1);
}
