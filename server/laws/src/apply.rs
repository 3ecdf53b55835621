//! The fold: how each event changes a game. Nothing is judged here.

use crate::clock::delay;
use crate::game::{Game, Granted, LAG_BUDGET_MOVES, Made, Offer, Phase, Turn};
use crate::rulebook::{IllegalPosition, PenaltyScope, QpfIncrement, StartPolicy};
use std::sync::Arc;
use zeitnot_proto::command::{DrawBasis, TouchKind};
use zeitnot_proto::event::{Claim, Spent};
use zeitnot_proto::rules::Conduct;
use zeitnot_proto::time_control::Added;
use zeitnot_proto::{ByColor, Color, Event, Interval, Move, Outcome, Seq, Stamp};

impl Game {
    /// Folds one event in, the only way a game changes, live and in replay. `at` is the stamp of the decision that
    /// it belongs to.
    pub fn apply(&mut self, at: Stamp, event: &Event) {
        self.seq = Some(self.seq.map_or(Seq(0), Seq::next));
        match event {
            Event::GameCreated(_) => self.created(at),
            Event::GameStarted => self.started(at),
            Event::MoveMade { side, mv, illegal } => self.move_made(*side, *mv, *illegal),
            Event::MoveCompleted { side, mv, spent, clocks_us } => {
                self.move_completed(at, *side, *mv, *spent, *clocks_us);
            }
            Event::PositionRestored { ply, clocks_us, bound, as_at_ply } => {
                self.restored(*ply, *clocks_us, *bound, *as_at_ply);
            }
            Event::GameEnded { white, black, reason, played } => {
                self.close(at);
                let scores = ByColor::new(*white, *black);
                self.phase = Phase::Ended(Outcome { scores, reason: reason.clone(), played: *played });
            }
            Event::GameAnnulled { .. } => {
                self.close(at);
                self.phase = Phase::Annulled;
            }
            _ => self.apply_clock(at, event),
        }
    }

    fn apply_clock(&mut self, at: Stamp, event: &Event) {
        match event {
            Event::ClockPaused { clocks_us, delay_left_us } => {
                self.paused(at, *clocks_us, *delay_left_us);
            }
            Event::ClockResumed { side } => {
                self.clock.settle(at);
                self.clock.start(*side);
                if self.phase == Phase::Adjourned {
                    self.session = Some(at);
                }
                self.phase = Phase::Playing;
                self.interrupted = None;
                self.flagged = None;
            }
            Event::ClockSet { white_us, black_us, running } => {
                self.set_clocks(at, ByColor::new(*white_us, *black_us), running.side());
            }
            Event::ClockAdjusted { white_us, black_us, .. }
            | Event::PenaltyApplied { white_us, black_us } => {
                self.clock.settle(at);
                self.clock.main = ByColor::new(*white_us, *black_us);
            }
            Event::PeriodPassed { side, period, main_us, .. } => self.period_passed(*side, *period, *main_us),
            Event::FlagFell { side, earliest, latest, .. } => {
                let interval = Interval { earliest: *earliest, latest: *latest };
                self.flag_fell(*side, interval);
            }
            Event::FlagsReported { flags } => {
                for (side, flag) in flags.iter() {
                    self.clock.fallen[side] = self.clock.fallen[side].or(*flag);
                }
            }
            Event::BothFlagsDown { flags, .. } => {
                self.clock.fallen = flags.map(Some);
                self.clock.stop(ByColor::both(0), 0);
                self.phase = Phase::Paused;
            }
            Event::Interrupted { clocks_us, delay_left_us, .. } => {
                self.paused(at, *clocks_us, *delay_left_us);
                self.interrupted = Some(at.plus(self.rules.interruption_grace_us));
                for side in Color::BOTH {
                    self.players[side].present = false;
                    self.players[side].absent_since = Some(at);
                }
            }
            _ => self.apply_claims(at, event),
        }
    }

