//! Tournaments from registration to the report, over QUIC, with the server killed in between.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use zeitnot_proto::control::{Credential, Notice, Reply, Request, ToClient};
use zeitnot_proto::game_stream::{Attach, Seat, ToGame};
use zeitnot_proto::rules::{Name, Setting, Value};
use zeitnot_proto::tournament::{
    BoardResult, BoardView, ByeKind, Direction, Document, OutView, PlayerState, SheetFormat, Timetable,
    TournamentId, TournamentNotice, TournamentPhase, TournamentReply, TournamentRequest, TournamentSystem,
};
use zeitnot_proto::{ByColor, Color, Command, Event, GameId, List, Refusal, Text};
use zeitnot_tests::Server;
use zeitnot_tests::club::{Club, MINUTE_US, games, pairs, settings, swiss};
use zeitnot_tests::games::Guest;
use zeitnot_tests::raw::request;

#[tokio::test]
async fn a_swiss_is_played_to_the_end_although_the_server_is_killed() {
    let mut club = Club::new(swiss(3), 8).await;
    assert_eq!(club.direct(Direction::Pair).await, Err(Refusal::WrongPhase));
    club.direct(Direction::Start).await.unwrap();
    assert_eq!(club.join(2000).await, Err(Refusal::RegistrationClosed));
    let mut met = BTreeSet::new();
    let mut all_games = BTreeSet::new();
    for round in 1..=3 {
        club.direct(Direction::Pair).await.unwrap();
        assert_eq!(club.direct(Direction::Pair).await, Err(Refusal::RoundOpen));
        let (boards, out) = club.boards(round).await;
        assert_eq!((boards.len(), out.len()), (4, 0));
        if round == 1 {
            // Top half against bottom half, colours by turns.
            let ratings: Vec<_> = boards.iter().map(|board| board.points.white).collect();
            assert_eq!(ratings, [0; 4]);
        }
        club.play(&boards[0], Some(Color::White)).await;
        if round == 2 {
            club.crash().await;
            let (again, _) = club.boards(round).await;
            assert_eq!((pairs(&again), games(&again)), (pairs(&boards), games(&boards)));
            assert_eq!(again[0].result, Some(BoardResult::White), "a result was lost");
        }
        for pair in pairs(&boards) {
            assert!(met.insert(pair), "a pair met twice");
        }
        all_games.extend(games(&boards));
        club.play_round(round).await;
        let phase = if round < 3 { TournamentPhase::BetweenRounds } else { TournamentPhase::Finished };
        club.until(phase).await;
    }
    assert_eq!(all_games.len(), 12);
    assert_eq!(club.direct(Direction::Pair).await, Err(Refusal::WrongPhase));
    let standings = club.standings().await;
    assert_eq!(standings.len(), 8);
    assert_eq!(standings.iter().map(|place| place.points).sum::<u32>(), 120);
    assert!(standings.windows(2).all(|two| two[0].points >= two[1].points));
    documents(&mut club).await;
}

/// What the organizer takes home.
async fn documents(club: &mut Club) {
    let trf = club.export(Document::Trf).await.unwrap();
    let file = club.server.data().join("report.trf");
    std::fs::write(&file, &trf).unwrap();
    let checked = std::process::Command::new(zeitnot_tests::programs::server())
        .args(["pair", "--check"])
        .arg(&file)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&checked.stdout).into_owned();
    assert!(checked.status.success(), "{said}{}\n{trf}", String::from_utf8_lossy(&checked.stderr));
    assert_eq!(said.matches("agrees").count(), 3, "{said}");
    let pgn = club.export(Document::Pgn).await.unwrap();
    assert_eq!(pgn.matches("[Event \"Club evening\"]").count(), 12);
    assert!(pgn.contains("[Round \"3.4\"]\n[Board \"4\"]") && pgn.contains("[WhiteElo \"2400\"]"), "{pgn}");
    assert!(pgn.contains("%clk"), "{pgn}");
    for format in [SheetFormat::Text, SheetFormat::Csv, SheetFormat::Markdown] {
        let table = club.export(Document::Standings(format)).await.unwrap();
        assert!(table.contains("2400") && table.contains("Player"), "{table}");
        assert!(club.export(Document::Crosstable(format)).await.unwrap().contains("R3"));
    }
    assert!(club.export(Document::Page).await.unwrap().starts_with("<!DOCTYPE html>"));
    assert!(club.export(Document::TieBreaks).await.unwrap().contains("C.07"));
    assert!(club.export(Document::Pairing { round: 2 }).await.unwrap().contains("bracket"));
    assert!(club.export(Document::Record).await.unwrap().contains("round 3 paired"));
}

