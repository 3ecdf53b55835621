//! Bytes in hexadecimal.

use std::fmt::Write;

/// `bytes` in lower-case hexadecimal.
pub fn encode(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut out, byte| {
        // Writing to a string does not fail.
        let _ = write!(out, "{byte:02x}");
        out
    })
}

/// The bytes that lower-case hexadecimal digits stand for.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    let (pairs, []) = text.as_bytes().as_chunks::<2>() else { return None };
    pairs.iter().map(|&[high, low]| Some(digit(high)? << 4 | digit(low)?)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        assert_eq!(encode(&[0, 0x5a, 0xff]), "005aff");
        assert_eq!(decode("005aff"), Some(vec![0, 0x5a, 0xff]));
        assert_eq!(decode(""), Some(vec![]));
        for bad in ["0", "0g", "FF", "ä"] {
            assert_eq!(decode(bad), None, "{bad}");
        }
    }
}
