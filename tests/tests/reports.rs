//! Exported report files, checked by another program.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use zeitnot_proto::Text;
use zeitnot_proto::tournament::{
    BoardResult, ByeKind, Direction, Document, PointValues, TournamentPhase, TournamentRequest,
    TournamentSettings, TournamentSystem,
};
use zeitnot_tests::club::{Club, MINUTE_US, entrant, settings, swiss};
use zeitnot_tests::{programs, python};

/// Results in turn, some of them without play.
const RESULTS: [BoardResult; 9] = [
    BoardResult::White,
    BoardResult::Black,
    BoardResult::Draw,
    BoardResult::White,
    BoardResult::WhiteForfeits,
    BoardResult::Draw,
    BoardResult::Black,
    BoardResult::BothForfeit,
    BoardResult::BlackForfeits,
];

/// Plays a tournament to its end on paper; in a Swiss with byes, a withdrawal and a late entry. Its report.
async fn report(settings: TournamentSettings, players: usize, rounds: u16) -> String {
    let swiss = matches!(settings.system, TournamentSystem::Swiss { .. });
    let mut club = Club::new(settings, players).await;
    let names: Vec<_> = club.players.keys().cloned().collect();
    let tournament = club.tournament;
    if swiss {
        for (place, round, kind) in [(2, 2, ByeKind::Half), (3, 1, ByeKind::Zero)] {
            let bye = TournamentRequest::RequestBye { tournament, round, kind };
            club.own(&names[place], bye).await.unwrap();
        }
    }
    club.direct(Direction::Start).await.unwrap();
    for round in 1..=rounds {
        club.direct(Direction::Pair).await.unwrap();
        club.enter(round, &RESULTS[usize::from(round) % 4..]).await;
        if swiss && round == 1 {
            let late = entrant(&Text::cut("late"), 2105);
            club.direct(Direction::Enter(Box::new(late))).await.unwrap();
        }
        if swiss && round == 2 {
            club.direct(Direction::Withdraw(names[4].clone())).await.unwrap();
        }
    }
    club.until(TournamentPhase::Finished).await;
    club.export(Document::Trf).await.unwrap()
}

#[tokio::test]
async fn another_program_pairs_and_ranks_every_report_the_same() {
    let late = |settings| TournamentSettings { last_entry_round: 3, ..settings };
    let three = PointValues { win: 30, draw: 10, loss: 0, allocated_bye: 30 };
    let by = |system| settings(system, 10 * MINUTE_US);
    let cases = [
        ("swiss", late(swiss(5)), 13, 5),
        ("three", TournamentSettings { points: three, ..late(swiss(5)) }, 12, 5),
        // The late entry makes group A larger, and its last player stays the same.
        ("baku", late(by(TournamentSystem::Swiss { rounds: 6, accelerated: true })), 16, 6),
        ("odd", by(TournamentSystem::RoundRobin { cycles: 1 }), 5, 5),
        ("double", by(TournamentSystem::RoundRobin { cycles: 2 }), 4, 6),
    ];
    let folder = tempfile::tempdir().unwrap();
    let mut files = Vec::new();
    for (name, settings, players, rounds) in cases {
        let file = folder.path().join(name).with_extension("trf");
        std::fs::write(&file, report(settings, players, rounds).await).unwrap();
        files.push(file.to_str().unwrap().to_owned());
    }
    let server = programs::server().to_str().unwrap();
    let arguments: Vec<&str> = std::iter::once(server).chain(files.iter().map(String::as_str)).collect();
    let said = python::run("check_trf.py", &arguments);
    assert!(said.ends_with("5 reports checked, 0 differences\n"), "{said}");
}
