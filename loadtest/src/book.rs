//! A reader's own book of a game: what the server's events have to agree with.
//!
//! It follows one stream. Numbers have to follow one another without a gap; each move has to take from the
//! mover's clock what passed since his turn began, no more and no less; a flag has to fall at the instant at
//! which the clock was used up, and no move may stand that was stamped at that instant or later.

use zeitnot_proto::event::Spent;
use zeitnot_proto::game_stream::Events;
use zeitnot_proto::snapshot::{ClockReading, Snapshot, Status};
use zeitnot_proto::time_control::Added;
use zeitnot_proto::{ByColor, Color, Event, Move, Outcome, Reason, Seq, Stamp, Text};

/// What stands in it.
#[derive(Debug, Clone)]
pub struct Book {
    /// The number of the last event.
    pub last: Seq,
    /// The number of the last event that changed the position.
    pub position: Seq,
    /// Whether play has begun.
    pub started: bool,
    /// Moves completed, in order.
    pub moves: Vec<Move>,
    /// The side whose offer of a draw stands.
    pub offer: Option<Color>,
    /// Whose flag fell, and at which instant.
    pub flag: Option<(Color, Stamp)>,
    /// How much later its event left, in microseconds.
    pub flag_late_us: Option<u64>,
    /// Whether a search was asked if a side could still mate.
    pub searched: bool,
    /// How the game ended.
    pub outcome: Option<Outcome>,
    /// The clocks after the last event.
    clock: ClockReading,
    /// Whether what was missed is being told: frames show the clocks as they are by now.
    catching_up: bool,
    /// What a move adds; none where periods or the like make it more than this book follows.
    increment_us: Option<u64>,
}

/// What came with a frame of events.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct News {
    /// A move, with the stamp that it was judged by.
    pub moved: Option<(Color, Move, Stamp)>,
    /// A flag fell.
    pub flag_fell: bool,
    /// A claim was found wrong.
    pub claim_rejected: bool,
    /// The game ended.
    pub ended: bool,
}

impl Book {
    /// A book that begins with a snapshot.
    pub fn open(snapshot: &Snapshot) -> Book {
        let control = &snapshot.setup.terms.time_control;
        let increment_us = match control.periods() {
            [only] if !control.repeats() => match only.added {
                Added::Increment(us) => Some(us),
                Added::Nothing | Added::Delay(_) | Added::Bronstein(_) => Some(0),
            },
            _ => None,
        };
        Book {
            last: snapshot.seq,
            position: snapshot.position_seq,
            started: snapshot.status != Status::Waiting,
            moves: snapshot.moves.to_vec(),
            offer: snapshot.offer,
            flag: None,
            flag_late_us: None,
            searched: false,
            outcome: match &snapshot.status {
                Status::Ended(outcome) => Some(outcome.clone()),
                _ => None,
            },
            clock: snapshot.clock,
            catching_up: false,
            increment_us,
        }
    }

    /// Goes on from another snapshot, which has to have every move of this book.
    ///
    /// # Errors
    /// What was lost.
    pub fn reopen(&mut self, snapshot: &Snapshot) -> Result<(), String> {
        let before = std::mem::replace(self, Book::open(snapshot));
        (self.flag, self.flag_late_us, self.searched) = (before.flag, before.flag_late_us, before.searched);
        if self.moves.starts_with(&before.moves) && self.last >= before.last {
            Ok(())
        } else {
            Err("a snapshot has lost what was seen before".into())
        }
    }

    /// The side that has the move.
    pub fn turn(&self) -> Color {
        if self.moves.len().is_multiple_of(2) { Color::White } else { Color::Black }
    }

    /// When the running flag falls, by the server's time.
    pub fn flag_at(&self) -> Option<(Color, Stamp)> {
        let (side, began) = (self.clock.running?, self.clock.began?);
        Some((side, began.plus(self.clock.delay_us).plus(self.clock.main_us[side])))
    }

    /// Takes a frame of events in.
    ///
    /// # Errors
    /// What does not agree with this book.
    pub fn take(&mut self, events: &Events) -> Result<News, String> {
        if events.first != self.last.next() {
            return Err("a gap in the events".into());
        }
        let mut news = News::default();
        let ends = |event: &Event| matches!(event, Event::GameEnded { .. } | Event::GameAnnulled { .. });
        news.ended = events.entries.iter().any(|entry| ends(&entry.event));
        for entry in &events.entries {
            self.event(&entry.event, events, &mut news)?;
        }
        self.last = Seq(self.last.0.saturating_add(u32::try_from(events.entries.len()).unwrap_or(u32::MAX)));
        self.position = events.position_seq;
        let shows = events.clock.main_us;
        if self.flag.is_none() && self.outcome.is_none() && shows != self.clock.main_us {
            if self.catching_up {
                return Ok(news);
            }
            return Err(format!("the clocks show {shows:?} after events that say {:?}", self.clock.main_us));
        }
        self.catching_up = false;
        self.clock = events.clock;
        Ok(news)
    }

