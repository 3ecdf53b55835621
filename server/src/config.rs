//! Configuration: defaults, then a file, then the environment, then flags; the later ones win.
//!
//! There is one list of settings, [`Settings`]. A setting `data-dir` is the key `data-dir`
//! of the file, the variable `ZEITNOT_DATA_DIR` and the flag `--data-dir`.

mod settings;
mod value;

pub use settings::{Settings, documented};
pub use value::{Count, Decision, Http, LogFormat, Span, Streams};

use crate::limits::Limits;
use std::fmt;
use std::fs;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How a server runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// Where it keeps everything.
    pub data: PathBuf,
    /// Where clients connect, over UDP.
    pub listen: SocketAddr,
    /// Where it answers over HTTP to those who run it; none if nowhere.
    pub http: Option<SocketAddr>,
    /// Whether guests are let in.
    pub guests: bool,
    /// PEM file of the certificate and its chain; none for the one in the data directory.
    pub certificate: Option<PathBuf>,
    /// PEM file of the certificate's private key.
    pub certificate_key: Option<PathBuf>,
    /// How long going down in order may take.
    pub drain: Duration,
    /// When clients are told to come back after it went down.
    pub retry_after: Duration,
    /// How the log is written.
    pub log: LogFormat,
    /// What is logged, as `tracing` directives.
    pub log_level: String,
    /// What happens to a lobby game by itself.
    pub comforts: Comforts,
    /// What is allowed.
    pub limits: Limits,
}

/// The comforts of games that players make up themselves in the lobby.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Comforts {
    /// How long a player may take to come and to make the first move before the game is aborted, in
    /// microseconds; 0 for ever.
    pub first_move_timeout_us: u64,
    /// How long the opponent of a casual game may be away before the game can be claimed, in microseconds.
    pub absence_grace_us: u64,
    /// How long clocks stand after an outage while a player is not back, in microseconds.
    pub interruption_grace_us: u64,
}

impl Default for Comforts {
    fn default() -> Comforts {
        let minute_us = 60_000_000;
        Comforts {
            first_move_timeout_us: minute_us,
            absence_grace_us: minute_us,
            interruption_grace_us: minute_us,
        }
    }
}

impl Default for Config {
    fn default() -> Config {
        let loopback = IpAddr::V4(Ipv4Addr::LOCALHOST);
        Config {
            data: "zeitnot-data".into(),
            listen: SocketAddr::new(loopback, 4433),
            http: Some(SocketAddr::new(loopback, 9464)),
            guests: true,
            certificate: None,
            certificate_key: None,
            drain: Duration::from_secs(10),
            retry_after: Duration::from_secs(5),
            log: LogFormat::Text,
            log_level: "info".to_owned(),
            comforts: Comforts::default(),
            limits: Limits::default(),
        }
    }
}

/// A configuration on its way from defaults to flags.
#[derive(Debug, Clone, Default)]
pub struct Draft {
    /// As far as it has come.
    pub config: Config,
    /// What was decided about guests, if anything was.
    pub guests: Option<bool>,
}

/// Why there is no configuration.
#[derive(Debug)]
pub enum ConfigError {
    /// The file cannot be read.
    Io(PathBuf, io::Error),
    /// The file says something that is not understood; the reason shows the line.
    File(PathBuf, toml::de::Error),
    /// An address that others can reach, and nothing said about guests.
    GuestsUndecided(SocketAddr),
    /// A certificate without its key, or a key without its certificate.
    HalfACertificate,
    /// A connection would be given up before it is asked whether it is alive.
    IdleBeforeKeepAlive,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConfigError::Io(path, error) => write!(f, "configuration {}: {error}", path.display()),
            ConfigError::File(path, error) => {
                write!(f, "configuration {}: {}", path.display(), error.to_string().trim_end())
            }
            ConfigError::GuestsUndecided(address) => write!(
                f,
                "{address} can be reached by others: decide whether anyone may come in without a token. \
                 Say --guests yes to let guests in, or --guests no to let in only those to whom \
                 `zeitnot-server token create NAME` gave a token (in the file: guests = \"yes\" or \"no\")"
            ),
            ConfigError::HalfACertificate => {
                f.write_str("--certificate and --certificate-key go together: give both, or neither")
            }
            ConfigError::IdleBeforeKeepAlive => f.write_str(
                "--limit-idle-timeout has to be more than twice --limit-keep-alive, or players are cut \
                 off while they think",
            ),
        }
    }
}

impl std::error::Error for ConfigError {}

impl Config {
    /// Reads the file, if there is one, and puts `given` (environment and flags) over it.
    pub fn load(file: Option<&Path>, given: Settings) -> Result<Config, ConfigError> {
        let mut draft = Draft::default();
        if let Some(path) = file {
            read(path)?.apply(&mut draft);
        }
        given.apply(&mut draft);
        draft.finish()
    }
}

