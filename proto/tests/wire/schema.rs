//! The types of the wire, read from the source of this crate.

use std::collections::BTreeMap;
use syn::{Attribute, Expr, Fields, GenericArgument, Item, Lit, Meta, PathArguments, Type as Syntax};
use zeitnot_proto::Refusal;

/// How a value is laid out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Type {
    /// One byte, 0 or 1.
    Bool,
    /// One byte as it is.
    U8,
    /// An unsigned integer of at most so many bits.
    Unsigned(u32),
    /// A signed integer of 64 bits.
    Signed,
    /// UTF-8 of at most so many bytes.
    Text(u64),
    /// At most so many elements.
    List(Box<Type>, u64),
    Option(Box<Type>),
    /// Ok or Err.
    Result(Box<Type>, Box<Type>),
    /// White's, then Black's.
    ByColor(Box<Type>),
    /// A type with a section of its own.
    Named(String),
}

/// A field of a structure or of a variant.
#[derive(Debug, Clone)]
pub struct Field {
    /// Its name in JSON.
    pub name: String,
    pub ty: Type,
    pub doc: String,
}

#[derive(Debug, Clone)]
pub struct Variant {
    /// Its name in JSON.
    pub name: String,
    /// What it holds; a field without a name for a value that stands alone.
    pub fields: Vec<Field>,
    pub doc: String,
}

#[derive(Debug, Clone)]
pub enum Shape {
    Struct(Vec<Field>),
    Enum(Vec<Variant>),
    /// A number with a name; it is laid out like what it holds.
    Number(Type),
    /// Has an encoding of its own, described in prose: `Move`, `Square`, `Score`, `TimeControl`.
    Special,
}

#[derive(Debug, Clone)]
pub struct Definition {
    pub doc: String,
    pub shape: Shape,
}

/// All types by name.
pub struct Schema {
    pub types: BTreeMap<String, Definition>,
    aliases: BTreeMap<String, Syntax>,
    limits: BTreeMap<String, u64>,
}

/// The types that write themselves by hand.
pub const SPECIAL: [&str; 4] = ["Move", "Square", "Score", "TimeControl"];

/// The frames, each with who sends it and where.
pub const FRAMES: [(&str, &str); 4] = [
    ("ToServer", "client to server, control stream"),
    ("ToClient", "server to client, control stream"),
    ("ToGame", "client to server, stream of a game"),
    ("FromGame", "server to client, stream of a game"),
];

impl Schema {
    /// Reads the source.
    pub fn read() -> Schema {
        let mut schema = Schema { types: BTreeMap::new(), aliases: BTreeMap::new(), limits: BTreeMap::new() };
        let mut items = Vec::new();
        for file in std::fs::read_dir(crate::crate_dir().join("src")).unwrap() {
            let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
            items.extend(syn::parse_file(&text).unwrap().items);
        }
        // Limits and aliases first: the types refer to them.
        for item in &items {
            match item {
                Item::Const(c) => {
                    if let Some(value) = number(&c.expr) {
                        schema.limits.insert(c.ident.to_string(), value);
                    }
                }
                Item::Type(alias) => {
                    schema.aliases.insert(alias.ident.to_string(), (*alias.ty).clone());
                }
                _ => {}
            }
        }
        for item in &items {
            schema.add(item);
        }
        schema.types.insert("Refusal".into(), refusals());
        schema
    }

    /// The definition of a type that must exist.
    pub fn get(&self, name: &str) -> &Definition {
        self.types.get(name).unwrap_or_else(|| panic!("no type {name} in the source"))
    }

    /// The variants of an enum that must exist.
    pub fn variants(&self, name: &str) -> &[Variant] {
        match &self.get(name).shape {
            Shape::Enum(variants) => variants,
            other => panic!("{name} is no enum: {other:?}"),
        }
    }

    fn add(&mut self, item: &Item) {
        let (name, attributes, shape) = match item {
            Item::Struct(s) if travels(&s.attrs) || SPECIAL.contains(&&*s.ident.to_string()) => {
                let shape = match &s.fields {
                    _ if SPECIAL.contains(&&*s.ident.to_string()) => Shape::Special,
                    Fields::Named(_) => Shape::Struct(self.fields(&s.fields)),
                    _ => Shape::Number(self.fields(&s.fields).remove(0).ty),
                };
                (&s.ident, &s.attrs, shape)
            }
            Item::Enum(e) if travels(&e.attrs) => {
                let variants = e
                    .variants
                    .iter()
                    .map(|v| Variant {
                        name: renamed(&v.attrs).unwrap_or_else(|| snake_case(&v.ident.to_string())),
                        fields: self.fields(&v.fields),
                        doc: doc(&v.attrs),
                    })
                    .collect();
                (&e.ident, &e.attrs, Shape::Enum(variants))
            }
            _ => return,
        };
        self.types.insert(name.to_string(), Definition { doc: doc(attributes), shape });
    }

