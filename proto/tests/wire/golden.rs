//! Golden vectors: what every message looks like in bytes, and what bytes are no message.

use crate::encoder;
use crate::samples::Sampler;
use crate::schema::{Schema, Shape};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::{Debug, Write as _};
use zeitnot_proto::close::Code;
use zeitnot_proto::codec::{self, DecodeError, Frame, FrameBuffer};
use zeitnot_proto::control::{ToClient, ToServer};
use zeitnot_proto::game_stream::{FromGame, ToGame};
use zeitnot_proto::limits::VARINT_MAX;

const NOTE: &str = "\
# Golden vectors of the protocol zeitnot/1; see PROTOCOL.md. Columns are separated by tabs.
";

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut out, b| {
        let _ = write!(out, "{b:02x}");
        out
    })
}

/// The vectors of one kind of frame: each is made by the second encoder, and has to be what the codec
/// reads and writes, and what JSON reads back.
fn frames<T>(sampler: &mut Sampler<'_>, name: &str, direction: &str) -> String
where
    T: Frame + Serialize + DeserializeOwned + PartialEq + Debug,
{
    let mut text = format!("{NOTE}# name, direction, the whole frame in hex, its meaning in JSON\n");
    for sample in sampler.all(name) {
        let bytes = encoder::frame(&sample.bytes);
        let label = &sample.label;
        let value: T =
            codec::decode(&sample.bytes).unwrap_or_else(|e| panic!("{label}: {e}: {}", hex(&bytes)));
        assert_eq!(codec::encode(&value).unwrap(), bytes, "{label}");
        let json = serde_json::to_string(&value).unwrap();
        assert_eq!(serde_json::from_str::<T>(&json).unwrap(), value, "{label}: {json}");
        writeln!(text, "{label}\t{direction}\t{}\t{json}", hex(&bytes)).unwrap();
    }
    text
}

fn check(file: &str, text: &str) {
    let path = crate::crate_dir().join("vectors").join(file);
    crate::check_or_bless(&path, text, crate::Blessing::Adds);
}

#[test]
fn every_message_has_its_vector() {
    let schema = Schema::read();
    let mut sampler = Sampler::new(&schema);
    let to_server = frames::<ToServer>(&mut sampler, "ToServer", "client to server");
    let to_client = frames::<ToClient>(&mut sampler, "ToClient", "server to client");
    let to_game = frames::<ToGame>(&mut sampler, "ToGame", "client to server");
    let from_game = frames::<FromGame>(&mut sampler, "FromGame", "server to client");

    let all = [&*to_server, &to_client, &to_game, &from_game].concat();
    for (name, definition) in &schema.types {
        let Shape::Enum(variants) = &definition.shape else { continue };
        // A role shows in a move, a kind of added time in a time control: not as words of their own.
        if name == "Role" || name == "Added" {
            continue;
        }
        for v in variants {
            let found = all.contains(&format!("\"{}\"", v.name));
            assert!(found, "no vector shows {name}::{}", v.name);
        }
    }
    check("to_server.tsv", &to_server);
    check("to_client.tsv", &to_client);
    check("to_game.tsv", &to_game);
    check("from_game.tsv", &from_game);
}

#[test]
fn the_codec_knows_as_many_frames_as_there_are() {
    let schema = Schema::read();
    let known = [ToServer::VARIANTS, ToClient::VARIANTS, ToGame::VARIANTS, FromGame::VARIANTS];
    for ((name, _), known) in crate::schema::FRAMES.iter().zip(known) {
        assert_eq!(schema.variants(name).len(), known as usize, "{name}::VARIANTS");
    }
}

#[test]
fn integers() {
    let mut text = format!("{NOTE}# type, value, bytes in hex\n");
    let edges = [0, 1, 250, 251, 252, 255, 256, 0xffff, 0x1_0000, 0xffff_ffff, 0x1_0000_0000, u64::MAX];
    for value in edges {
        let bytes = encoder::unsigned(value);
        assert_eq!(codec::encode_value(&value).unwrap(), bytes);
        assert_eq!(codec::decode_value::<u64>(&bytes), Ok(value));
        assert_eq!(codec::decode_value::<u32>(&bytes).ok(), u32::try_from(value).ok());
        assert_eq!(codec::decode_value::<u16>(&bytes).ok(), u16::try_from(value).ok());
        writeln!(text, "unsigned\t{value}\t{}", hex(&bytes)).unwrap();
    }
    for value in [0, -1, 1, -2, 125, -126, 126, -60_000_000, i64::MAX, i64::MIN] {
        let bytes = encoder::signed(value);
        assert_eq!(codec::encode_value(&value).unwrap(), bytes);
        assert_eq!(codec::decode_value::<i64>(&bytes), Ok(value));
        writeln!(text, "signed\t{value}\t{}", hex(&bytes)).unwrap();
    }
    for value in
        [0, 1, 37, 63, 64, 15_293, 16_383, 16_384, 494_878_333, (1 << 30) - 1, 1 << 30, (1 << 62) - 1]
    {
        let mut buffer = [0; VARINT_MAX];
        let bytes = codec::write_varint(value, &mut buffer);
        assert_eq!(codec::varint_len(bytes[0]), bytes.len());
        assert_eq!(codec::read_varint(bytes), value);
        writeln!(text, "length\t{value}\t{}", hex(bytes)).unwrap();
    }
    // RFC 9000, A.1: a varint may be longer than it needs to be.
    assert_eq!(codec::read_varint(&[0x40, 0x25]), 37);
    writeln!(text, "length, longer than needed\t37\t4025").unwrap();
    check("integers.tsv", &text);
}

#[test]
fn close_codes() {
    let mut text = format!("{NOTE}# number, name\n");
    for code in Code::ALL {
        assert_eq!(Code::from_value(u64::from(code.value())), Some(code));
        writeln!(text, "{}\t{}", code.value(), code.name()).unwrap();
    }
    let source = std::fs::read_to_string(crate::crate_dir().join("src/close.rs")).unwrap();
    let declared = source.lines().filter(|l| l.starts_with("    ") && l.contains(" = ") && l.ends_with(','));
    assert_eq!(declared.count(), Code::ALL.len(), "Code::ALL lists all codes");
    check("close_codes.tsv", &text);
}

/// What a reader makes of these bytes, as one word.
fn verdict<T: Frame>(bytes: &[u8]) -> &'static str {
    let mut buffer = FrameBuffer::default();
    buffer.extend(bytes);
    let result = match buffer.next_body(T::MAX) {
        Ok(None) => return "incomplete",
        Ok(Some(body)) => codec::decode::<T>(body).map(|_| ()),
        Err(error) => Err(error),
    };
    match result {
        Ok(()) => "accepted",
        Err(DecodeError::TooLong { .. }) => "too_long",
        Err(DecodeError::UnknownVariant(_)) => "unknown_variant",
        Err(DecodeError::Malformed) => "malformed",
        Err(DecodeError::TrailingBytes { .. }) => "trailing_bytes",
        Err(DecodeError::NotCanonical) => "not_canonical",
    }
}

