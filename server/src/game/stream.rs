//! The stream of one game: its frames in, its frames out.
//!
//! A command is stamped when the last byte of its frame has been read, before it is decoded and before
//! any queue. The game's counter of readers between stamp and enqueue is raised before the stamp and
//! lowered after the enqueue, so that the actor knows when nothing stamped is still on its way.

use super::actor::{NewAttachment, Stamped, ToActor};
use super::attachment::frame;
use crate::clock;
use crate::hub::{self, GameHandle, Peer};
use crate::outbox::{self, Need, Outbox};
use crate::state::Server;
use crate::stream_io::{self, FrameReader};
use quinn::{RecvStream, SendStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::mpsc;
use zeitnot_proto::close::Code;
use zeitnot_proto::codec::{self, DecodeError, Frame};
use zeitnot_proto::command::Party;
use zeitnot_proto::game_stream::{Attach, FromGame, Seat, ToGame};
use zeitnot_proto::{Color, Refusal, Stamp};

static NEXT_ATTACHMENT: AtomicU64 = AtomicU64::new(1);

/// Serves a stream that a client opened after its control stream.
pub async fn serve(server: Arc<Server>, peer: Arc<Peer>, mut send: SendStream, recv: RecvStream) {
    let mut reader = FrameReader::new(recv, &server.limits);
    // Boxed, as everything that is over soon: what an idle stream keeps is only what it needs.
    let found = Box::pin(find(&server, &peer, &mut reader)).await;
    let end = match found {
        Ok(Some(found)) => {
            let outbox = Arc::new(Outbox::new(send, server.limits.outbox));
            let end = attached(&server, peer, found, &outbox, &mut reader).await;
            outbox.close(end);
            end
        }
        Ok(None) => {
            outbox::close(&mut send, Code::Done);
            Code::Done
        }
        Err(code) => {
            outbox::close(&mut send, code);
            code
        }
    };
    if !matches!(end, Code::Done | Code::TakenOver) {
        server.metrics.reset(end);
    }
    reader.stop(end);
}

/// What a stream asked for, and may have.
struct Found {
    attach: Attach,
    handle: GameHandle,
    side: Option<Color>,
}

/// Reads `Attach` and finds the game. None if the client left before it said anything.
async fn find(server: &Arc<Server>, peer: &Peer, reader: &mut FrameReader) -> Result<Option<Found>, Code> {
    let first = async {
        loop {
            if let Some(body) = reader.next_body(ToGame::MAX)? {
                return codec::decode::<ToGame>(body).map(Some).map_err(|error| stream_io::code_of(&error));
            }
            if !reader.fill().await {
                return Ok(None);
            }
        }
    };
    let first =
        tokio::time::timeout(server.limits.hello_timeout, first).await.map_err(|_| Code::OutOfState)?;
    let attach = match first? {
        Some(ToGame::Attach(attach)) => attach,
        Some(_) => return Err(Code::OutOfState),
        None => return Ok(None),
    };
    let handle = hub::find_game(server, attach.game).await.map_err(|refusal| {
        server.metrics.refused(refusal);
        if refusal == Refusal::NoSuchGame { Code::NoSuchGame } else { Code::Internal }
    })?;
    let side = seat(peer, &handle, attach)?;
    Ok(Some(Found { attach, handle, side }))
}

/// Attaches a stream to its game and carries frames both ways until one side ends it.
async fn attached(
    server: &Arc<Server>,
    peer: Arc<Peer>,
    found: Found,
    outbox: &Arc<Outbox>,
    reader: &mut FrameReader,
) -> Code {
    let Found { attach, handle, side } = found;
    let id = NEXT_ATTACHMENT.fetch_add(1, Ordering::Relaxed);
    let new = NewAttachment { id, attach, side, outbox: Arc::clone(outbox) };
    if handle.mailbox.send(ToActor::Attach(Box::new(new))).await.is_err() {
        return Code::Internal;
    }
    let stream = GameStream { server, peer, handle, id, side, seat: attach.seat, outbox };
    let end = stream.run(reader).await;
    let _over = stream.handle.mailbox.send(ToActor::Detach { attachment: id }).await;
    end
}

/// The side that somebody who attaches like this plays, if he plays.
fn seat(peer: &Peer, handle: &GameHandle, attach: Attach) -> Result<Option<Color>, Code> {
    let allowed = match attach.seat {
        Seat::Spectator => return Ok(None),
        Seat::Player => return hub::side_of(&handle.info, &peer.name).map(Some).ok_or(Code::NoSuchGame),
        Seat::Arbiter => peer.roles.arbiter,
        Seat::Device => peer.roles.arbiter || peer.roles.organizer,
    };
    if allowed { Ok(None) } else { Err(Code::NoSuchGame) }
}

/// Counts a reader as being between stamp and enqueue for as long as it lives.
struct Stamping<'a>(&'a AtomicU32);

