//! The arrows of ARCHITECTURE.md hold: imports run one way, and what must not be linked is not.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// What each crate of the workspace may name of the others in its ordinary dependencies.
const ALLOWED: &[(&str, &[&str])] = &[
    ("zeitnot-proto", &[]),
    ("zeitnot-laws", &["zeitnot-proto"]),
    ("zeitnot-pairing", &["zeitnot-proto"]),
    ("zeitnot-server", &["zeitnot-proto", "zeitnot-laws", "zeitnot-pairing"]),
    ("zeitnot-client", &["zeitnot-proto"]),
    ("zeitnot-loadtest", &["zeitnot-proto", "zeitnot-client"]),
    (
        "zeitnot-tests",
        &["zeitnot-proto", "zeitnot-client", "zeitnot-laws", "zeitnot-pairing", "zeitnot-server"],
    ),
];

/// Crates that must not be among the ordinary dependencies of these.
const FORBIDDEN: &[(&str, &[&str])] = &[
    ("zeitnot-proto", &["tokio", "quinn", "shakmaty", "rusqlite"]),
    ("zeitnot-laws", &["tokio", "quinn", "rusqlite", "rand"]),
    ("zeitnot-pairing", &["tokio", "quinn", "rusqlite"]),
    ("zeitnot-client", &["shakmaty", "rusqlite"]),
];

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// Ordinary dependencies of every package of the workspace.
fn dependencies() -> BTreeMap<String, Vec<String>> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(root())
        .output()
        .unwrap();
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let ordinary = |package: &Value| {
        let all = package["dependencies"].as_array().unwrap();
        all.iter().filter(|dependency| dependency["kind"].is_null()).map(|d| text(&d["name"])).collect()
    };
    metadata["packages"].as_array().unwrap().iter().map(|p| (text(&p["name"]), ordinary(p))).collect()
}

#[test]
fn imports_run_one_way() {
    let found = dependencies();
    for (name, dependencies) in &found {
        let (_, allowed) = ALLOWED
            .iter()
            .find(|(known, _)| known == name)
            .unwrap_or_else(|| panic!("{name} has no place in the map"));
        for dependency in dependencies.iter().filter(|d| d.starts_with("zeitnot-")) {
            assert!(allowed.contains(&dependency.as_str()), "{name} may not import {dependency}");
        }
    }
    for (name, forbidden) in FORBIDDEN {
        for dependency in &found[*name] {
            assert!(!forbidden.contains(&dependency.as_str()), "{name} may not link {dependency}");
        }
    }
}

#[test]
fn the_laws_never_ask_for_the_time_or_the_disk() {
    let forbidden =
        ["std::time", "std::fs", "std::net", "std::io", "std::thread", "tokio", "quinn", "SystemTime"];
    for room in ["server/laws/src", "server/pairing/src"] {
        let mut folders = vec![root().join(room)];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let source = std::fs::read_to_string(&path).unwrap();
                let code = source.lines().filter(|line| !line.trim_start().starts_with("//"));
                for line in code {
                    for word in forbidden {
                        assert!(!line.contains(word), "{}: {line}", path.display());
                    }
                }
            }
        }
    }
}
