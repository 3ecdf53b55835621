//! What two players know by themselves of how their game stands and may end.

use shakmaty::uci::UciMove;
use shakmaty::zobrist::Zobrist64;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position};
use std::collections::HashMap;
use zeitnot_client::Error;
use zeitnot_proto::{Color, Move, Outcome, Reason, Score, Stamp};

/// The players' own view.
pub struct Umpire {
    position: Chess,
    moves: Vec<Move>,
    stood: HashMap<Zobrist64, u32>,
    cause: Option<Cause>,
}

/// What a player did that ends the game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cause {
    Resigned(Color),
    Agreed,
    ClaimedRightly,
}

fn wrong(what: String) -> Error {
    Error::Protocol(what)
}

impl Umpire {
    /// The initial array.
    pub fn new() -> Umpire {
        let position = Chess::default();
        let stood = HashMap::from([(hash(&position), 1)]);
        Umpire { position, moves: Vec::new(), stood, cause: None }
    }

    /// The side that has the move.
    pub fn turn(&self) -> Color {
        if self.moves.len().is_multiple_of(2) { Color::White } else { Color::Black }
    }

    /// The moves so far.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// How often the position has stood.
    pub fn occurrences(&self) -> u32 {
        self.stood.get(&hash(&self.position)).copied().unwrap_or(0)
    }

    /// A move was acknowledged.
    ///
    /// # Errors
    /// It is not legal.
    pub fn moved(&mut self, mv: Move) -> Result<(), Error> {
        let uci: UciMove = mv.to_string().parse().map_err(|_| wrong(format!("{mv} is no move")))?;
        let legal = uci.to_move(&self.position);
        let legal = legal.map_err(|_| wrong(format!("{mv} was acknowledged and is not legal")))?;
        self.position.play_unchecked(legal);
        self.moves.push(mv);
        *self.stood.entry(hash(&self.position)).or_default() += 1;
        Ok(())
    }

    /// A move that is not legal.
    pub fn illegal_move(&self) -> Option<Move> {
        // A man of the opponent's is never one's own to move.
        let theirs = self.position.them().into_iter().next()?;
        let to = self.position.us().into_iter().next()?;
        let uci = UciMove::Normal { from: theirs, to, promotion: None };
        debug_assert!(uci.to_move(&self.position).is_err());
        uci.to_string().parse().ok()
    }

    /// A player resigned.
    pub fn resigned(&mut self, side: Color) {
        self.cause = Some(Cause::Resigned(side));
    }

    /// The players agreed to a draw.
    pub fn agreed(&mut self) {
        self.cause = Some(Cause::Agreed);
    }

    /// A claim was ruled on.
    pub fn claimed(&mut self, right: bool) {
        if right {
            self.cause = Some(Cause::ClaimedRightly);
        }
    }

    /// What the position ends the game with, by the Laws.
    fn by_position(&self) -> Option<Reason> {
        if self.position.is_checkmate() {
            Some(Reason::Checkmate)
        } else if self.position.is_stalemate() {
            Some(Reason::Stalemate)
        } else if self.position.is_insufficient_material() {
            Some(Reason::DeadPosition)
        } else if self.occurrences() >= 5 {
            Some(Reason::Fivefold)
        } else if self.position.halfmoves() >= 150 {
            Some(Reason::SeventyFive)
        } else {
            None
        }
    }

    /// The game is over after a move, or not.
    ///
    /// # Errors
    /// It should be the other way.
    pub fn ended_after_move(&self, outcome: Option<&Outcome>) -> Result<(), Error> {
        let (due, came) = (self.by_position(), outcome.map(|outcome| &outcome.reason));
        // That no mate can arise may be seen deeper than by the material alone.
        if due.as_ref() == came || came == Some(&Reason::DeadPosition) {
            return Ok(());
        }
        Err(wrong(format!("{due:?} ends the game, the server says {came:?}")))
    }

