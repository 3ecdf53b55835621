//! A club: an organizer, his tournament and its players, over QUIC.

use crate::Server;
use crate::games::{Guest, terms};
use crate::raw::request;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use zeitnot_proto::control::{Credential, Reply, Request};
use zeitnot_proto::rules::{Name, Setting, Value};
use zeitnot_proto::tournament::{
    BoardResult, BoardView, Direction, Document, Entrant, OutView, PlaceView, PointValues, Timetable,
    TournamentId, TournamentPhase, TournamentReply, TournamentRequest, TournamentSettings, TournamentSystem,
    TournamentView,
};
use zeitnot_proto::{Color, Command, Event, GameId, List, Refusal, Text};

/// A minute in microseconds.
pub const MINUTE_US: u64 = 60_000_000;

/// Settings of an evening by this system; whoever is later than the default time has lost.
pub fn settings(system: TournamentSystem, default_time_us: u64) -> TournamentSettings {
    let mut terms = terms("180+2");
    let default_time = Setting { name: Text::cut("default_time"), value: Value::SpanUs(default_time_us) };
    terms.rules.options = List::new(vec![default_time]).unwrap();
    TournamentSettings {
        name: Text::cut("Club evening"),
        system,
        terms,
        timetable: Timetable::ByHand,
        lead_us: 0,
        points: PointValues::default(),
        tie_breaks: List::default(),
        check_in: false,
        last_entry_round: 0,
        most_players: 0,
        lowest_rating: 0,
        highest_rating: 0,
        initial_color: Some(Color::White),
        literal_parity: false,
        city: Text::cut("Riga"),
        federation: Text::cut("LAT"),
        chief_arbiter: Text::cut("Nimzowitsch, Aron"),
    }
}

/// A Swiss of so many rounds.
pub fn swiss(rounds: u16) -> TournamentSettings {
    settings(TournamentSystem::Swiss { rounds, accelerated: false }, 10 * MINUTE_US)
}

/// An organizer, his tournament and its players.
pub struct Club {
    /// Its server.
    pub server: Server,
    organizer_token: Text<{ zeitnot_proto::limits::TOKEN_MAX }>,
    /// Its organizer.
    pub organizer: Guest,
    /// His tournament.
    pub tournament: TournamentId,
    /// The players, as guests.
    pub players: BTreeMap<Name, Guest>,
    next_id: u32,
}

impl Club {
    /// A tournament with so many entered, each fifty points weaker than the one before.
    pub async fn new(settings: TournamentSettings, players: usize) -> Club {
        Club::on(Server::start(), settings, players).await
    }

    /// The same on this server.
    pub async fn on(server: Server, settings: TournamentSettings, players: usize) -> Club {
        let said = server.run(&["token", "create", "organizer", "--role", "organizer"]).unwrap();
        let token = said.split_whitespace().find(|word| word.starts_with("zeitnot_")).unwrap();
        let organizer_token = Text::new(token).unwrap();
        let organizer = Guest::as_bearer(&server, Credential::Token(organizer_token.clone())).await;
        let mut club = Club {
            server,
            organizer_token,
            organizer,
            tournament: TournamentId(0),
            players: BTreeMap::new(),
            next_id: 1,
        };
        let created = club.ask(TournamentRequest::Create(Box::new(settings))).await.unwrap();
        let TournamentReply::Created(tournament) = created.unwrap() else { panic!("not created") };
        club.tournament = tournament;
        for place in 0..players {
            club.join(2400 - u16::try_from(place).unwrap() * 50).await.unwrap();
        }
        club
    }

    /// One more enters.
    pub async fn join(&mut self, rating: u16) -> Result<Name, Refusal> {
        let mut guest = Guest::new(&self.server).await;
        let name = guest.welcome.name.clone();
        let entrant = entrant(&name, rating);
        let join = TournamentRequest::Join { tournament: self.tournament, entrant: Box::new(entrant) };
        request(&mut guest.control, 1, Request::Tournament(join)).await?;
        self.players.insert(name.clone(), guest);
        Ok(name)
    }

    /// The organizer asks; none is the answer where something was just done.
    pub async fn ask(&mut self, asked: TournamentRequest) -> Result<Option<TournamentReply>, Refusal> {
        self.next_id += 1;
        match request(&mut self.organizer.control, self.next_id, Request::Tournament(asked)).await? {
            Reply::Done => Ok(None),
            Reply::Tournament(reply) => Ok(Some(reply)),
            other => panic!("{other:?}"),
        }
    }

    /// The organizer directs.
    pub async fn direct(&mut self, action: Direction) -> Result<(), Refusal> {
        let tournament = self.tournament;
        self.ask(TournamentRequest::Direct { tournament, action: Box::new(action) }).await.map(drop)
    }

    /// A player asks.
    pub async fn own(&mut self, name: &Name, asked: TournamentRequest) -> Result<Reply, Refusal> {
        self.next_id += 1;
        let guest = self.players.get_mut(name).unwrap();
        request(&mut guest.control, self.next_id, Request::Tournament(asked)).await
    }

    /// How the tournament stands.
    pub async fn show(&mut self) -> TournamentView {
        match self.ask(TournamentRequest::Show(self.tournament)).await.unwrap().unwrap() {
            TournamentReply::Shown(view) => *view,
            other => panic!("{other:?}"),
        }
    }

