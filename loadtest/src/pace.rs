//! When the next move of a game is due.

use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;

/// The beat of an open loop: where it began, and from one move of a game to its next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Beat {
    /// When the first game's first move was due.
    pub start: Instant,
    /// From one move of a game to its next.
    pub interval: Duration,
}

/// How moves are paced.
#[derive(Debug, Clone)]
pub enum Tempo {
    /// As soon as both have seen the last one, but not sooner than this after it.
    Closed(Duration),
    /// As people think: so long on the average, mostly shorter, now and then much longer.
    Thought(Duration),
    /// At fixed instants, whatever the server does. The beat may change.
    Open(watch::Receiver<Beat>),
}

/// The pace of one game.
pub struct Pace {
    tempo: Tempo,
    random: fastrand::Rng,
    /// Where in the interval this game's moves fall, in parts of it: all games together are spread evenly.
    phase: f64,
    /// The next instant of an open loop, and the beat that it is of.
    due: Option<(Instant, Beat)>,
}

impl Pace {
    /// The pace of the game of this number among so many.
    pub fn new(tempo: Tempo, number: usize, games: usize) -> Pace {
        #[expect(clippy::cast_precision_loss, reason = "numbers of games are small")]
        let phase = number as f64 / games.max(1) as f64;
        Pace { tempo, random: fastrand::Rng::with_seed(number as u64), phase, due: None }
    }

    /// Waits until a move is due. The instant from which its latency counts: in an open loop the one at which
    /// it was due, however late the game comes to it.
    pub async fn wait(&mut self) -> Instant {
        match &mut self.tempo {
            Tempo::Closed(pause) => {
                tokio::time::sleep(*pause).await;
                Instant::now()
            }
            Tempo::Thought(mean) => {
                tokio::time::sleep(thought(&mut self.random, *mean)).await;
                Instant::now()
            }
            Tempo::Open(beats) => loop {
                let beat = *beats.borrow_and_update();
                let due = match self.due {
                    Some((due, of)) if of == beat => due,
                    // A new beat: what the old one owed is forgotten.
                    _ => beat.start + beat.interval.mul_f64(self.phase),
                };
                self.due = Some((due, beat));
                tokio::select! {
                    () = tokio::time::sleep_until(due) => {
                        self.due = Some((due + beat.interval, beat));
                        return due;
                    }
                    // Nobody changes the beat any more where this fails.
                    changed = beats.changed() => if changed.is_err() {
                        tokio::time::sleep_until(due).await;
                        self.due = Some((due + beat.interval, beat));
                        return due;
                    }
                }
            },
        }
    }
}

/// How long somebody thinks: log-normally distributed around `mean`, as times for moves are.
fn thought(random: &mut fastrand::Rng, mean: Duration) -> Duration {
    // Of the logarithm; the mean of the distribution is e to half the square of it.
    const SIGMA: f64 = 0.9;
    // Box and Muller.
    let (u, v) = (1.0 - random.f64(), random.f64());
    let normal = (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos();
    mean.mul_f64((SIGMA * normal - SIGMA * SIGMA / 2.0).exp().min(30.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinking_times_have_the_mean_that_was_asked_for() {
        let mut random = fastrand::Rng::with_seed(1);
        let mean = Duration::from_secs(2);
        let sum: Duration = (0..20_000).map(|_| thought(&mut random, mean)).sum();
        let ratio = sum.as_secs_f64() / 20_000.0 / mean.as_secs_f64();
        assert!((0.95..1.05).contains(&ratio), "{ratio}");
    }

    #[tokio::test(start_paused = true)]
    async fn an_open_loop_is_due_at_its_instants_however_late_the_game_comes() {
        let start = Instant::now();
        let (beats, watched) = watch::channel(Beat { start, interval: Duration::from_secs(1) });
        let mut pace = Pace::new(Tempo::Open(watched), 1, 2);
        assert_eq!(pace.wait().await, start + Duration::from_millis(500));
        tokio::time::sleep(Duration::from_secs(3)).await;
        assert_eq!(pace.wait().await, start + Duration::from_millis(1500));
        // Another beat begins afresh.
        let start = Instant::now();
        beats.send_replace(Beat { start, interval: Duration::from_millis(100) });
        assert_eq!(pace.wait().await, start + Duration::from_millis(50));
    }
}
