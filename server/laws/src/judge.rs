//! The judge: what a command, or the passing of time, would cause.
//!
//! It works on a copy of the game and folds each event in as it is decided, so that what comes next sees what
//! came before, and so that live games and replayed ones cannot differ.

use crate::articles::Ground;
use crate::game::{Game, Phase};
use crate::rulebook::{DeadPosition, MatingPotential};
use shakmaty::Position as _;
use zeitnot_proto::command::Party;
use zeitnot_proto::event::{Article, Certificate, Entry, MateCause};
use zeitnot_proto::limits::WORD_MAX;
use zeitnot_proto::time::Stamp;
use zeitnot_proto::{ByColor, Color, Command, Event, Outcome, Reason, Refusal, Text};

/// The topic of a game that waits for a search.
pub(crate) const MATE_SEARCH: &str = "mate_search";

/// When a command came and over what connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arrival {
    /// The stamp that its reader gave it.
    pub at: Stamp,
    /// The lowest round-trip time measured on the sender's connection, in microseconds; 0 if none.
    pub lag_us: u64,
}

/// A question that a search has to answer: whether `winner` could still mate. The answer is
/// [`Command::MateVerdict`] by [`Party::Server`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MateQuestion {
    /// The position.
    pub position: shakmaty::Chess,
    /// The side that would win.
    pub winner: Color,
}

/// What was decided. Nothing has changed yet: the events do that, and [`Decision::after`] shows how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// The events, in their order.
    pub events: Vec<Entry>,
    /// The game with these events folded in: what [`Game::apply`] makes of each of them at the arrival.
    pub after: Box<Game>,
    /// The answer to the sender.
    pub answer: Result<(), Refusal>,
    /// A question that keeps the game waiting.
    pub question: Option<MateQuestion>,
}

impl Game {
    /// What `command` by `by` would cause, and the answer to its sender. Deadlines due by the arrival come first: a
    /// late move yields a flag fall and a refusal. Changes nothing.
    // Law 1997 6.1, 6.9, 2014 6.1, 6.9, 2023 6.1.1, 6.9: what comes at the instant of the flag is late.
    pub fn decide(&self, arrival: Arrival, by: Party, command: &Command) -> Decision {
        let mut judge = Judge::new(self, arrival);
        // An outage is judged as of the last durable instant: what is due after it is nobody's.
        let horizon = match command {
            Command::Interrupt { until } if by == Party::Server => (*until).min(arrival.at),
            _ => arrival.at,
        };
        judge.due(horizon, by.side(), command);
        let answer = judge.command(by, command);
        judge.decided(answer)
    }

    /// What happens by itself up to `now`. Waking late changes no event.
    pub fn decide_timeout(&self, now: Stamp) -> Decision {
        let mut judge = Judge::new(self, Arrival { at: now, lag_us: 0 });
        judge.due(now, None, &Command::Resume);
        judge.decided(Ok(()))
    }

    /// The question that a waiting game still needs answered, for a server that starts again.
    pub fn open_question(&self) -> Option<MateQuestion> {
        let (winner, _) = self.asked?;
        Some(MateQuestion { position: self.record.chess().clone(), winner })
    }
}

pub(crate) struct Judge {
    pub game: Box<Game>,
    pub at: Stamp,
    pub lag_us: u64,
    entries: Vec<Entry>,
    /// A side effect of a command that could not be had although the command stands.
    pub complaint: Option<Refusal>,
}

/// What a command may come to.
pub(crate) type Answer = Result<(), Refusal>;

impl Judge {
    fn new(game: &Game, arrival: Arrival) -> Judge {
        Judge {
            game: Box::new(game.clone()),
            at: arrival.at,
            lag_us: arrival.lag_us,
            entries: Vec::new(),
            complaint: None,
        }
    }

    fn decided(self, answer: Answer) -> Decision {
        let answer = answer.and(self.complaint.map_or(Ok(()), Err));
        let question = if self.entries.is_empty() { None } else { self.game.open_question() };
        Decision { events: self.entries, after: self.game, answer, question }
    }

    /// Decides on an event that no ruling caused.
    pub fn emit(&mut self, event: Event) {
        self.record(None, event);
    }

    /// Decides on an event that rests on an article.
    pub fn rule(&mut self, ground: Ground, event: Event) {
        let article = self.game.rules.cite(ground);
        self.record(Some(article), event);
    }

    fn record(&mut self, article: Option<Article>, event: Event) {
        self.game.apply(self.at, &event);
        self.entries.push(Entry { article, event });
    }

    pub fn over(&self) -> bool {
        self.game.is_over()
    }

    fn command(&mut self, by: Party, command: &Command) -> Answer {
        allowed(by, command)?;
        if self.over() && !survives_the_end(command) {
            return Err(Refusal::GameOver);
        }
        if let Some(side) = by.side() {
            return self.player(side, command);
        }
        match by {
            Party::Server => self.server(command),
            _ => self.arbiter(command),
        }
    }

