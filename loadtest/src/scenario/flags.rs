//! Flags that fall together, and moves that are sent at the very instant.
//!
//! White has hours and Black a few seconds. All games sit down, then White moves in all of them within the spread,
//! so that Black's flags fall that much later within the spread. In some games Black lets it fall, in the others
//! he sends his move within a few milliseconds of it. Each verdict has to agree with the stamp that the move was
//! given: before the flag it stands, at it or later it does not.

use crate::conduct::Habits;
use crate::hall::{Guest, Hall};
use crate::options::{Common, span};
use crate::play::{Made, Play, Played};
use crate::report::Report;
use crate::stage::{Cast, Stage};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;
use zeitnot_client::Error;
use zeitnot_proto::{ByColor, Color, Move, TimeControl};

/// Black's clock is that long at least: his connection has to hear of White's move first.
const LEAST_CLOCK: Duration = Duration::from_secs(1);

/// Thousands of flags that fall together, and moves stamped within milliseconds of them.
#[derive(Debug, Clone, clap::Args)]
pub struct Options {
    /// Games in which the flag falls.
    #[arg(long, default_value_t = 1000, value_name = "N")]
    pub flags: usize,
    /// Games in which a move is sent at the fall.
    #[arg(long, default_value_t = 1000, value_name = "N")]
    pub races: usize,
    /// The flags fall within this span.
    #[arg(long, default_value = "1s", value_parser = span, value_name = "SPAN")]
    pub spread: Duration,
    /// The clock that falls.
    #[arg(long, default_value = "10s", value_parser = span, value_name = "SPAN")]
    pub clock: Duration,
    /// How far from the fall a move is sent, before it or after, at most.
    #[arg(long, default_value = "4ms", value_parser = span, value_name = "SPAN")]
    pub within: Duration,
    /// Other games, which go on meanwhile.
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub beside: usize,
    /// Moves a second of those games together.
    #[arg(long, default_value_t = 500.0, value_name = "N")]
    pub rate: f64,
    /// What all scenarios have; --duration does not matter here.
    #[command(flatten)]
    pub common: Common,
}

/// What the games in which a flag falls share.
struct Shared {
    /// When White moves in the first of them.
    start: watch::Receiver<Option<Instant>>,
    sitting: AtomicUsize,
    stood: AtomicU64,
    late: AtomicU64,
}

/// Plays.
///
/// # Errors
/// Why the test could not be run.
pub async fn run(options: &Options) -> Result<Report, String> {
    let games = options.flags + options.races;
    let beside = options.beside;
    let long: TimeControl = "3600".parse().map_err(|_| "no time control".to_string())?;
    let clock = options.clock.max(LEAST_CLOCK);
    let mut stage = Stage::open("flags", &options.common, (0, 2 * (games + beside)), &long).await?;
    let (start, started) = watch::channel(None);
    let shared = Arc::new(Shared {
        start: started,
        sitting: AtomicUsize::new(0),
        stood: AtomicU64::new(0),
        late: AtomicU64::new(0),
    });
    for number in 0..games {
        let (options, shared) = (options.clone(), Arc::clone(&shared));
        stage.table(number, move |hall, white, black| async move {
            let races = number >= options.flags;
            one_game(&hall.hall, (white, black), (number, games), races, &options, &shared).await
        });
    }
    let everybody = || shared.sitting.load(Ordering::Relaxed);
    stage.until_seated(games, everybody).await?;
    if beside > 0 {
        let tempo = stage.open_loop(beside, options.rate)?;
        stage.seat(&Cast { games: beside, tempo, habits: Habits::default() }).await?;
    }
    start.send_replace(Some(Instant::now() + Duration::from_millis(200)));
    let name = format!("{} flags, {} moves at the fall", options.flags, options.races);
    stage.measure(&name, clock + options.spread + Duration::from_secs(2)).await?;
    let counted = |count: &AtomicU64| crate::report::ratio(count.load(Ordering::Relaxed), 1.0);
    stage.figure("moves before the flag", counted(&shared.stood));
    stage.figure("moves at the flag or later", counted(&shared.late));
    stage.finish().await
}

/// White moves at his instant; Black's flag falls, or he moves as it does.
async fn one_game(
    hall: &Hall,
    (white, mut black): (Guest, Guest),
    (number, games): (usize, usize),
    races: bool,
    options: &Options,
    shared: &Shared,
) -> Result<Played, Error> {
    let clock_us = u64::try_from(options.clock.max(LEAST_CLOCK).as_micros()).unwrap_or(u64::MAX);
    let clocks_us = ByColor::new(None, Some(clock_us));
    let table = hall.sit_down_with(&white, &mut black, clocks_us).await?;
    shared.sitting.fetch_add(1, Ordering::Relaxed);
    let mut random = fastrand::Rng::with_seed(number as u64);
    let mut play = Play::new(hall, table);
    let start = shared.start.clone().wait_for(Option::is_some).await.ok().and_then(|start| *start);
    let Some(start) = start else { return Err(Error::Left) };
    // Flags and races alternate in time.
    let parts = u32::try_from(games).unwrap_or(u32::MAX);
    let part = u32::try_from(if races { 2 * (number - options.flags) + 1 } else { 2 * number }).unwrap_or(0);
    let at = start + options.spread * (part % parts.max(1)) / parts.max(1);
    tokio::time::sleep_until(at).await;
    let (Ok(first), Ok(reply)) = ("e2e4".parse::<Move>(), "e7e5".parse::<Move>()) else {
        return Err(Error::Left);
    };
    if !matches!(play.one_move(Instant::now(), first, false, None).await?, Made::Stands) {
        return Err(Error::Protocol("White's first move does not stand".into()));
    }
    if races {
        let due = play.seats.black.book.flag_at().filter(|(side, _)| *side == Color::Black);
        let (Some((_, flag)), Some(ahead_us)) = (due, hall.meter.server_ahead_us()) else {
            return Err(Error::Protocol("Black's clock does not run".into()));
        };
        let within = i64::try_from(options.within.as_micros()).unwrap_or(i64::MAX);
        let jitter_us = random.i64(-within..=within);
        let left_us = flag.0.cast_signed() - ahead_us - hall.meter.now_us() + jitter_us;
        tokio::time::sleep(Duration::from_micros(u64::try_from(left_us).unwrap_or(0))).await;
        match play.one_move(Instant::now(), reply, false, None).await? {
            Made::Stands => {
                shared.stood.fetch_add(1, Ordering::Relaxed);
                play.resign().await?;
            }
            Made::TooLate => drop(shared.late.fetch_add(1, Ordering::Relaxed)),
            Made::Refused(refusal) => return Err(refusal.into()),
        }
    }
    play.settle().await
}
