//! The server: endpoint, connections, one actor per game, the journal, metrics, administration.
//!
//! | module | what it does |
//! |---|---|
//! | [`serve`] | puts a server together and takes it down again |
//! | [`endpoint`], [`arrival`] | the QUIC endpoint, who is let in, when datagrams came |
//! | [`connection`] | one connection: hello, then its streams |
//! | [`control`], [`lobby`] | the control stream; seeks, challenges, rematches |
//! | [`tournament`] | tournaments: one director each |
//! | [`game`] | one game: its actor, its streams, what it keeps |
//! | [`stream_io`], [`outbox`] | frames from a QUIC stream; the way out to one |
//! | [`hub`], [`state`] | the registries; what all tasks share |
//! | [`journal`], [`recovery`] | what is durable; from there back to games under way |
//! | [`pgn`] | games in portable notation |
//! | [`identity`], [`certificate`] | tokens, roles, guests; the certificate and its pin |
//! | [`config`], [`limits`], [`data_dir`] | settings, bounds, files |
//! | [`clock`] | the one time line: stamps |
//! | [`metrics`], [`http`] | what is counted, and where it is read |
//! | [`cli`] | the command line |
//! | [`hex`] | bytes in hexadecimal |

pub mod arrival;
pub mod certificate;
pub mod cli;
pub mod clock;
pub mod config;
pub mod connection;
pub mod control;
pub mod data_dir;
pub mod endpoint;
pub mod game;
pub mod hex;
pub mod http;
pub mod hub;
pub mod identity;
pub mod journal;
pub mod limits;
pub mod lobby;
pub mod metrics;
pub mod outbox;
pub mod pgn;
pub mod recovery;
pub mod serve;
pub mod state;
pub mod stream_io;
pub mod tournament;
