//! Play on a real board with a real clock: a move is made, then the clock is pressed.

use crate::articles::Ground;
use crate::game::{Game, Made, Phase};
use crate::judge::{Answer, Judge};
use crate::rulebook::{Arbiter, Breach, Stage, Unpromoted};
use zeitnot_proto::rules::Speed;
use zeitnot_proto::{Color, Event, Move, Refusal, Role};

impl Judge {
    /// The board reports a move; the clock is not pressed yet.
    // Law 1997 4.7, 2014 4.7, 4.6, 2023 4.7.1, 4.7.2, 4.7.3, 4.6: released as a legal move, it is made.
    // Law 1997 8.1, 2014 6.2a, 2023 6.2.1.2: a reply may come before the press; the next own move completes the last.
    pub fn board_move(&mut self, side: Color, mv: Move, raw: bool) -> Answer {
        if !self.game.on_board() {
            return Err(Refusal::Malformed);
        }
        self.needs_play()?;
        if self.game.players[side].sheet_due {
            return Err(Refusal::ScoresheetDue);
        }
        self.completes_by_next(side);
        if self.game.turn() != side {
            let own = self.game.made.iter().any(|made| made.side == side);
            return Err(if own { Refusal::MoveAlreadyMade } else { Refusal::NotYourTurn });
        }
        if self.game.made.iter().any(|made| made.illegal && made.side != side) {
            return Err(Refusal::NotYourTurn);
        }
        match self.may_move(side, mv) {
            Ok(()) => {
                self.arrive_by_playing(side);
                self.make(side, mv);
                Ok(())
            }
            Err(Refusal::IllegalMove | Refusal::PromotionRequired) if raw => self.illegal_made(side, mv),
            Err(refusal) => Err(refusal),
        }
    }

    /// A player who has made his next move has completed the one before.
    // Law 2014 6.2a, 2023 6.2.1.2: completed also by making the next move.
    fn completes_by_next(&mut self, side: Color) {
        let front = self.game.made.first().copied();
        let replied = self.game.made.iter().any(|made| made.side != side && !made.illegal);
        if let Some(Made { side: owner, mv, illegal: false, .. }) = front
            && owner == side
            && replied
            && self.game.rules.on_move_from == Stage::Made
        {
            self.complete(side, mv, true);
        }
    }

    fn illegal_made(&mut self, side: Color, mv: Move) -> Answer {
        if self.game.record.at(mv.from).is_none_or(|(owner, _)| owner != side) || mv.from == mv.to {
            return Err(Refusal::Malformed);
        }
        self.emit(Event::MoveMade { side, mv, illegal: true });
        if self.game.rules.illegal_counts_when == Stage::Made {
            self.illegal_pressed(side, mv);
        }
        Ok(())
    }

    /// The clock was pressed.
    // Law 1997 6.7a, 6.7c, 7.3, 2014 6.2a, 6.2d, 2023 6.2.1, 7.5.3: completes a move, or is a breach.
    pub fn press_clock(&mut self, side: Color) -> Answer {
        if self.game.phase == Phase::Adjourned {
            return self.stop_after_sealing(side);
        }
        if !self.game.on_board() {
            return Err(Refusal::Malformed);
        }
        self.needs_play()?;
        if self.game.clock.running != Some(side) {
            // Pressed by the side whose clock stands: that moves no lever.
            return Ok(());
        }
        let front = self.game.made.iter().find(|made| made.side == side).copied();
        match front {
            Some(Made { mv, .. }) if self.two_hands_count(side) => {
                let ply = self.game.ply_of(mv, side);
                self.illegal_restored(side, ply, Some(mv.from));
                Ok(())
            }
            Some(Made { mv, illegal: false, .. }) => {
                self.complete(side, mv, true);
                Ok(())
            }
            Some(Made { mv, illegal: true, .. }) => {
                self.illegal_pressed(side, mv);
                Ok(())
            }
            None => self.empty_press(side),
        }
    }

    // Law 2023 7.5.4: two hands for one move and the clock pressed count as an illegal move.
    fn two_hands_count(&self, side: Color) -> bool {
        self.game.two_hands == Some(side) && self.game.rules.two_hands == Breach::IllegalMove
    }

