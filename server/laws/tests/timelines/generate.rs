//! Games and commands at random, weighted towards what goes together.

use proptest::collection::vec;
use proptest::prelude::*;
use zeitnot_proto::command::{
    DrawBasis, QuickplayBasis, RestoredClocks, Running, Sanction, TouchKind, Verdict, Why,
};
use zeitnot_proto::event::Certificate;
use zeitnot_proto::rules::{Conduct, Edition, GameId, Rules, Setting, Setup, Speed, Start, Terms, Value};
use zeitnot_proto::{ByColor, Color, Command, Interval, List, Score, Square, Stamp, Text};

/// Where the time line begins.
pub const T0: u64 = 1_000_000_000_000;

/// What somebody does; moves are chosen when the position is known.
#[derive(Debug, Clone)]
pub enum Deed {
    /// The nth legal or allowed move, by the side on move.
    Legal(usize),
    /// The nth legal move, released on the board and pressed.
    Pressed(usize),
    /// An illegal move on the board.
    Raw(Square, Square),
    /// A claim with the nth legal move.
    Announce(DrawBasis, usize),
    /// A touch of the nth man of the side on move.
    TouchOwn(usize),
    /// A command by this party: 0 White, 1 Black, 2 arbiter, 3 device, 4 server, 5 the side on move.
    Give(u8, Command),
}

/// A game and what is done in it, each deed so many microseconds after the one before.
#[derive(Debug, Clone)]
pub struct Line {
    pub setup: Setup,
    pub deeds: Vec<(u64, u64, Deed)>,
}

const CONTROLS: &[&str] = &[
    "300+3",
    "60",
    "40/7200:3600",
    "3/20+5:10+2",
    "2/10:5",
    "2/6:1/3*",
    "30d5",
    "30b2",
    "-",
    "5",
    "2/10d2:5d1",
];

const POSITIONS: &[&str] = &[
    "",
    "",
    "4k3/P7/8/8/8/8/p7/4K3 w - - 0 1",
    "r3k2r/pppq1ppp/8/8/8/8/PPPQ1PPP/R3K2R w KQkq - 0 1",
    "4r1k1/8/8/8/8/5N2/8/4K3 w - - 95 70",
    "6k1/8/8/8/8/8/1q5R/K7 b - - 140 90",
    "8/8/8/4k3/8/4nn2/8/K7 w - - 0 1",
];

const WORDS: &[(&str, &str)] = &[
    ("flag_mode", "auto"),
    ("flag_mode", "arbiter_or_claim"),
    ("flag_mode", "claim_only"),
    ("arbiter", "present"),
    ("arbiter", "on_call"),
    ("verify_claims", "arbiter"),
    ("verify_claims", "server"),
    ("period_add", "at_flag"),
    ("qpf_rules", "announced"),
    ("touch_enforcement", "on_claim"),
    ("touch_enforcement", "off"),
    ("start_policy", "first_move"),
    ("player_pause", "free"),
    ("increment_timing", "after_each_move"),
    ("increment_timing", "before_each_move"),
    ("qpf_increment_request", "delay"),
    ("both_kings_in_check", "wait_one_move"),
    ("illegal_counts_when", "made"),
    ("illegal_penalty_scope", "whole_game"),
];

/// What takes its time from when it is noticed, so that waking late is not free of consequence: clocks that are
/// started by a timer, a search that the game waits for.
const HALL: &[(&str, &str)] =
    &[("dead_position", "solver"), ("clock_authority", "device"), ("start_policy", "both_present")];

fn word((name, value): (&str, &str)) -> Setting {
    Setting { name: Text::cut(name), value: Value::Word(Text::cut(value)) }
}

fn settings(plain: bool) -> impl Strategy<Value = Vec<Setting>> {
    let words = if plain { WORDS.to_vec() } else { [WORDS, HALL].concat() };
    let words = vec(proptest::sample::select(words).prop_map(word), 0..4);
    let spans = proptest::sample::select(vec![
        ("first_move_timeout", 15_000_000),
        ("interruption_grace", 7_000_000),
        ("absence_grace", 1_000_000),
        ("lag_compensation", 500_000),
        ("default_time", 20_000_000),
        ("time_alert", 4_000_000),
    ])
    .prop_map(|(name, us)| Setting { name: Text::cut(name), value: Value::SpanUs(us) });
    let flags = proptest::sample::select(vec!["supervised", "online_regs", "recording_required"])
        .prop_map(|name| Setting { name: Text::cut(name), value: Value::Flag(true) });
    let counts = (0..6u64).prop_map(|n| Setting { name: Text::cut("min_moves"), value: Value::Count(n) });
    let lag = plain;
    (words, vec(spans, 0..2), vec(flags, 0..2), vec(counts, 0..2)).prop_map(
        move |(mut all, spans, flags, counts)| {
            all.extend(spans.into_iter().filter(|s| !lag || &*s.name != "lag_compensation"));
            all.extend(flags);
            all.extend(counts);
            all
        },
    )
}

