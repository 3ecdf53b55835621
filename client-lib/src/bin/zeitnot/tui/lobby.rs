//! Waiting for an opponent.

use super::screen::{Key, Screen};
use super::words;
use ratatui::Frame;
use ratatui::text::Line;
use ratatui::widgets::Paragraph;
use zeitnot_client::proto::control::{ChallengeEnd, Notice, OfferId, Reply, Request};
use zeitnot_client::proto::{Color, GameId};
use zeitnot_client::reconnect::Link;
use zeitnot_client::{Client, Error, Notices};

/// What is waited for.
pub struct Waiting {
    /// Where, and as whom.
    pub who: String,
    /// What was asked for.
    pub asked: Request,
}

/// Asks for a game and waits until there is one; none if one leaves.
pub async fn wait(
    screen: &mut Screen,
    client: &Client,
    notices: &mut Notices,
    waiting: &Waiting,
) -> Result<Option<GameId>, Box<dyn std::error::Error + Send + Sync>> {
    let mut link = client.link();
    link.mark_unchanged();
    let own = match ask(client, waiting).await? {
        Asked::Game(game) => return Ok(Some(game)),
        Asked::Open(id) => id,
    };
    let mut hall = Hall { own, challenges: Vec::new(), said: String::new() };
    loop {
        screen.draw(|frame| hall.draw(frame, waiting))?;
        tokio::select! {
            key = screen.key() => match key {
                Key::Quit | Key::Char('q') => return Ok(None),
                Key::Char('y') => hall.answer(client, true).await?,
                Key::Char('n') => hall.answer(client, false).await?,
                _ => {}
            },
            notice = notices.recv() => match notice {
                Some(Notice::GameReady { setup, .. }) => return Ok(Some(setup.game)),
                Some(notice) => hall.take(notice)?,
                // The connection is over for good; the next request says why.
                None => drop(client.request(Request::Ping).await?),
            },
            Ok(()) = link.changed() => {
                let now = link.borrow_and_update().clone();
                if let Some(game) = hall.link(client, waiting, &now).await? {
                    return Ok(Some(game));
                }
            }
        }
    }
}

/// What came of asking.
enum Asked {
    Game(GameId),
    Open(OfferId),
}

async fn ask(client: &Client, waiting: &Waiting) -> Result<Asked, Error> {
    match client.request(waiting.asked.clone()).await? {
        Reply::Game(game) => Ok(Asked::Game(game)),
        Reply::Offered(id) => Ok(Asked::Open(id)),
        other => Err(Error::Protocol(format!("no number came, but {other:?}"))),
    }
}

/// A challenge that came while waiting.
struct Challenge {
    id: OfferId,
    text: String,
}

struct Hall {
    own: OfferId,
    challenges: Vec<Challenge>,
    said: String,
}

impl Hall {
    fn draw(&self, frame: &mut Frame<'_>, waiting: &Waiting) {
        let mut lines =
            vec![waiting.who.clone(), String::new(), describe(&waiting.asked), "waiting ...".into()];
        if let Some(challenge) = self.challenges.first() {
            lines.extend([String::new(), challenge.text.clone(), "y accepts, n declines".into()]);
        }
        lines.extend([String::new(), self.said.clone(), "q leaves".into()]);
        let lines: Vec<Line<'_>> = lines.into_iter().map(Line::from).collect();
        frame.render_widget(Paragraph::new(lines), frame.area());
    }

    /// What one asked for ends with the connection: with the next one it is asked for again, unless a game
    /// has come of it meanwhile.
    async fn link(
        &mut self,
        client: &Client,
        waiting: &Waiting,
        now: &Link,
    ) -> Result<Option<GameId>, Error> {
        match now {
            Link::Down(_) => {
                self.challenges.clear();
                self.said = "connection lost; coming back by itself".into();
            }
            Link::Up(_, welcome) => {
                self.said.clear();
                if let Some(&game) = welcome.games.first() {
                    return Ok(Some(game));
                }
                match ask(client, waiting).await {
                    Ok(Asked::Game(game)) => return Ok(Some(game)),
                    Ok(Asked::Open(id)) => self.own = id,
                    // Lost again: the next connection asks.
                    Err(Error::Unanswered) => {}
                    Err(error) => return Err(error),
                }
            }
            Link::Over(error) => return Err(error.clone()),
        }
        Ok(None)
    }

    fn take(&mut self, notice: Notice) -> Result<(), String> {
        match notice {
            Notice::Challenged { id, by, proposal } => {
                let color = match proposal.color {
                    Some(color) => format!("you would have the {} men", !color),
                    None => "colours are drawn by lot".into(),
                };
                let casual = if proposal.terms.rules.casual { ", casual" } else { "" };
                let time = words::time(&proposal.terms.time_control);
                let text = format!("{by} challenges you: {time}{casual}; {color}");
                self.challenges.push(Challenge { id, text });
            }
            Notice::ChallengeClosed { id, why } if id == self.own => {
                return Err(match why {
                    ChallengeEnd::Declined => "the challenge was declined",
                    ChallengeEnd::Cancelled => "the challenge was withdrawn",
                    ChallengeEnd::Gone => "the opponent has left",
                }
                .into());
            }
            Notice::ChallengeClosed { id, .. } => self.challenges.retain(|challenge| challenge.id != id),
            Notice::Draining { .. } => {
                return Err("the server is about to restart; come back in a moment".into());
            }
            _ => {}
        }
        Ok(())
    }

    /// Answers the oldest challenge. A game that comes of it is announced by a notice.
    async fn answer(&mut self, client: &Client, accept: bool) -> Result<(), Error> {
        if self.challenges.is_empty() {
            return Ok(());
        }
        let id = self.challenges.remove(0).id;
        let request = if accept { Request::AcceptChallenge(id) } else { Request::DeclineChallenge(id) };
        self.said = match client.request(request).await {
            Ok(_) => String::new(),
            Err(Error::Refused(refusal)) => refusal.advice().into(),
            Err(error) => return Err(error),
        };
        if accept && self.said.is_empty() {
            // Nobody else is to take the place. Too late is as well.
            for request in [Request::CancelSeek(self.own), Request::CancelChallenge(self.own)] {
                let _ = client.request(request).await;
            }
        }
        Ok(())
    }
}

fn describe(request: &Request) -> String {
    let (whom, proposal) = match request {
        Request::Challenge { to, proposal } => (format!("challenging {to}"), proposal),
        Request::Seek(proposal) => ("seeking an opponent".to_string(), proposal),
        _ => return String::new(),
    };
    let color = match proposal.color {
        Some(Color::White) => "you want White",
        Some(Color::Black) => "you want Black",
        None => "colours are drawn by lot",
    };
    let rules = &proposal.terms.rules;
    let casual = if rules.casual { ", casual" } else { "" };
    let time = words::time(&proposal.terms.time_control);
    format!("{whom}: {time}, {}{casual}; {color}", rules.edition.name())
}
