//! `PROTOCOL.md`: its reference part is written from the types, and its prose has to name every code
//! and every bound.

use crate::schema::{Definition, FRAMES, Field, SPECIAL, Schema, Shape, Type};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use zeitnot_proto::close::Code;
use zeitnot_proto::limits;

const BEGIN: &str = "<!-- reference: written from the types by the tests of this crate -->\n";
const END: &str = "<!-- end of the reference -->\n";

/// How the reference names a type.
fn name(ty: &Type) -> String {
    match ty {
        Type::Bool => "flag".into(),
        Type::U8 => "byte".into(),
        Type::Unsigned(bits) => format!("u{bits}"),
        Type::Signed => "i64".into(),
        Type::Text(max) => format!("text({max})"),
        Type::List(inner, max) => format!("list({max}) of {}", name(inner)),
        Type::Option(inner) => format!("option of {}", name(inner)),
        Type::Result(ok, err) => format!("result of {} or {}", name(ok), name(err)),
        Type::ByColor(inner) => format!("both of {}", name(inner)),
        Type::Named(n) if SPECIAL.contains(&&**n) => format!("[{n}](#13-values)"),
        Type::Named(n) => format!("[{n}](#{})", n.to_lowercase()),
    }
}

/// The types that a type refers to, in order.
fn referred<'a>(ty: &'a Type, out: &mut Vec<&'a str>) {
    match ty {
        Type::List(t, _) | Type::Option(t) | Type::ByColor(t) => referred(t, out),
        Type::Result(ok, err) => {
            referred(ok, out);
            referred(err, out);
        }
        Type::Named(n) => out.push(n),
        _ => {}
    }
}

fn children(definition: &Definition) -> Vec<&str> {
    let mut out = Vec::new();
    match &definition.shape {
        Shape::Struct(fields) => fields.iter().for_each(|f| referred(&f.ty, &mut out)),
        Shape::Enum(variants) => {
            variants.iter().flat_map(|v| &v.fields).for_each(|f| referred(&f.ty, &mut out));
        }
        Shape::Number(inner) => referred(inner, &mut out),
        Shape::Special => {}
    }
    out
}

fn cell(doc: &str) -> String {
    doc.replace('|', "\\|")
}

fn field_rows(out: &mut String, fields: &[Field], indent: &str) {
    for f in fields {
        let label = if f.name.is_empty() { "(value)".into() } else { format!("`{}`", f.name) };
        writeln!(out, "| {indent}{label} | {} | {} |", name(&f.ty), cell(&f.doc)).unwrap();
    }
}

/// The section of one type.
fn section(out: &mut String, title: &str, definition: &Definition) {
    writeln!(out, "### {title}\n\n{}\n", definition.doc).unwrap();
    match &definition.shape {
        Shape::Struct(fields) => {
            out.push_str("| field | type | meaning |\n|---|---|---|\n");
            field_rows(out, fields, "");
        }
        Shape::Enum(variants) => {
            out.push_str("| number | variant | holds | meaning |\n|---|---|---|---|\n");
            for (number, v) in variants.iter().enumerate() {
                let single = matches!(&*v.fields, [f] if f.name.is_empty());
                let holds = if single { name(&v.fields[0].ty) } else { String::new() };
                writeln!(out, "| {number} | `{}` | {holds} | {} |", v.name, cell(&v.doc)).unwrap();
                if !single {
                    field_rows(out, &v.fields, "| ");
                }
            }
        }
        Shape::Number(inner) => writeln!(out, "Laid out as {}.", name(inner)).unwrap(),
        Shape::Special => panic!("{title} is described in prose"),
    }
    out.push('\n');
}

/// The reference: the frames, and each type after the first that refers to it.
fn reference(schema: &Schema) -> String {
    let mut out = String::new();
    let mut done: BTreeSet<&str> = SPECIAL.into_iter().collect();
    let mut queue: Vec<&str> = FRAMES.iter().rev().map(|(name, _)| *name).collect();
    queue.splice(0..0, ["Period"]);
    let direction: BTreeMap<_, _> = FRAMES.into_iter().collect();
    while let Some(next) = queue.pop() {
        if !done.insert(next) {
            continue;
        }
        let definition = schema.get(next);
        section(&mut out, next, definition);
        if let Some(direction) = direction.get(next) {
            let at = out.rfind("\n\n|").unwrap();
            out.insert_str(at, &format!("\n\nA frame: {direction}."));
        }
        queue.extend(children(definition).into_iter().rev());
    }
    out
}

#[test]
fn the_reference_follows_the_types() {
    let path = crate::crate_dir().join("PROTOCOL.md");
    let written = std::fs::read_to_string(&path).unwrap();
    let (head, rest) = written.split_once(BEGIN).expect("the mark where the reference begins");
    let (_, tail) = rest.split_once(END).expect("the mark where the reference ends");
    let text = format!("{head}{BEGIN}\n{}{END}{tail}", reference(&Schema::read()));
    crate::check_or_bless(&path, &text, crate::Blessing::Rewrites);
}

#[test]
fn the_prose_names_codes_and_bounds() {
    let text = std::fs::read_to_string(crate::crate_dir().join("PROTOCOL.md")).unwrap();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for code in Code::ALL {
        let row = format!("| {} | `{}` |", code.value(), code.name());
        assert!(text.contains(&row), "no row {row}");
    }
    for (bound, what) in [
        (limits::CLIENT_FRAME_MAX, "a frame from a client"),
        (limits::SERVER_FRAME_MAX, "a frame from the server"),
        (limits::PAGE_MAX, "a page"),
        (limits::PLIES_MAX, "half-moves of a game"),
        (limits::PERIODS_MAX, "periods"),
    ] {
        assert!(text.contains(&format!(" {bound} ")), "{what} ({bound}) is not said");
    }
    let prose = text.split(BEGIN.trim()).next().unwrap();
    for request in Schema::read().variants("Request") {
        assert!(
            prose.contains(&format!("`{}`", request.name)),
            "what `{}` is answered is not said",
            request.name
        );
    }
    let alpn = std::str::from_utf8(zeitnot_proto::ALPN).unwrap();
    assert!(text.contains(&format!("`{alpn}`")));
}
