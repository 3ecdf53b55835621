//! Every bound of the running server. Each has a refusal or a close code of its own and a line in
//! `docs/limits.md`; bounds of the protocol itself are in `zeitnot_proto::limits`.

use std::time::Duration;
use zeitnot_laws::mating::Budget;

/// What a server allows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Connections at once; more are turned away before a handshake.
    pub connections: usize,
    /// Handshakes under way above which newcomers have to prove their address first (RFC 9000, 8.1.2).
    pub retry_above: usize,
    /// How long a new connection may take to say hello.
    pub hello_timeout: Duration,
    /// Streams at once of a connection that has not said hello.
    pub streams_unknown: u32,
    /// Streams at once of a player: one of them is the control stream.
    pub streams_player: u32,
    /// Streams at once of an organizer, an arbiter or an administrator.
    pub streams_staff: u32,
    /// Frames a second on one stream, on the average.
    pub frames_per_second: u32,
    /// Frames on one stream in a burst.
    pub frames_burst: u32,
    /// Requests of one connection that are worked on at once.
    pub requests_at_once: usize,
    /// Commands that wait for one game.
    pub mailbox: usize,
    /// Frames that wait for one reader before it is sent a snapshot instead.
    pub outbox: usize,
    /// How long a reader may block a write before its stream is reset.
    pub write_timeout: Duration,
    /// Games under way of one player.
    pub games_per_player: usize,
    /// Games under way.
    pub games: usize,
    /// Streams attached to one game.
    pub attachments_per_game: usize,
    /// Seeks and challenges of one player that are open.
    pub offers_per_player: usize,
    /// Tournaments that are not over.
    pub tournaments: usize,
    /// Players of one tournament.
    pub tournament_players: usize,
    /// Positions that a search for a mate may visit.
    pub mate_search_positions: u64,
    /// Searches for a mate that run at once.
    pub mate_searches: usize,
    /// How long a finished game stays in memory.
    pub linger: Duration,
    /// How long a connection may be silent before it is given up.
    pub idle_timeout: Duration,
    /// How often the server makes sure that a silent client is still there.
    pub keep_alive: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            connections: 50_000,
            retry_above: 500,
            hello_timeout: Duration::from_secs(5),
            streams_unknown: 8,
            streams_player: 256,
            streams_staff: 2_048,
            frames_per_second: 50,
            frames_burst: 500,
            requests_at_once: 64,
            mailbox: 64,
            outbox: 64,
            write_timeout: Duration::from_secs(10),
            games_per_player: 1_024,
            games: 50_000,
            attachments_per_game: 10_000,
            offers_per_player: 128,
            tournaments: 1_000,
            tournament_players: 4_096,
            mate_search_positions: Budget::RULING.positions,
            mate_searches: 1,
            linger: Duration::from_mins(1),
            idle_timeout: Duration::from_secs(15),
            keep_alive: Duration::from_secs(5),
        }
    }
}
