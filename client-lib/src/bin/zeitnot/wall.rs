//! `zeitnot watch --tournament T`: all boards of a round on one wall, with clocks and results.

use crate::Outcome;
use crate::target::Target;
use crate::tui::screen::{Key, Screen, terminated};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Modifier;
use ratatui::text::Line;
use ratatui::widgets::Paragraph;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use tokio::sync::mpsc;
use zeitnot_client::clock::format_clock;
use zeitnot_client::proto::control::Notice;
use zeitnot_client::proto::game_stream::Seat;
use zeitnot_client::proto::rules::Name;
use zeitnot_client::proto::tournament::{
    BoardView, TournamentId, TournamentNotice, TournamentSystem, TournamentView,
};
use zeitnot_client::proto::{Color, GameId};
use zeitnot_client::tournament::{RoundView, StandingsView};
use zeitnot_client::{Client, Error, Game, GameView, Notices, Update};

/// How often the clocks are drawn.
const TICK: Duration = Duration::from_millis(250);
/// Boards that are followed at once; more are shown by their results alone.
const MOST_FOLLOWED: usize = 64;
/// Columns of a board on the wall.
const BOARD_COLUMNS: u16 = 46;

/// What hangs on the wall.
struct Wall {
    view: TournamentView,
    round: RoundView,
    standings: StandingsView,
    /// What players are called, where they are called otherwise than by their identities.
    names: BTreeMap<Name, String>,
    games: BTreeMap<GameId, GameView>,
    said: String,
    /// The first board that is shown: they pass by where there are more than fit.
    first: usize,
}

/// Shows the wall until one leaves.
pub async fn run(target: &Target, tournament: TournamentId, ascii: bool) -> Outcome {
    let (client, mut notices) = target.connect().await?;
    client.tournaments().follow(tournament, true).await?;
    let wall = look(&client, tournament, None).await?;
    let mut screen = Screen::open(ascii)?;
    let shown = tokio::select! {
        shown = show(&mut screen, &client, &mut notices, tournament, wall) => shown,
        () = terminated() => Ok(()),
    };
    drop(screen);
    shown?;
    client.close().await;
    Ok(ExitCode::SUCCESS)
}

/// The tournament as it stands, beside what was on the wall before.
async fn look(client: &Client, tournament: TournamentId, before: Option<Wall>) -> Result<Wall, Error> {
    let tournaments = client.tournaments();
    let view = tournaments.show(tournament).await?;
    let none = RoundView { round: 0, boards: Vec::new(), out: Vec::new() };
    let mut round = if view.summary.round == 0 { none } else { tournaments.round(tournament, 0).await? };
    if matches!(view.summary.system, TournamentSystem::Arena { .. }) {
        // All games of an arena are of one round: those under way, then the latest.
        round.boards.sort_by_key(|board| (board.result.is_some(), Reverse(board.board)));
    }
    let standings = tournaments.standings(tournament).await?;
    let mut wall = before.unwrap_or_else(|| Wall {
        view: view.clone(),
        round: RoundView { round: 0, boards: Vec::new(), out: Vec::new() },
        standings: standings.clone(),
        names: BTreeMap::new(),
        games: BTreeMap::new(),
        said: String::new(),
        first: 0,
    });
    if wall.names.is_empty() || wall.view.summary.players != view.summary.players {
        let players = tournaments.players(tournament).await?.into_iter().map(|player| player.entrant);
        let named = players.filter(|entrant| !entrant.full_name.is_empty());
        wall.names = named.map(|entrant| (entrant.name, entrant.full_name.to_string())).collect();
    }
    wall.games.retain(|&game, _| round.boards.iter().any(|board| board.game == Some(game)));
    (wall.view, wall.round, wall.standings) = (view, round, standings);
    Ok(wall)
}

async fn show(
    screen: &mut Screen,
    client: &Client,
    notices: &mut Notices,
    tournament: TournamentId,
    mut wall: Wall,
) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let (sender, mut updates) = mpsc::channel(256);
    let mut followed: BTreeMap<GameId, Game> = BTreeMap::new();
    follow(client, &wall, &mut followed, &sender).await;
    let mut tick = tokio::time::interval(TICK);
    loop {
        screen.draw(|frame| wall.draw(frame, Instant::now()))?;
        tokio::select! {
            key = screen.key() => match key {
                Key::Quit | Key::Char('q') => return Ok(()),
                Key::Char(' ') | Key::Enter => wall.first += 1,
                _ => {}
            },
            Some((game, update)) = updates.recv() => wall.take(game, update),
            notice = notices.recv() => match notice {
                Some(Notice::Tournament(notice)) => {
                    if let TournamentNotice::Announced { text, .. } = &notice {
                        wall.said = text.to_string();
                    }
                    wall = look(client, tournament, Some(wall)).await?;
                    follow(client, &wall, &mut followed, &sender).await;
                }
                Some(_) => {}
                None => return Err(Error::Left.into()),
            },
            _ = tick.tick() => {}
        }
    }
}

