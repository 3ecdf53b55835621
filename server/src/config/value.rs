//! Values of settings: how they are written in the file, the environment and on the command line.

use serde::de::{Error as _, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

/// What stands for a value in the help.
pub(super) trait Written {
    const AS: &'static str;
}

macro_rules! written {
    ($($type:ty: $words:literal;)*) => {$(
        impl Written for $type {
            const AS: &'static str = $words;
        }
    )*};
}

written! {
    Count: "N";
    Streams: "N";
    Span: "TIME";
    Decision: "yes|no";
    Http: "ADDRESS:PORT|off";
    LogFormat: "text|json";
    SocketAddr: "ADDRESS:PORT";
    PathBuf: "PATH";
    String: "WORDS";
}

/// A value that goes into a field of type `T`.
pub(super) trait Value<T>: Sized {
    /// What the field becomes.
    fn put(self) -> T;
    /// The field as one would write it.
    fn show(field: &T) -> String;
}

/// A number of things: at least one, at most a thousand million.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Count(u32);

/// A number of streams: 2 (one of them for control) to 10,000, as quinn sets memory aside for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Streams(u32);

/// A length of time: a number and a unit, such as `250ms`, `15s`, `2m`, `1h`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span(Duration);

/// `yes` or `no`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decision(bool);

/// An address, or `off`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Http(Option<SocketAddr>);

/// How the log is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Text,
    /// A JSON object a line.
    Json,
}

impl FromStr for Count {
    type Err = String;

    fn from_str(text: &str) -> Result<Count, String> {
        bounded(text, 1, 1_000_000_000).map(Count)
    }
}

impl FromStr for Streams {
    type Err = String;

    fn from_str(text: &str) -> Result<Streams, String> {
        bounded(text, 2, 10_000).map(Streams)
    }
}

fn bounded(text: &str, min: u32, max: u32) -> Result<u32, String> {
    let number = text.parse().ok().filter(|number| (min..=max).contains(number));
    number.ok_or_else(|| format!("{text} is not a whole number from {min} to {max}"))
}

impl FromStr for Span {
    type Err = String;

    fn from_str(text: &str) -> Result<Span, String> {
        let unit_at = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let (number, unit) = text.split_at(unit_at);
        let unit_ms = match unit {
            "ms" => Some(1),
            "s" => Some(1_000),
            "m" => Some(60_000),
            "h" => Some(3_600_000),
            _ => None,
        };
        let span = number.parse::<u32>().ok().zip(unit_ms);
        span.map(|(number, ms)| Span(Duration::from_millis(u64::from(number) * ms)))
            .ok_or_else(|| format!("{text} is not a length of time: write one like 250ms, 15s, 2m or 1h"))
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ms = self.0.as_millis();
        for (unit, unit_ms) in [("h", 3_600_000), ("m", 60_000), ("s", 1_000)] {
            if ms > 0 && ms.is_multiple_of(unit_ms) {
                return write!(f, "{}{unit}", ms / unit_ms);
            }
        }
        write!(f, "{ms}ms")
    }
}

impl FromStr for Decision {
    type Err = String;

    fn from_str(text: &str) -> Result<Decision, String> {
        match text {
            "yes" => Ok(Decision(true)),
            "no" => Ok(Decision(false)),
            _ => Err(format!("{text} is neither yes nor no")),
        }
    }
}

impl FromStr for Http {
    type Err = String;

    fn from_str(text: &str) -> Result<Http, String> {
        if text == "off" {
            return Ok(Http(None));
        }
        let address = text.parse().map_err(|_| format!("{text} is neither ADDRESS:PORT nor off"))?;
        Ok(Http(Some(address)))
    }
}

impl FromStr for LogFormat {
    type Err = String;

    fn from_str(text: &str) -> Result<LogFormat, String> {
        match text {
            "text" => Ok(LogFormat::Text),
            "json" => Ok(LogFormat::Json),
            _ => Err(format!("{text} is neither text nor json")),
        }
    }
}

