//! Arena: whoever is free is paired again at once, for as long as the arena lasts.
//!
//! Nobody meets the opponent of the game just finished again, unless only these two are free and nobody else is about
//! to be. Waiting is bounded: whoever has waited for [`Rules::patience_us`] goes before anything but the number of
//! games.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::matching::{Matcher, Weight};
use crate::results::BoardResult;
use crate::round::{Color, Score, Tpn};

/// Options of an arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rules {
    /// Two wins running double the points of the next games until one is not won.
    pub streaks: bool,
    /// A player may halve his clock for a point more if he wins.
    pub berserk: bool,
    /// After so long a player is paired before others, and a rematch of the only two free is allowed although games
    /// are going on. Microseconds.
    pub patience_us: u64,
}

impl Default for Rules {
    fn default() -> Self {
        Self { streaks: true, berserk: true, patience_us: 15_000_000 }
    }
}

/// What a participant is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Presence {
    /// Waiting for a game since then (microseconds on the director's clock).
    Free {
        /// Since when.
        since_us: u64,
    },
    /// Playing against this opponent.
    Playing {
        /// Against whom.
        opponent: Tpn,
    },
    /// Not to be paired.
    Away,
}

/// A finished game of one participant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finished {
    /// The opponent.
    pub opponent: Tpn,
    /// The colour.
    pub colour: Color,
    /// The score; a forfeit counts like a game here.
    pub score: Score,
    /// Points for it.
    pub points: u32,
    /// Whether it was played on a streak.
    pub doubled: bool,
    /// Whether the player went berserk.
    pub berserk: bool,
}

/// A participant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entrant {
    /// Rating, to order those with equal points and to pair the first games.
    pub rating: u16,
    /// Now.
    pub presence: Presence,
    /// Asked to leave during a game: away as soon as it is over.
    pub leaving: bool,
    /// In order.
    pub games: Vec<Finished>,
}

impl Entrant {
    /// Points of all games.
    pub fn points(&self) -> u32 {
        self.games.iter().map(|game| game.points).sum()
    }

    /// Whether the next game counts double: the last two were won.
    pub fn on_streak(&self) -> bool {
        matches!(self.games.as_slice(), [.., a, b] if a.score == Score::Win && b.score == Score::Win)
    }

    fn last_opponent(&self) -> Option<Tpn> {
        self.games.last().map(|game| game.opponent)
    }

    /// Games with White minus games with Black.
    fn balance(&self) -> i32 {
        self.games.iter().map(|game| if game.colour == Color::White { 1 } else { -1 }).sum()
    }
}

/// Why a free participant has no game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// Nobody else is free.
    Alone,
    /// The only ones free have just been the opponent; somebody else will be free before long.
    Rematch,
    /// An odd number is free, and others have waited longer.
    OddOneOut,
}

impl fmt::Display for Waiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Alone => "nobody else is free",
            Self::Rematch => "you have just played whoever is free",
            Self::OddOneOut => "an odd number is free; you are next",
        })
    }
}

/// Why something cannot be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArenaError {
    /// Not a participant.
    Unknown(Tpn),
    /// The two are not playing each other.
    NotPlaying,
}

impl fmt::Display for ArenaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(tpn) => write!(f, "player {tpn} does not take part"),
            Self::NotPlaying => f.write_str("these two are not playing each other"),
        }
    }
}

impl std::error::Error for ArenaError {}

/// One wave of pairings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wave {
    /// White and Black of new games.
    pub games: Vec<(Tpn, Tpn)>,
    /// Who stays free, and why.
    pub waiting: Vec<(Tpn, Waiting)>,
}

/// An arena.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arena {
    rules: Rules,
    entrants: BTreeMap<Tpn, Entrant>,
}

/// At most so many are matched with one another at a time; larger crowds are cut by rank.
const CROWD: usize = 128;

impl Arena {
    /// An arena without participants.
    pub fn new(rules: Rules) -> Self {
        Self { rules, entrants: BTreeMap::new() }
    }

