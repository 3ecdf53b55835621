//! An exhaustive proof in which the long-range men are only known by the squares they may stand on.
//!
//! # The argument
//!
//! Take some of the bishops, rooks and queens off the board and call what is left, with the turn, the *frame*
//! of a position. The men taken off are *roamers*; each has a set of squares, its reach. The pair (set of
//! frames, reaches) is built so that it covers the root and is closed under legal moves: if the frame of a
//! position is in the set, and each roamer still on the board stands within its reach, then the same holds
//! after every legal move. So it holds in every position that can follow.
//!
//! Bishops, rooks and queens that stay in the frame are those that are walled in: in no frame of the set do
//! they attack anything but their own men (if one does, the construction starts over with it as a roamer).
//! So they do not move, and all they attack are men next to them, where nothing can come between.
//!
//! For closedness, every legal move of a covered position must lead to a covered one:
//!
//! - *A man of the frame moves.* Attacks by men of the frame hold whatever the roamers do: kings, knights and
//!   pawns do not slide, and of walled-in sliders the attack is on their neighbours. So the king never steps
//!   onto a square the frame's enemies attack, and whoever is in check from the frame must answer it: the
//!   frame's own legal moves, with roamers absent, are all there are, except that pawns may also capture
//!   roamers within the roamers' reach. Roamers in the way only take moves away. A man of the frame that lands
//!   on a roamer removes it, which leaves the position covered.
//! - *A roamer moves.* It slides over the empty squares of the frame, at most, so its reach is grown by all
//!   such squares in every frame. Then the turn passes, and if it landed on a man of the frame that man is
//!   gone. Neither is possible while the frame gives check, unless the man taken was the one checking.
//! - *A pawn promotes.* The proof is given up.
//!
//! Mate is given by the winner's last move, unless the root is mate. That was either a move of the frame, and then the check comes from
//! a man of the frame or from a roamer whose line the move opened, or a move of a roamer. The losing king
//! stands on `r`, and every neighbour of `r` must be attacked by the winner or occupied by a man of the loser:
//! men of the frame stand where they stand; roamers may stand anywhere within their reach, distinct ones on
//! distinct squares. If no such move from a frame of the set can end like that, there is no mate. That the
//! loser might capture or interpose is not even considered.

use shakmaty::{Bitboard, Color, Role, Square, attacks};

use super::{
    slide,
    state::{Kind, State, Step},
    visited::{NONE, Visited},
};

struct Roamer {
    role: Role,
    colour: Color,
    reach: Bitboard,
}

struct Projection {
    winner: Color,
    roamers: Vec<Roamer>,
    frames: Visited,
    frames_max: usize,
    /// How often a reach has grown.
    growth: u32,
    /// Where roamers may stand: nothing of the frame surely attacks across these squares.
    veil: Bitboard,
    /// Where sliders of the frame stand at the root.
    sliders: Bitboard,
    /// Whether sliders of the frame may not move: then the first that can ends the construction.
    walled: bool,
    /// Those of them from which a slider moved.
    freed: Bitboard,
    spent: u64,
}

/// Whether `winner` is proved never to mate from `state`, over at most `frames_max` frames; and what it cost,
/// in positions. `false` is no statement.
pub(super) fn excludes(state: &State, winner: Color, frames_max: usize) -> (bool, u64) {
    if state.castling.any() || (state.turn != winner && is_mate(state)) {
        return (false, 0);
    }
    let mut spent = 0;
    for walled in [true, false] {
        let mut roamers = free_sliders(state);
        loop {
            let mut projection = Projection::new(state, winner, roamers, frames_max);
            projection.walled = walled;
            let end = projection.close();
            spent += projection.spent;
            match end {
                End::Closed => return (true, spent),
                End::TooMany if projection.freed.any() => roamers |= projection.freed,
                End::TooMany | End::Open => break,
            }
        }
    }
    (false, spent)
}

enum End {
    Closed,
    TooMany,
    Open,
}

/// Where the check that mates would come from.
#[derive(Clone, Copy)]
enum Last {
    /// A man of the frame left these squares.
    Frame(Bitboard),
    Roamer,
}

impl Projection {
    fn new(state: &State, winner: Color, off: Bitboard, frames_max: usize) -> Projection {
        let mut roamers = Vec::new();
        let mut frame = *state;
        for role in [Role::Bishop, Role::Rook, Role::Queen] {
            for colour in Color::ALL {
                for square in *state.role.get(role) & state.of(colour) & off {
                    roamers.push(Roamer { role, colour, reach: Bitboard::from(square) });
                }
            }
        }
        frame.lift(off);
        let sliders = frame.role.bishop | frame.role.rook | frame.role.queen;
        let mut frames = Visited::new();
        frames.insert(frame.key(), NONE, None);
        Projection {
            winner,
            roamers,
            frames,
            frames_max,
            growth: 0,
            veil: Bitboard::EMPTY,
            sliders,
            walled: false,
            freed: Bitboard::EMPTY,
            spent: 0,
        }
    }

