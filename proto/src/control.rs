//! The control stream: hello, lobby, challenges, lists. It is the first bidirectional stream that a
//! client opens. After `Hello` and `Welcome`, requests and replies carry an id of the client's.

use crate::board::{ByColor, Color};
use crate::bounded::{List, Text};
use crate::codec::Frame;
use crate::limits::{CLIENT_FRAME_MAX, PAGE_MAX, PGN_MAX, SERVER_FRAME_MAX, TOKEN_MAX, WORD_MAX};
use crate::outcome::Outcome;
use crate::refusal::Refusal;
use crate::rules::{GameId, Name, Setup, Terms};
use crate::time::Stamp;
use crate::time_control::TimeControl;
use crate::tournament::{TournamentNotice, TournamentReply, TournamentRequest};
use serde::{Deserialize, Serialize};

/// A seek or a challenge that waits for somebody.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct OfferId(pub u64);

/// What an identity may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Roles {
    /// Plays games.
    pub player: bool,
    /// Creates games for others.
    pub organizer: bool,
    /// Rules in games.
    pub arbiter: bool,
    /// Runs the server.
    pub admin: bool,
}

/// Who the client says it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Credential {
    /// Nobody in particular.
    Guest,
    /// The bearer of this token; a guest's own from an earlier `Welcome` will do.
    Token(Text<TOKEN_MAX>),
}

/// The first frame of the control stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// The highest version of the protocol that the client speaks.
    pub protocol: u16,
    /// The client's name and version, for the server's log.
    pub client: Text<WORD_MAX>,
    /// Who it is.
    pub credential: Credential,
}

/// The answer to `Hello`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Welcome {
    /// The version of the protocol that this connection uses.
    pub protocol: u16,
    /// The server's version.
    pub server: Text<WORD_MAX>,
    /// The identity's name.
    pub name: Name,
    /// What it may do.
    pub roles: Roles,
    /// For a guest: the token with which to come back as the same guest.
    pub guest_token: Option<Text<TOKEN_MAX>>,
    /// The server's time when it wrote this.
    pub now: Stamp,
    /// Games of this identity that are not over.
    pub games: List<GameId, PAGE_MAX>,
}

/// What a client sends on the control stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToServer {
    /// Opens the conversation; nothing else may come before it, nor a second one.
    Hello(Hello),
    /// Asks for something.
    Request {
        /// The client's number for it; the reply carries it.
        id: u32,
        /// What.
        request: Request,
    },
}

impl Frame for ToServer {
    const MAX: usize = CLIENT_FRAME_MAX;
    const VARIANTS: u32 = 2;
}

/// What a client asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Request {
    /// The server's time.
    Ping,
    /// Seeks an opponent: whoever seeks or accepts the same plays.
    Seek(Proposal),
    /// Accepts somebody's seek.
    AcceptSeek(OfferId),
    /// Withdraws a seek of one's own.
    CancelSeek(OfferId),
    /// Open seeks, oldest first.
    ListSeeks {
        /// Only those after this one.
        after: Option<OfferId>,
    },
    /// Challenges a player who is connected.
    Challenge {
        /// Whom.
        to: Name,
        /// To what.
        proposal: Proposal,
    },
    /// Accepts a challenge to oneself.
    AcceptChallenge(OfferId),
    /// Declines a challenge to oneself.
    DeclineChallenge(OfferId),
    /// Withdraws a challenge of one's own.
    CancelChallenge(OfferId),
    /// Creates a game between others (organizers).
    CreateGame(Box<NewGame>),
    /// Offers another game with colours changed to the opponent of a finished one; the second offer
    /// of the two creates it.
    Rematch(GameId),
    /// Games, newest first.
    ListGames {
        /// Which.
        filter: GameFilter,
        /// Only those before this one.
        before: Option<GameId>,
    },
    /// One game's line in such a list.
    ShowGame(GameId),
    /// The PGN of a game.
    Pgn(GameId),
    /// Players who are connected, in the order of their names.
    ListPlayers {
        /// Only those after this one.
        after: Option<Name>,
    },
    /// What awaits an arbiter, on which board and since when, longest first (arbiters). New entries
    /// come as notices from then on.
    ListAwaiting,
    /// Something about tournaments.
    Tournament(TournamentRequest),
}

/// A game that somebody proposes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proposal {
    /// The men that the proposer wants; drawn by lot if none.
    #[serde(default)]
    pub color: Option<Color>,
    /// What the game would be played under.
    pub terms: Terms,
}

