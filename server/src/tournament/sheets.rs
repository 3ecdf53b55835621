//! Standings and crosstables as sheets, for every system.

use super::crowd::Crowd;
use super::event::{MatchKey, Player};
use super::state::{Board, State};
use zeitnot_pairing::knockout::{Match, Seat};
use zeitnot_pairing::round::{Score, Tpn};
use zeitnot_pairing::sheet::{self, Sheet};
use zeitnot_pairing::tiebreak::Mode;
use zeitnot_proto::Refusal;
use zeitnot_proto::board::Color;
use zeitnot_proto::rules::Name;
use zeitnot_proto::tournament::{BoardResult, TournamentSystem};

/// Who stands where.
pub fn standings(state: &State) -> Sheet {
    let Some(places) = state.plain_places() else {
        let (table, standings) = state.standings();
        return sheet::standings(&table, &standings);
    };
    let row = |(rank, player, points): (usize, Player, u32)| {
        let [number, name, rating] = person(state, player);
        let entrant = state.entry(player).map(|entered| &entered.entrant);
        let title = entrant.map(|e| e.title.to_string()).unwrap_or_default();
        let federation = entrant.map(|e| e.federation.to_string()).unwrap_or_default();
        vec![rank.to_string(), number, title, name, federation, rating, tenths(points)]
    };
    let rows = places.into_iter().map(row).collect();
    sheet("Places", &["Rank", "No", "Title", "Name", "Fed", "Rating", "Points"], rows)
}

/// Who played whom, as the system has it: a column a round, everyone against everyone, the bracket, the host's boards,
/// or the games of each player of an arena.
///
/// # Errors
/// There is nothing to show before the start.
pub fn crosstable(state: &State) -> Result<Sheet, Refusal> {
    match (&state.settings.system, &state.crowd) {
        (TournamentSystem::Knockout { .. }, _) => bracket(state).ok_or(Refusal::WrongPhase),
        (TournamentSystem::Simul { host, .. }, _) => Ok(exhibition(state, host)),
        (TournamentSystem::Arena { .. }, Some(crowd)) => Ok(arena(state, crowd)),
        (TournamentSystem::Arena { .. }, None) => Err(Refusal::WrongPhase),
        (TournamentSystem::Swiss { .. } | TournamentSystem::RoundRobin { .. }, _) => {
            let (table, standings) = state.standings();
            Ok(match state.mode() {
                Mode::RoundRobin => sheet::matrix(&table, &standings),
                Mode::Swiss => sheet::crosstable(&table, &standings),
            })
        }
    }
}

fn sheet(title: &str, head: &[&str], rows: Vec<Vec<String>>) -> Sheet {
    Sheet { title: title.to_owned(), head: head.iter().map(|&head| head.to_owned()).collect(), rows }
}

fn tenths(points: u32) -> String {
    format!("{}.{}", points / 10, points % 10)
}

/// Number, name and rating, as far as there are such.
fn person(state: &State, player: Player) -> [String; 3] {
    let shown = |number: u16| if number > 0 { number.to_string() } else { String::new() };
    let rating = state.entry(player).map_or(0, |entered| entered.entrant.rating);
    [shown(state.tpn(player)), state.full_name(player), shown(rating)]
}

/// What a board brought one side.
fn mark(board: &Board, side: Color) -> &'static str {
    use BoardResult as Result;
    let white = side == Color::White;
    match board.result {
        None => "?",
        Some(Result::Draw | Result::DrawUnrated) => "½",
        Some(Result::White | Result::WhiteUnrated) => {
            if white {
                "1"
            } else {
                "0"
            }
        }
        Some(Result::Black | Result::BlackUnrated) => {
            if white {
                "0"
            } else {
                "1"
            }
        }
        Some(Result::BlackForfeits) => {
            if white {
                "+"
            } else {
                "-"
            }
        }
        Some(Result::WhiteForfeits) => {
            if white {
                "-"
            } else {
                "+"
            }
        }
        Some(Result::BothForfeit) => "-",
    }
}

const fn letter(side: Color) -> char {
    match side {
        Color::White => 'w',
        Color::Black => 'b',
    }
}

// ---- Knockout ----

/// A line a match. Games are seen from the upper side; a bar stands before each play-off.
fn bracket(state: &State) -> Option<Sheet> {
    let rounds = state.bracket()?.matches();
    let head = ["Round", "Match", "No", "Name", "Points", "No", "Name", "Points", "Games", "Winner"];
    let mut rows = Vec::new();
    for (round, matches) in rounds.iter().enumerate() {
        for (pairing, state_of) in matches.iter().enumerate() {
            let round_name = round_name(rounds.len(), round, pairing);
            rows.push(match_row(state, round_name, (round, pairing), state_of));
        }
    }
    Some(sheet("Bracket", &head, rows))
}

fn round_name(rounds: usize, round: usize, pairing: usize) -> String {
    match (rounds - 1 - round, pairing) {
        (0, 0) => "Final".to_owned(),
        (0, _) => "Third place".to_owned(),
        (1, _) => "Semifinal".to_owned(),
        (2, _) => "Quarterfinal".to_owned(),
        (left, _) => format!("Last {}", 2usize << left),
    }
}

