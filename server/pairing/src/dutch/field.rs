//! The players of one round as the pairing sees them: ranked, with their facts, and who may meet whom.

use serde::{Deserialize, Serialize};

use std::ops::Range;

use super::PairingError;
use super::colour::{Preference, Strength};
use crate::points::Points;
use crate::round::{Bye, Color, Entry, Tpn};
use crate::tournament::{ParityNumber, Player, Tournament};

/// What a past round did to a player (art. 1.4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Float {
    /// Met someone with fewer points, or scored more than a loss without playing.
    Down,
    /// Met someone with more points.
    Up,
    /// Neither.
    #[default]
    None,
}

/// One player to be paired.
#[derive(Clone, Debug)]
pub(crate) struct Seat {
    pub(crate) tpn: Tpn,
    /// Score with fictitious points.
    pub(crate) score: Points,
    pub(crate) preference: Preference,
    /// Colours of the games played.
    pub(crate) games: Vec<Color>,
    /// Last round and the one before.
    pub(crate) floats: [Float; 2],
    /// May receive the pairing-allocated bye (C2).
    pub(crate) bye_eligible: bool,
    /// Rounds without a game (C9).
    pub(crate) unplayed: usize,
    /// Whether art. 5.2.5 sees an odd number.
    pub(crate) odd: bool,
}

/// Everyone to be paired in one round, in order of rank (art. 1.2).
#[derive(Debug)]
pub(crate) struct Field {
    pub(crate) seats: Vec<Seat>,
    /// Score groups from the top, as ranges of seats.
    pub(crate) groups: Vec<Range<usize>>,
    pub(crate) initial_colour: Color,
    /// Seats of topscorers can meet against C3, so C10 and C11 have something to say.
    pub(crate) last_round: bool,
    /// One row of bits a seat: whom it may meet (C1, C3, forbidden pairs).
    allowed: Vec<u64>,
    words: usize,
}

impl Field {
    /// The field for `round` of a tournament: those present and without a bye.
    pub(crate) fn new(tournament: &Tournament, round: usize) -> Result<Self, PairingError> {
        let rounds = tournament.rounds.ok_or(PairingError::RoundsUnknown)?;
        if round == 0 {
            return Err(PairingError::NoSuchRound);
        }
        if round > rounds {
            return Err(PairingError::NoRoundLeft { rounds });
        }
        let present: Vec<&Player> =
            tournament.players.iter().filter(|p| tournament.bye_for(p, round).is_none()).collect();
        if present.is_empty() {
            return Err(PairingError::NotEnoughPlayers);
        }
        let initial_colour = initial_colour(tournament).ok_or(PairingError::InitialColourUnknown)?;
        let scores = Scores::new(tournament, round);
        let mut seats: Vec<Seat> =
            present.iter().map(|player| seat(tournament, player, round, &scores)).collect();
        seats.sort_by(|a, b| b.score.cmp(&a.score).then(a.tpn.cmp(&b.tpn)));
        let last_round = round == rounds;
        let half = tournament.points.win.times(round - 1);
        let topscorer: Vec<bool> = seats
            .iter()
            .map(|seat| {
                let real = tournament.player(seat.tpn).map(|p| tournament.score_before(p, round));
                last_round && real.is_some_and(|real| real.times(2) > half)
            })
            .collect();
        let mut field = Self {
            groups: groups(&seats),
            words: seats.len().div_ceil(64),
            allowed: Vec::new(),
            seats,
            initial_colour,
            last_round,
        };
        field.allowed = field.compatibility(tournament, round, &topscorer);
        Ok(field)
    }

    fn compatibility(&self, tournament: &Tournament, round: usize, topscorer: &[bool]) -> Vec<u64> {
        let size = self.seats.len();
        let mut allowed = vec![0u64; size * self.words];
        let mut place = vec![usize::MAX; usize::from(Tpn::MAX) + 1];
        for (i, seat) in self.seats.iter().enumerate() {
            place[usize::from(seat.tpn)] = i;
        }
        for (i, a) in self.seats.iter().enumerate() {
            for (j, b) in self.seats.iter().enumerate() {
                // C3: two absolute preferences for one colour do not meet, topscorers excepted.
                let clash = a.preference.strength == Strength::Absolute
                    && a.preference == b.preference
                    && !topscorer[i]
                    && !topscorer[j];
                if i != j && !clash {
                    allowed[i * self.words + j / 64] |= 1 << (j % 64);
                }
            }
        }
        let mut part = |i: usize, j: usize| {
            if i < size && j < size {
                allowed[i * self.words + j / 64] &= !(1 << (j % 64));
                allowed[j * self.words + i / 64] &= !(1 << (i % 64));
            }
        };
        for (i, seat) in self.seats.iter().enumerate() {
            // C1: games that were played; a forfeited pairing may be repeated.
            for entry in tournament.player(seat.tpn).iter().flat_map(|p| p.rounds.iter().take(round - 1)) {
                if let Some((opponent, _)) = entry.played() {
                    part(i, place[usize::from(opponent)]);
                }
                // A game still under way is a game.
                if let Entry::Paired { opponent, .. } = entry {
                    part(i, place[usize::from(*opponent)]);
                }
            }
        }
        for group in &tournament.forbidden {
            if group.rounds.is_some_and(|(first, last)| !(first..=last).contains(&round)) {
                continue;
            }
            for (k, &one) in group.players.iter().enumerate() {
                for &other in &group.players[k + 1..] {
                    part(place[usize::from(one)], place[usize::from(other)]);
                }
            }
        }
        allowed
    }

