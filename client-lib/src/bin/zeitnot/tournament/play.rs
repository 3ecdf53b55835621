//! `zeitnot tournament play`: one's own games, each as it gets ready.

use super::{Done, Person, print};
use crate::tui::screen::{Screen, terminated};
use crate::tui::table::{Left, sit};
use zeitnot_client::proto::GameId;
use zeitnot_client::proto::control::Notice;
use zeitnot_client::proto::game_stream::Seat;
use zeitnot_client::proto::tournament::{TournamentId, TournamentNotice, TournamentPhase};
use zeitnot_client::{Client, Error, Notices};

/// Joins where that is possible and plays until the tournament is over or the player leaves.
pub async fn run(
    client: &Client,
    notices: &mut Notices,
    tournament: TournamentId,
    person: &Person,
    ascii: bool,
) -> Done {
    let welcome = client.welcome().await?;
    let tournaments = client.tournaments();
    let known = tournaments.players(tournament).await?;
    if !known.iter().any(|player| player.entrant.name == welcome.name) {
        tournaments.join(tournament, person.entrant(&welcome.name)?).await?;
    }
    tournaments.check_in(tournament).await?;
    println!("You are {}. Your games open by themselves; Ctrl-C leaves.", welcome.name);
    let mut next = own_game(client, tournament).await?;
    loop {
        let game = match next.take() {
            Some(game) => game,
            None => tokio::select! {
                game = wait(notices, tournament) => match game {
                    Some(game) => game,
                    None => return Ok(()),
                },
                () = terminated() => return Ok(()),
            },
        };
        let mut screen = Screen::open(ascii)?;
        let left = tokio::select! {
            left = sit(&mut screen, client, notices, game, Seat::Player) => left?,
            () = terminated() => Left::Quit(None),
        };
        drop(screen);
        match left {
            Left::Next(game) => next = Some(game),
            Left::Quit(Some(result)) => {
                println!("Game {game} {result}.");
                // What was said meanwhile went to the board.
                if tournaments.show(tournament).await?.summary.phase == TournamentPhase::Finished {
                    return Ok(());
                }
                next = own_game(client, tournament).await?.filter(|&other| other != game);
            }
            Left::Quit(None) => return Ok(()),
        }
    }
}

/// The game of the last round that waits for this player.
async fn own_game(client: &Client, tournament: TournamentId) -> Result<Option<GameId>, Error> {
    let welcome = client.welcome().await?;
    let tournaments = client.tournaments();
    if tournaments.show(tournament).await?.summary.round == 0 {
        return Ok(None);
    }
    let round = tournaments.round(tournament, 0).await?;
    let own = round.boards.iter().find(|board| {
        let players = &board.players;
        board.result.is_none() && (players.white == welcome.name || players.black == welcome.name)
    });
    Ok(own.and_then(|board| board.game))
}

/// Waits for the next game; none once the tournament is over.
async fn wait(notices: &mut Notices, tournament: TournamentId) -> Option<GameId> {
    loop {
        match notices.recv().await? {
            Notice::GameReady { setup, .. } => return Some(setup.game),
            Notice::Tournament(notice) => {
                if let Some(line) = words(&notice, tournament) {
                    println!("{line}");
                }
                if let TournamentNotice::Phase { phase: TournamentPhase::Finished, tournament: of } = notice
                    && of == tournament
                {
                    return None;
                }
            }
            _ => {}
        }
    }
}

/// A notice in words, if it is about this tournament.
fn words(notice: &TournamentNotice, this: TournamentId) -> Option<String> {
    let (of, line) = match notice {
        TournamentNotice::Phase { tournament, phase } => (
            tournament,
            match phase {
                TournamentPhase::Finished => "The tournament is over.".to_owned(),
                TournamentPhase::BetweenRounds => "The tournament has started.".to_owned(),
                _ => return None,
            },
        ),
        TournamentNotice::Paired { tournament, round, .. } => {
            (tournament, format!("Round {round} is paired."))
        }
        TournamentNotice::Unpaired { tournament, round, reason } => {
            (tournament, format!("The pairing of round {round} was taken back: {reason}"))
        }
        TournamentNotice::Bye { tournament, round, kind } => {
            (tournament, format!("Round {round}: {}.", print::bye(*kind)))
        }
        TournamentNotice::Result { tournament, board, result, .. } => {
            (tournament, format!("Board {board}: {}", result.sign()))
        }
        TournamentNotice::Question { tournament, board, .. } => {
            (tournament, format!("Board {board} waits for the arbiter."))
        }
        TournamentNotice::RoundOver { tournament, round } => (tournament, format!("Round {round} is over.")),
        TournamentNotice::NotPaired { tournament, round, why } => {
            (tournament, format!("Round {round} is not paired: {why}"))
        }
        TournamentNotice::Waiting { tournament, why } => (tournament, format!("You wait: {why}.")),
        TournamentNotice::Announced { tournament, text } => (tournament, format!("Announcement: {text}")),
    };
    (*of == this).then_some(line)
}
