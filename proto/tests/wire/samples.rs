//! Values of every type, encoded: every variant of every enum, both arms of every option, lists with
//! and without elements.

use crate::encoder;
use crate::schema::{Field, Schema, Shape, Type};
use std::collections::BTreeSet;

/// An encoded value and what is particular about it, as a path (`command.claim_draw.intended`).
pub struct Sample {
    pub label: String,
    pub bytes: Vec<u8>,
}

/// Makes samples. A named type is varied where it first occurs and plain from there on.
pub struct Sampler<'a> {
    schema: &'a Schema,
    varied: BTreeSet<String>,
}

impl<'a> Sampler<'a> {
    pub fn new(schema: &'a Schema) -> Sampler<'a> {
        Sampler { schema, varied: BTreeSet::new() }
    }

    /// All samples of an enum, each encoding once.
    pub fn all(&mut self, name: &str) -> Vec<Sample> {
        let mut samples = self.variations(&Type::Named(name.into()), "");
        let mut seen = BTreeSet::new();
        samples.retain(|s| seen.insert(s.bytes.clone()));
        samples
    }

    /// The plain value of a type, as it may stand in a field of this name.
    fn plain(&self, ty: &Type, field: &str) -> Vec<u8> {
        match ty {
            Type::Bool | Type::Option(_) | Type::List(..) => vec![0],
            Type::U8 => vec![3],
            Type::Unsigned(bits) => encoder::unsigned(plain_number(*bits, field)),
            Type::Signed => encoder::signed(-60_000_000),
            Type::Text(max) => encoder::text(plain_text(field, *max)),
            Type::Result(ok, _) => encoder::variant(0, &self.plain(ok, field)),
            Type::ByColor(inner) => [self.plain(inner, "white"), self.plain(inner, "black")].concat(),
            Type::Named(name) => match &self.schema.get(name).shape {
                Shape::Struct(fields) => self.plain_fields(fields),
                Shape::Enum(variants) => encoder::variant(0, &self.plain_fields(&variants[0].fields)),
                Shape::Number(inner) => self.plain(inner, if name == "Stamp" { "stamp" } else { field }),
                Shape::Special => special(name).swap_remove(0).bytes,
            },
        }
    }

    fn plain_fields(&self, fields: &[Field]) -> Vec<u8> {
        fields.iter().flat_map(|f| self.plain(&f.ty, &f.name)).collect()
    }

    /// The values of a type that show something which the plain one does not.
    fn variations(&mut self, ty: &Type, field: &str) -> Vec<Sample> {
        match ty {
            Type::Bool => vec![sample("true", vec![1])],
            Type::U8 | Type::Signed | Type::Unsigned(_) | Type::Text(_) => Vec::new(),
            Type::Option(inner) => {
                let mut some = vec![sample("some", self.plain(inner, field))];
                some.extend(self.variations(inner, field));
                some.into_iter().map(|s| Sample { bytes: encoder::option(Some(&s.bytes)), ..s }).collect()
            }
            Type::List(inner, _) => {
                let plain = self.plain(inner, field);
                let mut lists = vec![sample("two", encoder::list(&[plain.clone(), plain.clone()]))];
                for s in self.variations(inner, field) {
                    lists.push(Sample { bytes: encoder::list(&[s.bytes]), ..s });
                }
                lists
            }
            Type::Result(ok, err) => {
                let mut results = Vec::new();
                for s in self.variations(ok, field) {
                    results.push(Sample { bytes: encoder::variant(0, &s.bytes), label: s.label });
                }
                let mut errors = vec![sample("", self.plain(err, field))];
                errors.extend(self.variations(err, field));
                for s in errors {
                    results
                        .push(Sample { bytes: encoder::variant(1, &s.bytes), label: join("err", &s.label) });
                }
                results
            }
            Type::ByColor(inner) => {
                let (white, black) = (self.plain(inner, "white"), self.plain(inner, "black"));
                let mut both = Vec::new();
                for s in self.variations(inner, "white") {
                    both.push(sample(&join("white", &s.label), [s.bytes.clone(), black.clone()].concat()));
                    both.push(sample(&join("black", &s.label), [white.clone(), s.bytes].concat()));
                }
                both
            }
            Type::Named(name) => self.variations_of_named(name, field),
        }
    }

    fn variations_of_named(&mut self, name: &str, field: &str) -> Vec<Sample> {
        if !self.varied.insert(name.into()) {
            return Vec::new();
        }
        match &self.schema.get(name).shape {
            Shape::Struct(fields) => self.variations_of_fields(fields),
            Shape::Enum(variants) => {
                let mut samples = Vec::new();
                for (number, v) in variants.iter().enumerate() {
                    let plain = self.plain_fields(&v.fields);
                    samples.push(sample(&v.name, encoder::variant(number, &plain)));
                    for s in self.variations_of_fields(&v.fields) {
                        let bytes = encoder::variant(number, &s.bytes);
                        samples.push(Sample { label: join(&v.name, &s.label), bytes });
                    }
                }
                samples
            }
            Shape::Number(inner) => self.variations(inner, field),
            Shape::Special => special(name).split_off(1),
        }
    }

    /// Each field varied in turn, the others plain.
    fn variations_of_fields(&mut self, fields: &[Field]) -> Vec<Sample> {
        let mut samples = Vec::new();
        for (i, f) in fields.iter().enumerate() {
            let before = self.plain_fields(&fields[..i]);
            let after = self.plain_fields(&fields[i + 1..]);
            for s in self.variations(&f.ty, &f.name) {
                let bytes = [before.as_slice(), &s.bytes, &after].concat();
                samples.push(Sample { label: join(&f.name, &s.label), bytes });
            }
        }
        samples
    }
}

fn sample(label: &str, bytes: Vec<u8>) -> Sample {
    Sample { label: label.into(), bytes }
}

fn join(head: &str, tail: &str) -> String {
    match (head, tail) {
        ("", label) | (label, "") => label.into(),
        _ => format!("{head}.{tail}"),
    }
}

/// A number that looks like what the field holds, and takes one, three, five or nine bytes.
fn plain_number(bits: u32, field: &str) -> u64 {
    match field {
        "stamp" => 1_764_450_000_000_000,
        "game" => 41,
        "id" => 7,
        "retry_after_us" => 5_000_000,
        "elapsed_us" | "charged_us" => 2_345_678,
        "compensated_us" => 45_000,
        "white" if bits == 64 => 178_000_000,
        _ if field.ends_with("_us") => 180_000_000,
        "protocol" => 1,
        _ if bits == 16 => 2,
        "positions" => 1_234,
        _ => 12,
    }
}

/// A text that looks like what the field holds.
fn plain_text(field: &str, max: u64) -> &'static str {
    match field {
        "black" => "Bogoljubow",
        "fen" => "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1",
        "article" => "9.2",
        "san" => "Nf3",
        "reason" | "text" => "Störung im Saal",
        "guest_token" => "6d0f3c",
        "client" | "server" => "example/1.0",
        "topic" => "draw_claim",
        "name" | "by" | "to" | "white" | "" if max == 32 => "Aljechin",
        "event" => "",
        "title" => "GM",
        "federation" => "LAT",
        "round" => "3.1",
        "name" => "flag_mode",
        _ if max > 1000 => "[White \"Aljechin\"]\n\n1. e4 *\n",
        _ => "word",
    }
}

