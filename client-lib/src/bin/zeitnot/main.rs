//! The thin client for a terminal.

fn main() {}
