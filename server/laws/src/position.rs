//! The position on the board, the moves that led there, and what repetition needs of them.
//!
//! Legality is shakmaty's. This module adds what a record needs besides: two-byte moves, the keys of the
//! positions since the last irreversible move, and illegal moves that stand because nobody complained in time.

use crate::history::History;
use crate::mating;
use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::zobrist::Zobrist64;
use shakmaty::{CastlingMode, Chess, Color as Side, EnPassantMode, FromSetup, Position as _, Role as Man};
use zeitnot_proto::limits::{FEN_MAX, SAN_MAX};
use zeitnot_proto::rules::Start;
use zeitnot_proto::snapshot::LegalMove;
use zeitnot_proto::{Color, Move, Refusal, Role, Square, Text};

/// A board with its history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Record {
    /// The position before the first move.
    origin: Chess,
    /// The position now.
    chess: Chess,
    /// All moves, those of the set-up included.
    moves: History<[u8; 2]>,
    /// Plies (from 0) whose move was illegal and stands.
    illegal: Vec<u32>,
    /// Keys of the positions since the last irreversible move, the present one last.
    keys: History<u64>,
}

/// The side of shakmaty's as ours.
pub(crate) fn color(side: Side) -> Color {
    if side.is_white() { Color::White } else { Color::Black }
}

/// Our side as shakmaty's.
pub(crate) fn side(color: Color) -> Side {
    match color {
        Color::White => Side::White,
        Color::Black => Side::Black,
    }
}

// Law 1997 2.1, 2.4, 2014 2.1, 2.4, 2023 2.1, 2.4: eight files from a to h, eight ranks, h1 a light square.
fn square(square: shakmaty::Square) -> Square {
    // Both number the squares from a1 = 0 to h8 = 63.
    Square::new(u8::from(square)).unwrap_or(A1)
}

const A1: Square = match Square::new(0) {
    Some(square) => square,
    None => unreachable!(),
};

fn man_square(square: Square) -> shakmaty::Square {
    shakmaty::Square::new(u32::from(square.index()))
}

fn man(role: Role) -> Man {
    match role {
        Role::Pawn => Man::Pawn,
        Role::Knight => Man::Knight,
        Role::Bishop => Man::Bishop,
        Role::Rook => Man::Rook,
        Role::Queen => Man::Queen,
        Role::King => Man::King,
    }
}

fn role(man: Man) -> Role {
    match man {
        Man::Pawn => Role::Pawn,
        Man::Knight => Role::Knight,
        Man::Bishop => Role::Bishop,
        Man::Rook => Role::Rook,
        Man::Queen => Role::Queen,
        Man::King => Role::King,
    }
}

/// A move of shakmaty's in UCI terms: castling is the king's move of two squares.
pub(crate) fn uci(mv: shakmaty::Move) -> Move {
    let (from, to, promotion) = match mv {
        shakmaty::Move::Castle { king, rook } => {
            let file = if rook > king { shakmaty::File::G } else { shakmaty::File::C };
            (king, shakmaty::Square::from_coords(file, king.rank()), None)
        }
        other => (other.from().unwrap_or_else(|| other.to()), other.to(), other.promotion()),
    };
    let plain = Move::new(square(from), square(to));
    promotion.and_then(|p| Move::promoting(plain.from, plain.to, role(p))).unwrap_or(plain)
}

impl Record {
    /// The record that a game starts with.
    // Law 1997 2.2, 2.3, 2014 2.2, 2.3, 2023 2.2, 2.3: sixteen men a side in the fixed array, or the
    // position that the organizer set; one that no game can have is refused.
    pub fn start(start: &Start) -> Result<Record, Refusal> {
        let origin = match &start.fen {
            None => Chess::new(),
            Some(fen) => {
                let fen: Fen = fen.parse().map_err(|_| Refusal::BadStart)?;
                Chess::from_setup(fen.into_setup(), CastlingMode::Standard).map_err(|_| Refusal::BadStart)?
            }
        };
        let mut record = Record {
            keys: History::new(),
            chess: origin.clone(),
            origin,
            moves: History::new(),
            illegal: Vec::new(),
        };
        record.keys.push(key(&record.chess));
        for &mv in &start.moves {
            if record.chess.legal_moves().is_empty() {
                return Err(Refusal::BadStart);
            }
            record.legal(mv).map_err(|_| Refusal::BadStart)?;
            record.play(mv, false);
        }
        if record.chess.legal_moves().is_empty() { Err(Refusal::BadStart) } else { Ok(record) }
    }

    /// The position for questions about mating.
    pub fn chess(&self) -> &Chess {
        &self.chess
    }

    /// The side to move.
    pub fn turn(&self) -> Color {
        color(self.chess.turn())
    }

    /// Moves so far, those of the set-up included.
    pub fn plies(&self) -> u32 {
        u32::try_from(self.moves.len()).unwrap_or(u32::MAX)
    }

