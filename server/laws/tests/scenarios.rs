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
