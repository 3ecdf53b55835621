//! What a request causes: events, or a refusal. Nothing changes here.
//!
//! | module | what it decides |
//! |---|---|
//! | `entries` | who takes part: entries, departures, byes, the start |
//! | `rounds` | pairings, and when they are due |
//! | `results` | results, corrections, the end |

mod entries;
mod results;
mod rounds;

use super::event::{Departure, Event, Player};
use super::state::State;
use zeitnot_proto::command::Why;
use zeitnot_proto::rules::{GameId, Name};
use zeitnot_proto::tournament::{Direction, PlayerState};
use zeitnot_proto::{Refusal, Stamp};

/// What decisions need from outside.
pub struct Means<'a> {
    /// Now.
    pub at: Stamp,
    /// A number below the given one, drawn by lot.
    pub lot: &'a mut dyn FnMut(usize) -> usize,
    /// So many numbers of games in a row that nobody else gets: the first of them.
    pub games: &'a mut dyn FnMut(usize) -> GameId,
    /// Half-moves made in a game.
    pub plies: &'a dyn Fn(GameId) -> u32,
    /// How many may enter at most.
    pub most_players: usize,
}

type Decided = Result<Vec<Event>, Refusal>;

impl State {
    pub(super) fn known(&self, name: &Name) -> Result<Player, Refusal> {
        self.player(name).ok_or(Refusal::NotEntered)
    }

    pub(super) fn is_gone(&self, player: Player) -> bool {
        self.entry(player).is_none_or(|e| matches!(e.state, PlayerState::Withdrawn | PlayerState::Expelled))
    }

    /// A director acts. Pairing is not done here: it may take long.
    pub fn direct(&self, action: &Direction, means: &mut Means<'_>) -> Decided {
        match action {
            Direction::Enter(entrant) => self.enter((**entrant).clone(), means),
            Direction::CheckIn(name) => self.check_in(name),
            Direction::Withdraw(name) => self.depart(name, Departure::Withdrawn, Why::default()),
            Direction::Expel { name, reason } => self.depart(name, Departure::Expelled, reason.clone()),
            Direction::GiveBye { name, round, kind } => self.give_bye(name, *round, *kind),
            Direction::Forbid(names) => self.forbid(names),
            Direction::Registration { open } => {
                if self.started.is_some() {
                    return Err(Refusal::WrongPhase);
                }
                Ok(vec![Event::Registration { open: *open }])
            }
            Direction::Start => self.start(means),
            Direction::Change(settings) => {
                if self.started.is_some() {
                    return Err(Refusal::TooLate);
                }
                super::settings::check(settings)?;
                Ok(vec![Event::Changed(settings.clone())])
            }
            Direction::Unpair { reason } => self.unpair(reason, means),
            Direction::Result { round, board, result, reason } => {
                self.enter_result(*round, *board, *result, true, reason)
            }
            Direction::Announce(text) => Ok(vec![Event::Announced(text.clone())]),
            Direction::Finish { reason } => {
                if self.finished || self.started.is_none() {
                    return Err(Refusal::WrongPhase);
                }
                if self.open_boards() > 0 {
                    return Err(Refusal::RoundOpen);
                }
                Ok(vec![Event::Finished { reason: reason.clone() }])
            }
            // These may take long: the actor has them computed beside the runtime.
            Direction::Pair | Direction::PairByHand { .. } => Err(Refusal::Malformed),
        }
    }
}
