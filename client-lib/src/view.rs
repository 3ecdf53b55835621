//! A game as it stands, kept up to date by its events: what a board on a screen shows.

use crate::board::Board;
use crate::clock::{ClockFace, ServerTime};
use crate::game::{Heard, Update};
use std::time::{Duration, Instant};
use zeitnot_proto::event::Claim;
use zeitnot_proto::game_stream::Events;
use zeitnot_proto::snapshot::{LegalMove, OpenClaim, Snapshot, Status};
use zeitnot_proto::{ByColor, Color, Event, Move, Outcome, Seq, Setup, Stamp};

/// A game as it stands, from a snapshot on.
#[derive(Debug, Clone)]
pub struct GameView {
    setup: Setup,
    seq: Seq,
    position_seq: Seq,
    start: Board,
    board: Board,
    moves: Vec<Move>,
    face: ClockFace,
    status: Status,
    offer: Option<Color>,
    takeback: Option<Color>,
    claim: Option<OpenClaim>,
    present: ByColor<bool>,
    legal: Option<(Seq, Vec<LegalMove>)>,
    time: ServerTime,
    /// The connection was lost: what was heard of the server's time before may not hold any more.
    interrupted: bool,
    /// The origin of local time.
    epoch: Instant,
}

impl GameView {
    /// The game of a snapshot that the server wrote at `now`.
    pub fn new(now: Stamp, snapshot: Snapshot, heard: Heard) -> GameView {
        let start = snapshot.setup.terms.start.fen.as_deref().map(Board::from_fen);
        let mut view = GameView {
            start: start.and_then(Result::ok).unwrap_or_default(),
            board: Board::default(),
            seq: snapshot.seq,
            position_seq: snapshot.position_seq,
            moves: snapshot.moves.into_vec(),
            face: ClockFace::new(snapshot.clock),
            status: snapshot.status,
            offer: snapshot.offer,
            takeback: snapshot.takeback,
            claim: snapshot.claim,
            present: snapshot.present,
            setup: snapshot.setup,
            legal: None,
            time: ServerTime::new(),
            interrupted: false,
            epoch: heard.at,
        };
        view.hear(now, heard);
        view.board = Board::from_fen(&snapshot.fen).unwrap_or_else(|_| view.board_after(view.moves.len()));
        view
    }

    /// Takes an update in. Returns whether it was part of this game's present, as all updates are
    /// that [`Updates`](crate::Updates) gives in their order.
    pub fn update(&mut self, update: &Update) -> bool {
        match update {
            Update::Snapshot { now, snapshot, heard } => {
                *self = GameView::new(*now, (**snapshot).clone(), *heard);
            }
            Update::Events { events, heard } => {
                if events.first != self.seq.next() {
                    return false;
                }
                self.events(events);
                self.hear(events.now, *heard);
            }
            Update::LegalMoves { on, moves } => self.legal = Some((*on, moves.clone())),
            Update::Interrupted(_) => self.interrupted = true,
            Update::Ended(_) => {}
        }
        true
    }

    fn hear(&mut self, now: Stamp, heard: Heard) {
        if std::mem::take(&mut self.interrupted) {
            self.time.forget();
        }
        let rtt_us = micros(heard.rtt);
        self.time.observe(now, micros(heard.at.saturating_duration_since(self.epoch)), rtt_us);
    }

    fn events(&mut self, events: &Events) {
        for entry in &events.entries {
            self.event(&entry.event);
            self.seq = self.seq.next();
        }
        self.position_seq = events.position_seq;
        self.face.set(events.clock);
    }

