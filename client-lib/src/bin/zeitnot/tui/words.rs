//! Events and results in plain words, with the article that a ruling rests on.

use zeitnot_client::clock::format_clock;
use zeitnot_client::proto::command::{DrawBasis, Sanction};
use zeitnot_client::proto::event::{Certificate, Claim, FlagOrder};
use zeitnot_client::proto::rules::Name;
use zeitnot_client::proto::snapshot::Status;
use zeitnot_client::proto::{ByColor, Color, Entry, Event, Move, Outcome, Reason, Score, TimeControl};

/// What happened, with the article; none where the board and the clocks say it.
pub fn entry(entry: &Entry, players: &ByColor<Name>) -> Option<String> {
    let text = event(&entry.event, players)?;
    Some(match &entry.article {
        Some(article) => format!("{text} ({article})"),
        None => text,
    })
}

fn event(event: &Event, players: &ByColor<Name>) -> Option<String> {
    let name = |side: &Color| &players[*side];
    Some(match event {
        Event::GameCreated(_) | Event::Withheld | Event::MoveCompleted { .. } | Event::GameStarted => {
            return None;
        }
        Event::PresenceChanged { side, present: true } => format!("{} is here", name(side)),
        Event::PresenceChanged { side, present: false } => format!("{} has left", name(side)),
        Event::Arrived { side } => format!("{} is at the board", name(side)),
        Event::Touched { side, square, .. } => format!("{} touched the man on {square}", name(side)),
        Event::Adjusting { side } => format!("{} adjusts", name(side)),
        Event::TouchObligation { side, squares } if squares.is_empty() => {
            format!("{} may play any legal move", name(side))
        }
        Event::TouchObligation { side, squares } => {
            let squares: Vec<String> = squares.iter().map(ToString::to_string).collect();
            format!("{} has to move or take {}", name(side), squares.join(" or "))
        }
        Event::MoveMade { side, mv, illegal } => {
            format!("{} made {mv}{}", name(side), if *illegal { ", which is not legal" } else { "" })
        }
        Event::FlagFell { side, .. } => format!("{}'s flag has fallen", name(side)),
        Event::FlagsReported { .. } => "the clock reports fallen flags".into(),
        Event::BothFlagsDown { order, .. } => match order {
            FlagOrder::WhiteFirst => "both flags are down, White's fell first".into(),
            FlagOrder::BlackFirst => "both flags are down, Black's fell first".into(),
            FlagOrder::Unknown => "both flags are down, which fell first cannot be established".into(),
        },
        Event::DrawOffered { side, .. } => format!("{} offers a draw", name(side)),
        Event::DrawDeclined { side } => format!("{} declines the draw", name(side)),
        Event::OfferLapsed { side } => format!("{}'s offer is over", name(side)),
        Event::ClaimMade { side, claim } => format!("{} {}", name(side), claimed(*claim)),
        Event::ClaimUpheld { side } => format!("{}'s claim is correct", name(side)),
        Event::ClaimRejected { side } => format!("{}'s claim is not correct", name(side)),
        Event::ClaimPostponed { side, .. } => format!("the decision on {}'s claim is postponed", name(side)),
        Event::IllegalMoveNoted { side, count } => format!("illegal move of {}, number {count}", name(side)),
        Event::Sanctioned { side, sanction, reason } => because(sanctioned(name(side), sanction), reason),
        Event::PositionRestored { ply, .. } => format!("the position after {ply} half-moves is restored"),
        Event::ArbiterCalled { side: Some(side), topic, .. } => format!("arbiter: {topic} ({})", name(side)),
        Event::ArbiterCalled { side: None, topic, .. } => format!("arbiter: {topic}"),
        Event::AwaitingRuling { topic } => format!("the arbiter has to rule: {topic}"),
        Event::MateAsked { winner, .. } => format!("can {} still mate? a search answers it", name(winner)),
        Event::MateSearched { winner, certificate, .. } => searched(name(winner), certificate),
        Event::Displaced { side } => format!("{} displaced men", name(side)),
        Event::ScoresheetUpdated { side } => format!("{}'s scoresheet is complete again", name(side)),
        Event::TwoHandsReported { side } => format!("{} used two hands for a move", name(side)),
        Event::DrawConsented => "the arbiter consents to a draw".into(),
        Event::ColoursSwapped => "the players change colours".into(),
        Event::Adjourned { reason } => because("adjourned".into(), reason),
        Event::MoveSealed { side, .. } => format!("{} sealed a move", name(side)),
        Event::Noted { text, .. } => format!("note: {text}"),
        Event::TakebackOffered { side, .. } => format!("{} asks to take back", name(side)),
        Event::TakebackDeclined { side } => format!("{}'s takeback is declined", name(side)),
        Event::Interrupted { .. } => "the server was away: that time is nobody's".into(),
        Event::ResultConfirmed { side } => format!("{} confirms the result", name(side)),
        Event::GameEnded { white, black, reason, .. } => result(ByColor::new(*white, *black), reason),
        Event::GameAnnulled { reason } => because("the game is annulled".into(), reason),
        about_clocks => return clocks(about_clocks, players),
    })
}

