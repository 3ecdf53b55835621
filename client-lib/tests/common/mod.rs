//! A peer that speaks the protocol as each test says, over real QUIC.

#![allow(dead_code, reason = "each test file uses its part")]

use quinn::{Connection, Endpoint, RecvStream, SendStream, ServerConfig, VarInt};
use rcgen::{CertificateParams, KeyPair};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use zeitnot_client::proto::close::Code;
use zeitnot_client::proto::codec::{Frame, FrameBuffer, decode, encode};
use zeitnot_client::proto::command::Party;
use zeitnot_client::proto::control::{Hello, Roles, ToClient, ToServer, Welcome};
use zeitnot_client::proto::event::Spent;
use zeitnot_client::proto::game_stream::{Attach, Events, FromGame, ToGame};
use zeitnot_client::proto::rules::{Rules, Start, Terms};
use zeitnot_client::proto::snapshot::{ClockReading, Snapshot, Status};
use zeitnot_client::proto::{
    ALPN, ByColor, Color, Entry, Event, GameId, List, PROTOCOL_VERSION, Seq, Setup, Stamp, Text,
};
use zeitnot_client::{Options, Pin, Trust};

/// How long a test waits for anything.
pub const PATIENCE: Duration = Duration::from_secs(20);

pub async fn within<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, future).await.expect("the test waited too long")
}

/// A server's socket with a certificate of its own.
pub struct Peer {
    pub endpoint: Endpoint,
    pub address: SocketAddr,
    pub pin: Pin,
    pub pem: String,
}

impl Peer {
    pub fn start() -> Peer {
        let key = KeyPair::generate().unwrap();
        let certificate =
            CertificateParams::new(vec!["localhost".to_string()]).unwrap().self_signed(&key).unwrap();
        let private = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut tls = rustls::ServerConfig::builder_with_provider(provider)
            .with_protocol_versions(&[&rustls::version::TLS13])
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], private)
            .unwrap();
        tls.alpn_protocols = vec![ALPN.to_vec()];
        let crypto = quinn::crypto::rustls::QuicServerConfig::try_from(tls).unwrap();
        let config = ServerConfig::with_crypto(Arc::new(crypto));
        let endpoint = Endpoint::server(config, (Ipv4Addr::LOCALHOST, 0).into()).unwrap();
        let address = endpoint.local_addr().unwrap();
        let pin = Pin::of_certificate(certificate.der()).unwrap();
        Peer { endpoint, address, pin, pem: certificate.pem() }
    }

    pub fn options(&self) -> Options {
        Options::new(self.address.to_string(), Trust::Pin(self.pin))
    }

    pub async fn connection(&self) -> Connection {
        within(async { self.endpoint.accept().await.unwrap().await.unwrap() }).await
    }

    /// A client's connection after its hello, which has been answered.
    pub async fn welcome(&self) -> (Guest, Hello) {
        let connection = self.connection().await;
        let mut control = Duplex::accept(&connection).await;
        let Some(ToServer::Hello(hello)) = control.next().await else { panic!("no hello") };
        let welcome = Welcome {
            protocol: PROTOCOL_VERSION,
            server: Text::cut("peer"),
            name: Text::cut("guest"),
            roles: Roles { player: true, ..Roles::default() },
            guest_token: Some(Text::cut("guest-token")),
            now: Stamp(1_000_000),
            games: List::default(),
        };
        control.send(&ToClient::Welcome(Box::new(welcome))).await;
        (Guest { connection, control }, hello)
    }
}

/// A client that has been welcomed.
pub struct Guest {
    pub connection: Connection,
    pub control: Duplex,
}

impl Guest {
    /// The next game's stream and its first frame.
    pub async fn attach(&self) -> (Duplex, Attach) {
        let mut stream = Duplex::accept(&self.connection).await;
        let Some(ToGame::Attach(attach)) = stream.next().await else { panic!("no attach") };
        (stream, attach)
    }

    pub fn close(&self, code: Code) {
        self.connection.close(VarInt::from_u32(code.value()), b"");
    }
}

/// Both halves of a stream.
pub struct Duplex {
    pub send: SendStream,
    pub receive: RecvStream,
    buffer: FrameBuffer,
}

impl Duplex {
    pub async fn accept(connection: &Connection) -> Duplex {
        let (send, receive) = within(connection.accept_bi()).await.unwrap();
        Duplex { send, receive, buffer: FrameBuffer::default() }
    }

    pub async fn next<T: Frame>(&mut self) -> Option<T> {
        loop {
            if let Some(body) = self.buffer.next_body(T::MAX).unwrap() {
                return Some(decode(body).unwrap());
            }
            match within(self.receive.read_chunk(4096, true)).await {
                Ok(Some(chunk)) => self.buffer.extend(&chunk.bytes),
                _ => return None,
            }
        }
    }

    pub async fn send<T: Frame>(&mut self, frame: &T) {
        within(self.send.write_all(&encode(frame).unwrap())).await.unwrap();
    }
}

pub fn setup() -> Setup {
    Setup {
        game: GameId(7),
        players: ByColor::new(Text::cut("anna"), Text::cut("bela")),
        terms: Terms {
            time_control: "300+3".parse().unwrap(),
            rules: Rules::default(),
            start: Start::default(),
            spectator_delay_us: 0,
        },
        event: Text::default(),
        round: Text::default(),
    }
}

pub fn reading() -> ClockReading {
    ClockReading {
        main_us: ByColor::both(300_000_000),
        running: Some(Color::White),
        began: Some(Stamp(1)),
        delay_us: 0,
    }
}

/// The game at its first move, with events up to `seq`.
pub fn snapshot(seq: u32, last_command: Option<u64>) -> FromGame {
    let snapshot = Snapshot {
        setup: setup(),
        seq: Seq(seq),
        position_seq: Seq(0),
        fen: Text::cut(zeitnot_client::board::INITIAL_FEN),
        moves: List::default(),
        completed: ByColor::both(0),
        period: ByColor::both(1),
        clock: reading(),
        status: Status::Playing,
        offer: None,
        takeback: None,
        claim: None,
        bound_to: None,
        present: ByColor::both(true),
        last_command,
    };
    FromGame::Snapshot { now: Stamp(2_000_000), snapshot: Box::new(snapshot) }
}

/// A decision of `count` events, the first of which has the number `first`.
pub fn events(first: u32, count: usize) -> FromGame {
    let entry = Entry { article: None, event: Event::DrawDeclined { side: Color::Black } };
    frame(first, vec![entry; count])
}

/// A completed move.
pub fn moved(first: u32, side: Color, mv: &str) -> FromGame {
    let event = Event::MoveCompleted {
        side,
        mv: mv.parse().unwrap(),
        spent: Spent::default(),
        clocks_us: ByColor::both(300_000_000),
    };
    frame(first, vec![Entry { article: None, event }])
}

pub fn frame(first: u32, entries: Vec<Entry>) -> FromGame {
    FromGame::Events(Box::new(Events {
        first: Seq(first),
        at: Stamp(2_000_000),
        by: Party::White,
        position_seq: Seq(first),
        entries: List::cut(entries),
        clock: reading(),
        now: Stamp(2_000_000),
    }))
}
