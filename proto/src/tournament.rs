//! Tournaments: what their organizer decides, what their players ask for, how they stand.
//!
//! Each direction has one message of its own on the control stream: [`TournamentRequest`] in a request,
//! [`TournamentReply`] in its reply, [`TournamentNotice`] in a notice.

use crate::board::{ByColor, Color};
use crate::bounded::{List, Text};
use crate::command::Why;
use crate::limits::{
    CODE_MAX, ENTRANTS_MAX, PAGE_MAX, PGN_MAX, REASON_MAX, ROUNDS_MAX, TIE_BREAKS_MAX, TITLE_MAX, WORD_MAX,
};
use crate::rules::{GameId, Name, Terms};
use crate::time::Stamp;
use crate::time_control::TimeControl;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The number of a tournament on its server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TournamentId(pub u64);

impl fmt::Display for TournamentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Who meets whom.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TournamentSystem {
    /// FIDE (Dutch) Swiss (C.04.3).
    Swiss {
        /// How many rounds.
        rounds: u16,
        /// Accelerated by the Baku method (C.04.7).
        #[serde(default)]
        accelerated: bool,
    },
    /// Berger tables (C.05 Annex 1), numbers drawn by lot.
    RoundRobin {
        /// How often everyone meets everyone: once or twice.
        cycles: u8,
    },
    /// A seeded bracket of matches.
    Knockout {
        /// Games of a match.
        games: u8,
        /// The losers of the semifinals play for third place.
        #[serde(default)]
        third_place: bool,
        /// The time control of play-off games, two at a time until they decide; that of the games if none.
        #[serde(default)]
        play_off: Option<TimeControl>,
        /// After the first two play-off games comes one that decides: Black wins a drawn one and has this
        /// much main time, in microseconds; White has that of the play-off.
        #[serde(default)]
        armageddon_us: Option<u64>,
    },
    /// A host against everybody else, in one round.
    Simul {
        /// Who plays all boards; he enters like everybody.
        host: Name,
        /// The host's men on all boards; by turns if none, White on the first.
        #[serde(default)]
        host_color: Option<Color>,
        /// What each board adds to the host's main time, in microseconds.
        #[serde(default)]
        extra_us: u64,
    },
    /// Whoever is free is paired again at once. All its boards are those of round 1.
    Arena {
        /// From the start to the last pairing, in microseconds.
        duration_us: u64,
        /// After two wins in a row games count double until one is not won.
        #[serde(default)]
        streaks: bool,
        /// Whoever has waited so long goes before others, in microseconds.
        patience_us: u64,
    },
}

impl TournamentSystem {
    /// Whether it has rounds with one game for each player, as report files know them.
    pub const fn has_rounds(&self) -> bool {
        matches!(self, TournamentSystem::Swiss { .. } | TournamentSystem::RoundRobin { .. })
    }
}

/// When rounds are paired.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Timetable {
    /// When the organizer says so.
    #[default]
    ByHand,
    /// By themselves: the first at the start, each other so long after the round before it.
    Interval {
        /// From the last result to the next pairing, in microseconds.
        pause_us: u64,
    },
    /// By themselves: White's clocks start at these instants, or as soon as the round before is over.
    Fixed(List<Stamp, ROUNDS_MAX>),
}

/// What results are worth, in tenths of a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PointValues {
    /// A win.
    pub win: u16,
    /// A draw.
    pub draw: u16,
    /// A loss.
    pub loss: u16,
    /// The pairing-allocated bye.
    pub allocated_bye: u16,
}

impl Default for PointValues {
    fn default() -> PointValues {
        PointValues { win: 10, draw: 5, loss: 0, allocated_bye: 10 }
    }
}

