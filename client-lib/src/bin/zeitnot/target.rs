//! Which server, and as whom: the options that all commands share.

use clap::Args;
use std::path::PathBuf;
use zeitnot_client::{Client, Error, Notices, Options, Pin, Trust};

/// Which server to connect to, how it proves who it is, and who the client is.
#[derive(Debug, Clone, Args)]
pub struct Target {
    /// The server's address.
    #[arg(
        long,
        global = true,
        value_name = "HOST:PORT",
        default_value = "127.0.0.1:4433",
        env = "ZEITNOT_SERVER"
    )]
    server: String,
    /// Trust the server whose public key has this SHA-256; it prints it when it starts.
    #[arg(long, global = true, value_name = "HEX", env = "ZEITNOT_PIN", conflicts_with = "ca")]
    pin: Option<Pin>,
    /// Trust servers that an authority in this PEM file vouches for.
    #[arg(long, global = true, value_name = "FILE")]
    ca: Option<PathBuf>,
    /// The token that says who you are; without one you are a guest.
    #[arg(long, global = true, value_name = "TOKEN", env = "ZEITNOT_TOKEN", hide_env_values = true)]
    token: Option<String>,
}

impl Target {
    /// What the client library needs to connect.
    pub fn options(&self) -> Result<Options, Error> {
        match &self.token {
            Some(token) => self.guest()?.token(token),
            None => self.guest(),
        }
    }

    /// The same for a guest, whatever token there is.
    pub fn guest(&self) -> Result<Options, Error> {
        let trust = match (&self.ca, self.pin) {
            (Some(file), _) => Trust::Ca(file.clone()),
            (None, Some(pin)) => Trust::Pin(pin),
            (None, None) => {
                return Err(Error::Trust(
                    "how is the server to prove who it is? Copy --pin HEX from the line that it prints when it \
                     starts, or name the authority's certificate with --ca FILE"
                        .into(),
                ));
            }
        };
        let mut options = Options::new(self.server.clone(), trust);
        options.tuning.name = concat!("zeitnot ", env!("CARGO_PKG_VERSION")).into();
        Ok(options)
    }

    /// Connects.
    pub async fn connect(&self) -> Result<(Client, Notices), Error> {
        Client::connect(self.options()?).await
    }

    /// Whether a token was given.
    pub fn has_token(&self) -> bool {
        self.token.is_some()
    }

    /// The server's address, as it was given.
    pub fn server(&self) -> &str {
        &self.server
    }

    /// The options that lead another command to the same server.
    pub fn as_arguments(&self) -> String {
        let trust = match (&self.ca, &self.pin) {
            (Some(file), _) => format!(" --ca {}", file.display()),
            (None, Some(pin)) => format!(" --pin {pin}"),
            (None, None) => String::new(),
        };
        format!("--server {}{trust}", self.server)
    }
}
