//! Events as scenarios name them: fields for people, for `expect`, and for JSON.

use super::read::BASE;
use super::{Expected, Wanted};
use serde_json::{Map, Value, json};
use zeitnot_proto::command::{Sanction, TouchKind};
use zeitnot_proto::event::{Claim, Entry, FlagOrder, FlagSource};
use zeitnot_proto::time::{format_us, parse_us};
use zeitnot_proto::{ByColor, Color, Event, Move, Refusal, Score, Stamp};

/// The events that a scenario may name: `rejected`, and all of a game's.
pub(super) const EVENTS: &[&str] = &[
    "rejected",
    "game_created",
    "presence_changed",
    "arrived",
    "game_started",
    "touched",
    "adjusting",
    "touch_obligation",
    "move_made",
    "move_completed",
    "clock_paused",
    "clock_resumed",
    "clock_set",
    "clock_adjusted",
    "period_passed",
    "flag_fell",
    "flags_reported",
    "both_flags_down",
    "draw_offered",
    "draw_declined",
    "offer_lapsed",
    "claim_made",
    "claim_upheld",
    "claim_rejected",
    "claim_postponed",
    "increment_granted",
    "illegal_move_noted",
    "penalty_applied",
    "sanctioned",
    "position_restored",
    "arbiter_called",
    "awaiting_ruling",
    "draw_consented",
    "default_time_set",
    "colours_swapped",
    "adjourned",
    "move_sealed",
    "noted",
    "takeback_offered",
    "takeback_declined",
    "interrupted",
    "mate_searched",
    "mate_asked",
    "result_confirmed",
    "game_ended",
    "game_annulled",
    "displaced",
    "scoresheet_updated",
    "two_hands_reported",
];

/// The fields that events may have.
pub(super) const FIELDS: &[&str] = &[
    "article",
    "basis",
    "black",
    "bonus",
    "code",
    "count",
    "earliest",
    "forced",
    "fen",
    "illegal",
    "increment",
    "kind",
    "latest",
    "main",
    "move",
    "order",
    "period",
    "played",
    "ply",
    "present",
    "private",
    "proper",
    "reason",
    "running",
    "side",
    "source",
    "square",
    "squares",
    "text",
    "time",
    "together",
    "topic",
    "white",
    "winner",
];

/// The value of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Field {
    /// A word, a move, a score.
    Text(String),
    /// A span, or an instant counted from t = 0, in microseconds.
    TimeUs(u64),
    /// A number.
    Count(u64),
    /// Yes or no.
    Flag(bool),
    /// Squares.
    List(Vec<String>),
}

/// An event as a scenario names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reported {
    /// When it was decided, in microseconds from t = 0.
    pub at_us: u64,
    /// The name of the event.
    pub event: &'static str,
    /// The fields, by name.
    pub fields: Vec<(&'static str, Field)>,
}

/// What an instant is from t = 0; instants before it are 0.
fn since_start(at: Stamp) -> u64 {
    at.since(BASE)
}

fn text<T: ToString + ?Sized>(value: &T) -> Field {
    Field::Text(value.to_string())
}

fn side(color: Color) -> (&'static str, Field) {
    ("side", text(&color))
}

fn moved(color: Color, mv: Move) -> Vec<(&'static str, Field)> {
    vec![side(color), ("move", text(&mv))]
}

fn clocks(white_us: u64, black_us: u64) -> Vec<(&'static str, Field)> {
    vec![("white", Field::TimeUs(white_us)), ("black", Field::TimeUs(black_us))]
}

fn both(main: ByColor<u64>) -> Vec<(&'static str, Field)> {
    clocks(main.white, main.black)
}

fn score(white: Score, black: Score) -> Vec<(&'static str, Field)> {
    vec![("white", text(&white)), ("black", text(&black))]
}

impl Reported {
    /// A refusal, reported like an event.
    pub fn rejected(at: Stamp, refusal: Refusal) -> Reported {
        let fields = vec![("code", text(refusal.name()))];
        Reported { at_us: since_start(at), event: "rejected", fields }
    }

    /// An entry of a decision.
    pub fn entry(at: Stamp, entry: &Entry) -> Reported {
        let mut fields = fields(&entry.event);
        if let Some(article) = &entry.article {
            fields.push(("article", text(article)));
        }
        Reported { at_us: since_start(at), event: entry.event.name(), fields }
    }

    fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|(field, _)| *field == name).map(|(_, value)| value)
    }

    /// Whether this is the event that is looked for.
    pub fn matches(&self, expected: &Expected) -> bool {
        self.event == expected.event
            && expected
                .fields
                .iter()
                .all(|(name, wanted)| self.field(name).is_some_and(|value| value.is(wanted)))
    }

    /// One line for people.
    pub fn line(&self) -> String {
        let mut line = format!("{:>12}  {}", format_us(self.at_us), self.event);
        for (name, value) in &self.fields {
            line.extend(["  ", name, "=", &value.show()]);
        }
        line
    }

    /// The fields as JSON, times as text.
    pub fn json(&self) -> Map<String, Value> {
        let mut map = Map::new();
        map.insert("event".into(), json!(self.event));
        map.insert("at".into(), json!(format_us(self.at_us)));
        for (name, value) in &self.fields {
            map.insert((*name).into(), value.json());
        }
        map
    }
}

impl Field {
    fn is(&self, wanted: &Wanted) -> bool {
        match (self, wanted) {
            (Field::TimeUs(us), Wanted::Text(text)) => parse_us(text) == Some(*us),
            (Field::Text(have), Wanted::Text(text)) => {
                have == text || (have.parse::<Score>().is_ok() && have.parse::<Score>() == text.parse())
            }
            (Field::Count(have), Wanted::Count(n)) => have == n,
            (Field::Flag(have), Wanted::Flag(on)) => have == on,
            (Field::List(have), Wanted::List(list)) => {
                let sorted = |list: &[String]| {
                    let mut list = list.to_vec();
                    list.sort();
                    list
                };
                sorted(have) == sorted(list)
            }
            _ => false,
        }
    }

    fn show(&self) -> String {
        match self {
            Field::Text(text) => text.clone(),
            Field::TimeUs(us) => format_us(*us),
            Field::Count(n) => n.to_string(),
            Field::Flag(on) => on.to_string(),
            Field::List(list) => list.join(","),
        }
    }

    fn json(&self) -> Value {
        match self {
            Field::Count(n) => json!(n),
            Field::Flag(on) => json!(on),
            Field::List(list) => json!(list),
            Field::Text(_) | Field::TimeUs(_) => json!(self.show()),
        }
    }
}

fn fields(event: &Event) -> Vec<(&'static str, Field)> {
    match event {
        Event::PresenceChanged { side: s, present } => vec![side(*s), ("present", Field::Flag(*present))],
        Event::Touched { side: s, square, kind, together } => {
            let kind = match kind {
                TouchKind::Intent => "intent",
                TouchKind::Adjust => "adjust",
                TouchKind::Accidental => "accidental",
            };
            vec![
                side(*s),
                ("square", text(square)),
                ("kind", text(kind)),
                ("together", Field::Flag(*together)),
            ]
        }
        Event::TouchObligation { side: s, squares } => {
            vec![side(*s), ("squares", Field::List(squares.iter().map(ToString::to_string).collect()))]
        }
        Event::MoveMade { side, mv, illegal } => {
            let mut fields = moved(*side, *mv);
            fields.push(("illegal", Field::Flag(*illegal)));
            fields
        }
        Event::MoveCompleted { side, mv, clocks_us, .. } => {
            let mut fields = moved(*side, *mv);
            fields.extend(both(*clocks_us));
            fields
        }
        Event::TakebackOffered { side: s, ply } => vec![side(*s), ("ply", Field::Count(u64::from(*ply)))],
        Event::MoveSealed { side: s, mv } => moved(*s, *mv),
        Event::Noted { side: s, text: note } => {
            let mut fields = vec![("text", text(note))];
            fields.extend(s.map(side));
            fields
        }
        Event::DefaultTimeSet { time_us, .. } => vec![("time", Field::TimeUs(*time_us))],
        Event::MateSearched { winner, fen, .. } => vec![("winner", text(winner)), ("fen", text(fen))],
        Event::MateAsked { winner, .. } => vec![("winner", text(winner))],
        Event::GameEnded { white, black, reason, played } => {
            let mut fields = score(*white, *black);
            fields.push(("reason", text(reason.name())));
            fields.push(("played", Field::Flag(*played)));
            fields
        }
        Event::GameAnnulled { reason } => vec![("reason", text(reason))],
        _ => fields_of_rulings(event),
    }
}

