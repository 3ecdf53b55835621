//! A game's own settings, by name, over the values of edition and speed.

use crate::rulebook::{
    Arbiter, BothFlags, Breach, ClaimWindow, ClaimantLoses, ClockAuthority, ColoursReversed, DeadPosition,
    DelayDisplay, Drawn, Fivefold, FlagCalling, FlagMode, IllegalPenalty, IllegalPosition, IncrementTiming,
    MatingPotential, PenaltyScope, PeriodAdd, PlayerPause, QpfIncrement, QpfNoArbiter, QpfRules,
    ResignNoMate, RightLostBy, Rulebook, Scores, SeventyFive, SpeedBounds, Stage, StartPolicy, TieRule,
    TouchEnforcement, Unpromoted, VerifyClaims,
};
use zeitnot_proto::rules::{Edition, Rules, Setting, Value};
use zeitnot_proto::time::{SECOND_US, parse_us};
use zeitnot_proto::{Refusal, Text, TimeControl};

/// What values an option takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `true` or `false`.
    Flag,
    /// A whole number.
    Count,
    /// A time.
    Span,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A whole number or one of these words.
    CountOr(&'static [&'static str]),
    /// Penalties in order, separated by commas: times for the opponent, or `loss`.
    Penalties,
}

/// An option: what it is called, what it takes, how to read its present value.
pub struct OptionSpec {
    /// The name in snake case.
    pub name: &'static str,
    /// What it takes.
    pub kind: Kind,
    show: fn(&Rulebook) -> String,
    set: fn(&mut Rulebook, &Value) -> Option<()>,
}

impl OptionSpec {
    /// The value in these rules, as it would be written.
    pub fn show(&self, rules: &Rulebook) -> String {
        (self.show)(rules)
    }
}

fn flag(value: &Value) -> Option<bool> {
    match value {
        Value::Flag(on) => Some(*on),
        Value::Word(word) if matches!(&**word, "true" | "yes" | "on") => Some(true),
        Value::Word(word) if matches!(&**word, "false" | "no" | "off") => Some(false),
        _ => None,
    }
}

fn count(value: &Value) -> Option<u32> {
    match value {
        Value::Count(n) => u32::try_from(*n).ok(),
        _ => None,
    }
}

fn span(value: &Value) -> Option<u64> {
    match value {
        Value::SpanUs(us) => Some(*us),
        Value::Count(seconds) => seconds.checked_mul(SECOND_US),
        Value::Word(word) => parse_us(word),
        Value::Flag(_) => None,
    }
}

fn word(value: &Value) -> Option<&str> {
    match value {
        Value::Word(word) => Some(word),
        Value::Flag(false) => Some("off"),
        _ => None,
    }
}

fn show_span(us: u64) -> String {
    zeitnot_proto::time::format_us(us)
}

fn show_limit(limit: Option<u32>) -> String {
    limit.map_or_else(|| "always".to_owned(), |n| n.to_string())
}

/// Sets a limit in moves, or lifts it.
fn set_limit(limit: &mut Option<u32>, value: &Value) -> Option<()> {
    *limit = if word(value) == Some("always") { None } else { Some(count(value)?) };
    Some(())
}

fn show_penalties(penalties: &[IllegalPenalty]) -> String {
    let one = |p: &IllegalPenalty| match p {
        IllegalPenalty::AddOpponent(us) => show_span(*us),
        IllegalPenalty::Loss => "loss".to_owned(),
    };
    penalties.iter().map(one).collect::<Vec<_>>().join(",")
}

fn set_penalties(value: &Value) -> Option<Vec<IllegalPenalty>> {
    let one = |text: &str| match text.trim() {
        "loss" => Some(IllegalPenalty::Loss),
        time => parse_us(time).map(IllegalPenalty::AddOpponent),
    };
    word(value)?.split(',').map(one).collect()
}

macro_rules! specs {
    (
        words { $($w:ident: $W:ident,)* }
        flags { $($f:ident $(as $fname:literal)?,)* }
        spans { $($s:literal => $sf:ident,)* }
        $($special:expr,)*
    ) => {
        /// All options, in the order of `docs/options.md`.
        pub const OPTIONS: &[OptionSpec] = &[
            $(OptionSpec {
                name: stringify!($w),
                kind: Kind::Word($W::WORDS),
                show: |r| r.$w.word().to_owned(),
                set: |r, v| { r.$w = $W::from_word(word(v)?)?; Some(()) },
            },)*
            $(OptionSpec {
                name: specs!(@name $f $($fname)?),
                kind: Kind::Flag,
                show: |r| r.$f.to_string(),
                set: |r, v| { r.$f = flag(v)?; Some(()) },
            },)*
            $(OptionSpec {
                name: $s,
                kind: Kind::Span,
                show: |r| show_span(r.$sf),
                set: |r, v| { r.$sf = span(v)?; Some(()) },
            },)*
            $($special,)*
        ];
    };
    (@name $f:ident $fname:literal) => { $fname };
    (@name $f:ident) => { stringify!($f) };
}

