//! Following a game: commands and answers, gaps, reconnection.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use common::{Guest, Peer, events, moved, snapshot, within};
use proptest::prelude::*;
use zeitnot_client::proto::close::Code;
use zeitnot_client::proto::command::Command;
use zeitnot_client::proto::control::{ToClient, ToServer};
use zeitnot_client::proto::game_stream::{Attach, FromGame, Seat, ToGame};
use zeitnot_client::proto::{Color, GameId, Refusal, Seq};
use zeitnot_client::{Client, Error, Game, GameView, Update, Updates};

/// A client that follows game 7, and the peer's side of it.
async fn following() -> (Peer, Guest, Client, Game, Updates) {
    let peer = Peer::start();
    let (client, (guest, _)) = tokio::join!(Client::connect(peer.options()), peer.welcome());
    let (client, _notices) = client.unwrap();
    let (game, updates) = client.attach(GameId(7), Seat::Player, true);
    (peer, guest, client, game, updates)
}

/// The numbers of the events in an update.
fn numbers(update: &Update) -> std::ops::Range<u32> {
    match update {
        Update::Events { events, .. } => {
            events.first.0..events.first.0 + u32::try_from(events.entries.len()).unwrap()
        }
        other => panic!("no events: {other:?}"),
    }
}

fn send(game: &Game, on: u32, command: Command) -> tokio::task::JoinHandle<Result<Seq, Error>> {
    let game = game.clone();
    tokio::spawn(async move { game.send(Some(Seq(on)), command).await })
}

#[tokio::test]
async fn commands_are_numbered_on_and_answers_find_them() {
    let (_peer, guest, _client, game, mut updates) = following().await;
    let early = send(&game, 0, Command::OfferDraw);
    let (mut stream, attach) = guest.attach().await;
    assert_eq!(attach, Attach { game: GameId(7), seat: Seat::Player, after: None, legal_moves: true });
    // Sent before the snapshot came, it waits for its number.
    stream.send(&snapshot(3, Some(41))).await;
    let Some(ToGame::Command { id: 42, on: Some(Seq(0)), command: Command::OfferDraw }) = stream.next().await
    else {
        panic!()
    };
    let late = send(&game, 3, Command::Resign);
    let Some(ToGame::Command { id: 43, .. }) = stream.next().await else { panic!() };
    stream.send(&FromGame::Answer { id: 43, result: Ok(Seq(5)) }).await;
    stream.send(&FromGame::Answer { id: 9, result: Ok(Seq(5)) }).await;
    stream.send(&FromGame::Answer { id: 42, result: Err(Refusal::NotYourTurn) }).await;
    assert_eq!(within(late).await.unwrap(), Ok(Seq(5)));
    assert_eq!(within(early).await.unwrap(), Err(Error::Refused(Refusal::NotYourTurn)));
    assert!(matches!(within(updates.next()).await, Some(Update::Snapshot { .. })));

    within(game.leave()).await;
    assert!(matches!(within(updates.next()).await, Some(Update::Ended(Error::Left))));
    assert!(within(updates.next()).await.is_none());
    assert_eq!(stream.next::<ToGame>().await, None);
    assert_eq!(game.send(None, Command::Resign).await, Err(Error::Left));
}

#[tokio::test]
async fn a_game_that_nobody_holds_is_left() {
    let (_peer, guest, _client, game, updates) = following().await;
    let (mut stream, _) = guest.attach().await;
    stream.send(&snapshot(0, None)).await;
    drop((game, updates));
    assert_eq!(stream.next::<ToGame>().await, None);
}

#[tokio::test]
async fn gaps_are_asked_for_and_overlaps_cut() {
    let (_peer, guest, _client, game, mut updates) = following().await;
    let (mut stream, _) = guest.attach().await;
    stream.send(&snapshot(3, None)).await;
    within(updates.next()).await;
    for frame in [events(4, 2), events(8, 1), events(9, 1)] {
        stream.send(&frame).await;
    }
    assert_eq!(numbers(&within(updates.next()).await.unwrap()), 4..6);
    // Asked once, although two frames came too early.
    assert_eq!(stream.next().await, Some(ToGame::Resync { after: Some(Seq(5)) }));
    for frame in [events(4, 2), events(5, 3), events(8, 2), events(8, 2)] {
        stream.send(&frame).await;
    }
    assert_eq!(numbers(&within(updates.next()).await.unwrap()), 6..8);
    assert_eq!(numbers(&within(updates.next()).await.unwrap()), 8..10);
    // Old events come again for those who ask for them.
    game.resync(Some(Seq(6))).await.unwrap();
    assert_eq!(stream.next().await, Some(ToGame::Resync { after: Some(Seq(6)) }));
    stream.send(&events(7, 3)).await;
    stream.send(&events(10, 1)).await;
    assert_eq!(numbers(&within(updates.next()).await.unwrap()), 7..10);
    assert_eq!(numbers(&within(updates.next()).await.unwrap()), 10..11);
}