#[tokio::test]
async fn killed_while_it_pairs_no_pairing_is_made_twice() {
    let mut club = Club::new(swiss(5), 8).await;
    club.direct(Direction::Start).await.unwrap();
    for (round, pause) in [(1u16, 0u64), (2, 3), (3, 8)] {
        // The organizer's request and the kill run against each other.
        let tournament = club.tournament;
        let action = Box::new(Direction::Pair);
        let asked = Request::Tournament(TournamentRequest::Direct { tournament, action });
        club.organizer
            .control
            .send(&zeitnot_proto::control::ToServer::Request { id: 999, request: asked })
            .await;
        tokio::time::sleep(Duration::from_millis(pause)).await;
        club.crash().await;
        let view = club.show().await;
        if view.summary.round < round {
            club.direct(Direction::Pair).await.unwrap();
        }
        let (boards, _) = club.boards(round).await;
        assert_eq!(boards.len(), 4);
        let in_store: BTreeSet<GameId> = games(&boards).into_iter().collect();
        assert_eq!(in_store.len(), 4, "a game has two boards");
        // Everybody has exactly one game.
        for guest in club.players.values_mut() {
            let listed = request(
                &mut guest.control,
                7,
                Request::ListGames { filter: zeitnot_proto::control::GameFilter::Live, before: None },
            );
            let Ok(Reply::Games { page, .. }) = listed.await else { panic!("no list") };
            let of = |p: &zeitnot_proto::control::GameSummary| {
                p.players.white == guest.welcome.name || p.players.black == guest.welcome.name
            };
            assert_eq!(page.iter().filter(|game| of(game)).count(), 1);
        }
        club.play_round(round).await;
        club.until(TournamentPhase::BetweenRounds).await;
    }
}

#[tokio::test]
async fn byes_withdrawals_late_entries_and_a_correction() {
    let mut settings = swiss(4);
    settings.last_entry_round = 2;
    let mut club = Club::new(settings, 7).await;
    let names: Vec<Name> = club.players.keys().cloned().collect();
    let tournament = club.tournament;
    let half = TournamentRequest::RequestBye { tournament, round: 1, kind: ByeKind::Half };
    assert_eq!(club.own(&names[0], half).await, Ok(Reply::Done));
    let full = TournamentRequest::RequestBye { tournament, round: 1, kind: ByeKind::Full };
    assert_eq!(club.own(&names[1], full).await, Err(Refusal::NotAllowed));
    club.direct(Direction::Start).await.unwrap();
    club.direct(Direction::Pair).await.unwrap();
    let (boards, out) = club.boards(1).await;
    assert_eq!((boards.len(), out.len()), (3, 1), "six play, one has the bye that he asked for");
    assert_eq!((&out[0].name, out[0].kind), (&names[0], ByeKind::Half));
    // An arbiter's result ends a game under way; his correction counts, and is on record.
    let by_hand = |result| Direction::Result { round: 1, board: 1, result, reason: Text::cut("scoresheets") };
    club.direct(by_hand(BoardResult::Draw)).await.unwrap();
    let game = boards[0].game.unwrap();
    let mut seat = club.players[&boards[0].players.white].sit(game).await;
    if !seat.snapshot.status.is_over() {
        seat.ended().await;
    }
    club.play_round(1).await;
    club.until(TournamentPhase::BetweenRounds).await;
    club.direct(by_hand(BoardResult::Black)).await.unwrap();
    assert_eq!(club.boards(1).await.0[0].result, Some(BoardResult::Black));
    // One leaves, one comes late: seven again, so one has the allocated bye.
    let left = boards[1].players.white.clone();
    assert_eq!(club.own(&left, TournamentRequest::Withdraw(tournament)).await, Ok(Reply::Done));
    let late = club.join(2390).await.unwrap();
    club.direct(Direction::Pair).await.unwrap();
    let (boards, out) = club.boards(2).await;
    assert_eq!(boards.len(), 3);
    let kinds: BTreeMap<Name, ByeKind> = out.iter().map(|out| (out.name.clone(), out.kind)).collect();
    assert_eq!(kinds[&left], ByeKind::Zero);
    assert_eq!(kinds.values().filter(|&&kind| kind == ByeKind::Allocated).count(), 1);
    club.play_round(2).await;
    club.until(TournamentPhase::BetweenRounds).await;
    // Whoever leaves and comes back has gained nothing by it.
    assert_eq!(club.own(&left, TournamentRequest::CheckIn(tournament)).await, Ok(Reply::Done));
    assert_eq!(club.join(1000).await, Err(Refusal::RegistrationClosed));
    let players = TournamentRequest::Players { tournament, skip: 0 };
    let Some(TournamentReply::Players { page, .. }) = club.ask(players).await.unwrap() else { panic!() };
    let of = |name: &Name| page.iter().find(|p| p.entrant.name == *name).unwrap();
    assert_eq!((of(&late).number, of(&left).state), (2, PlayerState::Present));
    club.crash().await;
    club.direct(Direction::Pair).await.unwrap();
    assert_eq!(club.boards(3).await.0.len(), 4);
    let trf = club.export(Document::Trf).await.unwrap();
    assert!(trf.contains("Player, 2390"), "{trf}");
    let record = club.export(Document::Record).await.unwrap();
    assert!(record.contains("result by the arbiter, round 1 board 1: 0-1 (scoresheets)"), "{record}");
}

