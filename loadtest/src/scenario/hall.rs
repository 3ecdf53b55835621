//! Many tournaments at once, each played to its end and paired again by the rules from its report.

use crate::corpus;
use crate::options::Output;
use crate::report::Findings;
use crate::site::Site;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use zeitnot_client::Error;
use zeitnot_client::connection::{Connection, Connector, Notices, Opened, Tuning};
use zeitnot_proto::control::{Credential, Notice, Reply, Request};
use zeitnot_proto::game_stream::{Attach, FromGame, Seat};
use zeitnot_proto::rules::{GameId, Name, Rules, Setting, Start, Terms, Value};
use zeitnot_proto::tournament::{
    Direction, Document, Entrant, PointValues, Timetable, TournamentId, TournamentNotice, TournamentPhase,
    TournamentReply, TournamentRequest, TournamentSettings, TournamentSystem, TournamentView,
};
use zeitnot_proto::{Color, Command, Event, List, Move, Text, TimeControl};

/// Half-moves after which a game is resigned or drawn.
const PLIES: usize = 12;
/// How long a whole tournament may go without a result before it counts as stuck.
const STUCK: Duration = Duration::from_mins(5);
/// How often the organizer looks how a tournament stands.
const LOOK: Duration = Duration::from_millis(500);
/// How often a player comes back whose connection broke, and how long he takes for it.
const COME_BACKS: u32 = 20;
const PAUSE: Duration = Duration::from_secs(1);
/// Connections that are being made at once.
const CONNECTING: usize = 32;
/// How long an answer may take: pairing two thousand players takes some seconds.
const ANSWER: Duration = Duration::from_mins(2);

/// Tournaments, each played to its end: in every round all its games start in the same second.
#[derive(Debug, Clone, clap::Args)]
pub struct Options {
    /// The server under test.
    #[command(flatten)]
    pub site: Site,
    /// A token with the role of an organizer.
    #[arg(long, env = "ZEITNOT_TOKEN", hide_env_values = true, value_name = "TOKEN")]
    pub organizer_token: String,
    /// So many Swiss tournaments at once.
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub tournaments: usize,
    /// Players of each.
    #[arg(long, default_value_t = 400, value_name = "N")]
    pub players: usize,
    /// Rounds of each.
    #[arg(long, default_value_t = 3, value_name = "N")]
    pub rounds: u16,
    /// The time control of the games.
    #[arg(long, default_value = "600+5", value_name = "CONTROL")]
    pub time_control: TimeControl,
    /// The program `zeitnot-server`, which pairs every round of every report again.
    #[arg(long, value_name = "PROGRAM")]
    pub checker: Option<PathBuf>,
    /// Where the report goes.
    #[command(flatten)]
    pub output: Output,
}

/// What everybody shares.
struct Shared {
    connectors: Vec<Connector>,
    server: String,
    /// The organizer's; a connection for each tournament, because the server bounds the frames of one.
    credential: Credential,
    corpus: Vec<Vec<Move>>,
    connecting: Semaphore,
    /// When all of it began.
    began: Instant,
    /// When the last game of each tournament started, in microseconds after that.
    last_start_us: Vec<AtomicU64>,
}

