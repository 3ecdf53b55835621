//! Claims and requests in a quickplay finish (10.2; later Appendix G and Guidelines III).

use crate::articles::Ground;
use crate::game::Phase;
use crate::judge::{Answer, Judge};
use crate::rulebook::{QpfIncrement, QpfNoArbiter};
use zeitnot_proto::command::QuickplayBasis;
use zeitnot_proto::event::Claim;
use zeitnot_proto::time::SECOND_US;
use zeitnot_proto::{Color, Event, Refusal};

/// The increment that can be asked for: five seconds.
const INCREMENT_US: u64 = 5 * SECOND_US;

impl Judge {
    /// Claims a draw with less than two minutes left.
    // Law 1997 10.2, D, 2014 G.5, G.6, 2023 III.5, III.6: stops the clocks and calls the arbiter.
    pub fn claim_quickplay(&mut self, side: Color, basis: QuickplayBasis) -> Answer {
        self.quickplay_open(side)?;
        let refused = self.game.rules.qpf_no_arbiter == QpfNoArbiter::Refuse;
        if !self.game.rules.has_arbiter() && refused {
            return Err(Refusal::NotQpf);
        }
        self.rule(Ground::Quickplay, Event::ClaimMade { side, claim: Claim::Quickplay { basis } });
        self.pause_clocks(Ground::Quickplay, self.at);
        if self.game.rules.has_arbiter() {
            self.await_ruling(Ground::Quickplay, "qpf");
        } else {
            self.await_ruling(Ground::QuickplayReferred, "adjudication");
        }
        Ok(())
    }

    /// Asks for five seconds a move. The request offers a draw.
    // Law 2014 G.4, 2023 III.4: an increment on request.
    pub fn request_increment(&mut self, side: Color) -> Answer {
        if self.game.rules.qpf_increment_request == QpfIncrement::Off {
            return Err(Refusal::NotQpf);
        }
        self.quickplay_open(side)?;
        if !self.game.rules.has_arbiter() {
            return Err(Refusal::NotQpf);
        }
        self.rule(Ground::Increment, Event::ClaimMade { side, claim: Claim::Increment });
        self.pause_clocks(Ground::Increment, self.at);
        if self.game.offer.is_none() && self.game.offers_open().is_ok() {
            self.rule(Ground::Increment, Event::DrawOffered { side, proper: true });
        }
        self.await_ruling(Ground::Increment, "qpf");
        Ok(())
    }

    /// Whether `side` may claim now.
    // Law 1997 10.1, 10.2, 2014 G.3, G.5, 2023 III.2.2, III.5: last period, less than two minutes, flag up, later on move.
    fn quickplay_open(&self, side: Color) -> Answer {
        self.needs_play()?;
        if !self.game.is_qpf(side) {
            return Err(Refusal::NotQpf);
        }
        if self.game.rules.qpf_claimant_on_move && !self.game.has_move(side) {
            return Err(Refusal::NotHavingMove);
        }
        if self.game.clock.established(side, self.at).is_some() {
            return Err(Refusal::ClaimRightLost);
        }
        if self.main_now()[side] >= self.game.rules.qpf_claim_threshold_us {
            return Err(Refusal::NotUnderTwoMinutes);
        }
        Ok(())
    }

    /// The arbiter draws the game.
    // Law 1997 10.2a, 10.2c, 2014 G.5a, G.5b, 2023 III.5.1, III.5.2: drawn, also later, also after the flag.
    pub fn quickplay_draw(&mut self) {
        use zeitnot_proto::{Outcome, Reason};
        if let Some((side, _)) = self.game.claim {
            self.rule(Ground::QuickplayDraw, Event::ClaimUpheld { side });
        }
        self.end(Ground::QuickplayDraw, Outcome::draw(Reason::QpfDraw));
    }

    /// The arbiter postpones his decision, with two minutes for the opponent or none.
    // Law 1997 10.2b, 2014 G.5b, 2023 III.5.2: the clocks wait for him.
    pub fn quickplay_postpone(&mut self, bonus_us: u64) -> Answer {
        let Some((side, Claim::Quickplay { .. })) = self.game.claim else { return Err(Refusal::BadVerdict) };
        if bonus_us != 0 && bonus_us != self.game.rules.qpf_bonus_us {
            return Err(Refusal::BadVerdict);
        }
        self.rule(Ground::QuickplayPostponed, Event::ClaimPostponed { side, bonus_us });
        Ok(())
    }

    /// The arbiter rejects the claim: two minutes for the opponent. 1997 knows no such verdict.
    // Law 2014 G.5c, 2023 III.5.3: rejected, with a penalty.
    pub fn quickplay_reject(&mut self) -> Answer {
        let Some((side, Claim::Quickplay { .. })) = self.game.claim else { return Err(Refusal::BadVerdict) };
        if !self.game.rules.qpf_reject {
            return Err(Refusal::BadVerdict);
        }
        self.rule(Ground::QuickplayRejected, Event::ClaimRejected { side });
        self.award(Ground::QuickplayRejected, !side, self.game.rules.qpf_bonus_us);
        self.leave_to_arbiter();
        Ok(())
    }

    /// The arbiter rules on the request.
    // Law 2014 G.4, 2023 III.4: five seconds for both from this turn on, two minutes for the opponent, once.
    pub fn rule_increment(&mut self, agreed: bool) -> Answer {
        let Some((side, Claim::Increment)) = self.game.claim else { return Err(Refusal::BadVerdict) };
        if !agreed {
            self.rule(Ground::Increment, Event::ClaimRejected { side });
            self.leave_to_arbiter();
            return Ok(());
        }
        self.rule(Ground::Increment, Event::IncrementGranted { increment_us: INCREMENT_US });
        let mut clocks = self.game.clock.main;
        if self.game.rules.qpf_increment_request == QpfIncrement::Cumulative {
            clocks[side] = clocks[side].saturating_add(INCREMENT_US);
        }
        if self.game.clock.fallen[!side].is_none() {
            clocks[!side] = clocks[!side].saturating_add(self.game.rules.qpf_bonus_us);
        }
        let event = Event::ClockSet {
            white_us: clocks.white,
            black_us: clocks.black,
            running: zeitnot_proto::command::Running::None,
        };
        self.rule(Ground::Increment, event);
        self.leave_to_arbiter();
        Ok(())
    }

    /// The clocks stand until an arbiter in the hall starts them.
    fn leave_to_arbiter(&mut self) {
        if self.game.phase == Phase::Paused {
            self.stand_or_resume();
        }
    }
}
