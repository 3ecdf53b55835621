//! The commands `pair` and `standings`: a file's text in, text and an exit code out. Reading files and arguments is the
//! caller's.

use std::fmt::Write as _;

use crate::audit;
use crate::dutch::{self, Method, Pairing, PairingError};
use crate::explain;
use crate::round::Tpn;
use crate::round_robin;
use crate::sheet;
use crate::standings::{self, Rules};
use crate::system::System;
use crate::tiebreak::{Criterion, Mode};
use crate::tournament::{ParityNumber, Tournament};
use crate::trf::Report;

/// Exit codes, those of the reference pairing program where it has one.
pub mod exit {
    /// Done.
    pub const OK: u8 = 0;
    /// The round cannot be paired, or the check found differences.
    pub const NO_PAIRING: u8 = 1;
    /// The file or the request makes no sense.
    pub const BAD_REQUEST: u8 = 3;
    /// The file cannot be read or written.
    pub const FILE: u8 = 5;
}

/// What a command says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// For standard output.
    pub output: String,
    /// For standard error, a line each.
    pub messages: Vec<String>,
    /// One of [`exit`].
    pub code: u8,
}

impl Answer {
    fn refused(code: u8, message: String) -> Self {
        Self { output: String::new(), messages: vec![message], code }
    }
}

/// What `pair` prints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PairOutput {
    /// The number of pairs, then `white black` a line; 0 for the bye.
    #[default]
    Pairs,
    /// Every board with its reasons.
    Explained,
    /// The report file with the round entered.
    Report,
}

/// How `pair` works.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PairOptions {
    /// What to print.
    pub output: PairOutput,
    /// The round to pair; the next one if `None`.
    pub round: Option<usize>,
    /// Article 5.2.5 by pairing number instead of by those paired so far.
    pub literal_parity: bool,
}

/// Pairs the next round of a report file.
pub fn pair(text: &str, options: PairOptions) -> Answer {
    let mut report = match read(text, options.literal_parity) {
        Ok(report) => report,
        Err(answer) => return answer,
    };
    let mut messages: Vec<String> =
        report.warnings.iter().map(|warning| format!("warning: {warning}")).collect();
    let tournament = &report.tournament;
    let round = options.round.unwrap_or(tournament.rounds_paired() + 1);
    for open in
        (1..round.min(tournament.rounds_paired() + 1)).filter(|&open| !tournament.round_is_complete(open))
    {
        messages.push(format!("warning: round {open} has games without a result; they count as drawn"));
    }
    let pairing = match pair_by_system(tournament, round) {
        Ok(pairing) => pairing,
        Err(answer) => return Answer { messages: [messages, answer.messages].concat(), ..answer },
    };
    let output = match options.output {
        PairOutput::Pairs => pairs(&pairing),
        PairOutput::Explained => explain::pairing(tournament, &pairing),
        PairOutput::Report => {
            if let Err(error) = report.tournament.enter_pairing(&pairing) {
                return Answer::refused(exit::BAD_REQUEST, error.to_string());
            }
            report.write()
        }
    };
    Answer { output, messages, code: exit::OK }
}

fn read(text: &str, literal_parity: bool) -> Result<Report, Answer> {
    let mut report =
        Report::read(text).map_err(|error| Answer::refused(exit::BAD_REQUEST, error.to_string()))?;
    if literal_parity {
        report.tournament.parity = ParityNumber::PairingNumber;
    }
    Ok(report)
}

fn pair_by_system(tournament: &Tournament, round: usize) -> Result<Pairing, Answer> {
    match System::of(tournament) {
        System::Dutch => dutch::pair_round(tournament, round, Method::default()).map_err(|error| {
            let code = match error {
                PairingError::NoPairing | PairingError::NoByeTaker => exit::NO_PAIRING,
                _ => exit::BAD_REQUEST,
            };
            Answer::refused(code, error.to_string())
        }),
        System::RoundRobin { cycles } => {
            let rounds = cycles * round_robin::rounds_of_cycle(tournament.players.len());
            if (1..=rounds).contains(&round) {
                Ok(round_robin::pair(tournament, cycles, round))
            } else {
                Err(Answer::refused(exit::BAD_REQUEST, format!("all {rounds} rounds have been paired")))
            }
        }
        System::Other(code) => {
            Err(Answer::refused(exit::BAD_REQUEST, format!("the system '{code}' is not supported")))
        }
    }
}

