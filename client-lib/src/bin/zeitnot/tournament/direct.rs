//! What a director does at the terminal.

use super::Done;
use super::print;
use clap::{Args, Subcommand, ValueEnum};
use zeitnot_client::Client;
use zeitnot_client::proto::command::Why;
use zeitnot_client::proto::rules::Name;
use zeitnot_client::proto::tournament::{BoardResult, ByeKind, Direction, Document, TournamentId};
use zeitnot_client::proto::{ByColor, List};

/// Pairs the next round, or shows why a round was paired as it was.
#[derive(Debug, Args)]
pub struct Pair {
    /// The tournament's number.
    tournament: u64,
    /// A board by hand, WHITE:BLACK; once for each board, in order.
    #[arg(long = "board", value_name = "WHITE:BLACK", value_parser = board)]
    boards: Vec<ByColor<Name>>,
    /// Who has the allocated bye of a pairing by hand.
    #[arg(long, value_name = "NAME", requires = "boards", value_parser = name)]
    bye: Option<Name>,
    /// Why by hand, or why the pairing is taken back; for the record.
    #[arg(long, value_name = "WORDS", default_value = "")]
    reason: String,
    /// Takes the last pairing back, while nobody has moved.
    #[arg(long, conflicts_with = "boards")]
    undo: bool,
    /// Pairs nothing: shows why this round was paired as it was.
    #[arg(long, value_name = "ROUND", conflicts_with_all = ["boards", "undo"])]
    explain: Option<u16>,
}

/// What a director does besides starting and pairing.
#[derive(Debug, Subcommand)]
pub enum Direct {
    /// Opens or closes registration.
    Registration {
        /// The tournament's number.
        tournament: u64,
        /// Open or closed.
        state: Open,
    },
    /// Enters somebody else, or corrects what is known about him.
    Enter {
        /// The tournament's number.
        tournament: u64,
        /// The identity.
        player: String,
        #[command(flatten)]
        person: super::Person,
    },
    /// Takes a player out for the rounds to come.
    Remove {
        /// The tournament's number.
        tournament: u64,
        /// Who.
        #[arg(value_parser = name)]
        player: Name,
        /// Expels him from the event: the game that he plays is lost.
        #[arg(long)]
        expel: bool,
        /// Why, for the record.
        #[arg(long, value_name = "WORDS", default_value = "")]
        reason: String,
    },
    /// Says that a player is there.
    Present {
        /// The tournament's number.
        tournament: u64,
        /// Who.
        #[arg(value_parser = name)]
        player: Name,
    },
    /// Gives a player a bye in a round to come.
    GiveBye {
        /// The tournament's number.
        tournament: u64,
        /// Who.
        #[arg(value_parser = name)]
        player: Name,
        /// The round.
        round: u16,
        /// Which kind.
        kind: Kind,
    },
    /// These must not meet one another; before the first round.
    Forbid {
        /// The tournament's number.
        tournament: u64,
        /// Who.
        #[arg(num_args = 2.., value_parser = name)]
        players: Vec<Name>,
    },
    /// Enters or corrects a result.
    Result {
        /// The tournament's number.
        tournament: u64,
        /// The round.
        round: u16,
        /// The board.
        board: u16,
        /// 1-0, 1/2-1/2, 0-1; +:-, -:+, -:- where somebody did not come.
        #[arg(allow_hyphen_values = true)]
        result: BoardResult,
        /// Why, for the record.
        #[arg(long, value_name = "WORDS", default_value = "")]
        reason: String,
    },
    /// Decides otherwise, before the start: all settings are given anew.
    Change {
        /// The tournament's number.
        tournament: u64,
        #[command(flatten)]
        settings: Box<super::create::Arguments>,
    },
    /// Tells everybody something.
    Announce {
        /// The tournament's number.
        tournament: u64,
        /// What.
        text: String,
    },
    /// Ends a tournament before its last round.
    Finish {
        /// The tournament's number.
        tournament: u64,
        /// Why, for the record.
        #[arg(long, value_name = "WORDS", default_value = "")]
        reason: String,
    },
}