#[tokio::test]
async fn a_lost_connection_costs_neither_event_nor_command() {
    let (peer, guest, client, game, mut updates) = following().await;
    let (mut stream, _) = guest.attach().await;
    stream.send(&snapshot(3, Some(0))).await;
    stream.send(&events(4, 1)).await;
    within(updates.next()).await;
    assert_eq!(numbers(&within(updates.next()).await.unwrap()), 4..5);
    let mv = Command::Move { mv: "e2e4".parse().unwrap(), offer_draw: false };
    let played = send(&game, 0, mv.clone());
    assert!(matches!(stream.next().await, Some(ToGame::Command { id: 1, .. })));
    // The answer is never sent: was the move played? The client cannot know.
    guest.close(Code::Internal);
    let (guest, _) = peer.welcome().await;
    let (mut stream, attach) = guest.attach().await;
    assert_eq!(attach.after, Some(Seq(4)));
    assert_eq!(stream.next().await, Some(ToGame::Command { id: 1, on: Some(Seq(0)), command: mv }));
    assert!(matches!(within(updates.next()).await, Some(Update::Interrupted(_))));
    stream.send(&moved(5, Color::White, "e2e4")).await;
    stream.send(&FromGame::Answer { id: 1, result: Ok(Seq(5)) }).await;
    assert_eq!(numbers(&within(updates.next()).await.unwrap()), 5..6);
    assert_eq!(within(played).await.unwrap(), Ok(Seq(5)));

    // A command that is given while there is no connection goes out with the next one.
    guest.close(Code::Draining);
    assert!(matches!(within(updates.next()).await, Some(Update::Interrupted(_))));
    let waiting = send(&game, 5, Command::Resign);
    let (guest, _) = peer.welcome().await;
    let (mut stream, attach) = guest.attach().await;
    assert_eq!(attach.after, Some(Seq(5)));
    assert!(matches!(stream.next().await, Some(ToGame::Command { id: 2, command: Command::Resign, .. })));
    stream.send(&FromGame::Answer { id: 2, result: Ok(Seq(6)) }).await;
    assert_eq!(within(waiting).await.unwrap(), Ok(Seq(6)));
    drop(client);
}

#[tokio::test]
async fn another_connection_takes_over() {
    let (_peer, guest, _client, game, mut updates) = following().await;
    let (mut stream, _) = guest.attach().await;
    stream.send(&snapshot(3, None)).await;
    within(updates.next()).await;
    let unanswered = send(&game, 0, Command::Resign);
    stream.next::<ToGame>().await.unwrap();
    stream.send(&FromGame::TakenOver).await;
    assert!(matches!(within(updates.next()).await, Some(Update::Ended(Error::TakenOver))));
    assert_eq!(within(unanswered).await.unwrap(), Err(Error::TakenOver));
}

#[tokio::test]
async fn a_game_that_does_not_exist_ends_at_once() {
    let (_peer, guest, _client, _game, mut updates) = following().await;
    let (mut stream, _) = guest.attach().await;
    stream.send.reset(Code::NoSuchGame.value().into()).unwrap();
    assert!(matches!(within(updates.next()).await, Some(Update::Ended(Error::Stream(Code::NoSuchGame)))));
}

#[tokio::test]
async fn a_slow_reader_misses_nothing() {
    const COUNT: u32 = 1500;
    let (_peer, guest, _client, game, mut updates) = following().await;
    let (mut stream, _) = guest.attach().await;
    stream.send(&snapshot(0, None)).await;
    for seq in 1..=COUNT {
        stream.send(&events(seq, 1)).await;
    }
    // The answer comes although nobody reads the updates, and they are full.
    let answered = send(&game, 0, Command::Resign);
    assert!(matches!(stream.next().await, Some(ToGame::Command { id: 0, .. })));
    stream.send(&FromGame::Answer { id: 0, result: Ok(Seq(1)) }).await;
    assert_eq!(within(answered).await.unwrap(), Ok(Seq(1)));
    // From here on the peer answers every resync.
    tokio::spawn(async move {
        while let Some(ToGame::Resync { after: Some(after) }) = stream.next().await {
            for seq in after.0 + 1..=COUNT {
                stream.send(&events(seq, 1)).await;
            }
        }
    });
    assert!(matches!(within(updates.next()).await, Some(Update::Snapshot { .. })));
    let mut expected = 1;
    while expected <= COUNT {
        let came = numbers(&within(updates.next()).await.unwrap());
        assert_eq!(came.start, expected);
        expected = came.end;
    }
}

