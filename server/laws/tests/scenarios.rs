//! Every scenario of the folder holds.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use zeitnot_laws::scenario::Scenario;

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    let entries = std::fs::read_dir(folder).expect("the folder of scenarios");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|file| file.extension().is_some_and(|ext| ext == "toml"));
    files.sort();
    files
}

#[test]
fn all_of_them_hold() {
    let mut report = String::new();
    let mut runs = 0;
    for file in files() {
        let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let text = std::fs::read_to_string(&file).expect("a scenario");
        let scenario = match Scenario::read(&text) {
            Ok(scenario) => scenario,
            Err(why) => {
                writeln!(report, "{name}:{why}").expect("a report");
                continue;
            }
        };
        for run in &scenario.runs {
            runs += 1;
            let outcome = run.run();
            if outcome.failures.is_empty() {
                continue;
            }
            writeln!(report, "\n{name}: {}", run.name).expect("a report");
            for event in &outcome.events {
                writeln!(report, "   {}", event.line()).expect("a report");
            }
            for failure in &outcome.failures {
                writeln!(report, "{name}:{}: {}", failure.line, failure.what).expect("a report");
            }
        }
    }
    assert!(report.is_empty(), "{report}");
    assert!(runs >= 70, "only {runs} runs");
}

/// A scenario, and what is changed in it so that it is none.
#[test]
fn what_is_no_scenario_says_where() {
    let good = "id = \"X\"\ntitle = \"x\"\nedition = \"fide-2023\"\nspeed = \"blitz\"\nconduct = \"online\"\n\
        [game]\ntime_control = \"300\"\n[[step]]\nat = \"1.000\"\nby = \"white\"\ndo = \"resign\"\n[end]\nat = \"2.000\"\n";
    assert!(Scenario::read(good).is_ok());
    for (from, to, line, what) in [
        ("blitz", "bullet", 4, "none of"),
        ("\"300\"", "\"300-5\"", 7, "time control"),
        ("resign", "resing", 11, "unknown step"),
        ("white", "arbiter", 11, "not for arbiter"),
        ("at = \"1.000\"", "at = \"3.000\"", 12, "before the last step"),
        ("1.000", "1:99", 9, "a time"),
        ("[game]", "[game]\nfen = \"8/8/8/8/8/8/8/8 w - - 0 1\"", 7, "cannot be set up"),
        ("[game]", "[game]\noptions = { flag_mode = \"manual\" }", 6, "cannot be set up"),
        ("[game]", "[game]\noptions = { flag_mod = \"auto\" }", 7, "unknown option"),
        ("[end]", "[end]\nexpect = [{ event = \"checkmate\" }]", 13, "unknown event"),
        ("[end]", "[end]\nexpect = [{ event = \"move_made\", sied = \"white\" }]", 13, "no field"),
        ("[end]", "[end]\nrezult = \"1-0\"", 13, "unknown key"),
        ("[end]", "[end", 12, ""),
    ] {
        let text = good.replacen(from, to, 1);
        let wrong = Scenario::read(&text).expect_err(to);
        assert!(wrong.what.contains(what), "{to}: {wrong}");
        assert_eq!(wrong.line, line, "{to}: {wrong}");
    }
}
