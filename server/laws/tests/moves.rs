//! How the men move: articles 1 to 3, one case for each.
#![allow(clippy::unwrap_used)]

mod support;

use support::Case;
use zeitnot_proto::command::Party;
use zeitnot_proto::{Command, Move, Reason, Refusal, Square};

/// What becomes of the last of these moves.
fn play(fen: &'static str, moves: &str) -> Result<(), Refusal> {
    let mut table = Case { fen, ..Case::default() }.open();
    let mut answer = Ok(());
    for mv in moves.split_whitespace() {
        answer.unwrap();
        answer = table.play(1, mv);
    }
    answer
}

const ILLEGAL: Result<(), Refusal> = Err(Refusal::IllegalMove);

// Law 1997 1.1, 2014 1.1, 2023 1.2: White first, and each his own men.
#[test]
fn whose_turn() {
    let mut table = Case::default().open();
    let mv = Command::Move { mv: "e7e5".parse().unwrap(), offer_draw: false };
    assert_eq!(table.give(1, Party::Black, &mv), Err(Refusal::NotYourTurn));
    assert_eq!(table.give(1, Party::White, &mv), ILLEGAL);
}

// Law 1997 1.2, 2014 1.2, 2023 1.4, 1.4.1: mate wins; a king is not left attacked.
#[test]
fn the_aim() {
    let mut table = Case::default().open();
    for mv in ["f2f3", "e7e5", "g2g4", "d8h4"] {
        table.play(1, mv).unwrap();
    }
    assert_eq!(table.reason(), Some(Reason::Checkmate));
    assert_eq!(play("4r1k1/8/8/8/8/8/4N3/4K3 w - - 0 1", "e2c3"), ILLEGAL);
}

// Law 1997 2.1, 2.4, 2014 2.1, 2.4, 2023 2.1, 2.4: names of squares; h1 and a8 are light.
#[test]
fn the_board() {
    assert!("i9".parse::<Square>().is_err() && "a0".parse::<Square>().is_err());
    let light = |name: &str| {
        let square: Square = name.parse().unwrap();
        (square.file() + square.rank()) % 2 == 1
    };
    assert!(light("h1") && light("a8") && !light("a1") && !light("h8"));
}

