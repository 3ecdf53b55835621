//! A client that may say anything: bytes and frames over QUIC, in order or not.

use crate::server::Contact;
use quinn::{RecvStream, SendStream, VarInt};
use std::time::Duration;
use zeitnot_client::connection::{Connector, Tuning};
use zeitnot_proto::close::Code;
use zeitnot_proto::codec::{self, Frame, FrameBuffer};
use zeitnot_proto::control::{Credential, Hello, Reply, Request, ToClient, ToServer, Welcome};
use zeitnot_proto::game_stream::{Attach, FromGame, ToGame};
use zeitnot_proto::{PROTOCOL_VERSION, Refusal, Text};

/// How long a test waits for anything: longer than it takes to find out that a connection is lost.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// How an end was told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The stream was finished.
    Finished,
    /// The stream was reset with this code.
    Reset(Option<Code>),
    /// The connection was closed with this code.
    Closed(Option<Code>),
    /// The connection ended otherwise: a stateless reset, silence.
    Lost,
}

/// A stream, both ways, with whatever has been read of it.
pub struct Stream {
    /// The sending half.
    pub send: SendStream,
    /// The receiving half.
    pub recv: RecvStream,
    buffer: FrameBuffer,
}

impl Stream {
    /// Sends bytes as they are.
    pub async fn send_bytes(&mut self, bytes: &[u8]) {
        // A stream that the server has ended shows in what is read.
        let _ended = self.send.write_all(bytes).await;
    }

    /// Sends a frame.
    pub async fn send<T: Frame>(&mut self, frame: &T) {
        self.send_bytes(&codec::encode(frame).unwrap()).await;
    }

    /// The next frame, or how the stream ended.
    pub async fn next<T: Frame>(&mut self) -> Result<T, End> {
        let next = async {
            loop {
                if let Some(body) = self.buffer.next_body(T::MAX).unwrap() {
                    return Ok(codec::decode(body).unwrap());
                }
                match self.recv.read_chunk(64 * 1024, true).await {
                    Ok(Some(chunk)) => self.buffer.extend(&chunk.bytes),
                    Ok(None) => return Err(End::Finished),
                    Err(quinn::ReadError::Reset(code)) => return Err(End::Reset(named(code))),
                    Err(quinn::ReadError::ConnectionLost(error)) => return Err(end_of(&error)),
                    Err(error) => panic!("{error}"),
                }
            }
        };
        tokio::time::timeout(PATIENCE, next).await.expect("a frame or an end was due")
    }

    /// Reads until the stream ends, and says how.
    pub async fn end<T: Frame>(&mut self) -> End {
        loop {
            if let Err(end) = self.next::<T>().await {
                return end;
            }
        }
    }
}

/// A connection on which nothing has to be as it should.
pub struct Raw {
    /// The connection.
    pub quic: quinn::Connection,
    _connector: Connector,
}

impl Raw {
    /// Connects, and says nothing yet.
    pub async fn connect(server: impl Into<Contact>) -> Raw {
        Raw::tuned(server, Tuning::default()).await
    }

    /// Connects, if there is a server now.
    ///
    /// # Errors
    /// Why no connection came about.
    pub async fn try_connect(contact: Contact, tuning: Tuning) -> Result<Raw, zeitnot_client::Error> {
        let connector = Connector::new(&contact.trust(), tuning)?;
        let authority = contact.authority();
        let connecting = tokio::time::timeout(PATIENCE, connector.quic(&authority));
        let quic = connecting.await.map_err(|_| zeitnot_client::Error::Connection("no answer".into()))??;
        Ok(Raw { quic, _connector: connector })
    }

    /// Connects with another keep-alive or idle timeout.
    pub async fn tuned(server: impl Into<Contact>, tuning: Tuning) -> Raw {
        Raw::try_connect(server.into(), tuning).await.unwrap()
    }

    /// Connects and says hello.
    pub async fn hello(server: impl Into<Contact>, credential: Credential) -> (Raw, Stream, Welcome) {
        let raw = Raw::connect(server).await;
        let mut control = raw.open().await;
        control.send(&ToServer::Hello(hello(credential))).await;
        match control.next::<ToClient>().await {
            Ok(ToClient::Welcome(welcome)) => (raw, control, *welcome),
            other => panic!("a welcome was due, {other:?} came"),
        }
    }

    /// Opens a stream. The first is the control stream.
    pub async fn open(&self) -> Stream {
        let opened = tokio::time::timeout(PATIENCE, self.quic.open_bi()).await;
        let (send, recv) = opened.expect("there is room for a stream").unwrap();
        Stream { send, recv, buffer: FrameBuffer::default() }
    }

    /// Opens a stream that the server knows of at once, because a byte is on it; waits while there is no
    /// room for one.
    pub async fn open_stream(&self) -> (SendStream, RecvStream) {
        let (mut send, recv) = self.quic.open_bi().await.unwrap();
        send.write_all(&[0x10]).await.unwrap();
        (send, recv)
    }

    /// Opens the stream of a game.
    pub async fn attach(&self, attach: Attach) -> Stream {
        let mut stream = self.open().await;
        stream.send(&ToGame::Attach(attach)).await;
        stream
    }

    /// Waits until the server closes the connection, and says how.
    pub async fn closed(&self) -> End {
        let closed = tokio::time::timeout(PATIENCE, self.quic.closed()).await;
        end_of(&closed.expect("the connection was to be closed"))
    }
}

/// A hello of this version.
pub fn hello(credential: Credential) -> Hello {
    Hello { protocol: PROTOCOL_VERSION, client: Text::cut("zeitnot-tests"), credential }
}

/// Asks for something on a control stream; notices on the way are dropped.
pub async fn request(control: &mut Stream, id: u32, request: Request) -> Result<Reply, Refusal> {
    control.send(&ToServer::Request { id, request }).await;
    loop {
        match control.next::<ToClient>().await {
            Ok(ToClient::Reply { id: of, result }) if of == id => return result,
            Ok(_) => {}
            Err(end) => panic!("a reply was due, the stream ended: {end:?}"),
        }
    }
}

/// The answer to a command that was sent on a game's stream; other frames on the way are dropped.
pub async fn answer(stream: &mut Stream, id: u64) -> Result<zeitnot_proto::Seq, Refusal> {
    loop {
        match stream.next::<FromGame>().await {
            Ok(FromGame::Answer { id: of, result }) if of == id => return result,
            Ok(_) => {}
            Err(end) => panic!("an answer was due, the stream ended: {end:?}"),
        }
    }
}

fn named(code: VarInt) -> Option<Code> {
    Code::from_value(code.into_inner())
}

fn end_of(error: &quinn::ConnectionError) -> End {
    match error {
        quinn::ConnectionError::ApplicationClosed(close) => End::Closed(named(close.error_code)),
        _ => End::Lost,
    }
}
