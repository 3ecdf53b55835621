//! Guests' names, and the tokens with which they come back: a name and its HMAC-SHA-256.

use super::GUEST_PREFIX;
use crate::data_dir::{self, KEY_LEN};
use crate::hex;
use ring::hmac;
use std::io;
use zeitnot_proto::Text;
use zeitnot_proto::limits::TOKEN_MAX;
use zeitnot_proto::rules::Name;

/// Digits of a guest's number: no two of them look alike.
const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// How many of them a name has: 40 bits.
const NUMBER_LEN: usize = 8;

/// The key that guests' tokens are made with.
pub(super) struct GuestKey(hmac::Key);

impl GuestKey {
    pub(super) fn new(key: &[u8; KEY_LEN]) -> GuestKey {
        GuestKey(hmac::Key::new(hmac::HMAC_SHA256, key))
    }

    /// The token of a guest: name, dot, code in hex.
    pub(super) fn token_of(&self, name: &Name) -> Text<TOKEN_MAX> {
        let code = hmac::sign(&self.0, name.as_bytes());
        Text::cut(&format!("{name}.{}", hex::encode(code.as_ref())))
    }

    /// The name in a token of ours.
    pub(super) fn name_of(&self, token: &str) -> Option<Name> {
        let (name, code) = token.split_once('.')?;
        hmac::verify(&self.0, name.as_bytes(), &hex::decode(code)?).ok()?;
        Name::new(name).ok()
    }
}

/// A name that nobody else has, but for one chance in a million million.
pub(super) fn new_name() -> io::Result<Name> {
    let mut random = [0; NUMBER_LEN];
    data_dir::random(&mut random)?;
    let number: String = random.iter().map(|byte| char::from(DIGITS[usize::from(byte % 32)])).collect();
    Ok(Text::cut(&format!("{GUEST_PREFIX}{number}")))
}
