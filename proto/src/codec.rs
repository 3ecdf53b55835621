//! Frames: a QUIC varint (RFC 9000, section 16) that says how many bytes follow, then one
//! bincode value in the standard configuration.
//!
//! Whatever the bytes are, decoding returns a value or an error. A value is accepted only if it
//! takes up the whole frame and encodes to the same bytes again, so that there is one encoding for
//! one meaning. Frames of a number that this version does not know are reported as such, so that
//! the reader can skip them.

use crate::limits::{SERVER_FRAME_MAX, VARINT_MAX};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt;

/// A type that travels as a frame of its own.
pub trait Frame: Serialize + DeserializeOwned {
    /// Most bytes of such a frame, its length prefix not counted.
    const MAX: usize;
    /// How many variants this version knows.
    const VARIANTS: u32;
}

/// Why bytes are not a frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DecodeError {
    /// The length prefix goes beyond the bound.
    TooLong {
        /// What it says.
        claimed: u64,
        /// The bound.
        max: usize,
    },
    /// A frame of a number that this version does not know; it can be skipped.
    UnknownVariant(u32),
    /// The bytes are not such a value.
    Malformed,
    /// The value ends before the frame does.
    TrailingBytes {
        /// How many bytes are left over.
        count: usize,
    },
    /// The value has another, proper encoding.
    NotCanonical,
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DecodeError::TooLong { claimed, max } => {
                write!(f, "a frame of {claimed} bytes, {max} are allowed")
            }
            DecodeError::UnknownVariant(n) => write!(f, "frame number {n} is not known to this version"),
            DecodeError::Malformed => f.write_str("the frame does not decode"),
            DecodeError::TrailingBytes { count } => write!(f, "{count} bytes too many in the frame"),
            DecodeError::NotCanonical => f.write_str("the frame is not encoded in the one proper way"),
        }
    }
}

impl std::error::Error for DecodeError {}

/// A value that does not fit into a frame of its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EncodeError {
    /// The bound, in bytes.
    pub max: usize,
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the value does not fit into {} bytes", self.max)
    }
}

impl std::error::Error for EncodeError {}

/// bincode's standard configuration with the largest bound of the protocol; the frame's own bound is
/// checked on its length.
const CONFIG: bincode::config::Configuration<
    bincode::config::LittleEndian,
    bincode::config::Varint,
    bincode::config::Limit<SERVER_FRAME_MAX>,
> = bincode::config::standard().with_limit::<SERVER_FRAME_MAX>();

/// Appends `frame` to `out`, with its length prefix. On an error `out` is as it was.
pub fn encode_into<T: Frame>(frame: &T, out: &mut Vec<u8>) -> Result<(), EncodeError> {
    let start = out.len();
    // Nearly all frames are shorter than 64 bytes or than 16 KiB: a two-byte prefix fits, and a
    // longer one moves the body once.
    out.extend_from_slice(&[0, 0]);
    let written = bincode::serde::encode_into_std_write(frame, out, CONFIG);
    let length = out.len() - start - 2;
    if written.is_err() || length > T::MAX {
        out.truncate(start);
        return Err(EncodeError { max: T::MAX });
    }
    let mut prefix = [0; VARINT_MAX];
    let prefix = write_varint(length as u64, &mut prefix);
    match prefix.len() {
        2 => out[start..start + 2].copy_from_slice(prefix),
        _ => drop(out.splice(start..start + 2, prefix.iter().copied())),
    }
    Ok(())
}

/// `frame` as bytes, with its length prefix.
pub fn encode<T: Frame>(frame: &T) -> Result<Vec<u8>, EncodeError> {
    // A move's frame to its readers is shorter than that.
    let mut out = Vec::with_capacity(192);
    encode_into(frame, &mut out)?;
    Ok(out)
}

/// The frame whose body, without length prefix, is exactly `body`.
pub fn decode<T: Frame>(body: &[u8]) -> Result<T, DecodeError> {
    if body.len() > T::MAX {
        return Err(DecodeError::TooLong { claimed: body.len() as u64, max: T::MAX });
    }
    if let Ok((variant, _)) = bincode::decode_from_slice::<u32, _>(body, CONFIG)
        && variant >= T::VARIANTS
    {
        return Err(DecodeError::UnknownVariant(variant));
    }
    decode_value(body)
}

