//! What a player, an arbiter or a device asks for in a game.

use crate::board::{ByColor, Color, Move, Square};
use crate::bounded::Text;
use crate::event::Certificate;
use crate::limits::REASON_MAX;
use crate::outcome::Score;
use crate::time::{Interval, Stamp};
use serde::{Deserialize, Serialize};

/// What a person gives as a reason.
pub type Why = Text<REASON_MAX>;

/// Who acts in a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Party {
    /// The player of the white men.
    White,
    /// The player of the black men.
    Black,
    /// The arbiter.
    Arbiter,
    /// An electronic board or clock.
    Device,
    /// The server itself: presence, outages.
    Server,
}

impl Party {
    /// The side that this party plays, if it plays.
    pub const fn side(self) -> Option<Color> {
        match self {
            Party::White => Some(Color::White),
            Party::Black => Some(Color::Black),
            _ => None,
        }
    }
}

impl From<Color> for Party {
    fn from(color: Color) -> Party {
        match color {
            Color::White => Party::White,
            Color::Black => Party::Black,
        }
    }
}

/// How a man was touched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TouchKind {
    /// To move or take it (4.3).
    Intent,
    /// To straighten it, announced (4.2.1).
    Adjust,
    /// Plainly by accident (4.2.2).
    Accidental,
}

/// What a draw is claimed on (9.2, 9.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DrawBasis {
    /// The position stands, or will stand, for at least the third time.
    Threefold,
    /// Fifty moves by each side without a capture or a pawn move.
    Fifty,
}

/// What a quickplay claim rests on (1997 10.2; 2014 G.5; 2023 III.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QuickplayBasis {
    /// The opponent cannot win by normal means.
    CannotWin,
    /// The opponent makes no effort to win by normal means.
    #[default]
    NotTrying,
}

/// An arbiter's ruling on a claim, a request or a flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// A claim under 9.2 or 9.3 is correct.
    Upheld,
    /// A claim under 9.2 or 9.3 is not correct.
    Rejected,
    /// A quickplay finish is drawn.
    Draw,
    /// The decision on a quickplay claim is postponed.
    Postpone,
    /// A quickplay claim is rejected.
    Reject,
    /// The flag counts after a postponed claim.
    FlagStands,
    /// The request for an increment is granted.
    Agree,
    /// It is not.
    Disagree,
}

/// What the clocks show after a restored position (7.5.1, 6.13 of 1997).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RestoredClocks {
    /// What they show now.
    Keep,
    /// What they showed at that ply.
    AsAtPly,
    /// These, in microseconds; a side left out keeps its time.
    Set(ByColor<Option<u64>>),
}

/// A sanction (13.4 of 1997, 12.9 later).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sanction {
    /// A warning.
    Warning,
    /// The opponent's time is increased by so many microseconds.
    AddOpponent(u64),
    /// The offender's time is reduced by so many microseconds. Down to nothing only with `force`.
    SubtractOwn {
        /// How much.
        time_us: u64,
        /// Whether it may use up all that is left: the flag counts as fallen then.
        force: bool,
    },
    /// The game is lost; the opponent scores this, a win if not said.
    Loss(Option<Score>),
    /// Expulsion from the event: the game is lost too.
    Expulsion,
}

