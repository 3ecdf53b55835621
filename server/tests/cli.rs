//! The commands that work on a data directory: `token`, `export`, `backup`.

#![allow(clippy::unwrap_used)] // A test that cannot go on fails.

mod common;

use common::{a_move, append, created, ended, finish, finished, open};
use std::path::Path;
use std::process::{Command, Output};
use zeitnot_proto::rules::GameId;
use zeitnot_proto::{Color, Outcome, Reason};
use zeitnot_server::config::{Config, Settings};
use zeitnot_server::data_dir::DataDir;
use zeitnot_server::identity::Identities;
use zeitnot_server::journal::Journal;

fn zeitnot(dir: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_zeitnot-server"));
    command.args(arguments).env("ZEITNOT_DATA_DIR", dir).output().unwrap()
}

fn succeeds(dir: &Path, arguments: &[&str]) -> String {
    let output = zeitnot(dir, arguments);
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{arguments:?}: {out}{err}");
    out.into_owned()
}

/// What a command that fails says; never a panic.
fn fails(dir: &Path, arguments: &[&str]) -> String {
    let output = zeitnot(dir, arguments);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(matches!(output.status.code(), Some(1 | 2)), "{arguments:?}: {said}");
    said
}

#[test]
fn tokens_are_made_before_and_beside_a_server_and_revoked_beside_it() {
    let temporary = tempfile::tempdir().unwrap();
    let dir = temporary.path();
    let secret = succeeds(dir, &["token", "create", "ann", "--role", "player,arbiter", "--label", "phone"]);
    let journal = open(dir);
    let identities = Identities::open(&DataDir::create(dir).unwrap(), false).unwrap();
    let authenticate = |secret: &str| {
        let token = secret.trim().try_into().unwrap();
        identities.authenticate(&zeitnot_proto::control::Credential::Token(token))
    };
    let ann = authenticate(&secret).unwrap();
    assert!(&*ann.name == "ann" && ann.roles.player && ann.roles.arbiter && !ann.roles.admin);
    let bobs = succeeds(dir, &["token", "create", "bob"]);
    assert_eq!(&*authenticate(&bobs).unwrap().name, "bob");
    let listed = succeeds(dir, &["token", "list"]);
    assert!(listed.contains("player,arbiter") && listed.contains("phone") && !listed.contains(secret.trim()));

    let mut revoked = identities.revoked();
    succeeds(dir, &["token", "revoke", "ann"]);
    assert!(authenticate(&secret).is_err());
    assert_eq!(&*revoked.blocking_recv().unwrap(), "ann");
    assert!(fails(dir, &["token", "revoke", "ann"]).contains("token list"));
    assert!(fails(dir, &["token", "create", "guest-1"]).contains("cannot be a name"));
    append(&journal, &created(1, "ann", "bob")).unwrap();
}

#[test]
fn export_writes_finished_games_and_games_under_way_beside_a_server() {
    let temporary = tempfile::tempdir().unwrap();
    let dir = temporary.path();
    assert!(fails(dir, &["export", "--all"]).contains("--data-dir"));
    let journal = open(dir);
    let win = Outcome::win(Color::White, Reason::Resignation);
    for game in 1..=3 {
        append(&journal, &created(game, "ann", "bob")).unwrap();
        append(&journal, &a_move(game, 1, 5)).unwrap();
    }
    let row = finished(2, "ann", "bob", Some(win.clone()));
    finish(&journal, &ended(2, 2, 9, win), row).unwrap();
    let one = succeeds(dir, &["export", "--game", "3"]);
    assert!(one.contains("[GameId \"3\"]") && one.contains("1. Nf3") && one.contains("[Result \"*\"]"));
    assert_eq!(succeeds(dir, &["export", "--game", "2"]), "[White \"ann\"]\n");
    let all = succeeds(dir, &["export", "--all"]);
    assert_eq!(all.matches("[White ").count(), 3);
    let file = dir.join("games.pgn");
    succeeds(dir, &["export", "--all", "--output", file.to_str().unwrap()]);
    assert_eq!(std::fs::read_to_string(file).unwrap(), all);
    assert!(fails(dir, &["export", "--game", "9"]).contains("no game 9"));
    assert!(fails(dir, &["export"]).contains("--all"));
}