    /// The move of this ply, counted from 0.
    pub fn ply(&self, ply: u32) -> Option<Move> {
        self.moves.get(ply as usize).and_then(Move::from_bytes)
    }

    /// All moves.
    pub fn moves(&self) -> impl Iterator<Item = Move> {
        self.moves.to_vec().into_iter().filter_map(Move::from_bytes)
    }

    /// Whether the move of this ply was illegal and stands.
    pub fn was_illegal(&self, ply: u32) -> bool {
        self.illegal.contains(&ply)
    }

    /// The man on this square.
    pub fn at(&self, square: Square) -> Option<(Color, Role)> {
        self.chess.board().piece_at(man_square(square)).map(|piece| (color(piece.color), role(piece.role)))
    }

    /// The legal move of shakmaty's that this is.
    // Law 1997 3.1, 3.2a, 3.2b, 3.2c, 3.3, 3.4a, 3.4b, 3.4c, 3.4d, 3.4e: how the men move.
    // Law 1997 3.5(a)a, 3.5(a)b, 3.5(a)(1)a, 3.5(a)(1)b, 3.5(a)(2)a, 3.5(a)(2)b, 3.5(b): king, castling, check.
    // Law 2014 3.1, 3.2, 3.3, 3.4, 3.5, 3.6, 3.7a, 3.7b, 3.7c, 3.7d, 3.7e, 3.8a, 3.8b, 3.9: the same.
    // Law 2023 3.1, 3.2, 3.3, 3.4, 3.5, 3.6, 3.7.1, 3.7.2, 3.7.3, 3.7.3.3, 3.8.1, 3.8.2, 3.9: the same.
    pub fn legal(&self, mv: Move) -> Result<shakmaty::Move, Refusal> {
        match self.meant(mv).filter(|&meant| self.chess.is_legal(meant)) {
            Some(meant) if meant.capture() != Some(Man::King) => Ok(meant),
            None if self.lacks_promotion(mv) => Err(Refusal::PromotionRequired),
            _ => Err(Refusal::IllegalMove),
        }
    }

    /// The move of shakmaty's that this would be, if it were legal.
    fn meant(&self, mv: Move) -> Option<shakmaty::Move> {
        let board = self.chess.board();
        let (from, to) = (man_square(mv.from), man_square(mv.to));
        let role = board.role_at(from)?;
        let capture = board.role_at(to);
        let files = mv.from.file().abs_diff(mv.to.file());
        if role == Man::King && files == 2 && mv.from.rank() == mv.to.rank() {
            let corner = if mv.to.file() > mv.from.file() { shakmaty::File::H } else { shakmaty::File::A };
            let rook = shakmaty::Square::from_coords(corner, from.rank());
            return (mv.from.file() == 4 && mv.promotion().is_none())
                .then_some(shakmaty::Move::Castle { king: from, rook });
        }
        if role == Man::Pawn && files == 1 && capture.is_none() {
            return mv.promotion().is_none().then_some(shakmaty::Move::EnPassant { from, to });
        }
        let promotion = mv.promotion().map(man);
        Some(shakmaty::Move::Normal { role, from, capture, to, promotion })
    }

    /// A pawn's legal move to the last rank that does not say what the pawn becomes.
    pub fn lacks_promotion(&self, mv: Move) -> bool {
        mv.promotion().is_none()
            && Move::promoting(mv.from, mv.to, Role::Queen).is_some_and(|full| {
                self.at(mv.from).is_some_and(|(_, role)| role == Role::Pawn)
                    && matches!(mv.to.rank(), 0 | 7)
                    && self.legal(full).is_ok()
            })
    }

    /// Whether a man of the side to move stands on the square it leaves, and no king is taken: only such
    /// moves can stand although they are illegal.
    pub fn can_stand(&self, mv: Move) -> bool {
        let own = |at: Option<(Color, Role)>| at.is_some_and(|(owner, _)| owner == self.turn());
        own(self.at(mv.from)) && mv.from != mv.to && self.at(mv.to).is_none_or(|(_, role)| role != Role::King)
    }

    /// Whether an illegal move stands: the position may be one that no legal moves lead to.
    pub fn has_illegal(&self) -> bool {
        !self.illegal.is_empty()
    }

    /// Whether the position is certainly dead: by its material, or, if `thorough`, also by a cheap look at what
    /// can still happen.
    // Law 1997 1.3, 9.6, 2014 1.3, 5.2b, 9.7, 2023 1.4.3, 5.2.2: neither side can mate by any series of legal moves.
    pub fn is_dead(&self, thorough: bool) -> bool {
        if thorough && !self.has_illegal() {
            return mating::is_dead_cheap(&self.chess);
        }
        let board = self.chess.board();
        Side::ALL.iter().all(|&us| mating::material_cannot_mate(board, us))
    }

