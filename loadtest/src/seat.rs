//! A reader's stream of a game, with his own book of it.

use crate::book::{Book, News};
use crate::measure::Meter;
use crate::site::PATIENCE;
use zeitnot_client::Error;
use zeitnot_client::connection::Connection;
use zeitnot_client::stream::{GameReceiver, GameSender};
use zeitnot_proto::game_stream::{Attach, FromGame, Seat};
use zeitnot_proto::{Command, GameId, Refusal, Seq};

/// What came on the stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Came {
    /// Events, which agree with the book.
    News(News),
    /// The answer to the command of this number.
    Answer(u64, Result<Seq, Refusal>),
    /// Something else.
    Other,
}

/// A command that is under way, to be sent again if its answer does not come.
#[derive(Debug, Clone)]
pub struct Sent {
    /// Its number.
    pub id: u64,
    on: Option<Seq>,
    command: Command,
    /// When it was sent, by the meter's time.
    pub at_us: i64,
}

/// A seat at a board, or beside it.
pub struct SeatAt {
    /// What this reader knows of the game.
    pub book: Book,
    game: GameId,
    seat: Seat,
    sender: GameSender,
    receiver: GameReceiver,
    commands: u64,
}

fn wrong(what: String) -> Error {
    Error::Protocol(what)
}

impl SeatAt {
    /// Attaches to a game.
    ///
    /// # Errors
    /// Why it could not.
    pub async fn take(connection: &Connection, game: GameId, seat: Seat) -> Result<SeatAt, Error> {
        let attach = Attach { game, seat, after: None, legal_moves: false };
        let (sender, mut receiver) = connection.attach(attach).await?;
        match within(receiver.next()).await? {
            FromGame::Snapshot { snapshot, .. } => {
                let commands = snapshot.last_command.unwrap_or(0);
                Ok(SeatAt { book: Book::open(&snapshot), game, seat, sender, receiver, commands })
            }
            _ => Err(wrong("a snapshot was due".into())),
        }
    }

    /// Attaches again on a new connection, after the last event of the book.
    ///
    /// # Errors
    /// Why it could not.
    pub async fn take_again(&mut self, connection: &Connection) -> Result<(), Error> {
        let after = Some(self.book.last);
        let attach = Attach { game: self.game, seat: self.seat, after, legal_moves: false };
        (self.sender, self.receiver) = connection.attach(attach).await?;
        self.book.catch_up();
        Ok(())
    }

    /// What comes next. Everything has to agree with the book.
    ///
    /// # Errors
    /// The stream ended, nothing came for too long, or what came is wrong.
    pub async fn next(&mut self, meter: &Meter) -> Result<Came, Error> {
        match within(self.receiver.next()).await? {
            FromGame::Events(events) => {
                let news = self.book.take(&events).map_err(wrong)?;
                Ok(Came::News(news))
            }
            FromGame::Snapshot { snapshot, .. } => {
                meter.count(|tally| tally.resyncs += 1);
                self.book.reopen(&snapshot).map_err(wrong)?;
                Ok(Came::Other)
            }
            FromGame::Answer { id, result } => Ok(Came::Answer(id, result)),
            FromGame::LegalMoves { .. } | FromGame::TakenOver => Ok(Came::Other),
        }
    }

    /// Sends a command about the position as the book has it.
    ///
    /// # Errors
    /// The stream or the connection has ended.
    pub async fn send(&mut self, meter: &Meter, command: Command) -> Result<Sent, Error> {
        let on = command.names_position().then_some(self.book.position);
        self.send_on(meter, on, command).await
    }

    /// Sends a command about the position after the event `on`.
    ///
    /// # Errors
    /// The stream or the connection has ended.
    pub async fn send_on(&mut self, meter: &Meter, on: Option<Seq>, command: Command) -> Result<Sent, Error> {
        self.commands += 1;
        let sent = Sent { id: self.commands, on, command, at_us: meter.now_us() };
        self.sender.command(sent.id, sent.on, sent.command.clone()).await?;
        Ok(sent)
    }

    /// Sends a command again under its old number.
    ///
    /// # Errors
    /// The stream or the connection has ended.
    pub async fn send_again(&mut self, sent: &Sent) -> Result<(), Error> {
        self.sender.command(sent.id, sent.on, sent.command.clone()).await
    }

    /// The answer to a command, and what the events before it said.
    ///
    /// # Errors
    /// As of [`SeatAt::next`].
    pub async fn answer(
        &mut self,
        meter: &Meter,
        sent: &Sent,
    ) -> Result<(Result<Seq, Refusal>, News), Error> {
        let mut all = News::default();
        loop {
            match self.next(meter).await? {
                Came::News(news) => {
                    if let (Some((_, mv, at)), Command::Move { mv: own, .. }) = (news.moved, &sent.command)
                        && mv == *own
                    {
                        meter.stamped(at, sent.at_us, meter.now_us());
                    }
                    all = News {
                        moved: news.moved.or(all.moved),
                        flag_fell: news.flag_fell || all.flag_fell,
                        claim_rejected: news.claim_rejected || all.claim_rejected,
                        ended: news.ended || all.ended,
                    };
                }
                Came::Answer(id, result) if id == sent.id => {
                    if let (Err(Refusal::GameOver | Refusal::ClocksPaused), Some((_, flag))) =
                        (result, self.book.flag)
                        && let Command::Move { .. } = sent.command
                    {
                        // What came before the flag would have stood.
                        meter.stamped_after(flag, meter.now_us());
                    }
                    return Ok((result, all));
                }
                Came::Answer(..) | Came::Other => {}
            }
        }
    }
}

/// A frame, if it comes in time.
async fn within(next: impl Future<Output = Result<Option<FromGame>, Error>>) -> Result<FromGame, Error> {
    let next = tokio::time::timeout(PATIENCE, next).await;
    let next = next.map_err(|_| Error::Connection("nothing comes any more".into()))?;
    next?.ok_or_else(|| Error::Protocol("the stream ended".into()))
}