/// The value that `body` encodes, whole and in the one proper way. The journal stores values like
/// this, without a length.
pub fn decode_value<T: Serialize + DeserializeOwned>(body: &[u8]) -> Result<T, DecodeError> {
    let (value, consumed) =
        bincode::serde::borrow_decode_from_slice::<T, _>(body, CONFIG).map_err(|_| DecodeError::Malformed)?;
    if consumed < body.len() {
        return Err(DecodeError::TrailingBytes { count: body.len() - consumed });
    }
    let mut again = Comparison { expected: body, equal: true };
    bincode::serde::encode_into_std_write(&value, &mut again, CONFIG).map_err(|_| DecodeError::Malformed)?;
    if again.equal && again.expected.is_empty() { Ok(value) } else { Err(DecodeError::NotCanonical) }
}

/// `value` as bytes without a length.
pub fn encode_value<T: Serialize>(value: &T) -> Result<Vec<u8>, EncodeError> {
    // A move's decision in the journal is shorter than that.
    let mut out = Vec::with_capacity(96);
    append_value(value, &mut out)?;
    Ok(out)
}

/// Appends `value` without a length to `out`. On an error `out` is as it was.
pub fn append_value<T: Serialize>(value: &T, out: &mut Vec<u8>) -> Result<(), EncodeError> {
    let start = out.len();
    match bincode::serde::encode_into_std_write(value, out, CONFIG) {
        Ok(_) => Ok(()),
        Err(_) => {
            out.truncate(start);
            Err(EncodeError { max: SERVER_FRAME_MAX })
        }
    }
}

/// Compares what is written to it with the bytes expected, without keeping any.
struct Comparison<'a> {
    expected: &'a [u8],
    equal: bool,
}

impl std::io::Write for Comparison<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self.expected.split_at_checked(bytes.len()) {
            Some((head, rest)) if head == bytes => self.expected = rest,
            _ => self.equal = false,
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Writes `value` (below 2^62) as a QUIC varint in its shortest form.
pub fn write_varint(value: u64, buffer: &mut [u8; VARINT_MAX]) -> &[u8] {
    let (length, mark) = match value {
        0..=0x3f => (1, 0u8),
        0x40..=0x3fff => (2, 0x40),
        0x4000..=0x3fff_ffff => (4, 0x80),
        _ => (8, 0xc0),
    };
    let bytes = value.to_be_bytes();
    buffer[..length].copy_from_slice(&bytes[8 - length..]);
    buffer[0] |= mark;
    &buffer[..length]
}

/// How many bytes a QUIC varint takes whose first byte is `first`: 1, 2, 4 or 8.
pub const fn varint_len(first: u8) -> usize {
    1 << (first >> 6)
}

/// The value of a QUIC varint, all of whose bytes are `bytes`. Longer forms than needed are allowed,
/// as RFC 9000 allows them.
pub fn read_varint(bytes: &[u8]) -> u64 {
    let Some((first, rest)) = bytes.split_first() else { return 0 };
    rest.iter().fold(u64::from(first & 0x3f), |value, byte| value << 8 | u64::from(*byte))
}

/// Takes frames from bytes as they come in, whatever the pieces.
#[derive(Debug, Default)]
pub struct FrameBuffer {
    bytes: Vec<u8>,
    taken: usize,
}

impl FrameBuffer {
    /// Adds bytes that were read.
    pub fn extend(&mut self, bytes: &[u8]) {
        // What was taken goes as soon as it is no less than what is left, so that a byte moves once on
        // average and a peer whose reads never end at a frame's end makes nothing grow.
        if self.taken >= self.pending() {
            self.bytes.drain(..self.taken);
            self.taken = 0;
        }
        self.bytes.extend_from_slice(bytes);
    }

    /// The body of the next whole frame, if all of it is here. A length beyond `max` is an error as
    /// soon as the prefix is here.
    pub fn next_body(&mut self, max: usize) -> Result<Option<&[u8]>, DecodeError> {
        let rest = &self.bytes[self.taken..];
        let Some(&first) = rest.first() else { return Ok(None) };
        let prefix = varint_len(first);
        if rest.len() < prefix {
            return Ok(None);
        }
        let claimed = read_varint(&rest[..prefix]);
        let length = usize::try_from(claimed).ok().filter(|&n| n <= max);
        let Some(length) = length else { return Err(DecodeError::TooLong { claimed, max }) };
        if rest.len() < prefix + length {
            return Ok(None);
        }
        let start = self.taken + prefix;
        self.taken = start + length;
        Ok(Some(&self.bytes[start..self.taken]))
    }

    /// Bytes that are here and not taken yet.
    pub fn pending(&self) -> usize {
        self.bytes.len() - self.taken
    }

    /// Gives memory back that a burst left behind, once nothing is pending.
    pub fn release(&mut self) {
        if self.pending() == 0 {
            self.bytes = Vec::new();
            self.taken = 0;
        }
    }
}
