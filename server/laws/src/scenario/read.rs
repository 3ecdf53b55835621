//! From TOML to a scenario: every key checked, every fault with its line.

use super::tree::{Node, Tree};
use super::{End, Expectations, Expected, FormError, Run, Scenario, Step, Wanted};
use crate::Game;
use crate::options::{Kind, RECORDED, spec};
use zeitnot_proto::command::{
    DrawBasis, Party, QuickplayBasis, RestoredClocks, Running, Sanction, TouchKind, Verdict, Why,
};
use zeitnot_proto::rules::{Conduct, Edition, Rules, Setting, Speed, Start, Terms, Value};
use zeitnot_proto::time::parse_us;
use zeitnot_proto::{ByColor, Color, Command, Interval, List, Move, Score, Square, Stamp, Text};

type Read<T> = Result<T, FormError>;

/// Stamps of a scenario count from here, so that intervals and readings before t = 0 have room.
pub const BASE: Stamp = Stamp(1_000_000_000_000_000);

const COMMON: &[&str] = &[
    "id", "title", "edition", "speed", "conduct", "basis", "articles", "game", "step", "end", "variant",
    "name",
];

pub(super) fn scenario(text: &str) -> Read<Scenario> {
    let file = Tree::parse(text)?;
    file.only(COMMON)?;
    let id = file.need("id")?.text()?.to_owned();
    let title = file.need("title")?.text()?.to_owned();
    let mut runs = Vec::new();
    match file.get("variant") {
        None => one(&file, "", &mut runs)?,
        Some(variants) => {
            for variant in variants.list()? {
                variant.only(COMMON)?;
                let name = variant.need("name")?.text()?.to_owned();
                if name.is_empty() || runs.iter().any(|run: &Run| run.variant == name) {
                    return variant.error("each variant needs a name of its own");
                }
                one(&file.merge(variant), &name, &mut runs)?;
            }
        }
    }
    Ok(Scenario { id, title, runs })
}

/// The runs of one table: one for each edition.
fn one(table: &Tree, name: &str, runs: &mut Vec<Run>) -> Read<()> {
    let editions = table.need("edition")?;
    let several = match &editions.node {
        Node::List(list) => list.iter().collect(),
        _ => vec![editions],
    };
    let speed = word(table.need("speed")?, &Speed::ALL.map(|s| (s.name(), s)))?;
    let conduct = [("online", Conduct::Online), ("board", Conduct::Board)];
    let conduct = word(table.need("conduct")?, &conduct)?;
    if let Some(basis) = table.get("basis") {
        word(basis, &[("law", ()), ("ruling", ())])?;
    }
    if let Some(articles) = table.get("articles") {
        texts(articles)?;
    }
    for edition in several {
        let edition = word(edition, &Edition::ALL.map(|e| (e.name(), e)))?;
        let rules = Rules { edition, speed, conduct, casual: false, options: List::default() };
        let label =
            if name.is_empty() { edition.name().to_owned() } else { format!("{name}, {}", edition.name()) };
        runs.push(run(table, label, name.to_owned(), rules)?);
    }
    Ok(())
}