/// A command in a game. Which parties may give which is the business of the laws.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Command {
    // Players, on a screen or at a board.
    /// Makes and completes a move (online).
    Move {
        /// The move.
        #[serde(rename = "move")]
        mv: Move,
        /// Offers a draw with it (9.1).
        #[serde(default)]
        offer_draw: bool,
    },
    /// Resigns (5.1.2).
    Resign,
    /// Offers a draw (9.1).
    OfferDraw,
    /// Accepts the opponent's offer.
    AcceptDraw,
    /// Declines the opponent's offer.
    DeclineDraw,
    /// Claims a draw under 9.2 or 9.3, irrevocably.
    ClaimDraw {
        /// The ground.
        basis: DrawBasis,
        /// The move that the player declares his intention to make.
        #[serde(default)]
        intended: Option<Move>,
    },
    /// Claims a draw in a quickplay finish.
    ClaimQuickplay {
        /// The ground.
        #[serde(default)]
        basis: QuickplayBasis,
    },
    /// Asks for an increment in a quickplay finish (2014 G.4, 2023 III.4).
    RequestIncrement,
    /// Claims that the opponent's flag has fallen (6.8).
    ClaimFlag,
    /// Claims that the opponent completed an illegal move.
    ClaimIllegal,
    /// Claims a breach of the rules on touched men (4.8).
    ClaimTouch,
    /// Calls the arbiter, stopping the clocks if `pause` (6.11.2).
    CallArbiter {
        /// What for.
        #[serde(default)]
        reason: Why,
        /// Stops both clocks.
        #[serde(default)]
        pause: bool,
    },
    /// Says that the player is at the board (6.7).
    MarkPresent,
    /// Confirms the result, as a signed scoresheet does (8.7).
    ConfirmResult,
    /// Seals a move at an adjournment (Guidelines I).
    SealMove {
        /// The move.
        #[serde(rename = "move")]
        mv: Move,
    },
    /// The scoresheet is complete again (8.5).
    ScoresheetUpdated,
    /// Aborts a casual game before both sides have moved.
    Abort,
    /// Asks to take back moves so that the asking side is on move again (casual games).
    OfferTakeback,
    /// Agrees to the opponent's takeback.
    AcceptTakeback,
    /// Does not.
    DeclineTakeback,
    /// Claims a casual game whose opponent has been away for longer than the grace.
    ClaimAbandoned,

    // A player at a real board: what the electronic board and clock report.
    /// A man was touched.
    Touch {
        /// Where it stands.
        square: Square,
        /// How.
        kind: TouchKind,
        /// At the same time as the next touch.
        #[serde(default)]
        together: bool,
    },
    /// The player says that he straightens men (4.2.1).
    Adjust,
    /// A move stands on the board, the clock not yet pressed. It may be illegal.
    MoveMade {
        /// The move; a pawn on the last rank without a promotion stayed a pawn.
        #[serde(rename = "move")]
        mv: Move,
        /// The board reports it as it is, legal or not.
        #[serde(default)]
        raw: bool,
    },
    /// The clock was pressed.
    PressClock,
    /// The player displaced men (7.4).
    ReportDisplaced,

    // A device.
    /// When each flag fell, as far as the device can tell.
    ReportFlags(ByColor<Option<Interval>>),

    // The arbiter.
    /// Stops both clocks (6.11.1).
    Pause {
        /// Why.
        #[serde(default)]
        reason: Why,
    },
    /// Starts the clock of the side that it ran for, or of the side on move (6.11.3).
    Resume,
    /// Sets the clocks, in microseconds.
    SetClocks {
        /// Main time left; a side left out keeps its time.
        clocks_us: ByColor<Option<u64>>,
        /// Whose clock runs then: inner none for nobody's; as before if left out.
        #[serde(default)]
        running: Option<Running>,
        /// Why.
        #[serde(default)]
        reason: Why,
    },
    /// Gives or takes time, in microseconds (12.5; 13.5 of 1997).
    AdjustTime {
        /// How much, signed.
        by_us: ByColor<i64>,
        /// Why.
        #[serde(default)]
        reason: Why,
    },
    /// Calls a flag (6.8).
    CallFlag {
        /// Whose.
        side: Color,
    },
    /// Rules on what awaits a ruling.
    RuleClaim {
        /// The ruling.
        verdict: Verdict,
        /// Time for the opponent, in microseconds.
        #[serde(default)]
        bonus_us: u64,
        /// Why.
        #[serde(default)]
        reason: Why,
    },
    /// Restores the position after this many half-moves, counted from the start position (7.5.1).
    RestorePosition {
        /// Half-moves that stand.
        ply: u32,
        /// What the clocks show then.
        clocks: RestoredClocks,
        /// Whose move after that ply was illegal, if that is the reason: it is counted and penalised.
        #[serde(default)]
        illegal: Option<Color>,
        /// Why.
        #[serde(default)]
        reason: Why,
    },
    /// Imposes a sanction.
    Penalise {
        /// On whom.
        side: Color,
        /// Which.
        sanction: Sanction,
        /// Why.
        #[serde(default)]
        reason: Why,
    },
    /// Lets the players agree to a draw where the event forbids it (9.1.1).
    ConsentDraw,
    /// Cancels the game (7.2).
    Annul {
        /// Why.
        #[serde(default)]
        reason: Why,
    },
    /// Swaps the colours of the players (7.3).
    SwapColours,
    /// Colours were found reversed: what follows is the edition's (7.3).
    ReportColoursReversed,
    /// Declares or corrects a result.
    DeclareResult {
        /// What each side scores.
        scores: ByColor<Score>,
        /// Why, as it will stand in the record; `adjudication` if empty.
        #[serde(default)]
        reason: Why,
    },
    /// Sets the default time, in microseconds (6.7.1).
    SetDefaultTime {
        /// Counted from the scheduled start.
        time_us: u64,
        /// Why.
        #[serde(default)]
        reason: Why,
    },
    /// Ends the session; the side on move seals (Guidelines I).
    Adjourn {
        /// Why.
        #[serde(default)]
        reason: Why,
    },
    /// The board was found turned and is put right (7.2.2).
    TransferBoard,
    /// A player used two hands for one move (7.5.4).
    ReportTwoHands {
        /// Who.
        side: Color,
    },
    /// Notes a suspicion or a breach of fair play (11.3); no effect on the game by itself.
    ReportFairPlay {
        /// Who.
        side: Color,
        /// What.
        #[serde(default)]
        reason: Why,
    },

    // The server.
    /// A player's connection came or went.
    Presence {
        /// Whose.
        side: Color,
        /// Here or gone.
        present: bool,
    },
    /// What the search answered to the question whether a side could still mate.
    MateVerdict {
        /// Which side.
        winner: Color,
        /// The verdict and why it is certain.
        certificate: Certificate,
    },
    /// The server was away: play was interrupted at `until`, the last instant that is durable
    /// (6.11.1).
    Interrupt {
        /// The last durable instant.
        until: Stamp,
    },
}