// Law 1997 2.2, 2.3, 2014 2.2, 2.3, 2023 2.2, 2.3: the initial array, or a position that can be.
#[test]
fn the_array() {
    let table = Case::default().open();
    assert_eq!(table.game.fen(), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    let nine_pawns = "rnbqkbnr/pppppppp/8/8/8/P7/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let refused = Case { fen: nine_pawns, ..Case::default() }.try_open().err();
    assert_eq!(refused, Some(Refusal::BadStart));
    let mated = "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1";
    assert_eq!(Case { fen: mated, ..Case::default() }.try_open().err(), Some(Refusal::BadStart));
}

// Law 1997 3.1, 2014 3.1, 2023 3.1: not onto an own man; a pinned man attacks all the same.
#[test]
fn occupied_and_attacked_squares() {
    assert_eq!(play("", "a1a2"), ILLEGAL);
    // The knight on e5 is pinned by the rook and attacks f3 all the same.
    assert_eq!(play("4k3/8/8/4n3/8/6K1/8/4R3 w - - 0 1", "g3f3"), ILLEGAL);
}

// Law 1997 3.2a, 3.2b, 3.2c, 2014 3.2, 3.3, 3.4, 3.5, 2023 3.2, 3.3, 3.4, 3.5: queen, rook, bishop; no jumps.
#[test]
fn long_range_men() {
    for mv in ["d1d7", "a1a3", "f1b5"] {
        assert_eq!(play("", mv), ILLEGAL, "{mv}");
    }
    let open = "4k3/8/8/8/8/8/8/R2QKB2 w - - 0 1";
    for mv in ["a1a8", "d1h5", "d1d7", "f1a6"] {
        assert_eq!(play(open, mv), Ok(()), "{mv}");
    }
    assert_eq!(play(open, "a1b2"), ILLEGAL);
}

// Law 1997 3.3, 2014 3.6, 2023 3.6: the knight jumps.
#[test]
fn knights() {
    assert_eq!(play("", "g1f3"), Ok(()));
    assert_eq!(play("", "g1g3"), ILLEGAL);
}

// Law 1997 3.4a, 3.4b, 3.4c, 2014 3.7a, 3.7b, 3.7c, 2023 3.7.1, 3.7.2, 3.7.3: pawns go straight and take aslant.
#[test]
fn pawns() {
    assert_eq!(play("4k3/8/8/4p3/4P3/8/8/4K3 w - - 0 1", "e4e5"), ILLEGAL);
    assert_eq!(play("4k3/8/8/8/8/4N3/4P3/4K3 w - - 0 1", "e2e4"), ILLEGAL);
    assert_eq!(play("4k3/8/8/8/8/4P3/8/4K3 w - - 0 1", "e3e5"), ILLEGAL);
    assert_eq!(play("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5"), Ok(()));
    assert_eq!(play("4k3/8/8/8/4P3/8/8/4K3 w - - 0 1", "e4d5"), ILLEGAL);
}

// Law 1997 3.4d, 2014 3.7d, 2023 3.7.3: in passing, on the next move only.
#[test]
fn in_passing() {
    assert_eq!(play("", "e2e4 a7a6 e4e5 d7d5 e5d6"), Ok(()));
    assert_eq!(play("", "e2e4 a7a6 e4e5 d7d5 g1f3 g8f6 e5d6"), ILLEGAL);
}

// Law 1997 3.4e, 2014 3.7e, 2023 3.7.3.3: queen, rook, bishop or knight, said with the move.
#[test]
fn promotion() {
    let fen = "8/P6k/8/8/8/8/8/4K3 w - - 0 1";
    for piece in ["q", "r", "b", "n"] {
        let answer = play(fen, &format!("a7a8{piece}"));
        assert_eq!(answer, Ok(()), "{piece}");
    }
    assert_eq!(play(fen, "a7a8"), Err(Refusal::PromotionRequired));
    assert!("a7a8k".parse::<Move>().is_err());
}

// Law 1997 3.5(a)a, 3.5(b), 2014 3.8a, 3.9, 2023 3.8.1, 3.9: the king goes one step and not into check.
#[test]
fn kings() {
    assert_eq!(play("8/8/8/8/8/4k3/8/4K3 w - - 0 1", "e1e2"), ILLEGAL);
    assert_eq!(play("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "e1e3"), ILLEGAL);
    // A pinned rook does not leave its file.
    assert_eq!(play("4r1k1/8/8/8/8/8/4R3/4K3 w - - 0 1", "e2d2"), ILLEGAL);
}

// Law 1997 3.5(a)b, 3.5(a)(1)a, 3.5(a)(1)b, 3.5(a)(2)a, 3.5(a)(2)b, 2014 3.8b, 2023 3.8.2: castling and its bars.
#[test]
fn castling() {
    let fen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    assert_eq!(play(fen, "e1g1"), Ok(()));
    assert_eq!(play(fen, "e1h1"), ILLEGAL, "castling is the king's move of two squares");
    assert_eq!(play(fen, "e1e2 a8b8 e2e1 b8a8 e1g1"), ILLEGAL, "the king has moved");
    assert_eq!(play(fen, "h1g1 a8b8 g1h1 b8a8 e1g1"), ILLEGAL, "that rook has moved");
    assert_eq!(play(fen, "h1g1 a8b8 g1h1 b8a8 e1c1"), Ok(()), "the other has not");
    assert_eq!(play("1r2k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "e1c1"), Ok(()), "only b1 is attacked");
    assert_eq!(play("3rk3/8/8/8/8/8/8/R3K3 w Q - 0 1", "e1c1"), ILLEGAL, "d1 is attacked");
    assert_eq!(play("4k3/8/8/8/8/8/8/RN2K3 w Q - 0 1", "e1c1"), ILLEGAL, "a man stands between");
    let vertical = "4R3/8/8/8/k7/8/8/4K3 w - - 0 1";
    assert_eq!(play(vertical, "e1e3"), ILLEGAL, "castling goes along the first rank");
}
