//! The rules of a game as data: one field for each number or behaviour in which the editions differ, and
//! one for each decision that the Laws leave to the organizer or to the server.
//!
//! Nothing else in this crate asks which edition is in force. [`Rulebook::of`] gives the values of edition and
//! speed, [`crate::options`] lays a game's own settings over them.

mod words;

pub use words::*;
use zeitnot_proto::TimeControl;
use zeitnot_proto::rules::{Conduct, Edition, Speed};
use zeitnot_proto::time::SECOND_US;
use zeitnot_proto::time_control::Added;

const MINUTE_US: u64 = 60 * SECOND_US;

/// How often a player may stop the clocks to call the arbiter (6.12b).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlayerPause {
    /// So many times.
    Times(u64),
    /// Whenever he wants.
    Free,
}

/// What an illegal move costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IllegalPenalty {
    /// The opponent gets so many microseconds.
    AddOpponent(u64),
    /// The game is lost.
    Loss,
}

/// The rules of one game. Numbers in brackets are the articles of 1997 | 2014 | 2023.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rulebook {
    /// The edition: it numbers the articles.
    pub edition: Edition,
    /// The speed.
    pub speed: Speed,
    /// Screen or board.
    pub conduct: Conduct,
    /// Comforts of casual games.
    pub casual: bool,
    /// Whether speed and time control have to agree (B1, C1 | A.1, B.1 | A.1, B.1).
    pub speed_bounds: SpeedBounds,
    /// From which stage of the opponent's move on a player has the move (1.1 | 1.1 | 1.3).
    pub on_move_from: Stage,
    /// What ends the right to claim (9.4).
    pub claim_right_lost_by: RightLostBy,
    /// Three occurrences (9.2).
    pub threefold: Drawn,
    /// Fifty moves (9.3).
    pub fifty: Drawn,
    /// Five occurrences (- | 9.6a | 9.6.1).
    pub fivefold: Fivefold,
    /// Seventy-five moves (- | 9.6b | 9.6.2).
    pub seventyfive: SeventyFive,
    /// Whether a claim under 9.2 or 9.3 is a draw offer too (- | 9.1b3 | 9.1.2.3).
    pub claim_is_draw_offer: bool,
    /// What a wrong claim takes from the claimant (9.5b | - | -).
    pub claim_wrong_claimant_loses: ClaimantLoses,
    /// What a wrong claim gives the opponent, in microseconds (9.5b | 9.5b, B.2 | 9.5.3, A.3, B.3).
    pub claim_wrong_opponent_gains_us: u64,
    /// Whether the move announced with a claim has to be played (9.5b | 9.5b | 9.5.3).
    pub claim_intended_move_binding: bool,
    /// Whether an illegal move announced with a claim binds its man (- | 9.5b | 9.5.3).
    pub claim_illegal_move_binds: bool,
    /// At which stage an illegal move counts (7.4 | 7.5a | 7.5.1).
    pub illegal_counts_when: Stage,
    /// Where illegal moves are penalised (10.3 | 7.5b | 7.5.5).
    pub illegal_penalty_scope: PenaltyScope,
    /// The penalties for the first, second, ... illegal move; the last one repeats (10.3, B5, C3 | 7.5b, A.4b | 7.5.5, A.3).
    pub illegal_penalties: Vec<IllegalPenalty>,
    /// How long an illegal move may be complained about (7.4, C3 | 7.5, A.4b | 7.5, A.5.2).
    pub illegal_claim_window: ClaimWindow,
    /// Whether an arbiter who sees an illegal move in unsupervised fast play acts without a claim (B5 | A.4b | A.5.2).
    pub illegal_observed: bool,
    /// Whether a loss by illegal moves is a draw if the opponent cannot mate (-, C4 | 7.5b | 7.5.5).
    pub illegal_loss_draw_if_no_mate: bool,
    /// A pawn left on the last rank (7.4 | 7.5a | 7.5.2).
    pub unpromoted_pawn_pressed: Unpromoted,
    /// A press without a move (6.7c | 6.2d | 7.5.3).
    pub press_without_move: Breach,
    /// Two hands for one move (4.1 | 4.1 | 7.5.4).
    pub two_hands: Breach,
    /// Who may have a flag considered fallen (6.8, B6 | 6.8, A.4d | 6.8, A.5.5).
    pub flag_calling: FlagCalling,
    /// Whether the claimant's own flag has to be up (B7 | A.4c | -).
    pub claimant_flag_must_be_up: bool,
    /// Both flags down in unknown order, a period to come (6.11 | 6.11a | III.3.1.1).
    pub both_flags_unknown_not_last: BothFlags,
    /// Both flags down in unknown order, in the last period (10.4 | 6.11b | III.3.1.2).
    pub both_flags_unknown_last: BothFlags,
    /// The same where the last period has an increment (10.4 | 6.11b | III.2.2).
    pub both_flags_unknown_last_increment: BothFlags,
    /// Both flags down in known order (6.9, B8 | 6.9, A.4c | 6.9).
    pub both_flags_known: BothFlags,
    /// Whether the rules of the quickplay finish are in force (10 | G.2 | III.2.1).
    pub qpf_rules: QpfRules,
    /// Whether they can be at this speed (C5 | G.3 | III.2.2).
    pub qpf_speeds: bool,
    /// Whether a period with an increment or a delay is none (10.1 | G.3 | III.2.2).
    pub qpf_needs_no_increment: bool,
    /// Claims are possible with less than this left, in microseconds (10.2 | G.5 | III.5).
    pub qpf_claim_threshold_us: u64,
    /// Whether the claimant needs the move (- | G.5 | III.5).
    pub qpf_claimant_on_move: bool,
    /// What a postponed or rejected claim gives the opponent, in microseconds (10.2b | G.5 | III.5).
    pub qpf_bonus_us: u64,
    /// Whether the arbiter may reject (- | G.5c | III.5.3).
    pub qpf_reject: bool,
    /// The increment on request (- | G.4 | III.4).
    pub qpf_increment_request: QpfIncrement,
    /// Claims without an arbiter (D | G.6 | III.6).
    pub qpf_no_arbiter: QpfNoArbiter,
    /// How late a player may come, in microseconds; none if he may come any time (6.6 | 6.7a | 6.7.1).
    pub default_time_us: Option<u64>,
    /// Whether White's clock runs while both are absent (6.5 | 6.7b | 6.7.2).
    pub white_burns_while_both_absent: bool,
    /// Moves that each side has made before a draw can be agreed (5.3 | 5.2c | 5.2.3).
    pub agreement_min_own_moves: u32,
    /// Moves that each side has completed before a draw can be offered; `u32::MAX` is never (- | 9.1a | 9.1.1).
    pub min_moves: u32,
    /// Whether a deliberate touch refuses an offer (9.1 | 9.1b1 | 9.1.2.1).
    pub offer_refused_by_touch: bool,
    /// A resignation to a side that can never mate (5.1b | 5.1b | 5.1.2).
    pub resign_v_no_mate: ResignNoMate,
    /// Up to how many moves of each side a wrong array annuls the game; none without end (7.1a, B4 | 7.2a, A.4a | 7.2.1, A.5.1).
    pub initial_position_wrong_until: Option<u32>,
    /// Reversed colours (7.2 | 7.3 | 7.3).
    pub colours_reversed: ColoursReversed,
    /// Whether the clock may be pressed back at one who displaced men (7.3 | 7.4 | 7.4.2).
    pub displaced_bounce_press: bool,
    /// Whether savings are kept in the next period (6.2 | 6.3b | 6.3.2).
    pub carry_over: bool,
    /// Whether the increment is there before the first move (6.2 | 6.3a | 6.3.1).
    pub increment_before_first_move: bool,
    /// Below this, without thirty seconds a move, moves need not be recorded, in microseconds (8.4).
    pub recording_exempt_below_us: u64,
    /// Whether scoresheets are kept by hand, and have to be brought up to date (8.5, B3 | 8.5, A.2 | 8.5, A.2).
    pub recording_required: bool,
    /// Scores that can be declared (11.1 | 10.1 | 10.1, 10.2).
    pub scores: Scores,
    /// What it takes to be able to win on time (6.9, C4 | 6.9 | 6.9).
    pub mating_potential: MatingPotential,
    /// An illegal position that stands (- | A.4d | A.5.4).
    pub both_kings_in_check: IllegalPosition,
    /// Up to how many moves of each side a wrong clock setting is corrected (B4 | A.4a | A.5.1.1).
    pub wrong_clock_setting_until: Option<u32>,

    /// How flags come to be considered fallen.
    pub flag_mode: FlagMode,
    /// What precedes at one instant.
    pub tie_rule: TieRule,
    /// When the next base is added.
    pub period_add: PeriodAdd,
    /// To which period an increment belongs.
    pub increment_timing: IncrementTiming,
    /// How clients show a delay.
    pub delay_display: DelayDisplay,
    /// When play begins.
    pub start_policy: StartPolicy,
    /// Whether touched men bind.
    pub touch_enforcement: TouchEnforcement,
    /// How often a player may stop the clocks.
    pub player_pause: PlayerPause,
    /// At which offer of one side after so many less one refusals the arbiter is told (12.5 | 11.5 | 11.5).
    pub offer_alert_after: u32,
    /// Whether clients may point out possible claims (6.14 | 6.13 | 6.12).
    pub assist_claims: bool,
    /// How it is found out that a side can never mate.
    pub dead_position: DeadPosition,
    /// Whether there is an arbiter.
    pub arbiter: Arbiter,
    /// Whose clock decides.
    pub clock_authority: ClockAuthority,
    /// Most that a move gets back for the latency of its connection, in microseconds; 0 for nothing.
    pub lag_compensation_us: u64,
    /// Whether the FIDE Online Regulations are laid over the edition.
    pub online_regs: bool,
    /// Whether an arbiter watches this game alone (A.3, B.3 | A.4, B.2).
    pub supervised: bool,
    /// Who examines claims.
    pub verify_claims: VerifyClaims,
    /// How long a side may think about its first move before the game is void, in microseconds; 0 for ever.
    pub first_move_timeout_us: u64,
    /// How long the opponent has to be away before a casual game can be claimed, in microseconds.
    pub absence_grace_us: u64,
    /// How long clocks stand after an outage unless both players are back, in microseconds.
    pub interruption_grace_us: u64,
    /// Below this the arbiter is told of a time scramble, in microseconds; 0 for never (13.3 | 12.3 | 12.3).
    pub time_alert_us: u64,
}