/// Whose clock runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Running {
    /// White's.
    White,
    /// Black's.
    Black,
    /// Nobody's.
    None,
}

impl From<Option<Color>> for Running {
    fn from(side: Option<Color>) -> Running {
        match side {
            Some(Color::White) => Running::White,
            Some(Color::Black) => Running::Black,
            None => Running::None,
        }
    }
}

impl Running {
    /// The side whose clock runs.
    pub const fn side(self) -> Option<Color> {
        match self {
            Running::White => Some(Color::White),
            Running::Black => Some(Color::Black),
            Running::None => None,
        }
    }
}

impl Command {
    /// Whether the command is about the position that its sender saw, so that it has to name the
    /// event that last changed it.
    pub const fn names_position(&self) -> bool {
        matches!(self, Command::Move { .. } | Command::ClaimDraw { .. } | Command::SealMove { .. })
    }

    /// Whether only the server itself may give this command; on the wire nobody may.
    pub const fn is_servers_own(&self) -> bool {
        matches!(self, Command::Presence { .. } | Command::MateVerdict { .. } | Command::Interrupt { .. })
    }

    /// The name of the command in snake case, for metrics and logs.
    pub const fn name(&self) -> &'static str {
        match self {
            Command::Move { .. } => "move",
            Command::Resign => "resign",
            Command::OfferDraw => "offer_draw",
            Command::AcceptDraw => "accept_draw",
            Command::DeclineDraw => "decline_draw",
            Command::ClaimDraw { .. } => "claim_draw",
            Command::ClaimQuickplay { .. } => "claim_quickplay",
            Command::RequestIncrement => "request_increment",
            Command::ClaimFlag => "claim_flag",
            Command::ClaimIllegal => "claim_illegal",
            Command::ClaimTouch => "claim_touch",
            Command::CallArbiter { .. } => "call_arbiter",
            Command::MarkPresent => "mark_present",
            Command::ConfirmResult => "confirm_result",
            Command::SealMove { .. } => "seal_move",
            Command::ScoresheetUpdated => "scoresheet_updated",
            Command::Abort => "abort",
            Command::OfferTakeback => "offer_takeback",
            Command::AcceptTakeback => "accept_takeback",
            Command::DeclineTakeback => "decline_takeback",
            Command::ClaimAbandoned => "claim_abandoned",
            Command::Touch { .. } => "touch",
            Command::Adjust => "adjust",
            Command::MoveMade { .. } => "move_made",
            Command::PressClock => "press_clock",
            Command::ReportDisplaced => "report_displaced",
            Command::ReportFlags(_) => "report_flags",
            Command::Pause { .. } => "pause",
            Command::Resume => "resume",
            Command::SetClocks { .. } => "set_clocks",
            Command::AdjustTime { .. } => "adjust_time",
            Command::CallFlag { .. } => "call_flag",
            Command::RuleClaim { .. } => "rule_claim",
            Command::RestorePosition { .. } => "restore_position",
            Command::Penalise { .. } => "penalise",
            Command::ConsentDraw => "consent_draw",
            Command::Annul { .. } => "annul",
            Command::SwapColours => "swap_colours",
            Command::ReportColoursReversed => "report_colours_reversed",
            Command::DeclareResult { .. } => "declare_result",
            Command::SetDefaultTime { .. } => "set_default_time",
            Command::Adjourn { .. } => "adjourn",
            Command::TransferBoard => "transfer_board",
            Command::ReportTwoHands { .. } => "report_two_hands",
            Command::ReportFairPlay { .. } => "report_fair_play",
            Command::Presence { .. } => "presence",
            Command::MateVerdict { .. } => "mate_verdict",
            Command::Interrupt { .. } => "interrupt",
        }
    }
}
