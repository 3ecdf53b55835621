//! A position stripped to what legal moves depend on: small to copy, exact as a key.

use shakmaty::{
    Bitboard, ByColor, ByRole, CastlingSide, Chess, Color, EnPassantMode, Move, Position, Role, Square,
    attacks,
};

/// A position without counters and history. En passant is kept only when an enemy pawn stands ready.
#[derive(Clone, Copy, Debug)]
pub(super) struct State {
    pub(super) role: ByRole<Bitboard>,
    pub(super) colour: ByColor<Bitboard>,
    /// Rooks that may still castle.
    pub(super) castling: Bitboard,
    pub(super) en_passant: Option<Square>,
    pub(super) turn: Color,
}

/// What kind of move it is, as far as playing it needs to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Plain,
    DoublePush,
    EnPassant,
    /// `to` is the square of the rook.
    Castle,
    Promotion(Role),
}

/// A legal move of a [`State`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) from: Square,
    pub(super) to: Square,
    pub(super) role: Role,
    pub(super) kind: Kind,
}

/// A [`State`] without loss in four words; two states are the same position exactly if their keys are equal.
///
/// Three planes spell the role on each square (seven is a rook that may castle), the fourth is Black's men
/// plus the en-passant square, inverted when Black is to move. An empty square marked in the fourth plane is
/// the en-passant square; there is at most one, so the inversion is unambiguous.
pub(super) type Key = [u64; 4];

/// With more men than this the exact key has no room for its marks.
const MEN_MAX: usize = 60;

impl State {
    pub(super) fn new(position: &Chess) -> State {
        let (role, colour) = position.board().clone().into_bitboards();
        State {
            role,
            colour,
            castling: position.castles().castling_rights(),
            en_passant: position.ep_square(EnPassantMode::PseudoLegal),
            turn: position.turn(),
        }
    }

    pub(super) fn key(&self) -> Key {
        let [low, middle, high] = self.planes();
        [low.into(), middle.into(), high.into(), spelled(self.colour.black, self.en_passant, self.turn)]
    }

    /// The key's first three words.
    pub(super) fn planes(&self) -> [Bitboard; 3] {
        let role = &self.role;
        let all = self.castling;
        [
            role.pawn | role.bishop | role.queen | all,
            role.knight | role.bishop | role.king | all,
            role.rook | role.queen | role.king,
        ]
    }

    /// The key of the state after `step`, from the planes of this one: cheaper than to play the move.
    pub(super) fn key_after(&self, planes: [Bitboard; 3], step: Step) -> Key {
        if self.castling.any() || step.kind == Kind::EnPassant {
            return self.play(step).key();
        }
        let (gone, to) = (Bitboard::from(step.from) | Bitboard::from(step.to), Bitboard::from(step.to));
        let role = if let Kind::Promotion(role) = step.kind { role } else { step.role };
        let marks: [bool; 3] = match role {
            Role::Pawn => [true, false, false],
            Role::Knight => [false, true, false],
            Role::Bishop => [true, true, false],
            Role::Rook => [false, false, true],
            Role::Queen => [true, false, true],
            Role::King => [false, true, true],
        };
        let put = |men: Bitboard, here: bool| men & !gone | if here { to } else { Bitboard::EMPTY };
        let black = put(self.colour.black, self.turn == Color::Black);
        let [low, middle, high] = planes;
        [
            put(low, marks[0]).into(),
            put(middle, marks[1]).into(),
            put(high, marks[2]).into(),
            spelled(black, self.passed(step), self.turn.other()),
        ]
    }

    pub(super) fn from_key(key: Key) -> State {
        let [low, middle, high, last] = key.map(Bitboard);
        let occupied = low | middle | high;
        // Of the 32 or more empty squares at most one is marked.
        let turn = if (last & !occupied).count() > 1 { Color::Black } else { Color::White };
        let last = if turn == Color::Black { !last } else { last };
        let castling = low & middle & high;
        State {
            role: ByRole {
                pawn: low & !middle & !high,
                knight: middle & !low & !high,
                bishop: low & middle & !high,
                rook: high & !low & !middle | castling,
                queen: low & high & !middle,
                king: middle & high & !low,
            },
            colour: ByColor { black: last & occupied, white: occupied & !last },
            castling,
            en_passant: (last & !occupied).first(),
            turn,
        }
    }

    pub(super) fn occupied(&self) -> Bitboard {
        self.colour.white | self.colour.black
    }