/// How long a value may be looked up: the values of edition, speed and supervision.
struct Key {
    edition: Edition,
    speed: Speed,
    supervised: bool,
}

impl Key {
    /// The value of this edition.
    fn pick<T>(&self, fide_1997: T, fide_2014: T, fide_2023: T) -> T {
        match self.edition {
            Edition::Fide1997 => fide_1997,
            Edition::Fide2014 => fide_2014,
            Edition::Fide2023 => fide_2023,
        }
    }

    /// Rapid or blitz.
    fn fast(&self) -> bool {
        self.speed != Speed::Standard
    }

    /// Rapid or blitz without an arbiter for the game alone; 1997 knows no supervised rapid chess.
    fn unsupervised(&self) -> bool {
        self.fast() && !self.supervised
    }

    // Law 1997 10.3, B5, C3, 2014 7.5b, A.4b, B.2, 2023 7.5.5, A.3, B.3: what illegal moves cost.
    fn illegal_penalties(&self) -> Vec<IllegalPenalty> {
        use IllegalPenalty::{AddOpponent, Loss};
        let (one, two) = (AddOpponent(MINUTE_US), AddOpponent(2 * MINUTE_US));
        match (self.speed, self.edition) {
            (Speed::Blitz, Edition::Fide1997) => vec![Loss],
            (_, Edition::Fide1997) => vec![two, two, Loss],
            (Speed::Rapid | Speed::Blitz, Edition::Fide2014) if !self.supervised => vec![Loss],
            (Speed::Blitz, Edition::Fide2014) | (Speed::Rapid | Speed::Blitz, Edition::Fide2023) => {
                vec![one, Loss]
            }
            (_, Edition::Fide2014 | Edition::Fide2023) => vec![two, Loss],
        }
    }

