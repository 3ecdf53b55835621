//! What players do besides making their moves, and how often.

/// Something that a player does before he moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    /// Tries a move that is not legal.
    IllegalMove,
    /// Moves although the opponent has the move.
    OutOfTurn,
    /// Sends a move that was meant for an earlier position.
    StaleMove,
    /// Claims a draw by three occurrences, rightly or not.
    Claim,
    /// Loses the connection and comes back.
    DropOut,
}

/// How often, in a thousand turns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Habits {
    /// Each of: an illegal move, one out of turn, one for an earlier position.
    pub wrong_moves: u32,
    /// A claim.
    pub claims: u32,
    /// An offer of a draw; a quarter of them is accepted.
    pub offers: u32,
    /// A resignation.
    pub resignations: u32,
    /// A connection is lost.
    pub drops: u32,
    /// A connection is lost before a move's answer is there.
    pub doubts: u32,
}

impl Habits {
    /// As people play: mistakes, offers, claims, resignations.
    pub const LIVELY: Habits =
        Habits { wrong_moves: 5, claims: 3, offers: 10, resignations: 3, drops: 0, doubts: 0 };

    /// The same over a bad network: `per_mille` of all turns lose their connection, half of them while a move
    /// is under way.
    pub fn with_drops(self, per_mille: u32) -> Habits {
        Habits { drops: per_mille.div_ceil(2), doubts: per_mille / 2, ..self }
    }
}

/// The conduct of one game's players. The same seed gives the same conduct.
pub struct Conduct {
    habits: Habits,
    random: fastrand::Rng,
}

impl Conduct {
    /// The conduct of the game of this number.
    pub fn new(habits: Habits, number: usize) -> Conduct {
        Conduct { habits, random: fastrand::Rng::with_seed(0x2e17 ^ number as u64) }
    }

    fn chance(&mut self, per_mille: u32) -> bool {
        per_mille > 0 && self.random.u32(..1000) < per_mille
    }

    /// What is done before the next move.
    pub fn acts(&mut self) -> Vec<Act> {
        let Habits { wrong_moves, claims, drops, .. } = self.habits;
        [
            (Act::IllegalMove, wrong_moves),
            (Act::OutOfTurn, wrong_moves),
            (Act::StaleMove, wrong_moves),
            (Act::Claim, claims),
            (Act::DropOut, drops),
        ]
        .into_iter()
        .filter_map(|(act, often)| self.chance(often).then_some(act))
        .collect()
    }

    /// Whether the next move comes with an offer of a draw.
    pub fn offers(&mut self) -> bool {
        self.chance(self.habits.offers)
    }

    /// Whether an offer is accepted.
    pub fn agrees(&mut self) -> bool {
        self.chance(250)
    }

    /// Whether the connection is lost with the next move under way.
    pub fn doubts(&mut self) -> bool {
        self.chance(self.habits.doubts)
    }

    /// Whether the player resigns now.
    pub fn resigns(&mut self) -> bool {
        self.chance(self.habits.resignations)
    }
}
