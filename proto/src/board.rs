//! Colours, squares, roles and moves: geometry and notation, no legality.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::ops::{Index, IndexMut, Not};
use std::str::FromStr;

/// One of the two sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Color {
    /// Has the white men and moves first.
    White,
    /// Has the black men.
    Black,
}

impl Color {
    /// Both sides, White first.
    pub const BOTH: [Color; 2] = [Color::White, Color::Black];

    /// `"white"` or `"black"`.
    pub fn name(self) -> &'static str {
        match self {
            Color::White => "white",
            Color::Black => "black",
        }
    }
}

impl Not for Color {
    type Output = Color;

    fn not(self) -> Color {
        match self {
            Color::White => Color::Black,
            Color::Black => Color::White,
        }
    }
}

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A value for each side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct ByColor<T> {
    /// White's.
    pub white: T,
    /// Black's.
    pub black: T,
}

impl<T> ByColor<T> {
    /// White's value, then Black's.
    pub const fn new(white: T, black: T) -> Self {
        ByColor { white, black }
    }

    /// The value of each side under `f`.
    pub fn map<U>(self, mut f: impl FnMut(T) -> U) -> ByColor<U> {
        ByColor { white: f(self.white), black: f(self.black) }
    }

    /// References to both values.
    pub fn as_ref(&self) -> ByColor<&T> {
        ByColor { white: &self.white, black: &self.black }
    }

    /// Each side with its value, White first.
    pub fn iter(&self) -> impl Iterator<Item = (Color, &T)> {
        [(Color::White, &self.white), (Color::Black, &self.black)].into_iter()
    }
}

impl<T: Clone> ByColor<T> {
    /// The same value for both sides.
    pub fn both(value: T) -> Self {
        ByColor { white: value.clone(), black: value }
    }
}

impl<T> Index<Color> for ByColor<T> {
    type Output = T;

    fn index(&self, color: Color) -> &T {
        match color {
            Color::White => &self.white,
            Color::Black => &self.black,
        }
    }
}

impl<T> IndexMut<Color> for ByColor<T> {
    fn index_mut(&mut self, color: Color) -> &mut T {
        match color {
            Color::White => &mut self.white,
            Color::Black => &mut self.black,
        }
    }
}

/// What was wrong with a square, a role or a move in text or on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadNotation;

impl fmt::Display for BadNotation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a square or a move in UCI notation")
    }
}

impl std::error::Error for BadNotation {}

/// A square: a1 is 0, b1 is 1, h8 is 63 (Article 2.4).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

impl Square {
    /// The square of this index, a1 = 0 to h8 = 63.
    pub const fn new(index: u8) -> Option<Square> {
        if index < 64 { Some(Square(index)) } else { None }
    }

    /// The square on `file` and `rank`, each from 0 to 7.
    pub const fn at(file: u8, rank: u8) -> Option<Square> {
        if file < 8 && rank < 8 { Some(Square(rank * 8 + file)) } else { None }
    }

    /// 0 (a1) to 63 (h8).
    pub const fn index(self) -> u8 {
        self.0
    }

    /// 0 (a) to 7 (h).
    pub const fn file(self) -> u8 {
        self.0 & 7
    }

    /// 0 (first) to 7 (eighth).
    pub const fn rank(self) -> u8 {
        self.0 >> 3
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", (b'a' + self.file()) as char, (b'1' + self.rank()) as char)
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Square {
    type Err = BadNotation;

    fn from_str(s: &str) -> Result<Square, BadNotation> {
        let [file @ b'a'..=b'h', rank @ b'1'..=b'8'] = *s.as_bytes() else { return Err(BadNotation) };
        Ok(Square((rank - b'1') * 8 + file - b'a'))
    }
}

impl Serialize for Square {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.collect_str(self)
        } else {
            serializer.serialize_u8(self.0)
        }
    }
}

impl<'de> Deserialize<'de> for Square {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Square, D::Error> {
        if deserializer.is_human_readable() {
            <std::borrow::Cow<'de, str>>::deserialize(deserializer)?.parse().map_err(D::Error::custom)
        } else {
            Square::new(u8::deserialize(deserializer)?).ok_or_else(|| D::Error::custom(BadNotation))
        }
    }
}

