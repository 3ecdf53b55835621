//! A game between two seats, and what they have to be told: every verdict has to agree with the players' own
//! book-keeping.

use crate::book::News;
use crate::conduct::{Act, Conduct};
use crate::hall::{Guest, Hall, Table};
use crate::pace::Pace;
use crate::seat::{Came, SeatAt, Sent};
use crate::umpire::Umpire;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use tokio::sync::watch;
use tokio::time::Instant;
use zeitnot_client::Error;
use zeitnot_proto::command::DrawBasis;
use zeitnot_proto::{ByColor, Color, Command, GameId, Move, Outcome, Refusal, Seq};

/// What came of one game, to be compared with the server's record.
pub struct Played {
    /// Its number.
    pub game: GameId,
    /// The moves that were acknowledged, in order.
    pub moves: Vec<Move>,
    /// How it ended.
    pub outcome: Outcome,
}

/// Many connections are lost at the same instant.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Wave {
    /// Which one.
    pub number: u32,
    /// The share of the games whose connections it takes.
    pub percent: u32,
}

/// What a game is told from outside.
pub struct Cues {
    /// It is time to stop.
    pub stop: watch::Receiver<bool>,
    /// A wave comes.
    pub wave: watch::Receiver<Wave>,
}

/// A game that is played.
pub struct Play<'a> {
    /// The hall that it is in.
    pub hall: &'a Hall,
    /// The game.
    pub game: GameId,
    /// Both seats.
    pub seats: ByColor<SeatAt>,
    /// What the players know by themselves.
    pub umpire: Umpire,
    /// When the last move was begun, by the meter's time, for spectators to count from.
    pub begun_us: Arc<AtomicI64>,
}

/// What came of a move.
pub enum Made {
    /// It stands.
    Stands,
    /// It came after the flag.
    TooLate,
    /// The server refused it although it should not have.
    Refused(Refusal),
}

fn wrong(what: impl Into<String>) -> Error {
    Error::Protocol(what.into())
}

