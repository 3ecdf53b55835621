//! The async client of Zeitnot, a chess server over QUIC.
//!
//! The server is the arbiter; a client shows and asks. This crate knows no rules of chess: it
//! connects, carries requests and commands, follows games event by event, survives a lost connection
//! or a restarted server, and shows clocks that agree with the server's verdicts.
//!
//! | module | what it is for |
//! |---|---|
//! | [`trust`] | how the server proves who it is: a pinned key or an authority |
//! | [`connection`] | one connection: hello, requests with ids, notices |
//! | [`stream`] | one game's stream on one connection, frame by frame |
//! | [`reconnect`] | [`Client`]: a connection that comes back by itself |
//! | [`game`] | [`Game`]: a game that is followed across connections |
//! | [`tournament`] | tournaments, one call for each request |
//! | [`view`] | a game as it stands, kept up to date by its events |
//! | [`clock`] | what a clock shows between two readings of the server's |
//! | [`board`] | where the men stand, from a FEN and moves |
//! | [`error`] | what can go wrong, and whether to try again |
//!
//! Most programs want [`Client`] and [`Game`]; a load generator may prefer the bare
//! [`connection::Connection`] and [`stream`], which keep nothing and repair nothing.

pub mod board;
pub mod clock;
pub mod connection;
pub mod error;
mod frames;
pub mod game;
pub mod reconnect;
pub mod stream;
pub mod tournament;
pub mod trust;
pub mod view;

pub use connection::{Connection, Connector, Notices};
pub use error::Error;
pub use game::{Game, Update, Updates};
pub use reconnect::{Client, Options};
pub use tournament::Tournaments;
pub use trust::{Pin, Trust};
pub use view::GameView;
pub use zeitnot_proto as proto;

/// The examples of the README compile.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
