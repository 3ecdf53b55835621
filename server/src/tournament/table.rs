//! A tournament as pairing and scoring see it: made anew from the state whenever it is needed.

use super::event::Player;
use super::state::State;
use zeitnot_pairing::baku;
use zeitnot_pairing::points::{PointSystem, Points};
use zeitnot_pairing::results::BoardResult as Entered;
use zeitnot_pairing::round::{Bye, Entry, Score, Tpn};
use zeitnot_pairing::standings::{self, Rules, Standings};
use zeitnot_pairing::tiebreak::{Criterion, Mode};
use zeitnot_pairing::tournament::{self, Forbidden, ParityNumber, RequestedBye, Tournament};
use zeitnot_proto::board::Color;
use zeitnot_proto::time_control::TimeControl;
use zeitnot_proto::tournament::{BoardResult, ByeKind, PlayerState, TournamentSystem};

/// The tie-breaks of a Swiss where the organizer publishes none.
const SWISS_TIE_BREAKS: [&str; 4] = ["BH/C1", "BH", "SB", "DE"];

/// The same of a round robin, which knows no Buchholz.
const ROUND_ROBIN_TIE_BREAKS: [&str; 4] = ["DE", "WIN", "SB", "KS"];

/// A kind of bye in the words of the pairing crate.
pub const fn bye(kind: ByeKind) -> Bye {
    match kind {
        ByeKind::Half => Bye::Half,
        ByeKind::Full => Bye::Full,
        ByeKind::Zero => Bye::Zero,
        ByeKind::Allocated => Bye::Allocated,
    }
}

/// The same the other way round.
pub const fn bye_kind(bye: Bye) -> ByeKind {
    match bye {
        Bye::Half => ByeKind::Half,
        Bye::Full => ByeKind::Full,
        Bye::Zero => ByeKind::Zero,
        Bye::Allocated => ByeKind::Allocated,
    }
}

/// A result in the words of the pairing crate.
pub const fn result(result: BoardResult) -> Entered {
    match result {
        BoardResult::White => Entered::Played(Score::Win),
        BoardResult::Draw => Entered::Played(Score::Draw),
        BoardResult::Black => Entered::Played(Score::Loss),
        BoardResult::WhiteUnrated => Entered::Unrated(Score::Win),
        BoardResult::DrawUnrated => Entered::Unrated(Score::Draw),
        BoardResult::BlackUnrated => Entered::Unrated(Score::Loss),
        BoardResult::WhiteForfeits => Entered::WhiteForfeits,
        BoardResult::BlackForfeits => Entered::BlackForfeits,
        BoardResult::BothForfeit => Entered::BothForfeit,
    }
}

impl State {
    /// The pairing number of a player; 0, which nobody has, if he has none.
    pub fn tpn(&self, player: Player) -> Tpn {
        self.number(player).unwrap_or(0)
    }

    /// The player with a pairing number.
    pub fn by_tpn(&self, tpn: Tpn) -> Option<Player> {
        usize::from(tpn).checked_sub(1).and_then(|index| self.order.get(index)).copied()
    }

    /// Everything that pairing and scoring need; after so many rounds.
    pub fn table(&self, rounds: u16) -> Tournament {
        let numbers: Vec<Tpn> = self.numbers();
        let number = |player: Player| numbers.get(usize::from(player)).copied().unwrap_or(0);
        let settings = &self.settings;
        let mut table = Tournament {
            event: self.event(),
            system: self.system_code(),
            rounds: Some(usize::from(self.rounds_planned())).filter(|&rounds| rounds > 0),
            initial_colour: Some(self.initial_color),
            parity: if settings.literal_parity {
                ParityNumber::PairingNumber
            } else {
                ParityNumber::AmongPaired
            },
            points: self.point_system(),
            players: self.order.iter().zip(1..).map(|(&player, tpn)| self.row(player, tpn)).collect(),
            tie_breaks: self.tie_breaks(),
            ..Tournament::default()
        };
        let rounds_with_one_game = if settings.system.has_rounds() { rounds } else { 0 };
        for (round, index) in self.rounds.iter().zip(0..usize::from(rounds_with_one_game)) {
            for board in &round.boards {
                let (white, black) = (number(board.white), number(board.black));
                enter(&mut table, white, index, Entry::Paired { opponent: black, colour: Color::White });
                enter(&mut table, black, index, Entry::Paired { opponent: white, colour: Color::Black });
                if let Some(board_result) = board.result {
                    // They are paired: it was written a line ago.
                    let _entered = table.set_result(index + 1, white, black, result(board_result));
                }
            }
            for &(player, kind) in &round.out {
                enter(&mut table, number(player), index, Entry::Bye(bye(kind)));
            }
        }
        for (&(player, round), &kind) in self.byes.iter().filter(|((_, round), _)| *round > rounds) {
            let players = vec![number(player)];
            table.requested_byes.push(RequestedBye { kind: bye(kind), round: usize::from(round), players });
        }
        if let Some(last) = self.last_accelerated {
            table.accelerations = baku::accelerations_up_to(&table, number(last)).unwrap_or_default();
        }
        for group in &self.forbidden {
            let players = group.iter().map(|&player| number(player)).collect();
            table.forbidden.push(Forbidden { rounds: None, players });
        }
        table
    }

