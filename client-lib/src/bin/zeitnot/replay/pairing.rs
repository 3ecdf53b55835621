//! Who plays the recorded games: pairs of connections, and how their games come about.

use super::allowance::Allowance;
use crate::target::Target;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Mutex;
use zeitnot_client::proto::control::{NewGame, Proposal, Reply, Request};
use zeitnot_client::proto::rules::{Name, Terms};
use zeitnot_client::proto::{ByColor, Color, GameId, Refusal, Text};
use zeitnot_client::{Client, Error, Options};

/// Tries of a request that the server is too busy for.
const TRIES: u32 = 40;
/// The pause between them.
const PAUSE: Duration = Duration::from_millis(50);

/// Somebody who is connected, and asks no faster than the server allows.
#[derive(Clone)]
pub struct Member {
    /// The connection.
    pub client: Client,
    name: Name,
    allowance: Arc<Allowance>,
}

/// Two players and, where there is one, the organizer of their games.
pub struct Pair {
    /// The players by the men that they have in all games.
    pub players: ByColor<Member>,
    organizer: Option<Member>,
    /// Held while a game takes its two streams, so that no two games wait for each other's.
    pub attaching: Mutex<()>,
}

/// Connects so many pairs.
pub async fn connect(
    target: &Target,
    tokens: Option<(&str, &str)>,
    count: u32,
) -> Result<Vec<Arc<Pair>>, Error> {
    let organizer = if target.has_token() { Some(Member::connect(target.options()?).await?) } else { None };
    if let Some(organizer) = &organizer
        && !organizer.client.welcome().await?.roles.organizer
    {
        let text = "--token is of no organizer; name the players with --white-token and --black-token";
        return Err(Error::Trust(text.into()));
    }
    let mut pairs = Vec::new();
    for _ in 0..count {
        let (white, black) = match tokens {
            Some((white, black)) => (target.guest()?.token(white)?, target.guest()?.token(black)?),
            None => (target.guest()?, target.guest()?),
        };
        let players = ByColor::new(Member::connect(white).await?, Member::connect(black).await?);
        pairs.push(Arc::new(Pair { players, organizer: organizer.clone(), attaching: Mutex::new(()) }));
    }
    Ok(pairs)
}

/// Closes all connections.
pub async fn leave(pairs: Vec<Arc<Pair>>) {
    for pair in pairs {
        let players = [Some(&pair.players.white), Some(&pair.players.black), pair.organizer.as_ref()];
        for member in players.into_iter().flatten() {
            member.client.clone().close().await;
        }
    }
}

impl Member {
    /// Connects; notices are of no interest here.
    async fn connect(options: Options) -> Result<Member, Error> {
        let (client, mut notices) = Client::connect(options).await?;
        tokio::spawn(async move { while notices.recv().await.is_some() {} });
        let name = client.welcome().await?.name.clone();
        Ok(Member { client, name, allowance: Arc::new(Allowance::new()) })
    }

    /// Asks, and asks again where the server has too much to do at the moment.
    pub async fn ask(&self, request: Request) -> Result<Reply, Error> {
        let mut tries = 0;
        loop {
            self.allowance.take().await;
            match self.client.request(request.clone()).await {
                Err(Error::Refused(Refusal::Busy | Refusal::Limit | Refusal::StoreDown)) if tries < TRIES => {
                    tries += 1;
                    tokio::time::sleep(PAUSE * tries).await;
                }
                other => return other,
            }
        }
    }
}

impl Pair {
    /// A new game of the two under these terms. What a connection that breaks, or a server that is
    /// restarted, undoes is tried again.
    pub async fn game(&self, terms: &Terms) -> Result<GameId, Error> {
        let mut tries = 0;
        loop {
            match self.try_game(terms.clone()).await {
                Err(
                    Error::Unanswered
                    | Error::Refused(Refusal::NoSuchPlayer | Refusal::NoSuchOffer | Refusal::Draining),
                ) if tries < TRIES => {
                    tries += 1;
                    tokio::time::sleep(PAUSE * tries).await;
                }
                other => return other,
            }
        }
    }

    async fn try_game(&self, terms: Terms) -> Result<GameId, Error> {
        let reply = if let Some(organizer) = &self.organizer {
            let players = self.players.as_ref().map(|member| member.name.clone());
            let (event, round) = (Text::default(), Text::default());
            organizer.ask(Request::CreateGame(Box::new(NewGame { players, terms, event, round }))).await?
        } else {
            let proposal = Proposal { color: Some(Color::White), terms };
            let challenge = Request::Challenge { to: self.players.black.name.clone(), proposal };
            let Reply::Offered(id) = self.players.white.ask(challenge).await? else {
                return Err(Error::Protocol("a challenge was not answered with its number".into()));
            };
            self.players.black.ask(Request::AcceptChallenge(id)).await?
        };
        match reply {
            Reply::Game(game) => Ok(game),
            other => Err(Error::Protocol(format!("no number of a game came, but {other:?}"))),
        }
    }
}
