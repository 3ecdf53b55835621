//! The answer to a question about mate, as a command that can be journaled and shown.

use crate::judge::MateQuestion;
use crate::mating::{self, Budget, Proof, Verdict};
use crate::position;
use shakmaty::EnPassantMode;
use shakmaty::fen::Fen;
use zeitnot_proto::event::Certificate;
use zeitnot_proto::limits::LINE_MAX;
use zeitnot_proto::{Command, List, Move};

impl MateQuestion {
    /// Searches, visiting so many positions at most, and gives the command with the verdict. It takes its
    /// time: a server asks beside its games.
    // Law 2023 6.9, 5.1.2, 7.5.5: any series of legal moves counts; what is not decided counts as possible.
    pub fn answer(&self, positions: u64) -> Command {
        let winner = position::side(self.winner);
        let (verdict, spent) = mating::analyse_counted(&self.position, winner, Budget { positions });
        self.verdict(certificate(&verdict, spent))
    }

    /// The answer of a search that came to no end.
    pub fn unanswered(&self) -> Command {
        self.verdict(Certificate::Unknown { positions: 0 })
    }

    /// The position in FEN.
    pub fn fen(&self) -> String {
        Fen::from_position(&self.position, EnPassantMode::Legal).to_string()
    }

    fn verdict(&self, certificate: Certificate) -> Command {
        Command::MateVerdict { winner: self.winner, certificate }
    }
}

/// The certificate of a verdict on which `spent` positions were spent. A line is carried whole or not at all:
/// without its line a verdict is none.
fn certificate(verdict: &Verdict, spent: u64) -> Certificate {
    let whole = |line, of: fn(List<Move, LINE_MAX>) -> Certificate| {
        List::new(moves(line)).map_or(Certificate::Unknown { positions: spent }, of)
    };
    match verdict {
        Verdict::Mates(line) => whole(line, Certificate::Mates),
        Verdict::Never(Proof::Material) => Certificate::Material,
        Verdict::Never(Proof::Terminal) => Certificate::Terminal,
        Verdict::Never(Proof::ForcedLine(line)) => whole(line, Certificate::ForcedLine),
        Verdict::Never(Proof::Exhausted(positions)) => Certificate::Exhausted { positions: *positions },
        Verdict::Never(Proof::Static) => Certificate::Static,
        Verdict::Unknown(positions) => Certificate::Unknown { positions: *positions },
    }
}

fn moves(line: &[shakmaty::Move]) -> Vec<Move> {
    line.iter().map(|&mv| position::uci(mv)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::{Position as _, Role, Square};

    fn shuffle(plies: usize) -> Vec<shakmaty::Move> {
        let there = shakmaty::Move::Normal {
            role: Role::King,
            from: Square::A1,
            to: Square::A2,
            capture: None,
            promotion: None,
        };
        vec![there; plies]
    }

    #[test]
    fn a_line_is_carried_whole_or_not_at_all() {
        let longest = certificate(&Verdict::Mates(shuffle(LINE_MAX)), 7);
        assert!(matches!(longest, Certificate::Mates(line) if line.len() == LINE_MAX));
        let unknown = Certificate::Unknown { positions: 7 };
        assert_eq!(certificate(&Verdict::Mates(shuffle(LINE_MAX + 1)), 7), unknown);
        let forced = Verdict::Never(Proof::ForcedLine(shuffle(LINE_MAX + 1)));
        assert_eq!(certificate(&forced, 7), unknown);
    }

    /// A mate behind a wall, far away: every move of the way is in the certificate, and the last one mates.
    #[test]
    fn a_wandering_line_arrives_whole() {
        let question = MateQuestion { position: long_way(), winner: zeitnot_proto::Color::Black };
        let Command::MateVerdict { certificate: Certificate::Mates(line), .. } = question.answer(1_000_000)
        else {
            panic!("no mate found in {}", question.fen());
        };
        let mut position = question.position;
        for mv in &line {
            let legal = position.legal_moves();
            let step = legal.into_iter().find(|&step| position::uci(step) == *mv);
            position.play_unchecked(step.unwrap_or_else(|| panic!("{mv} is not legal")));
        }
        assert!(position.is_checkmate());
    }

    fn long_way() -> shakmaty::Chess {
        let fen = "k1b1b3/8/8/1pBpBpBp/1PbPbPbP/6P1/6P1/K1B1B3 w - - 0 1";
        mating::position_from_fen(fen).unwrap_or_else(|why| panic!("{fen}: {why}"))
    }
}