    /// An illegal move was completed: acted on at once, or it stands until somebody complains.
    // Law 1997 7.4, B5, C3, 2014 7.5a, A.4b, 2023 7.5.1, A.5.2: who has to notice.
    fn illegal_pressed(&mut self, side: Color, mv: Move) {
        let observed = self.game.observes_illegal() || !self.game.record.can_stand(mv);
        if !observed {
            self.complete(side, mv, true);
            return;
        }
        let queens = Move::promoting(mv.from, mv.to, Role::Queen)
            .filter(|_| self.game.record.lacks_promotion(mv))
            .filter(|_| self.game.rules.unpromoted_pawn_pressed == Unpromoted::Queen);
        match queens {
            Some(queen) => self.illegal_queened(side, queen),
            None => self.illegal_restored(side, self.game.plies(), Some(mv.from)),
        }
    }

    /// The clock was pressed and no move made.
    // Law 1997 6.7c, 7.3, 2014 6.2d, 7.4, 2023 6.2.4, 7.5.3, 7.4.2: misuse, a way to return the clock, or an illegal move.
    fn empty_press(&mut self, side: Color) -> Answer {
        let returns = self.game.turn() != side || self.game.displaced == Some(!side);
        if returns && (self.game.turn() != side || self.game.rules.displaced_bounce_press) {
            // Law 1997 7.3: his opponent may start his clock again without having moved.
            self.pass_clock(side);
            return Ok(());
        }
        match self.game.rules.press_without_move {
            Breach::IllegalMove if self.game.observes_illegal() => {
                self.illegal_restored_in_place(side);
            }
            Breach::IllegalMove => self.pass_clock(side),
            Breach::Misuse => {
                let topic = zeitnot_proto::Text::cut("clock_misuse");
                self.rule(Ground::Misuse, Event::ArbiterCalled { side: Some(side), topic, private: false });
            }
        }
        Ok(())
    }

    /// The other clock runs, and no move is counted.
    fn pass_clock(&mut self, side: Color) {
        self.pause_clocks(Ground::Displaced, self.at);
        self.rule(Ground::Displaced, Event::ClockResumed { side: !side });
    }

    /// A player displaced men.
    // Law 1997 7.3, 2014 7.4, 2023 7.4.1: he repairs on his own time; later the clocks stop and the arbiter comes.
    pub fn report_displaced(&mut self, side: Color) -> Answer {
        if !self.game.on_board() {
            return Err(Refusal::Malformed);
        }
        self.needs_play()?;
        self.rule(Ground::Displaced, Event::Displaced { side });
        if !self.game.rules.displaced_bounce_press {
            let topic = zeitnot_proto::Text::cut(self.game.rules.article(Ground::Displaced));
            self.pause_clocks(Ground::Displaced, self.at);
            self.rule(Ground::Displaced, Event::ArbiterCalled { side: Some(side), topic, private: false });
            if !self.game.rules.has_arbiter() {
                self.resume_clocks(Ground::Displaced);
            }
        }
        Ok(())
    }

    /// A scoresheet is complete again.
    // Law 1997 8.5a, 8.5b, 2014 8.5a, 8.5b, 2023 8.5.1, 8.5.2: before the next move.
    pub fn scoresheet_updated(&mut self, side: Color) -> Answer {
        self.needs_start()?;
        self.rule(Ground::Scoresheet, Event::ScoresheetUpdated { side });
        Ok(())
    }
}

impl Game {
    /// Whether illegal moves are acted on without a claim.
    // Law 1997 B5, 2014 A.4b, 2023 A.5.2: an arbiter who sees it acts; in fast games of 1997 only on request.
    pub(crate) fn observes_illegal(&self) -> bool {
        let watched = self.rules.speed == Speed::Standard || self.rules.supervised;
        watched || (self.rules.arbiter == Arbiter::Present && self.rules.illegal_observed)
    }

    /// The half-moves before this uncompleted move.
    fn ply_of(&self, mv: Move, side: Color) -> u32 {
        let mut ply = self.plies();
        for made in self.made.iter().rev() {
            if !made.illegal {
                ply = ply.saturating_sub(1);
            }
            if made.side == side && made.mv == mv {
                break;
            }
        }
        ply
    }
}
