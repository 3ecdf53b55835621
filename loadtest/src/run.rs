//! All games for a given time.

use crate::corpus;
use crate::measure::{Tally, Total};
use crate::options::Options;
use crate::play::{self, Pacing, Played};
use crate::report::{Load, Report, ServerUse};
use crate::server_metrics;
use crate::table::{Hall, Pair};
use crate::verify;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Semaphore, mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;
use zeitnot_proto::Move;

/// Moves are made and not counted for so long, until all games are in their stride.
const WARM_UP: Duration = Duration::from_secs(1);
/// PGNs asked for at once when the moves are compared.
const CHECKS_AT_ONCE: usize = 16;

/// The span in which moves are made, once it is known.
type Window = watch::Receiver<Option<(Instant, Instant)>>;

/// What all games share.
struct Shared {
    hall: Hall,
    corpus: Vec<Vec<Move>>,
    total: Total,
    /// From one move of a game to its next in the open loop.
    interval: Option<Duration>,
    pause: Duration,
    games: usize,
}

/// Seats all players, lets them play, compares what the server recorded.
///
/// # Errors
/// Why the test could not be run.
pub async fn run(options: &Options) -> Result<Report, String> {
    let measured = options.measured()?;
    let shared = Arc::new(Shared {
        hall: Hall::open(options).await?,
        corpus: corpus::games(),
        total: Total::default(),
        interval: interval(options)?,
        pause: Duration::from_millis(options.pace_ms),
        games: options.games.max(1),
    });
    let (window, watched) = watch::channel(None);
    let (done, mut finished) = mpsc::unbounded_channel();
    let mut players = JoinSet::new();
    let seated = seat_all(&shared, options, &watched, &done, &mut players).await?;
    drop(done);

    let start = Instant::now() + WARM_UP;
    window.send_replace(Some((start, start + measured)));
    tokio::time::sleep_until(start).await;
    let before = read_metrics(options).await?;
    tokio::time::sleep_until(start + measured).await;
    let after = read_metrics(options).await?;

    let mut pairs = Vec::new();
    while let Some(joined) = players.join_next().await {
        if let Ok(pair) = joined {
            pairs.extend(pair);
        }
    }
    let mut games = Vec::new();
    while let Ok(played) = finished.try_recv() {
        games.push(played);
    }
    let checked = check_all(&shared, &pairs, games).await;
    drop(pairs);
    shared.hall.leave().await;
    let server = before.zip(after).map(|(before, after)| ServerUse { before, after });
    Ok(Report::Load(Box::new(Load {
        options: options.clone(),
        tally: shared.total.take(),
        seated,
        seconds: measured.as_secs_f64(),
        checked,
        server,
    })))
}

/// From one move of a game to its next, if moves are due at a rate.
fn interval(options: &Options) -> Result<Option<Duration>, String> {
    #[expect(clippy::cast_precision_loss, reason = "a number of games is small")]
    let games = options.games.max(1) as f64;
    let span = options.rate.map(|rate| Duration::try_from_secs_f64(games / rate));
    span.transpose().map_err(|_| "--rate is no rate of moves".into())
}

async fn read_metrics(options: &Options) -> Result<Option<server_metrics::Reading>, String> {
    match options.metrics {
        Some(address) => server_metrics::read(address).await.map(Some),
        None => Ok(None),
    }
}

/// Connects the pairs at their pace and starts their games. How many sat down.
async fn seat_all(
    shared: &Arc<Shared>,
    options: &Options,
    window: &Window,
    done: &mpsc::UnboundedSender<Played>,
    players: &mut JoinSet<Option<Pair>>,
) -> Result<usize, String> {
    let mut connecting = JoinSet::new();
    let mut ticks = tokio::time::interval(options.pair_interval().max(Duration::from_micros(1)));
    for number in 0..shared.games {
        ticks.tick().await;
        let shared = Arc::clone(shared);
        connecting.spawn(async move { (number, shared.hall.pair(number).await) });
    }
    let mut connect = Tally::default();
    while let Some(joined) = connecting.join_next().await {
        match joined {
            Ok((number, Ok((pair, took)))) => {
                for span in took {
                    connect.connect.record(span);
                }
                players.spawn(games_of(Arc::clone(shared), number, pair, window.clone(), done.clone()));
            }
            Ok((_, Err(error))) => connect.fault(format!("cannot connect: {error}")),
            Err(error) => connect.fault(format!("cannot connect: {error}")),
        }
    }
    shared.total.add(&connect);
    if players.is_empty() {
        let why = connect.faults.into_keys().next().unwrap_or_default();
        return Err(format!("nobody could connect to {}: {why}", options.server));
    }
    Ok(players.len())
}

/// One game after another between the two, until the time is up. The pair, if it is still whole.
async fn games_of(
    shared: Arc<Shared>,
    number: usize,
    mut pair: Pair,
    mut window: Window,
    done: mpsc::UnboundedSender<Played>,
) -> Option<Pair> {
    let mut tally = Tally::default();
    let mut first = Some(shared.hall.sit_down(&mut pair).await);
    let bounds = *window.wait_for(Option::is_some).await.ok()?;
    let (since, until) = bounds?;
    let mut pacing = match shared.interval {
        None => Pacing::Closed(shared.pause),
        Some(interval) => {
            Pacing::Open { due: Instant::now() + phase(number, shared.games, interval), interval }
        }
    };
    let mut record = number;
    let mut whole = true;
    while Instant::now() < until {
        let seated = match first.take() {
            Some(seated) => seated,
            None => shared.hall.sit_down(&mut pair).await,
        };
        let moves = &shared.corpus[record % shared.corpus.len()];
        record += shared.games;
        let played = match seated {
            Ok(table) => play::play(table, moves, &mut pacing, (since, until), &mut tally).await,
            Err(error) => Err(error),
        };
        match played {
            // The receiver waits for all games.
            Ok(played) => drop(done.send(played)),
            Err(error) => {
                tally.fault(error.to_string());
                whole = false;
                break;
            }
        }
    }
    shared.total.add(&tally);
    whole.then_some(pair)
}

/// Where in the interval this game's moves fall, so that all of them are spread evenly.
fn phase(number: usize, games: usize, interval: Duration) -> Duration {
    let (number, games) = (u32::try_from(number).unwrap_or(0), u32::try_from(games).unwrap_or(u32::MAX));
    interval / games.max(1) * number
}

/// Compares all games with the server's record. How many agree.
async fn check_all(shared: &Arc<Shared>, pairs: &[Pair], games: Vec<Played>) -> usize {
    let room = Arc::new(Semaphore::new(CHECKS_AT_ONCE));
    let mut checks = JoinSet::new();
    for (played, pair) in games.into_iter().zip(pairs.iter().cycle()) {
        let (connection, room) = (pair.white.connection.clone(), Arc::clone(&room));
        checks.spawn(async move {
            let _permit = room.acquire_owned().await;
            verify::check(&connection, &played).await
        });
    }
    let (mut tally, mut agree) = (Tally::default(), 0);
    while let Some(joined) = checks.join_next().await {
        match joined {
            Ok(Ok(())) => agree += 1,
            Ok(Err(what)) => tally.fault(what),
            Err(error) => tally.fault(error.to_string()),
        }
    }
    shared.total.add(&tally);
    agree
}
