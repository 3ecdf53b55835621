//! What clients ask of a tournament.

use super::super::documents;
use super::super::event::Departure;
use super::super::view;
use super::super::{Answer, Ask};
use super::Director;
use crate::clock;
use crate::hub::Peer;
use std::sync::Arc;
use zeitnot_proto::command::Why;
use zeitnot_proto::tournament::{ByeKind, Direction, Document, TournamentReply, TournamentRequest};
use zeitnot_proto::{Refusal, Text};

impl Director {
    pub(super) async fn answer(&mut self, ask: Ask) {
        let Ask { peer, request, answer } = ask;
        let result = self.reply(&peer, request).await;
        // Whoever asked may have gone.
        let _gone = answer.send(result);
    }

    pub(super) async fn reply(
        &mut self,
        peer: &Arc<Peer>,
        request: TournamentRequest,
    ) -> Result<Answer, Refusal> {
        use TournamentRequest as Request;
        let reply = match request {
            Request::Show(_) => TournamentReply::Shown(Box::new(view::tournament(&self.state))),
            Request::Players { skip, .. } => view::players(&self.state, skip),
            Request::Boards { round, skip, .. } => view::boards(&self.state, round, skip)?,
            Request::Standings { skip, .. } => view::standings(&self.state, skip),
            Request::Export { document, part, .. } => self.export(document, part).await?,
            Request::Follow { on, .. } => {
                self.followers.retain(|known| !std::ptr::eq(known.as_ptr(), Arc::as_ptr(peer)));
                if on {
                    self.followers.push(Arc::downgrade(peer));
                }
                return Ok(Answer::Done);
            }
            Request::Direct { action, .. } => return self.direct(peer, *action).await,
            own => {
                let at = clock::now();
                let events = self.decide(at, |state, means| match own {
                    Request::Join { entrant, .. } => {
                        let mut entrant = *entrant;
                        entrant.name = peer.name.clone();
                        state.enter(entrant, means)
                    }
                    Request::Withdraw(_) => state.depart(&peer.name, Departure::Withdrawn, Why::default()),
                    Request::CheckIn(_) => state.check_in(&peer.name),
                    Request::RequestBye { round, kind: kind @ (ByeKind::Half | ByeKind::Zero), .. } => {
                        state.give_bye(&peer.name, round, kind)
                    }
                    Request::RequestBye { .. } => Err(Refusal::NotAllowed),
                    _ => Err(Refusal::Malformed),
                })?;
                self.commit(at, Some(&peer.name), events).await?;
                self.follow_up().await;
                return Ok(Answer::Done);
            }
        };
        Ok(Answer::Reply(reply))
    }

    pub(super) async fn direct(&mut self, peer: &Arc<Peer>, action: Direction) -> Result<Answer, Refusal> {
        if peer.name != self.state.director && !peer.roles.arbiter && !peer.roles.admin {
            return Err(Refusal::NotAllowed);
        }
        let hand = match &action {
            Direction::Pair => Some(None),
            Direction::PairByHand { boards, bye, reason } => {
                Some(Some((self.state.by_hand(boards, bye.as_ref())?, reason.clone())))
            }
            _ => None,
        };
        if let Some(hand) = hand {
            self.pair(Some(&peer.name), hand).await.map_err(|no| {
                tracing::info!(tournament = %self.state.id, why = no.why, "not paired");
                no.refusal
            })?;
            return Ok(Answer::Reply(TournamentReply::Paired { round: self.state.last_round() }));
        }
        let at = clock::now();
        let events = self.decide(at, |state, means| state.direct(&action, means))?;
        self.commit(at, Some(&peer.name), events).await?;
        self.follow_up().await;
        Ok(Answer::Done)
    }

    pub(super) async fn export(&mut self, document: Document, part: u32) -> Result<TournamentReply, Refusal> {
        let seq = self.state.seq;
        let known = self.written.as_ref().filter(|(d, s, _)| *d == document && *s == seq);
        let text = match known {
            Some((_, _, text)) => Arc::clone(text),
            None => {
                let (state, journal) = (self.state.clone(), Arc::clone(&self.server.journal));
                let log = self.log.clone();
                let written = tokio::task::spawn_blocking(move || {
                    documents::write(&state, &log, journal.as_ref(), document)
                });
                let text: Arc<str> = written.await.map_err(|_| Refusal::Busy)??.into();
                self.written = Some((document, seq, Arc::clone(&text)));
                text
            }
        };
        let (part, more) = documents::part(&text, part).ok_or(Refusal::NoSuchBoard)?;
        Ok(TournamentReply::Document { text: Text::cut(part), more })
    }
}
