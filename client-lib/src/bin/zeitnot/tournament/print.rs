//! Tournaments as plain text.

use super::Done;
use zeitnot_client::Client;
use zeitnot_client::proto::tournament::{
    BoardView, ByeKind, PlayerState, TournamentId, TournamentPhase, TournamentSummary, TournamentSystem,
};

/// Points as people write them.
pub fn points(tenths: u32) -> String {
    format!("{}.{}", tenths / 10, tenths % 10)
}

/// The system in words.
pub fn system(system: &TournamentSystem) -> String {
    match system {
        TournamentSystem::Swiss { rounds, accelerated } => {
            let accelerated = if *accelerated { ", accelerated" } else { "" };
            format!("Swiss, {rounds} rounds{accelerated}")
        }
        TournamentSystem::RoundRobin { cycles: 1 } => "round robin".to_owned(),
        TournamentSystem::RoundRobin { .. } => "double round robin".to_owned(),
        TournamentSystem::Simul { host, .. } => format!("simul of {host}"),
        TournamentSystem::Arena { duration_us, .. } => format!("arena, {} minutes", duration_us / 60_000_000),
        TournamentSystem::Knockout { games, .. } => format!("knockout, {games} games a match"),
    }
}

/// How far a tournament has come, in words.
fn phase(summary: &TournamentSummary) -> String {
    match summary.phase {
        TournamentPhase::Registration => "open for entries".to_owned(),
        TournamentPhase::Closed => "entries closed".to_owned(),
        TournamentPhase::BetweenRounds if summary.round == 0 => "started".to_owned(),
        TournamentPhase::BetweenRounds => format!("after round {}", summary.round),
        TournamentPhase::Playing => format!("round {}", summary.round),
        TournamentPhase::Finished => "over".to_owned(),
    }
}

/// A line of the list.
pub fn line(summary: &TournamentSummary) -> String {
    let TournamentSummary { tournament, name, players, time_control, .. } = summary;
    let (system, phase) = (system(&summary.system), phase(summary));
    format!("{:>4}  {name}  {system}  {time_control}  {players} players  {phase}", tournament.0)
}

/// Prints how a tournament stands.
pub async fn show(client: &Client, tournament: TournamentId, round: Option<u16>, players: bool) -> Done {
    let tournaments = client.tournaments();
    let view = tournaments.show(tournament).await?;
    println!("{}", line(&view.summary));
    if !view.announcement.is_empty() {
        println!("      {}", view.announcement);
    }
    for board in &view.questions {
        println!("      board {board} waits for the arbiter: zeitnot tournament result {tournament} ...");
    }
    if players || (view.summary.round == 0 && round.is_none()) {
        for player in tournaments.players(tournament).await? {
            let number = if player.number == 0 { String::new() } else { player.number.to_string() };
            let state = match player.state {
                PlayerState::Entered => "  not checked in",
                PlayerState::Present => "",
                PlayerState::Withdrawn => "  withdrawn",
                PlayerState::Expelled => "  expelled",
            };
            let entrant = &player.entrant;
            let rating = if entrant.rating == 0 { String::new() } else { entrant.rating.to_string() };
            let points = points(player.points);
            println!(
                "{number:>4}  {:<16}  {:<24}  {rating:>4}  {points:>5}{state}",
                entrant.name.as_str(),
                entrant.full_name.as_str()
            );
        }
        return Ok(());
    }
    let view = tournaments.round(tournament, round.unwrap_or(0)).await?;
    println!("Round {}", view.round);
    for board in &view.boards {
        println!("{}", board_line(board));
    }
    for out in &view.out {
        println!("      {:<16}  {}", out.name.as_str(), bye(out.kind));
    }
    Ok(())
}

/// A kind of bye in words.
pub fn bye(kind: ByeKind) -> &'static str {
    match kind {
        ByeKind::Half => "half-point bye",
        ByeKind::Full => "full-point bye",
        ByeKind::Zero => "absent",
        ByeKind::Allocated => "bye",
    }
}

/// A board: number, players with their points, result or game.
fn board_line(board: &BoardView) -> String {
    let result = match (board.result, board.game) {
        (Some(result), _) => result.sign().to_owned(),
        (None, Some(game)) => format!("game {game}"),
        (None, None) => String::new(),
    };
    let (white, black) = (points(board.points.white), points(board.points.black));
    let by_arbiter = if board.by_arbiter { "  by the arbiter" } else { "" };
    format!(
        "{:>4}  {:<16} ({white}) - {:<16} ({black})  {result}{by_arbiter}",
        board.board,
        board.players.white.as_str(),
        board.players.black.as_str()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use zeitnot_client::proto::tournament::BoardResult;
    use zeitnot_client::proto::{ByColor, GameId, Text};

    #[test]
    fn a_board_says_how_it_stands() {
        let mut board = BoardView {
            board: 3,
            players: ByColor::new(Text::cut("anna"), Text::cut("bela")),
            points: ByColor::new(15, 10),
            game: Some(GameId(12)),
            result: None,
            by_arbiter: false,
        };
        assert!(board_line(&board).ends_with("(1.0)  game 12"));
        board.result = Some(BoardResult::BlackForfeits);
        board.by_arbiter = true;
        assert!(board_line(&board).contains("anna             (1.5)"));
        assert!(board_line(&board).ends_with("+:-  by the arbiter"));
    }
}