/// Follows the games of the round that are under way, and leaves the others.
async fn follow(
    client: &Client,
    wall: &Wall,
    followed: &mut BTreeMap<GameId, Game>,
    updates: &mpsc::Sender<(GameId, Update)>,
) {
    let open = wall.round.boards.iter().filter(|board| board.result.is_none());
    let open: Vec<GameId> = open.filter_map(|board| board.game).take(MOST_FOLLOWED).collect();
    let gone: Vec<GameId> = followed.keys().copied().filter(|game| !open.contains(game)).collect();
    for game in gone {
        if let Some(game) = followed.remove(&game) {
            game.leave().await;
        }
    }
    for game in open {
        if followed.contains_key(&game) {
            continue;
        }
        let (handle, mut coming) = client.attach(game, Seat::Spectator, false);
        let updates = updates.clone();
        tokio::spawn(async move {
            while let Some(update) = coming.next().await {
                if updates.send((game, update)).await.is_err() {
                    return;
                }
            }
        });
        followed.insert(game, handle);
    }
}

impl Wall {
    fn take(&mut self, game: GameId, update: Update) {
        match update {
            Update::Snapshot { now, snapshot, heard } => {
                self.games.insert(game, GameView::new(now, *snapshot, heard));
            }
            update => {
                if let Some(view) = self.games.get_mut(&game) {
                    view.update(&update);
                }
            }
        }
    }

    fn draw(&mut self, frame: &mut Frame<'_>, now: Instant) {
        let rows = [Constraint::Length(2), Constraint::Min(0), Constraint::Length(1)];
        let [head, middle, foot] = Layout::vertical(rows).areas(frame.area());
        let summary = &self.view.summary;
        let title = format!("{}   round {} of {}", summary.name, summary.round, summary.rounds);
        frame.render_widget(Line::from(title).style(Modifier::BOLD), head);
        let announced = if self.said.is_empty() { &*self.view.announcement } else { &self.said };
        frame.render_widget(Paragraph::new(format!("{announced}  (space: further boards, q: leaves)")), foot);
        let wide = middle.width >= BOARD_COLUMNS + 40;
        let right = if wide { 40 } else { 0 };
        let columns = [Constraint::Min(0), Constraint::Length(right)];
        let [boards, places] = Layout::horizontal(columns).areas(middle);
        self.boards(frame, boards, now);
        if wide {
            self.places(frame, places);
        }
    }

    /// The boards in as many columns as fit.
    fn boards(&mut self, frame: &mut Frame<'_>, area: Rect, now: Instant) {
        let columns = (area.width / BOARD_COLUMNS).max(1);
        let room = usize::from(columns) * usize::from(area.height).max(1);
        let count = self.round.boards.len();
        let first = if count > room { self.first * room % count } else { 0 };
        let shown: Vec<BoardView> = self.round.boards.iter().skip(first).take(room).cloned().collect();
        for (board, place) in shown.iter().zip(0u16..) {
            let (column, row) = (place / area.height.max(1), place % area.height.max(1));
            let line = self.line(board, now);
            let spot = Rect {
                x: area.x + column * BOARD_COLUMNS,
                y: area.y + row,
                width: BOARD_COLUMNS.min(area.width),
                height: 1,
            };
            frame.render_widget(Line::from(line), spot.intersection(area));
        }
    }

    fn name<'a>(&'a self, name: &'a Name) -> &'a str {
        self.names.get(name).map_or(name.as_str(), String::as_str)
    }

    fn line(&mut self, board: &BoardView, now: Instant) -> String {
        let names = format!(
            "{:>3} {:>12.12} - {:<12.12}",
            board.board,
            self.name(&board.players.white),
            self.name(&board.players.black)
        );
        if let Some(result) = board.result {
            return format!("{names}  {}", result.sign());
        }
        let Some(view) = board.game.and_then(|game| self.games.get_mut(&game)) else { return names };
        let running = view.running();
        let mut clock = |side| {
            let mark = if running == Some(side) { "*" } else { " " };
            let left = view.remaining_us(side, now).map_or_else(|| "-".to_owned(), format_clock);
            format!("{left:>6}{mark}")
        };
        let clocks = format!("{}{}", clock(Color::White), clock(Color::Black));
        format!("{names} {clocks}")
    }

    fn places(&self, frame: &mut Frame<'_>, area: Rect) {
        let places = self.standings.places.iter().take(usize::from(area.height));
        let lines = places.map(|place| {
            let points = crate::tournament::points(place.points);
            Line::from(format!("{:>3} {:<20.20} {points:>5}", place.rank, self.name(&place.name)))
        });
        frame.render_widget(Paragraph::new(lines.collect::<Vec<_>>()), area);
    }
}
