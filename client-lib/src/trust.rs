//! How the server proves who it is: the key of its certificate is pinned, or an authority vouches
//! for it. Either way the handshake's signature is verified.

use crate::error::Error;
use ring::digest::{SHA256, digest};
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, DigitallySignedStruct, RootCertStore, SignatureScheme};
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

/// The SHA-256 of a certificate's `SubjectPublicKeyInfo`, as RFC 7469 pins keys: a certificate that
/// is renewed for the same key keeps it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Pin([u8; 32]);

impl Pin {
    /// The pin of a certificate in DER.
    pub fn of_certificate(certificate: &CertificateDer<'_>) -> Result<Pin, Error> {
        let parsed = ParsedCertificate::try_from(certificate)
            .map_err(|e| Error::Trust(format!("the certificate does not parse: {e}")))?;
        let mut pin = [0; 32];
        pin.copy_from_slice(digest(&SHA256, parsed.subject_public_key_info().as_ref()).as_ref());
        Ok(Pin(pin))
    }
}

impl FromStr for Pin {
    type Err = Error;

    /// Reads 64 hexadecimal digits; colons between them are allowed.
    fn from_str(text: &str) -> Result<Pin, Error> {
        let bad =
            || Error::Trust("a pin is the SHA-256 of the server's public key: 64 hexadecimal digits".into());
        let digits: Vec<u8> = text.bytes().filter(|&b| b != b':').collect();
        let mut pin = [0; 32];
        if digits.len() != 64 {
            return Err(bad());
        }
        for (byte, pair) in pin.iter_mut().zip(digits.chunks(2)) {
            let digit = |b: u8| char::from(b).to_digit(16).and_then(|d| u8::try_from(d).ok()).ok_or_else(bad);
            *byte = digit(pair[0])? << 4 | digit(pair[1])?;
        }
        Ok(Pin(pin))
    }
}

impl fmt::Display for Pin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Pin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// What a client accepts as the server's proof.
#[derive(Debug, Clone)]
pub enum Trust {
    /// A certificate with this key, whatever its name and its dates.
    Pin(Pin),
    /// A certificate for the server's host name, signed by one of the authorities in this PEM file.
    Ca(PathBuf),
}

impl Trust {
    /// The verifier that holds a server to this.
    pub(crate) fn verifier(
        &self,
        provider: &Arc<CryptoProvider>,
    ) -> Result<Arc<dyn ServerCertVerifier>, Error> {
        match self {
            Trust::Pin(pin) => Ok(Arc::new(PinVerifier { pin: *pin, provider: provider.clone() })),
            Trust::Ca(path) => {
                let bad = |e: &dyn fmt::Display| Error::Trust(format!("{}: {e}", path.display()));
                let mut roots = RootCertStore::empty();
                for certificate in CertificateDer::pem_file_iter(path).map_err(|e| bad(&e))? {
                    roots.add(certificate.map_err(|e| bad(&e))?).map_err(|e| bad(&e))?;
                }
                let verifier =
                    WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider.clone()).build();
                Ok(verifier.map_err(|e| bad(&e))?)
            }
        }
    }
}

/// Accepts exactly the certificates of one key.
#[derive(Debug)]
struct PinVerifier {
    pin: Pin,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for PinVerifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        match Pin::of_certificate(end_entity) {
            Ok(pin) if pin == self.pin => Ok(ServerCertVerified::assertion()),
            Ok(_) => Err(CertificateError::ApplicationVerificationFailure.into()),
            Err(_) => Err(CertificateError::BadEncoding.into()),
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, cert, dss, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, cert, dss, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pin_reads_what_it_writes() {
        let text = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
        assert_eq!(text.parse::<Pin>().unwrap().to_string(), text);
        assert_eq!(text.to_uppercase().parse::<Pin>().unwrap().to_string(), text);
        for bad in ["", "00", &text[1..], &text.replace('a', "g"), &format!("{text}0")] {
            assert!(bad.parse::<Pin>().is_err(), "{bad}");
        }
    }

    #[test]
    fn pin_is_of_the_key_not_of_the_certificate() {
        let key = rcgen::KeyPair::generate().unwrap();
        let certificate = |name: &str| {
            rcgen::CertificateParams::new(vec![name.to_string()]).unwrap().self_signed(&key).unwrap()
        };
        let (one, two) = (certificate("one"), certificate("two"));
        assert_ne!(one.der(), two.der());
        assert_eq!(Pin::of_certificate(one.der()).unwrap(), Pin::of_certificate(two.der()).unwrap());
        assert!(Pin::of_certificate(&CertificateDer::from(vec![1, 2, 3])).is_err());
    }
}
