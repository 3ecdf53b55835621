//! One game, one task, one owner.
//!
//! The actor takes stamped commands from its mailbox, asks the laws what they cause, makes the
//! decision durable, folds it in and shows it. It decides by stamps and not by the order in which
//! tasks ran: nothing is decided while a reader of this game is between stamping and enqueueing, and
//! what has gathered is put into the order of LAWS A3 first.

use super::attachment::Attachment;
use super::delayed::Delayed;
use super::past::Past;
use crate::clock::{self, Alarm};
use crate::hub::GameHandle;
use crate::outbox::Outbox;
use crate::state::Server;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tokio::sync::mpsc;
use zeitnot_laws::Game;
use zeitnot_proto::close::Code;
use zeitnot_proto::command::{Command, Party};
use zeitnot_proto::game_stream::Attach;
use zeitnot_proto::{Color, Seq, Stamp};

/// What a game's actor is told.
pub enum ToActor {
    /// A stream attaches.
    Attach(Box<NewAttachment>),
    /// A stream left.
    Detach {
        /// Which.
        attachment: u64,
    },
    /// A command came in on a stream.
    Command(Box<Stamped>),
    /// A stream wants what it missed.
    Resync {
        /// Which.
        attachment: u64,
        /// The last event that it has.
        after: Option<Seq>,
    },
    /// A search for a mate ended.
    MateVerdict(Box<Command>),
    /// The director of its tournament acts as the arbiter.
    Director(Box<Command>),
    /// After an outage: play was interrupted at this instant.
    Recover {
        /// The last durable instant.
        until: Stamp,
    },
    /// The store takes records again, or no more.
    Store {
        /// Whether it does.
        up: bool,
    },
    /// The server goes down.
    Drain,
}

/// A stream that attaches to a game.
pub struct NewAttachment {
    /// Its number in this process.
    pub id: u64,
    /// What it asked for; its seat has been checked.
    pub attach: Attach,
    /// The side, if it plays.
    pub side: Option<Color>,
    /// The way out.
    pub outbox: Arc<Outbox>,
}

/// A command with the instant at which the last byte of its frame was read.
pub struct Stamped {
    /// That instant.
    pub at: Stamp,
    /// Who sent it.
    pub by: Party,
    /// The stream that it came on.
    pub attachment: u64,
    /// The lowest round-trip time measured on the connection, in microseconds; 0 where the game does
    /// not compensate.
    pub lag_us: u64,
    /// The client's number for it.
    pub id: u64,
    /// The event that last changed the position, as the sender knows it.
    pub on: Option<Seq>,
    /// The command.
    pub command: Command,
}

/// Starts the actor of a game.
pub fn spawn(
    server: Arc<Server>,
    game: Game,
    past: Past,
    handle: GameHandle,
    messages: mpsc::Receiver<ToActor>,
) {
    let public = (game.setup().terms.spectator_delay_us > 0).then(|| Box::new(Delayed::new(&game)));
    let actor = Actor {
        over_since: game.status().is_over().then(clock::now),
        server,
        game,
        past,
        handle,
        messages,
        attachments: Vec::new(),
        public,
        suspended: None,
        drained: false,
        clock_counted: false,
    };
    tokio::spawn(actor.run());
}

pub(super) struct Actor {
    pub(super) server: Arc<Server>,
    pub(super) game: Game,
    pub(super) past: Past,
    pub(super) handle: GameHandle,
    pub(super) messages: mpsc::Receiver<ToActor>,
    /// Who reads: spectators last, so that the others are served first.
    pub(super) attachments: Vec<Attachment>,
    /// What spectators see, where they see it later.
    pub(super) public: Option<Box<Delayed>>,
    /// While the store takes nothing: the last durable instant, to which the clock is charged.
    pub(super) suspended: Option<Stamp>,
    /// The clock stands because the server goes down.
    pub(super) drained: bool,
    pub(super) over_since: Option<Stamp>,
    pub(super) clock_counted: bool,
}

impl Actor {
    async fn run(mut self) {
        self.count_clock();
        // After a restart a search that the game waits for has to be made again.
        if let Some(question) = self.game.open_question() {
            self.ask(question);
        }
        // Whoever says that one of these has changed finds this game in the hub by now.
        if !self.server.store_up() {
            self.store_changed(false).await;
        }
        if self.server.is_draining() {
            self.drain().await;
        }
        let mut alarm = Alarm::default();
        loop {
            let due = self.next_due();
            let first = tokio::select! {
                biased;
                message = self.messages.recv() => message,
                () = alarm.ring(due) => None,
            };
            // A flag is decided only when everything stamped before it is here.
            let by_itself = first.is_none();
            let batch = self.gather(first).await;
            self.work(batch).await;
            if by_itself {
                self.deadlines().await;
                self.release_delayed();
            }
            self.flush();
            if self.may_leave() {
                break;
            }
        }
        self.leave();
    }