    /// All legal moves. A king cannot be taken, also where an illegal move left him attacked.
    // Law 2014 1.2, 2023 1.4.1: capturing the king is not allowed.
    pub fn legal_moves(&self) -> Vec<shakmaty::Move> {
        self.chess.legal_moves().into_iter().filter(|mv| mv.capture() != Some(Man::King)).collect()
    }

    /// Whether the side to move has a legal move.
    pub fn can_move(&self) -> bool {
        let moves = self.chess.legal_moves();
        if self.illegal.is_empty() {
            !moves.is_empty()
        } else {
            moves.iter().any(|mv| mv.capture() != Some(Man::King))
        }
    }

    /// Whether the side to move is in check.
    pub fn is_check(&self) -> bool {
        self.chess.is_check()
    }

    /// Whether both kings are attacked, which legal moves cannot bring about.
    pub fn both_in_check(&self) -> bool {
        let board = self.chess.board();
        Side::ALL.iter().all(|&us| {
            board.king_of(us).is_some_and(|king| board.attacks_to(king, us.other(), board.occupied()).any())
        })
    }

    /// Whether a pawn stands unreplaced on its last rank.
    pub fn has_pawn_on_last_rank(&self) -> bool {
        let board = self.chess.board();
        (board.pawns() & shakmaty::Bitboard::BACKRANKS).any()
    }

    /// Plays a move: a legal one, or an illegal one that stands.
    pub fn play(&mut self, mv: Move, illegal: bool) {
        let played = match self.meant(mv) {
            Some(played) if !illegal => played,
            _ => {
                let Some((_, moved)) = self.at(mv.from) else { return };
                self.illegal.push(self.plies());
                shakmaty::Move::Normal {
                    role: man(moved),
                    from: man_square(mv.from),
                    capture: self.at(mv.to).map(|(_, role)| man(role)),
                    to: man_square(mv.to),
                    promotion: mv.promotion().map(man),
                }
            }
        };
        self.advance(mv, played);
    }

    /// Plays a move whose legality is known.
    fn advance(&mut self, mv: Move, played: shakmaty::Move) {
        // Speed only: no position before an irreversible move can come again.
        if self.chess.is_irreversible(played) {
            self.keys.clear();
        }
        self.chess.play_unchecked(played);
        self.moves.push(mv.to_bytes());
        self.keys.push(key(&self.chess));
    }

    /// Goes back to the position after `ply` half-moves.
    pub fn truncate(&mut self, ply: u32) {
        let moves = self.moves.to_vec();
        self.moves.clear();
        let illegal = std::mem::take(&mut self.illegal);
        self.chess = self.origin.clone();
        self.keys.clear();
        self.keys.push(key(&self.chess));
        for (at, bytes) in (0..ply).zip(moves) {
            if let Some(mv) = Move::from_bytes(bytes) {
                self.play(mv, illegal.contains(&at));
            }
        }
    }

    /// How often the present position has occurred. The start counts.
    // Law 1997 9.2b, 2014 9.2b, 2023 9.2.2, 9.2.3: same side, men and rights; en passant only if it can be played.
    pub fn occurrences(&self) -> u32 {
        let Some(&now) = self.keys.last() else { return 0 };
        u32::try_from(self.keys.latest_first().filter(|&key| key == now).count()).unwrap_or(u32::MAX)
    }

    /// Whether the present position stands for the fifth time in a row, at plies p, p-4, p-8, p-12, p-16.
    // Law 2014 9.6a: five consecutive alternate moves by each player.
    pub fn fivefold_consecutive(&self) -> bool {
        let mut every_fourth = self.keys.latest_first().step_by(4);
        let Some(now) = every_fourth.next() else { return false };
        every_fourth.take(4).filter(|&key| key == now).count() == 4
    }

    /// Half-moves since the last capture or pawn move.
    pub fn halfmoves(&self) -> u32 {
        self.chess.halfmoves()
    }

    /// The record as it would be after this legal move.
    pub fn after(&self, mv: Move) -> Record {
        let mut after = self.clone();
        after.play(mv, false);
        after
    }

    /// The position in FEN; a pawn that has just moved two squares is noted whether it can be taken or not.
    pub fn fen(&self) -> Text<FEN_MAX> {
        Text::cut(&Fen::from_position(&self.chess, EnPassantMode::Always).to_string())
    }

    /// The same, with the en passant square only where the capture is legal.
    pub fn fen_legal(&self) -> String {
        Fen::from_position(&self.chess, EnPassantMode::Legal).to_string()
    }

    /// A legal move with its name.
    pub fn named(&self, mv: shakmaty::Move) -> LegalMove {
        let san = SanPlus::from_move(self.chess.clone(), mv).to_string();
        LegalMove { mv: uci(mv), san: Text::<SAN_MAX>::cut(&san) }
    }
}

/// The identity of a position (9.2): en passant counts only where the capture is legal.
fn key(chess: &Chess) -> u64 {
    chess.zobrist_hash::<Zobrist64>(EnPassantMode::Legal).0
}