    /// Joins, or comes back with the points kept.
    pub fn join(&mut self, tpn: Tpn, rating: u16, now_us: u64) {
        let free = Presence::Free { since_us: now_us };
        let new = || Entrant { rating, presence: free, leaving: false, games: Vec::new() };
        let entrant = self.entrants.entry(tpn).or_insert_with(new);
        entrant.leaving = false;
        if entrant.presence == Presence::Away {
            entrant.presence = free;
        }
    }

    /// Leaves. A game that is on goes on; afterwards the player stays away.
    ///
    /// # Errors
    /// [`ArenaError::Unknown`]
    pub fn leave(&mut self, tpn: Tpn) -> Result<(), ArenaError> {
        let entrant = self.entrants.get_mut(&tpn).ok_or(ArenaError::Unknown(tpn))?;
        if matches!(entrant.presence, Presence::Playing { .. }) {
            entrant.leaving = true;
        } else {
            entrant.presence = Presence::Away;
        }
        Ok(())
    }

    /// A participant.
    pub fn entrant(&self, tpn: Tpn) -> Option<&Entrant> {
        self.entrants.get(&tpn)
    }

    /// Points, then rating, then number.
    pub fn standings(&self) -> Vec<(Tpn, &Entrant)> {
        let mut all: Vec<(Tpn, &Entrant)> =
            self.entrants.iter().map(|(&tpn, entrant)| (tpn, entrant)).collect();
        all.sort_by_cached_key(|&(tpn, entrant)| {
            (std::cmp::Reverse(entrant.points()), std::cmp::Reverse(entrant.rating), tpn)
        });
        all
    }

    /// Marks two who are free as playing each other: a pairing of an earlier [`Arena::pair`] is told again.
    ///
    /// # Errors
    /// [`ArenaError::Unknown`]
    pub fn begin(&mut self, white: Tpn, black: Tpn) -> Result<(), ArenaError> {
        for (tpn, opponent) in [(white, black), (black, white)] {
            let entrant = self.entrants.get_mut(&tpn).ok_or(ArenaError::Unknown(tpn))?;
            entrant.presence = Presence::Playing { opponent };
        }
        Ok(())
    }

    /// Pairs whoever is free, and marks them as playing.
    pub fn pair(&mut self, now_us: u64) -> Wave {
        let free: Vec<Tpn> = self
            .standings()
            .into_iter()
            .filter(|(_, entrant)| matches!(entrant.presence, Presence::Free { .. }))
            .map(|(tpn, _)| tpn)
            .collect();
        let rematch_allowed = free.len() == 2 && self.rematch_allowed(&free, now_us);
        let mut wave = Wave::default();
        let mut left: Vec<Tpn> = Vec::new();
        for crowd in free.chunks(CROWD) {
            let unpaired = self.match_crowd(crowd, rematch_allowed, now_us, &mut wave.games);
            left.extend(unpaired);
        }
        // Those whom the cut into crowds left over.
        if free.len() > CROWD {
            left = self.match_crowd(&left.clone(), false, now_us, &mut wave.games);
        }
        for &(white, black) in &wave.games {
            for (tpn, opponent) in [(white, black), (black, white)] {
                if let Some(entrant) = self.entrants.get_mut(&tpn) {
                    entrant.presence = Presence::Playing { opponent };
                }
            }
        }
        let reason = |tpn: Tpn| {
            let others = || free.iter().copied().filter(move |&other| other != tpn);
            if others().next().is_none() {
                Waiting::Alone
            } else if others().all(|other| self.just_met(tpn, other)) {
                Waiting::Rematch
            } else {
                Waiting::OddOneOut
            }
        };
        wave.waiting = left.into_iter().map(|tpn| (tpn, reason(tpn))).collect();
        wave
    }

    /// The only two free may meet again if nobody else could come, or when both have waited long enough.
    fn rematch_allowed(&self, free: &[Tpn], now_us: u64) -> bool {
        let playing = self.entrants.values().any(|e| matches!(e.presence, Presence::Playing { .. }));
        !playing || free.iter().all(|&tpn| self.is_overdue(tpn, now_us))
    }

    fn is_overdue(&self, tpn: Tpn, now_us: u64) -> bool {
        self.entrants.get(&tpn).is_some_and(|entrant| match entrant.presence {
            Presence::Free { since_us } => now_us.saturating_sub(since_us) >= self.rules.patience_us,
            Presence::Playing { .. } | Presence::Away => false,
        })
    }

