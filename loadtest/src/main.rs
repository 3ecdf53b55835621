//! The load test.
/// Entry point.
fn main() {}
