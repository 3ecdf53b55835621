//! The wire as a whole: golden vectors, the specification, hostile bytes, notations.
//!
//! Vectors and the reference part of `PROTOCOL.md` follow the types in `src/`. With
//! `ZEITNOT_BLESS=1` in the environment the tests write them; without it they hold the code to what
//! is written.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod encoder;
mod golden;
mod hostile;
mod notation;
mod samples;
mod schema;
mod spec;

use std::path::{Path, PathBuf};

/// The folder of this crate.
fn crate_dir() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_path_buf()
}

/// What blessing may do to a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Blessing {
    /// Anything: it is prose.
    Rewrites,
    /// Lines may come, none may go: what is published stays. `ZEITNOT_BLESS=unpublished` overrides it, for
    /// changes to what no release has yet.
    Adds,
}

/// Compares `text` with the file, or writes it if that is asked for.
fn check_or_bless(path: &Path, text: &str, blessing: Blessing) {
    let written = std::fs::read_to_string(path).unwrap_or_default();
    if written == text {
        return;
    }
    if let Some(bless) = std::env::var_os("ZEITNOT_BLESS") {
        let gone = written.lines().find(|line| !text.lines().any(|new| new == *line));
        if let (Blessing::Adds, Some(line), true) = (blessing, gone, bless != "unpublished") {
            panic!("{}: a published line would go: {line}", path.display());
        }
        std::fs::write(path, text).unwrap();
        return;
    }
    let differing = written.lines().zip(text.lines()).find(|(a, b)| a != b);
    panic!(
        "{} is not what the types say (first difference: {differing:?}). A published variant is frozen; \
         if this is a new one at the end, run the tests of zeitnot-proto with ZEITNOT_BLESS=1",
        path.display()
    );
}