specs! {
    words {
        speed_bounds: SpeedBounds,
        on_move_from: Stage,
        claim_right_lost_by: RightLostBy,
        threefold: Drawn,
        fifty: Drawn,
        fivefold: Fivefold,
        seventyfive: SeventyFive,
        claim_wrong_claimant_loses: ClaimantLoses,
        illegal_counts_when: Stage,
        illegal_penalty_scope: PenaltyScope,
        illegal_claim_window: ClaimWindow,
        unpromoted_pawn_pressed: Unpromoted,
        press_without_move: Breach,
        two_hands: Breach,
        flag_calling: FlagCalling,
        both_flags_unknown_not_last: BothFlags,
        both_flags_unknown_last: BothFlags,
        both_flags_unknown_last_increment: BothFlags,
        both_flags_known: BothFlags,
        qpf_rules: QpfRules,
        qpf_increment_request: QpfIncrement,
        qpf_no_arbiter: QpfNoArbiter,
        resign_v_no_mate: ResignNoMate,
        colours_reversed: ColoursReversed,
        scores: Scores,
        mating_potential: MatingPotential,
        both_kings_in_check: IllegalPosition,
        flag_mode: FlagMode,
        tie_rule: TieRule,
        period_add: PeriodAdd,
        increment_timing: IncrementTiming,
        delay_display: DelayDisplay,
        start_policy: StartPolicy,
        touch_enforcement: TouchEnforcement,
        dead_position: DeadPosition,
        arbiter: Arbiter,
        clock_authority: ClockAuthority,
        verify_claims: VerifyClaims,
    }
    flags {
        claim_is_draw_offer,
        claim_intended_move_binding,
        claim_illegal_move_binds,
        illegal_observed as "illegal_observed_by_arbiter",
        illegal_loss_draw_if_no_mate,
        claimant_flag_must_be_up,
        qpf_speeds,
        qpf_needs_no_increment,
        qpf_claimant_on_move,
        qpf_reject as "qpf_verdicts_reject",
        white_burns_while_both_absent,
        offer_refused_by_touch,
        displaced_bounce_press,
        carry_over,
        increment_before_first_move,
        recording_required,
        assist_claims,
        online_regs,
        supervised,
    }
    spans {
        "claim_wrong_opponent_gains" => claim_wrong_opponent_gains_us,
        "qpf_claim_threshold" => qpf_claim_threshold_us,
        "qpf_bonus" => qpf_bonus_us,
        "recording_exempt_below" => recording_exempt_below_us,
        "lag_compensation" => lag_compensation_us,
        "first_move_timeout" => first_move_timeout_us,
        "absence_grace" => absence_grace_us,
        "interruption_grace" => interruption_grace_us,
        "time_alert" => time_alert_us,
    }
    OptionSpec {
        name: "illegal_penalties",
        kind: Kind::Penalties,
        show: |r| show_penalties(&r.illegal_penalties),
        set: |r, v| { r.illegal_penalties = set_penalties(v)?; Some(()) },
    },
    OptionSpec {
        name: "default_time",
        kind: Kind::Span,
        show: |r| r.default_time_us.map_or_else(|| "none".to_owned(), show_span),
        set: |r, v| {
            r.default_time_us = if word(v) == Some("none") { None } else { Some(span(v)?) };
            Some(())
        },
    },
    OptionSpec {
        name: "agreement_min_own_moves",
        kind: Kind::Count,
        show: |r| r.agreement_min_own_moves.to_string(),
        set: |r, v| { r.agreement_min_own_moves = count(v)?; Some(()) },
    },
    OptionSpec {
        name: "min_moves",
        kind: Kind::CountOr(&["never"]),
        show: |r| if r.min_moves == u32::MAX { "never".to_owned() } else { r.min_moves.to_string() },
        set: |r, v| {
            r.min_moves = if word(v) == Some("never") { u32::MAX } else { count(v)? };
            Some(())
        },
    },
    OptionSpec {
        name: "initial_position_wrong",
        kind: Kind::CountOr(&["always"]),
        show: |r| show_limit(r.initial_position_wrong_until),
        set: |r, v| set_limit(&mut r.initial_position_wrong_until, v),
    },
    OptionSpec {
        name: "wrong_clock_setting_correctable",
        kind: Kind::CountOr(&["always"]),
        show: |r| show_limit(r.wrong_clock_setting_until),
        set: |r, v| set_limit(&mut r.wrong_clock_setting_until, v),
    },
    OptionSpec {
        name: "player_pause",
        kind: Kind::CountOr(&["off", "free"]),
        show: |r| match r.player_pause {
            PlayerPause::Times(0) => "off".to_owned(),
            PlayerPause::Times(n) => n.to_string(),
            PlayerPause::Free => "free".to_owned(),
        },
        set: |r, v| {
            r.player_pause = match word(v) {
                Some("off") => PlayerPause::Times(0),
                Some("free") => PlayerPause::Free,
                Some(_) => return None,
                None => PlayerPause::Times(u64::from(count(v)?)),
            };
            Some(())
        },
    },
    OptionSpec {
        name: "offer_alert_after",
        kind: Kind::Count,
        show: |r| r.offer_alert_after.to_string(),
        set: |r, v| { r.offer_alert_after = count(v)?; Some(()) },
    },
}