    pub(super) fn of(&self, colour: Color) -> Bitboard {
        match colour {
            Color::White => self.colour.white,
            Color::Black => self.colour.black,
        }
    }

    /// The king's square. Every state has one king of each colour.
    pub(super) fn king(&self, colour: Color) -> Square {
        (self.role.king & self.of(colour)).first().unwrap_or(Square::A1)
    }

    pub(super) fn attackers(&self, square: Square, by: Color, occupied: Bitboard) -> Bitboard {
        let role = &self.role;
        self.of(by)
            & ((attacks::pawn_attacks(by.other(), square) & role.pawn)
                | (attacks::knight_attacks(square) & role.knight)
                | (attacks::king_attacks(square) & role.king)
                | (attacks::bishop_attacks(square, occupied) & (role.bishop | role.queen))
                | (attacks::rook_attacks(square, occupied) & (role.rook | role.queen)))
    }

    pub(super) fn is_check(&self) -> bool {
        self.attackers(self.king(self.turn), self.turn.other(), self.occupied()).any()
    }

    /// Whether the analysis applies: one king a side, the side that moved last not left in check, and room for
    /// the exact key.
    pub(super) fn is_sound(&self) -> bool {
        let one_king = |colour: Color| (self.role.king & self.of(colour)).count() == 1;
        let last = self.turn.other();
        self.occupied().count() <= MEN_MAX
            && one_king(Color::White)
            && one_king(Color::Black)
            && self.attackers(self.king(last), self.turn, self.occupied()).is_empty()
    }

    /// Whether the king of the side to move has a square to step to.
    pub(super) fn king_can_step(&self) -> bool {
        let king = self.king(self.turn);
        let seen = self.occupied() ^ Bitboard::from(king);
        let squares = attacks::king_attacks(king) & !self.of(self.turn);
        squares.into_iter().any(|to| self.attackers(to, self.turn.other(), seen).is_empty())
    }

    /// Men of the side to move that may only move along the line to their king.
    pub(super) fn pinned(&self, king: Square, occupied: Bitboard) -> Bitboard {
        let enemy = self.of(self.turn.other());
        let role = &self.role;
        let snipers = enemy
            & ((attacks::rook_attacks(king, Bitboard::EMPTY) & (role.rook | role.queen))
                | (attacks::bishop_attacks(king, Bitboard::EMPTY) & (role.bishop | role.queen)));
        let mut pinned = Bitboard::EMPTY;
        for sniper in snipers {
            let between = attacks::between(king, sniper) & occupied;
            if !between.more_than_one() {
                pinned |= between;
            }
        }
        pinned & self.of(self.turn)
    }

    /// Appends every legal move to `out` and tells whether the side to move is in check.
    pub(super) fn legal(&self, out: &mut Vec<Step>) -> bool {
        let own = self.of(self.turn);
        let enemy = self.turn.other();
        let occupied = self.occupied();
        let king = self.king(self.turn);
        let checkers = self.attackers(king, enemy, occupied);

        let without_king = occupied ^ Bitboard::from(king);
        for to in attacks::king_attacks(king) & !own {
            if self.attackers(to, enemy, without_king).is_empty() {
                out.push(Step { from: king, to, role: Role::King, kind: Kind::Plain });
            }
        }
        if checkers.more_than_one() {
            return true;
        }
        let targets = match checkers.first() {
            Some(checker) => attacks::between(king, checker) | checkers,
            None => !own,
        };
        let pinned = self.pinned(king, occupied);
        self.pieces(own, targets, king, pinned, out);
        self.pawns(own, targets, king, pinned, out);
        if let Some(square) = self.en_passant {
            self.en_passant(square, king, out);
        }
        if checkers.is_empty() && (self.castling & own).any() {
            self.castle(king, out);
        }
        checkers.any()
    }

    /// Appends every move that obeys how men move, whether it leaves the king in check or not; no castling.
    pub(super) fn pseudo_legal(&self, out: &mut Vec<Step>) {
        let own = self.of(self.turn);
        let king = self.king(self.turn);
        push_all(king, attacks::king_attacks(king) & !own, Role::King, out);
        self.pieces(own, !own, king, Bitboard::EMPTY, out);
        self.pawns(own, !own, king, Bitboard::EMPTY, out);
        if let Some(to) = self.en_passant {
            for from in own & self.role.pawn & attacks::pawn_attacks(self.turn.other(), to) {
                out.push(Step { from, to, role: Role::Pawn, kind: Kind::EnPassant });
            }
        }
    }

