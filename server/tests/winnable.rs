//! `zeitnot-server winnable` as whoever runs it sees it: answers, messages, exit codes.

#![allow(clippy::unwrap_used)] // A test that cannot go on fails.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn winnable(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = program(arguments).output().unwrap();
    let Output { status, stdout, stderr } = output;
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code(), text(stdout), text(stderr))
}

fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_zeitnot-server"));
    command.arg("winnable").args(arguments);
    command
}

/// The answers to a file of `questions`, one JSON object each.
fn answers(questions: &str, more: &[&str]) -> (Option<i32>, Vec<Value>, String) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("questions.tsv");
    std::fs::write(&file, questions).unwrap();
    let mut arguments = vec!["--file", file.to_str().unwrap(), "--json"];
    arguments.extend(more);
    let (code, out, err) = winnable(&arguments);
    let folder = folder.path().display().to_string();
    (code, out.lines().map(|line| serde_json::from_str(line).unwrap()).collect(), err.replace(&folder, "DIR"))
}

/// The fields of one answer that do not depend on the machine.
fn said(answer: &Value) -> (&str, Option<&str>, Option<String>) {
    let words = answer["line"]
        .as_array()
        .map(|line| line.iter().map(|word| word.as_str().unwrap()).collect::<Vec<_>>().join(" "));
    (answer["verdict"].as_str().unwrap(), answer["proof"].as_str(), words)
}

/// One question for each kind of answer; the mate is on the board after the only move that mates.
#[test]
fn each_kind_of_answer_carries_its_certificate() {
    let questions = "7k/8/6K1/8/8/8/8/R7 w - - 0 1\twhite\n\
        8/8/4k3/8/8/3K4/8/8 w - - 0 1\tblack\n\
        7k/5Q2/6K1/8/8/8/8/8 b - - 0 1\tWHITE\r\n\
        \n\
        5Q2/1q2N1rk/p2p4/4p3/2p5/2P5/PP3P2/K6R b - - 1 48\twhite\n\
        8/5Q2/5B1k/7p/6pP/2P2KP1/5P2/8 w - - 0 48\tblack\n\
        8/8/5k2/p1p2p1p/P1P2P1P/8/3K4/8 w - - 41 60\tblack\n";
    let (code, answers, err) = answers(questions, &[]);
    assert_eq!((code, &*err), (Some(0), ""));
    let words = |text: &str| Some(text.to_string());
    assert_eq!(
        answers.iter().map(said).collect::<Vec<_>>(),
        [
            ("mates", None, words("a1a8")),
            ("never", Some("material"), None),
            ("never", Some("terminal"), None),
            ("never", Some("forced"), words("b7h1")),
            ("never", Some("exhausted"), None),
            ("never", Some("static"), None),
        ]
    );
    let first = answers.first().unwrap().as_object().unwrap();
    let mut fields: Vec<&str> = first.keys().map(String::as_str).collect();
    fields.sort_unstable();
    assert_eq!(fields, ["fen", "line", "positions", "proof", "us", "verdict", "winner"]);
    assert_eq!(first["fen"], "7k/8/6K1/8/8/8/8/R7 w - - 0 1");
    assert_eq!(first["winner"], "white");
    assert!(first["positions"].is_u64() && first["us"].is_u64());
    assert_eq!(answers[4]["positions"], 6, "every position that can follow, by the published count");
}

#[test]
fn what_is_not_decided_is_unknown_and_no_failure() {
    let hard = "1Bb5/1p6/pPp3k1/2Pp3p/P2PpBpP/4P1P1/5K2/8 w - - 0 1";
    let (code, out, _) = winnable(&[hard, "white", "--json", "--budget", "500"]);
    let answer: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, said(&answer)), (Some(0), ("unknown", None, None)));
    assert!(answer["positions"].as_u64().unwrap() >= 500);
    let (code, out, _) = winnable(&[hard, "white", "--budget", "500"]);
    assert!(code == Some(0) && out.contains("counts as can mate"), "{out}");
}

#[test]
fn a_line_that_is_no_question_is_named_and_the_others_are_answered() {
    let questions = "8/8/4k3/8/8/3K4/8/8 w - - 0 1\tblack\n\
        8/8/4k3/8/8/3K4/8/8 w - - 0 1 black\n\
        8/8/4k3/8/8/3K4/8/8 w - - 0 1\tgrey\n\
        8/8/4k3/8/8/3K4/8 w - - 0 1\twhite\n\
        8/8/8/8/8/3K4/8/8 w - - 0 1\twhite\n\
        8/8/4k3/8/8/3K4/8/8 w - - 0 1\twhite\n";
    let (code, answers, err) = answers(questions, &[]);
    assert_eq!((code, answers.len()), (Some(2), 2));
    let expected = "expected a FEN, a tab, and `white` or `black`";
    let lines: Vec<&str> = err.lines().collect();
    assert_eq!(lines.len(), 4, "{err}");
    assert_eq!(lines[0], format!("DIR/questions.tsv:2: {expected}, found no tab"));
    assert_eq!(lines[1], format!("DIR/questions.tsv:3: {expected}, found \"grey\""));
    assert!(lines[2].starts_with("DIR/questions.tsv:4: not a FEN: "), "{err}");
    assert!(lines[3].starts_with("DIR/questions.tsv:5: not a position: "), "{err}");
}

#[test]
fn what_cannot_be_asked_exits_with_two() {
    let cases: [&[&str]; 6] = [
        &["--file", "no such file"],
        &["8/8/4k3/8/8/3K4/8 w - - 0 1", "white"],
        &["8/8/4k3/8/8/3K4/8/8 w - - 0 1"],
        &["8/8/4k3/8/8/3K4/8/8 w - - 0 1", "grey"],
        &["8/8/4k3/8/8/3K4/8/8 w - - 0 1", "white", "--budget", "many"],
        &[],
    ];
    for arguments in cases {
        let (code, out, err) = winnable(arguments);
        assert!(code == Some(2) && out.is_empty() && !err.is_empty(), "{arguments:?}: {code:?} {err}");
    }
}

/// `winnable --file F | head -1` is no failure.
#[test]
fn a_reader_that_leaves_ends_it_quietly() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("laws/data/mating/real-games.tsv");
    let text = std::fs::read_to_string(file).unwrap();
    let questions: String = text
        .lines()
        .skip(1)
        .filter_map(|line| Some(format!("{}\tblack\n", line.split('\t').find(|field| field.contains('/'))?)))
        .collect();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("questions.tsv");
    std::fs::write(&file, questions).unwrap();
    let mut child = program(&["--file", file.to_str().unwrap()])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), &*String::from_utf8_lossy(&output.stderr)), (Some(0), ""));
}
