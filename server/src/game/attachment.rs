//! The streams that are attached to a game, and what goes out to them.
//!
//! An event is encoded once for each audience, not once for each reader. A reader that does not keep
//! up is not buffered for: what it missed is dropped, and it gets a snapshot when it reads again.

use bytes::Bytes;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;
use zeitnot_proto::close::Code;
use zeitnot_proto::event::Audience;
use zeitnot_proto::game_stream::{Events, FromGame, Seat};
use zeitnot_proto::{Color, Entry, Event, List, codec};

/// What a game's stream is to send.
pub enum Out {
    /// A frame.
    Frame(Bytes),
    /// The stream ends with this code.
    End(Code),
}

/// The actor's end of an attached stream.
pub struct Attachment {
    /// Its number in this process.
    pub id: u64,
    /// In which capacity.
    pub seat: Seat,
    /// The side, if it plays.
    pub side: Option<Color>,
    /// Whether legal moves are to come with each position.
    pub legal_moves: bool,
    /// The way to the stream.
    pub outbox: mpsc::Sender<Out>,
    /// Set when something did not fit into the outbox: the stream asks for a snapshot once it is empty.
    pub lagging: Arc<AtomicBool>,
}

impl Attachment {
    /// Hands a frame over. False if the stream is gone.
    pub fn send(&self, frame: &Bytes) -> bool {
        if self.lagging.load(Ordering::Acquire) {
            // Whatever comes now is in the snapshot that it will ask for.
            return !self.outbox.is_closed();
        }
        match self.outbox.try_send(Out::Frame(frame.clone())) {
            Ok(()) => true,
            Err(TrySendError::Full(_)) => {
                self.lagging.store(true, Ordering::Release);
                true
            }
            Err(TrySendError::Closed(_)) => false,
        }
    }

    /// Ends the stream, after `last` if there is room for it.
    pub fn end(&self, last: Option<Bytes>, code: Code) {
        for out in last.map(Out::Frame).into_iter().chain([Out::End(code)]) {
            if self.outbox.try_send(out).is_err() {
                // A stream that cannot be told finds its channel closed.
                return;
            }
        }
    }

    /// The view that this reader has.
    pub fn view(&self) -> View {
        match (self.seat, self.side) {
            (Seat::Arbiter, _) => View::Arbiter,
            (Seat::Player, Some(side)) => View::Side(side),
            _ => View::Public,
        }
    }
}

/// Whose eyes an event is encoded for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    /// A spectator's.
    Public,
    /// A player's.
    Side(Color),
    /// The arbiter's.
    Arbiter,
}

impl View {
    const ALL: [View; 4] = [View::Public, View::Side(Color::White), View::Side(Color::Black), View::Arbiter];

    /// Whether this view shows events for that audience.
    pub fn shows(self, audience: Audience) -> bool {
        match audience {
            Audience::All => true,
            Audience::Side(side) => self == View::Arbiter || self == View::Side(side),
            Audience::Arbiter => self == View::Arbiter,
        }
    }

    const fn index(self) -> usize {
        match self {
            View::Public => 0,
            View::Side(Color::White) => 1,
            View::Side(Color::Black) => 2,
            View::Arbiter => 3,
        }
    }
}

/// One decision's events, encoded for each view; views that see the same share the bytes.
pub struct Encoded([Bytes; 4]);

impl Encoded {
    /// Encodes `events`, whose entries are complete.
    pub fn new(events: Events) -> Encoded {
        let secret = events.entries.iter().any(|entry| entry.event.audience() != Audience::All);
        if !secret {
            let bytes = frame(&FromGame::Events(Box::new(events)));
            return Encoded([bytes.clone(), bytes.clone(), bytes.clone(), bytes]);
        }
        Encoded(View::ALL.map(|view| frame(&FromGame::Events(Box::new(withhold(events.clone(), view))))))
    }

    /// The bytes for a view.
    pub fn view(&self, view: View) -> &Bytes {
        &self.0[view.index()]
    }
}

/// `events` as `view` may see them: what it may not see keeps its number.
pub fn withhold(mut events: Events, view: View) -> Events {
    let entries = events.entries.into_iter().map(|entry| {
        if view.shows(entry.event.audience()) {
            entry
        } else {
            Entry { article: None, event: Event::Withheld }
        }
    });
    events.entries = List::cut(entries.collect());
    events
}

/// A frame as bytes. One that does not fit is a fault of this program: the reader gets an empty frame's
/// worth of nothing and a gap in its numbers, asks for a resync, and the log says why.
pub fn frame(frame: &FromGame) -> Bytes {
    match codec::encode(frame) {
        Ok(bytes) => bytes.into(),
        Err(error) => {
            tracing::error!(%error, "a frame does not fit");
            Bytes::new()
        }
    }
}
