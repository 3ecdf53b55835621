//! What awaits an arbiter in a game: claims, rulings, calls.
//!
//! A fold of the game's records like everything else, so that it is the same after a restart.

use crate::journal::Record;
use zeitnot_proto::command::Party;
use zeitnot_proto::limits::WORD_MAX;
use zeitnot_proto::{Color, Event, Stamp, Text};

/// Entries that a game keeps; further calls say nothing new.
const MOST: usize = 16;

/// One thing that awaits an arbiter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    /// What.
    pub topic: Text<WORD_MAX>,
    /// The side that it is about, if it is about one.
    pub side: Option<Color>,
    /// Since when.
    pub since: Stamp,
}

/// The topic of a claim that has not been ruled on.
const CLAIM: &str = "claim";
/// The topic of a search, which no person has to answer.
const SEARCH: &str = "mate_search";

/// What awaits an arbiter in one game, longest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Queue(Vec<Waiting>);

impl Queue {
    /// The entries.
    pub fn entries(&self) -> &[Waiting] {
        &self.0
    }

    /// Folds a record in. True if something new awaits.
    pub fn fold(&mut self, record: &Record) -> bool {
        // An arbiter who acts on a game has seen what was there.
        if record.by == Party::Arbiter {
            self.0.clear();
        }
        let before = self.0.len();
        for entry in &record.entries {
            match &entry.event {
                Event::ClaimMade { side, .. } => self.add(CLAIM, Some(*side), record.at),
                Event::ClaimUpheld { .. } | Event::ClaimRejected { .. } | Event::ClaimPostponed { .. } => {
                    self.0.retain(|waiting| &*waiting.topic != CLAIM);
                }
                Event::AwaitingRuling { topic } if &**topic != SEARCH => self.await_ruling(topic, record.at),
                Event::ArbiterCalled { side, topic, .. } => self.add(topic, *side, record.at),
                Event::GameEnded { .. } | Event::GameAnnulled { .. } => self.0.clear(),
                _ => {}
            }
        }
        self.0.len() > before
    }

    /// A ruling is awaited: on the claim just made, if there is one.
    fn await_ruling(&mut self, topic: &str, since: Stamp) {
        match self.0.iter_mut().find(|waiting| &*waiting.topic == CLAIM) {
            Some(claim) => claim.topic = Text::cut(topic),
            None => self.add(topic, None, since),
        }
    }

    fn add(&mut self, topic: &str, side: Option<Color>, since: Stamp) {
        let known = |waiting: &Waiting| &*waiting.topic == topic && waiting.side == side;
        if self.0.len() < MOST && !self.0.iter().any(known) {
            self.0.push(Waiting { topic: Text::cut(topic), side, since });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zeitnot_proto::command::DrawBasis;
    use zeitnot_proto::event::Claim;
    use zeitnot_proto::rules::GameId;
    use zeitnot_proto::{Entry, Seq};

    fn record(by: Party, at: u64, events: Vec<Event>) -> Record {
        let entries = events.into_iter().map(|event| Entry { article: None, event }).collect();
        Record {
            game: GameId(1),
            first: Seq(0),
            turn_began: None,
            at: Stamp(at),
            by,
            command_id: None,
            entries,
        }
    }

    #[test]
    fn a_claim_waits_until_it_is_ruled_on() {
        let claim = Claim::Draw { basis: DrawBasis::Threefold, intended: None };
        let made = Event::ClaimMade { side: Color::White, claim };
        let rejected = Event::ClaimRejected { side: Color::White };
        let awaited = Event::AwaitingRuling { topic: Text::cut("9.2") };
        let mut queue = Queue::default();
        let at_once = record(Party::White, 5, vec![made.clone(), rejected.clone()]);
        assert!(
            !queue.fold(&at_once) && queue.entries().is_empty(),
            "what the server rules on at once awaits nobody"
        );
        assert!(queue.fold(&record(Party::White, 7, vec![made, awaited])));
        let [Waiting { topic, side, since }] = queue.entries() else { panic!("{:?}", queue.entries()) };
        assert_eq!((&**topic, *side, *since), ("9.2", Some(Color::White), Stamp(7)));
        queue.fold(&record(Party::Arbiter, 9, vec![rejected]));
        assert!(queue.entries().is_empty());
    }

    #[test]
    fn calls_gather_and_the_end_of_the_game_ends_them() {
        let call = |topic: &str, private| Event::ArbiterCalled {
            side: Some(Color::Black),
            topic: Text::cut(topic),
            private,
        };
        let mut queue = Queue::default();
        assert!(queue.fold(&record(Party::Black, 1, vec![call("help", false)])));
        assert!(
            !queue.fold(&record(Party::Black, 2, vec![call("help", false)])),
            "the same call again is not new"
        );
        assert!(queue.fold(&record(Party::Server, 3, vec![call("12.5", true)])));
        assert_eq!(queue.entries().len(), 2);
        queue.fold(&record(Party::Server, 4, vec![Event::GameAnnulled { reason: Text::default() }]));
        assert!(queue.entries().is_empty());
    }
}
