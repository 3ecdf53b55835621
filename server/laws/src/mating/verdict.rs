//! What an analysis may spend, and what it answers.

use shakmaty::Move;

/// How much an analysis may spend. In positions, not seconds, so that a ruling can be repeated anywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Positions to visit at most before the answer is [`Verdict::Unknown`].
    pub positions: u64,
}

impl Budget {
    /// For a ruling while players wait: less than half a second and about a hundred megabytes at the worst.
    pub const RULING: Budget = Budget { positions: 1_250_000 };
}

/// The answer, with its certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// A line of legal moves that ends with the opponent checkmated; empty when mate is on the board.
    Mates(Vec<Move>),
    /// No series of legal moves mates.
    Never(Proof),
    /// Neither a line nor a proof within the budget: the number of positions spent. Counts as "can mate".
    Unknown(u64),
}

impl Verdict {
    /// Whether mate is excluded: the only answer that takes a win away.
    pub const fn is_never(&self) -> bool {
        matches!(self, Verdict::Never(_))
    }
}

/// The kind of proof that mate is excluded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proof {
    /// The men on the board exclude it.
    Material,
    /// The game is already over on the board: stalemate, or the winner-to-be is mated.
    Terminal,
    /// Every move is forced up to a position that is terminal, has no mating material, or repeats.
    ForcedLine(Vec<Move>),
    /// Every position that legal moves can reach was visited (this many), and none is the mate.
    Exhausted(u64),
    /// The blocked structure keeps the men where no mate can arise.
    Static,
}
