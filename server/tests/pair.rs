//! `zeitnot-server pair` and `standings` as whoever runs them sees them: output, messages, exit codes.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn data(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("pairing/data").join(file)
}

fn run(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_zeitnot-server"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the server's binary");
    child.stdin.take().expect("a pipe").write_all(input).expect("a reader");
    child.wait_with_output().expect("an end")
}

fn shown(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn a_file_or_the_standard_input_is_paired() {
    let file = data("extra/c2_defect/seed735265-r7-p10.trf");
    let expected = std::fs::read_to_string(file.with_extension("pairs")).expect("the pairs");
    let text = std::fs::read(&file).expect("the file");
    let from_file = shown(&run(&["pair", file.to_str().expect("a path")], b""));
    assert_eq!(from_file, (Some(0), expected, String::new()));
    assert_eq!(shown(&run(&["pair", "-"], &text)), from_file);
}

#[test]
fn exit_codes_are_those_of_the_page() {
    let impossible = data("extra/impossible/imp01.trf");
    let (code, out, err) = shown(&run(&["pair", impossible.to_str().expect("a path")], b""));
    assert!(code == Some(1) && out.is_empty() && err.contains("C1 to C3"), "{err}");
    assert_eq!(run(&["pair", "no such file"], b"").status.code(), Some(5));
    let (code, _, err) = shown(&run(&["pair", "-"], b"012 Evening\n001 none\n"));
    assert_eq!(
        (code, err.trim()),
        (Some(3), "line 2, column 5: expected a pairing number from 1 to 9999, found 'none'")
    );
    assert_eq!(run(&["standings", "-", "--tiebreaks", "BH/C9"], b"").status.code(), Some(2));
}

#[test]
fn standings_follow_the_published_list() {
    let file = data("tiebreaks/tb1_swiss8_all_played.trf");
    let arguments =
        ["standings", file.to_str().expect("a path"), "--tiebreaks", "DE,BH/C1,BH,SB,TPR", "--format", "csv"];
    let (code, out, _) = shown(&run(&arguments, b""));
    assert_eq!(code, Some(0));
    let order: Vec<&str> = out.lines().skip(1).filter_map(|line| line.split(',').nth(1)).collect();
    assert_eq!(order, ["1", "3", "2", "5", "6", "7", "8", "4"]);
    let (code, out, _) = shown(&run(&["pair", file.to_str().expect("a path"), "--check"], b""));
    assert_eq!((code, out.matches("agrees").count()), (Some(0), 5));
}
