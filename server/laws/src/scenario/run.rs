//! Runs a scenario on virtual time and compares.

use super::read::BASE;
use super::report::Reported;
use super::{Expectations, Expected, Run, Step};
use crate::mating::Budget;
use crate::{Arrival, Decision, Game};
use serde_json::{Map, Value, json};
use zeitnot_proto::command::Party;
use zeitnot_proto::rules::{GameId, Setup};
use zeitnot_proto::snapshot::Status;
use zeitnot_proto::time::{SECOND_US, format_us};
use zeitnot_proto::{ByColor, Color, Command, Entry, Refusal, Stamp, Text};

/// An expectation that did not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The line of the expectation.
    pub line: usize,
    /// What was wanted and what was there.
    pub what: String,
}

/// What came of a run.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// All events and refusals, in order.
    pub events: Vec<Reported>,
    /// The state at the end; none if the game could not be opened.
    pub state: Option<FinalState>,
    /// Expectations that did not hold.
    pub failures: Vec<Failure>,
}

/// The state of a game at an instant, as scenarios look at it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinalState {
    /// The position.
    pub fen: String,
    /// The same with an en passant square only where the capture is legal.
    pub fen_legal: String,
    /// Main time left, in microseconds.
    pub clocks_us: ByColor<u64>,
    /// Whose clock runs.
    pub running: Option<Color>,
    /// `none` or the pair of scores.
    pub result: String,
    /// The reason of the result.
    pub reason: Option<String>,
    /// The period of each side.
    pub period: ByColor<u16>,
    /// Moves completed.
    pub completed: ByColor<u32>,
    /// Moves that the side to move may make now.
    pub allowed: Vec<String>,
    /// Whether a game with a result counts as played.
    pub played: Option<bool>,
}

impl FinalState {
    fn of(game: &Game, at: Stamp) -> FinalState {
        let ended = match game.status() {
            Status::Ended(outcome) => Some(outcome),
            _ => None,
        };
        let mut allowed: Vec<String> = game.allowed_moves().iter().map(ToString::to_string).collect();
        allowed.sort();
        FinalState {
            fen: game.fen(),
            fen_legal: game.fen_legal(),
            clocks_us: game.clocks_at(at),
            running: game.running(),
            result: ended.as_ref().map_or_else(|| "none".to_owned(), zeitnot_proto::Outcome::result),
            reason: ended.as_ref().map(|outcome| outcome.reason.name().to_owned()),
            period: game.periods(),
            completed: game.completed(),
            allowed,
            played: ended.as_ref().map(|outcome| outcome.played),
        }
    }

    /// The state as JSON, times as text.
    pub fn json(&self) -> Map<String, Value> {
        let value = json!({
            "fen": self.fen,
            "clocks": { "white": format_us(self.clocks_us.white), "black": format_us(self.clocks_us.black) },
            "running": self.running.map_or("none", Color::name),
            "result": self.result,
            "reason": self.reason,
            "period": { "white": self.period.white, "black": self.period.black },
            "completed": { "white": self.completed.white, "black": self.completed.black },
            "allowed": self.allowed,
            "played": self.played,
        });
        match value {
            Value::Object(map) => map,
            _ => Map::new(),
        }
    }

    /// What differs from `wanted`.
    fn differences(&self, wanted: &Expectations) -> Vec<Failure> {
        let mut found = Vec::new();
        let mut check = |name: &str, want: Option<String>, have: String| {
            if let Some(want) = want.filter(|want| *want != have) {
                let what = format!("{name} is {have}, not {want}");
                found.push(Failure { line: wanted.line, what });
            }
        };
        if let Some(fen) = wanted.fen.as_deref().filter(|fen| *fen != "startpos")
            && !starts_with(&self.fen, fen)
            && !starts_with(&self.fen_legal, fen)
        {
            check("fen", Some(fen.to_owned()), self.fen.clone());
        }
        for side in Color::BOTH {
            let name = |what: &str| format!("{what} of {side}");
            check(&name("clock"), wanted.clocks_us[side].map(format_us), format_us(self.clocks_us[side]));
            check(&name("period"), wanted.period[side].map(|n| n.to_string()), self.period[side].to_string());
            let completed = wanted.completed[side].map(|n| n.to_string());
            check(&name("completed"), completed, self.completed[side].to_string());
        }
        let word = |side: Option<Color>| side.map_or("none", Color::name).to_owned();
        check("running", wanted.running.map(word), word(self.running));
        check("result", wanted.result.clone(), self.result.clone());
        check("reason", wanted.reason.clone(), self.reason.clone().unwrap_or_default());
        let allowed = wanted.allowed.clone().map(|mut allowed| {
            allowed.sort();
            allowed.join(" ")
        });
        check("allowed", allowed, self.allowed.join(" "));
        let played = self.played.map_or_else(|| "open".to_owned(), |played| played.to_string());
        check("played", wanted.played.map(|played| played.to_string()), played);
        found
    }
}

