//! One connection to a server: the hello, requests with ids, notices, and streams of games.
//!
//! Nothing here repairs anything: when the connection breaks, every call says so. The client that
//! comes back by itself is [`Client`](crate::Client).

use crate::error::Error;
use crate::frames::{FrameReader, FrameWriter};
use crate::stream::{GameReceiver, GameSender};
use crate::trust::Trust;
use quinn::crypto::rustls::QuicClientConfig;
use quinn::{Endpoint, EndpointConfig, TransportConfig, VarInt};
use std::collections::HashMap;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;
use zeitnot_proto::close::Code;
use zeitnot_proto::control::{Credential, Hello, Notice, Reply, Request, ToClient, ToServer, Welcome};
use zeitnot_proto::game_stream::{Attach, ToGame};
use zeitnot_proto::{ALPN, PROTOCOL_VERSION, Refusal, Text};

/// Notices that may wait for their reader; what comes beyond is dropped, with a warning in the log.
const NOTICES_MAX: usize = 1024;

/// How long the close of a connection may come after the end of its control stream, which can overtake it.
const CLOSE_AFTER_END: Duration = Duration::from_secs(2);
/// How much earlier than the next one an address of a name is tried.
const HEAD_START: Duration = Duration::from_millis(250);

/// What a socket is asked to hold, in each direction.
const SOCKET_BUFFER_BYTES: usize = 4 << 20;

/// What the server says without being asked, in order.
pub type Notices = mpsc::Receiver<Notice>;

/// How connections are kept.
#[derive(Debug, Clone)]
pub struct Tuning {
    /// Pause after which a packet is sent so that the server answers. At most five seconds while a game
    /// is live: that is how soon a client learns that the server was restarted.
    pub keep_alive: Duration,
    /// Silence after which the connection counts as lost.
    pub idle: Duration,
    /// How long one attempt to connect, the hello included, may take.
    pub attempt: Duration,
    /// Bytes that the server may send on one stream before they are read.
    pub stream_window: u32,
    /// The client's name and version, for the server's log.
    pub name: String,
}

impl Default for Tuning {
    fn default() -> Tuning {
        Tuning {
            keep_alive: Duration::from_secs(4),
            idle: Duration::from_secs(15),
            attempt: Duration::from_secs(5),
            // Two of the largest frames.
            stream_window: 512 * 1024,
            name: concat!("zeitnot-client ", env!("CARGO_PKG_VERSION")).into(),
        }
    }
}

/// Opens connections, all of them from one UDP socket for each family of addresses.
#[derive(Debug)]
pub struct Connector {
    config: quinn::ClientConfig,
    tuning: Tuning,
    endpoints: Mutex<Endpoints>,
}

#[derive(Debug, Default)]
struct Endpoints {
    v4: Option<Endpoint>,
    v6: Option<Endpoint>,
}

/// A connection with its greeting.
#[derive(Debug)]
pub struct Opened {
    /// The connection.
    pub connection: Connection,
    /// What the server said to the hello.
    pub welcome: Welcome,
    /// What it says without being asked.
    pub notices: Notices,
}

