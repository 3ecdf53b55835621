//! What an arbiter types, and the command that it means.

use zeitnot_client::proto::command::{Command, RestoredClocks, Running, Sanction, Verdict, Why};
use zeitnot_client::proto::time::parse_us;
use zeitnot_client::proto::{ByColor, Color, GameId};

/// A line that an arbiter typed.
#[derive(Debug, Clone, PartialEq)]
pub enum Order {
    /// Shows the queue.
    Queue,
    /// Shows a board.
    Show(GameId),
    /// Does something on a board.
    Act(GameId, Command),
    /// Shows what can be typed.
    Help,
    /// Leaves.
    Quit,
}

/// What can be typed.
pub const HELP: &str = "\
  queue                              what awaits you, longest first
  show GAME                          how a board stands
  GAME upheld | rejected             rule on a claim under 9.2 or 9.3
  GAME draw | postpone [TIME] | reject [TIME] | flag-stands    rule on a quickplay claim
  GAME agree | disagree              rule on a request for an increment
  GAME pause [WHY] | resume          stop the clocks, start them again
  GAME clocks WHITE BLACK [white|black|none] [WHY]    set the clocks, and whose runs
  GAME time SIDE +TIME|-TIME [WHY]   give or take time
  GAME flag SIDE                     call a flag
  GAME restore PLY [keep|as-at-ply] [illegal SIDE] [WHY]    restore the position after PLY half-moves
  GAME warn SIDE [WHY] | add SIDE TIME [WHY] | take SIDE TIME [force] [WHY]    sanctions; `add` is for SIDE's opponent
  GAME lost SIDE [SCORE] [WHY] | expel SIDE [WHY]
  GAME consent                       let the players agree to a draw
  GAME result WHITE BLACK [WHY]      declare a result: 1, 1/2 or 0 each
  GAME annul [WHY] | swap | reversed | turned | two-hands SIDE | note SIDE WHY
  GAME default-time TIME [WHY] | adjourn [WHY]
  help, quit                         times are written [[h:]m:]s";

/// Reads a line; the complaint says what was expected.
pub fn read(line: &str) -> Result<Order, String> {
    let mut words = Words(line.split_whitespace().collect());
    let first = words.next("a command")?;
    match first.as_str() {
        "queue" | "q" => Ok(Order::Queue),
        "help" | "?" => Ok(Order::Help),
        "quit" | "exit" => Ok(Order::Quit),
        "show" => Ok(Order::Show(words.game()?)),
        number => {
            let game = number.parse().map(GameId).map_err(|_| format!("`{number}`: type `help`"))?;
            Ok(Order::Act(game, command(&mut words)?))
        }
    }
}

fn command(words: &mut Words<'_>) -> Result<Command, String> {
    let verb = words.next("what to do")?;
    Ok(match verb.as_str() {
        "upheld" => rule(Verdict::Upheld, 0, words),
        "rejected" => rule(Verdict::Rejected, 0, words),
        "draw" => rule(Verdict::Draw, 0, words),
        "postpone" => {
            let bonus_us = words.maybe_time();
            rule(Verdict::Postpone, bonus_us, words)
        }
        "reject" => {
            let bonus_us = words.maybe_time();
            rule(Verdict::Reject, bonus_us, words)
        }
        "flag-stands" => rule(Verdict::FlagStands, 0, words),
        "agree" => rule(Verdict::Agree, 0, words),
        "disagree" => rule(Verdict::Disagree, 0, words),
        "pause" => Command::Pause { reason: words.rest() },
        "resume" => Command::Resume,
        "clocks" => {
            let clocks_us = ByColor::new(Some(words.time()?), Some(words.time()?));
            Command::SetClocks { clocks_us, running: words.maybe_running(), reason: words.rest() }
        }
        "time" => {
            let side = words.side()?;
            let mut by_us = ByColor::both(0);
            by_us[side] = words.signed_time()?;
            Command::AdjustTime { by_us, reason: words.rest() }
        }
        "flag" => Command::CallFlag { side: words.side()? },
        "restore" => restore(words)?,
        "consent" => Command::ConsentDraw,
        "annul" => Command::Annul { reason: words.rest() },
        "swap" => Command::SwapColours,
        "reversed" => Command::ReportColoursReversed,
        "turned" => Command::TransferBoard,
        "result" => {
            let mut score = || words.next("a score")?.parse().map_err(|e| format!("{e}"));
            let scores = ByColor::new(score()?, score()?);
            Command::DeclareResult { scores, reason: words.rest() }
        }
        "default-time" => Command::SetDefaultTime { time_us: words.time()?, reason: words.rest() },
        "adjourn" => Command::Adjourn { reason: words.rest() },
        "two-hands" => Command::ReportTwoHands { side: words.side()? },
        "note" => Command::ReportFairPlay { side: words.side()?, reason: words.rest() },
        sanction => penalise(sanction, words)?,
    })
}

fn rule(verdict: Verdict, bonus_us: u64, words: &mut Words<'_>) -> Command {
    Command::RuleClaim { verdict, bonus_us, reason: words.rest() }
}

fn restore(words: &mut Words<'_>) -> Result<Command, String> {
    let ply =
        words.next("how many half-moves stand")?.parse().map_err(|_| "a number of half-moves".to_string())?;
    let clocks = match words.peek() {
        Some("as-at-ply") => RestoredClocks::AsAtPly,
        _ => RestoredClocks::Keep,
    };
    if matches!(words.peek(), Some("keep" | "as-at-ply")) {
        words.skip();
    }
    let illegal = if words.peek() == Some("illegal") {
        words.skip();
        Some(words.side()?)
    } else {
        None
    };
    Ok(Command::RestorePosition { ply, clocks, illegal, reason: words.rest() })
}

