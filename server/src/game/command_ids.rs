//! Which commands of a game were carried out already.
//!
//! Numbers of one party in one game only go up. A number that was accepted before is the same command
//! again: it is answered, not repeated. So a client may resend after a lost connection or a crash.

use std::collections::VecDeque;
use zeitnot_proto::Seq;
use zeitnot_proto::command::Party;

/// How many accepted numbers of a party are remembered with their answers.
const REMEMBERED: usize = 16;

/// What is known of a command's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Known {
    /// It is new.
    New,
    /// It was accepted, and its last event was this one.
    Accepted(Seq),
    /// It is not higher than what was accepted long ago.
    TooOld,
}

/// The accepted numbers of all parties of a game.
#[derive(Debug, Default)]
pub struct CommandIds {
    parties: Vec<(Party, VecDeque<(u64, Seq)>)>,
}

impl CommandIds {
    /// What is known of `id` from `party`.
    pub fn check(&self, party: Party, id: u64) -> Known {
        let Some(accepted) = self.of(party) else { return Known::New };
        if let Some(&(_, seq)) = accepted.iter().find(|(known, _)| *known == id) {
            return Known::Accepted(seq);
        }
        if accepted.back().is_some_and(|&(highest, _)| id < highest) { Known::TooOld } else { Known::New }
    }

    /// Remembers that `id` from `party` was accepted, with its last event.
    pub fn accept(&mut self, party: Party, id: u64, last: Seq) {
        let index = self.parties.iter().position(|(known, _)| *known == party).unwrap_or_else(|| {
            self.parties.push((party, VecDeque::with_capacity(1)));
            self.parties.len() - 1
        });
        let accepted = &mut self.parties[index].1;
        if accepted.len() == REMEMBERED {
            accepted.pop_front();
        }
        accepted.push_back((id, last));
    }

    /// The highest accepted number of `party`.
    pub fn highest(&self, party: Party) -> Option<u64> {
        self.of(party)?.back().map(|&(id, _)| id)
    }

    fn of(&self, party: Party) -> Option<&VecDeque<(u64, Seq)>> {
        self.parties.iter().find(|(known, _)| *known == party).map(|(_, accepted)| accepted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_new_once() {
        let mut ids = CommandIds::default();
        assert_eq!(ids.check(Party::White, 7), Known::New);
        ids.accept(Party::White, 7, Seq(3));
        assert_eq!(ids.check(Party::White, 7), Known::Accepted(Seq(3)));
        assert_eq!(ids.check(Party::Black, 7), Known::New, "the other side has numbers of its own");
        assert_eq!(ids.check(Party::White, 6), Known::TooOld, "numbers only go up");
        assert_eq!(ids.check(Party::White, 8), Known::New);
        assert_eq!(ids.highest(Party::White), Some(7));
    }

    #[test]
    fn what_is_forgotten_is_too_old_and_never_new() {
        let mut ids = CommandIds::default();
        for id in 1..=100 {
            ids.accept(Party::Black, id, Seq(0));
        }
        assert_eq!(ids.check(Party::Black, 1), Known::TooOld);
        assert_eq!(ids.check(Party::Black, 100), Known::Accepted(Seq(0)));
    }
}
