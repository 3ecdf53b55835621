//! Random time lines of commands, under every edition, speed and conduct: nothing panics, what is folded live is
//! what replay folds, clocks gain nothing without a cause, waking late changes nothing.
//!
//! `ZEITNOT_TIMELINES` sets how many (default: what a suite can afford), `ZEITNOT_SEED` repeats a run. 100,000:
//! `ZEITNOT_TIMELINES=100000 cargo test --release -p zeitnot-laws --test timelines`.
#![allow(clippy::unwrap_used)]

mod drive;
mod generate;

use drive::{Wake, drive};
use generate::Line;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::hash::{BuildHasher, RandomState};

fn runner(name: &str, share: u32) -> TestRunner {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let seed = number("ZEITNOT_SEED").unwrap_or_else(|| RandomState::new().hash_one(name));
    let cases = number("ZEITNOT_TIMELINES").map_or(2_000, |n| u32::try_from(n).unwrap()) / share;
    println!("{name}: {cases} time lines, ZEITNOT_SEED={seed}");
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 2_000, ..Config::default() };
    TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes))
}

#[test]
fn live_play_and_replay_agree() {
    let outcome = runner("live_play_and_replay_agree", 1).run(&Line::any(false), |line| {
        drive(&line, Wake::InTime)?;
        Ok(())
    });
    assert!(outcome.is_ok(), "{}", outcome.unwrap_err());
}

// Law 1997 6.9, 2014 6.9, 2023 6.9: instants decide, not the order in which timers wake.
#[test]
fn waking_late_changes_nothing() {
    let outcome = runner("waking_late_changes_nothing", 2).run(&Line::any(true), |line| {
        let in_time = drive(&line, Wake::InTime)?;
        let late = drive(&line, Wake::WithTheNextCommand)?;
        proptest::prop_assert_eq!(in_time, late);
        Ok(())
    });
    assert!(outcome.is_ok(), "{}", outcome.unwrap_err());
}
