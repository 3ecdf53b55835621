//! Who reads a game: streams come and go, and see what is durable.

use super::actor::{Actor, NewAttachment};
use super::attachment::{Attachment, Encoded, View, frame, withhold};
use super::delayed::later;
use super::past::last_seq;
use crate::clock;
use crate::journal::{EncodedRow, Record};
use bytes::Bytes;
use zeitnot_laws::Game;
use zeitnot_proto::close::Code;
use zeitnot_proto::command::{Command, Party};
use zeitnot_proto::game_stream::{Events, FromGame, Seat};
use zeitnot_proto::snapshot::{ClockReading, LegalMove};
use zeitnot_proto::{Event, List, Seq};

impl Actor {
    pub(super) async fn attach(&mut self, new: NewAttachment) {
        let NewAttachment { id, attach, side, outbox } = new;
        let legal_moves = attach.legal_moves;
        let attachment = Attachment { id, seat: attach.seat, side, legal_moves, outbox, pending: Vec::new() };
        if attach.seat == Seat::Spectator && self.attachments.len() >= self.server.limits.attachments_per_game
        {
            self.server.metrics.reset(Code::Full);
            attachment.end(None, Code::Full);
            return;
        }
        let playing = attach.seat == Seat::Player;
        let mut here_already = false;
        if playing
            && let Some(index) =
                self.attachments.iter().position(|r| r.seat == Seat::Player && r.side == side)
        {
            here_already = true;
            let old = self.attachments.remove(index);
            old.end(Some(frame(&FromGame::TakenOver)), Code::TakenOver);
            self.server.metrics.attachments.dec();
        }
        self.server.metrics.attachments.inc();
        // Spectators stay behind all others.
        let place = if attach.seat == Seat::Spectator { self.attachments.len() } else { 0 };
        self.attachments.insert(place, attachment);
        self.resync(id, attach.after);
        if let Some(side) = side.filter(|_| playing && !here_already) {
            self.own(&Command::Presence { side, present: true }).await;
            // Where no hour is appointed, and at the board of a tournament, sitting down is coming to it.
            if self.game.waits_for_both() || self.server.tournaments.has(self.handle.info.game) {
                self.by_itself(Party::from(side), &Command::MarkPresent).await;
            }
        }
    }

    pub(super) async fn detach(&mut self, id: u64) {
        let Some(index) = self.attachments.iter().position(|reader| reader.id == id) else { return };
        // The last takes the place of a spectator, and of nobody who comes before spectators.
        let spectates = self.attachments[index].seat == Seat::Spectator;
        let gone =
            if spectates { self.attachments.swap_remove(index) } else { self.attachments.remove(index) };
        self.server.metrics.attachments.dec();
        if let (Seat::Player, Some(side)) = (gone.seat, gone.side) {
            self.own(&Command::Presence { side, present: false }).await;
        }
    }

    /// Sends a reader what it missed after `after`, or a snapshot.
    pub(super) fn resync(&mut self, id: u64, after: Option<Seq>) {
        let Some(reader) = self.attachments.iter().find(|reader| reader.id == id) else { return };
        // All that was sent before is in what comes now.
        reader.outbox.begin_again();
        let (game, _) = self.seen_from(reader.seat);
        let frames: Vec<Bytes> = match after.and_then(|after| self.missed(reader.seat, after)) {
            Some(missed) => {
                let view = reader.view();
                missed
                    .into_iter()
                    .map(|events| frame(&FromGame::Events(Box::new(withhold(events, view)))))
                    .collect()
            }
            None => vec![self.snapshot_for(reader)],
        };
        let legal = reader.legal_moves.then(|| legal_moves(game));
        let Some(reader) = self.attachments.iter_mut().find(|reader| reader.id == id) else { return };
        for bytes in frames.iter().chain(&legal) {
            reader.send(bytes);
        }
        reader.flush();
    }

