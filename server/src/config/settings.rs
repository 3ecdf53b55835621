//! The one list of settings.

use super::Draft;
use super::value::{Count, Decision, Http, LogFormat, Span, Streams, Value, Written};
use clap::Args;
use serde::Deserialize;
use std::net::SocketAddr;
use std::path::PathBuf;

macro_rules! settings {
    ($($heading:literal {$(
        $(#[doc = $doc:literal])+
        $name:ident: $type:ty => $($field:ident).+;
    )+})+) => {
        /// What a file, the environment or flags may set.
        #[derive(Debug, Clone, Default, Args, Deserialize)]
        #[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
        pub struct Settings {$($(
            $(#[doc = $doc])+
            #[arg(long, value_name = <$type as Written>::AS, help_heading = $heading)]
            pub $name: Option<$type>,
        )+)+}

        impl Settings {
            /// Puts what is set here over `draft`.
            pub fn apply(self, draft: &mut Draft) {
                $($(if let Some(value) = self.$name {
                    draft.$($field).+ = value.put();
                })+)+
            }
        }

        /// The name of each setting, and its default as one would write it.
        pub fn documented() -> Vec<(&'static str, String)> {
            let draft = Draft::default();
            vec![$($((stringify!($name), <$type as Value<_>>::show(&draft.$($field).+)),)+)+]
        }
    };
}

settings! {
    "Where" {
        /// Directory of the journal, the games, the tokens and the keys
        data_dir: PathBuf => config.data;
        /// Address on which clients connect (UDP)
        listen: SocketAddr => config.listen;
        /// Address of /metrics, /healthz and /readyz, or `off`
        http: Http => config.http;
    }
    "Who and how" {
        /// Lets in anyone without a token: `yes` or `no`. Has to be said on an address that others can reach
        guests: Decision => guests;
        /// PEM file of a certificate and its chain
        certificate: PathBuf => config.certificate;
        /// PEM file of the certificate's private key
        certificate_key: PathBuf => config.certificate_key;
        /// How long going down in order may take
        drain: Span => config.drain;
        /// When clients are told to come back after the server went down
        retry_after: Span => config.retry_after;
        /// How the log is written: `text` or `json`
        log: LogFormat => config.log;
        /// What is logged: a level, or `tracing` directives such as `info,zeitnot_server=debug`
        log_level: String => config.log_level;
    }
    "Games from the lobby" {
        /// Time for coming and for the first move, after which the game is aborted; `0s` for ever
        first_move_timeout: Span => config.comforts.first_move_timeout_us;
        /// How long the opponent in a casual game is away before the game can be claimed
        absence_grace: Span => config.comforts.absence_grace_us;
        /// How long clocks stand after an outage while a player is not back
        interruption_grace: Span => config.comforts.interruption_grace_us;
    }
    "Limits (docs/limits.md)" {
        /// Connections at once; more are turned away before a handshake
        limit_connections: Count => config.limits.connections;
        /// Handshakes under way above which newcomers have to prove their address first
        limit_retry_above: Count => config.limits.retry_above;
        /// How long a new connection may take to say hello
        limit_hello_timeout: Span => config.limits.hello_timeout;
        /// Streams at once of a connection that has not said hello
        limit_streams_unknown: Streams => config.limits.streams_unknown;
        /// Streams at once of a player, the control stream included
        limit_streams_player: Streams => config.limits.streams_player;
        /// Streams at once of an organizer, an arbiter or an administrator
        limit_streams_staff: Streams => config.limits.streams_staff;
        /// Frames a second on one stream, on the average
        limit_frames_per_second: Count => config.limits.frames_per_second;
        /// Frames on one stream in a burst
        limit_frames_burst: Count => config.limits.frames_burst;
        /// Requests of one connection that are worked on at once
        limit_requests_at_once: Count => config.limits.requests_at_once;
        /// Commands that wait for one game
        limit_mailbox: Count => config.limits.mailbox;
        /// Frames that wait for one reader before it is sent a snapshot instead
        limit_outbox: Count => config.limits.outbox;
        /// How long a reader may block a write before its stream is reset
        limit_write_timeout: Span => config.limits.write_timeout;
        /// Games under way of one player
        limit_games_per_player: Count => config.limits.games_per_player;
        /// Games under way
        limit_games: Count => config.limits.games;
        /// Streams attached to one game
        limit_attachments_per_game: Count => config.limits.attachments_per_game;
        /// Seeks and challenges of one player that are open
        limit_offers_per_player: Count => config.limits.offers_per_player;
        /// Tournaments that are not over
        limit_tournaments: Count => config.limits.tournaments;
        /// Players of one tournament
        limit_tournament_players: Count => config.limits.tournament_players;
        /// Positions that a search for a mate may visit
        limit_mate_search_positions: Count => config.limits.mate_search_positions;
        /// Searches for a mate that run at once
        limit_mate_searches: Count => config.limits.mate_searches;
        /// How long a finished game stays in memory
        limit_linger: Span => config.limits.linger;
        /// How long a connection may be silent before it is given up
        limit_idle_timeout: Span => config.limits.idle_timeout;
        /// How often the server makes sure that a silent client is still there
        limit_keep_alive: Span => config.limits.keep_alive;
    }
}
