//! A journal that an earlier version wrote is read for ever.
//!
//! `golden/journal-v1.db` and what is in it, `golden/journal-v1.json`, are written anew with
//! `ZEITNOT_WRITE_GOLDEN=1`, which is right only before the format is published.

#![allow(clippy::unwrap_used)] // A test that cannot go on fails.

mod common;

use common::{a_move, append, created, ended, finish, finished, open, record};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use zeitnot_proto::command::Party;
use zeitnot_proto::control::GameFilter;
use zeitnot_proto::rules::GameId;
use zeitnot_proto::{Color, Event, Outcome, Reason};
use zeitnot_server::journal::{Journal, Record, SqliteJournal};

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name)
}

fn write_golden() {
    let dir = tempfile::tempdir().unwrap();
    let journal = open(dir.path());
    append(&journal, &created(1, "ann", "bob")).unwrap();
    append(&journal, &created(2, "cy", "dee")).unwrap();
    append(&journal, &record(2, 1, 1_000_000, Party::Server, vec![Event::GameStarted])).unwrap();
    for seq in 1..=4 {
        append(&journal, &a_move(1, seq, 2_000_000 + u64::from(seq))).unwrap();
    }
    let win = Outcome::win(Color::White, Reason::Resignation);
    finish(&journal, &ended(1, 5, 3_000_000, win.clone()), finished(1, "ann", "bob", Some(win))).unwrap();
    append(&journal, &a_move(2, 2, 4_000_000)).unwrap();
    let dump = dump(&journal);
    drop(journal);
    let database = rusqlite::Connection::open(dir.path().join("zeitnot.db")).unwrap();
    // The instants of the commits are the one thing that is not the same each time.
    database
        .execute_batch(
            "UPDATE journal SET prior_commit = 5000000 WHERE prior_commit IS NOT NULL;
             UPDATE pulse SET at = 5000000, committed = 5000000; PRAGMA journal_mode = delete; VACUUM;",
        )
        .unwrap();
    drop(database);
    std::fs::create_dir_all(golden("")).unwrap();
    std::fs::copy(dir.path().join("zeitnot.db"), golden("journal-v1.db")).unwrap();
    std::fs::write(golden("journal-v1.json"), dump).unwrap();
}

/// Everything that can be asked of a journal, a line each.
fn dump(journal: &SqliteJournal) -> String {
    let mut out = String::new();
    let mut line = |what: &str, record: &Record| {
        let Record { game, first, turn_began, at, by, command_id, entries } = record;
        let value = serde_json::json!({
            "from": what, "game": game, "first": first, "turn_began": turn_began, "at": at, "by": by,
            "command_id": command_id, "entries": entries,
        });
        writeln!(out, "{value}").unwrap();
    };
    journal.unfinished().unwrap().iter().for_each(|record| line("unfinished", record));
    journal.load(GameId(1)).unwrap().iter().for_each(|record| line("game 1", record));
    let (games, _) = journal.finished(&GameFilter::Finished, None, 10).unwrap();
    for summary in games {
        writeln!(out, "{}", serde_json::to_string(&summary).unwrap()).unwrap();
    }
    writeln!(out, "{}", serde_json::to_string(&journal.pgn(GameId(1)).unwrap()).unwrap()).unwrap();
    out
}

#[test]
fn a_journal_of_version_1_is_read() {
    if std::env::var_os("ZEITNOT_WRITE_GOLDEN").is_some() {
        write_golden();
    }
    let dir = tempfile::tempdir().unwrap();
    std::fs::copy(golden("journal-v1.db"), dir.path().join("zeitnot.db")).unwrap();
    let journal = open(dir.path());
    assert_eq!(dump(&journal), std::fs::read_to_string(golden("journal-v1.json")).unwrap());
    assert_eq!(journal.committed_at(GameId(2)).unwrap(), Some(zeitnot_proto::Stamp(5_000_000)));
    append(&journal, &a_move(2, 3, 6_000_000)).unwrap();
}
