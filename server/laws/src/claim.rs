//! Claims of a draw under 9.2 and 9.3.

use crate::articles::Ground;
use crate::judge::{Answer, Judge};
use crate::rulebook::{ClaimantLoses, Drawn, FlagMode, VerifyClaims};
use zeitnot_proto::command::DrawBasis;
use zeitnot_proto::event::{Claim, FlagSource};
use zeitnot_proto::time::SECOND_US;
use zeitnot_proto::{Color, Event, List, Move, Outcome, Reason, Refusal};

/// Most that a wrong claim takes: three minutes.
const CLAIMANT_LOSES_MAX_US: u64 = 180 * SECOND_US;

impl Judge {
    /// Claims a draw, irrevocably.
    // Law 1997 9.2a, 9.2b, 9.3a, 9.3b, 9.5, 5.4, 5.5, 2014 9.2a, 9.2b, 9.3a, 9.3b, 9.5, 5.2d, 5.2e, 2023 9.2.1, 9.2.2, 9.3.1, 9.3.2, 9.5.1: by the player who has the move; both clocks stop.
    // Law 2014 9.1b3, 2023 9.1.2.3: the claim is an offer, too.
    pub fn claim_draw(&mut self, side: Color, basis: DrawBasis, intended: Option<Move>) -> Answer {
        self.needs_play()?;
        let auto = match basis {
            DrawBasis::Threefold => self.game.rules.threefold,
            DrawBasis::Fifty => self.game.rules.fifty,
        };
        if auto == Drawn::Auto {
            return Err(Refusal::NotNeeded);
        }
        // Law 1997 9.4, 2014 9.4, 2023 9.4: who has made his move without claiming has lost the right.
        if self.game.made.iter().any(|made| made.side == side) {
            return Err(Refusal::ClaimRightLost);
        }
        if !self.game.has_move(side) {
            return Err(Refusal::NotHavingMove);
        }
        self.touch_cost_the_claim(basis)?;
        if let Some(mv) = intended {
            self.may_announce(mv)?;
        }
        self.rule(ground_of(basis), Event::ClaimMade { side, claim: Claim::Draw { basis, intended } });
        self.pause_clocks(Ground::ClaimStops, self.at);
        let offers = self.game.rules.claim_is_draw_offer && self.game.offer.is_none();
        if offers && self.game.offers_open().is_ok() {
            self.rule(Ground::ClaimOffers, Event::DrawOffered { side, proper: true });
        }
        match self.game.rules.verify_claims {
            VerifyClaims::Server => {
                let right = self.claim_is_right(basis, intended);
                self.rule_draw_claim(side, basis, intended, right);
            }
            VerifyClaims::Arbiter => {
                let topic = self.game.rules.article(ground_of(basis));
                self.await_ruling(ground_of(basis), topic);
            }
        }
        Ok(())
    }

    /// Refuses a move that cannot be announced: on a screen an illegal one is no claim.
    fn may_announce(&self, mv: Move) -> Answer {
        let turn = &self.game.turn;
        if turn.bound.is_some_and(|bound| bound != mv) {
            return Err(Refusal::MustPlayIntended);
        }
        match self.game.record.legal(mv) {
            Err(refusal) if !self.game.on_board() => Err(refusal),
            Ok(_) if self.game.bound_moves().is_some_and(|allowed| !allowed.contains(&mv)) => {
                Err(Refusal::TouchObligation)
            }
            _ => Ok(()),
        }
    }

    /// Whether the claim is correct: the announced move counts, if there is one, and nothing else.
    // Law 1997 9.2a, 9.2b, 9.3a, 9.3b, 2014 9.2a, 9.2b, 9.3a, 9.3b, 2023 9.2.1, 9.2.2, 9.2.3, 9.3.1, 9.3.2: third occurrence, fifty moves.
    fn claim_is_right(&self, basis: DrawBasis, intended: Option<Move>) -> bool {
        let now = &self.game.record;
        let after = match intended {
            Some(mv) if now.legal(mv).is_err() => return false,
            Some(mv) => Some(now.after(mv)),
            None => None,
        };
        let record = after.as_ref().unwrap_or(now);
        match basis {
            DrawBasis::Threefold => record.occurrences() >= 3,
            DrawBasis::Fifty => record.halfmoves() >= 100,
        }
    }

    /// The claim is found right or wrong.
    // Law 1997 9.5a, 9.5b, 2014 9.5a, 9.5b, 2023 9.5.2, 9.5.3: a draw at once, or a penalty and play goes on.
    pub fn rule_draw_claim(&mut self, side: Color, basis: DrawBasis, intended: Option<Move>, right: bool) {
        if right {
            self.rule(Ground::ClaimRight, Event::ClaimUpheld { side });
            let reason = match basis {
                DrawBasis::Threefold => Reason::Threefold,
                DrawBasis::Fifty => Reason::Fifty,
            };
            self.end(ground_of(basis), Outcome::draw(reason));
            return;
        }
        self.rule(Ground::ClaimWrong, Event::ClaimRejected { side });
        if self.flag_seen_at_the_board(side) {
            return;
        }
        self.penalise_claim(side);
        if intended.is_some_and(|mv| self.game.record.legal(mv).is_err()) && self.game.turn.obliged.is_some()
        {
            let squares = List::cut(self.game.binding_squares());
            self.rule(Ground::Touch, Event::TouchObligation { side, squares });
        }
        self.resume_clocks(Ground::ClaimWrong);
    }

    /// The arbiter who looked at a wrong claim sees that the claimant's flag is down.
    // Law 1997 6.8, 6.9, 2014 6.8, 6.9, 2023 6.8, 6.9: observed, and the game may be lost.
    fn flag_seen_at_the_board(&mut self, side: Color) -> bool {
        let seen = self.game.rules.flag_mode == FlagMode::ArbiterOrClaim
            && self.game.clock.established(side, self.at).is_some();
        if seen {
            self.call_flags(FlagSource::Arbiter, self.at);
        }
        seen && self.game.phase != crate::game::Phase::Paused
    }

    // Law 1997 9.5b, 2014 9.5b, B.2, 2023 9.5.3, A.3, B.3: half the time left up to three minutes, three minutes for the opponent; later two or one for the opponent only.
    fn penalise_claim(&mut self, side: Color) {
        if !self.game.timed() {
            return;
        }
        let before = self.main_now();
        let mut clocks = before;
        if self.game.rules.claim_wrong_claimant_loses == ClaimantLoses::Half {
            clocks[side] -= (clocks[side] / 2).min(CLAIMANT_LOSES_MAX_US);
        }
        if self.game.clock.fallen[!side].is_none() {
            let gain = self.game.rules.claim_wrong_opponent_gains_us;
            clocks[!side] = clocks[!side].saturating_add(gain);
        }
        if clocks != before {
            let event = Event::PenaltyApplied { white_us: clocks.white, black_us: clocks.black };
            self.rule(Ground::ClaimWrong, event);
        }
    }
}

fn ground_of(basis: DrawBasis) -> Ground {
    match basis {
        DrawBasis::Threefold => Ground::Threefold,
        DrawBasis::Fifty => Ground::Fifty,
    }
}