fn run(table: &Tree, name: String, variant: String, mut rules: Rules) -> Read<Run> {
    let game = table.need("game")?;
    game.only(&[
        "time_control",
        "fen",
        "moves",
        "clocks",
        "completed",
        "period",
        "options",
        "scheduled_start",
        "present",
    ])?;
    if let Some(options) = game.get("options") {
        let settings = options.table()?.iter().map(|(name, value)| setting(name, value));
        let settings = settings.collect::<Read<Vec<_>>>()?;
        rules.options = List::new(settings).or_else(|_| options.error("too many options"))?;
    }
    let control = game.need("time_control")?;
    let time_control = control.text()?.parse().or_else(|why| control.error(format!("{why}")))?;
    let scheduled_us = game.get("scheduled_start").map(time).transpose()?;
    let conduct = rules.conduct;
    let terms = Terms { time_control, rules, start: start(game)?, spectator_delay_us: 0 };
    let mut present = ByColor::both(scheduled_us.is_none());
    if let Some(list) = game.get("present") {
        if scheduled_us.is_none() {
            return list.error("present without scheduled_start");
        }
        for side in list.list()? {
            present[color(side)?] = true;
        }
    }
    let no_steps = Tree { line: table.line, node: Node::List(Vec::new()) };
    let steps = table.get("step").unwrap_or(&no_steps).list()?;
    let steps = steps.iter().map(|step| read_step(step, conduct)).collect::<Read<Vec<_>>>()?;
    if let Some(pair) = steps.windows(2).find(|pair| pair[1].at_us < pair[0].at_us) {
        return Err(FormError { line: pair[1].line, what: "earlier than the step before it".into() });
    }
    let end = read_end(table.need("end")?)?;
    if steps.last().is_some_and(|last| last.at_us > end.at_us) {
        return Err(FormError { line: end.line, what: "end.at lies before the last step".into() });
    }
    let run = Run { name, variant, terms, present, scheduled_us, steps, end };
    match Game::replay_start(&run.setup()) {
        Err(refusal) if !run.expects_no_game() => {
            game.get("fen").unwrap_or(game).error(format!("the game cannot be set up: {refusal}"))
        }
        _ => Ok(run),
    }
}

impl Run {
    /// Whether the file itself says that the game is refused.
    fn expects_no_game(&self) -> bool {
        let first = self.steps.first().map_or(&self.end.expect, |step| &step.expect);
        first.iter().any(|expected| expected.event == "rejected")
    }
}

fn start(game: &Tree) -> Read<Start> {
    let mut start = Start::default();
    if let Some(fen) = game.get("fen")
        && fen.text()? != "startpos"
    {
        let fields = fen.text()?.split_whitespace().count();
        let rest = ["w", "-", "-", "0", "1"].get(fields.saturating_sub(1)..).unwrap_or(&[]);
        let full = format!("{} {}", fen.text()?, rest.join(" "));
        let full = Text::new(full.trim()).or_else(|_| fen.error("no position"))?;
        start.fen = Some(full);
    }
    if let Some(moves) = game.get("moves") {
        let all = moves.list()?.iter().map(uci).collect::<Read<Vec<_>>>()?;
        start.moves = List::new(all).or_else(|_| moves.error("too many moves"))?;
    }
    start.clocks_us = sides(game.get("clocks"), time)?;
    let narrow = |tree: &Tree| {
        let n = tree.count()?;
        u32::try_from(n).or_else(|_| tree.error("too large"))
    };
    start.completed = sides(game.get("completed"), narrow)?;
    let period = |tree: &Tree| u16::try_from(tree.count()?).or_else(|_| tree.error("too large"));
    start.period = sides(game.get("period"), period)?;
    if let Some(hour) = game.get("scheduled_start") {
        start.scheduled = Some(BASE.plus(time(hour)?));
    }
    Ok(start)
}

fn setting(name: &str, value: &Tree) -> Read<Setting> {
    let name = name.replace('-', "_");
    let kind = match spec(&name) {
        Some(option) => option.kind,
        None if RECORDED.iter().any(|(recorded, _)| *recorded == name) => Kind::Word(&[]),
        None => return value.error(format!("unknown option {name}")),
    };
    let read = match &value.node {
        Node::Flag(on) => Value::Flag(*on),
        Node::Count(_) => Value::Count(value.count()?),
        Node::Text(text) => match (kind, parse_us(text)) {
            (Kind::Span, Some(us)) => Value::SpanUs(us),
            _ => Value::Word(Text::new(text).or_else(|_| value.error("too long a word"))?),
        },
        _ => return value.error(format!("{name} takes no such value")),
    };
    Ok(Setting { name: Text::new(&name).or_else(|_| value.error("too long a name"))?, value: read })
}