    fn apply_claims(&mut self, at: Stamp, event: &Event) {
        match event {
            Event::DrawOffered { side, proper } => {
                let with_move = *proper && self.turn() != *side;
                self.offer = Some(Offer { side: *side, ply: self.plies(), with_move });
                self.players[*side].offers = self.players[*side].offers.saturating_add(1);
            }
            Event::DrawDeclined { side } => self.refused(!*side),
            Event::OfferLapsed { side } => self.refused(*side),
            Event::ClaimMade { side, claim } => self.claim = Some((*side, *claim)),
            Event::ClaimUpheld { .. } => self.claim = None,
            Event::ClaimRejected { .. } => self.claim_rejected(),
            Event::ClaimPostponed { side, bonus_us } => {
                self.claim = None;
                self.postponed = Some(*side);
                self.clock.main[!*side] = self.clock.main[!*side].saturating_add(*bonus_us);
                self.phase = Phase::Paused;
            }
            Event::IncrementGranted { increment_us } => self.increment_granted(*increment_us),
            Event::IllegalMoveNoted { side, count } => {
                self.players[*side].illegal = *count;
                if self.illegal_counts(*side) {
                    let player = &mut self.players[*side];
                    player.illegal_penalised = player.illegal_penalised.saturating_add(1);
                }
                self.made.retain(|made| !made.illegal);
                self.two_hands = None;
            }
            Event::AwaitingRuling { topic } => {
                self.clock.settle(at);
                self.clock.stop(self.clock.main, self.clock.delay_left);
                self.phase = Phase::Awaiting(topic.clone());
            }
            Event::MateAsked { winner, cause } => {
                self.clock.settle(at);
                self.clock.stop(self.clock.main, self.clock.delay_left);
                self.phase = Phase::Awaiting(crate::game::Topic::cut(crate::judge::MATE_SEARCH));
                self.asked = Some((*winner, *cause));
            }
            Event::MateSearched { .. } => self.asked = None,
            Event::TakebackOffered { side, ply } => self.takeback = Some((*side, *ply)),
            Event::TakebackDeclined { .. } => self.takeback = None,
            Event::DrawConsented => self.consent = true,
            _ => self.apply_conduct(at, event),
        }
    }

    fn apply_conduct(&mut self, at: Stamp, event: &Event) {
        match event {
            Event::PresenceChanged { side, present } => {
                self.players[*side].present = *present;
                self.players[*side].absent_since = (!present).then_some(at);
            }
            Event::Arrived { side } => self.players[*side].arrived = true,
            Event::Touched { square, kind, together, .. } => {
                let covered = std::mem::take(&mut self.turn.adjusting);
                if *kind == TouchKind::Intent && !covered {
                    self.turn.touches.push((*square, *together));
                } else if covered && *together {
                    self.turn.adjusting = true;
                }
            }
            Event::Adjusting { .. } => self.turn.adjusting = true,
            Event::DefaultTimeSet { time_us, .. } => self.default_time_us = Some(*time_us),
            Event::ColoursSwapped => {
                let setup = Arc::make_mut(&mut self.setup);
                std::mem::swap(&mut setup.players.white, &mut setup.players.black);
            }
            Event::Adjourned { .. } => {
                self.phase = Phase::Adjourned;
                for side in Color::BOTH {
                    self.players[side].arrived = false;
                }
            }
            Event::MoveSealed { side, mv } => self.sealed = Some((*side, *mv)),
            Event::ResultConfirmed { side } => self.players[*side].confirmed = true,
            Event::Displaced { side } => self.displaced = Some(*side),
            Event::ScoresheetUpdated { side } => self.players[*side].sheet_due = false,
            Event::TwoHandsReported { side } => self.two_hands = Some(*side),
            Event::ArbiterCalled { side: Some(side), topic, private: true }
                if **topic == *self.rules.article(crate::articles::Ground::Scramble) =>
            {
                self.players[*side].alerted = true;
            }
            _ => {}
        }
    }

    fn created(&mut self, at: Stamp) {
        self.created = at;
        let waits =
            self.setup.terms.start.scheduled.is_some() || self.rules.start_policy == StartPolicy::BothPresent;
        for side in Color::BOTH {
            self.players[side].arrived = !waits;
        }
    }

    // Law 1997 6.5, 2014 6.6, 6.7b, 2023 6.6, 6.7.2: White's clock starts at the appointed time.
    fn started(&mut self, at: Stamp) {
        self.phase = Phase::Playing;
        let hour = self.setup.terms.start.scheduled;
        let begin = match (hour, self.rules.start_policy) {
            (Some(hour), StartPolicy::Scheduled | StartPolicy::FirstMove) => Some(hour.max(self.created)),
            _ => None,
        };
        self.session = Some(begin.unwrap_or(at));
        self.turn_since = self.session;
        let side = self.turn();
        self.clock.delay_left = self.fresh_delay(side);
        let nobody = !self.players.white.arrived && !self.players.black.arrived;
        if self.rules.start_policy == StartPolicy::FirstMove {
            return;
        }
        if nobody && !self.rules.white_burns_while_both_absent {
            self.clock.stopped = Some(side);
            return;
        }
        self.clock.start(side);
        self.clock.began = begin;
    }

