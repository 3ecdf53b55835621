//! A game keeps the rulebook that it was created under.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use zeitnot_laws::{Game, options};
use zeitnot_proto::rules::{GameId, Rules, Setting, Setup, Start, Terms, Value};
use zeitnot_proto::{ByColor, Event, List, Refusal, Stamp, Text};

fn setup(options: Vec<Setting>) -> Setup {
    Setup {
        game: GameId(1),
        players: ByColor::new(Text::cut("white"), Text::cut("black")),
        terms: Terms {
            time_control: "300+3".parse().unwrap(),
            rules: Rules { options: List::new(options).unwrap(), ..Rules::default() },
            start: Start::default(),
            spectator_delay_us: 0,
        },
        event: Text::default(),
        round: Text::default(),
    }
}

fn revision(number: u64) -> Setting {
    Setting { name: Text::cut(options::REVISION_SETTING), value: Value::Count(number) }
}

#[test]
fn a_new_game_records_the_revision_of_its_rulebook() {
    let (_, entries) = Game::open(setup(Vec::new()), Stamp(1)).unwrap();
    let Event::GameCreated(created) = &entries[0].event else { panic!("{entries:?}") };
    assert_eq!(created.terms.rules.options[..], [revision(options::REVISION)]);
    let again = Game::replay_start(created).unwrap();
    assert_eq!(again.rules(), Game::replay_start(&setup(Vec::new())).unwrap().rules());
}

#[test]
fn a_revision_that_this_program_does_not_have_is_not_guessed_at() {
    let unknown = setup(vec![revision(options::REVISION + 1)]);
    assert_eq!(Game::open(unknown, Stamp(1)).err(), Some(Refusal::BadStart));
}
