//! One game's stream on one connection, frame by frame.

use crate::connection::Connection;
use crate::error::Error;
use crate::frames::{FrameReader, FrameWriter};
use zeitnot_proto::Seq;
use zeitnot_proto::command::Command;
use zeitnot_proto::game_stream::{FromGame, ToGame};

/// The sending half. Dropping both halves leaves the game.
#[derive(Debug)]
pub struct GameSender {
    writer: FrameWriter,
    _connection: Connection,
}

impl GameSender {
    pub(crate) fn new(writer: FrameWriter, connection: Connection) -> GameSender {
        GameSender { writer, _connection: connection }
    }

    /// Sends a command under the number `id`, about the position that the event `on` brought about.
    pub async fn command(&mut self, id: u64, on: Option<Seq>, command: Command) -> Result<(), Error> {
        self.writer.write(&ToGame::Command { id, on, command }).await
    }

    /// Asks for the events after `after`, or for a snapshot if none.
    pub async fn resync(&mut self, after: Option<Seq>) -> Result<(), Error> {
        self.writer.write(&ToGame::Resync { after }).await
    }

    /// Leaves the game after what has been sent.
    pub fn finish(&mut self) {
        self.writer.finish();
    }
}

/// The receiving half.
#[derive(Debug)]
pub struct GameReceiver {
    reader: FrameReader,
    connection: Connection,
}

impl GameReceiver {
    pub(crate) fn new(reader: FrameReader, connection: Connection) -> GameReceiver {
        GameReceiver { reader, connection }
    }

    /// The next frame; none when the server has ended the stream. Nothing is lost when the future is
    /// dropped.
    pub async fn next(&mut self) -> Result<Option<FromGame>, Error> {
        self.reader.next().await
    }

    /// The connection that this stream is of.
    pub fn connection(&self) -> &Connection {
        &self.connection
    }
}
