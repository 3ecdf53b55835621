//! The load generator against the real server: games at a rate, in a closed loop, pairs that are idle, and a
//! bare relay beside it.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use serde_json::Value;
use std::process::Command;
use zeitnot_tests::{Server, programs};

/// Runs the load generator against `server` with a report in JSON.
fn measure(server: &Server, arguments: &[&str]) -> Value {
    run(server, &[], arguments)
}

/// Runs a subcommand of it.
fn run(server: &Server, subcommand: &[&str], arguments: &[&str]) -> Value {
    let report = server.data().join("report.json");
    let output = Command::new(programs::loadtest())
        .args(subcommand)
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

#[test]
fn a_server_and_the_bare_relay_carry_the_same_traffic() {
    let server = Server::with(&["--limit-frames-per-second", "100000"]);
    let what =
        ["--points", "8", "--rates", "50", "--paced-connections", "8", "--fan-out", "60", "--handshakes"];
    let short = ["--fsync", "--seconds", "1", "--passes", "1", "--plies", "2000"];
    let report = run(&server, &["reference"], &[&what[..], &short[..]].concat());
    let points = report["points"].as_array().unwrap();
    assert_eq!(points.len(), 4);
    for point in points {
        for who in ["relay", "relay, fsync", "server"] {
            let pass = &point["passes"][who][0];
            assert!(pass["count"].as_u64().unwrap() > 0, "{point}");
            assert!(pass["round_trip"]["count"].as_u64().unwrap() > 0, "{point}");
        }
    }
    // The relay's frames are as long as the server's.
    let bytes_a_move = |who: &str| {
        let pass = &points[1]["passes"][who][0];
        pass["bytes_out"].as_f64().unwrap() / pass["count"].as_f64().unwrap()
    };
    let (relay, server) = (bytes_a_move("relay"), bytes_a_move("server"));
    assert!((relay / server - 1.0).abs() < 0.15, "{relay} and {server} bytes a move");
}
