//! Who plays the recorded games: pairs of connections, and how their games come about.

use crate::target::Target;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Mutex;
use zeitnot_client::proto::control::{NewGame, Proposal, Reply, Request};
use zeitnot_client::proto::rules::{Name, Terms};
use zeitnot_client::proto::{ByColor, Color, GameId, Refusal, Text};
use zeitnot_client::{Client, Error};

/// Tries of a request that the server is too busy for.
const TRIES: u32 = 40;
/// The pause between them.
const PAUSE: Duration = Duration::from_millis(50);

/// Two players and, where there is one, the organizer of their games.
pub struct Pair {
    /// The players by the men that they have in all games.
    pub players: ByColor<Client>,
    names: ByColor<Name>,
    organizer: Option<Client>,
    /// Held while a game takes its two streams, so that no two games wait for each other's.
    pub attaching: Mutex<()>,
}

/// Connects so many pairs.
pub async fn connect(
    target: &Target,
    tokens: Option<(&str, &str)>,
    count: u32,
) -> Result<Vec<Arc<Pair>>, Error> {
    let organizer = if target.has_token() { Some(silent(target.connect().await?)) } else { None };
    if let Some(organizer) = &organizer
        && !organizer.welcome().await?.roles.organizer
    {
        return Err(Error::Trust(
            "--token is of no organizer; name the players with --white-token and --black-token".into(),
        ));
    }
    let mut pairs = Vec::new();
    for _ in 0..count {
        let (white, black) = match tokens {
            Some((white, black)) => (target.guest()?.token(white)?, target.guest()?.token(black)?),
            None => (target.guest()?, target.guest()?),
        };
        let players =
            ByColor::new(silent(Client::connect(white).await?), silent(Client::connect(black).await?));
        let names = ByColor::new(
            players.white.welcome().await?.name.clone(),
            players.black.welcome().await?.name.clone(),
        );
        let organizer = organizer.clone();
        pairs.push(Arc::new(Pair { players, names, organizer, attaching: Mutex::new(()) }));
    }
    Ok(pairs)
}

/// Closes all connections.
pub async fn leave(pairs: Vec<Arc<Pair>>) {
    for pair in pairs {
        for client in [Some(&pair.players.white), Some(&pair.players.black), pair.organizer.as_ref()]
            .into_iter()
            .flatten()
        {
            client.clone().close().await;
        }
    }
}

/// A client whose notices are of no interest.
fn silent((client, mut notices): (Client, zeitnot_client::Notices)) -> Client {
    tokio::spawn(async move { while notices.recv().await.is_some() {} });
    client
}

impl Pair {
    /// A new game of the two under these terms.
    pub async fn game(&self, terms: Terms) -> Result<GameId, Error> {
        if let Some(organizer) = &self.organizer {
            let new = NewGame {
                players: self.names.clone(),
                terms,
                event: Text::default(),
                round: Text::default(),
            };
            return match patiently(organizer, &Request::CreateGame(Box::new(new))).await? {
                Reply::Game(game) => Ok(game),
                other => Err(unexpected(&other)),
            };
        }
        let proposal = Proposal { color: Some(Color::White), terms };
        let challenge = Request::Challenge { to: self.names.black.clone(), proposal };
        let Reply::Offered(id) = patiently(&self.players.white, &challenge).await? else {
            return Err(Error::Protocol(
                "a challenge was answered with something else than its number".into(),
            ));
        };
        match patiently(&self.players.black, &Request::AcceptChallenge(id)).await? {
            Reply::Game(game) => Ok(game),
            other => Err(unexpected(&other)),
        }
    }
}

/// Asks, and asks again where the server has too much to do at the moment.
pub async fn patiently(client: &Client, request: &Request) -> Result<Reply, Error> {
    let mut tries = 0;
    loop {
        match client.request(request.clone()).await {
            Err(Error::Refused(Refusal::Busy | Refusal::Limit | Refusal::StoreDown)) if tries < TRIES => {
                tries += 1;
                tokio::time::sleep(PAUSE * tries).await;
            }
            other => return other,
        }
    }
}

fn unexpected(reply: &Reply) -> Error {
    Error::Protocol(format!("no number of a game came, but {reply:?}"))
}
