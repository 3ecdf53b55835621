//! Puts a server together, and takes it down again.

use crate::certificate::Certificate;
use crate::config::Config;
use crate::data_dir::DataDir;
use crate::endpoint;
use crate::game::actor::ToActor;
use crate::http;
use crate::hub::Hub;
use crate::identity::Identities;
use crate::journal::{Journal, Options, SqliteJournal};
use crate::lobby::Lobby;
use crate::metrics::Metrics;
use crate::recovery;
use crate::state::Server;
use crate::stream_io;
use crate::tournament::{self, Tournaments};
use quinn::Endpoint;
use std::error::Error;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::net::TcpListener;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{Semaphore, broadcast, watch};
use tokio::task::JoinHandle;
use zeitnot_proto::close::Code;
use zeitnot_proto::control::Notice;

/// A server that runs.
pub struct Running {
    /// What its tasks share.
    pub server: Arc<Server>,
    /// Where it listens.
    pub address: SocketAddr,
    /// Where it answers over HTTP, if it does.
    pub http: Option<SocketAddr>,
    /// SHA-256 of its certificate's public key, in hex.
    pub pin: String,
    /// Games that were under way when it last stopped.
    pub recovered: usize,
    endpoint: Endpoint,
    tasks: Vec<JoinHandle<()>>,
}

/// Starts a server: when this returns, clients can connect.
///
/// # Errors
/// What could not be opened, bound or read, in words for whoever started it.
pub async fn start(config: &Config) -> Result<Running, Box<dyn Error + Send + Sync>> {
    let data = DataDir::create(&config.data)?;
    let certificate = Certificate::load_or_make(&data, config)?;
    let metrics = Metrics::new()?;
    let options = Options { observer: Some(metrics.journal_observer()), ..Options::default() };
    let journal: Arc<dyn Journal> = Arc::new(SqliteJournal::open(&data, options)?);
    // Before anything is stamped: no stamp at or before the last durable one.
    crate::clock::continue_after(journal.last_durable()?);
    let identities = Identities::open(&data, config.guests)?;
    let store_health = journal.health();
    let server = Arc::new(Server {
        limits: config.limits.clone(),
        comforts: config.comforts,
        metrics,
        journal,
        identities,
        arrivals: Arc::default(),
        hub: Hub::default(),
        lobby: Lobby::default(),
        tournaments: Tournaments::default(),
        mate_searches: Arc::new(Semaphore::new(config.limits.mate_searches)),
        store_health,
        draining: watch::Sender::new(false),
        recovered: AtomicBool::new(false),
    });
    let mut tasks = Vec::new();
    let http = match config.http {
        Some(address) => {
            let listener =
                TcpListener::bind(address).await.map_err(|error| format!("HTTP on {address}: {error}"))?;
            let bound = listener.local_addr()?;
            tasks.push(tokio::spawn(http::serve(listener, Arc::clone(&server))));
            Some(bound)
        }
        None => None,
    };
    let endpoint = endpoint::bind(config.listen, &certificate, &config.limits, Arc::clone(&server.arrivals))
        .map_err(|error| format!("QUIC on {}: {error}", config.listen))?;
    let address = endpoint.local_addr()?;
    let recovered = recovery::recover(&server).await?;
    tournament::recover(&server).await?;
    server.recovered.store(true, Ordering::Release);
    tasks.push(tokio::spawn(watch_revocations(Arc::clone(&server))));
    tasks.push(tokio::spawn(watch_store(Arc::clone(&server))));
    tasks.push(tokio::spawn(endpoint::accept(endpoint.clone(), Arc::clone(&server))));
    Ok(Running { server, address, http, pin: certificate.pin.clone(), recovered, endpoint, tasks })
}

impl Running {
    /// Takes the server down in order: no new games, clocks stopped, clients told when to come back,
    /// everything durable.
    pub async fn drain(self, within: Duration, retry_after: Duration) {
        let Running { server, endpoint, tasks, .. } = self;
        tracing::info!("draining");
        server.draining.send_replace(true);
        tell_games(&server, || ToActor::Drain);
        let retry_after_us = u64::try_from(retry_after.as_micros()).unwrap_or(u64::MAX);
        let deadline = Instant::now() + within;
        let stopped = |server: &Server| {
            let open = server.hub.games().len();
            server.hub.drained.load(Ordering::Relaxed) >= open
        };
        while !stopped(&server) && Instant::now() < deadline {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        for peer in server.hub.all_peers() {
            peer.notify(Notice::Draining { retry_after_us });
        }
        // What was written last has to get out before the connections are closed.
        tokio::time::sleep(Duration::from_millis(100)).await;
        endpoint.close(stream_io::code(Code::Draining), b"draining");
        let left = deadline.saturating_duration_since(Instant::now());
        if tokio::time::timeout(left.max(Duration::from_millis(200)), endpoint.wait_idle()).await.is_err() {
            tracing::debug!("some connections did not close in time");
        }
        for task in tasks {
            task.abort();
        }
    }
}

/// Cuts off those whose token was revoked while they were here.
async fn watch_revocations(server: Arc<Server>) {
    let mut revoked = server.identities.revoked();
    loop {
        match revoked.recv().await {
            Ok(name) => {
                for peer in server.hub.peers_of(&name) {
                    server.metrics.closed(Code::Revoked);
                    tracing::info!(name = %peer.name, "token revoked: connection closed");
                    peer.connection.close(stream_io::code(Code::Revoked), b"revoked");
                }
            }
            Err(broadcast::error::RecvError::Lagged(missed)) => {
                tracing::warn!(missed, "revocations were missed; their tokens are refused at the next hello");
            }
            Err(broadcast::error::RecvError::Closed) => return,
        }
    }
}

/// Tells everybody whether the store takes records: the log, the metrics, the games.
async fn watch_store(server: Arc<Server>) {
    let mut health = server.store_health.clone();
    server.metrics.store_up.set(i64::from(*health.borrow()));
    while health.changed().await.is_ok() {
        let up = *health.borrow_and_update();
        server.metrics.store_up.set(i64::from(up));
        if up {
            tracing::info!("the store takes records again: games go on");
        } else {
            tracing::error!("the store takes nothing: clocks stand and no game is created until it does");
        }
        tell_games(&server, || ToActor::Store { up });
    }
}

/// Tells every game something, whatever it is doing.
fn tell_games(server: &Server, message: impl Fn() -> ToActor) {
    for handle in server.hub.games() {
        // A game whose mailbox is full is told as soon as there is room, and keeps no other waiting.
        if let Err(TrySendError::Full(message)) = handle.mailbox.try_send(message()) {
            tokio::spawn(async move { handle.mailbox.send(message).await });
        }
    }
}
