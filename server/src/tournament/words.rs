//! Instants in the words of report files, and what may stand in them.

use crate::pgn::date_and_time;
use zeitnot_proto::Stamp;

/// `2026/02/14`.
pub fn day(at: Stamp) -> String {
    date_and_time(at).0.replace('.', "/")
}

/// `26/02/14`.
pub fn short_day(at: Stamp) -> String {
    day(at).get(2..).unwrap_or_default().to_owned()
}

/// `2026-02-14 19:30:00 UTC`.
pub fn instant(at: Stamp) -> String {
    let (date, time) = date_and_time(at);
    format!("{} {time} UTC", date.replace('.', "-"))
}

/// Whether a text is one line that neither a report file nor a terminal takes for something else.
pub fn is_plain(text: &str) -> bool {
    !text.chars().any(char::is_control)
}
