//! What a clock shows between two readings of the server's.
//!
//! The server decides by its own time alone. A display follows it so closely that the two never seem to
//! disagree: it shows `0:01` until the server says that the flag has fallen, and while nothing happens it
//! only ever goes down. Nothing here reads a clock: local time comes in as microseconds since any fixed
//! instant. All arithmetic is in whole microseconds and saturates.

use std::collections::VecDeque;
use zeitnot_proto::snapshot::ClockReading;
use zeitnot_proto::time::SECOND_US;
use zeitnot_proto::{ByColor, Color, Stamp};

/// Samples that the estimate rests on: old ones go, because two oscillators drift apart.
const SAMPLES: usize = 16;

/// The server's time, estimated from the stamps in its frames.
///
/// A frame stamped `now` was under way for some part of a round trip. Delays only ever make a frame
/// late, so of several samples the one that claims the latest server time is the best; half its
/// round-trip time is added for the way here.
#[derive(Debug, Clone, Default)]
pub struct ServerTime {
    /// Server time minus local time at each sample, and the round-trip time, in microseconds.
    samples: VecDeque<(i64, u64)>,
}

impl ServerTime {
    /// Nothing heard yet.
    pub fn new() -> ServerTime {
        ServerTime::default()
    }

    /// A frame that the server wrote at `now` came at `local_us`.
    pub fn observe(&mut self, now: Stamp, local_us: u64, rtt_us: u64) {
        if self.samples.len() == SAMPLES {
            self.samples.pop_front();
        }
        self.samples.push_back((now.0.wrapping_sub(local_us).cast_signed(), rtt_us));
    }

    /// Forgets what was heard: after a reconnection the way to the server may be another.
    pub fn forget(&mut self) {
        self.samples.clear();
    }

    /// The server's time at `local_us`; none before the first frame.
    pub fn at(&self, local_us: u64) -> Option<Stamp> {
        let &(offset, rtt_us) = self.samples.iter().max_by_key(|(offset, _)| *offset)?;
        Some(Stamp(local_us.wrapping_add_signed(offset).saturating_add(rtt_us / 2)))
    }
}

/// Both clocks of a game, as they are shown.
#[derive(Debug, Clone)]
pub struct ClockFace {
    reading: ClockReading,
    /// The least that has been shown since the reading: a better estimate of the server's time never
    /// turns a clock back.
    shown_us: ByColor<u64>,
}

impl ClockFace {
    /// Clocks that show this reading.
    pub fn new(reading: ClockReading) -> ClockFace {
        ClockFace { reading, shown_us: reading.main_us }
    }

    /// Takes a newer reading. One that says the same changes nothing.
    pub fn set(&mut self, reading: ClockReading) {
        if reading != self.reading {
            // Learning when the turn began changes nothing else.
            let learned =
                self.reading.began.is_none() && ClockReading { began: None, ..reading } == self.reading;
            if !learned {
                self.shown_us = reading.main_us;
            }
            self.reading = reading;
        }
    }

    /// The server's last reading.
    pub fn reading(&self) -> &ClockReading {
        &self.reading
    }

    /// Whose clock runs.
    pub fn running(&self) -> Option<Color> {
        self.reading.running
    }

    /// Main time of `side` at the server's time `now`, in microseconds. Of a clock that runs it is at least
    /// one: only the server can say that a flag has fallen.
    pub fn remaining_us(&mut self, side: Color, now: Stamp) -> u64 {
        let main_us = self.reading.main_us[side];
        if self.reading.running != Some(side) {
            return main_us;
        }
        let ran_us = self.reading.began.map_or(0, |began| now.since(began.plus(self.reading.delay_us)));
        let shown = &mut self.shown_us[side];
        *shown = main_us.saturating_sub(ran_us).min(*shown).max(1);
        *shown
    }

    /// What is left of the running turn's delay at the server's time `now`, in microseconds.
    pub fn delay_left_us(&self, now: Stamp) -> u64 {
        match self.reading.began {
            Some(began) => self.reading.delay_us.saturating_sub(now.since(began)),
            None => self.reading.delay_us,
        }
    }
}

