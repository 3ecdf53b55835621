//! The two clocks: whole microseconds, saturating, driven by stamps only.

use zeitnot_proto::time_control::{Added, Period};
use zeitnot_proto::{ByColor, Color, Interval, Stamp, TimeControl};

/// Both clocks as they stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Clock {
    /// Main time left, as at `began` for the running side.
    pub main: ByColor<u64>,
    /// Whose clock runs, or will run once its turn has begun. In an untimed game: whose turn it is.
    // Law 1997 6.1, 2014 6.1, 2023 6.1.1: one clock runs at most; there is room for one side only.
    pub running: Option<Color>,
    /// Since when; none until what started it is durable.
    pub began: Option<Stamp>,
    /// Delay of the running turn that is not used at `began`; kept while the clocks stand.
    pub delay_left: u64,
    /// The side whose clock a resumption starts.
    pub stopped: Option<Color>,
    /// Flags that are physically down and not called yet, or reported by a device.
    pub fallen: ByColor<Option<Interval>>,
    /// The period of each side, from 1.
    pub period: ByColor<u16>,
    /// Moves completed in that period.
    pub in_period: ByColor<u32>,
    /// The highest period whose base was added already (a restored position does not add it again).
    pub added_upto: ByColor<u16>,
    /// Lag compensation left to each side.
    pub lag_budget: ByColor<u64>,
    /// Whether flags fall by these readings: not in untimed games, nor where a device's clock decides.
    pub decides: bool,
}

/// What a clock shows at an instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shown {
    pub main: ByColor<u64>,
    pub delay_left: u64,
}

impl Clock {
    /// Charges the running side for the time from the beginning of its turn to `at`, less `given_us`.
    // Law 1997 6.2, 2014 6.3a, 2023 6.3.1: a delay is used up before the main time.
    pub fn shown(&self, at: Stamp, given_us: u64) -> Shown {
        let mut shown = Shown { main: self.main, delay_left: self.delay_left };
        let (Some(side), Some(began)) = (self.running, self.began) else { return shown };
        let elapsed = at.since(began).saturating_sub(given_us);
        shown.delay_left = self.delay_left.saturating_sub(elapsed);
        let beyond = elapsed.saturating_sub(self.delay_left);
        shown.main[side] =
            if self.fallen[side].is_some() { 0 } else { self.main[side].saturating_sub(beyond) };
        shown
    }

    /// Brings `main` and `delay_left` up to `at`; the clock goes on running.
    pub fn settle(&mut self, at: Stamp) {
        let Shown { main, delay_left } = self.shown(at, 0);
        if self.running.is_some() && self.began.is_some() {
            self.began = Some(at);
        }
        self.main = main;
        self.delay_left = delay_left;
    }

    /// Stops both clocks with these readings; what ran is remembered for the resumption.
    pub fn stop(&mut self, main: ByColor<u64>, delay_left: u64) {
        self.main = main;
        self.delay_left = delay_left;
        self.stopped = self.running.or(self.stopped);
        self.running = None;
        self.began = None;
    }

    /// Starts the clock of `side` as soon as its turn begins.
    pub fn start(&mut self, side: Color) {
        self.running = Some(side);
        self.began = None;
        self.stopped = None;
    }

    /// The instant at which the running flag falls: the first one that is not covered any more (half-open).
    // Law 1997 6.1, 6.3, 2014 6.1, 6.4, 2023 6.1.1, 6.4: at F exactly the time has expired.
    pub fn flag_at(&self) -> Option<Stamp> {
        let (side, began) = (self.running?, self.began?);
        if !self.decides || self.fallen[side].is_some() {
            return None;
        }
        Some(began.plus(self.delay_left.saturating_add(self.main[side])))
    }

    /// Notes the running flag as physically down if its instant has come by `at`.
    pub fn latch(&mut self, at: Stamp) {
        if let (Some(side), Some(flag)) = (self.running, self.flag_at())
            && flag <= at
        {
            self.fallen[side] = Some(Interval::exact(flag));
        }
    }

    /// The interval in which the flag of `side` fell, if it is established by `at` that it did.
    pub fn established(&self, side: Color, at: Stamp) -> Option<Interval> {
        if let Some(interval) = self.fallen[side] {
            return (interval.latest <= at).then_some(interval);
        }
        let flag = self.flag_at().filter(|&flag| flag <= at && self.running == Some(side))?;
        Some(Interval::exact(flag))
    }

    /// The period that `side` is in; none in an untimed game.
    pub fn period<'a>(&self, tc: &'a TimeControl, side: Color) -> Option<&'a Period> {
        tc.period(self.period[side]).or_else(|| tc.periods().last())
    }

    /// Whether `side` has completed the moves of its period.
    pub fn quota_met(&self, tc: &TimeControl, side: Color) -> bool {
        self.period(tc, side).and_then(|p| p.moves).is_some_and(|n| self.in_period[side] >= u32::from(n))
    }

    /// Whether no period follows for `side`.
    pub fn in_last(&self, tc: &TimeControl, side: Color) -> bool {
        tc.is_last(self.period[side])
    }

    /// Moves `side` into its next period. Main time is the caller's affair.
    pub fn enter_next(&mut self, tc: &TimeControl, side: Color) {
        let quota = self.period(tc, side).and_then(|p| p.moves).map_or(0, u32::from);
        self.in_period[side] = self.in_period[side].saturating_sub(quota);
        self.period[side] = self.period[side].saturating_add(1);
        self.added_upto[side] = self.added_upto[side].max(self.period[side]);
    }

    /// The base that entering the next period adds: nothing if a restored position had it already.
    pub fn next_base(&self, tc: &TimeControl, side: Color) -> u64 {
        let next = self.period[side].saturating_add(1);
        if next <= self.added_upto[side] { 0 } else { tc.period(next).map_or(0, |p| p.base_us) }
    }
}

/// The increment that `added` gives with each move.
pub(crate) const fn increment(added: Added) -> u64 {
    match added {
        Added::Increment(us) => us,
        _ => 0,
    }
}

/// The delay that `added` gives each turn. Bronstein's way of showing it does not change the flag.
pub(crate) const fn delay(added: Added) -> u64 {
    match added {
        Added::Delay(us) | Added::Bronstein(us) => us,
        _ => 0,
    }
}
