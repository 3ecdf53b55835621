//! A tournament as pairing and scoring see it.

use serde::{Deserialize, Serialize};

use crate::points::{PointSystem, Points};
use crate::round::{Bye, Color, Entry, Tpn};

/// A player and the rounds so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Player {
    /// The pairing number, from 1; unique.
    pub tpn: Tpn,
    /// `Lastname, Firstname` or whatever the organiser wrote.
    pub name: String,
    /// `m`, `w` or nothing.
    pub sex: Option<char>,
    /// The FIDE title in its short form (`GM`, `WIM`, ...), or empty.
    pub title: String,
    /// The rating used for the initial order and the rating tie-breaks.
    pub rating: Option<u16>,
    /// Three letters, or empty.
    pub federation: String,
    /// The FIDE number, or empty.
    pub fide_id: String,
    /// As in the report file, `YYYY/MM/DD`, or empty.
    pub birth: String,
    /// The rank written in the report file.
    pub rank: Option<u16>,
    /// One entry a round; shorter than the tournament if nothing follows.
    pub rounds: Vec<Entry>,
}

impl Player {
    /// The entry of `round`, counted from 1.
    pub fn entry(&self, round: usize) -> Entry {
        round.checked_sub(1).and_then(|i| self.rounds.get(i)).copied().unwrap_or_default()
    }
}

/// Fictitious points for pairing (C.04.7; TRF-2026 record 250, TRF(bx) XXA).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Acceleration {
    /// The same points for a range of players over a range of rounds, both inclusive.
    Range {
        /// The fictitious points.
        points: Points,
        /// First and last round.
        rounds: (usize, usize),
        /// First and last pairing number.
        players: (Tpn, Tpn),
    },
    /// One player's points, round by round from the first.
    Player {
        /// Whose.
        tpn: Tpn,
        /// Points in rounds 1, 2, ...
        points: Vec<Points>,
    },
}

/// Players who must not meet one another in some rounds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Forbidden {
    /// First and last round; `None` for the whole tournament.
    pub rounds: Option<(usize, usize)>,
    /// No two of these meet.
    pub players: Vec<Tpn>,
}

/// Byes asked for in advance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestedBye {
    /// Half, full or zero; an allocated bye cannot be requested, but an arbiter may preset it.
    pub kind: Bye,
    /// Counted from 1.
    pub round: usize,
    /// Who stays out.
    pub players: Vec<Tpn>,
}

/// Points given or taken outside the games.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Adjustment {
    /// May be negative.
    pub points: Points,
    /// The round from whose end on it counts; `None` from the start.
    pub round: Option<usize>,
    /// Whom it concerns.
    pub players: Vec<Tpn>,
}

/// Which number decides by parity who gets the initial colour (C.04.3 art. 5.2.5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ParityNumber {
    /// The place among those who have been paired at least once, this round included: what endorsed programs do.
    #[default]
    AmongPaired,
    /// The pairing number itself, as the text says.
    PairingNumber,
}

/// Facts of the event that pairing does not use but report files carry.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// The tournament's name.
    pub name: String,
    /// City.
    pub city: String,
    /// Federation, three letters.
    pub federation: String,
    /// First day, `YYYY/MM/DD`.
    pub start: String,
    /// Last day.
    pub end: String,
    /// Free text such as `Individual: Swiss-System (FIDE Dutch)`.
    pub kind: String,
    /// Chief arbiter.
    pub chief_arbiter: String,
    /// Deputies, one a line.
    pub deputies: Vec<String>,
    /// Allotted time in words.
    pub time_control: String,
    /// Allotted time in the encoding of record 222.
    pub encoded_time_control: String,
    /// The program that paired.
    pub pairing_program: String,
    /// One date a round, `YY/MM/DD`.
    pub round_dates: Vec<String>,
}

/// A tournament.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tournament {
    /// Names, dates, officials.
    pub event: Event,
    /// The code of the system (record 192), for example `FIDE_DUTCH_2025_BAKU`; empty if unknown.
    pub system: String,
    /// How many rounds are planned.
    pub rounds: Option<usize>,
    /// Drawn by lot before round 1.
    pub initial_colour: Option<Color>,
    /// Which number art. 5.2.5 looks at.
    pub parity: ParityNumber,
    /// Points by result.
    pub points: PointSystem,
    /// In ascending order of pairing number.
    pub players: Vec<Player>,
    /// Byes asked for in advance.
    pub requested_byes: Vec<RequestedBye>,
    /// Fictitious points.
    pub accelerations: Vec<Acceleration>,
    /// Players who must not meet.
    pub forbidden: Vec<Forbidden>,
    /// Bonus and penalty points.
    pub adjustments: Vec<Adjustment>,
    /// The published tie-breaks in order, by their codes.
    pub tie_breaks: Vec<String>,
}

impl Tournament {
    /// The player with a pairing number.
    pub fn player(&self, tpn: Tpn) -> Option<&Player> {
        self.index_of(tpn).map(|i| &self.players[i])
    }

    /// Where a player stands in `players`.
    pub fn index_of(&self, tpn: Tpn) -> Option<usize> {
        self.players.binary_search_by_key(&tpn, |p| p.tpn).ok()
    }

    /// The last round in which anyone has an opponent; 0 before the first.
    pub fn rounds_paired(&self) -> usize {
        let last = |p: &Player| p.rounds.iter().rposition(|e| e.opponent().is_some()).map_or(0, |i| i + 1);
        self.players.iter().map(last).max().unwrap_or(0)
    }

    /// The score before `round`, without fictitious points.
    pub fn score_before(&self, player: &Player, round: usize) -> Points {
        let played = round.saturating_sub(1).min(player.rounds.len());
        let games: Points = player.rounds[..played].iter().map(|&e| self.points.of_entry(e)).sum();
        // Rounds that are over but not in the row count as absences.
        let blank = self.points.zero_bye.times(round.saturating_sub(1) - played);
        let adjusted: Points = self
            .adjustments
            .iter()
            .filter(|a| a.players.contains(&player.tpn) && a.round.is_none_or(|r| r < round))
            .map(|a| a.points)
            .sum();
        games + blank + adjusted
    }

    /// The fictitious points of a player in `round`. Explicit records replace a method named in the system's code.
    pub fn fictitious(&self, tpn: Tpn, round: usize) -> Points {
        if self.accelerations.is_empty() {
            return if self.system.ends_with("_BAKU") {
                crate::baku::points(self, tpn, round)
            } else {
                Points::ZERO
            };
        }
        self.accelerations
            .iter()
            .map(|acceleration| match acceleration {
                Acceleration::Range { points, rounds: (first, last), players: (low, high) }
                    if (*first..=*last).contains(&round) && (*low..=*high).contains(&tpn) =>
                {
                    *points
                }
                Acceleration::Player { tpn: whose, points } if *whose == tpn => {
                    round.checked_sub(1).and_then(|i| points.get(i)).copied().unwrap_or_default()
                }
                _ => Points::ZERO,
            })
            .sum()
    }

    /// The bye a player has asked for or been given in advance for `round`.
    pub fn bye_for(&self, player: &Player, round: usize) -> Option<Bye> {
        if let Entry::Bye(kind) = player.entry(round) {
            return Some(kind);
        }
        self.requested_byes
            .iter()
            .find(|bye| bye.round == round && bye.players.contains(&player.tpn))
            .map(|bye| bye.kind)
    }
}
