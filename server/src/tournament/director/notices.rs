//! Who is told what.

use super::Director;
use std::sync::Weak;
use zeitnot_proto::Stamp;
use zeitnot_proto::command::Why;
use zeitnot_proto::control::Notice;
use zeitnot_proto::rules::Name;
use zeitnot_proto::tournament::TournamentNotice;

impl Director {
    pub(super) fn notify_one(&self, name: &Name, notice: TournamentNotice) {
        self.server.hub.notify(name, &Notice::Tournament(notice));
    }

    /// Tells followers, players and the director.
    pub(super) fn notify_all(&mut self, notice: &TournamentNotice) {
        let players = self.state.entered.iter().map(|entered| entered.entrant.name.clone());
        let names: Vec<Name> = players.chain([self.state.director.clone()]).collect();
        self.notify_these(&names, notice);
    }

    /// Tells followers and the director: what happens too often for all players of a large field.
    pub(super) fn notify_followers(&mut self, notice: &TournamentNotice) {
        let director = [self.state.director.clone()];
        self.notify_these(&director, notice);
    }

    /// Tells these and the followers, each connection once.
    pub(super) fn notify_these(&mut self, names: &[Name], notice: &TournamentNotice) {
        let mut told = std::collections::BTreeSet::new();
        for peer in names.iter().flat_map(|name| self.server.hub.peers_of(name)) {
            if told.insert(peer.id) {
                peer.notify(Notice::Tournament(notice.clone()));
            }
        }
        self.followers.retain(|peer| peer.upgrade().is_some_and(|peer| !peer.outbox.is_closed()));
        for peer in self.followers.iter().filter_map(Weak::upgrade) {
            if told.insert(peer.id) {
                peer.notify(Notice::Tournament(notice.clone()));
            }
        }
    }

    /// Tells those who have begun to wait in an arena why they do.
    pub(super) fn tell_waiting(&mut self, at: Stamp) {
        let Some(crowd) = self.state.crowd.as_ref().filter(|_| !self.state.finished) else { return };
        let waiting: Vec<(u16, String)> = crowd
            .wave(at)
            .waiting
            .iter()
            .map(|(tpn, why)| (tpn.saturating_sub(1), why.to_string()))
            .collect();
        for (player, why) in waiting.iter().filter(|line| !self.waiting.contains(line)) {
            let (tournament, why) = (self.state.id, Why::cut(why));
            self.notify_one(&self.state.name(*player), TournamentNotice::Waiting { tournament, why });
        }
        self.waiting = waiting;
    }
}