fn fields_of_rulings(event: &Event) -> Vec<(&'static str, Field)> {
    match event {
        Event::DrawOffered { side: s, proper } => vec![side(*s), ("proper", Field::Flag(*proper))],
        Event::ClaimMade { side: s, claim } => {
            let mut fields = vec![side(*s)];
            match claim {
                Claim::Draw { basis, intended } => {
                    let basis = match basis {
                        zeitnot_proto::command::DrawBasis::Threefold => "threefold",
                        zeitnot_proto::command::DrawBasis::Fifty => "fifty",
                    };
                    fields.push(("basis", text(basis)));
                    fields.extend(intended.map(|mv| ("move", text(&mv))));
                }
                Claim::Quickplay { .. } => fields.push(("basis", text("quickplay"))),
                Claim::Increment => fields.push(("basis", text("increment"))),
            }
            fields
        }
        Event::ClaimPostponed { side: s, bonus_us } => vec![side(*s), ("bonus", Field::TimeUs(*bonus_us))],
        Event::IncrementGranted { increment_us } => vec![("increment", Field::TimeUs(*increment_us))],
        Event::IllegalMoveNoted { side: s, count } => {
            vec![side(*s), ("count", Field::Count(u64::from(*count)))]
        }
        Event::Sanctioned { side: s, sanction, .. } => {
            let kind = match sanction {
                Sanction::Warning => "warning",
                Sanction::AddOpponent(_) => "add_opponent",
                Sanction::SubtractOwn { .. } => "subtract_own",
                Sanction::Loss(_) => "loss",
                Sanction::Expulsion => "expulsion",
            };
            vec![side(*s), ("kind", text(kind))]
        }
        Event::PositionRestored { ply, clocks_us, .. } => {
            let mut fields = vec![("ply", Field::Count(u64::from(*ply)))];
            fields.extend(both(*clocks_us));
            fields
        }
        Event::ArbiterCalled { side: s, topic, private } => {
            let mut fields = vec![("topic", text(topic)), ("private", Field::Flag(*private))];
            fields.extend(s.map(side));
            fields
        }
        Event::AwaitingRuling { topic } => vec![("topic", text(topic))],
        _ => fields_of_clocks(event),
    }
}

fn fields_of_clocks(event: &Event) -> Vec<(&'static str, Field)> {
    match event {
        Event::ClockPaused { clocks_us, .. } | Event::Interrupted { clocks_us, .. } => both(*clocks_us),
        Event::ClockSet { white_us, black_us, running } => {
            let mut fields = clocks(*white_us, *black_us);
            let running = running.side().map_or("none", Color::name);
            fields.push(("running", text(running)));
            fields
        }
        Event::ClockAdjusted { white_us, black_us, .. } | Event::PenaltyApplied { white_us, black_us } => {
            clocks(*white_us, *black_us)
        }
        Event::PeriodPassed { side: s, period, forced, main_us } => vec![
            side(*s),
            ("period", Field::Count(u64::from(*period))),
            ("forced", Field::Flag(*forced)),
            ("main", Field::TimeUs(*main_us)),
        ],
        Event::FlagFell { side: s, earliest, latest, source } => {
            let source = match source {
                FlagSource::Auto => "auto",
                FlagSource::Arbiter => "arbiter",
                FlagSource::Claim => "claim",
                FlagSource::Device => "device",
            };
            vec![
                side(*s),
                ("earliest", Field::TimeUs(since_start(*earliest))),
                ("latest", Field::TimeUs(since_start(*latest))),
                ("source", text(source)),
            ]
        }
        Event::BothFlagsDown { order, .. } => {
            let order = match order {
                FlagOrder::WhiteFirst => "white_first",
                FlagOrder::BlackFirst => "black_first",
                FlagOrder::Unknown => "unknown",
            };
            vec![("order", text(order))]
        }
        Event::Arrived { side: s }
        | Event::Adjusting { side: s }
        | Event::ClockResumed { side: s }
        | Event::DrawDeclined { side: s }
        | Event::OfferLapsed { side: s }
        | Event::ClaimUpheld { side: s }
        | Event::ClaimRejected { side: s }
        | Event::TakebackDeclined { side: s }
        | Event::ResultConfirmed { side: s }
        | Event::Displaced { side: s }
        | Event::ScoresheetUpdated { side: s }
        | Event::TwoHandsReported { side: s } => vec![side(*s)],
        _ => Vec::new(),
    }
}
