//! Knockout: a seeded bracket of matches, each of one or more games, with play-offs until it is decided.
//!
//! The state is what was drawn plus the results so far; everything else follows from them, so a correction is just
//! another result for the same game.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::results::BoardResult;
use crate::round::{Color, Score, Tpn};

/// Part of a match: the games proper, then each play-off.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stage {
    /// How it is called and timed, for example `rapid 15+10`; the director turns it into a time control.
    pub name: String,
    /// Games, colours alternating. One for an armageddon.
    pub games: usize,
    /// A draw is a win for Black.
    pub armageddon: bool,
}

/// The stages of every match. If the last one is no armageddon, it is repeated until it decides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Format {
    /// In order; at least one.
    pub stages: Vec<Stage>,
}

impl Format {
    /// Mini-matches of so many games, then two rapid games, two blitz games, and an armageddon.
    pub fn with_play_offs(games: usize) -> Self {
        let stage = |name: &str, games, armageddon| Stage { name: name.to_owned(), games, armageddon };
        Self {
            stages: vec![
                stage("games", games.max(1), false),
                stage("rapid", 2, false),
                stage("blitz", 2, false),
                stage("armageddon", 1, true),
            ],
        }
    }

    /// The stage in the given turn; the last one again after the end.
    fn stage(&self, turn: usize) -> Option<&Stage> {
        self.stages.get(turn).or(self.stages.last())
    }
}

/// Which game: round and match from 0 (round 0 is the first, match 0 the top of the bracket; the match for third place
/// is match 1 of the last round), stage and game from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct GameKey {
    /// The round.
    pub round: usize,
    /// The match within the round.
    pub pairing: usize,
    /// The stage, counting repetitions.
    pub stage: usize,
    /// The game within the stage.
    pub game: usize,
}

/// A game that can start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Due {
    /// Which.
    pub key: GameKey,
    /// White.
    pub white: Tpn,
    /// Black.
    pub black: Tpn,
    /// The stage's name.
    pub stage: String,
    /// Black advances with a draw.
    pub armageddon: bool,
}

/// Why a result cannot be entered or a bracket not be drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KnockoutError {
    /// Fewer than two players, a player twice, or a format without games.
    BadDraw,
    /// That game is not due and has no result to correct.
    NotDue,
    /// The correction would change who advanced, and the next match has begun.
    TooLate,
}

impl fmt::Display for KnockoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::BadDraw => "a knockout needs two or more different players and at least one game a match",
            Self::NotDue => "this game is not due",
            Self::TooLate => "the next match has begun, so the winner can no longer change",
        })
    }
}

impl std::error::Error for KnockoutError {}

/// Who sits at one side of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seat {
    /// Decided by a match that is still going on.
    Open,
    /// This player.
    Player(Tpn),
    /// Nobody: a bye of the draw, or both players of the match before are out.
    Empty,
}

/// A match as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    /// Upper and lower side of the bracket.
    pub seats: [Seat; 2],
    /// Games won and half of those drawn, in halves, over the stage that is on.
    pub halves: [u32; 2],
    /// Who advances; `Empty` if nobody does.
    pub winner: Seat,
    /// The other one, for the match for third place.
    pub loser: Seat,
    /// Stage and game that come next.
    next: Option<(usize, usize)>,
}

/// A knockout tournament.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Knockout {
    seeds: Vec<Tpn>,
    format: Format,
    initial_colour: Color,
    third_place: bool,
    #[serde(with = "as_pairs")]
    results: BTreeMap<GameKey, BoardResult>,
    withdrawn: Vec<Tpn>,
}

/// Seeds from the top of a bracket of `size` (a power of two) down: 1 meets the last, and 1 and 2 can only meet in the
/// final.
pub fn bracket_order(size: usize) -> Vec<usize> {
    let mut order = vec![1];
    while order.len() < size {
        let sum = 2 * order.len() + 1;
        order = order.into_iter().flat_map(|seed| [seed, sum - seed]).collect();
    }
    order
}

impl Knockout {
    /// Draws the bracket. `seeds` are in order of strength; the best get the byes. `initial_colour` is what the
    /// stronger player of the top match gets in the first game, drawn by lot; it alternates down the bracket.
    ///
    /// # Errors
    /// [`KnockoutError::BadDraw`]
    pub fn new(
        seeds: Vec<Tpn>,
        format: Format,
        initial_colour: Color,
        third_place: bool,
    ) -> Result<Self, KnockoutError> {
        let mut sorted = seeds.clone();
        sorted.sort_unstable();
        sorted.dedup();
        if seeds.len() < 2 || sorted.len() < seeds.len() || format.stages.is_empty() {
            return Err(KnockoutError::BadDraw);
        }
        if format.stages.iter().any(|stage| stage.games == 0 || stage.armageddon && stage.games != 1) {
            return Err(KnockoutError::BadDraw);
        }
        let (results, withdrawn) = (BTreeMap::new(), Vec::new());
        Ok(Self { seeds, format, initial_colour, third_place, results, withdrawn })
    }