fn starts_with(fen: &str, wanted: &str) -> bool {
    let wanted: Vec<&str> = wanted.split_whitespace().collect();
    fen.split_whitespace().take(wanted.len()).eq(wanted.iter().copied())
}

/// Where a scenario is played: a game on virtual time, or one on a running server.
pub trait Table {
    /// The game as it stands.
    fn game(&self) -> &Game;
    /// All events and refusals so far, in order.
    fn events(&self) -> &[Reported];
    /// Gives a command at `at`; what it causes is among the events afterwards.
    fn give(&mut self, at: Stamp, by: Party, command: &Command);
    /// It is `due`: what happens by itself then is among the events afterwards. False if nothing did.
    fn pass(&mut self, due: Stamp) -> bool;
}

/// A game on virtual time.
struct Virtual {
    game: Game,
    events: Vec<Reported>,
}

impl Run {
    /// The set-up of the game.
    pub fn setup(&self) -> Setup {
        Setup {
            game: GameId(0),
            players: ByColor::new(Text::cut("white"), Text::cut("black")),
            terms: self.terms.clone(),
            event: Text::default(),
            round: Text::default(),
        }
    }

    /// When the game is set up.
    pub fn opened_at(&self) -> Stamp {
        if self.scheduled_us.is_some() { Stamp(BASE.0 - SECOND_US) } else { BASE }
    }

    /// Runs it on virtual time.
    pub fn run(&self) -> Outcome {
        let opened_at = self.opened_at();
        let (game, entries) = match Game::open(self.setup(), opened_at) {
            Ok(opened) => opened,
            Err(refusal) => return self.not_opened(refusal),
        };
        let mut table = Virtual { game, events: Vec::new() };
        table.fold(opened_at, &entries);
        self.play_on(&mut table)
    }

    /// What comes of it where the game cannot be set up.
    pub fn not_opened(&self, refusal: Refusal) -> Outcome {
        let events = vec![Reported::rejected(self.opened_at(), refusal)];
        let first = self.steps.first().map_or(&self.end.expect, |step| &step.expect);
        let mut failures = missing(&events, first);
        if failures.is_empty() && first.is_empty() {
            let what = format!("the game cannot be set up: {}", events[0].line().trim());
            failures.push(Failure { line: self.end.line, what });
        }
        Outcome { events, state: None, failures }
    }

    /// Plays it on a table where the game has just been set up, and compares.
    pub fn play_on(&self, table: &mut dyn Table) -> Outcome {
        for side in Color::BOTH {
            if self.scheduled_us.is_some() && self.present[side] {
                table.give(self.opened_at(), Party::from(side), &Command::MarkPresent);
            }
        }
        let mut failures = Vec::new();
        let mut windows = vec![0; self.steps.len()];
        let mut order: Vec<usize> = Vec::new();
        let mut at = 0;
        while at < self.steps.len() {
            let stamp = self.steps[at].at_us;
            let group = self.steps[at..].iter().take_while(|step| step.at_us == stamp).count();
            wait_until(table, BASE.plus(stamp), false);
            let mut left: Vec<usize> = (at..at + group).collect();
            while !left.is_empty() {
                let next = left.remove(pick(&self.steps, &left, table.game()));
                windows[next] = table.events().len();
                order.push(next);
                let step = &self.steps[next];
                match &step.input {
                    Some((by, command)) => table.give(BASE.plus(stamp), *by, command),
                    None => wait_until(table, BASE.plus(stamp), true),
                }
                failures.extend(FinalState::of(table.game(), BASE.plus(stamp)).differences(&step.after));
            }
            at += group;
        }
        wait_until(table, BASE.plus(self.end.at_us), true);
        let events = table.events().to_vec();
        for (nth, &index) in order.iter().enumerate() {
            let until = order.get(nth + 1).map_or(events.len(), |&next| windows[next]);
            failures.extend(missing(&events[windows[index]..until], &self.steps[index].expect));
        }
        let since = order.last().map_or(0, |&last| windows[last]);
        failures.extend(missing(&events[since..], &self.end.expect));
        failures.extend(self.anywhere(&events));
        let state = FinalState::of(table.game(), BASE.plus(self.end.at_us));
        failures.extend(state.differences(&self.end.state));
        Outcome { events, state: Some(state), failures }
    }

