//! Bad weather: floods of handshakes, bad tokens, garbage and readers that do not read, beside games that behave.

use crate::conduct::Habits;
use crate::options::Common;
use crate::report::{Report, ms};
use crate::stage::{Backstage, Cast, Stage};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;
use zeitnot_client::connection::{Connector, Tuning};
use zeitnot_client::{Error, Trust};
use zeitnot_proto::close::Code;
use zeitnot_proto::control::{Credential, Request, ToServer};
use zeitnot_proto::game_stream::{Attach, Seat};
use zeitnot_proto::{Text, TimeControl, codec};

/// Sockets of the flood.
const SOCKETS: usize = 8;
/// How long the server may take to answer what is wrong: longer than it waits for a hello.
const ANSWER: Duration = Duration::from_secs(15);
/// What a reader that does not read lets the server send at most.
const SMALL_WINDOW: u32 = 2048;

/// Handshakes, bad tokens, garbage and slow readers, beside games that behave: first without the storm, then in it.
#[derive(Debug, Clone, clap::Args)]
pub struct Options {
    /// How many games at once.
    #[arg(long, default_value_t = 200, value_name = "N")]
    pub games: usize,
    /// Moves a second of all games together.
    #[arg(long, default_value_t = 200.0, value_name = "N")]
    pub rate: f64,
    /// The time control of the games.
    #[arg(long, default_value = "600+5", value_name = "CONTROL")]
    pub time_control: TimeControl,
    /// Connections a second that say hello and leave.
    #[arg(long, default_value_t = 300.0, value_name = "N")]
    pub handshakes: f64,
    /// Connections a second with a token that nobody has.
    #[arg(long, default_value_t = 50.0, value_name = "N")]
    pub bad_tokens: f64,
    /// Connections a second that send what is no message.
    #[arg(long, default_value_t = 50.0, value_name = "N")]
    pub garbage: f64,
    /// Spectators who never read.
    #[arg(long, default_value_t = 100, value_name = "N")]
    pub slow_readers: usize,
    /// Fail where 99 of 100 moves take more than so many times as long to the opponent as without the storm.
    #[arg(long, value_name = "TIMES")]
    pub max_slowdown: Option<f64>,
    /// What all scenarios have; half of --duration is without the storm.
    #[command(flatten)]
    pub common: Common,
}

/// Plays.
///
/// # Errors
/// Why the test could not be run.
pub async fn run(options: &Options) -> Result<Report, String> {
    let games = options.games.max(1);
    let mut stage = Stage::open("storm", &options.common, (games, 2 * games), &options.time_control).await?;
    let tempo = stage.open_loop(games, options.rate)?;
    stage.seat(&Cast { games, tempo, habits: Habits::LIVELY }).await?;
    let half = options.common.duration / 2;
    let calm = stage.measure("calm", half).await?.tally.relay.quantile_us(0.99);

    let trust = options.common.site.trust()?;
    let mut flood = JoinSet::new();
    let sockets = sockets(&trust, &Tuning::default())?;
    for (kind, rate) in [
        (Trouble::Handshake, options.handshakes),
        (Trouble::BadToken, options.bad_tokens),
        (Trouble::Garbage, options.garbage),
    ] {
        if rate > 0.0 {
            flood.spawn(pour(Arc::clone(&stage.back), Arc::clone(&sockets), kind, rate));
        }
    }
    let small = Tuning { stream_window: SMALL_WINDOW, ..Tuning::default() };
    let lazy = self::sockets(&trust, &small)?;
    for number in 0..options.slow_readers {
        flood.spawn(do_not_read(Arc::clone(&stage.back), Arc::clone(&lazy), number));
    }
    let storm = stage.measure("storm", half).await?.tally.relay.quantile_us(0.99);
    flood.shutdown().await;
    let slowdown = ms(storm) / ms(calm.max(1));
    stage.figure("p99 to opponent, times", slowdown);
    if let Some(most) = options.max_slowdown
        && slowdown > most
    {
        stage.miss(format!("--max-slowdown {most}: it was {slowdown:.2}"));
    }
    stage.finish().await
}

