//! A game as spectators see it where the terms give them a delay: a second fold of the same events,
//! that much later.

use crate::clock;
use crate::journal::Record;
use std::collections::VecDeque;
use zeitnot_laws::Game;
use zeitnot_proto::game_stream::Events;
use zeitnot_proto::snapshot::ClockReading;
use zeitnot_proto::{List, Stamp};

/// The game as it stood a while ago, and what has happened since.
pub struct Delayed {
    game: Game,
    delay_us: u64,
    waiting: VecDeque<(Stamp, Record, Option<Stamp>)>,
}

impl Delayed {
    /// From here on spectators are late. What the game has at this moment they may see.
    pub fn new(game: &Game) -> Delayed {
        Delayed {
            game: game.clone(),
            delay_us: game.setup().terms.spectator_delay_us,
            waiting: VecDeque::new(),
        }
    }

    /// The game as spectators see it.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// The clocks as spectators see them: as if everything happened just as much later.
    pub fn reading(&self) -> ClockReading {
        later(self.game.reading(), self.delay_us)
    }

    /// By how much spectators are late, in microseconds.
    pub fn delay_us(&self) -> u64 {
        self.delay_us
    }

    /// Keeps a decision back, with the instant at which the turn that it opened began.
    pub fn enqueue(&mut self, record: &Record, began: Option<Stamp>) {
        self.waiting.push_back((clock::now().plus(self.delay_us), record.clone(), began));
    }

    /// When the next one may be seen.
    pub fn next_release(&self) -> Option<Stamp> {
        self.waiting.front().map(|(at, ..)| *at)
    }

    /// What may be seen by `now`.
    pub fn release(&mut self, now: Stamp) -> Vec<Events> {
        let mut released = Vec::new();
        while let Some((_, record, began)) = self.waiting.pop_front_if(|(at, ..)| *at <= now) {
            for entry in &record.entries {
                self.game.apply(record.at, &entry.event);
            }
            if let Some(began) = began {
                self.game.turn_began(began);
            }
            let clock = self.reading();
            released.push(Events {
                first: record.first,
                at: record.at,
                by: record.by,
                entries: List::cut(record.entries),
                position_seq: self.game.position_seq(),
                clock,
                now,
            });
        }
        released
    }
}

/// The clocks as somebody sees them who is late by `delay_us` microseconds.
pub fn later(mut clock: ClockReading, delay_us: u64) -> ClockReading {
    clock.began = clock.began.map(|began| began.plus(delay_us));
    clock
}