/// Open or closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Open {
    /// Players can enter.
    Open,
    /// Nobody can.
    Closed,
}

/// Kinds of byes.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Kind {
    /// Worth a draw.
    Half,
    /// Worth a win.
    Full,
    /// An absence.
    Zero,
    /// The bye of an odd field, preset.
    Allocated,
}

fn name(text: &str) -> Result<Name, String> {
    Name::new(text).map_err(|_| "that name is too long".to_owned())
}

fn board(text: &str) -> Result<ByColor<Name>, String> {
    let (white, black) = text.split_once(':').ok_or("write WHITE:BLACK")?;
    Ok(ByColor::new(name(white)?, name(black)?))
}

fn why(text: &str) -> Result<Why, String> {
    Why::new(text).map_err(|error| format!("that is {error} bytes"))
}

/// Closes the list and prints it.
pub async fn start(client: &Client, tournament: TournamentId) -> Done {
    client.tournaments().direct(tournament, Direction::Start).await?;
    print::show(client, tournament, None, true).await
}

impl Pair {
    /// Runs the command.
    pub async fn run(self, client: &Client) -> Done {
        let tournament = TournamentId(self.tournament);
        let tournaments = client.tournaments();
        if let Some(round) = self.explain {
            print!("{}", tournaments.export(tournament, Document::Pairing { round }).await?);
            return Ok(());
        }
        let reason = why(&self.reason)?;
        if self.undo {
            return Ok(tournaments.direct(tournament, Direction::Unpair { reason }).await?);
        }
        let action = if self.boards.is_empty() {
            Direction::Pair
        } else {
            let boards = List::new(self.boards).map_err(|error| format!("the boards are {error}"))?;
            Direction::PairByHand { boards, bye: self.bye, reason }
        };
        tournaments.direct(tournament, action).await?;
        print::show(client, tournament, None, false).await
    }
}

impl Direct {
    /// Runs the command.
    pub async fn run(self, client: &Client) -> Done {
        let (tournament, action) = self.action()?;
        Ok(client.tournaments().direct(TournamentId(tournament), action).await?)
    }

    fn action(self) -> Result<(u64, Direction), String> {
        Ok(match self {
            Direct::Registration { tournament, state } => {
                (tournament, Direction::Registration { open: state == Open::Open })
            }
            Direct::Enter { tournament, player, person } => {
                (tournament, Direction::Enter(Box::new(person.entrant(&player)?)))
            }
            Direct::Remove { tournament, player, expel: true, reason } => {
                (tournament, Direction::Expel { name: player, reason: why(&reason)? })
            }
            Direct::Remove { tournament, player, .. } => (tournament, Direction::Withdraw(player)),
            Direct::Present { tournament, player } => (tournament, Direction::CheckIn(player)),
            Direct::GiveBye { tournament, player, round, kind } => {
                let kind = match kind {
                    Kind::Half => ByeKind::Half,
                    Kind::Full => ByeKind::Full,
                    Kind::Zero => ByeKind::Zero,
                    Kind::Allocated => ByeKind::Allocated,
                };
                (tournament, Direction::GiveBye { name: player, round, kind })
            }
            Direct::Forbid { tournament, players } => {
                let players = List::new(players).map_err(|error| format!("the list is {error}"))?;
                (tournament, Direction::Forbid(players))
            }
            Direct::Result { tournament, round, board, result, reason } => {
                (tournament, Direction::Result { round, board, result, reason: why(&reason)? })
            }
            Direct::Change { tournament, settings } => {
                (tournament, Direction::Change(Box::new(settings.settings()?)))
            }
            Direct::Announce { tournament, text } => (tournament, Direction::Announce(why(&text)?)),
            Direct::Finish { tournament, reason } => {
                (tournament, Direction::Finish { reason: why(&reason)? })
            }
        })
    }
}