    /// All boards of a round, and who stays out.
    pub async fn boards(&mut self, round: u16) -> (Vec<BoardView>, Vec<OutView>) {
        let tournament = self.tournament;
        let (mut boards, mut all_out) = (Vec::new(), Vec::new());
        loop {
            let skip = u32::try_from(boards.len()).unwrap();
            let asked = TournamentRequest::Boards { tournament, round, skip };
            match self.ask(asked).await.unwrap().unwrap() {
                TournamentReply::Boards { page, out, more, .. } => {
                    boards.extend(page.into_vec());
                    all_out.extend(out.into_vec());
                    if !more {
                        return (boards, all_out);
                    }
                }
                other => panic!("{other:?}"),
            }
        }
    }

    /// The first page of the standings.
    pub async fn standings(&mut self) -> Vec<PlaceView> {
        let asked = TournamentRequest::Standings { tournament: self.tournament, skip: 0 };
        match self.ask(asked).await.unwrap().unwrap() {
            TournamentReply::Standings { page, .. } => page.into_vec(),
            other => panic!("{other:?}"),
        }
    }

    /// A whole document.
    pub async fn export(&mut self, document: Document) -> Result<String, Refusal> {
        let mut text = String::new();
        for part in 0.. {
            let asked = TournamentRequest::Export { tournament: self.tournament, document, part };
            match self.ask(asked).await?.unwrap() {
                TournamentReply::Document { text: part, more } => {
                    text.push_str(&part);
                    if !more {
                        break;
                    }
                }
                other => panic!("{other:?}"),
            }
        }
        Ok(text)
    }

    /// Plays a board: two moves, then the loser resigns, or both agree.
    pub async fn play(&self, board: &BoardView, winner: Option<Color>) {
        let game = board.game.expect("a game to play");
        let mut white = self.players[&board.players.white].sit(game).await;
        let mut black = self.players[&board.players.black].sit(game).await;
        if white.snapshot.moves.is_empty() {
            white.until_running().await;
            white.play("e2e4").await.unwrap();
            black.sees("e2e4").await;
            black.play("e7e5").await.unwrap();
            white.sees("e7e5").await;
        }
        match winner {
            Some(Color::White) => drop(black.command(Command::Resign).await.unwrap()),
            Some(Color::Black) => drop(white.command(Command::Resign).await.unwrap()),
            None => {
                white.command(Command::OfferDraw).await.unwrap();
                black.until(|event| matches!(event, Event::DrawOffered { .. })).await;
                black.command(Command::AcceptDraw).await.unwrap();
            }
        }
    }

    /// Waits until the tournament is in this phase.
    pub async fn until(&mut self, phase: TournamentPhase) -> TournamentView {
        for _ in 0..200 {
            let view = self.show().await;
            if view.summary.phase == phase {
                return view;
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
        panic!("still not {phase:?}: {:?}", self.show().await);
    }

    /// Plays all open boards of the round; the first of each board wins.
    pub async fn play_round(&mut self, round: u16) {
        let (boards, _) = self.boards(round).await;
        for board in boards.iter().filter(|board| board.result.is_none()) {
            let stronger =
                if board.players.white < board.players.black { Color::White } else { Color::Black };
            self.play(board, Some(stronger)).await;
        }
    }

    /// The arbiter enters the results of all open boards of the round, in turn.
    pub async fn enter(&mut self, round: u16, results: &[BoardResult]) {
        let (boards, _) = self.boards(round).await;
        let open = boards.iter().filter(|board| board.result.is_none());
        for (board, &result) in open.zip(results.iter().cycle()) {
            let reason = Text::cut("as played");
            let enter = Direction::Result { round, board: board.board, result, reason };
            self.direct(enter).await.unwrap();
        }
    }

    /// Kills the server, starts it again, and has everybody come back.
    pub async fn crash(&mut self) {
        self.crash_for(Duration::ZERO).await;
    }

    /// The same, with the server away for a while.
    pub async fn crash_for(&mut self, pause: Duration) {
        let credentials: Vec<(Name, Credential)> =
            self.players.iter().map(|(name, guest)| (name.clone(), guest.credential())).collect();
        self.server.kill();
        tokio::time::sleep(pause).await;
        self.server.restart();
        self.players.clear();
        for (name, credential) in credentials {
            self.players.insert(name, Guest::as_bearer(&self.server, credential).await);
        }
        let token = Credential::Token(self.organizer_token.clone());
        self.organizer = Guest::as_bearer(&self.server, token).await;
    }
}

/// Who enters.
pub fn entrant(name: &Name, rating: u16) -> Entrant {
    Entrant {
        name: name.clone(),
        full_name: Text::cut(&format!("Player, {rating}")),
        rating,
        title: Text::default(),
        federation: Text::cut("LAT"),
        fide_id: Text::default(),
    }
}

/// Pairs of names that met, in no order.
pub fn pairs(boards: &[BoardView]) -> BTreeSet<[Name; 2]> {
    boards
        .iter()
        .map(|board| {
            let mut pair = [board.players.white.clone(), board.players.black.clone()];
            pair.sort();
            pair
        })
        .collect()
}

/// The games of boards.
pub fn games(boards: &[BoardView]) -> Vec<GameId> {
    boards.iter().filter_map(|board| board.game).collect()
}
