//! What the analysis rests on: moves as the library makes them, keys without loss, bounds that hold.

use std::collections::HashSet;

use shakmaty::{Bitboard, CastlingMode, Chess, Color, FromSetup, Move, Position, Role, attacks, fen::Fen};

use super::{
    Budget, Proof, Verdict, analyse, blocked, dead, is_dead_cheap, material_cannot_mate, position_from_fen,
    projection, state::State,
};

/// A small generator, so that a printed seed repeats a run anywhere.
struct Seed(u64);

impl Seed {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap_or(0) % bound
    }
}

fn position(fen: &str) -> Chess {
    position_from_fen(fen).unwrap_or_else(|why| panic!("{fen}: {why}"))
}

fn verdict(fen: &str, winner: Color) -> Verdict {
    analyse(&position(fen), winner, Budget::RULING)
}

/// The moves a state has, in the library's terms.
fn moves(state: &State) -> HashSet<Move> {
    let mut steps = Vec::new();
    let check = state.legal(&mut steps);
    assert_eq!(check, state.is_check());
    steps.iter().map(|&step| state.name(step)).collect()
}

fn assert_same_as_library(start: &Chess, plies: usize, seed: &mut Seed) {
    let mut library = start.clone();
    let mut state = State::new(start);
    for _ in 0..plies {
        let legal = library.legal_moves();
        assert_eq!(moves(&state), legal.iter().copied().collect(), "{library:?}");
        assert_eq!(State::from_key(state.key()).key(), state.key());
        assert_eq!(State::new(&library).key(), state.key(), "{library:?}");
        if legal.is_empty() {
            return;
        }
        let chosen = legal[seed.below(legal.len())];
        let mut steps = Vec::new();
        state.legal(&mut steps);
        for &step in &steps {
            assert_eq!(
                state.key_after(state.planes(), step),
                state.play(step).key(),
                "{step:?} in {library:?}"
            );
        }
        let Some(&step) = steps.iter().find(|&&step| state.name(step) == chosen) else { return };
        state = state.play(step);
        library.play_unchecked(chosen);
    }
}

#[test]
fn moves_and_keys_agree_with_the_library() {
    let mut seed = Seed(0x5eed);
    for _ in 0..60 {
        assert_same_as_library(&Chess::default(), 150, &mut seed);
    }
    for fen in [
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
        "8/8/8/K2pP2q/8/8/8/4k3 w - d6 0 1",
    ] {
        for _ in 0..30 {
            assert_same_as_library(&position(fen), 60, &mut seed);
        }
    }
}

#[test]
fn castling_in_chess960_agrees_with_the_library() {
    let mut seed = Seed(0x960);
    for fen in [
        "1r2k1r1/8/8/8/8/8/8/1R2K1R1 w GBgb - 0 1",
        "rk5r/8/8/8/8/8/8/RK5R w HAha - 0 1",
        "5rkr/8/8/8/8/8/8/q4RKR w HFhf - 0 1",
        "2rkr2q/8/8/8/8/8/8/R2K2R1 w GA - 0 1",
    ] {
        let setup = fen.parse::<Fen>().map(Fen::into_setup);
        let start = setup.ok().and_then(|setup| Chess::from_setup(setup, CastlingMode::Chess960).ok());
        let Some(start) = start else { panic!("{fen}") };
        for _ in 0..60 {
            assert_same_as_library(&start, 20, &mut seed);
        }
    }
}

#[test]
fn material_lemmas_are_exact_where_they_speak() {
    let cases = [
        ("8/8/4k3/8/8/3K4/8/8 w - - 0 1", true),
        ("8/8/4k3/8/8/3K4/8/6N1 w - - 0 1", true),
        ("8/8/4k2q/8/8/3K4/8/6N1 w - - 0 1", true),
        ("8/8/4k2r/8/8/3K4/8/6N1 w - - 0 1", false),
        ("8/8/4k2r/8/8/3K4/8/6B1 w - - 0 1", true),
        ("8/8/4k2n/8/8/3K4/8/6B1 w - - 0 1", false),
        ("8/8/4k2p/8/8/3K4/8/6B1 w - - 0 1", false),
        ("8/8/4k2b/8/8/3K4/8/6B1 w - - 0 1", true),
        ("8/8/4k1b1/8/8/3K4/8/6B1 w - - 0 1", false),
        ("8/8/4k3/8/8/3K4/8/5BB1 w - - 0 1", false),
        ("8/8/4k3/8/8/3K4/8/5NN1 w - - 0 1", false),
        ("8/8/4k3/8/8/3K4/P7/8 w - - 0 1", false),
    ];
    for (fen, excluded) in cases {
        assert_eq!(material_cannot_mate(position(fen).board(), Color::White), excluded, "{fen}");
    }
}

