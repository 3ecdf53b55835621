//! Bad input of any kind: a named refusal or code, a counter in the metrics, and no other game notices.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::time::Duration;
use zeitnot_client::connection::Tuning;
use zeitnot_proto::close::Code;
use zeitnot_proto::control::{Credential, Request, ToClient, ToServer};
use zeitnot_proto::game_stream::{Attach, FromGame, Seat, ToGame};
use zeitnot_proto::rules::GameId;
use zeitnot_proto::{Color, Command, Refusal, Seq, Text};
use zeitnot_tests::Server;
use zeitnot_tests::games::{Guest, Table, terms};
use zeitnot_tests::raw::{self, End, Raw};

/// A game that is played while others misbehave: half of its moves before, half after.
struct Neighbours {
    server: Server,
    table: Table,
}

impl Neighbours {
    async fn new() -> Neighbours {
        let server = Server::start();
        let mut table = Table::new(&server, terms("300+3")).await;
        table.play("e2e4 e7e5 g1f3 b8c6").await;
        Neighbours { server, table }
    }

    /// The game goes on as if nothing had happened, and nobody at all fell behind.
    async fn untouched(self) {
        let server = self.go_on().await;
        assert_eq!(server.metrics().count("zeitnot_resyncs_total"), 0);
    }

    /// The game goes on as if nothing had happened.
    async fn go_on(mut self) -> Server {
        self.table.play("f1b5 a7a6 b5a4 g8f6").await;
        let seats = &self.table.seats;
        assert!(seats.iter().all(|(_, seat)| seat.snapshot.seq < seat.last), "no snapshot in between");
        self.server
    }
}

/// Says these bytes first on the control stream; how the connection ends.
async fn first_words(server: &Server, bytes: &[u8]) -> End {
    let raw = Raw::connect(server).await;
    let mut control = raw.open().await;
    control.send_bytes(bytes).await;
    raw.closed().await
}

#[tokio::test]
async fn garbage_before_the_hello_closes_the_connection() {
    let near = Neighbours::new().await;
    for (bytes, code) in [
        (&[0x10, 0xde, 0xad, 0xbe, 0xef][..], Code::NoHello), // not whole; silence follows
        (&[4, 0, 1, 250, 250], Code::Malformed),
        (&[0], Code::Malformed),
        (&[0x80, 0, 0x40, 1], Code::FrameTooLong),
        (&[0xff; 8], Code::FrameTooLong),
        (&[2, 77, 0], Code::NoHello),
        (&[3, 1, 1, 0], Code::NoHello), // a request
    ] {
        assert_eq!(first_words(&near.server, bytes).await, End::Closed(Some(code)), "{bytes:02x?}");
    }
    let metrics = near.server.metrics();
    assert_eq!(metrics.closes("malformed"), 2);
    assert_eq!(metrics.closes("frame_too_long"), 2);
    assert_eq!(metrics.closes("no_hello"), 3);
    near.untouched().await;
}

#[tokio::test]
async fn a_control_stream_that_ends_before_the_hello_is_no_hello() {
    let server = Server::start();
    let raw = Raw::connect(&server).await;
    let mut control = raw.open().await;
    control.send_bytes(&[9, 0]).await;
    control.send.finish().unwrap();
    assert_eq!(raw.closed().await, End::Closed(Some(Code::NoHello)));
}

#[tokio::test]
async fn a_version_that_is_none_is_refused() {
    let server = Server::start();
    let raw = Raw::connect(&server).await;
    let mut control = raw.open().await;
    let mut hello = raw::hello(Credential::Guest);
    hello.protocol = 0;
    control.send(&ToServer::Hello(hello)).await;
    assert_eq!(raw.closed().await, End::Closed(Some(Code::Version)));

    let raw = Raw::connect(&server).await;
    let mut control = raw.open().await;
    let mut hello = raw::hello(Credential::Guest);
    hello.protocol = 99;
    control.send(&ToServer::Hello(hello)).await;
    match control.next::<ToClient>().await {
        Ok(ToClient::Welcome(welcome)) => assert_eq!(welcome.protocol, 1, "the lower of the two"),
        other => panic!("a welcome was due, {other:?} came"),
    }
}

#[tokio::test]
async fn faults_on_the_control_stream_close_the_connection() {
    let near = Neighbours::new().await;
    for (bytes, code) in [
        (&[3, 0xff, 0xff, 0xff][..], Code::Malformed),
        (&[10, 1, 251, 7, 0, 0, 0, 0, 0, 0, 0], Code::Malformed),
        (&[0x80, 0, 0x40, 1], Code::FrameTooLong),
    ] {
        let (raw, mut control, _) = Raw::hello(&near.server, Credential::Guest).await;
        control.send_bytes(bytes).await;
        assert_eq!(raw.closed().await, End::Closed(Some(code)), "{bytes:02x?}");
    }
    let (raw, mut control, _) = Raw::hello(&near.server, Credential::Guest).await;
    control.send(&ToServer::Hello(raw::hello(Credential::Guest))).await;
    assert_eq!(raw.closed().await, End::Closed(Some(Code::OutOfState)), "a second hello");
    assert_eq!(near.server.metrics().closes("out_of_state"), 1);
    near.untouched().await;
}