fn read_step(step: &Tree, conduct: Conduct) -> Read<Step> {
    let action = step.need("do")?;
    let name = action.text()?;
    let (parties, keys) = shape(name).map_or_else(|| action.error(format!("unknown step {name}")), Ok)?;
    let mut known = vec!["at", "by", "do", "processed_at", "expect", "after"];
    known.extend(keys.iter().map(|key| key.trim_end_matches('!')));
    step.only(&known)?;
    for key in keys.iter().filter_map(|key| key.strip_suffix('!')) {
        step.need(key)?;
    }
    let only_online = name == "move";
    let only_board = matches!(
        name,
        "touch"
            | "adjust"
            | "move_made"
            | "press_clock"
            | "report_flags"
            | "report_displaced"
            | "report_two_hands"
    );
    if (only_online && conduct != Conduct::Online) || (only_board && conduct != Conduct::Board) {
        return action.error(format!("{name} is not for this conduct"));
    }
    let by = match step.get("by") {
        None => None,
        Some(by) => Some(word(
            by,
            &[
                ("white", Party::White),
                ("black", Party::Black),
                ("arbiter", Party::Arbiter),
                ("device", Party::Device),
                ("server", Party::Server),
            ],
        )?),
    };
    let fits = match by {
        None => parties == Nobody,
        Some(Party::White | Party::Black) => parties == Players,
        Some(Party::Arbiter) => parties == Arbiters,
        Some(Party::Device) => parties == Devices,
        Some(Party::Server) => parties == Servers,
    };
    if !fits {
        let by = step.get("by").map_or(Ok("nobody"), Tree::text)?;
        return action.error(format!("{name} is not for {by}"));
    }
    let at_us = time(step.need("at")?)?;
    let processed_at_us = step.get("processed_at").map(time).transpose()?;
    let input = by.map(|by| Ok((by, command(name, step)?))).transpose()?;
    let expect = expected(step.get("expect"))?;
    let after = step.get("after").map(|after| {
        after.only(STATE)?;
        expectations(after)
    });
    let after = after.transpose()?.unwrap_or_default();
    Ok(Step { line: step.line, at_us, processed_at_us, input, expect, after })
}

#[derive(PartialEq, Eq)]
enum Parties {
    Nobody,
    Players,
    Arbiters,
    Devices,
    Servers,
}
use Parties::{Arbiters, Devices, Nobody, Players, Servers};

/// Who gives a step, and its keys; those with `!` are required.
fn shape(name: &str) -> Option<(Parties, &'static [&'static str])> {
    Some(match name {
        "wait" => (Nobody, &[]),
        "mark_present" | "adjust" | "press_clock" | "resign" | "offer_draw" | "accept_draw"
        | "decline_draw" | "request_increment" | "claim_flag" | "claim_illegal" | "claim_touch"
        | "report_displaced" | "scoresheet_updated" | "confirm_result" | "abort" | "offer_takeback"
        | "accept_takeback" | "decline_takeback" | "claim_abandoned" => (Players, &[]),
        "move" => (Players, &["move!", "offer_draw"]),
        "touch" => (Players, &["square!", "kind!", "together"]),
        "move_made" => (Players, &["move!", "raw"]),
        "seal_move" => (Players, &["move!"]),
        "claim_draw" => (Players, &["basis!", "move", "raw"]),
        "claim_quickplay" => (Players, &["basis"]),
        "call_arbiter" => (Players, &["reason", "pause"]),
        "report_flags" => (Devices, &["white", "black"]),
        "pause" | "annul" | "adjourn" => (Arbiters, &["reason"]),
        "resume" | "consent_draw" | "swap_colours" | "report_colours_reversed" | "transfer_board" => {
            (Arbiters, &[])
        }
        "set_clocks" => (Arbiters, &["white", "black", "running"]),
        "adjust_time" => (Arbiters, &["white", "black", "reason"]),
        "call_flag" => (Arbiters, &["side!"]),
        "report_two_hands" | "report_fair_play" => (Arbiters, &["side!", "reason"]),
        "rule_claim" => (Arbiters, &["verdict!", "bonus"]),
        "restore_position" => (Arbiters, &["ply!", "clocks", "white", "black", "illegal"]),
        "penalise" => (Arbiters, &["side!", "kind!", "time", "force"]),
        "declare_result" => (Arbiters, &["white!", "black!", "reason"]),
        "set_default_time" => (Arbiters, &["time!"]),
        "presence" => (Servers, &["side!", "present!"]),
        "interrupt" => (Servers, &["until!"]),
        _ => return None,
    })
}

