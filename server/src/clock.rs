//! The one time line of the process.
//!
//! The wall clock is read once, when the process first asks for the time; from there on only the
//! monotonic clock counts. A wall clock that is set back after that moves no stamp.

use std::pin::Pin;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tokio::sync::watch;
use tokio::time::Sleep;
use zeitnot_proto::Stamp;

/// What the time line is read from.
enum Source {
    /// The machine's clocks.
    System { origin: Instant, origin_us: u64 },
    /// Whoever embeds the server and sets the time by hand.
    Hand(watch::Sender<u64>),
}

static SOURCE: OnceLock<Source> = OnceLock::new();

/// How far the time line was moved forward, so that no stamp is at or before the last durable one.
static ADVANCE_US: AtomicU64 = AtomicU64::new(0);

fn system() -> Source {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Source::System { origin: Instant::now(), origin_us: micros(since) }
}

fn micros(span: Duration) -> u64 {
    u64::try_from(span.as_micros()).unwrap_or(u64::MAX)
}

/// This instant.
pub fn now() -> Stamp {
    let us = match SOURCE.get_or_init(system) {
        Source::System { origin, origin_us } => origin_us.saturating_add(micros(origin.elapsed())),
        Source::Hand(now_us) => *now_us.borrow(),
    };
    advanced(us)
}

/// A reading of the source as an instant of the time line.
fn advanced(us: u64) -> Stamp {
    Stamp(us.saturating_add(ADVANCE_US.load(Ordering::Relaxed)))
}

/// Moves the time line so that it continues after `last`, the last durable stamp. To be called once,
/// at start, before anything is stamped; a wall clock that was set back while the server was down is
/// the only case in which it does anything.
pub fn continue_after(last: Stamp) {
    let behind_us = last.plus(1).since(now());
    ADVANCE_US.fetch_add(behind_us, Ordering::Relaxed);
}

/// A timer for something that is put off again and again, as a flag is by every move.
///
/// Set to a later instant it is left alone: it rings early once and is set then.
#[derive(Default)]
pub struct Alarm {
    timer: Option<Pin<Box<Sleep>>>,
    rings: Option<Stamp>,
}

impl Alarm {
    /// Waits until [`now`] says `due` or later; for ever if nothing is due. Dropping the future loses
    /// nothing.
    pub async fn ring(&mut self, due: Option<Stamp>) {
        let Some(due) = due else { return std::future::pending().await };
        match SOURCE.get_or_init(system) {
            Source::System { .. } => {
                while due > now() {
                    self.set(due).await;
                    self.rings = None;
                }
            }
            Source::Hand(now_us) => {
                let mut seen = now_us.subscribe();
                // The sender lives as long as the process: waiting cannot fail.
                // What is asked is the value seen: asking for the time again inside would lock it twice.
                let _lives = seen.wait_for(|&us| advanced(us) >= due).await;
            }
        }
    }

    /// The timer, set to `due` unless it rings before.
    fn set(&mut self, due: Stamp) -> &mut Pin<Box<Sleep>> {
        let left = || tokio::time::Instant::now() + Duration::from_micros(due.since(now()));
        let timer = self.timer.get_or_insert_with(|| {
            self.rings = Some(due);
            Box::pin(tokio::time::sleep_until(left()))
        });
        if self.rings.is_none_or(|rings| rings > due) {
            self.rings = Some(due);
            timer.as_mut().reset(left());
        }
        timer
    }
}

/// A time line that is set by hand, for programs that embed the server and replay recorded time.
pub struct Hand(&'static watch::Sender<u64>);

/// Takes the time line of this process into one's own hand, at `start`. None if the process has asked
/// for the time before.
pub fn drive_by_hand(start: Stamp) -> Option<Hand> {
    SOURCE.set(Source::Hand(watch::Sender::new(start.0))).ok()?;
    match SOURCE.get() {
        Some(Source::Hand(now_us)) => Some(Hand(now_us)),
        _ => None,
    }
}

impl Hand {
    /// It is `at` now; an instant that has passed already changes nothing.
    pub fn set(&self, at: Stamp) {
        self.0.send_if_modified(|now_us| {
            let later = at.0 > *now_us;
            *now_us = at.0.max(*now_us);
            later
        });
    }
}