    fn pieces(&self, own: Bitboard, targets: Bitboard, king: Square, pinned: Bitboard, out: &mut Vec<Step>) {
        let occupied = self.occupied();
        let role = &self.role;
        for from in own & role.knight & !pinned {
            let reach = attacks::knight_attacks(from) & targets;
            push_all(from, reach, Role::Knight, out);
        }
        for (men, kind) in [(role.bishop, Role::Bishop), (role.rook, Role::Rook), (role.queen, Role::Queen)] {
            for from in own & men {
                let mut reach = match kind {
                    Role::Bishop => attacks::bishop_attacks(from, occupied),
                    Role::Rook => attacks::rook_attacks(from, occupied),
                    _ => attacks::queen_attacks(from, occupied),
                } & targets;
                if pinned.contains(from) {
                    reach &= attacks::ray(king, from);
                }
                push_all(from, reach, kind, out);
            }
        }
    }

    fn pawns(&self, own: Bitboard, targets: Bitboard, king: Square, pinned: Bitboard, out: &mut Vec<Step>) {
        let occupied = self.occupied();
        let prey = self.of(self.turn.other());
        let double_rank = match self.turn {
            Color::White => Bitboard(0x0000_0000_ff00_0000),
            Color::Black => Bitboard(0x0000_00ff_0000_0000),
        };
        for from in own & self.role.pawn {
            let line = if pinned.contains(from) { attacks::ray(king, from) } else { Bitboard::FULL };
            let single = self.pushed(Bitboard::from(from)) & !occupied;
            let double = self.pushed(single) & !occupied & double_rank;
            let takes = attacks::pawn_attacks(self.turn, from) & prey;
            for to in (single | takes) & targets & line {
                if Bitboard::BACKRANKS.contains(to) {
                    for role in [Role::Queen, Role::Knight, Role::Rook, Role::Bishop] {
                        out.push(Step { from, to, role: Role::Pawn, kind: Kind::Promotion(role) });
                    }
                } else {
                    out.push(Step { from, to, role: Role::Pawn, kind: Kind::Plain });
                }
            }
            for to in double & targets & line {
                out.push(Step { from, to, role: Role::Pawn, kind: Kind::DoublePush });
            }
        }
    }

    pub(super) fn pushed(&self, men: Bitboard) -> Bitboard {
        match self.turn {
            Color::White => Bitboard(men.0 << 8),
            Color::Black => Bitboard(men.0 >> 8),
        }
    }

    /// En-passant captures, each verified by the board after it: two men leave a rank at once.
    fn en_passant(&self, to: Square, king: Square, out: &mut Vec<Step>) {
        let enemy = self.turn.other();
        let men = self.of(self.turn) & self.role.pawn & attacks::pawn_attacks(enemy, to);
        for from in men {
            let step = Step { from, to, role: Role::Pawn, kind: Kind::EnPassant };
            let after = self.play(step);
            if after.attackers(king, enemy, after.occupied()).is_empty() {
                out.push(step);
            }
        }
    }

    fn castle(&self, king: Square, out: &mut Vec<Step>) {
        let enemy = self.turn.other();
        for rook in self.castling & self.of(self.turn) {
            let (king_to, rook_to) = castled(king, rook);
            let others = self.occupied() ^ Bitboard::from(king) ^ Bitboard::from(rook);
            let passed = attacks::between(king, king_to);
            let ends = Bitboard::from(king_to) | Bitboard::from(rook_to);
            if ((passed | attacks::between(rook, rook_to) | ends) & others).any() {
                continue;
            }
            let seen = self.occupied() ^ Bitboard::from(king);
            // In Chess960 the rook may have been the king's shield: look at the board after it too.
            let safe = passed.into_iter().all(|square| self.attackers(square, enemy, seen).is_empty())
                && self.attackers(king_to, enemy, others | Bitboard::from(rook_to)).is_empty();
            if safe {
                out.push(Step { from: king, to: rook, role: Role::King, kind: Kind::Castle });
            }
        }
    }

