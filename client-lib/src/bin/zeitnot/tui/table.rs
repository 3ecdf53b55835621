//! A game on the terminal, from the moment that one sits down until one leaves.

use super::draw::{self, Look};
use super::moves::long_name;
use super::screen::{Key, Screen};
use super::typed::{Situation, Typed, understand};
use super::words;
use crate::replay::describes;
use std::time::{Duration, Instant};
use tokio::sync::mpsc;
use zeitnot_client::proto::command::Command;
use zeitnot_client::proto::control::{Notice, Reply, Request};
use zeitnot_client::proto::game_stream::Seat;
use zeitnot_client::proto::rules::Conduct;
use zeitnot_client::proto::{Color, Event, GameId};
use zeitnot_client::{Client, Error, Game, GameView, Notices, Update, Updates};

/// How often the clocks are drawn.
const TICK: Duration = Duration::from_millis(100);
/// Letters of the line that is typed.
const INPUT_MAX: usize = 200;
/// Lines of what happened that are kept.
const LOG_MAX: usize = 200;

/// How one left the table.
#[derive(Debug)]
pub enum Left {
    /// For good; how the game ended, if it did.
    Quit(Option<String>),
    /// For another game.
    Next(GameId),
}

/// How loudly something is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// As a matter of course.
    Quiet,
    /// So that it is noticed.
    Loud,
}

/// The game as it is shown.
pub struct Table {
    pub view: GameView,
    /// The men of the one who sits here; none for a spectator.
    pub side: Option<Color>,
    /// The side at the lower edge of the board.
    pub bottom: Color,
    /// The names of the moves made.
    pub names: Vec<String>,
    /// What happened, oldest first.
    pub log: Vec<String>,
    pub input: String,
    /// What is said in answer to what was typed, until the next thing happens.
    pub message: Option<(String, Tone)>,
    pub help: bool,
    /// A command that waits for its confirmation.
    confirm: Option<Command>,
    /// Who offers another game.
    pub rematch: Option<String>,
    /// To leave was asked for once.
    leaving: bool,
    /// Nothing more comes from the server.
    ended: bool,
}

/// What comes back from a task.
enum Answer {
    Sent(Result<(), Error>),
    Names(Vec<String>),
}

/// Sits down at a game, to play it or to watch it.
pub async fn sit(
    screen: &mut Screen,
    client: &Client,
    notices: &mut Notices,
    id: GameId,
    seat: Seat,
) -> Result<Left, Box<dyn std::error::Error + Send + Sync>> {
    let me = client.welcome().await?.name.clone();
    let (game, mut updates) = client.attach(id, seat, true);
    let view = first_view(screen, &mut updates).await?;
    let Some(view) = view else { return Ok(Left::Quit(None)) };
    let side = if seat == Seat::Player { view.setup().side_of(&me) } else { None };
    let mut table = Table::new(view, side);
    let (answers, mut answered) = mpsc::channel(16);
    if !table.names.is_empty() {
        tokio::spawn(ask_names(client.clone(), id, answers.clone()));
    }
    let hands = Hands { client, game: &game, answers };
    let mut tick = tokio::time::interval(TICK);
    let look = Look { ascii: screen.ascii, plain: screen.plain };
    loop {
        screen.draw(|frame| draw::table(frame, &mut table, look, Instant::now()))?;
        tokio::select! {
            key = screen.key() => {
                if let Some(left) = table.key(key, &hands) {
                    game.leave().await;
                    return Ok(left);
                }
            }
            update = updates.next(), if !table.ended => match update {
                Some(update) => {
                    if table.take(&update) {
                        Screen::bell();
                    }
                }
                None => table.ended = true,
            },
            Some(notice) = notices.recv() => {
                if let Some(left) = table.notice(notice) {
                    game.leave().await;
                    return Ok(left);
                }
            }
            Some(answer) = answered.recv() => table.answer(answer),
            _ = tick.tick() => {}
        }
    }
}

/// The game as it stands when one comes in; none if one leaves before.
async fn first_view(screen: &mut Screen, updates: &mut Updates) -> Result<Option<GameView>, Error> {
    loop {
        tokio::select! {
            key = screen.key() => if key == Key::Quit { return Ok(None) },
            update = updates.next() => match update {
                Some(Update::Snapshot { now, snapshot, heard }) => {
                    return Ok(Some(GameView::new(now, *snapshot, heard)));
                }
                Some(Update::Ended(error)) => return Err(error),
                None => return Err(Error::Left),
                Some(_) => {}
            },
        }
    }
}

