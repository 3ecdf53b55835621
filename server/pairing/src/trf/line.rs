//! Fixed columns of a line, with errors that say where.

use super::TrfError;
use crate::points::Points;
use crate::round::Tpn;

/// A line by characters. Columns count from 1, as in the format's tables.
#[derive(Clone)]
pub(super) struct Line {
    pub(super) number: usize,
    chars: Vec<char>,
}

impl Line {
    pub(super) fn new(number: usize, text: &str) -> Self {
        Self { number, chars: text.chars().collect() }
    }

    pub(super) fn len(&self) -> usize {
        self.chars.len()
    }

    pub(super) fn error(&self, column: usize, message: impl Into<String>) -> TrfError {
        TrfError { line: self.number, column, message: message.into() }
    }

    /// The text of columns `from..=to`, without blanks around it.
    pub(super) fn text(&self, from: usize, to: usize) -> String {
        let to = to.min(self.chars.len());
        self.chars
            .get(from - 1..to)
            .map_or_else(String::new, |part| part.iter().collect::<String>().trim().to_owned())
    }

    /// Everything from a column on, without blanks around it.
    pub(super) fn rest(&self, from: usize) -> String {
        self.text(from, usize::MAX)
    }

    pub(super) fn char(&self, column: usize) -> char {
        self.chars.get(column - 1).copied().unwrap_or(' ')
    }

    /// A pairing number or nothing; `0000` is nothing.
    pub(super) fn tpn(&self, from: usize, to: usize) -> Result<Option<Tpn>, TrfError> {
        let text = self.text(from, to);
        if text.is_empty() {
            return Ok(None);
        }
        match text.parse::<Tpn>() {
            Ok(number) if number <= 9999 => Ok(Some(number).filter(|&n| n > 0)),
            _ => Err(self.error(from, format!("expected a pairing number from 1 to 9999, found '{text}'"))),
        }
    }

    pub(super) fn number<T: std::str::FromStr>(
        &self,
        from: usize,
        to: usize,
        what: &str,
    ) -> Result<Option<T>, TrfError> {
        let text = self.text(from, to);
        if text.is_empty() {
            return Ok(None);
        }
        text.parse().map(Some).map_err(|_| self.error(from, format!("expected {what}, found '{text}'")))
    }

    pub(super) fn points(&self, from: usize, to: usize) -> Result<Option<Points>, TrfError> {
        let text = self.text(from, to);
        if text.is_empty() {
            return Ok(None);
        }
        Points::parse(&text)
            .map(Some)
            .ok_or_else(|| self.error(from, format!("expected points such as 1.5, found '{text}'")))
    }

    /// Words from a column on, each with the column it begins at.
    pub(super) fn words(&self, from: usize) -> Vec<(usize, String)> {
        let mut words: Vec<(usize, String)> = Vec::new();
        let mut open = false;
        for (i, &c) in self.chars.iter().enumerate().skip(from - 1) {
            if c.is_whitespace() {
                open = false;
            } else if open && let Some((_, word)) = words.last_mut() {
                word.push(c);
            } else {
                words.push((i + 1, c.to_string()));
                open = true;
            }
        }
        words
    }

    /// Pairing numbers from a column on, by words.
    pub(super) fn tpns(&self, from: usize) -> Result<Vec<Tpn>, TrfError> {
        self.words(from)
            .into_iter()
            .map(|(column, word)| match word.parse::<Tpn>() {
                Ok(number) if (1..=9999).contains(&number) => Ok(number),
                _ => Err(self.error(column, format!("expected a pairing number, found '{word}'"))),
            })
            .collect()
    }
}