    /// The state after a legal `step`.
    pub(super) fn play(&self, step: Step) -> State {
        let (from, to) = (Bitboard::from(step.from), Bitboard::from(step.to));
        if step.kind == Kind::Castle {
            let (king_to, rook_to) = castled(step.from, step.to);
            let mut next = State { turn: self.turn.other(), en_passant: None, ..*self };
            next.lift(from | to);
            next.drop(Role::King, Bitboard::from(king_to), self.turn);
            next.drop(Role::Rook, Bitboard::from(rook_to), self.turn);
            next.castling &= !self.of(self.turn);
            return next;
        }
        let mut gone = from | to;
        if step.kind == Kind::EnPassant {
            gone |= Bitboard::from(Square::from_coords(step.to.file(), step.from.rank()));
        }
        let mut castling = self.castling;
        if castling.any() {
            castling &= !gone;
            if step.role == Role::King {
                castling &= !self.of(self.turn);
            }
        }
        let promoted = if let Kind::Promotion(role) = step.kind { role } else { step.role };
        let plane =
            |role: Role, men: Bitboard| men & !gone | if role == promoted { to } else { Bitboard::EMPTY };
        let side =
            |turn: Color, men: Bitboard| men & !gone | if turn == self.turn { to } else { Bitboard::EMPTY };
        // Built in one piece: this is where a search spends much of its time.
        State {
            role: ByRole {
                pawn: plane(Role::Pawn, self.role.pawn),
                knight: plane(Role::Knight, self.role.knight),
                bishop: plane(Role::Bishop, self.role.bishop),
                rook: plane(Role::Rook, self.role.rook),
                queen: plane(Role::Queen, self.role.queen),
                king: plane(Role::King, self.role.king),
            },
            colour: ByColor {
                white: side(Color::White, self.colour.white),
                black: side(Color::Black, self.colour.black),
            },
            castling,
            en_passant: self.passed(step),
            turn: self.turn.other(),
        }
    }

    /// The square passed by a double step, if an enemy pawn stands ready to capture there.
    fn passed(&self, step: Step) -> Option<Square> {
        if step.kind != Kind::DoublePush {
            return None;
        }
        let behind = Square::new(u32::midpoint(step.from.into(), step.to.into()));
        let ready = attacks::pawn_attacks(self.turn, behind) & self.role.pawn & self.of(self.turn.other());
        ready.any().then_some(behind)
    }

    /// Takes all men off the squares of `men`.
    pub(super) fn lift(&mut self, men: Bitboard) {
        let keep = !men;
        self.role.pawn &= keep;
        self.role.knight &= keep;
        self.role.bishop &= keep;
        self.role.rook &= keep;
        self.role.queen &= keep;
        self.role.king &= keep;
        self.colour.white &= keep;
        self.colour.black &= keep;
    }

    /// Puts a man on the squares of `square`.
    pub(super) fn drop(&mut self, role: Role, square: Bitboard, colour: Color) {
        *self.role.get_mut(role) |= square;
        *self.colour.get_mut(colour) |= square;
    }

    /// Whether `step` takes a man.
    pub(super) fn takes(&self, step: Step) -> bool {
        step.kind == Kind::EnPassant
            || (step.kind != Kind::Castle && self.of(self.turn.other()).contains(step.to))
    }

    /// The same move in the library's terms.
    pub(super) fn name(&self, step: Step) -> Move {
        match step.kind {
            Kind::Castle => Move::Castle { king: step.from, rook: step.to },
            Kind::EnPassant => Move::EnPassant { from: step.from, to: step.to },
            Kind::Plain | Kind::DoublePush | Kind::Promotion(_) => Move::Normal {
                role: step.role,
                from: step.from,
                to: step.to,
                capture: self.role_at(step.to),
                promotion: if let Kind::Promotion(role) = step.kind { Some(role) } else { None },
            },
        }
    }

    fn role_at(&self, square: Square) -> Option<Role> {
        Role::ALL.into_iter().find(|&role| self.role.get(role).contains(square))
    }
}

/// Where king and rook stand after castling with `rook`, in chess and Chess960 alike.
fn castled(king: Square, rook: Square) -> (Square, Square) {
    let side = CastlingSide::from_king_side(king < rook);
    let rank = king.rank();
    (Square::from_coords(side.king_to_file(), rank), Square::from_coords(side.rook_to_file(), rank))
}

/// The key's last word.
fn spelled(black: Bitboard, en_passant: Option<Square>, turn: Color) -> u64 {
    let mut last = black;
    if let Some(square) = en_passant {
        last.toggle(square);
    }
    if turn == Color::Black { (!last).into() } else { last.into() }
}

fn push_all(from: Square, reach: Bitboard, role: Role, out: &mut Vec<Step>) {
    for to in reach {
        out.push(Step { from, to, role, kind: Kind::Plain });
    }
}
