//! The arbiter's commands and the players' calls for him.

use crate::articles::Ground;
use crate::game::Phase;
use crate::judge::{Answer, Judge};
use crate::rulebook::{Arbiter, Breach, ColoursReversed, PlayerPause, Scores};
use zeitnot_proto::command::{RestoredClocks, Running, Sanction, Verdict, Why};
use zeitnot_proto::event::{Claim, FlagOrder, MateCause};
use zeitnot_proto::{ByColor, Color, Command, Event, Outcome, Reason, Refusal, Score, Text};

impl Judge {
    // Law 1997 13.1, 13.2, 12.1, 2014 12.1, 12.2, 11.1, 2023 12.1, 12.2, 11.1: the arbiter sees the Laws kept.
    pub fn arbiter(&mut self, command: &Command) -> Answer {
        match command {
            Command::ReportFlags(flags) => self.report_flags(*flags),
            Command::Pause { .. } => self.pause(),
            Command::Resume => self.resume(),
            Command::SetClocks { clocks_us, running, .. } => self.set_clocks(*clocks_us, *running),
            Command::AdjustTime { by_us, reason } => self.adjust_time(*by_us, reason),
            Command::CallFlag { side } => self.call_flag(*side),
            Command::RuleClaim { verdict, bonus_us, .. } => self.rule_claim(*verdict, *bonus_us),
            Command::RestorePosition { ply, clocks, illegal, .. } => self.restore(*ply, *clocks, *illegal),
            Command::Penalise { side, sanction, reason } => self.penalise(*side, *sanction, reason),
            Command::ConsentDraw => self.consent_draw(),
            Command::Annul { reason } => self.annul_wrong_array(reason),
            Command::SwapColours => self.swap_colours(),
            Command::ReportColoursReversed => self.colours_reversed(),
            Command::DeclareResult { scores, reason } => self.declare(*scores, reason),
            Command::SetDefaultTime { time_us, reason } => self.set_default_time(*time_us, reason),
            Command::Adjourn { reason } => self.adjourn(reason),
            // Law 1997 7.1b, 2014 7.2b, 2023 7.2.2: the position stands, whichever way the board was put.
            Command::TransferBoard => {
                self.note(Ground::TurnedBoard, None, "the board was turned and is put right")
            }
            Command::ReportTwoHands { side } => self.two_hands(*side),
            // Law 1997 12.2, 2014 11.3, 2023 11.3: noted; the sanction is the arbiter's.
            Command::ReportFairPlay { side, reason } => self.note(Ground::FairPlay, Some(*side), reason),
            _ => Err(Refusal::NotAllowed),
        }
    }

    /// Stops both clocks.
    // Law 1997 6.12a, 2014 6.12a, 2023 6.11.1: what is left of a delay is kept.
    fn pause(&mut self) -> Answer {
        match self.game.phase {
            Phase::Waiting => Err(Refusal::NotStarted),
            Phase::Paused if self.game.interrupted.is_none() => Err(Refusal::ClocksPaused),
            Phase::Awaiting(_) => Err(Refusal::ClocksPaused),
            _ => {
                let shown = self.game.clock.shown(self.at, 0);
                let event = Event::ClockPaused { clocks_us: shown.main, delay_left_us: shown.delay_left };
                self.rule(Ground::Pause, event);
                Ok(())
            }
        }
    }

    /// Starts the clock that stood.
    // Law 1997 6.12c, 2014 6.12c, 2023 6.11.3: the arbiter decides when play goes on.
    fn resume(&mut self) -> Answer {
        match &self.game.phase {
            Phase::Paused => {
                self.resume_clocks(Ground::Resume);
                Ok(())
            }
            Phase::Awaiting(topic) if **topic == *"both_flags" => {
                self.play_on();
                self.resume_clocks(Ground::Resume);
                Ok(())
            }
            Phase::Awaiting(topic) if **topic == *"illegal_position" => {
                self.resume_clocks(Ground::Resume);
                Ok(())
            }
            Phase::Awaiting(_) => Err(Refusal::ClocksPaused),
            Phase::Adjourned => self.resume_session(),
            Phase::Waiting => Err(Refusal::NotStarted),
            Phase::Playing if self.game.clock.running.is_none() && self.game.timed() => {
                self.resume_clocks(Ground::Resume);
                Ok(())
            }
            _ => Err(Refusal::NotNeeded),
        }
    }