#[tokio::test]
async fn a_view_follows_moves_and_clocks() {
    let (_peer, guest, _client, _game, mut updates) = following().await;
    let (mut stream, _) = guest.attach().await;
    stream.send(&snapshot(3, None)).await;
    stream.send(&moved(4, Color::White, "e2e4")).await;
    stream.send(&moved(5, Color::Black, "e7e5")).await;
    let Some(Update::Snapshot { now, snapshot, heard }) = within(updates.next()).await else { panic!() };
    let mut view = GameView::new(now, *snapshot, heard);
    for _ in 0..2 {
        assert!(view.update(&within(updates.next()).await.unwrap()));
    }
    assert_eq!(view.board().placement(), "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR");
    assert_eq!((view.seq(), view.position_seq(), view.moves().len()), (Seq(5), Seq(5), 2));
    let white = view.remaining_us(Color::White, std::time::Instant::now()).unwrap();
    let black = view.remaining_us(Color::Black, std::time::Instant::now()).unwrap();
    // White's clock has run for two seconds by the server's time; Black's stands.
    assert!((297_000_000..=298_000_000).contains(&white), "{white}");
    assert_eq!(black, 300_000_000);
}

/// Sends `bytes` on a game's stream, after a snapshot if `joined`, and then ends it.
async fn game_garbage(bytes: Vec<u8>, joined: bool) {
    let (_peer, mut guest, client, game, mut updates) = following().await;
    let (mut stream, _) = guest.attach().await;
    if joined {
        stream.send(&snapshot(3, None)).await;
    }
    let _ = stream.send.write_all(&bytes).await;
    let _ = stream.send.finish();
    while let Some(update) = within(updates.next()).await {
        if let Update::Snapshot { now, snapshot, heard } = update {
            GameView::new(now, *snapshot, heard);
        }
    }
    drop(game);
    // The connection is none the worse for it.
    let asked =
        tokio::spawn(async move { client.request(zeitnot_client::proto::control::Request::Ping).await });
    let Some(ToServer::Request { id, .. }) = guest.control.next().await else { panic!() };
    guest.control.send(&ToClient::Reply { id, result: Err(Refusal::Busy) }).await;
    assert_eq!(within(asked).await.unwrap(), Err(Error::Refused(Refusal::Busy)));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn garbage_on_a_game_stream_ends_that_game_alone(
        bytes in prop_oneof![
            prop::collection::vec(any::<u8>(), 0..200),
            prop::collection::vec((0u8..7, prop::collection::vec(0u8..12, 0..20)), 1..8).prop_map(|frames| {
                frames.into_iter().flat_map(|(variant, body)| {
                    let length = u8::try_from(body.len() + 1).unwrap();
                    [vec![length, variant], body].concat()
                }).collect()
            }),
        ],
        joined: bool,
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(game_garbage(bytes, joined));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn games_outlive_every_loss_of_the_connection() {
    let (peer, mut guest, client, game, mut updates) = following().await;
    // Many games on one connection: whoever hears first of its end must not spoil the reason for the rest.
    let others: Vec<_> = (100..120).map(|id| client.attach(GameId(id), Seat::Spectator, false)).collect();
    for round in 0..20 {
        let mut streams = Vec::new();
        for _ in 0..=others.len() {
            streams.push(guest.attach().await);
        }
        let (stream, _) = streams.iter_mut().find(|(_, attach)| attach.game == GameId(7)).unwrap();
        stream.send(&snapshot(round, None)).await;
        while !matches!(within(updates.next()).await, Some(Update::Snapshot { .. })) {}
        guest.close(if round % 2 == 0 { Code::Internal } else { Code::Done });
        (guest, _) = peer.welcome().await;
    }
    drop(game);
}

#[tokio::test]
async fn what_was_asked_for_comes_with_the_next_connection() {
    let (peer, mut guest, _client, game, mut updates) = following().await;
    let (mut stream, _) = guest.attach().await;
    stream.send(&snapshot(5, None)).await;
    within(updates.next()).await;
    for after in [None, Some(Seq(2))] {
        game.resync(after).await.unwrap();
        assert_eq!(stream.next().await, Some(ToGame::Resync { after }));
        guest.close(Code::Internal);
        (guest, _) = peer.welcome().await;
        let attach;
        (stream, attach) = guest.attach().await;
        assert_eq!(attach.after, after);
        assert!(matches!(within(updates.next()).await, Some(Update::Interrupted(_))));
        match after {
            None => stream.send(&snapshot(5, None)).await,
            Some(_) => stream.send(&events(3, 3)).await,
        }
        match within(updates.next()).await.unwrap() {
            Update::Snapshot { .. } => assert_eq!(after, None),
            update => assert_eq!(numbers(&update), 3..6),
        }
    }
}
