//! What all parts of a running server share.

use crate::arrival::Arrivals;
use crate::config::Comforts;
use crate::hub::Hub;
use crate::identity::Identities;
use crate::journal::Journal;
use crate::limits::Limits;
use crate::lobby::Lobby;
use crate::metrics::Metrics;
use crate::tournament::Tournaments;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::{Semaphore, watch};

/// A running server, shared by its tasks.
pub struct Server {
    /// What it allows.
    pub limits: Limits,
    /// What happens to a game by itself where its terms do not say.
    pub comforts: Comforts,
    /// What it counts.
    pub metrics: Metrics,
    /// What is durable.
    pub journal: Arc<dyn Journal>,
    /// Who may come in.
    pub identities: Arc<Identities>,
    /// When datagrams came in.
    pub arrivals: Arc<Arrivals>,
    /// Games and connections.
    pub hub: Hub,
    /// Seeks, challenges, rematches.
    pub lobby: Lobby,
    /// Tournaments.
    pub tournaments: Tournaments,
    /// Room for searches for a mate.
    pub mate_searches: Arc<Semaphore>,
    /// Whether the store takes records.
    pub store_health: watch::Receiver<bool>,
    /// True once the server goes down.
    pub draining: watch::Sender<bool>,
    /// True once all unfinished games are in memory.
    pub recovered: AtomicBool,
}

impl Server {
    /// Whether the store takes records.
    pub fn store_up(&self) -> bool {
        *self.store_health.borrow()
    }

    /// Whether the server is going down.
    pub fn is_draining(&self) -> bool {
        *self.draining.borrow()
    }

    /// Why nobody should be sent here now, if there is a reason.
    pub fn not_ready(&self) -> Option<&'static str> {
        if self.is_draining() {
            Some("draining")
        } else if !self.recovered.load(Ordering::Acquire) {
            Some("reading the journal")
        } else if !self.store_up() {
            Some("the store takes nothing")
        } else {
            None
        }
    }
}
