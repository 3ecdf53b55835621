//! The codes of C.07 (in force from 1 March 2026) and their modifiers.

use std::fmt::{self, Write as _};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Kind {
    /// PTS: the score itself.
    Points,
    /// DE (art. 6): the games among the tied.
    DirectEncounter,
    /// WIN (7.1): rounds worth a win, played or not.
    Wins,
    /// WON (7.2): games won over the board.
    GamesWon,
    /// BPG (7.3): games played with Black.
    BlackGames,
    /// BWG (7.4): games won with Black.
    BlackWins,
    /// PS (7.5): the sum of the scores after each round.
    Progressive,
    /// REP (7.6): rounds one elected to play.
    RoundsElected,
    /// STD (7.7): the score in ones and halves, whatever the tournament's points.
    StandardPoints,
    /// TPN (7.8): the pairing number.
    PairingNumber,
    /// BH (8.1): the opponents' adjusted scores.
    Buchholz,
    /// AOB (8.2): the mean Buchholz of the opponents met.
    AverageBuchholz,
    /// FB (8.3): Buchholz with the last round drawn.
    ForeBuchholz,
    /// SB (9.1): opponents' scores times results.
    SonnebornBerger,
    /// KS (9.2): points against those with at least half the possible points.
    Koya,
    /// ARO (10.1): the mean rating of the opponents.
    AverageRating,
    /// TPR (10.2): the performance rating.
    Performance,
    /// PTP (10.3): the least rating that would have been expected to score as much.
    PerfectPerformance,
    /// APRO (10.4): the mean performance of the opponents.
    AveragePerformance,
    /// APPO (10.5): the mean perfect performance of the opponents.
    AveragePerfect,
    /// RTNG (10.6): the rating.
    Rating,
}

const CODES: [(&str, Kind); 21] = [
    ("PTS", Kind::Points),
    ("DE", Kind::DirectEncounter),
    ("WIN", Kind::Wins),
    ("WON", Kind::GamesWon),
    ("BPG", Kind::BlackGames),
    ("BWG", Kind::BlackWins),
    ("PS", Kind::Progressive),
    ("REP", Kind::RoundsElected),
    ("STD", Kind::StandardPoints),
    ("TPN", Kind::PairingNumber),
    ("BH", Kind::Buchholz),
    ("AOB", Kind::AverageBuchholz),
    ("FB", Kind::ForeBuchholz),
    ("SB", Kind::SonnebornBerger),
    ("KS", Kind::Koya),
    ("ARO", Kind::AverageRating),
    ("TPR", Kind::Performance),
    ("PTP", Kind::PerfectPerformance),
    ("APRO", Kind::AveragePerformance),
    ("APPO", Kind::AveragePerfect),
    ("RTNG", Kind::Rating),
];

/// One criterion of the published list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Criterion {
    /// What is counted.
    pub kind: Kind,
    /// How many of the least contributions are cut (`/C1`, `/C2`; `/M1`, `/M2` cut as many of the greatest).
    pub cut_low: usize,
    /// How many of the greatest.
    pub cut_high: usize,
    /// `/R`: the other way round.
    pub reversed: bool,
    /// `/P`: forfeited games count as played.
    pub forfeits_as_played: bool,
    /// `/Lnn`: the limit of Koya in per cent, instead of 50.
    pub limit_percent: Option<u8>,
    /// `/Unnnn`: the rating of the unrated.
    pub unrated: Option<u16>,
}

impl From<Kind> for Criterion {
    fn from(kind: Kind) -> Self {
        Self {
            kind,
            cut_low: 0,
            cut_high: 0,
            reversed: false,
            forfeits_as_played: false,
            limit_percent: None,
            unrated: None,
        }
    }
}

impl Criterion {
    /// Whether smaller values come first.
    pub fn ascending(self) -> bool {
        (self.kind == Kind::PairingNumber) != self.reversed
    }

    /// Whether it needs everyone's rating.
    pub fn uses_ratings(self) -> bool {
        matches!(
            self.kind,
            Kind::AverageRating
                | Kind::Performance
                | Kind::PerfectPerformance
                | Kind::AveragePerformance
                | Kind::AveragePerfect
                | Kind::Rating
        )
    }

    /// Whether the regulations bar it from round robins (note to art. 8).
    pub fn is_buchholz(self) -> bool {
        matches!(self.kind, Kind::Buchholz | Kind::AverageBuchholz | Kind::ForeBuchholz)
    }