#[test]
fn bytes_that_are_no_message() {
    // A move e2e4 with the id 7 on position 12: 1 Command, id, option on, 0 move, two bytes, no offer.
    let good: &[u8] = &[8, 1, 7, 1, 12, 0, 12, 28, 0];
    assert_eq!(verdict::<ToGame>(good), "accepted");
    let cases: [(&str, &[u8], &str); 18] = [
        ("nothing", &[], "incomplete"),
        ("a_prefix_without_its_second_byte", &[0x40], "incomplete"),
        ("a_body_cut_short", &[8, 1, 7, 1, 12, 0, 12, 28], "incomplete"),
        ("a_frame_of_16385_bytes", &[0x80, 0x00, 0x40, 0x01], "too_long"),
        ("a_frame_of_2_to_62_bytes", &[0xff; 8], "too_long"),
        ("an_empty_frame", &[0], "malformed"),
        ("a_frame_number_of_the_future", &[3, 3, 1, 2], "unknown_variant"),
        ("a_frame_number_of_the_far_future", &[4, 251, 0x00, 0x40, 9], "unknown_variant"),
        ("the_move_ends_early", &[6, 1, 7, 1, 12, 0, 12], "malformed"),
        ("a_byte_too_many", &[9, 1, 7, 1, 12, 0, 12, 28, 0, 0], "trailing_bytes"),
        ("an_id_of_7_in_three_bytes", &[10, 1, 251, 7, 0, 1, 12, 0, 12, 28, 0], "not_canonical"),
        ("a_frame_number_of_1_in_three_bytes", &[10, 251, 1, 0, 7, 1, 12, 0, 12, 28, 0], "not_canonical"),
        ("an_id_marked_as_128_bits", &[5, 1, 254, 0, 0, 0], "malformed"),
        ("an_integer_with_the_reserved_mark", &[5, 1, 255, 0, 0, 0], "malformed"),
        ("a_flag_that_is_2", &[8, 1, 7, 1, 12, 0, 12, 28, 2], "malformed"),
        ("an_option_that_is_2", &[8, 1, 7, 2, 12, 0, 12, 28, 0], "malformed"),
        ("a_promotion_of_5", &[8, 1, 7, 1, 12, 0, 0x4c, 0x5c, 0], "malformed"),
        ("a_command_of_the_future", &[6, 1, 7, 0, 200, 0, 0], "malformed"),
    ];
    let mut text =
        format!("{NOTE}# name, bytes on the stream of a game (client to server) in hex, verdict\n");
    for (name, bytes, expected) in cases {
        assert_eq!(verdict::<ToGame>(bytes), expected, "{name}");
        writeln!(text, "{name}\t{}\t{expected}", hex(bytes)).unwrap();
    }
    check("rejected.tsv", &text);
}
