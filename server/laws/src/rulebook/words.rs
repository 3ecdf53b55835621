//! The words that a rule can have for its value.

/// Enumerations whose values are words in a game's options.
macro_rules! words {
    ($($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $word:literal,)+ })+) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name { $($(#[$vdoc])* $variant,)+ }

        impl $name {
            /// The words of all values.
            pub const WORDS: &[&str] = &[$($word,)+];

            /// The value of this word.
            pub fn from_word(word: &str) -> Option<$name> {
                match word { $($word => Some($name::$variant),)+ _ => None }
            }

            /// The word of this value.
            pub const fn word(self) -> &'static str {
                match self { $($name::$variant => $word,)+ }
            }
        }
    )+};
}

words! {
    /// A stage of a move (4.7, 6.7).
    Stage {
        /// Released on the board.
        Made = "made",
        /// The clock pressed.
        Completed = "completed",
    }
    /// What ends the right to claim in a turn (9.4).
    RightLostBy {
        /// Only a move.
        Move = "move",
        /// A deliberate touch already.
        Touch = "touch",
    }
    /// How a draw comes about.
    Drawn {
        /// A player has to claim it.
        OnClaim = "on_claim",
        /// By itself.
        Auto = "auto",
    }
    /// Five occurrences (9.6).
    Fivefold {
        /// No such rule.
        Off = "off",
        /// Five in a row, with the same side to move.
        Consecutive = "consecutive",
        /// Five in all.
        InAll = "in_all",
    }
    /// Seventy-five moves (9.6).
    SeventyFive {
        /// No such rule.
        Off = "off",
        /// When the move is completed.
        Completed = "completed",
        /// When it is made.
        Made = "made",
    }
    /// What a wrong claim costs the claimant (9.5).
    ClaimantLoses {
        /// Nothing.
        Nothing = "nothing",
        /// Half the time left, three minutes at most.
        Half = "half",
    }
    /// Where illegal moves are penalised.
    PenaltyScope {
        /// Only in a quickplay finish: 1997 10.3 read literally.
        QpfOnly = "qpf_only",
        /// In the whole game.
        WholeGame = "whole_game",
    }
    /// How long an illegal move may be complained about.
    ClaimWindow {
        /// Until the game is over.
        UntilEnd = "until_end",
        /// Until the opponent has made his next move.
        UntilReply = "until_reply",
    }
    /// What becomes of a pawn that is left on the last rank when the clock is pressed.
    Unpromoted {
        /// The position is restored; the pawn has to move.
        Restore = "restore",
        /// It becomes a queen, and the move counts as illegal.
        Queen = "queen",
    }
    /// What a breach is that only some editions count as an illegal move.
    Breach {
        /// A matter for the arbiter.
        Misuse = "misuse",
        /// An illegal move.
        IllegalMove = "illegal_move",
    }
    /// Who may bring about that a flag is considered fallen (6.8).
    FlagCalling {
        /// The arbiter or the opponent.
        ArbiterOrClaim = "arbiter_or_claim",
        /// The opponent alone.
        ClaimOnly = "claim_only",
    }
    /// What follows when both flags are down and both sides are at fault.
    BothFlags {
        /// Play goes on in the next period.
        Continue = "continue",
        /// A draw.
        Draw = "draw",
        /// The arbiter rules; without one play goes on.
        RuleContinue = "rule_continue",
        /// The arbiter rules; without one it is a draw.
        RuleDraw = "rule_draw",
        /// The arbiter rules, and nothing happens before.
        Rule = "rule",
        /// The one whose flag fell first loses.
        FirstLoses = "first_loses",
    }
    /// Whether quickplay finish rules are in force.
    QpfRules {
        /// They are.
        Announced = "announced",
        /// They are not.
        NotAnnounced = "not_announced",
    }
    /// An increment on request in a quickplay finish.
    QpfIncrement {
        /// No such request.
        Off = "off",
        /// Five seconds cumulative.
        Cumulative = "cumulative",
        /// Five seconds of delay.
        Delay = "delay",
    }
    /// A quickplay claim where there is no arbiter.
    QpfNoArbiter {
        /// Refused.
        Refuse = "refuse",
        /// Stops the game until somebody adjudicates it.
        Adjudicate = "adjudicate",
    }
    /// A resignation to a side that can never mate.
    ResignNoMate {
        /// Loses.
        Loss = "loss",
        /// Draws.
        Draw = "draw",
    }
    /// Reversed colours (7.3).
    ColoursReversed {
        /// Play goes on.
        Continue = "continue",
        /// A new game, unless both sides have completed ten moves.
        Restart = "restart",
    }
    /// What it takes to be able to win on time.
    MatingPotential {
        /// Some series of legal moves mates.
        Helpmate = "helpmate",
        /// Force enough for a position in which mate in one cannot be avoided (1997 C4).
        Forced = "forced",
    }
    /// An illegal position that nobody complained about (2014 A.4d, 2023 A.5.4).
    IllegalPosition {
        /// No rule.
        Off = "off",
        /// The arbiter waits one move; if it stands then, he draws the game.
        WaitOneMove = "wait_one_move",
    }
    /// How flags come to be considered fallen in this game.
    FlagMode {
        /// The server observes them.
        Auto = "auto",
        /// The arbiter calls them or the opponent claims them.
        ArbiterOrClaim = "arbiter_or_claim",
        /// Only the opponent claims them.
        ClaimOnly = "claim_only",
    }
    /// What precedes at one instant.
    TieRule {
        /// The flag.
        FlagWins = "flag_wins",
    }
    /// When the base of the next period is added.
    PeriodAdd {
        /// With the last move of the period.
        AtMoveN = "at_move_n",
        /// When the time of the period has run out.
        AtFlag = "at_flag",
    }
    /// To which period the increment of a completed move belongs.
    IncrementTiming {
        /// To that of the next move.
        BeforeEachMove = "before_each_move",
        /// To that of the move.
        AfterEachMove = "after_each_move",
    }
    /// How a delay is shown.
    DelayDisplay {
        /// As a time before the main time.
        Simple = "simple",
        /// In the main time, given back after the move.
        Bronstein = "bronstein",
    }
    /// When play begins.
    StartPolicy {
        /// At the appointed time; at once if there is none.
        Scheduled = "scheduled",
        /// As soon as both players are there, not before the appointed time.
        BothPresent = "both_present",
        /// At the appointed time, but White's first move costs no time.
        FirstMove = "first_move",
    }
    /// Whether touched men bind.
    TouchEnforcement {
        /// At once.
        Auto = "auto",
        /// When the opponent claims it.
        OnClaim = "on_claim",
        /// No touches are reported.
        Off = "off",
    }
    /// How it is found out that a side can never mate.
    DeadPosition {
        /// By material alone.
        Material = "material",
        /// By a search where material does not decide.
        Solver = "solver",
    }
    /// Whether there is an arbiter.
    Arbiter {
        /// In the hall.
        Present = "present",
        /// To be called.
        OnCall = "on_call",
        /// None.
        None = "none",
    }
    /// Whose clock decides.
    ClockAuthority {
        /// The server's.
        Server = "server",
        /// The device's.
        Device = "device",
    }
    /// Who examines claims under 9.2 and 9.3.
    VerifyClaims {
        /// The server, at once.
        Server = "server",
        /// The arbiter.
        Arbiter = "arbiter",
    }
    /// Which scores an arbiter may declare.
    Scores {
        /// 1, 1/2 and 0, not more than one point in all.
        Normal = "normal",
        /// Whatever the event's own table says.
        Event = "event",
    }
    /// Whether the speed has to agree with the time control.
    SpeedBounds {
        /// It does not matter.
        Free = "free",
        /// A game outside the bounds of its speed is refused.
        Enforced = "enforced",
    }
}