    // Law 1997 9.5b, 2014 9.5b, B.2, 2023 9.5.3, A.3, B.3: what a wrong claim gives the opponent.
    fn claim_wrong_gain(&self) -> u64 {
        let minutes = match self.speed {
            Speed::Standard => self.pick(3, 2, 2),
            Speed::Rapid => self.pick(3, 2, 1),
            Speed::Blitz => self.pick(3, 1, 1),
        };
        minutes * MINUTE_US
    }
}

impl Rulebook {
    /// The rules of the 1997 edition.
    pub fn fide_1997(speed: Speed, supervised: bool) -> Rulebook {
        Rulebook::of(Edition::Fide1997, speed, supervised)
    }

    /// The rules of the 2014 edition.
    pub fn fide_2014(speed: Speed, supervised: bool) -> Rulebook {
        Rulebook::of(Edition::Fide2014, speed, supervised)
    }

    /// The rules of the 2023 edition.
    pub fn fide_2023(speed: Speed, supervised: bool) -> Rulebook {
        Rulebook::of(Edition::Fide2023, speed, supervised)
    }

    /// The values of an edition for a speed, supervised or not, without any setting of the game's own.
    pub fn of(edition: Edition, speed: Speed, supervised: bool) -> Rulebook {
        let key = Key { edition, speed, supervised };
        let (fast, blitz) = (key.fast(), speed == Speed::Blitz);
        let move_limit = key.unsupervised().then(|| key.pick(3, 10, 10));
        Rulebook {
            edition,
            speed,
            conduct: Conduct::Online,
            casual: false,
            speed_bounds: SpeedBounds::Free,
            on_move_from: key.pick(Stage::Completed, Stage::Made, Stage::Made),
            claim_right_lost_by: key.pick(RightLostBy::Move, RightLostBy::Touch, RightLostBy::Touch),
            threefold: Drawn::OnClaim,
            fifty: Drawn::OnClaim,
            fivefold: key.pick(Fivefold::Off, Fivefold::Consecutive, Fivefold::InAll),
            seventyfive: key.pick(SeventyFive::Off, SeventyFive::Completed, SeventyFive::Made),
            claim_is_draw_offer: key.pick(false, true, true),
            claim_wrong_claimant_loses: key.pick(
                ClaimantLoses::Half,
                ClaimantLoses::Nothing,
                ClaimantLoses::Nothing,
            ),
            claim_wrong_opponent_gains_us: key.claim_wrong_gain(),
            claim_intended_move_binding: true,
            claim_illegal_move_binds: key.pick(false, true, true),
            illegal_counts_when: Stage::Completed,
            illegal_penalty_scope: if blitz {
                PenaltyScope::WholeGame
            } else {
                key.pick(PenaltyScope::QpfOnly, PenaltyScope::WholeGame, PenaltyScope::WholeGame)
            },
            illegal_penalties: key.illegal_penalties(),
            illegal_claim_window: if key.unsupervised() && key.pick(blitz, true, true) {
                ClaimWindow::UntilReply
            } else {
                ClaimWindow::UntilEnd
            },
            illegal_observed: key.pick(!fast || supervised, true, true),
            illegal_loss_draw_if_no_mate: key.pick(blitz, true, true),
            unpromoted_pawn_pressed: key.pick(Unpromoted::Restore, Unpromoted::Queen, Unpromoted::Queen),
            press_without_move: key.pick(Breach::Misuse, Breach::Misuse, Breach::IllegalMove),
            two_hands: key.pick(Breach::Misuse, Breach::Misuse, Breach::IllegalMove),
            flag_calling: if fast && key.pick(true, false, false) {
                FlagCalling::ClaimOnly
            } else {
                FlagCalling::ArbiterOrClaim
            },
            claimant_flag_must_be_up: key.pick(fast, key.unsupervised(), false),
            both_flags_unknown_not_last: if fast && key.pick(true, false, false) {
                BothFlags::Draw
            } else {
                key.pick(BothFlags::Continue, BothFlags::Continue, BothFlags::RuleContinue)
            },
            both_flags_unknown_last: key.pick(BothFlags::Draw, BothFlags::Draw, BothFlags::RuleDraw),
            both_flags_unknown_last_increment: key.pick(
                BothFlags::Draw,
                BothFlags::Draw,
                BothFlags::RuleDraw,
            ),
            both_flags_known: if fast {
                key.pick(
                    BothFlags::Draw,
                    if supervised { BothFlags::FirstLoses } else { BothFlags::Rule },
                    BothFlags::FirstLoses,
                )
            } else {
                BothFlags::FirstLoses
            },
            qpf_rules: key.pick(QpfRules::Announced, QpfRules::NotAnnounced, QpfRules::NotAnnounced),
            qpf_speeds: !blitz,
            qpf_needs_no_increment: true,
            qpf_claim_threshold_us: 2 * MINUTE_US,
            qpf_claimant_on_move: key.pick(false, true, true),
            qpf_bonus_us: 2 * MINUTE_US,
            qpf_reject: key.pick(false, true, true),
            qpf_increment_request: key.pick(
                QpfIncrement::Off,
                QpfIncrement::Cumulative,
                QpfIncrement::Cumulative,
            ),
            qpf_no_arbiter: QpfNoArbiter::Adjudicate,
            default_time_us: key.pick(Some(60 * MINUTE_US), None, Some(0)),
            white_burns_while_both_absent: true,
            agreement_min_own_moves: key.pick(0, 0, 1),
            min_moves: 0,
            offer_refused_by_touch: key.pick(false, true, true),
            resign_v_no_mate: key.pick(ResignNoMate::Loss, ResignNoMate::Loss, ResignNoMate::Draw),
            initial_position_wrong_until: move_limit,
            colours_reversed: key.pick(
                ColoursReversed::Continue,
                ColoursReversed::Continue,
                ColoursReversed::Restart,
            ),
            displaced_bounce_press: key.pick(true, false, false),
            carry_over: true,
            increment_before_first_move: key.pick(false, true, true),
            recording_exempt_below_us: 5 * MINUTE_US,
            recording_required: false,
            scores: Scores::Normal,
            mating_potential: if blitz && key.pick(true, false, false) {
                MatingPotential::Forced
            } else {
                MatingPotential::Helpmate
            },
            both_kings_in_check: if key.unsupervised() {
                key.pick(IllegalPosition::Off, IllegalPosition::WaitOneMove, IllegalPosition::WaitOneMove)
            } else {
                IllegalPosition::Off
            },
            wrong_clock_setting_until: move_limit,
            flag_mode: FlagMode::Auto,
            tie_rule: TieRule::FlagWins,
            period_add: PeriodAdd::AtMoveN,
            increment_timing: key.pick(
                IncrementTiming::AfterEachMove,
                IncrementTiming::BeforeEachMove,
                IncrementTiming::BeforeEachMove,
            ),
            delay_display: DelayDisplay::Simple,
            start_policy: StartPolicy::Scheduled,
            touch_enforcement: TouchEnforcement::Auto,
            player_pause: PlayerPause::Times(0),
            offer_alert_after: 3,
            assist_claims: false,
            dead_position: DeadPosition::Material,
            arbiter: Arbiter::None,
            clock_authority: ClockAuthority::Server,
            lag_compensation_us: 0,
            online_regs: false,
            supervised,
            verify_claims: VerifyClaims::Server,
            first_move_timeout_us: 0,
            absence_grace_us: MINUTE_US,
            interruption_grace_us: MINUTE_US,
            time_alert_us: 0,
        }
    }

