//! A tournament as its events leave it.

use super::crowd::Crowd;
use super::event::{ByHand, Departure, Event, MatchKey, Player};
use std::collections::BTreeMap;
use zeitnot_proto::Stamp;
use zeitnot_proto::board::Color;
use zeitnot_proto::command::Why;
use zeitnot_proto::rules::{GameId, Name};
use zeitnot_proto::tournament::{
    BoardResult, ByeKind, Entrant, PlayerState, TournamentId, TournamentPhase, TournamentSettings,
    TournamentSystem,
};

/// A player and what became of him.
#[derive(Debug, Clone)]
pub struct Entered {
    /// Who.
    pub entrant: Entrant,
    /// What he is now.
    pub state: PlayerState,
    /// In which order players left, if he did.
    pub left: Option<usize>,
}

/// A board of a round.
#[derive(Debug, Clone)]
pub struct Board {
    /// White.
    pub white: Player,
    /// Black.
    pub black: Player,
    /// Its game, if there is one to play.
    pub game: Option<GameId>,
    /// When White's clock starts.
    pub starts_at: Stamp,
    /// The game of a knockout match.
    pub key: Option<MatchKey>,
    /// The result.
    pub result: Option<BoardResult>,
    /// Whether an arbiter entered it.
    pub by_arbiter: bool,
    /// Why only an arbiter can enter the result.
    pub question: Option<Why>,
    /// A correction has decided the match before this game: it is not played.
    pub needless: bool,
}

impl Board {
    /// Whether it is still to have a result.
    pub fn is_open(&self) -> bool {
        self.result.is_none() && !self.needless
    }
}

/// A round.
#[derive(Debug, Clone)]
pub struct Round {
    /// The boards in order.
    pub boards: Vec<Board>,
    /// Who stays out.
    pub out: Vec<(Player, ByeKind)>,
    /// When White's clocks start.
    pub starts_at: Stamp,
    /// The pairing was the arbiter's own.
    pub by_hand: Option<ByHand>,
    /// The event that paired it.
    pub paired_by: u32,
    /// When it was over.
    pub over: Option<Stamp>,
}

impl Round {
    /// Whether every board has a result.
    pub fn is_complete(&self) -> bool {
        !self.boards.iter().any(Board::is_open)
    }
}

/// A tournament.
#[derive(Debug, Clone)]
pub struct State {
    /// Its number.
    pub id: TournamentId,
    /// What was decided.
    pub settings: TournamentSettings,
    /// Who runs it.
    pub director: Name,
    /// The players in the order of entry.
    pub entered: Vec<Entered>,
    /// Where each identity stands in it.
    by_name: BTreeMap<Name, Player>,
    /// Players in the order of their pairing numbers; empty before the start.
    pub order: Vec<Player>,
    /// The initial colour, once it is drawn.
    pub initial_color: Color,
    /// Byes by player and round.
    pub byes: BTreeMap<(Player, u16), ByeKind>,
    /// Groups of players who do not meet.
    pub forbidden: Vec<Vec<Player>>,
    /// The last player whom Baku acceleration helps, since the first round was paired.
    pub last_accelerated: Option<Player>,
    /// The rounds that were paired.
    pub rounds: Vec<Round>,
    /// Whether players can enter.
    pub open: bool,
    /// When it was started.
    pub started: Option<Stamp>,
    /// Whether it is over.
    pub finished: bool,
    /// The next round could not be paired by itself.
    pub not_paired: Option<Why>,
    /// What was announced last.
    pub announcement: Why,
    /// Games of pairings that were taken back.
    pub void_games: Vec<GameId>,
    /// The crowd of an arena that has started.
    pub crowd: Option<Crowd>,
    /// How many events there were.
    pub seq: u32,
    departures: usize,
}

impl State {
    /// The tournament after its first event; none if that is no creation.
    pub fn open(id: TournamentId, first: &Event) -> Option<State> {
        let Event::Created { settings, director } = first else { return None };
        Some(State {
            id,
            settings: (**settings).clone(),
            director: director.clone(),
            entered: Vec::new(),
            by_name: BTreeMap::new(),
            order: Vec::new(),
            initial_color: Color::White,
            byes: BTreeMap::new(),
            forbidden: Vec::new(),
            last_accelerated: None,
            rounds: Vec::new(),
            open: true,
            started: None,
            finished: false,
            not_paired: None,
            announcement: Why::default(),
            void_games: Vec::new(),
            crowd: None,
            seq: 1,
            departures: 0,
        })
    }

