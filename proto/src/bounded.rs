//! Texts and lists that cannot outgrow their frame.
//!
//! A length on the wire is a claim. Decoding here never reserves memory for a claim: a text is
//! checked against the bytes that are really there, and a list grows as its elements arrive, each
//! of which takes at least a byte (no element type is zero-sized). So memory stays within a small
//! multiple of the frame.

use serde::de::{Error as _, SeqAccess, Visitor};
use serde::ser::SerializeSeq;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

/// A text or a list was longer than its bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLong {
    /// The bound: bytes of a text, elements of a list.
    pub max: usize,
}

impl fmt::Display for TooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "longer than {}", self.max)
    }
}

impl std::error::Error for TooLong {}

/// A UTF-8 text of at most `MAX` bytes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Text<const MAX: usize>(Box<str>);

impl<const MAX: usize> Text<MAX> {
    /// `text`, if it is short enough.
    pub fn new(text: &str) -> Result<Self, TooLong> {
        if text.len() > MAX { Err(TooLong { max: MAX }) } else { Ok(Text(text.into())) }
    }

    /// As much of the start of `text` as fits, cut between characters.
    pub fn cut(text: &str) -> Self {
        Text(text[..text.floor_char_boundary(MAX)].into())
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<const MAX: usize> Deref for Text<MAX> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl<const MAX: usize> fmt::Display for Text<MAX> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<const MAX: usize> fmt::Debug for Text<MAX> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.0, f)
    }
}

impl<const MAX: usize> TryFrom<&str> for Text<MAX> {
    type Error = TooLong;

    fn try_from(text: &str) -> Result<Self, TooLong> {
        Text::new(text)
    }
}

impl<const MAX: usize> Serialize for Text<MAX> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de, const MAX: usize> Deserialize<'de> for Text<MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read<const MAX: usize>;
        impl<const MAX: usize> Visitor<'_> for Read<MAX> {
            type Value = Text<MAX>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "a text of at most {MAX} bytes")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Text<MAX>, E> {
                Text::new(text).map_err(E::custom)
            }
        }
        deserializer.deserialize_str(Read)
    }
}

/// A list of at most `MAX` elements.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct List<T, const MAX: usize>(Vec<T>);

impl<T, const MAX: usize> List<T, MAX> {
    /// `items`, if they are few enough.
    pub fn new(items: Vec<T>) -> Result<Self, TooLong> {
        const { assert!(size_of::<T>() > 0, "a zero-sized element would cost no byte of the frame") };
        if items.len() > MAX { Err(TooLong { max: MAX }) } else { Ok(List(items)) }
    }

    /// The first of `items`, as many as fit.
    pub fn cut(mut items: Vec<T>) -> Self {
        items.truncate(MAX);
        List(items)
    }

    /// Adds an element at the end.
    pub fn push(&mut self, item: T) -> Result<(), TooLong> {
        if self.0.len() == MAX {
            return Err(TooLong { max: MAX });
        }
        self.0.push(item);
        Ok(())
    }

    /// The elements.
    pub fn into_vec(self) -> Vec<T> {
        self.0
    }
}

impl<T, const MAX: usize> Default for List<T, MAX> {
    fn default() -> Self {
        List(Vec::new())
    }
}

impl<T, const MAX: usize> Deref for List<T, MAX> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T: fmt::Debug, const MAX: usize> fmt::Debug for List<T, MAX> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl<'a, T, const MAX: usize> IntoIterator for &'a List<T, MAX> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl<T, const MAX: usize> IntoIterator for List<T, MAX> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<T: Serialize, const MAX: usize> Serialize for List<T, MAX> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut seq = serializer.serialize_seq(Some(self.0.len()))?;
        for item in &self.0 {
            seq.serialize_element(item)?;
        }
        seq.end()
    }
}

impl<'de, T: Deserialize<'de>, const MAX: usize> Deserialize<'de> for List<T, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read<T, const MAX: usize>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>, const MAX: usize> Visitor<'de> for Read<T, MAX> {
            type Value = List<T, MAX>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "a list of at most {MAX} elements")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<List<T, MAX>, A::Error> {
                if seq.size_hint().is_some_and(|claimed| claimed > MAX) {
                    return Err(A::Error::custom(TooLong { max: MAX }));
                }
                let mut items = Vec::new();
                while let Some(item) = seq.next_element()? {
                    if items.len() == MAX {
                        return Err(A::Error::custom(TooLong { max: MAX }));
                    }
                    items.push(item);
                }
                Ok(List(items))
            }
        }
        deserializer.deserialize_seq(Read(PhantomData))
    }
}
