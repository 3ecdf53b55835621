//! What happens by itself: flags, the hour, lateness, first moves, the end of a grace.

use crate::articles::Ground;
use crate::game::{Game, Phase};
use crate::judge::Judge;
use crate::rulebook::{FlagMode, StartPolicy};
use zeitnot_proto::event::FlagSource;
use zeitnot_proto::{Color, Command, Event, Stamp};

/// Something that is due at an instant. At one instant the flag comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Due {
    Flag,
    DeviceFlag,
    Start,
    Late,
    FirstMove,
    GraceOver,
    Scramble(Color),
}

impl Game {
    /// When something happens by itself next. A flag that may still turn out to be in time, because latency is
    /// given back, waits that long.
    pub fn poll_timeout(&self) -> Option<Stamp> {
        self.next_due(self.flag_deadline()).map(|(at, _)| at)
    }

    /// The instant of the running flag, and how long a move in flight may still undercut it.
    fn flag_deadline(&self) -> Option<Stamp> {
        let side = self.clock.running?;
        Some(self.auto_flag()?.plus(self.compensation(side, u64::MAX)))
    }

    /// The flag instant where the server observes flags.
    fn auto_flag(&self) -> Option<Stamp> {
        let observed = self.rules.flag_mode == FlagMode::Auto && self.timed();
        let plays = matches!(self.phase, Phase::Playing | Phase::Adjourned);
        if observed && plays { self.clock.flag_at() } else { None }
    }

    /// What is due first, if the running flag is due at `flag`.
    fn next_due(&self, flag: Option<Stamp>) -> Option<(Stamp, Due)> {
        if self.is_over() {
            return None;
        }
        let all = [
            flag.map(|at| (at, Due::Flag)),
            self.device_due().map(|at| (at, Due::DeviceFlag)),
            self.start_due().map(|at| (at, Due::Start)),
            self.late_due().map(|at| (at, Due::Late)),
            self.first_move_due().map(|at| (at, Due::FirstMove)),
            self.interrupted.map(|at| (at, Due::GraceOver)),
            self.scramble_due(),
        ];
        all.into_iter().flatten().min()
    }

    /// When a flag that a device reported is established.
    fn device_due(&self) -> Option<Stamp> {
        if self.rules.flag_mode != FlagMode::Auto || self.phase != Phase::Playing {
            return None;
        }
        Color::BOTH.into_iter().filter_map(|side| Some(self.clock.fallen[side]?.latest)).min()
    }

    pub(crate) fn start_due(&self) -> Option<Stamp> {
        let hour = self.setup.terms.start.scheduled?;
        let ready = self.rules.start_policy != StartPolicy::BothPresent
            || (self.players.white.arrived && self.players.black.arrived);
        (self.phase == Phase::Waiting && self.seq.is_some() && ready).then_some(hour)
    }

    /// The first instant at which a player who is not there is too late.
    // Law 1997 6.6, A, 2014 6.7a, Guidelines I, 2023 6.7.1, I.1: later than the default time, which itself is in time; it
    // counts anew from a resumption.
    fn late_due(&self) -> Option<Stamp> {
        let (since, default) = self.waited_for()?;
        Some(since.plus(default.saturating_add(1)))
    }

    /// Since when a player is waited for, and for how long he is; none if everybody is there or may come when he likes.
    pub(crate) fn waited_for(&self) -> Option<(Stamp, u64)> {
        // Without an appointed hour nobody is late.
        let hour = self.setup.terms.start.scheduled?;
        let session = match self.phase {
            Phase::Waiting => hour,
            Phase::Adjourned => return None,
            _ => self.session?,
        };
        let away = !self.players.white.arrived || !self.players.black.arrived;
        let default = self.default_time_us.or(self.rules.default_time_us)?;
        (away && self.seq.is_some() && !self.is_over()).then_some((session, default))
    }

    /// When a game is given up whose players do not come to it, or do not begin.
    fn first_move_due(&self) -> Option<Stamp> {
        let side = self.turn();
        if self.waits_for_both() && self.seq.is_some() && self.rules.first_move_timeout_us > 0 {
            return Some(self.created.plus(self.rules.first_move_timeout_us));
        }
        let due = self.rules.first_move_timeout_us > 0
            && !self.on_board()
            && self.phase == Phase::Playing
            && self.plies() < self.start_plies.saturating_add(2)
            && !(self.clock.running.is_some() && self.clock.began.is_none())
            && self.clock.running.is_none_or(|running| running == side);
        if due { Some(self.turn_since?.plus(self.rules.first_move_timeout_us)) } else { None }
    }

    // Law 1997 13.3, 2014 12.3, 2023 12.3: the arbiter watches time scrambles.
    fn scramble_due(&self) -> Option<(Stamp, Due)> {
        let alert = self.rules.time_alert_us;
        let (side, began) = (self.clock.running?, self.clock.began?);
        if alert == 0 || self.players[side].alerted || !self.timed() || self.phase != Phase::Playing {
            return None;
        }
        let above = self.clock.main[side].checked_sub(alert)?;
        let at = began.plus(self.clock.delay_left.saturating_add(above).saturating_add(1));
        Some((at, Due::Scramble(side)))
    }
}

impl Judge {
    /// Lets everything happen that is due by `horizon`, earliest first. A move by the running side gets its own
    /// latency back before it is called late; for everybody else the flag waits as long as any move could.
    // Law 1997 6.9, 2014 6.9, 2023 6.9: instants decide, not the order in which timers wake.
    pub fn due(&mut self, horizon: Stamp, by: Option<Color>, command: &Command) {
        for _ in 0..MOST_DUE {
            let own_move = matches!(command, Command::Move { .. } | Command::PressClock);
            let mine = own_move && by.is_some() && by == self.game.clock.running;
            let flag = match by.filter(|_| mine) {
                Some(side) => {
                    let given = self.game.compensation(side, self.lag_us);
                    self.game.auto_flag().map(|at| at.plus(given))
                }
                None => self.game.flag_deadline(),
            };
            match self.game.next_due(flag).filter(|(at, _)| *at <= horizon) {
                Some((at, due)) => self.happen(at, due),
                None => return,
            }
        }
    }

    fn happen(&mut self, at: Stamp, due: Due) {
        match due {
            Due::Flag => {
                let flag = self.game.clock.flag_at().unwrap_or(at);
                self.call_flags(FlagSource::Auto, flag);
            }
            Due::DeviceFlag => self.call_flags(FlagSource::Device, at),
            Due::Start => self.rule(Ground::Start, Event::GameStarted),
            Due::Late => self.too_late(at),
            Due::FirstMove => {
                self.pause_clocks(Ground::Start, at);
                self.annul("first_move_timeout");
            }
            Due::GraceOver => self.resume_clocks(Ground::Resume),
            Due::Scramble(side) => self.alert(Ground::Scramble, side),
        }
    }
}

/// More than can be due at once, whatever the settings: a guard, not a rule.
const MOST_DUE: usize = 4096;
