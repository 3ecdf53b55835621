//! A game: its state, how it opens, and what can be read off it.

use crate::clock::{Clock, delay, increment};
use crate::history::History;
use crate::position::Record;
use crate::rulebook::{ClockAuthority, Rulebook, StartPolicy};
use std::sync::Arc;
use zeitnot_proto::event::{Claim, Entry, MateCause};
use zeitnot_proto::rules::Setup;
use zeitnot_proto::time_control::Added;
use zeitnot_proto::{ByColor, Color, Event, Move, Outcome, Refusal, Seq, Square, Stamp, Text};

/// A topic that awaits a ruling.
pub(crate) type Topic = Text<{ zeitnot_proto::limits::WORD_MAX }>;

/// How far a game has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Phase {
    Waiting,
    Playing,
    Paused,
    Awaiting(Topic),
    Adjourned,
    Ended(Outcome),
    Annulled,
}

/// A move that stands on the board and is not completed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Made {
    pub side: Color,
    pub mv: Move,
    /// Not legal: the record does not have it, and the player may still correct himself.
    pub illegal: bool,
}

/// The clocks and periods after a completed half-move.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Mark {
    pub main: ByColor<u64>,
    pub period: ByColor<u16>,
    pub in_period: ByColor<u16>,
}

/// A live draw offer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Offer {
    pub side: Color,
    /// Half-moves made when it was made.
    pub ply: u32,
    /// With the move of that ply, and not after it.
    pub with_move: bool,
}

/// What belongs to the turn of the side to move, and ends with its move.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Turn {
    /// Deliberate touches in their order; `true` marks one at the same time as the next.
    pub touches: Vec<(Square, bool)>,
    /// The man that made an illegal move, or that a claim named: it is bound before all touches.
    pub obliged: Option<Square>,
    /// The player said that he straightens men; it covers the next touch.
    pub adjusting: bool,
    /// Whether a claim of threefold and of fifty moves was ruled on.
    pub ruled: [bool; 2],
    /// The move announced with a wrong claim.
    pub bound: Option<Move>,
}

/// Counters and marks of each side that no single article owns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Player {
    /// Moves completed.
    pub completed: u32,
    /// At the board, once and for all.
    pub arrived: bool,
    /// The connection is here.
    pub present: bool,
    /// Since when it is not.
    pub absent_since: Option<Stamp>,
    /// Illegal moves completed.
    pub illegal: u16,
    /// Those that count for a penalty.
    pub illegal_penalised: u16,
    /// Draw offers made, and those that were refused.
    pub offers: u16,
    pub refused: u16,
    /// Times the clocks were stopped by this player.
    pub pauses: u16,
    /// The arbiter was told of the time scramble.
    pub alerted: bool,
    /// The scoresheet has to be brought up to date.
    pub sheet_due: bool,
    /// The result is confirmed.
    pub confirmed: bool,
}

/// The increment that an arbiter granted in a quickplay finish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Granted {
    pub added: Added,
    /// The side that still has to get its first one, when its turn begins.
    pub owed: Option<Color>,
}

/// A game under its rules. It changes by [`Game::apply`] and [`Game::turn_began`] alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Game {
    pub(crate) setup: Arc<Setup>,
    pub(crate) rules: Arc<Rulebook>,
    pub(crate) seq: Option<Seq>,
    pub(crate) position_seq: Seq,
    pub(crate) phase: Phase,
    pub(crate) record: Record,
    /// Half-moves of the set-up.
    pub(crate) start_plies: u32,
    pub(crate) clock: Clock,
    pub(crate) players: ByColor<Player>,
    /// The start, then one mark for each half-move completed since.
    pub(crate) marks: History<Mark>,
    pub(crate) made: Vec<Made>,
    pub(crate) turn: Turn,
    pub(crate) created: Stamp,
    /// When the session began: lateness counts from here.
    pub(crate) session: Option<Stamp>,
    /// When the present turn began, also in untimed games.
    pub(crate) turn_since: Option<Stamp>,
    pub(crate) offer: Option<Offer>,
    pub(crate) takeback: Option<(Color, u32)>,
    pub(crate) claim: Option<(Color, Claim)>,
    /// Whose quickplay claim is postponed.
    pub(crate) postponed: Option<Color>,
    /// Whose fallen flag awaits a ruling.
    pub(crate) flagged: Option<Color>,
    /// Who would win if mate is possible, and what for.
    pub(crate) asked: Option<(Color, MateCause)>,
    pub(crate) granted: Option<Granted>,
    /// The arbiter consents to a draw.
    pub(crate) consent: bool,
    /// The default time that the arbiter set.
    pub(crate) default_time_us: Option<u64>,
    /// Until when clocks stand after an outage.
    pub(crate) interrupted: Option<Stamp>,
    pub(crate) sealed: Option<(Color, Move)>,
    pub(crate) displaced: Option<Color>,
    pub(crate) two_hands: Option<Color>,
    /// The last made move's ply and the man that should have moved, where only a claim looks into it.
    pub(crate) breach: Option<(u32, Square)>,
    /// After how many plies an illegal position was first seen standing.
    pub(crate) illegal_position: Option<u32>,
}

