//! What a journal keeps comes back equal.

use serde::Serialize;
use serde::de::DeserializeOwned;
use zeitnot_pairing::arena::{Arena, Rules};
use zeitnot_pairing::dutch::Method;
use zeitnot_pairing::knockout::{Format, Knockout};
use zeitnot_pairing::results::BoardResult;
use zeitnot_pairing::round::{Color, Score};
use zeitnot_pairing::simulate::{Random, Recipe};

fn same<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(value: &T) {
    let text = serde_json::to_string(value).expect("text");
    assert_eq!(&serde_json::from_str::<T>(&text).expect("a value"), value);
}

#[test]
fn tournaments_and_pairings() {
    for seed in 0..40 {
        let mut random = Random::new(seed);
        let recipe = Recipe::any(&mut random, 20);
        let (tournament, _) = recipe.run(&mut random, Method::default(), |before, pairing| {
            same(before);
            same(pairing);
        });
        same(&tournament);
    }
}

#[test]
fn brackets_and_arenas() {
    let mut knockout =
        Knockout::new((1..=6).collect(), Format::with_play_offs(2), Color::Black, true).expect("a draw");
    let mut arena = Arena::new(Rules::default());
    for tpn in 1..=6 {
        arena.join(tpn, 1500, 0);
    }
    for (white, black) in arena.pair(1).games {
        arena.finish(white, black, BoardResult::Played(Score::Draw), [true, false], 2).expect("playing");
    }
    let due = knockout.due().remove(0);
    knockout.record(due.key, BoardResult::Played(Score::Win)).expect("due");
    same(&arena);
    let text = serde_json::to_string(&knockout);
    assert!(text.is_ok(), "{text:?}");
    same(&knockout);
}
