//! A static proof for blocked positions: where could each man ever go, and is there a mate among all that?
//!
//! # The argument
//!
//! A *bound* says for every man `i` that it stands on one of the squares `reach[i]` unless it was captured,
//! and that it was not captured unless `mortal[i]`. A pawn marked `promoted` may be any man anywhere. The
//! bound computed here is true of the root, and closed: from **any** position of which it is true, whether
//! the game can get there or not, every legal move leads to one of which it is true. So it is true of every
//! position that can follow, and it is enough to look for a mate among the positions it allows.
//!
//! Closedness is what each rule below has to show: a move is left out only if it is illegal in every position
//! within the bound. The bound starts as the root itself and grows until no move leads out of it; rules that
//! exclude moves depend on men being bounded, so they weaken as the bound grows and are applied anew to all
//! squares until nothing changes. Only the last round, in which nothing changed, matters for the proof.
//!
//! - **Steady men.** A man with one square that is not mortal stands there in every position within the
//!   bound. Its friends do not land there and nothing passes through it. (That no enemy takes it is not
//!   assumed: whoever attacks it makes it mortal.)
//! - **Guarded squares.** A man that is not mortal and attacks a square from everywhere in its reach, over
//!   squares that no other man ever enters, attacks it in every position; the enemy king never steps there,
//!   also not to capture. The moving king itself does not shield the square, and neither does a friend of the
//!   attacker that slides along the same line, since then the friend attacks it. A man on the square is not
//!   its own guard: no man attacks the square it stands on.
//! - **Facing pawns.** A pawn does not pass another that faces it while both stay on their file: that one is
//!   above the other is true of the root and of every position in which both are left, and a step past would
//!   go through a man. So a pawn does not enter the square on which an opposing pawn ahead of it began, if
//!   that one never leaves the file and is not mortal. (From the square before, the other is still ahead and
//!   no further than its first square: it stands right there.)
//! - **Pawn captures** need a man of the other side that can stand on the square. A capture in passing is one
//!   of these: the captured pawn's reach holds the square it passed, because double steps are made of single
//!   ones here.
//! - Everything else is allowed: checks and pins are ignored, and a slider may go anywhere that steady men
//!   let it.
//!
//! # Is there a mate within the bound?
//!
//! Mate on a square `r` of the losing king's reach needs a checking man with `r` in its attack. Every
//! neighbour of `r` in the king's own reach must be taken from it: attacked by a winner's man, or next to the
//! winner's king, or occupied by a man of his own. Neighbours outside the reach are never stepped on at all.
//! Own men are distinct and one on a square, and the winner's king stands on one square, not next to `r`. If
//! for no `r`, no checking man and no square of it the demands can be met, no position within the bound is
//! mate. That is more than is asked, since it includes positions the game cannot get to.

use shakmaty::{Bitboard, Color, Role, Square, attacks};

use super::state::State;

/// Most men a static proof is tried for.
const MEN_MAX: usize = 32;

#[derive(Clone, Copy)]
struct Man {
    home: Square,
    role: Role,
    colour: Color,
    reach: Bitboard,
    mortal: bool,
    promoted: bool,
}

impl Man {
    fn is_steady(&self) -> bool {
        !self.mortal && self.reach == Bitboard::from(self.home)
    }
}

struct Bound {
    men: Vec<Man>,
    steady: Bitboard,
    /// Squares guarded by White and by Black.
    guarded: [Bitboard; 2],
}

/// Whether blocked men prove that `winner` never mates from `state`. `false` is no statement.
pub(super) fn excludes(state: &State, winner: Color) -> bool {
    // Castling and a pending capture in passing are moves the bound does not know.
    if state.castling.any() || state.en_passant.is_some() {
        return false;
    }
    let Some(mut bound) = Bound::new(state) else { return false };
    bound.close(winner) && !bound.allows_mate(winner)
}

/// Whether a position looks blocked enough to try the static proof before any search: pawns face to face, and
/// nothing but bishops beside them.
pub(super) fn is_plausible(state: &State) -> bool {
    has_facing_pawns(state) && (state.role.knight | state.role.rook | state.role.queen).is_empty()
}

/// Whether some pawn is stopped by an enemy pawn.
pub(super) fn has_facing_pawns(state: &State) -> bool {
    let white = state.role.pawn & state.colour.white;
    let black = state.role.pawn & state.colour.black;
    (Bitboard(white.0 << 8) & black).any()
}

fn slot(colour: Color) -> usize {
    usize::from(colour == Color::Black)
}

impl Bound {
    /// The root alone.
    fn new(state: &State) -> Option<Bound> {
        if state.occupied().count() > MEN_MAX {
            return None;
        }
        let mut men = Vec::with_capacity(MEN_MAX);
        for colour in Color::ALL {
            for role in Role::ALL {
                for home in *state.role.get(role) & state.of(colour) {
                    let reach = Bitboard::from(home);
                    men.push(Man { home, role, colour, reach, mortal: false, promoted: false });
                }
            }
        }
        Some(Bound { men, steady: Bitboard::EMPTY, guarded: [Bitboard::EMPTY; 2] })
    }