/// What an organizer decides before there is a tournament.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TournamentSettings {
    /// What it is called.
    pub name: Text<REASON_MAX>,
    /// Who meets whom.
    pub system: TournamentSystem,
    /// What its games are played under. `default_time` and `min_moves` are options of the rules; the
    /// appointed time is the round's.
    pub terms: Terms,
    /// When rounds are paired.
    #[serde(default)]
    pub timetable: Timetable,
    /// From the pairing of a round to the start of White's clocks, in microseconds.
    #[serde(default)]
    pub lead_us: u64,
    /// What results are worth.
    #[serde(default)]
    pub points: PointValues,
    /// The published tie-breaks in order, by their codes (C.07); the usual ones of the system if empty.
    #[serde(default)]
    pub tie_breaks: List<Text<CODE_MAX>, TIE_BREAKS_MAX>,
    /// Only players who said that they are there are paired.
    #[serde(default)]
    pub check_in: bool,
    /// The last round that a late entry can still play in; 0 for none.
    #[serde(default)]
    pub last_entry_round: u16,
    /// How many may enter; 0 for as many as the server allows.
    #[serde(default)]
    pub most_players: u16,
    /// The lowest rating that may enter; 0 for any.
    #[serde(default)]
    pub lowest_rating: u16,
    /// The highest rating that may enter; 0 for any.
    #[serde(default)]
    pub highest_rating: u16,
    /// The colour of the first player in the first round; drawn by lot if none.
    #[serde(default)]
    pub initial_color: Option<Color>,
    /// Article 5.2.5 looks at the pairing number itself, not at the place among those paired so far.
    #[serde(default)]
    pub literal_parity: bool,
    /// The city, for the report.
    #[serde(default)]
    pub city: Text<WORD_MAX>,
    /// The federation, three letters, for the report.
    #[serde(default)]
    pub federation: Text<CODE_MAX>,
    /// The chief arbiter, for the report.
    #[serde(default)]
    pub chief_arbiter: Text<WORD_MAX>,
}

/// Who enters: the identity that plays, and what the report says about the person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entrant {
    /// The identity.
    pub name: Name,
    /// `Lastname, Firstname`; the identity's name if empty.
    #[serde(default)]
    pub full_name: Text<WORD_MAX>,
    /// The rating; 0 for none.
    #[serde(default)]
    pub rating: u16,
    /// The FIDE title in its short form.
    #[serde(default)]
    pub title: Text<TITLE_MAX>,
    /// The federation, three letters.
    #[serde(default)]
    pub federation: Text<CODE_MAX>,
    /// The FIDE number.
    #[serde(default)]
    pub fide_id: Text<CODE_MAX>,
}

/// A round without an opponent, by its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ByeKind {
    /// Requested, worth a draw.
    Half,
    /// Granted, worth a win.
    Full,
    /// A known absence.
    Zero,
    /// Allocated because the field was odd, or given by the arbiter in its place.
    Allocated,
}

/// How a board ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BoardResult {
    /// White won.
    White,
    /// A draw.
    Draw,
    /// Black won.
    Black,
    /// White won before both had moved: it counts, but not for rating.
    WhiteUnrated,
    /// A draw before both had moved.
    DrawUnrated,
    /// Black won before both had moved.
    BlackUnrated,
    /// White did not come.
    WhiteForfeits,
    /// Black did not come.
    BlackForfeits,
    /// Neither came; both lose.
    BothForfeit,
}

impl BoardResult {
    /// All of them.
    pub const ALL: [BoardResult; 9] = [
        BoardResult::White,
        BoardResult::Draw,
        BoardResult::Black,
        BoardResult::WhiteUnrated,
        BoardResult::DrawUnrated,
        BoardResult::BlackUnrated,
        BoardResult::WhiteForfeits,
        BoardResult::BlackForfeits,
        BoardResult::BothForfeit,
    ];

    /// As it is written: `1-0`, `1/2-1/2`, `0-1`, with `u` if unrated; `-:+`, `+:-`, `-:-` without play.
    pub const fn sign(self) -> &'static str {
        match self {
            BoardResult::White => "1-0",
            BoardResult::Draw => "1/2-1/2",
            BoardResult::Black => "0-1",
            BoardResult::WhiteUnrated => "1-0u",
            BoardResult::DrawUnrated => "1/2-1/2u",
            BoardResult::BlackUnrated => "0-1u",
            BoardResult::WhiteForfeits => "-:+",
            BoardResult::BlackForfeits => "+:-",
            BoardResult::BothForfeit => "-:-",
        }
    }
}