    fn move_made(&mut self, side: Color, mv: Move, illegal: bool) {
        // A player may correct an illegal move until he has pressed.
        self.made.retain(|made| !(made.illegal && made.side == side));
        if !illegal {
            let against = self.bound_moves().is_some_and(|allowed| !allowed.contains(&mv));
            let bound = self.binding_squares().first().copied().filter(|_| against);
            self.breach = bound.map(|square| (self.plies(), square));
            self.record.play(mv, false);
            self.position_changed();
        }
        self.made.push(Made { side, mv, illegal });
    }

    /// A new position: what belonged to the turn is over.
    fn position_changed(&mut self) {
        self.turn = Turn::default();
        self.displaced = None;
        self.position_seq = self.seq.unwrap_or(Seq(0));
    }

    fn move_completed(&mut self, at: Stamp, side: Color, mv: Move, spent: Spent, clocks: ByColor<u64>) {
        let front = self.made.iter().position(|made| made.side == side);
        let pending = front.map(|at| self.made.remove(at));
        if pending.is_none_or(|made| made.illegal) {
            let legal = self.record.legal(mv).is_ok();
            self.record.play(mv, !legal);
            self.position_changed();
        }
        let running = self.clock.running == Some(side);
        if running {
            self.clock.latch(Stamp(at.0.saturating_sub(spent.compensated_us)));
        }
        self.clock.main = clocks;
        self.players[side].completed = self.players[side].completed.saturating_add(1);
        // Law 1997 6.3, 6.9, 2014 6.4, 6.9, 2023 6.4, 6.9: the moves of a period are completed in its time, or not at all.
        if self.clock.fallen[side].is_none() {
            self.clock.in_period[side] = self.clock.in_period[side].saturating_add(1);
        }
        self.refill(side, spent.compensated_us);
        if let Some(granted) = &mut self.granted
            && granted.owed == Some(!side)
        {
            granted.owed = None;
        }
        self.two_hands = None;
        self.sealed = None;
        self.marks.push(self.mark());
        self.clock.start(!side);
        self.clock.delay_left = self.fresh_delay(!side);
        if self.rules.both_kings_in_check == IllegalPosition::WaitOneMove {
            self.watch_illegal_position();
        }
    }

    fn refill(&mut self, side: Color, used_us: u64) {
        let cap = self.rules.lag_compensation_us;
        let budget = &mut self.clock.lag_budget[side];
        *budget = budget
            .saturating_sub(used_us)
            .saturating_add(cap / LAG_BUDGET_MOVES)
            .min(cap.saturating_mul(LAG_BUDGET_MOVES));
    }

    fn watch_illegal_position(&mut self) {
        let standing = self.record.both_in_check() || self.record.has_pawn_on_last_rank();
        self.illegal_position = match self.illegal_position {
            _ if !standing => None,
            None => Some(self.plies()),
            seen => seen,
        };
    }

    fn restored(
        &mut self,
        ply: u32,
        clocks: ByColor<u64>,
        bound: Option<zeitnot_proto::Square>,
        as_at_ply: bool,
    ) {
        let made = self.made.iter().filter(|made| !made.illegal).count();
        let done = self.plies().saturating_sub(u32::try_from(made).unwrap_or(0));
        for undone in ply..done {
            let mover = self.mover(undone);
            self.players[mover].completed = self.players[mover].completed.saturating_sub(1);
        }
        let same = self.plies() == ply;
        let ran = self.clock.running.or(self.clock.stopped);
        self.record.truncate(ply);
        self.made.clear();
        let kept = ply.saturating_sub(self.start_plies) as usize;
        self.marks.truncate(kept.saturating_add(1));
        if let Some(mark) = self.marks.last().copied()
            && !same
        {
            self.clock.period = mark.period;
            self.clock.in_period = mark.in_period.map(u32::from);
            if as_at_ply {
                self.clock.added_upto = mark.period;
            }
        }
        for (side, &main) in clocks.iter() {
            if main > 0 {
                self.clock.fallen[side] = None;
            }
        }
        let turn = self.turn();
        let delay_left = match (same && ran == Some(turn), bound) {
            (true, _) => self.clock.delay_left,
            (false, Some(_)) => 0,
            (false, None) => self.fresh_delay(turn),
        };
        self.clock.stop(clocks, delay_left);
        self.clock.stopped = Some(turn);
        self.phase = Phase::Paused;
        self.takeback = None;
        self.sealed = None;
        self.illegal_position = None;
        self.position_changed();
        self.turn.obliged = bound;
    }

