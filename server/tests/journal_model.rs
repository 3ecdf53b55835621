//! The journal against a model of it, over random histories: appends in groups, ends, corrections, sweeps,
//! orderly restarts, and crashes, which are copies of the files as they are at that instant.

#![allow(clippy::unwrap_used)] // A test that cannot go on fails.

mod common;

use common::{a_move, created, encoded, ended, finished, open_with};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;
use tempfile::TempDir;
use zeitnot_proto::control::GameFilter;
use zeitnot_proto::rules::GameId;
use zeitnot_proto::{Color, Outcome, Reason, Stamp};
use zeitnot_server::journal::{Journal, Options, Record, SqliteJournal};

/// Games of a history.
const GAMES: u64 = 6;

/// What happens next.
#[derive(Debug, Clone)]
enum Step {
    /// These games get their next decision, all of them queued before anyone waits.
    Group(Vec<Turn>),
    /// The server stops in order and starts again.
    Restart,
    /// The server is killed and starts again.
    Crash,
}

#[derive(Debug, Clone, Copy)]
struct Turn {
    game: u64,
    ends: bool,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let turn = (1..=GAMES, prop::bool::weighted(0.15)).prop_map(|(game, ends)| Turn { game, ends });
    let step = prop_oneof![
        8 => prop::collection::vec(turn, 1..6).prop_map(Step::Group),
        1 => Just(Step::Restart),
        1 => Just(Step::Crash),
    ];
    prop::collection::vec(step, 1..60)
}

/// A game as the journal should know it.
#[derive(Debug, Default)]
struct Game {
    records: Vec<Record>,
    over: bool,
    /// The instant that was given out for the last record.
    committed: Stamp,
    /// Whether that instant itself may be lost by now: nothing was written after it before a crash.
    uncertain: bool,
}

#[derive(Default)]
struct Model {
    games: BTreeMap<u64, Game>,
    /// The order in which records were written.
    order: Vec<(u64, usize)>,
    /// Games of the last group.
    last_group: Vec<u64>,
}

struct World {
    dir: TempDir,
    journal: Option<SqliteJournal>,
    model: Model,
}

fn options() -> Options {
    Options { sweep_rows: 12, ..Options::default() }
}

impl World {
    fn new() -> World {
        let dir = tempfile::tempdir().unwrap();
        let journal = Some(open_with(dir.path(), options()));
        World { dir, journal, model: Model::default() }
    }

    fn journal(&self) -> &SqliteJournal {
        self.journal.as_ref().unwrap()
    }

    fn group(&mut self, turns: &[Turn]) {
        let mut waiting = Vec::new();
        let win = Outcome::win(Color::White, Reason::Resignation);
        for &Turn { game, ends } in turns {
            let known = self.model.games.entry(game).or_default();
            let seq = u32::try_from(known.records.len()).unwrap();
            let ends = (ends || known.over) && seq > 0;
            let record = match (seq, ends) {
                (0, _) => created(game, "ann", "bob"),
                (_, true) => ended(game, seq, 7, win.clone()),
                _ => a_move(game, seq, 5),
            };
            let row = ends.then(|| Box::new(finished(game, "ann", "bob", Some(win.clone()))));
            self.model.order.push((game, known.records.len()));
            known.records.push(record.clone());
            known.over |= ends;
            known.uncertain = false;
            waiting.push((game, self.journal.as_ref().unwrap().append(encoded(&record), row)));
        }
        // They may become more than one group: the instants only go up.
        self.model.last_group.clear();
        let mut last = Stamp(0);
        for (game, committed) in waiting {
            let at = committed.blocking_recv().unwrap().unwrap();
            assert!(at >= last);
            if at > last {
                self.model.last_group.clear();
            }
            last = at;
            self.model.last_group.push(game);
            self.model.games.get_mut(&game).unwrap().committed = at;
        }
    }

    fn restart(&mut self) {
        self.journal = None;
        self.journal = Some(open_with(self.dir.path(), options()));
        self.model.last_group.clear();
    }

    fn crash(&mut self) {
        let dir = tempfile::tempdir().unwrap();
        copy(self.dir.path(), dir.path());
        self.journal = None;
        self.dir = dir;
        self.journal = Some(open_with(self.dir.path(), options()));
        for game in self.model.last_group.drain(..) {
            self.model.games.get_mut(&game).unwrap().uncertain = true;
        }
    }

    fn check(&self) {
        let journal = self.journal();
        let games = &self.model.games;
        let unfinished: Vec<Record> = self
            .model
            .order
            .iter()
            .filter(|(game, _)| !games[game].over)
            .map(|(game, index)| games[game].records[*index].clone())
            .collect();
        assert_eq!(journal.unfinished().unwrap(), unfinished);
        for (&game, known) in games {
            assert_eq!(journal.load(GameId(game)).unwrap(), known.records);
            if !known.over && !known.uncertain {
                assert_eq!(journal.committed_at(GameId(game)).unwrap(), Some(known.committed), "game {game}");
            }
        }
        let over: Vec<u64> =
            games.iter().rev().filter(|(_, known)| known.over).map(|(game, _)| *game).collect();
        let (listed, _) = journal.finished(&GameFilter::Finished, None, 100).unwrap();
        assert_eq!(listed.iter().map(|line| line.game.0).collect::<Vec<_>>(), over);
        assert_eq!(journal.last_game().unwrap().0, games.keys().max().copied().unwrap_or(0));
    }
}

/// What a killed server leaves: the database and its log. The log first: whatever of it is copied into the
/// database meanwhile is in both then.
fn copy(from: &Path, to: &Path) {
    for file in ["zeitnot.db-wal", "zeitnot.db"] {
        if from.join(file).exists() {
            std::fs::copy(from.join(file), to.join(file)).unwrap();
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_the_journal_knows_what_the_model_knows(steps in steps()) {
        let mut world = World::new();
        for step in steps {
            match step {
                Step::Group(turns) => world.group(&turns),
                Step::Restart => world.restart(),
                Step::Crash => world.crash(),
            }
            world.check();
        }
    }
}