fn match_row(state: &State, name: String, place: (usize, usize), of: &Match) -> Vec<String> {
    let mut boards: Vec<(MatchKey, &Board)> = state
        .rounds
        .iter()
        .flat_map(|round| &round.boards)
        .filter(|board| !board.needless)
        .filter_map(|board| Some((board.key?, board)))
        .filter(|(key, _)| (usize::from(key.round), usize::from(key.pairing)) == place)
        .collect();
    boards.sort_unstable_by_key(|&(key, _)| key);
    let seat = |seat: Seat| match seat {
        Seat::Player(tpn) => [tpn.to_string(), named(state, tpn)],
        Seat::Empty => [String::new(), "bye".to_owned()],
        Seat::Open => [String::new(), String::new()],
    };
    let points = |seat: Seat| match seat {
        Seat::Player(tpn) if !boards.is_empty() => {
            let player = state.by_tpn(tpn);
            tenths(
                boards.iter().filter_map(|(_, board)| player.and_then(|p| state.game_points(board, p))).sum(),
            )
        }
        _ => String::new(),
    };
    let [upper, lower] = of.seats;
    let above = if let Seat::Player(tpn) = upper { state.by_tpn(tpn) } else { None };
    let mut games = String::new();
    let mut stage = 0;
    for (key, board) in &boards {
        games.push_str(match (key.stage == stage, games.is_empty()) {
            (_, true) => "",
            (true, false) => " ",
            (false, false) => " | ",
        });
        stage = key.stage;
        let side = if Some(board.white) == above { Color::White } else { Color::Black };
        games.push(letter(side));
        games.push_str(mark(board, side));
    }
    let winner = if let Seat::Player(tpn) = of.winner { named(state, tpn) } else { String::new() };
    let mut row = vec![name, (place.1 + 1).to_string()];
    for side in [upper, lower] {
        row.extend(seat(side));
        row.push(points(side));
    }
    row.extend([games, winner]);
    row
}

fn named(state: &State, tpn: Tpn) -> String {
    state.by_tpn(tpn).map(|player| state.full_name(player)).unwrap_or_default()
}

// ---- Simul ----

/// A line a guest, with his colour and what the board brought him.
fn exhibition(state: &State, host: &Name) -> Sheet {
    let host = state.player(host);
    let mut score = [0; 3];
    let boards = state.rounds.iter().flat_map(|round| &round.boards).zip(1..);
    let rows = boards.map(|(board, number): (&Board, usize)| {
        let (guest, side) =
            if Some(board.white) == host { (board.black, Color::Black) } else { (board.white, Color::White) };
        match mark(board, !side) {
            "1" | "+" => score[0] += 1,
            "½" => score[1] += 1,
            "?" => {}
            _ => score[2] += 1,
        }
        let [tpn, name, rating] = person(state, guest);
        let colour = if side == Color::White { "white" } else { "black" };
        vec![number.to_string(), tpn, name, rating, colour.to_owned(), mark(board, side).to_owned()]
    });
    let rows = rows.collect();
    let [won, drawn, lost] = score;
    let host = host.map(|host| state.full_name(host)).unwrap_or_default();
    let title = format!("{host}: {won} won, {drawn} drawn, {lost} lost");
    sheet(&title, &["Board", "No", "Name", "Rating", "Colour", "Result"], rows)
}

// ---- Arena ----

/// A line a player: every game as opponent's rank, colour, result and points.
fn arena(state: &State, crowd: &Crowd) -> Sheet {
    let entrants = crowd.entrants();
    let rank =
        |tpn: Tpn| entrants.iter().position(|&(player, _)| Crowd::number(player) == tpn).map_or(0, |i| i + 1);
    let rows = entrants.iter().enumerate().map(|(place, &(player, entrant))| {
        let of = |score: Score| entrant.games.iter().filter(|game| game.score == score).count().to_string();
        let games: Vec<String> = entrant
            .games
            .iter()
            .map(|game| {
                let mark = match game.score {
                    Score::Win => "1",
                    Score::Draw => "½",
                    Score::Loss => "0",
                };
                format!("{}{}{mark}({})", rank(game.opponent), letter(game.colour), game.points)
            })
            .collect();
        let [number, name, rating] = person(state, player);
        let mut row = vec![(place + 1).to_string(), number, name, rating];
        row.extend([of(Score::Win), of(Score::Draw), of(Score::Loss), entrant.points().to_string()]);
        row.push(games.join(" "));
        row
    });
    let head = ["Rank", "No", "Name", "Rating", "Won", "Drawn", "Lost", "Points", "Games"];
    sheet("Games of the arena", &head, rows.collect())
}

impl State {
    /// What a player is called in documents.
    pub fn full_name(&self, player: Player) -> String {
        let Some(entered) = self.entry(player) else { return String::new() };
        let entrant = &entered.entrant;
        if entrant.full_name.is_empty() { entrant.name.to_string() } else { entrant.full_name.to_string() }
    }

    /// Points of a player for a board, in tenths; none if he does not play there or there is no result.
    pub fn game_points(&self, board: &Board, player: Player) -> Option<u32> {
        let side = match player {
            _ if player == board.white => Color::White,
            _ if player == board.black => Color::Black,
            _ => return None,
        };
        let values = self.settings.points;
        board.result?;
        Some(u32::from(match mark(board, side) {
            "1" | "+" => values.win,
            "½" => values.draw,
            "0" => values.loss,
            _ => 0,
        }))
    }
}
