//! When the store takes nothing, and when the server goes down: the clocks stand.

use super::actor::Actor;
use crate::clock;
use std::sync::atomic::Ordering;
use zeitnot_proto::command::Command;
use zeitnot_proto::game_stream::Seat;
use zeitnot_proto::{Color, Stamp};

impl Actor {
    /// The store takes nothing: this game's clock stands.
    pub(super) fn suspend(&mut self) {
        if self.suspended.is_none() {
            let until = self.server.journal.last_durable().unwrap_or_else(|_| clock::now());
            self.suspended = Some(until);
        }
    }

    pub(super) async fn store_changed(&mut self, up: bool) {
        if !up {
            // Not only clocks stand: nobody is late while the server cannot take him in.
            self.suspend();
        } else if let Some(until) = self.suspended.take() {
            self.interrupt(until).await;
        }
    }

    /// Play was interrupted at `until`: the clocks stand, and run again once both players are here.
    pub(super) async fn interrupt(&mut self, until: Stamp) {
        // First of all: whatever came due while the server was away is nobody's.
        self.own(&Command::Interrupt { until }).await;
        let present = self.game.snapshot().present;
        for side in Color::BOTH {
            let here = self.attachments.iter().any(|r| r.seat == Seat::Player && r.side == Some(side));
            if present[side] != here {
                self.own(&Command::Presence { side, present: here }).await;
            }
        }
    }

    /// The server goes down: the clock stands from now on.
    pub(super) async fn drain(&mut self) {
        if std::mem::replace(&mut self.drained, true) {
            return;
        }
        if !self.game.status().is_over() {
            self.own(&Command::Interrupt { until: clock::now() }).await;
        }
        self.server.hub.drained.fetch_add(1, Ordering::Relaxed);
    }
}
