//! `zeitnot tournament`: everything about tournaments.

mod create;
mod direct;
mod play;
mod print;

pub use print::points;

use crate::Outcome;
use crate::target::Target;
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;
use std::process::ExitCode;
use zeitnot_client::proto::Text;
use zeitnot_client::proto::tournament::{ByeKind, Document, Entrant, SheetFormat, TournamentId};
use zeitnot_client::{Client, Notices};

/// Creates, directs, joins, shows and exports tournaments.
#[derive(Debug, Args)]
pub struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Creates a tournament and prints its number (organizers).
    Create(create::Arguments),
    /// Lists tournaments, newest first.
    List,
    /// Shows how a tournament stands: players before its start, the round's boards then.
    Show {
        /// The tournament's number.
        tournament: u64,
        /// This round instead of the last one.
        #[arg(long, value_name = "N")]
        round: Option<u16>,
        /// The players instead of the boards.
        #[arg(long)]
        players: bool,
    },
    /// Enters a tournament, or says anew who you are.
    Join {
        /// The tournament's number.
        tournament: u64,
        #[command(flatten)]
        person: Person,
    },
    /// Joins if need be, then plays every game as it gets ready.
    Play {
        /// The tournament's number.
        tournament: u64,
        #[command(flatten)]
        person: Person,
        /// Letters instead of chess figures.
        #[arg(long)]
        ascii: bool,
    },
    /// Leaves a tournament.
    Withdraw {
        /// The tournament's number.
        tournament: u64,
    },
    /// Says that you are there.
    CheckIn {
        /// The tournament's number.
        tournament: u64,
    },
    /// Asks for a half-point bye, or an absence, in a round to come.
    Bye {
        /// The tournament's number.
        tournament: u64,
        /// The round.
        round: u16,
        /// No points for it.
        #[arg(long)]
        zero: bool,
    },
    /// Closes the list: numbers are given, lots are drawn.
    Start {
        /// The tournament's number.
        tournament: u64,
    },
    /// Pairs the next round, or shows why a round was paired as it was.
    Pair(direct::Pair),
    /// What a director does besides.
    #[command(flatten)]
    Direct(direct::Direct),
    /// Prints the standings.
    Standings {
        /// The tournament's number.
        tournament: u64,
        /// Every tie-break with its contributions.
        #[arg(long)]
        explain: bool,
        /// How it is written.
        #[arg(long, default_value = "text")]
        format: Format,
    },
    /// Prints the crosstable.
    Crosstable {
        /// The tournament's number.
        tournament: u64,
        /// How it is written.
        #[arg(long, default_value = "text")]
        format: Format,
    },
    /// Writes a document about a tournament.
    Export {
        /// The tournament's number.
        tournament: u64,
        /// Which document.
        document: Kind,
        /// The file; standard output if left out.
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
}

/// Who plays, for the list and the report.
#[derive(Debug, Args)]
pub struct Person {
    /// Lastname, Firstname.
    #[arg(long = "name", value_name = "NAME", default_value = "")]
    full_name: String,
    /// The rating.
    #[arg(long, value_name = "N", default_value_t = 0)]
    rating: u16,
    /// The FIDE title: GM, WIM, ...
    #[arg(long, value_name = "TITLE", default_value = "")]
    title: String,
    /// The federation, three letters.
    #[arg(long, value_name = "FED", default_value = "")]
    federation: String,
    /// The FIDE number.
    #[arg(long, value_name = "N", default_value = "")]
    fide_id: String,
}

impl Person {
    /// The entry of an identity; an error says which word is too long.
    fn entrant(&self, name: &str) -> Result<Entrant, String> {
        fn word<const MAX: usize>(what: &str, text: &str) -> Result<Text<MAX>, String> {
            Text::new(text).map_err(|_| format!("the {what} is longer than {MAX} bytes"))
        }
        Ok(Entrant {
            name: word("identity", name)?,
            full_name: word("name", &self.full_name)?,
            rating: self.rating,
            title: word("title", &self.title)?,
            federation: word("federation", &self.federation)?,
            fide_id: word("FIDE number", &self.fide_id)?,
        })
    }
}

