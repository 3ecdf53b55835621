//! Moves: made, completed, and what they end.

use crate::articles::Ground;
use crate::clock::increment;
use crate::game::{Game, Phase};
use crate::judge::{Answer, Judge};
use crate::rulebook::{DeadPosition, Drawn, Fivefold, IncrementTiming, PeriodAdd, SeventyFive};
use zeitnot_proto::event::{MateCause, Spent};
use zeitnot_proto::{ByColor, Color, Event, Move, Outcome, Reason, Refusal, Stamp};

/// What completing a move does to the clocks.
pub(crate) struct Completion {
    spent: Spent,
    clocks: ByColor<u64>,
    period: Option<u16>,
}

impl Judge {
    /// A move on a screen: made and completed at once.
    // Law 1997 4.7, 6.7a, 2014 4.7, 6.2a, 2023 4.7.1, 6.2.1: on a screen nothing can be taken back.
    pub fn online_move(&mut self, side: Color, mv: Move, offer_draw: bool) -> Answer {
        if self.game.on_board() {
            return Err(Refusal::Malformed);
        }
        self.needs_play()?;
        self.may_move(side, mv)?;
        self.arrive_by_playing(side);
        self.make(side, mv);
        if self.over() {
            return Ok(());
        }
        if offer_draw {
            self.complaint = self.offer_with_move(side).err();
        }
        self.complete(side, mv, true);
        Ok(())
    }

    /// Refuses a move that is not legal, not this side's, or not the one it is bound to.
    // Law 1997 1.1, 2014 1.1, 2023 1.2: the players move in turn.
    // Law 1997 4.3a, 4.3b, 4.4a, 4.4b, 4.4c, 2014 4.3a, 4.4a, 2023 4.3.1, 4.4.1: touched men bind.
    // Law 1997 9.5b, 2014 9.5b, 2023 9.5.3: the announced move has to be played.
    pub fn may_move(&self, side: Color, mv: Move) -> Answer {
        if self.game.turn() != side {
            return Err(Refusal::NotYourTurn);
        }
        self.game.record.legal(mv)?;
        if self.game.turn.bound.is_some_and(|bound| bound != mv) {
            return Err(Refusal::MustPlayIntended);
        }
        let binding = self.game.rules.touch_enforcement == crate::rulebook::TouchEnforcement::Auto
            || self.game.turn.obliged.is_some();
        if binding && self.game.bound_moves().is_some_and(|allowed| !allowed.contains(&mv)) {
            return Err(Refusal::TouchObligation);
        }
        Ok(())
    }

    /// A legal move stands on the board: what it ends, and what it lets lapse.
    pub fn make(&mut self, side: Color, mv: Move) {
        self.emit(Event::MoveMade { side, mv, illegal: false });
        if let Some((ground, outcome)) = self.game.ending(side) {
            self.complete(side, mv, false);
            self.end(ground, outcome);
            return;
        }
        self.lapse_offer(side);
        if let Some((asking, _)) = self.game.takeback {
            self.emit(Event::TakebackDeclined { side: asking });
        }
    }

    /// The move of `side` is completed: the other clock starts. A move that ends the game gains nothing.
    // Law 1997 6.7a, 6.3, 2014 6.2a, 6.3b, 2023 6.2.1, 6.3.2: count, next period, increment, other clock.
    pub fn complete(&mut self, side: Color, mv: Move, goes_on: bool) {
        // Law 2014 9.6b: seventy-five moves completed; later editions count them when made.
        let drawn =
            self.game.rules.seventyfive == SeventyFive::Completed && self.game.record.halfmoves() >= 150;
        let gains = goes_on && !drawn;
        let Completion { spent, clocks, period } = self.game.completion(side, self.at, self.lag_us, gains);
        self.emit(Event::MoveCompleted { side, mv, spent, clocks_us: clocks });
        if !goes_on {
            return;
        }
        if drawn {
            self.end(Ground::SeventyFive, Outcome::draw(Reason::SeventyFive));
            return;
        }
        if let Some(period) = period {
            let main_us = self.game.clock.main[side];
            self.rule(Ground::Period, Event::PeriodPassed { side, period, forced: false, main_us });
        }
        // Where all moves were legal, this was seen when the move was made.
        let record = &self.game.record;
        if !record.has_illegal() || record.can_move() {
            self.illegal_position_stands();
        } else {
            // Only illegal moves that stand lead here: it is no mate, and nobody can play on.
            self.await_ruling(Ground::IllegalPosition, "adjudication");
        }
    }

    /// Resigns.
    // Law 1997 5.1b, 2014 5.1b, 2023 5.1.2: ends the game at once; the clock of a late one has run out before.
    pub fn resign(&mut self, side: Color) -> Answer {
        self.needs_start()?;
        self.lose(side, MateCause::Resignation);
        Ok(())
    }

