//! The journal on a real disk: what goes in comes out, across groups, ends, sweeps and restarts.

#![allow(clippy::unwrap_used)] // A test that cannot go on fails.

mod common;

use common::{a_move, append, created, encoded, ended, finish, finished, open, open_with};
use std::time::{Duration, Instant};
use zeitnot_proto::control::GameFilter;
use zeitnot_proto::rules::GameId;
use zeitnot_proto::{Color, Outcome, Reason, Score, Seq, Stamp};
use zeitnot_server::data_dir::{DataDir, DataDirError};
use zeitnot_server::journal::{Journal, OpenError, Options, SqliteJournal, StoreError};

fn win(color: Color) -> Outcome {
    Outcome::win(color, Reason::Resignation)
}

/// Waits until `condition` holds; the writer works in its own time.
fn eventually(what: &str, condition: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !condition() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn what_goes_in_comes_out_in_order_also_after_a_restart() {
    let dir = tempfile::tempdir().unwrap();
    let mut records = vec![created(1, "ann", "bob"), created(2, "cy", "dee")];
    records.extend((1..=10).flat_map(|seq| [a_move(1, seq, 10), a_move(2, seq, 20)]));
    let journal = open(dir.path());
    for record in &records {
        append(&journal, record).unwrap();
    }
    assert_eq!(journal.unfinished().unwrap(), records);
    let of_two: Vec<_> = records.iter().filter(|r| r.game == GameId(2)).cloned().collect();
    assert_eq!(journal.load(GameId(2)).unwrap(), of_two);
    drop(journal);

    let journal = open(dir.path());
    assert_eq!(journal.unfinished().unwrap(), records);
    assert_eq!(journal.load(GameId(2)).unwrap(), of_two);
    assert_eq!(journal.load(GameId(3)).unwrap(), []);
    assert_eq!(journal.last_game().unwrap(), GameId(2));
    append(&journal, &a_move(1, 11, 30)).unwrap();
}

#[test]
fn a_record_that_does_not_follow_is_refused_and_the_rest_of_its_group_stands() {
    let dir = tempfile::tempdir().unwrap();
    let journal = open(dir.path());
    let waiting: Vec<_> = [created(1, "a", "b"), a_move(1, 2, 5), a_move(1, 1, 5), a_move(2, 1, 5)]
        .into_iter()
        .map(|record| journal.append(encoded(&record), None))
        .collect();
    let answers: Vec<_> = waiting.into_iter().map(|w| w.blocking_recv().unwrap()).collect();
    assert!(answers[0].is_ok() && answers[2].is_ok());
    assert_eq!(answers[1], Err(StoreError::Fenced { expected: Seq(1) }));
    assert_eq!(answers[3], Err(StoreError::Fenced { expected: Seq(0) }));
    assert_eq!(journal.load(GameId(1)).unwrap().len(), 2);
}

#[test]
fn the_instant_of_a_commit_is_found_again() {
    let dir = tempfile::tempdir().unwrap();
    let journal = open(dir.path());
    append(&journal, &created(1, "a", "b")).unwrap();
    let one = append(&journal, &a_move(1, 1, 5)).unwrap();
    let two = append(&journal, &created(2, "a", "b")).unwrap();
    assert!(one < two);
    assert_eq!(journal.committed_at(GameId(1)).unwrap(), Some(one));
    // A copy as a crash leaves it: the instant of the last commit stands in no row yet.
    let crashed = tempfile::tempdir().unwrap();
    for file in ["zeitnot.db", "zeitnot.db-wal"] {
        std::fs::copy(dir.path().join(file), crashed.path().join(file)).unwrap();
    }
    let after = open(crashed.path());
    assert_eq!(after.committed_at(GameId(1)).unwrap(), Some(one));
    assert_eq!(after.committed_at(GameId(2)).unwrap(), None);
    assert_eq!(after.last_durable().unwrap(), one);
    // What is written next does not pass for what was written before.
    let three = append(&after, &created(3, "a", "b")).unwrap();
    drop(after);
    let again = open(crashed.path());
    assert_eq!(again.committed_at(GameId(2)).unwrap(), Some(one));
    assert_eq!(again.committed_at(GameId(3)).unwrap(), Some(three));
    // An orderly end writes the last one as well.
    drop(journal);
    assert_eq!(open(dir.path()).committed_at(GameId(2)).unwrap(), Some(two));
}

#[test]
fn heartbeats_are_written_while_clocks_run() {
    let dir = tempfile::tempdir().unwrap();
    let journal = open(dir.path());
    append(&journal, &created(1, "a", "b")).unwrap();
    std::thread::sleep(Duration::from_millis(1_300));
    assert_eq!(journal.stats().heartbeats, 0);
    let before = journal.last_durable().unwrap();
    journal.clocks_running(1);
    eventually("two heartbeats", || journal.stats().heartbeats >= 2);
    assert!(journal.last_durable().unwrap().since(before) >= 1_000_000);
    // They are in the files: what is found after a crash is at most a second old.
    let crashed = tempfile::tempdir().unwrap();
    for file in ["zeitnot.db-wal", "zeitnot.db"] {
        std::fs::copy(dir.path().join(file), crashed.path().join(file)).unwrap();
    }
    assert!(open(crashed.path()).last_durable().unwrap().since(before) >= 1_000_000);
}

#[test]
fn a_finished_game_is_listed_and_keeps_its_record() {
    let dir = tempfile::tempdir().unwrap();
    let journal = open(dir.path());
    let records = [created(7, "ann", "bob"), a_move(7, 1, 5), ended(7, 2, 9, win(Color::White))];
    append(&journal, &records[0]).unwrap();
    append(&journal, &records[1]).unwrap();
    let row = finished(7, "ann", "bob", Some(win(Color::White)));
    finish(&journal, &records[2], row.clone()).unwrap();
    assert_eq!(journal.unfinished().unwrap(), []);
    assert_eq!(journal.load(GameId(7)).unwrap(), records);
    assert_eq!(journal.pgn(GameId(7)).unwrap().as_deref(), Some(&*row.pgn));
    assert_eq!(journal.pgn(GameId(8)).unwrap(), None);
    let all = journal.finished(&GameFilter::Finished, None, 10).unwrap();
    assert_eq!(all, (vec![row.summary], false));
    assert_eq!(journal.finished(&GameFilter::Live, None, 10).unwrap().0, []);

    // The arbiter corrects the result: in words of his own, 0-0.
    let zero = Outcome {
        scores: zeitnot_proto::ByColor::both(Score::ZERO),
        reason: Reason::Named("both phones rang".try_into().unwrap()),
        played: false,
    };
    let corrected = finished(7, "ann", "bob", Some(zero.clone()));
    let fourth = ended(7, 3, 11, zero);
    finish(&journal, &fourth, corrected.clone()).unwrap();
    // A decision that changes nothing of the row still belongs to the record.
    let fifth = ended(7, 4, 12, win(Color::Black));
    append(&journal, &fifth).unwrap();
    assert_eq!(append(&journal, &fifth), Err(StoreError::Fenced { expected: Seq(5) }));
    let whole = [records.as_slice(), &[fourth, fifth]].concat();
    assert_eq!(journal.load(GameId(7)).unwrap(), whole);
    drop(journal);
    let journal = open(dir.path());
    assert_eq!(journal.load(GameId(7)).unwrap(), whole);
    assert_eq!(journal.unfinished().unwrap(), []);
    let all = journal.finished(&GameFilter::Finished, None, 10).unwrap();
    assert_eq!(all, (vec![corrected.summary], false));
}

#[test]
fn lists_are_paged_and_a_players_games_are_his() {
    let dir = tempfile::tempdir().unwrap();
    let journal = open(dir.path());
    let names = ["ann", "bob", "cy"];
    for (game, turn) in (1..=30u64).zip(1..) {
        let white = names[turn % 3];
        let black = names[(turn + 1 + turn % 2) % 3];
        append(&journal, &created(game, white, black)).unwrap();
        // Game 9 is annulled: over without an outcome.
        let outcome = (game != 9).then(|| Outcome::draw(Reason::Agreement));
        let row = finished(game, white, black, outcome.clone());
        finish(&journal, &ended(game, 1, game, Outcome::draw(Reason::Agreement)), row).unwrap();
    }
    let mut seen = Vec::new();
    let mut before = None;
    loop {
        let (page, more) = journal.finished(&GameFilter::Finished, before, 7).unwrap();
        assert!(page.len() <= 7);
        seen.extend(page.iter().map(|line| line.game.0));
        before = page.last().map(|line| line.game);
        if !more {
            break;
        }
    }
    assert_eq!(seen, (1..=30).rev().collect::<Vec<_>>());
    let filter = GameFilter::Player("cy".try_into().unwrap());
    let (all, more) = journal.finished(&filter, None, 100).unwrap();
    assert!(!more && all.is_sorted_by(|a, b| a.game > b.game));
    assert!(all.iter().all(|line| &*line.players.white == "cy" || &*line.players.black == "cy"));
    let (head, more) = journal.finished(&filter, None, 4).unwrap();
    assert!(more);
    let (tail, _) = journal.finished(&filter, Some(head[3].game), 100).unwrap();
    assert_eq!([head, tail].concat(), all);
    assert_eq!(journal.finished(&GameFilter::Finished, Some(GameId(10)), 1).unwrap().0[0].outcome, None);
}

#[test]
fn a_sweep_takes_what_is_over_and_nothing_else() {
    let dir = tempfile::tempdir().unwrap();
    let journal = open_with(dir.path(), Options { sweep_rows: 60, ..Options::default() });
    let mut last = Vec::new();
    // Twenty games side by side; the even ones end. Every decision is a group of its own.
    for game in 1..=20 {
        append(&journal, &created(game, "a", "b")).unwrap();
    }
    for seq in 1..=5 {
        for game in 1..=20 {
            last.push((game, append(&journal, &a_move(game, seq, 5)).unwrap()));
        }
    }
    let live = || -> Vec<_> { (1..=20u64).filter(|game| game % 2 == 1).collect() };
    for game in (2..=20).step_by(2) {
        let row = finished(game, "a", "b", Some(win(Color::Black)));
        finish(&journal, &ended(game, 6, 9, win(Color::Black)), row).unwrap();
    }
    // Nine games are over when there is enough to sweep. Ten rows stay for the instant of the commit before
    // them, in which the last move of a game that goes on became durable.
    eventually("the rows are swept", || journal.stats().swept == 9 * 7 - 10);
    let before = journal.unfinished().unwrap();
    assert_eq!(before.len(), 10 * 6);
    // A correction after the sweep still finds its fence and its record.
    let late = ended(4, 7, 10, win(Color::White));
    finish(&journal, &late, finished(4, "a", "b", Some(win(Color::White)))).unwrap();
    assert_eq!(journal.load(GameId(4)).unwrap().len(), 8);
    drop(journal);
    let journal = open(dir.path());
    assert_eq!(journal.unfinished().unwrap(), before);
    for game in live() {
        let committed = last.iter().rev().find(|(g, _)| *g == game).map(|(_, at)| *at);
        assert_eq!(journal.committed_at(GameId(game)).unwrap(), committed, "game {game}");
        append(&journal, &a_move(game, 6, 20)).unwrap();
    }
}

#[test]
fn all_that_is_queued_goes_into_one_commit() {
    let dir = tempfile::tempdir().unwrap();
    let groups = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let seen = groups.clone();
    let observer = std::sync::Arc::new(move |group: zeitnot_server::journal::Group| {
        seen.lock().unwrap().push(group.records);
    });
    let options = Options { group_max: 100, observer: Some(observer), ..Options::default() };
    let journal = open_with(dir.path(), options);
    let waiting: Vec<_> =
        (1..=1000).map(|game| journal.append(encoded(&created(game, "a", "b")), None)).collect();
    let instants: Vec<Stamp> = waiting.into_iter().map(|w| w.blocking_recv().unwrap().unwrap()).collect();
    assert!(instants.is_sorted());
    let groups = groups.lock().unwrap();
    assert_eq!(groups.iter().sum::<usize>(), 1000);
    assert!(groups.iter().all(|&records| records <= 100));
    assert!(groups.len() < 100, "{} groups", groups.len());
    assert_eq!(journal.stats().commits, groups.len() as u64);
    assert_eq!(journal.stats().queued, 0);
}

#[test]
fn a_full_queue_refuses_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let journal = open_with(dir.path(), Options { queue_max: 2, group_max: 1, ..Options::default() });
    let waiting: Vec<_> =
        (1..=200).map(|game| journal.append(encoded(&created(game, "a", "b")), None)).collect();
    let answers: Vec<_> = waiting.into_iter().map(|w| w.blocking_recv().unwrap()).collect();
    let refused = answers.iter().filter(|a| matches!(a, Err(StoreError::Down(_)))).count();
    assert!(refused > 0);
    assert_eq!(journal.unfinished().unwrap().len(), 200 - refused);
}