    /// What follows from other settings, before the ones of this name are applied: an arbiter in the hall
    /// examines claims and may be called, announced Guidelines bring the rule on two fallen flags.
    pub(crate) fn derive(&mut self, tc: &TimeControl) {
        if self.arbiter == Arbiter::Present {
            self.verify_claims = VerifyClaims::Arbiter;
            self.player_pause = PlayerPause::Free;
            self.time_alert_us = 5 * MINUTE_US;
        }
        // Law 2023 III.2.2, III.3.1.1, III.3.1.2: announced Guidelines settle two fallen flags, not in blitz.
        if self.edition == Edition::Fide2023 && self.qpf_rules == QpfRules::Announced && self.qpf_speeds {
            self.both_flags_unknown_not_last = BothFlags::Continue;
            self.both_flags_unknown_last = BothFlags::Draw;
        }
        self.increment_before_first_move = self.increment_timing == IncrementTiming::BeforeEachMove;
        let delays = tc.periods().iter().any(|p| matches!(p.added, Added::Delay(_) | Added::Bronstein(_)));
        // Law 1997 6.2: time saved is kept except in delay mode.
        if self.edition == Edition::Fide1997 && delays {
            self.carry_over = false;
        }
        if self.online_regs {
            self.lay_online_regulations();
        }
    }