    pub(crate) fn len(&self) -> usize {
        self.seats.len()
    }

    /// Whether two seats may meet.
    pub(crate) fn may_meet(&self, i: usize, j: usize) -> bool {
        self.allowed[i * self.words + j / 64] & (1 << (j % 64)) != 0
    }

    /// How many seats of a range the seat `i` may not meet, itself not counted.
    pub(crate) fn barred_within(&self, i: usize, range: Range<usize>) -> usize {
        let row = &self.allowed[i * self.words..(i + 1) * self.words];
        let mut met = 0;
        for (word, bits) in row.iter().enumerate() {
            let low = range.start.saturating_sub(word * 64).min(64);
            let high = range.end.saturating_sub(word * 64).min(64);
            if low < high {
                let mask = (u64::MAX >> (64 - (high - low))) << low;
                met += (bits & mask).count_ones() as usize;
            }
        }
        range.len() - usize::from(range.contains(&i)) - met
    }

    /// The score of a group.
    pub(crate) fn group_score(&self, group: usize) -> Option<Points> {
        self.groups.get(group).map(|range| self.seats[range.start].score)
    }
}

fn groups(seats: &[Seat]) -> Vec<Range<usize>> {
    let mut groups = Vec::new();
    let mut start = 0;
    for end in 1..=seats.len() {
        if end == seats.len() || seats[end].score != seats[start].score {
            groups.push(start..end);
            start = end;
        }
    }
    groups
}

/// The colour drawn by lot, or the one round 1 shows.
fn initial_colour(tournament: &Tournament) -> Option<Color> {
    tournament.initial_colour.or_else(|| {
        let first = tournament.players.iter().find(|p| p.entry(1).opponent().is_some())?;
        match first.entry(1) {
            Entry::Played { colour, .. }
            | Entry::Paired { colour, .. }
            | Entry::Forfeit { colour: Some(colour), .. } => Some(colour),
            _ => None,
        }
    })
}

/// Pairing scores before the rounds that floats look at.
struct Scores {
    /// For the round to pair, then one and two rounds before; by player index.
    before: [Vec<Points>; 3],
    /// The number whose parity art. 5.2.5 looks at; by player index.
    numbers: Vec<usize>,
}

impl Scores {
    fn new(tournament: &Tournament, round: usize) -> Self {
        let at = |round: usize| {
            let one = |p: &Player| tournament.score_before(p, round) + tournament.fictitious(p.tpn, round);
            if round == 0 { Vec::new() } else { tournament.players.iter().map(one).collect() }
        };
        let mut paired = 0;
        let numbers = tournament.players.iter().map(|player| match tournament.parity {
            ParityNumber::PairingNumber => usize::from(player.tpn),
            ParityNumber::AmongPaired => {
                let ever = (1..round).any(|r| player.entry(r).was_paired());
                let now = tournament.bye_for(player, round).is_none_or(|bye| bye == Bye::Allocated);
                paired += usize::from(ever || now);
                paired
            }
        });
        let numbers = numbers.collect();
        Self { before: [at(round), at(round - 1), at(round.saturating_sub(2))], numbers }
    }
}

/// The colour of a game played or still under way.
fn colour_of(entry: Entry) -> Option<Color> {
    match entry {
        Entry::Played { colour, .. } | Entry::Paired { colour, .. } => Some(colour),
        _ => None,
    }
}

fn seat(tournament: &Tournament, player: &Player, round: usize, scores: &Scores) -> Seat {
    let past: Vec<Entry> = (1..round).map(|r| player.entry(r)).collect();
    let games: Vec<Color> = past.iter().filter_map(|e| colour_of(*e)).collect();
    let index = tournament.index_of(player.tpn).unwrap_or(0);
    let points = &tournament.points;
    let float = |back: usize| {
        if round <= back {
            return Float::None;
        }
        let entry = player.entry(round - back);
        match entry {
            Entry::Played { opponent, .. } | Entry::Paired { opponent, .. } => {
                let mine = scores.before[back][index];
                let theirs = tournament.index_of(opponent).map_or(mine, |i| scores.before[back][i]);
                match mine.cmp(&theirs) {
                    std::cmp::Ordering::Greater => Float::Down,
                    std::cmp::Ordering::Less => Float::Up,
                    std::cmp::Ordering::Equal => Float::None,
                }
            }
            // Art. 1.4.3: the allocated bye whatever it is worth, other unplayed rounds above a loss.
            Entry::Bye(Bye::Allocated) => Float::Down,
            _ if points.of_entry(entry) > points.loss => Float::Down,
            _ => Float::None,
        }
    };
    // C2: eligibility goes by kind for the allocated bye, by points for everything else.
    let barred = past.iter().any(|&entry| {
        entry == Entry::Bye(Bye::Allocated)
            || entry.played().is_none()
                && !matches!(entry, Entry::Paired { .. })
                && points.of_entry(entry) >= points.win
    });
    Seat {
        tpn: player.tpn,
        score: scores.before[0][index],
        preference: Preference::of(&games),
        unplayed: past.len() - games.len(),
        games,
        floats: [float(1), float(2)],
        bye_eligible: !barred,
        odd: scores.numbers[index] % 2 == 1,
    }
}
