//! Hostile bytes: an error or a value, never a panic, and one encoding for one meaning.

use crate::encoder;
use crate::samples::Sampler;
use crate::schema::Schema;
use proptest::prelude::*;
use std::sync::LazyLock;
use zeitnot_proto::codec::{self, DecodeError, Frame, FrameBuffer};
use zeitnot_proto::control::{ToClient, ToServer};
use zeitnot_proto::game_stream::{FromGame, ToGame};
use zeitnot_proto::limits::{CLIENT_FRAME_MAX, SERVER_FRAME_MAX};
use zeitnot_proto::{Event, List, Text};

/// The bodies of all golden vectors.
static BODIES: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let schema = Schema::read();
    let mut sampler = Sampler::new(&schema);
    crate::schema::FRAMES.iter().flat_map(|(name, _)| sampler.all(name)).map(|sample| sample.bytes).collect()
});

/// Decodes as every kind of frame; what decodes has to encode to the same bytes.
fn decode_as_all(body: &[u8]) -> Result<(), TestCaseError> {
    fn one<T: Frame>(body: &[u8]) -> Result<(), TestCaseError> {
        if let Ok(value) = codec::decode::<T>(body) {
            let again = codec::encode(&value).map_err(|e| TestCaseError::fail(e.to_string()))?;
            prop_assert_eq!(again, encoder::frame(body));
        }
        Ok(())
    }
    one::<ToServer>(body)?;
    one::<ToClient>(body)?;
    one::<ToGame>(body)?;
    one::<FromGame>(body)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn random_bytes(body in prop::collection::vec(any::<u8>(), 0..300)) {
        decode_as_all(&body)?;
    }

    #[test]
    fn small_numbers(body in prop::collection::vec(prop_oneof![0..4u8, 250..=255u8], 0..60)) {
        decode_as_all(&body)?;
    }

    #[test]
    fn mutated_vectors(
        which: prop::sample::Index,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        end: prop::sample::Index,
        tail in prop::collection::vec(any::<u8>(), 0..4),
        cut: bool,
    ) {
        let mut body = which.get(&BODIES).clone();
        for (at, byte) in changes {
            let at = at.index(body.len());
            body[at] = byte;
        }
        if cut {
            body.truncate(end.index(body.len()));
        }
        body.extend(tail);
        decode_as_all(&body)?;
    }

    #[test]
    fn pieces_of_any_size_give_the_same_frames(
        picked in prop::collection::vec(any::<prop::sample::Index>(), 1..8),
        sizes in prop::collection::vec(1..50usize, 1..20),
    ) {
        let bodies: Vec<_> = picked.iter().map(|i| i.get(&BODIES).clone()).collect();
        let bytes: Vec<u8> = bodies.iter().flat_map(|b| encoder::frame(b)).collect();
        let mut buffer = FrameBuffer::default();
        let mut seen = Vec::new();
        let mut rest = bytes.as_slice();
        for size in sizes.iter().cycle() {
            let (piece, after) = rest.split_at((*size).min(rest.len()));
            buffer.extend(piece);
            while let Some(body) = buffer.next_body(SERVER_FRAME_MAX).unwrap() {
                seen.push(body.to_vec());
            }
            rest = after;
            if rest.is_empty() {
                break;
            }
        }
        prop_assert_eq!(seen, bodies);
        prop_assert_eq!(buffer.pending(), 0);
    }
}

#[test]
fn a_truncated_vector_is_malformed() {
    for body in BODIES.iter() {
        for end in 1..body.len() {
            // Cut at any place it decodes as nothing, or as another frame that really ends there.
            decode_as_all(&body[..end]).unwrap();
        }
    }
}

#[test]
fn a_trailing_byte_is_never_accepted() {
    fn one<T: Frame>(body: &[u8]) {
        if codec::decode::<T>(body).is_ok() {
            let longer = [body, &[0]].concat();
            assert_eq!(codec::decode::<T>(&longer).err(), Some(DecodeError::TrailingBytes { count: 1 }));
        }
    }
    for body in BODIES.iter() {
        one::<ToServer>(body);
        one::<ToClient>(body);
        one::<ToGame>(body);
        one::<FromGame>(body);
    }
}