    /// How many rounds there are.
    pub fn rounds(&self) -> usize {
        self.seeds.len().next_power_of_two().trailing_zeros() as usize
    }

    /// All matches, round by round from the first. The last round has a second match if third place is played for.
    pub fn matches(&self) -> Vec<Vec<Match>> {
        let order = bracket_order(self.seeds.len().next_power_of_two());
        let mut seats: Vec<Seat> = order
            .iter()
            .map(|&seed| self.seeds.get(seed - 1).map_or(Seat::Empty, |&tpn| Seat::Player(tpn)))
            .collect();
        let mut rounds: Vec<Vec<Match>> = Vec::new();
        for round in 0..self.rounds() {
            let mut matches: Vec<Match> = seats
                .chunks_exact(2)
                .enumerate()
                .map(|(pairing, pair)| self.play_out(round, pairing, [pair[0], pair[1]]))
                .collect();
            seats = matches.iter().map(|m| m.winner).collect();
            if self.third_place
                && matches.len() == 1
                && let Some([one, other]) = rounds.last().map(Vec::as_slice)
            {
                matches.push(self.play_out(round, 1, [one.loser, other.loser]));
            }
            rounds.push(matches);
        }
        rounds
    }

    /// Follows the results of one match.
    fn play_out(&self, round: usize, pairing: usize, seats: [Seat; 2]) -> Match {
        let mut state = Match { seats, halves: [0, 0], winner: Seat::Open, loser: Seat::Open, next: None };
        let decided = |mut state: Match, winner: Seat, loser: Seat| {
            (state.winner, state.loser) = (winner, loser);
            state
        };
        let out = |seat: Seat| matches!(seat, Seat::Player(tpn) if self.withdrawn.contains(&tpn));
        match seats {
            [Seat::Open, _] | [_, Seat::Open] => return state,
            [Seat::Empty, other] | [other, Seat::Empty] => return decided(state, other, Seat::Empty),
            [Seat::Player(_), Seat::Player(_)] => {}
        }
        let mut turn = 0;
        loop {
            let Some(stage) = self.format.stage(turn) else { return state };
            state.halves = [0, 0];
            let mut nobody_came = false;
            for game in 0..stage.games {
                let left = u32::try_from(stage.games - game).unwrap_or(u32::MAX).saturating_mul(2);
                if state.halves[0].abs_diff(state.halves[1]) > left {
                    break;
                }
                let key = GameKey { round, pairing, stage: turn, game };
                let Some(&result) = self.results.get(&key) else {
                    match (out(seats[0]), out(seats[1])) {
                        (false, false) => state.next = Some((turn, game)),
                        (true, false) => return decided(state, seats[1], seats[0]),
                        (false, true) => return decided(state, seats[0], seats[1]),
                        (true, true) => return decided(state, Seat::Empty, Seat::Empty),
                    }
                    return state;
                };
                nobody_came |= result == BoardResult::BothForfeit;
                let white = self.white_side(round, pairing, turn, game);
                let [w, b] = halves(result, stage.armageddon);
                state.halves[white] += w;
                state.halves[1 - white] += b;
            }
            match state.halves[0].cmp(&state.halves[1]) {
                std::cmp::Ordering::Greater => return decided(state, seats[0], seats[1]),
                std::cmp::Ordering::Less => return decided(state, seats[1], seats[0]),
                std::cmp::Ordering::Equal if nobody_came => return decided(state, Seat::Empty, Seat::Empty),
                std::cmp::Ordering::Equal => turn += 1,
            }
        }
    }

    /// Which side has White: alternating down the bracket, through the games of a stage and on into the next.
    fn white_side(&self, round: usize, pairing: usize, turn: usize, game: usize) -> usize {
        let before: usize = (0..turn).filter_map(|t| self.format.stage(t)).map(|stage| stage.games).sum();
        let black_first = usize::from(self.initial_colour == Color::Black);
        // An even number of games would give the same side White again at the start of each stage.
        (black_first + pairing + round + before + turn + game) % 2
    }

    /// Games that can start now: one a match.
    pub fn due(&self) -> Vec<Due> {
        let mut due = Vec::new();
        for (round, matches) in self.matches().into_iter().enumerate() {
            for (pairing, state) in matches.into_iter().enumerate() {
                let (Some((turn, game)), [Seat::Player(upper), Seat::Player(lower)]) =
                    (state.next, state.seats)
                else {
                    continue;
                };
                let Some(stage) = self.format.stage(turn) else { continue };
                let sides = [upper, lower];
                let white = self.white_side(round, pairing, turn, game);
                due.push(Due {
                    key: GameKey { round, pairing, stage: turn, game },
                    white: sides[white],
                    black: sides[1 - white],
                    stage: stage.name.clone(),
                    armageddon: stage.armageddon,
                });
            }
        }
        due
    }