impl Game {
    /// Opens a game at `at`: the game before its first event, and its first events. Refuses a position, options
    /// or a time control that cannot be used with [`Refusal::BadStart`].
    pub fn open(mut setup: Setup, at: Stamp) -> Result<(Game, Vec<Entry>), Refusal> {
        crate::options::record_revision(&mut setup.terms.rules)?;
        let game = Game::replay_start(&setup)?;
        let mut opened = game.clone();
        let mut entries = vec![Entry { article: None, event: Event::GameCreated(Box::new(setup)) }];
        opened.apply(at, &entries[0].event);
        if opened.starts_at_once(at) {
            let article = Some(opened.rules.cite(crate::articles::Ground::Start));
            entries.push(Entry { article, event: Event::GameStarted });
        }
        Ok((game, entries))
    }

    /// The game that the events of `setup` fold onto.
    pub fn replay_start(setup: &Setup) -> Result<Game, Refusal> {
        let terms = &setup.terms;
        let rules = Rulebook::build(&terms.rules, &terms.time_control)?;
        let record = Record::start(&terms.start)?;
        let start_plies = record.plies();
        let mut game = Game {
            setup: Arc::new(setup.clone()),
            clock: Clock {
                main: ByColor::default(),
                running: None,
                began: None,
                delay_left: 0,
                stopped: None,
                fallen: ByColor::default(),
                period: ByColor::both(1),
                in_period: ByColor::default(),
                added_upto: ByColor::both(1),
                lag_budget: ByColor::both(rules.lag_compensation_us.saturating_mul(LAG_BUDGET_MOVES)),
                decides: !terms.time_control.is_untimed() && rules.clock_authority == ClockAuthority::Server,
            },
            rules: Arc::new(rules),
            seq: None,
            position_seq: Seq(0),
            phase: Phase::Waiting,
            start_plies,
            players: ByColor::default(),
            marks: History::new(),
            made: Vec::new(),
            turn: Turn::default(),
            created: Stamp(0),
            session: None,
            turn_since: None,
            offer: None,
            takeback: None,
            claim: None,
            postponed: None,
            flagged: None,
            asked: None,
            granted: None,
            consent: false,
            default_time_us: None,
            interrupted: None,
            sealed: None,
            displaced: None,
            two_hands: None,
            breach: None,
            illegal_position: None,
            record,
        };
        for side in Color::BOTH {
            game.set_up_side(side)?;
        }
        game.marks.push(game.mark());
        Ok(game)
    }

    /// Moves, periods and main time of one side at the start.
    // Law 1997 6.2, 2014 6.3a, 2023 6.3.1: what a player has before his first move.
    fn set_up_side(&mut self, side: Color) -> Result<(), Refusal> {
        let setup = Arc::clone(&self.setup);
        let (start, tc) = (&setup.terms.start, &setup.terms.time_control);
        let moved = (0..self.start_plies).filter(|&ply| self.mover(ply) == side).count();
        let completed = start.completed[side].unwrap_or(u32::try_from(moved).unwrap_or(u32::MAX));
        self.players[side].completed = completed;
        let (mut period, mut in_period) = (1, completed);
        let wanted = start.period[side];
        loop {
            let quota = tc.period(period).and_then(|p| p.moves).map(u32::from);
            let further = match (wanted, quota) {
                (Some(n), _) => period < n,
                (None, Some(quota)) => {
                    in_period >= quota && self.rules.period_add == crate::rulebook::PeriodAdd::AtMoveN
                }
                (None, None) => false,
            };
            if !further {
                break;
            }
            in_period = in_period.saturating_sub(quota.unwrap_or(0));
            period += 1;
        }
        if !tc.is_untimed() && tc.period(period).is_none() {
            return Err(Refusal::BadStart);
        }
        self.clock.period[side] = period;
        self.clock.in_period[side] = in_period;
        self.clock.added_upto[side] = period;
        let base = tc.period(period).map_or(0, |p| {
            p.base_us + if self.rules.increment_before_first_move { increment(p.added) } else { 0 }
        });
        self.clock.main[side] = if tc.is_untimed() { 0 } else { start.clocks_us[side].unwrap_or(base) };
        Ok(())
    }

