//! Flags: observed, called, claimed, reported by a device; one down or both.

use crate::articles::Ground;
use crate::game::Phase;
use crate::judge::{Answer, Judge};
use crate::rulebook::{BothFlags, FlagCalling, FlagMode, PeriodAdd};
use zeitnot_proto::event::{FlagOrder, FlagSource, MateCause};
use zeitnot_proto::time_control::Added;
use zeitnot_proto::{ByColor, Color, Event, Interval, Outcome, Reason, Refusal, Stamp};

/// Which of two flags fell first, as far as it can be established: touching intervals leave it open.
// Law 1997 6.11, 2014 6.11, 2023 III.3.1: whether it can be established which flag fell first.
pub(crate) fn order(flags: ByColor<Interval>) -> FlagOrder {
    if flags.white.latest < flags.black.earliest {
        FlagOrder::WhiteFirst
    } else if flags.black.latest < flags.white.earliest {
        FlagOrder::BlackFirst
    } else {
        FlagOrder::Unknown
    }
}

impl Judge {
    /// Judges the flags that are established as fallen by `at`. A side that has completed the moves of its
    /// period is not at fault; of two at fault the order decides.
    // Law 1997 6.3, 6.9, 2014 6.4, 6.9, 2023 6.4, 6.9: the required moves first, then the time.
    pub fn call_flags(&mut self, source: FlagSource, at: Stamp) {
        let tc = self.game.setup.terms.time_control.clone();
        let fallen =
            ByColor::new(Color::White, Color::Black).map(|side| self.game.clock.established(side, at));
        let mut at_fault = ByColor::new(None, None);
        for (side, &flag) in fallen.iter() {
            let Some(interval) = flag else { continue };
            if self.game.clock.quota_met(&tc, side) {
                self.fell(side, interval, source);
                self.pass_period(side, false);
            } else {
                at_fault[side] = Some(interval);
            }
        }
        match (at_fault.white, at_fault.black) {
            (Some(white), Some(black)) => self.both_down(ByColor::new(white, black), source),
            (Some(interval), None) => self.one_down(Color::White, interval, source),
            (None, Some(interval)) => self.one_down(Color::Black, interval, source),
            (None, None) => {}
        }
    }

    fn fell(&mut self, side: Color, interval: Interval, source: FlagSource) {
        let Interval { earliest, latest } = interval;
        self.rule(Ground::FlagFall, Event::FlagFell { side, earliest, latest, source });
    }

    /// Opens the next period of a side whose flag is down: its base and nothing else.
    // Law 1997 6.3, 8.6, 2014 6.3b, 8.6, 2023 6.3.2, 8.6: the next move is the first of the new period.
    fn pass_period(&mut self, side: Color, forced: bool) {
        let tc = &self.game.setup.terms.time_control;
        let main_us = self.game.clock.next_base(tc, side);
        let period = self.game.clock.period[side].saturating_add(1);
        let ground = if forced { Ground::BothFlags } else { Ground::Period };
        self.rule(ground, Event::PeriodPassed { side, period, forced, main_us });
    }

    fn one_down(&mut self, side: Color, interval: Interval, source: FlagSource) {
        self.fell(side, interval, source);
        // Law 1997 10.2c, 2014 G.5b, 2023 III.5.2: after a postponed claim the arbiter decides, not the flag.
        let postponed = self.game.postponed;
        let deferred =
            if self.game.rules.qpf_claimant_on_move { postponed.is_some() } else { postponed == Some(side) };
        if deferred {
            self.await_ruling(Ground::QuickplayAfterFlag, "flag_after_postponed");
        } else {
            self.lose(side, MateCause::Flag);
        }
    }

    fn both_down(&mut self, flags: ByColor<Interval>, source: FlagSource) {
        let order = order(flags);
        let (ground, ruling) = self.both_ruling(order, source);
        self.rule(ground, Event::BothFlagsDown { order, flags });
        let topic = "both_flags";
        match ruling {
            BothFlags::Continue => self.play_on(),
            BothFlags::Draw => self.end(ground, Outcome::draw(Reason::BothFlags)),
            BothFlags::FirstLoses => self.first_loses(order),
            BothFlags::Rule => self.await_ruling(ground, topic),
            BothFlags::RuleContinue | BothFlags::RuleDraw => {
                self.await_ruling(ground, topic);
                if self.game.rules.has_arbiter() {
                    return;
                }
                if ruling == BothFlags::RuleContinue {
                    self.play_on();
                } else {
                    self.end(ground, Outcome::draw(Reason::BothFlags));
                }
            }
        }
    }