fn setup(plain: bool) -> impl Strategy<Value = Setup> {
    let rules = (
        proptest::sample::select(Edition::ALL.to_vec()),
        proptest::sample::select(Speed::ALL.to_vec()),
        any::<bool>(),
        any::<bool>(),
        settings(plain),
    );
    let start = (
        proptest::sample::select(CONTROLS),
        proptest::sample::select(POSITIONS),
        proptest::option::weighted(0.2, 0..5u64),
        proptest::option::weighted(0.3, 0..12u32),
        proptest::option::weighted(0.3, 1..9_000_000u64),
    );
    (rules, start).prop_map(
        |((edition, speed, board, casual, settings), (tc, fen, hour, completed, main))| {
            let conduct = if board { Conduct::Board } else { Conduct::Online };
            let start = Start {
                fen: (!fen.is_empty()).then(|| Text::cut(fen)),
                moves: List::default(),
                clocks_us: ByColor::new(main, None),
                completed: ByColor::both(completed),
                period: ByColor::new(None, None),
                scheduled: hour.map(|s| Stamp(T0 + s * 1_000_000)),
            };
            let rules = Rules { edition, speed, conduct, casual, options: List::cut(settings) };
            let terms = Terms { time_control: tc.parse().unwrap(), rules, start, spectator_delay_us: 0 };
            Setup {
                game: GameId(7),
                players: ByColor::new(Text::cut("anna"), Text::cut("bert")),
                terms,
                event: Text::default(),
                round: Text::default(),
            }
        },
    )
}

fn color() -> impl Strategy<Value = Color> {
    prop_oneof![Just(Color::White), Just(Color::Black)]
}

fn square() -> impl Strategy<Value = Square> {
    (0..64u8).prop_map(|index| Square::new(index).unwrap())
}

fn basis() -> impl Strategy<Value = DrawBasis> {
    prop_oneof![Just(DrawBasis::Threefold), Just(DrawBasis::Fifty)]
}

/// What players do besides moving.
fn player() -> impl Strategy<Value = Command> {
    let kind = prop_oneof![Just(TouchKind::Intent), Just(TouchKind::Adjust), Just(TouchKind::Accidental)];
    prop_oneof![
        4 => Just(Command::PressClock),
        2 => Just(Command::OfferDraw),
        1 => Just(Command::AcceptDraw),
        2 => Just(Command::DeclineDraw),
        2 => basis().prop_map(|basis| Command::ClaimDraw { basis, intended: None }),
        2 => Just(Command::ClaimQuickplay { basis: QuickplayBasis::NotTrying }),
        1 => Just(Command::RequestIncrement),
        2 => Just(Command::ClaimFlag),
        2 => Just(Command::ClaimIllegal),
        1 => Just(Command::ClaimTouch),
        1 => any::<bool>().prop_map(|pause| Command::CallArbiter { reason: Why::default(), pause }),
        1 => Just(Command::MarkPresent),
        1 => Just(Command::OfferTakeback),
        2 => Just(Command::AcceptTakeback),
        1 => Just(Command::ClaimAbandoned),
        1 => Just(Command::Adjust),
        1 => Just(Command::ReportDisplaced),
        1 => Just(Command::ScoresheetUpdated),
        2 => (square(), kind, any::<bool>())
            .prop_map(|(square, kind, together)| Command::Touch { square, kind, together }),
        1 => (square(), square()).prop_map(|(from, to)| Command::SealMove { mv: zeitnot_proto::Move::new(from, to) }),
    ]
}

/// What would end most games at once.
fn drastic() -> impl Strategy<Value = Command> {
    prop_oneof![
        Just(Command::Resign),
        Just(Command::Abort),
        Just(Command::Annul { reason: Why::default() }),
        Just(Command::ReportColoursReversed),
        Just(Command::ConfirmResult),
        (0..3u8, 0..3u8).prop_map(|(white, black)| Command::DeclareResult {
            scores: ByColor::new(Score::new(white, 2).unwrap(), Score::new(black, 2).unwrap()),
            reason: Why::default(),
        }),
    ]
}

