//! Drawing the next round: which boards the system gives.

use super::bracket::key_out;
use super::event::{MatchKey, Player};
use super::state::State;
use super::table::bye_kind;
use zeitnot_pairing::dutch::{self, Method, Pairing, PairingError};
use zeitnot_pairing::results::BoardResult as Entered;
use zeitnot_pairing::round::{Bye, Tpn};
use zeitnot_pairing::standings::played_under_half;
use zeitnot_pairing::tournament::{RequestedBye, Tournament};
use zeitnot_pairing::{explain, round_robin, simul};
use zeitnot_proto::Refusal;
use zeitnot_proto::board::Color;
use zeitnot_proto::rules::Name;
use zeitnot_proto::tournament::{BoardResult, ByeKind, TournamentSystem};

/// A board that the system gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DrawnBoard {
    /// White.
    pub white: Player,
    /// Black.
    pub black: Player,
    /// The game of a knockout match.
    pub key: Option<MatchKey>,
    /// The result, where there is nothing to play.
    pub result: Option<BoardResult>,
}

/// A round as the system gives it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Drawn {
    /// The boards in order.
    pub boards: Vec<DrawnBoard>,
    /// Who stays out.
    pub out: Vec<(Player, ByeKind)>,
}

/// Why there is no pairing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoDraw {
    /// For whoever asked.
    pub refusal: Refusal,
    /// In words.
    pub why: String,
}

impl NoDraw {
    fn few() -> NoDraw {
        NoDraw { refusal: Refusal::NotEnoughPlayers, why: "not enough players are there".to_owned() }
    }
}

/// The boards of the round after the last one.
///
/// # Errors
/// Why there are none.
pub fn next_round(state: &State) -> Result<Drawn, NoDraw> {
    match state.settings.system {
        TournamentSystem::Swiss { .. } => {
            let (_, pairing) = swiss(state)?;
            Ok(drawn(state, &pairing))
        }
        TournamentSystem::RoundRobin { cycles } => berger(state, usize::from(cycles)),
        TournamentSystem::Simul { ref host, host_color, .. } => exhibition(state, host, host_color),
        TournamentSystem::Arena { .. } => {
            Err(NoDraw { refusal: Refusal::NotNeeded, why: "an arena pairs by itself".to_owned() })
        }
        TournamentSystem::Knockout { .. } => {
            let boards = due_boards(state);
            if boards.is_empty() { Err(NoDraw::few()) } else { Ok(Drawn { boards, out: Vec::new() }) }
        }
    }
}

/// The games of a knockout that have become due.
pub fn due_boards(state: &State) -> Vec<DrawnBoard> {
    let due = state.due_games().into_iter();
    due.filter_map(|due| {
        let (white, black) = (state.by_tpn(due.white)?, state.by_tpn(due.black)?);
        Some(DrawnBoard { white, black, key: Some(key_out(due.key)?), result: None })
    })
    .collect()
}

/// The table with everybody who is not there out of the next round.
fn table_for_next(state: &State) -> Tournament {
    let mut table = state.table(state.last_round());
    let round = state.rounds.len() + 1;
    let away: Vec<Tpn> = state
        .order
        .iter()
        .zip(1..)
        .filter(|&(&player, _)| !state.is_present(player))
        .map(|(_, tpn)| tpn)
        .collect();
    // Whoever left has no use for a bye that he asked for.
    for bye in table.requested_byes.iter_mut().filter(|bye| bye.round == round) {
        bye.players.retain(|tpn| !away.contains(tpn));
    }
    table.requested_byes.push(RequestedBye { kind: Bye::Zero, round, players: away });
    table
}

fn swiss(state: &State) -> Result<(Tournament, Pairing), NoDraw> {
    let table = table_for_next(state);
    let round = state.rounds.len() + 1;
    let playing = table.players.iter().filter(|p| table.bye_for(p, round).is_none()).count();
    if playing < 2 {
        return Err(NoDraw::few());
    }
    match dutch::pair_round(&table, round, Method::default()) {
        Ok(pairing) => Ok((table, pairing)),
        Err(error) => {
            let refusal = match error {
                PairingError::NotEnoughPlayers => Refusal::NotEnoughPlayers,
                PairingError::NoRoundLeft { .. } => Refusal::WrongPhase,
                _ => Refusal::NoPairing,
            };
            Err(NoDraw { refusal, why: error.to_string() })
        }
    }
}

