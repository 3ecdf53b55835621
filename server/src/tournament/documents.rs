//! Documents about a tournament, as text.

use super::Logged;
use super::draw;
use super::event::{Departure, Event, Player};
use super::sheets;
use super::state::State;
use super::words;
use crate::journal::{Journal, StoreError};
use crate::pgn;
use std::fmt::Write as _;
use zeitnot_pairing::explain;
use zeitnot_pairing::sheet::{self, Sheet};
use zeitnot_pairing::trf::{Dialect, Report};
use zeitnot_proto::Refusal;
use zeitnot_proto::limits::PGN_MAX;
use zeitnot_proto::rules::GameId;
use zeitnot_proto::tournament::{Document, SheetFormat};

/// The edition that every list of standings names.
const TIE_BREAK_EDITION: &str = "Tie-breaks: FIDE C.07 in force from 1 March 2026.";

/// A document.
///
/// # Errors
/// There is none of this kind here, or the store does not give what it needs.
pub fn write(
    state: &State,
    log: &[Logged],
    journal: &dyn Journal,
    document: Document,
) -> Result<String, Refusal> {
    match document {
        Document::Pgn => games(state, journal),
        Document::Record => Ok(record(state, log)),
        Document::Pairing { round } => pairing(state, log, round),
        Document::Trf => report(state),
        Document::Standings(format) => Ok(in_format(&sheets::standings(state), format)),
        Document::Crosstable(format) => Ok(in_format(&sheets::crosstable(state)?, format)),
        Document::Page => {
            let mut sheets = vec![sheets::standings(state)];
            sheets.extend(sheets::crosstable(state));
            let edition = if state.settings.system.has_rounds() { TIE_BREAK_EDITION } else { "" };
            let notes: Vec<String> =
                Some(edition.to_owned()).filter(|note| !note.is_empty()).into_iter().collect();
            Ok(sheet::html_page(&state.settings.name, &sheets, &notes))
        }
        Document::TieBreaks => {
            paired(state)?;
            let (table, standings) = state.standings();
            Ok(explain::standings(&table, &standings, state.mode()))
        }
    }
}

/// A part of a text that travels in one reply, and whether another follows.
pub fn part(text: &str, part: u32) -> Option<(&str, bool)> {
    let mut rest = text;
    for _ in 0..part {
        let cut = rest.floor_char_boundary(PGN_MAX);
        rest = rest.get(cut..).filter(|rest| !rest.is_empty())?;
    }
    let cut = rest.floor_char_boundary(PGN_MAX);
    Some((&rest[..cut], cut < rest.len()))
}

/// Only for tournaments in which everybody has one game a round.
fn paired(state: &State) -> Result<(), Refusal> {
    if state.settings.system.has_rounds() { Ok(()) } else { Err(Refusal::NotNeeded) }
}

fn in_format(sheet: &Sheet, format: SheetFormat) -> String {
    match format {
        SheetFormat::Text => sheet.text(),
        SheetFormat::Csv => sheet.csv(),
        SheetFormat::Markdown => sheet.markdown(),
    }
}

/// The report file, with a remark for every pairing by hand.
fn report(state: &State) -> Result<String, Refusal> {
    paired(state)?;
    let (_, standings) = state.standings();
    let mut table = state.table(state.last_round());
    standings.write_ranks(&mut table);
    let mut text = Report::new(table, Dialect::Trf2026).write();
    for (round, number) in state.rounds.iter().zip(1..) {
        if let Some(by_hand) = &round.by_hand {
            let _ = writeln!(text, "### MPA @ Round {number}: {}", one_line(&by_hand.reason));
            for instead in &by_hand.instead {
                let _ = writeln!(text, "### MPA @ Round {number}: by the rules {}", one_line(instead));
            }
        }
    }
    Ok(text)
}

fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// All games, by round and board, with tags that only the tournament knows.
fn games(state: &State, journal: &dyn Journal) -> Result<String, Refusal> {
    let down = |_: StoreError| Refusal::StoreDown;
    let mut text = String::new();
    for round in &state.rounds {
        for (board, number) in round.boards.iter().zip(1u16..) {
            let Some(game) = board.game else { continue };
            let Some(pgn) = pgn_of(journal, game).map_err(down)? else { continue };
            for line in pgn.lines() {
                text.push_str(line);
                text.push('\n');
                if line.starts_with("[Round ") {
                    let _ = writeln!(text, "[Board \"{number}\"]");
                } else if line.starts_with("[Black ") {
                    text.push_str(&person_tags(state, board.white, board.black));
                }
            }
            text.push('\n');
        }
    }
    Ok(text)
}

fn pgn_of(journal: &dyn Journal, game: GameId) -> Result<Option<String>, StoreError> {
    if let Some(pgn) = journal.pgn(game)? {
        return Ok(Some(pgn));
    }
    let records = journal.load(game)?;
    Ok(if records.is_empty() { None } else { pgn::render(&records).ok() })
}

