//! The answer to a question about mate, as a command that can be journaled and shown.

use crate::judge::MateQuestion;
use crate::mating::{self, Budget, Proof, Verdict};
use crate::position;
use zeitnot_proto::event::Certificate;
use zeitnot_proto::{Command, List};

impl MateQuestion {
    /// Searches, visiting so many positions at most, and gives the command with the verdict. It takes its
    /// time: a server asks beside its games.
    // Law 2023 6.9, 5.1.2, 7.5.5: any series of legal moves counts; what is not decided counts as possible.
    pub fn answer(&self, positions: u64) -> Command {
        let winner = position::side(self.winner);
        let certificate = match mating::analyse(&self.position, winner, Budget { positions }) {
            Verdict::Mates(line) => Certificate::Mates(moves(&line)),
            Verdict::Never(Proof::Material) => Certificate::Material,
            Verdict::Never(Proof::Terminal) => Certificate::Terminal,
            Verdict::Never(Proof::ForcedLine(line)) => Certificate::ForcedLine(moves(&line)),
            Verdict::Never(Proof::Exhausted(positions)) => Certificate::Exhausted { positions },
            Verdict::Never(Proof::Static) => Certificate::Static,
            Verdict::Unknown(positions) => Certificate::Unknown { positions },
        };
        Command::MateVerdict { winner: self.winner, certificate }
    }
}

/// A line as far as a certificate carries it.
fn moves<const MAX: usize>(line: &[shakmaty::Move]) -> List<zeitnot_proto::Move, MAX> {
    List::cut(line.iter().map(|&mv| position::uci(mv)).collect())
}