fn penalise(sanction: &str, words: &mut Words<'_>) -> Result<Command, String> {
    let known = ["warn", "add", "take", "lost", "expel"];
    if !known.contains(&sanction) {
        return Err(format!("`{sanction}` is nothing an arbiter does here: type `help`"));
    }
    let side = words.side()?;
    let sanction = match sanction {
        "warn" => Sanction::Warning,
        "add" => Sanction::AddOpponent(words.time()?),
        "take" => {
            let time_us = words.time()?;
            let force = words.peek() == Some("force");
            if force {
                words.skip();
            }
            Sanction::SubtractOwn { time_us, force }
        }
        "lost" => {
            let score = words.peek().and_then(|word| word.parse().ok());
            if score.is_some() {
                words.skip();
            }
            Sanction::Loss(score)
        }
        _ => Sanction::Expulsion,
    };
    Ok(Command::Penalise { side, sanction, reason: words.rest() })
}

/// The words of a line that have not been read yet.
struct Words<'a>(std::collections::VecDeque<&'a str>);

impl Words<'_> {
    fn next(&mut self, what: &str) -> Result<String, String> {
        self.0.pop_front().map(str::to_lowercase).ok_or_else(|| format!("{what} is missing: type `help`"))
    }

    fn peek(&self) -> Option<&str> {
        self.0.front().copied()
    }

    fn skip(&mut self) {
        self.0.pop_front();
    }

    fn game(&mut self) -> Result<GameId, String> {
        let word = self.next("the number of a game")?;
        word.parse().map(GameId).map_err(|_| format!("`{word}` is no number of a game"))
    }

    fn side(&mut self) -> Result<Color, String> {
        let word = self.next("a side")?;
        match word.as_str() {
            "white" | "w" => Ok(Color::White),
            "black" | "b" => Ok(Color::Black),
            _ => Err(format!("`{word}`: write white or black")),
        }
    }

    fn time(&mut self) -> Result<u64, String> {
        let word = self.next("a time")?;
        parse_us(&word).ok_or_else(|| format!("`{word}` is no time: write [[h:]m:]s"))
    }

    fn signed_time(&mut self) -> Result<i64, String> {
        let word = self.next("a time with its sign")?;
        let (sign, rest) = match word.split_at_checked(1) {
            Some(("+", rest)) => (1, rest),
            Some(("-", rest)) => (-1, rest),
            _ => return Err(format!("`{word}`: write +TIME or -TIME")),
        };
        let us = parse_us(rest).and_then(|us| i64::try_from(us).ok());
        us.map(|us| sign * us).ok_or_else(|| format!("`{word}` is no time: write +[[h:]m:]s"))
    }

    fn maybe_time(&mut self) -> u64 {
        let time = self.peek().and_then(parse_us);
        if time.is_some() {
            self.skip();
        }
        time.unwrap_or(0)
    }

    fn maybe_running(&mut self) -> Option<Running> {
        let running = match self.peek()? {
            "white" => Running::White,
            "black" => Running::Black,
            "none" => Running::None,
            _ => return None,
        };
        self.skip();
        Some(running)
    }

    /// Everything that is left, as a reason.
    fn rest(&mut self) -> Why {
        let words: Vec<&str> = self.0.drain(..).collect();
        Why::cut(&words.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn act(line: &str) -> Command {
        match read(line) {
            Ok(Order::Act(GameId(7), command)) => command,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn lines_and_what_they_mean() {
        assert_eq!(read("queue"), Ok(Order::Queue));
        assert_eq!(read("show 12"), Ok(Order::Show(GameId(12))));
        assert_eq!(act("7 resume"), Command::Resume);
        assert_eq!(act("7 pause fire drill"), Command::Pause { reason: Why::cut("fire drill") });
        assert_eq!(
            act("7 postpone 2:00"),
            Command::RuleClaim { verdict: Verdict::Postpone, bonus_us: 120_000_000, reason: Why::default() }
        );
        assert_eq!(
            act("7 time black -0:30.5 late"),
            Command::AdjustTime { by_us: ByColor::new(0, -30_500_000), reason: Why::cut("late") }
        );
        assert_eq!(
            act("7 restore 77 as-at-ply illegal white"),
            Command::RestorePosition {
                ply: 77,
                clocks: RestoredClocks::AsAtPly,
                illegal: Some(Color::White),
                reason: Why::default()
            }
        );
        assert_eq!(
            act("7 take w 1:00 force"),
            Command::Penalise {
                side: Color::White,
                sanction: Sanction::SubtractOwn { time_us: 60_000_000, force: true },
                reason: Why::default()
            }
        );
        assert_eq!(
            act("7 result 0 1/2 refusal"),
            Command::DeclareResult {
                scores: ByColor::new("0".parse().unwrap(), "1/2".parse().unwrap()),
                reason: Why::cut("refusal")
            }
        );
    }

    #[test]
    fn what_is_not_understood_is_said() {
        for line in [
            "",
            "dance",
            "7",
            "7 dance",
            "7 time white 30",
            "7 flag",
            "7 clocks 1:00",
            "show x",
            "7 result 1",
        ] {
            assert!(read(line).is_err(), "{line}");
        }
    }
}