impl Connector {
    /// A connector that trusts servers in this way. Needs a tokio runtime only when it opens.
    pub fn new(trust: &Trust, tuning: Tuning) -> Result<Connector, Error> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let verifier = trust.verifier(&provider)?;
        let mut tls = rustls::ClientConfig::builder_with_provider(provider)
            .with_protocol_versions(&[&rustls::version::TLS13])
            .map_err(|e| Error::Trust(e.to_string()))?
            .dangerous()
            .with_custom_certificate_verifier(verifier)
            .with_no_client_auth();
        tls.alpn_protocols = vec![ALPN.to_vec()];
        // A replayed command would be a second move.
        tls.enable_early_data = false;
        let crypto = QuicClientConfig::try_from(tls).map_err(|e| Error::Trust(e.to_string()))?;
        let mut config = quinn::ClientConfig::new(Arc::new(crypto));
        config.transport_config(Arc::new(transport(&tuning)));
        Ok(Connector { config, tuning, endpoints: Mutex::default() })
    }

    /// Connects to `server`, `HOST:PORT`, as the bearer of `credential`.
    pub async fn open(&self, server: &str, credential: Credential) -> Result<Opened, Error> {
        let attempt = tokio::time::timeout(self.tuning.attempt, self.open_once(server, credential));
        attempt.await.unwrap_or_else(|_| Err(Error::Connection("no answer".into())))
    }

    /// A bare QUIC connection to `server`, before anything is said on it: for those who speak the
    /// protocol themselves.
    pub async fn quic(&self, server: &str) -> Result<quinn::Connection, Error> {
        let bad = |text: String| Error::Address(format!("{server}: {text}"));
        let host = server.rsplit_once(':').ok_or_else(|| bad("write HOST:PORT".into()))?.0;
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let addresses = tokio::net::lookup_host(server).await.map_err(|e| bad(e.to_string()))?;
        // A name may stand for addresses of both families while the server listens on one: the next is
        // tried before the first has failed, which over UDP takes long (RFC 8305).
        let mut attempts = JoinSet::new();
        for (address, later) in addresses.zip(0u32..) {
            let (endpoint, config, host) = (self.endpoint(address), self.config.clone(), host.to_string());
            attempts.spawn(async move {
                tokio::time::sleep(HEAD_START * later).await;
                let connecting = endpoint?.connect_with(config, address, &host);
                Ok(connecting.map_err(|e| Error::Address(format!("{address}: {e}")))?.await?)
            });
        }
        let mut outcome = Err(bad("no such host".into()));
        while let Some(attempt) = attempts.join_next().await {
            outcome = attempt.unwrap_or(Err(Error::Left));
            if outcome.as_ref().err().is_none_or(Error::is_final) {
                break;
            }
        }
        outcome
    }

    async fn open_once(&self, server: &str, credential: Credential) -> Result<Opened, Error> {
        let quic = self.quic(server).await?;
        let (send, receive) = quic.open_bi().await?;
        let (mut writer, mut reader) = (FrameWriter::new(send), FrameReader::new(receive));
        let client = Text::cut(&self.tuning.name);
        let hello = Hello { protocol: PROTOCOL_VERSION, client, credential };
        writer.write(&ToServer::Hello(hello)).await?;
        let welcome = match reader.next::<ToClient>().await? {
            Some(ToClient::Welcome(welcome)) => *welcome,
            Some(_) => return Err(Error::Protocol("the first frame was not a welcome".into())),
            None => return Err(refused(&quic).await),
        };
        let (connection, notices) = Connection::start(quic, writer, reader);
        Ok(Opened { connection, welcome, notices })
    }

    /// The socket for addresses like `address`.
    fn endpoint(&self, address: SocketAddr) -> Result<Endpoint, Error> {
        let mut endpoints = locked(&self.endpoints);
        let (slot, local) = if address.is_ipv4() {
            (&mut endpoints.v4, SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0)))
        } else {
            (&mut endpoints.v6, SocketAddr::from((Ipv6Addr::UNSPECIFIED, 0)))
        };
        if let Some(endpoint) = slot {
            return Ok(endpoint.clone());
        }
        let no_socket = |e: std::io::Error| Error::Connection(format!("no UDP socket: {e}"));
        let socket = socket2::Socket::from(std::net::UdpSocket::bind(local).map_err(no_socket)?);
        // As far as the system allows: with many connections on one socket the bursts are long. Without
        // it works too.
        let _smaller = socket.set_recv_buffer_size(SOCKET_BUFFER_BYTES);
        let _smaller = socket.set_send_buffer_size(SOCKET_BUFFER_BYTES);
        let runtime = Arc::new(quinn::TokioRuntime);
        let endpoint =
            Endpoint::new(EndpointConfig::default(), None, socket.into(), runtime).map_err(no_socket)?;
        Ok(slot.insert(endpoint).clone())
    }

    /// Waits until the servers know of all connections that were closed, so that a process can exit.
    pub async fn wait_idle(&self) {
        let (v4, v6) = {
            let endpoints = locked(&self.endpoints);
            (endpoints.v4.clone(), endpoints.v6.clone())
        };
        for endpoint in [v4, v6].into_iter().flatten() {
            endpoint.wait_idle().await;
        }
    }
}

/// QUIC for frames that are small and few; the server opens no streams.
fn transport(tuning: &Tuning) -> TransportConfig {
    let mut transport = TransportConfig::default();
    transport
        .max_concurrent_bidi_streams(VarInt::from_u32(0))
        .max_concurrent_uni_streams(VarInt::from_u32(0))
        .datagram_receive_buffer_size(None)
        .stream_receive_window(VarInt::from_u32(tuning.stream_window))
        .receive_window(VarInt::from_u32(4 * 1024 * 1024))
        .keep_alive_interval(Some(tuning.keep_alive))
        .max_idle_timeout(tuning.idle.try_into().ok());
    transport
}

/// One connection. Clones speak over the same one; when the last of them and of its games' streams is
/// gone, it is closed.
#[derive(Debug, Clone)]
pub struct Connection {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    quic: quinn::Connection,
    control: tokio::sync::Mutex<FrameWriter>,
    waiting: Arc<Mutex<Waiting>>,
}

/// Requests that wait for their replies.
#[derive(Debug, Default)]
struct Waiting {
    next_id: u32,
    replies: HashMap<u32, oneshot::Sender<Result<Reply, Refusal>>>,
    /// Why the control stream has ended: no reply will come.
    ended: Option<Error>,
}

impl Drop for Inner {
    fn drop(&mut self) {
        close(&self.quic, Code::Done);
    }
}

impl Connection {
    fn start(quic: quinn::Connection, control: FrameWriter, reader: FrameReader) -> (Connection, Notices) {
        let waiting = Arc::<Mutex<Waiting>>::default();
        let (notices, receiver) = mpsc::channel(NOTICES_MAX);
        tokio::spawn(read_control(reader, quic.clone(), waiting.clone(), notices));
        let inner = Inner { quic, control: tokio::sync::Mutex::new(control), waiting };
        (Connection { inner: Arc::new(inner) }, receiver)
    }

