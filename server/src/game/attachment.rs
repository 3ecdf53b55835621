//! The streams that are attached to a game, and what goes out to them.
//!
//! An event is encoded once for each audience, not once for each reader. A reader that does not keep
//! up is not buffered for: what it missed is dropped, and it gets a snapshot when it reads again.

use crate::outbox::Outbox;
use bytes::Bytes;
use std::sync::Arc;
use zeitnot_proto::close::Code;
use zeitnot_proto::event::Audience;
use zeitnot_proto::game_stream::{Events, FromGame, Seat};
use zeitnot_proto::{Color, Entry, Event, List, codec};

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
    /// The way out.
    pub outbox: Arc<Outbox>,
    /// What goes out with the next [`Attachment::flush`]: frames that belong together go in one write.
    pub pending: Vec<Bytes>,
}

impl Attachment {
    /// Keeps a frame for the next flush.
    pub fn send(&mut self, frame: &Bytes) {
        self.pending.push(frame.clone());
    }

    /// Sends what has gathered.
    pub fn flush(&mut self) {
        if !self.pending.is_empty() {
            // A stream that is gone says so itself, by leaving.
            self.outbox.send(&mut self.pending);
        }
    }

    /// Ends the stream, after what has gathered and `last`.
    pub fn end(mut self, last: Option<Bytes>, code: Code) {
        self.flush();
        self.outbox.end(last, code);
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

impl Drop for Attachment {
    /// A reader is not left waiting for an actor that is no more.
    fn drop(&mut self) {
        self.outbox.end(None, Code::Internal);
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