    /// After one more move an illegal position is still there: the arbiter draws it.
    // Law 2014 A.4d, 2023 A.5.4: both kings in check, or a pawn on the last rank, with an arbiter looking on.
    fn illegal_position_stands(&mut self) {
        use crate::rulebook::IllegalPosition;
        let waits = self.game.rules.both_kings_in_check == IllegalPosition::WaitOneMove;
        let seen = self.game.illegal_position.is_some_and(|ply| ply < self.game.plies());
        if waits && seen && self.game.rules.has_arbiter() && self.game.phase == Phase::Playing {
            self.await_ruling(Ground::IllegalPosition, "illegal_position");
        }
    }
}

impl Game {
    /// What the legal move just made ends the game with. Mate precedes stalemate, that a dead position, that
    /// fivefold repetition, that seventy-five moves.
    // Law 1997 5.1a, 5.2, 1.2, 2014 5.1a, 5.2a, 1.2, 2023 5.1.1, 5.2.1, 1.4: mate and stalemate.
    // Law 1997 9.6, 1.3, 2014 9.7, 5.2b, 1.3, 2023 5.2.2, 1.4.3: no mate can arise any more.
    // Law 2014 9.6a, 2023 9.6.1, 9.6.2: drawn without a claim.
    pub(crate) fn ending(&self, mover: Color) -> Option<(Ground, Outcome)> {
        let record = &self.record;
        if !record.can_move() {
            return Some(if record.is_check() {
                (Ground::Checkmate, Outcome::win(mover, Reason::Checkmate))
            } else {
                (Ground::Stalemate, Outcome::draw(Reason::Stalemate))
            });
        }
        if record.is_dead(self.rules.dead_position == DeadPosition::Solver) {
            return Some((Ground::DeadPosition, Outcome::draw(Reason::DeadPosition)));
        }
        let five = match self.rules.fivefold {
            Fivefold::Off => false,
            Fivefold::Consecutive => record.fivefold_consecutive(),
            Fivefold::InAll => record.occurrences() >= 5,
        };
        if five {
            return Some((Ground::Fivefold, Outcome::draw(Reason::Fivefold)));
        }
        if self.rules.seventyfive == SeventyFive::Made && record.halfmoves() >= 150 {
            return Some((Ground::SeventyFive, Outcome::draw(Reason::SeventyFive)));
        }
        if self.rules.threefold == Drawn::Auto && record.occurrences() >= 3 {
            return Some((Ground::Threefold, Outcome::draw(Reason::Threefold)));
        }
        if self.rules.fifty == Drawn::Auto && record.halfmoves() >= 100 {
            return Some((Ground::Fifty, Outcome::draw(Reason::Fifty)));
        }
        None
    }

    /// The latency that a move may get back.
    pub(crate) fn compensation(&self, side: Color, lag_us: u64) -> u64 {
        lag_us.min(self.rules.lag_compensation_us).min(self.clock.lag_budget[side])
    }

    /// What completing a move of `side` at `at` does to the clocks; no increment or period unless play goes on.
    fn completion(&self, side: Color, at: Stamp, lag_us: u64, goes_on: bool) -> Completion {
        let clock = &self.clock;
        let tc = &self.setup.terms.time_control;
        if !self.timed() {
            return Completion { spent: Spent::default(), clocks: clock.main, period: None };
        }
        let elapsed_us = match (clock.running, clock.began) {
            (Some(running), Some(began)) if running == side => at.since(began),
            _ => 0,
        };
        let compensated_us = self.compensation(side, lag_us).min(elapsed_us);
        let shown = clock.shown(at, compensated_us);
        let mut clocks = shown.main;
        let charged_us = clock.main[side].saturating_sub(clocks[side]);
        let spent = Spent { elapsed_us, compensated_us, charged_us };
        let mut counted = clock.clone();
        counted.latch(Stamp(at.0.saturating_sub(compensated_us)));
        // Law 1997 6.8, 2014 6.8, 2023 6.8: a flag that is down and not called gains nothing.
        if !goes_on || counted.fallen[side].is_some() {
            return Completion { spent, clocks, period: None };
        }
        let own_add = increment(self.added(side));
        counted.in_period[side] = counted.in_period[side].saturating_add(1);
        let rolls = self.rules.period_add == PeriodAdd::AtMoveN && counted.quota_met(tc, side);
        let mut next_add = own_add;
        if rolls {
            let base = clock.next_base(tc, side);
            let kept = if self.rules.carry_over || base == 0 { clocks[side] } else { 0 };
            clocks[side] = kept.saturating_add(base);
            counted.enter_next(tc, side);
            if self.granted.is_none() {
                next_add = counted.period(tc, side).map_or(0, |period| increment(period.added));
            }
        }
        let add = match self.rules.increment_timing {
            IncrementTiming::BeforeEachMove => next_add,
            IncrementTiming::AfterEachMove => own_add,
        };
        clocks[side] = clocks[side].saturating_add(add);
        if let Some(granted) = self.granted
            && granted.owed == Some(!side)
            && clock.fallen[!side].is_none()
        {
            clocks[!side] = clocks[!side].saturating_add(increment(granted.added));
        }
        Completion { spent, clocks, period: rolls.then_some(counted.period[side]) }
    }
}