/// Ratings, titles and FIDE numbers of both players.
fn person_tags(state: &State, white: Player, black: Player) -> String {
    let mut tags = String::new();
    for (side, player) in [("White", white), ("Black", black)] {
        let Some(entered) = state.entry(player) else { continue };
        let entrant = &entered.entrant;
        let rating = if entrant.rating > 0 { entrant.rating.to_string() } else { String::new() };
        let known: [(&str, &str); 4] = [
            ("Name", &entrant.full_name),
            ("Elo", &rating),
            ("Title", &entrant.title),
            ("FideId", &entrant.fide_id),
        ];
        for (name, value) in known.into_iter().filter(|(_, value)| !value.is_empty()) {
            let value = one_line(value).replace('\\', "\\\\").replace('"', "\\\"");
            let _ = writeln!(tags, "[{side}{name} \"{value}\"]");
        }
    }
    tags
}

/// Why a round was paired as it was: paired again from the state before it.
fn pairing(state: &State, log: &[Logged], round: u16) -> Result<String, Refusal> {
    let paired = state.round(round).ok_or(Refusal::NoSuchBoard)?;
    let first = log.first().ok_or(Refusal::NoSuchTournament)?;
    let mut before = State::open(state.id, &first.event).ok_or(Refusal::NoSuchTournament)?;
    for logged in log.iter().skip(1).take_while(|logged| logged.seq < paired.paired_by) {
        before.apply(logged.at, &logged.event);
    }
    let explained = draw::explain_next(&before).unwrap_or_else(|no| format!("{}\n", no.why));
    let Some(by_hand) = &paired.by_hand else { return Ok(explained) };
    let mut text = format!("Round {round} was paired by hand: {}\n", one_line(&by_hand.reason));
    if by_hand.instead.is_empty() {
        text.push_str("The boards are those that the rules give.\n");
    } else {
        let _ = writeln!(text, "The rules would have given: {}\n", by_hand.instead.join("; "));
    }
    Ok(text + "\nBy the rules:\n" + &explained)
}

/// What happened, when, and by whom.
fn record(state: &State, log: &[Logged]) -> String {
    let mut text = String::new();
    for logged in log {
        let by = logged.by.as_ref().map_or_else(String::new, |name| format!(" {name}:"));
        let _ = writeln!(text, "{}{by} {}", words::instant(logged.at), in_words(state, &logged.event));
    }
    text
}

fn in_words(state: &State, event: &Event) -> String {
    let because = |reason: &str| {
        if reason.is_empty() { String::new() } else { format!(" ({})", one_line(reason)) }
    };
    let name = |player: &Player| state.name(*player).to_string();
    match event {
        Event::Created { settings, .. } => format!("created: {}", one_line(&settings.name)),
        Event::Changed(_) => "decided otherwise".to_owned(),
        Event::Entered(entrant) => format!("entered: {}, rating {}", entrant.name, entrant.rating),
        Event::Present(player) => format!("present: {}", name(player)),
        Event::Departed { player, how, reason } => {
            let how = if *how == Departure::Expelled { "expelled" } else { "withdrawn" };
            format!("{how}: {}{}", name(player), because(reason))
        }
        Event::ByeGiven { player, round, kind } => {
            format!("bye in round {round}: {} ({kind:?})", name(player)).to_lowercase()
        }
        Event::Forbidden(players) => {
            format!("not to meet: {}", players.iter().map(name).collect::<Vec<_>>().join(", "))
        }
        Event::Registration { open: true } => "registration opened".to_owned(),
        Event::Registration { open: false } => "registration closed".to_owned(),
        Event::Started { order, initial_color } => {
            format!("started with {} players, initial colour {initial_color:?}", order.len())
        }
        Event::Renumbered(_) => "numbered anew for a late entry".to_owned(),
        Event::Paired(paired) => {
            let hand = paired.by_hand.as_ref();
            let hand = hand.map_or_else(String::new, |hand| format!(" by hand{}", because(&hand.reason)));
            let instead = paired.by_hand.as_ref().map(|hand| hand.instead.join("; ")).unwrap_or_default();
            let instead = if instead.is_empty() { instead } else { format!("; the rules give {instead}") };
            format!("round {} paired{hand}, {} boards{instead}", paired.round, paired.boards.len())
        }
        Event::Unpaired { reason } => format!("the last pairing taken back{}", because(reason)),
        Event::Result { round, board, result, by_arbiter, reason } => {
            let who = if *by_arbiter { "result by the arbiter" } else { "result" };
            format!("{who}, round {round} board {board}: {}{}", result.sign(), because(reason))
        }
        Event::Question { round, board, what } => {
            format!("round {round} board {board} waits for the arbiter: {}", one_line(what))
        }
        Event::RoundOver => "the round is over".to_owned(),
        Event::NotPaired(why) => format!("the next round was not paired: {}", one_line(why)),
        Event::Announced(text) => format!("announced: {}", one_line(text)),
        Event::Finished { reason } => format!("finished{}", because(reason)),
    }
}