    fn paused(&mut self, at: Stamp, clocks: ByColor<u64>, delay_left: u64) {
        if let Some(side) = self.clock.running
            && clocks[side] == 0
            && delay_left == 0
        {
            self.clock.latch(at);
        }
        self.clock.stop(clocks, delay_left);
        if self.phase == Phase::Playing {
            self.phase = Phase::Paused;
        }
    }

    fn set_clocks(&mut self, at: Stamp, main: ByColor<u64>, running: Option<Color>) {
        self.clock.settle(at);
        for (side, &main) in main.iter() {
            if main > 0 {
                self.clock.fallen[side] = None;
            }
        }
        self.clock.main = main;
        if running == self.clock.running {
            return;
        }
        match running {
            Some(side) => {
                self.clock.delay_left = self.fresh_delay(side);
                self.clock.start(side);
                self.phase = Phase::Playing;
            }
            None => {
                self.clock.stop(main, self.clock.delay_left);
                if self.phase == Phase::Playing {
                    self.phase = Phase::Paused;
                }
            }
        }
    }

    fn period_passed(&mut self, side: Color, period: u16, main_us: u64) {
        let by_flag = self.clock.fallen[side].is_some();
        if self.clock.period[side] < period {
            self.clock.enter_next(&self.setup.terms.time_control, side);
        }
        self.clock.main[side] = main_us;
        self.clock.fallen[side] = None;
        // With a move, not at a flag: the clocks after that move are these.
        if !by_flag {
            let mark = self.mark();
            if let Some(last) = self.marks.last_mut() {
                *last = mark;
            }
        }
        // Law 1997 8.4, 8.5b, 2014 8.4, 8.5b, 2023 8.4, 8.5.2: whoever was exempt updates after the flag.
        if by_flag && self.rules.recording_required && !self.has_long_increment(side) {
            self.players[side].sheet_due = true;
        }
    }

    fn flag_fell(&mut self, side: Color, interval: Interval) {
        self.clock.fallen[side] = Some(interval);
        self.clock.main[side] = 0;
        self.flagged = Some(side);
        if self.clock.running == Some(side) {
            self.clock.delay_left = 0;
            self.clock.began = Some(interval.latest);
        }
    }

    fn refused(&mut self, offerer: Color) {
        self.offer = None;
        self.players[offerer].refused = self.players[offerer].refused.saturating_add(1);
    }

    fn claim_rejected(&mut self) {
        let Some((_, claim)) = self.claim.take() else { return };
        match claim {
            Claim::Draw { basis, intended } => {
                self.turn.ruled[usize::from(basis == DrawBasis::Fifty)] = true;
                let Some(mv) = intended else { return };
                if self.record.legal(mv).is_err() {
                    self.turn.obliged = self.rules.claim_illegal_move_binds.then_some(mv.from);
                } else if self.rules.claim_intended_move_binding {
                    self.turn.bound = Some(mv);
                }
                if matches!(self.phase, Phase::Awaiting(_)) {
                    self.phase = Phase::Paused;
                }
            }
            Claim::Quickplay { .. } | Claim::Increment => self.phase = Phase::Paused,
        }
    }

    fn increment_granted(&mut self, increment_us: u64) {
        let claimant = self.claim.take().map(|(side, _)| side);
        let added = match self.rules.qpf_increment_request {
            QpfIncrement::Delay => Added::Delay(increment_us),
            _ => Added::Increment(increment_us),
        };
        let cumulative = matches!(added, Added::Increment(_));
        self.granted = Some(Granted { added, owed: claimant.filter(|_| cumulative).map(|side| !side) });
        self.clock.delay_left = delay(added);
        self.phase = Phase::Paused;
    }

    /// Whether an illegal move of `side` now counts for a penalty.
    pub(crate) fn illegal_counts(&self, side: Color) -> bool {
        self.rules.illegal_penalty_scope == PenaltyScope::WholeGame || self.is_qpf(side)
    }

    /// Stops the clocks for good.
    fn close(&mut self, at: Stamp) {
        if !self.is_over() {
            self.clock.settle(at);
            self.clock.stop(self.clock.main, 0);
        }
        self.clock.stopped = None;
        self.offer = None;
        self.takeback = None;
        self.claim = None;
        self.asked = None;
        self.turn = Turn::default();
        self.interrupted = None;
    }

    /// Whether moves are completed by a press of the clock.
    pub(crate) fn on_board(&self) -> bool {
        self.rules.conduct == Conduct::Board
    }
}
