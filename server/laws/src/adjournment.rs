//! Adjournment and sealed moves (Guidelines I of 2023; Appendix A of 1997).

use crate::articles::Ground;
use crate::game::Phase;
use crate::judge::{Answer, Judge};
use zeitnot_proto::command::Why;
use zeitnot_proto::{Color, Event, Move, Outcome, Reason, Refusal};

impl Judge {
    /// Ends the session: the side on move seals on its own time.
    // Law 1997 A, 2014 Guidelines I, 2023 I.1: the player having the move seals.
    pub fn adjourn(&mut self, reason: &Why) -> Answer {
        if !matches!(self.game.phase, Phase::Playing | Phase::Paused) {
            return self.needs_play();
        }
        self.rule(Ground::Adjourn, Event::Adjourned { reason: reason.clone() });
        Ok(())
    }

    /// Seals a move, which can be changed until the clock is stopped. Only the player and the arbiter see it.
    // Law 1997 A, 2014 Guidelines I, 2023 I.1: the sealed move.
    pub fn seal_move(&mut self, side: Color, mv: Move) -> Answer {
        if self.game.phase != Phase::Adjourned {
            return Err(Refusal::NotNeeded);
        }
        if self.game.turn() != side {
            return Err(Refusal::NotHavingMove);
        }
        if self.game.sealed.is_some() && self.game.clock.running.is_none() {
            return Err(Refusal::MoveAlreadyMade);
        }
        self.rule(Ground::Adjourn, Event::MoveSealed { side, mv });
        Ok(())
    }

    /// The player who has sealed stops the clocks.
    pub fn stop_after_sealing(&mut self, side: Color) -> Answer {
        if self.game.sealed.is_none_or(|(sealer, _)| sealer != side) {
            return Err(Refusal::ClocksPaused);
        }
        self.pause_clocks(Ground::Adjourn, self.at);
        Ok(())
    }

    /// The session is resumed. The sealed move is executed when the one who replies is there; if he is not, his
    /// clock runs.
    // Law 1997 A, 2014 Guidelines I, 2023 I.6, I.7: the replier's presence decides, not the sealer's. Whoever has not
    // said that he is back is absent.
    pub fn resume_session(&mut self) -> Answer {
        self.pause_clocks(Ground::Adjourn, self.at);
        let Some((sealer, _)) = self.game.sealed else {
            self.resume_clocks(Ground::Adjourn);
            return Ok(());
        };
        let side = !sealer;
        self.rule(Ground::Adjourn, Event::ClockResumed { side });
        self.execute_sealed();
        Ok(())
    }

    /// Executes the sealed move if play is on and the one who replies is there.
    // Law 1997 A, 2014 Guidelines I, 2023 I.9: a sealed move that is not legal loses.
    pub fn execute_sealed(&mut self) {
        let Some((sealer, mv)) = self.game.sealed else { return };
        let replier = &self.game.players[!sealer];
        // Where no hour is appointed, being connected is being there.
        let here = replier.arrived || (self.game.setup.terms.start.scheduled.is_none() && replier.present);
        if self.game.phase != Phase::Playing || !here {
            return;
        }
        if self.game.record.legal(mv).is_err() {
            self.end(Ground::Sealed, Outcome::win(!sealer, Reason::IllegalMoves));
            return;
        }
        self.execute(sealer, mv);
    }

    fn execute(&mut self, sealer: Color, mv: Move) {
        let replier = !sealer;
        // Time of the replier that ran while he was away stays charged.
        self.pause_clocks(Ground::Adjourn, self.at);
        self.rule(Ground::Adjourn, Event::ClockResumed { side: sealer });
        self.make(sealer, mv);
        if !self.over() {
            self.complete(sealer, mv, true);
        }
        debug_assert!(self.over() || self.game.clock.running == Some(replier));
    }
}