    /// The criterion in words.
    pub fn describe(self) -> &'static str {
        match self.kind {
            Kind::Points => "points",
            Kind::DirectEncounter => "direct encounter",
            Kind::Wins => "wins, played or not",
            Kind::GamesWon => "games won over the board",
            Kind::BlackGames => "games with Black",
            Kind::BlackWins => "wins with Black",
            Kind::Progressive => "progressive score",
            Kind::RoundsElected => "rounds elected to play",
            Kind::StandardPoints => "standard points",
            Kind::PairingNumber => "pairing number",
            Kind::Buchholz => "Buchholz",
            Kind::AverageBuchholz => "average of opponents' Buchholz",
            Kind::ForeBuchholz => "fore Buchholz",
            Kind::SonnebornBerger => "Sonneborn-Berger",
            Kind::Koya => "Koya",
            Kind::AverageRating => "average rating of opponents",
            Kind::Performance => "tournament performance rating",
            Kind::PerfectPerformance => "perfect tournament performance",
            Kind::AveragePerformance => "average performance of opponents",
            Kind::AveragePerfect => "average perfect performance of opponents",
            Kind::Rating => "rating",
        }
    }
}

/// A code that is not in C.07, or a modifier that the criterion does not take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownCriterion(pub String);

impl fmt::Display for UnknownCriterion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "'{}' is not a tie-break code of C.07", self.0)
    }
}

impl std::error::Error for UnknownCriterion {}

impl FromStr for Criterion {
    type Err = UnknownCriterion;

    fn from_str(text: &str) -> Result<Self, UnknownCriterion> {
        let unknown = || UnknownCriterion(text.to_owned());
        let mut parts = text.trim().split('/');
        let name = parts.next().unwrap_or_default().to_ascii_uppercase();
        let kind = CODES.iter().find(|(code, _)| *code == name).map(|&(_, kind)| kind).ok_or_else(unknown)?;
        let mut criterion = Self::from(kind);
        let cuts = matches!(
            kind,
            Kind::Buchholz
                | Kind::ForeBuchholz
                | Kind::SonnebornBerger
                | Kind::Progressive
                | Kind::AverageRating
        );
        for part in parts {
            let part = part.to_ascii_uppercase();
            match part.split_at_checked(1).ok_or_else(unknown)? {
                ("C", count @ ("1" | "2")) if cuts => criterion.cut_low = usize::from(count == "2") + 1,
                ("M", count @ ("1" | "2")) if cuts && kind != Kind::Progressive => {
                    criterion.cut_low = usize::from(count == "2") + 1;
                    criterion.cut_high = criterion.cut_low;
                }
                ("R", "") if matches!(kind, Kind::PairingNumber | Kind::Rating) => criterion.reversed = true,
                ("P", "") => criterion.forfeits_as_played = true,
                ("L", percent) if kind == Kind::Koya => {
                    let percent: u8 = percent.parse().map_err(|_| unknown())?;
                    criterion.limit_percent = Some(percent).filter(|&p| p <= 100);
                    criterion.limit_percent.ok_or_else(unknown)?;
                }
                ("U", rating) if criterion.uses_ratings() => {
                    criterion.unrated = Some(rating.parse().map_err(|_| unknown())?);
                }
                _ => return Err(unknown()),
            }
        }
        Ok(criterion)
    }
}

impl fmt::Display for Criterion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = CODES.iter().find(|(_, kind)| *kind == self.kind).map_or("", |&(code, _)| code);
        let mut text = name.to_owned();
        if self.cut_high > 0 {
            let _ = write!(text, "/M{}", self.cut_high);
        } else if self.cut_low > 0 {
            let _ = write!(text, "/C{}", self.cut_low);
        }
        if let Some(percent) = self.limit_percent {
            let _ = write!(text, "/L{percent}");
        }
        if self.forfeits_as_played {
            text += "/P";
        }
        if let Some(rating) = self.unrated {
            let _ = write!(text, "/U{rating}");
        }
        if self.reversed {
            text += "/R";
        }
        f.pad(&text)
    }
}

/// Reads a list such as `BH/C1,BH,SB,DE`; a leading `PTS` may stand or not.
///
/// # Errors
/// The first code that is not known.
pub fn parse_list(text: &str) -> Result<Vec<Criterion>, UnknownCriterion> {
    text.split([',', ' '])
        .map(str::trim)
        .filter(|code| !code.is_empty() && !code.eq_ignore_ascii_case("PTS"))
        .map(Criterion::from_str)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_read_and_written() {
        for text in [
            "BH",
            "BH/C1",
            "BH/M2",
            "SB/C1",
            "PS/C1",
            "KS/L60",
            "TPN/R",
            "RTNG",
            "ARO/C1",
            "DE/P",
            "ARO/U1400",
        ] {
            assert_eq!(Criterion::from_str(text).map(|c| c.to_string()).as_deref(), Ok(text));
        }
        for text in ["", "XX", "BH/C3", "BH/Q", "WIN/C1", "KS/L101", "PS/M1", "BH/"] {
            assert!(Criterion::from_str(text).is_err(), "{text}");
        }
        let list = parse_list("PTS, BH/C1,SB").map(|list| list.len());
        assert_eq!(list, Ok(2));
    }
}
