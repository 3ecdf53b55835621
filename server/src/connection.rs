//! One connection: hello, then the control stream and a stream for each game.

use crate::control;
use crate::game::stream;
use crate::hub::Peer;
use crate::identity::Identity;
use crate::outbox::Outbox;
use crate::state::Server;
use crate::stream_io::{self, FrameReader};
use quinn::{Connection, VarInt};
use std::sync::Arc;
use zeitnot_proto::close::Code;
use zeitnot_proto::codec::{self, DecodeError, Frame};
use zeitnot_proto::control::{Hello, Roles, ToClient, ToServer, Welcome};
use zeitnot_proto::limits::PAGE_MAX;
use zeitnot_proto::{List, PROTOCOL_VERSION, Text};

/// Frames that wait for a control stream, which is more than the requests that are worked on at once.
const CONTROL_OUTBOX: usize = 128;

/// Serves a connection whose handshake is done, until it ends.
pub async fn serve(server: Arc<Server>, connection: Connection) {
    server.metrics.handshakes.inc();
    // Boxed, so that the rest of a connection's life does not keep room for it.
    let welcome = Box::pin(welcome(&server, &connection));
    let welcomed = tokio::time::timeout(server.limits.hello_timeout, welcome).await;
    let (peer, reader) = match welcomed {
        Ok(Ok(welcomed)) => welcomed,
        Ok(Err(code)) => return close(&server, &connection, code),
        Err(_) => return close(&server, &connection, Code::NoHello),
    };
    let code = converse(&server, &peer, reader).await;
    peer.outbox.close(code);
    server.metrics.rtt.observe(connection.rtt().as_secs_f64());
    server.metrics.connections.dec();
    if server.hub.remove_peer(&peer) {
        server.lobby.left(&server, &peer.name);
    }
    close(&server, &connection, code);
}

/// Closes a connection, unless it is closed already.
fn close(server: &Server, connection: &Connection, code: Code) {
    if connection.close_reason().is_none() {
        if code != Code::Done {
            server.metrics.closed(code);
            tracing::debug!(code = code.name(), remote = %connection.remote_address(), "closing");
        }
        connection.close(stream_io::code(code), code.name().as_bytes());
    }
}

/// Hello and welcome.
async fn welcome(server: &Arc<Server>, connection: &Connection) -> Result<(Arc<Peer>, FrameReader), Code> {
    let (send, recv) = connection.accept_bi().await.map_err(|_| Code::Done)?;
    let mut reader = FrameReader::new(recv, &server.limits);
    let hello = read_hello(&mut reader).await?;
    if hello.protocol == 0 {
        return Err(Code::Version);
    }
    let identities = Arc::clone(&server.identities);
    let credential = hello.credential;
    let identity = tokio::task::spawn_blocking(move || identities.authenticate(&credential))
        .await
        .map_err(|_| Code::Internal)??;
    let Identity { name, roles, guest_token } = identity;
    let outbox = Arc::new(Outbox::held(send, CONTROL_OUTBOX));
    let peer =
        Arc::new(Peer { id: server.hub.next_peer_id(), name, roles, outbox, connection: connection.clone() });
    // From here on notices come: none about a game is missed between the list below and the first one.
    server.hub.add_peer(Arc::clone(&peer));
    server.metrics.connections.inc();
    let mut games = server.hub.games_of(&peer.name);
    games.truncate(PAGE_MAX);
    let welcome = Welcome {
        protocol: PROTOCOL_VERSION.min(hello.protocol),
        server: Text::cut(concat!("zeitnot-server ", env!("CARGO_PKG_VERSION"))),
        name: peer.name.clone(),
        roles,
        guest_token,
        now: crate::clock::now(),
        games: List::cut(games),
    };
    tracing::debug!(id = peer.id, name = %peer.name, client = %hello.client, "welcome");
    let bytes = codec::encode(&ToClient::Welcome(Box::new(welcome))).unwrap_or_default();
    peer.outbox.open(bytes.into());
    Ok((peer, reader))
}

async fn read_hello(reader: &mut FrameReader) -> Result<Hello, Code> {
    loop {
        if let Some(body) = reader.next_body(ToServer::MAX)? {
            return match codec::decode::<ToServer>(body) {
                Ok(ToServer::Hello(hello)) => Ok(hello),
                Ok(ToServer::Request { .. }) | Err(DecodeError::UnknownVariant(_)) => Err(Code::NoHello),
                Err(error) => Err(stream_io::code_of(&error)),
            };
        }
        if !reader.fill().await {
            return Err(Code::NoHello);
        }
    }
}

fn streams_for(server: &Server, roles: Roles) -> u32 {
    if roles.organizer || roles.arbiter || roles.admin {
        server.limits.streams_staff
    } else {
        server.limits.streams_player
    }
}

/// The control stream and the games' streams, until the control stream or the connection ends.
async fn converse(server: &Arc<Server>, peer: &Arc<Peer>, mut reader: FrameReader) -> Code {
    let controlled = control::serve(server, peer, &mut reader);
    tokio::select! {
        code = controlled => code,
        code = take_streams(server, peer) => code,
    }
}

/// Serves the streams that the client opens. quinn keeps state for every stream that it permits, so
/// permission grows with use, up to what the client's roles allow.
async fn take_streams(server: &Arc<Server>, peer: &Arc<Peer>) -> Code {
    let most = streams_for(server, peer.roles);
    let mut permitted = server.limits.streams_unknown.min(most);
    let open = Arc::new(());
    while let Ok((send, recv)) = peer.connection.accept_bi().await {
        let counted = Arc::clone(&open);
        let (server, peer_of) = (Arc::clone(server), Arc::clone(peer));
        let stream = async move {
            stream::serve(server, peer_of, send, recv).await;
            drop(counted);
        };
        tokio::spawn(stream);
        let in_use = u32::try_from(Arc::strong_count(&open)).unwrap_or(u32::MAX);
        if permitted < most && in_use.saturating_mul(2) > permitted {
            permitted = permitted.saturating_mul(2).min(most);
            peer.connection.set_max_concurrent_bi_streams(VarInt::from_u32(permitted));
        }
    }
    Code::Done
}
