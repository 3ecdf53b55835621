//! One game: its actor, its streams, what it keeps.
//!
//! | module | what it does |
//! |---|---|
//! | [`actor`] | one game, one task, one owner: what wakes it, in which order it works |
//! | `judge` | commands and deadlines: decided, made durable, then shown |
//! | `readers` | who reads the game, and what they see |
//! | `outage` | the store takes nothing, the server goes down: the clocks stand |
//! | `ending` | what a game leaves behind; searches for a mate |
//! | [`past`] | its records, folded and kept |
//! | [`stream`] | the stream of one reader: stamps, frames in, frames out |
//! | [`attachment`] | the actor's end of a stream |
//! | [`delayed`] | what spectators see later |
//! | [`command_ids`], [`waiting`] | what was done already; what awaits an arbiter |

pub mod actor;
pub mod attachment;
pub mod command_ids;
pub mod delayed;
mod ending;
mod judge;
mod outage;
pub mod past;
mod readers;
pub mod stream;
pub mod waiting;