/// In the file a value stands as a text or as a number, in the same words as elsewhere.
fn read<'de, D: Deserializer<'de>, T: FromStr<Err = String>>(deserializer: D) -> Result<T, D::Error> {
    struct Words;
    impl Visitor<'_> for Words {
        type Value = String;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a number or a text")
        }

        fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<String, E> {
            Ok(text.to_owned())
        }

        fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<String, E> {
            Ok(number.to_string())
        }
    }
    deserializer.deserialize_any(Words)?.parse().map_err(D::Error::custom)
}

macro_rules! read_like_words {
    ($($type:ty),*) => {$(
        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                read(deserializer)
            }
        }
    )*};
}

read_like_words!(Count, Streams, Span, Decision, Http, LogFormat);

macro_rules! plain {
    ($($type:ty: $show:expr;)*) => {$(
        impl Value<$type> for $type {
            fn put(self) -> $type {
                self
            }

            fn show(field: &$type) -> String {
                let show: fn(&$type) -> String = $show;
                show(field)
            }
        }
    )*};
}

plain! {
    SocketAddr: |address| address.to_string();
    String: |text| text.clone();
    PathBuf: |path| path.display().to_string();
    LogFormat: |format| match format {
        LogFormat::Text => "text".to_owned(),
        LogFormat::Json => "json".to_owned(),
    };
}

impl Value<Option<PathBuf>> for PathBuf {
    fn put(self) -> Option<PathBuf> {
        Some(self)
    }

    fn show(field: &Option<PathBuf>) -> String {
        field.as_ref().map_or_else(|| "made at the first start".to_owned(), |path| path.display().to_string())
    }
}

impl Value<Option<bool>> for Decision {
    fn put(self) -> Option<bool> {
        Some(self.0)
    }

    fn show(_: &Option<bool>) -> String {
        "yes if nobody else can reach the address".to_owned()
    }
}

impl Value<Option<SocketAddr>> for Http {
    fn put(self) -> Option<SocketAddr> {
        self.0
    }

    fn show(field: &Option<SocketAddr>) -> String {
        field.map_or_else(|| "off".to_owned(), |address| address.to_string())
    }
}

impl Value<Duration> for Span {
    fn put(self) -> Duration {
        self.0
    }

    fn show(field: &Duration) -> String {
        Span(*field).to_string()
    }
}

/// Microseconds.
impl Value<u64> for Span {
    fn put(self) -> u64 {
        u64::try_from(self.0.as_micros()).unwrap_or(u64::MAX)
    }

    fn show(field: &u64) -> String {
        Span(Duration::from_micros(*field)).to_string()
    }
}

impl Value<u32> for Streams {
    fn put(self) -> u32 {
        self.0
    }

    fn show(field: &u32) -> String {
        field.to_string()
    }
}

impl Value<u32> for Count {
    fn put(self) -> u32 {
        self.0
    }

    fn show(field: &u32) -> String {
        field.to_string()
    }
}

impl Value<u64> for Count {
    fn put(self) -> u64 {
        self.0.into()
    }

    fn show(field: &u64) -> String {
        field.to_string()
    }
}

impl Value<usize> for Count {
    fn put(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }

    fn show(field: &usize) -> String {
        field.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_read_and_shown_in_the_same_words() {
        for text in ["0ms", "250ms", "15s", "90s", "2m", "36h"] {
            assert_eq!(text.parse::<Span>().unwrap().to_string(), text);
        }
        assert_eq!("60s".parse::<Span>().unwrap().to_string(), "1m");
        for bad in ["", "5", "s", "-1s", "1.5s", "1d", "99999999999s", "5 s"] {
            assert!(bad.parse::<Span>().is_err(), "{bad}");
        }
    }

    #[test]
    fn no_count_is_nothing_or_beyond_what_can_be_kept() {
        for bad in ["0", "-1", "1000000001", "", "1e3"] {
            assert!(bad.parse::<Count>().is_err(), "{bad}");
        }
        for bad in ["1", "10001"] {
            assert!(bad.parse::<Streams>().is_err(), "{bad}");
        }
    }
}
