//! How long one round takes to pair. `cargo run --release -p zeitnot-pairing --example bench_pairing -- --help`

use std::time::{Duration, Instant};

use clap::Parser;
use zeitnot_pairing::dutch::{self, Method};
use zeitnot_pairing::simulate::{Random, Recipe};
use zeitnot_pairing::tournament::Forbidden;

/// Times the pairing of single rounds of random tournaments.
#[derive(Parser)]
struct Options {
    /// Sizes of the field.
    #[arg(long, value_delimiter = ',', default_value = "23,100,200,500,1000,2000")]
    players: Vec<usize>,
    /// Rounds played before the one that is timed.
    #[arg(long, value_delimiter = ',', default_value = "0,1,2,4,8")]
    after: Vec<usize>,
    /// Planned rounds.
    #[arg(long, default_value_t = 9)]
    rounds: usize,
    /// Tournaments of each kind.
    #[arg(long, default_value_t = 3)]
    seeds: u64,
    /// Requested byes, forfeits and withdrawals, per mille.
    #[arg(long, default_value_t = 0)]
    chaos: usize,
    /// Baku acceleration.
    #[arg(long)]
    baku: bool,
    /// So many clubs, whose members must not meet.
    #[arg(long, default_value_t = 0)]
    clubs: usize,
    /// Without the shortcut past the general matching.
    #[arg(long)]
    no_quick: bool,
    /// The whole field in every matching.
    #[arg(long)]
    no_cut: bool,
}

fn main() {
    let options = Options::parse();
    let method = Method { cut: !options.no_cut, quick: !options.no_quick };
    println!("{:>8} {:>6} {:>12} {:>12} {:>12}", "players", "after", "fastest ms", "median ms", "slowest ms");
    for &players in &options.players {
        for &after in options.after.iter().filter(|&&after| after < options.rounds) {
            let mut times: Vec<Duration> =
                (0..options.seeds).map(|seed| time(&options, players, after, seed, method)).collect();
            times.sort_unstable();
            let ms = |t: Duration| t.as_secs_f64() * 1000.0;
            let (first, middle, last) = (times[0], times[times.len() / 2], times[times.len() - 1]);
            println!("{players:>8} {after:>6} {:>12.2} {:>12.2} {:>12.2}", ms(first), ms(middle), ms(last));
        }
    }
}

fn time(options: &Options, players: usize, after: usize, seed: u64, method: Method) -> Duration {
    let mut random = Random::new(seed * 1_000_003 + players as u64);
    let chaos = options.chaos;
    let recipe = Recipe {
        half_bye: chaos,
        absence: chaos,
        withdrawal: chaos / 4,
        forfeit: chaos,
        late_entry: chaos,
        accelerated: options.baku,
        ..Recipe::plain(players, options.rounds)
    };
    let mut tournament = recipe.start(&mut random);
    for club in 0..options.clubs {
        let members = tournament.players.iter().map(|p| p.tpn).skip(club).step_by(options.clubs).collect();
        tournament.forbidden.push(Forbidden { rounds: None, players: members });
    }
    for round in 1..=after {
        recipe.absences(&mut tournament, round, &mut random);
        let pairing =
            dutch::pair_round(&tournament, round, Method::default()).expect("a round that can be paired");
        tournament.enter_pairing(&pairing).expect("a fresh round");
        recipe.play(&mut tournament, &pairing, &mut random);
    }
    recipe.absences(&mut tournament, after + 1, &mut random);
    let start = Instant::now();
    let pairing = dutch::pair_round(&tournament, after + 1, method);
    let time = start.elapsed();
    pairing.expect("a round that can be paired");
    time
}
