//! `zeitnot-server adjudicate`: runs scenarios, the Laws as executable cases, and says what came of them.

use serde_json::{Map, Value, json};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use zeitnot_laws::scenario::{Outcome, Run, Scenario};

/// Runs scenario files through the rules that live games use, on virtual time.
///
/// Exits 0 if every expectation held, 1 if one did not, 2 if a file is no scenario.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Scenario files, or folders whose `.toml` files are scenarios.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Prints one JSON object for each event and a last one for the state of each run.
    #[arg(long)]
    json: bool,
    /// Prints only what did not hold.
    #[arg(long, short, conflicts_with = "json")]
    quiet: bool,
}

/// What came of all files so far.
#[derive(Default)]
struct Tally {
    runs: usize,
    failed: usize,
    wrong_files: usize,
}

/// Runs the files; the exit code says what came of them.
pub fn run(args: &Args) -> ExitCode {
    let mut tally = Tally::default();
    for file in &args.files {
        match files_of(file) {
            Ok(files) => files.iter().for_each(|file| one_file(args, file, &mut tally)),
            Err(error) => {
                eprintln!("{}: {error}", file.display());
                tally.wrong_files += 1;
            }
        }
    }
    if !args.json {
        println!("{} runs, {} failed, {} files wrong", tally.runs, tally.failed, tally.wrong_files);
    }
    match tally {
        Tally { wrong_files: 1.., .. } => ExitCode::from(2),
        Tally { failed: 1.., .. } => ExitCode::from(1),
        _ => ExitCode::SUCCESS,
    }
}

/// The file itself, or the scenarios of a folder in the order of their names.
fn files_of(path: &Path) -> io::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut files =
        fs::read_dir(path)?.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<Vec<_>>>()?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "toml"));
    files.sort();
    Ok(files)
}

fn one_file(args: &Args, file: &Path, tally: &mut Tally) {
    let shown = file.display();
    let scenario = match fs::read_to_string(file) {
        Ok(text) => Scenario::read(&text).map_err(|wrong| format!("{shown}:{wrong}")),
        Err(error) => Err(format!("{shown}: {error}")),
    };
    let scenario = match scenario {
        Ok(scenario) => scenario,
        Err(wrong) => {
            eprintln!("{wrong}");
            tally.wrong_files += 1;
            return;
        }
    };
    for run in &scenario.runs {
        let outcome = run.run();
        tally.runs += 1;
        tally.failed += usize::from(!outcome.failures.is_empty());
        if args.json {
            print_json(&scenario, run, &outcome);
        } else if !args.quiet || !outcome.failures.is_empty() {
            print_lines(&scenario, run, &outcome);
        }
        for failure in &outcome.failures {
            eprintln!("{shown}:{}: {} ({})", failure.line, failure.what, run.name);
        }
    }
}

fn print_lines(scenario: &Scenario, run: &Run, outcome: &Outcome) {
    let verdict = if outcome.failures.is_empty() { "holds" } else { "DOES NOT HOLD" };
    println!("{} {} [{}]: {verdict}", scenario.id, scenario.title, run.name);
    for event in &outcome.events {
        println!("  {}", event.line());
    }
}

/// Every line says which run it belongs to.
fn print_json(scenario: &Scenario, run: &Run, outcome: &Outcome) {
    let of_run = |map: Map<String, Value>| {
        let mut line = map;
        line.insert("scenario".into(), json!(scenario.id));
        line.insert("variant".into(), json!(run.variant));
        line.insert("edition".into(), json!(run.terms.rules.edition.name()));
        Value::Object(line)
    };
    for event in &outcome.events {
        println!("{}", of_run(event.json()));
    }
    let mut state = outcome.state.as_ref().map_or_else(Map::new, zeitnot_laws::scenario::FinalState::json);
    state.insert("state".into(), json!(true));
    state.insert("held".into(), json!(outcome.failures.is_empty()));
    println!("{}", of_run(state));
}