#[test]
fn a_backup_made_while_games_go_on_is_a_journal() {
    let temporary = tempfile::tempdir().unwrap();
    let dir = temporary.path();
    let restored = tempfile::tempdir().unwrap();
    let journal = open(dir);
    std::thread::scope(|scope| {
        let (stop, stopped) = std::sync::mpsc::channel();
        let journal = &journal;
        scope.spawn(move || {
            append(journal, &created(1, "ann", "bob")).unwrap();
            let mut seq = 1;
            while stopped.try_recv() == Err(std::sync::mpsc::TryRecvError::Empty) {
                append(journal, &a_move(1, seq, 5)).unwrap();
                seq += 1;
            }
        });
        while journal.load(GameId(1)).unwrap().len() < 20 {
            std::thread::yield_now();
        }
        let before = journal.load(GameId(1)).unwrap();
        let file = restored.path().join("zeitnot.db");
        succeeds(dir, &["backup", file.to_str().unwrap()]);
        let again = fails(dir, &["backup", file.to_str().unwrap()]);
        assert!(again.contains("exists"), "{again}");
        assert!(fails(dir, &["backup", "/no/such/place/x.db"]).contains("/no/such/place"));
        stop.send(()).unwrap();
        let copy = open(restored.path());
        let records = copy.load(GameId(1)).unwrap();
        assert_eq!(records[..before.len()], before[..]);
        // Play goes on from the copy.
        append(&copy, &a_move(1, u32::try_from(records.len()).unwrap(), 5)).unwrap();
    });
}

#[test]
fn the_help_names_flag_variable_key_and_default_of_every_setting() {
    let temporary = tempfile::tempdir().unwrap();
    let help = succeeds(temporary.path(), &["--help"]);
    for (name, default) in zeitnot_server::config::documented() {
        let key = name.replace('_', "-");
        for words in [
            format!("--{key} <"),
            format!("[env: ZEITNOT_{}=", name.to_uppercase()),
            format!("[file: {key}]"),
            format!("[default: {default}]"),
        ] {
            assert!(help.contains(&words), "{words} in {help}");
        }
    }
}

#[test]
fn a_server_that_makes_no_sense_is_not_started() {
    let temporary = tempfile::tempdir().unwrap();
    let dir = temporary.path();
    let said = fails(dir, &["--listen", "0.0.0.0:0"]);
    assert!(said.contains("--guests yes") && said.contains("--guests no"), "{said}");
    std::fs::write(dir.join("bad.toml"), "\nlisten = \"nowhere\"\n").unwrap();
    let said = fails(dir, &["--config", dir.join("bad.toml").to_str().unwrap()]);
    assert!(said.contains("line 2") && said.contains("nowhere"), "{said}");
    assert!(fails(dir, &["--limit-games", "0"]).contains("whole number"));
    let _running = open(dir);
    let said = fails(dir, &["--listen", "127.0.0.1:0", "--http", "off"]);
    assert!(said.contains("another server"), "{said}");
}

#[test]
fn every_limit_and_its_default_stand_in_the_documentation() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/limits.md");
    let text = std::fs::read_to_string(docs).unwrap();
    let documented = zeitnot_server::config::documented();
    let limits = documented.iter().filter(|(name, _)| name.starts_with("limit_"));
    for (name, default) in limits {
        let row = format!("| `{}` | {default} |", name.replace('_', "-"));
        assert!(text.contains(&row), "{row}");
    }
}

#[test]
fn the_settings_file_for_a_club_is_understood() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../deploy/zeitnot.toml");
    let config = Config::load(Some(&file), Settings::default()).unwrap();
    assert!(!config.guests && !config.listen.ip().is_loopback());
}
