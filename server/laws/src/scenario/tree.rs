//! TOML with the line of every value, and the laying of a variant over its file.

use super::FormError;
use std::collections::BTreeMap;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A value and the line it stands on.
#[derive(Debug, Clone)]
pub(super) struct Tree {
    pub line: usize,
    pub node: Node,
}

#[derive(Debug, Clone)]
pub(super) enum Node {
    Text(String),
    Count(i64),
    Flag(bool),
    List(Vec<Tree>),
    Table(BTreeMap<String, Tree>),
    /// A float or a date: nothing here takes one.
    Other,
}

impl Tree {
    pub fn parse(text: &str) -> Result<Tree, FormError> {
        let lines = Lines(text.match_indices('\n').map(|(at, _)| at).collect());
        let table = DeTable::parse(text).map_err(|error| FormError {
            line: error.span().map_or(1, |span| lines.of(span.start)),
            what: error.message().to_owned(),
        })?;
        Ok(lines.table(table.get_ref(), 1))
    }

    pub fn error<T>(&self, what: impl Into<String>) -> Result<T, FormError> {
        Err(FormError { line: self.line, what: what.into() })
    }

    /// The value of a key; of a table that is none, nothing.
    pub fn get(&self, key: &str) -> Option<&Tree> {
        match &self.node {
            Node::Table(table) => table.get(key),
            _ => None,
        }
    }

    pub fn need(&self, key: &str) -> Result<&Tree, FormError> {
        self.get(key).map_or_else(|| self.error(format!("no {key}")), Ok)
    }

    pub fn table(&self) -> Result<&BTreeMap<String, Tree>, FormError> {
        match &self.node {
            Node::Table(table) => Ok(table),
            _ => self.error("a table is wanted here"),
        }
    }

    pub fn list(&self) -> Result<&[Tree], FormError> {
        match &self.node {
            Node::List(list) => Ok(list),
            _ => self.error("a list is wanted here"),
        }
    }

    pub fn text(&self) -> Result<&str, FormError> {
        match &self.node {
            Node::Text(text) => Ok(text),
            _ => self.error("a text is wanted here"),
        }
    }

    pub fn flag(&self) -> Result<bool, FormError> {
        match self.node {
            Node::Flag(on) => Ok(on),
            _ => self.error("true or false is wanted here"),
        }
    }

    pub fn count(&self) -> Result<u64, FormError> {
        match self.node {
            Node::Count(n) if n >= 0 => Ok(n.unsigned_abs()),
            _ => self.error("a count is wanted here"),
        }
    }

    /// Refuses keys that are not among `known`.
    pub fn only(&self, known: &[&str]) -> Result<(), FormError> {
        match self.table()?.iter().find(|(key, _)| !known.contains(&key.as_str())) {
            Some((key, value)) => value.error(format!("unknown key {key}")),
            None => Ok(()),
        }
    }

    /// `over` laid over this: tables key by key, everything else as a whole.
    pub fn merge(&self, over: &Tree) -> Tree {
        let (Node::Table(base), Node::Table(laid)) = (&self.node, &over.node) else { return over.clone() };
        let mut table = base.clone();
        for (key, value) in laid {
            let merged = table.get(key).map_or_else(|| value.clone(), |below| below.merge(value));
            table.insert(key.clone(), merged);
        }
        Tree { line: over.line, node: Node::Table(table) }
    }
}

/// Where the lines of a text end.
struct Lines(Vec<usize>);

impl Lines {
    fn of(&self, at: usize) -> usize {
        self.0.partition_point(|&end| end < at) + 1
    }

    fn value(&self, value: &Spanned<DeValue<'_>>) -> Tree {
        let line = self.of(value.span().start);
        let node = match value.get_ref() {
            DeValue::String(text) => Node::Text(text.to_string()),
            DeValue::Integer(n) => {
                i64::from_str_radix(n.as_str(), n.radix()).map_or(Node::Other, Node::Count)
            }
            DeValue::Boolean(on) => Node::Flag(*on),
            DeValue::Array(list) => Node::List(list.iter().map(|item| self.value(item)).collect()),
            DeValue::Table(table) => return self.table(table, line),
            DeValue::Float(_) | DeValue::Datetime(_) => Node::Other,
        };
        Tree { line, node }
    }

    fn table(&self, table: &DeTable<'_>, line: usize) -> Tree {
        let entries = table.iter().map(|(key, value)| (key.get_ref().to_string(), self.value(value)));
        Tree { line, node: Node::Table(entries.collect()) }
    }
}
