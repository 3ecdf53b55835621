//! What a request causes: events, or a refusal. Nothing changes here.

use super::draw::{self, Drawn, DrawnBoard};
use super::event::{ByHand, Departure, Event, Paired, PairedBoard, Player};
use super::state::State;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use zeitnot_pairing::entry_list;
use zeitnot_proto::board::{ByColor, Color};
use zeitnot_proto::command::Why;
use zeitnot_proto::rules::{GameId, Name};
use zeitnot_proto::tournament::{
    BoardResult, ByeKind, Direction, Entrant, PlayerState, Timetable, TournamentPhase, TournamentSystem,
};
use zeitnot_proto::{Refusal, Stamp};

/// What decisions need from outside.
pub struct Means<'a> {
    /// Now.
    pub at: Stamp,
    /// A number below the given one, drawn by lot.
    pub lot: &'a mut dyn FnMut(usize) -> usize,
    /// So many numbers of games in a row that nobody else gets: the first of them.
    pub games: &'a mut dyn FnMut(usize) -> GameId,
    /// Half-moves made in a game.
    pub plies: &'a dyn Fn(GameId) -> u32,
    /// How many may enter at most.
    pub most_players: usize,
}

type Decided = Result<Vec<Event>, Refusal>;

impl State {
    fn known(&self, name: &Name) -> Result<Player, Refusal> {
        self.player(name).ok_or(Refusal::NotEntered)
    }

    fn is_gone(&self, player: Player) -> bool {
        self.entry(player).is_none_or(|e| matches!(e.state, PlayerState::Withdrawn | PlayerState::Expelled))
    }