impl<'a> Stamping<'a> {
    /// Raises the counter, then reads the clock: in this order no stamp is missed.
    fn stamp(counter: &'a AtomicU32) -> (Stamping<'a>, Stamp) {
        counter.fetch_add(1, Ordering::SeqCst);
        (Stamping(counter), clock::now())
    }
}

impl Drop for Stamping<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

struct GameStream<'a> {
    server: &'a Server,
    peer: Arc<Peer>,
    handle: GameHandle,
    id: u64,
    side: Option<Color>,
    seat: Seat,
    outbox: &'a Outbox,
}

impl GameStream<'_> {
    /// Carries frames both ways until one side ends it.
    async fn run(&self, reader: &mut FrameReader) -> Code {
        loop {
            // What came together with `Attach` is here already.
            if let Err(code) = self.read(reader) {
                return code;
            }
            reader.rest();
            tokio::select! {
                need = self.outbox.carry(self.server.limits.write_timeout) => match need {
                    Need::Snapshot => {
                        self.server.metrics.resyncs.inc();
                        let resync = ToActor::Resync { attachment: self.id, after: None };
                        if self.handle.mailbox.send(resync).await.is_err() {
                            return Code::Internal;
                        }
                    }
                    Need::End(code) => return code,
                    Need::TooSlow => {
                        self.server.metrics.slow_readers.inc();
                        return Code::TooSlow;
                    }
                    Need::Gone => return Code::Done,
                },
                more = reader.fill() => if !more { return Code::Done },
            }
        }
    }

    /// Stamps and enqueues every whole frame that has been read.
    fn read(&self, reader: &mut FrameReader) -> Result<(), Code> {
        let (stamping, at) = Stamping::stamp(&self.handle.stamping);
        while let Some(body) = reader.next_body(ToGame::MAX)? {
            let frame = match codec::decode::<ToGame>(body) {
                Ok(frame) => frame,
                Err(DecodeError::UnknownVariant(number)) => {
                    tracing::debug!(number, "a frame of an unknown number was skipped");
                    self.server.metrics.unknown_frames.inc();
                    continue;
                }
                Err(error) => return Err(stream_io::code_of(&error)),
            };
            self.take(frame, at)?;
        }
        drop(stamping);
        Ok(())
    }

    fn take(&self, message: ToGame, at: Stamp) -> Result<(), Code> {
        let (id, message) = match message {
            ToGame::Attach(_) => return Err(Code::OutOfState),
            ToGame::Resync { after } => (None, Ok(ToActor::Resync { attachment: self.id, after })),
            ToGame::Command { id, on, command } => {
                let message = self.party(&command).map(|by| {
                    let lag_us = if self.handle.info.compensates { self.lag_us() } else { 0 };
                    ToActor::Command(Box::new(Stamped {
                        at,
                        by,
                        attachment: self.id,
                        lag_us,
                        id,
                        on,
                        command,
                    }))
                });
                (Some(id), message)
            }
        };
        if id.is_some()
            && let Some(us) = self.server.arrivals.since(self.peer.connection.remote_address(), at)
        {
            self.server.metrics.arrival_to_stamp.observe(Duration::from_micros(us).as_secs_f64());
        }
        let refused = match message.map(|message| self.handle.mailbox.try_send(message)) {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(mpsc::error::TrySendError::Full(_))) => Refusal::Busy,
            Ok(Err(mpsc::error::TrySendError::Closed(_))) => return Err(Code::Internal),
            Err(refusal) => refusal,
        };
        self.server.metrics.refused(refused);
        match id {
            Some(id) => {
                self.outbox.send(&mut vec![frame(&FromGame::Answer { id, result: Err(refused) })]);
            }
            // A resync that found no room is asked for again by itself.
            None => self.outbox.missed_something(),
        }
        Ok(())
    }

    /// As whom this stream may give the command.
    fn party(&self, command: &zeitnot_proto::Command) -> Result<Party, Refusal> {
        if command.is_servers_own() {
            return Err(Refusal::NotAllowed);
        }
        match (self.seat, self.side) {
            (Seat::Player, Some(side)) => Ok(Party::from(side)),
            (Seat::Arbiter, _) => Ok(Party::Arbiter),
            (Seat::Device, _) => Ok(Party::Device),
            _ => Err(Refusal::NotPlayer),
        }
    }

    /// The lowest round-trip time that QUIC has measured on this connection.
    fn lag_us(&self) -> u64 {
        u64::try_from(self.peer.connection.min_rtt().as_micros()).unwrap_or(u64::MAX)
    }
}
