//! What somebody types at the board: moves and words.

use super::moves::{NoMove, find};
use zeitnot_client::proto::command::{Command, DrawBasis, QuickplayBasis};
use zeitnot_client::proto::snapshot::LegalMove;
use zeitnot_client::proto::{Color, Refusal};

/// What is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Typed {
    /// To be sent to the game.
    Command(Command),
    /// To be sent to the game once it is confirmed, because it cannot be taken back.
    Confirm(Command, &'static str),
    /// Another game with the same opponent.
    Rematch,
    /// The board the other way round.
    Flip,
    /// What can be typed.
    Help,
    /// Leaves.
    Quit,
}

/// What has to be known to understand it.
#[derive(Debug, Clone, Copy)]
pub struct Situation<'a> {
    /// The legal moves, if they are known.
    pub legal: Option<&'a [LegalMove]>,
    /// The men of the one who types; none for a spectator.
    pub side: Option<Color>,
    /// Who is on move.
    pub turn: Color,
    /// Whose draw offer is live.
    pub offer: Option<Color>,
    /// Whose request for a takeback is live.
    pub takeback: Option<Color>,
}

/// What can be typed, for the help.
pub const HELP: &[(&str, &str)] = &[
    ("Nf3, g1f3", "a move"),
    ("Nf3 draw", "a move, offering a draw"),
    ("draw", "offers a draw, or accepts"),
    ("accept, decline", "answers an offer"),
    ("threefold [Nf3]", "claims a draw (9.2)"),
    ("fifty [Nf3]", "claims a draw (9.3)"),
    ("quickplay", "claims a draw, time short"),
    ("flag", "claims a flag fall (6.8)"),
    ("resign", "gives the game up (5.1.2)"),
    ("takeback, abort", "in casual games"),
    ("abandoned", "claims, opponent away"),
    ("arbiter [WHY]", "calls the arbiter"),
    ("rematch", "another game"),
    ("flip, quit", "turns the board; leaves"),
];

/// What a line asks for, or what is wrong with it.
pub fn understand(line: &str, situation: Situation<'_>) -> Result<Typed, String> {
    let line = line.trim();
    let (word, rest) =
        line.split_once(char::is_whitespace).map_or((line, ""), |(word, rest)| (word, rest.trim()));
    let opponent = situation.side.map(|side| !side);
    // The opponent asks to take back.
    let asked = situation.takeback.is_some() && situation.takeback == opponent;
    match word.to_ascii_lowercase().as_str() {
        "?" | "help" => return Ok(Typed::Help),
        "flip" => return Ok(Typed::Flip),
        "quit" | "exit" => return Ok(Typed::Quit),
        _ => {}
    }
    if situation.side.is_none() {
        return Err("you are watching: flip, help or quit".into());
    }
    let command = match word.to_ascii_lowercase().as_str() {
        "resign" => return Ok(Typed::Confirm(Command::Resign, "resign")),
        "abort" => Command::Abort,
        "rematch" => return Ok(Typed::Rematch),
        "draw" if situation.offer.is_some() && situation.offer == opponent => Command::AcceptDraw,
        "draw" => Command::OfferDraw,
        "accept" | "yes" | "takeback" if asked => Command::AcceptTakeback,
        "accept" | "yes" => Command::AcceptDraw,
        "decline" | "no" if asked => Command::DeclineTakeback,
        "decline" | "no" => Command::DeclineDraw,
        "takeback" => Command::OfferTakeback,
        "threefold" => return claim(DrawBasis::Threefold, rest, situation),
        "fifty" => return claim(DrawBasis::Fifty, rest, situation),
        "quickplay" => Command::ClaimQuickplay { basis: QuickplayBasis::default() },
        "flag" => Command::ClaimFlag,
        "abandoned" => Command::ClaimAbandoned,
        "arbiter" => {
            let reason = rest.try_into().map_err(|_| "say it in fewer words".to_string())?;
            Command::CallArbiter { reason, pause: false }
        }
        _ => {
            let offer_draw = match rest.to_ascii_lowercase().as_str() {
                "" => false,
                "draw" => true,
                _ => return Err(format!("`{line}`: not understood; type help")),
            };
            Command::Move { mv: named_move(word, situation)?, offer_draw }
        }
    };
    Ok(Typed::Command(command))
}

/// A claim under 9.2 or 9.3, on the position as it is or as it will be after a move. A wrong one costs
/// time, so it has to be confirmed.
fn claim(basis: DrawBasis, rest: &str, situation: Situation<'_>) -> Result<Typed, String> {
    let intended = if rest.is_empty() { None } else { Some(named_move(rest, situation)?) };
    Ok(Typed::Confirm(Command::ClaimDraw { basis, intended }, "claim (a wrong claim costs time)"))
}

fn named_move(name: &str, situation: Situation<'_>) -> Result<zeitnot_client::proto::Move, String> {
    if situation.side != Some(situation.turn) {
        return Err(Refusal::NotYourTurn.advice().into());
    }
    let Some(legal) = situation.legal else {
        return Err("the legal moves have not come yet".into());
    };
    find(name, legal).map_err(|error| match error {
        NoMove::Unknown if legal.is_empty() => format!("`{name}`: there is no legal move now"),
        NoMove::Unknown => format!("`{name}`: no legal move and no command; type help"),
        NoMove::Several(names) => format!("which one: {}?", names.join(" or ")),
        NoMove::Promotion => format!("say what the pawn becomes, as in {name}=Q or {name}=N"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use zeitnot_client::proto::Text;

    #[test]
    fn lines_are_understood() {
        let legal = [LegalMove { mv: "g1f3".parse().unwrap(), san: Text::cut("Nf3") }];
        let mv = legal[0].mv;
        let (side, turn) = (Some(Color::White), Color::White);
        let quiet = Situation { legal: Some(&legal), side, turn, offer: None, takeback: None };
        let waiting = Situation { turn: Color::Black, ..quiet };
        let offered = Situation { offer: Some(Color::Black), ..quiet };
        let asked = Situation { takeback: Some(Color::Black), ..quiet };
        let watching = Situation { side: None, ..quiet };
        let command = |command| Ok(Typed::Command(command));
        assert_eq!(understand(" Nf3 ", quiet), command(Command::Move { mv, offer_draw: false }));
        assert_eq!(understand("g1f3 draw", quiet), command(Command::Move { mv, offer_draw: true }));
        assert_eq!(understand("draw", quiet), command(Command::OfferDraw));
        assert_eq!(understand("draw", offered), command(Command::AcceptDraw));
        assert_eq!(understand("no", offered), command(Command::DeclineDraw));
        assert_eq!(understand("accept", asked), command(Command::AcceptTakeback));
        assert_eq!(understand("decline", asked), command(Command::DeclineTakeback));
        assert!(matches!(understand("resign", quiet), Ok(Typed::Confirm(Command::Resign, _))));
        let intended = Command::ClaimDraw { basis: DrawBasis::Threefold, intended: Some(mv) };
        assert!(
            matches!(understand("threefold Nf3", quiet), Ok(Typed::Confirm(command, _)) if command == intended)
        );
        assert_eq!(understand("QUIT", watching), Ok(Typed::Quit));
        for (line, situation) in [
            ("Nf3", watching),
            ("Nf3", waiting),
            ("Nf4", quiet),
            ("Nf3 now", quiet),
            ("Nf3", Situation { legal: None, ..quiet }),
        ] {
            assert!(understand(line, situation).is_err(), "{line}");
        }
    }
}
