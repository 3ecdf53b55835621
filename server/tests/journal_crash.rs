//! The journal of a process that is killed, and on a disk that fills up. The process is this test
//! binary again, as [`child`].

#![allow(clippy::unwrap_used)] // A test that cannot go on fails.

mod common;

use common::{a_move, created, encoded, ended, finished, open};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};
use zeitnot_proto::rules::GameId;
use zeitnot_proto::{Color, Outcome, Reason, Stamp};
use zeitnot_server::journal::{Journal, SqliteJournal, StoreError};

/// Tells [`child`] what to do and where.
const ROLE: &str = "ZEITNOT_TEST_JOURNAL_ROLE";
const DIR: &str = "ZEITNOT_TEST_JOURNAL_DIR";

/// What the spawned process runs; nothing when the tests run by themselves.
#[test]
fn child() {
    let (Ok(role), Ok(dir)) = (std::env::var(ROLE), std::env::var(DIR)) else { return };
    let journal = open(Path::new(&dir));
    match role.as_str() {
        "play" => play_on(&journal),
        "fill" => fill(&journal, Path::new(&dir)),
        _ => panic!("no such role: {role}"),
    }
}

/// A command that runs [`child`].
fn child_command(role: &str, dir: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "child", "--nocapture"]).env(ROLE, role).env(DIR, dir);
    command
}

/// Games that go on at the same time.
const GAMES: u64 = 8;

/// Plays games side by side for ever, and says of each decision that it is durable: `ack GAME SEQ AT`.
/// Games end after thirty moves and others begin.
fn play_on(journal: &SqliteJournal) {
    let out = std::io::stdout();
    let mut next: Vec<(u64, u32)> = Vec::new();
    for record in journal.unfinished().unwrap() {
        let after = record.first.0 + u32::try_from(record.entries.len()).unwrap();
        match next.iter_mut().find(|(game, _)| *game == record.game.0) {
            Some((_, seq)) => *seq = after,
            None => next.push((record.game.0, after)),
        }
    }
    let mut last = journal.last_game().unwrap().0;
    while (next.len() as u64) < GAMES {
        last += 1;
        next.push((last, 0));
    }
    loop {
        let waiting: Vec<_> = next.iter().map(|&(game, seq)| journal.append_next(game, seq, 0)).collect();
        for (slot, committed) in next.iter_mut().zip(waiting) {
            let at = committed.blocking_recv().unwrap().unwrap();
            writeln!(out.lock(), "ack {} {} {}", slot.0, slot.1, at.0).unwrap();
            slot.1 += 1;
            if slot.1 > 30 {
                last += 1;
                *slot = (last, 0);
            }
        }
    }
}

trait Play {
    /// Appends what comes at `seq` in a game of 31 events, which leaves so many bytes of PGN more.
    fn append_next(&self, game: u64, seq: u32, padding: usize) -> zeitnot_server::journal::Committed;
}

impl Play for SqliteJournal {
    fn append_next(&self, game: u64, seq: u32, padding: usize) -> zeitnot_server::journal::Committed {
        let win = Outcome::win(Color::White, Reason::Resignation);
        match seq {
            0 => self.append(encoded(&created(game, "ann", "bob")), None),
            1..30 => self.append(encoded(&a_move(game, seq, 1_000)), None),
            _ => {
                let mut row = finished(game, "ann", "bob", Some(win.clone()));
                row.pgn.extend(std::iter::repeat_n(' ', padding));
                self.append(encoded(&ended(game, seq, 1_000, win)), Some(Box::new(row)))
            }
        }
    }
}

/// One line of [`play_on`].
fn ack(line: &str) -> Option<(u64, u32, Stamp)> {
    let mut words = line.strip_prefix("ack ")?.split(' ');
    let mut number = || words.next()?.parse::<u64>().ok();
    Some((number()?, u32::try_from(number()?).ok()?, Stamp(number()?)))
}

/// A small generator for instants at which to kill; the seed is printed with a failure.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

#[test]
fn a_killed_server_has_lost_nothing_that_was_acknowledged() {
    let seed = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_nanos();
    let mut random = Random(u64::try_from(seed & u128::from(u64::MAX)).unwrap() | 1);
    let dir = tempfile::tempdir().unwrap();
    let mut acknowledged: Vec<(u64, u32, Stamp)> = Vec::new();
    for round in 0..20 {
        let mut server = child_command("play", dir.path()).stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(server.stdout.take().unwrap());
        // The instant counts from the first acknowledgement, so that there is something to lose.
        let mut first = String::new();
        while ack(first.trim_end()).is_none() {
            first.clear();
            assert!(lines.read_line(&mut first).unwrap() > 0, "the server ended by itself");
        }
        let reader = std::thread::spawn(move || {
            let mut text = first;
            // A line that the kill cut in half was not read by anyone.
            let _ = lines.read_to_string(&mut text);
            text
        });
        std::thread::sleep(Duration::from_micros(random.below(150_000)));
        server.kill().unwrap();
        server.wait().unwrap();
        let text = reader.join().unwrap();
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        let fresh: Vec<_> = whole.lines().filter_map(ack).collect();
        acknowledged.extend(&fresh);

        let journal = open(dir.path());
        let mut games: Vec<u64> = acknowledged.iter().map(|(game, ..)| *game).collect();
        games.sort_unstable();
        games.dedup();
        for game in games {
            let records = journal.load(GameId(game)).unwrap();
            let acked: Vec<_> = acknowledged.iter().filter(|(g, ..)| *g == game).collect();
            let last = acked.iter().map(|(_, seq, _)| *seq).max().unwrap();
            assert!(
                records.len() > last as usize,
                "round {round}, seed {seed}: game {game} has {} decisions, number {last} was acknowledged",
                records.len()
            );
            assert!(records.iter().enumerate().all(|(at, record)| record.first.0 as usize == at));
        }
        // What recovery takes for the beginning of a turn is the instant that was given out, unless the
        // kill came before that was written.
        for (game, seq, given) in fresh {
            let is_last = journal.load(GameId(game)).unwrap().len() == seq as usize + 1;
            let found = journal.committed_at(GameId(game)).unwrap();
            assert!(!is_last || found.is_none_or(|at| at == given), "round {round}, seed {seed}");
        }
    }
    assert!(acknowledged.len() > 200, "only {} decisions in 20 rounds", acknowledged.len());
}