    /// Sets the clocks.
    // Law 1997 6.10, 6.13, B4, 2014 6.10b, 7.1, A.4a, 2023 6.10.2, 7.1, A.5.1.1: by judgement; in unsupervised fast play not after so many moves.
    fn set_clocks(&mut self, clocks_us: ByColor<Option<u64>>, running: Option<Running>) -> Answer {
        self.needs_start()?;
        if !self.game.timed() {
            return Err(Refusal::Malformed);
        }
        self.within(self.game.rules.wrong_clock_setting_until)?;
        let now = self.main_now();
        let main = |side: Color| clocks_us[side].unwrap_or(now[side]);
        let ran = Running::from(self.game.clock.running);
        let running = running.unwrap_or(ran);
        if matches!(self.game.phase, Phase::Awaiting(_) | Phase::Adjourned) && running != ran {
            return Err(Refusal::ClocksPaused);
        }
        let (white_us, black_us) = (main(Color::White), main(Color::Black));
        self.rule(Ground::ClockSetting, Event::ClockSet { white_us, black_us, running });
        Ok(())
    }

    /// Refuses what fast play allows only in the first moves.
    fn within(&self, until: Option<u32>) -> Answer {
        let done = |side: Color| self.game.players[side].completed;
        match until {
            Some(limit) if Color::BOTH.into_iter().all(|side| done(side) >= limit) => Err(Refusal::TooLate),
            _ => Ok(()),
        }
    }

    /// Gives or takes time.
    // Law 1997 13.5, 8.1, 2014 12.5, 8.1, 2023 12.5, 8.1: after a disturbance from outside, or for help with recording.
    fn adjust_time(&mut self, by_us: ByColor<i64>, reason: &Why) -> Answer {
        self.needs_start()?;
        if !self.game.timed() {
            return Err(Refusal::Malformed);
        }
        let now = self.main_now();
        let mut main = now;
        for (side, &by) in by_us.iter() {
            if self.game.clock.fallen[side].is_some() {
                continue;
            }
            main[side] = now[side].saturating_add_signed(by);
            if by < 0 && main[side] == 0 {
                return Err(Refusal::Malformed);
            }
        }
        let event =
            Event::ClockAdjusted { white_us: main.white, black_us: main.black, reason: reason.clone() };
        self.rule(Ground::ExtraTime, event);
        Ok(())
    }

    /// Rules on what awaits a ruling.
    // Law 1997 10.2a, 10.2b, 10.2c, 9.5, 2014 G.5a, G.5b, G.5c, 9.5, 2023 III.5.1, III.5.2, III.5.3, 9.5: the verdicts each edition knows.
    fn rule_claim(&mut self, verdict: Verdict, bonus_us: u64) -> Answer {
        let topic = match &self.game.phase {
            Phase::Awaiting(topic) => Some(topic.clone()),
            Phase::Playing | Phase::Paused => None,
            _ => return Err(Refusal::BadVerdict),
        };
        if let (Some((side, Claim::Draw { basis, intended })), Verdict::Upheld | Verdict::Rejected) =
            (self.game.claim, verdict)
        {
            self.rule_draw_claim(side, basis, intended, verdict == Verdict::Upheld);
            return Ok(());
        }
        match (topic.as_deref(), verdict) {
            (Some("qpf" | "adjudication"), Verdict::Draw) if self.game.claim.is_some_and(is_quickplay) => {
                self.quickplay_draw();
                Ok(())
            }
            (Some("qpf"), Verdict::Postpone) => self.quickplay_postpone(bonus_us),
            (Some("qpf"), Verdict::Reject) => self.quickplay_reject(),
            (Some("qpf"), Verdict::Agree) => self.rule_increment(true),
            (Some("qpf"), Verdict::Disagree) => self.rule_increment(false),
            (Some("both_flags"), Verdict::Draw) => {
                self.end(Ground::BothFlagsLast, Outcome::draw(Reason::BothFlags));
                Ok(())
            }
            (Some("both_flags"), Verdict::FlagStands) => self.first_flag_stands(),
            (Some("flag_after_postponed"), Verdict::FlagStands) => self.flag_stands(),
            (Some("illegal_position"), Verdict::Draw) => {
                self.end(Ground::IllegalPosition, Outcome::draw(Reason::Adjudication));
                Ok(())
            }
            (Some("flag_after_postponed") | None, Verdict::Draw) if self.game.postponed.is_some() => {
                self.quickplay_draw();
                Ok(())
            }
            _ => Err(Refusal::BadVerdict),
        }
    }