/// Every check by a lone knight, with queens on just those neighbours of the king that need blocking.
#[test]
fn a_lone_knight_never_mates_a_king_among_queens() {
    let squares = || shakmaty::Square::ALL.into_iter();
    for (prey, knight) in
        squares().flat_map(|prey| attacks::knight_attacks(prey).into_iter().map(move |n| (prey, n)))
    {
        for king in squares().filter(|&king| king != knight && king.distance(prey) > 1) {
            let mut state = State::new(&Chess::default());
            state.lift(Bitboard::FULL);
            state.castling = Bitboard::EMPTY;
            state.turn = Color::Black;
            state.drop(Role::King, Bitboard::from(prey), Color::Black);
            state.drop(Role::King, Bitboard::from(king), Color::White);
            state.drop(Role::Knight, Bitboard::from(knight), Color::White);
            let covered = attacks::king_attacks(king) | attacks::knight_attacks(knight);
            let open = attacks::king_attacks(prey) & !covered & !Bitboard::from(knight);
            state.drop(Role::Queen, open, Color::Black);
            let mut steps = Vec::new();
            let legal_before = state.attackers(king, Color::Black, state.occupied()).is_empty();
            state.legal(&mut steps);
            assert!(!steps.is_empty() || !legal_before, "{state:?}");
        }
    }
}

// Law 2023 5.2.2: the move that forces the end of all mating material ends the game.
#[test]
fn a_forced_capture_makes_a_position_dead() {
    let dead = ["8/8/8/4k3/8/8/1q6/K7 w - - 0 1", "8/8/4k3/8/8/3K4/8/8 w - - 0 1"];
    for fen in dead {
        assert!(is_dead_cheap(&position(fen)), "{fen}");
    }
    for fen in ["8/8/4k3/8/8/3K4/8/5NN1 w - - 0 1", "8/8/8/4k3/8/8/3q4/K7 w - - 0 1"] {
        assert!(!is_dead_cheap(&position(fen)), "{fen}");
    }
    assert!(!is_dead_cheap(&Chess::default()));
}

/// The shortcut of the check after every move hides nothing that the look would have found in real games.
#[test]
fn no_open_position_of_a_real_game_is_dead_within_the_look() {
    let games = include_str!("../../../../tests/data/real-games.tsv");
    let (mut open, mut looked_at) = (0, 0);
    for line in games.lines().filter(|line| !line.starts_with('#')) {
        let mut game = Chess::default();
        for uci in line.split('\t').nth(3).unwrap().split(' ') {
            game.play_unchecked(uci.parse::<shakmaty::uci::UciMove>().unwrap().to_move(&game).unwrap());
            let state = State::new(&game);
            if dead::is_open(&state) {
                open += 1;
                assert!(!dead::looks_dead(&state), "{game:?}");
            } else {
                looked_at += 1;
            }
        }
    }
    assert!(open > 3 * looked_at, "{open} of {looked_at}: the shortcut is not worth having");
}

#[test]
fn a_pawn_wall_is_dead_and_statically_so() {
    let wall = "8/8/5k2/p1p2p1p/P1P2P1P/8/3K4/8 w - - 41 60";
    assert!(is_dead_cheap(&position(wall)));
    for side in Color::ALL {
        assert_eq!(verdict(wall, side), Verdict::Never(Proof::Static));
    }
}

#[test]
fn certificates_say_what_they_rest_on() {
    assert_eq!(verdict("8/8/4k3/8/8/3K4/8/8 w - - 0 1", Color::White), Verdict::Never(Proof::Material));
    assert_eq!(verdict("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", Color::White), Verdict::Never(Proof::Terminal));
    assert_eq!(verdict("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", Color::White), Verdict::Mates(Vec::new()));
    assert_eq!(verdict("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", Color::Black), Verdict::Never(Proof::Terminal));
    let forced = verdict("5Q2/1q2N1rk/p2p4/4p3/2p5/2P5/PP3P2/K6R b - - 1 48", Color::White);
    assert!(matches!(forced, Verdict::Never(Proof::ForcedLine(line)) if line.len() == 1));
    let small = verdict("8/5Q2/5B1k/7p/6pP/2P2KP1/5P2/8 w - - 0 48", Color::Black);
    assert_eq!(small, Verdict::Never(Proof::Exhausted(6)));
}

