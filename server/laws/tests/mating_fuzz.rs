//! Mutated positions: what the analysis proves is checked against an exhaustive search that shares no code
//! with it, what it finds is replayed.
//!
//! `ZEITNOT_FUZZ_QUERIES=1000000 cargo test --release -p zeitnot-laws --test mating_fuzz -- --nocapture`
//! runs a million, on all cores; `ZEITNOT_FUZZ_SEED=N` repeats a run, its number is printed.

use std::{
    collections::HashSet,
    env, fs,
    hash::{BuildHasher, BuildHasherDefault, Hasher, RandomState},
    path::Path,
    sync::atomic::{AtomicU64, Ordering},
    thread,
};

use shakmaty::{
    Board, Chess, Color, EnPassantMode, Piece, Position, Role, Square, fen::Fen, zobrist::Zobrist128,
};
use zeitnot_laws::mating::{Budget, Proof, Verdict, analyse, is_dead_cheap, position_from_fen};

/// Queries in an ordinary test run, which is not optimized.
const QUERIES: u64 = 500;

/// Queries of one piece of work. What a piece asks hangs on the seed and its number, not on who does it.
const PIECE: u64 = 500;

/// Positions of the exhaustive search before it gives up.
const CLOSURE_MAX: usize = 40_000;

/// More legal moves than this make a query dull: almost always a quick mate.
const MOVES_MAX: usize = 16;

struct Random(u64);

impl Random {
    /// `SplitMix64`: any seed will do, also small ones.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() >> 33).unwrap_or(0) % bound
    }
}

#[derive(Clone, Copy, Default, Debug)]
struct Tally {
    mates: u64,
    confirmed: u64,
    too_large: u64,
    unknown: u64,
    dead: u64,
    static_proofs: u64,
}

impl Tally {
    fn and(self, other: Tally) -> Tally {
        Tally {
            mates: self.mates + other.mates,
            confirmed: self.confirmed + other.confirmed,
            too_large: self.too_large + other.too_large,
            unknown: self.unknown + other.unknown,
            dead: self.dead + other.dead,
            static_proofs: self.static_proofs + other.static_proofs,
        }
    }
}

/// What an exhaustive search without any cleverness finds.
#[derive(PartialEq, Debug)]
enum Closure {
    Mate,
    None,
    TooLarge,
}

/// A Zobrist key is a hash already.
#[derive(Default)]
struct AsItIs(u64);

impl Hasher for AsItIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        let (half, _) = bytes.split_first_chunk().expect("the keys have sixteen bytes");
        self.0 = u64::from_ne_bytes(*half);
    }
}

/// Depth first over the library's own positions. Its keys are 128-bit hashes: a collision can hide a mate
/// from this check, it cannot make one up.
fn closure(root: &Chess, winner: Color) -> Closure {
    let key = |position: &Chess| position.zobrist_hash::<Zobrist128>(EnPassantMode::Legal).0;
    let mut seen: HashSet<u128, BuildHasherDefault<AsItIs>> = HashSet::from_iter([key(root)]);
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

/// Whether the verdict is that `winner` never mates; it has been checked then.
fn examine(position: &Chess, winner: Color, budget: Budget, tally: &mut Tally) -> bool {
    let fen = || Fen::from_position(position, EnPassantMode::Legal).to_string();
    let verdict = analyse(position, winner, budget);
    let never = verdict.is_never();
    match verdict {
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
    never
}

/// Checks what is called dead; `open` are the sides of which it is not yet known that they never mate.
fn examine_dead(position: &Chess, open: impl Iterator<Item = Color>, tally: &mut Tally) {
    if is_dead_cheap(position) {
        tally.dead += 1;
        for winner in open {
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
    let fens = seeds();
    let pieces = AtomicU64::new(0);
    let work = || {
        let mut tally = Tally::default();
        loop {
            let piece = pieces.fetch_add(1, Ordering::Relaxed);
            let Some(left) = queries.checked_sub(piece * PIECE).filter(|&left| left > 0) else {
                return tally;
            };
            ask(left.min(PIECE), &fens, Random(Random(seed.wrapping_add(piece)).next()), &mut tally);
            if piece % 100 == 99 {
                println!("{} queries and no contradiction among them", (piece + 1) * PIECE);
            }
        }
    };
    let all = thread::scope(|scope| {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let working: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        working
            .into_iter()
            .map(|thread| thread.join().expect("no contradiction"))
            .fold(Tally::default(), Tally::and)
    });
    println!("{all:?}");
}

/// Asks `queries` questions about mutations of `fens`.
fn ask(queries: u64, fens: &[String], mut random: Random, tally: &mut Tally) {
    let budget = Budget { positions: 30_000 };
    let mut done = 0;
    while done < queries {
        let Some(position) = mutate(&fens[random.below(fens.len())], &mut random) else { continue };
        let never = Color::ALL.map(|winner| examine(&position, winner, budget, tally));
        done += 2;
        let open = Color::ALL.into_iter().zip(never).filter(|(_, never)| !never);
        examine_dead(&position, open.map(|(winner, _)| winner), tally);
    }
}