    /// The FIDE Online Regulations: repetition and fifty moves end the game by themselves, flags are observed
    /// by the platform.
    fn lay_online_regulations(&mut self) {
        self.threefold = Drawn::Auto;
        self.fifty = Drawn::Auto;
        self.flag_mode = FlagMode::Auto;
        self.offer_refused_by_touch = false;
    }

    /// The speed that a time control has under this edition.
    // Law 1997 B1, C1, 2014 A.1, B.1, 2023 A.1, B.1: fast games by the time for sixty moves.
    pub fn speed_of(edition: Edition, tc: &TimeControl) -> Speed {
        let Some(first) = tc.periods().first() else { return Speed::Standard };
        let (Added::Increment(add) | Added::Delay(add) | Added::Bronstein(add)) = first.added else {
            return Rulebook::speed_of_span(edition, tc.periods().iter().map(|p| p.base_us).sum());
        };
        Rulebook::speed_of_span(edition, tc.periods().iter().map(|p| p.base_us).sum::<u64>() + 60 * add)
    }

    fn speed_of_span(edition: Edition, span_us: u64) -> Speed {
        let (blitz, rapid) = match edition {
            Edition::Fide1997 => (span_us < 15 * MINUTE_US, span_us <= 60 * MINUTE_US),
            Edition::Fide2014 | Edition::Fide2023 => (span_us <= 10 * MINUTE_US, span_us < 60 * MINUTE_US),
        };
        match (blitz, rapid) {
            (true, _) => Speed::Blitz,
            (_, true) => Speed::Rapid,
            _ => Speed::Standard,
        }
    }

    /// The penalty for the illegal move of this number, from 1.
    pub(crate) fn illegal_penalty(&self, number: u16) -> Option<IllegalPenalty> {
        let index = usize::from(number).checked_sub(1)?;
        self.illegal_penalties.get(index).or(self.illegal_penalties.last()).copied()
    }

    /// Whether an arbiter can rule.
    pub(crate) fn has_arbiter(&self) -> bool {
        self.arbiter != Arbiter::None
    }
}