    fn player(&mut self, side: Color, command: &Command) -> Answer {
        match command {
            Command::Move { mv, offer_draw } => self.online_move(side, *mv, *offer_draw),
            Command::Resign => self.resign(side),
            Command::OfferDraw => self.offer_draw(side),
            Command::AcceptDraw => self.accept_draw(side),
            Command::DeclineDraw => self.decline_draw(side),
            Command::ClaimDraw { basis, intended } => self.claim_draw(side, *basis, *intended),
            Command::ClaimQuickplay { basis } => self.claim_quickplay(side, *basis),
            Command::RequestIncrement => self.request_increment(side),
            Command::ClaimFlag => self.claim_flag(side),
            Command::ClaimIllegal => self.claim_illegal(side),
            Command::ClaimTouch => self.claim_touch(side),
            Command::CallArbiter { reason, pause } => self.call_arbiter(side, reason, *pause),
            Command::MarkPresent => self.mark_present(side),
            Command::ConfirmResult => self.confirm_result(side),
            Command::SealMove { mv } => self.seal_move(side, *mv),
            Command::ScoresheetUpdated => self.scoresheet_updated(side),
            Command::Abort => self.abort(),
            Command::OfferTakeback => self.offer_takeback(side),
            Command::AcceptTakeback => self.accept_takeback(side),
            Command::DeclineTakeback => self.decline_takeback(side),
            Command::ClaimAbandoned => self.claim_abandoned(side),
            Command::Touch { square, kind, together } => self.touch(side, *square, *kind, *together),
            Command::Adjust => self.adjust(side),
            Command::MoveMade { mv, raw } => self.board_move(side, *mv, *raw),
            Command::PressClock => self.press_clock(side),
            Command::ReportDisplaced => self.report_displaced(side),
            _ => Err(Refusal::NotArbiter),
        }
    }

    fn server(&mut self, command: &Command) -> Answer {
        match command {
            Command::Presence { side, present } => self.presence(*side, *present),
            Command::MateVerdict { winner, certificate } => self.mate_verdict(*winner, certificate),
            Command::Interrupt { until } => self.interrupt(*until),
            other => self.arbiter(other),
        }
    }

    /// Both clocks stand from this instant on, if one runs.
    pub fn pause_clocks(&mut self, ground: Ground, at: Stamp) {
        if self.game.clock.running.is_some() {
            let shown = self.game.clock.shown(at, 0);
            self.rule(ground, Event::ClockPaused { clocks_us: shown.main, delay_left_us: shown.delay_left });
        }
    }

    /// The clock that stood runs again.
    pub fn resume_clocks(&mut self, ground: Ground) {
        let side = self.game.clock.stopped.unwrap_or_else(|| self.game.turn());
        self.rule(ground, Event::ClockResumed { side });
    }

    /// The main times at this instant.
    pub fn main_now(&self) -> ByColor<u64> {
        self.game.clock.shown(self.at, 0).main
    }

    pub fn end(&mut self, ground: Ground, outcome: Outcome) {
        self.rule(ground, Event::ended(outcome));
    }

    /// `loser` loses for `cause`, unless the opponent can never mate and the edition draws that.
    // Law 1997 6.9, 2014 6.9, 2023 6.9: a draw if the opponent cannot mate by any series of legal moves.
    // Law 1997 5.1b, 2014 5.1b, 2023 5.1.2: a resignation to such an opponent.
    // Law 2014 7.5b, 2023 7.5.5: too many illegal moves against such an opponent.
    pub fn lose(&mut self, loser: Color, cause: MateCause) {
        let proviso = match cause {
            MateCause::Flag => true,
            MateCause::Resignation => self.game.rules.resign_v_no_mate == crate::rulebook::ResignNoMate::Draw,
            MateCause::IllegalMoves => self.game.rules.illegal_loss_draw_if_no_mate,
        };
        let winner = !loser;
        match if proviso { self.can_mate(winner) } else { Some(true) } {
            Some(can) => self.end_for(winner, cause, can),
            None => self.rule(ground_of(cause), Event::MateAsked { winner, cause }),
        }
    }

    fn end_for(&mut self, winner: Color, cause: MateCause, can_mate: bool) {
        let (win, draw) = match cause {
            MateCause::Flag => (Reason::Time, Reason::TimeVsNoMate),
            MateCause::Resignation => (Reason::Resignation, Reason::ResignVsNoMate),
            MateCause::IllegalMoves => (Reason::IllegalMoves, Reason::IllegalVsNoMate),
        };
        let outcome = if can_mate { Outcome::win(winner, win) } else { Outcome::draw(draw) };
        self.end(ground_of(cause), outcome);
    }