    fn just_met(&self, one: Tpn, other: Tpn) -> bool {
        let last = |tpn: Tpn| self.entrants.get(&tpn).and_then(Entrant::last_opponent);
        last(one) == Some(other) || last(other) == Some(one)
    }

    /// Matches players given in order of rank: as many games as possible, then those who have waited too long, then
    /// neighbours in rank, then colours. Returns who stays free.
    fn match_crowd(
        &self,
        crowd: &[Tpn],
        rematch_allowed: bool,
        now_us: u64,
        games: &mut Vec<(Tpn, Tpn)>,
    ) -> Vec<Tpn> {
        let size = crowd.len();
        let width = (usize::BITS - (size * size).leading_zeros()) as usize + 1;
        let overdue: Vec<u64> = crowd.iter().map(|&tpn| u64::from(self.is_overdue(tpn, now_us))).collect();
        let balance: Vec<i32> =
            crowd.iter().map(|tpn| self.entrants.get(tpn).map_or(0, Entrant::balance)).collect();
        let meets = |i: usize, j: usize| rematch_allowed || !self.just_met(crowd[i], crowd[j]);
        let mut matcher = Matcher::new(size, |i, j| {
            if !meets(i, j) {
                return 0;
            }
            let colours = u64::from(balance[i].signum() != balance[j].signum() || balance[i] == 0);
            i128::at(1, 3 * width)
                + i128::at(overdue[i] + overdue[j], 2 * width)
                + i128::at((size - i.abs_diff(j)) as u64, width)
                + i128::at(colours, 0)
        });
        matcher.solve();
        let mut left = Vec::new();
        for i in 0..size {
            match matcher.mate(i).filter(|&j| j < size && meets(i, j)) {
                Some(j) if i < j => games.push(self.colours(crowd[i], crowd[j])),
                Some(_) => {}
                None => left.push(crowd[i]),
            }
        }
        left
    }

    /// White to whoever has had it less; if equal, to whoever had Black last; else to the first.
    fn colours(&self, first: Tpn, second: Tpn) -> (Tpn, Tpn) {
        let facts = |tpn: Tpn| {
            let entrant = self.entrants.get(&tpn);
            let last = entrant.and_then(|e| e.games.last()).map(|game| game.colour);
            (entrant.map_or(0, Entrant::balance), last == Some(Color::White))
        };
        if facts(second) < facts(first) { (second, first) } else { (first, second) }
    }