/// Other names of the same options.
const ALIASES: &[(&str, &str)] = &[
    ("claim_wrong", "claim_wrong_opponent_gains"),
    ("both_flags", "both_flags_known"),
    ("qpf_verdicts", "qpf_verdicts_reject"),
    ("event_may_restrict_agreement", "min_moves"),
];

/// Parameters of the Laws that are recorded with a game and that nothing is computed from: the commands of
/// an arbiter carry what they would decide.
pub const RECORDED: &[(&str, &[&str])] = &[
    ("castling_touch_illegal_side", &["king_move"]),
    ("promotion_choice_final", &["on_release", "on_touching_square"]),
    ("sanctions", &["five", "eight", "nine"]),
    ("phone", &["not_mentioned", "loss", "loss_unless_softened"]),
];

/// The option of this name, in snake or kebab case.
pub fn spec(name: &str) -> Option<&'static OptionSpec> {
    let name = name.replace('-', "_");
    let name = ALIASES.iter().find(|(alias, _)| *alias == name).map_or(&*name, |(_, real)| real);
    OPTIONS.iter().find(|option| option.name == name)
}

fn set(rules: &mut Rulebook, name: &str, value: &Value) -> Result<(), Refusal> {
    let plain = name.replace('-', "_");
    if plain == REVISION_SETTING {
        // Later revisions keep the values of the earlier ones for the games that were created under them.
        return if *value == Value::Count(REVISION) { Ok(()) } else { Err(Refusal::BadStart) };
    }
    if let Some((_, words)) = RECORDED.iter().find(|(recorded, _)| *recorded == plain) {
        return match value {
            Value::Word(word) if words.contains(&&**word) => Ok(()),
            _ => Err(Refusal::BadStart),
        };
    }
    let option = spec(name).ok_or(Refusal::BadStart)?;
    (option.set)(rules, value).ok_or(Refusal::BadStart)
}

/// The setting with which a game records the revision of the values that it was created under.
pub const REVISION_SETTING: &str = "rulebook";

/// The revision of all values of editions and speeds. Whoever changes a value that was published makes a new
/// revision and leaves the old values to the games of the old one: a game under way keeps its rulebook across
/// upgrades.
pub const REVISION: u64 = 1;

/// Records the present revision in the rules of a new game, unless they name one.
pub(crate) fn record_revision(rules: &mut Rules) -> Result<(), Refusal> {
    if rules.options.iter().any(|setting| &*setting.name == REVISION_SETTING) {
        return Ok(());
    }
    let setting = Setting { name: Text::cut(REVISION_SETTING), value: Value::Count(REVISION) };
    rules.options.push(setting).map_err(|_| Refusal::BadStart)
}

impl Rulebook {
    /// The rules of a game: edition and speed, then its own settings. An option that is not known, or a value
    /// that it does not take, is [`Refusal::BadStart`].
    pub fn build(rules: &Rules, tc: &TimeControl) -> Result<Rulebook, Refusal> {
        let supervised = rules.options.iter().find(|setting| &*setting.name == "supervised");
        let supervised = match supervised {
            Some(setting) => flag(&setting.value).ok_or(Refusal::BadStart)?,
            None => false,
        };
        let mut book = Rulebook::of(rules.edition, rules.speed, supervised);
        book.conduct = rules.conduct;
        book.casual = rules.casual;
        // Twice: what some settings entail is laid between, and each setting of its own name wins.
        for round in 0..2 {
            for setting in &rules.options {
                set(&mut book, &setting.name, &setting.value)?;
            }
            if round == 0 {
                book.derive(tc);
            }
        }
        if book.speed_bounds == SpeedBounds::Enforced && Rulebook::speed_of(rules.edition, tc) != rules.speed
        {
            return Err(Refusal::BadStart);
        }
        if book.illegal_penalties.is_empty() {
            return Err(Refusal::BadStart);
        }
        Ok(book)
    }

    /// The default of an option by edition, as `docs/options.md` shows it.
    pub fn default_of(option: &OptionSpec, edition: Edition, speed: zeitnot_proto::rules::Speed) -> String {
        option.show(&Rulebook::of(edition, speed, false))
    }
}
