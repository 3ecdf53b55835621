//! The scenarios of the Laws against a live server over QUIC: the same files, the same expectations.
//!
//! Only the time is not the machine's: the process takes the server's time line into its own hand through
//! the library, so that an hour passes at once and a stamp is what the file says.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::runtime::Runtime;
use zeitnot_laws::Game;
use zeitnot_laws::scenario::{BASE, Reported, Run, Scenario, Table};
use zeitnot_proto::command::{Command, Party};
use zeitnot_proto::control::{Credential, NewGame, Reply, Request};
use zeitnot_proto::game_stream::{Attach, Events, FromGame, Seat, ToGame};
use zeitnot_proto::snapshot::Status;
use zeitnot_proto::{ByColor, Event, GameId, Interval, Refusal, Seq, Stamp, Text};
use zeitnot_server::clock::{self, Hand};
use zeitnot_server::config::Config;
use zeitnot_server::serve::{self, Running};
use zeitnot_tests::programs;
use zeitnot_tests::raw::{self, Raw, Stream};
use zeitnot_tests::server::Contact;

/// The server of this process and the time that it goes by.
struct Hall {
    runtime: Runtime,
    running: Running,
    hand: Hand,
    organizer: (Raw, Stream),
    arbiter: Raw,
    players: ByColor<Raw>,
    _controls: Vec<Stream>,
    _data: tempfile::TempDir,
    now: Stamp,
    request: u32,
}

impl Hall {
    fn open() -> Hall {
        let start = BASE.plus(1_000_000_000);
        let hand = clock::drive_by_hand(start).expect("nobody has asked for the time yet");
        let runtime = Runtime::new().unwrap();
        let data = tempfile::tempdir().unwrap();
        let config = Config {
            data: data.path().to_owned(),
            listen: "127.0.0.1:0".parse().unwrap(),
            http: None,
            ..Config::default()
        };
        let running = runtime.block_on(serve::start(&config)).unwrap();
        let contact = Contact { address: running.address, pin: running.pin.parse().unwrap() };
        let mut controls = Vec::new();
        let enter = |name: &str, role: &str| {
            let token = token(data.path(), name, role);
            let (raw, control, _) = runtime.block_on(Raw::hello(contact, Credential::Token(token)));
            (raw, control)
        };
        let organizer = enter("organizer", "organizer");
        let (arbiter, control) = enter("arbiter", "arbiter");
        controls.push(control);
        let (white, control) = enter("white", "player");
        controls.push(control);
        let (black, control) = enter("black", "player");
        controls.push(control);
        let players = ByColor::new(white, black);
        Hall {
            runtime,
            running,
            hand,
            organizer,
            arbiter,
            players,
            _controls: controls,
            _data: data,
            now: start,
            request: 0,
        }
    }

    /// Sets a game up at the table of this run; a refusal if it cannot be.
    fn set_up(&mut self, run: &Run) -> Result<Live<'_>, Refusal> {
        // Each run has a stretch of time to itself.
        let shift_us = self.now.since(BASE) + 1_000_000_000;
        let opened_at = run.opened_at();
        self.hand.set(opened_at.plus(shift_us));
        let mut setup = run.setup();
        if let Some(hour) = &mut setup.terms.start.scheduled {
            *hour = hour.plus(shift_us);
        }
        let new = NewGame {
            players: setup.players,
            terms: setup.terms,
            event: Text::default(),
            round: Text::default(),
        };
        self.request += 1;
        let create = raw::request(&mut self.organizer.1, self.request, Request::CreateGame(Box::new(new)));
        let game = match self.runtime.block_on(create)? {
            Reply::Game(game) => game,
            other => panic!("{other:?}"),
        };
        let (mut shadow, entries) = Game::open(run.setup(), opened_at).unwrap();
        let mut events = Vec::new();
        for entry in &entries {
            shadow.apply(opened_at, &entry.event);
            events.push(Reported::entry(opened_at, entry));
        }
        shadow.turn_began(opened_at);
        let seat = |raw: &Raw, seat| self.runtime.block_on(Chair::sit(raw, game, seat));
        let arbiter = seat(&self.arbiter, Seat::Arbiter);
        let device = seat(&self.arbiter, Seat::Device);
        let players =
            ByColor::new(seat(&self.players.white, Seat::Player), seat(&self.players.black, Seat::Player));
        let mut live = Live { hall: self, shift_us, game, shadow, events, arbiter, device, players, id: 0 };
        // Both players have come.
        while live.shadow.snapshot().present != ByColor::both(true) {
            assert!(live.hear(), "the players' coming was to be told");
        }
        Ok(live)
    }
}