/// The kind of a man.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Pawn.
    Pawn,
    /// Knight.
    Knight,
    /// Bishop.
    Bishop,
    /// Rook.
    Rook,
    /// Queen.
    Queen,
    /// King.
    King,
}

impl Role {
    /// The letter of this role in UCI and, in upper case, in SAN.
    pub const fn letter(self) -> char {
        match self {
            Role::Pawn => 'p',
            Role::Knight => 'n',
            Role::Bishop => 'b',
            Role::Rook => 'r',
            Role::Queen => 'q',
            Role::King => 'k',
        }
    }

    /// The role of a lower-case letter.
    pub const fn from_letter(letter: char) -> Option<Role> {
        Some(match letter {
            'p' => Role::Pawn,
            'n' => Role::Knight,
            'b' => Role::Bishop,
            'r' => Role::Rook,
            'q' => Role::Queen,
            'k' => Role::King,
            _ => return None,
        })
    }
}

/// A move in the sense of UCI: from, to, and the piece of a promotion. Castling is the king's move
/// of two squares (`e1g1`). Whether it is legal is another matter.
///
/// Two bytes on the wire: the low six bits of each are the squares, the high two bits of the first
/// and of the second hold the promotion (0 none, 1 knight, 2 bishop, 3 rook, 4 queen), low bits first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move {
    /// Where the man stood.
    pub from: Square,
    /// Where it goes.
    pub to: Square,
    /// What a pawn becomes: never a pawn or a king.
    promotion: Option<Role>,
}

impl Move {
    /// A move without promotion.
    pub const fn new(from: Square, to: Square) -> Move {
        Move { from, to, promotion: None }
    }

    /// A move with the piece of a promotion: a knight, bishop, rook or queen.
    pub const fn promoting(from: Square, to: Square, role: Role) -> Option<Move> {
        match role {
            Role::Pawn | Role::King => None,
            _ => Some(Move { from, to, promotion: Some(role) }),
        }
    }

    /// What a pawn becomes (Article 3.7.3.3), if the move says so.
    pub const fn promotion(self) -> Option<Role> {
        self.promotion
    }

    /// The two bytes on the wire.
    pub const fn to_bytes(self) -> [u8; 2] {
        let promotion = match self.promotion {
            Some(Role::Knight) => 1,
            Some(Role::Bishop) => 2,
            Some(Role::Rook) => 3,
            Some(Role::Queen) => 4,
            _ => 0u8,
        };
        [self.from.0 | (promotion & 3) << 6, self.to.0 | (promotion >> 2) << 6]
    }

    /// The move of these two bytes, if they are one.
    pub const fn from_bytes(bytes: [u8; 2]) -> Option<Move> {
        let promotion = match bytes[0] >> 6 | (bytes[1] >> 6) << 2 {
            0 => None,
            1 => Some(Role::Knight),
            2 => Some(Role::Bishop),
            3 => Some(Role::Rook),
            4 => Some(Role::Queen),
            _ => return None,
        };
        Some(Move { from: Square(bytes[0] & 63), to: Square(bytes[1] & 63), promotion })
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.from, self.to)?;
        self.promotion.map_or(Ok(()), |role| write!(f, "{}", role.letter()))
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Move {
    type Err = BadNotation;

    fn from_str(s: &str) -> Result<Move, BadNotation> {
        if !s.is_ascii() || !(4..=5).contains(&s.len()) {
            return Err(BadNotation);
        }
        let (from, to) = (s[..2].parse()?, s[2..4].parse()?);
        match s[4..].chars().next() {
            None => Ok(Move::new(from, to)),
            Some(letter) => {
                Role::from_letter(letter).and_then(|role| Move::promoting(from, to, role)).ok_or(BadNotation)
            }
        }
    }
}

impl Serialize for Move {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.collect_str(self)
        } else {
            self.to_bytes().serialize(serializer)
        }
    }
}

impl<'de> Deserialize<'de> for Move {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Move, D::Error> {
        if deserializer.is_human_readable() {
            <std::borrow::Cow<'de, str>>::deserialize(deserializer)?.parse().map_err(D::Error::custom)
        } else {
            Move::from_bytes(<[u8; 2]>::deserialize(deserializer)?)
                .ok_or_else(|| D::Error::custom(BadNotation))
        }
    }
}
