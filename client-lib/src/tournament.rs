//! Tournaments, one call for each request.

use crate::error::Error;
use crate::reconnect::Client;
use zeitnot_proto::control::{Reply, Request};
use zeitnot_proto::tournament::{
    BoardView, ByeKind, Direction, Document, Entrant, EntrantView, OutView, PlaceView, TournamentId,
    TournamentReply, TournamentRequest, TournamentSettings, TournamentSummary, TournamentView,
};

/// A round as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoundView {
    /// Which round.
    pub round: u16,
    /// All its boards.
    pub boards: Vec<BoardView>,
    /// Who stays out.
    pub out: Vec<OutView>,
}

/// The standings as they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StandingsView {
    /// After which round.
    pub round: u16,
    /// The tie-breaks that were used, by their codes.
    pub tie_breaks: Vec<String>,
    /// All places.
    pub places: Vec<PlaceView>,
}

/// The tournaments of a server.
#[derive(Debug, Clone, Copy)]
pub struct Tournaments<'a> {
    client: &'a Client,
}

impl Client {
    /// The tournaments of this server.
    pub fn tournaments(&self) -> Tournaments<'_> {
        Tournaments { client: self }
    }
}

fn other(reply: &TournamentReply) -> Error {
    Error::Protocol(format!("another answer was due than {reply:?}"))
}

fn skipped(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

impl Tournaments<'_> {
    async fn ask(self, request: TournamentRequest) -> Result<TournamentReply, Error> {
        match self.client.request(Request::Tournament(request)).await? {
            Reply::Tournament(reply) => Ok(reply),
            reply => Err(Error::Protocol(format!("an answer about a tournament was due, not {reply:?}"))),
        }
    }

    async fn have_done(self, request: TournamentRequest) -> Result<(), Error> {
        self.client.request(Request::Tournament(request)).await.map(drop)
    }

    /// Creates a tournament (organizers).
    pub async fn create(self, settings: TournamentSettings) -> Result<TournamentId, Error> {
        match self.ask(TournamentRequest::Create(Box::new(settings))).await? {
            TournamentReply::Created(tournament) => Ok(tournament),
            reply => Err(other(&reply)),
        }
    }

    /// All tournaments, newest first.
    pub async fn list(self) -> Result<Vec<TournamentSummary>, Error> {
        let mut all: Vec<TournamentSummary> = Vec::new();
        loop {
            let before = all.last().map(|last| last.tournament);
            match self.ask(TournamentRequest::List { before }).await? {
                TournamentReply::Tournaments { page, more } => {
                    all.extend(page.into_vec());
                    if !more {
                        return Ok(all);
                    }
                }
                reply => return Err(other(&reply)),
            }
        }
    }

    /// How a tournament stands.
    pub async fn show(self, tournament: TournamentId) -> Result<TournamentView, Error> {
        match self.ask(TournamentRequest::Show(tournament)).await? {
            TournamentReply::Shown(view) => Ok(*view),
            reply => Err(other(&reply)),
        }
    }

    /// All its players, by number.
    pub async fn players(self, tournament: TournamentId) -> Result<Vec<EntrantView>, Error> {
        let mut all = Vec::new();
        loop {
            let skip = skipped(all.len());
            match self.ask(TournamentRequest::Players { tournament, skip }).await? {
                TournamentReply::Players { page, more } => {
                    all.extend(page.into_vec());
                    if !more {
                        return Ok(all);
                    }
                }
                reply => return Err(other(&reply)),
            }
        }
    }

    /// A round with all its boards; the last one that is paired if 0.
    pub async fn round(self, tournament: TournamentId, round: u16) -> Result<RoundView, Error> {
        let mut view = RoundView { round, boards: Vec::new(), out: Vec::new() };
        loop {
            let skip = skipped(view.boards.len());
            match self.ask(TournamentRequest::Boards { tournament, round: view.round, skip }).await? {
                TournamentReply::Boards { round, page, out, more } => {
                    view.round = round;
                    view.boards.extend(page.into_vec());
                    view.out.extend(out.into_vec());
                    if !more {
                        return Ok(view);
                    }
                }
                reply => return Err(other(&reply)),
            }
        }
    }

    /// The standings as they are now.
    pub async fn standings(self, tournament: TournamentId) -> Result<StandingsView, Error> {
        let mut view = StandingsView { round: 0, tie_breaks: Vec::new(), places: Vec::new() };
        loop {
            let skip = skipped(view.places.len());
            match self.ask(TournamentRequest::Standings { tournament, skip }).await? {
                TournamentReply::Standings { round, tie_breaks, page, more } => {
                    view.round = round;
                    view.tie_breaks = tie_breaks.iter().map(ToString::to_string).collect();
                    view.places.extend(page.into_vec());
                    if !more {
                        return Ok(view);
                    }
                }
                reply => return Err(other(&reply)),
            }
        }
    }

    /// A document about it, whole.
    pub async fn export(self, tournament: TournamentId, document: Document) -> Result<String, Error> {
        let mut text = String::new();
        for part in 0.. {
            match self.ask(TournamentRequest::Export { tournament, document, part }).await? {
                TournamentReply::Document { text: part, more } => {
                    text.push_str(&part);
                    if !more {
                        break;
                    }
                }
                reply => return Err(other(&reply)),
            }
        }
        Ok(text)
    }

    /// Enters it, or says anew who one is. The server knows the identity; its name here does not count.
    pub async fn join(self, tournament: TournamentId, entrant: Entrant) -> Result<(), Error> {
        self.have_done(TournamentRequest::Join { tournament, entrant: Box::new(entrant) }).await
    }

    /// Leaves it.
    pub async fn withdraw(self, tournament: TournamentId) -> Result<(), Error> {
        self.have_done(TournamentRequest::Withdraw(tournament)).await
    }

    /// Says that one is there.
    pub async fn check_in(self, tournament: TournamentId) -> Result<(), Error> {
        self.have_done(TournamentRequest::CheckIn(tournament)).await
    }

    /// Asks for a half-point bye or an absence in a round to come.
    pub async fn request_bye(self, tournament: TournamentId, round: u16, kind: ByeKind) -> Result<(), Error> {
        self.have_done(TournamentRequest::RequestBye { tournament, round, kind }).await
    }

    /// Asks for the notices about it, or for no more of them.
    pub async fn follow(self, tournament: TournamentId, on: bool) -> Result<(), Error> {
        self.have_done(TournamentRequest::Follow { tournament, on }).await
    }

    /// Does what only its director may.
    pub async fn direct(self, tournament: TournamentId, action: Direction) -> Result<(), Error> {
        self.have_done(TournamentRequest::Direct { tournament, action: Box::new(action) }).await
    }
}
