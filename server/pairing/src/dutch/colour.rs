//! Colour preferences and colour allocation (C.04.3 art. 1.6, 1.7, 5).

use serde::{Deserialize, Serialize};

use super::field::{Field, Seat};
use crate::round::Color;

/// How much a preference weighs (art. 1.7.1 to 1.7.4), in ascending order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Strength {
    /// No games yet.
    None,
    /// Difference zero: alternate.
    Mild,
    /// Difference one.
    Strong,
    /// Difference beyond one, or the last two games with one colour.
    Absolute,
}

/// The colour a player should ideally get.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Preference {
    /// `None` only together with [`Strength::None`].
    pub colour: Option<Color>,
    /// How strongly.
    pub strength: Strength,
}

impl Preference {
    /// From the colours of the games played, in order.
    pub fn of(games: &[Color]) -> Self {
        let difference = difference(games);
        let minority = if difference > 0 { Color::Black } else { Color::White };
        let repeated = match games {
            [.., a, b] if a == b => Some(!*a),
            _ => None,
        };
        let (colour, strength) = match (games.last(), repeated) {
            (None, _) => return Self { colour: None, strength: Strength::None },
            _ if difference.abs() > 1 => (minority, Strength::Absolute),
            (_, Some(other)) => (other, Strength::Absolute),
            _ if difference.abs() == 1 => (minority, Strength::Strong),
            (Some(last), None) => (!*last, Strength::Mild),
        };
        Self { colour: Some(colour), strength }
    }

    /// Whether both can have what they prefer.
    pub(crate) fn fits(self, other: Self) -> bool {
        self.colour.is_none() || self.colour != other.colour
    }
}

/// Games with White minus games with Black (art. 1.6).
pub(crate) fn difference(games: &[Color]) -> i32 {
    games.iter().map(|&colour| if colour == Color::White { 1 } else { -1 }).sum()
}

/// Which article gave the colours of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ColourRule {
    /// 5.2.1: both preferences granted.
    BothGranted,
    /// 5.2.2: the stronger preference.
    Stronger,
    /// 5.2.2: both absolute, the wider difference.
    WiderDifference,
    /// 5.2.3: alternated to the latest round in which one had White and the other Black.
    Alternated,
    /// 5.2.4: the preference of the higher ranked.
    HigherRanked,
    /// 5.2.5: the initial colour by the parity of the higher ranked.
    Parity,
    /// Not by the engine: set by the arbiter or by a table.
    Assigned,
}

impl ColourRule {
    /// The article and what it says, for the wall.
    pub const fn describe(self) -> &'static str {
        match self {
            Self::BothGranted => "5.2.1 both colour preferences granted",
            Self::Stronger => "5.2.2 the stronger preference granted",
            Self::WiderDifference => "5.2.2 both absolute, the wider colour difference granted",
            Self::Alternated => "5.2.3 alternated to the latest round with different colours",
            Self::HigherRanked => "5.2.4 the higher ranked player's preference granted",
            Self::Parity => "5.2.5 initial colour by the parity of the higher ranked player",
            Self::Assigned => "assigned",
        }
    }
}

/// The colour of the higher ranked player of a pair, and why. `higher` must come first in rank.
pub(super) fn allocate(field: &Field, higher: usize, lower: usize) -> (Color, ColourRule) {
    let (a, b) = (&field.seats[higher], &field.seats[lower]);
    let (pa, pb) = (a.preference, b.preference);
    if pa.fits(pb) {
        match (pa.colour, pb.colour) {
            (Some(colour), _) => return (colour, ColourRule::BothGranted),
            (None, Some(theirs)) => return (!theirs, ColourRule::BothGranted),
            (None, None) => {
                let colour = if a.odd { field.initial_colour } else { !field.initial_colour };
                return (colour, ColourRule::Parity);
            }
        }
    }
    let Some(wanted) = pa.colour else { return (field.initial_colour, ColourRule::Parity) };
    if pa.strength != pb.strength {
        let colour = if pa.strength > pb.strength { wanted } else { !wanted };
        return (colour, ColourRule::Stronger);
    }
    let (wide_a, wide_b) = (difference(&a.games).abs(), difference(&b.games).abs());
    if pa.strength == Strength::Absolute && wide_a != wide_b {
        let colour = if wide_a > wide_b { wanted } else { !wanted };
        return (colour, ColourRule::WiderDifference);
    }
    // C.04.2 art. 3.4: only games that were played count, aligned from the latest.
    let latest = a.games.iter().rev().zip(b.games.iter().rev()).find(|(x, y)| x != y);
    if let Some((&mine, _)) = latest {
        return (!mine, ColourRule::Alternated);
    }
    (wanted, ColourRule::HigherRanked)
}

/// Whether a seat that gets `colour` ends with a difference beyond two (C10).
pub(super) fn strains_difference(seat: &Seat, colour: Color) -> bool {
    let step = if colour == Color::White { 1 } else { -1 };
    (difference(&seat.games) + step).abs() > 2
}

/// Whether a seat that gets `colour` has it for the third time running (C11).
pub(super) fn third_in_a_row(seat: &Seat, colour: Color) -> bool {
    matches!(seat.games.as_slice(), [.., a, b] if *a == colour && *b == colour)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(games: &str) -> (Option<Color>, Strength) {
        let games: Vec<Color> =
            games.chars().map(|c| if c == 'W' { Color::White } else { Color::Black }).collect();
        let preference = Preference::of(&games);
        (preference.colour, preference.strength)
    }

    // C.04.3 art. 1.7
    #[test]
    fn preferences_follow_article_1_7() {
        let (white, black) = (Some(Color::White), Some(Color::Black));
        assert_eq!(of(""), (None, Strength::None));
        assert_eq!(of("W"), (black, Strength::Strong));
        assert_eq!(of("WB"), (white, Strength::Mild));
        assert_eq!(of("WW"), (black, Strength::Absolute));
        assert_eq!(of("BWB"), (white, Strength::Strong));
        assert_eq!(of("WBB"), (white, Strength::Absolute));
        assert_eq!(of("BBWW"), (black, Strength::Absolute));
        // A difference beyond one outweighs what the last two say.
        assert_eq!(of("WWWWBB"), (black, Strength::Absolute));
    }
}