    /// The decisions after `after` as they were told when they were made, with the position and the clocks after each,
    /// if `after` is something this game has, and they are few enough and can be told whole.
    fn missed(&self, seat: Seat, after: Seq) -> Option<Vec<Events>> {
        let (game, clock) = self.seen_from(seat);
        let last = game.seq()?;
        if after > last {
            return None;
        }
        let rows = self.past.rows(self.handle.info.game);
        let records = rows.iter().map(EncodedRow::decode).collect::<Result<Vec<_>, _>>().ok()?;
        let missed = |record: &&Record| record.first <= last && last_seq(record) > after;
        if records.iter().filter(missed).count() > self.server.limits.outbox / 2 {
            return None;
        }
        // Half of a decision cannot be told: a snapshot can.
        if records.iter().find(missed).is_some_and(|record| record.first != after.next()) {
            return None;
        }
        let Event::GameCreated(setup) = &records.first()?.entries.first()?.event else { return None };
        let mut then = Game::replay_start(setup).ok()?;
        let delay_us = self.delay_us(seat);
        let mut told = Vec::new();
        for (record, next) in records.iter().zip(records.iter().skip(1).map(Some).chain([None])) {
            if record.first > last {
                break;
            }
            for entry in &record.entries {
                then.apply(record.at, &entry.event);
            }
            if let Some(began) = next.and_then(|next| next.turn_began) {
                then.turn_began(began);
            }
            if last_seq(record) == last {
                // Since when the present turn runs, the next record will say.
                told.extend(missed(&record).then(|| events_of(record.clone(), game, clock)));
            } else if missed(&record) {
                told.push(events_of(record.clone(), &then, later(then.reading(), delay_us)));
            }
        }
        Some(told)
    }

    /// By how much a reader in this seat is late, in microseconds.
    fn delay_us(&self, seat: Seat) -> u64 {
        self.public.as_ref().filter(|_| seat == Seat::Spectator).map_or(0, |public| public.delay_us())
    }

    pub(super) fn snapshot_for(&self, reader: &Attachment) -> Bytes {
        let (game, clock) = self.seen_from(reader.seat);
        let mut snapshot = game.snapshot();
        snapshot.clock = clock;
        let party = match (reader.seat, reader.side) {
            (Seat::Player, Some(side)) => Some(Party::from(side)),
            (Seat::Arbiter, _) => Some(Party::Arbiter),
            (Seat::Device, _) => Some(Party::Device),
            _ => None,
        };
        snapshot.last_command = party.and_then(|party| self.past.ids.highest(party));
        frame(&FromGame::Snapshot { now: clock::now(), snapshot: Box::new(snapshot) })
    }

    /// What a reader sees of the game: its state and its clocks.
    pub(super) fn seen_from(&self, seat: Seat) -> (&Game, ClockReading) {
        match &self.public {
            Some(public) if seat == Seat::Spectator => (public.game(), public.reading()),
            _ => (&self.game, self.game.reading()),
        }
    }

    pub(super) fn broadcast(&mut self, record: Record, moved: bool) {
        let began = self.past.began;
        let delayed = self.public.as_mut().map(|public| public.enqueue(&record, began));
        if self.attachments.is_empty() {
            return;
        }
        let encoded = Encoded::new(events_of(record, &self.game, self.game.reading()));
        let legal = (moved && self.attachments.iter().any(|reader| reader.legal_moves))
            .then(|| legal_moves(&self.game));
        let sees_now = |reader: &&mut Attachment| reader.seat != Seat::Spectator || delayed.is_none();
        for reader in self.attachments.iter_mut().filter(sees_now) {
            let view = reader.view();
            reader.send(encoded.view(view));
            if let Some(legal) = legal.as_ref().filter(|_| reader.legal_moves) {
                reader.send(legal);
            }
        }
    }

    /// Shows spectators what has become old enough for them.
    pub(super) fn release_delayed(&mut self) {
        let Some(public) = self.public.as_mut() else { return };
        for events in public.release(clock::now()) {
            let bytes = frame(&FromGame::Events(Box::new(withhold(events, View::Public))));
            let legal = self.attachments.iter().any(|r| r.legal_moves && r.seat == Seat::Spectator);
            let legal = legal.then(|| legal_moves(public.game()));
            for reader in self.attachments.iter_mut().filter(|reader| reader.seat == Seat::Spectator) {
                reader.send(&bytes);
                if let Some(legal) = legal.as_ref().filter(|_| reader.legal_moves) {
                    reader.send(legal);
                }
            }
        }
    }
}

/// The frame of a record's events, as things stand in `game`.
fn events_of(record: Record, game: &Game, clock: ClockReading) -> Events {
    Events {
        first: record.first,
        at: record.at,
        by: record.by,
        entries: List::cut(record.entries),
        position_seq: game.position_seq(),
        clock,
        now: clock::now(),
    }
}

/// The legal moves of a game's position, as a frame.
fn legal_moves(game: &Game) -> Bytes {
    let moves: Vec<LegalMove> = if game.status().is_over() { Vec::new() } else { game.legal_moves() };
    frame(&FromGame::LegalMoves { on: game.position_seq(), moves: List::cut(moves) })
}
