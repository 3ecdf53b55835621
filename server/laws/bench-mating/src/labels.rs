//! Verdicts against the labels of a file, and the time of each query.

use std::{fs, hint::black_box, str::FromStr, time::Instant};

use chasolver::Winnability;
use shakmaty::{Chess, Color, Position};
use zeitnot_laws::mating::{self, Budget, Proof, Verdict};

use crate::{Options, distribution};

struct Query {
    fen: String,
    winner: Color,
    winnable: bool,
}

#[derive(Default)]
struct Tally {
    mates: u64,
    never: u64,
    unknown: Vec<usize>,
    wrong: Vec<usize>,
    skipped: u64,
    proofs: [u64; 5],
    plies: usize,
    ours_ns: Vec<u64>,
    theirs_ns: Vec<u64>,
    theirs_wrong: u64,
    theirs_open: u64,
}

/// Runs every file; false if any verdict is wrong.
pub fn run(options: &Options) -> bool {
    let mut good = true;
    for file in &options.files {
        match fs::read_to_string(file) {
            Ok(text) => good &= one(file, &queries(&text), options),
            Err(why) => {
                eprintln!("{file}: {why}");
                good = false;
            }
        }
    }
    good
}

/// Queries of a tab-separated file with a header (`fen`, `intended_winner`, `verdict`), or of a test vector:
/// two characters that say whether White and Black can mate (`W` or `-`, `B` or `-`), then the FEN.
fn queries(text: &str) -> Vec<Query> {
    let first = text.lines().next().unwrap_or_default();
    let header: Vec<&str> = first.split('\t').collect();
    let column = |name| header.iter().position(|&title| title == name);
    if let (Some(fen), Some(winner), Some(verdict)) =
        (column("fen"), column("intended_winner"), column("verdict"))
    {
        return text
            .lines()
            .skip(1)
            .map(|line| {
                let fields: Vec<&str> = line.split('\t').collect();
                Query {
                    fen: fields[fen].to_owned(),
                    winner: if fields[winner] == "white" { Color::White } else { Color::Black },
                    winnable: fields[verdict] == "winnable",
                }
            })
            .collect();
    }
    let both = |line: &str| {
        let (can, fen) = line.split_once(' ').unwrap_or_default();
        let fen = fen.trim().to_owned();
        [
            Query { fen: fen.clone(), winner: Color::White, winnable: can.starts_with('W') },
            Query { fen, winner: Color::Black, winnable: can.ends_with('B') },
        ]
    };
    text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()).flat_map(both).collect()
}

fn one(file: &str, queries: &[Query], options: &Options) -> bool {
    let mut tally = Tally::default();
    for (index, query) in queries.iter().enumerate() {
        let Ok(position) = mating::position_from_fen(&query.fen) else {
            tally.skipped += 1;
            println!("skipped: {}", query.fen);
            continue;
        };
        ours(&position, query, index, options, &mut tally);
        if !options.alone {
            theirs(query, options, &mut tally);
        }
    }
    report(file, queries, options, tally)
}

/// Runs `work` once and gives its nanoseconds. On a busy machine long work is measured by the time the thread
/// really ran, where the system tells.
fn timed<T>(work: impl FnOnce() -> T) -> (T, u64) {
    let before = ran_ns();
    let start = Instant::now();
    let result = work();
    let wall = start.elapsed().as_nanos() as u64;
    if wall < LONG_NS {
        return (result, wall);
    }
    let ran = ran_ns().zip(before).map_or(wall, |(after, before)| after.saturating_sub(before));
    (result, ran.min(wall))
}

/// Below this the system's own bookkeeping is too coarse.
const LONG_NS: u64 = 20_000_000;

fn ran_ns() -> Option<u64> {
    let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok()
}