    fn anywhere(&self, events: &[Reported]) -> Vec<Failure> {
        let found = |expected: &&Expected| events.iter().any(|event| event.matches(expected));
        let never = self.end.never.iter().filter(found);
        let never = never.map(|e| Failure { line: e.line, what: format!("{} occurs and must not", e.event) });
        let ever = self.end.ever.iter().filter(|expected| !found(expected));
        let ever = ever.map(|e| Failure { line: e.line, what: format!("{} does not occur", e.event) });
        never.chain(ever).collect()
    }
}

/// Which of the steps of one stamp is judged next: devices, the arbiter, the side on move, the other side; a step
/// without input keeps its place in the file.
fn pick(steps: &[Step], left: &[usize], game: &Game) -> usize {
    let rank = |&index: &usize| match steps[index].input.as_ref().map(|(by, _)| *by) {
        None => 4,
        Some(Party::Device | Party::Server) => 0,
        Some(Party::Arbiter) => 1,
        Some(by) => 2 + u8::from(by.side() != Some(game.turn())),
    };
    if left.first().is_some_and(|&index| steps[index].input.is_none()) {
        return 0;
    }
    left.iter().enumerate().min_by_key(|(_, index)| rank(index)).map_or(0, |(at, _)| at)
}

/// Those of `expected` that are not a subsequence of `events`: the first one that is missing.
fn missing(events: &[Reported], expected: &[Expected]) -> Vec<Failure> {
    let mut events = events.iter();
    for wanted in expected {
        if !events.any(|event| event.matches(wanted)) {
            let what = format!("{} is missing, or not in this place, or not like this", wanted.event);
            return vec![Failure { line: wanted.line, what }];
        }
    }
    Vec::new()
}

/// Lets everything happen that is due before `until`, or by it.
fn wait_until(table: &mut dyn Table, until: Stamp, inclusive: bool) {
    while let Some(due) = table.game().poll_timeout() {
        if due > until || (due == until && !inclusive) || !table.pass(due) {
            return;
        }
    }
}

impl Table for Virtual {
    fn game(&self) -> &Game {
        &self.game
    }

    fn events(&self) -> &[Reported] {
        &self.events
    }

    fn give(&mut self, at: Stamp, by: Party, command: &Command) {
        let decision = self.game.decide(Arrival { at, lag_us: 0 }, by, command);
        self.decided(at, &decision);
    }

    fn pass(&mut self, due: Stamp) -> bool {
        let decision = self.game.decide_timeout(due);
        self.decided(due, &decision);
        !decision.events.is_empty()
    }
}

impl Virtual {
    fn fold(&mut self, at: Stamp, entries: &[Entry]) {
        for entry in entries {
            self.game.apply(at, &entry.event);
            self.events.push(Reported::entry(at, entry));
        }
        self.game.turn_began(at);
    }

    fn decided(&mut self, at: Stamp, decision: &Decision) {
        self.fold(at, &decision.events);
        if let Err(refusal) = decision.answer {
            self.events.push(Reported::rejected(at, refusal));
        }
        if let Some(question) = &decision.question {
            let verdict = question.answer(Budget::RULING.positions);
            self.give(at, Party::Server, &verdict);
        }
    }
}
