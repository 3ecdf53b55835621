//! What a game leaves behind, and the search that it may wait for before it is over.

use super::actor::{Actor, ToActor};
use crate::journal::{EncodedRow, Finished, Record};
use crate::pgn;
use std::fmt::Write as _;
use std::sync::Arc;
use zeitnot_laws::{Game, MateQuestion};
use zeitnot_proto::command::Command;
use zeitnot_proto::control::GameSummary;
use zeitnot_proto::event::Certificate;
use zeitnot_proto::snapshot::Status;

impl Actor {
    /// What the game leaves behind, if it is over `after` the record `last`.
    pub(super) fn finished_by(&self, last: &Record, after: &Game) -> Option<Finished> {
        if !after.status().is_over() {
            return None;
        }
        let setup = after.setup();
        let decode =
            |row: &EncodedRow| row.decode().inspect_err(|error| tracing::error!(%error, "not decoded")).ok();
        let mut records: Vec<Record> = self.past.rows(setup.game).iter().filter_map(decode).collect();
        records.push(last.clone());
        let outcome = match after.status() {
            Status::Ended(outcome) => Some(outcome),
            _ => None,
        };
        Some(Finished {
            summary: GameSummary {
                game: setup.game,
                players: setup.players.clone(),
                time_control: setup.terms.time_control.clone(),
                outcome,
                over: true,
                plies: after.plies(),
            },
            edition: setup.terms.rules.edition.name(),
            speed: setup.terms.rules.speed.name(),
            moves: moves_of(after),
            pgn: pgn::render(&records).unwrap_or_else(|error| {
                tracing::error!(game = %setup.game, %error, "a game cannot be written as PGN");
                String::new()
            }),
            created: self.past.created,
            ended: last.at,
        })
    }

    /// Searches for a mate beside the game; the clock has stopped, so that waiting charges nobody.
    pub(super) fn ask(&self, question: MateQuestion) {
        let server = Arc::clone(&self.server);
        let mailbox = self.handle.mailbox.clone();
        let game = self.game.setup().game;
        tokio::spawn(async move {
            let Ok(permit) = Arc::clone(&server.mate_searches).acquire_owned().await else { return };
            let positions = server.limits.mate_search_positions;
            let (unanswered, fen) = (question.unanswered(), question.fen());
            let searched = tokio::task::spawn_blocking(move || question.answer(positions)).await;
            drop(permit);
            let verdict = searched.unwrap_or_else(|error| {
                tracing::error!(%game, fen, %error, "a search for a mate broke off");
                unanswered
            });
            if let Command::MateVerdict { winner, certificate } = &verdict {
                server.metrics.mate_searched(match certificate {
                    Certificate::Mates(_) => "mates",
                    Certificate::Unknown { .. } => "unknown",
                    _ => "never",
                });
                if let Certificate::Unknown { positions } = certificate {
                    // The ruling stands as if there were a mate; whoever runs the server may look again, with
                    // `zeitnot-server winnable` and more positions.
                    tracing::warn!(%game, fen, ?winner, positions, "not known whether this side could mate");
                }
            }
            // The game waits for this; it has to arrive.
            let _gone = mailbox.send(ToActor::MateVerdict(Box::new(verdict))).await;
        });
    }
}

/// The moves of a game in UCI, with blanks between them.
fn moves_of(game: &Game) -> String {
    let mut moves = String::new();
    for mv in &game.snapshot().moves {
        let blank = if moves.is_empty() { "" } else { " " };
        // Writing to a string cannot fail.
        let _written = write!(moves, "{blank}{mv}");
    }
    moves
}
