//! What can be read off a game: clocks, snapshot, legal moves.

use crate::clock::{delay, increment};
use crate::game::{Game, Phase};
use crate::position::uci;
use zeitnot_proto::event::Claim;
use zeitnot_proto::snapshot::{ClockReading, LegalMove, OpenClaim, Snapshot, Status};
use zeitnot_proto::{ByColor, Color, List, Move, Seq, Stamp};

/// An increment with which moves are recorded to the end (8.4).
const RECORDING_INCREMENT_US: u64 = 30 * zeitnot_proto::time::SECOND_US;

impl Game {
    /// How far the game has come.
    pub fn status(&self) -> Status {
        match &self.phase {
            Phase::Waiting => Status::Waiting,
            Phase::Playing => Status::Playing,
            Phase::Paused => Status::Paused,
            Phase::Awaiting(topic) => Status::AwaitingRuling(topic.clone()),
            Phase::Adjourned => Status::Adjourned,
            Phase::Ended(outcome) => Status::Ended(outcome.clone()),
            Phase::Annulled => Status::Annulled,
        }
    }

    /// The clocks, as a display goes on from them.
    // Law 1997 6.10, 2014 6.10a, 2023 6.10.1: the server's reading is conclusive, not a client's display.
    pub fn reading(&self) -> ClockReading {
        if !self.timed() {
            return ClockReading { main_us: ByColor::default(), running: None, began: None, delay_us: 0 };
        }
        let running = self.clock.running.filter(|_| !self.is_over());
        ClockReading {
            main_us: self.clock.main,
            running,
            began: self.clock.began.filter(|_| running.is_some()),
            delay_us: if running.is_some() { self.clock.delay_left } else { 0 },
        }
    }

    /// Main time of both sides at `at`.
    pub fn clocks_at(&self, at: Stamp) -> ByColor<u64> {
        if self.timed() { self.clock.shown(at, 0).main } else { ByColor::default() }
    }

    /// Whether `side` need not record its moves at `at`: little time left, and less than thirty seconds a move.
    // Law 1997 8.4, 2014 8.4, 2023 8.4: below five minutes without thirty seconds added for each move.
    pub fn is_exempt_from_recording(&self, side: Color, at: Stamp) -> bool {
        self.timed()
            && !self.has_long_increment(side)
            && self.clocks_at(at)[side] < self.rules.recording_exempt_below_us
    }

    /// Whether each move of `side` adds thirty seconds or more.
    pub(crate) fn has_long_increment(&self, side: Color) -> bool {
        let added = self.added(side);
        increment(added).max(delay(added)) >= RECORDING_INCREMENT_US
    }

    /// The period that each side is in, from 1.
    pub fn periods(&self) -> ByColor<u16> {
        self.clock.period
    }

    /// Moves completed by each side.
    pub fn completed(&self) -> ByColor<u32> {
        ByColor::new(self.players.white.completed, self.players.black.completed)
    }

    /// The legal moves of the side to move with their names; only those that a touched man or a claim leaves it.
    // Law 1997 6.14, 13.6, 2014 6.13, 12.6, 2023 6.12, 12.6: legal moves, and no hint of a possible claim.
    pub fn legal_moves(&self) -> Vec<LegalMove> {
        if self.is_over() {
            return Vec::new();
        }
        let bound = self.bound_moves();
        let free = |mv: &shakmaty::Move| bound.as_ref().is_none_or(|bound| bound.contains(&uci(*mv)));
        let mut moves: Vec<LegalMove> =
            self.record.legal_moves().into_iter().filter(free).map(|mv| self.record.named(mv)).collect();
        moves.sort_by_key(|legal| legal.mv);
        moves
    }

    /// The moves that the side to move may make now, without names.
    pub fn allowed_moves(&self) -> Vec<Move> {
        if self.is_over() {
            return Vec::new();
        }
        self.bound_moves().unwrap_or_else(|| self.record.legal_moves().into_iter().map(uci).collect())
    }

    /// The position in FEN.
    pub fn fen(&self) -> String {
        self.record.fen().as_str().to_owned()
    }

    /// The same, with an en passant square only where the capture is legal.
    pub fn fen_legal(&self) -> String {
        self.record.fen_legal()
    }

    /// The game as it stands, for those who join it.
    pub fn snapshot(&self) -> Snapshot {
        let claim = self.claim.map(|(side, claim)| {
            let basis = match claim {
                Claim::Draw { basis, .. } => Some(basis),
                Claim::Quickplay { .. } | Claim::Increment => None,
            };
            OpenClaim { side, basis }
        });
        Snapshot {
            setup: (*self.setup).clone(),
            seq: self.seq.unwrap_or(Seq(0)),
            position_seq: self.position_seq,
            fen: self.record.fen(),
            moves: List::cut(self.record.moves().collect()),
            completed: self.completed(),
            period: self.clock.period,
            clock: self.reading(),
            status: self.status(),
            offer: self.live_offer(),
            takeback: self.takeback.map(|(side, _)| side),
            claim,
            bound_to: self.bound_moves().filter(|_| !self.is_over()).map(List::cut),
            present: ByColor::new(self.players.white.present, self.players.black.present),
            last_command: None,
        }
    }

    /// What the clocks showed after `ply` half-moves; at the start if that is before it.
    pub(crate) fn mark_at(&self, ply: u32) -> ByColor<u64> {
        let index = ply.saturating_sub(self.start_plies) as usize;
        self.marks.get(index).or(self.marks.last().copied()).map_or(self.clock.main, |mark| mark.main)
    }

    /// Whose clock runs; in an untimed game whose it would be.
    pub fn running(&self) -> Option<Color> {
        self.reading().running
    }
}
