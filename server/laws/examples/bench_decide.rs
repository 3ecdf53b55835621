//! What an ordinary move costs: `decide` and `apply` together, over recorded games.
//!
//! `cargo run --release -p zeitnot-laws --example bench_decide [FILE]`; the file has a game in each line, its
//! moves in UCI in the fourth column. Prints the median and higher percentiles in nanoseconds.
#![allow(clippy::unwrap_used)]

use std::time::Instant;
use zeitnot_laws::{Arrival, Game};
use zeitnot_proto::command::Party;
use zeitnot_proto::rules::{Edition, GameId, Rules, Setup, Start, Terms};
use zeitnot_proto::{ByColor, Command, Stamp, Text};

const DEFAULT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/real-games.tsv");

fn setup() -> Setup {
    let rules = Rules { edition: Edition::Fide1997, ..Rules::default() };
    Setup {
        game: GameId(1),
        players: ByColor::new(Text::cut("white"), Text::cut("black")),
        terms: Terms {
            time_control: "40/7200+30:3600+30".parse().unwrap(),
            rules,
            start: Start::default(),
            spectator_delay_us: 0,
        },
        event: Text::default(),
        round: Text::default(),
    }
}

fn main() {
    let file = std::env::args().nth(1).unwrap_or_else(|| DEFAULT.to_owned());
    let text = std::fs::read_to_string(&file).unwrap();
    let games: Vec<Vec<Command>> = text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split('\t').nth(3))
        .map(|moves| {
            moves.split_whitespace().map(|mv| Command::Move { mv: mv.parse().unwrap(), offer_draw: false })
        })
        .map(Iterator::collect)
        .collect();
    let mut cost_ns = Vec::new();
    for _ in 0..5 {
        for game in &games {
            play(game, &mut cost_ns);
        }
    }
    cost_ns.sort_unstable();
    let at = |per_mille: usize| cost_ns[(cost_ns.len() - 1) * per_mille / 1000];
    println!("{} games five times, {} moves", games.len(), cost_ns.len());
    println!("decide: median {} ns, p90 {} ns, p99 {} ns", at(500), at(900), at(990));
    let mut dead_ns = dead_positions(&games);
    dead_ns.sort_unstable();
    println!("of it, whether the position is dead: median {} ns", dead_ns[dead_ns.len() / 2]);
    println!("size of a game: {} bytes, and 26 for each half-move", size_of::<Game>());
}

/// What it costs to see that the positions of the games are not dead.
fn dead_positions(games: &[Vec<Command>]) -> Vec<u64> {
    let mut cost_ns = Vec::new();
    for game in games {
        let mut position = shakmaty::Chess::default();
        for command in game {
            let Command::Move { mv, .. } = command else { continue };
            let uci: shakmaty::uci::UciMove = mv.to_string().parse().unwrap();
            let played = uci.to_move(&position).unwrap();
            shakmaty::Position::play_unchecked(&mut position, played);
            let started = Instant::now();
            std::hint::black_box(zeitnot_laws::mating::is_dead_cheap(&position));
            cost_ns.push(u64::try_from(started.elapsed().as_nanos()).unwrap());
        }
    }
    cost_ns
}

fn play(moves: &[Command], cost_ns: &mut Vec<u64>) {
    let mut at = Stamp(1_000_000_000);
    let (mut game, entries) = Game::open(setup(), at).unwrap();
    for entry in &entries {
        game.apply(at, &entry.event);
    }
    game.turn_began(at);
    for command in moves {
        at = at.plus(1_000_000);
        let by = Party::from(game.turn());
        let started = Instant::now();
        let decision = game.decide(Arrival { at, lag_us: 0 }, by, command);
        game = *decision.after;
        cost_ns.push(u64::try_from(started.elapsed().as_nanos()).unwrap());
        assert_eq!(decision.answer, Ok(()));
        game.turn_began(at);
    }
}
