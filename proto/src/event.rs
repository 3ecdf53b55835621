//! What happened in a game. Events are facts: they carry whatever replay needs, so that no other
//! source of time or of chance is asked again.

use crate::board::{ByColor, Color, Move, Square};
use crate::bounded::{List, Text};
use crate::command::{DrawBasis, QuickplayBasis, Running, Sanction, TouchKind, Why};
use crate::limits::{ARTICLE_MAX, FEN_MAX, LINE_MAX, WORD_MAX};
use crate::outcome::{Outcome, Score};
use crate::rules::Setup;
use crate::time::{Interval, Stamp};
use serde::{Deserialize, Serialize};

/// The number of the article that a ruling rests on, in the numbering of the game's edition.
pub type Article = Text<ARTICLE_MAX>;

/// An event and the article that it rests on, if a ruling caused it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The article.
    pub article: Option<Article>,
    /// What happened.
    pub event: Event,
}

/// Who may see an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Audience {
    /// Players, arbiter, spectators.
    All,
    /// One side and the arbiter.
    Side(Color),
    /// The arbiter alone.
    Arbiter,
}

/// What a completed move took from a clock, in microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Spent {
    /// From the beginning of the turn to the stamp.
    pub elapsed_us: u64,
    /// Given back for the connection's latency.
    pub compensated_us: u64,
    /// What the main time lost.
    pub charged_us: u64,
}

/// How a flag came to be considered fallen (6.8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FlagSource {
    /// The server observed it.
    Auto,
    /// The arbiter called it.
    Arbiter,
    /// The opponent claimed it.
    Claim,
    /// A device reported it.
    Device,
}

/// Which of two flags fell first (6.11 of 1997 and 2014; 2023 Guidelines III.3.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FlagOrder {
    /// White's.
    WhiteFirst,
    /// Black's.
    BlackFirst,
    /// It cannot be established.
    Unknown,
}

/// What a player claimed or asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Claim {
    /// A draw under 9.2 or 9.3.
    Draw {
        /// The ground.
        basis: DrawBasis,
        /// The declared move.
        intended: Option<Move>,
    },
    /// A draw in a quickplay finish.
    Quickplay {
        /// The ground.
        basis: QuickplayBasis,
    },
    /// An increment in a quickplay finish.
    Increment,
}

/// What hangs on the question whether a side could still mate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MateCause {
    /// The opponent's flag fell (6.9).
    Flag,
    /// The opponent resigned (5.1.2).
    Resignation,
    /// The opponent completed too many illegal moves (7.5.5).
    IllegalMoves,
}

/// Why a verdict on the possibility of mate is certain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Certificate {
    /// A series of legal moves that mates, from the position asked about to the mate.
    Mates(List<Move, LINE_MAX>),
    /// The material excludes it.
    Material,
    /// The position is final already.
    Terminal,
    /// Forced moves, all of them given, lead to where it is excluded.
    ForcedLine(List<Move, LINE_MAX>),
    /// All reachable positions were visited.
    Exhausted {
        /// How many.
        positions: u64,
    },
    /// The pawn structure excludes it.
    Static,
    /// Not decided within the budget, or only by a line too long to be played in a game here: counts as
    /// possible.
    Unknown {
        /// Positions spent.
        positions: u64,
    },
}

