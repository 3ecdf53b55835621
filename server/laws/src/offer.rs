//! Draw offers and agreements (9.1).

use crate::articles::Ground;
use crate::game::{Game, Phase};
use crate::judge::{Answer, Judge};
use zeitnot_proto::{Color, Event, Outcome, Reason, Refusal};

impl Judge {
    /// Offers a draw at any time; the proper one is between making a move and pressing the clock.
    // Law 1997 9.1, 2014 9.1b, 2023 9.1.2.1: valid at other times too, unconditional, not to be withdrawn.
    pub fn offer_draw(&mut self, side: Color) -> Answer {
        self.needs_start()?;
        match self.game.offer {
            Some(offer) if offer.side == side => return Ok(()),
            // Offering while the opponent's offer is live accepts it.
            Some(_) => return self.accept_draw(side),
            None => {}
        }
        self.game.offers_open()?;
        let proper = self.game.made.last().is_some_and(|made| made.side == side && !made.illegal);
        self.place_offer(side, proper);
        Ok(())
    }

    /// The offer that goes with a move on a screen.
    pub fn offer_with_move(&mut self, side: Color) -> Answer {
        if self.game.offer.is_some() {
            return Ok(());
        }
        self.game.offers_open()?;
        self.place_offer(side, true);
        Ok(())
    }

    // Law 1997 12.5, 2014 11.5, 2023 11.5: persistent offers may annoy the opponent; the arbiter is told, no more.
    fn place_offer(&mut self, side: Color, proper: bool) {
        self.rule(Ground::Offer, Event::DrawOffered { side, proper });
        let after = self.game.rules.offer_alert_after;
        let player = &self.game.players[side];
        let persistent = after > 0
            && u32::from(player.offers) >= after
            && u32::from(player.refused) >= after.saturating_sub(1);
        if persistent {
            self.alert(Ground::Disturbing, side);
        }
    }

    /// Accepts the opponent's offer.
    // Law 1997 5.3, 9.1, 2014 5.2c, 9.1a, 2023 5.2.3, 9.1.1: by agreement, where it is not too early.
    pub fn accept_draw(&mut self, side: Color) -> Answer {
        self.needs_start()?;
        if self.game.offer.is_none_or(|offer| offer.side == side) {
            return Err(Refusal::NoOffer);
        }
        self.game.offers_open()?;
        let least = self.game.rules.agreement_min_own_moves;
        if Color::BOTH.into_iter().any(|side| self.game.moves_made(side) < least) {
            return Err(Refusal::DrawTooEarly);
        }
        self.end(Ground::Agreement, Outcome::draw(Reason::Agreement));
        Ok(())
    }

    /// Declines it in words.
    // Law 1997 9.1, 2014 9.1b1, 2023 9.1.2.1: refused by word.
    pub fn decline_draw(&mut self, side: Color) -> Answer {
        if self.game.offer.is_none_or(|offer| offer.side == side) {
            return Err(Refusal::NoOffer);
        }
        self.rule(Ground::Offer, Event::DrawDeclined { side });
        Ok(())
    }

    /// A reply of `side` ends the opponent's offer.
    // Law 1997 9.1, 2014 9.1b1, 2023 9.1.2.1: refused by the reply.
    pub fn lapse_offer(&mut self, side: Color) {
        if let Some(offer) = self.game.offer
            && offer.side != side
        {
            self.rule(Ground::Offer, Event::OfferLapsed { side: offer.side });
        }
    }

    /// Going back to `ply` ends an offer that was made after it.
    pub fn lapse_later_offer(&mut self, ply: u32) {
        if let Some(offer) = self.game.offer
            && (offer.ply > ply || (offer.ply == ply && !offer.with_move))
        {
            self.rule(Ground::Offer, Event::OfferLapsed { side: offer.side });
        }
    }

    /// The arbiter lets the players agree where the event forbids it.
    // Law 2014 9.1a, 2023 9.1.1: the consent of the arbiter.
    pub fn consent_draw(&mut self) -> Answer {
        self.rule(Ground::Consent, Event::DrawConsented);
        Ok(())
    }
}

impl Game {
    /// Refuses offers before the move that the event prescribes.
    // Law 2014 9.1a, 2023 9.1.1: not before so many moves of each side, or not at all.
    pub(crate) fn offers_open(&self) -> Answer {
        let least = self.rules.min_moves;
        let early = Color::BOTH.into_iter().any(|side| self.moves_completed(side) < least);
        if early && !self.consent { Err(Refusal::DrawTooEarly) } else { Ok(()) }
    }

    /// Moves completed; on a screen a move that is made is.
    fn moves_completed(&self, side: Color) -> u32 {
        if self.on_board() { self.players[side].completed } else { self.moves_made(side) }
    }

    /// Moves made, pressed or not.
    fn moves_made(&self, side: Color) -> u32 {
        let pending = self.made.iter().filter(|made| made.side == side && !made.illegal).count();
        self.players[side].completed.saturating_add(u32::try_from(pending).unwrap_or(0))
    }

    /// The side whose offer is live.
    pub(crate) fn live_offer(&self) -> Option<Color> {
        if matches!(self.phase, Phase::Ended(_) | Phase::Annulled) {
            None
        } else {
            self.offer.map(|o| o.side)
        }
    }
}
