//! Touched men: what they leave the player to do (4.2 to 4.6).

use crate::articles::Ground;
use crate::game::{Game, Phase};
use crate::judge::{Answer, Judge};
use crate::position::uci;
use crate::rulebook::{RightLostBy, TouchEnforcement};
use zeitnot_proto::command::{DrawBasis, TouchKind};
use zeitnot_proto::{Color, Event, List, Move, Refusal, Role, Square};

/// What the touched men allow.
struct Obligation {
    /// The men that have to be moved or taken.
    squares: Vec<Square>,
    /// The moves that do.
    moves: Vec<Move>,
}

fn castles(mv: Move, role: Option<Role>) -> bool {
    role == Some(Role::King) && mv.from.file().abs_diff(mv.to.file()) == 2
}

/// The square that the rook of this castling stands on.
fn rook_of(castling: Move) -> Option<Square> {
    let file = if castling.to.file() > castling.from.file() { 7 } else { 0 };
    Square::at(file, castling.from.rank())
}

impl Game {
    /// The moves that touched men, an illegal move or a claim leave to the side to move; none if it is free.
    pub(crate) fn bound_moves(&self) -> Option<Vec<Move>> {
        if let Some(bound) = self.turn.bound {
            return Some(vec![bound]);
        }
        self.obligation().map(|obligation| obligation.moves)
    }

    /// The squares of the men that bind; empty if any legal move will do.
    pub(crate) fn binding_squares(&self) -> Vec<Square> {
        self.obligation().map(|obligation| obligation.squares).unwrap_or_default()
    }

    fn obligation(&self) -> Option<Obligation> {
        if self.turn.touches.is_empty() && self.turn.obliged.is_none() {
            return None;
        }
        let legal: Vec<Move> = self.record.legal_moves().into_iter().map(uci).collect();
        let touched = self.touched_in_order();
        let own = |square: &Square| self.record.at(*square).is_some_and(|(owner, _)| owner == self.turn());
        let (mine, theirs): (Vec<Square>, Vec<Square>) = touched.iter().partition(|square| own(square));
        self.castling_touch(&mine, &theirs, &legal)
            .or_else(|| self.usable(&touched, &mine, &theirs, &legal))
            .filter(|obligation| !obligation.moves.is_empty())
    }

    /// The touched men in the order that counts: at the same time own before enemy, and king before rook.
    // Law 1997 4.3b, 2014 4.3c, 2023 4.3.3: if the order is unclear, the own man was touched first.
    fn touched_in_order(&self) -> Vec<Square> {
        let mut squares: Vec<Square> = self.turn.obliged.into_iter().collect();
        let touches = &self.turn.touches;
        let mut at = 0;
        while let Some(&(square, together)) = touches.get(at) {
            match touches.get(at + 1) {
                Some(&(next, _)) if together && self.precedes(next, square) => {
                    squares.extend([next, square]);
                    at += 2;
                }
                _ => {
                    squares.push(square);
                    at += 1;
                }
            }
        }
        squares.retain(|&square| self.record.at(square).is_some());
        squares
    }

    fn precedes(&self, one: Square, other: Square) -> bool {
        let rank = |square| match self.record.at(square) {
            Some((owner, role)) if owner == self.turn() => u8::from(role != Role::King),
            _ => 2,
        };
        rank(one) < rank(other)
    }

