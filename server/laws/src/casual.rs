//! Comforts of casual games: abort and takeback by consent.

use crate::game::Phase;
use crate::judge::{Answer, Judge};
use zeitnot_proto::{Color, Event, Refusal};

impl Judge {
    fn needs_casual(&self) -> Answer {
        if !self.game.rules.casual {
            return Err(Refusal::NotCasual);
        }
        self.needs_start()
    }

    /// Aborts before both sides have moved.
    pub fn abort(&mut self) -> Answer {
        if !self.game.rules.casual {
            return Err(Refusal::NotCasual);
        }
        if self.game.plies() >= self.game.start_plies.saturating_add(2) {
            return Err(Refusal::TooLate);
        }
        self.annul("aborted");
        Ok(())
    }

    /// Asks to take back so much that the asking side is on move again.
    pub fn offer_takeback(&mut self, side: Color) -> Answer {
        self.needs_casual()?;
        match self.game.takeback {
            Some((asking, _)) if asking == side => return Ok(()),
            Some(_) => return self.accept_takeback(side),
            None => {}
        }
        let back = if self.game.turn() == side { 2 } else { 1 };
        let ply = self.game.plies().checked_sub(back).filter(|&ply| ply >= self.game.start_plies);
        let Some(ply) = ply else { return Err(Refusal::TooLate) };
        self.emit(Event::TakebackOffered { side, ply });
        Ok(())
    }

    /// Agrees to it. The clocks keep their times.
    pub fn accept_takeback(&mut self, side: Color) -> Answer {
        self.needs_casual()?;
        let Some((_, ply)) = self.game.takeback.filter(|(asking, _)| *asking != side) else {
            return Err(Refusal::NoOffer);
        };
        let ran = self.game.phase == Phase::Playing;
        self.lapse_later_offer(ply);
        let clocks_us = self.main_now();
        self.emit(Event::PositionRestored { ply, clocks_us, bound: None, as_at_ply: false });
        if ran {
            let side = self.game.turn();
            self.emit(Event::ClockResumed { side });
        }
        Ok(())
    }

    /// Does not.
    pub fn decline_takeback(&mut self, side: Color) -> Answer {
        self.needs_casual()?;
        let Some((asking, _)) = self.game.takeback.filter(|(asking, _)| *asking != side) else {
            return Err(Refusal::NoOffer);
        };
        self.emit(Event::TakebackDeclined { side: asking });
        Ok(())
    }
}