    /// When something happens by itself next.
    fn next_due(&self) -> Option<Stamp> {
        let deadline = if self.suspended.is_some() { None } else { self.game.poll_timeout() };
        let release = self.public.as_ref().and_then(|public| public.next_release());
        let unattended = self.over_since.filter(|_| self.attachments.is_empty());
        let leaves = unattended.map(|since| since.plus(self.linger_us()));
        [deadline, release, leaves].into_iter().flatten().min()
    }

    fn linger_us(&self) -> u64 {
        u64::try_from(self.server.limits.linger.as_micros()).unwrap_or(u64::MAX)
    }

    /// All that has been stamped by now, in the order in which it counts: by stamp, and at one stamp
    /// the arbiter before the side on move before the other (LAWS A3).
    async fn gather(&mut self, first: Option<ToActor>) -> Vec<ToActor> {
        let mut batch: Vec<ToActor> = first.into_iter().collect();
        loop {
            while let Ok(message) = self.messages.try_recv() {
                batch.push(message);
            }
            if self.handle.stamping.load(Ordering::SeqCst) == 0 {
                // What was enqueued before that zero was read is here now.
                while let Ok(message) = self.messages.try_recv() {
                    batch.push(message);
                }
                break;
            }
            tokio::task::yield_now().await;
        }
        if batch.len() > 1 {
            let turn = self.game.turn();
            batch.sort_by_key(|message| match message {
                ToActor::Command(stamped) => (stamped.at, rank(stamped.by, turn)),
                // A stream attaches before its first command and leaves after its last; the rest has no
                // stamp. All of it may come first: none of it is judged.
                ToActor::Recover { .. } | ToActor::Store { .. } => (Stamp(0), 0),
                ToActor::Attach(_) => (Stamp(0), 1),
                ToActor::Resync { .. } | ToActor::MateVerdict(_) | ToActor::Director(_) => (Stamp(0), 2),
                ToActor::Detach { .. } | ToActor::Drain => (Stamp(u64::MAX), 0),
            });
        }
        batch
    }

    async fn work(&mut self, batch: Vec<ToActor>) {
        for message in batch {
            match message {
                ToActor::Attach(new) => self.attach(*new).await,
                ToActor::Detach { attachment } => self.detach(attachment).await,
                ToActor::Command(stamped) => self.command(*stamped).await,
                ToActor::Resync { attachment, after } => self.resync(attachment, after),
                ToActor::MateVerdict(verdict) => self.own(&verdict).await,
                ToActor::Director(command) => self.by_itself(Party::Arbiter, &command).await,
                ToActor::Recover { until } => self.interrupt(until).await,
                ToActor::Store { up } => self.store_changed(up).await,
                ToActor::Drain => self.drain().await,
            }
        }
    }

    /// Sends what has gathered for the readers, players first.
    pub(super) fn flush(&mut self) {
        for reader in &mut self.attachments {
            reader.flush();
        }
    }

    /// Keeps the number of running clocks right, for the journal's heartbeat.
    pub(super) fn count_clock(&mut self) {
        let runs = self.game.reading().running.is_some() && !self.game.status().is_over();
        if runs != self.clock_counted {
            self.clock_counted = runs;
            let count = &self.server.hub.clocks;
            let count = if runs {
                count.fetch_add(1, Ordering::Relaxed) + 1
            } else {
                count.fetch_sub(1, Ordering::Relaxed) - 1
            };
            self.server.journal.clocks_running(count);
        }
    }

    /// Whether nobody needs this actor any more.
    fn may_leave(&self) -> bool {
        self.messages.is_closed()
            || (self.attachments.is_empty()
                && self.messages.is_empty()
                && self.over_since.is_some_and(|since| clock::now() >= since.plus(self.linger_us())))
    }

    fn leave(mut self) {
        self.messages.close();
        if self.clock_counted {
            let count = self.server.hub.clocks.fetch_sub(1, Ordering::Relaxed) - 1;
            self.server.journal.clocks_running(count);
        }
        self.server.hub.remove_game(self.handle.info.game, &self.handle.mailbox);
        // Whoever slipped in while the mailbox was closing is told to come again.
        while let Ok(message) = self.messages.try_recv() {
            if let ToActor::Attach(new) = message {
                new.outbox.end(None, Code::Internal);
            }
        }
    }
}

/// Where a party stands in the order of one stamp (LAWS A3): flags come before all of them.
fn rank(by: Party, turn: Color) -> u8 {
    match by {
        Party::Server => 0,
        Party::Arbiter => 1,
        Party::Device => 2,
        player if player.side() == Some(turn) => 3,
        _ => 4,
    }
}
