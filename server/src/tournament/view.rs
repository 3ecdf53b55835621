//! A tournament as clients see it.

use super::state::{Round, State};
use zeitnot_pairing::points::Points;
use zeitnot_proto::board::ByColor;
use zeitnot_proto::limits::PAGE_MAX;
use zeitnot_proto::tournament::{
    BoardView, ByeView, EntrantView, OutView, PlaceView, TournamentReply, TournamentSummary, TournamentView,
};
use zeitnot_proto::{List, Refusal, Text};

/// Its line in lists.
pub fn summary(state: &State) -> TournamentSummary {
    TournamentSummary {
        tournament: state.id,
        name: state.settings.name.clone(),
        system: state.settings.system.clone(),
        time_control: state.settings.terms.time_control.clone(),
        phase: state.phase(),
        players: u32::try_from(state.players()).unwrap_or(u32::MAX),
        round: state.last_round(),
        rounds: state.rounds_planned(),
    }
}

/// How it stands.
pub fn tournament(state: &State) -> TournamentView {
    let boards = state.rounds.last().map(|round| round.boards.as_slice()).unwrap_or_default();
    let questions = boards.iter().zip(1..).filter(|(board, _)| board.question.is_some());
    TournamentView {
        summary: summary(state),
        settings: state.settings.clone(),
        director: state.director.clone(),
        open_boards: u32::try_from(state.open_boards()).unwrap_or(u32::MAX),
        starts_at: state.rounds.last().map(|round| round.starts_at),
        next_pairing: state.next_pairing(),
        questions: List::cut(questions.map(|(_, number)| number).collect()),
        announcement: state.announcement.clone(),
    }
}

/// A page: what is left after `skip`, and whether there is more than fits.
fn page<T>(items: impl Iterator<Item = T>, skip: u32) -> (List<T, PAGE_MAX>, bool) {
    let skip = usize::try_from(skip).unwrap_or(usize::MAX);
    let mut items: Vec<T> = items.skip(skip).take(PAGE_MAX + 1).collect();
    let more = items.len() > PAGE_MAX;
    items.truncate(PAGE_MAX);
    (List::cut(items), more)
}

/// The players: by number, then those who have none.
pub fn players(state: &State, skip: u32) -> TournamentReply {
    let mut table = state.table(state.last_round());
    // A game under way is a draw for pairing alone (C.04.2).
    table.points.unknown = Points::ZERO;
    let rest = (0..).take(state.entered.len()).filter(|player| !state.order.contains(player));
    let players = state.order.iter().copied().chain(rest);
    let entrant = |player| {
        let entered = state.entry(player)?;
        let byes = state.byes.range((player, 0)..=(player, u16::MAX));
        let byes = byes.map(|(&(_, round), &kind)| ByeView { round, kind }).collect();
        Some(EntrantView {
            number: state.number(player).unwrap_or(0),
            entrant: entered.entrant.clone(),
            state: entered.state,
            points: state.points_before(&table, player, state.last_round().saturating_add(1)),
            byes: List::cut(byes),
        })
    };
    let (page, more) = page(players.filter_map(entrant), skip);
    TournamentReply::Players { page, more }
}

/// The boards of a round.
///
/// # Errors
/// There is no such round.
pub fn boards(state: &State, round: u16, skip: u32) -> Result<TournamentReply, Refusal> {
    let number = if round == 0 { state.last_round() } else { round };
    let round: &Round = state.round(number).ok_or(Refusal::NoSuchBoard)?;
    let table = state.table(number.saturating_sub(1));
    let points = |player| state.points_before(&table, player, number);
    let boards = round.boards.iter().zip(1..).map(|(board, place)| BoardView {
        board: place,
        players: ByColor::new(state.name(board.white), state.name(board.black)),
        points: ByColor::new(points(board.white), points(board.black)),
        game: board.game,
        result: board.result,
        by_arbiter: board.by_arbiter,
    });
    let (page, more) = page(boards, skip);
    let out = round.out.iter().filter(|_| skip == 0);
    let out = out.map(|&(player, kind)| OutView { name: state.name(player), kind });
    Ok(TournamentReply::Boards { round: number, page, out: List::cut(out.collect()), more })
}

/// The standings; of a knockout, who came how far.
pub fn standings(state: &State, skip: u32) -> TournamentReply {
    if let Some(places) = state.plain_places() {
        let places = places.into_iter().map(|(rank, player, points)| PlaceView {
            rank: u16::try_from(rank).unwrap_or(u16::MAX),
            number: state.number(player).unwrap_or(0),
            name: state.name(player),
            points,
            tie_breaks: List::default(),
        });
        let (page, more) = page(places, skip);
        return TournamentReply::Standings {
            round: state.last_round(),
            tie_breaks: List::default(),
            page,
            more,
        };
    }
    let (_, standings) = state.standings();
    let places = standings.places.iter().map(|place| PlaceView {
        rank: u16::try_from(place.rank).unwrap_or(u16::MAX),
        number: place.tpn,
        name: state.by_tpn(place.tpn).map(|player| state.name(player)).unwrap_or_default(),
        points: u32::try_from(place.points.tenths()).unwrap_or(0),
        tie_breaks: List::cut(place.values.iter().map(|value| Text::cut(&value.to_string())).collect()),
    });
    let (page, more) = page(places, skip);
    let codes = standings.criteria.iter().map(|criterion| Text::cut(&criterion.to_string()));
    let tie_breaks = List::cut(codes.collect());
    TournamentReply::Standings { round: state.last_round(), tie_breaks, page, more }
}