    fn event(&mut self, event: &Event) {
        match event {
            Event::PresenceChanged { side, present } => self.present[*side] = *present,
            Event::GameStarted | Event::ClockResumed { .. } => self.status = Status::Playing,
            Event::ClockPaused { .. } | Event::Interrupted { .. } => self.status = Status::Paused,
            Event::AwaitingRuling { topic } => self.status = Status::AwaitingRuling(topic.clone()),
            Event::Adjourned { .. } => self.status = Status::Adjourned,
            Event::MoveCompleted { mv, .. } => {
                self.moves.push(*mv);
                self.board.play(*mv);
                self.claim = None;
            }
            Event::PositionRestored { ply, .. } => {
                self.moves.truncate(*ply as usize);
                self.board = self.board_after(self.moves.len());
                self.takeback = None;
            }
            Event::DrawOffered { side, .. } => self.offer = Some(*side),
            Event::DrawDeclined { .. } | Event::OfferLapsed { .. } => self.offer = None,
            Event::TakebackOffered { side, .. } => self.takeback = Some(*side),
            Event::TakebackDeclined { .. } => self.takeback = None,
            Event::ClaimMade { side, claim } => {
                let basis = if let Claim::Draw { basis, .. } = claim { Some(*basis) } else { None };
                self.claim = Some(OpenClaim { side: *side, basis });
            }
            Event::ClaimUpheld { .. } | Event::ClaimRejected { .. } | Event::ClaimPostponed { .. } => {
                self.claim = None;
            }
            Event::ColoursSwapped => {
                let players = &mut self.setup.players;
                std::mem::swap(&mut players.white, &mut players.black);
            }
            Event::GameEnded { white, black, reason, played } => {
                let scores = ByColor::new(*white, *black);
                self.status = Status::Ended(Outcome { scores, reason: reason.clone(), played: *played });
                self.close_offers();
            }
            Event::GameAnnulled { .. } => {
                self.status = Status::Annulled;
                self.close_offers();
            }
            _ => {}
        }
    }

    fn close_offers(&mut self) {
        (self.offer, self.takeback, self.claim) = (None, None, None);
    }

    /// The position after this many half-moves from the start.
    fn board_after(&self, plies: usize) -> Board {
        let mut board = self.start.clone();
        self.moves.iter().take(plies).for_each(|&mv| board.play(mv));
        board
    }
}

/// What a display asks.
impl GameView {
    /// What the game was created with; the players as they sit now.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// The last event that is part of this.
    pub fn seq(&self) -> Seq {
        self.seq
    }

    /// The last event that changed the position: a move names it.
    pub fn position_seq(&self) -> Seq {
        self.position_seq
    }

    /// The men on the board, and who is on move.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The position that the game started from, before any move.
    pub fn start(&self) -> &Board {
        &self.start
    }

    /// The moves from the start position, those of the set-up included.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// The legal moves of the present position, if they were asked for and have come.
    pub fn legal_moves(&self) -> Option<&[LegalMove]> {
        self.legal.as_ref().filter(|(on, _)| *on == self.position_seq).map(|(_, moves)| moves.as_slice())
    }

    /// How far the game has come.
    pub fn status(&self) -> &Status {
        &self.status
    }

    /// How the game ended, if it has.
    pub fn outcome(&self) -> Option<&Outcome> {
        if let Status::Ended(outcome) = &self.status { Some(outcome) } else { None }
    }

    /// The side whose draw offer is live.
    pub fn offer(&self) -> Option<Color> {
        self.offer
    }

    /// The side whose request for a takeback is live.
    pub fn takeback(&self) -> Option<Color> {
        self.takeback
    }

    /// A claim that awaits a ruling.
    pub fn claim(&self) -> Option<OpenClaim> {
        self.claim
    }

    /// Whether each player's connection is here.
    pub fn present(&self) -> ByColor<bool> {
        self.present
    }

    /// Whose clock runs.
    pub fn running(&self) -> Option<Color> {
        self.face.running()
    }

    /// What the clock of `side` shows at `at`, in microseconds; none in an untimed game.
    pub fn remaining_us(&mut self, side: Color, at: Instant) -> Option<u64> {
        if self.setup.terms.time_control.is_untimed() {
            return None;
        }
        let local_us = micros(at.saturating_duration_since(self.epoch));
        let now = self.time.at(local_us).unwrap_or_default();
        Some(self.face.remaining_us(side, now))
    }
}

fn micros(span: Duration) -> u64 {
    u64::try_from(span.as_micros()).unwrap_or(u64::MAX)
}
