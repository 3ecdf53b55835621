//! The Laws of Chess as a deterministic state machine without I/O.

pub mod mating;