/// What happened to the clocks.
fn clocks(event: &Event, players: &ByColor<Name>) -> Option<String> {
    let name = |side: &Color| &players[*side];
    Some(match event {
        Event::ClockPaused { .. } => "the clocks are stopped".into(),
        Event::ClockResumed { side } => format!("{}'s clock runs again", name(side)),
        Event::ClockSet { white_us, black_us, .. } => {
            format!("the clocks are set to {} and {}", format_clock(*white_us), format_clock(*black_us))
        }
        Event::ClockAdjusted { white_us, black_us, reason } => because(
            format!("time is corrected to {} and {}", format_clock(*white_us), format_clock(*black_us)),
            reason,
        ),
        Event::PenaltyApplied { white_us, black_us } => {
            format!("penalty: the clocks are at {} and {}", format_clock(*white_us), format_clock(*black_us))
        }
        Event::PeriodPassed { side, period, .. } => format!("{} enters period {period}", name(side)),
        Event::IncrementGranted { increment_us } => {
            format!("both sides get {} more for each move", format_clock(*increment_us))
        }
        Event::DefaultTimeSet { time_us, .. } => format!("the default time is {}", format_clock(*time_us)),
        _ => return None,
    })
}

/// Half-moves of a line that are shown; a longer one is told by its beginning and its length.
const LINE_SHOWN: usize = 12;

/// The answer to the question whether a side could still mate.
fn searched(name: &str, certificate: &Certificate) -> String {
    let line = |moves: &[Move]| {
        let words: Vec<String> = moves.iter().take(LINE_SHOWN).map(ToString::to_string).collect();
        let rest = if moves.len() > LINE_SHOWN {
            format!(" ... ({} half-moves in all)", moves.len())
        } else {
            String::new()
        };
        words.join(" ") + &rest
    };
    match certificate {
        Certificate::Mates(moves) if moves.is_empty() => format!("{name} has mated"),
        Certificate::Mates(moves) => format!("{name} could still mate: {}", line(moves)),
        Certificate::Material => format!("{name} can never mate: too little material"),
        Certificate::Terminal => format!("{name} can never mate: no more moves can follow"),
        Certificate::ForcedLine(moves) => {
            format!("{name} can never mate: every move is forced, {}", line(moves))
        }
        Certificate::Exhausted { positions } => {
            format!("{name} can never mate: it is none of the {positions} positions that can follow")
        }
        Certificate::Static => format!("{name} can never mate: the men cannot get to where they would"),
        Certificate::Unknown { .. } => format!("not known whether {name} could mate: counts as if so"),
    }
}

fn because(text: String, reason: &str) -> String {
    if reason.is_empty() { text } else { format!("{text}: {reason}") }
}

fn claimed(claim: Claim) -> String {
    match claim {
        Claim::Draw { basis, intended } => {
            let ground = match basis {
                DrawBasis::Threefold => "by three occurrences",
                DrawBasis::Fifty => "by fifty moves",
            };
            match intended {
                Some(mv) => format!("claims a draw {ground} with {mv}"),
                None => format!("claims a draw {ground}"),
            }
        }
        Claim::Quickplay { .. } => "claims a draw in the quickplay finish".into(),
        Claim::Increment => "asks for an increment".into(),
    }
}

fn sanctioned(name: &str, sanction: &Sanction) -> String {
    match sanction {
        Sanction::Warning => format!("{name} is warned"),
        Sanction::AddOpponent(us) => format!("{name}'s opponent gets {} more", format_clock(*us)),
        Sanction::SubtractOwn { time_us, .. } => format!("{name} loses {} of time", format_clock(*time_us)),
        Sanction::Loss(_) => format!("{name} loses the game"),
        Sanction::Expulsion => format!("{name} is expelled"),
    }
}

