//! Results, corrections, and the end that follows the last one.

use super::super::event::Event;
use super::super::state::State;
use super::Decided;
use zeitnot_proto::command::Why;
use zeitnot_proto::tournament::BoardResult;
use zeitnot_proto::{Refusal, Stamp};

impl State {
    /// A result comes in, from a game or from an arbiter.
    pub fn enter_result(
        &self,
        round: u16,
        board: u16,
        result: BoardResult,
        by_arbiter: bool,
        reason: &Why,
    ) -> Decided {
        let entered = self.board(round, board).ok_or(Refusal::NoSuchBoard)?;
        if entered.needless || (entered.game.is_none() && !by_arbiter) {
            return Err(Refusal::NoSuchBoard);
        }
        let stands = entered.result == Some(result) && (entered.by_arbiter || !by_arbiter);
        if stands || (entered.by_arbiter && !by_arbiter) {
            return Ok(Vec::new());
        }
        let corrects = entered.result.is_some() || entered.question.is_some();
        if let Some(key) = entered.key.filter(|_| corrects)
            && self.correction_comes_too_late(key, result)
        {
            return Err(Refusal::TooLate);
        }
        let mut events = vec![Event::Result { round, board, result, by_arbiter, reason: reason.clone() }];
        let mut after = self.clone();
        after.apply(Stamp(0), &events[0]);
        let last = after.rounds.last().is_some_and(|round| round.is_complete() && round.over.is_none());
        if last && round == self.last_round() && !self.finished && !self.flows() {
            events.push(Event::RoundOver);
            events.extend(self.end_after(round));
        }
        Ok(events)
    }

    /// What follows the end of a round: the end of the tournament, if it was the last one.
    pub(super) fn end_after(&self, round: u16) -> Option<Event> {
        (round >= self.rounds_planned()).then(|| Event::Finished { reason: Why::default() })
    }

    /// A game ended in a way that no table knows.
    pub fn question(&self, round: u16, board: u16, what: &Why) -> Vec<Event> {
        let open =
            self.board(round, board).is_some_and(|b| !b.by_arbiter && b.question.as_ref() != Some(what));
        if open { vec![Event::Question { round, board, what: what.clone() }] } else { Vec::new() }
    }
}