fn command(name: &str, step: &Tree) -> Read<Command> {
    let yes = |key: &str| step.get(key).map_or(Ok(false), Tree::flag);
    let why = || step.get("reason").map_or(Ok(Why::default()), |reason| Ok(Why::cut(reason.text()?)));
    Ok(match name {
        "mark_present" => Command::MarkPresent,
        "move" => Command::Move { mv: uci(step.need("move")?)?, offer_draw: yes("offer_draw")? },
        "touch" => Command::Touch {
            square: parsed::<Square>(step.need("square")?, "a square")?,
            kind: word(
                step.need("kind")?,
                &[
                    ("intent", TouchKind::Intent),
                    ("adjust", TouchKind::Adjust),
                    ("accidental", TouchKind::Accidental),
                ],
            )?,
            together: yes("together")?,
        },
        "adjust" => Command::Adjust,
        "move_made" => Command::MoveMade { mv: uci(step.need("move")?)?, raw: yes("raw")? },
        "press_clock" => Command::PressClock,
        "report_displaced" => Command::ReportDisplaced,
        "seal_move" => Command::SealMove { mv: uci(step.need("move")?)? },
        "claim_draw" => {
            yes("raw")?;
            let basis = [("threefold", DrawBasis::Threefold), ("fifty", DrawBasis::Fifty)];
            let basis = word(step.need("basis")?, &basis)?;
            Command::ClaimDraw { basis, intended: step.get("move").map(uci).transpose()? }
        }
        "claim_quickplay" => {
            let known =
                [("cannot_win", QuickplayBasis::CannotWin), ("not_trying", QuickplayBasis::NotTrying)];
            let basis = step.get("basis").map(|basis| word(basis, &known)).transpose()?;
            Command::ClaimQuickplay { basis: basis.unwrap_or_default() }
        }
        "call_arbiter" => Command::CallArbiter { reason: why()?, pause: yes("pause")? },
        "report_flags" => Command::ReportFlags(sides(Some(&flags_of(step)), interval)?),
        "presence" => Command::Presence { side: color(step.need("side")?)?, present: yes("present")? },
        "interrupt" => Command::Interrupt { until: BASE.plus(time(step.need("until")?)?) },
        _ => return plain(name).map_or_else(|| arbiters(name, step, &why()?), Ok),
    })
}

/// Only the two sides' keys of a step.
fn flags_of(step: &Tree) -> Tree {
    let keys = ["white", "black"];
    let entries = keys.iter().filter_map(|&key| Some((key.to_owned(), step.get(key)?.clone())));
    Tree { line: step.line, node: Node::Table(entries.collect()) }
}

fn plain(name: &str) -> Option<Command> {
    Some(match name {
        "resign" => Command::Resign,
        "offer_draw" => Command::OfferDraw,
        "accept_draw" => Command::AcceptDraw,
        "decline_draw" => Command::DeclineDraw,
        "request_increment" => Command::RequestIncrement,
        "claim_flag" => Command::ClaimFlag,
        "claim_illegal" => Command::ClaimIllegal,
        "claim_touch" => Command::ClaimTouch,
        "scoresheet_updated" => Command::ScoresheetUpdated,
        "confirm_result" => Command::ConfirmResult,
        "abort" => Command::Abort,
        "offer_takeback" => Command::OfferTakeback,
        "accept_takeback" => Command::AcceptTakeback,
        "decline_takeback" => Command::DeclineTakeback,
        "claim_abandoned" => Command::ClaimAbandoned,
        "resume" => Command::Resume,
        "consent_draw" => Command::ConsentDraw,
        "swap_colours" => Command::SwapColours,
        "report_colours_reversed" => Command::ReportColoursReversed,
        "transfer_board" => Command::TransferBoard,
        _ => return None,
    })
}