/// How a table is written.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Format {
    Text,
    Csv,
    Markdown,
}

impl Format {
    fn sheet(self) -> SheetFormat {
        match self {
            Format::Text => SheetFormat::Text,
            Format::Csv => SheetFormat::Csv,
            Format::Markdown => SheetFormat::Markdown,
        }
    }
}

/// Documents.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Kind {
    /// The report file, TRF-2026.
    Trf,
    /// All games.
    Pgn,
    /// Standings and crosstable on one printable page.
    Html,
    /// What happened, when, and by whom.
    Record,
}

/// Runs the command.
pub async fn run(target: &Target, arguments: Arguments) -> Outcome {
    let (client, mut notices) = target.connect().await?;
    let done = act(target, &client, &mut notices, arguments.action).await;
    client.close().await;
    done.map(|()| ExitCode::SUCCESS)
}

type Done = Result<(), Box<dyn std::error::Error + Send + Sync>>;

async fn act(target: &Target, client: &Client, notices: &mut Notices, action: Action) -> Done {
    let tournaments = client.tournaments();
    match action {
        Action::Create(arguments) => println!("{}", tournaments.create(arguments.settings()?).await?),
        Action::List => {
            for summary in tournaments.list().await? {
                println!("{}", print::line(&summary));
            }
        }
        Action::Show { tournament, round, players } => {
            print::show(client, TournamentId(tournament), round, players).await?;
        }
        Action::Join { tournament, person } => {
            join(target, client, TournamentId(tournament), &person).await?;
        }
        Action::Play { tournament, person, ascii } => {
            play::run(client, notices, TournamentId(tournament), &person, ascii).await?;
        }
        Action::Withdraw { tournament } => tournaments.withdraw(TournamentId(tournament)).await?,
        Action::CheckIn { tournament } => tournaments.check_in(TournamentId(tournament)).await?,
        Action::Bye { tournament, round, zero } => {
            let kind = if zero { ByeKind::Zero } else { ByeKind::Half };
            tournaments.request_bye(TournamentId(tournament), round, kind).await?;
        }
        Action::Start { tournament } => direct::start(client, TournamentId(tournament)).await?,
        Action::Pair(pair) => pair.run(client).await?,
        Action::Direct(direct) => direct.run(client).await?,
        Action::Standings { tournament, explain, format } => {
            let document = if explain { Document::TieBreaks } else { Document::Standings(format.sheet()) };
            print!("{}", tournaments.export(TournamentId(tournament), document).await?);
        }
        Action::Crosstable { tournament, format } => {
            let document = Document::Crosstable(format.sheet());
            print!("{}", tournaments.export(TournamentId(tournament), document).await?);
        }
        Action::Export { tournament, document, out } => {
            let document = match document {
                Kind::Trf => Document::Trf,
                Kind::Pgn => Document::Pgn,
                Kind::Html => Document::Page,
                Kind::Record => Document::Record,
            };
            let text = tournaments.export(TournamentId(tournament), document).await?;
            match out {
                Some(file) => std::fs::write(&file, text).map_err(|e| format!("{}: {e}", file.display()))?,
                None => print!("{text}"),
            }
        }
    }
    Ok(())
}

async fn join(target: &Target, client: &Client, tournament: TournamentId, person: &Person) -> Done {
    let welcome = client.welcome().await?;
    client.tournaments().join(tournament, person.entrant(&welcome.name)?).await?;
    println!("{} has entered tournament {tournament}.", welcome.name);
    if let Some(token) = &welcome.guest_token {
        let to = target.as_arguments();
        println!("To play as this guest: zeitnot tournament play {tournament} {to} --token {token}");
    }
    Ok(())
}
