//! A client whose connection comes back by itself.
//!
//! One task keeps the connection: when it breaks, it connects again with growing pauses, as the same
//! identity, until it succeeds or the server turns it away for good. Games that are followed notice
//! the new connection and attach again from the last event they have.

use crate::connection::{Connection, Connector, Notices, Opened, PendingReply, Tuning};
use crate::error::Error;
use crate::game::{self, Game, Updates};
use crate::trust::Trust;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use zeitnot_proto::GameId;
use zeitnot_proto::control::{Credential, Notice, Reply, Request, Welcome};
use zeitnot_proto::game_stream::Seat;

/// The first pause before connecting again; each further one is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
/// The longest pause.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// The longest wait that a server's own word is taken for.
const LONGEST_DRAIN: Duration = Duration::from_mins(1);

/// Where to connect, and as whom.
#[derive(Debug, Clone)]
pub struct Options {
    /// The server, `HOST:PORT`.
    pub server: String,
    /// How the server proves who it is.
    pub trust: Trust,
    /// Who the client is.
    pub credential: Credential,
    /// How connections are kept.
    pub tuning: Tuning,
}

impl Options {
    /// A guest of `server`.
    pub fn new(server: impl Into<String>, trust: Trust) -> Options {
        Options { server: server.into(), trust, credential: Credential::Guest, tuning: Tuning::default() }
    }

    /// The bearer of `token`.
    pub fn token(mut self, token: &str) -> Result<Options, Error> {
        let token = token.try_into().map_err(|_| Error::Trust("that token is too long to be one".into()))?;
        self.credential = Credential::Token(token);
        Ok(self)
    }
}

/// How the connection stands.
#[derive(Debug, Clone)]
pub enum Link {
    /// Connected.
    Up(Connection, Arc<Welcome>),
    /// Lost for this reason; the client is coming back.
    Down(Error),
    /// Ended for good.
    Over(Error),
}

/// A client of one server as one identity. Clones share the connection; when the last of them and of
/// its games is gone, the connection is closed.
#[derive(Debug, Clone)]
pub struct Client {
    link: watch::Receiver<Link>,
    close: mpsc::Sender<()>,
    connector: Arc<Connector>,
}

impl Client {
    /// Connects for the first time. An error here is final: coming back by itself begins with the
    /// first success.
    pub async fn connect(options: Options) -> Result<(Client, Notices), Error> {
        let connector = Arc::new(Connector::new(&options.trust, options.tuning)?);
        let opened = connector.open(&options.server, options.credential.clone()).await?;
        let welcome = Arc::new(opened.welcome);
        let (link_sender, link) = watch::channel(Link::Up(opened.connection.clone(), welcome.clone()));
        let (notice_sender, notices) = mpsc::channel(1024);
        let (close, closing) = mpsc::channel(1);
        let keeper = Keeper {
            connector: connector.clone(),
            server: options.server,
            credential: options.credential,
            link: link_sender,
            notices: notice_sender,
            closing,
        };
        let first =
            Opened { connection: opened.connection, welcome: (*welcome).clone(), notices: opened.notices };
        tokio::spawn(keeper.run(first));
        Ok((Client { link, close, connector }, notices))
    }

    /// Asks for something, once connected; the reply, or why there is none. A request whose connection
    /// breaks is not repeated, because it may have been done: the error is [`Error::Unanswered`].
    pub async fn request(&self, request: Request) -> Result<Reply, Error> {
        self.post(request).await?.wait().await
    }

    /// Sends a request, once connected; its reply can be waited for later. Requests that are posted one
    /// after another are dealt with in that order.
    pub async fn post(&self, request: Request) -> Result<PendingReply, Error> {
        let (connection, _) = up(&mut self.link.clone()).await?;
        connection.post(request).await.map_err(|error| match error {
            Error::TooLong { .. } => error,
            _ => Error::Unanswered,
        })
    }

    /// Follows a game in this capacity; with the legal moves of each position, if asked for.
    pub fn attach(&self, game: GameId, seat: Seat, legal_moves: bool) -> (Game, Updates) {
        game::follow(self.link.clone(), game, seat, legal_moves)
    }

    /// How the connection stands, and a way to wait for changes.
    pub fn link(&self) -> watch::Receiver<Link> {
        self.link.clone()
    }

    /// The greeting of the present connection, once there is one.
    pub async fn welcome(&self) -> Result<Arc<Welcome>, Error> {
        Ok(up(&mut self.link.clone()).await?.1)
    }