fn arbiters(name: &str, step: &Tree, why: &Why) -> Read<Command> {
    let reason = why.clone();
    let side = || color(step.need("side")?);
    let span = |key: &str| step.get(key).map_or(Ok(0), time);
    Ok(match name {
        "pause" => Command::Pause { reason },
        "annul" => Command::Annul { reason },
        "adjourn" => Command::Adjourn { reason },
        "set_clocks" => {
            let known = [("white", Running::White), ("black", Running::Black), ("none", Running::None)];
            let running = step.get("running").map(|running| word(running, &known)).transpose()?;
            Command::SetClocks { clocks_us: sides(Some(&flags_of(step)), time)?, running, reason }
        }
        "adjust_time" => {
            let by_us = sides(Some(&flags_of(step)), signed)?.map(Option::unwrap_or_default);
            Command::AdjustTime { by_us, reason }
        }
        "call_flag" => Command::CallFlag { side: side()? },
        "report_two_hands" => Command::ReportTwoHands { side: side()? },
        "report_fair_play" => Command::ReportFairPlay { side: side()?, reason },
        "rule_claim" => {
            Command::RuleClaim { verdict: verdict(step.need("verdict")?)?, bonus_us: span("bonus")?, reason }
        }
        "restore_position" => restore(step, reason)?,
        "penalise" => Command::Penalise { side: side()?, sanction: sanction(step)?, reason },
        "declare_result" => {
            let score = |key: &str| parsed::<Score>(step.need(key)?, "a score");
            Command::DeclareResult { scores: ByColor::new(score("white")?, score("black")?), reason }
        }
        "set_default_time" => Command::SetDefaultTime { time_us: span("time")?, reason },
        _ => return step.error(format!("unknown step {name}")),
    })
}

fn verdict(tree: &Tree) -> Read<Verdict> {
    word(
        tree,
        &[
            ("upheld", Verdict::Upheld),
            ("rejected", Verdict::Rejected),
            ("draw", Verdict::Draw),
            ("postpone", Verdict::Postpone),
            ("reject", Verdict::Reject),
            ("flag_stands", Verdict::FlagStands),
            ("agree", Verdict::Agree),
            ("disagree", Verdict::Disagree),
        ],
    )
}

fn restore(step: &Tree, reason: Why) -> Read<Command> {
    let ply = step.need("ply")?;
    let ply = u32::try_from(ply.count()?).or_else(|_| ply.error("too large"))?;
    let known = [("keep", RestoredClocks::Keep), ("as_at_ply", RestoredClocks::AsAtPly)];
    let given = step.get("white").is_some() || step.get("black").is_some();
    let clocks = match step.get("clocks") {
        Some(clocks) => word(clocks, &known)?,
        None if given => RestoredClocks::Set(sides(Some(&flags_of(step)), time)?),
        None => RestoredClocks::Keep,
    };
    let illegal = step.get("illegal").map(color).transpose()?;
    Ok(Command::RestorePosition { ply, clocks, illegal, reason })
}

fn sanction(step: &Tree) -> Read<Sanction> {
    let span = || time(step.need("time")?);
    let kind = step.need("kind")?;
    Ok(match kind.text()? {
        "warning" => Sanction::Warning,
        "add_opponent" => Sanction::AddOpponent(span()?),
        "subtract_own" => Sanction::SubtractOwn {
            time_us: span()?,
            force: step.get("force").map_or(Ok(false), Tree::flag)?,
        },
        "loss" => Sanction::Loss(None),
        "expulsion" => Sanction::Expulsion,
        other => return kind.error(format!("unknown sanction {other}")),
    })
}

const STATE: &[&str] =
    &["fen", "clocks", "running", "result", "reason", "period", "completed", "allowed", "played"];

fn read_end(end: &Tree) -> Read<End> {
    let mut known = STATE.to_vec();
    known.extend(["at", "expect", "never", "ever"]);
    end.only(&known)?;
    let state = expectations(end)?;
    Ok(End {
        line: end.line,
        at_us: time(end.need("at")?)?,
        expect: expected(end.get("expect"))?,
        never: expected(end.get("never"))?,
        ever: expected(end.get("ever"))?,
        state,
    })
}

fn expectations(table: &Tree) -> Read<Expectations> {
    let words = [("white", Some(Color::White)), ("black", Some(Color::Black)), ("none", None)];
    let text = |key: &str| table.get(key).map(|t| t.text().map(str::to_owned)).transpose();
    Ok(Expectations {
        line: table.line,
        fen: text("fen")?,
        clocks_us: sides(table.get("clocks"), time)?,
        running: table.get("running").map(|running| word(running, &words)).transpose()?,
        result: text("result")?,
        reason: text("reason")?,
        period: sides(table.get("period"), Tree::count)?,
        completed: sides(table.get("completed"), Tree::count)?,
        allowed: table.get("allowed").map(texts).transpose()?,
        played: table.get("played").map(Tree::flag).transpose()?,
    })
}

