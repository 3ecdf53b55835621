//! Application error codes of QUIC (RFC 9000, section 20.2): why a connection was closed or a
//! stream was reset. A code, once published, keeps its meaning.

/// Why a connection or a stream ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Code {
    /// The peer was done: no error.
    Done = 0,
    /// The server is going down; come back when its notice said.
    Draining = 1,
    /// Another connection of the same identity took this game over.
    TakenOver = 2,
    /// The first frame of the control stream was not `Hello`, or none came in time.
    NoHello = 16,
    /// The two speak no common version of the protocol.
    Version = 17,
    /// The token is unknown or was revoked.
    BadToken = 18,
    /// Guests are not let in here.
    NoGuests = 19,
    /// The token was revoked while the connection was open.
    Revoked = 20,
    /// A frame was longer than its bound.
    FrameTooLong = 32,
    /// A frame did not decode, or not to the same bytes.
    Malformed = 33,
    /// A frame that is not allowed in this state of its stream.
    OutOfState = 34,
    /// A stream of a kind that the protocol does not use.
    UnexpectedStream = 35,
    /// The peer sent more than its share.
    RateLimited = 36,
    /// The reader was too slow, and what waited for it was dropped.
    TooSlow = 37,
    /// The server has no room for another connection.
    Full = 38,
    /// A game that does not exist, or that this identity may not attach to in this way.
    NoSuchGame = 48,
    /// The server is at fault; the log says how.
    Internal = 63,
}

impl Code {
    /// All codes.
    pub const ALL: [Code; 17] = [
        Code::Done,
        Code::Draining,
        Code::TakenOver,
        Code::NoHello,
        Code::Version,
        Code::BadToken,
        Code::NoGuests,
        Code::Revoked,
        Code::FrameTooLong,
        Code::Malformed,
        Code::OutOfState,
        Code::UnexpectedStream,
        Code::RateLimited,
        Code::TooSlow,
        Code::Full,
        Code::NoSuchGame,
        Code::Internal,
    ];

    /// The code on the wire.
    pub const fn value(self) -> u32 {
        self as u32
    }

    /// The code of this number.
    pub fn from_value(value: u64) -> Option<Code> {
        Code::ALL.into_iter().find(|code| u64::from(code.value()) == value)
    }

    /// The name that metrics and logs use.
    pub const fn name(self) -> &'static str {
        match self {
            Code::Done => "done",
            Code::Draining => "draining",
            Code::TakenOver => "taken_over",
            Code::NoHello => "no_hello",
            Code::Version => "version",
            Code::BadToken => "bad_token",
            Code::NoGuests => "no_guests",
            Code::Revoked => "revoked",
            Code::FrameTooLong => "frame_too_long",
            Code::Malformed => "malformed",
            Code::OutOfState => "out_of_state",
            Code::UnexpectedStream => "unexpected_stream",
            Code::RateLimited => "rate_limited",
            Code::TooSlow => "too_slow",
            Code::Full => "full",
            Code::NoSuchGame => "no_such_game",
            Code::Internal => "internal",
        }
    }
}
