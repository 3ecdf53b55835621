//! What the end-to-end tests share: the real programs in processes of their own, and a client that may
//! say anything.
//!
//! | module | what it is for |
//! |---|---|
//! | [`programs`] | where the built programs are, and building them if they are missing or old |
//! | [`server`] | a server: start, metrics, kill, restart |
//! | [`python`] | programs in Python and their packages |
//! | [`raw`] | frames and bytes over QUIC, in order or not |
//! | [`games`] | two players at a board |
//! | [`club`] | an organizer, his tournament and its players |
//!
//! Everything here panics when something is not as a test needs it: a test fails by panicking.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

pub mod club;
pub mod games;
pub mod programs;
pub mod python;
pub mod raw;
pub mod server;

pub use server::Server;
