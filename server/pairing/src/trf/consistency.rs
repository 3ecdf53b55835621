//! What the lines of a file must agree on.

use super::TrfError;
use super::line::Line;
use super::read::Reader;
use crate::round::{Bye, Entry, Tpn};
use crate::tournament::Tournament;

/// Every opponent exists and has the same game in the same round, records name players that exist, and the points
/// claimed match the results (a warning only).
pub(super) fn check(reader: &mut Reader) -> Result<(), TrfError> {
    for (tpn, line) in &reader.lines {
        check_player(&reader.tournament, *tpn, line)?;
    }
    for &(tpn, line) in &reader.mentioned {
        if reader.tournament.player(tpn).is_none() {
            return Err(TrfError { line, column: 5, message: format!("there is no player {tpn}") });
        }
    }
    let next = reader.tournament.rounds_paired() + 1;
    for ((tpn, claimed), (_, line)) in reader.claimed.iter().zip(&reader.lines) {
        let (Some(claimed), Some(player)) = (*claimed, reader.tournament.player(*tpn)) else { continue };
        // Some programs count a bye already granted for the coming round, some do not.
        let before = reader.tournament.score_before(player, next);
        let with_bye = reader.tournament.score_before(player, next + 1);
        if claimed != before && claimed != with_bye {
            let message = format!("player {tpn} has {claimed} points written, but {before} by the results");
            reader.warnings.push(line.error(81, message));
        }
    }
    warn_of_disguised_byes(reader);
    Ok(())
}

/// A round with an even number of games' players and one full-point bye, but no allocated one, was probably written by
/// a program that uses `F` for the bye of the pairing; then nothing bars a second one but its points.
fn warn_of_disguised_byes(reader: &mut Reader) {
    for round in 1..=reader.tournament.rounds_paired() {
        let all = |entry: Entry| {
            reader
                .tournament
                .players
                .iter()
                .filter(|p| p.entry(round) == entry)
                .map(|p| p.tpn)
                .collect::<Vec<_>>()
        };
        if let ([], [tpn]) =
            (all(Entry::Bye(Bye::Allocated)).as_slice(), all(Entry::Bye(Bye::Full)).as_slice())
            && let Some((_, line)) = reader.lines.iter().find(|(player, _)| player == tpn)
        {
            let message = "a full-point bye (F) and no allocated one (U) in this round: if the pairing gave it, write U";
            reader.warnings.push(line.error(92 + 10 * (round - 1) + 7, message));
        }
    }
}

fn check_player(tournament: &Tournament, tpn: Tpn, line: &Line) -> Result<(), TrfError> {
    let Some(player) = tournament.player(tpn) else { return Ok(()) };
    for (i, &entry) in player.rounds.iter().enumerate() {
        let Some(opponent) = entry.opponent() else { continue };
        let column = 92 + 10 * i;
        let Some(other) = tournament.player(opponent) else {
            return Err(line.error(column, format!("there is no player {opponent}")));
        };
        let theirs = other.entry(i + 1);
        if theirs.opponent() != Some(tpn) {
            let found = theirs.opponent().map_or("no opponent".to_owned(), |t| format!("opponent {t}"));
            let message = format!("player {opponent} has {found} in round {}, not {tpn}", i + 1);
            return Err(line.error(column, message));
        }
        if !agree(entry, theirs) {
            let message =
                format!("players {tpn} and {opponent} disagree on colour or result in round {}", i + 1);
            return Err(line.error(column + 5, message));
        }
    }
    Ok(())
}

fn agree(one: Entry, other: Entry) -> bool {
    match (one, other) {
        (
            Entry::Played { colour, score, rated, .. },
            Entry::Played { colour: theirs, score: other, rated: also, .. },
        ) => colour == !theirs && score == other.other() && rated == also,
        (Entry::Forfeit { colour, won, .. }, Entry::Forfeit { colour: theirs, won: also, .. }) => {
            // Both may lose (6.7); both cannot win.
            !(won && also) && colour.zip(theirs).is_none_or(|(a, b)| a != b)
        }
        (Entry::Paired { colour, .. }, Entry::Paired { colour: theirs, .. }) => colour != theirs,
        _ => false,
    }
}
