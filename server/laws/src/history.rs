//! A list that every decision copies and that changes only at its end.

use std::fmt;
use std::sync::Arc;

/// Entries of a block, and the most that a copy does not share.
const BLOCK: usize = 16;

/// A list of small values. A copy shares all but the last few of them, so that it costs the same after three
/// hundred moves as after three.
#[derive(Clone)]
pub(crate) struct History<T> {
    /// Full blocks, linked from the latest to the first.
    sealed: Option<Arc<Block<T>>>,
    /// What comes after them: never empty unless the whole list is.
    open: [T; BLOCK],
    /// How many entries of `open` count.
    used: usize,
}

struct Block<T> {
    entries: [T; BLOCK],
    before: Option<Arc<Block<T>>>,
    /// Entries of this block and all before it.
    length: usize,
}

impl<T: Copy + Default> History<T> {
    /// An empty list.
    pub fn new() -> History<T> {
        History { sealed: None, open: [T::default(); BLOCK], used: 0 }
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.sealed.as_ref().map_or(0, |block| block.length) + self.used
    }

    /// Adds an entry.
    pub fn push(&mut self, entry: T) {
        if self.used == BLOCK {
            let length = self.len();
            self.sealed = Some(Arc::new(Block { entries: self.open, before: self.sealed.take(), length }));
            self.used = 0;
        }
        self.open[self.used] = entry;
        self.used += 1;
    }

    /// Drops all entries after the first `length`.
    pub fn truncate(&mut self, length: usize) {
        while length < self.len() {
            let sealed = self.len() - self.used;
            self.used = length.saturating_sub(sealed);
            if self.used == 0
                && let Some(block) = self.sealed.take()
            {
                self.open = block.entries;
                self.used = BLOCK;
                self.sealed.clone_from(&block.before);
            }
        }
    }

    /// Drops all entries.
    pub fn clear(&mut self) {
        self.truncate(0);
    }

    /// The last entry.
    pub fn last(&self) -> Option<&T> {
        self.open[..self.used].last()
    }

    /// The last entry, to be changed.
    pub fn last_mut(&mut self) -> Option<&mut T> {
        self.open[..self.used].last_mut()
    }

    /// The entry at this index.
    pub fn get(&self, index: usize) -> Option<T> {
        let mut before = self.len() - self.used;
        if index >= before {
            return self.open[..self.used].get(index - before).copied();
        }
        let mut block = self.sealed.as_deref();
        while let Some(found) = block {
            before -= BLOCK;
            if index >= before {
                return found.entries.get(index - before).copied();
            }
            block = found.before.as_deref();
        }
        None
    }

    /// The entries from the last to the first.
    pub fn latest_first(&self) -> impl Iterator<Item = T> + '_ {
        let sealed = std::iter::successors(self.sealed.as_deref(), |block| block.before.as_deref());
        let sealed = sealed.flat_map(|block| block.entries.iter().rev());
        self.open[..self.used].iter().rev().chain(sealed).copied()
    }

    /// The entries from the first to the last.
    pub fn to_vec(&self) -> Vec<T> {
        let mut entries: Vec<T> = self.latest_first().collect();
        entries.reverse();
        entries
    }
}

impl<T: Copy + Default + PartialEq> PartialEq for History<T> {
    fn eq(&self, other: &History<T>) -> bool {
        self.latest_first().eq(other.latest_first())
    }
}

impl<T: Copy + Default + Eq> Eq for History<T> {}

impl<T: Copy + Default + fmt::Debug> fmt::Debug for History<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.to_vec()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[derive(Debug, Clone)]
    enum Deed {
        Push(u8),
        Truncate(usize),
        Clear,
        Change(u8),
    }

    fn deeds() -> impl Strategy<Value = Vec<Deed>> {
        let deed = prop_oneof![
            40 => any::<u8>().prop_map(Deed::Push),
            2 => (0..90usize).prop_map(Deed::Truncate),
            1 => Just(Deed::Clear),
            2 => any::<u8>().prop_map(Deed::Change),
        ];
        proptest::collection::vec(deed, 0..200)
    }

    proptest! {
        /// It is the list that it stands for, and so is each copy taken on the way.
        #[test]
        fn it_is_a_list(deeds in deeds()) {
            let (mut history, mut list) = (History::new(), Vec::new());
            let mut copies = Vec::new();
            for deed in deeds {
                copies.push((history.clone(), list.clone()));
                match deed {
                    Deed::Push(entry) => {
                        history.push(entry);
                        list.push(entry);
                    }
                    Deed::Truncate(length) => {
                        history.truncate(length);
                        list.truncate(length);
                    }
                    Deed::Clear => {
                        history.clear();
                        list.clear();
                    }
                    Deed::Change(entry) => {
                        if let Some(last) = history.last_mut() {
                            *last = entry;
                        }
                        if let Some(last) = list.last_mut() {
                            *last = entry;
                        }
                    }
                }
                copies.push((history.clone(), list.clone()));
            }
            for (history, list) in copies {
                prop_assert_eq!(history.to_vec(), list.clone());
                prop_assert_eq!(history.len(), list.len());
                prop_assert_eq!(history.last(), list.last());
                for index in 0..=list.len() {
                    prop_assert_eq!(history.get(index), list.get(index).copied());
                }
            }
        }
    }
}