#[tokio::test]
async fn a_frame_of_a_later_version_is_skipped() {
    let server = Server::start();
    let mut guest = Guest::new(&server).await;
    guest.control.send_bytes(&[4, 200, 1, 2, 3]).await;
    assert!(raw::request(&mut guest.control, 1, Request::Ping).await.is_ok());
    assert_eq!(server.metrics().count("zeitnot_unknown_frames_total"), 1);
}

#[tokio::test]
async fn tokens_that_are_none() {
    let server = Server::start();
    for token in ["", "0", "not a token", &"f".repeat(64), &"é".repeat(40)] {
        let raw = Raw::connect(&server).await;
        let mut control = raw.open().await;
        let credential = Credential::Token(Text::new(token).unwrap());
        control.send(&ToServer::Hello(raw::hello(credential))).await;
        assert_eq!(raw.closed().await, End::Closed(Some(Code::BadToken)), "{token:?}");
    }
    assert_eq!(server.metrics().closes("bad_token"), 5);
}

#[tokio::test]
async fn guests_stay_out_where_they_are_not_let_in() {
    let server = Server::with(&["--guests", "no"]);
    let raw = Raw::connect(&server).await;
    let mut control = raw.open().await;
    control.send(&ToServer::Hello(raw::hello(Credential::Guest))).await;
    assert_eq!(raw.closed().await, End::Closed(Some(Code::NoGuests)));
    assert_eq!(server.metrics().closes("no_guests"), 1);
}

fn attach(game: GameId, seat: Seat) -> Attach {
    Attach { game, seat, after: None, legal_moves: false }
}

#[tokio::test]
async fn faults_on_a_games_stream_reset_that_stream_alone() {
    let near = Neighbours::new().await;
    let mut stranger = Guest::new(&near.server).await;
    let game = near.table.game;
    let watch = ToGame::Attach(attach(game, Seat::Spectator));

    // Before the attach.
    for (bytes, code) in [
        (&[2, 2, 0][..], Code::OutOfState), // resync
        (&[1, 200], Code::Malformed),
        (&[0x80, 0, 0x40, 1], Code::FrameTooLong),
    ] {
        let mut stream = stranger.raw.open().await;
        stream.send_bytes(bytes).await;
        assert_eq!(stream.end::<FromGame>().await, End::Reset(Some(code)), "{bytes:02x?}");
    }
    // After it.
    for (bytes, code) in [
        (&[3, 1, 1, 1][..], Code::Malformed),
        (&[6, 1, 7, 0, 200, 0, 0], Code::Malformed),
        (&[0xff; 8], Code::FrameTooLong),
    ] {
        let mut stream = stranger.raw.open().await;
        stream.send(&watch).await;
        assert!(matches!(stream.next().await, Ok(FromGame::Snapshot { .. })));
        stream.send_bytes(bytes).await;
        assert_eq!(stream.end::<FromGame>().await, End::Reset(Some(code)), "{bytes:02x?}");
    }
    let mut stream = stranger.raw.open().await;
    stream.send(&watch).await;
    stream.send(&watch).await;
    assert_eq!(stream.end::<FromGame>().await, End::Reset(Some(Code::OutOfState)), "a second attach");

    assert!(raw::request(&mut stranger.control, 1, Request::Ping).await.is_ok(), "the connection lives");
    let metrics = near.server.metrics();
    assert_eq!(metrics.resets("malformed"), 3);
    assert_eq!(metrics.resets("frame_too_long"), 2);
    assert_eq!(metrics.resets("out_of_state"), 2);
    near.untouched().await;
}

#[tokio::test]
async fn seats_that_are_not_ones_own() {
    let near = Neighbours::new().await;
    let stranger = Guest::new(&near.server).await;
    let game = near.table.game;
    for (game, seat) in [
        (game, Seat::Player),
        (game, Seat::Arbiter),
        (game, Seat::Device),
        (GameId(0), Seat::Spectator),
        (GameId(u64::MAX), Seat::Spectator),
        (GameId(game.0 + 1), Seat::Player),
    ] {
        let mut stream = stranger.raw.attach(attach(game, seat)).await;
        let end = stream.end::<FromGame>().await;
        assert_eq!(end, End::Reset(Some(Code::NoSuchGame)), "{game} as {seat:?}");
    }
    assert_eq!(near.server.metrics().resets("no_such_game"), 6);
    near.untouched().await;
}