    /// Leaves, and waits until the server knows.
    pub async fn close(self) {
        // Full or closed: the end is on its way already.
        let _ = self.close.try_send(());
        let mut link = self.link.clone();
        // An error is the keeper's end.
        let _ = link.wait_for(|link| matches!(link, Link::Over(_))).await;
        // A server that is gone does not hold the caller up.
        let _ = tokio::time::timeout(Duration::from_secs(1), self.connector.wait_idle()).await;
    }
}

/// The present connection, or the next one while there is none.
pub(crate) async fn up(link: &mut watch::Receiver<Link>) -> Result<(Connection, Arc<Welcome>), Error> {
    let found = link.wait_for(|link| !matches!(link, Link::Down(_))).await;
    match found.as_deref() {
        Ok(Link::Up(connection, welcome)) => Ok((connection.clone(), welcome.clone())),
        Ok(Link::Over(error) | Link::Down(error)) => Err(error.clone()),
        Err(_) => Err(Error::Left),
    }
}

/// The task that keeps the connection.
struct Keeper {
    connector: Arc<Connector>,
    server: String,
    credential: Credential,
    link: watch::Sender<Link>,
    notices: mpsc::Sender<Notice>,
    closing: mpsc::Receiver<()>,
}

impl Keeper {
    async fn run(mut self, mut opened: Opened) {
        let over = loop {
            // A guest comes back as the same guest.
            if let Some(token) = &opened.welcome.guest_token {
                self.credential = Credential::Token(token.clone());
            }
            let connection = opened.connection.clone();
            let Kept { error, wait } = self.keep(opened).await;
            connection.close();
            if error.is_final() {
                break error;
            }
            tracing::info!(%error, "the connection is lost; coming back");
            self.link.send_replace(Link::Down(error));
            match self.come_back(wait).await {
                Ok(again) => opened = again,
                Err(error) => break error,
            }
            let welcome = Arc::new(opened.welcome.clone());
            self.link.send_replace(Link::Up(opened.connection.clone(), welcome));
        };
        self.link.send_replace(Link::Over(over));
    }

    /// Passes notices on until the connection ends or nobody needs it any more.
    async fn keep(&mut self, mut opened: Opened) -> Kept {
        let mut wait = None;
        loop {
            tokio::select! {
                error = opened.connection.closed() => return Kept { error, wait },
                () = self.link.closed() => return Kept { error: Error::Left, wait },
                // None: all clients are gone, but their games may go on.
                Some(()) = self.closing.recv() => return Kept { error: Error::Left, wait },
                Some(notice) = opened.notices.recv() => {
                    if let Notice::Draining { retry_after_us } = notice {
                        wait = Some(Duration::from_micros(retry_after_us).min(LONGEST_DRAIN));
                    }
                    if let Err(mpsc::error::TrySendError::Full(notice)) = self.notices.try_send(notice) {
                        tracing::warn!(?notice, "nobody reads the notices: one is dropped");
                    }
                }
            }
        }
    }

    /// Connects again, with growing pauses; the first after `wait` if the server has said so.
    async fn come_back(&mut self, wait: Option<Duration>) -> Result<Opened, Error> {
        let mut pause = FIRST_PAUSE;
        let mut next = wait.unwrap_or_else(|| jittered(pause));
        loop {
            tokio::select! {
                () = tokio::time::sleep(next) => {}
                () = self.link.closed() => return Err(Error::Left),
                Some(()) = self.closing.recv() => return Err(Error::Left),
            }
            match self.connector.open(&self.server, self.credential.clone()).await {
                Ok(opened) => return Ok(opened),
                Err(error) if error.is_final() => return Err(error),
                Err(error) => self.link.send_replace(Link::Down(error)),
            };
            pause = (pause * 2).min(LONGEST_PAUSE);
            next = jittered(pause);
        }
    }
}

/// Why a connection is kept no longer.
struct Kept {
    error: Error,
    /// How long the server asked to wait before coming back.
    wait: Option<Duration>,
}

/// Between half of `pause` and all of it, so that clients of a restarted server do not come in one
/// burst.
fn jittered(pause: Duration) -> Duration {
    let chance = RandomState::new().build_hasher().finish() % 512;
    pause / 2 + pause * u32::try_from(chance).unwrap_or(0) / 1024
}
