//! Zeitnot.
