//! The moves of one game, in a closed or an open loop.

use crate::measure::Tally;
use crate::table::{SeatAt, Table};
use std::time::Duration;
use tokio::time::Instant;
use zeitnot_client::Error;
use zeitnot_proto::game_stream::FromGame;
use zeitnot_proto::rules::GameId;
use zeitnot_proto::{ByColor, Color, Command, Event, Move, Refusal};

/// When the next move is due.
#[derive(Debug, Clone, Copy)]
pub enum Pacing {
    /// As soon as both have seen the last one, but not sooner than this after it.
    Closed(Duration),
    /// At fixed instants.
    Open {
        /// The next one.
        due: Instant,
        /// From one to the next.
        interval: Duration,
    },
}

impl Pacing {
    /// Waits until a move is due. The instant from which its latency counts.
    async fn wait(&mut self, last: Instant) -> Instant {
        match self {
            Pacing::Closed(pause) => {
                tokio::time::sleep_until(last + *pause).await;
                Instant::now()
            }
            Pacing::Open { due, interval } => {
                let at = *due;
                *due += *interval;
                tokio::time::sleep_until(at).await;
                // Waiting late because the game was still busy with the last move is the server's.
                at
            }
        }
    }
}

/// What was acknowledged of one game.
pub struct Played {
    /// Its number.
    pub game: GameId,
    /// The moves, in order.
    pub moves: Vec<Move>,
}

/// Plays `moves` until they end, the game does, or it is `until`; the side on move resigns then. What is
/// measured is counted from `since` on.
pub async fn play(
    table: Table,
    moves: &[Move],
    pacing: &mut Pacing,
    (since, until): (Instant, Instant),
    tally: &mut Tally,
) -> Result<Played, Error> {
    let Table { game, mut seats } = table;
    let mut played = Played { game, moves: Vec::with_capacity(moves.len()) };
    let mut last = Instant::now();
    let mut over = false;
    for (ply, &mv) in moves.iter().enumerate() {
        let start = pacing.wait(last).await;
        last = Instant::now();
        if start >= until || last >= until {
            break;
        }
        let side = if ply % 2 == 0 { Color::White } else { Color::Black };
        let outcome = one_move(&mut seats, side, mv).await?;
        if let Some(refusal) = outcome.refusal {
            tally.refused(refusal);
            break;
        }
        played.moves.push(mv);
        if start >= since {
            tally.moves += 1;
            tally.round_trip.record(outcome.answered - start);
            tally.relay.record(outcome.relayed - start);
        }
        over = outcome.over;
        if over {
            break;
        }
    }
    if !over {
        resign(&mut seats, played.moves.len()).await?;
    }
    tally.games += 1;
    for (_, seat) in seats.iter() {
        if seat.snapshots > 0 {
            tally.fault("a reader was sent a snapshot because it did not keep up");
        }
    }
    Ok(played)
}

struct Outcome {
    answered: Instant,
    relayed: Instant,
    over: bool,
    refusal: Option<Refusal>,
}

/// Sends a move and waits until the sender has its answer and the opponent has the move.
async fn one_move(seats: &mut ByColor<SeatAt>, side: Color, mv: Move) -> Result<Outcome, Error> {
    let (mover, other) = match side {
        Color::White => (&mut seats.white, &mut seats.black),
        Color::Black => (&mut seats.black, &mut seats.white),
    };
    let (id, on) = (mover.next_command(), mover.position);
    mover.sender.command(id, Some(on), Command::Move { mv, offer_draw: false }).await?;
    let answer = async {
        let mut over = false;
        loop {
            match mover.next().await? {
                FromGame::Answer { id: of, result } if of == id => {
                    return Ok::<_, Error>((Instant::now(), over, result.err()));
                }
                FromGame::Events(events) => over |= ends(&events.entries),
                _ => {}
            }
        }
    };
    let relay = async {
        loop {
            if let FromGame::Events(events) = other.next().await? {
                let came = |e: &zeitnot_proto::Entry| matches!(e.event, Event::MoveCompleted { mv: m, .. } if m == mv);
                if events.entries.iter().any(came) || ends(&events.entries) {
                    return Ok::<_, Error>((Instant::now(), ends(&events.entries)));
                }
            }
        }
    };
    tokio::pin!(relay);
    tokio::pin!(answer);
    // A refused move never reaches the opponent.
    let (first, relayed_first) = tokio::select! {
        answered = &mut answer => (Some(answered?), None),
        relayed = &mut relay => (None, Some(relayed?)),
    };
    let (answered, over, refusal) = match first {
        Some(first) => first,
        None => answer.await?,
    };
    let (relayed, other_over) = match relayed_first {
        Some(relayed) => relayed,
        None if refusal.is_some() => (answered, over),
        None => relay.await?,
    };
    Ok(Outcome { answered, relayed, over: over || other_over, refusal })
}

fn ends(entries: &[zeitnot_proto::Entry]) -> bool {
    entries.iter().any(|entry| matches!(entry.event, Event::GameEnded { .. } | Event::GameAnnulled { .. }))
}

/// The side on move resigns; both see the end.
async fn resign(seats: &mut ByColor<SeatAt>, plies: usize) -> Result<(), Error> {
    let side = if plies.is_multiple_of(2) { Color::White } else { Color::Black };
    let seat = &mut seats[side];
    let id = seat.next_command();
    seat.sender.command(id, None, Command::Resign).await?;
    loop {
        match seat.next().await? {
            FromGame::Answer { id: of, result } if of == id => match result {
                Ok(_) | Err(Refusal::GameOver) => break,
                Err(refusal) => return Err(refusal.into()),
            },
            _ => {}
        }
    }
    loop {
        match seats[!side].next().await? {
            FromGame::Events(events) if ends(&events.entries) => return Ok(()),
            _ => {}
        }
    }
}