    /// The pairing number of each player in the order of entry.
    fn numbers(&self) -> Vec<Tpn> {
        let mut numbers = vec![0; self.entered.len()];
        for (&player, tpn) in self.order.iter().zip(1..) {
            if let Some(number) = numbers.get_mut(usize::from(player)) {
                *number = tpn;
            }
        }
        numbers
    }

    fn row(&self, player: Player, tpn: Tpn) -> tournament::Player {
        let Some(entered) = self.entry(player) else {
            return tournament::Player { tpn, ..tournament::Player::default() };
        };
        let entrant = &entered.entrant;
        let name = if entrant.full_name.is_empty() { entrant.name.as_str() } else { &entrant.full_name };
        tournament::Player {
            tpn,
            name: name.to_owned(),
            title: entrant.title.to_string(),
            rating: Some(entrant.rating).filter(|&rating| rating > 0),
            federation: entrant.federation.to_string(),
            fide_id: entrant.fide_id.to_string(),
            ..tournament::Player::default()
        }
    }

    fn event(&self) -> tournament::Event {
        let settings = &self.settings;
        let day = |at: Option<zeitnot_proto::Stamp>| at.map_or_else(String::new, super::words::day);
        let kind = match settings.system {
            TournamentSystem::Swiss { .. } => "Individual: Swiss-System (FIDE Dutch)",
            TournamentSystem::RoundRobin { cycles: 1 } => "Individual: Round-Robin",
            TournamentSystem::RoundRobin { .. } => "Individual: Double Round-Robin",
            TournamentSystem::Knockout { .. } => "Individual: Knockout",
            TournamentSystem::Simul { .. } => "Individual: Simultaneous exhibition",
            TournamentSystem::Arena { .. } => "Individual: Arena",
        };
        tournament::Event {
            name: settings.name.to_string(),
            city: settings.city.to_string(),
            federation: settings.federation.to_string(),
            start: day(self.rounds.first().map(|round| round.starts_at)),
            end: day(self.rounds.last().map(|round| round.starts_at)),
            kind: kind.to_owned(),
            chief_arbiter: settings.chief_arbiter.to_string(),
            encoded_time_control: encoded(&settings.terms.time_control).unwrap_or_default(),
            time_control: settings.terms.time_control.to_string(),
            pairing_program: concat!("Zeitnot ", env!("CARGO_PKG_VERSION")).to_owned(),
            round_dates: self.rounds.iter().map(|round| super::words::short_day(round.starts_at)).collect(),
            ..tournament::Event::default()
        }
    }

    fn system_code(&self) -> String {
        match self.settings.system {
            TournamentSystem::Swiss { accelerated: true, .. } => "FIDE_DUTCH_2025_BAKU",
            TournamentSystem::Swiss { .. } => "FIDE_DUTCH_2025",
            TournamentSystem::RoundRobin { cycles: 1 } => "FIDE_ROUNDROBIN",
            // The first cycle's last two rounds are exchanged.
            TournamentSystem::RoundRobin { .. } => "FIDE_DOUBLEROUNDROBIN",
            _ => "OTHER",
        }
        .to_owned()
    }

    fn point_system(&self) -> PointSystem {
        let points = self.settings.points;
        let tenths = |value: u16| Points::from_tenths(i32::from(value));
        PointSystem {
            allocated_bye: tenths(points.allocated_bye),
            ..PointSystem::of(tenths(points.win), tenths(points.draw), tenths(points.loss))
        }
    }

    /// The published list of tie-breaks.
    fn tie_breaks(&self) -> Vec<String> {
        let published = &self.settings.tie_breaks;
        if !published.is_empty() {
            return published.iter().map(ToString::to_string).collect();
        }
        let usual = match self.settings.system {
            TournamentSystem::RoundRobin { .. } => ROUND_ROBIN_TIE_BREAKS,
            _ => SWISS_TIE_BREAKS,
        };
        usual.map(str::to_owned).to_vec()
    }

    /// How its results are counted.
    pub fn mode(&self) -> Mode {
        match self.settings.system {
            TournamentSystem::RoundRobin { .. } => Mode::RoundRobin,
            _ => Mode::Swiss,
        }
    }

    /// The standings as they are now, games without a result counting nothing, with the table that they
    /// were made from.
    pub fn standings(&self) -> (Tournament, Standings) {
        let rounds = self.last_round();
        let mut table = self.table(rounds);
        table.points.unknown = Points::ZERO;
        let criteria = table.tie_breaks.iter().filter_map(|code| code.parse::<Criterion>().ok()).collect();
        let rules = Rules {
            mode: self.mode(),
            criteria,
            rounds: Some(usize::from(rounds)),
            excluded: self.excluded(&table),
        };
        let standings = standings::standings(&table, &rules);
        (table, standings)
    }

