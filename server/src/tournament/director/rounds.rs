//! Pairing, when it is asked for and when it is time.

use super::super::decide::Means;
use super::super::draw::{self, Drawn, NoDraw};
use super::super::event::{ByHand, Event};
use super::super::state::State;
use super::Director;
use crate::clock;
use ring::rand::{SecureRandom as _, SystemRandom};
use std::sync::atomic::Ordering;
use std::time::Duration;
use zeitnot_proto::command::Why;
use zeitnot_proto::rules::{GameId, Name};
use zeitnot_proto::{Refusal, Stamp};

/// How long a director waits before he tries again what the store did not take.
const STORE_PAUSE: Duration = Duration::from_millis(100);

/// How long something that could not be done is left at that, in microseconds: a pairing in an arena, a
/// result that the store did not take.
const LOOK_AGAIN_US: u64 = 1_000_000;

impl Director {
    /// When something is due by itself.
    pub(super) fn next_due(&self) -> Option<Stamp> {
        let now = clock::now();
        if self.behind {
            return Some(now.plus(LOOK_AGAIN_US));
        }
        if self.state.finished {
            return self.leaves_at();
        }
        let Some(crowd) = self.state.crowd.as_ref().filter(|_| !self.state.finished) else {
            return self.state.next_pairing();
        };
        let ends = self.state.arena_ends().filter(|&end| end > now || self.state.open_boards() == 0);
        // Patience runs out while nothing else happens.
        let again = (crowd.free() > 1).then(|| now.plus(LOOK_AGAIN_US));
        [ends, again].into_iter().flatten().min()
    }

    pub(super) fn decide<T>(&self, at: Stamp, decide: impl FnOnce(&State, &mut Means<'_>) -> T) -> T {
        let server = &self.server;
        let mut lot = by_lot;
        let mut games = |count: usize| server.hub.reserve_games(count);
        let plies = |game: GameId| {
            server.hub.game(game).map_or(0, |handle| handle.info.plies.load(Ordering::Relaxed))
        };
        let most_players = server.limits.tournament_players;
        let mut means = Means { at, lot: &mut lot, games: &mut games, plies: &plies, most_players };
        decide(&self.state, &mut means)
    }

    /// Pairs the next round, by the rules or by hand; what takes long is done beside the runtime.
    pub(super) async fn pair(&mut self, by: Option<&Name>, hand: Option<(Drawn, Why)>) -> Result<(), NoDraw> {
        let worded = |refusal: Refusal| NoDraw { refusal, why: refusal.advice().to_owned() };
        if self.server.is_draining() {
            return Err(worded(Refusal::Draining));
        }
        self.state.may_pair().map_err(worded)?;
        let state = self.state.clone();
        let drawn = tokio::task::spawn_blocking(move || match hand {
            None => draw::next_round(&state).map(|drawn| (drawn, None)),
            Some((drawn, reason)) => {
                let boards: Vec<_> = drawn.boards.iter().map(|board| (board.white, board.black)).collect();
                Ok((drawn, Some(ByHand { reason, instead: draw::differences(&state, &boards) })))
            }
        });
        let (drawn, by_hand) = drawn.await.map_err(|_| worded(Refusal::NoPairing))??;
        let at = clock::now();
        let events = self.decide(at, |state, means| state.pairing(drawn, by_hand, means));
        self.commit(at, by, events).await.map_err(worded)
    }

    pub(super) async fn pair_by_itself(&mut self) {
        if let Err(NoDraw { refusal, why }) = self.pair(None, None).await {
            if matches!(refusal, Refusal::StoreDown | Refusal::Draining) {
                // Not at once again: the store's health is told a moment later.
                tokio::time::sleep(STORE_PAUSE).await;
                return;
            }
            let event = Event::NotPaired(Why::cut(&why));
            if let Err(refusal) = self.commit(clock::now(), None, vec![event]).await {
                tracing::warn!(refusal = refusal.name(), "that a round was not paired could not be stored");
            }
        }
    }
}

/// A number below `count`, drawn by lot.
fn by_lot(count: usize) -> usize {
    let mut bytes = [0; 8];
    // Without random numbers one lot is as good as another.
    let _same_either_way = SystemRandom::new().fill(&mut bytes);
    let below = u64::try_from(count.max(1)).unwrap_or(1);
    usize::try_from(u64::from_le_bytes(bytes) % below).unwrap_or(0)
}
