//! The exact set of positions visited, which doubles as the tree of how they were reached.

use super::state::{Key, State, Step};

/// The root's parent.
pub(super) const NONE: u32 = u32::MAX;

#[derive(Clone, Copy)]
struct Node {
    key: Key,
    parent: u32,
    step: Option<Step>,
}

/// An open-addressing table over whole keys: hashes only choose the slot, equality is decided on the key, so
/// two positions never pass for one.
pub(super) struct Visited {
    nodes: Vec<Node>,
    /// High half: that of the hash, which chooses the slot and skips most comparisons. Low half: index + 1; zero
    /// is free.
    slots: Vec<u64>,
}

impl Visited {
    pub(super) fn new() -> Visited {
        Visited { nodes: Vec::with_capacity(64), slots: vec![0; 256] }
    }

    pub(super) fn clear(&mut self) {
        self.nodes.clear();
        self.slots.fill(0);
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Loads what [`Visited::insert_hashed`] will look at for all of `hashes`, so that the waits for memory
    /// overlap: in large sets they are most of the time.
    pub(super) fn warm(&self, hashes: impl Iterator<Item = u64> + Clone) {
        let mask = self.slots.len() - 1;
        let entry = |hash: u64| (hash, self.slots[slot(hash, mask)]);
        let slots = hashes.clone().fold(0, |all, hash| all ^ entry(hash).1);
        let matching = hashes.map(entry).filter(|(hash, entry)| *entry != 0 && entry & TAG == hash & TAG);
        let keys = matching.fold(0, |all, (_, entry)| all ^ self.nodes[index(entry)].key[0]);
        std::hint::black_box(slots ^ keys);
    }

    /// Adds a position; its number if it is new.
    pub(super) fn insert(&mut self, key: Key, parent: u32, step: Option<Step>) -> Option<u32> {
        self.insert_hashed(key, hash(&key), parent, step)
    }

    /// As [`Visited::insert`], with the key's hash at hand.
    pub(super) fn insert_hashed(
        &mut self,
        key: Key,
        hash: u64,
        parent: u32,
        step: Option<Step>,
    ) -> Option<u32> {
        if self.nodes.len() * 2 >= self.slots.len() {
            self.grow();
        }
        let tag = hash & TAG;
        let mask = self.slots.len() - 1;
        let mut at = slot(hash, mask);
        loop {
            let entry = self.slots[at];
            if entry == 0 {
                break;
            }
            if entry & TAG == tag && self.nodes[index(entry)].key == key {
                return None;
            }
            at = (at + 1) & mask;
        }
        let number = u32::try_from(self.nodes.len()).ok().filter(|&n| n < NONE - 1)?;
        self.nodes.push(Node { key, parent, step });
        self.slots[at] = tag | u64::from(number + 1);
        Some(number)
    }

    pub(super) fn state(&self, number: u32) -> State {
        State::from_key(self.nodes[number as usize].key)
    }

    /// The numbers of the positions from the root to `number`, the root first.
    pub(super) fn path(&self, number: u32) -> Vec<Step> {
        let mut steps = Vec::new();
        let mut at = number;
        while at != NONE {
            let node = &self.nodes[at as usize];
            steps.extend(node.step);
            at = node.parent;
        }
        steps.reverse();
        steps
    }

    fn grow(&mut self) {
        let size = self.slots.len() * 4;
        let before = std::mem::replace(&mut self.slots, vec![0; size]);
        let mask = size - 1;
        // The part of the hash that an entry holds is the one that chooses its slot: no key is looked at.
        for entry in before.into_iter().filter(|&entry| entry != 0) {
            let mut at = slot(entry, mask);
            while self.slots[at] != 0 {
                at = (at + 1) & mask;
            }
            self.slots[at] = entry;
        }
    }
}

const TAG: u64 = 0xffff_ffff_0000_0000;

fn index(entry: u64) -> usize {
    (entry & !TAG) as usize - 1
}

/// Where to look first, by the high half of the hash or of an entry.
fn slot(hash: u64, mask: usize) -> usize {
    (hash >> 32) as usize & mask
}

pub(super) fn hash(key: &Key) -> u64 {
    let a = fold(key[0] ^ 0x9e37_79b9_7f4a_7c15, key[3] ^ 0xd1b5_4a32_d192_ed03);
    let b = fold(key[1] ^ 0xa076_1d64_78bd_642f, key[2] ^ 0xe703_7ed1_a0b4_28db);
    fold(a ^ 0x8ebc_6af0_9c88_c6e3, b ^ 0x5899_65cc_7537_4cc3)
}

#[expect(clippy::cast_possible_truncation, reason = "the halves are folded")]
fn fold(a: u64, b: u64) -> u64 {
    let wide = u128::from(a) * u128::from(b);
    (wide >> 64) as u64 ^ wide as u64
}