/// Fills the disk by playing, says so, waits until there is room again, and plays on.
fn fill(journal: &SqliteJournal, dir: &Path) {
    let mut commands = std::io::stdin().lines();
    let ballast = dir.join("ballast");
    let mut health = journal.health();
    let mut acknowledged = Vec::new();
    let mut refused = 0;
    let mut seq = 0;
    let mut first_refusal = None;
    let deadline = Instant::now() + Duration::from_mins(1);
    while Instant::now() < deadline {
        let game = 1 + u64::from(seq / 31);
        match journal.append_next(game, seq % 31, 40_000).blocking_recv().unwrap() {
            Ok(at) => {
                acknowledged.push((game, seq % 31, at));
                seq += 1;
                if first_refusal.is_some_and(|from| seq > from + 100) {
                    break;
                }
            }
            Err(StoreError::Down(_)) => {
                refused += 1;
                // Room in the log may be all that is missing: that comes back by itself.
                let by_itself = wait_for(&mut health, Duration::from_millis(600));
                if by_itself || first_refusal.is_some() {
                    continue;
                }
                first_refusal = Some(seq);
                // Reading goes on while nothing can be written.
                assert!(journal.load(GameId(1)).unwrap().len() > 1);
                println!("full");
                assert_eq!(commands.next().unwrap().unwrap(), "room");
                let _ = std::fs::remove_file(&ballast);
                assert!(wait_for(&mut health, Duration::from_secs(20)), "not up again");
            }
            Err(other) => panic!("{other}"),
        }
    }
    assert!(first_refusal.is_some() && Instant::now() < deadline, "never full, or never up again");
    for (game, seq, _) in &acknowledged {
        assert!(journal.load(GameId(*game)).unwrap().len() > *seq as usize);
    }
    println!("done {} {refused} {}", acknowledged.len(), journal.stats().failures);
}

/// Whether the store is up within that time.
fn wait_for(health: &mut tokio::sync::watch::Receiver<bool>, time: Duration) -> bool {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async { tokio::time::timeout(time, health.wait_for(|up| *up)).await.is_ok() })
}

/// Runs [`fill`] under `command` until it says that the disk is full; then `make_room`.
fn fill_and_recover(command: &mut Command, make_room: impl FnOnce(&Child)) {
    let mut server = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin: ChildStdin = server.stdin.take().unwrap();
    let mut lines = BufReader::new(server.stdout.take().unwrap());
    wait_for_line(&mut lines, "full");
    make_room(&server);
    writeln!(stdin, "room").unwrap();
    wait_for_line(&mut lines, "done");
    assert!(server.wait().unwrap().success());
}

fn wait_for_line(lines: &mut BufReader<ChildStdout>, word: &str) {
    let mut line = String::new();
    while !line.starts_with(word) {
        line.clear();
        assert!(lines.read_line(&mut line).unwrap() > 0, "the server ended before it said `{word}`");
    }
}

/// Whether a program can be run here at all.
fn runs(program: &str, args: &[&str]) -> bool {
    Command::new(program).args(args).output().is_ok_and(|output| output.status.success())
}

#[test]
fn writes_that_fail_stop_the_journal_until_they_succeed() {
    if !runs("prlimit", &["--version"]) {
        eprintln!("left out: no prlimit here to take the limit away again");
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    // A limit on the size of files: writing beyond it is an error, once its signal is ignored.
    let child = child_command("fill", dir.path());
    let mut shell = Command::new("sh");
    shell.args(["-c", "trap '' XFSZ; ulimit -S -f 400; exec \"$@\"", "sh"]);
    shell.arg(child.get_program()).args(child.get_args()).env(ROLE, "fill").env(DIR, dir.path());
    fill_and_recover(&mut shell, |server| {
        let pid = server.id().to_string();
        assert!(runs("prlimit", &["--pid", &pid, "--fsize=unlimited:"]));
    });
    assert!(open(dir.path()).last_game().unwrap() > GameId(3));
}

#[test]
fn a_full_disk_stops_the_journal_until_there_is_room() {
    let namespace = ["--user", "--map-root-user", "--mount"];
    if !runs("unshare", &[&namespace[..], &["sh", "-c", "mount -t tmpfs none /tmp"]].concat()) {
        eprintln!("left out: no file system of one's own can be mounted here");
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let child = child_command("fill", dir.path());
    let mut shell = Command::new("unshare");
    shell.args(namespace).args(["sh", "-c"]);
    shell.arg(format!(
        "mount -t tmpfs -o size=3m none \"${DIR}\" && head -c 2000000 /dev/zero >\"${DIR}/ballast\" && exec \"$@\""
    ));
    shell.arg("sh").arg(child.get_program()).args(child.get_args()).env(ROLE, "fill").env(DIR, dir.path());
    // The child itself removes the ballast: only it sees that file system.
    fill_and_recover(&mut shell, |_| {});
}
