//! Every bound of the protocol. A peer that goes beyond one gets an error or a close code; nothing
//! is allocated in proportion to what it claims.

/// Most bytes of one frame from a client, its length prefix not counted.
pub const CLIENT_FRAME_MAX: usize = 16 * 1024;
/// Most bytes of one frame from the server, its length prefix not counted.
pub const SERVER_FRAME_MAX: usize = 256 * 1024;
/// Most bytes of a QUIC varint (RFC 9000, section 16).
pub const VARINT_MAX: usize = 8;

/// Bytes of a player's name.
pub const NAME_MAX: usize = 32;
/// Bytes of a token in text.
pub const TOKEN_MAX: usize = 128;
/// Bytes of a FEN.
pub const FEN_MAX: usize = 100;
/// Bytes of an article's number.
pub const ARTICLE_MAX: usize = 16;
/// Bytes of a reason that a person gives.
pub const REASON_MAX: usize = 200;
/// Bytes of an option's name or of a word that is its value.
pub const WORD_MAX: usize = 40;
/// Bytes of a PGN that travels in one reply.
pub const PGN_MAX: usize = 192 * 1024;
/// Bytes of a move in SAN.
pub const SAN_MAX: usize = 10;

/// Periods of a time control.
pub const PERIODS_MAX: usize = 8;
/// Options of a game.
pub const OPTIONS_MAX: usize = 64;
/// Half-moves that a game may start with.
pub const START_MOVES_MAX: usize = 1024;
/// Half-moves of a game: the longest that the server keeps.
pub const PLIES_MAX: usize = 12_000;
/// Events in one frame.
pub const EVENTS_MAX: usize = 256;
/// Entries of one page of a list.
pub const PAGE_MAX: usize = 100;
/// Legal moves of a position: no position is known to have more than 218.
pub const LEGAL_MOVES_MAX: usize = 256;
/// Half-moves of a certificate's line: as long as a game that the server keeps. A line is always whole.
pub const LINE_MAX: usize = PLIES_MAX;

/// Players of a tournament.
pub const ENTRANTS_MAX: usize = 4096;
/// Rounds of a tournament.
pub const ROUNDS_MAX: usize = 128;
/// Tie-breaks of a tournament.
pub const TIE_BREAKS_MAX: usize = 16;
/// Bytes of a code: of a tie-break, of a federation, of a person's number.
pub const CODE_MAX: usize = 16;
/// Bytes of a FIDE title.
pub const TITLE_MAX: usize = 3;
