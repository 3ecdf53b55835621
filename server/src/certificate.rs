//! The certificate and the keys of the endpoint.
//!
//! Without a certificate of its own the server makes one at its first start and keeps it in the data
//! directory. Clients that know no authority for it pin its public key, so that the certificate can be
//! renewed: remove `certificate.pem` and leave `key.pem`, and the pin stays.

use crate::config::Config;
use crate::data_dir::{DataDir, DataDirError, KEY_LEN, write_secret};
use crate::hex;
use rcgen::{CertificateParams, DistinguishedName, DnType, KeyPair, PKCS_ECDSA_P256_SHA256};
use ring::{digest, hmac};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::ParsedCertificate;
use std::fmt;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// What the endpoint shows and signs with.
#[derive(Debug)]
pub struct Certificate {
    /// The certificate, and whatever leads from it to an authority.
    pub chain: Vec<CertificateDer<'static>>,
    /// Its private key.
    pub key: PrivateKeyDer<'static>,
    /// SHA-256 of its public key (the DER of `SubjectPublicKeyInfo`), in hex.
    pub pin: String,
    /// The key of stateless resets (RFC 9000, 10.3), the same after a restart.
    pub reset_key: [u8; KEY_LEN],
}

/// Why there is no certificate.
#[derive(Debug)]
pub enum CertificateError {
    /// The data directory.
    DataDir(DataDirError),
    /// A file cannot be read or written.
    Io(PathBuf, io::Error),
    /// A file is not PEM of what it should be.
    Pem(PathBuf, &'static str, String),
    /// No certificate could be made.
    Make(rcgen::Error),
}

impl fmt::Display for CertificateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CertificateError::DataDir(error) => error.fmt(f),
            CertificateError::Io(path, error) => write!(f, "{}: {error}", path.display()),
            CertificateError::Pem(path, what, why) => {
                write!(f, "{} is no PEM file of {what}: {why}", path.display())
            }
            CertificateError::Make(error) => write!(f, "no certificate could be made: {error}"),
        }
    }
}

impl std::error::Error for CertificateError {}

impl From<DataDirError> for CertificateError {
    fn from(error: DataDirError) -> CertificateError {
        CertificateError::DataDir(error)
    }
}

impl Certificate {
    /// The certificate that the configuration names, or the one of the data directory, made if there
    /// is none.
    pub fn load_or_make(dir: &DataDir, config: &Config) -> Result<Certificate, CertificateError> {
        let reset_key = dir.key("reset.key")?;
        if let (Some(certificate), Some(key)) = (&config.certificate, &config.certificate_key) {
            return load(certificate, key, reset_key);
        }
        let (certificate, key) = (dir.file("certificate.pem"), dir.file("key.pem"));
        if !certificate.is_file() {
            make(&certificate, &key)?;
        }
        load(&certificate, &key, reset_key)
    }

    /// The key of connection ids, the same after a restart: made from that of stateless resets.
    pub fn connection_id_key(&self) -> u64 {
        let key = hmac::Key::new(hmac::HMAC_SHA256, &self.reset_key);
        let code = hmac::sign(&key, b"connection ids");
        code.as_ref().iter().take(8).fold(0, |key, &byte| key << 8 | u64::from(byte))
    }
}

/// Reads a chain and a key.
fn load(
    chain_path: &Path,
    key_path: &Path,
    reset_key: [u8; KEY_LEN],
) -> Result<Certificate, CertificateError> {
    let read = |path: &Path| fs::read(path).map_err(|error| CertificateError::Io(path.into(), error));
    let bad_chain =
        |why: String| CertificateError::Pem(chain_path.into(), "a certificate (and its chain)", why);
    let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_slice_iter(&read(chain_path)?)
        .collect::<Result<_, _>>()
        .map_err(|error| bad_chain(error.to_string()))?;
    let key = PrivateKeyDer::from_pem_slice(&read(key_path)?)
        .map_err(|error| CertificateError::Pem(key_path.into(), "a private key", error.to_string()))?;
    let leaf = chain.first().ok_or_else(|| bad_chain("there is none in it".to_owned()))?;
    let leaf = ParsedCertificate::try_from(leaf).map_err(|error| bad_chain(error.to_string()))?;
    let pin = hex::encode(digest::digest(&digest::SHA256, &leaf.subject_public_key_info()).as_ref());
    Ok(Certificate { chain, key, pin, reset_key })
}

