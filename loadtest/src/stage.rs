//! The stage of a scenario: who plays, what is measured second by second, and what is compared at the end.

use crate::conduct::{Conduct, Habits};
use crate::hall::{Guest, Hall};
use crate::measure::Tally;
use crate::options::Common;
use crate::pace::{Beat, Pace, Tempo};
use crate::play::{Cues, Play, Played, Wave};
use crate::process::Cpu;
use crate::report::{Phase, Report, Second};
use crate::server_metrics::{self, Reading, Use};
use crate::verify;
use indicatif::{ProgressBar, ProgressStyle};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::{Semaphore, mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;
use zeitnot_proto::{ByColor, GameId, Move, TimeControl};

/// Moves are made and not counted for so long, until all games are in their stride.
const WARM_UP: Duration = Duration::from_secs(1);
/// How long the server may take to welcome the first of all connections.
const DOOR: Duration = Duration::from_secs(10);
/// How long all may take to sit down.
const SEATING: Duration = Duration::from_mins(5);
/// How long the games may take to come to their ends when it is over.
const ENDING: Duration = Duration::from_mins(2);
/// Connections that ask for the server's records at the end, and how many each asks for at once.
const CLERKS: usize = 4;
const ASKED_AT_ONCE: usize = 16;
/// How far clocks of two machines may drift apart, in parts.
const DRIFT: f64 = 100e-6;

/// Which games are played, and how.
#[derive(Clone)]
pub struct Cast {
    /// How many at once.
    pub games: usize,
    /// How their moves are paced.
    pub tempo: Tempo,
    /// What players do besides.
    pub habits: Habits,
}

/// A table where something can be watched: its game, and when its last move was begun.
#[derive(Clone)]
pub struct Showing {
    /// The game.
    pub game: GameId,
    /// When its last move was begun, by the meter's time.
    pub begun_us: Arc<AtomicI64>,
}

/// What the tasks of a stage share.
pub struct Backstage {
    /// The hall.
    pub hall: Hall,
    games: Vec<Vec<Move>>,
    seated: AtomicUsize,
    /// The game that each table plays now, for those who watch.
    pub showing: Vec<watch::Sender<Option<Showing>>>,
    go: watch::Sender<bool>,
    stop: watch::Sender<bool>,
    wave: watch::Sender<Wave>,
}

/// A scenario that runs.
pub struct Stage {
    /// What the tasks share.
    pub back: Arc<Backstage>,
    scenario: &'static str,
    common: Common,
    players: JoinSet<()>,
    done: mpsc::UnboundedSender<Played>,
    finished: mpsc::UnboundedReceiver<Played>,
    /// The beat of an open loop, and of how many games it is.
    beat: Option<(usize, watch::Sender<Beat>)>,
    empty: Option<Reading>,
    memory_per_game_kib: Option<f64>,
    report: Report,
    bar: ProgressBar,
    opened: Instant,
}

impl Backstage {
    /// Says when it is time to stop.
    pub fn stopping(&self) -> watch::Receiver<bool> {
        self.stop.subscribe()
    }
}

impl Stage {
    /// Opens the hall for so many tables and connections.
    ///
    /// # Errors
    /// Why the test could not be run.
    pub async fn open(
        scenario: &'static str,
        common: &Common,
        (tables, connections): (usize, usize),
        time_control: &TimeControl,
    ) -> Result<Stage, String> {
        let hall = Hall::open(&common.site, connections + CLERKS, time_control)?;
        // Whether there is a server at all, and the one that is trusted.
        let door = tokio::time::timeout(DOOR, hall.guest(0)).await;
        let door = door.unwrap_or(Err(zeitnot_client::Error::Connection("no answer".into())));
        door.map_err(|e| format!("{}: {e}", common.site.server))?;
        let showing = (0..tables).map(|_| watch::channel(None).0).collect();
        let games = common.moves.load()?;
        let back = Backstage {
            hall,
            games,
            seated: AtomicUsize::new(0),
            showing,
            go: watch::Sender::new(false),
            stop: watch::Sender::new(false),
            wave: watch::Sender::new(Wave::default()),
        };
        let (done, finished) = mpsc::unbounded_channel();
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed_precise} {msg}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(250));
        Ok(Stage {
            back: Arc::new(back),
            scenario,
            common: common.clone(),
            players: JoinSet::new(),
            done,
            finished,
            beat: None,
            empty: read(common).await?,
            memory_per_game_kib: None,
            report: Report::new(scenario),
            bar,
            opened: Instant::now(),
        })
    }

    /// The tempo of an open loop: so many moves a second of so many games together.
    ///
    /// # Errors
    /// That is no rate.
    pub fn open_loop(&mut self, games: usize, rate: f64) -> Result<Tempo, String> {
        let beat = watch::Sender::new(beat(games, rate)?);
        let tempo = Tempo::Open(beat.subscribe());
        self.beat = Some((games, beat));
        Ok(tempo)
    }

    /// Goes on at another rate; what the old one owed is forgotten.
    ///
    /// # Errors
    /// That is no rate.
    pub fn set_rate(&self, rate: f64) -> Result<(), String> {
        if let Some((games, sender)) = &self.beat {
            sender.send_replace(beat(*games, rate)?);
        }
        Ok(())
    }

    /// Connects and seats `cast`, each player on a connection of his own, and lets them begin.
    ///
    /// # Errors
    /// Nobody could connect.
    pub async fn seat(&mut self, cast: &Cast) -> Result<(), String> {
        for number in 0..cast.games {
            let (back, cast) = (Arc::clone(&self.back), cast.clone());
            let done = self.done.clone();
            self.players.spawn(async move {
                let pair = async {
                    Ok::<_, zeitnot_client::Error>((
                        back.hall.guest(2 * number).await?,
                        back.hall.guest(2 * number + 1).await?,
                    ))
                };
                match pair.await {
                    Ok((white, black)) => {
                        let table = TableOf { number, guests: ByColor { white, black }, shared: false };
                        games_of(&back, table, &cast, &done).await;
                    }
                    Err(error) => {
                        back.hall.meter.count(|tally| tally.fault(format!("cannot connect: {error}")));
                    }
                }
            });
        }
        self.begin(cast.games).await
    }

    /// Seats one player, on one connection, at all boards of `cast`.
    ///
    /// # Errors
    /// Nobody could connect.
    pub async fn seat_at_all(&mut self, cast: &Cast) -> Result<(), String> {
        let host = self.back.hall.guest(0).await;
        let host = host.map_err(|e| format!("cannot connect to {}: {e}", self.back.hall.server()))?;
        for number in 0..cast.games {
            let (back, cast, host) = (Arc::clone(&self.back), cast.clone(), host.double());
            let done = self.done.clone();
            self.players.spawn(async move {
                match back.hall.guest(1 + number).await {
                    Ok(black) => {
                        let table = TableOf { number, guests: ByColor { white: host, black }, shared: true };
                        games_of(&back, table, &cast, &done).await;
                    }
                    Err(error) => {
                        back.hall.meter.count(|tally| tally.fault(format!("cannot connect: {error}")));
                    }
                }
            });
        }
        self.begin(cast.games).await
    }

    /// Tables that have come to an end since this was asked last.
    fn ended_early(&mut self) -> usize {
        std::iter::from_fn(|| self.players.try_join_next()).count()
    }

    /// Waits until all sit, and lets them begin.
    async fn begin(&mut self, games: usize) -> Result<(), String> {
        let deadline = Instant::now() + SEATING;
        let mut wrong = Tally::default();
        let mut lost = 0;
        loop {
            let seated = self.back.seated.load(Ordering::Relaxed);
            self.bar.set_message(format!("{}: {seated} of {games} games have sat down", self.scenario));
            // Whoever ended before he began has said why.
            lost += self.ended_early();
            if seated + lost >= games || Instant::now() > deadline {
                break;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        wrong.add(&self.back.hall.meter.take());
        let seated = self.back.seated.load(Ordering::Relaxed);
        if seated == 0 {
            let why = wrong
                .faults
                .into_values()
                .next()
                .map_or_else(|| "nobody sat down in time".into(), |fault| fault.example);
            return Err(format!("no game at {}: {why}", self.back.hall.server()));
        }
        self.report.total.add(&wrong);
        self.report.games_at_once += seated;
        if let (Some(empty), Some(full)) = (&self.empty, read(&self.common).await?) {
            #[expect(clippy::cast_precision_loss, reason = "a number of games is small")]
            let each = (full.resident_bytes() - empty.resident_bytes()) / 1024.0 / seated as f64;
            // A server that has served others before has room already, and says nothing of this.
            self.memory_per_game_kib = (each > 0.0).then_some(each);
        }
        if let Some((_, beat)) = &self.beat {
            // Nothing was due while people sat down.
            beat.send_modify(|beat| beat.start = Instant::now());
        }
        self.back.go.send_replace(true);
        tokio::time::sleep(WARM_UP).await;
        self.report.total.add(&self.back.hall.meter.take());
        Ok(())
    }

    /// Measures for so long, second by second. What was measured.
    ///
    /// # Errors
    /// The server's metrics cannot be had.
    pub async fn measure(&mut self, name: &str, span: Duration) -> Result<&Phase, String> {
        self.report.total.add(&self.back.hall.meter.take());
        let (start, own) = (Instant::now(), Cpu::own_seconds());
        let before = read(&self.common).await?;
        let mut last = before.clone();
        let mut tally = Tally::default();
        loop {
            let left = span.saturating_sub(start.elapsed());
            if left.is_zero() {
                break;
            }
            let began = Instant::now();
            tokio::time::sleep(left.min(Duration::from_secs(1))).await;
            let counted = self.back.hall.meter.take();
            tally.add(&counted);
            let now = read(&self.common).await?;
            let server = last.zip(now.clone()).map(|(before, after)| Use { before, after });
            let at = self.opened.elapsed().as_secs_f64();
            let second = Second::new(at, began.elapsed().as_secs_f64(), &counted, server.as_ref());
            self.bar.set_message(format!("{}, {name}: {second}", self.scenario));
            self.report.timeline.push(second);
            last = now;
        }
        let seconds = start.elapsed().as_secs_f64();
        let server = before.zip(last).map(|(before, after)| Use { before, after });
        let own_cpu_seconds = Cpu::own_seconds().zip(own).map(|(after, before)| after - before);
        self.report.total.add(&tally);
        self.report.phases.push(Phase { name: name.to_owned(), seconds, tally, server, own_cpu_seconds });
        Ok(&self.report.phases[self.report.phases.len() - 1])
    }

    /// Adds a figure of the scenario's own to the report.
    pub fn figure(&mut self, name: impl Into<String>, value: f64) {
        self.report.figures.push((name.into(), value));
    }

    /// Adds an objective of the scenario's own that was missed.
    pub fn miss(&mut self, what: String) {
        self.report.missed.push(what);
    }

    /// So many of a hundred games lose their connections now.
    pub fn wave(&mut self, percent: u32) {
        self.back.wave.send_modify(|wave| *wave = Wave { number: wave.number + 1, percent });
    }

    /// Tells everybody to stop.
    pub fn stop(&self) {
        self.back.stop.send_replace(true);
    }

    /// Connects two guests and lets them play a game as `play` has it.
    pub fn table<F>(
        &mut self,
        number: usize,
        play: impl FnOnce(Arc<Backstage>, Guest, Guest) -> F + Send + 'static,
    ) where
        F: Future<Output = Result<Played, zeitnot_client::Error>> + Send,
    {
        let (back, done) = (Arc::clone(&self.back), self.done.clone());
        self.players.spawn(async move {
            let played = async {
                let white = back.hall.guest(2 * number).await?;
                let black = back.hall.guest(2 * number + 1).await?;
                play(Arc::clone(&back), white, black).await
            };
            match played.await {
                // The stage waits for all games.
                Ok(played) => drop(done.send(played)),
                Err(error) => back.hall.meter.count(|tally| tally.fault(error.to_string())),
            }
        });
    }

    /// Waits until so many sit, as `seated` counts them.
    ///
    /// # Errors
    /// Not all of them do.
    pub async fn until_seated(&mut self, games: usize, seated: impl Fn() -> usize) -> Result<(), String> {
        let deadline = Instant::now() + SEATING;
        while seated() < games {
            self.bar.set_message(format!("{}: {} of {games} games have sat down", self.scenario, seated()));
            if self.ended_early() > 0 || Instant::now() > deadline {
                let why = self.back.hall.meter.take().faults.into_values().next().map(|fault| fault.example);
                let why = why.unwrap_or_else(|| "not in time".into());
                return Err(format!("{} of {games} games sat down: {why}", seated()));
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        self.report.games_at_once = games;
        Ok(())
    }

    /// Compares the games that have ended with the server's records.
    ///
    /// # Errors
    /// Nobody can ask for them.
    pub async fn check(&mut self) -> Result<(), String> {
        let mut games = Vec::new();
        while let Ok(played) = self.finished.try_recv() {
            games.push(played);
        }
        self.report.checks.games += games.len();
        let mut clerks = Vec::new();
        for number in 0..CLERKS {
            let clerk = self.back.hall.guest(number).await.map_err(|e| format!("no clerk: {e}"))?;
            clerks.push((clerk, Arc::new(Semaphore::new(ASKED_AT_ONCE))));
        }
        let mut checks = JoinSet::new();
        for (played, (clerk, room)) in games.into_iter().zip(clerks.iter().cycle()) {
            let (connection, room) = (clerk.connection.clone(), Arc::clone(room));
            checks.spawn(async move {
                let _turn = room.acquire_owned().await;
                verify::check(&connection, &played).await
            });
        }
        while let Some(joined) = checks.join_next().await {
            self.bar.set_message(format!("{}: {} records to compare", self.scenario, checks.len()));
            match joined.map_err(|e| e.to_string()).and_then(|checked| checked) {
                Ok(()) => self.report.checks.agree += 1,
                Err(what) => self.report.total.fault(what),
            }
        }
        Ok(())
    }

    /// Ends all games, compares them, and gives the report.
    ///
    /// # Errors
    /// Why it could not.
    pub async fn finish(mut self) -> Result<Report, String> {
        self.bar.set_message(format!("{}: the games end", self.scenario));
        self.back.stop.send_replace(true);
        let deadline = Instant::now() + ENDING;
        while let Ok(Some(joined)) = tokio::time::timeout_at(deadline, self.players.join_next()).await {
            if let Err(error) = joined {
                self.report.total.fault(error.to_string());
            }
        }
        if !self.players.is_empty() {
            self.report.total.fault(format!("{} games do not come to an end", self.players.len()));
            self.players.shutdown().await;
        }
        self.report.total.add(&self.back.hall.meter.take());
        self.check().await?;
        self.report.total.add(&self.back.hall.meter.take());
        self.back.hall.leave().await;
        self.bar.finish_and_clear();
        let drift_us =
            if self.common.site.is_here() { 0.0 } else { self.opened.elapsed().as_secs_f64() * 1e6 * DRIFT };
        #[expect(clippy::cast_possible_truncation, reason = "a drift is small")]
        if let Err(what) = self.back.hall.meter.stamps_agree(drift_us as i64) {
            self.report.total.fault(what);
        }
        self.report.memory_per_game_kib = self.memory_per_game_kib;
        self.report.judge(&self.common.objectives);
        Ok(self.report)
    }
}

/// The beat of so many moves a second of all games together, from now on.
fn beat(games: usize, rate: f64) -> Result<Beat, String> {
    #[expect(clippy::cast_precision_loss, reason = "a number of games is small")]
    let interval = Duration::try_from_secs_f64(games as f64 / rate);
    let interval = interval.map_err(|_| format!("{rate} is no rate of moves"))?;
    Ok(Beat { start: Instant::now(), interval })
}

async fn read(common: &Common) -> Result<Option<Reading>, String> {
    match common.site.metrics {
        Some(address) => server_metrics::read(address).await.map(Some),
        None => Ok(None),
    }
}

/// Two who play one game after another.
struct TableOf {
    number: usize,
    guests: ByColor<Guest>,
    /// White's connection is other boards' as well: it is not lost on purpose.
    shared: bool,
}

/// One game after another between the two, until it is over.
async fn games_of(back: &Backstage, table: TableOf, cast: &Cast, done: &mpsc::UnboundedSender<Played>) {
    let TableOf { number, mut guests, shared } = table;
    let fault = |what: String| back.hall.meter.count(|tally| tally.fault(what));
    let mut seated = match back.hall.sit_down(&guests.white, &mut guests.black, true).await {
        Ok(table) => Some(table),
        Err(error) => return fault(format!("cannot sit down: {error}")),
    };
    back.seated.fetch_add(1, Ordering::Relaxed);
    let mut go = back.go.subscribe();
    if go.wait_for(|go| *go).await.is_err() {
        return;
    }
    let mut cues = Cues { stop: back.stop.subscribe(), wave: back.wave.subscribe() };
    let mut pace = Pace::new(cast.tempo.clone(), number, cast.games);
    let mut conduct = Conduct::new(cast.habits, number);
    for record in (number..).step_by(cast.games.max(1)) {
        let table = match seated.take() {
            Some(table) => table,
            None => match back.hall.sit_down(&guests.white, &mut guests.black, false).await {
                Ok(table) => table,
                Err(error) => return fault(format!("cannot sit down: {error}")),
            },
        };
        let play = Play::new(&back.hall, table);
        if let Some(showing) = back.showing.get(number) {
            showing.send_replace(Some(Showing { game: play.game, begun_us: Arc::clone(&play.begun_us) }));
        }
        let moves = &back.games[record % back.games.len()];
        let guests = (!shared).then_some(&mut guests);
        match play.run(moves, &mut pace, &mut conduct, guests, &mut cues).await {
            // The stage waits for all games.
            Ok(played) => drop(done.send(played)),
            Err(error) => return fault(error.to_string()),
        }
        if *cues.stop.borrow() {
            return;
        }
    }
}
