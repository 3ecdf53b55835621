//! Pairings, and when they are due.

use super::super::crowd::Crowd;
use super::super::draw::{self, Drawn, DrawnBoard};
use super::super::event::{ByHand, Event, Paired, PairedBoard};
use super::super::state::{Round, State};
use super::{Decided, Means};
use std::collections::{BTreeMap, BTreeSet};
use zeitnot_proto::board::ByColor;
use zeitnot_proto::command::Why;
use zeitnot_proto::rules::{GameId, Name};
use zeitnot_proto::tournament::{ByeKind, Timetable, TournamentPhase, TournamentSystem};
use zeitnot_proto::{Refusal, Stamp};

impl State {
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
    fn wave(&self, crowd: &Crowd, means: &mut Means<'_>) -> Vec<Event> {
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
        let mut by_round: BTreeMap<u16, Vec<DrawnBoard>> = BTreeMap::new();
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
        let complete = self.rounds.iter().all(Round::is_complete);
        // A champion there may not be: where neither finalist came, nobody is left.
        if events.is_empty() && complete {
            events.push(Event::Finished { reason: Why::default() });
        }
        events
    }

    pub(super) fn unpair(&self, reason: &Why, means: &Means<'_>) -> Decided {
        let Some(round) = self.rounds.last().filter(|_| !self.finished && !self.flows()) else {
            return Err(Refusal::WrongPhase);
        };
        let moved = |game: GameId| (means.plies)(game) > 0;
        if round.boards.iter().any(|board| board.by_arbiter || board.game.is_some_and(moved)) {
            return Err(Refusal::RoundBegun);
        }
        Ok(vec![Event::Unpaired { reason: reason.clone() }])
    }
}