    /// Passes over all frames until neither frames nor reaches grow, a mate or a promotion is possible, or
    /// there are too many frames. A frame is looked at again only if a reach has grown since.
    fn close(&mut self) -> End {
        let mut steps = Vec::new();
        // How often a reach had grown when each frame was looked at.
        let mut seen: Vec<u32> = Vec::new();
        loop {
            let mut looked = false;
            let mut number: u32 = 0;
            while (number as usize) < self.frames.len() {
                let index = number as usize;
                if seen.get(index).is_none_or(|&growth| growth != self.growth) {
                    looked = true;
                    let growth = self.growth;
                    self.spent += 1 + self.roamers.len() as u64;
                    let frame = self.frames.state(number);
                    if !self.expand(&frame, &mut steps) {
                        return if self.walled && self.freed.any() { End::TooMany } else { End::Open };
                    }
                    if self.frames.len() > self.frames_max {
                        return End::TooMany;
                    }
                    seen.resize(seen.len().max(index + 1), growth);
                    seen[index] = growth;
                }
                number += 1;
            }
            if !looked {
                return End::Closed;
            }
        }
    }

    fn expand(&mut self, frame: &State, steps: &mut Vec<Step>) -> bool {
        self.veil = self.roamers.iter().fold(Bitboard::EMPTY, |all, roamer| all | roamer.reach);
        let turn = frame.turn;
        let check = self.surely_attacked(frame, turn);
        steps.clear();
        frame.pseudo_legal(steps);
        for &step in steps.iter() {
            let next = frame.play(step);
            if self.surely_attacked(&next, turn) {
                continue;
            }
            if matches!(step.kind, Kind::Promotion(_)) {
                return false;
            }
            if matches!(step.role, Role::Bishop | Role::Rook | Role::Queen) {
                self.freed |= Bitboard::from(step.from) & self.sliders;
                if self.walled {
                    return false;
                }
            }
            let left = frame.of(turn) & !next.of(turn);
            let fallen =
                if step.kind == Kind::EnPassant { frame.occupied() & !next.occupied() } else { left };
            if !self.arrive(&next, Last::Frame(left | fallen)) {
                return false;
            }
        }
        self.pawns_take_roamers(frame) && self.roamers_move(frame, check)
    }

    /// Whether the king of `side` is attacked by the frame wherever the roamers stand.
    fn surely_attacked(&self, frame: &State, side: Color) -> bool {
        let king = frame.king(side);
        frame
            .attackers(king, side.other(), frame.occupied())
            .into_iter()
            .any(|from| (attacks::between(from, king) & self.veil).is_empty())
    }

    /// Adds a frame; false if the move that led to it may mate.
    fn arrive(&mut self, next: &State, last: Last) -> bool {
        if next.turn != self.winner && self.allows_mate(next, last) {
            return false;
        }
        self.frames.insert(next.key(), NONE, None);
        true
    }

    /// Pawn captures of roamers. False if one promotes or may mate.
    fn pawns_take_roamers(&mut self, frame: &State) -> bool {
        let turn = frame.turn;
        let prey = self
            .roamers
            .iter()
            .filter(|roamer| roamer.colour != turn)
            .fold(Bitboard::EMPTY, |all, roamer| all | roamer.reach)
            & !frame.occupied();
        for from in frame.role.pawn & frame.of(turn) {
            for to in attacks::pawn_attacks(turn, from) & prey {
                let next = frame.play(Step { from, to, role: Role::Pawn, kind: Kind::Plain });
                if self.surely_attacked(&next, turn) {
                    continue;
                }
                if Bitboard::BACKRANKS.contains(to) || !self.arrive(&next, Last::Frame(Bitboard::from(from)))
                {
                    return false;
                }
            }
        }
        true
    }

    /// Moves of the roamers of the side to move. False if one may mate.
    fn roamers_move(&mut self, frame: &State, check: bool) -> bool {
        let turn = frame.turn;
        let occupied = frame.occupied();
        let own = frame.of(turn);
        let mut takes = Bitboard::EMPTY;
        let mut any = false;
        for roamer in self.roamers.iter_mut().filter(|roamer| roamer.colour == turn) {
            let attacked = roamer.attacks(occupied);
            let reach = roamer.reach | (attacked & !own);
            // While the frame gives check a roamer has to take the checking man; its other moves are not
            // there, but to allow them only widens the reach.
            self.growth += u32::from(reach != roamer.reach);
            roamer.reach = reach;
            takes |= attacked;
            any = true;
        }
        if !any {
            return true;
        }
        let mut passed = *frame;
        passed.turn = turn.other();
        passed.en_passant = None;
        if !check && !self.arrive(&passed, Last::Roamer) {
            return false;
        }
        for taken in takes & frame.of(turn.other()) & !frame.role.king {
            let mut next = passed;
            next.lift(Bitboard::from(taken));
            if !self.surely_attacked(&next, turn) && !self.arrive(&next, Last::Roamer) {
                return false;
            }
        }
        true
    }

