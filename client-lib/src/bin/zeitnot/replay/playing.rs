//! One recorded game, played and compared.

use super::pairing::{Member, Pair};
use super::record::{Final, Ply, Record};
use super::san::describes;
use super::{Plan, pgn};
use std::time::Duration;
use zeitnot_client::board::Board;
use zeitnot_client::proto::command::Command;
use zeitnot_client::proto::control::{Reply, Request};
use zeitnot_client::proto::game_stream::Seat;
use zeitnot_client::proto::rules::Start;
use zeitnot_client::proto::snapshot::{Snapshot, Status};
use zeitnot_client::proto::{ByColor, Color, GameId, List, Move, Outcome, Reason, Refusal, Score, Text};
use zeitnot_client::{Client, Error, Game, GameView, Update, Updates};

/// How long the server may be silent. It may be restarted meanwhile.
const PATIENCE: Duration = Duration::from_mins(1);

/// The pause before a move is sent again that the server had no room for.
const PAUSE: Duration = Duration::from_millis(200);

/// Plays the game; what differs from the record, or why it could not be played to its end.
pub async fn play(pair: &Pair, record: &Record, plan: &Plan) -> Vec<String> {
    let mut differences = Vec::new();
    if let Err(why) = try_to_play(pair, record, plan, &mut differences).await {
        differences.push(why.0);
    }
    differences
}

/// Why a game could not be played to its end.
struct Stopped(String);

impl From<Error> for Stopped {
    fn from(error: Error) -> Stopped {
        Stopped(error.to_string())
    }
}

async fn try_to_play(
    pair: &Pair,
    record: &Record,
    plan: &Plan,
    differences: &mut Vec<String>,
) -> Result<(), Stopped> {
    let mut terms = plan.terms.clone();
    if let Some(fen) = &record.fen {
        let fen = Text::new(fen).map_err(|_| Stopped("the record's FEN is too long".into()))?;
        terms.start = Start { fen: Some(fen), moves: List::default(), ..Start::default() };
    }
    let id = pair.game(&terms).await?;
    let san = record.plies.iter().any(|ply| matches!(ply, Ply::San(_)));
    let mut seats = {
        let _alone = pair.attaching.lock().await;
        let white = Player::sit(&pair.players.white.client, id, san).await?;
        ByColor::new(white, Player::sit(&pair.players.black.client, id, san).await?)
    };
    let result = play_moves(&mut seats, record, plan).await;
    let played = match result {
        Ok(played) => played,
        Err(stopped) => {
            // The game would go on for as long as its clocks; whether resigning works does not matter.
            let _ = seats.white.game.send(None, Command::Resign).await;
            return Err(Stopped(format!("game {id}: {}", stopped.0)));
        }
    };
    let mut check = Check { id, differences };
    if let Err(stopped) = end(&mut seats, record).await {
        let _ = seats.white.game.send(None, Command::Resign).await;
        return Err(Stopped(format!("game {id}: {}", stopped.0)));
    }
    for color in Color::BOTH {
        check.outcome(color, seats[color].view.outcome(), record);
    }
    let snapshot = seats.black.snapshot_again().await?;
    check.position(&snapshot, &played);
    seats.white.game.leave().await;
    seats.black.game.leave().await;
    // By turns, because each may ask only so often.
    let reader = if id.0.is_multiple_of(2) { &pair.players.white } else { &pair.players.black };
    check.pgn(reader, record, &played).await?;
    Ok(())
}

/// A player at the board, as the server shows it.
struct Player {
    game: Game,
    updates: Updates,
    view: GameView,
}

impl Player {
    /// Attaches, and waits for the game as it stands.
    async fn sit(client: &Client, id: GameId, legal_moves: bool) -> Result<Player, Stopped> {
        let (game, mut updates) = client.attach(id, Seat::Player, legal_moves);
        loop {
            match next(&mut updates).await? {
                Update::Snapshot { now, snapshot, heard } => {
                    return Ok(Player { game, updates, view: GameView::new(now, *snapshot, heard) });
                }
                Update::Ended(error) => return Err(error.into()),
                _ => {}
            }
        }
    }

    /// Takes updates in until the view is as wanted.
    async fn until(&mut self, wanted: impl Fn(&GameView) -> bool) -> Result<(), Stopped> {
        while !wanted(&self.view) {
            let update = next(&mut self.updates).await?;
            if let Update::Ended(error) = update {
                return Err(error.into());
            }
            if !self.view.update(&update) {
                return Err(Stopped("events came with a gap between them".into()));
            }
        }
        Ok(())
    }

