//! Checking pairings: the absolute criteria of one round, and every round of a tournament against the engine.

use std::fmt;

use crate::dutch::{self, Method, Pairing, PairingError, Preference, Strength};
use crate::round::{Bye, Color, Entry, Tpn};
use crate::round_robin;
use crate::tournament::Tournament;

/// A broken absolute criterion. Written for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// `C1`, `C2`, `C3`, or `list` for a player missing, doubled or forbidden.
    pub criterion: &'static str,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.criterion, self.message)
    }
}

/// What pairs (White, Black) and a bye would break in `round`, judged from the rows alone and without the engine; for
/// manual pairings, and to watch the engine.
pub fn violations(
    tournament: &Tournament,
    round: usize,
    boards: &[(Tpn, Tpn)],
    bye: Option<Tpn>,
) -> Vec<Violation> {
    let mut found = Vec::new();
    let mut say = |criterion, message: String| found.push(Violation { criterion, message });
    let mut named: Vec<Tpn> = boards.iter().flat_map(|&(white, black)| [white, black]).chain(bye).collect();
    named.sort_unstable();
    let present: Vec<Tpn> = tournament
        .players
        .iter()
        .filter(|p| {
            tournament.bye_for(p, round).is_none_or(|kind| Some(p.tpn) == bye && kind == Bye::Allocated)
        })
        .map(|p| p.tpn)
        .collect();
    if named != present {
        say("list", format!("paired are {named:?}, present are {present:?}"));
    }
    for &(white, black) in boards {
        let (Some(w), Some(b)) = (tournament.player(white), tournament.player(black)) else { continue };
        let met = (1..round).find(|&r| w.entry(r).played().is_some_and(|(opponent, _)| opponent == black));
        if let Some(before) = met {
            say("C1", format!("{white} and {black} met in round {before}"));
        }
        let apart = tournament.forbidden.iter().any(|group| {
            group.rounds.is_none_or(|(first, last)| (first..=last).contains(&round))
                && group.players.contains(&white)
                && group.players.contains(&black)
        });
        if apart {
            say("list", format!("{white} and {black} must not meet"));
        }
        let preference = |tpn| {
            let games: Vec<Color> = tournament
                .player(tpn)
                .into_iter()
                .flat_map(|p| (1..round).filter_map(|r| p.entry(r).played().map(|(_, colour)| colour)))
                .collect();
            Preference::of(&games)
        };
        let top = |player| {
            let most = tournament.points.win.times(round - 1);
            tournament.rounds == Some(round) && tournament.score_before(player, round).times(2) > most
        };
        let (pw, pb) = (preference(white), preference(black));
        if pw == pb && pw.strength == Strength::Absolute && !top(w) && !top(b) {
            say("C3", format!("{white} and {black} both have an absolute preference for one colour"));
        }
    }
    if let Some(player) = bye.and_then(|tpn| tournament.player(tpn)) {
        let before = (1..round).find(|&r| {
            let entry = player.entry(r);
            let win = tournament.points.of_entry(entry) >= tournament.points.win;
            entry == Entry::Bye(Bye::Allocated)
                || win && matches!(entry, Entry::Bye(_) | Entry::Forfeit { .. })
        });
        if let Some(before) = before {
            say("C2", format!("{} may not have the bye because of round {before}", player.tpn));
        }
    }
    found
}

/// How a round in the file differs from what the engine pairs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoundCheck {
    /// From 1.
    pub round: usize,
    /// Boards (White, Black; 0 = bye) in the file only.
    pub only_in_file: Vec<(Tpn, Tpn)>,
    /// Boards the engine pairs and the file does not have.
    pub only_by_engine: Vec<(Tpn, Tpn)>,
    /// Absolute criteria the file's round breaks.
    pub violations: Vec<Violation>,
    /// Why the engine could not pair the round, if so.
    pub error: Option<PairingError>,
}

impl RoundCheck {
    /// Whether file and engine agree.
    pub fn agrees(&self) -> bool {
        self.only_in_file.is_empty() && self.only_by_engine.is_empty() && self.error.is_none()
    }
}

/// The boards of a round as they stand in the rows, White first; a bye has 0 for Black.
pub fn boards_of(tournament: &Tournament, round: usize) -> Vec<(Tpn, Tpn)> {
    let mut boards = Vec::new();
    for player in &tournament.players {
        match player.entry(round) {
            Entry::Played { opponent, colour: Color::White, .. }
            | Entry::Paired { opponent, colour: Color::White }
            | Entry::Forfeit { opponent, colour: Some(Color::White), .. } => {
                boards.push((player.tpn, opponent));
            }
            Entry::Bye(Bye::Allocated) => boards.push((player.tpn, 0)),
            _ => {}
        }
    }
    boards
}

/// Pairs every round of a tournament again. Who was there is read from the rows: an allocated bye counts as there, a
/// blank or a requested bye as absent.
pub fn check(tournament: &Tournament) -> Vec<RoundCheck> {
    (1..=tournament.rounds_paired())
        .map(|round| {
            let before = before(tournament, round);
            let file = boards_of(tournament, round);
            let (engine, error) = match dutch::pair_round(&before, round, Method::default()) {
                Ok(pairing) => (boards_and_bye(&pairing), None),
                Err(reason) => (Vec::new(), Some(reason)),
            };
            let boards: Vec<(Tpn, Tpn)> = file.iter().copied().filter(|&(_, black)| black != 0).collect();
            let bye = file.iter().find(|&&(_, black)| black == 0).map(|&(white, _)| white);
            let violations = violations(&before, round, &boards, bye);
            compare(round, &file, &engine, violations, error)
        })
        .collect()
}

/// The same for a round robin: every round against the Berger table.
pub fn check_round_robin(tournament: &Tournament, cycles: usize) -> Vec<RoundCheck> {
    (1..=tournament.rounds_paired())
        .map(|round| {
            let pairing = round_robin::pair(&before(tournament, round), cycles, round);
            compare(round, &boards_of(tournament, round), &boards_and_bye(&pairing), Vec::new(), None)
        })
        .collect()
}

/// The tournament as it stood before a round was paired.
fn before(tournament: &Tournament, round: usize) -> Tournament {
    let mut before = tournament.clone();
    for player in &mut before.players {
        let entry = player.entry(round);
        player.rounds.truncate(round - 1);
        if !entry.was_paired() {
            let bye = if let Entry::Bye(kind) = entry { kind } else { Bye::Zero };
            player.rounds.resize(round - 1, Entry::Absent);
            player.rounds.push(Entry::Bye(bye));
        }
    }
    before.requested_byes.clear();
    before
}

fn boards_and_bye(pairing: &Pairing) -> Vec<(Tpn, Tpn)> {
    let boards = pairing.boards.iter().map(|board| (board.white, board.black));
    boards.chain(pairing.bye.map(|tpn| (tpn, 0))).collect()
}

fn compare(
    round: usize,
    file: &[(Tpn, Tpn)],
    engine: &[(Tpn, Tpn)],
    violations: Vec<Violation>,
    error: Option<PairingError>,
) -> RoundCheck {
    let only = |these: &[(Tpn, Tpn)], those: &[(Tpn, Tpn)]| {
        these.iter().copied().filter(|board| !those.contains(board)).collect()
    };
    RoundCheck {
        round,
        only_in_file: only(file, engine),
        only_by_engine: only(engine, file),
        violations,
        error,
    }
}
