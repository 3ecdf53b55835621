//! bincode's standard configuration as `PROTOCOL.md` describes it, written a second time, so that the
//! vectors do not come from the code that they check.

/// An unsigned integer.
pub fn unsigned(value: u64) -> Vec<u8> {
    let (mark, width) = match value {
        0..=250 => return vec![u8::try_from(value).unwrap()],
        251..=0xffff => (251, 2),
        0x1_0000..=0xffff_ffff => (252, 4),
        _ => (253, 8),
    };
    let mut bytes = vec![mark];
    bytes.extend_from_slice(&value.to_le_bytes()[..width]);
    bytes
}

/// A signed integer: 0, -1, 1, -2 become 0, 1, 2, 3.
pub fn signed(value: i64) -> Vec<u8> {
    unsigned((value << 1 ^ value >> 63).cast_unsigned())
}

/// A text: its bytes, counted.
pub fn text(value: &str) -> Vec<u8> {
    let mut bytes = unsigned(value.len() as u64);
    bytes.extend_from_slice(value.as_bytes());
    bytes
}

/// A list of encoded elements, counted.
pub fn list(elements: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = unsigned(elements.len() as u64);
    bytes.extend(elements.concat());
    bytes
}

/// An optional encoded value.
pub fn option(value: Option<&[u8]>) -> Vec<u8> {
    value.map_or(vec![0], |v| [&[1], v].concat())
}

/// A variant and what it holds.
pub fn variant(number: usize, payload: &[u8]) -> Vec<u8> {
    let mut bytes = unsigned(number as u64);
    bytes.extend_from_slice(payload);
    bytes
}

/// A body behind its length.
pub fn frame(body: &[u8]) -> Vec<u8> {
    let n = u32::try_from(body.len()).unwrap();
    let mut bytes = match n {
        0..=63 => vec![u8::try_from(n).unwrap()],
        64..=16_383 => (0x4000 | u16::try_from(n).unwrap()).to_be_bytes().to_vec(),
        _ => (0x8000_0000 | n).to_be_bytes().to_vec(),
    };
    bytes.extend_from_slice(body);
    bytes
}