/// The types with an encoding of their own, the plain value first.
fn special(name: &str) -> Vec<Sample> {
    // Squares: a1 is 0, b1 is 1, h8 is 63.
    let of = |from: u8, to: u8, promotion: u8| vec![from | (promotion & 3) << 6, to | (promotion >> 2) << 6];
    match name {
        "Square" => vec![sample("", vec![12]), sample("a1", vec![0]), sample("h8", vec![63])],
        "Move" => vec![
            sample("", of(12, 28, 0)),
            sample("a7a8n", of(48, 56, 1)),
            sample("a7b8b", of(48, 57, 2)),
            sample("h7h8r", of(55, 63, 3)),
            sample("e2d1q", of(12, 3, 4)),
        ],
        "Score" => vec![sample("win", vec![1, 1]), sample("draw", vec![1, 2]), sample("loss", vec![0, 1])],
        "TimeControl" => time_controls(),
        _ => panic!("{name} has no samples"),
    }
}

fn time_controls() -> Vec<Sample> {
    const SECOND: u64 = 1_000_000;
    let period = |moves: Option<u64>, base: u64, added: usize, by: u64| {
        let moves = encoder::option(moves.map(encoder::unsigned).as_deref());
        let by = if added == 0 { Vec::new() } else { encoder::unsigned(by) };
        [moves, encoder::unsigned(base), encoder::variant(added, &by)].concat()
    };
    let control = |periods: &[Vec<u8>], repeats: u8| [encoder::list(periods), vec![repeats]].concat();
    let first = period(Some(40), 5400 * SECOND, 1, 30 * SECOND);
    let long = period(Some(40), 7200 * SECOND, 0, 0);
    vec![
        sample("", control(&[period(None, 300 * SECOND, 1, 3 * SECOND)], 0)),
        sample("untimed", control(&[], 0)),
        sample("periods", control(&[first, period(None, 1800 * SECOND, 1, 30 * SECOND)], 0)),
        sample("repeats", control(&[long, period(Some(20), 3600 * SECOND, 0, 0)], 1)),
        sample("delay", control(&[period(None, 300 * SECOND, 2, 5 * SECOND)], 0)),
        sample("bronstein", control(&[period(None, 300 * SECOND, 3, 5 * SECOND)], 0)),
        sample("fraction", control(&[period(None, 1_500_000, 0, 0)], 0)),
    ]
}