#[tokio::test]
async fn whoever_does_not_come_loses_and_both_do() {
    // Law 2023 6.7.1: later than the default time.
    let mut club =
        Club::new(settings(TournamentSystem::Swiss { rounds: 1, accelerated: false }, 700_000), 4).await;
    club.direct(Direction::Start).await.unwrap();
    club.direct(Direction::Pair).await.unwrap();
    let (boards, _) = club.boards(1).await;
    let board = &boards[0];
    let _seat = club.players[&board.players.black].sit(board.game.unwrap()).await;
    club.until(TournamentPhase::Finished).await;
    let (boards, _) = club.boards(1).await;
    assert_eq!(boards[0].result, Some(BoardResult::WhiteForfeits));
    assert_eq!(boards[1].result, Some(BoardResult::BothForfeit));
    let points: Vec<u32> = club.standings().await.iter().map(|place| place.points).collect();
    assert_eq!(points, [10, 0, 0, 0]);
}

#[tokio::test]
async fn a_pairing_by_hand_is_on_record_and_taken_back_while_nobody_has_moved() {
    let mut club = Club::new(swiss(2), 4).await;
    club.direct(Direction::Start).await.unwrap();
    club.direct(Direction::Pair).await.unwrap();
    let (boards, _) = club.boards(1).await;
    let reason = Text::cut("two of a family");
    club.direct(Direction::Unpair { reason: reason.clone() }).await.unwrap();
    let voided = boards[0].game.unwrap();
    let mut seat = club.players[&boards[0].players.white].sit(voided).await;
    if !seat.snapshot.status.is_over() {
        assert!(matches!(seat.ended().await, Event::GameAnnulled { .. }));
    }
    // The two first boards with their Blacks exchanged.
    let hand = vec![
        ByColor::new(boards[0].players.white.clone(), boards[1].players.black.clone()),
        ByColor::new(boards[1].players.white.clone(), boards[0].players.black.clone()),
    ];
    let twice = vec![hand[0].clone(), hand[0].clone()];
    let by_hand = |boards: &Vec<ByColor<Name>>| Direction::PairByHand {
        boards: List::new(boards.clone()).unwrap(),
        bye: None,
        reason: reason.clone(),
    };
    assert_eq!(club.direct(by_hand(&twice)).await, Err(Refusal::BadPairing));
    club.direct(by_hand(&hand)).await.unwrap();
    let (boards, _) = club.boards(1).await;
    assert_eq!(boards.iter().map(|b| b.players.clone()).collect::<Vec<_>>(), hand);
    let why = club.export(Document::Pairing { round: 1 }).await.unwrap();
    assert!(why.contains("by hand: two of a family") && why.contains("would have given"), "{why}");
    assert!(club.export(Document::Trf).await.unwrap().contains("### MPA @ Round 1: two of a family"));
    club.play(&boards[0], None).await;
    assert_eq!(club.direct(Direction::Unpair { reason }).await, Err(Refusal::RoundBegun));
}

