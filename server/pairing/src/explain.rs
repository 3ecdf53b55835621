//! Pairings and tie-breaks in words, for players who doubt them.

use std::fmt::Write as _;

use crate::dutch::{Board, Float, Found, Pairing, Side, Strength};
use crate::round::{Bye, Color, Tpn};
use crate::standings::Standings;
use crate::tiebreak::{Contribution, Criterion, Mode, Source, TieBreaks, Value};
use crate::tournament::Tournament;

fn name(tournament: &Tournament, tpn: Tpn) -> String {
    tournament
        .player(tpn)
        .map(|p| p.name.as_str())
        .filter(|n| !n.is_empty())
        .map_or_else(|| tpn.to_string(), |name| format!("{tpn} {name}"))
}

/// Every board of a pairing with its bracket, floats, criteria and colour rule; then the bye and who is out.
pub fn pairing(tournament: &Tournament, pairing: &Pairing) -> String {
    let mut out = String::new();
    for (i, board) in pairing.boards.iter().enumerate() {
        let _ = writeln!(
            out,
            "board {}: {} - {}",
            i + 1,
            name(tournament, board.white),
            name(tournament, board.black)
        );
        for line in reasons(board) {
            let _ = writeln!(out, "    {line}");
        }
    }
    if let Some(tpn) = pairing.bye {
        let _ = writeln!(
            out,
            "bye: {}\n    the field is odd: among those who may have it (C2), the lowest score that lets everyone else be paired (C5), then the fewest unplayed games (C9)",
            name(tournament, tpn)
        );
    }
    for &(tpn, bye) in &pairing.out {
        let kind = match bye {
            Bye::Half => "half-point bye",
            Bye::Full => "full-point bye",
            Bye::Zero => "absent",
            Bye::Allocated => "bye assigned by the arbiter",
        };
        let _ = writeln!(out, "out: {} ({kind})", name(tournament, tpn));
    }
    out
}

/// The lines below a board.
pub fn reasons(board: &Board) -> Vec<String> {
    let reason = &board.reason;
    let Some(bracket) = reason.bracket else { return vec![reason.rule.describe().to_owned()] };
    let (higher, lower) = (&reason.higher, &reason.lower);
    let mut lines = Vec::new();
    let kind = if higher.score > bracket {
        format!("{} floats down from {} to the bracket of {bracket}", higher.tpn, higher.score)
    } else {
        format!("both from the bracket of {bracket}")
    };
    let found = match reason.found {
        Found::Natural => "the bracket's first candidate (3.3)",
        Found::Transposition => "found by transposition in S2 (4.2)",
        Found::Exchange => "found by exchange between S1 and S2 (4.3)",
    };
    lines.push(format!("{kind}; {found}"));
    if !reason.unmet.is_empty() {
        lines.push(format!(
            "not met by this pair, for want of better: {}",
            reason.unmet.iter().map(|unmet| unmet.code()).collect::<Vec<_>>().join(", ")
        ));
    }
    for side in [higher, lower] {
        if let Some(line) = history(side) {
            lines.push(line);
        }
    }
    lines.push(format!("colours: {}; {}; {}", reason.rule.describe(), wish(higher), wish(lower)));
    lines
}

fn history(side: &Side) -> Option<String> {
    let word = |float| match float {
        Float::Down => "down",
        Float::Up => "up",
        Float::None => "none",
    };
    let [last, before] = side.history;
    (last != Float::None || before != Float::None)
        .then(|| format!("{} floated: last round {}, the one before {}", side.tpn, word(last), word(before)))
}

fn wish(side: &Side) -> String {
    let colour = match side.preference.colour {
        Some(Color::White) => "White",
        Some(Color::Black) => "Black",
        None => return format!("{} has no preference", side.tpn),
    };
    let strength = match side.preference.strength {
        Strength::Absolute => "absolute",
        Strength::Strong => "strong",
        Strength::Mild | Strength::None => "mild",
    };
    let granted = if side.granted { "granted" } else { "not granted" };
    format!("{} has a {strength} preference for {colour}, {granted}", side.tpn)
}

/// How each line of the standings came about: every tie-break with its summands, and what decided.
pub fn standings(tournament: &Tournament, standings: &Standings, mode: Mode) -> String {
    let tie_breaks = TieBreaks::new(tournament, mode, standings.rounds);
    let mut out =
        format!("Tie-breaks of FIDE C.07 in force from 1 March 2026, after round {}.\n", standings.rounds);
    for dropped in &standings.dropped {
        let _ = writeln!(out, "{dropped}");
    }
    for place in &standings.places {
        let _ = writeln!(out, "{}. {}: {} points", place.rank, name(tournament, place.tpn), place.points);
        if let Some(criterion) = place.decided_by {
            let _ = writeln!(out, "    behind the one above by {criterion} ({})", criterion.describe());
        }
        let Some(index) = tournament.index_of(place.tpn) else { continue };
        for (criterion, value) in standings.criteria.iter().zip(&place.values) {
            let detail = if value.contributions.is_empty() {
                tie_breaks.value(*criterion, index).contributions
            } else {
                value.contributions.clone()
            };
            let _ = writeln!(out, "    {}", tie_break(*criterion, value, &detail));
        }
    }
    out
}

fn tie_break(criterion: Criterion, value: &Value, detail: &[Contribution]) -> String {
    let mut line = format!("{criterion} {value}");
    if detail.is_empty() {
        return line;
    }
    line.push_str(" =");
    for (i, part) in detail.iter().enumerate() {
        let source = match part.source {
            Source::Opponent(tpn) => format!("r{} v {tpn}", part.round),
            Source::Dummy { capped: true } => format!("r{} dummy, capped", part.round),
            Source::Dummy { capped: false } => format!("r{} dummy", part.round),
            Source::Round => format!("r{}", part.round),
        };
        let plus = if i > 0 { " +" } else { "" };
        let cut = if part.cut { ", cut" } else { "" };
        let _ = write!(line, "{plus} {} ({source}{cut})", part.value);
    }
    line
}