    /// Whether `winner` could mate; none if only a search can tell.
    // Law 1997 C4: in blitz force enough for a mate that cannot be avoided; two knights are not.
    fn can_mate(&self, winner: Color) -> Option<bool> {
        let (record, rules) = (&self.game.record, &self.game.rules);
        let board = record.chess().board();
        let winners = crate::position::side(winner);
        if crate::mating::material_cannot_mate(board, winners) {
            return Some(false);
        }
        if rules.mating_potential == MatingPotential::Forced {
            let own = board.by_color(winners);
            let two_knights = own.count() == 3 && (own & board.knights()).count() == 2;
            return Some(!(two_knights && board.by_color(winners.other()).count() == 1));
        }
        // A search trusts the position to be one that legal moves lead on from.
        let searchable = rules.dead_position == DeadPosition::Solver && !record.has_illegal();
        if searchable { None } else { Some(true) }
    }

    /// What the search found out.
    // Law 2023 6.9, 5.1.2, 7.5.5, 2014 6.9, 7.5b, 1997 6.9: an unknown answer counts as "can mate".
    fn mate_verdict(&mut self, winner: Color, certificate: &Certificate) -> Answer {
        let Some((asked, cause)) = self.game.asked.filter(|(asked, _)| *asked == winner) else {
            return Err(Refusal::BadVerdict);
        };
        let can_mate = matches!(certificate, Certificate::Mates(_) | Certificate::Unknown { .. });
        let fen = Text::cut(&self.game.record.fen());
        self.emit(Event::MateSearched { winner: asked, fen, certificate: certificate.clone() });
        self.end_for(winner, cause, can_mate);
        Ok(())
    }

    /// Waits for the arbiter.
    pub fn await_ruling(&mut self, ground: Ground, topic: &str) {
        self.pause_clocks(ground, self.at);
        self.rule(ground, Event::AwaitingRuling { topic: Text::<WORD_MAX>::cut(topic) });
    }

    /// Tells the arbiter of something that he alone need know.
    pub fn alert(&mut self, ground: Ground, side: Color) {
        let topic = Text::<WORD_MAX>::cut(self.game.rules.article(ground));
        self.rule(ground, Event::ArbiterCalled { side: Some(side), topic, private: true });
    }

    /// Refuses what needs running clocks.
    pub fn needs_play(&self) -> Answer {
        match self.game.phase {
            Phase::Playing => Ok(()),
            Phase::Waiting => Err(Refusal::NotStarted),
            Phase::Ended(_) | Phase::Annulled => Err(Refusal::GameOver),
            Phase::Paused | Phase::Awaiting(_) | Phase::Adjourned => Err(Refusal::ClocksPaused),
        }
    }

    /// Refuses what needs a game under way, running or not.
    pub fn needs_start(&self) -> Answer {
        match &self.game.phase {
            Phase::Waiting => Err(Refusal::NotStarted),
            Phase::Awaiting(topic) if **topic == *MATE_SEARCH => Err(Refusal::ClocksPaused),
            _ => Ok(()),
        }
    }
}

fn ground_of(cause: MateCause) -> Ground {
    match cause {
        MateCause::Flag => Ground::Time,
        MateCause::Resignation => Ground::Resignation,
        MateCause::IllegalMoves => Ground::IllegalPenalty,
    }
}

/// Whether a finished game still takes this command.
// Law 2014 8.7, 2023 8.7: the confirmed result stands, unless the arbiter decides otherwise.
fn survives_the_end(command: &Command) -> bool {
    matches!(
        command,
        Command::DeclareResult { .. }
            | Command::ConfirmResult
            | Command::Presence { .. }
            | Command::ReportFairPlay { .. }
    )
}

/// Which parties may give which commands.
// Law 1997 13.1, 13.7, 2014 12.1, 12.7, 2023 12.1, 12.7: players play, the arbiter rules, others keep out.
fn allowed(by: Party, command: &Command) -> Answer {
    let players = matches!(
        command,
        Command::Move { .. }
            | Command::Resign
            | Command::OfferDraw
            | Command::AcceptDraw
            | Command::DeclineDraw
            | Command::ClaimDraw { .. }
            | Command::ClaimQuickplay { .. }
            | Command::RequestIncrement
            | Command::ClaimFlag
            | Command::ClaimIllegal
            | Command::ClaimTouch
            | Command::CallArbiter { .. }
            | Command::MarkPresent
            | Command::ConfirmResult
            | Command::SealMove { .. }
            | Command::ScoresheetUpdated
            | Command::Abort
            | Command::OfferTakeback
            | Command::AcceptTakeback
            | Command::DeclineTakeback
            | Command::ClaimAbandoned
            | Command::Touch { .. }
            | Command::Adjust
            | Command::MoveMade { .. }
            | Command::PressClock
            | Command::ReportDisplaced
    );
    let servers =
        matches!(command, Command::Presence { .. } | Command::MateVerdict { .. } | Command::Interrupt { .. });
    match (by, players, servers) {
        (Party::White | Party::Black, true, _)
        | (Party::Server, false, _)
        | (Party::Arbiter, false, false) => Ok(()),
        (_, true, _) => Err(Refusal::NotPlayer),
        (_, _, true) => Err(Refusal::NotAllowed),
        (Party::Device, false, false) if matches!(command, Command::ReportFlags(_)) => Ok(()),
        _ => Err(Refusal::NotArbiter),
    }
}