/// A token from the server's own command, beside the running server.
fn token(data: &Path, name: &str, role: &str) -> Text<{ zeitnot_proto::limits::TOKEN_MAX }> {
    let output = std::process::Command::new(programs::server())
        .args(["token", "create", name, "--role", role, "--data-dir"])
        .arg(data)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said = String::from_utf8(output.stdout).unwrap();
    let word = said.split_whitespace().find(|word| word.starts_with("zeitnot_")).unwrap();
    Text::new(word).unwrap()
}

/// A stream of the game, and how far its events have been read.
struct Chair {
    stream: Stream,
    last: Seq,
}

impl Chair {
    async fn sit(raw: &Raw, game: GameId, seat: Seat) -> Chair {
        let mut stream = raw.attach(Attach { game, seat, after: None, legal_moves: false }).await;
        match stream.next::<FromGame>().await {
            Ok(FromGame::Snapshot { snapshot, .. }) => Chair { stream, last: snapshot.seq },
            other => panic!("a snapshot was due, {other:?} came"),
        }
    }

    async fn next(&mut self) -> FromGame {
        let frame =
            self.stream.next::<FromGame>().await.unwrap_or_else(|end| panic!("the stream ended: {end:?}"));
        if let FromGame::Events(events) = &frame {
            assert_eq!(events.first, self.last.next(), "gapless");
            self.last = Seq(self.last.0 + u32::try_from(events.entries.len()).unwrap());
        }
        frame
    }
}

/// A game on the live server, followed by folding what the arbiter is told.
struct Live<'a> {
    hall: &'a mut Hall,
    /// From the time of the file to that of the server.
    shift_us: u64,
    game: GameId,
    shadow: Game,
    events: Vec<Reported>,
    arbiter: Chair,
    device: Chair,
    players: ByColor<Chair>,
    id: u64,
}

impl Live<'_> {
    /// It is `at` by the file.
    fn set(&mut self, at: Stamp) {
        self.hall.now = self.hall.now.max(at.plus(self.shift_us));
        self.hall.hand.set(at.plus(self.shift_us));
    }

    fn back(&self, at: Stamp) -> Stamp {
        Stamp(at.0 - self.shift_us)
    }

    /// Takes the arbiter's next events in. False if none come.
    fn hear(&mut self) -> bool {
        let runtime = &self.hall.runtime;
        loop {
            let next = async { tokio::time::timeout(Duration::from_secs(5), self.arbiter.next()).await };
            match runtime.block_on(next) {
                Ok(FromGame::Events(events)) => {
                    self.take(*events);
                    return true;
                }
                Ok(_) => {}
                Err(_) => return false,
            }
        }
    }

    fn take(&mut self, events: Events) {
        let at = self.back(events.at);
        for mut entry in events.entries {
            entry.event = self.by_the_file(entry.event);
            self.shadow.apply(at, &entry.event);
            self.events.push(Reported::entry(at, &entry));
        }
        if let Some(began) = events.clock.began {
            self.shadow.turn_began(self.back(began));
        }
    }

    /// The event with its instants as the file counts them.
    fn by_the_file(&self, event: Event) -> Event {
        let interval =
            |i: Interval| Interval { earliest: self.back(i.earliest), latest: self.back(i.latest) };
        match event {
            Event::FlagFell { side, earliest, latest, source } => {
                let Interval { earliest, latest } = interval(Interval { earliest, latest });
                Event::FlagFell { side, earliest, latest, source }
            }
            Event::FlagsReported { flags } => {
                Event::FlagsReported { flags: flags.map(|flag| flag.map(interval)) }
            }
            Event::BothFlagsDown { order, flags } => {
                Event::BothFlagsDown { order, flags: flags.map(interval) }
            }
            other => other,
        }
    }

    /// The command with its instants as the server counts them.
    fn by_the_server(&self, command: &Command) -> Command {
        let there = |at: Stamp| at.plus(self.shift_us);
        match command {
            Command::ReportFlags(flags) => {
                Command::ReportFlags(flags.map(|flag| {
                    flag.map(|i| Interval { earliest: there(i.earliest), latest: there(i.latest) })
                }))
            }
            other => other.clone(),
        }
    }

    /// A search for a mate answers by itself.
    fn await_searches(&mut self) {
        while matches!(self.shadow.status(), Status::AwaitingRuling(topic) if &*topic == "mate_search") {
            assert!(self.hear(), "the search was to answer");
        }
    }
}