    /// King and rook touched, and no enemy man.
    // Law 1997 4.4a, 4.4b, 4.4c, 2014 4.4a, 4.4b, 4.4c, 2023 4.4.1, 4.4.2, 4.4.3: castling by touch.
    fn castling_touch(&self, mine: &[Square], theirs: &[Square], legal: &[Move]) -> Option<Obligation> {
        if !theirs.is_empty() {
            return None;
        }
        let role = |square: &Square| self.record.at(*square).map(|(_, role)| role);
        let movable = |square: &Square| legal.iter().any(|mv| mv.from == *square);
        let king_at = mine.iter().position(|square| role(square) == Some(Role::King))?;
        let (before, king) = (&mine[..king_at], mine[king_at]);
        let home = |square: &Square| {
            role(square) == Some(Role::Rook) && matches!(square.file(), 0 | 7) && square.rank() == king.rank()
        };
        // A man that was usable before the king is bound instead.
        if before.iter().any(movable) {
            return None;
        }
        let rook = mine[king_at..].iter().find(|square| home(square) && is_king_home(king));
        let king_moves = legal.iter().copied().filter(|mv| mv.from == king);
        if let Some(rook) = rook
            && before.is_empty()
        {
            let there = |mv: &Move| castles(*mv, Some(Role::King)) && rook_of(*mv) == Some(*rook);
            let castling: Vec<Move> = king_moves.clone().filter(there).collect();
            if !castling.is_empty() {
                return Some(Obligation { squares: vec![king, *rook], moves: castling });
            }
            return Some(Obligation { squares: vec![king], moves: king_moves.collect() });
        }
        // Rook first, then king: no castling with that rook.
        let barred = |mv: &Move| {
            castles(*mv, Some(Role::King)) && rook_of(*mv).is_some_and(|rook| before.contains(&rook))
        };
        let moves: Vec<Move> = king_moves.filter(|mv| !barred(mv)).collect();
        (!moves.is_empty()).then(|| Obligation { squares: vec![king], moves })
    }

    /// The first touched man that can be used.
    // Law 1997 4.3a, 4.3b, 4.5, 2014 4.3a, 4.3b, 4.3c, 4.5, 2023 4.3.1, 4.3.2, 4.3.3, 4.5: touch-move.
    fn usable(
        &self,
        touched: &[Square],
        mine: &[Square],
        theirs: &[Square],
        legal: &[Move],
    ) -> Option<Obligation> {
        let takes = |mv: &Move, square: Square| mv.to == square || self.takes_in_passing(*mv, square);
        if let (Some(&man), Some(&enemy)) = (mine.first(), theirs.first()) {
            let capture: Vec<Move> =
                legal.iter().copied().filter(|mv| mv.from == man && takes(mv, enemy)).collect();
            if !capture.is_empty() {
                return Some(Obligation { squares: vec![man, enemy], moves: capture });
            }
        }
        touched.iter().find_map(|&square| {
            let own = mine.contains(&square);
            let uses = |mv: &&Move| {
                if own { mv.from == square && !self.castles_barred(**mv, mine) } else { takes(mv, square) }
            };
            let moves: Vec<Move> = legal.iter().filter(uses).copied().collect();
            (!moves.is_empty()).then(|| Obligation { squares: vec![square], moves })
        })
    }

    /// Castling with a rook that was touched before the king.
    fn castles_barred(&self, mv: Move, mine: &[Square]) -> bool {
        let role = self.record.at(mv.from).map(|(_, role)| role);
        let at = |square| mine.iter().position(|&touched| touched == square);
        castles(mv, role)
            && rook_of(mv).and_then(at).is_some_and(|rook| at(mv.from).is_none_or(|king| rook < king))
    }

    fn takes_in_passing(&self, mv: Move, square: Square) -> bool {
        self.record.at(mv.from).is_some_and(|(_, role)| role == Role::Pawn)
            && mv.from.file() != mv.to.file()
            && self.record.at(mv.to).is_none()
            && square.rank() == mv.from.rank()
            && square.file() == mv.to.file()
    }
}

fn is_king_home(square: Square) -> bool {
    square.file() == 4 && matches!(square.rank(), 0 | 7)
}

