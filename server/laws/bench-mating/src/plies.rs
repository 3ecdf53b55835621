//! The time of the check made after every move, over whole games.

use std::{fs, hint::black_box, time::Instant};

use shakmaty::{Chess, Position, uci::UciMove};
use zeitnot_laws::mating;

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
