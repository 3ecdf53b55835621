//! A few games that thousands watch.

use crate::conduct::Habits;
use crate::measure::Meter;
use crate::options::Common;
use crate::play::told;
use crate::report::{Report, ms, ratio};
use crate::seat::{Came, SeatAt};
use crate::stage::{Backstage, Cast, Showing, Stage};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::Instant;
use zeitnot_client::Error;
use zeitnot_client::connection::Connection;
use zeitnot_proto::TimeControl;
use zeitnot_proto::game_stream::Seat;

/// How long spectators may take to come in.
const SEATING: Duration = Duration::from_mins(2);

/// Few games, thousands of spectators: first without them, then with them.
#[derive(Debug, Clone, clap::Args)]
pub struct Options {
    /// How many games at once.
    #[arg(long, default_value_t = 4, value_name = "N")]
    pub games: usize,
    /// How many spectators, spread over the games, each on a connection of his own.
    #[arg(long, default_value_t = 2000, value_name = "N")]
    pub watchers: usize,
    /// Moves a second of all games together; each goes to a game's share of the spectators.
    #[arg(long, default_value_t = 40.0, value_name = "N")]
    pub rate: f64,
    /// The time control of the games.
    #[arg(long, default_value = "600+5", value_name = "CONTROL")]
    pub time_control: TimeControl,
    /// Fail where 99 of 100 moves take more than so many times as long to the opponent as without spectators.
    #[arg(long, value_name = "TIMES")]
    pub max_slowdown: Option<f64>,
    /// What all scenarios have; half of --duration is without spectators.
    #[command(flatten)]
    pub common: Common,
}

/// Plays.
///
/// # Errors
/// Why the test could not be run.
pub async fn run(options: &Options) -> Result<Report, String> {
    let games = options.games.max(1);
    let room = (games, 2 * games + options.watchers);
    let mut stage = Stage::open("spectators", &options.common, room, &options.time_control).await?;
    let tempo = stage.open_loop(games, options.rate)?;
    stage.seat(&Cast { games, tempo, habits: Habits::default() }).await?;
    let half = options.common.duration / 2;
    let alone = stage.measure("nobody watches", half).await?.tally.relay.quantile_us(0.99);

    let mut watching = JoinSet::new();
    let inside = Arc::new(AtomicUsize::new(0));
    for number in 0..options.watchers {
        let (back, inside, stop) = (Arc::clone(&stage.back), Arc::clone(&inside), stage.back.stopping());
        watching.spawn(async move {
            if let Err(error) = watch_games(&back, number, &inside, stop).await {
                back.hall.meter.count(|tally| tally.fault(format!("a spectator: {error}")));
            }
        });
    }
    let deadline = Instant::now() + SEATING;
    while inside.load(Ordering::Relaxed) < options.watchers && Instant::now() < deadline {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let phase = stage.measure(&format!("{} watch", inside.load(Ordering::Relaxed)), half).await?;
    let (deliveries, watched) =
        (ratio(phase.tally.delivery.count(), phase.seconds), phase.tally.relay.quantile_us(0.99));
    let slowdown = ms(watched) / ms(alone.max(1));
    stage.figure("deliveries a second", deliveries);
    stage.figure("p99 to opponent, times", slowdown);
    if let Some(most) = options.max_slowdown
        && slowdown > most
    {
        stage.miss(format!("--max-slowdown {most}: it was {slowdown:.2}"));
    }
    stage.stop();
    watching.shutdown().await;
    stage.finish().await
}

/// Follows one game after another at a table.
async fn watch_games(
    back: &Backstage,
    number: usize,
    inside: &AtomicUsize,
    mut stop: watch::Receiver<bool>,
) -> Result<(), Error> {
    let guest = back.hall.guest(number).await?;
    let mut showing = back.showing[number % back.showing.len()].subscribe();
    let mut counted = false;
    loop {
        let shown = tokio::select! {
            shown = showing.wait_for(Option::is_some) => match shown { Ok(shown) => shown.clone(), Err(_) => None },
            () = told(&mut stop) => None,
        };
        showing.mark_unchanged();
        let Some(shown) = shown else { return Ok(()) };
        let attached = attach(&guest.connection, &shown).await?;
        if !counted {
            inside.fetch_add(1, Ordering::Relaxed);
            counted = true;
        }
        tokio::select! {
            followed = follow(&back.hall.meter, attached, &shown) => followed?,
            () = told(&mut stop) => return Ok(()),
        }
        if showing.changed().await.is_err() {
            return Ok(());
        }
    }
}

async fn attach(connection: &Connection, shown: &Showing) -> Result<SeatAt, Error> {
    SeatAt::take(connection, shown.game, Seat::Spectator).await
}

/// Watches a game to its end. Everything has to agree with the spectator's own book.
async fn follow(meter: &Meter, mut seat: SeatAt, shown: &Showing) -> Result<(), Error> {
    while seat.book.outcome.is_none() {
        if let Came::News(news) = seat.next(meter).await?
            && news.moved.is_some()
        {
            let us = meter.now_us().saturating_sub(shown.begun_us.load(Ordering::Relaxed));
            meter.count(|tally| tally.delivery.record_us(u64::try_from(us).unwrap_or(0)));
        }
    }
    Ok(())
}
