//! The server: endpoint, connections, one actor per game, the journal, metrics, administration.
//!
//! | module | what it does |
//! |---|---|
//! | [`clock`] | the one time line: stamps |
//! | [`data_dir`] | the data directory: its files, its keys, its lock |
//! | [`hex`] | bytes in hexadecimal |
//! | [`journal`] | what is durable: append, load, list; SQLite behind it |
//! | [`limits`] | every bound of the running server |
//! | [`identity`] | tokens, roles, guests |
//! | [`config`] | file, environment, flags |
//! | [`certificate`] | the certificate and its pin |
//! | [`pgn`] | games in portable notation |

pub mod certificate;
pub mod clock;
pub mod config;
pub mod data_dir;
pub mod hex;
pub mod identity;
pub mod journal;
pub mod limits;
pub mod pgn;