    /// The game ended like this.
    ///
    /// # Errors
    /// It should have ended otherwise.
    pub fn ended(
        &self,
        outcome: &Outcome,
        flag: Option<(Color, Stamp)>,
        searched: bool,
    ) -> Result<(), Error> {
        let due = match (self.cause, flag) {
            (_, Some((side, _))) => self.lost(side, searched, Reason::Time, Reason::TimeVsNoMate),
            (Some(Cause::Resigned(side)), None) => {
                self.lost(side, searched, Reason::Resignation, Reason::ResignVsNoMate)
            }
            (Some(Cause::Agreed), None) => vec![Outcome::draw(Reason::Agreement)],
            (Some(Cause::ClaimedRightly), None) => vec![Outcome::draw(Reason::Threefold)],
            (None, None) => match self.by_position() {
                Some(Reason::Checkmate) => vec![Outcome::win(!self.turn(), Reason::Checkmate)],
                Some(reason) => vec![Outcome::draw(reason), Outcome::draw(Reason::DeadPosition)],
                None => vec![Outcome::draw(Reason::DeadPosition)],
            },
        };
        let agrees = |due: &Outcome| due.reason == outcome.reason && due.scores == outcome.scores;
        if due.iter().any(agrees) {
            return Ok(());
        }
        let (white, black): (Score, Score) = (outcome.scores.white, outcome.scores.black);
        Err(wrong(format!("{white}:{black}, {}, instead of {due:?}", outcome.reason.name())))
    }

    /// How a game may end that `side` lost, by time or by resigning: drawn only where the opponent cannot mate.
    fn lost(&self, side: Color, searched: bool, lost: Reason, drawn: Reason) -> Vec<Outcome> {
        let opponent = if side == Color::White { shakmaty::Color::Black } else { shakmaty::Color::White };
        let win = Outcome::win(!side, lost);
        if self.position.has_insufficient_material(opponent) {
            vec![Outcome::draw(drawn)]
        } else if searched {
            vec![win, Outcome::draw(drawn)]
        } else {
            vec![win]
        }
    }
}

fn hash(position: &Chess) -> Zobrist64 {
    position.zobrist_hash(EnPassantMode::Legal)
}

/// Moves in UCI notation, as the server's record has them.
pub fn uci_of(mv: shakmaty::Move) -> String {
    mv.to_uci(CastlingMode::Standard).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(moves: &str) -> Umpire {
        let mut umpire = Umpire::new();
        for mv in moves.split(' ') {
            umpire.moved(mv.parse().unwrap()).unwrap();
        }
        umpire
    }

    #[test]
    fn mate_has_to_end_the_game_for_the_mover() {
        let umpire = after("f2f3 e7e5 g2g4 d8h4");
        let mate = Outcome::win(Color::Black, Reason::Checkmate);
        assert!(umpire.ended_after_move(Some(&mate)).is_ok());
        assert!(umpire.ended(&mate, None, false).is_ok());
        assert!(umpire.ended_after_move(None).is_err());
        assert!(umpire.ended(&Outcome::win(Color::White, Reason::Checkmate), None, false).is_err());
        assert!(after("e2e4").ended_after_move(Some(&mate)).is_err());
    }

    #[test]
    fn a_fallen_flag_loses_against_an_opponent_who_can_mate() {
        let umpire = after("e2e4");
        let flag = Some((Color::Black, Stamp(7)));
        assert!(umpire.ended(&Outcome::win(Color::White, Reason::Time), flag, false).is_ok());
        assert!(umpire.ended(&Outcome::draw(Reason::TimeVsNoMate), flag, false).is_err());
        assert!(umpire.ended(&Outcome::win(Color::Black, Reason::Time), flag, false).is_err());
    }

    #[test]
    fn positions_are_counted_and_illegal_moves_are_found() {
        let umpire = after("g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8");
        assert_eq!(umpire.occurrences(), 3);
        assert!(Umpire::new().moved(umpire.illegal_move().unwrap()).is_err());
    }
}