    /// Grows the bound until it is closed. False as soon as a pawn of `winner` may promote: then a mate is
    /// never excluded.
    fn close(&mut self, winner: Color) -> bool {
        loop {
            self.derive();
            let mut changed = false;
            for index in 0..self.men.len() {
                changed |= self.grow(index);
                let man = self.men[index];
                if man.promoted && man.colour == winner {
                    return false;
                }
            }
            if !changed {
                return true;
            }
        }
    }

    /// What follows from the bound as it is: steady men and guarded squares.
    fn derive(&mut self) {
        self.steady = Bitboard::EMPTY;
        for man in &self.men {
            if man.is_steady() {
                self.steady.add(man.home);
            }
        }
        self.guarded = [self.guarded_by(Color::White), self.guarded_by(Color::Black)];
    }

    fn guarded_by(&self, colour: Color) -> Bitboard {
        let mut guarded = Bitboard::EMPTY;
        for (index, man) in self.men.iter().enumerate() {
            // From many squares nothing is attacked from all; skipping a guard is always safe.
            if man.colour != colour || man.mortal || man.promoted || man.reach.count() > 8 {
                continue;
            }
            let (diagonal, straight) = self.shields(index);
            let mut always = Bitboard::FULL;
            for from in man.reach {
                always &= attack(man, from, diagonal, straight);
            }
            guarded |= always;
        }
        guarded
    }

    /// Squares where another man may stand between man `index` and what it attacks, on diagonals and on
    /// files and ranks.
    fn shields(&self, index: usize) -> (Bitboard, Bitboard) {
        let mut diagonal = Bitboard::EMPTY;
        let mut straight = Bitboard::EMPTY;
        let colour = self.men[index].colour;
        for (other, man) in self.men.iter().enumerate() {
            if other == index || (man.role == Role::King && man.colour != colour) {
                continue;
            }
            let slides = man.colour == colour && !man.promoted;
            if !(slides && matches!(man.role, Role::Bishop | Role::Queen)) {
                diagonal |= man.reach;
            }
            if !(slides && matches!(man.role, Role::Rook | Role::Queen)) {
                straight |= man.reach;
            }
        }
        (diagonal, straight)
    }

    /// Adds every square man `index` can move to, and marks what it can capture. Whether anything changed.
    fn grow(&mut self, index: usize) -> bool {
        let man = self.men[index];
        if man.promoted {
            return self.capture(index, Bitboard::FULL);
        }
        if man.role == Role::Pawn {
            return self.grow_pawn(index);
        }
        let own_steady = self.steady_of(man.colour);
        let barred = match man.role {
            Role::King => own_steady | self.guarded[slot(man.colour.other())],
            _ => own_steady,
        };
        let mut reach = man.reach;
        let mut fresh = man.reach;
        let mut attacked = Bitboard::EMPTY;
        while let Some(from) = fresh.pop_front() {
            let to = attack(&man, from, self.steady, self.steady) & !barred;
            attacked |= to;
            fresh |= to & !reach;
            reach |= to;
        }
        self.men[index].reach = reach;
        let captures = self.capture(index, attacked);
        captures || reach != man.reach
    }

    fn grow_pawn(&mut self, index: usize) -> bool {
        let man = self.men[index];
        let wall = self.steady | self.facing(&man);
        let prey = self.prey(man.colour);
        let mut reach = man.reach;
        let mut fresh = man.reach;
        let mut attacked = Bitboard::EMPTY;
        while let Some(from) = fresh.pop_front() {
            let ahead = match man.colour {
                Color::White => from.offset(8),
                Color::Black => from.offset(-8),
            };
            let takes = attacks::pawn_attacks(man.colour, from) & prey & !self.steady_of(man.colour);
            attacked |= takes;
            let to = takes | (ahead.map_or(Bitboard::EMPTY, Bitboard::from) & !wall);
            fresh |= to & !reach;
            reach |= to;
        }
        if (reach & Bitboard::BACKRANKS).any() {
            self.men[index].promoted = true;
            reach = Bitboard::FULL;
        }
        self.men[index].reach = reach;
        let captures = self.capture(index, attacked);
        captures || reach != man.reach
    }

    /// Squares where a man of the other side than `colour`, its king aside, can be captured.
    fn prey(&self, colour: Color) -> Bitboard {
        self.men
            .iter()
            .filter(|man| man.colour != colour && man.role != Role::King)
            .fold(Bitboard::EMPTY, |all, man| all | man.reach)
    }

    fn steady_of(&self, colour: Color) -> Bitboard {
        self.men
            .iter()
            .filter(|man| man.colour == colour && self.steady.contains(man.home) && man.is_steady())
            .fold(Bitboard::EMPTY, |all, man| all.with(man.home))
    }