#[test]
fn a_length_is_a_claim() {
    // A list or a text that claims more than there is, or more than its bound.
    for claim in [10, 250, 0xffff, 0xffff_ffff, u64::MAX] {
        let bytes = encoder::unsigned(claim);
        assert_eq!(codec::decode_value::<Text<40>>(&bytes), Err(DecodeError::Malformed));
        assert_eq!(codec::decode_value::<List<u64, 300>>(&bytes), Err(DecodeError::Malformed));
        assert_eq!(codec::decode_value::<List<Event, 300>>(&bytes), Err(DecodeError::Malformed));
    }
    let long = encoder::list(&vec![vec![0]; 9]);
    assert!(codec::decode_value::<List<u64, 9>>(&long).is_ok());
    assert_eq!(codec::decode_value::<List<u64, 8>>(&long), Err(DecodeError::Malformed));
    assert!(codec::decode_value::<Text<4>>(&encoder::text("Žižk")).is_err());
    assert_eq!(codec::decode_value::<Text<4>>(&encoder::text("Ži")).unwrap().as_str(), "Ži");
    assert_eq!(codec::decode_value::<Text<4>>(&[2, 0xc3, 0x28]), Err(DecodeError::Malformed));
}

#[test]
fn bounds_of_frames() {
    let body = vec![0; CLIENT_FRAME_MAX + 1];
    let too_long = DecodeError::TooLong { claimed: body.len() as u64, max: CLIENT_FRAME_MAX };
    assert_eq!(codec::decode::<ToGame>(&body).err(), Some(too_long.clone()));
    let mut buffer = FrameBuffer::default();
    buffer.extend(&encoder::frame(&body)[..4]);
    assert_eq!(buffer.next_body(CLIENT_FRAME_MAX), Err(too_long), "known before the body is here");
}

#[test]
fn an_unknown_frame_is_skipped() {
    let known = encoder::frame(&[2, 0]); // Resync, without a number
    let stream = [known.clone(), encoder::frame(&[77, 1, 2, 3]), known].concat();
    let mut buffer = FrameBuffer::default();
    buffer.extend(&stream);
    let mut results = Vec::new();
    while let Some(body) = buffer.next_body(CLIENT_FRAME_MAX).unwrap() {
        results.push(codec::decode::<ToGame>(body));
    }
    let resync = ToGame::Resync { after: None };
    assert_eq!(results, [Ok(resync.clone()), Err(DecodeError::UnknownVariant(77)), Ok(resync)]);
}

#[test]
fn reads_that_never_end_at_a_frames_end_make_nothing_grow() {
    let frame = encoder::frame(&[1; 40]);
    let stream: Vec<u8> = frame.iter().copied().cycle().skip(7).take(frame.len() * 5_000).collect();
    let mut buffer = FrameBuffer::default();
    buffer.extend(&frame[..7]);
    let mut taken = 0;
    for piece in stream.chunks(frame.len()) {
        buffer.extend(piece);
        while buffer.next_body(64).unwrap().is_some() {
            taken += 1;
        }
        assert!(format!("{buffer:?}").len() < 1_000, "the buffer keeps what was taken");
    }
    assert_eq!(taken, 5_000);
    assert_eq!(buffer.pending(), 7);
    buffer.release();
    assert_eq!(buffer.pending(), 7, "what is pending stays");
}

#[test]
fn a_value_that_does_not_fit_leaves_the_buffer_as_it_was() {
    let words = vec![Text::<40>::cut("a word of quite some length for an option"); 64];
    let name = words[0].clone();
    let setting = |value: &Text<40>| zeitnot_proto::rules::Setting {
        name: name.clone(),
        value: zeitnot_proto::rules::Value::Word(value.clone()),
    };
    let options = List::new(words.iter().map(setting).collect()).unwrap();
    let moves = List::new(vec!["e2e4".parse().unwrap(); 1024]).unwrap();
    let terms = zeitnot_proto::rules::Terms {
        time_control: "300".parse().unwrap(),
        rules: zeitnot_proto::Rules { options, ..Default::default() },
        start: zeitnot_proto::rules::Start { moves, ..Default::default() },
        spectator_delay_us: 0,
    };
    let request =
        zeitnot_proto::control::Request::Seek(zeitnot_proto::control::Proposal { color: None, terms });
    let mut out = vec![9, 9];
    codec::encode_into(&ToServer::Request { id: 1, request }, &mut out).unwrap();
    assert!(out.len() < CLIENT_FRAME_MAX, "the largest proposal fits: {}", out.len());
    let pgn = Text::new(&"x".repeat(150_000)).unwrap();
    let reply = zeitnot_proto::control::Reply::Pgn(pgn);
    codec::encode_into(&ToClient::Reply { id: 1, result: Ok(reply) }, &mut out).unwrap();
    assert_eq!(&out[..2], [9, 9]);
}
