//! The built programs of the workspace.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::SystemTime;

/// The folder of the workspace.
pub fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// The server's program.
pub fn server() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| find("zeitnot-server", "zeitnot-server"))
}

/// The load generator.
pub fn loadtest() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| find("zeitnot-loadtest", "zeitnot-loadtest"))
}

/// The client for a terminal.
pub fn client() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| find("zeitnot-client", "zeitnot"))
}

/// The program `name` of `package`, beside the running test; built first if it is missing or older
/// than a source.
fn find(package: &str, name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    // target/PROFILE/deps/TEST
    let profile_dir = test.parent().unwrap().parent().unwrap();
    let path = profile_dir.join(name);
    let built = path.metadata().and_then(|m| m.modified()).ok();
    let newest = ["proto", "server", "client-lib", "loadtest"]
        .iter()
        .filter_map(|folder| newest_source(&workspace().join(folder)))
        .max();
    if built.is_none() || built < newest {
        build(package, profile_dir);
    }
    path
}

fn build(package: &str, profile_dir: &Path) {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(workspace()).args(["build", "--package", package, "--bins", "--quiet"]);
    cargo.arg("--target-dir").arg(profile_dir.parent().unwrap());
    if profile_dir.file_name().is_some_and(|name| name == "release") {
        cargo.arg("--release");
    }
    assert!(cargo.status().unwrap().success(), "cannot build {package}");
}

/// When a source under `folder` was changed last.
fn newest_source(folder: &Path) -> Option<SystemTime> {
    let mut newest = None;
    for entry in std::fs::read_dir(folder).ok()?.flatten() {
        let path = entry.path();
        let changed = if path.is_dir() && !is_beside(&path) {
            newest_source(&path)
        } else if path.extension().is_some_and(|extension| extension == "rs" || extension == "toml") {
            entry.metadata().and_then(|m| m.modified()).ok()
        } else {
            None
        };
        newest = newest.max(changed);
    }
    newest
}

/// Whether a folder holds nothing that goes into a program.
fn is_beside(folder: &Path) -> bool {
    folder.file_name().is_some_and(|name| name == "target" || name == "tests" || name == "benches")
}