fn arbiter() -> impl Strategy<Value = Command> {
    let us = || 0..20_000_000u64;
    let verdict = proptest::sample::select(vec![
        Verdict::Upheld,
        Verdict::Rejected,
        Verdict::Draw,
        Verdict::Postpone,
        Verdict::Reject,
        Verdict::FlagStands,
        Verdict::Agree,
        Verdict::Disagree,
    ]);
    let running = prop_oneof![
        Just(None),
        Just(Some(Running::White)),
        Just(Some(Running::Black)),
        Just(Some(Running::None)),
    ];
    let restored = prop_oneof![
        Just(RestoredClocks::Keep),
        Just(RestoredClocks::AsAtPly),
        us().prop_map(|us| RestoredClocks::Set(ByColor::new(Some(us), None))),
    ];
    let sanction = prop_oneof![
        Just(Sanction::Warning),
        us().prop_map(Sanction::AddOpponent),
        (us(), any::<bool>()).prop_map(|(time_us, force)| Sanction::SubtractOwn { time_us, force }),
    ];
    prop_oneof![
        2 => Just(Command::Pause { reason: Why::default() }),
        6 => Just(Command::Resume),
        4 => (verdict, prop_oneof![Just(0), Just(120_000_000)])
            .prop_map(|(verdict, bonus_us)| Command::RuleClaim { verdict, bonus_us, reason: Why::default() }),
        1 => (us(), running).prop_map(|(us, running)| Command::SetClocks {
            clocks_us: ByColor::new(Some(us), None), running, reason: Why::default(),
        }),
        1 => (-3_000_000..3_000_000i64).prop_map(|by| Command::AdjustTime {
            by_us: ByColor::new(by, 1), reason: Why::default(),
        }),
        1 => color().prop_map(|side| Command::CallFlag { side }),
        2 => (0..9u32, restored, proptest::option::of(color())).prop_map(|(ply, clocks, illegal)| {
            Command::RestorePosition { ply, clocks, illegal, reason: Why::default() }
        }),
        1 => (color(), sanction).prop_map(|(side, sanction)| Command::Penalise {
            side, sanction, reason: Why::default(),
        }),
        1 => Just(Command::ConsentDraw),
        1 => Just(Command::SwapColours),
        1 => us().prop_map(|time_us| Command::SetDefaultTime { time_us, reason: Why::default() }),
        1 => Just(Command::Adjourn { reason: Why::default() }),
        1 => Just(Command::TransferBoard),
        1 => color().prop_map(|side| Command::ReportTwoHands { side }),
        1 => color().prop_map(|side| Command::ReportFairPlay { side, reason: Why::default() }),
    ]
}

fn device() -> impl Strategy<Value = Command> {
    let interval = || {
        proptest::option::of((0..60_000_000u64, 0..4_000_000u64).prop_map(|(first, wide)| Interval {
            earliest: Stamp(T0 + first),
            latest: Stamp(T0 + first + wide),
        }))
    };
    (interval(), interval()).prop_map(|(white, black)| Command::ReportFlags(ByColor::new(white, black)))
}

fn server() -> impl Strategy<Value = Command> {
    prop_oneof![
        (color(), any::<bool>()).prop_map(|(side, present)| Command::Presence { side, present }),
        (0..60_000_000u64).prop_map(|us| Command::Interrupt { until: Stamp(T0 + us) }),
        color().prop_map(|winner| Command::MateVerdict { winner, certificate: Certificate::Material }),
    ]
}

fn deed(plain: bool) -> BoxedStrategy<Deed> {
    let usual = prop_oneof![
        14 => (0..64usize).prop_map(Deed::Legal),
        6 => (0..64usize).prop_map(Deed::Pressed),
        2 => (square(), square()).prop_map(|(from, to)| Deed::Raw(from, to)),
        1 => (basis(), 0..64usize).prop_map(|(basis, n)| Deed::Announce(basis, n)),
        2 => (0..16usize).prop_map(Deed::TouchOwn),
        8 => (0..2u8, player()).prop_map(|(by, command)| Deed::Give(by, command)),
        6 => player().prop_map(|command| Deed::Give(5, command)),
        5 => arbiter().prop_map(|command| Deed::Give(2, command)),
        1 => (0..6u8, drastic()).prop_map(|(by, command)| Deed::Give(by, command)),
        1 => (0..6u8, arbiter()).prop_map(|(by, command)| Deed::Give(by, command)),
    ];
    if plain {
        return usual.boxed();
    }
    let outside = prop_oneof![
        device().prop_map(|command| Deed::Give(3, command)),
        server().prop_map(|command| Deed::Give(4, command)),
    ];
    prop_oneof![20 => usual, 1 => outside].boxed()
}

impl Line {
    /// A time line; a plain one has neither devices nor outages, which take their time from when they are noticed.
    pub fn any(plain: bool) -> impl Strategy<Value = Line> {
        let pause =
            prop_oneof![4 => 0..400_000u64, 3 => 0..3_000_000u64, 1 => 0..20_000_000u64, 1 => Just(0)];
        let lag = prop_oneof![Just(0), 0..900_000u64];
        (setup(plain), vec((pause, lag, deed(plain)), 0..60)).prop_map(|(setup, deeds)| Line { setup, deeds })
    }
}