    fn starts_at_once(&self, at: Stamp) -> bool {
        self.rules.start_policy != StartPolicy::BothPresent
            && self.setup.terms.start.scheduled.is_none_or(|hour| hour <= at)
    }

    /// Who makes the move of this ply, counted from 0.
    pub(crate) fn mover(&self, ply: u32) -> Color {
        let ahead = self.record.plies().abs_diff(ply);
        if ahead.is_multiple_of(2) { self.record.turn() } else { !self.record.turn() }
    }

    pub(crate) fn mark(&self) -> Mark {
        Mark {
            main: self.clock.main,
            period: self.clock.period,
            in_period: self.clock.in_period.map(|n| u16::try_from(n).unwrap_or(u16::MAX)),
        }
    }

    /// The set-up.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// The rules in force.
    pub fn rules(&self) -> &Rulebook {
        &self.rules
    }

    /// Whether play begins as soon as both players are at the board, at no appointed time.
    pub fn waits_for_both(&self) -> bool {
        self.phase == Phase::Waiting
            && self.rules.start_policy == StartPolicy::BothPresent
            && self.setup.terms.start.scheduled.is_none()
    }

    /// The number of the last event, none before the first.
    pub fn seq(&self) -> Option<Seq> {
        self.seq
    }

    /// The last event that changed the position.
    pub fn position_seq(&self) -> Seq {
        self.position_seq
    }

    /// Half-moves made so far, those of the set-up included.
    pub fn plies(&self) -> u32 {
        self.record.plies()
    }

    /// The side to move on the board.
    pub fn turn(&self) -> Color {
        self.record.turn()
    }

    /// Whether the game is over or void.
    pub(crate) fn is_over(&self) -> bool {
        matches!(self.phase, Phase::Ended(_) | Phase::Annulled)
    }

    pub(crate) fn timed(&self) -> bool {
        !self.setup.terms.time_control.is_untimed()
    }

    /// What each move of `side` adds now.
    pub(crate) fn added(&self, side: Color) -> Added {
        match self.granted {
            Some(granted) => granted.added,
            None => self
                .clock
                .period(&self.setup.terms.time_control, side)
                .map_or(Added::Nothing, |period| period.added),
        }
    }

    /// The delay that a new turn of `side` has.
    pub(crate) fn fresh_delay(&self, side: Color) -> u64 {
        delay(self.added(side))
    }

    /// Whether `side` has the move in the sense of claims and touches.
    // Law 1997 1.1, 2014 1.1, 2023 1.2, 1.3: from the opponent's completed move on, later from his made move on.
    pub(crate) fn has_move(&self, side: Color) -> bool {
        let opponents = self.made.iter().any(|made| made.side != side);
        self.turn() == side && (self.rules.on_move_from == crate::rulebook::Stage::Made || !opponents)
    }

    /// Whether `side` is in a quickplay finish.
    // Law 1997 10.1, 2014 G.1, G.2, G.3, 2023 III.1, III.2.1, III.2.2: all remaining moves in a limited time.
    pub(crate) fn is_qpf(&self, side: Color) -> bool {
        let tc = &self.setup.terms.time_control;
        let Some(period) = self.clock.period(tc, side) else { return false };
        self.rules.qpf_rules == crate::rulebook::QpfRules::Announced
            && self.rules.qpf_speeds
            && self.granted.is_none()
            && period.moves.is_none()
            && self.clock.in_last(tc, side)
            && (!self.rules.qpf_needs_no_increment || period.added == Added::Nothing)
    }

    /// Whether a clock was started and its turn has not begun: it waits for the commit.
    pub fn awaits_turn(&self) -> bool {
        self.clock.running.is_some() && self.clock.began.is_none() && !self.is_over()
    }

    /// The turn that the last decision started begins at `at`. Nothing happens if none waits.
    pub fn turn_began(&mut self, at: Stamp) {
        if self.awaits_turn() {
            self.clock.began = Some(at);
            self.turn_since = Some(at);
        }
    }
}

/// Lag compensation that may be saved up, in moves' caps.
pub(crate) const LAG_BUDGET_MOVES: u64 = 10;