    /// Enters a result, or corrects one. A correction drops the later games of its match.
    ///
    /// # Errors
    /// [`KnockoutError::NotDue`] or [`KnockoutError::TooLate`].
    pub fn record(&mut self, key: GameKey, result: BoardResult) -> Result<(), KnockoutError> {
        if !self.results.contains_key(&key) {
            if !self.due().iter().any(|due| due.key == key) {
                return Err(KnockoutError::NotDue);
            }
            self.results.insert(key, result);
            return Ok(());
        }
        let before = self.matches();
        let mut corrected = self.clone();
        let same_match = |k: &GameKey| (k.round, k.pairing) == (key.round, key.pairing);
        corrected.results.retain(|k, _| !same_match(k) || (k.stage, k.game) < (key.stage, key.game));
        corrected.results.insert(key, result);
        let after = corrected.matches();
        // Whoever sat in a match with results must still sit there.
        let moved = self.results.keys().any(|k| {
            before[k.round].get(k.pairing).map(|m| m.seats) != after[k.round].get(k.pairing).map(|m| m.seats)
        });
        if moved {
            return Err(KnockoutError::TooLate);
        }
        *self = corrected;
        Ok(())
    }

    /// Takes a player out: the match that is on is lost, or the next one.
    pub fn withdraw(&mut self, tpn: Tpn) {
        if self.seeds.contains(&tpn) && !self.withdrawn.contains(&tpn) {
            self.withdrawn.push(tpn);
        }
    }

    /// The winner, once there is one.
    pub fn champion(&self) -> Option<Tpn> {
        match self.matches().last()?.first()?.winner {
            Seat::Player(tpn) => Some(tpn),
            Seat::Open | Seat::Empty => None,
        }
    }

    /// Everybody by rank, best first. Losers of a round share theirs; whoever is still in has the best one that he can
    /// reach.
    pub fn places(&self) -> Vec<(usize, Vec<Tpn>)> {
        let rounds = self.matches();
        let mut places: BTreeMap<usize, Vec<Tpn>> = BTreeMap::new();
        for &tpn in &self.seeds {
            places.entry(rank(&rounds, tpn)).or_default().push(tpn);
        }
        places.into_iter().collect()
    }
}

/// The rank of a player: that of the round in which he lost, or the best one that he can reach.
fn rank(rounds: &[Vec<Match>], tpn: Tpn) -> usize {
    let me = Seat::Player(tpn);
    let lost = |state: &Match| state.seats.contains(&me) && state.winner != Seat::Open && state.winner != me;
    let finals = rounds.len().saturating_sub(1);
    // The second match of the last round is the one for third place.
    let main_draw = |round: usize| if round == finals { 1 } else { usize::MAX };
    let out = rounds
        .iter()
        .enumerate()
        .position(|(round, matches)| matches.iter().take(main_draw(round)).any(lost));
    let Some(round) = out else { return 1 };
    let third = rounds.last().and_then(|matches| matches.get(1)).filter(|_| round + 1 == finals);
    match third {
        // The losers of the semifinals are placed by their own match.
        Some(third) if third.winner == me || third.winner == Seat::Open => 3,
        Some(third) => 3 + usize::from(third.winner != Seat::Empty),
        None => (1 << (finals - round)) + 1,
    }
}

/// Results as a list of pairs: not every format has keys that are more than text.
mod as_pairs {
    use serde::{Deserialize, Deserializer, Serializer};

    use super::{BTreeMap, BoardResult, GameKey};

