//! Matching with exact weights: general graphs by blossoms, two sides by assignment.

mod assignment;
mod blossom;
mod weight;

pub use assignment::first_best_assignment;
pub use blossom::Matcher;
pub use weight::{Weight, Wide};