    /// Makes a move; if the clocks are stopped, because the server was restarted or cannot store anything,
    /// as soon as they run again.
    async fn play(&mut self, command: Command) -> Result<(), Stopped> {
        loop {
            let on = self.view.position_seq();
            match self.game.send(Some(on), command.clone()).await {
                Ok(_) => return Ok(()),
                Err(Error::Refused(Refusal::ClocksPaused)) => {
                    tokio::time::sleep(PAUSE).await;
                    self.until(|view| view.running().is_some()).await?;
                }
                Err(Error::Refused(Refusal::StoreDown | Refusal::Busy)) => tokio::time::sleep(PAUSE).await,
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// The game as the server now shows it to somebody who comes in.
    async fn snapshot_again(&mut self) -> Result<Box<Snapshot>, Stopped> {
        self.game.resync(None).await?;
        loop {
            match next(&mut self.updates).await? {
                Update::Snapshot { snapshot, .. } => return Ok(snapshot),
                Update::Ended(error) => return Err(error.into()),
                _ => {}
            }
        }
    }
}

async fn next(updates: &mut Updates) -> Result<Update, Stopped> {
    let update = tokio::time::timeout(PATIENCE, updates.next()).await;
    update.ok().flatten().ok_or_else(|| Stopped(format!("nothing came for {} s", PATIENCE.as_secs())))
}

/// The moves of the record and the board after them.
struct PlayedMoves {
    start: Board,
    board: Board,
    moves: Vec<Move>,
}

async fn play_moves(
    seats: &mut ByColor<Player>,
    record: &Record,
    plan: &Plan,
) -> Result<PlayedMoves, Stopped> {
    let start = match &record.fen {
        Some(fen) => Board::from_fen(fen).map_err(|error| Stopped(error.to_string()))?,
        None => Board::default(),
    };
    let mut played = PlayedMoves { board: start.clone(), start, moves: Vec::new() };
    let last = record.plies.len().saturating_sub(1);
    let may_be_agreed = record.scores == ByColor::both(Score::HALF) && is_open(record);
    for (i, ply) in record.plies.iter().enumerate() {
        if !plan.pace.is_zero() && i > 0 {
            tokio::time::sleep(plan.pace).await;
        }
        let player = &mut seats[played.board.turn()];
        let named = |what: &str| Stopped(format!("ply {} ({ply}): {what}", i + 1));
        // The game begins when both are at the board.
        player.until(|view| view.moves().len() >= i && *view.status() != Status::Waiting).await?;
        if let Some(outcome) = player.view.outcome() {
            return Err(named(&format!("the server ended the game before it: {}", describe(outcome))));
        }
        let mv = match ply {
            Ply::Uci(mv) => *mv,
            Ply::San(san) => {
                player.until(|view| view.legal_moves().is_some()).await?;
                by_san(&player.view, san).ok_or_else(|| named("no legal move has that name"))?
            }
        };
        // The proper moment for an offer: with the move (9.1). If the move ends the game, it is void.
        let command = Command::Move { mv, offer_draw: may_be_agreed && i == last };
        player.play(command).await.map_err(|stopped| named(&stopped.0))?;
        played.board.play(mv);
        played.moves.push(mv);
    }
    for color in Color::BOTH {
        seats[color].until(|view| view.moves().len() >= played.moves.len()).await?;
    }
    Ok(played)
}

/// Whether the players, and not the position, may have ended the game.
fn is_open(record: &Record) -> bool {
    matches!(record.ending, Final::Open | Final::Unsaid)
}

/// The legal move of this name.
fn by_san(view: &GameView, san: &str) -> Option<Move> {
    let plain = |san: &str| san.trim_end_matches(['+', '#']).replace('=', "");
    let wanted = plain(san);
    view.legal_moves()?.iter().find(|legal| plain(&legal.san) == wanted).map(|legal| legal.mv)
}

/// Brings the game to its end, if the last move has not: the loser resigns, or the draw is agreed.
async fn end(seats: &mut ByColor<Player>, record: &Record) -> Result<(), Stopped> {
    let over = |view: &GameView| view.status().is_over();
    if is_open(record) && !over(&seats.white.view) {
        let (white, black) = (record.scores.white, record.scores.black);
        if white == black {
            agree(seats).await?;
        } else {
            let loser = if white == Score::ONE { Color::Black } else { Color::White };
            seats[loser].game.send(None, Command::Resign).await?;
        }
    }
    for color in Color::BOTH {
        seats[color].until(over).await.map_err(|why| {
            Stopped(format!("the server did not end the game where the record does: {}", why.0))
        })?;
    }
    Ok(())
}

/// Whoever has not moved last accepts the offer that came with the last move; without one White offers.
async fn agree(seats: &mut ByColor<Player>) -> Result<(), Stopped> {
    let offering = match seats.white.view.offer() {
        Some(side) => side,
        None => {
            seats.white.game.send(None, Command::OfferDraw).await?;
            Color::White
        }
    };
    let accepting = &mut seats[!offering];
    accepting.until(|view| view.offer() == Some(offering)).await?;
    accepting.game.send(None, Command::AcceptDraw).await?;
    Ok(())
}

fn describe(outcome: &Outcome) -> String {
    format!("{} by {}", outcome.result(), outcome.reason.name())
}

/// The reasons that agree with what stands on the board at the end.
fn reasons(record: &Record) -> Vec<Reason> {
    let by_players =
        if record.scores.white == record.scores.black { Reason::Agreement } else { Reason::Resignation };
    match record.ending {
        Final::Mate => vec![Reason::Checkmate],
        Final::Stalemate => vec![Reason::Stalemate],
        Final::Insufficient => vec![Reason::DeadPosition],
        Final::Open => vec![by_players],
        Final::Unsaid => vec![Reason::Checkmate, Reason::Stalemate, Reason::DeadPosition, by_players],
    }
}

/// Compares a finished game with its record.
struct Check<'a> {
    id: GameId,
    differences: &'a mut Vec<String>,
}

impl Check<'_> {
    fn differs(&mut self, text: &str) {
        self.differences.push(format!("game {}: {text}", self.id));
    }

    /// The verdict, as it was told to one side.
    fn outcome(&mut self, told: Color, outcome: Option<&Outcome>, record: &Record) {
        let Some(outcome) = outcome else {
            return self.differs(&format!("{told} was told of no result"));
        };
        let reasons = reasons(record);
        if outcome.scores != record.scores || !reasons.contains(&outcome.reason) {
            let expected: Vec<&str> = reasons.iter().map(Reason::name).collect();
            let (white, black) = (record.scores.white, record.scores.black);
            self.differs(&format!(
                "{told} was told {}, the record says {white}-{black} by {}",
                describe(outcome),
                expected.join(" or ")
            ));
        }
    }

    /// The moves, the men and whose turn it is, as the server shows them at the end.
    fn position(&mut self, snapshot: &Snapshot, played: &PlayedMoves) {
        if *snapshot.moves != *played.moves {
            self.differs("the server's moves are not the record's");
        }
        let turn = if played.board.turn() == Color::White { "w" } else { "b" };
        let expected = format!("{} {turn} ", played.board.placement());
        if !snapshot.fen.starts_with(&expected) {
            self.differs(&format!(
                "the server's final position is {}, the record's {expected}",
                snapshot.fen
            ));
        }
    }

    /// The PGN: the moves by their names, the result in its tag and at its end.
    async fn pgn(&mut self, member: &Member, record: &Record, played: &PlayedMoves) -> Result<(), Stopped> {
        let Reply::Pgn(text) = member.ask(Request::Pgn(self.id)).await? else {
            return Err(Stopped(format!("game {}: no PGN came", self.id)));
        };
        let games = pgn::parse(&text);
        let [game] = &games[..] else {
            self.differs(&format!("its PGN holds {} games", games.len()));
            return Ok(());
        };
        let expected = format!("{}-{}", record.scores.white, record.scores.black);
        for (place, result) in [("tag Result", game.tag("Result")), ("last word", game.result.as_deref())] {
            let result = result.unwrap_or("missing");
            if result != expected {
                self.differs(&format!("the {place} of its PGN is {result}, the record says {expected}"));
            }
        }
        if game.sans.len() != played.moves.len() {
            self.differs(&format!(
                "its PGN has {} plies, the record {}",
                game.sans.len(),
                played.moves.len()
            ));
            return Ok(());
        }
        let mut board = played.start.clone();
        for (i, (san, &mv)) in game.sans.iter().zip(&played.moves).enumerate() {
            if !describes(san, mv, &board) {
                self.differs(&format!("ply {} of its PGN is {san}, the record's {mv}", i + 1));
            }
            board.play(mv);
        }
        Ok(())
    }
}
