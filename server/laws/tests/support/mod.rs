//! A game on virtual time, for tests.
#![allow(clippy::unwrap_used, dead_code)]

use zeitnot_laws::{Arrival, Game};
use zeitnot_proto::command::Party;
use zeitnot_proto::event::Entry;
use zeitnot_proto::rules::{Conduct, Edition, GameId, Rules, Setting, Setup, Speed, Start, Terms, Value};
use zeitnot_proto::snapshot::Status;
use zeitnot_proto::{ByColor, Command, List, Reason, Refusal, Stamp, Text};

/// t = 0.
pub const T0: u64 = 1_000_000_000_000;

/// Where a game starts from and what it is played under.
pub struct Case {
    pub edition: Edition,
    pub speed: Speed,
    pub conduct: Conduct,
    pub time_control: &'static str,
    pub fen: &'static str,
    pub options: Vec<(&'static str, &'static str)>,
    /// An appointed hour, t = 0.
    pub hour: bool,
}

impl Default for Case {
    fn default() -> Case {
        Case {
            edition: Edition::Fide2023,
            speed: Speed::Standard,
            conduct: Conduct::Online,
            time_control: "7200",
            fen: "",
            options: Vec::new(),
            hour: false,
        }
    }
}

impl Case {
    pub fn setup(&self) -> Setup {
        let setting = |(name, value): &(&str, &str)| Setting {
            name: Text::cut(name),
            value: match value.parse::<u64>() {
                Ok(n) => Value::Count(n),
                Err(_) => Value::Word(Text::cut(value)),
            },
        };
        let options = List::cut(self.options.iter().map(setting).collect());
        let fen = (!self.fen.is_empty()).then(|| Text::cut(self.fen));
        let rules =
            Rules { edition: self.edition, speed: self.speed, conduct: self.conduct, casual: false, options };
        Setup {
            game: GameId(1),
            players: ByColor::new(Text::cut("anna"), Text::cut("bert")),
            terms: Terms {
                time_control: self.time_control.parse().unwrap(),
                rules,
                start: Start { fen, scheduled: self.hour.then_some(Stamp(T0)), ..Start::default() },
                spectator_delay_us: 0,
            },
            event: Text::default(),
            round: Text::default(),
        }
    }

    pub fn try_open(&self) -> Result<Table, Refusal> {
        let (game, entries) = Game::open(self.setup(), Stamp(T0))?;
        let mut table = Table { game, events: Vec::new() };
        table.fold(Stamp(T0), entries);
        Ok(table)
    }

    pub fn open(&self) -> Table {
        self.try_open().unwrap()
    }
}

/// A game and all that happened in it.
pub struct Table {
    pub game: Game,
    pub events: Vec<Entry>,
}

impl Table {
    fn fold(&mut self, at: Stamp, entries: Vec<Entry>) {
        for entry in entries {
            self.game.apply(at, &entry.event);
            self.events.push(entry);
        }
        self.game.turn_began(at);
    }

    /// Gives a command at so many milliseconds.
    pub fn give(&mut self, ms: u64, by: Party, command: &Command) -> Result<(), Refusal> {
        let at = Stamp(T0 + ms * 1000);
        let decision = self.game.decide(Arrival { at, lag_us: 0 }, by, command);
        self.fold(at, decision.events);
        decision.answer
    }

    /// A move by the side on move, on a screen.
    pub fn play(&mut self, ms: u64, mv: &str) -> Result<(), Refusal> {
        let by = Party::from(self.game.turn());
        self.give(ms, by, &Command::Move { mv: mv.parse().unwrap(), offer_draw: false })
    }

    pub fn wait(&mut self, ms: u64) {
        let at = Stamp(T0 + ms * 1000);
        let decision = self.game.decide_timeout(at);
        self.fold(at, decision.events);
    }

    pub fn reason(&self) -> Option<Reason> {
        match self.game.status() {
            Status::Ended(outcome) => Some(outcome.reason),
            _ => None,
        }
    }

    /// The names of all events.
    pub fn names(&self) -> Vec<&'static str> {
        self.events.iter().map(|entry| entry.event.name()).collect()
    }
}