    fn flag_stands(&mut self) -> Answer {
        let Some(side) = self.game.flagged else { return Err(Refusal::BadVerdict) };
        self.lose(side, MateCause::Flag);
        Ok(())
    }

    fn first_flag_stands(&mut self) -> Answer {
        let fallen = self.game.clock.fallen;
        let (Some(white), Some(black)) = (fallen.white, fallen.black) else {
            return Err(Refusal::BadVerdict);
        };
        let loser = match crate::flags::order(ByColor::new(white, black)) {
            FlagOrder::WhiteFirst => Color::White,
            FlagOrder::BlackFirst => Color::Black,
            FlagOrder::Unknown => return Err(Refusal::BadVerdict),
        };
        self.lose(loser, MateCause::Flag);
        Ok(())
    }

    /// Goes back to the position after `ply` half-moves.
    // Law 1997 7.4, 6.13, 2014 7.5a, 7.6, 7.1, 2023 7.5.1, 7.6, 7.1: an irregularity is put right; the counters follow.
    fn restore(&mut self, ply: u32, clocks: RestoredClocks, illegal: Option<Color>) -> Answer {
        self.needs_start()?;
        let made_by = |side| self.game.record.ply(ply).is_some() && self.game.mover(ply) == side;
        if ply > self.game.plies() || illegal.is_some_and(|side| !made_by(side)) {
            return Err(Refusal::Malformed);
        }
        self.in_time_to_restore(ply, illegal.is_some())?;
        let ran = self.game.clock.running.is_some();
        self.pause_clocks(Ground::Judgement, self.at);
        let now = self.game.clock.main;
        let at_ply = self.game.mark_at(ply);
        let clocks_us = match clocks {
            RestoredClocks::Keep => now,
            RestoredClocks::AsAtPly => at_ply,
            RestoredClocks::Set(set) => {
                ByColor::new(set.white.unwrap_or(now.white), set.black.unwrap_or(now.black))
            }
        };
        let as_at_ply = clocks == RestoredClocks::AsAtPly;
        let bound = illegal.and_then(|_| self.game.record.ply(ply)).map(|mv| mv.from);
        if let Some(side) = illegal {
            self.restore_illegal(side, ply, clocks_us, as_at_ply, bound);
            return Ok(());
        }
        self.lapse_later_offer(ply);
        self.rule(Ground::Judgement, Event::PositionRestored { ply, clocks_us, bound, as_at_ply });
        if ran {
            self.stand_or_resume();
        }
        Ok(())
    }

