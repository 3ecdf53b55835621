//! Who takes part.

use super::super::event::{Departure, Event, Player};
use super::super::state::State;
use super::super::words::is_plain;
use super::{Decided, Means};
use std::cmp::Reverse;
use std::collections::BTreeSet;
use zeitnot_pairing::entry_list;
use zeitnot_proto::Refusal;
use zeitnot_proto::board::Color;
use zeitnot_proto::command::Why;
use zeitnot_proto::rules::Name;
use zeitnot_proto::tournament::{ByeKind, Entrant, PlayerState, TournamentSystem};

impl State {
    /// A player enters, or says anew who he is.
    pub fn enter(&self, entrant: Entrant, means: &Means<'_>) -> Decided {
        let texts: [&str; 5] =
            [&entrant.name, &entrant.full_name, &entrant.title, &entrant.federation, &entrant.fide_id];
        if entrant.name.trim().is_empty() || !texts.into_iter().all(is_plain) {
            return Err(Refusal::Malformed);
        }
        if let Some(player) = self.player(&entrant.name) {
            let entered = self.entry(player).ok_or(Refusal::NotEntered)?;
            // Who somebody is does not change once the numbers rest on it.
            let settled = self.started.is_some();
            if settled && entered.entrant.rating != entrant.rating {
                return Err(Refusal::TooLate);
            }
            let mut events = vec![Event::Entered(Box::new(entrant))];
            if entered.state == PlayerState::Withdrawn {
                events.extend(self.come_back(player)?);
            }
            return Ok(events);
        }
        if !self.may_enter() {
            return Err(Refusal::RegistrationClosed);
        }
        let most = match self.settings.most_players {
            0 => means.most_players,
            most => usize::from(most).min(means.most_players),
        };
        if self.entered.len() >= most {
            return Err(Refusal::Limit);
        }
        let (lowest, highest) = (self.settings.lowest_rating, self.settings.highest_rating);
        let host =
            matches!(&self.settings.system, TournamentSystem::Simul { host, .. } if *host == entrant.name);
        let fits = entrant.rating >= lowest && (highest == 0 || entrant.rating <= highest);
        if !fits && !host {
            return Err(Refusal::NotAllowed);
        }
        let mut events = vec![Event::Entered(Box::new(entrant.clone()))];
        if self.started.is_some() {
            let mut after = self.clone();
            after.apply(means.at, &events[0]);
            let player = after.known(&entrant.name)?;
            events.push(Event::Renumbered(after.with_late_entry(player)));
        }
        Ok(events)
    }

    fn come_back(&self, player: Player) -> Decided {
        if self.finished || (self.started.is_some() && self.number(player).is_none()) {
            return Err(Refusal::TooLate);
        }
        let lets_back =
            matches!(self.settings.system, TournamentSystem::Swiss { .. } | TournamentSystem::Arena { .. });
        if self.started.is_some() && !lets_back {
            return Err(Refusal::TooLate);
        }
        Ok(vec![Event::Present(player)])
    }

    /// A player says that he is there.
    pub fn check_in(&self, name: &Name) -> Decided {
        let player = self.known(name)?;
        match self.entry(player).map(|entered| entered.state) {
            Some(PlayerState::Present) => Ok(Vec::new()),
            Some(PlayerState::Entered) if !self.finished => Ok(vec![Event::Present(player)]),
            Some(PlayerState::Withdrawn) => self.come_back(player),
            _ => Err(Refusal::TooLate),
        }
    }

    /// A player leaves.
    pub fn depart(&self, name: &Name, how: Departure, reason: Why) -> Decided {
        let player = self.known(name)?;
        let state = self.entry(player).map(|entered| entered.state);
        if self.finished || state == Some(PlayerState::Expelled) {
            return Err(Refusal::TooLate);
        }
        if state == Some(PlayerState::Withdrawn) && how == Departure::Withdrawn {
            return Ok(Vec::new());
        }
        Ok(vec![Event::Departed { player, how, reason }])
    }

    /// A player has a bye in a round to come.
    pub fn give_bye(&self, name: &Name, round: u16, kind: ByeKind) -> Decided {
        let player = self.known(name)?;
        if !matches!(self.settings.system, TournamentSystem::Swiss { .. }) {
            return Err(Refusal::NotNeeded);
        }
        if round <= self.last_round() || self.finished || self.is_gone(player) {
            return Err(Refusal::TooLate);
        }
        if round > self.rounds_planned() {
            return Err(Refusal::NoSuchBoard);
        }
        Ok(vec![Event::ByeGiven { player, round, kind }])
    }

    pub(super) fn forbid(&self, names: &[Name]) -> Decided {
        if !self.rounds.is_empty() {
            return Err(Refusal::TooLate);
        }
        let players: BTreeSet<Player> =
            names.iter().map(|name| self.known(name)).collect::<Result<_, _>>()?;
        if players.len() < 2 {
            return Err(Refusal::Malformed);
        }
        Ok(vec![Event::Forbidden(players.into_iter().collect())])
    }

    pub(super) fn start(&self, means: &mut Means<'_>) -> Decided {
        if self.started.is_some() || self.finished {
            return Err(Refusal::WrongPhase);
        }
        let mut order: Vec<Player> = (0..).take(self.entered.len()).filter(|&p| !self.is_gone(p)).collect();
        if order.iter().filter(|&&player| self.is_present(player)).count() < 2 {
            return Err(Refusal::NotEnoughPlayers);
        }
        order.sort_by_cached_key(|&player| self.rank_key(player));
        if matches!(self.settings.system, TournamentSystem::RoundRobin { .. }) {
            // Fisher and Yates: numbers are drawn by lot (C.05).
            for last in (1..order.len()).rev() {
                order.swap(last, (means.lot)(last + 1));
            }
        }
        if let TournamentSystem::Simul { host, .. } = &self.settings.system
            && self.player(host).is_none_or(|host| !self.is_present(host))
        {
            return Err(Refusal::NotEntered);
        }
        let drawn = if (means.lot)(2) == 0 { Color::White } else { Color::Black };
        let initial_color = self.settings.initial_color.unwrap_or(drawn);
        Ok(vec![Event::Started { order, initial_color }])
    }

    /// Where a player belongs in the initial order (C.04.2 2.2).
    pub(super) fn rank_key(&self, player: Player) -> (Reverse<u16>, usize, String) {
        let entrant = self.entry(player).map(|entered| &entered.entrant);
        let (rating, title) = entrant.map_or((0, ""), |entrant| (entrant.rating, &*entrant.title));
        entry_list::place(rating, title, &self.full_name(player))
    }

    /// The order with a late entry in his place, or at the end once numbers are frozen.
    pub(super) fn with_late_entry(&self, player: Player) -> Vec<Player> {
        let mut order = self.order.clone();
        let key = self.rank_key(player);
        let place = order.iter().position(|&other| self.rank_key(other) > key);
        match place.filter(|_| self.rounds.len() <= entry_list::LAST_ROUND_TO_RENUMBER) {
            Some(place) => order.insert(place, player),
            None => order.push(player),
        }
        order
    }
}