    /// What was missed comes next, after a connection was lost.
    pub fn catch_up(&mut self) {
        self.catching_up = true;
    }

    fn event(&mut self, event: &Event, events: &Events, news: &mut News) -> Result<(), String> {
        match *event {
            Event::GameStarted => self.started = true,
            Event::MoveCompleted { side, mv, spent, clocks_us } => {
                if side != self.turn() {
                    return Err("a side moved out of turn".into());
                }
                self.charge(side, events.at, spent, clocks_us, news.ended)?;
                self.moves.push(mv);
                news.moved = Some((side, mv, events.at));
            }
            Event::FlagFell { side, earliest, latest, .. } => {
                let due = self.flag_at().filter(|&(of, at)| of == side && at == latest && earliest == latest);
                if due.is_none() || events.at < latest {
                    return Err(format!("a flag fell at {latest}, {:?} was due", self.flag_at()));
                }
                self.flag = Some((side, latest));
                self.flag_late_us = Some(events.now.since(latest));
                news.flag_fell = true;
            }
            Event::DrawOffered { side, .. } => self.offer = Some(side),
            Event::DrawDeclined { .. } | Event::OfferLapsed { .. } => self.offer = None,
            Event::ClaimRejected { .. } => news.claim_rejected = true,
            Event::MateAsked { .. } => {
                self.searched = true;
                self.stop_clock(events.at);
            }
            Event::PenaltyApplied { white_us, black_us } => {
                let after = ByColor::new(white_us, black_us);
                if after.white < self.clock.main_us.white || after.black < self.clock.main_us.black {
                    return Err("a wrong claim took time from a clock".into());
                }
                self.clock.main_us = after;
            }
            Event::ClockPaused { clocks_us, .. } | Event::Interrupted { clocks_us, .. } => {
                self.clock.main_us = clocks_us;
            }
            Event::PeriodPassed { side, main_us, .. } => self.clock.main_us[side] = main_us,
            Event::ClockSet { white_us, black_us, .. } | Event::ClockAdjusted { white_us, black_us, .. } => {
                self.clock.main_us = ByColor::new(white_us, black_us);
            }
            Event::GameEnded { white, black, ref reason, played } => {
                let scores = ByColor::new(white, black);
                self.outcome = Some(Outcome { scores, reason: reason.clone(), played });
            }
            Event::GameAnnulled { .. } => {
                self.outcome = Some(Outcome::draw(Reason::Named(Text::cut("annulled"))));
            }
            _ => {}
        }
        Ok(())
    }

    /// The running clock stops at this instant.
    fn stop_clock(&mut self, at: Stamp) {
        if let (Some(side), Some(began)) = (self.clock.running.take(), self.clock.began.take()) {
            let ran_us = at.since(began).saturating_sub(self.clock.delay_us);
            let main_us = &mut self.clock.main_us[side];
            *main_us = main_us.saturating_sub(ran_us);
        }
    }

