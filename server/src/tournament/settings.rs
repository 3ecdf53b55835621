//! What an organizer may decide.

use super::words::is_plain;
use zeitnot_laws::Game;
use zeitnot_pairing::tiebreak::Criterion;
use zeitnot_proto::board::ByColor;
use zeitnot_proto::limits::ROUNDS_MAX;
use zeitnot_proto::rules::{GameId, Name, Setup};
use zeitnot_proto::tournament::{TournamentSettings, TournamentSystem};
use zeitnot_proto::{Refusal, Text};

/// Whether a tournament could be held like this: said now, not when its first game is created.
pub fn check(settings: &TournamentSettings) -> Result<(), Refusal> {
    let sensible = match &settings.system {
        TournamentSystem::Swiss { rounds, .. } => (1..=ROUNDS_MAX).contains(&usize::from(*rounds)),
        TournamentSystem::RoundRobin { cycles } => (1..=2).contains(cycles),
        TournamentSystem::Knockout { games, .. } => (1..=32).contains(games),
        TournamentSystem::Simul { host, .. } => !host.is_empty(),
        TournamentSystem::Arena { duration_us, .. } => *duration_us > 0,
    };
    let accelerated = matches!(settings.system, TournamentSystem::Swiss { accelerated: true, .. });
    let points = settings.points;
    let halves = points.win == 2 * points.draw && points.loss == 0;
    let codes = settings.tie_breaks.iter().all(|code| code.parse::<Criterion>().is_ok());
    let texts: [&str; 4] = [&settings.name, &settings.city, &settings.federation, &settings.chief_arbiter];
    let terms = &settings.terms;
    if !sensible
        || !codes
        || settings.name.trim().is_empty()
        || !texts.into_iter().all(is_plain)
        || terms.rules.casual
        || terms.start.scheduled.is_some()
        || points.win <= points.draw
        || (accelerated && !halves)
    {
        return Err(Refusal::BadTournament);
    }
    let players = ByColor::both(Name::default());
    let setup = Setup {
        game: GameId(0),
        players,
        terms: terms.clone(),
        event: Text::default(),
        round: Text::default(),
    };
    Game::open(setup, crate::clock::now()).map(|_| ())
}