    /// Enters the result of a game that is on; both become free. `berserk` says who went berserk, White first.
    ///
    /// # Errors
    /// [`ArenaError::NotPlaying`]
    pub fn finish(
        &mut self,
        white: Tpn,
        black: Tpn,
        result: BoardResult,
        berserk: [bool; 2],
        now_us: u64,
    ) -> Result<(), ArenaError> {
        let plays = |tpn: Tpn, opponent: Tpn| {
            self.entrants.get(&tpn).is_some_and(|e| e.presence == Presence::Playing { opponent })
        };
        if !plays(white, black) || !plays(black, white) {
            return Err(ArenaError::NotPlaying);
        }
        let (w, b) = match result {
            BoardResult::Played(score) | BoardResult::Unrated(score) => (score, score.other()),
            BoardResult::WhiteForfeits => (Score::Loss, Score::Win),
            BoardResult::BlackForfeits => (Score::Win, Score::Loss),
            BoardResult::BothForfeit => (Score::Loss, Score::Loss),
        };
        let sides =
            [(white, black, Color::White, w, berserk[0]), (black, white, Color::Black, b, berserk[1])];
        for (tpn, opponent, colour, score, berserk) in sides {
            let Some(entrant) = self.entrants.get_mut(&tpn) else { continue };
            let doubled = self.rules.streaks && entrant.on_streak();
            let berserk = self.rules.berserk && berserk;
            let base = match score {
                Score::Win => 2,
                Score::Draw => 1,
                Score::Loss => 0,
            };
            let extra = u32::from(berserk && score == Score::Win);
            let points = base * if doubled { 2 } else { 1 } + extra;
            entrant.games.push(Finished { opponent, colour, score, points, doubled, berserk });
            entrant.presence =
                if entrant.leaving { Presence::Away } else { Presence::Free { since_us: now_us } };
            entrant.leaving = false;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::Random;

    const WIN: BoardResult = BoardResult::Played(Score::Win);

    fn arena(players: u16) -> Arena {
        let mut arena = Arena::new(Rules::default());
        for tpn in 1..=players {
            arena.join(tpn, 2000 - tpn, 0);
        }
        arena
    }

    #[test]
    fn the_only_two_meet_again_but_not_while_others_play() {
        let mut two = arena(2);
        assert_eq!(two.pair(0).games.len(), 1);
        two.finish(1, 2, WIN, [false; 2], 10).expect("playing");
        // Nobody else is about to come: at once, with colours changed.
        assert_eq!(two.pair(10).games, [(2, 1)]);

        let mut four = arena(4);
        let games = four.pair(0).games;
        assert_eq!(games.len(), 2);
        let (white, black) = games[0];
        four.finish(white, black, WIN, [false; 2], 10).expect("playing");
        let wave = four.pair(10);
        assert!(wave.games.is_empty());
        assert_eq!(wave.waiting, [(white, Waiting::Rematch), (black, Waiting::Rematch)]);
        // Waiting is bounded.
        assert_eq!(four.pair(10 + Rules::default().patience_us).games.len(), 1);
    }

    #[test]
    fn streaks_double_and_berserk_adds() {
        let mut arena = arena(2);
        let mut points = Vec::new();
        for round in 0..4u64 {
            let (white, black) = arena.pair(round).games[0];
            let result = if white == 1 { WIN } else { BoardResult::Played(Score::Loss) };
            arena.finish(white, black, result, [white == 1, black == 1], round).expect("playing");
            points.push(arena.entrant(1).map_or(0, Entrant::points));
        }
        assert_eq!(points, [3, 6, 11, 16]);
        assert_eq!(arena.finish(1, 2, WIN, [false; 2], 9), Err(ArenaError::NotPlaying));
    }

    #[test]
    fn whoever_leaves_is_not_paired_and_keeps_the_points() {
        let mut arena = arena(3);
        arena.leave(3).expect("a participant");
        let (white, black) = arena.pair(0).games[0];
        assert!(white != 3 && black != 3);
        arena.leave(white).expect("a participant");
        arena.finish(white, black, WIN, [false; 2], 1).expect("playing");
        assert_eq!(arena.pair(2).waiting, [(black, Waiting::Alone)]);
        arena.join(white, 0, 3);
        assert_eq!(arena.entrant(white).map(Entrant::points), Some(2));
        assert_eq!(arena.leave(9), Err(ArenaError::Unknown(9)));
    }

    /// No immediate rematch in a crowd, nobody waits for long, and colours stay balanced.
    #[test]
    fn an_evening() {
        let mut random = Random::new(3);
        let mut arena = arena(301);
        let mut running: Vec<(Tpn, Tpn)> = Vec::new();
        let mut idle: BTreeMap<Tpn, usize> = BTreeMap::new();
        for step in 0..300u64 {
            let wave = arena.pair(step * 1_000_000);
            for &(white, black) in &wave.games {
                assert!(!arena.just_met(white, black), "step {step}");
                idle.remove(&white);
                idle.remove(&black);
            }
            for (tpn, _) in wave.waiting {
                let waits = idle.entry(tpn).or_default();
                *waits += 1;
                assert!(*waits < 20, "player {tpn} waits");
            }
            running.extend(wave.games);
            running.retain(|&(white, black)| {
                let over = random.happens(100);
                if over {
                    let score = [Score::Win, Score::Draw, Score::Loss][random.below(3)];
                    arena
                        .finish(white, black, BoardResult::Played(score), [false; 2], step * 1_000_000)
                        .expect("on");
                }
                !over
            });
        }
        assert!(arena.standings().iter().all(|(_, entrant)| entrant.balance().abs() <= 3));
        assert!(arena.standings().iter().all(|(_, entrant)| entrant.games.len() > 10));
    }
}