/// A text that is no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadResult;

impl fmt::Display for BadResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a result: write 1-0, 1/2-1/2 or 0-1, +:-, -:+ or -:- where somebody did not come")
    }
}

impl std::error::Error for BadResult {}

impl std::str::FromStr for BoardResult {
    type Err = BadResult;

    fn from_str(text: &str) -> Result<BoardResult, BadResult> {
        BoardResult::ALL.into_iter().find(|result| result.sign() == text).ok_or(BadResult)
    }
}

/// What is asked of the tournaments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TournamentRequest {
    /// Creates one (organizers).
    Create(Box<TournamentSettings>),
    /// Tournaments, newest first.
    List {
        /// Only those before this one.
        before: Option<TournamentId>,
    },
    /// How one stands.
    Show(TournamentId),
    /// The players in the order of their numbers.
    Players {
        /// Which tournament.
        tournament: TournamentId,
        /// How many to leave out at the start.
        skip: u32,
    },
    /// The boards of a round.
    Boards {
        /// Which tournament.
        tournament: TournamentId,
        /// Which round, from 1; the last one that is paired if 0.
        round: u16,
        /// How many to leave out at the start.
        skip: u32,
    },
    /// The standings.
    Standings {
        /// Which tournament.
        tournament: TournamentId,
        /// How many to leave out at the start.
        skip: u32,
    },
    /// A document about it.
    Export {
        /// Which tournament.
        tournament: TournamentId,
        /// Which document.
        document: Document,
        /// Which part, from 0: a long one comes in parts.
        part: u32,
    },
    /// Enters it, or says anew who one is; the identity is the one of the connection.
    Join {
        /// Which tournament.
        tournament: TournamentId,
        /// Who.
        entrant: Box<Entrant>,
    },
    /// Leaves it: no more games, nor points for rounds to come.
    Withdraw(TournamentId),
    /// Says that one is there; also after a withdrawal, while late entries are possible.
    CheckIn(TournamentId),
    /// Asks for a half-point bye or an absence in a round to come.
    RequestBye {
        /// Which tournament.
        tournament: TournamentId,
        /// Which round.
        round: u16,
        /// `half` or `zero`.
        kind: ByeKind,
    },
    /// Asks for the notices about it, or for no more of them. Its players get those that concern them.
    Follow {
        /// Which tournament.
        tournament: TournamentId,
        /// On or off.
        on: bool,
    },
    /// Something that only its director may do: whoever created it, and arbiters.
    Direct {
        /// Which tournament.
        tournament: TournamentId,
        /// What.
        action: Box<Direction>,
    },
}

/// What a director does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Enters a player, or corrects what is known about one.
    Enter(Box<Entrant>),
    /// Says that a player is there.
    CheckIn(Name),
    /// Takes a player out for the rounds to come.
    Withdraw(Name),
    /// Expels a player from the event (13.4e of 1997, 12.9.8): his game is lost, too.
    Expel {
        /// Whom.
        name: Name,
        /// Why.
        reason: Why,
    },
    /// Gives a player a bye in a round to come.
    GiveBye {
        /// Who.
        name: Name,
        /// Which round.
        round: u16,
        /// Which kind; `allocated` presets who stays out if the field is odd.
        kind: ByeKind,
    },
    /// These must not meet one another; before the first round only.
    Forbid(List<Name, PAGE_MAX>),
    /// Opens or closes registration.
    Registration {
        /// Open or closed.
        open: bool,
    },
    /// Closes the list: numbers are given, lots are drawn.
    Start,
    /// Pairs the next round; its games begin `lead_us` later.
    Pair,
    /// Pairs the next round by hand.
    PairByHand {
        /// The boards in order, White and Black.
        boards: List<ByColor<Name>, ENTRANTS_MAX>,
        /// Who has the allocated bye.
        bye: Option<Name>,
        /// Why, for the record.
        reason: Why,
    },
    /// Takes the last pairing back, while nobody has moved.
    Unpair {
        /// Why, for the record.
        reason: Why,
    },
    /// Enters or corrects a result. A game under way ends with it.
    Result {
        /// Which round.
        round: u16,
        /// Which board, from 1.
        board: u16,
        /// The result.
        result: BoardResult,
        /// Why, for the record.
        reason: Why,
    },
    /// Tells everybody something.
    Announce(Why),
    /// Ends the tournament before its last round.
    Finish {
        /// Why, for the record.
        reason: Why,
    },
    /// Decides otherwise, before the start.
    Change(Box<TournamentSettings>),
}