fn expected(list: Option<&Tree>) -> Read<Vec<Expected>> {
    let Some(list) = list else { return Ok(Vec::new()) };
    list.list()?.iter().map(expected_one).collect()
}

fn expected_one(tree: &Tree) -> Read<Expected> {
    if let Node::Text(name) = &tree.node {
        return known_event(tree, name).map(|event| Expected { line: tree.line, event, fields: Vec::new() });
    }
    let event = known_event(tree, tree.need("event")?.text()?)?;
    let mut fields = Vec::new();
    for (key, value) in tree.table()? {
        if key == "event" {
            continue;
        }
        if !super::report::FIELDS.contains(&key.as_str()) {
            return value.error(format!("{event} has no field {key}"));
        }
        let wanted = match &value.node {
            Node::Text(text) => Wanted::Text(text.clone()),
            Node::Count(_) => Wanted::Count(value.count()?),
            Node::Flag(on) => Wanted::Flag(*on),
            Node::List(_) => Wanted::List(texts(value)?),
            _ => return value.error("no field has such a value"),
        };
        fields.push((key.clone(), wanted));
    }
    Ok(Expected { line: tree.line, event, fields })
}

fn known_event(tree: &Tree, name: &str) -> Read<String> {
    if super::report::EVENTS.contains(&name) {
        Ok(name.to_owned())
    } else {
        tree.error(format!("unknown event {name}"))
    }
}

fn word<T: Copy>(tree: &Tree, known: &[(&str, T)]) -> Read<T> {
    let text = tree.text()?;
    match known.iter().find(|(word, _)| *word == text) {
        Some((_, value)) => Ok(*value),
        None => tree
            .error(format!("{text} is none of {}", known.iter().map(|k| k.0).collect::<Vec<_>>().join(", "))),
    }
}

fn parsed<T: std::str::FromStr>(tree: &Tree, what: &str) -> Read<T> {
    tree.text()?.parse().or_else(|_| tree.error(format!("{what} is wanted here")))
}

fn uci(tree: &Tree) -> Read<Move> {
    parsed(tree, "a move in UCI notation")
}

fn color(tree: &Tree) -> Read<Color> {
    word(tree, &[("white", Color::White), ("black", Color::Black)])
}

fn texts(tree: &Tree) -> Read<Vec<String>> {
    tree.list()?.iter().map(|item| item.text().map(str::to_owned)).collect()
}

fn time(tree: &Tree) -> Read<u64> {
    parse_us(tree.text()?).map_or_else(|| tree.error("a time is wanted here"), Ok)
}

fn signed(tree: &Tree) -> Read<i64> {
    let text = tree.text()?;
    let (negative, span) = match text.strip_prefix('-') {
        Some(span) => (true, span),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let span = parse_us(span).and_then(|us| i64::try_from(us).ok());
    span.map(|us| if negative { -us } else { us })
        .map_or_else(|| tree.error("a signed time is wanted here"), Ok)
}

fn interval(tree: &Tree) -> Read<Interval> {
    let text = tree.text()?;
    let (first, last) = text.split_once("..").unwrap_or((text, text));
    match (parse_us(first), parse_us(last)) {
        (Some(first), Some(last)) if first <= last => {
            Ok(Interval { earliest: BASE.plus(first), latest: BASE.plus(last) })
        }
        _ => tree.error("an instant or an interval is wanted here"),
    }
}

fn sides<T>(tree: Option<&Tree>, read: impl Fn(&Tree) -> Read<T>) -> Read<ByColor<Option<T>>> {
    let Some(tree) = tree else { return Ok(ByColor::new(None, None)) };
    tree.only(&["white", "black"])?;
    let one = |key: &str| tree.get(key).map(&read).transpose();
    Ok(ByColor::new(one("white")?, one("black")?))
}
