//! What a game leaves behind, and the search that it may wait for before it is over.

use super::actor::{Actor, ToActor};
use crate::journal::{Finished, Record};
use crate::pgn;
use std::sync::Arc;
use zeitnot_laws::MateQuestion;
use zeitnot_proto::Event;
use zeitnot_proto::command::Command;
use zeitnot_proto::control::GameSummary;
use zeitnot_proto::event::Certificate;
use zeitnot_proto::snapshot::Status;

impl Actor {
    /// What the game leaves behind, if it is over after `last`.
    pub(super) fn finished_by(&self, last: &Record) -> Option<Finished> {
        let ends = |event: &Event| matches!(event, Event::GameEnded { .. } | Event::GameAnnulled { .. });
        if !self.game.status().is_over() && !last.entries.iter().any(|entry| ends(&entry.event)) {
            return None;
        }
        let mut after = self.game.clone();
        for entry in &last.entries {
            after.apply(last.at, &entry.event);
        }
        let mut records: Vec<Record> = self.past.records().collect();
        records.push(last.clone());
        let setup = after.setup();
        let outcome = match after.status() {
            Status::Ended(outcome) => Some(outcome),
            _ => None,
        };
        let moves = after.snapshot().moves.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
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
            moves,
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