impl Shared {
    /// A game of this tournament has just started.
    fn game_started(&self, tournament: usize) {
        let us = u64::try_from(self.began.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.last_start_us[tournament].fetch_max(us, Ordering::Relaxed);
    }
}

/// Plays all tournaments.
///
/// # Errors
/// Why the test could not be run.
pub async fn run(options: &Options) -> Result<Evening, String> {
    let trust = options.site.trust()?;
    let name = concat!("zeitnot-loadtest ", env!("CARGO_PKG_VERSION")).into();
    let tuning = Tuning { attempt: Duration::from_mins(1), name, ..Tuning::default() };
    let players = options.tournaments * options.players;
    let sockets = players.div_ceil(200).max(1);
    let connectors = (0..sockets)
        .map(|_| Connector::new(&trust, tuning.clone()).map_err(|e| e.to_string()))
        .collect::<Result<Vec<_>, _>>()?;
    let token = Text::new(&options.organizer_token).map_err(|_| "that is no token: too long")?;
    let shared = Arc::new(Shared {
        connectors,
        server: options.site.server.clone(),
        credential: Credential::Token(token),
        corpus: corpus::games(),
        connecting: Semaphore::new(CONNECTING),
        began: Instant::now(),
        last_start_us: (0..options.tournaments).map(|_| AtomicU64::new(0)).collect(),
    });
    let started = Instant::now();
    let mut evenings = JoinSet::new();
    for number in 0..options.tournaments {
        let (shared, options) = (Arc::clone(&shared), options.clone());
        evenings.spawn(async move { tournament(&shared, &options, number).await });
    }
    let mut report = Evening { tournaments: options.tournaments, ..Evening::default() };
    while let Some(joined) = evenings.join_next().await {
        match joined.map_err(|e| e.to_string()).and_then(|ended| ended) {
            Ok(ended) => report.add(&ended),
            Err(fault) => *report.faults.entry(fault).or_default() += 1,
        }
    }
    report.seconds = started.elapsed().as_secs_f64();
    Ok(report)
}

/// What came of one tournament.
pub struct Ended {
    /// Games in it.
    pub games: usize,
    /// Rounds that the rules pair in the same way.
    pub rounds_agree: Option<usize>,
    /// From asking for a pairing to its answer.
    pub pairings: Vec<Duration>,
    /// From asking for a pairing to the start of the round's last game.
    pub starts: Vec<Duration>,
}

async fn forget(mut notices: Notices) {
    while notices.recv().await.is_some() {}
}

/// One tournament from its creation to its report.
async fn tournament(shared: &Arc<Shared>, options: &Options, number: usize) -> Result<Ended, String> {
    let words = |error: Error| format!("tournament: {error}");
    let settings = settings(options, number);
    let connector = &shared.connectors[number % shared.connectors.len()];
    let opened = connector.open(&shared.server, shared.credential.clone()).await;
    let Opened { connection: organizer, notices, .. } = opened.map_err(|e| format!("the organizer: {e}"))?;
    tokio::spawn(forget(notices));
    let organizer = &organizer;
    let created = ask(organizer, TournamentRequest::Create(Box::new(settings))).await.map_err(words)?;
    let Some(TournamentReply::Created(id)) = created else { return Err("it was not created".into()) };
    let mut players = JoinSet::new();
    for place in 0..options.players {
        let shared = Arc::clone(shared);
        let seat = number * options.players + place;
        let opened = join(&shared, id, seat, place).await.map_err(words)?;
        players.spawn(async move { player(&shared, opened, id, (seat, number)).await });
    }
    direct(organizer, id, Direction::Start).await.map_err(words)?;
    let (mut pairings, mut starts) = (Vec::new(), Vec::new());
    for round in 1..=options.rounds {
        let asked = Instant::now();
        direct(organizer, id, Direction::Pair).await.map_err(words)?;
        pairings.push(asked.elapsed());
        until_over(organizer, id, round).await?;
        let last = Duration::from_micros(shared.last_start_us[number].load(Ordering::Relaxed));
        starts.push((shared.began + last).saturating_duration_since(asked));
    }
    let mut faults = BTreeMap::<String, usize>::new();
    while let Some(joined) = players.join_next().await {
        match joined {
            Ok(Ok(())) => {}
            Ok(Err(error)) => *faults.entry(error.to_string()).or_default() += 1,
            Err(error) => *faults.entry(error.to_string()).or_default() += 1,
        }
    }
    if let Some((fault, count)) = faults.first_key_value() {
        return Err(format!("{count} players: {fault}"));
    }
    let report = export(organizer, id, Document::Trf).await.map_err(words)?;
    let games = options.players / 2 * usize::from(options.rounds);
    let rounds_agree = match &options.checker {
        Some(checker) => Some(check(checker, &report).await?),
        None => None,
    };
    Ok(Ended { games, rounds_agree, pairings, starts })
}

fn settings(options: &Options, number: usize) -> TournamentSettings {
    // Nobody is late because this machine is slow.
    let hour = Setting { name: Text::cut("default_time"), value: Value::SpanUs(3_600_000_000) };
    let rules = Rules { options: List::cut(vec![hour]), ..Rules::default() };
    TournamentSettings {
        name: Text::cut(&format!("Hall {}", number + 1)),
        system: TournamentSystem::Swiss { rounds: options.rounds, accelerated: false },
        terms: Terms {
            time_control: options.time_control.clone(),
            rules,
            start: Start::default(),
            spectator_delay_us: 0,
        },
        timetable: Timetable::ByHand,
        lead_us: 0,
        points: PointValues::default(),
        tie_breaks: List::default(),
        check_in: false,
        last_entry_round: 0,
        most_players: 0,
        lowest_rating: 0,
        highest_rating: 0,
        initial_color: Some(Color::White),
        literal_parity: false,
        city: Text::default(),
        federation: Text::default(),
        chief_arbiter: Text::default(),
    }
}

async fn ask(organizer: &Connection, request: TournamentRequest) -> Result<Option<TournamentReply>, Error> {
    let reply = tokio::time::timeout(ANSWER, organizer.request(Request::Tournament(request))).await;
    match reply.map_err(|_| Error::Unanswered)?? {
        Reply::Tournament(reply) => Ok(Some(reply)),
        _ => Ok(None),
    }
}

async fn direct(organizer: &Connection, tournament: TournamentId, action: Direction) -> Result<(), Error> {
    ask(organizer, TournamentRequest::Direct { tournament, action: Box::new(action) }).await.map(drop)
}

async fn join(shared: &Shared, tournament: TournamentId, seat: usize, place: usize) -> Result<Opened, Error> {
    let opened = come_in(shared, seat, Credential::Guest).await?;
    let entrant = Entrant {
        name: opened.welcome.name.clone(),
        full_name: Text::cut(&format!("Player, {place:04}")),
        rating: 2800 - u16::try_from(place % 1800).unwrap_or(0),
        title: Text::default(),
        federation: Text::default(),
        fide_id: Text::default(),
    };
    let join = TournamentRequest::Join { tournament, entrant: Box::new(entrant) };
    opened.connection.request(Request::Tournament(join)).await?;
    Ok(opened)
}

async fn come_in(shared: &Shared, seat: usize, credential: Credential) -> Result<Opened, Error> {
    let _turn = shared.connecting.acquire().await.map_err(|_| Error::Left)?;
    shared.connectors[seat % shared.connectors.len()].open(&shared.server, credential).await
}

/// Plays every game of one player until the tournament is over; comes back where the connection broke.
async fn player(
    shared: &Arc<Shared>,
    mut opened: Opened,
    this: TournamentId,
    (seat, number): (usize, usize),
) -> Result<(), Error> {
    let token = opened.welcome.guest_token.clone();
    let credential = token.map_or(Credential::Guest, Credential::Token);
    for tries in (0..COME_BACKS).rev() {
        match games_of(shared, &mut opened, (this, number)).await {
            Err(error) if tries > 0 && !error.is_final() => tokio::time::sleep(PAUSE).await,
            ended => return ended,
        }
        opened = come_in(shared, seat, credential.clone()).await?;
    }
    Ok(())
}

/// Plays on one connection.
async fn games_of(
    shared: &Shared,
    opened: &mut Opened,
    (this, number): (TournamentId, usize),
) -> Result<(), Error> {
    let Opened { connection, notices, welcome } = opened;
    let shown = connection.request(Request::Tournament(TournamentRequest::Show(this))).await?;
    if let Reply::Tournament(TournamentReply::Shown(view)) = shown
        && view.summary.phase == TournamentPhase::Finished
    {
        return Ok(());
    }
    // What was ready before this connection was.
    for &game in &welcome.games {
        play(shared, connection, (game, number), &welcome.name).await?;
    }
    loop {
        match notices.recv().await {
            Some(Notice::GameReady { setup, .. }) => {
                play(shared, connection, (setup.game, number), &welcome.name).await?;
            }
            Some(Notice::Tournament(TournamentNotice::Phase { tournament, phase }))
                if tournament == this && phase == TournamentPhase::Finished =>
            {
                return Ok(());
            }
            Some(_) => {}
            None => return Err(connection.closed().await),
        }
    }
}

/// A few moves, then White resigns, Black resigns, or both agree: the game's number decides.
async fn play(
    shared: &Shared,
    connection: &Connection,
    (game, tournament): (GameId, usize),
    name: &Name,
) -> Result<(), Error> {
    let pick = usize::try_from(game.0).unwrap_or(0);
    let recorded = &shared.corpus[pick % shared.corpus.len()];
    let plan = &recorded[..recorded.len().min(PLIES)];
    let attach = Attach { game, seat: Seat::Player, after: None, legal_moves: false };
    let (mut sender, mut receiver) = connection.attach(attach).await?;
    let (mut plies, mut sent, mut id, mut started, mut position) = (0, None, 1, false, None);
    let mut side = Color::White;
    while let Some(frame) = receiver.next().await? {
        let mut offered = false;
        match frame {
            FromGame::Snapshot { snapshot, .. } => {
                plies = snapshot.moves.len();
                side = snapshot.setup.side_of(name).unwrap_or(side);
                offered = snapshot.offer == Some(!side);
                id = snapshot.last_command.unwrap_or(0) + 1;
                position = Some(snapshot.position_seq);
                started = snapshot.status != zeitnot_proto::snapshot::Status::Waiting;
                if snapshot.status.is_over() {
                    return Ok(());
                }
                if started && plies == 0 {
                    shared.game_started(tournament);
                }
            }
            FromGame::Events(events) => {
                position = Some(events.position_seq);
                for entry in &events.entries {
                    match &entry.event {
                        Event::GameStarted => {
                            started = true;
                            shared.game_started(tournament);
                        }
                        Event::MoveCompleted { .. } => plies += 1,
                        Event::DrawOffered { side: by, .. } => offered = *by != side,
                        Event::GameEnded { .. } | Event::GameAnnulled { .. } => return Ok(()),
                        _ => {}
                    }
                }
            }
            FromGame::Answer { result: Err(refusal), .. } => return Err(Error::Refused(refusal)),
            _ => {}
        }
        let mine = (plies % 2 == 0) == (side == Color::White);
        let command = match plan.get(plies) {
            _ if !started => None,
            Some(&mv) if mine && sent != Some(plies) => Some(Command::Move { mv, offer_draw: false }),
            Some(_) => None,
            None if offered => Some(Command::AcceptDraw),
            None if sent == Some(plies) => None,
            None => match (pick % 3, side) {
                (0, Color::White) | (1, Color::Black) => Some(Command::Resign),
                (2, Color::White) => Some(Command::OfferDraw),
                _ => None,
            },
        };
        if let Some(command) = command {
            sent = Some(plies);
            let on = position.filter(|_| command.names_position());
            sender.command(id, on, command).await?;
            id += 1;
        }
    }
    Err(Error::Protocol("the stream of a game ended before the game".into()))
}

/// Waits until every game of a round has a result.
async fn until_over(organizer: &Connection, id: TournamentId, round: u16) -> Result<(), String> {
    let (mut last, mut since) = (u32::MAX, Instant::now());
    loop {
        let shown = ask(organizer, TournamentRequest::Show(id)).await.map_err(|e| e.to_string())?;
        let Some(TournamentReply::Shown(view)) = shown else { return Err("it was not shown".into()) };
        let TournamentView { summary, open_boards, .. } = *view;
        let over = summary.phase != TournamentPhase::Playing;
        if over && summary.round >= round {
            return Ok(());
        }
        if open_boards != last {
            (last, since) = (open_boards, Instant::now());
        } else if since.elapsed() > STUCK {
            return Err(format!("round {round} stays open with {open_boards} boards"));
        }
        tokio::time::sleep(LOOK).await;
    }
}

async fn export(
    organizer: &Connection,
    tournament: TournamentId,
    document: Document,
) -> Result<String, Error> {
    let mut text = String::new();
    for part in 0.. {
        match ask(organizer, TournamentRequest::Export { tournament, document, part }).await? {
            Some(TournamentReply::Document { text: part, more }) => {
                text.push_str(&part);
                if !more {
                    break;
                }
            }
            other => return Err(Error::Protocol(format!("a document was due, not {other:?}"))),
        }
    }
    Ok(text)
}

/// Has every round of a report paired again. How many agree.
async fn check(checker: &Path, report: &str) -> Result<usize, String> {
    let file = std::env::temp_dir().join(format!("zeitnot-evening-{}-{:p}.trf", std::process::id(), report));
    std::fs::write(&file, report).map_err(|e| format!("{}: {e}", file.display()))?;
    let (program, path) = (checker.to_owned(), file.clone());
    let checked = tokio::task::spawn_blocking(move || {
        std::process::Command::new(program).args(["pair", "--check"]).arg(path).stdin(Stdio::null()).output()
    });
    let output = checked.await.map_err(|e| e.to_string())?.map_err(|e| format!("the checker: {e}"))?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() {
        let why = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(format!("{} is not paired by the rules: {said}{why}", file.display()));
    }
    // What agrees is of no further use.
    let _removed = std::fs::remove_file(&file);
    Ok(said.matches("agrees").count())
}

/// What tournaments that were played to their ends measured.
#[derive(Default)]
pub struct Evening {
    /// How many there were to be.
    pub tournaments: usize,
    /// How many came to their end.
    pub ended: usize,
    /// Games in them.
    pub games: usize,
    /// Rounds that the rules pair in the same way, where that was checked.
    pub rounds_agree: usize,
    /// Rounds of tournaments that were checked.
    pub rounds_checked: usize,
    /// The longest wait for a pairing.
    pub slowest_pairing: Duration,
    /// The longest from asking for a pairing to the start of the round's last game.
    pub slowest_start: Duration,
    /// How long all of it took, in seconds.
    pub seconds: f64,
    /// What went wrong, and how often.
    pub faults: BTreeMap<String, usize>,
}

impl Evening {
    /// Counts a tournament that came to its end.
    pub fn add(&mut self, ended: &Ended) {
        self.ended += 1;
        self.games += ended.games;
        if let Some(agree) = ended.rounds_agree {
            self.rounds_agree += agree;
            self.rounds_checked += ended.pairings.len();
        }
        let slowest = ended.pairings.iter().max().copied().unwrap_or_default();
        self.slowest_pairing = self.slowest_pairing.max(slowest);
        let slowest = ended.starts.iter().max().copied().unwrap_or_default();
        self.slowest_start = self.slowest_start.max(slowest);
    }
}

impl Findings for Evening {
    fn passed(&self) -> bool {
        self.faults.is_empty() && self.ended == self.tournaments && self.rounds_agree == self.rounds_checked
    }