/// Asks for the PGN, for the names of the moves made before one came.
async fn ask_names(client: Client, game: GameId, answers: mpsc::Sender<Answer>) {
    if let Ok(Reply::Pgn(text)) = client.request(Request::Pgn(game)).await
        && let Some(game) = crate::replay::pgn::parse(&text).into_iter().next()
    {
        // An error: the table was left meanwhile.
        let _ = answers.send(Answer::Names(game.sans)).await;
    }
}

/// What a table can do: everything goes on in tasks, so that the clocks are drawn meanwhile.
struct Hands<'a> {
    client: &'a Client,
    game: &'a Game,
    answers: mpsc::Sender<Answer>,
}

impl Hands<'_> {
    fn send(&self, view: &GameView, command: Command) {
        let (game, answers, on) = (self.game.clone(), self.answers.clone(), view.position_seq());
        tokio::spawn(async move {
            let result = game.send(Some(on), command).await.map(|_| ());
            // An error: the table was left meanwhile.
            let _ = answers.send(Answer::Sent(result)).await;
        });
    }

    fn rematch(&self) {
        let (client, id, answers) = (self.client.clone(), self.game.id(), self.answers.clone());
        tokio::spawn(async move {
            let result = client.request(Request::Rematch(id)).await.map(|_| ());
            let _ = answers.send(Answer::Sent(result)).await;
        });
    }
}

impl Table {
    pub fn new(view: GameView, side: Option<Color>) -> Table {
        let mut table = Table {
            view,
            side,
            bottom: side.unwrap_or(Color::White),
            names: Vec::new(),
            log: Vec::new(),
            input: String::new(),
            message: None,
            help: false,
            confirm: None,
            rematch: None,
            leaving: false,
            ended: false,
        };
        table.name_moves();
        table
    }

    /// The game in a line.
    pub fn title(&self) -> String {
        let setup = self.view.setup();
        let rules = &setup.terms.rules;
        let casual = if rules.casual { ", casual" } else { "" };
        let what = if self.side.is_none() { "Watching game" } else { "Game" };
        format!(
            "{what} {}: {} - {}, {}, {}{casual}",
            setup.game,
            setup.players.white,
            setup.players.black,
            words::time(&setup.terms.time_control),
            rules.edition.name()
        )
    }

    /// Names all moves, in their long form where no other is known.
    fn name_moves(&mut self) {
        let mut board = self.view.start().clone();
        let mut names = Vec::with_capacity(self.view.moves().len());
        for &mv in self.view.moves() {
            let long = long_name(mv, &board);
            names.push(long);
            board.play(mv);
        }
        self.names = names;
    }

    /// Takes the names of a PGN over, as far as they fit the moves.
    fn take_names(&mut self, sans: Vec<String>) {
        let mut board = self.view.start().clone();
        for ((name, san), &mv) in self.names.iter_mut().zip(sans).zip(self.view.moves()) {
            if !describes(&san, mv, &board) {
                return;
            }
            *name = san;
            board.play(mv);
        }
    }

    /// Takes an update in. True if it is this player's turn now.
    fn take(&mut self, update: &Update) -> bool {
        let mut names = self.names.clone();
        if let Update::Events { events, .. } = update {
            let mut board = self.view.board().clone();
            let on_screen = self.view.setup().terms.rules.conduct == Conduct::Online;
            for entry in &events.entries {
                match &entry.event {
                    Event::MoveCompleted { mv, .. } => {
                        let legal =
                            self.view.legal_moves().and_then(|legal| legal.iter().find(|l| l.mv == *mv));
                        names.push(
                            legal.map_or_else(|| long_name(*mv, &board), |legal| legal.san.to_string()),
                        );
                        board.play(*mv);
                        self.confirm = None;
                    }
                    Event::PositionRestored { ply, .. } => names.truncate(*ply as usize),
                    _ => {}
                }
                // A move that is completed at once is in the list of moves.
                let plain = matches!(entry.event, Event::MoveMade { illegal: false, .. });
                if !(plain && on_screen) {
                    self.log.extend(words::entry(entry, &self.view.setup().players));
                }
            }
            self.message = None;
        }
        let before = self.view.moves().len();
        self.view.update(update);
        if names.len() == self.view.moves().len() {
            self.names = names;
        } else {
            self.name_moves();
        }
        match update {
            Update::Interrupted(_) => self.say("connection lost; coming back by itself", Tone::Loud),
            Update::Ended(error) => {
                self.ended = true;
                // A finished game is put away some time after its end: nothing to be told about.
                if !self.view.status().is_over() {
                    self.say(&error.to_string(), Tone::Loud);
                }
            }
            _ => {}
        }
        self.log.drain(..self.log.len().saturating_sub(LOG_MAX));
        self.view.moves().len() > before && self.side == Some(self.view.board().turn())
    }

