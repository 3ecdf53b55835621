//! An arena's crowd: who is free, who plays, who has how many points.

use super::event::Player;
use super::state::State;
use super::table::result;
use zeitnot_pairing::arena::{Arena, Entrant, Rules, Wave};
use zeitnot_pairing::round::Tpn;
use zeitnot_proto::Stamp;
use zeitnot_proto::tournament::{BoardResult, TournamentSystem};

/// What happened to the crowd, in order: it is folded again where a result is corrected.
#[derive(Debug, Clone, Copy)]
enum Step {
    Join(Player, u16, Stamp),
    Leave(Player),
    Begin { white: Player, black: Player },
    End { board: usize, result: BoardResult, at: Stamp },
}

/// The crowd of an arena.
#[derive(Debug, Clone)]
pub struct Crowd {
    rules: Rules,
    arena: Arena,
    steps: Vec<Step>,
    boards: Vec<(Player, Player)>,
}

impl Crowd {
    /// The arena's number of a player: his place in the order of entry, from 1.
    pub fn number(player: Player) -> Tpn {
        player.saturating_add(1)
    }

    /// Nobody yet.
    pub fn new(streaks: bool, patience_us: u64) -> Crowd {
        let rules = Rules { streaks, berserk: false, patience_us };
        Crowd { rules, arena: Arena::new(rules), steps: Vec::new(), boards: Vec::new() }
    }

    fn step(&mut self, step: Step) {
        fold(&mut self.arena, &self.boards, step);
        self.steps.push(step);
    }

    /// Somebody joins, or comes back.
    pub fn join(&mut self, player: Player, rating: u16, at: Stamp) {
        self.step(Step::Join(player, rating, at));
    }

    /// Somebody leaves; his game goes on.
    pub fn leave(&mut self, player: Player) {
        self.step(Step::Leave(player));
    }

    /// The next board is paired.
    pub fn begin(&mut self, white: Player, black: Player) {
        self.boards.push((white, black));
        self.step(Step::Begin { white, black });
    }

    /// A board, from 0, has a result, or another one than before.
    pub fn end(&mut self, board: usize, result: BoardResult, at: Stamp) {
        let entered = self.steps.iter_mut().find_map(|step| match step {
            Step::End { board: of, result, .. } if *of == board => Some(result),
            _ => None,
        });
        let Some(entered) = entered else { return self.step(Step::End { board, result, at }) };
        *entered = result;
        self.arena = Arena::new(self.rules);
        for &step in &self.steps {
            fold(&mut self.arena, &self.boards, step);
        }
    }

    /// Who would be paired now, and who waits why.
    pub fn wave(&self, at: Stamp) -> Wave {
        self.arena.clone().pair(at.0)
    }

    /// How many are free.
    pub fn free(&self) -> usize {
        let free = |presence| matches!(presence, zeitnot_pairing::arena::Presence::Free { .. });
        self.arena.standings().iter().filter(|(_, entrant)| free(entrant.presence)).count()
    }

    /// Points of a player.
    pub fn points(&self, player: Player) -> u32 {
        self.arena.entrant(Crowd::number(player)).map_or(0, Entrant::points)
    }

    /// Players with what they did, best first.
    pub fn entrants(&self) -> Vec<(Player, &Entrant)> {
        let places = self.arena.standings().into_iter();
        places.map(|(tpn, entrant)| (tpn.saturating_sub(1), entrant)).collect()
    }
}

fn fold(arena: &mut Arena, boards: &[(Player, Player)], step: Step) {
    let done = match step {
        Step::Join(player, rating, at) => {
            arena.join(Crowd::number(player), rating, at.0);
            Ok(())
        }
        Step::Leave(player) => arena.leave(Crowd::number(player)),
        Step::Begin { white, black } => arena.begin(Crowd::number(white), Crowd::number(black)),
        Step::End { board, result: entered, at } => match boards.get(board) {
            Some(&(white, black)) => {
                arena.finish(Crowd::number(white), Crowd::number(black), result(entered), [false; 2], at.0)
            }
            None => Ok(()),
        },
    };
    if let Err(error) = done {
        // What was decided from the arena's own state fits it.
        tracing::error!(%error, "a step of an arena does not fit");
    }
}

impl State {
    /// When an arena pairs for the last time; none for everything else.
    pub fn arena_ends(&self) -> Option<Stamp> {
        match self.settings.system {
            TournamentSystem::Arena { duration_us, .. } => Some(self.started?.plus(duration_us)),
            _ => None,
        }
    }
}
