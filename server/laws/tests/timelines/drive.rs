//! Plays a time line and watches what must not happen.

use crate::generate::{Deed, Line, T0};
use proptest::test_runner::TestCaseError;
use proptest::{prop_assert, prop_assert_eq};
use zeitnot_laws::{Arrival, Decision, Game};
use zeitnot_proto::command::Party;
use zeitnot_proto::event::Entry;
use zeitnot_proto::snapshot::Status;
use zeitnot_proto::{ByColor, Color, Command, Event, Move, Score, Square, Stamp};

/// When timers fire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wake {
    /// At their instants.
    InTime,
    /// Not before the next command.
    WithTheNextCommand,
}

/// What came of a time line: the events, the answers, and the clocks at the end.
#[derive(Debug, PartialEq, Eq)]
pub struct Story {
    entries: Vec<Entry>,
    /// Whether each command was done; why not may hang on whether a search has answered yet.
    answers: Vec<bool>,
    clocks: ByColor<u64>,
}

const ANY: Move = Move::new(Square::new(0).unwrap(), Square::new(1).unwrap());

/// A row of a journal.
struct Row {
    turn_began: Option<Stamp>,
    at: Stamp,
    entries: Vec<Entry>,
}

struct Driver {
    game: Game,
    rows: Vec<Row>,
    began: Option<Stamp>,
    answers: Vec<bool>,
    wake: Wake,
}

type Checked = Result<(), TestCaseError>;

pub fn drive(line: &Line, wake: Wake) -> Result<Story, TestCaseError> {
    let mut at = Stamp(T0);
    let Ok((game, entries)) = Game::open(line.setup.clone(), at) else {
        return Ok(Story { entries: Vec::new(), answers: Vec::new(), clocks: ByColor::default() });
    };
    let mut driver = Driver { game, rows: Vec::new(), began: None, answers: Vec::new(), wake };
    let mut after = Box::new(driver.game.clone());
    for entry in &entries {
        after.apply(at, &entry.event);
    }
    driver.fold(at, Decision { events: entries, after, answer: Ok(()), question: None }, 0)?;
    for (pause, lag, deed) in &line.deeds {
        at = at.plus(*pause);
        if wake == Wake::InTime {
            driver.timers(at)?;
        }
        driver.deed(at, *lag, deed)?;
    }
    at = at.plus(30_000_000);
    if wake == Wake::InTime {
        driver.timers(at)?;
    }
    let last = driver.game.decide_timeout(at);
    driver.fold(at, last, 0)?;
    driver.replays()?;
    let clocks = driver.game.clocks_at(at);
    let entries = driver.rows.into_iter().flat_map(|row| row.entries).collect();
    Ok(Story { entries, answers: driver.answers, clocks })
}

impl Driver {
    fn timers(&mut self, until: Stamp) -> Checked {
        while let Some(due) = self.game.poll_timeout().filter(|due| *due < until) {
            let decision = self.game.decide_timeout(due);
            prop_assert!(!decision.events.is_empty(), "due and nothing happens");
            self.fold(due, decision, 0)?;
        }
        Ok(())
    }

    fn deed(&mut self, at: Stamp, lag: u64, deed: &Deed) -> Checked {
        let by = Party::from(self.game.turn());
        let allowed = self.game.allowed_moves();
        // A move of a game that is over is refused like any other; which one it is does not matter.
        let nth = |n: usize| allowed.get(n % allowed.len().max(1)).copied().unwrap_or(ANY);
        let online = self.game.setup().terms.rules.conduct == zeitnot_proto::rules::Conduct::Online;
        match deed {
            Deed::Legal(n) | Deed::Pressed(n) => {
                let mv = nth(*n);
                if online {
                    return self.give(at, lag, by, &Command::Move { mv, offer_draw: n % 5 == 0 });
                }
                self.give(at, lag, by, &Command::MoveMade { mv, raw: false })?;
                if matches!(deed, Deed::Pressed(_)) {
                    self.give(at, lag, by, &Command::PressClock)?;
                }
                Ok(())
            }
            Deed::Raw(from, to) => {
                let mv = zeitnot_proto::Move::new(*from, *to);
                self.give(at, lag, by, &Command::MoveMade { mv, raw: true })?;
                self.give(at, lag, by, &Command::PressClock)
            }
            Deed::Announce(basis, n) => {
                let command = Command::ClaimDraw { basis: *basis, intended: Some(nth(*n)) };
                self.give(at, lag, by, &command)
            }
            Deed::TouchOwn(n) => {
                let mv = nth(n * 3);
                let kind = zeitnot_proto::command::TouchKind::Intent;
                let square = if n % 4 == 0 { mv.to } else { mv.from };
                self.give(at, lag, by, &Command::Touch { square, kind, together: n % 3 == 0 })
            }
            Deed::Give(party, command) => {
                let party = match party {
                    0 => Party::White,
                    1 => Party::Black,
                    2 => Party::Arbiter,
                    3 => Party::Device,
                    4 => Party::Server,
                    _ => by,
                };
                self.give(at, lag, party, command)
            }
        }
    }