    /// A confirmed or declared result. Corrects one that stands.
    // Law 1997 11.1, 12.7, 12.8, 2014 10.1, 11.7, 11.8, 8.7, 2023 10.1, 10.2, 11.7, 11.8, 8.7: a pair of scores, each a normal one, at most a point in all.
    fn declare(&mut self, scores: ByColor<Score>, reason: &Why) -> Answer {
        if self.game.phase == Phase::Annulled {
            return Err(Refusal::GameOver);
        }
        if self.game.rules.scores == Scores::Normal && !normal(scores) {
            return Err(Refusal::BadScore);
        }
        let reason =
            if reason.is_empty() { Reason::Adjudication } else { Reason::from_name(reason.as_str()) };
        let played = !matches!(reason, Reason::Forfeit | Reason::ForfeitBoth);
        let ground = match reason {
            Reason::Refusal => Ground::Refusal,
            Reason::BothLose => Ground::BothLose,
            _ => Ground::Judgement,
        };
        self.end(ground, Outcome { scores, reason, played });
        Ok(())
    }

    /// Imposes a sanction.
    // Law 1997 13.4a, 13.4b, 13.4c, 13.4d, 13.4e, 12.6, 2014 12.9a, 12.9b, 12.9c, 12.9f, 12.9h, 11.6, 2023 12.9.1, 12.9.2, 12.9.3, 12.9.6, 12.9.9, 11.6: warning, time, loss, expulsion.
    fn penalise(&mut self, side: Color, sanction: Sanction, reason: &Why) -> Answer {
        self.needs_start()?;
        let now = self.main_now();
        let takes_time = matches!(sanction, Sanction::AddOpponent(_) | Sanction::SubtractOwn { .. });
        if takes_time && !self.game.timed() {
            return Err(Refusal::Malformed);
        }
        let event = Event::Sanctioned { side, sanction, reason: reason.clone() };
        match sanction {
            Sanction::Warning => self.rule(Ground::Warning, event),
            Sanction::AddOpponent(us) => {
                self.rule(Ground::AddTime, event);
                self.award(Ground::AddTime, !side, us);
            }
            Sanction::SubtractOwn { time_us, force } => {
                if time_us >= now[side] && !force {
                    return Err(Refusal::Malformed);
                }
                self.rule(Ground::SubtractTime, event);
                self.subtract(side, now, time_us);
            }
            Sanction::Loss(score) => {
                let opponent = score.unwrap_or(Score::ONE);
                self.sanction_loss(side, opponent, Ground::Loss, event)?;
            }
            Sanction::Expulsion => self.sanction_loss(side, Score::ONE, Ground::Expulsion, event)?,
        }
        Ok(())
    }

    fn subtract(&mut self, side: Color, now: ByColor<u64>, time_us: u64) {
        if time_us >= now[side] {
            self.force_flag(side);
            return;
        }
        let mut main = now;
        main[side] -= time_us;
        let event = Event::PenaltyApplied { white_us: main.white, black_us: main.black };
        self.rule(Ground::SubtractTime, event);
    }

    fn sanction_loss(&mut self, side: Color, opponent: Score, ground: Ground, event: Event) -> Answer {
        let mut scores = ByColor::both(Score::ZERO);
        scores[!side] = opponent;
        if self.game.rules.scores == Scores::Normal && !normal(scores) {
            return Err(Refusal::BadScore);
        }
        self.rule(ground, event);
        self.end(ground, Outcome { scores, reason: Reason::Sanction, played: true });
        Ok(())
    }

    /// The game is void: it began from a wrong array.
    // Law 1997 7.1a, B4, 2014 7.2a, A.4a, 2023 7.2.1, A.5.1: a new game; in unsupervised fast play not after so many moves.
    fn annul_wrong_array(&mut self, reason: &Why) -> Answer {
        self.within(self.game.rules.initial_position_wrong_until)?;
        let reason = if reason.is_empty() { Text::cut("initial_position_wrong") } else { reason.clone() };
        self.rule(Ground::WrongArray, Event::GameAnnulled { reason });
        Ok(())
    }

    pub fn annul(&mut self, reason: &str) {
        self.emit(Event::GameAnnulled { reason: Text::cut(reason) });
    }

