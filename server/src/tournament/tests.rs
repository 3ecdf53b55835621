//! What is decided and folded, without a server: the journal is the state.

use super::decide::Means;
use super::draw;
use super::event::Event;
use super::registry::fold;
use super::sheets;
use super::state::State;
use super::{Logged, settings, view};
use zeitnot_pairing::simulate::Random;
use zeitnot_proto::command::Why;
use zeitnot_proto::rules::{GameId, Name, Rules, Start, Terms};
use zeitnot_proto::tournament::{
    BoardResult, ByeKind, Direction, Entrant, PointValues, Timetable, TournamentId, TournamentPhase,
    TournamentReply, TournamentSettings, TournamentSystem,
};
use zeitnot_proto::{Color, List, Refusal, Stamp, Text, codec};

const SECOND_US: u64 = 1_000_000;

fn evening(system: TournamentSystem) -> TournamentSettings {
    TournamentSettings {
        name: Text::cut("Evening"),
        system,
        terms: Terms {
            time_control: "300+3".parse().expect("a time control"),
            rules: Rules::default(),
            start: Start::default(),
            spectator_delay_us: 0,
        },
        timetable: Timetable::ByHand,
        lead_us: 0,
        points: PointValues::default(),
        tie_breaks: List::default(),
        check_in: false,
        last_entry_round: 2,
        most_players: 0,
        lowest_rating: 0,
        highest_rating: 0,
        initial_color: Some(Color::White),
        literal_parity: false,
        city: Text::default(),
        federation: Text::default(),
        chief_arbiter: Text::default(),
    }
}

/// A tournament with its journal, as a director has them.
struct Hall {
    state: State,
    log: Vec<Logged>,
    at: Stamp,
    next_game: u64,
    /// Whether moves have been made in its games.
    moved: bool,
}

impl Hall {
    fn new(system: TournamentSystem, names: &[&str]) -> Hall {
        let settings = evening(system);
        settings::check(&settings).expect("settings that can be");
        let event = Event::Created { settings: Box::new(settings), director: Text::cut("director") };
        let (id, at) = (TournamentId(1), Stamp(SECOND_US));
        let state = State::open(id, &event).expect("a creation");
        let log = vec![Logged { seq: 0, at, by: None, event }];
        let mut hall = Hall { state, log, at, next_game: 1, moved: false };
        for (name, rating) in names.iter().zip((0..).map(|n| 2400 - 50 * n)) {
            hall.direct(&enter(name, rating)).expect("an entry");
        }
        hall
    }