fn drawn(state: &State, pairing: &Pairing) -> Drawn {
    let player = |tpn: Tpn| state.by_tpn(tpn);
    let boards = pairing.boards.iter().filter_map(|board| {
        let (white, black) = (player(board.white)?, player(board.black)?);
        Some(DrawnBoard { white, black, key: None, result: None })
    });
    let allocated = pairing.bye.map(|tpn| (tpn, Bye::Allocated));
    let out = pairing.out.iter().copied().chain(allocated);
    let out = out.filter_map(|(tpn, kind)| Some((player(tpn)?, bye_kind(kind))));
    Drawn { boards: boards.collect(), out: out.collect() }
}

fn berger(state: &State, cycles: usize) -> Result<Drawn, NoDraw> {
    let round = state.rounds.len() + 1;
    let table = table_for_next(state);
    let pairing = round_robin::pair(&table, cycles, round);
    let mut drawn = drawn(state, &pairing);
    // Whoever left after half of his games loses the others by forfeit (C.05 5.1).
    for (white, black, result) in round_robin::walkovers(&table, cycles, round) {
        let counts = |tpn: Tpn| {
            state.by_tpn(tpn).is_some_and(|player| state.is_present(player))
                || !played_under_half(&table, tpn)
        };
        let (Some(white), Some(black), true) =
            (state.by_tpn(white), state.by_tpn(black), counts(white) && counts(black))
        else {
            continue;
        };
        drawn.out.retain(|&(player, _)| player != white && player != black);
        let result = Some(match result {
            Entered::WhiteForfeits => BoardResult::WhiteForfeits,
            Entered::BlackForfeits => BoardResult::BlackForfeits,
            _ => BoardResult::BothForfeit,
        });
        drawn.boards.push(DrawnBoard { white, black, key: None, result });
    }
    if drawn.boards.is_empty() { Err(NoDraw::few()) } else { Ok(drawn) }
}

/// The host against everybody who is there, strongest first.
fn exhibition(state: &State, host: &Name, host_color: Option<Color>) -> Result<Drawn, NoDraw> {
    let host = state.player(host).filter(|&host| state.is_present(host)).ok_or_else(NoDraw::few)?;
    let guests = state.order.iter().copied().filter(|&player| player != host && state.is_present(player));
    let boards: Vec<DrawnBoard> = simul::boards(host, guests, host_color)
        .into_iter()
        .map(|(white, black)| DrawnBoard { white, black, key: None, result: None })
        .collect();
    if boards.is_empty() { Err(NoDraw::few()) } else { Ok(Drawn { boards, out: Vec::new() }) }
}

/// Why the next round would be paired as it would.
///
/// # Errors
/// Why it cannot be paired.
pub fn explain_next(state: &State) -> Result<String, NoDraw> {
    match state.settings.system {
        TournamentSystem::Swiss { .. } => {
            let (table, pairing) = swiss(state)?;
            Ok(explain::pairing(&table, &pairing))
        }
        TournamentSystem::RoundRobin { .. } => {
            Ok("By the Berger tables (C.05 Annex 1), for numbers drawn by lot.\n".to_owned())
        }
        TournamentSystem::Simul { .. } => Ok("The host against everybody.\n".to_owned()),
        TournamentSystem::Arena { .. } => {
            Ok("Whoever is free, by points; nobody meets the same opponent twice running while others are \
                free.\n"
                .to_owned())
        }
        TournamentSystem::Knockout { .. } => {
            Ok("By the bracket: the first seed at the top, the second at the bottom.\n".to_owned())
        }
    }
}

/// How a pairing by hand differs from what the system gives, in words.
pub fn differences(state: &State, boards: &[(Player, Player)]) -> Vec<String> {
    let drawn = match next_round(state) {
        Ok(drawn) => drawn,
        Err(no) => return vec![no.why],
    };
    let missing = drawn.boards.iter().filter(|b| !boards.contains(&(b.white, b.black)));
    missing.map(|b| format!("{} - {}", state.name(b.white), state.name(b.black))).collect()
}