    fn fields(&self, fields: &Fields) -> Vec<Field> {
        fields
            .iter()
            .map(|f| Field {
                name: renamed(&f.attrs)
                    .unwrap_or_else(|| f.ident.as_ref().map_or(String::new(), ToString::to_string)),
                ty: self.resolve(&f.ty),
                doc: doc(&f.attrs),
            })
            .collect()
    }

    fn resolve(&self, syntax: &Syntax) -> Type {
        let Syntax::Path(path) = syntax else { panic!("a type of this kind does not travel") };
        let segment = path.path.segments.last().unwrap();
        let arguments = match &segment.arguments {
            PathArguments::AngleBracketed(a) => a.args.iter().collect(),
            _ => Vec::new(),
        };
        let inner = |i: usize| match arguments[i] {
            GenericArgument::Type(t) => Box::new(self.resolve(t)),
            _ => panic!("a type was expected"),
        };
        match &*segment.ident.to_string() {
            "bool" => Type::Bool,
            "u8" => Type::U8,
            "u16" => Type::Unsigned(16),
            "u32" => Type::Unsigned(32),
            "u64" => Type::Unsigned(64),
            "i64" => Type::Signed,
            "Text" => Type::Text(self.limit(arguments[0])),
            "List" => Type::List(inner(0), self.limit(arguments[1])),
            "Option" => Type::Option(inner(0)),
            "Result" => Type::Result(inner(0), inner(1)),
            "ByColor" => Type::ByColor(inner(0)),
            "Box" => *inner(0),
            "T" => Type::Named("T".into()),
            name => match self.aliases.get(name) {
                Some(alias) => self.resolve(alias),
                None => Type::Named(name.into()),
            },
        }
    }

    /// The bound that a generic argument names or says.
    fn limit(&self, argument: &GenericArgument) -> u64 {
        match argument {
            GenericArgument::Const(expr) => number(expr).unwrap(),
            GenericArgument::Type(Syntax::Path(path)) => {
                let name = path.path.segments.last().unwrap().ident.to_string();
                self.limits.get(&name).copied().unwrap_or(0)
            }
            _ => panic!("a bound was expected"),
        }
    }
}

/// The refusals stand in a macro; the crate itself lists them.
fn refusals() -> Definition {
    let variants = Refusal::ALL
        .iter()
        .map(|r| Variant { name: r.name().into(), fields: Vec::new(), doc: r.advice().into() })
        .collect();
    let doc = "Why a command or a request was refused. Each has a sentence that says what to do next.".into();
    Definition { doc, shape: Shape::Enum(variants) }
}

/// Whether serde is derived.
fn travels(attributes: &[Attribute]) -> bool {
    let mut derived = false;
    for attribute in attributes.iter().filter(|a| a.path().is_ident("derive")) {
        let _ = attribute.parse_nested_meta(|meta| {
            derived |= meta.path.segments.last().is_some_and(|s| s.ident == "Deserialize");
            Ok(())
        });
    }
    derived
}

/// The name that serde is told to use.
fn renamed(attributes: &[Attribute]) -> Option<String> {
    let mut name = None;
    for attribute in attributes.iter().filter(|a| a.path().is_ident("serde")) {
        let _ = attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("rename") {
                let lit: syn::LitStr = meta.value()?.parse()?;
                name = Some(lit.value());
            }
            Ok(())
        });
    }
    name
}

/// The documentation as one paragraph, without links of rustdoc.
fn doc(attributes: &[Attribute]) -> String {
    let mut lines = Vec::new();
    for attribute in attributes {
        let Meta::NameValue(pair) = &attribute.meta else { continue };
        if !pair.path.is_ident("doc") {
            continue;
        }
        if let Expr::Lit(lit) = &pair.value
            && let Lit::Str(text) = &lit.lit
        {
            lines.push(text.value().trim().to_string());
        }
    }
    lines.join(" ").replace("[`", "`").replace("`]", "`").trim().to_string()
}

/// The value of a constant made of numbers and products.
fn number(expr: &Expr) -> Option<u64> {
    match expr {
        Expr::Lit(lit) => match &lit.lit {
            Lit::Int(n) => n.base10_parse().ok(),
            _ => None,
        },
        Expr::Binary(b) if matches!(b.op, syn::BinOp::Mul(_)) => Some(number(&b.left)? * number(&b.right)?),
        _ => None,
    }
}

/// `MoveMade` as `move_made`.
fn snake_case(name: &str) -> String {
    let mut out = String::new();
    for (i, c) in name.char_indices() {
        if c.is_ascii_uppercase() && i > 0 {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}
