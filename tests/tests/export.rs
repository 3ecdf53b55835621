//! Exported games, read back by another program.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fmt::Write as _;
use std::process::Command;
use zeitnot_tests::programs::{self, workspace};
use zeitnot_tests::{Server, python};

/// Games of the record that are played.
const GAMES: usize = 60;

#[test]
fn python_chess_reads_exported_games_back_to_the_same_moves_and_results() {
    let recorded = workspace().join("tests/data/real-games.tsv");
    let server = Server::with(&[]);
    let mut replay = Command::new(programs::client());
    replay.args(["replay", "--server", &server.address.to_string(), "--pin", &server.pin.to_string()]);
    let output = replay.args(["--first", &GAMES.to_string()]).arg(&recorded).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));

    let folder = tempfile::tempdir().unwrap();
    let (games, records) = (folder.path().join("games.pgn"), folder.path().join("records.tsv"));
    server.run(&["export", "--all", "--output", games.to_str().unwrap()]).unwrap();
    let text = std::fs::read_to_string(recorded).unwrap();
    let played = text.lines().filter(|line| !line.starts_with('#')).take(GAMES);
    let mut expected = String::new();
    played.for_each(|line| writeln!(expected, "{line}").unwrap());
    std::fs::write(&records, expected).unwrap();
    let said = python::run("check_pgn.py", &[games.to_str().unwrap(), records.to_str().unwrap()]);
    assert!(said.contains(&format!("{GAMES} games read, 0 differences")), "{said}");
}

#[test]
fn python_chess_reads_the_odd_ones_too() {
    // Another start, its own moves, draw offers, takebacks, 0-0, no clocks: the server's own tests compare
    // what they write with this file.
    let folder = workspace().join("server/tests/golden");
    let (games, records) = (folder.join("odd-games.pgn"), folder.join("odd-games.tsv"));
    let said = python::run("check_pgn.py", &[games.to_str().unwrap(), records.to_str().unwrap()]);
    assert!(said.contains(" 0 differences"), "{said}");
}
