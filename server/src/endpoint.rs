//! The QUIC endpoint: its parameters, and who is let in.

use crate::arrival::{Arrivals, TimedSocket};
use crate::certificate::Certificate;
use crate::connection;
use crate::limits::Limits;
use crate::state::Server;
use quinn::crypto::rustls::QuicServerConfig;
use quinn::{
    Endpoint, EndpointConfig, IdleTimeout, Incoming, Runtime as _, ServerConfig, TransportConfig, VarInt,
};
use quinn_proto::HashedConnectionIdGenerator;
use socket2::{Domain, Protocol, Socket, Type};
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

/// Socket buffers, as far as the system allows: a burst of thousands of datagrams must fit.
const SOCKET_BUFFER: usize = 8 << 20;
/// Client frames are short (16 KiB at most): what one stream may send before the server has read it.
const STREAM_WINDOW: u32 = 32 * 1024;
/// What one connection may send before the server has read it.
const CONNECTION_WINDOW: u32 = 128 * 1024;
/// What the server keeps for one connection until it is acknowledged.
const SEND_WINDOW: u64 = 1 << 20;
/// How long a handshake may take.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(5);

/// Binds the endpoint.
///
/// # Errors
/// The address is taken or not this machine's, or the certificate does not go with its key.
pub fn bind(
    address: SocketAddr,
    certificate: &Certificate,
    limits: &Limits,
    arrivals: Arc<Arrivals>,
) -> io::Result<Endpoint> {
    let mut tls =
        rustls::ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_protocol_versions(&[&rustls::version::TLS13])
            .map_err(io::Error::other)?
            .with_no_client_auth()
            .with_single_cert(certificate.chain.clone(), certificate.key.clone_key())
            .map_err(io::Error::other)?;
    tls.alpn_protocols = vec![zeitnot_proto::ALPN.to_vec()];
    // Commands must not be replayable: no 0-RTT.
    tls.max_early_data_size = 0;
    let mut config =
        ServerConfig::with_crypto(Arc::new(QuicServerConfig::try_from(tls).map_err(io::Error::other)?));
    config.transport_config(Arc::new(transport(limits)?));

    // The same keys after a restart: a client learns with its next packet that the server is new
    // (RFC 9000, 10.3), instead of waiting for its idle timeout.
    let reset_key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, &certificate.reset_key);
    let mut endpoint = EndpointConfig::new(Arc::new(reset_key));
    let connection_id_key = certificate.connection_id_key();
    endpoint.cid_generator(move || Box::new(HashedConnectionIdGenerator::from_key(connection_id_key)));
    // quinn's default would tell fifty clients a second; after a restart thousands have to know.
    endpoint.min_reset_interval(Duration::from_micros(20));
    let socket = quinn::TokioRuntime.wrap_udp_socket(socket(address)?)?;
    let socket = Arc::new(TimedSocket::new(socket, arrivals));
    Endpoint::new_with_abstract_socket(endpoint, Some(config), socket, Arc::new(quinn::TokioRuntime))
}

fn transport(limits: &Limits) -> io::Result<TransportConfig> {
    let mut transport = TransportConfig::default();
    let idle = IdleTimeout::try_from(limits.idle_timeout).map_err(io::Error::other)?;
    transport
        // Frames are far shorter than a datagram of 1200 bytes: looking for a larger one costs memory and a
        // third of a handshake's work, and gains nothing.
        .mtu_discovery_config(None)
        .max_concurrent_bidi_streams(VarInt::from_u32(limits.streams_unknown))
        .max_concurrent_uni_streams(VarInt::from_u32(0))
        .stream_receive_window(VarInt::from_u32(STREAM_WINDOW))
        .receive_window(VarInt::from_u32(CONNECTION_WINDOW))
        .send_window(SEND_WINDOW)
        .datagram_receive_buffer_size(None)
        .max_idle_timeout(Some(idle))
        .keep_alive_interval(Some(limits.keep_alive));
    Ok(transport)
}

fn socket(address: SocketAddr) -> io::Result<std::net::UdpSocket> {
    let socket = Socket::new(Domain::for_address(address), Type::DGRAM, Some(Protocol::UDP))?;
    socket.set_nonblocking(true)?;
    for (set, what) in [
        (socket.set_recv_buffer_size(SOCKET_BUFFER), "receive"),
        (socket.set_send_buffer_size(SOCKET_BUFFER), "send"),
    ] {
        if let Err(error) = set {
            tracing::debug!(%error, what, "the socket buffer stays as it is");
        }
    }
    socket.bind(&address.into())?;
    Ok(socket.into())
}

/// Lets connections in until the endpoint is closed.
pub async fn accept(endpoint: Endpoint, server: Arc<Server>) {
    while let Some(incoming) = endpoint.accept().await {
        let Some(incoming) = admit(&endpoint, &server, incoming) else { continue };
        let server = Arc::clone(&server);
        tokio::spawn(async move {
            let connecting = match incoming.accept() {
                Ok(connecting) => connecting,
                Err(error) => return tracing::debug!(%error, "not a connection"),
            };
            match tokio::time::timeout(HANDSHAKE_TIMEOUT, connecting).await {
                Ok(Ok(connection)) => connection::serve(server, connection).await,
                Ok(Err(error)) => tracing::debug!(%error, "a handshake failed"),
                Err(_) => tracing::debug!("a handshake took too long"),
            }
        });
    }
}

/// Turns newcomers away at the cap, and asks them to prove their address where many come at once.
fn admit(endpoint: &Endpoint, server: &Server, incoming: Incoming) -> Option<Incoming> {
    let open = endpoint.open_connections();
    if open >= server.limits.connections || server.is_draining() {
        server.metrics.turned_away.inc();
        incoming.refuse();
        return None;
    }
    let welcomed = usize::try_from(server.hub.peer_count()).unwrap_or(usize::MAX);
    let under_way = open.saturating_sub(welcomed);
    if under_way > server.limits.retry_above && !incoming.remote_address_validated() && incoming.may_retry() {
        server.metrics.retries.inc();
        if let Err(error) = incoming.retry() {
            tracing::debug!(%error, "no retry");
        }
        return None;
    }
    Some(incoming)
}
