//! The Laws of Chess as a deterministic state machine without I/O.
//!
//! [`Game::decide`] says what a command would cause and changes nothing; [`Game::apply`] folds what was decided in
//! and judges nothing; [`Game::poll_timeout`] and [`Game::decide_timeout`] do the same for what time alone brings
//! about. Time comes in as an argument, so live games, replay, `adjudicate` and the tests all take this one path.
//!
//! | module | what it rules on |
//! |---|---|
//! | [`rulebook`] | the editions as data: one field for each difference |
//! | [`options`] | a game's own settings over it |
//! | `articles` | the numbers of the articles in each edition |
//! | [`game`] | the state, how a game opens |
//! | [`judge`] | commands in, decisions out |
//! | `apply` | the fold of events |
//! | `play`, `board_conduct`, `touch`, `illegal` | moves, on a screen and on a board |
//! | `claim`, `offer`, `quickplay` | draws |
//! | `clock`, `flags`, `timeouts` | time |
//! | `arbiter`, `attendance`, `adjournment`, `casual` | everything around the game |
//! | [`mating`] | whether a side can still mate |
//! | `view` | snapshot, clock reading, legal moves |
//! | [`scenario`] | executable cases in TOML |
//!
//! Citations have one form, above the code and above the tests: `// Law EDITION ARTICLE, ...: what it says`.

// A ruling answers its sender in one form, also where it cannot refuse.
#![allow(clippy::unnecessary_wraps)]

mod adjournment;
mod apply;
mod arbiter;
mod articles;
mod attendance;
mod board_conduct;
mod casual;
mod certificate;
mod claim;
mod clock;
mod flags;
pub mod game;
mod history;
mod illegal;
pub mod judge;
pub mod mating;
mod offer;
pub mod options;
mod play;
mod position;
mod quickplay;
pub mod rulebook;
pub mod scenario;
mod timeouts;
mod touch;
mod view;

pub use game::Game;
pub use judge::{Arrival, Decision, MateQuestion};
pub use rulebook::Rulebook;