/// A result as a sentence.
pub fn result(scores: ByColor<Score>, reason: &Reason) -> String {
    let who = match (scores.white, scores.black) {
        (Score::ONE, Score::ZERO) => "White wins".to_string(),
        (Score::ZERO, Score::ONE) => "Black wins".to_string(),
        (Score::HALF, Score::HALF) => "draw".to_string(),
        (Score::ZERO, Score::ZERO) => "both lose".to_string(),
        (white, black) => format!("{white} for White, {black} for Black"),
    };
    format!("{}-{}: {who}, {}", scores.white, scores.black, why(reason))
}

/// A reason in plain words.
fn why(reason: &Reason) -> String {
    match reason {
        Reason::Checkmate => "checkmate",
        Reason::Stalemate => "stalemate",
        Reason::DeadPosition => "neither side can mate any more",
        Reason::Resignation => "resignation",
        Reason::ResignVsNoMate => "resignation, but the other side cannot mate",
        Reason::Time => "on time",
        Reason::TimeVsNoMate => "the flag fell, but the other side cannot mate",
        Reason::Agreement => "agreed",
        Reason::Threefold => "claim of three occurrences",
        Reason::Fifty => "claim of fifty moves",
        Reason::Fivefold => "five occurrences of the position",
        Reason::SeventyFive => "seventy-five moves without capture or pawn move",
        Reason::BothFlags => "both flags are down",
        Reason::QpfDraw => "the arbiter draws the quickplay finish",
        Reason::IllegalMoves => "too many illegal moves",
        Reason::IllegalVsNoMate => "too many illegal moves, but the other side cannot mate",
        Reason::Forfeit => "by default",
        Reason::ForfeitBoth => "nobody came in time",
        Reason::Sanction => "the arbiter's sanction",
        Reason::Refusal => "refusal to comply with the Laws",
        Reason::BothLose => "both are at fault",
        Reason::Adjudication => "adjudicated",
        Reason::Abandoned => "the opponent left",
        Reason::Named(text) => text,
    }
    .to_string()
}

/// A time control as people say it.
pub fn time(control: &TimeControl) -> String {
    if control.is_untimed() { "no clocks".into() } else { control.to_string() }
}

/// How the game stands, if there is more to say than whose move it is.
pub fn status(status: &Status) -> Option<String> {
    match status {
        Status::Playing => None,
        Status::Waiting => Some("the game has not begun".into()),
        Status::Paused => Some("the clocks are stopped".into()),
        Status::AwaitingRuling(topic) => Some(format!("waiting for the arbiter: {topic}")),
        Status::Adjourned => Some("adjourned".into()),
        Status::Ended(Outcome { scores, reason, .. }) => Some(result(*scores, reason)),
        Status::Annulled => Some("the game does not count".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zeitnot_client::proto::{List, Text};

    #[test]
    fn rulings_name_their_article() {
        let players = ByColor::new(Text::cut("anna"), Text::cut("bela"));
        let event = Event::ClaimMade {
            side: Color::Black,
            claim: Claim::Draw { basis: DrawBasis::Fifty, intended: Some("a1a2".parse().unwrap()) },
        };
        let ruling = Entry { article: Some(Text::cut("9.3.1")), event };
        assert_eq!(entry(&ruling, &players).unwrap(), "bela claims a draw by fifty moves with a1a2 (9.3.1)");
        let ended = Event::ended(Outcome::draw(Reason::TimeVsNoMate));
        let ruling = Entry { article: Some(Text::cut("6.9")), event: ended };
        assert_eq!(
            entry(&ruling, &players).unwrap(),
            "1/2-1/2: draw, the flag fell, but the other side cannot mate (6.9)"
        );
        assert_eq!(entry(&Entry { article: None, event: Event::GameStarted }, &players), None);
    }

    // Law 2023 6.9: whoever reads the ruling sees the line that it rests on, or how long it is.
    #[test]
    fn a_verdict_on_mate_shows_its_line() {
        let players = ByColor::new(Text::cut("anna"), Text::cut("bela"));
        let said = |moves: &str| {
            let moves = moves.split(' ').map(|mv| mv.parse().unwrap()).collect();
            let certificate = Certificate::Mates(List::new(moves).unwrap());
            let event = Event::MateSearched { winner: Color::Black, fen: Text::cut("any"), certificate };
            entry(&Entry { article: None, event }, &players).unwrap()
        };
        assert_eq!(said("h3h2 g1h1"), "bela could still mate: h3h2 g1h1");
        let long = said(&["a1a2"; 13].join(" "));
        assert!(long.ends_with("a1a2 a1a2 ... (13 half-moves in all)"), "{long}");
    }
}