#[tokio::test]
async fn commands_that_are_not_ones_own() {
    let mut near = Neighbours::new().await;
    let stranger = Guest::new(&near.server).await;
    let mut stream = stranger.raw.attach(attach(near.table.game, Seat::Spectator)).await;
    let seen = match stream.next().await {
        Ok(FromGame::Snapshot { snapshot, .. }) => snapshot.position_seq,
        other => panic!("a snapshot was due, {other:?} came"),
    };
    let mv = Command::Move { mv: "f1b5".parse().unwrap(), offer_draw: false };
    let commands = [mv, Command::Resign, Command::Pause { reason: Text::default() }, Command::PressClock];
    for (id, command) in (1..).zip(commands) {
        let name = command.name();
        stream.send(&ToGame::Command { id, on: Some(seen), command }).await;
        assert_eq!(raw::answer(&mut stream, id).await, Err(Refusal::NotPlayer), "{name}");
    }

    let seats = &mut near.table.seats;
    let presence = Command::Presence { side: Color::Black, present: false };
    assert_eq!(seats.white.command(presence).await, Err(Refusal::NotAllowed), "the server's own");
    let annul = Command::Annul { reason: Text::default() };
    assert_eq!(seats.white.command(annul).await, Err(Refusal::NotArbiter));
    assert_eq!(seats.black.play("a7a6").await, Err(Refusal::NotYourTurn));
    assert_eq!(seats.white.play("e1e3").await, Err(Refusal::IllegalMove));
    let stale = Command::Move { mv: "f1b5".parse().unwrap(), offer_draw: false };
    assert_eq!(seats.white.command_as(90, Some(Seq(1)), stale.clone()).await, Err(Refusal::Stale));
    assert_eq!(seats.white.command_as(90, None, stale).await, Err(Refusal::Malformed));

    let metrics = near.server.metrics();
    for (kind, count) in
        [("not_player", 4), ("not_allowed", 1), ("not_arbiter", 1), ("not_your_turn", 1), ("illegal_move", 1)]
    {
        assert_eq!(metrics.refusals(kind), count, "{kind}");
    }
    near.untouched().await;
}

#[tokio::test]
async fn ten_thousand_streams_are_not_opened() {
    let near = Neighbours::new().await;
    // Nobody yet: eight.
    let raw = Raw::connect(&near.server).await;
    let mut streams = Vec::new();
    while let Ok(stream) = tokio::time::timeout(Duration::from_millis(300), raw.quic.open_bi()).await {
        streams.push(stream.unwrap());
        assert!(streams.len() <= 10_000, "there is a limit");
    }
    assert_eq!(streams.len(), 8);

    // A guest: more, and still not ten thousand.
    let (raw, mut control, _) = Raw::hello(&near.server, Credential::Guest).await;
    let mut streams = Vec::new();
    while let Ok(stream) = tokio::time::timeout(Duration::from_millis(300), raw.open_stream()).await {
        streams.push(stream);
        assert!(streams.len() <= 1_000, "there is a limit");
    }
    assert!(streams.len() > 8, "{}", streams.len());
    assert!(raw::request(&mut control, 1, Request::Ping).await.is_ok(), "the control stream still serves");
    near.untouched().await;
}

#[tokio::test]
async fn a_flood_ends_the_stream_that_it_comes_on() {
    let near = Neighbours::new().await;
    let mut stranger = Guest::new(&near.server).await;
    let mut stream = stranger.raw.attach(attach(near.table.game, Seat::Spectator)).await;
    let flood = [2, 2, 0].repeat(20_000); // resync, without end
    stream.send_bytes(&flood).await;
    assert_eq!(stream.end::<FromGame>().await, End::Reset(Some(Code::RateLimited)));
    assert!(raw::request(&mut stranger.control, 1, Request::Ping).await.is_ok(), "the connection lives");
    assert_eq!(near.server.metrics().resets("rate_limited"), 1);

    let ping = zeitnot_proto::codec::encode(&ToServer::Request { id: 1, request: Request::Ping }).unwrap();
    stranger.control.send_bytes(&ping.repeat(20_000)).await;
    assert_eq!(stranger.raw.closed().await, End::Closed(Some(Code::RateLimited)));
    // The flood may well have fallen behind itself.
    drop(near.go_on().await);
}

#[tokio::test]
async fn a_reader_that_does_not_read_holds_nobody_up() {
    let near = Neighbours::new().await;
    // A spectator who takes the snapshot and then nothing more, through a window of a few frames.
    let tuning = Tuning { stream_window: 4_096, ..Tuning::default() };
    let raw = Raw::tuned(&near.server, tuning).await;
    let mut control = raw.open().await;
    control.send(&ToServer::Hello(raw::hello(Credential::Guest))).await;
    assert!(matches!(control.next().await, Ok(ToClient::Welcome(_))));
    let mut lazy = raw.attach(attach(near.table.game, Seat::Spectator)).await;
    assert!(matches!(lazy.next().await, Ok(FromGame::Snapshot { .. })));
    // What it asks for and does not read: at a pace that is allowed, more than the window takes.
    for _ in 0..200 {
        lazy.send(&ToGame::Resync { after: None }).await;
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    tokio::time::sleep(Duration::from_secs(12)).await;
    let metrics = near.server.metrics();
    assert_eq!(metrics.count("zeitnot_slow_readers_total"), 1);
    assert_eq!(metrics.resets("too_slow"), 1);
    assert_eq!(lazy.end::<FromGame>().await, End::Reset(Some(Code::TooSlow)));
    let mut table = near.table;
    table.play("f1b5 a7a6").await;
}
