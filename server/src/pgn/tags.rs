//! The tag pairs.

use super::{Ended, Sheet};
use std::fmt::Write;
use zeitnot_proto::time::SECOND_US;
use zeitnot_proto::time_control::Added;
use zeitnot_proto::{Reason, Stamp, TimeControl};

/// All tags, a line each: the seven that PGN asks for first.
pub(super) fn tags(sheet: &Sheet) -> String {
    let setup = &sheet.setup;
    let rules = &setup.terms.rules;
    let mut tags = Tags(String::new());
    let (date, time) = date_and_time(sheet.begun);
    let unnamed = if rules.casual { "Casual game" } else { "?" };
    tags.add("Event", if setup.event.is_empty() { unnamed } else { &setup.event });
    tags.add("Site", "?");
    tags.add("Date", &date);
    tags.add("Round", if setup.round.is_empty() { "-" } else { &setup.round });
    tags.add("White", &setup.players.white);
    tags.add("Black", &setup.players.black);
    tags.add("Result", sheet.result());
    tags.add("GameId", &setup.game.to_string());
    tags.add("UTCDate", &date);
    tags.add("UTCTime", &time);
    tags.add("TimeControl", &in_pgn(&setup.terms.time_control));
    if has_more(&setup.terms.time_control) {
        tags.add("FullTimeControl", &setup.terms.time_control.to_string());
    }
    tags.add("Termination", termination(sheet));
    if let Some(Ended::Result(outcome)) = &sheet.ended {
        tags.add("Reason", outcome.reason.name());
        if sheet.result() == "*" {
            tags.add("WhiteScore", &outcome.scores.white.to_string());
            tags.add("BlackScore", &outcome.scores.black.to_string());
        }
    }
    tags.add("Rules", rules.edition.name());
    tags.add("Speed", rules.speed.name());
    if let Some(fen) = &setup.terms.start.fen {
        tags.add("SetUp", "1");
        tags.add("FEN", fen);
    }
    tags.0
}

struct Tags(String);

impl Tags {
    fn add(&mut self, name: &str, value: &str) {
        // A tag is a line of printable characters.
        let value: String = value.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let value = value.replace('\\', "\\\\").replace('"', "\\\"");
        // Writing to a string does not fail.
        let _ = writeln!(self.0, "[{name} \"{value}\"]");
    }
}

/// The time control as PGN writes it (9.6 of its standard): `40/7200:1800+30`. A delay has no word there.
fn in_pgn(time_control: &TimeControl) -> String {
    if time_control.is_untimed() {
        return "-".to_owned();
    }
    let periods = time_control.periods().iter().map(|period| {
        let moves = period.moves.map(|moves| format!("{moves}/")).unwrap_or_default();
        let seconds = |us: u64| us.div_ceil(SECOND_US);
        match period.added {
            Added::Increment(us) => format!("{moves}{}+{}", seconds(period.base_us), seconds(us)),
            _ => format!("{moves}{}", seconds(period.base_us)),
        }
    });
    periods.collect::<Vec<_>>().join(":")
}

/// Whether [`in_pgn`] does not say everything.
fn has_more(time_control: &TimeControl) -> bool {
    in_pgn(time_control) != time_control.to_string()
}

/// How the game ended, in the words of the standard (9.8.1).
fn termination(sheet: &Sheet) -> &'static str {
    let outcome = match &sheet.ended {
        None => return "unterminated",
        Some(Ended::Annulled) => return "abandoned",
        Some(Ended::Result(outcome)) => outcome,
    };
    match outcome.reason {
        Reason::Time | Reason::TimeVsNoMate | Reason::BothFlags => "time forfeit",
        Reason::IllegalMoves
        | Reason::IllegalVsNoMate
        | Reason::Sanction
        | Reason::Refusal
        | Reason::BothLose => "rules infraction",
        Reason::Adjudication | Reason::QpfDraw | Reason::Named(_) => "adjudication",
        Reason::Forfeit | Reason::ForfeitBoth | Reason::Abandoned => "abandoned",
        _ => "normal",
    }
}

/// Date and time of day, UTC: `2026.11.29`, `21:34:05`.
pub(crate) fn date_and_time(at: Stamp) -> (String, String) {
    let seconds = at.0 / SECOND_US;
    let (year, month, day) = civil(seconds / 86_400);
    let time = seconds % 86_400;
    let date = format!("{year:04}.{month:02}.{day:02}");
    (date, format!("{:02}:{:02}:{:02}", time / 3600, time / 60 % 60, time % 60))
}

/// The Gregorian date so many days after 1970-01-01. Years are counted from March, so that the day
/// that leap years add is the last one.
fn civil(days: u64) -> (u64, u64, u64) {
    const DAYS_OF_400_YEARS: u64 = 146_097;
    // Days since the first of March of the year 0.
    let days = days + 719_468;
    let (era, day) = (days / DAYS_OF_400_YEARS, days % DAYS_OF_400_YEARS);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day_of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day_of_month = day_of_year - (153 * month + 2) / 5 + 1;
    let january_or_february = month >= 10;
    let month = if january_or_february { month - 9 } else { month + 3 };
    (era * 400 + year + u64::from(january_or_february), month, day_of_month)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_become_dates() {
        for (days, date) in [
            (0, (1970, 1, 1)),
            (58, (1970, 2, 28)),
            (59, (1970, 3, 1)),
            (11_016, (2000, 2, 29)),
            (11_017, (2000, 3, 1)),
            (20_786, (2026, 11, 29)),
            (47_540, (2100, 2, 28)),
            (47_541, (2100, 3, 1)),
        ] {
            assert_eq!(civil(days), date, "{days}");
        }
        let (date, time) = date_and_time(Stamp(20_786 * 86_400_000_000 + 77_645_999_999));
        assert_eq!((date.as_str(), time.as_str()), ("2026.11.29", "21:34:05"));
    }

    #[test]
    fn time_controls_in_the_words_of_pgn() {
        for (ours, pgn, more) in [
            ("-", "-", false),
            ("300+3", "300+3", false),
            ("40/5400+30:1800+30", "40/5400+30:1800+30", false),
            ("40/7200:20/3600*", "40/7200:20/3600", true),
            ("300d5", "300", true),
            ("300b5", "300", true),
        ] {
            let time_control = ours.parse().unwrap();
            assert_eq!((in_pgn(&time_control).as_str(), has_more(&time_control)), (pgn, more), "{ours}");
        }
    }

    #[test]
    fn a_tag_stays_a_line() {
        let mut tags = Tags(String::new());
        tags.add("Event", "the \"Cup\"\n\\o/");
        assert_eq!(tags.0, "[Event \"the \\\"Cup\\\" \\\\o/\"]\n");
    }
}
