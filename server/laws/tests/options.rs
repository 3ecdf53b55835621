//! Holds `docs/options.md` to the options and to what is said about them in the rulebook. `ZEITNOT_BLESS=1` writes it.
#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;
use std::path::Path;
use zeitnot_laws::options::{Kind, OPTIONS, OptionSpec, RECORDED};
use zeitnot_laws::rulebook::Rulebook;
use zeitnot_proto::rules::{Edition, Speed};

const INTRO: &str = "\
# Options of a game

A game has the values of its edition and speed; each option here, given by name with a game's rules, replaces one of
them. Names may be written with `_` or `-`. An option or a value that is not known refuses the game (`bad_start`).
Times are `[[h:]m:]s[.ffffff]`; a bare number is in seconds. Numbers in brackets are the articles of
1997 | 2014 | 2023. Defaults that differ are given by edition and speed, unsupervised; `supervised` changes some of
them. This page is written by a test of `zeitnot-laws` from the rulebook; change that.

What some settings entail, unless the option of that name is given too: `arbiter = present` has claims examined by him
(`verify_claims = arbiter`), lets players stop the clocks to call him (`player_pause = free`) and tells him of time scrambles
(`time_alert = 5:00`). Under 2023, `qpf_rules = announced` settles two fallen flags in unknown order, not in blitz.
`increment_timing` decides whether the increment is there before the first move. Under 1997 a delay forfeits what is saved
at the end of a period. `online_regs` makes threefold and fifty-move draws automatic and has flags observed.
";

/// What the rulebook says about the field behind an option.
fn about(source: &str, name: &str) -> String {
    let field = match name {
        "illegal_observed_by_arbiter" => "illegal_observed",
        "qpf_verdicts_reject" => "qpf_reject",
        "initial_position_wrong" => "initial_position_wrong_until",
        "wrong_clock_setting_correctable" => "wrong_clock_setting_until",
        name => name,
    };
    let book = source.split("pub struct Rulebook {").nth(1).unwrap();
    let lines: Vec<&str> = book.lines().map(str::trim).collect();
    let declares = |line: &&str| {
        let rest = line.strip_prefix("pub ").and_then(|rest| rest.strip_prefix(field));
        rest.is_some_and(|rest| rest.starts_with(':') || rest.starts_with("_us:"))
    };
    let at = lines.iter().position(declares).unwrap_or_else(|| panic!("no field for {name}"));
    let docs: Vec<&str> = lines[..at].iter().rev().map_while(|line| line.strip_prefix("/// ")).collect();
    docs.into_iter()
        .rev()
        .collect::<Vec<_>>()
        .join(" ")
        .replace(", in microseconds", "")
        .replace(" | ", " \\| ")
}

fn values(kind: Kind) -> String {
    match kind {
        Kind::Flag => "`true`, `false`".to_owned(),
        Kind::Count => "a number".to_owned(),
        Kind::Span => "a time".to_owned(),
        Kind::Word(words) => words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", "),
        Kind::CountOr(words) => {
            let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
            format!("a number, {}", words.join(", "))
        }
        Kind::Penalties => "times for the opponent or `loss`, separated by commas".to_owned(),
    }
}

/// The defaults: one, or one for each edition, or one for each edition and speed where they differ.
fn defaults(option: &OptionSpec) -> String {
    let of = |edition, speed| option.show(&Rulebook::of(edition, speed, false));
    let edition = |edition: Edition| -> String {
        let [standard, rapid, blitz] = Speed::ALL.map(|speed| of(edition, speed));
        if standard == rapid && rapid == blitz { standard } else { format!("{standard} / {rapid} / {blitz}") }
    };
    let [first, second, third] = Edition::ALL.map(edition);
    if first == second && second == third { first } else { format!("{first} \\| {second} \\| {third}") }
}

fn page() -> String {
    let source = include_str!("../src/rulebook.rs");
    let mut page = INTRO.to_owned();
    writeln!(page, "\n| option | values | default | what it decides |\n|---|---|---|---|").unwrap();
    for option in OPTIONS {
        let (values, about) = (values(option.kind), about(source, option.name));
        writeln!(page, "| `{}` | {values} | {} | {about} |", option.name, defaults(option)).unwrap();
    }
    writeln!(
        page,
        "\nRecorded with the game and shown; an arbiter's command carries what they would decide:\n"
    )
    .unwrap();
    for (name, words) in RECORDED {
        let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
        writeln!(page, "- `{name}`: {}", words.join(", ")).unwrap();
    }
    page
}

#[test]
fn the_page_of_options_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/options.md");
    if std::env::var_os("ZEITNOT_BLESS").is_some() {
        std::fs::write(&path, page()).unwrap();
    }
    let stands = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(stands == page(), "docs/options.md is stale; run this test with ZEITNOT_BLESS=1");
}
