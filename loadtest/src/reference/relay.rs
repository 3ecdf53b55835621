//! A bare QUIC relay: what a server of games would cost if it were nothing but its transport.
//!
//! It knows no laws and keeps no journal. A command that comes in is answered at once: the mover gets an
//! event and an answer, the opponent and every spectator the event, in frames as long as those of a real
//! server. The transport's parameters are the server's. With a log, the event is appended to a file and
//! made durable before anything is sent; appends that come together share one `fdatasync`.
//!
//! It runs as a process of its own, so that its CPU time is measured as a server's is.

use super::frames::Frames;
use bytes::Bytes;
use quinn::crypto::rustls::QuicServerConfig;
use quinn::{
    Connection, Endpoint, EndpointConfig, IdleTimeout, RecvStream, SendStream, ServerConfig, TransportConfig,
    VarInt,
};
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::mpsc as blocking;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock, Weak};
use std::time::Duration;
use tokio::io::AsyncReadExt as _;
use tokio::sync::oneshot;
use zeitnot_client::Pin;
use zeitnot_proto::codec::{self, Frame as _, FrameBuffer};
use zeitnot_proto::game_stream::{Attach, Seat, ToGame};

/// Most bytes taken from a stream at once.
const CHUNK: usize = 4096;
/// Streams of one connection at once: the control stream and a few games.
const STREAMS: u32 = 8;

/// How the relay is started; the program starts itself so.
#[derive(Debug, Clone, clap::Args)]
pub struct Options {
    /// Append every event to a file in this directory, and make it durable before anything is sent.
    #[arg(long)]
    pub log_in: Option<PathBuf>,
}

/// Relays until its standard input ends, having said on its standard output where and with which pin.
///
/// # Errors
/// Why it could not start.
pub async fn run(options: &Options) -> Result<(), String> {
    let log = options.log_in.as_ref().map(|dir| Log::start(dir.join("relay.log"))).transpose();
    let log = log.map_err(|e| format!("the relay's log: {e}"))?;
    let (config, pin) = server_config().map_err(|e| format!("the relay's certificate: {e}"))?;
    let endpoint = bind(config).map_err(|e| format!("the relay's socket: {e}"))?;
    let address = endpoint.local_addr().map_err(|e| e.to_string())?;
    println!("{address} {pin}");
    let relay = Arc::new(Relay { frames: Frames::new(), boards: Mutex::default(), log });
    let accepting = async {
        while let Some(incoming) = endpoint.accept().await {
            let relay = Arc::clone(&relay);
            tokio::spawn(async move {
                if let Ok(connection) = incoming.await {
                    serve(relay, connection).await;
                }
            });
        }
    };
    let mut input = tokio::io::stdin();
    let ended = async { while input.read(&mut [0; 64]).await.is_ok_and(|read| read > 0) {} };
    tokio::select! {
        () = accepting => {}
        () = ended => {}
    }
    Ok(())
}

fn server_config() -> Result<(ServerConfig, Pin), Box<dyn std::error::Error>> {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()])?;
    let certificate = made.cert.der().clone();
    let pin = Pin::of_certificate(&certificate)?;
    let key = rustls::pki_types::PrivateKeyDer::Pkcs8(made.signing_key.serialize_der().into());
    let mut tls =
        rustls::ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_protocol_versions(&[&rustls::version::TLS13])?
            .with_no_client_auth()
            .with_single_cert(vec![certificate], key)?;
    tls.alpn_protocols = vec![zeitnot_proto::ALPN.to_vec()];
    let mut config = ServerConfig::with_crypto(Arc::new(QuicServerConfig::try_from(tls)?));
    // As `endpoint.rs` of the server has it.
    let mut transport = TransportConfig::default();
    transport
        .mtu_discovery_config(None)
        .max_concurrent_bidi_streams(VarInt::from_u32(STREAMS))
        .max_concurrent_uni_streams(VarInt::from_u32(0))
        .stream_receive_window(VarInt::from_u32(32 * 1024))
        .receive_window(VarInt::from_u32(128 * 1024))
        .send_window(1 << 20)
        .datagram_receive_buffer_size(None)
        .max_idle_timeout(Some(IdleTimeout::try_from(Duration::from_secs(15))?))
        .keep_alive_interval(Some(Duration::from_secs(5)));
    config.transport_config(Arc::new(transport));
    Ok((config, pin))
}

fn bind(config: ServerConfig) -> io::Result<Endpoint> {
    let socket = std::net::UdpSocket::bind(SocketAddr::from(([127, 0, 0, 1], 0)))?;
    let socket = socket2::Socket::from(socket);
    // As far as the system allows.
    let _smaller = socket.set_recv_buffer_size(8 << 20);
    let _smaller = socket.set_send_buffer_size(8 << 20);
    let runtime = Arc::new(quinn::TokioRuntime);
    Endpoint::new(EndpointConfig::default(), Some(config), socket.into(), runtime)
}

struct Relay {
    frames: Frames,
    boards: Mutex<HashMap<u64, Weak<Board>>>,
    log: Option<Log>,
}

/// The sending half of somebody's stream; whoever has something for him writes to it.
type Out = tokio::sync::Mutex<SendStream>;

/// A game: the two who play, in the order in which they came, and those who watch.
#[derive(Default)]
struct Board {
    players: [OnceLock<Arc<Out>>; 2],
    watchers: RwLock<Arc<Vec<Arc<Out>>>>,
}

impl Relay {
    fn board(&self, game: u64) -> Arc<Board> {
        let mut boards = self.boards.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(board) = boards.get(&game).and_then(Weak::upgrade) {
            return board;
        }
        let board = Arc::<Board>::default();
        boards.insert(game, Arc::downgrade(&board));
        board
    }

