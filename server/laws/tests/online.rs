//! Games on a screen, from the first move to the end.
#![allow(clippy::unwrap_used)]

use zeitnot_laws::{Arrival, Decision, Game};
use zeitnot_proto::command::Party;
use zeitnot_proto::rules::{GameId, Rules, Setting, Setup, Start, Terms, Value};
use zeitnot_proto::snapshot::Status;
use zeitnot_proto::{ByColor, Color, Command, Event, List, Reason, Refusal, Stamp, Text};

const T0: u64 = 1_000_000_000;

fn setup(tc: &str, casual: bool) -> Setup {
    Setup {
        game: GameId(1),
        players: ByColor::new(Text::cut("anna"), Text::cut("bert")),
        terms: Terms {
            time_control: tc.parse().unwrap(),
            rules: Rules { casual, ..Rules::default() },
            start: Start::default(),
            spectator_delay_us: 0,
        },
        event: Text::default(),
        round: Text::default(),
    }
}

struct Table {
    game: Game,
}

impl Table {
    fn new(setup: Setup) -> Table {
        let (mut game, entries) = Game::open(setup, Stamp(T0)).unwrap();
        for entry in &entries {
            game.apply(Stamp(T0), &entry.event);
        }
        game.turn_began(Stamp(T0));
        Table { game }
    }

    fn fold(&mut self, at: Stamp, decision: &Decision) {
        for entry in &decision.events {
            self.game.apply(at, &entry.event);
        }
        if self.game.awaits_turn() {
            self.game.turn_began(at);
        }
    }

    fn give(&mut self, ms: u64, by: Party, command: &Command) -> Result<(), Refusal> {
        let at = Stamp(T0 + ms * 1000);
        let decision = self.game.decide(Arrival { at, lag_us: 0 }, by, command);
        self.fold(at, &decision);
        decision.answer
    }

    fn play(&mut self, ms: u64, moves: &str) {
        for mv in moves.split_whitespace() {
            let by = Party::from(self.game.turn());
            let command = Command::Move { mv: mv.parse().unwrap(), offer_draw: false };
            self.give(ms, by, &command).unwrap();
        }
    }

    fn reason(&self) -> Option<Reason> {
        match self.game.status() {
            Status::Ended(outcome) => Some(outcome.reason),
            _ => None,
        }
    }
}

// Law 2023 1.4, 5.1.1: mate ends the game at once.
#[test]
fn fools_mate() {
    let mut table = Table::new(setup("300+3", false));
    table.play(1000, "f2f3 e7e5 g2g4 d8h4");
    assert_eq!(table.reason(), Some(Reason::Checkmate));
    assert_eq!(table.give(2000, Party::White, &Command::Resign), Err(Refusal::GameOver));
}

#[test]
fn the_flag_falls_by_itself() {
    let mut table = Table::new(setup("60", false));
    let due = table.game.poll_timeout().unwrap();
    assert_eq!(due, Stamp(T0 + 60_000_000));
    let early = table.game.decide_timeout(Stamp(due.0 - 1));
    assert!(early.events.is_empty());
    let decision = table.game.decide_timeout(Stamp(due.0 + 5000));
    assert!(
        matches!(decision.events[0].event, Event::FlagFell { side: Color::White, latest, .. } if latest == due)
    );
    table.fold(due, &decision);
    assert_eq!(table.reason(), Some(Reason::Time));
    assert_eq!(table.game.poll_timeout(), None);
}

#[test]
fn casual_comforts() {
    let mut table = Table::new(setup("300", true));
    table.play(0, "e2e4 e7e5 g1f3");
    assert_eq!(table.give(1, Party::White, &Command::Abort), Err(Refusal::TooLate));
    table.give(1, Party::White, &Command::OfferTakeback).unwrap();
    table.give(2, Party::Black, &Command::AcceptTakeback).unwrap();
    assert_eq!(table.game.plies(), 2);
    table.play(3, "f1c4");
    let gone = Command::Presence { side: Color::Black, present: true };
    table.give(4, Party::Server, &gone).unwrap();
    table.give(5, Party::Server, &Command::Presence { side: Color::Black, present: false }).unwrap();
    let claim = Command::ClaimAbandoned;
    assert_eq!(table.give(6, Party::White, &claim), Err(Refusal::OpponentPresent));
    table.give(60_005, Party::White, &claim).unwrap();
    assert_eq!(table.reason(), Some(Reason::Abandoned));
}