    /// A move's charge: the time since the turn began, less compensation and delay; then the increment, unless the
    /// move was the game's last.
    fn charge(
        &mut self,
        side: Color,
        at: Stamp,
        spent: Spent,
        after: ByColor<u64>,
        last: bool,
    ) -> Result<(), String> {
        let before = self.clock.main_us;
        if let (Some((of, flag)), Some(began)) = (self.flag_at(), self.clock.began) {
            if of != side || spent.elapsed_us != at.since(began) {
                return Err(format!("{} us were charged for {}", spent.elapsed_us, at.since(began)));
            }
            // Compensation may bring a move back that came after the flag.
            if at.0.saturating_sub(spent.compensated_us) >= flag.0 {
                return Err(format!("a move of {at} stands although the flag fell at {flag}"));
            }
            let used = spent.elapsed_us.saturating_sub(spent.compensated_us);
            if spent.charged_us != used.saturating_sub(self.clock.delay_us) {
                return Err(format!("{} us were taken for {used}", spent.charged_us));
            }
        }
        if let Some(increment_us) = self.increment_us {
            let gain_us = if last { 0 } else { increment_us };
            let left = before[side].checked_sub(spent.charged_us).map(|left| left + gain_us);
            if left != Some(after[side]) || after[!side] != before[!side] {
                return Err(format!("clocks do not add up: {before:?}, {spent:?}, {after:?}"));
            }
        }
        self.clock.main_us = after;
        // The next turn begins with the commit.
        self.clock.running = Some(!side);
        self.clock.began = None;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zeitnot_proto::rules::{Rules, Setup, Start, Terms};
    use zeitnot_proto::{Entry, GameId, List, Party};

    fn reading(white: u64, black: u64, running: Color, began: u64) -> ClockReading {
        let main_us = ByColor::new(white, black);
        ClockReading { main_us, running: Some(running), began: Some(Stamp(began)), delay_us: 0 }
    }

    /// Ten seconds each and one for each move; White's turn began at 1,000,000.
    fn book() -> Book {
        let terms = Terms {
            time_control: "10+1".parse().unwrap(),
            rules: Rules::default(),
            start: Start::default(),
            spectator_delay_us: 0,
        };
        let setup = Setup {
            game: GameId(1),
            players: ByColor::new(Text::cut("a"), Text::cut("b")),
            terms,
            event: Text::default(),
            round: Text::default(),
        };
        Book::open(&Snapshot {
            setup,
            seq: Seq(3),
            position_seq: Seq(3),
            fen: Text::default(),
            moves: List::default(),
            completed: ByColor::both(0),
            period: ByColor::both(1),
            clock: reading(10_000_000, 10_000_000, Color::White, 1_000_000),
            status: Status::Playing,
            offer: None,
            takeback: None,
            claim: None,
            bound_to: None,
            present: ByColor::both(true),
            last_command: None,
        })
    }

    fn events(first: u32, at: u64, event: Event, clock: ClockReading) -> Events {
        Events {
            first: Seq(first),
            at: Stamp(at),
            by: Party::White,
            entries: List::cut(vec![Entry { article: None, event }]),
            position_seq: Seq(first),
            clock,
            now: Stamp(at + 700),
        }
    }

    fn e4(elapsed_us: u64, charged_us: u64, left_us: u64) -> Event {
        let spent = Spent { elapsed_us, compensated_us: 0, charged_us };
        let clocks_us = ByColor::new(left_us, 10_000_000);
        Event::MoveCompleted { side: Color::White, mv: "e2e4".parse().unwrap(), spent, clocks_us }
    }

    #[test]
    fn a_move_takes_the_time_that_passed_and_adds_the_increment() {
        let after = reading(9_000_000, 10_000_000, Color::Black, 3_000_400);
        let right = events(4, 3_000_000, e4(2_000_000, 2_000_000, 9_000_000), after);
        let news = book().take(&right).unwrap();
        assert_eq!(news.moved, Some((Color::White, "e2e4".parse().unwrap(), Stamp(3_000_000))));
        for wrong in [
            events(5, 3_000_000, e4(2_000_000, 2_000_000, 9_000_000), after),
            events(4, 3_000_000, e4(1_999_999, 1_999_999, 9_000_001), after),
            events(4, 3_000_000, e4(2_000_000, 1_999_999, 9_000_001), after),
            events(4, 3_000_000, e4(2_000_000, 2_000_000, 8_999_999), after),
            events(4, 3_000_000, e4(2_000_000, 2_000_000, 9_000_000), reading(1, 2, Color::Black, 3_000_400)),
        ] {
            assert!(book().take(&wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn a_flag_falls_when_the_clock_is_used_up_and_not_otherwise() {
        let fell = |at: u64, flag: u64| {
            let (earliest, latest) = (Stamp(flag), Stamp(flag));
            let source = zeitnot_proto::event::FlagSource::Auto;
            let event = Event::FlagFell { side: Color::White, earliest, latest, source };
            let mut book = book();
            book.take(&events(4, at, event, reading(0, 10_000_000, Color::White, 1_000_000)))?;
            Ok::<_, String>(book.flag_late_us)
        };
        assert_eq!(fell(11_000_300, 11_000_000), Ok(Some(1_000)));
        assert!(fell(11_000_300, 11_000_001).is_err());
        assert!(fell(10_999_999, 11_000_000).is_err());
        // A move at the very instant is late.
        let clock = reading(1_000_000, 10_000_000, Color::Black, 11_000_400);
        let late = events(4, 11_000_000, e4(10_000_000, 10_000_000, 1_000_000), clock);
        assert!(book().take(&late).is_err());
    }
}