/// What happened in a game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// The game exists; nothing runs yet.
    GameCreated(Box<Setup>),
    /// An event that this reader may not see keeps its number.
    Withheld,
    /// A player's connection came or went.
    PresenceChanged {
        /// Whose.
        side: Color,
        /// Here or gone.
        present: bool,
    },
    /// A player is at the board (6.7).
    Arrived {
        /// Who.
        side: Color,
    },
    /// Play began: White's clock starts (6.6).
    GameStarted,
    /// A man was touched.
    Touched {
        /// By whom.
        side: Color,
        /// Where it stands.
        square: Square,
        /// How.
        kind: TouchKind,
        /// At the same time as the next touch.
        together: bool,
    },
    /// The player announced that he straightens men.
    Adjusting {
        /// Who.
        side: Color,
    },
    /// Touched men bind the side on move.
    TouchObligation {
        /// Whom.
        side: Color,
        /// The men that have to be moved or taken; none if any legal move will do.
        squares: List<Square, 64>,
    },
    /// A move stands on the board (Article 4.7).
    MoveMade {
        /// By whom.
        side: Color,
        /// The move.
        #[serde(rename = "move")]
        mv: Move,
        /// It is not a legal move.
        illegal: bool,
    },
    /// A move was completed (6.2.1), or ended the game.
    MoveCompleted {
        /// By whom.
        side: Color,
        /// The move.
        #[serde(rename = "move")]
        mv: Move,
        /// What it took.
        spent: Spent,
        /// Main time of both sides after it, in microseconds, increment and next period included.
        clocks_us: ByColor<u64>,
    },
    /// Both clocks stand.
    ClockPaused {
        /// Main time of both sides, in microseconds.
        clocks_us: ByColor<u64>,
        /// What is left of the delay of the turn, in microseconds.
        delay_left_us: u64,
    },
    /// A clock runs again, from the commit of this event.
    ClockResumed {
        /// Whose.
        side: Color,
    },
    /// The arbiter set the clocks.
    ClockSet {
        /// White's main time, in microseconds.
        white_us: u64,
        /// Black's.
        black_us: u64,
        /// Whose clock runs.
        running: Running,
    },
    /// Time was given or taken.
    ClockAdjusted {
        /// White's main time after it, in microseconds.
        white_us: u64,
        /// Black's.
        black_us: u64,
        /// Why.
        reason: Why,
    },
    /// A side entered a period.
    PeriodPassed {
        /// Which side.
        side: Color,
        /// The period that it is in now, from 1.
        period: u16,
        /// Opened by simultaneous flags, not by the number of moves (8.6).
        forced: bool,
        /// Its main time now, in microseconds.
        main_us: u64,
    },
    /// A flag is considered fallen (6.8).
    FlagFell {
        /// Whose.
        side: Color,
        /// Not before.
        earliest: Stamp,
        /// Not after.
        latest: Stamp,
        /// Who saw it.
        source: FlagSource,
    },
    /// A device gave the instants of fallen flags; nobody has called them yet.
    FlagsReported {
        /// When each fell.
        flags: ByColor<Option<Interval>>,
    },
    /// Both flags are down and both sides are at fault.
    BothFlagsDown {
        /// Which fell first.
        order: FlagOrder,
        /// When each fell.
        flags: ByColor<Interval>,
    },
    /// A draw was offered.
    DrawOffered {
        /// By whom.
        side: Color,
        /// At the proper moment: with the move, before the press.
        proper: bool,
    },
    /// An offer was declined.
    DrawDeclined {
        /// By whom.
        side: Color,
    },
    /// An offer ended without an answer.
    OfferLapsed {
        /// Whose.
        side: Color,
    },
    /// A claim or a request was made.
    ClaimMade {
        /// By whom.
        side: Color,
        /// What.
        claim: Claim,
    },
    /// The claim is correct.
    ClaimUpheld {
        /// Whose.
        side: Color,
    },
    /// The claim is not correct, or the request not granted.
    ClaimRejected {
        /// Whose.
        side: Color,
    },
    /// The decision is postponed.
    ClaimPostponed {
        /// Whose claim.
        side: Color,
        /// Time for the opponent, in microseconds.
        bonus_us: u64,
    },
    /// Quickplay rules ceased: both sides get this increment for each move (2023 III.4).
    IncrementGranted {
        /// For each move, in microseconds.
        increment_us: u64,
    },
    /// An illegal move was completed, or what counts as one.
    IllegalMoveNoted {
        /// By whom.
        side: Color,
        /// How many it makes.
        count: u16,
    },
    /// Clocks changed as a penalty.
    PenaltyApplied {
        /// White's main time after it, in microseconds.
        white_us: u64,
        /// Black's.
        black_us: u64,
    },
    /// The arbiter imposed a sanction.
    Sanctioned {
        /// On whom.
        side: Color,
        /// Which.
        sanction: Sanction,
        /// Why.
        reason: Why,
    },
    /// A position was restored.
    PositionRestored {
        /// Half-moves that stand, counted from the start position.
        ply: u32,
        /// Main time of both sides after it, in microseconds.
        clocks_us: ByColor<u64>,
        /// The square whose man is bound to move (7.5.1), after an illegal move.
        bound: Option<Square>,
        /// The clocks show what they showed at that ply: time that later periods added is taken back.
        as_at_ply: bool,
    },
    /// The arbiter is called.
    ArbiterCalled {
        /// The side that called or that it is about; none if neither.
        side: Option<Color>,
        /// What for.
        topic: Text<WORD_MAX>,
        /// Only for the arbiter's eyes.
        private: bool,
    },
    /// Nothing goes on until the arbiter rules.
    AwaitingRuling {
        /// On what.
        topic: Text<WORD_MAX>,
    },
    /// The arbiter consents to a draw.
    DrawConsented,
    /// The default time is now this, in microseconds.
    DefaultTimeSet {
        /// Counted from the scheduled start.
        time_us: u64,
        /// Why.
        reason: Why,
    },
    /// The players changed sides.
    ColoursSwapped,
    /// The session ended.
    Adjourned {
        /// Why.
        reason: Why,
    },
    /// A move was sealed.
    MoveSealed {
        /// By whom.
        side: Color,
        /// The move.
        #[serde(rename = "move")]
        mv: Move,
    },
    /// A remark of the arbiter's without effect on the game.
    Noted {
        /// About whom.
        side: Option<Color>,
        /// What.
        text: Why,
    },
    /// A takeback was asked for.
    TakebackOffered {
        /// By whom.
        side: Color,
        /// Half-moves that would stand.
        ply: u32,
    },
    /// A takeback was declined, or the request lapsed.
    TakebackDeclined {
        /// Whose request.
        side: Color,
    },
    /// The server was away from `until` on: that time is nobody's.
    Interrupted {
        /// The last durable instant.
        until: Stamp,
        /// Main time of both sides then, in microseconds.
        clocks_us: ByColor<u64>,
        /// What is left of the delay of the turn, in microseconds.
        delay_left_us: u64,
    },
    /// Whether a side could still mate, and why that is certain.
    MateSearched {
        /// Which side.
        winner: Color,
        /// The position that was asked about.
        fen: Text<FEN_MAX>,
        /// The verdict's certificate.
        certificate: Certificate,
    },
    /// A player confirmed the result (8.7).
    ResultConfirmed {
        /// Who.
        side: Color,
    },
    /// The game ended, or its result was corrected.
    GameEnded {
        /// White's score.
        white: Score,
        /// Black's score.
        black: Score,
        /// Why.
        reason: crate::outcome::Reason,
        /// Whether it counts as a played game for pairing and rating.
        played: bool,
    },
    /// The game does not count.
    GameAnnulled {
        /// Why.
        reason: Why,
    },
    /// The score depends on whether a side could still mate; a search answers it, and the clocks stand
    /// until then.
    MateAsked {
        /// The side that would win.
        winner: Color,
        /// What hangs on it.
        cause: MateCause,
    },
    /// A player displaced men (7.4).
    Displaced {
        /// Who.
        side: Color,
    },
    /// A scoresheet is complete again (8.5).
    ScoresheetUpdated {
        /// Whose.
        side: Color,
    },
    /// A player used two hands for the move that is under way (7.5.4).
    TwoHandsReported {
        /// Who.
        side: Color,
    },
}

