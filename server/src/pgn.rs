//! Games in portable notation (PGN), made from the records of the journal.
//!
//! The moves are those that stand: what a takeback or an arbiter took back is gone. Clock and time
//! spent follow each move as `[%clk]` and `[%emt]`; a draw offer is marked `(=)` as on a scoresheet. A
//! result that PGN has no word for, such as 0-0, is `*` with both scores in tags of their own.

mod movetext;
mod tags;

pub(crate) use tags::date_and_time;

use crate::journal::Record;
use std::fmt;
use zeitnot_proto::rules::Setup;
use zeitnot_proto::{ByColor, Color, Event, Move, Outcome, Stamp};

/// Why records cannot be written as a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PgnError {
    /// They do not begin with the creation of a game.
    NoCreation,
    /// The start position or a move that led to it does not make sense.
    BadStart,
}

impl fmt::Display for PgnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PgnError::NoCreation => "the records do not begin with the creation of a game",
            PgnError::BadStart => "the game starts from a position that does not make sense",
        })
    }
}

impl std::error::Error for PgnError {}

/// One half-move that stands.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Ply {
    side: Color,
    mv: Move,
    /// What it took, and what the clock showed after it; none before it is completed.
    elapsed_us: Option<u64>,
    clock_us: Option<u64>,
    /// Draws that were offered with it or after it.
    offers: Vec<Color>,
}

/// A game as a scoresheet shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Sheet {
    setup: Setup,
    begun: Stamp,
    plies: Vec<Ply>,
    /// Draws that were offered before the first move.
    offers: Vec<Color>,
    ended: Option<Ended>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Ended {
    Result(Outcome),
    Annulled,
}

/// The records of one game, from its creation on, as PGN with a line at the end of each part. A game
/// that is not over has the result `*`.
pub fn render(records: &[Record]) -> Result<String, PgnError> {
    let sheet = Sheet::of(records)?;
    let mut out = tags::tags(&sheet);
    out.push('\n');
    movetext::movetext(&sheet, &mut out)?;
    out.push('\n');
    Ok(out)
}

impl Sheet {
    fn of(records: &[Record]) -> Result<Sheet, PgnError> {
        let mut events =
            records.iter().flat_map(|record| record.entries.iter().map(|entry| (record.at, &entry.event)));
        let Some((begun, Event::GameCreated(setup))) = events.next() else {
            return Err(PgnError::NoCreation);
        };
        let mut sheet =
            Sheet { plies: opening(setup), setup: (**setup).clone(), begun, offers: Vec::new(), ended: None };
        for (at, event) in events {
            sheet.fold(at, event);
        }
        Ok(sheet)
    }

    fn fold(&mut self, at: Stamp, event: &Event) {
        match event {
            Event::GameStarted => self.begun = at,
            // An illegal move stands only if it is completed and nobody complains.
            Event::MoveMade { side, mv, illegal: false } => self.plies.push(Ply::made(*side, *mv)),
            Event::MoveCompleted { side, mv, spent, clocks_us } => {
                let pending = |ply: &Ply| ply.side == *side && ply.mv == *mv && ply.elapsed_us.is_none();
                let recent = self.plies.len().saturating_sub(2);
                let at = self.plies[recent..].iter().position(pending).map_or_else(
                    || {
                        self.plies.push(Ply::made(*side, *mv));
                        self.plies.len() - 1
                    },
                    |at| recent + at,
                );
                self.plies[at].elapsed_us = Some(spent.elapsed_us);
                let timed = !self.setup.terms.time_control.is_untimed();
                self.plies[at].clock_us = timed.then_some(clocks_us[*side]);
            }
            Event::PositionRestored { ply, .. } => self.plies.truncate(*ply as usize),
            Event::DrawOffered { side, .. } => {
                self.plies.last_mut().map_or(&mut self.offers, |ply| &mut ply.offers).push(*side);
            }
            Event::ColoursSwapped => {
                let ByColor { white, black } = &mut self.setup.players;
                std::mem::swap(white, black);
            }
            Event::GameEnded { white, black, reason, played } => {
                let scores = ByColor::new(*white, *black);
                let outcome = Outcome { scores, reason: reason.clone(), played: *played };
                self.ended = Some(Ended::Result(outcome));
            }
            Event::GameAnnulled { .. } => self.ended = Some(Ended::Annulled),
            _ => {}
        }
    }

    /// The result in the words that PGN has.
    fn result(&self) -> &'static str {
        match &self.ended {
            Some(Ended::Result(outcome)) => match outcome.result().as_str() {
                "1-0" => "1-0",
                "0-1" => "0-1",
                "1/2-1/2" => "1/2-1/2",
                _ => "*",
            },
            _ => "*",
        }
    }
}

impl Ply {
    fn made(side: Color, mv: Move) -> Ply {
        Ply { side, mv, elapsed_us: None, clock_us: None, offers: Vec::new() }
    }
}

/// The half-moves that the game was set up with.
fn opening(setup: &Setup) -> Vec<Ply> {
    let start = &setup.terms.start;
    let black_begins = start.fen.as_ref().is_some_and(|fen| fen.split_ascii_whitespace().nth(1) == Some("b"));
    let first = if black_begins { Color::Black } else { Color::White };
    let sides = [first, !first].into_iter().cycle();
    start.moves.iter().zip(sides).map(|(&mv, side)| Ply::made(side, mv)).collect()
}
