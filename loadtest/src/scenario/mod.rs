//! The scenarios, each a file.

pub mod blitz;
pub mod flags;
pub mod hall;
pub mod idle;
pub mod reconnect;
pub mod simul;
pub mod soak;
pub mod spectators;
pub mod storm;
