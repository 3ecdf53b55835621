//! What decoding allocates stays within a small multiple of the frame, whatever the frame claims.
//!
//! One test in a binary of its own: the allocator counts for the whole process.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use peak_alloc::PeakAlloc;
use zeitnot_proto::codec::{self, Frame};
use zeitnot_proto::control::{ToClient, ToServer};
use zeitnot_proto::game_stream::{FromGame, ToGame};
use zeitnot_proto::limits::{CLIENT_FRAME_MAX, SERVER_FRAME_MAX};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Bytes beyond what was in use that decoding `body` had allocated at its peak.
fn peak<T: Frame>(body: &[u8]) -> usize {
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let value = codec::decode::<T>(body);
    let peak = MEMORY.peak_usage().saturating_sub(before);
    drop(value);
    peak
}

/// A body that begins like `start` and goes on with `fill`, up to `size` bytes.
fn filled(start: &[u8], fill: &[u8], size: usize) -> Vec<u8> {
    let mut body = start.to_vec();
    body.extend(fill.iter().copied().cycle().take(size.saturating_sub(start.len())));
    body
}

/// A boxed value is as large as its type, whatever the frame; everything else goes by the frame.
const FIXED: usize = 1500;
/// What a client can make the server allocate, for each byte that it sends.
const FROM_CLIENT: usize = 12;
/// What a server can make a client allocate: a list holds its shortest elements (two bytes of an event)
/// at their full size, and while it grows its old and its new place at once.
const FROM_SERVER: usize = 96;

/// Decodes `body` as a frame of this kind and holds its peak to the bound.
fn check<T: Frame>(body: &[u8]) {
    let multiple = if T::MAX == CLIENT_FRAME_MAX { FROM_CLIENT } else { FROM_SERVER };
    let (peak, bound) = (peak::<T>(body), FIXED + multiple * body.len());
    let what = std::any::type_name::<T>();
    assert!(peak <= bound, "{what}: {} bytes of frame made {peak} bytes, {bound} are the bound", body.len());
}

fn check_all(body: &[u8]) {
    check::<ToClient>(body);
    check::<FromGame>(body);
    if body.len() <= CLIENT_FRAME_MAX {
        check::<ToServer>(body);
        check::<ToGame>(body);
    }
}

#[test]
fn decoding_allocates_a_small_multiple_of_the_frame() {
    let starts: [&[u8]; 12] = [
        &[],
        &[0],                                   // Hello, Welcome, Attach, Snapshot
        &[0, 1],                                // Hello, a text follows
        &[0, 1, 253, 255, 255, 255, 255, 0, 0], // a text that claims 2^32
        &[1, 1],                                // Request, Reply, Command, Events
        &[1, 1, 0, 2, 252, 255, 255, 255, 255], // a list that claims 2^32
        &[1, 1, 0, 4, 100],                     // a page of seeks
        &[1, 1, 0, 5, 100],                     // a page of games
        &[1, 1, 0, 7, 252, 0, 0, 3, 0],         // a PGN
        &[1, 1, 1, 4, 251, 0, 1],               // 256 events
        &[1, 1, 1, 0, 251, 0, 1, 0],            // 256 events, smaller numbers
        &[3, 1, 251, 0, 1],                     // 256 legal moves
    ];
    let fills: [&[u8]; 8] = [&[0], &[1], &[0, 1], &[2], &[250], &[255], &[1, 0, 0], &[0, 0, 1, 1]];
    for size in [0, 1, 9, 60, 300, 1_000, CLIENT_FRAME_MAX, SERVER_FRAME_MAX] {
        for start in starts {
            for fill in fills {
                let body = filled(start, fill, size);
                check_all(&body);
            }
        }
    }
    golden_vectors_too();
}

/// The vectors, whole and with each byte in turn made a large claim.
fn golden_vectors_too() {
    for file in ["to_server", "to_client", "to_game", "from_game"] {
        let path = format!("{}/vectors/{file}.tsv", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).unwrap();
        for line in text.lines().filter(|l| !l.starts_with('#')) {
            let hex = line.split('\t').nth(2).unwrap();
            let frame: Vec<u8> =
                (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap()).collect();
            let body = &frame[codec::varint_len(frame[0])..];
            for at in 0..body.len() {
                let claim = [&body[..at], &[253, 255, 255, 255, 255, 255, 0, 0, 0], &body[at + 1..]].concat();
                check_all(&claim);
            }
        }
    }
}