    /// Folds an event in.
    pub fn apply(&mut self, at: Stamp, event: &Event) {
        let seq = self.seq;
        self.seq += 1;
        match event {
            Event::Created { .. } => {}
            Event::Changed(settings) => self.settings.clone_from(settings),
            Event::Entered(entrant) => self.entered(entrant, at),
            Event::Present(player) => {
                self.set_state(*player, PlayerState::Present);
                self.join_crowd(*player, at);
            }
            Event::Departed { player, how, .. } => {
                let state = match how {
                    Departure::Withdrawn => PlayerState::Withdrawn,
                    Departure::Expelled => PlayerState::Expelled,
                };
                if self.is_present(*player)
                    && let Some(crowd) = &mut self.crowd
                {
                    crowd.leave(*player);
                }
                self.set_state(*player, state);
                self.departures += 1;
                let nth = self.departures;
                if let Some(entered) = self.entered.get_mut(usize::from(*player)) {
                    entered.left = Some(nth);
                }
            }
            Event::ByeGiven { player, round, kind } => drop(self.byes.insert((*player, *round), *kind)),
            Event::Forbidden(players) => self.forbidden.push(players.clone()),
            Event::Registration { open } => self.open = *open,
            Event::Started { order, initial_color } => {
                self.order.clone_from(order);
                self.initial_color = *initial_color;
                self.started = Some(at);
                self.open = false;
                if let TournamentSystem::Arena { streaks, patience_us, .. } = self.settings.system {
                    self.crowd = Some(Crowd::new(streaks, patience_us));
                    for &player in order {
                        self.join_crowd(player, at);
                    }
                }
            }
            Event::Renumbered(order) => self.order.clone_from(order),
            Event::Paired(paired) => self.paired(seq, paired),
            Event::Unpaired { .. } => {
                self.last_accelerated = self.last_accelerated.filter(|_| self.rounds.len() > 1);
                if let Some(round) = self.rounds.pop() {
                    self.void_games.extend(round.boards.iter().filter_map(|board| board.game));
                }
            }
            Event::Result { round, board, result, by_arbiter, .. } => {
                if let Some(crowd) = &mut self.crowd {
                    crowd.end(usize::from(*board).saturating_sub(1), *result, at);
                }
                if let Some(board) = self.board_mut(*round, *board) {
                    board.result = Some(*result);
                    board.by_arbiter = *by_arbiter;
                    board.question = None;
                }
                self.drop_needless(*round, *board);
            }
            Event::Question { round, board, what } => {
                if let Some(board) = self.board_mut(*round, *board) {
                    board.result = None;
                    board.question = Some(what.clone());
                }
            }
            Event::RoundOver => {
                if let Some(round) = self.rounds.last_mut() {
                    round.over = Some(at);
                }
            }
            Event::NotPaired(why) => self.not_paired = Some(why.clone()),
            Event::Announced(text) => self.announcement = text.clone(),
            Event::Finished { .. } => self.finished = true,
        }
    }

    /// Whoever is there takes part in an arena that is under way.
    fn join_crowd(&mut self, player: Player, at: Stamp) {
        let rating = self.entry(player).map_or(0, |entered| entered.entrant.rating);
        let present = self.is_present(player);
        if let Some(crowd) = self.crowd.as_mut().filter(|_| present) {
            crowd.join(player, rating, at);
        }
    }

    fn entered(&mut self, entrant: &Entrant, at: Stamp) {
        if let Some(&known) = self.by_name.get(&entrant.name) {
            if let Some(entered) = self.entered.get_mut(usize::from(known)) {
                entered.entrant = entrant.clone();
            }
            return;
        }
        let Ok(player) = Player::try_from(self.entered.len()) else { return };
        self.by_name.insert(entrant.name.clone(), player);
        let state = if self.settings.check_in { PlayerState::Entered } else { PlayerState::Present };
        self.entered.push(Entered { entrant: entrant.clone(), state, left: None });
        self.join_crowd(player, at);
    }

    fn set_state(&mut self, player: Player, state: PlayerState) {
        if let Some(entered) = self.entered.get_mut(usize::from(player)) {
            entered.state = state;
            entered.left = None;
        }
    }

    fn paired(&mut self, seq: u32, paired: &super::event::Paired) {
        self.not_paired = None;
        let boards = paired.boards.iter().map(|board| Board {
            white: board.white,
            black: board.black,
            game: board.game,
            starts_at: paired.starts_at,
            key: board.key,
            result: board.result,
            by_arbiter: false,
            question: None,
            needless: false,
        });
        let boards: Vec<Board> = boards.collect();
        if let Some(crowd) = &mut self.crowd {
            for board in &boards {
                crowd.begin(board.white, board.black);
            }
        }
        if paired.round == 1
            && matches!(self.settings.system, TournamentSystem::Swiss { accelerated: true, .. })
        {
            // C.04.7: later entries do not move the border between the groups.
            let group_a = zeitnot_pairing::baku::group_a(self.order.len()).min(self.order.len());
            self.last_accelerated = self.order.get(group_a.saturating_sub(1)).copied();
        }
        // A knockout round in which nobody had to play is passed over.
        while self.rounds.len() < usize::from(paired.round) {
            self.rounds.push(Round {
                boards: Vec::new(),
                out: paired.out.clone(),
                starts_at: paired.starts_at,
                by_hand: paired.by_hand.clone(),
                paired_by: seq,
                over: None,
            });
        }
        // Games come to a knockout round as they become due.
        if let Some(round) = self.rounds.get_mut(usize::from(paired.round).saturating_sub(1)) {
            round.boards.extend(boards);
            round.over = None;
        }
    }