/// The data directory, for commands that need no other setting.
pub fn data_dir(file: Option<&Path>, given: Option<PathBuf>) -> Result<PathBuf, ConfigError> {
    let of_file = file.map(read).transpose()?.and_then(|settings| settings.data_dir);
    Ok(given.or(of_file).unwrap_or_else(|| Config::default().data))
}

/// The settings of a file.
fn read(path: &Path) -> Result<Settings, ConfigError> {
    let text = fs::read_to_string(path).map_err(|error| ConfigError::Io(path.into(), error))?;
    toml::from_str(&text).map_err(|error| ConfigError::File(path.into(), error))
}

impl Draft {
    /// The configuration, if it makes sense.
    fn finish(self) -> Result<Config, ConfigError> {
        let Draft { mut config, guests } = self;
        let private = config.listen.ip().is_loopback();
        config.guests = match guests {
            Some(decided) => decided,
            None if private => true,
            None => return Err(ConfigError::GuestsUndecided(config.listen)),
        };
        if config.certificate.is_some() != config.certificate_key.is_some() {
            return Err(ConfigError::HalfACertificate);
        }
        if config.limits.idle_timeout <= config.limits.keep_alive * 2 {
            return Err(ConfigError::IdleBeforeKeepAlive);
        }
        Ok(config)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(file: &str, given: Settings) -> Result<Config, ConfigError> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("zeitnot.toml");
        fs::write(&path, file).unwrap();
        Config::load(Some(&path), given)
    }

    #[test]
    fn the_default_is_a_private_server_with_guests() {
        let config = Config::load(None, Settings::default()).unwrap();
        assert_eq!(config, Config::default());
        assert!(config.guests && config.listen.ip().is_loopback());
    }

    #[test]
    fn what_is_given_wins_over_the_file_and_the_file_over_the_default() {
        let file = "data-dir = \"a\"\nlimit-games = 7\nlimit-linger = \"250ms\"\nlog = \"json\"\n\
                    http = \"off\"\nfirst-move-timeout = \"2m\"\n";
        let given = Settings { data_dir: Some("b".into()), ..Settings::default() };
        let config = load(file, given).unwrap();
        assert_eq!(config.data, Path::new("b"));
        assert_eq!(config.limits.games, 7);
        assert_eq!(config.limits.linger, Duration::from_millis(250));
        assert_eq!(config.comforts.first_move_timeout_us, 120_000_000);
        assert_eq!((config.log, config.http), (LogFormat::Json, None));
        assert_eq!(config.limits.mailbox, Limits::default().mailbox);
    }

    #[test]
    fn an_unknown_key_or_a_bad_value_is_refused_with_its_line() {
        for (file, line, what) in [
            ("log = \"json\"\nlimit-game = 3\n", "line 2", "limit-game"),
            ("limit-games = 0\n", "line 1", "0"),
            ("limit-games = \"many\"\n", "line 1", "many"),
            ("\n\nlimit-linger = \"5 fortnights\"\n", "line 3", "5 fortnights"),
            ("guests = \"perhaps\"\n", "line 1", "perhaps"),
            ("[server]\n", "line 1", "server"),
        ] {
            let error = load(file, Settings::default()).unwrap_err().to_string();
            assert!(error.contains(line) && error.contains(what), "{file:?}: {error}");
        }
        let missing = Config::load(Some(Path::new("/no/such/file")), Settings::default());
        assert!(missing.unwrap_err().to_string().contains("/no/such/file"));
    }

    #[test]
    fn a_public_address_needs_a_decision_about_guests() {
        let public = "listen = \"0.0.0.0:4433\"\n";
        let error = load(public, Settings::default()).unwrap_err().to_string();
        assert!(error.contains("--guests yes") && error.contains("--guests no"), "{error}");
        for (word, decided) in [("yes", true), ("no", false)] {
            let file = format!("{public}guests = \"{word}\"\n");
            assert_eq!(load(&file, Settings::default()).unwrap().guests, decided);
        }
        assert!(!load("guests = \"no\"", Settings::default()).unwrap().guests);
        assert!(load("listen = \"[::1]:1\"", Settings::default()).unwrap().guests);
        assert!(load("listen = \"[::]:1\"", Settings::default()).is_err());
    }

    #[test]
    fn settings_that_do_not_go_together_are_refused() {
        let half = load("certificate = \"x.pem\"", Settings::default());
        assert!(matches!(half, Err(ConfigError::HalfACertificate)));
        let idle = load("limit-idle-timeout = \"9s\"", Settings::default());
        assert!(matches!(idle, Err(ConfigError::IdleBeforeKeepAlive)));
    }
}
