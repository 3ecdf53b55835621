//! The way out to one stream.
//!
//! Frames go straight to QUIC: whoever has them writes them, and no other task has to wake for that. What
//! QUIC does not take at once waits here, and the stream's own task carries it. Of a game's events what does
//! not fit even here is dropped: the reader gets a snapshot once it has read the rest.

use bytes::Bytes;
use quinn::SendStream;
use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};
use tokio::sync::Notify;
use zeitnot_proto::close::Code;

/// What an outbox needs of its stream's task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// Something was dropped and the rest is out: the reader has to get a snapshot.
    Snapshot,
    /// All of it is out, and the stream ends with this code.
    End(Code),
    /// The peer did not read for too long.
    TooSlow,
    /// The stream or its connection is gone.
    Gone,
}

/// The way out to one stream.
pub struct Outbox {
    out: Mutex<Out>,
    /// Rung when there is something for [`Outbox::carry`].
    work: Notify,
}

struct Out {
    stream: SendStream,
    /// What waits, in order; the first may have been written in part.
    waiting: VecDeque<Bytes>,
    /// Since when QUIC has taken nothing of it.
    blocked: Option<Instant>,
    /// How many frames may wait.
    most: usize,
    lag: Lag,
    /// The stream ends so once nothing waits.
    end: Option<Code>,
    /// Nothing can be written any more.
    gone: bool,
    /// Nothing goes out yet.
    held: bool,
}

/// Whether a frame was dropped: then nothing is taken until the reader is sent a snapshot.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lag {
    None,
    /// The stream's task does not know yet.
    Dropped,
    /// It has asked for a snapshot.
    Asked,
}

impl Outbox {
    /// An outbox in which at most so many frames wait.
    pub fn new(stream: SendStream, most: usize) -> Outbox {
        let out = Out {
            stream,
            waiting: VecDeque::new(),
            blocked: None,
            most,
            lag: Lag::None,
            end: None,
            gone: false,
            held: false,
        };
        Outbox { out: Mutex::new(out), work: Notify::new() }
    }

    /// An outbox from which nothing goes out before [`Outbox::open`].
    pub fn held(stream: SendStream, most: usize) -> Outbox {
        let outbox = Outbox::new(stream, most);
        outbox.out().held = true;
        outbox
    }

    /// Sends `first`, and then what has gathered.
    pub fn open(&self, first: Bytes) {
        let mut out = self.out();
        out.held = false;
        out.waiting.push_front(first);
        self.begin(&mut out);
    }

    /// Whether nobody gets anything any more.
    pub fn is_closed(&self) -> bool {
        let out = self.out();
        out.gone || out.end.is_some()
    }

    /// Locked for a write that does not wait, never across an await.
    fn out(&self) -> MutexGuard<'_, Out> {
        self.out.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends frames and leaves `frames` empty.
    pub fn send(&self, frames: &mut Vec<Bytes>) {
        let mut out = self.out();
        if out.gone || out.end.is_some() {
            frames.clear();
            return;
        }
        if out.lag != Lag::None {
            // Whatever comes now is in the snapshot that it will get.
            frames.clear();
            return;
        }
        let room = out.most.saturating_sub(out.waiting.len());
        if frames.len() > room {
            out.lag = Lag::Dropped;
        }
        out.waiting.extend(frames.drain(..).take(room));
        self.begin(&mut out);
    }

    /// Writes what waits, unless the stream's task is at it, or leaves the rest to it.
    fn begin(&self, out: &mut Out) {
        let idle = out.blocked.is_none() && !out.held;
        if idle && out.write(&mut Context::from_waker(Waker::noop())).is_pending() {
            self.work.notify_one();
        }
    }

    /// Sends a frame for which nothing can stand in later. False if there is no room for it; it is dropped then.
    pub fn offer(&self, frame: Bytes) -> bool {
        let mut out = self.out();
        if out.gone || out.end.is_some() {
            return true; // Nobody waits for it any more.
        }
        if out.waiting.len() >= out.most {
            return false;
        }
        out.waiting.push_back(frame);
        self.begin(&mut out);
        true
    }

    /// Ends the stream with `code` once everything is out, `last` as the last frame if there is one.
    pub fn end(&self, last: Option<Bytes>, code: Code) {
        let mut out = self.out();
        if out.end.is_none() {
            out.waiting.extend(last);
            out.end = Some(code);
            self.work.notify_one();
        }
    }

    /// The next frame is one that the reader can go on from.
    pub fn begin_again(&self) {
        self.out().lag = Lag::None;
    }

    /// Something for the reader had no room on its way: it needs a snapshot.
    pub fn missed_something(&self) {
        self.out().lag = Lag::Dropped;
        self.work.notify_one();
    }

    /// Carries what waits, until something is needed of the stream's task. Dropping the future loses
    /// nothing: the next call goes on.
    pub async fn carry(&self, patience: Duration) -> Need {
        loop {
            let rung = self.work.notified();
            if let Some(need) = self.need() {
                return need;
            }
            let blocked = self.out().blocked;
            let Some(since) = blocked else {
                rung.await;
                continue;
            };
            let written = poll_fn(|cx| self.out().write(cx));
            if tokio::time::timeout_at((since + patience).into(), written).await.is_err() {
                return Need::TooSlow;
            }
        }
    }

    /// What is needed now.
    fn need(&self) -> Option<Need> {
        let mut out = self.out();
        // An end rings without having written what it added.
        if out.blocked.is_none() && out.write(&mut Context::from_waker(Waker::noop())).is_pending() {
            return None;
        }
        if out.gone {
            return Some(Need::Gone);
        }
        if !out.waiting.is_empty() {
            return None;
        }
        if let Some(code) = out.end {
            return Some(Need::End(code));
        }
        if out.lag == Lag::Dropped {
            out.lag = Lag::Asked;
            return Some(Need::Snapshot);
        }
        None
    }

    /// Ends the stream itself: in order where nothing is wrong, with a code otherwise. Nothing is sent
    /// from here on.
    pub fn close(&self, code: Code) {
        let mut out = self.out();
        out.gone = true;
        out.waiting.clear();
        close(&mut out.stream, code);
    }
}

/// Finishes a stream, or resets it with a code that says what went wrong.
pub fn close(stream: &mut SendStream, code: Code) {
    // An error says that it is closed already.
    if matches!(code, Code::Done | Code::TakenOver) {
        let _closed = stream.finish();
    } else {
        let _closed = stream.reset(crate::stream_io::code(code));
    }
}

impl Out {
    /// Hands what waits to QUIC. Pending if it did not take all of it.
    fn write(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        while !self.waiting.is_empty() && !self.gone {
            let chunks = self.waiting.make_contiguous();
            let written = pin!(self.stream.write_chunks(chunks)).poll(cx);
            match written {
                Poll::Ready(Ok(written)) => {
                    drop(self.waiting.drain(..written.chunks));
                    self.blocked = None;
                }
                Poll::Ready(Err(_)) => self.gone = true,
                Poll::Pending => {
                    self.blocked.get_or_insert_with(Instant::now);
                    return Poll::Pending;
                }
            }
        }
        self.blocked = None;
        Poll::Ready(())
    }
}