/// A clock as people read it: `m:ss` or `h:mm:ss`, rounded up, so that `0:00` means that nothing is left.
pub fn format_clock(us: u64) -> String {
    let seconds = us.div_ceil(SECOND_US);
    let (h, m, s) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if h > 0 { format!("{h}:{m:02}:{s:02}") } else { format!("{m}:{s:02}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn reading(white_us: u64, running: Option<Color>, began: Option<u64>, delay_us: u64) -> ClockReading {
        let main_us = ByColor::new(white_us, 60 * SECOND_US);
        ClockReading { main_us, running, began: began.map(Stamp), delay_us }
    }

    #[test]
    fn seconds_are_rounded_up() {
        for (us, text) in [
            (0, "0:00"),
            (1, "0:01"),
            (1_000_000, "0:01"),
            (1_000_001, "0:02"),
            (60_000_000, "1:00"),
            (3_599_000_001, "1:00:00"),
            (u64::MAX, "5124095576:01:50"),
        ] {
            assert_eq!(format_clock(us), text);
        }
    }

    #[test]
    fn the_delay_runs_before_the_main_time() {
        let mut face = ClockFace::new(reading(10_000_000, Some(Color::White), Some(1_000_000), 5_000_000));
        assert_eq!(face.remaining_us(Color::White, Stamp(3_000_000)), 10_000_000);
        assert_eq!(face.delay_left_us(Stamp(3_000_000)), 3_000_000);
        assert_eq!(face.remaining_us(Color::White, Stamp(6_000_001)), 9_999_999);
        assert_eq!(face.delay_left_us(Stamp(6_000_001)), 0);
        assert_eq!(face.remaining_us(Color::Black, Stamp(6_000_001)), 60_000_000);
    }

    #[test]
    fn a_turn_that_is_not_durable_yet_costs_nothing() {
        let mut face = ClockFace::new(reading(10_000_000, Some(Color::White), None, 0));
        assert_eq!(face.remaining_us(Color::White, Stamp(u64::MAX)), 10_000_000);
    }

    #[test]
    fn zero_is_shown_when_the_server_says_so() {
        let mut face = ClockFace::new(reading(1_000_000, Some(Color::White), Some(0), 0));
        assert_eq!(format_clock(face.remaining_us(Color::White, Stamp(9_000_000))), "0:01");
        face.set(reading(0, None, None, 0));
        assert_eq!(format_clock(face.remaining_us(Color::White, Stamp(9_000_000))), "0:00");
    }

    #[test]
    fn the_least_delayed_frame_decides() {
        let mut time = ServerTime::new();
        assert_eq!(time.at(5), None);
        // The server is 1,000 s ahead; the way here takes 10 ms, once 300 ms.
        time.observe(Stamp(1_000_000_000), 10_000, 20_000);
        time.observe(Stamp(1_001_000_000), 1_300_000, 20_000);
        assert_eq!(time.at(10_000), Some(Stamp(1_000_010_000)));
        time.forget();
        assert_eq!(time.at(5), None);
    }

    proptest! {
        /// Whatever frames bring, a clock never goes up while its reading stands, never passes the main
        /// time, and never shows zero while it runs.
        #[test]
        fn a_running_clock_only_goes_down(
            main in 1u64..10_000_000,
            began in 0u64..2_000_000,
            delay in 0u64..3_000_000,
            steps in prop::collection::vec((0u64..500_000, prop::option::of((0u64..4_000_000, 0u64..400_000))), 1..60),
        ) {
            let mut time = ServerTime::new();
            time.observe(Stamp(0), 0, 0);
            let mut face = ClockFace::new(reading(main, Some(Color::White), Some(began), delay));
            let (mut local, mut before) = (0, main);
            for (step, frame) in steps {
                local += step;
                if let Some((now, rtt)) = frame {
                    time.observe(Stamp(now), local, rtt);
                    face.set(*face.reading());
                }
                let left = face.remaining_us(Color::White, time.at(local).unwrap());
                prop_assert!(left <= before && left >= 1);
                prop_assert_ne!(format_clock(left), "0:00");
                before = left;
            }
        }

        /// The estimate is off by no more than half a round trip, whatever the two ways of it took.
        #[test]
        fn the_estimate_stays_within_half_a_round_trip(
            ahead in 0u64..u64::MAX / 4,
            frames in prop::collection::vec((0u64..1_000_000, 0u64..200_000, 0u64..200_000), 1..40),
        ) {
            let mut time = ServerTime::new();
            let mut local = 1_000_000;
            for (pause, out, back) in frames {
                local += pause + back;
                time.observe(Stamp(local - back + ahead), local, out + back);
                let (estimate, truth) = (time.at(local).unwrap().0, local + ahead);
                prop_assert!(estimate.abs_diff(truth) <= 100_000);
            }
        }

        /// A reading that only learns when the turn began turns no clock back.
        #[test]
        fn learning_the_beginning_is_no_cause(main in 1u64..10_000_000, began in 0u64..5_000_000, at in 0u64..20_000_000) {
            let mut face = ClockFace::new(reading(main, Some(Color::White), None, 0));
            let before = face.remaining_us(Color::White, Stamp(at));
            face.set(reading(main, Some(Color::White), Some(began), 0));
            prop_assert!(face.remaining_us(Color::White, Stamp(at)) <= before);
        }
    }
}
