//! The time of the check made after every move, over whole games.

use std::{fs, hint::black_box, time::Instant};

use shakmaty::{Chess, Color, Position, uci::UciMove};
use zeitnot_laws::mating::{self, Budget};

use crate::{Options, distribution};

/// Plays every game of a file (`result TAB plies TAB final TAB moves`) and times the check at every ply.
pub fn run(options: &Options) -> bool {
    let mut best: Vec<u64> = Vec::new();
    let mut dead = 0;
    for pass in 0..options.passes {
        let mut ply = 0;
        for file in &options.files {
            let Ok(text) = fs::read_to_string(file) else {
                eprintln!("{file}: not readable");
                return false;
            };
            for line in text.lines().filter(|line| !line.starts_with('#')) {
                let mut position = Chess::default();
                let moves = line.split('\t').nth(3).unwrap_or_default();
                for word in moves.split_whitespace() {
                    let Some(step) = word.parse::<UciMove>().ok().and_then(|uci| uci.to_move(&position).ok())
                    else {
                        eprintln!("illegal move {word} in {line}");
                        return false;
                    };
                    position.play_unchecked(step);
                    let start = Instant::now();
                    let verdict = black_box(mating::is_dead_cheap(black_box(&position)));
                    let ns = start.elapsed().as_nanos() as u64;
                    if pass == 0 {
                        best.push(ns);
                        dead += u64::from(verdict);
                    } else {
                        best[ply] = best[ply].min(ns);
                    }
                    ply += 1;
                }
            }
        }
    }
    println!("{} plies, {dead} dead positions; {}", best.len(), distribution(&mut best));
    true
}

/// How many of the dead positions of a labelled file (neither side can mate, by full analysis) the check
/// after every move recognises, and its times on that file.
pub fn recall(options: &Options) -> bool {
    let budget = Budget { positions: options.positions };
    for file in &options.files {
        let Ok(text) = fs::read_to_string(file) else {
            eprintln!("{file}: not readable");
            return false;
        };
        let (mut dead, mut seen, mut false_alarms) = (0, 0, 0);
        let mut best = Vec::new();
        let mut last = String::new();
        for line in text.lines().skip(1) {
            let fen = line.split('\t').next().unwrap_or_default();
            let Ok(position) = mating::position_from_fen(fen) else { continue };
            if fen == last {
                continue;
            }
            fen.clone_into(&mut last);
            let start = Instant::now();
            let cheap = black_box(mating::is_dead_cheap(black_box(&position)));
            best.push(start.elapsed().as_nanos() as u64);
            let truly = Color::ALL.iter().all(|&side| mating::analyse(&position, side, budget).is_never());
            dead += u64::from(truly);
            seen += u64::from(truly && cheap);
            false_alarms += u64::from(cheap && !truly);
            if cheap && !truly {
                for side in Color::ALL {
                    println!("{fen} {side:?} {:?}", mating::analyse(&position, side, budget));
                }
            }
        }
        println!("{file}: {dead} dead, {seen} recognised, {false_alarms} not confirmed; {}", distribution(&mut best));
    }
    true
}