/// A document about a tournament.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Document {
    /// The report file, TRF-2026.
    Trf,
    /// All games.
    Pgn,
    /// The standings.
    Standings(SheetFormat),
    /// The crosstable.
    Crosstable(SheetFormat),
    /// Standings and crosstable on one printable HTML page.
    Page,
    /// Every tie-break with its contributions.
    TieBreaks,
    /// Why a round was paired as it was.
    Pairing {
        /// Which round.
        round: u16,
    },
    /// What happened, when, and by whom.
    Record,
}

/// How a table is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SheetFormat {
    /// Columns for a terminal.
    Text,
    /// Comma-separated values (RFC 4180).
    Csv,
    /// Markdown.
    Markdown,
}

/// How far a tournament has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TournamentPhase {
    /// Players can enter.
    Registration,
    /// Nobody can enter; not started.
    Closed,
    /// Started, between rounds.
    BetweenRounds,
    /// A round is being played.
    Playing,
    /// Over.
    Finished,
}

/// A tournament in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TournamentSummary {
    /// Its number.
    pub tournament: TournamentId,
    /// What it is called.
    pub name: Text<REASON_MAX>,
    /// Who meets whom.
    pub system: TournamentSystem,
    /// The time control.
    pub time_control: TimeControl,
    /// How far it has come.
    pub phase: TournamentPhase,
    /// How many have entered and not left.
    pub players: u32,
    /// The last round that is paired; 0 before the first.
    pub round: u16,
    /// How many rounds there are; 0 while that is not known.
    pub rounds: u16,
}

/// How a tournament stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TournamentView {
    /// Its line in lists.
    pub summary: TournamentSummary,
    /// What was decided.
    pub settings: TournamentSettings,
    /// Who created it.
    pub director: Name,
    /// Boards of the round without a result.
    pub open_boards: u32,
    /// When the clocks of the round started or will start.
    pub starts_at: Option<Stamp>,
    /// When the next round is paired by itself.
    pub next_pairing: Option<Stamp>,
    /// Boards that wait for the arbiter's result.
    pub questions: List<u16, PAGE_MAX>,
    /// The last announcement.
    pub announcement: Why,
}

/// What a player is in a tournament.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlayerState {
    /// Entered, and not yet said to be there where that is asked for: not paired.
    Entered,
    /// Will be paired.
    Present,
    /// Left.
    Withdrawn,
    /// Expelled.
    Expelled,
}

/// A player in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntrantView {
    /// The pairing number; 0 before the start.
    pub number: u16,
    /// Who.
    pub entrant: Entrant,
    /// What he is now.
    pub state: PlayerState,
    /// Points so far, in tenths.
    pub points: u32,
    /// The byes that were asked for or given, by round.
    pub byes: List<ByeView, ROUNDS_MAX>,
}

/// A bye in a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ByeView {
    /// Which round.
    pub round: u16,
    /// Which kind.
    pub kind: ByeKind,
}

/// A board of a round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoardView {
    /// The board, from 1.
    pub board: u16,
    /// Who has which men; nobody has the men of a bye.
    pub players: ByColor<Name>,
    /// Points before the round, in tenths.
    pub points: ByColor<u32>,
    /// The game; none where there is nothing to play.
    pub game: Option<GameId>,
    /// The result, if there is one.
    pub result: Option<BoardResult>,
    /// Whether an arbiter entered it.
    pub by_arbiter: bool,
}

