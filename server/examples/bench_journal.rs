//! What the journal can do on this disk:
//! `cargo run --release -p zeitnot-server --example bench_journal -- [DIRECTORY]`.
//!
//! Latency of an append at several offered rates, throughput, reading 10,000 unfinished games back,
//! the end of a game, a page of a player's history among 20,000 games. `docs/bench-journal.md` has figures.

#![allow(clippy::unwrap_used, reason = "a benchmark fails by panicking")]
#![allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "figures for people"
)]

#[path = "../tests/common/mod.rs"]
mod common;

use common::{a_move, created, encoded, ended, finished, open};
use std::path::Path;
use std::sync::mpsc;
use std::time::{Duration, Instant};
use zeitnot_proto::control::GameFilter;
use zeitnot_proto::rules::GameId;
use zeitnot_proto::{Outcome, Reason};
use zeitnot_server::journal::{Committed, Journal, SqliteJournal};

/// How long each rate is offered.
const SPAN: Duration = Duration::from_secs(5);

fn main() {
    let parent = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    let dir = tempfile::tempdir_in(&parent).unwrap();
    println!("database in {}", dir.path().display());
    println!("\noffered/s   done/s   p50 ms   p99 ms   max ms   decisions a commit   cpu us a decision");
    for rate in [200, 1_000, 5_000, 10_000, 50_000] {
        offered(&dir.path().join(rate.to_string()), rate);
    }
    saturated(&dir.path().join("saturated"));
    unfinished(&dir.path().join("unfinished"));
    history(&dir.path().join("history"));
}

/// Appends at a fixed rate, whatever the answers; each game has one decision under way, as in the server.
fn offered(dir: &Path, rate: u32) {
    let journal = open(dir);
    let games = u64::from(rate);
    create(&journal, games);
    let (before, watch) = (journal.stats(), Watch::start());
    let (sender, receiver) = mpsc::channel::<(Instant, Committed)>();
    let waiter = std::thread::spawn(move || {
        // In the order of the appends: an answer is late by as much as the one before it is.
        receiver
            .into_iter()
            .map(|(sent, committed)| {
                committed.blocking_recv().unwrap().unwrap();
                sent.elapsed()
            })
            .collect::<Vec<_>>()
    });
    let started = Instant::now();
    let mut sent = 0u64;
    while started.elapsed() < SPAN {
        let due = (started.elapsed().as_secs_f64() * f64::from(rate)) as u64;
        for turn in sent..due {
            let record = a_move(1 + turn % games, 1 + u32::try_from(turn / games).unwrap(), turn);
            sender.send((Instant::now(), journal.append(encoded(&record), None))).unwrap();
        }
        sent = due.max(sent);
        std::thread::sleep(Duration::from_micros(200));
    }
    drop(sender);
    let mut waits = waiter.join().unwrap();
    let took = started.elapsed().as_secs_f64();
    waits.sort_unstable();
    let ms = |wait: Duration| wait.as_secs_f64() * 1e3;
    let at = |share: usize| ms(waits[(waits.len() - 1) * share / 100]);
    let after = journal.stats();
    let records = (after.records - before.records) as f64;
    println!(
        "{rate:>9} {:>8.0} {:>8.2} {:>8.2} {:>8.2} {:>20.1} {:>19.1}",
        records / took,
        at(50),
        at(99),
        ms(*waits.last().unwrap()),
        records / (after.commits - before.commits) as f64,
        watch.read().1.as_secs_f64() * 1e6 / records,
    );
}

fn create(journal: &SqliteJournal, games: u64) {
    let waiting: Vec<_> =
        (1..=games).map(|game| journal.append(encoded(&created(game, "ann", "bob")), None)).collect();
    for committed in waiting {
        committed.blocking_recv().unwrap().unwrap();
    }
}

/// As many appends as go through, with 4,000 under way.
fn saturated(dir: &Path) {
    let journal = open(dir);
    create(&journal, 4_000);
    let started = Instant::now();
    let mut done = 0;
    for seq in 1.. {
        let waiting: Vec<_> =
            (1..=4_000).map(|game| journal.append(encoded(&a_move(game, seq, 5)), None)).collect();
        for committed in waiting {
            committed.blocking_recv().unwrap().unwrap();
            done += 1;
        }
        if started.elapsed() > SPAN {
            break;
        }
    }
    println!(
        "\nsaturated, 4,000 under way: {:.0} decisions/s",
        f64::from(done) / started.elapsed().as_secs_f64()
    );
}