#[tokio::test]
async fn rounds_are_paired_by_themselves_and_everybody_is_told() {
    let mut settings = swiss(2);
    settings.timetable = Timetable::Interval { pause_us: 100_000 };
    let mut club = Club::new(settings, 4).await;
    let mut watcher = Guest::new(&club.server).await;
    let follow = TournamentRequest::Follow { tournament: club.tournament, on: true };
    request(&mut watcher.control, 1, Request::Tournament(follow)).await.unwrap();
    club.direct(Direction::Start).await.unwrap();
    for round in 1..=2 {
        loop {
            if let Ok(ToClient::Notice(Notice::Tournament(TournamentNotice::Paired {
                round: paired, ..
            }))) = watcher.control.next::<ToClient>().await
            {
                assert_eq!(paired, round);
                break;
            }
        }
        club.play_round(round).await;
    }
    club.until(TournamentPhase::Finished).await;
    let text = Text::cut("Prizes at ten");
    club.direct(Direction::Announce(text)).await.unwrap();
    loop {
        if let Ok(ToClient::Notice(Notice::Tournament(TournamentNotice::Announced { text, .. }))) =
            watcher.control.next::<ToClient>().await
        {
            assert_eq!(&*text, "Prizes at ten");
            break;
        }
    }
}

#[tokio::test]
async fn only_its_director_directs() {
    let mut club = Club::new(swiss(3), 2).await;
    let tournament = club.tournament;
    let name = club.players.keys().next().unwrap().clone();
    let start = TournamentRequest::Direct { tournament, action: Box::new(Direction::Start) };
    assert_eq!(club.own(&name, start).await, Err(Refusal::NotAllowed));
    let create = TournamentRequest::Create(Box::new(swiss(3)));
    assert_eq!(club.own(&name, create).await, Err(Refusal::NotAllowed));
    let nowhere = TournamentRequest::Show(TournamentId(77));
    assert_eq!(club.own(&name, nowhere).await, Err(Refusal::NoSuchTournament));
    let mut bad = swiss(3);
    bad.tie_breaks = List::new(vec![Text::cut("NONSENSE")]).unwrap();
    let bad = TournamentRequest::Create(Box::new(bad));
    assert_eq!(club.ask(bad).await.map(drop), Err(Refusal::BadTournament));
}

#[tokio::test]
async fn a_round_robin_by_the_berger_tables() {
    let mut club = Club::new(settings(TournamentSystem::RoundRobin { cycles: 1 }, 10 * MINUTE_US), 5).await;
    club.direct(Direction::Start).await.unwrap();
    let mut met = BTreeSet::new();
    for round in 1..=5 {
        club.direct(Direction::Pair).await.unwrap();
        let (boards, out) = club.boards(round).await;
        assert_eq!((boards.len(), out.len()), (2, 1));
        met.extend(pairs(&boards));
        club.play_round(round).await;
        if round < 5 {
            club.until(TournamentPhase::BetweenRounds).await;
        }
    }
    club.until(TournamentPhase::Finished).await;
    assert_eq!(met.len(), 10, "everybody met everybody");
    let points: Vec<u32> = club.standings().await.iter().map(|place| place.points).collect();
    assert_eq!(points, [40, 30, 20, 10, 0]);
}

