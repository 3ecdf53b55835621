//! Who is there: arrivals, lateness, connections, outages.

use crate::articles::Ground;
use crate::game::Phase;
use crate::judge::{Answer, Judge};
use crate::rulebook::StartPolicy;
use zeitnot_proto::command::Why;
use zeitnot_proto::{ByColor, Color, Event, Outcome, Reason, Refusal, Score, Stamp, Text};

impl Judge {
    /// A player is at the board.
    // Law 1997 6.5, 6.6, 2014 6.6, 6.7a, 6.7b, 2023 6.6, 6.7.1, 6.7.2: arrival before the default time.
    pub fn mark_present(&mut self, side: Color) -> Answer {
        if self.game.players[side].arrived {
            return Ok(());
        }
        let first = !self.game.players[!side].arrived;
        self.emit(Event::Arrived { side });
        if self.game.phase == Phase::Waiting {
            let hour = self.game.setup.terms.start.scheduled;
            let both = !first && self.game.rules.start_policy == StartPolicy::BothPresent;
            if both && hour.is_none_or(|hour| hour <= self.at) {
                self.rule(Ground::Start, Event::GameStarted);
            }
            return Ok(());
        }
        let stood = self.game.clock.running.is_none() && self.game.phase == Phase::Playing;
        if first && stood && self.game.clock.stopped.is_some() {
            self.split_wait();
        }
        self.execute_sealed();
        Ok(())
    }

    /// Both were absent and nobody's clock ran: what has passed is taken from both equally.
    // Law 1997 6.5, 2014 6.7b, 2023 6.7.2: White's time, unless the rules of the event say otherwise.
    fn split_wait(&mut self) {
        let waited = self.game.session.map_or(0, |session| self.at.since(session));
        let main = self.game.clock.main.map(|main| main.saturating_sub(waited / 2));
        if self.game.timed() {
            let reason = Text::cut("both players were absent");
            self.rule(
                Ground::Start,
                Event::ClockAdjusted { white_us: main.white, black_us: main.black, reason },
            );
        }
        self.resume_clocks(Ground::Start);
    }

    /// A move shows that its player is there.
    pub fn arrive_by_playing(&mut self, side: Color) {
        if !self.game.players[side].arrived {
            self.emit(Event::Arrived { side });
        }
    }

    /// The default time has passed.
    // Law 1997 6.6, 2014 6.7a, 2023 6.7.1: whoever is not there loses, both if neither is.
    pub fn too_late(&mut self, at: Stamp) {
        self.pause_clocks(Ground::Default, at);
        let here = ByColor::new(self.game.players.white.arrived, self.game.players.black.arrived);
        let score = |side: Color| if here[side] { Score::ONE } else { Score::ZERO };
        let scores = ByColor::new(score(Color::White), score(Color::Black));
        let reason = if here.white || here.black { Reason::Forfeit } else { Reason::ForfeitBoth };
        self.end(Ground::Default, Outcome { scores, reason, played: false });
    }

    /// The arbiter sets or waives the default time.
    // Law 1997 6.6, 2014 6.7a, 2023 6.7.1: unless the arbiter decides otherwise.
    pub fn set_default_time(&mut self, time_us: u64, reason: &Why) -> Answer {
        self.rule(Ground::Default, Event::DefaultTimeSet { time_us, reason: reason.clone() });
        Ok(())
    }

    /// A connection came or went. No effect on the game by itself.
    // Law 1997 12.4, 2014 11.2, 2023 11.2: whoever is away lets his clock run.
    pub fn presence(&mut self, side: Color, present: bool) -> Answer {
        if self.game.players[side].present == present {
            return Ok(());
        }
        self.emit(Event::PresenceChanged { side, present });
        let both = self.game.players.white.present && self.game.players.black.present;
        if both && self.game.interrupted.is_some() && self.game.phase == Phase::Paused {
            self.resume_clocks(Ground::Resume);
        }
        if present {
            self.execute_sealed();
        }
        Ok(())
    }

    /// The server was away: the clocks stand as at the last durable instant, and nobody became late meanwhile.
    // Law 1997 6.12a, 2014 6.12a, 2023 6.11.1: an interruption; the time after it is nobody's.
    pub fn interrupt(&mut self, until: Stamp) -> Answer {
        let mut until = until.min(self.at);
        // The hour struck while nobody could come: play began then, and was interrupted at once.
        if let Some(hour) = self.game.start_due().filter(|&hour| hour <= self.at) {
            self.rule(Ground::Start, Event::GameStarted);
            until = until.max(hour);
        }
        self.lengthen_default_time(until);
        if self.game.clock.running.is_none() || !matches!(self.game.phase, Phase::Playing | Phase::Adjourned)
        {
            return Ok(());
        }
        let shown = self.game.clock.shown(until, 0);
        let event = Event::Interrupted { until, clocks_us: shown.main, delay_left_us: shown.delay_left };
        self.rule(Ground::Pause, event);
        Ok(())
    }

    /// Nobody can come while the server is away: whoever is waited for has as much time more.
    // Law 1997 6.6, 2014 6.7a, 2023 6.7.1: the arbiter may decide otherwise.
    fn lengthen_default_time(&mut self, until: Stamp) {
        let Some((since, default)) = self.game.waited_for() else { return };
        let away = self.at.since(until.max(since));
        if away > 0 {
            let (time_us, reason) = (default.saturating_add(away), Text::cut("the server was away"));
            self.rule(Ground::Default, Event::DefaultTimeSet { time_us, reason });
        }
    }

    /// The opponent of a casual game has been away for longer than the grace.
    pub fn claim_abandoned(&mut self, side: Color) -> Answer {
        if !self.game.rules.casual {
            return Err(Refusal::NotCasual);
        }
        self.needs_start()?;
        let opponent = &self.game.players[!side];
        let away = opponent.absent_since.filter(|_| !opponent.present).map(|since| self.at.since(since));
        if away.is_none_or(|away| away < self.game.rules.absence_grace_us) {
            return Err(Refusal::OpponentPresent);
        }
        self.emit(Event::ended(Outcome::win(side, Reason::Abandoned)));
        Ok(())
    }
}