impl<'a> Play<'a> {
    /// Begins at a table.
    pub fn new(hall: &'a Hall, table: Table) -> Play<'a> {
        let Table { game, seats } = table;
        Play { hall, game, seats, umpire: Umpire::new(), begun_us: Arc::default() }
    }

    /// Plays `moves` in this manner until they end, the game does, or it is time to stop; whoever has the move
    /// resigns then.
    ///
    /// # Errors
    /// What did not agree, or what broke.
    pub async fn run(
        mut self,
        moves: &[Move],
        pace: &mut Pace,
        conduct: &mut Conduct,
        guests: Option<&mut ByColor<Guest>>,
        cues: &mut Cues,
    ) -> Result<Played, Error> {
        let mut guests = guests;
        for &mv in moves {
            let Some(start) = self.wait(pace, &mut guests, cues).await? else { break };
            for act in conduct.acts() {
                self.act(act, mv, &mut guests).await?;
                if self.is_over() {
                    break;
                }
            }
            if self.is_over() {
                break;
            }
            let offers = conduct.offers();
            let doubts = conduct.doubts();
            let guest = guests.as_mut().filter(|_| doubts).map(|guests| &mut guests[self.umpire.turn()]);
            match self.one_move(start, mv, offers, guest).await? {
                Made::Stands => {}
                Made::TooLate => break,
                Made::Refused(refusal) => {
                    self.hall.meter.count(|tally| tally.refused(refusal));
                    break;
                }
            }
            if offers && conduct.agrees() && !self.is_over() {
                self.agree().await?;
            }
            if self.is_over() {
                break;
            }
            if conduct.resigns() {
                break;
            }
        }
        if !self.is_over() {
            self.resign().await?;
        }
        self.settle().await
    }

    fn is_over(&self) -> bool {
        self.seats.iter().any(|(_, seat)| seat.book.outcome.is_some() || seat.book.flag.is_some())
    }

    /// Waits until a move is due, reading what comes meanwhile. None where the game ended or it is time to stop.
    async fn wait(
        &mut self,
        pace: &mut Pace,
        guests: &mut Option<&mut ByColor<Guest>>,
        cues: &mut Cues,
    ) -> Result<Option<Instant>, Error> {
        let hall = self.hall;
        let due = pace.wait();
        tokio::pin!(due);
        while !self.is_over() {
            let ByColor { white, black } = &mut self.seats;
            tokio::select! {
                start = &mut due => return Ok(Some(start)),
                () = told(&mut cues.stop) => return Ok(None),
                came = white.next(&hall.meter) => drop(came?),
                came = black.next(&hall.meter) => drop(came?),
                Ok(()) = cues.wave.changed() => {
                    let Wave { percent, .. } = *cues.wave.borrow_and_update();
                    if let Some(guests) = guests.as_mut()
                        && self.game.0 % 100 < u64::from(percent)
                    {
                        guests.white.drop_out();
                        guests.black.drop_out();
                        tokio::try_join!(
                            return_to(hall, &mut guests.white, white),
                            return_to(hall, &mut guests.black, black)
                        )?;
                    }
                }
            }
        }
        Ok(None)
    }

    /// Sends a move and waits until the sender has its answer and the opponent has the move.
    ///
    /// # Errors
    /// What did not agree, or what broke.
    pub async fn one_move(
        &mut self,
        start: Instant,
        mv: Move,
        offer_draw: bool,
        doubt: Option<&mut Guest>,
    ) -> Result<Made, Error> {
        let side = self.umpire.turn();
        let meter = &self.hall.meter;
        self.begun_us.store(meter.now_us(), Ordering::Relaxed);
        let (mover, other) = sides(&mut self.seats, side);
        let mut sent = mover.send(meter, Command::Move { mv, offer_draw }).await?;
        if let Some(guest) = doubt {
            // The connection breaks before the answer is there: the same command again, and no second move.
            return_to(self.hall, guest, mover).await?;
            mover.send_again(&sent).await?;
            sent.at_us = sent.at_us.min(meter.now_us());
        }
        let (result, at, seen) = both_told(self.hall, (mover, &sent), other).await?;
        if let Err(refusal) = result {
            if self.seats[side].book.flag.is_some() {
                self.hall.meter.count(|tally| tally.too_late += 1);
                return Ok(Made::TooLate);
            }
            return Ok(Made::Refused(refusal));
        }
        let Some((news, relayed)) = seen else {
            return Err(wrong("a move was acknowledged and not passed on"));
        };
        if news.moved.is_none_or(|(_, came, _)| came != mv) {
            return Err(wrong("the opponent was told of another move than was acknowledged"));
        }
        meter.count(|tally| {
            tally.moves += 1;
            tally.round_trip.record(at - start);
            tally.relay.record(relayed - start);
        });
        self.umpire.moved(mv)?;
        self.umpire.ended_after_move(self.seats[side].book.outcome.as_ref())?;
        Ok(Made::Stands)
    }

    /// Something that players do besides moving.
    async fn act(
        &mut self,
        act: Act,
        mv: Move,
        guests: &mut Option<&mut ByColor<Guest>>,
    ) -> Result<(), Error> {
        let side = self.umpire.turn();
        let meter = &self.hall.meter;
        match act {
            Act::IllegalMove => {
                let Some(illegal) = self.umpire.illegal_move() else { return Ok(()) };
                let command = Command::Move { mv: illegal, offer_draw: false };
                self.refused(side, None, command, &[Refusal::IllegalMove, Refusal::PromotionRequired]).await
            }
            Act::OutOfTurn => {
                let command = Command::Move { mv, offer_draw: false };
                self.refused(!side, None, command, &[Refusal::NotYourTurn]).await
            }
            Act::StaleMove => {
                let Some(before) = self.seats[side].book.position.0.checked_sub(1) else { return Ok(()) };
                let command = Command::Move { mv, offer_draw: false };
                self.refused(side, Some(Seq(before)), command, &[Refusal::Stale]).await
            }
            Act::Claim => {
                let right = self.umpire.occurrences() >= 3;
                let (mover, _) = sides(&mut self.seats, side);
                let claim = Command::ClaimDraw { basis: DrawBasis::Threefold, intended: None };
                let sent = mover.send(meter, claim).await?;
                let (result, news) = mover.answer(meter, &sent).await?;
                if mover.book.flag.is_some() {
                    return Ok(());
                }
                let upheld = mover.book.outcome.is_some();
                if result.is_err() || upheld != right || news.claim_rejected == right {
                    return Err(wrong(format!(
                        "a claim of three occurrences, {right}, was answered {result:?}"
                    )));
                }
                meter.count(|tally| *tally.rejections.entry("claims ruled on").or_default() += 1);
                self.umpire.claimed(right);
                Ok(())
            }
            Act::DropOut => {
                let Some(guests) = guests.as_mut() else { return Ok(()) };
                return_to(self.hall, &mut guests[side], &mut self.seats[side]).await
            }
        }
    }

    /// Sends what has to be refused in one of these ways.
    async fn refused(
        &mut self,
        side: Color,
        on: Option<Seq>,
        command: Command,
        as_what: &[Refusal],
    ) -> Result<(), Error> {
        let meter = &self.hall.meter;
        let seat = &mut self.seats[side];
        let on = on.or(Some(seat.book.position));
        let sent: Sent = seat.send_on(meter, on, command).await?;
        let (result, _) = seat.answer(meter, &sent).await?;
        match result {
            Err(refusal) if as_what.contains(&refusal) => {
                meter.count(|tally| *tally.refused_rightly.entry(refusal.name()).or_default() += 1);
                Ok(())
            }
            // The flag came first.
            Err(_) if seat.book.flag.is_some() || seat.book.outcome.is_some() => Ok(()),
            other => Err(wrong(format!("{} was due, {other:?} came", as_what[0].name()))),
        }
    }

    /// The opponent accepts the offer that came with a move.
    async fn agree(&mut self) -> Result<(), Error> {
        let meter = &self.hall.meter;
        let side = self.umpire.turn();
        let seat = &mut self.seats[side];
        let sent = seat.send(meter, Command::AcceptDraw).await?;
        let (result, _) = seat.answer(meter, &sent).await?;
        match (result, &seat.book.outcome) {
            (Ok(_), Some(_)) => {
                self.umpire.agreed();
                Ok(())
            }
            (Err(_), _) if seat.book.flag.is_some() => Ok(()),
            (other, _) => Err(wrong(format!("an offer was accepted, {other:?} came"))),
        }
    }

    /// The side that has the move resigns.
    ///
    /// # Errors
    /// It was refused, or something broke.
    pub async fn resign(&mut self) -> Result<(), Error> {
        let meter = &self.hall.meter;
        let side = self.umpire.turn();
        let seat = &mut self.seats[side];
        let sent = seat.send(meter, Command::Resign).await?;
        match seat.answer(meter, &sent).await?.0 {
            Ok(_) => self.umpire.resigned(side),
            Err(_) if seat.book.flag.is_some() || seat.book.outcome.is_some() => {}
            Err(refusal) => return Err(refusal.into()),
        }
        Ok(())
    }

    /// Waits until both have the result, and compares it with what the players know.
    ///
    /// # Errors
    /// What did not agree, or what broke.
    pub async fn settle(mut self) -> Result<Played, Error> {
        let hall = self.hall;
        for seat in [&mut self.seats.white, &mut self.seats.black] {
            while seat.book.outcome.is_none() {
                seat.next(&hall.meter).await?;
            }
        }
        let ByColor { white, black } = self.seats;
        if white.book.outcome != black.book.outcome || white.book.moves != black.book.moves {
            return Err(wrong("the two players were told different things"));
        }
        if white.book.moves != self.umpire.moves() {
            return Err(wrong("a move that was acknowledged is not among the events"));
        }
        let Some(outcome) = white.book.outcome else { return Err(wrong("a game without result")) };
        let searched = white.book.searched || black.book.searched;
        self.umpire.ended(&outcome, white.book.flag, searched)?;
        hall.meter.count(|tally| {
            *tally.ended.entry(outcome.reason.name().to_owned()).or_default() += 1;
            if let Some(us) = white.book.flag_late_us {
                tally.flag_lateness.record_us(us);
            }
        });
        Ok(Played { game: self.game, moves: white.book.moves, outcome })
    }
}

/// Waits until it is time to stop.
pub async fn told(stop: &mut watch::Receiver<bool>) {
    // Whoever could say so is gone: time to stop as well.
    let _told = stop.wait_for(|stop| *stop).await;
}

/// The answer to a move and when it came; and what the opponent was told and when, unless it was refused: a
/// refused move never reaches him.
async fn both_told(
    hall: &Hall,
    (mover, sent): (&mut SeatAt, &Sent),
    other: &mut SeatAt,
) -> Result<(Result<Seq, Refusal>, Instant, Option<(News, Instant)>), Error> {
    let answered = async { Ok::<_, Error>((mover.answer(&hall.meter, sent).await?.0, Instant::now())) };
    let relayed = async {
        loop {
            if let Came::News(news) = other.next(&hall.meter).await?
                && (news.moved.is_some() || news.flag_fell || other.book.outcome.is_some())
            {
                return Ok::<_, Error>((news, Instant::now()));
            }
        }
    };
    tokio::pin!(answered, relayed);
    let mut seen = None;
    let (result, at) = loop {
        tokio::select! {
            answered = &mut answered => break answered?,
            relayed = &mut relayed, if seen.is_none() => seen = Some(relayed?),
        }
    };
    if seen.is_none() && result.is_ok() {
        seen = Some(relayed.await?);
    }
    Ok((result, at, seen))
}

/// The mover and the opponent.
fn sides(seats: &mut ByColor<SeatAt>, side: Color) -> (&mut SeatAt, &mut SeatAt) {
    match side {
        Color::White => (&mut seats.white, &mut seats.black),
        Color::Black => (&mut seats.black, &mut seats.white),
    }
}

/// Loses a connection, comes back on another and takes the seat again.
pub async fn return_to(hall: &Hall, guest: &mut Guest, seat: &mut SeatAt) -> Result<(), Error> {
    let lost = Instant::now();
    guest.drop_out();
    guest.come_back(hall).await?;
    seat.take_again(&guest.connection).await?;
    hall.meter.count(|tally| tally.come_back.record(lost.elapsed()));
    Ok(())
}