/// Opens and reads back 10,000 games in progress, 40 decisions each.
fn unfinished(dir: &Path) {
    const GAMES: u64 = 10_000;
    let journal = open(dir);
    create(&journal, GAMES);
    for seq in 1..40 {
        let waiting: Vec<_> =
            (1..=GAMES).map(|game| journal.append(encoded(&a_move(game, seq, 5)), None)).collect();
        for committed in waiting {
            committed.blocking_recv().unwrap().unwrap();
        }
    }
    drop(journal);
    let size = dir.join("zeitnot.db").metadata().unwrap().len();
    let watch = Watch::start();
    let journal = open(dir);
    let (opened, opened_cpu) = watch.read();
    let watch = Watch::start();
    let records = journal.unfinished().unwrap().len();
    let (read, read_cpu) = watch.read();
    println!(
        "10,000 games in progress, {records} decisions, {:.1} bytes each: opened in {opened:.1?} (cpu {opened_cpu:.1?}), \
         read in {read:.1?} (cpu {read_cpu:.1?})",
        size as f64 / records as f64,
    );
    let started = Instant::now();
    for game in 1..=200 {
        assert_eq!(journal.load(GameId(game)).unwrap().len(), 40);
    }
    println!("one of them by its number: {:.1?}", started.elapsed() / 200);
}

/// Ends 20,000 games and looks through a player's.
fn history(dir: &Path) {
    const GAMES: u64 = 20_000;
    let journal = open(dir);
    let draw = Outcome::draw(Reason::Agreement);
    let names: Vec<String> = (0..200).map(|n| format!("player{n}")).collect();
    let watch = Watch::start();
    for from in (0..GAMES).step_by(1_000) {
        let mut waiting = Vec::new();
        for game in from + 1..=from + 1_000 {
            let white = &names[usize::try_from(game).unwrap() % 200];
            let black = &names[usize::try_from(game * 7 + 1).unwrap() % 200];
            waiting.push(journal.append(encoded(&created(game, white, black)), None));
            waiting.extend((1..80).map(|seq| journal.append(encoded(&a_move(game, seq, 5)), None)));
            let mut row = finished(game, white, black, Some(draw.clone()));
            row.pgn = "x".repeat(5_000);
            waiting.push(journal.append(encoded(&ended(game, 80, 9, draw.clone())), Some(Box::new(row))));
            if waiting.len() > 10_000 {
                for committed in waiting.drain(..) {
                    committed.blocking_recv().unwrap().unwrap();
                }
            }
        }
        for committed in waiting {
            committed.blocking_recv().unwrap().unwrap();
        }
    }
    let games = u32::try_from(GAMES).unwrap();
    let (all, all_cpu) = watch.read();
    let (each, each_cpu) = (all / games, all_cpu / games);
    println!("a game of 80 half-moves, from its creation to the sweep: {each:.1?} (cpu {each_cpu:.1?})");
    let filter = GameFilter::Player("player7".try_into().unwrap());
    let started = Instant::now();
    for _ in 0..100 {
        assert_eq!(journal.finished(&filter, Some(GameId(GAMES / 2)), 50).unwrap().0.len(), 50);
    }
    println!("a page of 50 games of one player among 20,000: {:.1?}", started.elapsed() / 100);
    let swept = journal.stats().swept;
    println!("rows swept meanwhile: {swept} of {}", GAMES * 81);
}

/// Measures time, and the processor time of this process.
struct Watch {
    started: Instant,
    cpu: Duration,
}

impl Watch {
    fn start() -> Watch {
        Watch { started: Instant::now(), cpu: cpu() }
    }

    /// Time and processor time since the start.
    fn read(&self) -> (Duration, Duration) {
        (self.started.elapsed(), cpu().saturating_sub(self.cpu))
    }
}

/// Processor time of this process so far.
fn cpu() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks: u64 =
        after_name.split_whitespace().skip(11).take(2).filter_map(|t| t.parse::<u64>().ok()).sum();
    // A tick is a hundredth of a second on every Linux.
    Duration::from_millis(ticks * 10)
}