    /// Asks for something; the reply, or why it was refused.
    pub async fn request(&self, request: Request) -> Result<Reply, Error> {
        self.post(request).await?.wait().await
    }

    /// Sends a request; its reply can be waited for later. Requests that are posted one after another
    /// are dealt with in that order.
    pub async fn post(&self, request: Request) -> Result<PendingReply, Error> {
        let (sender, reply) = oneshot::channel();
        let id = {
            let mut waiting = locked(&self.inner.waiting);
            if let Some(error) = &waiting.ended {
                return Err(error.clone());
            }
            let id = waiting.next_id;
            waiting.next_id = id.wrapping_add(1);
            waiting.replies.insert(id, sender);
            id
        };
        let written = self.inner.control.lock().await.write(&ToServer::Request { id, request }).await;
        if let Err(error) = written {
            locked(&self.inner.waiting).replies.remove(&id);
            return Err(error);
        }
        Ok(PendingReply { reply })
    }

    /// Opens the stream of a game. What the server thinks of it comes with the first frame.
    /// Waits while as many streams are open as the server allows.
    pub async fn attach(&self, attach: Attach) -> Result<(GameSender, GameReceiver), Error> {
        let (send, receive) = self.inner.quic.open_bi().await?;
        let mut writer = FrameWriter::new(send);
        writer.write(&ToGame::Attach(attach)).await?;
        let sender = GameSender::new(writer, self.clone());
        Ok((sender, GameReceiver::new(FrameReader::new(receive), self.clone())))
    }

    /// The round-trip time as it is now estimated.
    pub fn rtt(&self) -> Duration {
        self.inner.quic.rtt()
    }

    /// The QUIC connection underneath, for measurements.
    pub fn quic(&self) -> &quinn::Connection {
        &self.inner.quic
    }

    /// Waits until the connection has ended, and says why.
    pub async fn closed(&self) -> Error {
        match self.inner.quic.closed().await {
            // This end closed it, because of how the control stream had ended or at its user's wish.
            quinn::ConnectionError::LocallyClosed => {
                locked(&self.inner.waiting).ended.clone().unwrap_or(Error::Left)
            }
            error => error.into(),
        }
    }

    /// Ends the connection; what was written and not yet sent may be lost.
    pub fn close(&self) {
        close(&self.inner.quic, Code::Done);
    }
}

/// A reply that has not come yet.
#[derive(Debug)]
pub struct PendingReply {
    reply: oneshot::Receiver<Result<Reply, Refusal>>,
}

impl PendingReply {
    /// The reply, or why it was refused. A connection that breaks leaves it [`Error::Unanswered`].
    pub async fn wait(self) -> Result<Reply, Error> {
        Ok(self.reply.await.map_err(|_| Error::Unanswered)??)
    }
}

/// Hands what comes on the control stream to those who wait for it, until the stream ends; a
/// connection without control stream is of no use, so it ends as well.
async fn read_control(
    mut reader: FrameReader,
    quic: quinn::Connection,
    waiting: Arc<Mutex<Waiting>>,
    notices: mpsc::Sender<Notice>,
) {
    let error = loop {
        match reader.next::<ToClient>().await {
            Ok(Some(ToClient::Reply { id, result })) => {
                if let Some(sender) = locked(&waiting).replies.remove(&id) {
                    // The asker may have given up.
                    let _ = sender.send(result);
                }
            }
            Ok(Some(ToClient::Notice(notice))) => {
                if let Err(mpsc::error::TrySendError::Full(notice)) = notices.try_send(notice) {
                    tracing::warn!(?notice, "nobody reads the notices: one is dropped");
                }
            }
            Ok(Some(ToClient::Welcome(_))) => break Error::Protocol("a second welcome".into()),
            Ok(None) => break Error::Connection("the server ended the control stream".into()),
            Err(error) => break error,
        }
    };
    let why = if let Error::Protocol(_) = error { Code::Malformed } else { Code::Done };
    {
        let mut waiting = locked(&waiting);
        waiting.ended = Some(error);
        waiting.replies.clear();
    }
    close(&quic, why);
}

/// Why a server that ends the control stream without a welcome does so: its close is on the way, if it is not here.
async fn refused(quic: &quinn::Connection) -> Error {
    match tokio::time::timeout(CLOSE_AFTER_END, quic.closed()).await {
        Ok(why) => why.into(),
        Err(_) => Error::Protocol("the control stream ended".into()),
    }
}

/// Closes the connection, unless it has ended already: then its reason stays as it is, for all who have
/// yet to hear of it.
fn close(quic: &quinn::Connection, why: Code) {
    if quic.close_reason().is_none() {
        quic.close(code(why), b"");
    }
}

/// A code of the protocol as QUIC carries it.
pub(crate) fn code(code: Code) -> VarInt {
    VarInt::from_u32(code.value())
}

/// The lock's value; a panic elsewhere leaves it whole, because nothing here panics while it writes.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