    fn give(&mut self, at: Stamp, lag_us: u64, by: Party, command: &Command) -> Checked {
        let before = self.game.clone();
        let decision = self.game.decide(Arrival { at, lag_us }, by, command);
        prop_assert_eq!(&before, &self.game, "decide changed the game");
        if by != Party::Server {
            self.answers.push(decision.answer.is_ok());
        }
        self.fold(at, decision, lag_us)
    }

    fn fold(&mut self, at: Stamp, decision: Decision, lag_us: u64) -> Checked {
        let before = self.game.clocks_at(at);
        let count = decision.events.len();
        let seq = self.game.seq().map_or(0, |seq| seq.0 as usize + 1);
        for entry in &decision.events {
            self.game.apply(at, &entry.event);
        }
        prop_assert_eq!(&*decision.after, &self.game, "a decision does not say what its events do");
        if count > 0 {
            prop_assert_eq!(self.game.seq().unwrap().0 as usize + 1, seq + count);
            self.rows.push(Row { turn_began: self.began.take(), at, entries: decision.events.clone() });
        }
        self.invariants(at, before, &decision.events, lag_us)?;
        if self.game.awaits_turn() {
            self.game.turn_began(at);
            self.began = Some(at);
        }
        match decision.question {
            Some(question) => self.give(at, 0, Party::Server, &question.answer(50)),
            None => Ok(()),
        }
    }

    /// What holds after every decision.
    // Law 1997 6.1, 2014 6.1, 2023 6.1.1: one clock runs at most. Law 2023 10.2: scores sum as they may.
    fn invariants(&self, at: Stamp, before: ByColor<u64>, entries: &[Entry], lag_us: u64) -> Checked {
        let status = self.game.status();
        let snapshot = self.game.snapshot();
        if status.is_over() {
            prop_assert_eq!(self.game.running(), None);
            prop_assert_eq!(self.game.poll_timeout(), None);
        }
        if let Status::Ended(outcome) = &status {
            let known = [Score::ONE, Score::HALF, Score::ZERO];
            prop_assert!(known.contains(&outcome.scores.white) && known.contains(&outcome.scores.black));
            prop_assert!((outcome.scores.white, outcome.scores.black) != (Score::ONE, Score::ONE));
        }
        // Noticed late, a clock goes back to what it showed when it was stopped.
        let late = self.wake != Wake::InTime;
        let caused = late || entries.iter().any(|entry| gives_time(&entry.event));
        let after = self.game.clocks_at(at);
        for side in Color::BOTH {
            let gained = after[side] > before[side].saturating_add(lag_us);
            prop_assert!(!gained || caused, "{side} gains without a cause: {before:?} {after:?} {entries:?}");
        }
        prop_assert_eq!(snapshot.fen.as_str(), self.game.fen());
        prop_assert_eq!(self.game.legal_moves().len(), self.game.allowed_moves().len());
        let paused = matches!(status, Status::Paused | Status::AwaitingRuling(_) | Status::Waiting);
        prop_assert!(!paused || self.game.running().is_none(), "{status:?} and a clock runs");
        Ok(())
    }

    /// The events fold to the same game again.
    fn replays(&self) -> Checked {
        // From what is recorded, not from what was asked for.
        let Event::GameCreated(setup) = &self.rows[0].entries[0].event else {
            return Err(TestCaseError::fail("a game begins with its creation"));
        };
        let mut replayed = Game::replay_start(setup).unwrap();
        for row in &self.rows {
            if let Some(began) = row.turn_began {
                replayed.turn_began(began);
            }
            for entry in &row.entries {
                replayed.apply(row.at, &entry.event);
            }
        }
        if let Some(began) = self.began {
            replayed.turn_began(began);
        }
        prop_assert_eq!(&replayed, &self.game);
        Ok(())
    }
}

/// Events that may add to a clock.
fn gives_time(event: &Event) -> bool {
    matches!(
        event,
        Event::GameCreated(_)
            | Event::MoveCompleted { .. }
            | Event::PenaltyApplied { .. }
            | Event::ClockSet { .. }
            | Event::ClockAdjusted { .. }
            | Event::PeriodPassed { .. }
            | Event::PositionRestored { .. }
            | Event::ClaimPostponed { .. }
            | Event::Interrupted { .. }
    )
}