    /// A player by identity.
    pub fn player(&self, name: &Name) -> Option<Player> {
        self.by_name.get(name).copied()
    }

    /// What is known about a player.
    pub fn entry(&self, player: Player) -> Option<&Entered> {
        self.entered.get(usize::from(player))
    }

    /// The identity of a player.
    pub fn name(&self, player: Player) -> Name {
        self.entry(player).map(|entered| entered.entrant.name.clone()).unwrap_or_default()
    }

    /// Whether a player is to be paired.
    pub fn is_present(&self, player: Player) -> bool {
        self.entry(player).is_some_and(|entered| entered.state == PlayerState::Present)
    }

    /// The pairing number of a player, from 1.
    pub fn number(&self, player: Player) -> Option<u16> {
        let place = self.order.iter().position(|&other| other == player)?;
        u16::try_from(place + 1).ok()
    }

    /// A round by its number, from 1.
    pub fn round(&self, round: u16) -> Option<&Round> {
        usize::from(round).checked_sub(1).and_then(|index| self.rounds.get(index))
    }

    /// The number of the last round that is paired; 0 before the first.
    pub fn last_round(&self) -> u16 {
        u16::try_from(self.rounds.len()).unwrap_or(u16::MAX)
    }

    /// A board by its number, from 1.
    pub fn board(&self, round: u16, board: u16) -> Option<&Board> {
        self.round(round)?.boards.get(usize::from(board).checked_sub(1)?)
    }

    fn board_mut(&mut self, round: u16, board: u16) -> Option<&mut Board> {
        let round = self.rounds.get_mut(usize::from(round).checked_sub(1)?)?;
        round.boards.get_mut(usize::from(board).checked_sub(1)?)
    }

    /// Round and board of a game.
    pub fn find(&self, game: GameId) -> Option<(u16, u16)> {
        for (round, number) in self.rounds.iter().zip(1..) {
            if let Some(board) = round.boards.iter().position(|board| board.game == Some(game)) {
                return Some((number, u16::try_from(board + 1).ok()?));
            }
        }
        None
    }

    /// All games that it ever gave a number to, those of pairings taken back included.
    pub fn games(&self) -> impl Iterator<Item = GameId> + '_ {
        let boards = self.rounds.iter().flat_map(|round| &round.boards);
        boards.filter_map(|board| board.game).chain(self.void_games.iter().copied())
    }

    /// How many rounds there are to be; 0 while that is not known.
    pub fn rounds_planned(&self) -> u16 {
        match self.settings.system {
            TournamentSystem::Swiss { rounds, .. } => rounds,
            TournamentSystem::RoundRobin { cycles } => {
                let players = if self.order.is_empty() { self.entered.len() } else { self.order.len() };
                let cycle = zeitnot_pairing::round_robin::rounds_of_cycle(players);
                u16::try_from(cycle).unwrap_or(u16::MAX).saturating_mul(u16::from(cycles))
            }
            TournamentSystem::Simul { .. } | TournamentSystem::Arena { .. } => 1,
            TournamentSystem::Knockout { .. } => {
                let players = self.order.len().max(1).next_power_of_two();
                u16::try_from(players.trailing_zeros()).unwrap_or(u16::MAX)
            }
        }
    }

    /// How far it has come.
    pub fn phase(&self) -> TournamentPhase {
        if self.finished {
            return TournamentPhase::Finished;
        }
        match (self.started, self.rounds.last()) {
            (None, _) if self.open => TournamentPhase::Registration,
            (None, _) => TournamentPhase::Closed,
            (Some(_), _) if self.crowd.is_some() => TournamentPhase::Playing,
            (Some(_), Some(round)) if !round.is_complete() => TournamentPhase::Playing,
            (Some(_), _) => TournamentPhase::BetweenRounds,
        }
    }

    /// Whether somebody may still enter.
    pub fn may_enter(&self) -> bool {
        match self.started {
            None => self.open,
            Some(_) if self.crowd.is_some() => !self.finished,
            Some(_) => {
                !self.finished
                    && matches!(self.settings.system, TournamentSystem::Swiss { .. })
                    && self.last_round() < self.settings.last_entry_round
            }
        }
    }

    /// How many take part.
    pub fn players(&self) -> usize {
        let takes_part =
            |entered: &&Entered| matches!(entered.state, PlayerState::Entered | PlayerState::Present);
        self.entered.iter().filter(takes_part).count()
    }

    /// Whether it is over and every board has its result.
    pub fn is_settled(&self) -> bool {
        self.finished && self.rounds.iter().all(Round::is_complete)
    }

    /// Boards with a game and without a result.
    pub fn open_boards(&self) -> usize {
        self.rounds.last().map_or(0, |round| round.boards.iter().filter(|b| b.is_open()).count())
    }
}