    /// The players change sides.
    // Law 1997 7.2, 2014 7.3, 2023 7.3: the arbiter may rule otherwise than that play continues.
    fn swap_colours(&mut self) -> Answer {
        self.rule(Ground::Colours, Event::ColoursSwapped);
        Ok(())
    }

    /// Colours were found reversed.
    // Law 1997 7.2, 2014 7.3, 2023 7.3: play goes on; in 2023 a new game unless both sides have completed ten moves.
    fn colours_reversed(&mut self) -> Answer {
        let done = |side: Color| self.game.players[side].completed;
        let restart = self.game.rules.colours_reversed == ColoursReversed::Restart
            && Color::BOTH.into_iter().any(|side| done(side) < RESTART_BELOW);
        if restart {
            self.rule(Ground::Colours, Event::GameAnnulled { reason: Text::cut("colours_reversed") });
            return Ok(());
        }
        self.note(Ground::Colours, None, "colours reversed: the game goes on")
    }

    /// Two hands were used for a move.
    // Law 1997 4.1, 2014 4.1, 2023 7.5.4: a sanction, or with the press an illegal move.
    fn two_hands(&mut self, side: Color) -> Answer {
        self.needs_start()?;
        if self.game.rules.two_hands == Breach::IllegalMove {
            self.rule(Ground::TwoHands, Event::TwoHandsReported { side });
            return Ok(());
        }
        self.note(Ground::TwoHands, Some(side), "two hands for one move")
    }

    fn note(&mut self, ground: Ground, side: Option<Color>, text: &str) -> Answer {
        self.rule(ground, Event::Noted { side, text: Text::cut(text) });
        Ok(())
    }

    /// A player calls the arbiter, stopping the clocks if he wants to and may.
    // Law 1997 6.12b, 13.6, 2014 6.12b, 6.12d, 2023 6.11.2, 6.11.4: to get help; without a good reason it is punished.
    pub fn call_arbiter(&mut self, side: Color, reason: &Why, pause: bool) -> Answer {
        self.needs_start()?;
        let stops = pause && self.game.clock.running.is_some();
        if stops {
            match self.game.rules.player_pause {
                PlayerPause::Times(n) if u64::from(self.game.players[side].pauses) >= n => {
                    return Err(Refusal::NotArbiter);
                }
                _ => self.pause_clocks(Ground::PlayerPause, self.at),
            }
        }
        let topic = if reason.is_empty() {
            Text::cut(self.game.rules.article(Ground::PlayerPause))
        } else {
            Text::cut(reason)
        };
        self.rule(Ground::PlayerPause, Event::ArbiterCalled { side: Some(side), topic, private: false });
        if stops && self.game.rules.arbiter == Arbiter::None {
            self.resume_clocks(Ground::Resume);
        }
        Ok(())
    }

    /// A player confirms the result.
    // Law 2014 8.7, 2023 8.7: the confirmed result stands, even if it is wrong.
    pub fn confirm_result(&mut self, side: Color) -> Answer {
        if !matches!(self.game.phase, Phase::Ended(_)) {
            return Err(Refusal::NotNeeded);
        }
        if !self.game.players[side].confirmed {
            self.rule(Ground::Confirmed, Event::ResultConfirmed { side });
        }
        Ok(())
    }
}

/// Both sides have to have completed so many moves for reversed colours to stay (2023 7.3).
const RESTART_BELOW: u32 = 10;

fn is_quickplay((_, claim): (Color, Claim)) -> bool {
    matches!(claim, Claim::Quickplay { .. })
}

/// Scores of a win, a draw or a loss, not more than one point together.
fn normal(scores: ByColor<Score>) -> bool {
    let known = [Score::ONE, Score::HALF, Score::ZERO];
    let halves = |score: Score| if score == Score::ONE { 2 } else { u8::from(score == Score::HALF) };
    known.contains(&scores.white)
        && known.contains(&scores.black)
        && halves(scores.white) + halves(scores.black) <= 2
}