#[tokio::test]
async fn a_knockout_goes_on_by_itself_until_one_is_left() {
    let system = TournamentSystem::Knockout {
        games: 1,
        third_place: true,
        play_off: Some("60+1".parse().unwrap()),
        armageddon_us: Some(50_000_000),
    };
    let mut club = Club::new(settings(system, 10 * MINUTE_US), 4).await;
    club.direct(Direction::Start).await.unwrap();
    club.direct(Direction::Pair).await.unwrap();
    let (first, _) = club.boards(1).await;
    assert_eq!(first.len(), 2);
    // A drawn game is followed by two play-off games at their own time control.
    club.play(&first[0], None).await;
    let more = loop {
        let (boards, _) = club.boards(1).await;
        if boards.len() > 2 {
            break boards;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
    let seat = club.players[&more[2].players.white].sit(more[2].game.unwrap()).await;
    assert_eq!(seat.snapshot.setup.terms.time_control, "60+1".parse().unwrap());
    drop(seat);
    club.crash().await;
    for _ in 0..200 {
        let view = club.show().await;
        if view.summary.phase == TournamentPhase::Finished {
            break;
        }
        for round in 1..=view.summary.round {
            club.play_round(round).await;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    club.until(TournamentPhase::Finished).await;
    let places = club.standings().await;
    assert_eq!(places.iter().map(|place| place.rank).collect::<Vec<_>>(), [1, 2, 3, 4]);
    assert_eq!(club.export(Document::Trf).await, Err(Refusal::NotNeeded));
}

#[tokio::test]
async fn a_host_plays_everybody_with_more_time_for_each_board() {
    let mut club = Club::new(swiss(1), 4).await;
    let host = club.players.keys().next().unwrap().clone();
    let system = TournamentSystem::Simul { host: host.clone(), host_color: None, extra_us: 60_000_000 };
    let mut simul = settings(system, 10 * MINUTE_US);
    simul.lowest_rating = 2000;
    // Everything may still be decided otherwise before the start.
    club.direct(Direction::Change(Box::new(simul))).await.unwrap();
    assert_eq!(club.join(1999).await, Err(Refusal::NotAllowed));
    club.direct(Direction::Start).await.unwrap();
    club.direct(Direction::Pair).await.unwrap();
    let (boards, _) = club.boards(1).await;
    assert_eq!(boards.len(), 3);
    for (board, host_side) in boards.iter().zip([Color::White, Color::Black, Color::White]) {
        assert_eq!(board.players[host_side], host);
        let seat = club.players[&host].sit(board.game.unwrap()).await;
        let clocks = seat.snapshot.clock.main_us;
        // Three minutes and one more for each board; a little may have passed.
        let least = if host_side == Color::White { 355_000_000 } else { 360_000_000 };
        assert!((least..=360_000_000).contains(&clocks[host_side]), "{clocks:?}");
        assert!(clocks[!host_side] <= 182_000_000, "{clocks:?}");
    }
    for board in &boards {
        let host_side = if board.players.white == host { Color::White } else { Color::Black };
        club.play(board, Some(host_side)).await;
    }
    club.until(TournamentPhase::Finished).await;
    let places = club.standings().await;
    assert_eq!((&places[0].name, places[0].points), (&host, 30));
    assert_eq!(places[1].rank, 2);
    assert_eq!(club.export(Document::Pgn).await.unwrap().matches("[Event ").count(), 3);
}

#[tokio::test]
async fn an_arena_pairs_whoever_is_free_until_it_is_over() {
    let system = TournamentSystem::Arena { duration_us: 8_000_000, streaks: true, patience_us: 60_000_000 };
    let mut club = Club::new(settings(system, 10 * MINUTE_US), 4).await;
    club.direct(Direction::Start).await.unwrap();
    let mut last: BTreeMap<Name, Name> = BTreeMap::new();
    let mut played = 0;
    let mut killed = false;
    for _ in 0..400 {
        let view = club.show().await;
        if view.summary.phase == TournamentPhase::Finished {
            break;
        }
        let open: Vec<BoardView> = if view.summary.round == 0 {
            Vec::new()
        } else {
            club.boards(1).await.0.into_iter().filter(|board| board.result.is_none()).collect()
        };
        if played == 2 && !killed {
            killed = true;
            club.crash().await;
            continue;
        }
        if let Some(board) = open.first() {
            let ByColor { white, black } = board.players.clone();
            let again = last.get(&white) == Some(&black) && last.get(&black) == Some(&white);
            assert!(!again, "the same two twice running");
            last.insert(white.clone(), black.clone());
            last.insert(black, white);
            club.play(board, Some(Color::White)).await;
            played += 1;
        }
        tokio::time::sleep(Duration::from_millis(120)).await;
    }
    club.until(TournamentPhase::Finished).await;
    assert!(killed && played >= 3, "{played} games");
    let places = club.standings().await;
    assert_eq!(places.len(), 4);
    // Two points a win, more in a streak.
    let points: u32 = places.iter().map(|place| place.points).sum();
    assert!(points >= 20 * played, "{points} for {played} games");
    assert!(places.windows(2).all(|two| two[0].points >= two[1].points));
}

#[test]
fn an_evening_at_the_terminal() {
    let server = Server::start();
    let said = server.run(&["token", "create", "organizer", "--role", "organizer"]).unwrap();
    let token = said.split_whitespace().find(|word| word.starts_with("zeitnot_")).unwrap().to_owned();
    let bearer = |token: Option<&str>, arguments: &[&str]| {
        let mut command = std::process::Command::new(zeitnot_tests::programs::client());
        let contact = server.contact();
        command.args(["--server", &contact.authority(), "--pin", &contact.pin.to_string()]);
        command.args(token.map(|token| format!("--token={token}")));
        let output = command.arg("tournament").args(arguments).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let complained = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.success() { Ok(said) } else { Err(complained) }
    };
    let organizer = |arguments: &[&str]| bearer(Some(&token), arguments);
    assert_eq!(organizer(&["create", "Club evening", "--rounds", "2", "--lead", "0"]).unwrap(), "1\n");
    assert!(bearer(None, &["create", "Nobody's"]).unwrap_err().contains("roles"));
    for rating in ["2100", "2000", "1900", "1800"] {
        let name = format!("Guest, {rating}");
        let joined = bearer(None, &["join", "1", "--name", &name, "--rating", rating]).unwrap();
        assert!(joined.contains("has entered tournament 1"), "{joined}");
    }
    let list = organizer(&["start", "1"]).unwrap();
    let numbered = |number: &str, rating: &str| {
        list.lines().any(|line| line.trim_start().starts_with(number) && line.contains(rating))
    };
    assert!(numbered("1 ", "2100") && numbered("4 ", "1800"), "{list}");
    let boards = organizer(&["pair", "1"]).unwrap();
    assert!(boards.contains("Round 1") && boards.matches("game ").count() == 2, "{boards}");
    for board in ["1", "2"] {
        organizer(&["result", "1", "1", board, "1-0", "--reason", "seen"]).unwrap();
    }
    assert!(organizer(&["pair", "1", "--explain", "1"]).unwrap().contains("bracket"));
    assert!(organizer(&["standings", "1"]).unwrap().contains("Guest, 2100"));
    assert!(organizer(&["crosstable", "1", "--format", "csv"]).unwrap().contains("\"Guest, 2100\""));
    assert!(organizer(&["list"]).unwrap().contains("Club evening"));
    assert!(organizer(&["export", "1", "trf"]).unwrap().starts_with("012 Club evening"));
    assert!(organizer(&["show", "1"]).unwrap().contains("by the arbiter"));
}

#[tokio::test]
async fn who_is_not_there_is_not_paired_and_who_is_expelled_loses() {
    let mut settings = swiss(3);
    settings.check_in = true;
    let mut club = Club::new(settings, 5).await;
    let tournament = club.tournament;
    let names: Vec<Name> = club.players.keys().cloned().collect();
    assert_eq!(club.direct(Direction::Start).await, Err(Refusal::NotEnoughPlayers));
    for name in &names[..4] {
        club.own(name, TournamentRequest::CheckIn(tournament)).await.unwrap();
    }
    club.direct(Direction::Start).await.unwrap();
    club.direct(Direction::Pair).await.unwrap();
    let (boards, out) = club.boards(1).await;
    assert_eq!(boards.len(), 2);
    assert_eq!(out, [OutView { name: names[4].clone(), kind: ByeKind::Zero }]);
    let expelled = boards[0].players.white.clone();
    let reason = Text::cut("a telephone");
    club.direct(Direction::Expel { name: expelled.clone(), reason }).await.unwrap();
    club.play(&boards[1], Some(Color::White)).await;
    club.until(TournamentPhase::BetweenRounds).await;
    let result = club.boards(1).await.0[0].result;
    assert!(matches!(result, Some(BoardResult::Black | BoardResult::BlackUnrated)), "{result:?}");
    assert_eq!(club.own(&expelled, TournamentRequest::CheckIn(tournament)).await, Err(Refusal::TooLate));
    club.direct(Direction::CheckIn(names[4].clone())).await.unwrap();
    club.direct(Direction::Pair).await.unwrap();
    let (boards, out) = club.boards(2).await;
    assert_eq!(boards.len(), 2);
    assert_eq!(out, [OutView { name: expelled, kind: ByeKind::Zero }]);
}

#[tokio::test]
async fn a_game_that_no_table_knows_waits_for_the_arbiter() {
    let mut settings = swiss(1);
    settings.timetable = Timetable::Fixed(List::new(vec![zeitnot_proto::Stamp(1)]).unwrap());
    let mut club = Club::new(settings, 2).await;
    // The hour of the first round has passed: it is paired at once.
    club.direct(Direction::Start).await.unwrap();
    let view = club.until(TournamentPhase::Playing).await;
    assert_eq!(view.summary.round, 1);
    let (boards, _) = club.boards(1).await;
    let said = club.server.run(&["token", "create", "arbiter", "--role", "arbiter"]).unwrap();
    let token = said.split_whitespace().find(|word| word.starts_with("zeitnot_")).unwrap();
    let arbiter = Guest::as_bearer(&club.server, Credential::Token(Text::new(token).unwrap())).await;
    let game = boards[0].game.unwrap();
    let attach = Attach { game, seat: Seat::Arbiter, after: None, legal_moves: false };
    let mut stream = arbiter.raw.attach(attach).await;
    let annul = Command::Annul { reason: Text::cut("the wrong position") };
    stream.send(&ToGame::Command { id: 1, on: None, command: annul }).await;
    for _ in 0..200 {
        if !club.show().await.questions.is_empty() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    club.crash().await;
    let view = club.show().await;
    assert_eq!((&view.questions[..], view.summary.phase), (&[1][..], TournamentPhase::Playing));
    let reason = Text::cut("agreed");
    let drawn = Direction::Result { round: 1, board: 1, result: BoardResult::Draw, reason };
    club.direct(drawn).await.unwrap();
    club.until(TournamentPhase::Finished).await;
}

/// Waits until round 1 has so many boards.
async fn boards_until(club: &mut Club, count: usize) -> Vec<BoardView> {
    for _ in 0..200 {
        let (boards, _) = club.boards(1).await;
        if boards.len() == count {
            return boards;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    panic!("no board {count}: {:?}", club.boards(1).await);
}

#[tokio::test]
async fn a_drawn_match_goes_to_play_offs_and_an_armageddon_that_black_need_not_win() {
    let system = TournamentSystem::Knockout {
        games: 1,
        third_place: false,
        play_off: Some("60+1".parse().unwrap()),
        armageddon_us: Some(50_000_000),
    };
    let mut club = Club::new(settings(system, 10 * MINUTE_US), 2).await;
    club.direct(Direction::Start).await.unwrap();
    club.direct(Direction::Pair).await.unwrap();
    let mut boards = boards_until(&mut club, 1).await;
    for played in 2..=4 {
        club.play(boards.last().unwrap(), None).await;
        boards = boards_until(&mut club, played).await;
        let board = boards.last().unwrap();
        let seat = club.players[&board.players.white].sit(board.game.unwrap()).await;
        assert_eq!(seat.snapshot.setup.terms.time_control, "60+1".parse().unwrap());
    }
    let last = boards.last().unwrap();
    let seat = club.players[&last.players.black].sit(last.game.unwrap()).await;
    assert_eq!(seat.snapshot.clock.main_us.black, 50_000_000, "Black has less, and a draw is enough");
    drop(seat);
    club.play(last, None).await;
    club.until(TournamentPhase::Finished).await;
    let places: Vec<(u16, Name)> = club.standings().await.into_iter().map(|p| (p.rank, p.name)).collect();
    let ByColor { white, black } = last.players.clone();
    assert_eq!(places, [(1, black), (2, white)]);
    let bracket = club.export(Document::Crosstable(SheetFormat::Csv)).await.unwrap();
    assert!(bracket.contains("Final,1,1,") && bracket.contains("½ | "), "{bracket}");
    assert!(club.export(Document::Page).await.unwrap().contains("<h2>Bracket</h2>"));
}

// Law 2023 9.1.1: the rules of the event may forbid draws by agreement before so many moves.
#[tokio::test]
async fn draws_are_not_agreed_before_the_move_that_the_event_names() {
    let mut settings = swiss(1);
    let least = Setting { name: Text::cut("min_moves"), value: Value::Count(3) };
    let options = settings.terms.rules.options.iter().cloned().chain([least]);
    settings.terms.rules.options = List::new(options.collect()).unwrap();
    let mut club = Club::new(settings, 2).await;
    club.direct(Direction::Start).await.unwrap();
    club.direct(Direction::Pair).await.unwrap();
    let (boards, _) = club.boards(1).await;
    let mut white = club.players[&boards[0].players.white].sit(boards[0].game.unwrap()).await;
    let mut black = club.players[&boards[0].players.black].sit(boards[0].game.unwrap()).await;
    white.until_running().await;
    for (own, reply) in [("e2e4", "e7e5"), ("g1f3", "b8c6"), ("f1b5", "a7a6")] {
        assert_eq!(white.command(Command::OfferDraw).await, Err(Refusal::DrawTooEarly));
        white.play(own).await.unwrap();
        black.sees(own).await;
        black.play(reply).await.unwrap();
        white.sees(reply).await;
    }
    white.command(Command::OfferDraw).await.unwrap();
    black.until(|event| matches!(event, Event::DrawOffered { .. })).await;
    black.command(Command::AcceptDraw).await.unwrap();
    club.until(TournamentPhase::Finished).await;
}

// Law 2023 6.7.1, 6.11.1: nobody is late because the server was away.
#[tokio::test]
async fn an_outage_longer_than_the_default_time_forfeits_nobody() {
    let system = TournamentSystem::Swiss { rounds: 1, accelerated: false };
    let mut club = Club::new(settings(system, 8_000_000), 4).await;
    club.direct(Direction::Start).await.unwrap();
    club.direct(Direction::Pair).await.unwrap();
    let (boards, _) = club.boards(1).await;
    let seat = club.players[&boards[0].players.white].sit(boards[0].game.unwrap()).await;
    drop(seat);
    club.crash_for(Duration::from_secs(9)).await;
    let (again, _) = club.boards(1).await;
    assert!(again.iter().all(|board| board.result.is_none()), "{again:?}");
    let mut seats = Vec::new();
    for board in &again {
        for name in [&board.players.white, &board.players.black] {
            seats.push(club.players[name].sit(board.game.unwrap()).await);
        }
    }
    for board in &again {
        club.play(board, Some(Color::White)).await;
    }
    club.until(TournamentPhase::Finished).await;
    let results: Vec<_> = club.boards(1).await.0.iter().map(|board| board.result).collect();
    assert_eq!(results, [Some(BoardResult::White); 2]);
}

#[tokio::test]
async fn a_tournament_that_is_over_is_read_again_when_somebody_asks() {
    let mut club = Club::on(Server::with(&["--limit-linger", "100ms"]), swiss(1), 4).await;
    club.direct(Direction::Start).await.unwrap();
    club.direct(Direction::Pair).await.unwrap();
    club.enter(1, &[BoardResult::White, BoardResult::Draw]).await;
    let view = club.until(TournamentPhase::Finished).await;
    let places = club.standings().await;
    for restart in [false, true] {
        if restart {
            club.crash().await;
        }
        tokio::time::sleep(Duration::from_millis(300)).await;
        assert_eq!(club.show().await, view);
        assert_eq!(club.standings().await, places);
        let listed = club.ask(TournamentRequest::List { before: None }).await.unwrap();
        let Some(TournamentReply::Tournaments { page, .. }) = listed else { panic!("no list") };
        assert_eq!((page.len(), &page[0]), (1, &view.summary));
    }
    // Several ask at once for what is not in memory; and a result may still be corrected.
    tokio::time::sleep(Duration::from_millis(300)).await;
    let show = TournamentRequest::Show(club.tournament);
    for guest in club.players.values_mut() {
        let ask =
            zeitnot_proto::control::ToServer::Request { id: 900, request: Request::Tournament(show.clone()) };
        guest.control.send(&ask).await;
    }
    let reason = Text::cut("the scoresheet");
    let corrected = Direction::Result { round: 1, board: 1, result: BoardResult::Black, reason };
    club.direct(corrected).await.unwrap();
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(club.boards(1).await.0[0].result, Some(BoardResult::Black));
    assert_ne!(club.standings().await, places);
}