    pub(super) fn serialize<S: Serializer>(
        results: &BTreeMap<GameKey, BoardResult>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(results)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<BTreeMap<GameKey, BoardResult>, D::Error> {
        Vec::deserialize(deserializer).map(Vec::into_iter).map(Iterator::collect)
    }
}

/// Half points of White and Black.
fn halves(result: BoardResult, armageddon: bool) -> [u32; 2] {
    match result {
        BoardResult::Played(score) | BoardResult::Unrated(score) => match score {
            Score::Win => [2, 0],
            Score::Draw if armageddon => [0, 2],
            Score::Draw => [1, 1],
            Score::Loss => [0, 2],
        },
        BoardResult::WhiteForfeits => [0, 2],
        BoardResult::BlackForfeits => [2, 0],
        BoardResult::BothForfeit => [0, 0],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::Random;

    fn of(players: u16, format: Format, third_place: bool) -> Knockout {
        Knockout::new((1..=players).collect(), format, Color::White, third_place).expect("a draw")
    }

    const WIN: BoardResult = BoardResult::Played(Score::Win);
    const DRAW: BoardResult = BoardResult::Played(Score::Draw);

    #[test]
    fn seeds_meet_as_late_as_they_should() {
        assert_eq!(bracket_order(8), [1, 8, 4, 5, 2, 7, 3, 6]);
        for rounds in 1..7u32 {
            let order = bracket_order(1 << rounds);
            for (i, pair) in order.chunks(2).enumerate() {
                assert_eq!(pair[0] + pair[1], (1 << rounds) + 1, "match {i}");
            }
        }
    }

    #[test]
    fn the_best_get_the_byes() {
        let knockout = of(5, Format::with_play_offs(1), false);
        let due: Vec<(Tpn, Tpn)> =
            knockout.due().iter().map(|d| (d.white.min(d.black), d.white.max(d.black))).collect();
        // 1, 2 and 3 are through; 2 and 3 meet at once in the other half.
        assert_eq!(due, [(4, 5), (2, 3)]);
    }

    #[test]
    fn play_offs_go_on_until_black_draws_the_armageddon() {
        let mut knockout = of(2, Format::with_play_offs(2), false);
        let mut colours = Vec::new();
        for _ in 0..6 {
            let due = knockout.due().remove(0);
            assert!(!due.armageddon);
            colours.push(due.white);
            knockout.record(due.key, DRAW).expect("due");
        }
        assert!(colours.chunks(2).all(|stage| stage[0] != stage[1]));
        let due = knockout.due().remove(0);
        assert!(due.armageddon && due.stage == "armageddon");
        knockout.record(due.key, DRAW).expect("due");
        assert_eq!(knockout.champion(), Some(due.black));
        assert!(knockout.due().is_empty());
    }

    #[test]
    fn a_mini_match_ends_when_it_is_decided() {
        let mut knockout = of(2, Format::with_play_offs(4), false);
        for _ in 0..3 {
            let due = knockout.due().remove(0);
            let result = if due.white == 1 { WIN } else { BoardResult::Played(Score::Loss) };
            knockout.record(due.key, result).expect("due");
        }
        assert_eq!(knockout.champion(), Some(1));
    }

    #[test]
    fn corrections_last_until_the_next_match_begins() {
        let mut knockout = of(4, Format::with_play_offs(1), false);
        let first = knockout.due().remove(0);
        knockout.record(first.key, WIN).expect("due");
        knockout.record(first.key, BoardResult::Played(Score::Loss)).expect("a correction");
        let second = knockout.due().remove(0);
        knockout.record(second.key, WIN).expect("due");
        let last = knockout.due().remove(0);
        assert_eq!(last.key.round, 1);
        assert!([last.white, last.black].contains(&first.black));
        knockout.record(last.key, DRAW).expect("due");
        assert_eq!(knockout.record(first.key, WIN), Err(KnockoutError::TooLate));
        assert_eq!(knockout.record(GameKey { game: 7, ..last.key }, WIN), Err(KnockoutError::NotDue));
    }

    #[test]
    fn withdrawals_and_double_forfeits_leave_the_way_free() {
        let mut knockout = of(4, Format::with_play_offs(1), true);
        knockout.withdraw(1);
        let due = knockout.due();
        assert_eq!(due.len(), 1);
        assert_eq!(knockout.places(), [(1, vec![2, 3, 4]), (3, vec![1])]);
        knockout.record(due[0].key, BoardResult::BothForfeit).expect("due");
        assert_eq!(knockout.champion(), Some(4));
        // Nobody is left to play the first seed for third place.
        assert_eq!(knockout.places(), [(1, vec![4]), (3, vec![1]), (4, vec![2, 3])]);
    }

    #[test]
    fn every_bracket_comes_to_an_end_with_everyone_placed() {
        let mut random = Random::new(1);
        for players in 2..40 {
            for third_place in [false, true] {
                let mut knockout = of(players, Format::with_play_offs(1 + random.below(3)), third_place);
                for _ in 0..10_000 {
                    let due = knockout.due();
                    if due.is_empty() {
                        break;
                    }
                    let result = [WIN, DRAW, BoardResult::Played(Score::Loss), BoardResult::WhiteForfeits];
                    knockout.record(due[random.below(due.len())].key, result[random.below(4)]).expect("due");
                }
                assert!(knockout.champion().is_some(), "{players}");
                let mut placed: Vec<Tpn> = knockout.places().into_iter().flat_map(|(_, who)| who).collect();
                placed.sort_unstable();
                assert_eq!(placed, (1..=players).collect::<Vec<_>>(), "third place: {third_place}");
            }
        }
    }
}
