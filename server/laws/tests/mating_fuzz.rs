//! Mutated positions: what the analysis proves is checked against an exhaustive search that shares no code
//! with it, what it finds is replayed.
//!
//! `ZEITNOT_FUZZ_QUERIES=1000000 cargo test --release -p zeitnot-laws --test mating_fuzz -- --nocapture`
//! runs a million; `ZEITNOT_FUZZ_SEED=N` repeats a run, its number is printed.

use std::{
    collections::HashSet,
    env, fs,
    hash::{BuildHasher, RandomState},
    path::Path,
};

use shakmaty::{
    Board, Chess, Color, EnPassantMode, Piece, Position, Role, Square, fen::Fen, zobrist::Zobrist128,
};
use zeitnot_laws::mating::{Budget, Proof, Verdict, analyse, is_dead_cheap, position_from_fen};

/// Queries in an ordinary test run, which is not optimized.
const QUERIES: u64 = 500;

/// Positions of the exhaustive search before it gives up.
const CLOSURE_MAX: usize = 40_000;

/// More legal moves than this make a query dull: almost always a quick mate.
const MOVES_MAX: usize = 16;

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        // SplitMix64: any seed will do, also small ones.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) >> 33).unwrap_or(0) % bound
    }
}

#[derive(Default, Debug)]
struct Tally {
    mates: u64,
    confirmed: u64,
    too_large: u64,
    unknown: u64,
    dead: u64,
    static_proofs: u64,
}

/// What an exhaustive search without any cleverness finds.
#[derive(PartialEq, Debug)]
enum Closure {
    Mate,
    None,
    TooLarge,
}

/// Depth first over the library's own positions. Its keys are 128-bit hashes: a collision can hide a mate
/// from this check, it cannot make one up.
fn closure(root: &Chess, winner: Color) -> Closure {
    let key = |position: &Chess| position.zobrist_hash::<Zobrist128>(EnPassantMode::Legal).0;
    let mut seen = HashSet::from([key(root)]);
    let mut stack = vec![root.clone()];
    while let Some(position) = stack.pop() {
        let moves = position.legal_moves();
        if moves.is_empty() {
            if position.is_check() && position.turn() != winner {
                return Closure::Mate;
            }
            continue;
        }
        // The library's own rule of thumb, which never errs when it says "cannot".
        if position.has_insufficient_material(winner) {
            continue;
        }
        for step in moves {
            let mut next = position.clone();
            next.play_unchecked(step);
            if seen.insert(key(&next)) {
                stack.push(next);
            }
        }
        if seen.len() > CLOSURE_MAX {
            return Closure::TooLarge;
        }
    }
    Closure::None
}

fn seeds() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/mating");
    let files = ["positions.tsv", "selected.tsv", "real-timeouts.tsv"];
    let mut fens = Vec::new();
    for file in files {
        let text = fs::read_to_string(folder.join(file)).unwrap_or_else(|why| panic!("{file}: {why}"));
        let header: Vec<&str> = text.lines().next().unwrap_or_default().split('\t').collect();
        let column = header.iter().position(|&title| title == "fen").unwrap_or(0);
        fens.extend(text.lines().skip(1).filter_map(|line| line.split('\t').nth(column)).map(str::to_owned));
    }
    fens
}

/// One to three small changes to the men, and sometimes the other side to move. None if the result is no
/// position or has too many moves.
fn mutate(fen: &str, random: &mut Random) -> Option<Chess> {
    let setup = fen.parse::<Fen>().ok()?.into_setup();
    let (mut board, mut turn) = (setup.board, setup.turn);
    for _ in 0..=random.below(3) {
        change(&mut board, random);
    }
    if random.below(4) == 0 {
        turn = turn.other();
    }
    let position = position_from_fen(&format!("{board} {} - - 0 1", turn.char())).ok()?;
    (position.legal_moves().len() <= MOVES_MAX).then_some(position)
}

fn change(board: &mut Board, random: &mut Random) {
    let any = |random: &mut Random| Square::new(u32::try_from(random.below(64)).unwrap_or(0));
    let men: Vec<Square> = board.occupied().into_iter().collect();
    let man = men[random.below(men.len())];
    let to = any(random);
    match random.below(4) {
        // A man moves.
        0 | 1 if board.piece_at(to).is_none() => {
            if let Some(piece) = board.remove_piece_at(man) {
                board.set_piece_at(to, piece);
            }
        }
        // A man goes.
        2 if board.role_at(man) != Some(Role::King) => board.discard_piece_at(man),
        // A man comes.
        _ if board.piece_at(to).is_none() => {
            let roles =
                [Role::Pawn, Role::Pawn, Role::Bishop, Role::Bishop, Role::Knight, Role::Rook, Role::Queen];
            let color = if random.below(2) == 0 { Color::White } else { Color::Black };
            board.set_piece_at(to, Piece { color, role: roles[random.below(roles.len())] });
        }
        _ => {}
    }
}

fn examine(position: &Chess, winner: Color, budget: Budget, tally: &mut Tally) {
    let fen = || Fen::from_position(position, EnPassantMode::Legal).to_string();
    match analyse(position, winner, budget) {
        Verdict::Mates(line) => {
            let mut end = position.clone();
            for step in line {
                assert!(end.is_legal(step), "illegal move in the line for {winner}: {}", fen());
                end.play_unchecked(step);
            }
            assert!(end.is_checkmate() && end.turn() != winner, "no mate for {winner}: {}", fen());
            tally.mates += 1;
        }
        Verdict::Never(proof) => match closure(position, winner) {
            Closure::Mate => panic!("false proof {proof:?} against {winner}: {}", fen()),
            found => {
                tally.static_proofs += u64::from(proof == Proof::Static);
                tally.confirmed += u64::from(found == Closure::None);
                tally.too_large += u64::from(found == Closure::TooLarge);
            }
        },
        Verdict::Unknown(_) => tally.unknown += 1,
    }
}

fn examine_dead(position: &Chess, tally: &mut Tally) {
    if is_dead_cheap(position) {
        tally.dead += 1;
        for winner in Color::ALL {
            let fen = Fen::from_position(position, EnPassantMode::Legal);
            assert_ne!(closure(position, winner), Closure::Mate, "called dead: {fen}");
        }
    }
}

#[test]
fn no_verdict_contradicts_an_exhaustive_search() {
    let number = |name: &str| env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let queries = number("ZEITNOT_FUZZ_QUERIES").unwrap_or(QUERIES);
    let seed = number("ZEITNOT_FUZZ_SEED").unwrap_or_else(|| RandomState::new().hash_one(0));
    println!("ZEITNOT_FUZZ_SEED={seed} ZEITNOT_FUZZ_QUERIES={queries}");
    let budget = Budget { positions: 30_000 };
    let fens = seeds();
    let mut random = Random(seed);
    let mut tally = Tally::default();
    let mut done = 0;
    while done < queries {
        let Some(position) = mutate(&fens[random.below(fens.len())], &mut random) else { continue };
        for winner in Color::ALL {
            examine(&position, winner, budget, &mut tally);
            done += 1;
        }
        examine_dead(&position, &mut tally);
        if done % 100_000 < 2 {
            println!("{done}: {tally:?}");
        }
    }
    println!("{tally:?}");
}
