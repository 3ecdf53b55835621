//! Random tournaments: no absolute criterion breaks, the shortcuts change nothing, reports survive.
//!
//! `SIMULATIONS=10000 cargo test --release -p zeitnot-pairing --test simulations` runs the long form;
//! `SIMULATION_PLAYERS=300` makes all of them large.

use zeitnot_pairing::audit;
use zeitnot_pairing::dutch::{self, Method};
use zeitnot_pairing::simulate::{Random, Recipe};
use zeitnot_pairing::trf::{Dialect, Report};

fn setting<T: std::str::FromStr>(name: &str) -> Option<T> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

/// How many tournaments; a few hundred unless the environment asks for more.
fn count() -> u64 {
    setting("SIMULATIONS").unwrap_or(300)
}

fn recipe(seed: u64) -> (Recipe, Random) {
    let mut random = Random::new(seed);
    let size = setting("SIMULATION_PLAYERS").unwrap_or([6, 10, 16, 30, 60][random.below(5)]);
    let recipe = Recipe::any(&mut random, size);
    (recipe, random)
}

#[test]
fn no_absolute_criterion_is_broken() {
    for seed in 0..count() {
        let (recipe, mut random) = recipe(seed);
        recipe.run(&mut random, Method::default(), |tournament, pairing| {
            let boards: Vec<_> = pairing.boards.iter().map(|board| (board.white, board.black)).collect();
            let broken = audit::violations(tournament, pairing.round, &boards, pairing.bye);
            assert!(broken.is_empty(), "seed {seed}, round {}: {broken:?}", pairing.round);
        });
    }
}

/// Equal to the full matching over the whole field, round by round, also where a round cannot be paired.
#[test]
fn shortcuts_change_nothing() {
    for seed in 0..count() {
        let (recipe, mut random) = recipe(seed ^ 0x5eed);
        let (tournament, failed) = recipe.run(&mut random, Method::default(), |tournament, pairing| {
            for method in [Method { cut: false, quick: false }, Method { cut: true, quick: false }] {
                let full = dutch::pair_round(tournament, pairing.round, method);
                let boards =
                    |p: &dutch::Pairing| -> Vec<_> { p.boards.iter().map(|b| (b.white, b.black)).collect() };
                let full = full.unwrap_or_else(|e| panic!("seed {seed}: {e}"));
                assert_eq!(
                    boards(pairing),
                    boards(&full),
                    "seed {seed}, round {}, {method:?}",
                    pairing.round
                );
                assert_eq!(pairing.bye, full.bye);
            }
        });
        if let Some(error) = failed {
            let round = tournament.rounds_paired() + 1;
            let full = dutch::pair_round(&tournament, round, Method { cut: false, quick: false });
            assert!(full.is_err(), "seed {seed}: the full matching pairs what fails with {error}");
        }
    }
}

/// What is written is read back equal, and written again byte for byte, in both dialects.
#[test]
fn reports_survive_a_round_trip() {
    for seed in 0..count() {
        let (recipe, mut random) = recipe(seed ^ 0x7ef);
        let (tournament, _) = recipe.run(&mut random, Method::default(), |_, _| {});
        for dialect in [Dialect::Trf2026, Dialect::Bx] {
            let text = Report::new(tournament.clone(), dialect).write();
            let report = Report::read(&text).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{text}"));
            assert!(report.warnings.is_empty(), "seed {seed}: {:?}", report.warnings);
            assert_eq!(report.write(), text, "seed {seed}");
            let again = Report::new(report.tournament.clone(), dialect).write();
            assert_eq!(again, text, "seed {seed}: the model lost something");
            assert_eq!(report.tournament.players, tournament.players, "seed {seed}");
        }
    }
}

/// A finished random tournament agrees with the engine in every round.
#[test]
fn every_round_of_a_tournament_is_paired_again_alike() {
    for seed in 0..count() / 4 {
        let (recipe, mut random) = recipe(seed ^ 0xc4ec);
        let (tournament, _) = recipe.run(&mut random, Method::default(), |_, _| {});
        for round in audit::check(&tournament) {
            assert!(round.agrees(), "seed {seed}: {round:?}");
        }
    }
}
