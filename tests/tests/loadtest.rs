//! The load generator against the real server: games at a rate, in a closed loop, and pairs that are idle.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use serde_json::Value;
use std::process::Command;
use zeitnot_tests::{Server, programs};

/// Runs the load generator against `server` with a report in JSON.
fn measure(server: &Server, arguments: &[&str]) -> Value {
    let report = server.data().join("report.json");
    let output = Command::new(programs::loadtest())
        .args(["--server", &server.contact().authority(), "--pin", &server.pin.to_string()])
        .args(["--metrics", &server.http.to_string(), "--json", report.to_str().unwrap()])
        .args(arguments)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&std::fs::read(report).unwrap()).unwrap()
}

#[test]
fn games_in_a_closed_loop_agree_with_the_record() {
    let report = measure(&Server::start(), &["--games", "6", "--duration", "1.5"]);
    assert_eq!(report["games_at_once"], 6);
    assert_eq!(report["games_checked"], report["games_finished"]);
    assert!(report["moves"].as_u64().unwrap() > 20, "{report}");
    assert_eq!(report["round_trip"]["count"], report["moves"]);
}

#[test]
fn games_at_a_rate_come_at_that_rate() {
    let report = measure(&Server::start(), &["--games", "10", "--duration", "3", "--rate", "20"]);
    let rate = report["moves_per_second"].as_f64().unwrap();
    assert!((15.0..=25.0).contains(&rate), "{report}");
}

#[test]
fn idle_pairs_are_counted() {
    // How much memory they may take is measured on a build that is optimized.
    let report = measure(&Server::start(), &["--idle", "--games", "40", "--idle-bar-kib", "4096"]);
    let steps = report["steps"].as_array().unwrap();
    assert_eq!(steps.last().unwrap()["games"], 140.0);
    assert_eq!(steps.last().unwrap()["connections"], 280.0);
}