impl Event {
    /// Who may see this event.
    pub fn audience(&self) -> Audience {
        match self {
            Event::MoveSealed { side, .. } => Audience::Side(*side),
            Event::FlagsReported { .. } | Event::ArbiterCalled { private: true, .. } => Audience::Arbiter,
            _ => Audience::All,
        }
    }

    /// The event that ends a game like this.
    pub fn ended(outcome: Outcome) -> Event {
        let Outcome { scores, reason, played } = outcome;
        Event::GameEnded { white: scores.white, black: scores.black, reason, played }
    }

    /// The name of the event in snake case.
    pub const fn name(&self) -> &'static str {
        match self {
            Event::GameCreated(_) => "game_created",
            Event::Withheld => "withheld",
            Event::PresenceChanged { .. } => "presence_changed",
            Event::Arrived { .. } => "arrived",
            Event::GameStarted => "game_started",
            Event::Touched { .. } => "touched",
            Event::Adjusting { .. } => "adjusting",
            Event::TouchObligation { .. } => "touch_obligation",
            Event::MoveMade { .. } => "move_made",
            Event::MoveCompleted { .. } => "move_completed",
            Event::ClockPaused { .. } => "clock_paused",
            Event::ClockResumed { .. } => "clock_resumed",
            Event::ClockSet { .. } => "clock_set",
            Event::ClockAdjusted { .. } => "clock_adjusted",
            Event::PeriodPassed { .. } => "period_passed",
            Event::FlagFell { .. } => "flag_fell",
            Event::FlagsReported { .. } => "flags_reported",
            Event::BothFlagsDown { .. } => "both_flags_down",
            Event::DrawOffered { .. } => "draw_offered",
            Event::DrawDeclined { .. } => "draw_declined",
            Event::OfferLapsed { .. } => "offer_lapsed",
            Event::ClaimMade { .. } => "claim_made",
            Event::ClaimUpheld { .. } => "claim_upheld",
            Event::ClaimRejected { .. } => "claim_rejected",
            Event::ClaimPostponed { .. } => "claim_postponed",
            Event::IncrementGranted { .. } => "increment_granted",
            Event::IllegalMoveNoted { .. } => "illegal_move_noted",
            Event::PenaltyApplied { .. } => "penalty_applied",
            Event::Sanctioned { .. } => "sanctioned",
            Event::PositionRestored { .. } => "position_restored",
            Event::ArbiterCalled { .. } => "arbiter_called",
            Event::AwaitingRuling { .. } => "awaiting_ruling",
            Event::DrawConsented => "draw_consented",
            Event::DefaultTimeSet { .. } => "default_time_set",
            Event::ColoursSwapped => "colours_swapped",
            Event::Adjourned { .. } => "adjourned",
            Event::MoveSealed { .. } => "move_sealed",
            Event::Noted { .. } => "noted",
            Event::TakebackOffered { .. } => "takeback_offered",
            Event::TakebackDeclined { .. } => "takeback_declined",
            Event::Interrupted { .. } => "interrupted",
            Event::MateSearched { .. } => "mate_searched",
            Event::ResultConfirmed { .. } => "result_confirmed",
            Event::GameEnded { .. } => "game_ended",
            Event::GameAnnulled { .. } => "game_annulled",
            Event::MateAsked { .. } => "mate_asked",
            Event::Displaced { .. } => "displaced",
            Event::ScoresheetUpdated { .. } => "scoresheet_updated",
            Event::TwoHandsReported { .. } => "two_hands_reported",
        }
    }
}