// Law 2023 6.11.1: an outage stops the clocks at the last durable instant.
#[test]
fn an_outage_is_nobodys_time() {
    let mut table = Table::new(setup("60", false));
    let until = Stamp(T0 + 10_000_000);
    table.give(3_600_000, Party::Server, &Command::Interrupt { until }).unwrap();
    assert_eq!(table.game.reading().main_us.white, 50_000_000);
    assert_eq!(table.game.status(), Status::Paused);
    assert_eq!(table.game.poll_timeout(), Some(Stamp(T0 + 3_660_000_000)));
    for side in Color::BOTH {
        table.give(3_601_000, Party::Server, &Command::Presence { side, present: true }).unwrap();
    }
    assert_eq!(table.game.status(), Status::Playing);
    table.play(3_602_000, "e2e4");
    assert_eq!(table.game.reading().main_us.white, 49_000_000);
}

/// A game of two hours that begins ten seconds from now; whoever is later than ten minutes has lost.
fn appointed() -> Table {
    let mut setup = setup("7200", false);
    setup.terms.start.scheduled = Some(Stamp(T0 + 10_000_000));
    let default_time = Setting { name: Text::cut("default_time"), value: Value::SpanUs(600_000_000) };
    setup.terms.rules.options = List::new(vec![default_time]).unwrap();
    Table::new(setup)
}

/// Whoever has not come is in time until this millisecond, and has lost after it.
fn late_after(table: &mut Table, ms: u64) {
    let last = Stamp(T0 + ms * 1000);
    table.fold(last, &table.game.decide_timeout(last));
    assert_eq!(table.reason(), None);
    let late = last.plus(1);
    table.fold(late, &table.game.decide_timeout(late));
    assert!(matches!(table.reason(), Some(Reason::Forfeit | Reason::ForfeitBoth)), "{:?}", table.reason());
}

// Law 2023 6.7.1, 6.11.1: nobody can come while the server is away, so nobody becomes late.
#[test]
fn an_outage_does_not_count_as_default_time() {
    let mut table = appointed();
    table.give(5_000, Party::White, &Command::MarkPresent).unwrap();
    // Away for an hour, from half a minute after the beginning.
    let until = Stamp(T0 + 40_000_000);
    table.give(3_640_000, Party::Server, &Command::Interrupt { until }).unwrap();
    assert_eq!(table.game.reading().main_us.white, 7_170_000_000);
    // And once more for ten seconds.
    let until = Stamp(T0 + 3_650_000_000);
    table.give(3_660_000, Party::Server, &Command::Interrupt { until }).unwrap();
    late_after(&mut table, 10_000 + 600_000 + 3_600_000 + 10_000);
}

// Law 2023 6.6, 6.11.1: the hour struck while nobody could come.
#[test]
fn an_outage_at_the_hour_is_nobodys_time() {
    let mut table = appointed();
    let until = Stamp(T0 + 5_000_000);
    table.give(3_600_000, Party::Server, &Command::Interrupt { until }).unwrap();
    assert_eq!(table.game.status(), Status::Paused);
    assert_eq!(table.game.reading().main_us, ByColor::both(7_200_000_000));
    late_after(&mut table, 3_600_000 + 600_000);
}

#[test]
fn untimed_games_have_no_flag() {
    let mut table = Table::new(setup("-", true));
    table.play(1, "e2e4");
    assert_eq!(table.game.poll_timeout(), None);
    table.play(86_400_000, "e7e5");
    assert_eq!(table.game.reading().running, None);
    assert_eq!(table.game.legal_moves().len(), 29);
}