    fn say(&mut self, text: &str, tone: Tone) {
        self.message = Some((text.to_string(), tone));
    }

    fn answer(&mut self, answer: Answer) {
        match answer {
            Answer::Sent(Ok(())) => {}
            Answer::Sent(Err(error)) => self.say(&error.to_string(), Tone::Loud),
            Answer::Names(sans) => self.take_names(sans),
        }
    }

    /// What a notice means here; a game that is ready after this one is gone to.
    fn notice(&mut self, notice: Notice) -> Option<Left> {
        let this = self.view.setup().game;
        match notice {
            Notice::GameReady { setup, .. } if setup.game != this => {
                if self.view.status().is_over() || self.ended {
                    return Some(Left::Next(setup.game));
                }
                self.say(&format!("game {} is ready as well", setup.game), Tone::Loud);
            }
            Notice::RematchOffered { game, by } if game == this => self.rematch = Some(by.to_string()),
            Notice::Challenged { by, proposal, .. } => {
                self.log
                    .push(format!("{by} challenges you to {}", words::time(&proposal.terms.time_control)));
            }
            Notice::Draining { .. } => {
                self.say("the server restarts; the clocks stand meanwhile", Tone::Loud);
            }
            _ => {}
        }
        None
    }

    fn key(&mut self, key: Key, hands: &Hands<'_>) -> Option<Left> {
        match key {
            Key::Char(letter) => {
                if self.input.chars().count() < INPUT_MAX {
                    self.input.push(letter);
                }
            }
            Key::Backspace => drop(self.input.pop()),
            Key::Clear => {
                self.input.clear();
                (self.help, self.confirm, self.message) = (false, None, None);
            }
            Key::Enter => return self.enter(hands),
            Key::Quit => return self.leave(),
            Key::Resized => {}
        }
        None
    }

    fn enter(&mut self, hands: &Hands<'_>) -> Option<Left> {
        let line = std::mem::take(&mut self.input);
        let waiting = self.confirm.take();
        let leaving = std::mem::take(&mut self.leaving);
        self.message = None;
        if line.trim().is_empty() {
            self.help = false;
            return None;
        }
        if let Some(command) = waiting
            && matches!(line.trim().to_ascii_lowercase().as_str(), "y" | "yes")
        {
            hands.send(&self.view, command);
            return None;
        }
        let situation = Situation {
            legal: self.view.legal_moves(),
            side: self.side,
            turn: self.view.board().turn(),
            offer: self.view.offer(),
            takeback: self.view.takeback(),
        };
        match understand(&line, situation) {
            Ok(Typed::Command(command)) => hands.send(&self.view, command),
            Ok(Typed::Confirm(command, what)) => {
                self.confirm = Some(command);
                self.say(&format!("{what}: type y to confirm"), Tone::Loud);
            }
            Ok(Typed::Rematch) => {
                hands.rematch();
                self.say("another game is offered; it begins when the opponent agrees", Tone::Quiet);
            }
            Ok(Typed::Flip) => self.bottom = !self.bottom,
            Ok(Typed::Help) => self.help = !self.help,
            Ok(Typed::Quit) => {
                self.leaving = leaving;
                return self.leave();
            }
            Err(text) => self.say(&text, Tone::Loud),
        }
        None
    }

    /// Leaves; from a game that goes on only when asked twice.
    fn leave(&mut self) -> Option<Left> {
        let goes_on = self.side.is_some() && !self.view.status().is_over() && !self.ended;
        if goes_on && !self.leaving {
            self.leaving = true;
            self.say("the game goes on without you, and your clock runs: quit again to leave", Tone::Loud);
            return None;
        }
        Some(Left::Quit(self.result()))
    }

    /// How it ended, if it did.
    fn result(&self) -> Option<String> {
        words::status(self.view.status()).filter(|_| self.view.status().is_over())
    }
}
