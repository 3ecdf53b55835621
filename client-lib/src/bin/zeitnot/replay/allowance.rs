//! Requests go out no faster than a server takes them from one connection.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// The pause between requests in the long run: a server takes 50 frames a second on one stream by default.
const INTERVAL: Duration = Duration::from_millis(25);
/// How far ahead of that requests may be: a server takes a burst of 500 frames by default.
const BURST: Duration = Duration::from_secs(10);

/// Spaces the requests of one connection.
pub struct Allowance {
    /// When the next request would go out if all had kept the pause.
    due: Mutex<Instant>,
}

impl Allowance {
    /// The whole burst is left.
    pub fn new() -> Allowance {
        Allowance { due: Mutex::new(Instant::now()) }
    }

    /// Waits for the turn of one request.
    pub async fn take(&self) {
        sleep_until(self.reserve(Instant::now())).await;
    }

    /// When the request that is made at `now` may go out.
    fn reserve(&self, now: Instant) -> Instant {
        let mut due = self.due.lock().unwrap_or_else(PoisonError::into_inner);
        let own = (*due).max(now);
        *due = own + INTERVAL;
        own.checked_sub(BURST).map_or(now, |earliest| earliest.max(now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_and_then_one_at_a_time() {
        let allowance = Allowance::new();
        let now = Instant::now() + BURST;
        let burst = (BURST.as_millis() / INTERVAL.as_millis()) as usize;
        let waits: Vec<Duration> = (0..burst + 3).map(|_| allowance.reserve(now) - now).collect();
        assert!(waits[..=burst].iter().all(Duration::is_zero));
        assert_eq!(waits[burst + 2], INTERVAL * 2);
        // What was waited for comes back.
        assert_eq!(allowance.reserve(now + BURST * 3), now + BURST * 3);
    }
}
