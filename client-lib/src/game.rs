//! A game that is followed across connections.
//!
//! One task per game attaches, passes on what the server says in the order of the events and without
//! gaps, numbers the commands, and after a lost connection attaches again from the last event it has and
//! sends again, under the same number, what has not been answered: the server recognizes it and plays
//! nothing twice.

use crate::connection::Connection;
use crate::error::Error;
use crate::reconnect::{Link, up};
use crate::stream::GameSender;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, oneshot, watch};
use zeitnot_proto::close::Code;
use zeitnot_proto::command::Command;
use zeitnot_proto::game_stream::{Attach, Events, FromGame, Seat};
use zeitnot_proto::snapshot::{LegalMove, Snapshot};
use zeitnot_proto::{GameId, List, Refusal, Seq, Stamp};

/// Updates that may wait for their reader. When they are full the task lets events pass and asks for
/// them again once there is room.
const UPDATES_MAX: usize = 256;
/// Commands that may wait for the task.
const ORDERS_MAX: usize = 16;
/// The first pause before attaching again on a connection that still stands; each further one in a row
/// is twice as long.
const PAUSE: Duration = Duration::from_millis(250);
/// How often the pause is doubled.
const DOUBLINGS: u32 = 5;

/// When something came from the server, for its clock to be estimated.
#[derive(Debug, Clone, Copy)]
pub struct Heard {
    /// The instant here.
    pub at: Instant,
    /// The connection's round-trip time.
    pub rtt: Duration,
}

/// What happens in a game that is followed.
#[derive(Debug, Clone)]
pub enum Update {
    /// The game as it stands: it replaces whatever was known before. The first update is one.
    Snapshot {
        /// The server's time.
        now: Stamp,
        /// The game.
        snapshot: Box<Snapshot>,
        /// When it came.
        heard: Heard,
    },
    /// The next events, without a gap to what came before.
    Events {
        /// The events.
        events: Box<Events>,
        /// When they came.
        heard: Heard,
    },
    /// The legal moves of the position, for those who asked for them.
    LegalMoves {
        /// The event that brought the position about.
        on: Seq,
        /// The moves.
        moves: Vec<LegalMove>,
    },
    /// The connection is lost for this reason; the game goes on when it is back.
    Interrupted(Error),
    /// Nothing more comes, for this reason. Always the last.
    Ended(Error),
}

/// What is to be done in a game.
enum Order {
    Command { on: Option<Seq>, command: Command, answer: oneshot::Sender<Result<Seq, Error>> },
    Resync { after: Option<Seq> },
    Leave,
}

/// The sending half of a game that is followed. When all clones and the [`Updates`] are gone, the
/// game is left.
#[derive(Debug, Clone)]
pub struct Game {
    id: GameId,
    orders: mpsc::Sender<Order>,
}

impl Game {
    /// The game's number.
    pub fn id(&self) -> GameId {
        self.id
    }

    /// Sends a command and waits for what comes of it: the last event that it caused, or why it was
    /// refused. `on` is the last event that changed the position, as the sender knows it
    /// ([`GameView::position_seq`](crate::GameView::position_seq)); a move has to name it. While the connection is lost this
    /// waits.
    pub async fn send(&self, on: Option<Seq>, command: Command) -> Result<Seq, Error> {
        self.post(on, command).await?.wait().await
    }

    /// Sends a command; what comes of it can be waited for later. Commands that are posted one after
    /// another reach the server in that order.
    pub async fn post(&self, on: Option<Seq>, command: Command) -> Result<PendingAnswer, Error> {
        let (answer, answered) = oneshot::channel();
        let order = Order::Command { on, command, answer };
        self.orders.send(order).await.map_err(|_| Error::Left)?;
        Ok(PendingAnswer { answered })
    }

    /// Asks for the events after `after` once more, or for a snapshot if none.
    pub async fn resync(&self, after: Option<Seq>) -> Result<(), Error> {
        self.orders.send(Order::Resync { after }).await.map_err(|_| Error::Left)
    }

    /// Leaves the game: its updates end. Commands sent before still count.
    pub async fn leave(&self) {
        // An error: it has been left already.
        let _ = self.orders.send(Order::Leave).await;
    }
}

/// What comes of a command, not known yet.
#[derive(Debug)]
pub struct PendingAnswer {
    answered: oneshot::Receiver<Result<Seq, Error>>,
}

impl PendingAnswer {
    /// The last event that the command caused, or why it was refused.
    pub async fn wait(self) -> Result<Seq, Error> {
        self.answered.await.map_err(|_| Error::Left)?
    }
}

/// The receiving half of a game that is followed.
#[derive(Debug)]
pub struct Updates {
    updates: mpsc::Receiver<Update>,
}

