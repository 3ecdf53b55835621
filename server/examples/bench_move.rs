//! What a move costs the server itself: from the bytes of its frame to the bytes that every reader gets,
//! the journal left out.
//!
//! `cargo run --release -p zeitnot-server --example bench_move` plays the recorded games through the same code that live
//! games go through: decode, decide, record, apply, encode for the readers, answer.

#![allow(clippy::unwrap_used, reason = "a benchmark fails by panicking")]

use std::hint::black_box;
use std::time::Instant;
use zeitnot_laws::{Arrival, Game};
use zeitnot_proto::command::Party;
use zeitnot_proto::game_stream::{Events, FromGame, ToGame};
use zeitnot_proto::rules::{Edition, GameId, Rules, Setup, Start, Terms};
use zeitnot_proto::{ByColor, Command, List, Move, Seq, Stamp, Text, codec};
use zeitnot_server::game::attachment::{Encoded, View, frame};
use zeitnot_server::journal::{EncodedRow, Record};

const GAMES: &str = include_str!("../../tests/data/real-games.tsv");
const PASSES: usize = 5;

fn main() {
    let games: Vec<Vec<Move>> = GAMES
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split('\t').nth(3))
        .map(|moves| moves.split(' ').map(|mv| mv.parse().unwrap()).collect())
        .collect();
    let mut costs_ns: Vec<u64> = Vec::new();
    for pass in 0..=PASSES {
        for moves in &games {
            play(moves, if pass == 0 { None } else { Some(&mut costs_ns) });
        }
    }
    costs_ns.sort_unstable();
    let at = |per_mille: usize| costs_ns[(costs_ns.len() - 1) * per_mille / 1000];
    let mean = costs_ns.iter().sum::<u64>() / costs_ns.len() as u64;
    println!("{} games, {} moves, {PASSES} passes", games.len(), costs_ns.len() / PASSES);
    println!("decode to frames, journal excluded: median {} ns, mean {mean} ns, p99 {} ns", at(500), at(990));
}

fn open() -> Game {
    let name = |text| Text::new(text).unwrap();
    let setup = Setup {
        game: GameId(1),
        players: ByColor::new(name("white"), name("black")),
        terms: Terms {
            time_control: "300+3".parse().unwrap(),
            rules: Rules { edition: Edition::Fide1997, ..Rules::default() },
            start: Start::default(),
            spectator_delay_us: 0,
        },
        event: Text::default(),
        round: Text::default(),
    };
    let (mut game, entries) = Game::open(setup, Stamp(1_000_000)).unwrap();
    for entry in &entries {
        game.apply(Stamp(1_000_000), &entry.event);
    }
    for side in zeitnot_proto::Color::BOTH {
        let here = Command::Presence { side, present: true };
        let decision = game.decide(Arrival { at: Stamp(1_000_000), lag_us: 0 }, Party::Server, &here);
        for entry in &decision.events {
            game.apply(Stamp(1_000_000), &entry.event);
        }
    }
    game.turn_began(Stamp(1_000_000));
    game
}

fn play(moves: &[Move], mut costs_ns: Option<&mut Vec<u64>>) {
    let mut game = open();
    for (ply, &mv) in moves.iter().enumerate() {
        let by = Party::from(game.turn());
        let sent = ToGame::Command {
            id: ply as u64 + 1,
            on: Some(game.position_seq()),
            command: Command::Move { mv, offer_draw: false },
        };
        let bytes = codec::encode(&sent).unwrap();
        let at = Stamp(2_000_000 + ply as u64 * 100_000);
        let started = Instant::now();
        one(&mut game, &bytes[codec::varint_len(bytes[0])..], by, at);
        let cost = u64::try_from(started.elapsed().as_nanos()).unwrap();
        if let Some(costs) = costs_ns.as_deref_mut() {
            costs.push(cost);
        }
    }
}

/// One move as `stream.rs` and `judge.rs` of a game handle it.
fn one(game: &mut Game, body: &[u8], by: Party, at: Stamp) {
    let Ok(ToGame::Command { id, command, .. }) = codec::decode::<ToGame>(body) else { panic!("no command") };
    let decision = game.decide(Arrival { at, lag_us: 0 }, by, &command);
    decision.answer.unwrap();
    let record = Record {
        game: game.setup().game,
        first: game.seq().map_or(Seq(0), Seq::next),
        turn_began: Some(at),
        at,
        by,
        command_id: Some(id),
        entries: decision.events,
    };
    let stored = EncodedRow::encode(&record).unwrap();
    *game = *decision.after;
    game.turn_began(at);
    let last = game.seq().unwrap();
    let encoded = Encoded::new(Events {
        first: record.first,
        at,
        by,
        entries: List::cut(record.entries),
        position_seq: game.position_seq(),
        clock: game.reading(),
        now: at,
    });
    let answer = frame(&FromGame::Answer { id, result: Ok(last) });
    black_box((stored, encoded.view(View::Public).len(), answer));
}
