//! Illegal moves: counted, penalised, taken back or left standing (7.4 and 10.3; later 7.5).

use crate::articles::Ground;
use crate::game::{Game, Phase};
use crate::judge::{Answer, Judge};
use crate::rulebook::{Arbiter, ClaimWindow, IllegalPenalty};
use zeitnot_proto::event::MateCause;
use zeitnot_proto::{ByColor, Color, Event, List, Move, Refusal, Square};

impl Judge {
    /// An illegal move of `side` is taken back to `ply` and penalised; `bound` is the man that made it.
    // Law 1997 7.4, 10.3, 2014 7.5a, 7.5b, 2023 7.5.1, 7.5.5: stop, count, restore, penalise, bind.
    pub fn illegal_restored(&mut self, side: Color, ply: u32, bound: Option<Square>) {
        self.pause_clocks(Ground::Restore, self.at);
        if self.note_illegal(side) {
            return;
        }
        let clocks_us = self.game.clock.main;
        self.lapse_later_offer(ply);
        self.rule(Ground::Restore, Event::PositionRestored { ply, clocks_us, bound, as_at_ply: false });
        self.penalise_illegal(side);
        if bound.is_some() {
            let squares = List::cut(self.game.binding_squares());
            self.rule(Ground::Touch, Event::TouchObligation { side, squares });
        }
        self.stand_or_resume();
    }

    /// An arbiter found an illegal move that stands and takes it back.
    // Law 1997 7.4, 10.3, 2014 7.5a, 7.5b, 2023 7.5.1, 7.5.5: counted and penalised when it is found.
    pub fn restore_illegal(
        &mut self,
        side: Color,
        ply: u32,
        clocks_us: ByColor<u64>,
        as_at_ply: bool,
        bound: Option<Square>,
    ) {
        if self.note_illegal(side) {
            return;
        }
        self.lapse_later_offer(ply);
        self.rule(Ground::Restore, Event::PositionRestored { ply, clocks_us, bound, as_at_ply });
        self.penalise_illegal(side);
        let squares = List::cut(self.game.binding_squares());
        self.rule(Ground::Touch, Event::TouchObligation { side, squares });
        self.stand_or_resume();
    }

    /// The same where nothing on the board has to be put back.
    // Law 2023 7.5.3, 7.5.5: a press without a move counts as an illegal move.
    pub fn illegal_restored_in_place(&mut self, side: Color) {
        self.pause_clocks(Ground::EmptyPress, self.at);
        if !self.note_illegal(side) {
            self.penalise_illegal(side);
            self.stand_or_resume();
        }
    }

    /// A pawn was left on the last rank: it becomes a queen, and the opponent is to move.
    // Law 2014 7.5a, 2023 7.5.2: illegal, and replaced by a queen.
    pub fn illegal_queened(&mut self, side: Color, queen: Move) {
        if self.note_illegal(side) {
            return;
        }
        self.complete(side, queen, true);
        self.penalise_illegal(side);
        if self.game.rules.arbiter == Arbiter::Present && self.game.phase == Phase::Playing {
            self.pause_clocks(Ground::Unpromoted, self.at);
        }
    }

    /// Counts an illegal move; whether it has cost the game.
    // Law 1997 10.3, C3, 2014 7.5b, A.4b, 2023 7.5.5, A.5.2: the last of the permitted ones loses.
    fn note_illegal(&mut self, side: Color) -> bool {
        let count = self.game.players[side].illegal.saturating_add(1);
        self.rule(Ground::Restore, Event::IllegalMoveNoted { side, count });
        if self.game.illegal_penalty(side) == Some(IllegalPenalty::Loss) {
            self.lose(side, MateCause::IllegalMoves);
            return true;
        }
        false
    }

    /// The time that the opponent gets. A flag that is down stays down.
    fn penalise_illegal(&mut self, side: Color) {
        if let Some(IllegalPenalty::AddOpponent(us)) = self.game.illegal_penalty(side) {
            self.award(Ground::IllegalPenalty, !side, us);
        }
    }

    /// Gives `side` time as a penalty of its opponent's.
    pub fn award(&mut self, ground: Ground, side: Color, us: u64) {
        if us == 0 || !self.game.timed() || self.game.clock.fallen[side].is_some() {
            return;
        }
        let mut clocks: ByColor<u64> = self.main_now();
        clocks[side] = clocks[side].saturating_add(us);
        self.rule(ground, Event::PenaltyApplied { white_us: clocks.white, black_us: clocks.black });
    }

    /// With an arbiter in the hall the clocks stand until he starts them.
    pub fn stand_or_resume(&mut self) {
        if self.game.rules.arbiter != Arbiter::Present {
            self.resume_clocks(Ground::Resume);
        }
    }

    /// The opponent complains about an illegal move that stands.
    // Law 1997 7.4, C3, 2014 7.5a, A.4b, 2023 7.5.1, A.5.2: before the claimant has made his next move.
    pub fn claim_illegal(&mut self, side: Color) -> Answer {
        self.needs_play()?;
        if self.game.clock_was_passed_to(side) {
            // Law 2023 7.5.3: the opponent pressed without having moved.
            self.illegal_restored(!side, self.game.plies(), None);
            return Ok(());
        }
        let Some(ply) = self.game.plies().checked_sub(1) else { return Err(Refusal::ClaimRightLost) };
        let last_illegal = self.game.record.was_illegal(ply) && self.game.turn() == side;
        if !last_illegal {
            let any = self.game.record.has_illegal() || !self.game.observes_illegal();
            return Err(if any { Refusal::ClaimRightLost } else { Refusal::NotNeeded });
        }
        let bound = self.game.record.ply(ply).map(|mv| mv.from);
        self.illegal_restored(!side, ply, bound);
        Ok(())
    }

    /// Whether the arbiter may still go back behind the move after `ply`.
    // Law 1997 C3, 2014 A.4b, 2023 A.5.2: in unsupervised fast play an illegal move stands once it was replied to.
    pub fn in_time_to_restore(&self, ply: u32, illegal: bool) -> Answer {
        let replied = self.game.plies() > ply.saturating_add(1);
        let limited = self.game.rules.illegal_claim_window == ClaimWindow::UntilReply;
        if illegal && limited && replied { Err(Refusal::TooLate) } else { Ok(()) }
    }
}

impl Game {
    /// What the last illegal move of `side` costs; none outside the scope of penalties.
    fn illegal_penalty(&self, side: Color) -> Option<IllegalPenalty> {
        if !self.illegal_counts(side) {
            return None;
        }
        self.rules.illegal_penalty(self.players[side].illegal_penalised)
    }

    /// Whether the clock of `side` runs because the opponent pressed without a move.
    fn clock_was_passed_to(&self, side: Color) -> bool {
        self.on_board()
            && self.clock.running == Some(side)
            && self.turn() != side
            && self.made.is_empty()
            && self.rules.press_without_move == crate::rulebook::Breach::IllegalMove
    }
}