    fn to_json(&self) -> Json {
        json!({
            "passed": self.passed(),
            "tournaments": self.tournaments,
            "ended": self.ended,
            "games": self.games,
            "rounds_checked": self.rounds_checked,
            "rounds_agree": self.rounds_agree,
            "slowest_pairing_seconds": self.slowest_pairing.as_secs_f64(),
            "slowest_start_seconds": self.slowest_start.as_secs_f64(),
            "seconds": self.seconds,
            "faults": self.faults,
        })
    }
}

impl fmt::Display for Evening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<28}{:>8} of {}", "tournaments ended", self.ended, self.tournaments)?;
        writeln!(f, "{:<28}{:>8}", "games", self.games)?;
        writeln!(
            f,
            "{:<28}{:>8} of {}",
            "rounds paired by the rules", self.rounds_agree, self.rounds_checked
        )?;
        writeln!(f, "{:<28}{:>8.3}", "slowest pairing, seconds", self.slowest_pairing.as_secs_f64())?;
        writeln!(f, "{:<28}{:>8.3}", "pairing to last start", self.slowest_start.as_secs_f64())?;
        writeln!(f, "{:<28}{:>8.1}", "seconds", self.seconds)?;
        for (what, count) in &self.faults {
            writeln!(f, "FAULT, {count} times: {what}")?;
        }
        writeln!(f, "{}", if self.passed() { "passed" } else { "FAILED" })
    }
}
