//! The games of a tournament: created once, heard when they end, completed after an outage.

use super::super::GameNews;
use super::super::event::Departure;
use super::super::games;
use super::super::state::{Board, State};
use super::super::table::board_result;
use super::Director;
use crate::clock;
use zeitnot_proto::Color;
use zeitnot_proto::command::{Command, Sanction, Why};
use zeitnot_proto::rules::GameId;
use zeitnot_proto::snapshot::Status;

impl Director {
    /// Creates the games of a round that do not exist yet. Their numbers stand in the pairing, so that a
    /// game is never made twice, whenever the server was killed.
    pub(super) async fn make_games(&mut self, round: u16) {
        let Some(boards) = self.state.round(round).map(|round| round.boards.clone()) else { return };
        for (board, number) in boards.iter().zip(1..) {
            let Some(game) = board.game.filter(|_| board.result.is_none()) else { continue };
            self.server.tournaments.watch_game(game, self.state.id);
            let new = games::new_game(&self.state, round, number, board, clock::now());
            match crate::hub::create_numbered(&self.server, game, new).await {
                Ok(()) => {}
                Err(refusal) => {
                    self.behind = true;
                    tracing::warn!(%game, refusal = refusal.name(), "a tournament's game was not created");
                }
            }
        }
    }

    pub(super) async fn void_games(&mut self) {
        for &game in &self.state.void_games {
            let reason =
                Why::cut("this game is not to be played: the arbiter has changed a pairing or a result");
            games::tell(&self.server, game, Command::Annul { reason }).await;
        }
    }

    /// Whoever is expelled loses the game that he is playing.
    pub(super) async fn expel_from_board(&mut self, player: u16, reason: &Why) {
        let open: Vec<(GameId, Color)> = self
            .state
            .rounds
            .iter()
            .flat_map(|round| &round.boards)
            .filter(|board| board.result.is_none() && (board.white == player || board.black == player))
            .filter_map(|board| {
                let white = board.white == player;
                let side = if white { Color::White } else { Color::Black };
                Some((board.game?, side))
            })
            .collect();
        for (game, side) in open {
            let sanction = Sanction::Expulsion;
            games::tell(&self.server, game, Command::Penalise { side, sanction, reason: reason.clone() })
                .await;
        }
    }

    /// After a start or an outage: completes what was begun, and hears what was missed.
    pub(super) async fn catch_up(&mut self) {
        let open: Vec<(u16, u16, Board)> = self.unsettled();
        for (round, number, board) in open {
            let Some(game) = board.game else { continue };
            self.server.tournaments.watch_game(game, self.state.id);
            match games::status(&self.server, game).await {
                Ok(Some((status, _))) if board.by_arbiter && !status.is_over() => {
                    if let Some(result) = board.result {
                        games::declare(&self.server, game, result, &Why::default()).await;
                    }
                }
                Ok(Some((status, plies))) if status.is_over() => {
                    self.hear_end(game, &status, plies).await;
                }
                Ok(None) if board.result.is_none() => {
                    let new = games::new_game(&self.state, round, number, &board, clock::now());
                    if let Err(refusal) = crate::hub::create_numbered(&self.server, game, new).await {
                        self.behind = true;
                        tracing::warn!(%game, refusal = refusal.name(), "a tournament's game was not created");
                    }
                }
                Ok(_) => {}
                Err(error) => tracing::error!(%game, %error, "a tournament's game cannot be read"),
            }
        }
        self.void_games().await;
        self.follow_up().await;
        self.publish();
    }

    /// Boards whose game may know more than the tournament: all of them, until it is over.
    pub(super) fn unsettled(&self) -> Vec<(u16, u16, Board)> {
        let mut boards = Vec::new();
        for (round, number) in self.state.rounds.iter().zip(1..) {
            let settled = self.state.finished && round.is_complete();
            for (board, place) in round.boards.iter().zip(1..).filter(|_| !settled) {
                boards.push((number, place, board.clone()));
            }
        }
        boards
    }

    /// A game says something.
    pub(super) async fn hear(&mut self, news: GameNews) {
        match news {
            GameNews::Over { game, status, plies } => self.hear_end(game, &status, plies).await,
            GameNews::Expelled { game, side } => {
                let Some((round, board)) = self.state.find(game) else { return };
                let Some(board) = self.state.board(round, board) else { return };
                let player = if side == Color::White { board.white } else { board.black };
                let name = self.state.name(player);
                let reason = Why::cut("expelled at the board");
                if let Ok(events) = self.state.depart(&name, Departure::Expelled, reason)
                    && let Err(refusal) = self.commit(clock::now(), None, events).await
                {
                    tracing::warn!(refusal = refusal.name(), "an expulsion was not stored");
                }
            }
        }
    }

    pub(super) async fn hear_end(&mut self, game: GameId, status: &Status, plies: u32) {
        let Some((round, board)) = self.state.find(game) else { return };
        let result = match status {
            Status::Ended(outcome) => board_result(outcome, plies),
            _ => None,
        };
        let events = match (result, status) {
            (Some(result), Status::Ended(outcome)) => {
                let reason = Why::cut(outcome.reason.name());
                match self.state.enter_result(round, board, result, false, &reason) {
                    Ok(events) => events,
                    Err(refusal) => {
                        let what =
                            Why::cut(&format!("corrected to {}: {}", outcome.result(), refusal.advice()));
                        self.state.question(round, board, &what)
                    }
                }
            }
            (_, Status::Ended(outcome)) => {
                let what = Why::cut(&format!("{}, {}", outcome.result(), outcome.reason.name()));
                self.state.question(round, board, &what)
            }
            _ => self.state.question(round, board, &Why::cut("the game was annulled")),
        };
        if let Err(refusal) = self.commit(clock::now(), None, events).await {
            // The game keeps it; it is looked for again.
            self.behind = true;
            tracing::warn!(%game, refusal = refusal.name(), "a result was not stored");
            return;
        }
        self.follow_up().await;
    }

    /// More games, where a knockout or an arena has some due; whoever has to wait is told why.
    pub(super) async fn follow_up(&mut self) {
        if !self.state.flows() {
            return;
        }
        let at = clock::now();
        let events = self.decide(at, State::follow_up);
        if let Err(refusal) = self.commit(at, None, events).await {
            tracing::warn!(refusal = refusal.name(), "the next games were not stored");
        }
        self.tell_waiting(at);
    }
}