    /// Whether the loser, to move in `frame`, may be mated with roamers somewhere within their reach.
    fn allows_mate(&self, frame: &State, last: Last) -> bool {
        let prey = self.winner.other();
        let at = frame.king(prey);
        let solid = frame.occupied();
        let occupied = solid ^ Bitboard::from(at);
        let checked = frame.attackers(at, self.winner, occupied).any();
        let hunters = || self.roamers.iter().filter(|roamer| roamer.colour == self.winner);
        if !checked && !hunters().any(|roamer| roamer.threatens(at, occupied).any()) {
            return false;
        }
        let mut flights = Bitboard::EMPTY;
        for square in attacks::king_attacks(at) & !frame.of(prey) {
            if frame.attackers(square, self.winner, occupied).is_empty() {
                flights.add(square);
            }
        }
        let covers = |hunter: &Roamer| -> Bitboard {
            flights.into_iter().filter(|&flight| hunter.threatens(flight, occupied).any()).collect()
        };
        let covered: Vec<Bitboard> = hunters().map(covers).collect();
        let all = covered.iter().fold(Bitboard::EMPTY, |all, cover| all | *cover);
        if checked && self.can_fill(flights & !all, solid) {
            return true;
        }
        for (index, roamer) in hunters().enumerate() {
            let others = covered
                .iter()
                .enumerate()
                .filter(|(other, _)| *other != index)
                .fold(Bitboard::EMPTY, |all, (_, cover)| all | *cover);
            for from in roamer.threatens(at, occupied) & !solid {
                let opened = match last {
                    Last::Frame(left) => (attacks::between(from, at) & left).any(),
                    Last::Roamer => true,
                };
                let direct = roamer.attacks_from(from, occupied);
                if opened && self.can_fill(flights & !others & !direct, solid) {
                    return true;
                }
            }
        }
        false
    }

    /// Whether distinct roamers of the loser can stand on all of `open`.
    fn can_fill(&self, open: Bitboard, solid: Bitboard) -> bool {
        (open & solid).is_empty() && self.can_occupy(open, 0)
    }

    fn can_occupy(&self, open: Bitboard, used: u64) -> bool {
        let Some(first) = open.first() else { return true };
        self.roamers.iter().enumerate().any(|(index, roamer)| {
            roamer.colour != self.winner
                && used & (1 << index) == 0
                && roamer.reach.contains(first)
                && self.can_occupy(open.without(first), used | 1 << index)
        })
    }
}

impl Roamer {
    fn attacks_from(&self, from: Square, occupied: Bitboard) -> Bitboard {
        match self.role {
            Role::Bishop => attacks::bishop_attacks(from, occupied),
            Role::Rook => attacks::rook_attacks(from, occupied),
            _ => attacks::queen_attacks(from, occupied),
        }
    }

    /// The squares of its reach from which it would attack `square` in a frame.
    fn threatens(&self, square: Square, occupied: Bitboard) -> Bitboard {
        self.attacks_from(square, occupied) & self.reach & !occupied
    }

    /// All it may attack from anywhere within its reach, in a frame.
    fn attacks(&self, occupied: Bitboard) -> Bitboard {
        let from = self.reach & !occupied;
        let mut attacked = Bitboard::EMPTY;
        if self.role != Role::Rook {
            attacked |= slide::diagonal(from, !occupied);
        }
        if self.role != Role::Bishop {
            attacked |= slide::straight(from, !occupied);
        }
        attacked
    }
}

/// Mate is looked for where a move arrives, so the root has to be looked at by itself.
fn is_mate(state: &State) -> bool {
    let mut steps = Vec::new();
    state.legal(&mut steps) && steps.is_empty()
}

/// Bishops, rooks and queens of the frame that attack anything but their own men.
fn free_sliders(frame: &State) -> Bitboard {
    let occupied = frame.occupied();
    let sliders = frame.role.bishop | frame.role.rook | frame.role.queen;
    let mut free = Bitboard::EMPTY;
    for square in sliders {
        let own = if frame.colour.white.contains(square) { frame.colour.white } else { frame.colour.black };
        let diagonal = attacks::bishop_attacks(square, occupied);
        let straight = attacks::rook_attacks(square, occupied);
        let attacked = if frame.role.bishop.contains(square) {
            diagonal
        } else if frame.role.rook.contains(square) {
            straight
        } else {
            diagonal | straight
        };
        if (attacked & !own).any() {
            free.add(square);
        }
    }
    free
}