fn ours(position: &Chess, query: &Query, index: usize, options: &Options, tally: &mut Tally) {
    let budget = Budget { positions: options.positions };
    let mut best = u64::MAX;
    let mut verdict = Verdict::Unknown(0);
    for _ in 0..options.passes {
        let ns;
        (verdict, ns) = timed(|| black_box(mating::analyse(black_box(position), query.winner, budget)));
        best = best.min(ns);
        if best > 200_000_000 {
            break;
        }
    }
    tally.ours_ns.push(best);
    match &verdict {
        Verdict::Mates(line) => {
            tally.mates += 1;
            tally.plies = tally.plies.max(line.len());
            if !query.winnable || !replays(position, query.winner, line) {
                tally.wrong.push(index);
            }
        }
        Verdict::Never(proof) => {
            tally.never += 1;
            tally.proofs[match proof {
                Proof::Material => 0,
                Proof::Terminal => 1,
                Proof::ForcedLine(_) => 2,
                Proof::Exhausted(_) => 3,
                Proof::Static => 4,
            }] += 1;
            if query.winnable {
                tally.wrong.push(index);
            }
        }
        Verdict::Unknown(_) => tally.unknown.push(index),
    }
}

fn replays(position: &Chess, winner: Color, line: &[shakmaty::Move]) -> bool {
    let mut position = position.clone();
    for &step in line {
        if !position.is_legal(step) {
            return false;
        }
        position.play_unchecked(step);
    }
    position.is_checkmate() && position.turn() != winner
}

fn theirs(query: &Query, options: &Options, tally: &mut Tally) {
    let Ok(board) = chess::Board::from_str(&query.fen) else { return };
    let winner = if query.winner == Color::White { chess::Color::White } else { chess::Color::Black };
    let mut best = u64::MAX;
    let mut verdict = None;
    for _ in 0..options.passes {
        let ns;
        (verdict, ns) = timed(|| black_box(chasolver::winnability(black_box(&board), winner)));
        best = best.min(ns);
        if best > 200_000_000 {
            break;
        }
    }
    tally.theirs_ns.push(best);
    match verdict {
        None => tally.theirs_open += 1,
        Some(verdict) => {
            let winnable = matches!(verdict, Winnability::Winnable { .. });
            tally.theirs_wrong += u64::from(winnable != query.winnable);
        }
    }
}

fn report(file: &str, queries: &[Query], options: &Options, mut tally: Tally) -> bool {
    println!("{file}: {} queries, {} skipped, budget {}", queries.len(), tally.skipped, options.positions);
    println!(
        "  zeitnot: mates {} never {} unknown {} wrong {}; longest line {} plies",
        tally.mates,
        tally.never,
        tally.unknown.len(),
        tally.wrong.len(),
        tally.plies
    );
    let [material, terminal, forced, exhausted, fixed] = tally.proofs;
    println!(
        "  proofs: material {material} terminal {terminal} forced {forced} exhausted {exhausted} static {fixed}"
    );
    let side = |query: &Query| if query.winner == Color::White { "white" } else { "black" };
    for &index in tally.wrong.iter() {
        println!("  WRONG {}\t{}", queries[index].fen, side(&queries[index]));
    }
    for &index in tally.unknown.iter() {
        let label = if queries[index].winnable { "winnable" } else { "unwinnable" };
        println!("  unknown {}\t{}\t{label}", queries[index].fen, side(&queries[index]));
    }
    if options.slow > 0 && tally.skipped == 0 {
        let mut order: Vec<usize> = (0..queries.len()).collect();
        order.sort_by_key(|&index| std::cmp::Reverse(tally.ours_ns[index]));
        for &index in order.iter().take(options.slow) {
            let label = if queries[index].winnable { "winnable" } else { "unwinnable" };
            let us = tally.ours_ns[index] / 1000;
            println!("  slow {us} us {}\t{}\t{label}", queries[index].fen, side(&queries[index]));
        }
    }
    let ours: u64 = tally.ours_ns.iter().sum();
    let theirs: u64 = tally.theirs_ns.iter().sum();
    println!("  zeitnot   {}", distribution(&mut tally.ours_ns));
    if !options.alone {
        println!("  chasolver {}", distribution(&mut tally.theirs_ns));
        println!(
            "  chasolver: wrong {} unknown {}; ratio of totals {:.3}",
            tally.theirs_wrong,
            tally.theirs_open,
            ours as f64 / theirs as f64
        );
    }
    tally.wrong.is_empty()
}