    /// A player enters, or says anew who he is.
    pub fn enter(&self, entrant: Entrant, means: &Means<'_>) -> Decided {
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

    /// A director acts. Pairing is not done here: it may take long.
    pub fn direct(&self, action: &Direction, means: &mut Means<'_>) -> Decided {
        match action {
            Direction::Enter(entrant) => self.enter((**entrant).clone(), means),
            Direction::CheckIn(name) => self.check_in(name),
            Direction::Withdraw(name) => self.depart(name, Departure::Withdrawn, Why::default()),
            Direction::Expel { name, reason } => self.depart(name, Departure::Expelled, reason.clone()),
            Direction::GiveBye { name, round, kind } => self.give_bye(name, *round, *kind),
            Direction::Forbid(names) => self.forbid(names),
            Direction::Registration { open } => {
                if self.started.is_some() {
                    return Err(Refusal::WrongPhase);
                }
                Ok(vec![Event::Registration { open: *open }])
            }
            Direction::Start => self.start(means),
            Direction::Change(settings) => {
                if self.started.is_some() {
                    return Err(Refusal::TooLate);
                }
                super::check(settings)?;
                Ok(vec![Event::Changed(settings.clone())])
            }
            Direction::Unpair { reason } => self.unpair(reason, means),
            Direction::Result { round, board, result, reason } => {
                self.enter_result(*round, *board, *result, true, reason)
            }
            Direction::Announce(text) => Ok(vec![Event::Announced(text.clone())]),
            Direction::Finish { reason } => {
                if self.finished || self.started.is_none() {
                    return Err(Refusal::WrongPhase);
                }
                if self.open_boards() > 0 {
                    return Err(Refusal::RoundOpen);
                }
                Ok(vec![Event::Finished { reason: reason.clone() }])
            }
            // These may take long: the actor has them computed beside the runtime.
            Direction::Pair | Direction::PairByHand { .. } => Err(Refusal::Malformed),
        }
    }

    fn forbid(&self, names: &[Name]) -> Decided {
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

    // ---- The list ----

    fn start(&self, means: &mut Means<'_>) -> Decided {
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
    fn rank_key(&self, player: Player) -> (Reverse<u16>, usize, String) {
        let entrant = self.entry(player).map(|entered| &entered.entrant);
        let (rating, title) = entrant.map_or((0, ""), |entrant| (entrant.rating, &*entrant.title));
        entry_list::place(rating, title, &self.full_name(player))
    }

    /// The order with a late entry in his place, or at the end once numbers are frozen.
    fn with_late_entry(&self, player: Player) -> Vec<Player> {
        let mut order = self.order.clone();
        let key = self.rank_key(player);
        let place = order.iter().position(|&other| self.rank_key(other) > key);
        match place.filter(|_| self.rounds.len() <= entry_list::LAST_ROUND_TO_RENUMBER) {
            Some(place) => order.insert(place, player),
            None => order.push(player),
        }
        order
    }

    // ---- Rounds ----

    /// Whether the next round may be paired now.
    pub fn may_pair(&self) -> Result<(), Refusal> {
        match self.phase() {
            TournamentPhase::BetweenRounds => {}
            TournamentPhase::Playing => return Err(Refusal::RoundOpen),
            _ => return Err(Refusal::WrongPhase),
        }
        let all = self.last_round() >= self.rounds_planned();
        // The games of a knockout follow one another by themselves.
        let by_itself = self.flows() && !self.rounds.is_empty();
        if all || by_itself { Err(Refusal::WrongPhase) } else { Ok(()) }
    }

    /// The boards of an arbiter.
    ///
    /// # Errors
    /// Not everybody who is there is in them once, or somebody else is.
    pub fn by_hand(&self, boards: &[ByColor<Name>], bye: Option<&Name>) -> Result<Drawn, Refusal> {
        self.may_pair()?;
        if !self.settings.system.has_rounds() {
            return Err(Refusal::WrongPhase);
        }
        let round = self.last_round() + 1;
        let mut drawn = Drawn::default();
        let mut seen = BTreeSet::new();
        for names in boards {
            let (white, black) = (self.known(&names.white)?, self.known(&names.black)?);
            if !seen.insert(white) || !seen.insert(black) {
                return Err(Refusal::BadPairing);
            }
            drawn.boards.push(DrawnBoard { white, black, key: None, result: None });
        }
        if let Some(name) = bye {
            let player = self.known(name)?;
            if !seen.insert(player) {
                return Err(Refusal::BadPairing);
            }
            drawn.out.push((player, ByeKind::Allocated));
        }
        for &player in &self.order {
            let asked = self.byes.get(&(player, round)).copied();
            let there = self.is_present(player);
            match (seen.contains(&player), there, asked) {
                (true, true, _) => {}
                (true, false, _) | (false, true, None) => return Err(Refusal::BadPairing),
                (false, true, Some(kind)) => drawn.out.push((player, kind)),
                (false, false, _) => drawn.out.push((player, ByeKind::Zero)),
            }
        }
        if seen.iter().any(|&player| self.number(player).is_none()) || drawn.boards.is_empty() {
            return Err(Refusal::BadPairing);
        }
        Ok(drawn)
    }

    /// The event of a pairing, with numbers for its games.
    pub fn pairing(&self, drawn: Drawn, by_hand: Option<ByHand>, means: &mut Means<'_>) -> Vec<Event> {
        let playing = drawn.boards.iter().filter(|board| board.result.is_none()).count();
        let mut next = (means.games)(playing).0;
        let boards = drawn.boards.into_iter().map(|board| {
            let game = board.result.is_none().then(|| {
                next += 1;
                GameId(next - 1)
            });
            let DrawnBoard { white, black, key, result } = board;
            PairedBoard { white, black, game, key, result }
        });
        let boards: Vec<PairedBoard> = boards.collect();
        let round = self.last_round() + 1;
        let starts_at = self.starts_at(round, means.at);
        let over = playing == 0 && !self.flows();
        let paired = Paired { round, boards, out: drawn.out, starts_at, by_hand };
        let mut events = vec![Event::Paired(Box::new(paired))];
        if over {
            events.push(Event::RoundOver);
            events.extend(self.end_after(round));
        }
        events
    }

    fn starts_at(&self, round: u16, at: Stamp) -> Stamp {
        let earliest = at.plus(self.settings.lead_us);
        match &self.settings.timetable {
            Timetable::Fixed(times) => {
                times.get(usize::from(round) - 1).map_or(earliest, |&time| time.max(at))
            }
            _ => earliest,
        }
    }

    /// When the next round is to be paired by itself.
    pub fn next_pairing(&self) -> Option<Stamp> {
        if self.not_paired.is_some() || self.may_pair().is_err() {
            return None;
        }
        let before = self.rounds.last().map_or(self.started, |round| round.over)?;
        match &self.settings.timetable {
            Timetable::ByHand => None,
            Timetable::Interval { .. } if self.rounds.is_empty() => Some(before),
            Timetable::Interval { pause_us } => Some(before.plus(*pause_us)),
            Timetable::Fixed(times) => {
                let time = times.get(self.rounds.len())?;
                Some(Stamp(time.0.saturating_sub(self.settings.lead_us)).max(before))
            }
        }
    }

    /// Whether games follow one another by themselves, without rounds that end.
    pub fn flows(&self) -> bool {
        matches!(self.settings.system, TournamentSystem::Knockout { .. } | TournamentSystem::Arena { .. })
    }

    /// The next games of an arena, or its end.
    fn wave(&self, crowd: &super::crowd::Crowd, means: &mut Means<'_>) -> Vec<Event> {
        let over = self.arena_ends().is_none_or(|end| means.at >= end);
        if over {
            let end = Event::Finished { reason: Why::default() };
            return if self.open_boards() == 0 { vec![end] } else { Vec::new() };
        }
        let games = crowd.wave(means.at).games;
        if games.is_empty() {
            return Vec::new();
        }
        let first = (means.games)(games.len()).0;
        let boards = games.into_iter().zip(first..).map(|((white, black), game)| PairedBoard {
            white: white.saturating_sub(1),
            black: black.saturating_sub(1),
            game: Some(GameId(game)),
            key: None,
            result: None,
        });
        let (boards, starts_at) = (boards.collect(), means.at.plus(self.settings.lead_us));
        vec![Event::Paired(Box::new(Paired { round: 1, boards, out: Vec::new(), starts_at, by_hand: None }))]
    }

    /// More games of a knockout or an arena, where some have become due.
    pub fn follow_up(&self, means: &mut Means<'_>) -> Vec<Event> {
        if self.finished {
            return Vec::new();
        }
        if let Some(crowd) = &self.crowd {
            return self.wave(crowd, means);
        }
        if self.rounds.is_empty() {
            return Vec::new();
        }
        let mut by_round: std::collections::BTreeMap<u16, Vec<DrawnBoard>> =
            std::collections::BTreeMap::new();
        for board in draw::due_boards(self) {
            if let Some(key) = board.key {
                by_round.entry(key.round + 1).or_default().push(board);
            }
        }
        let mut events = Vec::new();
        for (round, boards) in by_round {
            // A round follows the one before it; its first matches may begin before that has ended.
            let first = (means.games)(boards.len()).0;
            let boards = boards.into_iter().zip(first..).map(|(board, game)| PairedBoard {
                white: board.white,
                black: board.black,
                game: Some(GameId(game)),
                key: board.key,
                result: None,
            });
            let starts_at = means.at.plus(self.settings.lead_us);
            let boards = boards.collect();
            events.push(Event::Paired(Box::new(Paired {
                round,
                boards,
                out: Vec::new(),
                starts_at,
                by_hand: None,
            })));
        }
        let complete = self.rounds.iter().all(super::state::Round::is_complete);
        // A champion there may not be: where neither finalist came, nobody is left.
        if events.is_empty() && complete {
            events.push(Event::Finished { reason: Why::default() });
        }
        events
    }

    fn unpair(&self, reason: &Why, means: &Means<'_>) -> Decided {
        let Some(round) = self.rounds.last().filter(|_| !self.finished && !self.flows()) else {
            return Err(Refusal::WrongPhase);
        };
        let moved = |game: GameId| (means.plies)(game) > 0;
        if round.boards.iter().any(|board| board.by_arbiter || board.game.is_some_and(moved)) {
            return Err(Refusal::RoundBegun);
        }
        Ok(vec![Event::Unpaired { reason: reason.clone() }])
    }

    // ---- Results ----

    /// A result comes in, from a game or from an arbiter.
    pub fn enter_result(
        &self,
        round: u16,
        board: u16,
        result: BoardResult,
        by_arbiter: bool,
        reason: &Why,
    ) -> Decided {
        let entered = self.board(round, board).ok_or(Refusal::NoSuchBoard)?;
        if entered.game.is_none() && !by_arbiter {
            return Err(Refusal::NoSuchBoard);
        }
        let stands = entered.result == Some(result) && (entered.by_arbiter || !by_arbiter);
        if stands || (entered.by_arbiter && !by_arbiter) {
            return Ok(Vec::new());
        }
        if let (Some(key), Some(_)) = (entered.key, entered.result)
            && self.correction_comes_too_late(key, result)
        {
            return Err(Refusal::TooLate);
        }
        let mut events = vec![Event::Result { round, board, result, by_arbiter, reason: reason.clone() }];
        let mut after = self.clone();
        after.apply(Stamp(0), &events[0]);
        let last = after.rounds.last().is_some_and(|round| round.is_complete() && round.over.is_none());
        if last && round == self.last_round() && !self.finished && !self.flows() {
            events.push(Event::RoundOver);
            events.extend(self.end_after(round));
        }
        Ok(events)
    }

    /// What follows the end of a round: the end of the tournament, if it was the last one.
    fn end_after(&self, round: u16) -> Option<Event> {
        (round >= self.rounds_planned()).then(|| Event::Finished { reason: Why::default() })
    }

    /// A game ended in a way that no table knows.
    pub fn question(&self, round: u16, board: u16, what: &Why) -> Vec<Event> {
        let open =
            self.board(round, board).is_some_and(|b| !b.by_arbiter && b.question.as_ref() != Some(what));
        if open { vec![Event::Question { round, board, what: what.clone() }] } else { Vec::new() }
    }
}
