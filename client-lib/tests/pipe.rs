//! `zeitnot pipe`, as a script sees it.

#![cfg(feature = "cli")]
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use common::{Peer, moved, snapshot, within};
use serde_json::{Value, json};
use std::process::Stdio;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command as Process};
use zeitnot_client::proto::close::Code;
use zeitnot_client::proto::command::Command;
use zeitnot_client::proto::control::{Notice, Reply, Request, ToClient, ToServer};
use zeitnot_client::proto::game_stream::{FromGame, Seat, ToGame};
use zeitnot_client::proto::{Color, Refusal, Seq};

/// The running program and its two ends.
struct Pipe {
    child: Child,
    input: Option<ChildStdin>,
    output: Lines<BufReader<ChildStdout>>,
}

impl Pipe {
    fn start(peer: &Peer) -> Pipe {
        let mut child = Process::new(env!("CARGO_BIN_EXE_zeitnot"))
            .args(["pipe", "--server", &peer.address.to_string(), "--pin", &peer.pin.to_string()])
            .env_remove("ZEITNOT_TOKEN")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap()).lines();
        Pipe { input: child.stdin.take(), output, child }
    }

    async fn write(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        within(input.write_all(format!("{line}\n").as_bytes())).await.unwrap();
    }

    async fn read(&mut self) -> Value {
        let line = within(self.output.next_line()).await.unwrap().unwrap();
        serde_json::from_str(&line).unwrap()
    }

    /// The exit status and what was said on standard error.
    async fn end(self) -> (Option<i32>, String) {
        drop(self.input);
        let output = within(self.child.wait_with_output()).await.unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    }
}

#[tokio::test]
async fn a_session() {
    let peer = Peer::start();
    let mut pipe = Pipe::start(&peer);
    let (mut guest, _) = peer.welcome().await;
    assert_eq!(pipe.read().await["welcome"]["name"], "guest");

    // Requests and notices.
    pipe.write(r#"{"request":"ping","tag":1}"#).await;
    pipe.write(
        r#"{"request":{"seek":{"color":"white","terms":{"time_control":"300+3"}}},"tag":{"my":"own"}}"#,
    )
    .await;
    let Some(ToServer::Request { id: ping, request: Request::Ping }) = guest.control.next().await else {
        panic!()
    };
    let Some(ToServer::Request { id: seek, request: Request::Seek(proposal) }) = guest.control.next().await
    else {
        panic!()
    };
    assert_eq!(
        (proposal.color, proposal.terms.time_control.to_string().as_str()),
        (Some(Color::White), "300+3")
    );
    guest.control.send(&ToClient::Reply { id: ping, result: Ok(Reply::Done) }).await;
    assert_eq!(pipe.read().await, json!({ "reply": "done", "tag": 1 }));
    guest.control.send(&ToClient::Reply { id: seek, result: Err(Refusal::Busy) }).await;
    let advice = Refusal::Busy.advice();
    assert_eq!(pipe.read().await, json!({ "refused": "busy", "advice": advice, "tag": { "my": "own" } }));
    guest.control.send(&ToClient::Notice(Notice::Draining { retry_after_us: 9 })).await;
    assert_eq!(pipe.read().await, json!({ "notice": { "draining": { "retry_after_us": 9 } } }));

    // A game.
    pipe.write(r#"{"attach":{"game":7,"seat":"spectator"}}"#).await;
    let (mut stream, attach) = guest.attach().await;
    assert_eq!((attach.seat, attach.legal_moves), (Seat::Spectator, false));
    stream.send(&snapshot(3, Some(4))).await;
    assert_eq!(pipe.read().await["snapshot"]["setup"]["players"]["white"], "anna");
    stream.send(&moved(4, Color::White, "e2e4")).await;
    let line = pipe.read().await;
    assert_eq!((&line["game"], &line["events"]["position_seq"]), (&json!(7), &json!(4)));
    assert_eq!(line["events"]["entries"][0]["event"]["move_completed"]["move"], "e2e4");
    // Without `on` the newest position that was told counts.
    pipe.write(r#"{"game":7,"command":{"move":{"move":"e7e5"}},"tag":"m"}"#).await;
    pipe.write(r#"{"game":7,"command":"resign","on":2}"#).await;
    let mv = Command::Move { mv: "e7e5".parse().unwrap(), offer_draw: false };
    assert_eq!(stream.next().await, Some(ToGame::Command { id: 5, on: Some(Seq(4)), command: mv }));
    let resign = ToGame::Command { id: 6, on: Some(Seq(2)), command: Command::Resign };
    assert_eq!(stream.next().await, Some(resign));
    stream.send(&FromGame::Answer { id: 5, result: Ok(Seq(5)) }).await;
    assert_eq!(pipe.read().await, json!({ "game": 7, "done": 5, "tag": "m" }));
    stream.send(&FromGame::Answer { id: 6, result: Err(Refusal::NotPlayer) }).await;
    assert_eq!(pipe.read().await["refused"], "not_player");
    pipe.write(r#"{"game":7,"resync":{"after":3}}"#).await;
    assert_eq!(stream.next().await, Some(ToGame::Resync { after: Some(Seq(3)) }));
    pipe.write(r#"{"leave":7}"#).await;
    assert_eq!(pipe.read().await["game"], 7);

    // What is not understood is told with its line.
    for (line, part) in [
        ("{", "EOF"),
        ("{}", "needed"),
        (r#"{"request":"ping","leave":7}"#, "needed"),
        (r#"{"request":"dance"}"#, "unknown variant"),
        (r#"{"game":9,"command":"resign"}"#, "attach"),
        (r#"{"pong":1}"#, "unknown field"),
    ] {
        pipe.write(line).await;
        let told = pipe.read().await;
        assert!(told["error"].as_str().unwrap().contains(part), "{line}: {told}");
        assert!(told["line"].as_u64().unwrap() > 7);
    }
    assert_eq!(pipe.end().await, (Some(0), String::new()));
}

#[tokio::test]
async fn the_end_of_the_input_waits_for_the_last_answer() {
    let peer = Peer::start();
    let mut pipe = Pipe::start(&peer);
    let (mut guest, _) = peer.welcome().await;
    pipe.read().await;
    pipe.write(r#"{"request":"ping"}"#).await;
    drop(pipe.input.take());
    let Some(ToServer::Request { id, .. }) = guest.control.next().await else { panic!() };
    guest.control.send(&ToClient::Reply { id, result: Ok(Reply::Done) }).await;
    assert_eq!(pipe.read().await["reply"], "done");
    assert_eq!(pipe.end().await.0, Some(0));
}

#[tokio::test]
async fn being_turned_away_ends_it_while_the_input_is_open() {
    let peer = Peer::start();
    let mut pipe = Pipe::start(&peer);
    let (guest, _) = peer.welcome().await;
    pipe.read().await;
    guest.close(Code::Internal);
    assert_eq!(pipe.read().await["link"], "down");
    let (guest, _) = peer.welcome().await;
    assert_eq!(pipe.read().await["welcome"]["name"], "guest");
    guest.close(Code::Revoked);
    let status = within(pipe.child.wait()).await.unwrap();
    assert_eq!(status.code(), Some(2));
    let (_, said) = pipe.end().await;
    assert!(said.contains("revoked"), "{said}");
}
