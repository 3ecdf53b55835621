//! What the relay sends: frames as long as those of a game after three hundred events, encoded once.

use bytes::Bytes;
use zeitnot_proto::codec::{self, Frame};
use zeitnot_proto::control::{Roles, ToClient, Welcome};
use zeitnot_proto::event::Spent;
use zeitnot_proto::game_stream::{Events, FromGame};
use zeitnot_proto::rules::{Rules, Setup, Start, Terms};
use zeitnot_proto::snapshot::{ClockReading, Snapshot, Status};
use zeitnot_proto::{
    ByColor, Color, Entry, Event, GameId, List, Move, PROTOCOL_VERSION, Party, Seq, Stamp, Text, TimeControl,
};

/// An instant of the years in which this is used: stamps have the length that they have at a server.
const NOW: Stamp = Stamp(1_790_000_000_000_000);
/// A number of an event that takes three bytes, as all but the first 250 do.
const LATE: Seq = Seq(300);
/// Main time after a few minutes of play.
const CLOCKS_US: ByColor<u64> = ByColor { white: 540_000_000, black: 570_000_000 };

/// The frames, with their length prefixes.
pub struct Frames {
    /// The answer to a hello.
    pub welcome: Bytes,
    /// The first frame of a game's stream.
    pub snapshot: Bytes,
    /// A move, as opponents and spectators get it.
    pub event: Bytes,
    /// A move and the answer to its command, as the mover gets them.
    pub event_and_answer: Bytes,
}

impl Frames {
    /// Encodes them.
    pub fn new() -> Frames {
        let event = bytes_of(&event());
        let answer: FromGame = FromGame::Answer { id: 150, result: Ok(LATE) };
        let event_and_answer = [&event[..], &bytes_of(&answer)[..]].concat().into();
        Frames { welcome: bytes_of(&welcome()), snapshot: bytes_of(&snapshot()), event, event_and_answer }
    }
}

fn bytes_of<T: Frame>(frame: &T) -> Bytes {
    // All of them are far below their bounds.
    codec::encode(frame).unwrap_or_default().into()
}

fn welcome() -> ToClient {
    ToClient::Welcome(Box::new(Welcome {
        protocol: PROTOCOL_VERSION,
        server: Text::cut("relay"),
        name: Text::cut("guest-relay"),
        roles: Roles { player: true, ..Roles::default() },
        guest_token: Some(Text::cut("0000000000000000000000000000000000000000000")),
        now: NOW,
        games: List::default(),
    }))
}

fn clock() -> ClockReading {
    ClockReading { main_us: CLOCKS_US, running: Some(Color::Black), began: Some(NOW), delay_us: 0 }
}

fn event() -> FromGame {
    let spent = Spent { elapsed_us: 2_500_000, compensated_us: 0, charged_us: 2_500_000 };
    let Ok(mv) = "e2e4".parse::<Move>() else { unreachable!("the best by test") };
    let event = Event::MoveCompleted { side: Color::White, mv, spent, clocks_us: CLOCKS_US };
    FromGame::Events(Box::new(Events {
        first: LATE,
        at: NOW,
        by: Party::White,
        entries: List::cut(vec![Entry { article: None, event }]),
        position_seq: LATE,
        clock: clock(),
        now: NOW,
    }))
}

fn snapshot() -> FromGame {
    let terms = Terms {
        time_control: TimeControl::default(),
        rules: Rules::default(),
        start: Start::default(),
        spectator_delay_us: 0,
    };
    let setup = Setup {
        game: GameId(1),
        players: ByColor::both(Text::cut("guest-relay")),
        terms,
        event: Text::default(),
        round: Text::default(),
    };
    let snapshot = Snapshot {
        setup,
        seq: Seq(3),
        position_seq: Seq(3),
        fen: Text::cut("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"),
        moves: List::default(),
        completed: ByColor::both(0),
        period: ByColor::both(1),
        clock: clock(),
        status: Status::Playing,
        offer: None,
        takeback: None,
        claim: None,
        bound_to: None,
        present: ByColor::both(true),
        last_command: None,
    };
    FromGame::Snapshot { now: NOW, snapshot: Box::new(snapshot) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_frame_is_one_that_clients_read() {
        let frames = Frames::new();
        assert!(codec::decode::<ToClient>(&frames.welcome[2..]).is_ok());
        assert!(codec::decode::<FromGame>(&frames.snapshot[2..]).is_ok());
        let mut buffer = codec::FrameBuffer::default();
        buffer.extend(&frames.event_and_answer);
        for _ in 0..2 {
            let body = buffer.next_body(FromGame::MAX).unwrap().unwrap();
            assert!(codec::decode::<FromGame>(body).is_ok());
        }
        assert_eq!(buffer.pending(), 0);
    }
}