/// Makes a certificate for this machine, for the key that is there or a new one.
fn make(certificate_path: &Path, key_path: &Path) -> Result<(), CertificateError> {
    let io = |path: &Path| {
        let path = path.to_owned();
        move |error| CertificateError::Io(path, error)
    };
    let key = match fs::read_to_string(key_path) {
        Ok(pem) => KeyPair::from_pem(&pem)
            .map_err(|error| CertificateError::Pem(key_path.into(), "a private key", error.to_string()))?,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let key = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256).map_err(CertificateError::Make)?;
            write_secret(key_path, key.serialize_pem().as_bytes()).map_err(io(key_path))?;
            key
        }
        Err(error) => return Err(io(key_path)(error)),
    };
    let names = ["localhost", "127.0.0.1", "::1"].map(str::to_owned);
    let mut params = CertificateParams::new(names).map_err(CertificateError::Make)?;
    params.distinguished_name = DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, "zeitnot");
    let certificate = params.self_signed(&key).map_err(CertificateError::Make)?;
    fs::write(certificate_path, certificate.pem()).map_err(io(certificate_path))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(dir: &DataDir) -> Certificate {
        Certificate::load_or_make(dir, &Config::default()).unwrap()
    }

    #[test]
    fn a_certificate_is_made_once_and_its_pin_outlives_its_renewal() {
        let temporary = tempfile::tempdir().unwrap();
        let dir = DataDir::create(temporary.path()).unwrap();
        let first = of(&dir);
        assert_eq!(first.pin.len(), 64);
        let again = of(&dir);
        assert_eq!((&again.pin, &again.chain), (&first.pin, &first.chain));
        assert_eq!(again.connection_id_key(), first.connection_id_key());
        fs::remove_file(dir.file("certificate.pem")).unwrap();
        assert_eq!(of(&dir).pin, first.pin);
        fs::remove_file(dir.file("certificate.pem")).unwrap();
        fs::remove_file(dir.file("key.pem")).unwrap();
        assert_ne!(of(&dir).pin, first.pin);
    }

    #[cfg(unix)]
    #[test]
    fn the_private_key_is_its_owners_alone() {
        use std::os::unix::fs::PermissionsExt;
        let temporary = tempfile::tempdir().unwrap();
        let dir = DataDir::create(temporary.path()).unwrap();
        of(&dir);
        for secret in ["key.pem", "reset.key"] {
            assert_eq!(fs::metadata(dir.file(secret)).unwrap().permissions().mode() & 0o777, 0o600);
        }
    }

    #[test]
    fn the_pin_is_the_digest_of_the_public_key() {
        let temporary = tempfile::tempdir().unwrap();
        let dir = DataDir::create(temporary.path()).unwrap();
        let certificate = of(&dir);
        let key = KeyPair::from_pem(&fs::read_to_string(dir.file("key.pem")).unwrap()).unwrap();
        let expected = digest::digest(&digest::SHA256, &rcgen::PublicKeyData::subject_public_key_info(&key));
        assert_eq!(certificate.pin, hex::encode(expected.as_ref()));
    }

    #[test]
    fn a_file_that_is_not_a_certificate_is_named() {
        let temporary = tempfile::tempdir().unwrap();
        let dir = DataDir::create(temporary.path()).unwrap();
        let other = dir.file("other.pem");
        fs::write(&other, "no PEM at all").unwrap();
        let config =
            Config { certificate: Some(other.clone()), certificate_key: Some(other), ..Config::default() };
        let error = Certificate::load_or_make(&dir, &config).unwrap_err().to_string();
        assert!(error.contains("other.pem"), "{error}");
    }
}
