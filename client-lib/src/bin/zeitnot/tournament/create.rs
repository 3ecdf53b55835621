//! `zeitnot tournament create`.

use crate::play::{edition, speed};
use clap::{Args, ValueEnum};
use zeitnot_client::proto::rules::{Edition, Rules, Setting, Start, Terms, Value};
use zeitnot_client::proto::time::SECOND_US;
use zeitnot_client::proto::tournament::{PointValues, Timetable, TournamentSettings, TournamentSystem};
use zeitnot_client::proto::{Color, List, Text, TimeControl};

/// Whoever has waited so long in an arena goes before others.
const PATIENCE_US: u64 = 15 * SECOND_US;

/// What an organizer decides.
#[derive(Debug, Args)]
pub struct Arguments {
    /// What it is called.
    name: String,
    /// Who meets whom.
    #[arg(long, default_value = "swiss")]
    system: System,
    /// Rounds of a Swiss.
    #[arg(long, value_name = "N", default_value_t = 5)]
    rounds: u16,
    /// A Swiss accelerated by the Baku method.
    #[arg(long)]
    accelerated: bool,
    /// The time control: seconds and increment.
    #[arg(long, value_name = "CONTROL", default_value = "300+3")]
    time: TimeControl,
    /// The edition of the Laws.
    #[arg(long, value_name = "EDITION", default_value = "fide-2023", value_parser = edition)]
    edition: Edition,
    /// Seconds after the start of a round at which whoever is not there has lost.
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    default_time: u64,
    /// Draws may not be agreed before Black has made so many moves (9.1).
    #[arg(long, value_name = "N")]
    min_moves: Option<u64>,
    /// Seconds from a pairing to the start of White's clocks.
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    lead: u64,
    /// Pairs each round by itself so many seconds after the one before.
    #[arg(long, value_name = "SECONDS")]
    pause: Option<u64>,
    /// Tie-breaks in order, by their codes: BH/C1,BH,SB,DE.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    tie_breaks: Vec<String>,
    /// Points of a win, a draw, a loss and the allocated bye, in tenths: 30,10,0,30.
    #[arg(long, value_name = "WIN,DRAW,LOSS,BYE", value_parser = points)]
    points: Option<PointValues>,
    /// Pairs only players who said that they are there.
    #[arg(long)]
    check_in: bool,
    /// The last round that a late entry can still play in.
    #[arg(long, value_name = "N", default_value_t = 0)]
    late_until: u16,
    /// How many may enter.
    #[arg(long, value_name = "N", default_value_t = 0)]
    most_players: u16,
    /// The initial colour; drawn by lot if left out.
    #[arg(long, value_name = "COLOUR")]
    initial_color: Option<Side>,
    /// Games of a knockout match.
    #[arg(long, value_name = "N", default_value_t = 1)]
    games: u8,
    /// A match for third place.
    #[arg(long)]
    third_place: bool,
    /// The time control of a knockout's play-offs.
    #[arg(long, value_name = "CONTROL")]
    play_off: Option<TimeControl>,
    /// Black's seconds in the game that decides a knockout match; without it play-offs go on.
    #[arg(long, value_name = "SECONDS")]
    armageddon: Option<u64>,
    /// The host of a simul.
    #[arg(long, value_name = "NAME", required_if_eq("system", "simul"))]
    host: Option<String>,
    /// The host's colour on all boards; by turns if left out.
    #[arg(long, value_name = "COLOUR")]
    host_color: Option<Side>,
    /// Seconds that each board of a simul adds to the host's time.
    #[arg(long, value_name = "SECONDS", default_value_t = 0)]
    extra: u64,
    /// Minutes of an arena.
    #[arg(long, value_name = "MINUTES", default_value_t = 60)]
    duration: u64,
    /// In an arena, games count double after two wins in a row.
    #[arg(long)]
    streaks: bool,
    /// The lowest rating that may enter.
    #[arg(long, value_name = "N", default_value_t = 0)]
    lowest_rating: u16,
    /// The highest rating that may enter.
    #[arg(long, value_name = "N", default_value_t = 0)]
    highest_rating: u16,
    /// The city, for the report.
    #[arg(long, default_value = "")]
    city: String,
    /// The federation, for the report.
    #[arg(long, default_value = "")]
    federation: String,
    /// The chief arbiter, for the report.
    #[arg(long, default_value = "")]
    arbiter: String,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum System {
    Swiss,
    RoundRobin,
    DoubleRoundRobin,
    Knockout,
    Simul,
    Arena,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Side {
    White,
    Black,
}

impl Side {
    fn color(self) -> Color {
        match self {
            Side::White => Color::White,
            Side::Black => Color::Black,
        }
    }
}

fn word<const MAX: usize>(text: &str) -> Result<Text<MAX>, String> {
    Text::new(text).map_err(|_| format!("'{text}' is longer than {MAX} bytes"))
}

impl Arguments {
    /// The settings, or what is wrong with the arguments.
    pub fn settings(&self) -> Result<TournamentSettings, String> {
        let us = |seconds: u64| seconds.saturating_mul(SECOND_US);
        let system = match self.system {
            System::Swiss => TournamentSystem::Swiss { rounds: self.rounds, accelerated: self.accelerated },
            System::RoundRobin => TournamentSystem::RoundRobin { cycles: 1 },
            System::DoubleRoundRobin => TournamentSystem::RoundRobin { cycles: 2 },
            System::Knockout => TournamentSystem::Knockout {
                games: self.games,
                third_place: self.third_place,
                play_off: self.play_off.clone(),
                armageddon_us: self.armageddon.map(us),
            },
            System::Simul => TournamentSystem::Simul {
                host: word(self.host.as_deref().unwrap_or_default())?,
                host_color: self.host_color.map(Side::color),
                extra_us: us(self.extra),
            },
            System::Arena => TournamentSystem::Arena {
                duration_us: us(self.duration.saturating_mul(60)),
                streaks: self.streaks,
                patience_us: PATIENCE_US,
            },
        };
        let mut options =
            vec![Setting { name: Text::cut("default_time"), value: Value::SpanUs(us(self.default_time)) }];
        if let Some(least) = self.min_moves {
            options.push(Setting { name: Text::cut("min_moves"), value: Value::Count(least) });
        }
        let speed = speed(&self.time);
        let rules = Rules { edition: self.edition, speed, options: List::cut(options), ..Rules::default() };
        let time_control = self.time.clone();
        let codes = self.tie_breaks.iter().map(|code| word(code)).collect::<Result<Vec<_>, _>>()?;
        Ok(TournamentSettings {
            name: word(&self.name)?,
            system,
            terms: Terms { time_control, rules, start: Start::default(), spectator_delay_us: 0 },
            timetable: match self.pause {
                Some(seconds) => Timetable::Interval { pause_us: us(seconds) },
                None => Timetable::ByHand,
            },
            lead_us: us(self.lead),
            points: self.points.unwrap_or_default(),
            tie_breaks: List::new(codes).map_err(|error| format!("the list of tie-breaks is {error}"))?,
            check_in: self.check_in,
            last_entry_round: self.late_until,
            most_players: self.most_players,
            lowest_rating: self.lowest_rating,
            highest_rating: self.highest_rating,
            initial_color: self.initial_color.map(Side::color),
            literal_parity: false,
            city: word(&self.city)?,
            federation: word(&self.federation)?,
            chief_arbiter: word(&self.arbiter)?,
        })
    }
}

/// Four values in tenths of a point.
fn points(text: &str) -> Result<PointValues, String> {
    let values: Vec<u16> = text.split(',').map_while(|value| value.trim().parse().ok()).collect();
    match (<[u16; 4]>::try_from(&values[..]), text.matches(',').count()) {
        (Ok([win, draw, loss, allocated_bye]), 3) => Ok(PointValues { win, draw, loss, allocated_bye }),
        _ => Err("four numbers in tenths of a point: a win, a draw, a loss, the allocated bye".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_four_numbers() {
        let three = PointValues { win: 30, draw: 10, loss: 0, allocated_bye: 30 };
        assert_eq!(points("30,10,0,30"), Ok(three));
        for wrong in ["", "3,1,0", "30,10,0,30,1", "30,10,0,x", "30,10,x,30,5", "-1,0,0,0"] {
            assert!(points(wrong).is_err(), "{wrong}");
        }
    }
}
