//! The one time line of the process.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Instant, SystemTime, UNIX_EPOCH};
use zeitnot_proto::Stamp;

/// The wall clock is read once, when the process first asks for the time; from there on only the
/// monotonic clock counts. A wall clock that is set back after that moves no stamp.
struct TimeLine {
    origin: Instant,
    origin_us: u64,
}

static TIME_LINE: OnceLock<TimeLine> = OnceLock::new();

/// How far the time line was moved forward, so that no stamp is at or before the last durable one.
static ADVANCE_US: AtomicU64 = AtomicU64::new(0);

/// This instant, in microseconds since 1970 by the wall clock of the start.
pub fn now() -> Stamp {
    let line = TIME_LINE.get_or_init(|| TimeLine {
        origin: Instant::now(),
        origin_us: SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| u64::try_from(since.as_micros()).unwrap_or(u64::MAX)),
    });
    let elapsed_us = u64::try_from(line.origin.elapsed().as_micros()).unwrap_or(u64::MAX);
    Stamp(line.origin_us.saturating_add(elapsed_us).saturating_add(ADVANCE_US.load(Ordering::Relaxed)))
}

/// Moves the time line so that it continues after `last`, the last durable stamp. To be called once,
/// at start, before anything is stamped; a wall clock that was set back while the server was down is
/// the only case in which it does anything.
pub fn continue_after(last: Stamp) {
    let behind_us = last.plus(1).since(now());
    ADVANCE_US.fetch_add(behind_us, Ordering::Relaxed);
}

/// The monotonic instant at which [`now`] will say `at`, for timers.
pub fn instant_of(at: Stamp) -> Instant {
    let now_at = now();
    Instant::now() + std::time::Duration::from_micros(at.since(now_at))
}
