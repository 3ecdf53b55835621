//! What a view shows after each kind of event.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use common::{frame, reading, snapshot};
use std::time::{Duration, Instant};
use zeitnot_client::game::Heard;
use zeitnot_client::proto::event::{Claim, Spent};
use zeitnot_client::proto::game_stream::FromGame;
use zeitnot_client::proto::snapshot::{ClockReading, LegalMove, Status};
use zeitnot_client::proto::{ByColor, Color, Entry, Event, Outcome, Reason, Seq, Stamp, Text};
use zeitnot_client::{Error, GameView, Update};

fn heard() -> Heard {
    Heard { at: Instant::now(), rtt: Duration::ZERO }
}

/// The game after event 3: nothing played yet.
fn view() -> GameView {
    let FromGame::Snapshot { now, snapshot } = snapshot(3, None) else { panic!() };
    GameView::new(now, *snapshot, heard())
}

fn update(first: u32, events: Vec<Event>) -> Update {
    let entries = events.into_iter().map(|event| Entry { article: None, event }).collect();
    let FromGame::Events(events) = frame(first, entries) else { panic!() };
    Update::Events { events, heard: heard() }
}

fn moved(side: Color, mv: &str) -> Event {
    let clocks_us = ByColor::both(300_000_000);
    Event::MoveCompleted { side, mv: mv.parse().unwrap(), spent: Spent::default(), clocks_us }
}

#[test]
fn moves_are_taken_back() {
    let mut view = view();
    let start = view.board().placement();
    let moves = vec![moved(Color::White, "e2e4"), moved(Color::Black, "e7e5")];
    assert!(view.update(&update(4, moves)));
    assert!(view.update(&update(6, vec![Event::TakebackOffered { side: Color::White, ply: 0 }])));
    assert_eq!((view.moves().len(), view.takeback()), (2, Some(Color::White)));
    let restored =
        Event::PositionRestored { ply: 0, clocks_us: ByColor::both(1), bound: None, as_at_ply: false };
    assert!(view.update(&update(7, vec![restored])));
    assert_eq!((view.board().placement(), view.moves().len(), view.takeback()), (start, 0, None));
    assert_eq!((view.board().turn(), view.position_seq()), (Color::White, Seq(7)));
}

#[test]
fn offers_and_claims_come_and_go() {
    let mut view = view();
    assert!(view.update(&update(4, vec![Event::DrawOffered { side: Color::Black, proper: true }])));
    assert_eq!(view.offer(), Some(Color::Black));
    assert!(view.update(&update(5, vec![Event::DrawDeclined { side: Color::White }])));
    assert_eq!(view.offer(), None);
    assert!(view.update(&update(6, vec![Event::ClaimMade { side: Color::White, claim: Claim::Increment }])));
    assert_eq!(view.claim().unwrap().side, Color::White);
    assert!(view.update(&update(7, vec![Event::AwaitingRuling { topic: Text::cut("increment") }])));
    assert_eq!(view.status(), &Status::AwaitingRuling(Text::cut("increment")));
    assert!(view.update(&update(8, vec![Event::ClaimRejected { side: Color::White }])));
    assert!(view.claim().is_none());
    assert!(view.update(&update(9, vec![Event::DrawOffered { side: Color::Black, proper: true }])));
    assert!(view.update(&update(10, vec![Event::ended(Outcome::draw(Reason::Agreement))])));
    assert_eq!((view.outcome(), view.offer()), (Some(&Outcome::draw(Reason::Agreement)), None));
}

#[test]
fn clocks_stop_and_run_again() {
    let mut view = view();
    assert!(
        view.update(&update(4, vec![Event::ClockPaused { clocks_us: ByColor::both(5), delay_left_us: 0 }]))
    );
    assert_eq!(view.status(), &Status::Paused);
    assert!(view.update(&update(5, vec![Event::ClockResumed { side: Color::White }])));
    assert_eq!((view.status(), view.running()), (&Status::Playing, Some(Color::White)));
    assert!(view.update(&update(6, vec![Event::GameAnnulled { reason: Text::default() }])));
    assert_eq!(view.status(), &Status::Annulled);
}

#[test]
fn what_does_not_follow_is_not_taken() {
    let mut view = view();
    assert!(!view.update(&update(5, vec![moved(Color::White, "e2e4")])));
    assert!(!view.update(&update(3, vec![moved(Color::White, "e2e4")])));
    assert_eq!((view.seq(), view.moves().len()), (Seq(3), 0));
}

#[test]
fn legal_moves_belong_to_their_position() {
    let mut view = view();
    let moves = vec![LegalMove { mv: "e2e4".parse().unwrap(), san: Text::cut("e4") }];
    view.update(&Update::LegalMoves { on: view.position_seq(), moves });
    assert_eq!(view.legal_moves().unwrap().len(), 1);
    view.update(&update(4, vec![moved(Color::White, "e2e4")]));
    assert!(view.legal_moves().is_none());
}

#[test]
fn colours_are_swapped_and_people_come_and_go() {
    let mut view = view();
    view.update(&update(
        4,
        vec![Event::ColoursSwapped, Event::PresenceChanged { side: Color::White, present: false }],
    ));
    assert_eq!((&*view.setup().players.white, view.present().white), ("bela", false));
}

#[test]
fn a_clock_goes_on_while_the_connection_is_lost() {
    let mut view = view();
    let before = Instant::now();
    let shown = view.remaining_us(Color::White, before).unwrap();
    view.update(&Update::Interrupted(Error::Unanswered));
    let later = view.remaining_us(Color::White, before + Duration::from_secs(2)).unwrap();
    assert_eq!(shown - later, 2_000_000);
    // What comes on the next connection is all that counts then.
    let clock = ClockReading { main_us: ByColor::both(100_000_000), began: Some(Stamp(0)), ..reading() };
    let Update::Events { mut events, heard } = update(4, vec![Event::GameStarted]) else { panic!() };
    (events.clock, events.now) = (clock, Stamp(7_000_000));
    view.update(&Update::Events { events, heard });
    let shown = view.remaining_us(Color::White, heard.at).unwrap();
    assert!((92_900_000..=93_000_000).contains(&shown), "{shown}");
}
