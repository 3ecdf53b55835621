//! The knockout bracket of a state: made anew from what was drawn and the results so far.

use super::event::{MatchKey, Player};
use super::state::State;
use super::table::result;
use std::collections::BTreeSet;
use zeitnot_pairing::knockout::{Due, Format, GameKey, Knockout, Seat, Stage};
use zeitnot_pairing::round::Tpn;
use zeitnot_proto::tournament::{BoardResult, TournamentSystem};

/// Games of a play-off stage.
const PLAY_OFF_GAMES: usize = 2;

fn key_in(key: MatchKey) -> GameKey {
    let [round, pairing, stage, game] = [key.round, key.pairing, key.stage, key.game].map(usize::from);
    GameKey { round, pairing, stage, game }
}

/// A key of the bracket as the journal has it; none if it is beyond all bounds.
pub fn key_out(key: GameKey) -> Option<MatchKey> {
    let small = |n: usize| u16::try_from(n).ok();
    Some(MatchKey {
        round: small(key.round)?,
        pairing: small(key.pairing)?,
        stage: small(key.stage)?,
        game: small(key.game)?,
    })
}

impl State {
    /// The bracket; none if this is no knockout or it has not started.
    pub fn bracket(&self) -> Option<Knockout> {
        let TournamentSystem::Knockout { games, third_place, armageddon_us, .. } = self.settings.system
        else {
            return None;
        };
        let stage = |name: &str, games: usize, armageddon| Stage { name: name.to_owned(), games, armageddon };
        let mut stages =
            vec![stage("games", usize::from(games).max(1), false), stage("play-off", PLAY_OFF_GAMES, false)];
        if armageddon_us.is_some() {
            stages.push(stage("armageddon", 1, true));
        }
        let seeds = (1..).take(self.order.len()).collect();
        let first = self.initial_color;
        let mut bracket = Knockout::new(seeds, Format { stages }, first, third_place).ok()?;
        let mut pending = self.keyed_results();
        // A game under way is played to its end.
        let plays = |player: Player| {
            let mut boards = self.rounds.iter().flat_map(|round| &round.boards);
            boards.any(|board| board.is_open() && (board.white == player || board.black == player))
        };
        let mut left: Vec<(usize, Tpn)> = self
            .order
            .iter()
            .filter(|&&player| !plays(player))
            .filter_map(|&player| Some((self.entry(player)?.left?, self.tpn(player))))
            .collect();
        left.sort_unstable();
        // Whoever left had played some games before; they come first.
        record(&mut bracket, &mut pending);
        for (_, tpn) in left {
            bracket.withdraw(tpn);
            record(&mut bracket, &mut pending);
        }
        Some(bracket)
    }

    fn keyed_results(&self) -> Vec<(GameKey, BoardResult)> {
        let boards = self.rounds.iter().flat_map(|round| &round.boards);
        let mut results: Vec<_> =
            boards.filter_map(|board| Some((key_in(board.key?), board.result?))).collect();
        results.sort_by_key(|&(key, _)| key);
        results
    }

    /// Games of the bracket that are due and not paired yet.
    pub fn due_games(&self) -> Vec<Due> {
        let boards = self.rounds.iter().flat_map(|round| &round.boards).filter(|board| !board.needless);
        let known: BTreeSet<MatchKey> = boards.filter_map(|board| board.key).collect();
        let due = self.bracket().map(|bracket| bracket.due()).unwrap_or_default();
        due.into_iter().filter(|due| key_out(due.key).is_some_and(|key| !known.contains(&key))).collect()
    }

    /// After a correction: games of the same match that it makes needless are not played.
    pub fn drop_needless(&mut self, round: u16, board: u16) {
        let Some(of) = self.board(round, board).and_then(|board| board.key) else { return };
        let due: BTreeSet<GameKey> = self
            .bracket()
            .map(|bracket| bracket.due())
            .unwrap_or_default()
            .into_iter()
            .map(|due| due.key)
            .collect();
        let boards = self.rounds.iter_mut().flat_map(|round| &mut round.boards);
        for board in boards.filter(|board| board.is_open()) {
            let Some(key) = board.key else { continue };
            let later = (key.round, key.pairing) == (of.round, of.pairing) && key > of;
            if later && !due.contains(&key_in(key)) {
                board.needless = true;
                self.void_games.extend(board.game.take());
            }
        }
    }

    /// Whether a correction of a board would change who plays in a match that has been paired.
    pub fn correction_comes_too_late(&self, key: MatchKey, corrected: BoardResult) -> bool {
        let Some(mut bracket) = self.bracket() else { return false };
        if bracket.record(key_in(key), result(corrected)).is_err() {
            return true;
        }
        let matches = bracket.matches();
        let mut boards = self.rounds.iter().flat_map(|round| &round.boards);
        boards.any(|board| {
            let Some(key) = board.key.map(key_in).filter(|_| !board.needless) else { return false };
            let of = matches.get(key.round).and_then(|round| round.get(key.pairing));
            let sits = |player| of.is_some_and(|of| of.seats.contains(&Seat::Player(self.tpn(player))));
            !sits(board.white) || !sits(board.black)
        })
    }
}

fn record(bracket: &mut Knockout, pending: &mut Vec<(GameKey, BoardResult)>) {
    pending.retain(|&(key, entered)| bracket.record(key, result(entered)).is_err());
}
