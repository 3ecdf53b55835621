//! Verdicts of the mating analysis against labelled positions.
//!
//! The files in `data/mating` are checked in part; `ZEITNOT_MATING_DATA=FOLDER` checks every `.tsv` file of a
//! folder in full (use `--release`), for example the repository's own:
//! `ZEITNOT_MATING_DATA=server/laws/data/mating cargo test --release -p zeitnot-laws --test mating`.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use shakmaty::{Chess, Color, Move, Position};
use zeitnot_laws::mating::{Budget, Verdict, analyse, is_dead_cheap, position_from_fen};

/// Labels nobody has proved a second time: saying "unknown" to them is no fault.
const OPEN: [&str; 3] = [
    "8/5ppp/8/8/ppp5/bkp4Q/qnp5/n1K5 b",
    "8/6pp/8/8/ppp5/bkp4Q/qnp2p2/n1K5 b",
    "8/6pp/8/4q3/ppp5/bkp4Q/qnp2p2/n1K5 b",
];

struct Query {
    fen: String,
    winner: Color,
    winnable: bool,
}

#[derive(Default, Debug)]
struct Tally {
    queries: usize,
    unknown: Vec<String>,
    wrong: Vec<String>,
}

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("data/mating")
}

fn queries(file: &Path) -> Vec<Query> {
    let text = fs::read_to_string(file).unwrap_or_else(|why| panic!("{}: {why}", file.display()));
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
    let column = |name: &str| {
        let found = header.iter().position(|&title| title == name);
        found.unwrap_or_else(|| panic!("{}: no column {name}", file.display()))
    };
    let (fen, winner, verdict) = (column("fen"), column("intended_winner"), column("verdict"));
    lines
        .map(|line| {
            let fields: Vec<&str> = line.split('\t').collect();
            Query {
                fen: fields[fen].to_owned(),
                winner: if fields[winner] == "white" { Color::White } else { Color::Black },
                winnable: fields[verdict] == "winnable",
            }
        })
        .collect()
}

fn mates(position: &Chess, winner: Color, line: &[Move]) -> bool {
    let mut position = position.clone();
    for &step in line {
        if !position.is_legal(step) {
            return false;
        }
        position.play_unchecked(step);
    }
    position.is_checkmate() && position.turn() != winner
}

fn check(queries: impl Iterator<Item = Query>, budget: Budget) -> Tally {
    let mut tally = Tally::default();
    for query in queries {
        let position = position_from_fen(&query.fen).unwrap_or_else(|why| panic!("{}: {why}", query.fen));
        tally.queries += 1;
        let name = format!("{} {}", query.fen, query.winner);
        match analyse(&position, query.winner, budget) {
            Verdict::Mates(line) => {
                if !query.winnable || !mates(&position, query.winner, &line) {
                    tally.wrong.push(name);
                }
            }
            Verdict::Never(_) if query.winnable => tally.wrong.push(name),
            Verdict::Never(_) => {}
            Verdict::Unknown(_) => tally.unknown.push(name),
        }
        if query.winnable && is_dead_cheap(&position) {
            tally.wrong.push(format!("{} called dead", query.fen));
        }
    }
    tally
}

#[test]
fn selected_positions_have_their_verdicts() {
    let tally = check(queries(&data().join("selected.tsv")).into_iter(), Budget::RULING);
    assert_eq!(tally.queries, 25);
    assert!(tally.wrong.is_empty() && tally.unknown.is_empty(), "{tally:#?}");
}

#[test]
fn flag_falls_of_real_games_are_all_decided() {
    for file in ["real-timeouts.tsv", "real-games.tsv"] {
        let tally = check(queries(&data().join(file)).into_iter(), Budget::RULING);
        assert!(tally.queries >= 500, "{file}");
        assert!(tally.wrong.is_empty() && tally.unknown.is_empty(), "{file}: {tally:#?}");
    }
}

/// Every thirteenth constructed position with a small budget: never wrong, seldom unknown.
#[test]
fn constructed_positions_are_never_misjudged() {
    let sample = queries(&data().join("positions.tsv")).into_iter().step_by(13);
    let tally = check(sample, Budget { positions: 20_000 });
    assert!(tally.wrong.is_empty(), "{tally:#?}");
    assert!(tally.unknown.len() * 10 <= tally.queries, "{tally:#?}");
}

/// All files of a folder in full, if one is named.
#[test]
fn every_file_of_the_named_folder_is_right() {
    let Ok(folder) = env::var("ZEITNOT_MATING_DATA") else { return };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = if Path::new(&folder).is_absolute() { folder.into() } else { root.join(folder) };
    let mut files: Vec<PathBuf> = fs::read_dir(&folder)
        .unwrap_or_else(|why| panic!("{}: {why}", folder.display()))
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|end| end == "tsv"))
        .collect();
    files.sort();
    let budget = env::var("ZEITNOT_MATING_BUDGET").ok().and_then(|text| text.parse().ok());
    let budget = budget.map_or(Budget::RULING, |positions| Budget { positions });
    for file in files {
        let tally = check(queries(&file).into_iter(), budget);
        println!("{}: {} queries, unknown: {:#?}", file.display(), tally.queries, tally.unknown);
        assert!(tally.wrong.is_empty(), "{}: {:#?}", file.display(), tally.wrong);
        let open = |name: &String| OPEN.iter().any(|fen| name.starts_with(fen));
        let constructed = file.file_name().is_some_and(|name| name == "positions.tsv");
        let bound = if constructed { 12 } else { 0 };
        let unknown = tally.unknown.iter().filter(|name| !open(name)).count();
        assert!(unknown <= bound, "{}: {:#?}", file.display(), tally.unknown);
    }
}