/// Who stays out of a round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutView {
    /// Who.
    pub name: Name,
    /// How.
    pub kind: ByeKind,
}

/// A line of the standings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlaceView {
    /// The rank, from 1; shared by those whom nothing separates.
    pub rank: u16,
    /// The pairing number.
    pub number: u16,
    /// Who.
    pub name: Name,
    /// Points, in tenths.
    pub points: u32,
    /// The tie-breaks in the published order, as they are written.
    pub tie_breaks: List<Text<CODE_MAX>, TIE_BREAKS_MAX>,
}

/// What comes of a request about tournaments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TournamentReply {
    /// It exists.
    Created(TournamentId),
    /// A page of tournaments.
    Tournaments {
        /// The tournaments.
        page: List<TournamentSummary, PAGE_MAX>,
        /// Whether there are more.
        more: bool,
    },
    /// How it stands.
    Shown(Box<TournamentView>),
    /// A page of players.
    Players {
        /// The players.
        page: List<EntrantView, PAGE_MAX>,
        /// Whether there are more.
        more: bool,
    },
    /// A page of boards.
    Boards {
        /// The round.
        round: u16,
        /// The boards.
        page: List<BoardView, PAGE_MAX>,
        /// Who stays out; with the first page.
        out: List<OutView, PAGE_MAX>,
        /// Whether there are more boards.
        more: bool,
    },
    /// A page of the standings.
    Standings {
        /// After which round.
        round: u16,
        /// The tie-breaks that were used, by their codes.
        tie_breaks: List<Text<CODE_MAX>, TIE_BREAKS_MAX>,
        /// The places.
        page: List<PlaceView, PAGE_MAX>,
        /// Whether there are more.
        more: bool,
    },
    /// A part of a document.
    Document {
        /// The text.
        text: Text<PGN_MAX>,
        /// Whether another part follows.
        more: bool,
    },
    /// The round that is paired now.
    Paired {
        /// Which.
        round: u16,
    },
}

/// Something happened in a tournament.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TournamentNotice {
    /// Registration was opened or closed, the tournament started, or it is over.
    Phase {
        /// Which tournament.
        tournament: TournamentId,
        /// How far it is now.
        phase: TournamentPhase,
    },
    /// A round is paired. Those who play in it are told of their games as well.
    Paired {
        /// Which tournament.
        tournament: TournamentId,
        /// Which round.
        round: u16,
        /// When White's clocks start.
        starts_at: Stamp,
    },
    /// The last pairing was taken back.
    Unpaired {
        /// Which tournament.
        tournament: TournamentId,
        /// Which round.
        round: u16,
        /// Why.
        reason: Why,
    },
    /// You have no opponent in a round.
    Bye {
        /// Which tournament.
        tournament: TournamentId,
        /// Which round.
        round: u16,
        /// Which kind of bye.
        kind: ByeKind,
    },
    /// A result came in or was corrected; for those who follow.
    Result {
        /// Which tournament.
        tournament: TournamentId,
        /// Which round.
        round: u16,
        /// Which board.
        board: u16,
        /// The result.
        result: BoardResult,
    },
    /// A game ended in a way that only an arbiter can enter: a result is due from him; for those who follow.
    Question {
        /// Which tournament.
        tournament: TournamentId,
        /// Which round.
        round: u16,
        /// Which board.
        board: u16,
        /// What happened there.
        what: Why,
    },
    /// Every game of a round has a result.
    RoundOver {
        /// Which tournament.
        tournament: TournamentId,
        /// Which round.
        round: u16,
    },
    /// A round could not be paired by itself.
    NotPaired {
        /// Which tournament.
        tournament: TournamentId,
        /// Which round.
        round: u16,
        /// Why.
        why: Why,
    },
    /// The director says something.
    Announced {
        /// Which tournament.
        tournament: TournamentId,
        /// What.
        text: Why,
    },
    /// You are free in an arena and have no game yet.
    Waiting {
        /// Which tournament.
        tournament: TournamentId,
        /// Why.
        why: Why,
    },
}