    /// Who left a round robin with fewer than half of his games: out of the standings (C.05 5.1).
    fn excluded(&self, table: &Tournament) -> Vec<Tpn> {
        if !matches!(self.settings.system, TournamentSystem::RoundRobin { .. }) {
            return Vec::new();
        }
        let gone = |player: &&Player| {
            self.entry(**player)
                .is_some_and(|e| matches!(e.state, PlayerState::Withdrawn | PlayerState::Expelled))
        };
        let gone = self.order.iter().filter(gone).map(|&player| self.tpn(player));
        gone.filter(|&tpn| standings::played_under_half(table, tpn)).collect()
    }

    /// The places of a tournament whose players do not have one game a round each: rank, player, points in
    /// tenths; none for the others. In a knockout the round that was reached ranks, and points are those of the games.
    pub fn plain_places(&self) -> Option<Vec<(usize, Player, u32)>> {
        if let Some(bracket) = self.bracket() {
            let places = bracket.places().into_iter();
            let places = places.flat_map(|(rank, tpns)| tpns.into_iter().map(move |tpn| (rank, tpn)));
            let places = places.filter_map(|(rank, tpn)| Some((rank, self.by_tpn(tpn)?)));
            return Some(places.map(|(rank, player)| (rank, player, self.points_of_games(player))).collect());
        }
        let mut scores = match (&self.settings.system, &self.crowd) {
            (_, Some(crowd)) => {
                crowd.entrants().into_iter().map(|(player, who)| (player, who.points() * 10)).collect()
            }
            (TournamentSystem::Simul { .. }, _) => {
                self.order.iter().map(|&player| (player, self.points_of_games(player))).collect::<Vec<_>>()
            }
            (system, _) if system.has_rounds() => return None,
            _ => Vec::new(),
        };
        scores.sort_by_key(|&(_, points)| std::cmp::Reverse(points));
        let rank = |points: u32| scores.iter().filter(|&&(_, more)| more > points).count() + 1;
        Some(scores.iter().map(|&(player, points)| (rank(points), player, points)).collect())
    }

    /// Points of a player over all his games, in tenths.
    fn points_of_games(&self, player: Player) -> u32 {
        let boards = self.rounds.iter().flat_map(|round| &round.boards);
        boards.filter_map(|board| self.game_points(board, player)).sum()
    }

    /// Points of a player before a round, in tenths.
    pub fn points_before(&self, table: &Tournament, player: Player, round: u16) -> u32 {
        match (&self.settings.system, &self.crowd) {
            (_, Some(crowd)) => return crowd.points(player) * 10,
            (TournamentSystem::Simul { .. } | TournamentSystem::Knockout { .. }, _) => {
                return self.points_of_games(player);
            }
            _ => {}
        }
        let row = table.player(self.tpn(player));
        let points = row.map_or(Points::ZERO, |row| table.score_before(row, usize::from(round)));
        u32::try_from(points.tenths()).unwrap_or(0)
    }
}

/// A time control as record 222 has it, which knows periods and increments alone.
fn encoded(time_control: &TimeControl) -> Option<String> {
    let text = time_control.to_string();
    text.chars().all(|c| c.is_ascii_digit() || "/+:".contains(c)).then_some(text)
}

fn enter(table: &mut Tournament, tpn: Tpn, index: usize, entry: Entry) {
    let Some(row) = table.index_of(tpn) else { return };
    let rounds = &mut table.players[row].rounds;
    if rounds.len() <= index {
        rounds.resize(index + 1, Entry::Absent);
    }
    rounds[index] = entry;
}

/// The result that a game's outcome is, if it is one that a table knows.
pub fn board_result(outcome: &zeitnot_proto::Outcome, plies: u32) -> Option<BoardResult> {
    use zeitnot_proto::Score as Points;
    let scores = (outcome.scores.white, outcome.scores.black);
    let rated = plies >= 2;
    let result = match (outcome.played, scores) {
        (true, (Points::ONE, Points::ZERO)) if rated => BoardResult::White,
        (true, (Points::HALF, Points::HALF)) if rated => BoardResult::Draw,
        (true, (Points::ZERO, Points::ONE)) if rated => BoardResult::Black,
        (true, (Points::ONE, Points::ZERO)) => BoardResult::WhiteUnrated,
        (true, (Points::HALF, Points::HALF)) => BoardResult::DrawUnrated,
        (true, (Points::ZERO, Points::ONE)) => BoardResult::BlackUnrated,
        (false, (Points::ONE, Points::ZERO)) => BoardResult::BlackForfeits,
        (false, (Points::ZERO, Points::ONE)) => BoardResult::WhiteForfeits,
        (false, (Points::ZERO, Points::ZERO)) => BoardResult::BothForfeit,
        _ => return None,
    };
    Some(result)
}
