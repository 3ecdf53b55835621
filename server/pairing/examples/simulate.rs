//! Writes random tournaments as report files, to compare with other programs:
//! `cargo run --release -p zeitnot-pairing --example simulate -- --help`

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::{Parser, ValueEnum};
use zeitnot_pairing::command;
use zeitnot_pairing::dutch::{self, Method};
use zeitnot_pairing::round_robin;
use zeitnot_pairing::simulate::{Random, Recipe};
use zeitnot_pairing::standings::{self, Rules};
use zeitnot_pairing::tiebreak::{Mode, parse_list};
use zeitnot_pairing::tournament::Tournament;
use zeitnot_pairing::trf::{Dialect, Report};

/// Writes NAME.trf, a tournament up to some round, and NAME.pairs, the pairing of the next.
#[derive(Parser)]
struct Options {
    /// Where to.
    folder: PathBuf,
    /// How many tournaments.
    #[arg(long, default_value_t = 10)]
    count: u64,
    /// The first seed.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// At most so many players; everything else is drawn.
    #[arg(long, default_value_t = 40)]
    players: usize,
    /// Played to the end, without a next pairing.
    #[arg(long)]
    finished: bool,
    /// Round robins instead, played to the end.
    #[arg(long)]
    round_robin: bool,
    /// Which records to use.
    #[arg(long, value_enum, default_value_t = Records::Trf2026)]
    dialect: Records,
}

#[derive(Clone, Copy, ValueEnum)]
enum Records {
    Trf2026,
    Bx,
}

fn main() -> io::Result<()> {
    let options = Options::parse();
    fs::create_dir_all(&options.folder)?;
    let dialect = match options.dialect {
        Records::Trf2026 => Dialect::Trf2026,
        Records::Bx => Dialect::Bx,
    };
    for seed in options.seed..options.seed + options.count {
        let mut random = Random::new(seed);
        let name = options.folder.join(format!("s{seed:06}"));
        if options.round_robin {
            let tournament = round_robin(&mut random, options.players)?;
            write(&name, tournament, Mode::RoundRobin, dialect)?;
            continue;
        }
        let recipe = Recipe::any(&mut random, options.players);
        let stop = if options.finished { recipe.rounds + 1 } else { 1 + random.below(recipe.rounds) };
        let mut tournament = recipe.start(&mut random);
        "Individual: Swiss-System (FIDE Dutch)".clone_into(&mut tournament.event.kind);
        tournament.tie_breaks = codes(&["BH/C1", "BH", "SB/C1", "PS", "WIN", "BWG", "AOB", "ARO"]);
        for round in 1..=recipe.rounds {
            recipe.absences(&mut tournament, round, &mut random);
            let Ok(pairing) = dutch::pair_round(&tournament, round, Method::default()) else { break };
            if round == stop {
                fs::write(name.with_extension("pairs"), command::pairs(&pairing))?;
                break;
            }
            tournament.enter_pairing(&pairing).map_err(io::Error::other)?;
            recipe.play(&mut tournament, &pairing, &mut random);
        }
        // Byes asked for after the round to pair are nobody's business yet.
        let next = tournament.rounds_paired() + 1;
        tournament.requested_byes.retain(|bye| bye.round == next);
        // Standings of a tournament that came to a stop before its last round are a matter of opinion.
        if !options.finished || next > recipe.rounds {
            write(&name, tournament, Mode::Swiss, dialect)?;
        }
    }
    Ok(())
}

fn codes(list: &[&str]) -> Vec<String> {
    list.iter().map(|&code| code.to_owned()).collect()
}

/// Writes the report with everybody's rank.
fn write(name: &Path, mut tournament: Tournament, mode: Mode, dialect: Dialect) -> io::Result<()> {
    let criteria = parse_list(&tournament.tie_breaks.join(",")).map_err(io::Error::other)?;
    let rules = Rules { mode, criteria, ..Rules::default() };
    standings::standings(&tournament, &rules).write_ranks(&mut tournament);
    fs::write(name.with_extension("trf"), Report::new(tournament, dialect).write())
}

/// A round robin with some forfeits, played to the end.
fn round_robin(random: &mut Random, most: usize) -> io::Result<Tournament> {
    let players = 3 + random.below(most.saturating_sub(2));
    let recipe = Recipe { forfeit: 60, ..Recipe::plain(players, round_robin::rounds_of_cycle(players)) };
    let mut tournament = recipe.start(random);
    "FIDE_ROUNDROBIN".clone_into(&mut tournament.system);
    tournament.tie_breaks = codes(&["DE", "WIN", "SB", "KS"]);
    for round in 1..=recipe.rounds {
        let pairing = round_robin::pair(&tournament, 1, round);
        tournament.enter_pairing(&pairing).map_err(io::Error::other)?;
        recipe.play(&mut tournament, &pairing, random);
    }
    Ok(tournament)
}
