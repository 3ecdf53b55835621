//! `zeitnot play`: a game on the terminal.

use crate::target::Target;
use crate::tui::lobby::{self, Waiting};
use crate::tui::screen::Screen;
use crate::tui::table::{Left, sit};
use crate::{Outcome, tui};
use clap::{Args, ValueEnum};
use std::process::ExitCode;
use zeitnot_client::proto::control::{Proposal, Request, Welcome};
use zeitnot_client::proto::game_stream::Seat;
use zeitnot_client::proto::rules::{Edition, Rules, Speed, Start, Terms};
use zeitnot_client::proto::time::SECOND_US;
use zeitnot_client::proto::time_control::Added;
use zeitnot_client::proto::{Color, GameId, TimeControl};
use zeitnot_client::{Client, Notices};

/// Plays a game: seeks an opponent, or challenges one.
///
/// Whoever seeks the same plays at once. If you left a game that is not over, you go back to it.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The men you want.
    #[arg(long, value_name = "COLOUR")]
    color: Option<Side>,
    /// The time control: seconds and increment, or - for none.
    #[arg(long, value_name = "CONTROL", default_value = "300+3", allow_hyphen_values = true)]
    time: TimeControl,
    /// The edition of the Laws.
    #[arg(long, value_name = "EDITION", default_value = "fide-2023", value_parser = edition)]
    edition: Edition,
    /// Challenges this player instead of seeking anyone.
    #[arg(long, value_name = "NAME")]
    against: Option<String>,
    /// A casual game: takebacks and aborting are possible.
    #[arg(long)]
    casual: bool,
    /// Letters instead of chess figures.
    #[arg(long)]
    pub ascii: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Side {
    White,
    Black,
}

/// The edition of this name.
pub fn edition(name: &str) -> Result<Edition, String> {
    let found = Edition::ALL.into_iter().find(|edition| edition.name() == name);
    found.ok_or_else(|| format!("one of {}", Edition::ALL.map(Edition::name).join(", ")))
}

impl Arguments {
    fn request(&self) -> Result<Request, String> {
        let color = self.color.map(|side| match side {
            Side::White => Color::White,
            Side::Black => Color::Black,
        });
        let speed = speed(&self.time);
        let rules = Rules { edition: self.edition, speed, casual: self.casual, ..Rules::default() };
        let time_control = self.time.clone();
        let terms = Terms { time_control, rules, start: Start::default(), spectator_delay_us: 0 };
        let proposal = Proposal { color, terms };
        Ok(match &self.against {
            Some(name) => {
                let to = name.as_str().try_into().map_err(|_| "that name is too long".to_string())?;
                Request::Challenge { to, proposal }
            }
            None => Request::Seek(proposal),
        })
    }
}

/// The speed that the Laws give a time control (2023 A.1, B.1): main time plus sixty increments, up to ten
/// minutes blitz, below an hour rapid.
pub fn speed(time: &TimeControl) -> Speed {
    let sixty_moves_us = |period: &zeitnot_client::proto::time_control::Period| match period.added {
        Added::Nothing => period.base_us,
        Added::Increment(us) | Added::Delay(us) | Added::Bronstein(us) => {
            period.base_us.saturating_add(60 * us)
        }
    };
    match time.periods() {
        [only] if !time.repeats() => match sixty_moves_us(only) / SECOND_US {
            0..=600 => Speed::Blitz,
            601..=3599 => Speed::Rapid,
            _ => Speed::Standard,
        },
        _ => Speed::Standard,
    }
}

/// Runs the command.
pub async fn run(target: &Target, arguments: Arguments) -> Outcome {
    let request = arguments.request()?;
    let (client, mut notices) = target.connect().await?;
    let welcome = client.welcome().await?;
    let mut screen = Screen::open(arguments.ascii)?;
    let who = format!("You are {} on {}.", welcome.name, target.server());
    let waiting = Waiting { who, asked: request };
    let played = tokio::select! {
        played = play(&mut screen, &client, &mut notices, &welcome, &waiting) => played,
        () = tui::screen::terminated() => Ok(None),
    };
    drop(screen);
    if let Some((game, result)) = played? {
        farewell(target, &welcome, game, result);
    }
    client.close().await;
    Ok(ExitCode::SUCCESS)
}

/// Plays until one leaves; the last game, if there was one.
async fn play(
    screen: &mut Screen,
    client: &Client,
    notices: &mut Notices,
    welcome: &Welcome,
    waiting: &Waiting,
) -> Result<Option<(GameId, Option<String>)>, Box<dyn std::error::Error + Send + Sync>> {
    let mut game = match welcome.games.first() {
        Some(&game) => game,
        None => match lobby::wait(screen, client, notices, waiting).await? {
            Some(game) => game,
            None => return Ok(None),
        },
    };
    loop {
        match sit(screen, client, notices, game, Seat::Player).await? {
            Left::Quit(result) => return Ok(Some((game, result))),
            Left::Next(next) => game = next,
        }
    }
}

/// What is worth knowing afterwards.
fn farewell(target: &Target, welcome: &Welcome, game: GameId, result: Option<String>) {
    let to = target.as_arguments();
    match (result, &welcome.guest_token) {
        (Some(result), _) => println!("Game {game} {result}."),
        (None, Some(token)) => println!("To go back to game {game}: zeitnot play {to} --token {token}"),
        (None, None) => println!("To go back to game {game}: zeitnot play {to}"),
    }
    println!("To print it: zeitnot pgn {game} {to}");
}