    fn decide<T>(&mut self, decide: impl FnOnce(&State, &mut Means<'_>) -> T) -> T {
        let (next, moved) = (&mut self.next_game, self.moved);
        let mut games = |count: usize| {
            let first = *next;
            *next += u64::try_from(count).expect("few games");
            GameId(first)
        };
        let mut means = Means {
            at: self.at,
            lot: &mut |_| 0,
            games: &mut games,
            plies: &|_| u32::from(moved),
            most_players: 100,
        };
        decide(&self.state, &mut means)
    }

    /// Writes events into the journal and folds them in.
    fn commit(&mut self, events: Vec<Event>) {
        for event in events {
            let bytes = codec::encode_value(&event).expect("an event fits");
            let event: Event = codec::decode_value(&bytes).expect("and comes back");
            self.log.push(Logged { seq: self.state.seq, at: self.at, by: None, event: event.clone() });
            self.state.apply(self.at, &event);
        }
        self.at = self.at.plus(SECOND_US);
    }

    /// What follows by itself in a knockout or an arena.
    fn follow_up(&mut self) {
        if self.state.flows() {
            let events = self.decide(State::follow_up);
            self.commit(events);
        }
    }

    fn direct(&mut self, action: &Direction) -> Result<(), Refusal> {
        let events = self.decide(|state, means| state.direct(action, means))?;
        self.commit(events);
        self.follow_up();
        Ok(())
    }

    fn pair(&mut self) -> Result<(), Refusal> {
        self.state.may_pair()?;
        let drawn = draw::next_round(&self.state).map_err(|no| no.refusal)?;
        let events = self.decide(|state, means| state.pairing(drawn, None, means));
        self.commit(events);
        self.follow_up();
        Ok(())
    }

    /// A game ends, or an arbiter says how it did.
    fn result(
        &mut self,
        round: u16,
        board: u16,
        result: BoardResult,
        arbiter: bool,
    ) -> Result<usize, Refusal> {
        let events = self.state.enter_result(round, board, result, arbiter, &Why::default())?;
        let count = events.len();
        self.commit(events);
        self.follow_up();
        Ok(count)
    }

    fn again(&self) -> State {
        fold(self.state.id, &self.log).expect("a journal that begins with the creation")
    }
}

fn enter(name: &str, rating: u16) -> Direction {
    let mut full_name = name.to_owned();
    full_name[..1].make_ascii_uppercase();
    Direction::Enter(Box::new(Entrant {
        name: Text::cut(name),
        full_name: Text::cut(&full_name),
        rating,
        title: Text::default(),
        federation: Text::default(),
        fide_id: Text::default(),
    }))
}

const FOUR: [&str; 4] = ["anna", "bela", "carl", "dora"];

fn swiss(rounds: u16) -> TournamentSystem {
    TournamentSystem::Swiss { rounds, accelerated: false }
}

fn knockout() -> TournamentSystem {
    TournamentSystem::Knockout {
        games: 1,
        third_place: false,
        play_off: None,
        armageddon_us: Some(SECOND_US),
    }
}

fn simul() -> TournamentSystem {
    TournamentSystem::Simul { host: Text::cut("anna"), host_color: None, extra_us: 0 }
}

fn arena() -> TournamentSystem {
    TournamentSystem::Arena { duration_us: 60 * SECOND_US, streaks: true, patience_us: 15 * SECOND_US }
}

/// One of the things that happen on an evening.
fn something(hall: &mut Hall, random: &mut Random) {
    let names = ["anna", "bela", "carl", "dora", "emil", "fritz", "gerda", "hans"];
    let who: Name = Text::cut(names[random.below(8)]);
    let round = hall.state.last_round();
    let reason = Why::cut("tried");
    let boards = hall.state.round(round).map_or(0, |round| round.boards.len());
    let board = u16::try_from(random.below(boards + 1)).expect("few boards");
    let result = BoardResult::ALL[random.below(BoardResult::ALL.len())];
    // Most of it is refused at one time or another: that changes nothing.
    let _refused = match random.below(14) {
        0 => hall.direct(&enter(&who, 2000)),
        1 => hall.direct(&Direction::Withdraw(who)),
        2 => hall.direct(&Direction::CheckIn(who)),
        3 if random.happens(200) => hall.direct(&Direction::Expel { name: who, reason }),
        4 => {
            let kind = [ByeKind::Half, ByeKind::Zero, ByeKind::Allocated][random.below(3)];
            hall.direct(&Direction::GiveBye { name: who, round: round + 1, kind })
        }
        5 => hall.direct(&Direction::Start),
        6 => hall.direct(&Direction::Unpair { reason }),
        7 => {
            let events = hall.state.question(round, board, &reason);
            hall.commit(events);
            Ok(())
        }
        8 => hall.pair(),
        9 => hall.direct(&Direction::Result { round, board, result, reason }),
        _ => hall.result(round, board, result, false).map(drop),
    };
}

/// Everything that a tournament is stands in its journal; nobody plays two games at once, no game belongs to two boards.
#[test]
fn a_journal_read_back_is_the_tournament() {
    let systems = [
        swiss(5),
        TournamentSystem::Swiss { rounds: 4, accelerated: true },
        TournamentSystem::RoundRobin { cycles: 1 },
        TournamentSystem::RoundRobin { cycles: 2 },
        knockout(),
        simul(),
        arena(),
    ];
    let mut paired = 0;
    for (seed, system) in (0..).zip(systems.iter().cycle().take(210)) {
        let mut random = Random::new(seed);
        let mut hall = Hall::new(system.clone(), &["anna", "bela", "carl", "dora", "emil"]);
        hall.moved = random.happens(300);
        for _ in 0..80 {
            something(&mut hall, &mut random);
            let mut busy = std::collections::BTreeSet::new();
            let all = hall.state.rounds.iter().flat_map(|round| &round.boards);
            let simul = matches!(system, TournamentSystem::Simul { .. });
            // An arbiter's question can come to a round that was over.
            let asked = |board: &&super::state::Board| board.question.is_some();
            for board in all.clone().filter(|board| board.is_open() && !asked(board)) {
                let both = busy.insert(board.white) & busy.insert(board.black);
                assert!(both || simul, "seed {seed}: a player has two games");
            }
            let games: Vec<GameId> = hall.state.games().collect();
            let different: std::collections::BTreeSet<_> = games.iter().copied().collect();
            assert_eq!(games.len(), different.len(), "seed {seed}: a game has two boards");
        }
        assert_eq!(format!("{:?}", hall.again()), format!("{:?}", hall.state), "seed {seed}");
        paired += hall.state.rounds.len();
    }
    assert!(paired > 200, "only {paired} rounds were paired");
}

#[test]
fn what_a_game_says_twice_counts_once_and_the_arbiter_has_the_last_word() {
    let mut hall = Hall::new(swiss(3), &FOUR);
    hall.direct(&Direction::Start).expect("enough players");
    hall.pair().expect("a pairing");
    assert_eq!(hall.result(1, 1, BoardResult::White, false), Ok(1));
    assert_eq!(hall.result(1, 1, BoardResult::White, false), Ok(0), "heard again after a restart");
    assert_eq!(hall.result(1, 1, BoardResult::Draw, true), Ok(1));
    assert_eq!(hall.result(1, 1, BoardResult::White, false), Ok(0), "the game's own no longer counts");
    assert_eq!(hall.state.board(1, 1).and_then(|board| board.result), Some(BoardResult::Draw));
    assert_eq!(hall.result(1, 3, BoardResult::White, true), Err(Refusal::NoSuchBoard));
    assert_eq!(hall.pair(), Err(Refusal::RoundOpen));
    assert_eq!(hall.result(1, 2, BoardResult::Black, false), Ok(2), "and the round is over");
    // A correction after it: the record keeps both, the round stays over.
    assert_eq!(hall.result(1, 2, BoardResult::White, true), Ok(1));
    let results = hall.log.iter().filter(|logged| matches!(logged.event, Event::Result { board: 2, .. }));
    assert_eq!(results.count(), 2);
    hall.pair().expect("the next round");
}

#[test]
fn a_game_under_way_counts_nothing_in_the_list() {
    let mut hall = Hall::new(swiss(3), &FOUR);
    hall.direct(&Direction::Start).expect("enough players");
    hall.pair().expect("a pairing");
    hall.result(1, 1, BoardResult::White, false).expect("a board");
    let TournamentReply::Players { page, .. } = view::players(&hall.state, 0) else { panic!("players") };
    let mut points: Vec<u32> = page.iter().map(|player| player.points).collect();
    points.sort_unstable();
    assert_eq!(points, [0, 0, 0, 10]);
}

#[test]
fn names_cannot_break_a_report_or_a_terminal() {
    let mut hall = Hall::new(swiss(3), &FOUR);
    for name in ["", " ", "red\u{1b}[31m", "two\nlines"] {
        let mut wrong = evening(swiss(3));
        wrong.name = Text::cut(name);
        assert_eq!(settings::check(&wrong), Err(Refusal::BadTournament), "{name:?}");
        let Direction::Enter(mut entrant) = enter("emil", 2000) else { return };
        entrant.name = Text::cut(name);
        assert_eq!(hall.direct(&Direction::Enter(entrant)), Err(Refusal::Malformed), "{name:?}");
    }
    let Direction::Enter(mut entrant) = enter("emil", 2000) else { return };
    entrant.full_name = Text::cut("Lasker\n001    9      Nobody");
    assert_eq!(hall.direct(&Direction::Enter(entrant)), Err(Refusal::Malformed));
}

// Law 2023 6.7.1: if neither is there, both lose.
#[test]
fn both_absent_lose() {
    let mut hall = Hall::new(swiss(1), &FOUR);
    hall.direct(&Direction::Start).expect("enough players");
    hall.pair().expect("a pairing");
    hall.result(1, 1, BoardResult::BothForfeit, false).expect("a board");
    hall.result(1, 2, BoardResult::WhiteForfeits, false).expect("a board");
    assert_eq!(hall.state.phase(), TournamentPhase::Finished);
    let (_, standings) = hall.state.standings();
    let points: Vec<i32> = standings.places.iter().map(|place| place.points.tenths()).collect();
    assert_eq!(points, [10, 0, 0, 0]);
}

#[test]
fn a_pairing_is_taken_back_only_while_nobody_has_moved() {
    let reason = Why::cut("a wrong list");
    let unpair = Direction::Unpair { reason };
    let mut hall = Hall::new(swiss(3), &FOUR);
    hall.direct(&Direction::Start).expect("enough players");
    assert_eq!(hall.direct(&unpair), Err(Refusal::WrongPhase));
    hall.pair().expect("a pairing");
    let before: Vec<GameId> = hall.state.games().collect();
    hall.moved = true;
    assert_eq!(hall.direct(&unpair), Err(Refusal::RoundBegun));
    hall.moved = false;
    hall.direct(&unpair).expect("nobody has moved");
    assert_eq!((hall.state.last_round(), &hall.state.void_games), (0, &before));
    hall.pair().expect("a pairing");
    assert!(hall.state.rounds[0].boards.iter().all(|board| !before.contains(&board.game.expect("a game"))));
    hall.result(1, 1, BoardResult::Draw, true).expect("a board");
    assert_eq!(hall.direct(&unpair), Err(Refusal::RoundBegun), "an arbiter has entered a result");
}

// C.04.7: the last player of group A is the one of round 1.
#[test]
fn a_late_entry_does_not_move_the_border_of_the_acceleration() {
    let names: Vec<String> = (0..12).map(|n| format!("p{n:02}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut hall = Hall::new(TournamentSystem::Swiss { rounds: 5, accelerated: true }, &names);
    hall.direct(&Direction::Start).expect("enough players");
    hall.pair().expect("a pairing");
    for board in 1..=6 {
        hall.result(1, board, BoardResult::Draw, true).expect("a board");
    }
    let border = |hall: &Hall| {
        let table = hall.state.table(1);
        let helped = |tpn: &u16| table.fictitious(*tpn, 2).tenths() > 0;
        (1..=table.players.len()).map(|n| u16::try_from(n).expect("few")).filter(helped).count()
    };
    assert_eq!(border(&hall), 6);
    // Thirteen players would have eight in group A, and one above the border shifts it by one.
    hall.direct(&enter("late", 2390)).expect("a late entry");
    assert_eq!(border(&hall), 7);
}

#[test]
fn a_bracket_shows_every_match_with_its_play_off() {
    let mut hall = Hall::new(knockout(), &FOUR);
    assert_eq!(sheets::crosstable(&hall.state).err(), Some(Refusal::WrongPhase));
    hall.direct(&Direction::Start).expect("enough players");
    hall.pair().expect("a pairing");
    hall.result(1, 1, BoardResult::White, false).expect("Anna beats Dora");
    hall.result(1, 2, BoardResult::Draw, false).expect("Carl and Bela draw");
    hall.result(1, 3, BoardResult::Draw, false).expect("and again, at rapid chess");
    let early = sheets::crosstable(&hall.state).expect("a bracket").csv();
    assert!(early.contains("Semifinal,2,2,Bela,1.0,3,Carl,1.0,b½ | b½ w?,\r\n"), "{early}");
    hall.result(1, 4, BoardResult::White, false).expect("Bela wins the second");
    assert_eq!(hall.state.last_round(), 2);
    hall.result(2, 1, BoardResult::Black, false).expect("Anna wins the final");
    assert!(hall.state.finished);
    assert_eq!(
        sheets::crosstable(&hall.state).expect("a bracket").csv(),
        "Round,Match,No,Name,Points,No,Name,Points,Games,Winner\r\n\
         Semifinal,1,1,Anna,1.0,4,Dora,0.0,w1,Anna\r\n\
         Semifinal,2,2,Bela,2.0,3,Carl,1.0,b½ | b½ w1,Bela\r\n\
         Final,1,1,Anna,1.0,2,Bela,0.0,b1,Anna\r\n"
    );
    assert_eq!(
        sheets::standings(&hall.state).csv(),
        "Rank,No,Title,Name,Fed,Rating,Points\r\n1,1,,Anna,,2400,2.0\r\n2,2,,Bela,,2350,2.0\r\n\
         3,3,,Carl,,2300,1.0\r\n3,4,,Dora,,2250,0.0\r\n"
    );
}

#[test]
fn a_correction_comes_too_late_once_the_next_match_is_paired() {
    let mut hall = Hall::new(knockout(), &FOUR);
    hall.direct(&Direction::Start).expect("enough players");
    hall.pair().expect("a pairing");
    hall.result(1, 1, BoardResult::White, false).expect("Anna is through");
    hall.result(1, 1, BoardResult::Black, true).expect("no, Dora is");
    hall.result(1, 2, BoardResult::White, false).expect("the other semifinal");
    assert_eq!(hall.state.open_boards(), 1, "the final is on, and has no result yet");
    assert_eq!(hall.result(1, 1, BoardResult::White, true), Err(Refusal::TooLate));
    assert_eq!(hall.result(1, 1, BoardResult::Draw, true), Err(Refusal::TooLate));
    hall.result(1, 1, BoardResult::WhiteForfeits, true).expect("Dora is through all the same");
}

#[test]
fn a_correction_that_decides_a_match_ends_its_play_off() {
    let mut hall = Hall::new(knockout(), &FOUR);
    hall.direct(&Direction::Start).expect("enough players");
    hall.pair().expect("a pairing");
    hall.result(1, 1, BoardResult::Draw, true).expect("a slip of the pen");
    let play_off = hall.state.board(1, 3).and_then(|board| board.game).expect("a play-off is on");
    hall.result(1, 1, BoardResult::White, true).expect("Anna has won");
    assert_eq!(hall.state.void_games, [play_off], "nobody goes on playing it");
    assert_eq!(hall.result(1, 3, BoardResult::White, true), Err(Refusal::NoSuchBoard));
    // It was a draw after all: there is a play-off again, in another game.
    hall.result(1, 1, BoardResult::Draw, true).expect("the final is not paired");
    let again = hall.state.board(1, 4).and_then(|board| board.game).expect("a play-off is on");
    assert_ne!(again, play_off);
}

// A player who leaves during a game plays it to the end, or loses it there; then the match is lost.
#[test]
fn whoever_leaves_a_knockout_during_a_game_has_one_game_all_the_same() {
    let mut hall = Hall::new(knockout(), &FOUR);
    hall.direct(&Direction::Start).expect("enough players");
    hall.pair().expect("a pairing");
    hall.result(1, 2, BoardResult::White, false).expect("Carl waits in the final");
    hall.direct(&Direction::Withdraw(Text::cut("anna"))).expect("she is there");
    assert_eq!(hall.state.last_round(), 1, "her game is on");
    hall.result(1, 1, BoardResult::Draw, false).expect("her last game");
    assert_eq!(hall.state.open_boards(), 1);
    let last = hall.state.board(2, 1).expect("the final").clone();
    assert!([last.white, last.black].contains(&3), "Dora is through");
}

#[test]
fn a_final_to_which_nobody_comes_ends_a_knockout() {
    let mut hall = Hall::new(knockout(), &FOUR[..2]);
    hall.direct(&Direction::Start).expect("enough players");
    hall.pair().expect("a pairing");
    hall.result(1, 1, BoardResult::BothForfeit, false).expect("a board");
    assert!(hall.state.finished);
    let places = hall.state.plain_places().expect("places");
    assert_eq!(places, [(2, 0, 0), (2, 1, 0)], "nobody has won");
}

#[test]
fn a_simul_shows_the_hosts_boards() {
    let mut hall = Hall::new(simul(), &FOUR);
    hall.direct(&Direction::Start).expect("enough players");
    hall.pair().expect("boards");
    for (board, result) in [(1, BoardResult::White), (2, BoardResult::Draw), (3, BoardResult::Black)] {
        hall.result(1, board, result, false).expect("a board");
    }
    let sheet = sheets::crosstable(&hall.state).expect("boards");
    assert_eq!(sheet.title, "Anna: 1 won, 1 drawn, 1 lost");
    assert_eq!(
        sheet.csv(),
        "Board,No,Name,Rating,Colour,Result\r\n1,2,Bela,2350,black,0\r\n2,3,Carl,2300,white,½\r\n\
         3,4,Dora,2250,black,1\r\n"
    );
    assert!(sheets::standings(&hall.state).csv().contains("1,1,,Anna,,2400,1.5\r\n"));
}

#[test]
fn an_arena_shows_each_players_games_and_what_they_brought() {
    let mut hall = Hall::new(arena(), &FOUR[..2]);
    assert_eq!(sheets::crosstable(&hall.state).err(), Some(Refusal::WrongPhase));
    hall.direct(&Direction::Start).expect("enough players");
    let mut anna_has = Vec::new();
    for board in 1..=3 {
        let paired = hall.state.board(1, board).expect("the two meet again at once");
        let (letter, result) =
            if paired.white == 0 { ('w', BoardResult::White) } else { ('b', BoardResult::Black) };
        anna_has.push(letter);
        hall.result(1, board, result, false).expect("a board");
    }
    assert!(anna_has.windows(2).all(|two| two[0] != two[1]), "colours by turns");
    let [one, two, three] = anna_has[..] else { panic!("three games") };
    // Two points a win; the third in a row counts double.
    let anna = format!("1,1,Anna,2400,3,0,0,8,2{one}1(2) 2{two}1(2) 2{three}1(4)\r\n");
    let sheet = sheets::crosstable(&hall.state).expect("games").csv();
    assert!(sheet.starts_with("Rank,No,Name,Rating,Won,Drawn,Lost,Points,Games\r\n"), "{sheet}");
    assert!(sheet.contains(&anna), "{sheet}");
    assert!(sheets::standings(&hall.state).csv().contains("1,1,,Anna,,2400,8.0\r\n"));
}