impl Updates {
    /// The next update; none after the last. Nothing is lost when the future is dropped.
    pub async fn next(&mut self) -> Option<Update> {
        self.updates.recv().await
    }

    /// The next update, if one is here.
    pub fn try_next(&mut self) -> Option<Update> {
        self.updates.try_recv().ok()
    }
}

/// Starts to follow a game over whatever connection there is.
pub(crate) fn follow(
    link: watch::Receiver<Link>,
    game: GameId,
    seat: Seat,
    legal_moves: bool,
) -> (Game, Updates) {
    let (order_sender, orders) = mpsc::channel(ORDERS_MAX);
    let (update_sender, updates) = mpsc::channel(UPDATES_MAX);
    let follower = Follower {
        link,
        attach: Attach { game, seat, after: None, legal_moves },
        orders,
        updates: update_sender,
        last: None,
        asked: false,
        missed: false,
        failures: 0,
        interrupted: false,
        replay_from: None,
        snapshot_wanted: false,
        next_id: None,
        unanswered: BTreeMap::new(),
        held: Vec::new(),
    };
    tokio::spawn(follower.run());
    (Game { id: game, orders: order_sender }, Updates { updates })
}

/// A command that has been sent and not answered, or not sent yet.
struct Unanswered {
    on: Option<Seq>,
    command: Command,
    answer: oneshot::Sender<Result<Seq, Error>>,
}

/// The task of one game.
struct Follower {
    link: watch::Receiver<Link>,
    attach: Attach,
    orders: mpsc::Receiver<Order>,
    updates: mpsc::Sender<Update>,
    /// The last event that was passed on.
    last: Option<Seq>,
    /// Events are missing, and the server has been asked for them.
    asked: bool,
    /// An update found no room.
    missed: bool,
    /// Attempts in a row that nothing came of.
    failures: u32,
    /// The application knows that the connection is lost.
    interrupted: bool,
    /// The application asked to see again what comes after this event.
    replay_from: Option<Seq>,
    /// The application asked for a snapshot.
    snapshot_wanted: bool,
    /// The number of the next command; not known before the first snapshot.
    next_id: Option<u64>,
    /// Commands by their numbers, oldest first.
    unanswered: BTreeMap<u64, Unanswered>,
    /// Commands that wait for the first snapshot.
    held: Vec<Unanswered>,
}

impl Follower {
    async fn run(mut self) {
        let error = loop {
            let connection = match up(&mut self.link).await {
                Ok((connection, _)) => connection,
                Err(error) => break error,
            };
            match self.follow(&connection).await {
                Ok(()) => break Error::Left,
                // A connection that this end closed is given up by the client, which says whether another follows.
                Err(error) if error.is_final() && error != Error::Left => break error,
                Err(error) => {
                    if !self.interrupted {
                        self.interrupted = self.updates.try_send(Update::Interrupted(error)).is_ok();
                    }
                    let pause = PAUSE * 2u32.pow(self.failures.min(DOUBLINGS));
                    self.failures = self.failures.saturating_add(1);
                    tokio::select! {
                        _ = self.link.changed() => {}
                        () = tokio::time::sleep(pause) => {}
                        () = self.updates.closed(), if self.orders.is_closed() => break Error::Left,
                    }
                }
            }
        };
        for (_, command) in std::mem::take(&mut self.unanswered) {
            let _ = command.answer.send(Err(error.clone()));
        }
        self.orders.close();
        // The application may take its time, or may have gone.
        let _ = self.updates.send(Update::Ended(error)).await;
    }

    /// Follows the game over this connection. Ok: the application has left.
    async fn follow(&mut self, connection: &Connection) -> Result<(), Error> {
        // What the application asked for on the connection before and did not get comes with this one.
        let after = if self.snapshot_wanted { None } else { self.replay_from.or(self.last) };
        let attach = Attach { after, ..self.attach };
        let (mut sender, mut receiver) = connection.attach(attach).await?;
        self.asked = false;
        for (&id, Unanswered { on, command, .. }) in &self.unanswered {
            sender.command(id, *on, command.clone()).await?;
        }
        let mut orders_open = true;
        loop {
            tokio::select! {
                order = self.orders.recv(), if orders_open => match order {
                    Some(Order::Leave) => {
                        sender.finish();
                        return Ok(());
                    }
                    Some(order) => self.obey(order, &mut sender).await?,
                    None => orders_open = false,
                },
                frame = receiver.next() => match frame? {
                    Some(frame) => self.take(frame, connection, &mut sender).await?,
                    None => return Err(Error::Stream(Code::Done)),
                },
                () = room(&self.updates), if self.missed => {
                    self.missed = false;
                    self.ask(&mut sender).await?;
                }
                () = self.updates.closed(), if !orders_open => {
                    sender.finish();
                    return Ok(());
                }
            }
        }
    }