#[test]
fn mate_on_the_board_comes_before_material() {
    // No game leads here: two bishops of one colour check at once.
    let mated = position("5B2/7r/5K1k/7r/8/4B3/8/8 b - - 0 1");
    assert!(material_cannot_mate(mated.board(), Color::White));
    assert_eq!(analyse(&mated, Color::White, Budget::RULING), Verdict::Mates(Vec::new()));
    assert!(!is_dead_cheap(&mated));
}

#[test]
fn a_small_budget_says_unknown_and_what_it_spent() {
    let hard = "1Bb5/1p6/pPp3k1/2Pp3p/P2PpBpP/4P1P1/5K2/8 w - - 0 1";
    let spent = analyse(&position(hard), Color::White, Budget { positions: 500 });
    assert!(matches!(spent, Verdict::Unknown(n) if n >= 500), "{spent:?}");
}

#[test]
fn the_same_question_gets_the_same_answer() {
    let fen = "6kB/p3p1P1/2p3P1/p7/8/4P3/PKP5/8 w - - 0 1";
    assert_eq!(verdict(fen, Color::Black), verdict(fen, Color::Black));
}

/// The pawn of this position mates from outside the losing king's reach; the king of that one is let out by
/// the very pawn that checks. Both have misled static proofs.
#[test]
fn static_proofs_do_not_reach_too_far() {
    let winnable = [
        ("k7/1pK3p1/6Pb/1p4pB/bP4P1/Bp6/1P4P1/8 b - - 0 1", Color::White),
        ("8/8/p1p5/PkP5/1P6/PP6/1K6/8 w - - 0 1", Color::Black),
        ("1b2kb2/2p5/2pp4/3p2p1/1p1K1pP1/1P1P1P2/8/1B1B1B2 b - - 0 1", Color::White),
        ("8/1p2p1p1/1P2P1P1/Bp2pBp1/1P2P1P1/7k/1P2P3/7K b - - 0 1", Color::White),
        ("1b3kBR/4pP1P/1p1pP2P/1P1P4/8/K5p1/6P1/1B6 b - - 0 1", Color::White),
    ];
    for (fen, winner) in winnable {
        let state = State::new(&position(fen));
        assert!(!blocked::excludes(&state, winner), "{fen}");
        assert!(!projection::excludes(&state, winner, 20_000).0, "{fen}");
    }
}

/// An illegal move may stand and leave a king attacked: nothing is proved from there.
#[test]
fn a_king_left_in_check_proves_nothing() {
    let setup = "8/8/8/8/8/4k3/4Q3/4K3 w - - 0 1".parse::<Fen>().map(Fen::into_setup);
    let standing = setup.ok().and_then(|mut setup| {
        setup.turn = Color::Black;
        let mut position = Chess::from_setup(setup, CastlingMode::Standard).ok()?;
        // Black moves his king next to White's queen's line and leaves it there.
        position.play_unchecked(Move::Normal {
            role: Role::King,
            from: shakmaty::Square::E3,
            to: shakmaty::Square::D3,
            capture: None,
            promotion: None,
        });
        Some(position)
    });
    let Some(standing) = standing else { panic!("no position") };
    for side in Color::ALL {
        assert_eq!(analyse(&standing, side, Budget::RULING), Verdict::Unknown(0));
    }
    assert!(!is_dead_cheap(&standing));
}

/// A wall position that is mate already: the proofs that the search tries on the way must see it.
#[test]
fn no_static_proof_overlooks_mate_on_the_board() {
    let fen = "7k/5K1p/7P/8/3B4/8/8/8 b - - 0 1";
    assert!(position(fen).is_checkmate());
    let state = State::new(&position(fen));
    assert!(!blocked::excludes(&state, Color::White));
    assert!(!projection::excludes(&state, Color::White, 20_000).0);
}