/// The reference program's output.
pub fn pairs(pairing: &Pairing) -> String {
    let count = pairing.boards.len() + usize::from(pairing.bye.is_some());
    let mut out = format!("{count}\n");
    for board in &pairing.boards {
        let _ = writeln!(out, "{} {}", board.white, board.black);
    }
    if let Some(tpn) = pairing.bye {
        let _ = writeln!(out, "{tpn} 0");
    }
    out
}

/// Pairs every round of a report file again and lists what differs.
pub fn check(text: &str, literal_parity: bool) -> Answer {
    let report = match read(text, literal_parity) {
        Ok(report) => report,
        Err(answer) => return answer,
    };
    let tournament = &report.tournament;
    let mut output = String::new();
    let mut differ = false;
    let checks = match System::of(tournament) {
        System::Dutch => audit::check(tournament),
        System::RoundRobin { cycles } => audit::check_round_robin(tournament, cycles),
        System::Other(code) => {
            return Answer::refused(exit::BAD_REQUEST, format!("the system '{code}' is not supported"));
        }
    };
    let board = |&(white, black): &(Tpn, Tpn)| format!("{white} {black}");
    for check in checks {
        let say = if let Some(error) = &check.error { error.to_string() } else { "agrees".to_owned() };
        if check.agrees() {
            let _ = writeln!(output, "round {}: {say}", check.round);
            continue;
        }
        differ = true;
        let list = |boards: &[(Tpn, Tpn)]| boards.iter().map(board).collect::<Vec<_>>().join(", ");
        let _ = writeln!(
            output,
            "round {}: {}",
            check.round,
            check.error.map_or("differs".into(), |e| e.to_string())
        );
        let _ = writeln!(output, "    only in the file:  {}", list(&check.only_in_file));
        let _ = writeln!(output, "    only by the rules: {}", list(&check.only_by_engine));
        for violation in &check.violations {
            let _ = writeln!(output, "    {violation}");
        }
    }
    let messages = report.warnings.iter().map(|warning| format!("warning: {warning}")).collect();
    Answer { output, messages, code: if differ { exit::NO_PAIRING } else { exit::OK } }
}

/// How `standings` prints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// Columns for a terminal.
    #[default]
    Text,
    /// Comma-separated.
    Csv,
    /// Markdown.
    Markdown,
    /// One printable page.
    Html,
}

/// How `standings` works.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StandingsOptions {
    /// The published list; the file's own (record 202) if empty.
    pub criteria: Vec<Criterion>,
    /// After so many rounds; all that are paired if `None`.
    pub rounds: Option<usize>,
    /// How to print.
    pub format: Format,
    /// The crosstable instead of the standings (on the HTML page, both).
    pub crosstable: bool,
    /// Every value with its contributions.
    pub explain: bool,
    /// Players out of the standings.
    pub excluded: Vec<Tpn>,
}

/// Standings or a crosstable of a report file.
pub fn standings(text: &str, options: &StandingsOptions) -> Answer {
    let report = match read(text, false) {
        Ok(report) => report,
        Err(answer) => return answer,
    };
    let tournament = &report.tournament;
    let mut messages: Vec<String> =
        report.warnings.iter().map(|warning| format!("warning: {warning}")).collect();
    let mut criteria = options.criteria.clone();
    if criteria.is_empty() {
        for code in &tournament.tie_breaks {
            match code.parse() {
                Ok(criterion) => criteria.push(criterion),
                Err(error) => messages.push(format!("warning: {error}")),
            }
        }
    }
    let robin = matches!(System::of(tournament), System::RoundRobin { .. });
    let mode = if robin { Mode::RoundRobin } else { Mode::Swiss };
    let rules = Rules { mode, criteria, rounds: options.rounds, excluded: options.excluded.clone() };
    let table = standings::standings(tournament, &rules);
    messages.extend(table.dropped.iter().map(|dropped| format!("warning: {dropped}")));
    let output = if options.explain {
        explain::standings(tournament, &table, mode)
    } else {
        let cross =
            || if robin { sheet::matrix(tournament, &table) } else { sheet::crosstable(tournament, &table) };
        let main = if options.crosstable { cross() } else { sheet::standings(tournament, &table) };
        match options.format {
            Format::Text => main.text(),
            Format::Csv => main.csv(),
            Format::Markdown => main.markdown(),
            Format::Html => {
                let notes = ["Tie-breaks: FIDE C.07 in force from 1 March 2026.".to_owned()];
                let sheets = [sheet::standings(tournament, &table), cross()];
                sheet::html_page(&tournament.event.name, &sheets, &notes)
            }
        }
    };
    Answer { output, messages, code: exit::OK }
}
