//! Pairing systems, standings, tie-breaks and tournament report files. Pure: no files, no clock, no network, no
//! randomness but from a seed.
//!
//! | module | what it answers |
//! |---|---|
//! | [`tournament`], [`round`], [`points`] | what a tournament is |
//! | [`entry_list`], [`results`] | the initial order, late entries; entering pairings and results |
//! | [`dutch`] | the next round of a Swiss, FIDE (Dutch) of 2026, with reasons |
//! | [`baku`] | fictitious points of accelerated rounds |
//! | [`round_robin`] | Berger tables |
//! | [`knockout`], [`arena`], [`simul`] | brackets with play-offs; pairing whoever is free; one against many |
//! | [`matching`] | maximum-weight matching with exact weights of any width |
//! | [`standings`], [`tiebreak`] | who stands where, and why (C.07 of 2026) |
//! | [`trf`] | report files, TRF-2026 and TRF(bx) |
//! | [`sheet`], [`explain`] | tables for people; pairings and tie-breaks in words |
//! | [`audit`] | absolute criteria of a round; every round of a file paired again |
//! | [`command`], [`system`] | the commands `pair` and `standings`, text in, text out |
//! | [`simulate`] | random tournaments from a seed |
//!
//! ```
//! use zeitnot_pairing::{dutch, trf::Report};
//!
//! let file = "012 Club evening\n142 3\n152 W\n001    1      Ada\n001    2      Bo\n001    3      Cy\n";
//! let report = Report::read(file)?;
//! let pairing = dutch::pair(&report.tournament)?;
//! assert_eq!((pairing.boards[0].white, pairing.boards[0].black), (1, 2));
//! assert_eq!(pairing.bye, Some(3));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod arena;
pub mod audit;
pub mod baku;
pub mod command;
pub mod dutch;
pub mod entry_list;
pub mod explain;
pub mod knockout;
pub mod matching;
pub mod points;
pub mod results;
pub mod round;
pub mod round_robin;
pub mod sheet;
pub mod simul;
pub mod simulate;
pub mod standings;
pub mod system;
pub mod tiebreak;
pub mod tournament;
pub mod trf;