    /// Forgets a game when the last one leaves it.
    fn leave(&self, game: u64, board: Arc<Board>) {
        let mut boards = self.boards.lock().unwrap_or_else(PoisonError::into_inner);
        drop(board);
        if boards.get(&game).is_some_and(|board| board.strong_count() == 0) {
            boards.remove(&game);
        }
    }
}

/// A control stream that says welcome, and streams of games.
async fn serve(relay: Arc<Relay>, connection: Connection) {
    let Ok((mut control, hello)) = connection.accept_bi().await else { return };
    let mut hello = Incoming::new(hello);
    let first = hello.first().await;
    if first.is_none() || control.write_all(&relay.frames.welcome).await.is_err() {
        return;
    }
    while let Ok((send, receive)) = connection.accept_bi().await {
        let relay = Arc::clone(&relay);
        tokio::spawn(async move { game(&relay, send, receive).await });
    }
}

/// The receiving half of a stream.
struct Incoming {
    stream: RecvStream,
    buffer: FrameBuffer,
}

impl Incoming {
    fn new(stream: RecvStream) -> Incoming {
        Incoming { stream, buffer: FrameBuffer::default() }
    }

    /// Waits for bytes; none at the end of the stream or of its connection.
    async fn fill(&mut self) -> Option<()> {
        let chunk = self.stream.read_chunk(CHUNK, true).await.ok()??;
        self.buffer.extend(&chunk.bytes);
        Some(())
    }

    /// How many whole frames came that were not counted yet. They are not looked into.
    fn count(&mut self) -> usize {
        std::iter::from_fn(|| self.buffer.next_body(ToGame::MAX).ok()?.map(drop)).count()
    }

    /// The body of the first frame.
    async fn first(&mut self) -> Option<Vec<u8>> {
        loop {
            self.fill().await?;
            if let Some(body) = self.buffer.next_body(ToGame::MAX).ok()? {
                return Some(body.to_vec());
            }
        }
    }
}

/// One stream of a game, until it ends.
async fn game(relay: &Relay, send: SendStream, receive: RecvStream) {
    let mut incoming = Incoming::new(receive);
    let first = incoming.first().await;
    let Some(Ok(ToGame::Attach(attach))) = first.map(|body| codec::decode::<ToGame>(&body)) else { return };
    let out = Arc::new(tokio::sync::Mutex::new(send));
    if out.lock().await.write_all(&relay.frames.snapshot).await.is_err() {
        return;
    }
    let board = relay.board(attach.game.0);
    let opponent = take_seat(&board, attach, &out);
    while let Some(()) = incoming.fill().await {
        for _ in 0..incoming.count() {
            if let Some(opponent) = opponent {
                let _gone = relay_move(relay, &board, &out, opponent).await;
            }
        }
    }
    // It has ended already if the other side is gone.
    let _ended = out.lock().await.finish();
    relay.leave(attach.game.0, board);
}

/// Which of the players the opponent is; none for a spectator.
fn take_seat(board: &Board, attach: Attach, out: &Arc<Out>) -> Option<usize> {
    if attach.seat == Seat::Player {
        (0..2).find(|&seat| board.players[seat].set(Arc::clone(out)).is_ok()).map(|seat| 1 - seat)
    } else {
        let mut watchers = board.watchers.write().unwrap_or_else(PoisonError::into_inner);
        Arc::make_mut(&mut watchers).push(Arc::clone(out));
        None
    }
}

/// An event and an answer to the mover, the event to everybody else. None where the mover is gone.
async fn relay_move(relay: &Relay, board: &Board, mover: &Out, opponent: usize) -> Option<()> {
    if let Some(log) = &relay.log {
        log.append(relay.frames.event.clone()).await?;
    }
    let event = &relay.frames.event;
    mover.lock().await.write_all_chunks(&mut [relay.frames.event_and_answer.clone()]).await.ok()?;
    if let Some(other) = board.players[opponent].get() {
        // Whoever is gone misses it.
        let _gone = other.lock().await.write_all_chunks(&mut [event.clone()]).await;
    }
    let watchers = Arc::clone(&board.watchers.read().unwrap_or_else(PoisonError::into_inner));
    for watcher in watchers.iter() {
        let _gone = watcher.lock().await.write_all_chunks(&mut [event.clone()]).await;
    }
    Some(())
}

/// A file that is appended to; what comes together becomes durable together.
struct Log(blocking::Sender<(Bytes, oneshot::Sender<()>)>);

impl Log {
    fn start(path: PathBuf) -> io::Result<Log> {
        let file = File::options().create(true).append(true).open(path)?;
        let (sender, appends) = blocking::channel();
        std::thread::spawn(move || write_groups(file, &appends));
        Ok(Log(sender))
    }

    /// Returns when the bytes are durable; none if they cannot be.
    async fn append(&self, bytes: Bytes) -> Option<()> {
        let (sender, durable) = oneshot::channel();
        self.0.send((bytes, sender)).ok()?;
        durable.await.ok()
    }
}

fn write_groups(mut file: File, appends: &blocking::Receiver<(Bytes, oneshot::Sender<()>)>) {
    while let Ok(first) = appends.recv() {
        let group: Vec<_> = std::iter::once(first).chain(appends.try_iter()).collect();
        let bytes: Vec<u8> = group.iter().flat_map(|(bytes, _)| bytes.iter().copied()).collect();
        if file.write_all(&bytes).and_then(|()| file.sync_data()).is_err() {
            // Those who wait learn from their closed channels.
            return;
        }
        for (_, durable) in group {
            // The connection may have ended meanwhile.
            let _gone = durable.send(());
        }
    }
}