    /// Where pawns that face `pawn` began, if neither leaves the file and they do not fall.
    fn facing(&self, pawn: &Man) -> Bitboard {
        let file = Bitboard::from(pawn.home.file());
        if !(pawn.reach & !file).is_empty() {
            return Bitboard::EMPTY;
        }
        self.men
            .iter()
            .filter(|other| {
                other.colour != pawn.colour
                    && other.role == Role::Pawn
                    && !other.mortal
                    && !other.promoted
                    && (other.reach & !file).is_empty()
                    && match pawn.colour {
                        Color::White => other.home > pawn.home,
                        Color::Black => other.home < pawn.home,
                    }
            })
            .fold(Bitboard::EMPTY, |all, other| all.with(other.home))
    }

    /// Marks the men that man `index` can capture on `squares`.
    fn capture(&mut self, index: usize, squares: Bitboard) -> bool {
        let colour = self.men[index].colour;
        let mut changed = false;
        for man in &mut self.men {
            if man.colour != colour && man.role != Role::King && !man.mortal && (man.reach & squares).any() {
                man.mortal = true;
                changed = true;
            }
        }
        changed
    }

    /// Whether some position within the bound may be mate by `winner`.
    fn allows_mate(&self, winner: Color) -> bool {
        let kings = |colour| self.men.iter().find(|m| m.role == Role::King && m.colour == colour);
        let (Some(prey), Some(helper)) = (kings(winner.other()), kings(winner)) else { return true };
        // The losing king shields nothing: what matters is what is attacked once it has stepped away.
        let solid = self.steady & !prey.reach;
        let attackers: Vec<(usize, Bitboard)> = (0..self.men.len())
            .filter(|&i| self.men[i].colour == winner && self.men[i].role != Role::King)
            .map(|i| {
                let man = &self.men[i];
                (i, man.reach.into_iter().fold(Bitboard::EMPTY, |all, s| all | attack(man, s, solid, solid)))
            })
            .filter(|(_, attacked)| (*attacked & (prey.reach | ring_of(prey.reach))).any())
            .collect();
        prey.reach.into_iter().any(|at| self.allows_mate_on(at, prey, helper, &attackers, solid))
    }

    fn allows_mate_on(
        &self,
        at: Square,
        prey: &Man,
        helper: &Man,
        attackers: &[(usize, Bitboard)],
        solid: Bitboard,
    ) -> bool {
        let flights = attacks::king_attacks(at) & prey.reach;
        for &(checker, attacked) in attackers {
            if !attacked.contains(at) {
                continue;
            }
            let others = attackers
                .iter()
                .filter(|(index, _)| *index != checker)
                .fold(Bitboard::EMPTY, |all, (_, attacked)| all | *attacked);
            let man = &self.men[checker];
            for from in man.reach & !Bitboard::from(at) {
                let direct = attack(man, from, solid, solid);
                if !direct.contains(at) {
                    continue;
                }
                let open = flights & !others & !direct;
                if self.can_fill(open, at, prey, helper) {
                    return true;
                }
            }
        }
        false
    }

    /// Whether the losing side's own men and the winner's king can take all of `open` from the king on `at`.
    fn can_fill(&self, open: Bitboard, at: Square, prey: &Man, helper: &Man) -> bool {
        if open.is_empty() {
            return true;
        }
        let fill = |rest: Bitboard| {
            let squares: Vec<Square> = rest.into_iter().collect();
            self.can_occupy(&squares, prey.colour, &mut Vec::new())
        };
        if fill(open) {
            return true;
        }
        let stands = helper.reach & !attacks::king_attacks(at) & !Bitboard::from(at);
        stands.into_iter().any(|square| {
            let covered = attacks::king_attacks(square) & open;
            covered.any() && fill(open & !covered)
        })
    }

    /// Whether distinct men of `colour` can stand on all `squares`.
    fn can_occupy(&self, squares: &[Square], colour: Color, used: &mut Vec<usize>) -> bool {
        let Some((&first, rest)) = squares.split_first() else { return true };
        for (index, man) in self.men.iter().enumerate() {
            if man.colour == colour
                && man.role != Role::King
                && man.reach.contains(first)
                && !used.contains(&index)
            {
                used.push(index);
                if self.can_occupy(rest, colour, used) {
                    return true;
                }
                used.pop();
            }
        }
        false
    }
}

/// What `man` attacks from `from`, sliding up to the first square of `diagonal` or `straight`. A man that may
/// have promoted attacks everything.
fn attack(man: &Man, from: Square, diagonal: Bitboard, straight: Bitboard) -> Bitboard {
    if man.promoted {
        return Bitboard::FULL;
    }
    match man.role {
        Role::Pawn => attacks::pawn_attacks(man.colour, from),
        Role::Knight => attacks::knight_attacks(from),
        Role::Bishop => attacks::bishop_attacks(from, diagonal),
        Role::Rook => attacks::rook_attacks(from, straight),
        Role::Queen => attacks::bishop_attacks(from, diagonal) | attacks::rook_attacks(from, straight),
        Role::King => attacks::king_attacks(from),
    }
}

/// The squares next to `squares`.
fn ring_of(squares: Bitboard) -> Bitboard {
    squares.into_iter().fold(Bitboard::EMPTY, |all, square| all | attacks::king_attacks(square))
}