impl Judge {
    /// A man was touched.
    // Law 1997 4.2, 4.3a, 9.4, 2014 4.2, 4.3a, 9.4, 9.1b1, 2023 4.2.1, 4.2.2, 4.3.1, 9.4, 9.1.2.1: a deliberate touch by the side that has the move binds, and later editions let it refuse an offer.
    pub fn touch(&mut self, side: Color, square: Square, kind: TouchKind, together: bool) -> Answer {
        if !self.game.on_board() {
            return Err(Refusal::Malformed);
        }
        self.needs_play()?;
        if self.game.players[side].sheet_due {
            return Err(Refusal::ScoresheetDue);
        }
        let binds = kind == TouchKind::Intent
            && self.game.has_move(side)
            && !self.game.turn.adjusting
            && self.game.rules.touch_enforcement != TouchEnforcement::Off
            && self.game.record.at(square).is_some();
        let kind = if binds || kind != TouchKind::Intent { kind } else { TouchKind::Accidental };
        self.emit(Event::Touched { side, square, kind, together });
        if !binds {
            return Ok(());
        }
        let squares = List::cut(self.game.binding_squares());
        self.rule(Ground::Touch, Event::TouchObligation { side, squares });
        if self.game.rules.offer_refused_by_touch {
            self.lapse_offer(side);
        }
        Ok(())
    }

    /// The player says that he straightens men.
    // Law 1997 4.2, 2014 4.2, 2023 4.2.1: announced first, by the player who has the move.
    pub fn adjust(&mut self, side: Color) -> Answer {
        if !self.game.on_board() {
            return Err(Refusal::Malformed);
        }
        self.needs_play()?;
        if !self.game.has_move(side) {
            return Err(Refusal::NotHavingMove);
        }
        self.emit(Event::Adjusting { side });
        Ok(())
    }

    /// A breach of the rules on touched men is claimed: the position before it comes back, if there was one.
    // Law 1997 4.6, 2014 4.8, 2023 4.8: until the claimant deliberately touches a man himself.
    pub fn claim_touch(&mut self, side: Color) -> Answer {
        self.needs_play()?;
        let touched = self.game.turn() == side && !self.game.turn.touches.is_empty();
        if touched || self.game.turn() != side {
            return Err(Refusal::ClaimRightLost);
        }
        if self.game.rules.touch_enforcement != TouchEnforcement::OnClaim {
            return Err(Refusal::NotNeeded);
        }
        let ply = self.game.plies().saturating_sub(1);
        let Some(bound) = self.game.breach_square(!side) else {
            self.rule(Ground::ClaimTouch, Event::ClaimRejected { side });
            return Ok(());
        };
        self.pause_clocks(Ground::ClaimTouch, self.at);
        let clocks_us = self.game.clock.main;
        let event = Event::PositionRestored { ply, clocks_us, bound: Some(bound), as_at_ply: false };
        self.rule(Ground::ClaimTouch, event);
        let squares = List::cut(self.game.binding_squares());
        self.rule(Ground::Touch, Event::TouchObligation { side: !side, squares });
        if self.game.rules.arbiter != crate::rulebook::Arbiter::Present {
            self.resume_clocks(Ground::ClaimTouch);
        }
        Ok(())
    }

    /// Whether a deliberate touch has cost the right to claim in this turn.
    // Law 1997 9.4, 2014 9.4, 2023 9.4: later editions count a touch, 1997 only a move.
    pub fn touch_cost_the_claim(&self, basis: DrawBasis) -> Answer {
        let turn = &self.game.turn;
        if self.game.rules.claim_right_lost_by == RightLostBy::Touch && !turn.touches.is_empty() {
            return Err(Refusal::ClaimRightLost);
        }
        if turn.ruled[usize::from(basis == DrawBasis::Fifty)] {
            return Err(Refusal::AlreadyClaimed);
        }
        Ok(())
    }
}

impl Game {
    /// The man that bound `side` when it made its last move against the rules on touched men.
    fn breach_square(&self, side: Color) -> Option<Square> {
        let (ply, square) = self.breach?;
        let last = ply.checked_add(1) == Some(self.plies()) && self.phase == Phase::Playing;
        (last && self.mover(ply) == side).then_some(square)
    }
}