/// A game that an organizer creates.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewGame {
    /// Who has which men.
    pub players: ByColor<Name>,
    /// What it is played under.
    pub terms: Terms,
    /// The PGN tag Event; empty if there is none.
    #[serde(default)]
    pub event: Text<WORD_MAX>,
    /// The PGN tag Round; empty if there is none.
    #[serde(default)]
    pub round: Text<WORD_MAX>,
}

/// Which games a list shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GameFilter {
    /// Games that are not over.
    Live,
    /// Games that are over.
    Finished,
    /// All games of a player.
    Player(Name),
}

/// A game in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameSummary {
    /// Its number.
    pub game: GameId,
    /// Who has which men.
    pub players: ByColor<Name>,
    /// The time control.
    pub time_control: TimeControl,
    /// How it ended, if it is over; an annulled game is over without an outcome.
    pub outcome: Option<Outcome>,
    /// Whether it is over.
    pub over: bool,
    /// Half-moves made so far.
    pub plies: u32,
}

/// A seek in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeekSummary {
    /// Its number.
    pub id: OfferId,
    /// Who seeks.
    pub by: Name,
    /// The men that are wanted.
    pub color: Option<Color>,
    /// The time control.
    pub time_control: TimeControl,
    /// A casual game.
    pub casual: bool,
}

/// Something that awaits an arbiter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Awaiting {
    /// On which board.
    pub game: GameId,
    /// Who has which men.
    pub players: ByColor<Name>,
    /// What: the topic of `awaiting_ruling`, such as the article of a claim, or what the arbiter was called for.
    pub topic: Text<WORD_MAX>,
    /// The side that it is about, if it is about one.
    pub side: Option<Color>,
    /// Since when.
    pub since: Stamp,
}

/// A player in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayerSummary {
    /// The name.
    pub name: Name,
    /// Games under way.
    pub playing: u32,
}

/// What the server sends on the control stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToClient {
    /// Answers `Hello`.
    Welcome(Box<Welcome>),
    /// Answers a request.
    Reply {
        /// The number of the request.
        id: u32,
        /// What came of it.
        result: Result<Reply, Refusal>,
    },
    /// Something happened that concerns this client.
    Notice(Notice),
}

impl Frame for ToClient {
    const MAX: usize = SERVER_FRAME_MAX;
    const VARIANTS: u32 = 3;
}

/// What came of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    /// Done.
    Done,
    /// The server's time.
    Pong {
        /// When it wrote this.
        now: Stamp,
    },
    /// The seek or challenge stands under this number. If it matched a seek at once, a notice about
    /// the game comes as well.
    Offered(OfferId),
    /// The game exists.
    Game(GameId),
    /// A page of seeks.
    Seeks {
        /// The seeks.
        page: List<SeekSummary, PAGE_MAX>,
        /// Whether there are more.
        more: bool,
    },
    /// A page of games.
    Games {
        /// The games.
        page: List<GameSummary, PAGE_MAX>,
        /// Whether there are more.
        more: bool,
    },
    /// A page of players.
    Players {
        /// The players.
        page: List<PlayerSummary, PAGE_MAX>,
        /// Whether there are more.
        more: bool,
    },
    /// A game in portable notation.
    Pgn(Text<PGN_MAX>),
    /// What awaits an arbiter.
    Awaiting {
        /// The entries, longest waiting first.
        page: List<Awaiting, PAGE_MAX>,
        /// Whether there are more.
        more: bool,
    },
    /// About tournaments.
    Tournament(TournamentReply),
}

/// Something that happened without being asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Notice {
    /// A game of this identity exists and can be attached to.
    GameReady {
        /// Its number and everything about it.
        setup: Box<Setup>,
        /// The men that this identity has.
        side: Color,
        /// The seek, challenge or rematch that it comes from, if any.
        from: Option<OfferId>,
    },
    /// Somebody challenges this identity.
    Challenged {
        /// The number to answer to.
        id: OfferId,
        /// Who.
        by: Name,
        /// To what.
        proposal: Box<Proposal>,
    },
    /// A challenge ended without a game.
    ChallengeClosed {
        /// Which.
        id: OfferId,
        /// How.
        why: ChallengeEnd,
    },
    /// The opponent of a finished game offers another one.
    RematchOffered {
        /// The finished game.
        game: GameId,
        /// Who offers.
        by: Name,
    },
    /// The server goes down. Clocks stand; come back after this many microseconds.
    Draining {
        /// How long to wait.
        retry_after_us: u64,
    },
    /// Something awaits an arbiter.
    Awaiting(Awaiting),
    /// Something happened in a tournament.
    Tournament(TournamentNotice),
}

/// How a challenge ended without a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChallengeEnd {
    /// The challenged player declined.
    Declined,
    /// The challenger withdrew it.
    Cancelled,
    /// One of the two left.
    Gone,
}
