//! Random tournaments, reproducible from a seed: to test pairing, to measure it, and to fill a hall for rehearsal.

use crate::baku;
use crate::dutch::{self, Method, Pairing, PairingError};
use crate::points::PointSystem;
use crate::results::BoardResult;
use crate::round::{Bye, Color, Entry, Score, Tpn};
use crate::tournament::{Forbidden, Player, RequestedBye, Tournament};

/// A small generator of random numbers (splitmix64).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Equal seeds give equal sequences.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 random bits.
    pub const fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `limit`; 0 if `limit` is 0.
    pub fn below(&mut self, limit: usize) -> usize {
        let wide = u128::from(self.bits()) * limit as u128;
        usize::try_from(wide >> 64).unwrap_or(0)
    }

    /// Happens so many times in a thousand.
    pub fn happens(&mut self, per_mille: usize) -> bool {
        self.below(1000) < per_mille
    }
}

/// What kind of tournament to make. Chances are per mille, per player and round.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// How many players.
    pub players: usize,
    /// How many rounds.
    pub rounds: usize,
    /// A requested half-point bye.
    pub half_bye: usize,
    /// A single absence.
    pub absence: usize,
    /// Leaving for good.
    pub withdrawal: usize,
    /// Joining only in a later round (per player, not per round).
    pub late_entry: usize,
    /// A game forfeited by one side (per board); one in eight by both.
    pub forfeit: usize,
    /// Games drawn (per board).
    pub draws: usize,
    /// Pairs of players kept apart.
    pub forbidden: usize,
    /// Baku acceleration.
    pub accelerated: bool,
    /// Ratings within 100 points instead of across 1,400.
    pub close: bool,
    /// Points by result.
    pub points: PointSystem,
}

impl Recipe {
    /// Everybody plays every round.
    pub fn plain(players: usize, rounds: usize) -> Self {
        Self {
            players,
            rounds,
            half_bye: 0,
            absence: 0,
            withdrawal: 0,
            late_entry: 0,
            forfeit: 0,
            draws: 300,
            forbidden: 0,
            accelerated: false,
            close: false,
            points: PointSystem::default(),
        }
    }

    /// Anything that can happen, drawn by `random`, for up to `players` players.
    pub fn any(random: &mut Random, players: usize) -> Self {
        let chaos = [0, 20, 60, 150][random.below(4)];
        let players = 2 + random.below(players.saturating_sub(1));
        Self {
            players,
            rounds: 1 + random.below(players.min(11)),
            half_bye: random.below(chaos + 1),
            absence: random.below(chaos + 1),
            withdrawal: random.below(chaos / 3 + 1),
            late_entry: random.below(chaos + 1),
            forfeit: random.below(chaos + 1),
            draws: random.below(700),
            forbidden: if random.happens(200) { random.below(players / 3 + 1) } else { 0 },
            accelerated: random.happens(150),
            close: random.happens(300),
            points: if random.happens(150) { PointSystem::three_one_zero() } else { PointSystem::default() },
        }
    }

    /// The list before round 1.
    pub fn start(&self, random: &mut Random) -> Tournament {
        let mut ratings: Vec<u16> = (0..self.players)
            .map(|_| {
                let (low, spread) = if self.close { (1900, 100) } else { (1200, 1400) };
                u16::try_from(low + random.below(spread)).unwrap_or(1200)
            })
            .collect();
        ratings.sort_unstable_by(|a, b| b.cmp(a));
        let players = (1..).zip(ratings).map(|(tpn, rating): (Tpn, u16)| Player {
            tpn,
            name: format!("Player {tpn:04}"),
            rating: Some(rating),
            ..Player::default()
        });
        let mut tournament = Tournament {
            rounds: Some(self.rounds),
            initial_colour: Some(if random.happens(500) { Color::White } else { Color::Black }),
            points: self.points.clone(),
            players: players.collect(),
            ..Tournament::default()
        };
        "Random tournament".clone_into(&mut tournament.event.name);
        for _ in 0..self.forbidden {
            let one = tournament.players[random.below(self.players)].tpn;
            let other = tournament.players[random.below(self.players)].tpn;
            if one != other {
                tournament.forbidden.push(Forbidden { rounds: None, players: vec![one, other] });
            }
        }
        if self.accelerated {
            tournament.accelerations = baku::accelerations(&tournament).unwrap_or_default();
        }
        for i in 0..self.players {
            if random.happens(self.late_entry) {
                let first = 2 + random.below(self.rounds);
                for round in 1..first {
                    ask(&mut tournament, i, round, Bye::Zero);
                }
            }
        }
        tournament
    }

    /// Requests and withdrawals for a round.
    pub fn absences(&self, tournament: &mut Tournament, round: usize, random: &mut Random) {
        for i in 0..tournament.players.len() {
            if tournament.bye_for(&tournament.players[i], round).is_some() {
                continue;
            }
            if random.happens(self.withdrawal) {
                for later in round..=self.rounds {
                    ask(tournament, i, later, Bye::Zero);
                }
            } else if random.happens(self.absence) {
                ask(tournament, i, round, Bye::Zero);
            } else if random.happens(self.half_bye) {
                ask(tournament, i, round, Bye::Half);
            }
        }
    }

    /// Random results for the boards of a pairing; the stronger tends to win.
    pub fn play(&self, tournament: &mut Tournament, pairing: &Pairing, random: &mut Random) {
        for board in &pairing.boards {
            let result = if random.happens(self.forfeit) {
                match random.below(8) {
                    0 => BoardResult::BothForfeit,
                    1..=3 => BoardResult::WhiteForfeits,
                    _ => BoardResult::BlackForfeits,
                }
            } else if random.happens(self.draws) {
                BoardResult::Played(Score::Draw)
            } else {
                let rating = |tpn| tournament.player(tpn).and_then(|p| p.rating).map_or(1500, usize::from);
                // Linear in the difference, and never certain.
                let chance = (500 + rating(board.white) * 5 / 4).saturating_sub(rating(board.black) * 5 / 4);
                let white = random.happens(chance.clamp(50, 950));
                BoardResult::Played(if white { Score::Win } else { Score::Loss })
            };
            // The boards come from the pairing just entered.
            let entered = tournament.set_result(pairing.round, board.white, board.black, result);
            debug_assert!(entered.is_ok());
        }
    }

    /// Plays a whole tournament; `each` sees every pairing before its results. Ends early if a round cannot be
    /// paired.
    pub fn run(
        &self,
        random: &mut Random,
        method: Method,
        mut each: impl FnMut(&Tournament, &Pairing),
    ) -> (Tournament, Option<PairingError>) {
        let mut tournament = self.start(random);
        for round in 1..=self.rounds {
            self.absences(&mut tournament, round, random);
            let pairing = match dutch::pair_round(&tournament, round, method) {
                Ok(pairing) => pairing,
                Err(error) => return (tournament, Some(error)),
            };
            each(&tournament, &pairing);
            let entered = tournament.enter_pairing(&pairing);
            debug_assert!(entered.is_ok());
            self.play(&mut tournament, &pairing, random);
        }
        (tournament, None)
    }
}

fn ask(tournament: &mut Tournament, index: usize, round: usize, kind: Bye) {
    let player = &mut tournament.players[index];
    if player.entry(round) != Entry::Absent {
        return;
    }
    let tpn = player.tpn;
    let known = tournament.requested_byes.iter_mut().find(|bye| bye.round == round && bye.kind == kind);
    match known {
        Some(bye) => bye.players.push(tpn),
        None => tournament.requested_byes.push(RequestedBye { kind, round, players: vec![tpn] }),
    }
}