fn sockets(trust: &Trust, tuning: &Tuning) -> Result<Arc<[Connector]>, String> {
    (0..SOCKETS).map(|_| Connector::new(trust, tuning.clone()).map_err(|e| e.to_string())).collect()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trouble {
    Handshake,
    BadToken,
    Garbage,
}

/// Makes trouble of one kind at a rate, whatever comes of it.
async fn pour(back: Arc<Backstage>, sockets: Arc<[Connector]>, kind: Trouble, rate: f64) {
    let Ok(interval) = Duration::try_from_secs_f64(1.0 / rate) else { return };
    let mut ticks = tokio::time::interval(interval.max(Duration::from_micros(1)));
    let mut under_way = JoinSet::new();
    for number in 0_usize.. {
        ticks.tick().await;
        while under_way.try_join_next().is_some() {}
        let (back, sockets) = (Arc::clone(&back), Arc::clone(&sockets));
        under_way.spawn(async move {
            let socket = &sockets[number % sockets.len()];
            let meter = &back.hall.meter;
            match trouble(socket, back.hall.server(), kind, number).await {
                Ok(name) => meter.count(|tally| *tally.rejections.entry(name).or_default() += 1),
                Err(Some(what)) => meter.count(|tally| tally.fault(what)),
                // Turned away at the door: the server counts how many.
                Err(None) => meter.count(|tally| *tally.rejections.entry("turned away").or_default() += 1),
            }
        });
    }
}

/// Makes trouble once. How it was answered; an error where it should have been answered otherwise, none if no
/// connection came about.
async fn trouble(
    socket: &Connector,
    server: &str,
    kind: Trouble,
    number: usize,
) -> Result<&'static str, Option<String>> {
    match kind {
        Trouble::Handshake => match socket.open(server, Credential::Guest).await {
            Ok(_) => Ok("handshakes"),
            Err(Error::Connection(_) | Error::Closed(Code::Full)) => Err(None),
            Err(error) => Err(Some(format!("a handshake: {error}"))),
        },
        Trouble::BadToken => {
            let token = Text::cut(&format!("nobody-has-this-token-{number}"));
            match socket.open(server, Credential::Token(token)).await {
                Err(Error::Closed(Code::BadToken)) => Ok("bad tokens"),
                Err(Error::Connection(_)) => Err(None),
                other => Err(Some(format!("a bad token: {:?}", other.map(|opened| opened.welcome)))),
            }
        }
        Trouble::Garbage => {
            let quic = socket.quic(server).await.map_err(|_| None)?;
            let early = ToServer::Request { id: 1, request: Request::Ping };
            let early = codec::encode(&early).unwrap_or_default();
            // A length beyond the bound; a body that is no message; a request before the hello.
            let (bytes, due) = match number % 3 {
                0 => (&[0xff; 64][..], Code::FrameTooLong),
                1 => (&[0x04, 0x00, 0xff, 0xff, 0xff][..], Code::Malformed),
                _ => (&early[..], Code::NoHello),
            };
            let (mut send, _receive) = quic.open_bi().await.map_err(|_| None)?;
            send.write_all(bytes).await.map_err(|_| None)?;
            let closed = tokio::time::timeout(ANSWER, quic.closed()).await;
            match closed.map(Error::from) {
                Ok(Error::Closed(code)) if code == due => Ok("garbage"),
                Ok(Error::Connection(_)) => Err(None),
                other => Err(Some(format!("garbage: {due:?} was due, {other:?} came"))),
            }
        }
    }
}

/// Watches a game after another without ever reading what comes.
async fn do_not_read(back: Arc<Backstage>, sockets: Arc<[Connector]>, number: usize) {
    let opened = sockets[number % sockets.len()].open(back.hall.server(), Credential::Guest).await;
    let Ok(opened) = opened else { return };
    let mut showing = back.showing[number % back.showing.len()].subscribe();
    loop {
        let game = showing.borrow_and_update().as_ref().map(|showing| showing.game);
        if let Some(game) = game {
            let attach = Attach { game, seat: Seat::Spectator, after: None, legal_moves: true };
            let Ok(unread) = opened.connection.attach(attach).await else { return };
            let _changed = showing.changed().await;
            drop(unread);
        } else if showing.changed().await.is_err() {
            return;
        }
    }
}
