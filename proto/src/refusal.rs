//! Why something was not done. A refusal is an answer, not an event: it has no sequence number, is
//! not journaled, never moves a clock and never penalises.

use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! refusals {
    ($($(#[doc = $doc:literal])+ $variant:ident = $name:literal, $advice:literal;)+) => {
        /// Why a command or a request was refused. Each has a name for programs and a sentence
        /// for people that says what to do next.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Refusal {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl Refusal {
            /// All refusals, in the order of their numbers on the wire.
            pub const ALL: &[Refusal] = &[$(Refusal::$variant,)+];

            /// The name in snake case: metrics, scenarios and JSON use it.
            pub const fn name(self) -> &'static str {
                match self { $(Refusal::$variant => $name,)+ }
            }

            /// What to tell the one who asked.
            pub const fn advice(self) -> &'static str {
                match self { $(Refusal::$variant => $advice,)+ }
            }
        }
    };
}

refusals! {
    // The Laws.
    /// The other side has the move.
    NotYourTurn = "not_your_turn", "it is the opponent's move";
    /// No legal move.
    IllegalMove = "illegal_move", "that move is not legal here";
    /// A pawn reaches the last rank and the move names no piece.
    PromotionRequired = "promotion_required", "say what the pawn becomes, as in a7a8q";
    /// The game has ended.
    GameOver = "game_over", "the game is over";
    /// The clocks stand; nothing can be played until they run.
    ClocksPaused = "clocks_paused", "the clocks are stopped; wait until they run again";
    /// A move was made already and cannot be changed (4.7).
    MoveAlreadyMade = "move_already_made", "a move has been made on the board already";
    /// A touched man binds (4.3).
    TouchObligation = "touch_obligation", "the man that you touched has to be moved or taken";
    /// Only the player having the move may do this.
    NotHavingMove = "not_having_move", "only the player who has the move may do that";
    /// The right to claim is lost for this move (9.4, 4.8).
    ClaimRightLost = "claim_right_lost", "the right to claim is lost for this move";
    /// The same claim was ruled on in this turn.
    AlreadyClaimed = "already_claimed", "that claim has been ruled on; make a move first";
    /// The move that a claim announced has to be played (9.5).
    MustPlayIntended = "must_play_intended", "play the move that you announced with the claim";
    /// The flag in question has not fallen.
    FlagNotFallen = "flag_not_fallen", "the flag has not fallen";
    /// There is no offer to answer.
    NoOffer = "no_offer", "there is no offer to answer";
    /// A draw may not be agreed yet (9.1.1, 5.2.3).
    DrawTooEarly = "draw_too_early", "a draw may not be agreed yet in this game";
    /// This is not a quickplay finish.
    NotQpf = "not_qpf", "this is not a quickplay finish";
    /// Two minutes or more are left.
    NotUnderTwoMinutes = "not_under_two_minutes", "claim with less than two minutes left";
    /// The edition knows no such verdict, or nothing awaits one.
    BadVerdict = "bad_verdict", "no such verdict can be given here";
    /// No such pair of scores.
    BadScore = "bad_score", "those scores cannot be given";
    /// The game cannot be set up like this.
    BadStart = "bad_start", "the position, the options or the time control cannot be used; see docs/options.md";
    /// Past the point up to which this may be corrected or asked for.
    TooLate = "too_late", "it is too late for that";
    /// The scoresheet has to be brought up to date first (8.5).
    ScoresheetDue = "scoresheet_due", "bring your scoresheet up to date first";
    /// Only an arbiter may do this.
    NotArbiter = "not_arbiter", "only an arbiter may do that";
    /// It happens by itself under these rules.
    NotNeeded = "not_needed", "that happens by itself under these rules";
    /// The command does not make sense as it stands.
    Malformed = "malformed", "the command does not make sense as it stands";
    // Comforts of the server.
    /// Only casual games allow it.
    NotCasual = "not_casual", "that is possible in casual games only";
    /// The opponent is here, or the grace has not run out.
    OpponentPresent = "opponent_present", "the opponent is here, or may still come back";
    /// The game has not started.
    NotStarted = "not_started", "the game has not started yet";
    // The server.
    /// The move was meant for another position than the present one.
    Stale = "stale", "the position has changed; look again";
    /// A command of this number was handled long ago.
    Duplicate = "duplicate", "a command of this number was handled before; number commands upward";
    /// Only a player of this game may do this.
    NotPlayer = "not_player", "only a player of this game may do that";
    /// The identity has no role that allows this.
    NotAllowed = "not_allowed", "your roles do not allow that";
    /// More than its share is under way: try again.
    Busy = "busy", "too much is under way; try again in a moment";
    /// The store does not take anything now: clocks stand.
    StoreDown = "store_down", "the server cannot store anything now; the clocks stand until it can";
    /// The server is going down.
    Draining = "draining", "the server is about to restart; come back in a moment";
    /// There is no such game.
    NoSuchGame = "no_such_game", "there is no such game";
    /// There is no such seek or challenge, or it is not open any more.
    NoSuchOffer = "no_such_offer", "that seek or challenge is not open any more";
    /// There is no such player here now.
    NoSuchPlayer = "no_such_player", "no player of that name is here now";
    /// Nobody plays against himself.
    SamePlayer = "same_player", "the two players have to be different";
    /// A bound of the server is reached.
    Limit = "limit", "that is more than this server allows; see docs/limits.md";
    /// A reply would not fit into a frame.
    TooLong = "too_long", "the answer is too long for one frame";
    // Tournaments.
    /// There is no such tournament.
    NoSuchTournament = "no_such_tournament", "there is no such tournament";
    /// The settings of a tournament make no sense.
    BadTournament = "bad_tournament", "a tournament cannot be held like that; see docs/tournaments.md";
    /// Nobody can enter any more.
    RegistrationClosed = "registration_closed", "registration is closed";
    /// This identity does not play in the tournament.
    NotEntered = "not_entered", "that player has not entered this tournament";
    /// Not at this stage of the tournament.
    WrongPhase = "wrong_phase", "the tournament is not at that stage; look at its state";
    /// A game of the round has no result.
    RoundOpen = "round_open", "every game of the round needs a result first";
    /// Somebody has moved: the pairing stands.
    RoundBegun = "round_begun", "a move has been made in this round: its pairing stands";
    /// Fewer than two players are there.
    NotEnoughPlayers = "not_enough_players", "there are not enough players to pair a round";
    /// No pairing meets the absolute criteria.
    NoPairing = "no_pairing", "no pairing keeps the rules; the arbiter has to pair by hand or end the tournament";
    /// The boards given are no pairing.
    BadPairing = "bad_pairing", "those boards are no pairing: each player who is there once, nobody else";
    /// There is no such round or board.
    NoSuchBoard = "no_such_board", "there is no such round or board";
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.advice())
    }
}

impl std::error::Error for Refusal {}