#[test]
fn only_one_server_and_only_our_database() {
    let dir = tempfile::tempdir().unwrap();
    let data = DataDir::create(dir.path()).unwrap();
    let journal = open(dir.path());
    let second = SqliteJournal::open(&data, Options::default());
    assert!(matches!(second.err(), Some(OpenError::DataDir(DataDirError::Locked(_)))));
    drop(journal);

    let database = rusqlite::Connection::open(data.database()).unwrap();
    database.pragma_update(None, "user_version", 99).unwrap();
    let newer = SqliteJournal::open(&data, Options::default());
    assert!(matches!(newer.err(), Some(OpenError::Newer(_))));
    database.pragma_update(None, "application_id", 0).unwrap();
    let other = SqliteJournal::open(&data, Options::default());
    assert!(matches!(other.err(), Some(OpenError::NotOurs(_))));
    drop(database);

    std::fs::write(data.database(), vec![7; 8192]).unwrap();
    assert!(matches!(SqliteJournal::open(&data, Options::default()).err(), Some(OpenError::Sqlite(..))));
}

#[test]
fn a_damaged_row_is_an_error_with_its_place() {
    let dir = tempfile::tempdir().unwrap();
    let journal = open(dir.path());
    append(&journal, &created(1, "a", "b")).unwrap();
    append(&journal, &a_move(1, 1, 5)).unwrap();
    let data = DataDir::create(dir.path()).unwrap();
    let vandal = rusqlite::Connection::open(data.database()).unwrap();
    vandal.execute("UPDATE journal SET entries = x'ff00' WHERE first = 1", []).unwrap();
    let error = journal.unfinished().unwrap_err();
    assert!(matches!(&error, StoreError::Corrupt(what) if what.contains("game 1, event 1")), "{error}");
    vandal.execute("UPDATE journal SET format = 77 WHERE first = 1", []).unwrap();
    assert!(matches!(journal.load(GameId(1)), Err(StoreError::Corrupt(_))));
}

#[test]
fn anyone_can_read_the_finished_games_with_sql() {
    let dir = tempfile::tempdir().unwrap();
    let journal = open(dir.path());
    append(&journal, &created(1, "ann", "bob")).unwrap();
    let row = finished(1, "ann", "bob", Some(win(Color::White)));
    finish(&journal, &ended(1, 1, 9, win(Color::White)), row).unwrap();
    let data = DataDir::create(dir.path()).unwrap();
    let reader = rusqlite::Connection::open(data.database()).unwrap();
    let line: String = reader
        .query_row(
            "SELECT white || ' ' || black || ' ' || time_control || ' ' || edition || ' ' || speed || ' '
                 || result || ' ' || reason || ' ' || moves || ' ' || created || ' ' || ended FROM games",
            [],
            |row| row.get(0),
        )
        .unwrap();
    let expected = "ann bob 300+3 fide-2023 standard 1-0 resignation g1f3 1970-01-01T00:00:01Z \
                    1970-01-01T00:00:02Z";
    assert_eq!(line, expected);
}
