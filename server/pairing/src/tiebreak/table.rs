//! The crosstable as the tie-breaks see it: what every unplayed round is (C.07 art. 15, 16), and adjusted scores.

use crate::points::Points;
use crate::round::{Bye, Color, Entry, Score};
use crate::tournament::Tournament;

/// How the tournament is paired, which decides how unplayed rounds count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Swiss: art. 16.
    #[default]
    Swiss,
    /// Round robin, where all opponents are known beforehand: art. 15.
    RoundRobin,
}

/// One round of one player. Opponents are indices into the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cell {
    /// A game over the board.
    Game { opponent: usize, colour: Color, score: Score },
    /// 16.2.2 and 16.2.4.
    Forfeit { opponent: usize, won: bool },
    /// 16.2.1: allocated or full-point bye.
    Awarded,
    /// 16.2.3: a requested bye or absence, but the player came back.
    Interlude,
    /// 16.2.5: a requested bye or absence after which no round was elected.
    Gone,
    /// Under way, or nothing that counts.
    Open { opponent: Option<usize> },
}

impl Cell {
    /// A voluntary unplayed round, which cuts take first (16.5).
    pub(super) fn voluntary(self) -> bool {
        matches!(self, Self::Interlude | Self::Gone | Self::Forfeit { won: false, .. })
    }
}

/// The crosstable.
#[derive(Debug)]
pub(super) struct Table<'a> {
    pub(super) tournament: &'a Tournament,
    pub(super) mode: Mode,
    /// Rounds that count.
    pub(super) rounds: usize,
    pub(super) cells: Vec<Vec<Cell>>,
    /// Points of each round.
    pub(super) earned: Vec<Vec<Points>>,
    /// Scores.
    pub(super) scores: Vec<Points>,
    /// 16.3: scores as opponents see them.
    pub(super) adjusted: Vec<Points>,
}

impl<'a> Table<'a> {
    /// The table of the first `rounds` rounds.
    pub(super) fn new(tournament: &'a Tournament, mode: Mode, rounds: usize) -> Self {
        let cells: Vec<Vec<Cell>> =
            (0..tournament.players.len()).map(|i| row(tournament, i, rounds)).collect();
        let points = &tournament.points;
        let earned: Vec<Vec<Points>> = tournament
            .players
            .iter()
            .map(|player| {
                (1..=rounds)
                    .map(|round| match player.entry(round) {
                        // Pairing takes an open game for a draw, the standings do not.
                        Entry::Paired { .. } => Points::ZERO,
                        entry => points.of_entry(entry),
                    })
                    .collect()
            })
            .collect();
        let scores: Vec<Points> = earned
            .iter()
            .zip(&tournament.players)
            .map(|(row, player)| {
                let adjustments = tournament.adjustments.iter().filter(|a| {
                    a.players.contains(&player.tpn) && a.round.is_none_or(|round| round <= rounds)
                });
                row.iter().copied().sum::<Points>() + adjustments.map(|a| a.points).sum::<Points>()
            })
            .collect();
        let mut table = Self { tournament, mode, rounds, cells, earned, adjusted: scores.clone(), scores };
        if mode == Mode::Swiss {
            for i in 0..table.cells.len() {
                for (round, &cell) in table.cells[i].iter().enumerate() {
                    if cell == Cell::Gone {
                        table.adjusted[i] += points.draw - table.earned[i][round];
                    }
                }
            }
        }
        table
    }

    /// The same table with the last paired round drawn (8.3).
    pub(super) fn fore(&self) -> Self {
        let mut fore = Self {
            tournament: self.tournament,
            mode: self.mode,
            rounds: self.rounds,
            cells: self.cells.clone(),
            earned: self.earned.clone(),
            scores: self.scores.clone(),
            adjusted: self.adjusted.clone(),
        };
        let Some(last) = self.rounds.checked_sub(1) else { return fore };
        let draw = self.tournament.points.draw;
        for i in 0..fore.cells.len() {
            let (opponent, colour) = match fore.cells[i][last] {
                Cell::Game { opponent, colour, .. } => (opponent, colour),
                Cell::Forfeit { opponent, .. } | Cell::Open { opponent: Some(opponent) } => {
                    (opponent, Color::White)
                }
                _ => continue,
            };
            let change = draw - fore.earned[i][last];
            fore.cells[i][last] = Cell::Game { opponent, colour, score: Score::Draw };
            fore.earned[i][last] = draw;
            fore.scores[i] += change;
            fore.adjusted[i] += change;
        }
        fore
    }

    /// 16.4: the score of the dummy a player meets in an unplayed round.
    pub(super) fn dummy(&self, player: usize, cell: Cell) -> Points {
        let cap = match cell {
            Cell::Forfeit { opponent, .. } => self.adjusted[opponent],
            _ => self.tournament.points.draw.times(self.rounds),
        };
        self.scores[player].min(cap)
    }

    /// Whether a forfeited pairing counts as a game: always in a round robin (15.2), by modifier in a Swiss.
    pub(super) fn forfeits_count(&self, as_played: bool) -> bool {
        as_played || self.mode == Mode::RoundRobin
    }
}

fn row(tournament: &Tournament, player: usize, rounds: usize) -> Vec<Cell> {
    let player = &tournament.players[player];
    let index = |tpn| tournament.index_of(tpn).unwrap_or(0);
    (1..=rounds)
        .map(|round| match player.entry(round) {
            Entry::Played { opponent, colour, score, .. } => {
                Cell::Game { opponent: index(opponent), colour, score }
            }
            Entry::Forfeit { opponent, won, .. } => Cell::Forfeit { opponent: index(opponent), won },
            Entry::Paired { opponent, .. } => Cell::Open { opponent: Some(index(opponent)) },
            Entry::Bye(Bye::Allocated | Bye::Full) => Cell::Awarded,
            Entry::Bye(Bye::Half | Bye::Zero) | Entry::Absent => {
                let back = (round + 1..=rounds).any(|later| !player.entry(later).is_voluntary());
                if back { Cell::Interlude } else { Cell::Gone }
            }
        })
        .collect()
}
