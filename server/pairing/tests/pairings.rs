//! Known rounds: file in, pairing out.

use std::fs;
use std::path::{Path, PathBuf};

use zeitnot_pairing::dutch::{self, Method, Pairing, PairingError};
use zeitnot_pairing::round::{Bye, Entry};
use zeitnot_pairing::tournament::ParityNumber;
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
    let mut files: Vec<PathBuf> =
        fs::read_dir(data(folder)).expect("folder").map(|e| e.expect("entry").path()).collect();
    files.sort();
    for path in files.iter().filter(|p| p.extension().is_some_and(|e| e == "trf")) {
        let name = path.file_stem().expect("name").to_string_lossy().into_owned();
        let report =
            Report::read(&fs::read_to_string(path).expect("text")).unwrap_or_else(|e| panic!("{name}: {e}"));
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

fn file(path: &str) -> Report {
    Report::read(&fs::read_to_string(data(path)).expect("text")).expect("a report")
}

#[test]
fn rounds_that_nobody_can_pair_are_refused() {
    for number in 1..=8 {
        let report = file(&format!("extra/impossible/imp{number:02}.trf"));
        let error = dutch::pair(&report.tournament).expect_err("no pairing exists");
        assert!(
            matches!(error, PairingError::NoPairing | PairingError::NoByeTaker),
            "imp{number:02}: {error}"
        );
    }
}

// C.04.3 art. 5.2.5, in both readings
#[test]
fn late_entries_shift_the_parity_or_not() {
    let mut tournament = file("extra/initial_colour/late_entry_parity.trf").tournament;
    let readings = [(ParityNumber::AmongPaired, "skipping"), (ParityNumber::PairingNumber, "literal")];
    for (parity, name) in readings {
        tournament.parity = parity;
        let expected =
            fs::read_to_string(data("extra/initial_colour").join(format!("late_entry_parity.{name}")));
        let found = lines(&dutch::pair(&tournament).expect("a pairing"));
        let expected: Vec<String> = expected.expect("lines").lines().skip(1).map(str::to_owned).collect();
        assert_eq!(found, expected, "{name}");
    }
}

/// Files come out of the writer byte for byte, whatever their dialect.
#[test]
fn untouched_files_are_written_as_they_were() {
    let folders = [
        "pairings",
        "tiebreaks",
        "extra/impossible",
        "extra/c2_defect",
        "extra/baku_192",
        "extra/initial_colour",
    ];
    let mut count = 0;
    for folder in folders {
        for entry in fs::read_dir(data(folder)).expect("folder") {
            let path = entry.expect("entry").path();
            if path.extension().is_some_and(|e| e == "trf") {
                let text = fs::read_to_string(&path).expect("text");
                for text in
                    [text.replace('\n', "\r\n"), text.replace('\n', "\r"), format!("\u{feff}{text}"), text]
                {
                    let report = Report::read(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
                    assert!(report.write() == text, "{}", path.display());
                }
                count += 1;
            }
        }
    }
    assert_eq!(count, 62 + 3 + 8 + 3 + 1 + 1);
}

/// Every case is also right with the engine's shortcuts off.
#[test]
fn the_full_matching_agrees_on_the_reference_rounds() {
    for entry in fs::read_dir(data("pairings")).expect("folder") {
        let path = entry.expect("entry").path();
        if path.extension().is_none_or(|e| e != "trf") || fs::metadata(&path).expect("size").len() > 8000 {
            continue;
        }
        let tournament =
            Report::read(&fs::read_to_string(&path).expect("text")).expect("a report").tournament;
        let round = tournament.rounds_paired() + 1;
        let full =
            dutch::pair_round(&tournament, round, Method { cut: false, quick: false }).expect("a pairing");
        let quick = dutch::pair(&tournament).expect("a pairing");
        assert_eq!(lines(&full), lines(&quick), "{}", path.display());
    }
}

/// The arbiter's own bye is input: nobody else gets one, and it bars the player later.
#[test]
fn a_bye_can_be_assigned_in_advance() {
    let mut tournament = file("extra/initial_colour/late_entry_parity.trf").tournament;
    tournament.requested_byes.clear();
    tournament.players.pop();
    tournament.players[4].rounds = vec![Entry::Bye(Bye::Allocated)];
    let pairing = dutch::pair(&tournament).expect("a pairing");
    assert_eq!((pairing.bye, pairing.boards.len()), (None, 4));
    tournament.enter_pairing(&pairing).expect("a fresh round");
    assert_eq!(tournament.players[4].entry(1), Entry::Bye(Bye::Allocated));
    tournament.players.pop();
    tournament.players.iter_mut().for_each(|p| p.rounds.retain(|e| e.opponent().is_none()));
    assert_eq!(dutch::pair(&tournament), Err(PairingError::ByeAlreadyAssigned(5)));
}
