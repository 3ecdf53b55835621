//! What can go wrong, and whether to try again.

use std::fmt;
use zeitnot_proto::Refusal;
use zeitnot_proto::close::Code;
use zeitnot_proto::codec::{DecodeError, EncodeError};

/// Why something did not work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// The server's address cannot be used or does not resolve.
    Address(String),
    /// The pin or the file of authorities cannot be used.
    Trust(String),
    /// The server proved to be another one than was expected: its key or its name is not the one
    /// that is trusted.
    NotTrusted(String),
    /// No connection came about, or it broke.
    Connection(String),
    /// The server closed the connection, and named why.
    Closed(Code),
    /// The server ended this stream alone, and named why.
    Stream(Code),
    /// The server sent what the protocol does not allow.
    Protocol(String),
    /// The server refused what was asked for.
    Refused(Refusal),
    /// What was to be sent does not fit into a frame.
    TooLong {
        /// Bytes that would fit.
        max: usize,
    },
    /// The game is played on from another connection of the same identity.
    TakenOver,
    /// The connection broke before the answer to a request came: it may have been done or not.
    Unanswered,
    /// This end has left already.
    Left,
}

impl Error {
    /// Whether coming back would meet the same end, so that a client should stop trying.
    pub const fn is_final(&self) -> bool {
        match self {
            Error::Address(_) | Error::Connection(_) | Error::Unanswered => false,
            Error::Closed(code) => matches!(
                code,
                Code::TakenOver
                    | Code::Version
                    | Code::BadToken
                    | Code::NoGuests
                    | Code::Revoked
                    | Code::NoHello
                    | Code::FrameTooLong
                    | Code::Malformed
                    | Code::OutOfState
                    | Code::UnexpectedStream
            ),
            Error::Stream(code) => {
                !matches!(code, Code::Draining | Code::TooSlow | Code::RateLimited | Code::Internal)
            }
            _ => true,
        }
    }
}

/// What to tell the user about a code.
const fn advice(code: Code) -> &'static str {
    match code {
        Code::Done => "the server ended the conversation",
        Code::Draining => "the server is about to restart; come back in a moment",
        Code::TakenOver => "another connection of the same player took over",
        Code::NoHello => "the server missed this client's greeting",
        Code::Version => "client and server speak no common version; update the older one",
        Code::BadToken => "the server does not know this token, or it was revoked; ask its operator for one",
        Code::NoGuests => "this server lets no guests in; ask its operator for a token",
        Code::Revoked => "the token was revoked; ask the server's operator for another",
        Code::FrameTooLong | Code::Malformed | Code::OutOfState | Code::UnexpectedStream => {
            "the server found this client breaking the protocol; client and server may be of different versions"
        }
        Code::RateLimited => "too many requests; slow down and come back",
        Code::TooSlow => "this client read too slowly, and the server dropped it",
        Code::Full => "the server is full; try again later",
        Code::NoSuchGame => "there is no such game, or it may not be joined in this way",
        Code::Internal => "the server is at fault; its log says how",
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Address(text) => write!(f, "the server's address cannot be used: {text}"),
            Error::Trust(text) => f.write_str(text),
            Error::NotTrusted(text) => write!(
                f,
                "this is not the server that was expected ({text}); check --pin against the line that the server prints"
            ),
            Error::Connection(text) => write!(f, "no connection to the server: {text}"),
            Error::Closed(code) | Error::Stream(code) => f.write_str(advice(*code)),
            Error::Protocol(text) => write!(f, "the server broke the protocol: {text}"),
            Error::Refused(refusal) => f.write_str(refusal.advice()),
            Error::TooLong { max } => write!(f, "more than fits into {max} bytes"),
            Error::TakenOver => {
                f.write_str("the game is played on from another connection of the same player")
            }
            Error::Unanswered => f.write_str("the connection broke before the server's answer came"),
            Error::Left => f.write_str("already left"),
        }
    }
}

impl std::error::Error for Error {}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Error {
        Error::Refused(refusal)
    }
}

impl From<EncodeError> for Error {
    fn from(error: EncodeError) -> Error {
        Error::TooLong { max: error.max }
    }
}

impl From<DecodeError> for Error {
    fn from(error: DecodeError) -> Error {
        Error::Protocol(error.to_string())
    }
}

impl From<quinn::ConnectionError> for Error {
    fn from(error: quinn::ConnectionError) -> Error {
        use quinn::ConnectionError as E;
        match error {
            E::ApplicationClosed(close) => match Code::from_value(close.error_code.into_inner()) {
                Some(code) => Error::Closed(code),
                None => Error::Connection(format!(
                    "closed by the server with the unknown code {}",
                    close.error_code
                )),
            },
            E::ConnectionClosed(close) => {
                // TLS alert 120 (RFC 7301): none of the offered application protocols is spoken.
                if close.error_code == quinn::TransportErrorCode::crypto(120) {
                    Error::Closed(Code::Version)
                } else {
                    Error::Connection(format!("closed by the server: {close}"))
                }
            }
            E::TransportError(error) => {
                // Alerts of RFC 8446 that speak of the certificate: 42 to 49.
                let about_certificate =
                    (42..=49).any(|alert| error.code == quinn::TransportErrorCode::crypto(alert));
                if about_certificate {
                    Error::NotTrusted(error.reason)
                } else {
                    Error::Connection(error.to_string())
                }
            }
            E::Reset => Error::Connection("the server was restarted".into()),
            E::TimedOut => Error::Connection("no answer".into()),
            E::LocallyClosed => Error::Left,
            other => Error::Connection(other.to_string()),
        }
    }
}

impl From<quinn::ReadError> for Error {
    fn from(error: quinn::ReadError) -> Error {
        match error {
            quinn::ReadError::Reset(code) => stream_ended(code),
            quinn::ReadError::ConnectionLost(error) => error.into(),
            other => Error::Connection(other.to_string()),
        }
    }
}

impl From<quinn::WriteError> for Error {
    fn from(error: quinn::WriteError) -> Error {
        match error {
            quinn::WriteError::Stopped(code) => stream_ended(code),
            quinn::WriteError::ConnectionLost(error) => error.into(),
            other => Error::Connection(other.to_string()),
        }
    }
}

/// The error of a stream that the server reset or stopped with `code`.
fn stream_ended(code: quinn::VarInt) -> Error {
    match Code::from_value(code.into_inner()) {
        Some(Code::TakenOver) => Error::TakenOver,
        Some(code) => Error::Stream(code),
        None => Error::Connection(format!("the server ended a stream with the unknown code {code}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_comes_back_unless_it_would_be_turned_away_again() {
        for (code, stop) in
            [(Code::Draining, false), (Code::Full, false), (Code::BadToken, true), (Code::Revoked, true)]
        {
            assert_eq!(Error::Closed(code).is_final(), stop, "{code:?}");
        }
        assert!(!Error::Connection(String::new()).is_final());
        assert!(Error::NotTrusted(String::new()).is_final());
    }
}
