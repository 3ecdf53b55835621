//! Games of a tournament: their terms, and what the director says to them.

use super::event::MatchKey;
use super::state::{Board, State};
use crate::game::actor::ToActor;
use crate::game::past;
use crate::journal::StoreError;
use crate::state::Server;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use zeitnot_proto::board::{ByColor, Color};
use zeitnot_proto::command::{Command, Why};
use zeitnot_proto::control::NewGame;
use zeitnot_proto::rules::{GameId, Terms};
use zeitnot_proto::snapshot::Status;
use zeitnot_proto::tournament::{BoardResult, TournamentSystem};
use zeitnot_proto::{Score, Stamp, Text};

/// What the game of a board is created with.
pub fn new_game(state: &State, round: u16, number: u16, board: &Board, now: Stamp) -> NewGame {
    let mut terms = terms(state, board.key);
    give_host_his_time(state, round, board, &mut terms);
    // After an outage the hour may have passed: then everybody has the usual time to come.
    let again = now.plus(state.settings.lead_us);
    terms.start.scheduled = Some(if board.starts_at < now { again } else { board.starts_at });
    NewGame {
        players: ByColor::new(state.name(board.white), state.name(board.black)),
        terms,
        event: Text::cut(&state.settings.name),
        round: Text::cut(&format!("{round}.{number}")),
    }
}

/// The terms of a game: those of a play-off differ.
fn terms(state: &State, key: Option<MatchKey>) -> Terms {
    let mut terms = state.settings.terms.clone();
    if let (TournamentSystem::Knockout { play_off, armageddon_us, .. }, Some(key)) =
        (&state.settings.system, key)
        && key.stage > 0
    {
        if let Some(play_off) = play_off {
            terms.time_control = play_off.clone();
        }
        if key.stage > 1 {
            terms.start.clocks_us.black = *armageddon_us;
        }
    }
    terms
}

/// The host of an exhibition has more time, by the number of boards.
fn give_host_his_time(state: &State, round: u16, board: &Board, terms: &mut Terms) {
    let TournamentSystem::Simul { host, extra_us, .. } = &state.settings.system else { return };
    let Some(base) = terms.time_control.periods().first().map(|period| period.base_us) else { return };
    let boards = state.round(round).map_or(0, |round| round.boards.len());
    let side = if state.name(board.white) == *host { Color::White } else { Color::Black };
    terms.start.clocks_us[side] = Some(zeitnot_pairing::simul::host_time_us(base, *extra_us, boards));
}

/// Gives a game a command of the arbiter's, if it is not over.
pub async fn tell(server: &Arc<Server>, game: GameId, command: Command) {
    let Some(handle) = server.hub.game(game) else { return };
    if !handle.info.over.load(Ordering::Relaxed) {
        let _gone = handle.mailbox.send(ToActor::Director(Box::new(command))).await;
    }
}

/// Ends a game under way with an arbiter's result.
pub async fn declare(server: &Arc<Server>, game: GameId, result: BoardResult, why: &Why) {
    let (one, half, zero) = (Score::ONE, Score::HALF, Score::ZERO);
    let scores = match result {
        BoardResult::White | BoardResult::WhiteUnrated | BoardResult::BlackForfeits => {
            ByColor::new(one, zero)
        }
        BoardResult::Draw | BoardResult::DrawUnrated => ByColor::new(half, half),
        BoardResult::Black | BoardResult::BlackUnrated | BoardResult::WhiteForfeits => {
            ByColor::new(zero, one)
        }
        BoardResult::BothForfeit => ByColor::new(zero, zero),
    };
    tell(server, game, Command::DeclareResult { scores, reason: why.clone() }).await;
}

/// How a game stands, and how many half-moves it has; none if there is no such game.
///
/// # Errors
/// It cannot be read.
pub async fn status(server: &Arc<Server>, game: GameId) -> Result<Option<(Status, u32)>, StoreError> {
    let journal = Arc::clone(&server.journal);
    let records = tokio::task::spawn_blocking(move || journal.load(game)).await;
    let records = records.map_err(|error| StoreError::Down(error.to_string()))??;
    Ok(past::replay(&records)?.map(|(game, _)| (game.status(), game.plies())))
}