impl Table for Live<'_> {
    fn game(&self) -> &Game {
        &self.shadow
    }

    fn events(&self) -> &[Reported] {
        &self.events
    }

    fn give(&mut self, at: Stamp, by: Party, command: &Command) {
        self.set(at);
        self.id += 1;
        let id = self.id;
        let on = command.names_position().then(|| self.shadow.position_seq());
        let frame = ToGame::Command { id, on, command: self.by_the_server(command) };
        let chair = match by {
            Party::White => &mut self.players.white,
            Party::Black => &mut self.players.black,
            Party::Device => &mut self.device,
            _ => &mut self.arbiter,
        };
        let arbiter = by == Party::Arbiter;
        let mut heard = Vec::new();
        let result = self.hall.runtime.block_on(async {
            chair.stream.send(&frame).await;
            loop {
                match chair.next().await {
                    FromGame::Answer { id: of, result } if of == id => break result,
                    FromGame::Events(events) => heard.push(*events),
                    _ => {}
                }
            }
        });
        let told = chair.last;
        if arbiter {
            for events in heard {
                self.take(events);
            }
        }
        // Whatever the sender saw before the answer, the arbiter sees too.
        while self.shadow.seq().is_none_or(|seq| seq < told) {
            assert!(self.hear(), "the arbiter was to see event {told:?}");
        }
        if let Err(refusal) = result {
            self.events.push(Reported::rejected(at, refusal));
        }
        self.await_searches();
    }

    fn pass(&mut self, due: Stamp) -> bool {
        self.set(due);
        let heard = self.hear();
        self.await_searches();
        heard
    }
}

fn scenarios() -> Vec<(String, Scenario)> {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../server/laws/scenarios"));
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.retain(|file| file.extension().is_some_and(|e| e == "toml"));
    let read = |file: &Path| Scenario::read(&std::fs::read_to_string(file).unwrap()).unwrap();
    files.iter().map(|file| (file.file_name().unwrap().to_string_lossy().into_owned(), read(file))).collect()
}

#[test]
fn every_scenario_holds_on_a_live_server() {
    let mut hall = Hall::open();
    let mut failures = Vec::new();
    let mut runs = 0;
    for (file, scenario) in scenarios() {
        for run in &scenario.runs {
            runs += 1;
            let outcome = match hall.set_up(run) {
                Ok(mut live) => run.play_on(&mut live),
                Err(refusal) => run.not_opened(refusal),
            };
            for failure in outcome.failures {
                failures.push(format!("{file}:{}: {}: {}", failure.line, run.name, failure.what));
                failures.extend(outcome.events.iter().map(|event| format!("    {}", event.line())));
            }
            if let Some(processed) = run.steps.iter().position(|step| step.processed_at_us.is_some()) {
                failures
                    .extend(processed_late(&mut hall, run, processed).map(|what| format!("{file}: {what}")));
            }
        }
    }
    assert!(runs > 50, "{runs} runs");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Law 2023 6.9, and the rule that stamps decide: the timer wakes at or after the flag while a move that was
/// stamped before it is still on its way into the mailbox.
fn processed_late(hall: &mut Hall, run: &Run, step: usize) -> Option<String> {
    let step = &run.steps[step];
    let (by, command) = step.input.clone()?;
    let mut live = hall.set_up(run).unwrap();
    let handle = live.hall.running.server.hub.game(live.game)?;
    // A reader of this game is between stamp and enqueue.
    handle.stamping.fetch_add(1, Ordering::SeqCst);
    live.set(BASE.plus(step.at_us));
    let on = Some(live.shadow.position_seq());
    let frame = ToGame::Command { id: 1, on, command };
    let side = by.side()?;
    let chair = &mut live.players[side];
    live.hall.runtime.block_on(async {
        chair.stream.send(&frame).await;
        tokio::time::sleep(Duration::from_millis(200)).await;
    });
    // The time of the flag passes, its timer fires, and still nothing may be decided.
    live.set(BASE.plus(step.processed_at_us?));
    std::thread::sleep(Duration::from_millis(100));
    handle.stamping.fetch_sub(1, Ordering::SeqCst);
    let chair = &mut live.players[side];
    let answer = live.hall.runtime.block_on(raw::answer(&mut chair.stream, 1));
    answer.err().map(|refusal| format!("stamped before the flag and refused: {refusal:?}"))
}