    async fn obey(&mut self, order: Order, sender: &mut GameSender) -> Result<(), Error> {
        match order {
            Order::Command { on, command, answer } => {
                let command = Unanswered { on, command, answer };
                if self.next_id.is_none() {
                    self.held.push(command);
                    return Ok(());
                }
                self.number_and_send(command, sender).await
            }
            Order::Resync { after } => {
                self.replay_from = after;
                self.snapshot_wanted = after.is_none();
                sender.resync(after).await
            }
            Order::Leave => Ok(()),
        }
    }

    /// Gives the command its number for good and sends it.
    async fn number_and_send(&mut self, command: Unanswered, sender: &mut GameSender) -> Result<(), Error> {
        let id = self.next_id.unwrap_or(0);
        self.next_id = Some(id.saturating_add(1));
        let (on, content) = (command.on, command.command.clone());
        self.unanswered.insert(id, command);
        match sender.command(id, on, content).await {
            Err(error @ Error::TooLong { .. }) => {
                if let Some(command) = self.unanswered.remove(&id) {
                    let _ = command.answer.send(Err(error));
                }
                Ok(())
            }
            other => other,
        }
    }

    async fn take(
        &mut self,
        frame: FromGame,
        connection: &Connection,
        sender: &mut GameSender,
    ) -> Result<(), Error> {
        (self.interrupted, self.failures) = (false, 0);
        let heard = Heard { at: Instant::now(), rtt: connection.rtt() };
        match frame {
            FromGame::Snapshot { now, snapshot } => {
                let (seq, last_command) = (snapshot.seq, snapshot.last_command);
                if self.pass_on(Update::Snapshot { now, snapshot, heard }) {
                    self.last = Some(seq);
                    self.asked = false;
                    self.replay_from = None;
                    self.snapshot_wanted = false;
                }
                // Numbers only go up, also those of an earlier process of the same player.
                let after_last = last_command.map_or(0, |id| id.saturating_add(1));
                self.next_id = Some(self.next_id.map_or(after_last, |next| next.max(after_last)));
                for command in std::mem::take(&mut self.held) {
                    self.number_and_send(command, sender).await?;
                }
            }
            FromGame::Events(events) => self.take_events(events, heard, sender).await?,
            FromGame::Answer { id, result } => {
                if let Some(command) = self.unanswered.remove(&id) {
                    // The sender may have given up waiting.
                    let _ = command.answer.send(result.map_err(Refusal::into));
                }
            }
            FromGame::LegalMoves { on, moves } => {
                // Without room they are left out: the next position brings its own.
                let _ = self.updates.try_send(Update::LegalMoves { on, moves: moves.into_vec() });
            }
            FromGame::TakenOver => return Err(Error::TakenOver),
        }
        Ok(())
    }

    /// Passes on the events that are new; asks for those that are missing.
    async fn take_events(
        &mut self,
        mut events: Box<Events>,
        heard: Heard,
        sender: &mut GameSender,
    ) -> Result<(), Error> {
        let count = u32::try_from(events.entries.len()).unwrap_or(u32::MAX);
        if count == 0 {
            return Ok(());
        }
        let seen = match self.replay_from {
            Some(after) if events.first <= after.next() => {
                self.replay_from = None;
                Some(after)
            }
            _ => self.last,
        };
        let expected = next_after(seen);
        if events.first > expected {
            return self.ask(sender).await;
        }
        let old = expected.0 - events.first.0;
        if old >= count {
            return Ok(());
        }
        if old > 0 {
            let entries = std::mem::take(&mut events.entries).into_vec();
            events.entries = List::cut(entries.into_iter().skip(old as usize).collect());
            events.first = expected;
        }
        let last = Seq(expected.0.saturating_add(count - old - 1));
        if self.pass_on(Update::Events { events, heard }) {
            self.last = Some(last);
            self.asked = false;
        }
        Ok(())
    }

    /// Asks for what comes after the last event, once.
    async fn ask(&mut self, sender: &mut GameSender) -> Result<(), Error> {
        if self.asked {
            return Ok(());
        }
        self.asked = true;
        sender.resync(self.last).await
    }

    /// Whether the update found room. One whose reader is gone counts as passed on.
    fn pass_on(&mut self, update: Update) -> bool {
        let full = matches!(self.updates.try_send(update), Err(mpsc::error::TrySendError::Full(_)));
        self.missed |= full;
        !full
    }
}

/// The number of the event that follows `seq`, or of the first.
fn next_after(seq: Option<Seq>) -> Seq {
    seq.map_or(Seq(0), Seq::next)
}

/// Waits until an update would find room.
async fn room(updates: &mpsc::Sender<Update>) {
    // An error: the reader is gone, which counts as room.
    let _ = updates.reserve().await;
}