    /// What the rules say on two flags down, both sides at fault.
    // Law 1997 6.9, 6.11, 10.4, B7, B8, 2014 6.9, 6.11a, 6.11b, A.4c, 2023 6.9, III.3.1.1, III.3.1.2, A.5.3: which ruling.
    fn both_ruling(&self, order: FlagOrder, source: FlagSource) -> (Ground, BothFlags) {
        let (rules, tc) = (&self.game.rules, &self.game.setup.terms.time_control);
        if order != FlagOrder::Unknown {
            let claimed = source == FlagSource::Claim && !rules.claimant_flag_must_be_up;
            let known = if claimed { BothFlags::FirstLoses } else { rules.both_flags_known };
            let ground = if known == BothFlags::Draw { Ground::BothFlagsLast } else { Ground::Time };
            return (ground, known);
        }
        let last = |side| self.game.clock.in_last(tc, side);
        match (last(Color::White), last(Color::Black)) {
            (false, false) => (Ground::BothFlags, rules.both_flags_unknown_not_last),
            (true, true) => {
                let added = tc.periods().last().map_or(Added::Nothing, |period| period.added);
                let plain = added == Added::Nothing;
                let ruling = if plain {
                    rules.both_flags_unknown_last
                } else {
                    rules.both_flags_unknown_last_increment
                };
                (Ground::BothFlagsLast, ruling)
            }
            _ => (Ground::BothFlagsLast, BothFlags::Draw),
        }
    }

    fn first_loses(&mut self, order: FlagOrder) {
        match order {
            FlagOrder::WhiteFirst => self.lose(Color::White, MateCause::Flag),
            FlagOrder::BlackFirst => self.lose(Color::Black, MateCause::Flag),
            FlagOrder::Unknown => self.end(Ground::BothFlagsLast, Outcome::draw(Reason::BothFlags)),
        }
    }

    /// Play goes on: both sides enter their next period. With an arbiter in the hall the clocks wait for him.
    // Law 1997 6.11, 8.6, 2014 6.11a, 8.6, 2023 III.3.1.1, 8.6: continue.
    pub fn play_on(&mut self) {
        for side in Color::BOTH {
            self.pass_period(side, true);
        }
        if !self.game.rules.has_arbiter() {
            self.resume_clocks(Ground::BothFlags);
        }
    }

    /// The opponent's flag is claimed to be down.
    // Law 1997 6.8, B7, 2014 6.8, A.4c, 2023 6.8, A.5.3: a valid claim; a wrong one costs nothing.
    pub fn claim_flag(&mut self, side: Color) -> Answer {
        self.needs_flag(!side)?;
        self.stop_and_call(FlagSource::Claim);
        Ok(())
    }

    /// The arbiter calls a flag.
    // Law 1997 6.8, B6, 2014 6.8, A.4d, 2023 6.8, A.5.5: in fast games of 1997 he must not.
    pub fn call_flag(&mut self, side: Color) -> Answer {
        let rules = &self.game.rules;
        if rules.flag_mode == FlagMode::ClaimOnly
            || (rules.flag_mode == FlagMode::ArbiterOrClaim && rules.flag_calling == FlagCalling::ClaimOnly)
        {
            return Err(Refusal::BadVerdict);
        }
        self.needs_flag(side)?;
        self.stop_and_call(FlagSource::Arbiter);
        Ok(())
    }

    fn needs_flag(&self, side: Color) -> Answer {
        match self.game.phase {
            Phase::Playing | Phase::Paused => {}
            Phase::Waiting => return Err(Refusal::NotStarted),
            _ => return Err(Refusal::ClocksPaused),
        }
        self.game.clock.established(side, self.at).map(|_| ()).ok_or(Refusal::FlagNotFallen)
    }

    fn stop_and_call(&mut self, source: FlagSource) {
        let ran = self.game.clock.running.is_some();
        self.pause_clocks(Ground::FlagFall, self.at);
        self.call_flags(source, self.at);
        if ran
            && self.game.phase == Phase::Paused
            && self.game.rules.arbiter != crate::rulebook::Arbiter::Present
        {
            self.resume_clocks(Ground::FlagFall);
        }
    }

    /// A device tells when flags fell.
    pub fn report_flags(&mut self, flags: ByColor<Option<Interval>>) -> Answer {
        let wrong = |i: &Interval| i.earliest > i.latest;
        if !self.game.timed() || flags.iter().any(|(_, flag)| flag.as_ref().is_some_and(wrong)) {
            return Err(Refusal::Malformed);
        }
        self.needs_start()?;
        self.emit(Event::FlagsReported { flags });
        if self.game.rules.flag_mode == FlagMode::Auto && self.game.phase == Phase::Playing {
            self.call_flags(FlagSource::Device, self.at);
        }
        Ok(())
    }

    /// The arbiter takes a side's time away altogether: its flag counts as fallen now.
    pub fn force_flag(&mut self, side: Color) {
        let interval = Interval::exact(self.at);
        self.pause_clocks(Ground::SubtractTime, self.at);
        let tc = self.game.setup.terms.time_control.clone();
        if self.game.clock.quota_met(&tc, side) && self.game.rules.period_add == PeriodAdd::AtFlag {
            self.fell(side, interval, FlagSource::Arbiter);
            self.pass_period(side, false);
        } else {
            self.one_down(side, interval, FlagSource::Arbiter);
        }
    }
}
