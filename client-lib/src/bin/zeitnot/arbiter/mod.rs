//! `zeitnot arbiter`: the queue of what awaits an arbiter, and a line for each thing that he does.

mod orders;

use crate::Outcome;
use crate::target::Target;
use crate::tui::words;
use orders::{HELP, Order};
use std::collections::HashMap;
use std::process::ExitCode;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::sync::mpsc;
use zeitnot_client::proto::command::Command;
use zeitnot_client::proto::control::{Awaiting, Notice, Reply, Request};
use zeitnot_client::proto::game_stream::Seat;
use zeitnot_client::proto::time::format_us;
use zeitnot_client::proto::{Color, GameId, Stamp};
use zeitnot_client::{Client, Error, Game, GameView, Update};

/// Shows what awaits an arbiter and does what he types. Ends with standard input.
pub async fn run(target: &Target) -> Outcome {
    if !target.has_token() {
        return Err("an arbiter needs a token of that role: --token, or ZEITNOT_TOKEN".into());
    }
    let (client, mut notices) = target.connect().await?;
    let (told, mut tellings) = mpsc::unbounded_channel();
    let mut desk = Desk { client, boards: HashMap::new(), told };
    desk.show_queue().await?;
    println!("type `help` for what can be typed");
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    loop {
        tokio::select! {
            line = lines.next_line() => {
                let Some(line) = line? else { break };
                if !desk.obey(&line).await {
                    break;
                }
            }
            notice = notices.recv() => match notice {
                Some(Notice::Awaiting(awaiting)) => println!("! {}", describe(&awaiting, None)),
                Some(Notice::Draining { .. }) => println!("! the server is about to restart"),
                Some(_) => {}
                None => return Err("the server is gone".into()),
            },
            Some(telling) = tellings.recv() => println!("{telling}"),
        }
    }
    desk.client.close().await;
    Ok(ExitCode::SUCCESS)
}

/// What the arbiter has before him.
struct Desk {
    client: Client,
    boards: HashMap<GameId, Game>,
    told: mpsc::UnboundedSender<String>,
}

impl Desk {
    /// Does what a line says. False to leave.
    async fn obey(&mut self, line: &str) -> bool {
        if line.trim().is_empty() {
            return true;
        }
        let done = match orders::read(line) {
            Ok(Order::Quit) => return false,
            Ok(Order::Help) => {
                println!("{HELP}");
                Ok(())
            }
            Ok(Order::Queue) => self.show_queue().await,
            Ok(Order::Show(game)) => self.show(game).await,
            Ok(Order::Act(game, command)) => self.act(game, command).await,
            Err(complaint) => {
                println!("{complaint}");
                Ok(())
            }
        };
        if let Err(error) = done {
            println!("{error}");
        }
        true
    }

    async fn show_queue(&self) -> Result<(), Error> {
        let now = match self.client.request(Request::Ping).await? {
            Reply::Pong { now } => Some(now),
            _ => None,
        };
        let Reply::Awaiting { page, more } = self.client.request(Request::ListAwaiting).await? else {
            return Err(Error::Protocol("no queue came".into()));
        };
        if page.is_empty() {
            println!("nothing awaits you");
        }
        for awaiting in &page {
            println!("{}", describe(awaiting, now));
        }
        if more {
            println!("… and more");
        }
        Ok(())
    }

    /// Sits down at a board and says how it stands.
    async fn show(&mut self, game: GameId) -> Result<(), Error> {
        if let Some(board) = self.boards.get(&game) {
            return board.resync(None).await;
        }
        self.sit_down(game);
        Ok(())
    }

    fn sit_down(&mut self, game: GameId) -> &Game {
        let (board, mut updates) = self.client.attach(game, Seat::Arbiter, false);
        let told = self.told.clone();
        tokio::spawn(async move {
            let mut view: Option<GameView> = None;
            while let Some(update) = updates.next().await {
                let lines = tell(game, &mut view, &update);
                if lines.into_iter().any(|line| told.send(line).is_err()) {
                    return;
                }
            }
        });
        self.boards.entry(game).or_insert(board)
    }

    async fn act(&mut self, game: GameId, command: Command) -> Result<(), Error> {
        let board = match self.boards.get(&game) {
            Some(board) => board,
            None => self.sit_down(game),
        };
        board.send(None, command).await?;
        println!("{game}: done");
        Ok(())
    }
}

/// An entry of the queue: board, players, what, since when.
fn describe(awaiting: &Awaiting, now: Option<Stamp>) -> String {
    let Awaiting { game, players, topic, side, since } = awaiting;
    let about = side.map_or(String::new(), |side| format!(" ({side})"));
    let waited = now.map_or(String::new(), |now| {
        let seconds_us = now.since(*since) / 1_000_000 * 1_000_000;
        format!(", for {}", format_us(seconds_us).trim_end_matches(".000"))
    });
    format!("{:>6}  {} - {}  {topic}{about}{waited}", game.0, players.white, players.black)
}

/// What an update says, a line each.
fn tell(game: GameId, view: &mut Option<GameView>, update: &Update) -> Vec<String> {
    let mut lines = Vec::new();
    match (update, view.as_mut()) {
        (Update::Snapshot { now, snapshot, heard }, _) => {
            let fresh = GameView::new(*now, (**snapshot).clone(), *heard);
            let clock = |side: Color| format_us(snapshot.clock.main_us[side]);
            let runs = snapshot.clock.running.map_or("nobody's".to_string(), |side| format!("{side}'s"));
            lines.push(format!("{game}: {}", snapshot.fen));
            lines.push(format!(
                "{game}: White {}, Black {}; {runs} clock runs; {} half-moves",
                clock(Color::White),
                clock(Color::Black),
                snapshot.moves.len()
            ));
            lines.extend(words::status(&snapshot.status).map(|status| format!("{game}: {status}")));
            *view = Some(fresh);
        }
        (Update::Events { events, .. }, Some(known)) => {
            let players = &known.setup().players;
            let told = events.entries.iter().filter_map(|entry| words::entry(entry, players));
            lines.extend(told.map(|line| format!("{game}: {line}")));
        }
        (Update::Ended(error), _) => lines.push(format!("{game}: {error}")),
        _ => {}
    }
    if let Some(known) = view.as_mut() {
        known.update(update);
    }
    lines
}
