//! `zeitnot pipe`: the whole protocol in JSON lines, for scripts and graphical clients.
//!
//! The envelope is documented in the crate's README; what is inside it is the protocol's own types.

use crate::Outcome;
use crate::target::Target;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::process::ExitCode;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use zeitnot_client::game::PendingAnswer;
use zeitnot_client::proto::command::Command;
use zeitnot_client::proto::control::Request;
use zeitnot_client::proto::game_stream::Seat;
use zeitnot_client::proto::{GameId, Seq};
use zeitnot_client::reconnect::Link;
use zeitnot_client::{Client, Error, Game, Notices, Update, Updates};

/// How long answers may still come after the end of the input.
const LAST_ANSWERS: Duration = Duration::from_secs(10);
/// Lines that may wait for standard output.
const LINES_MAX: usize = 256;

/// A line of input. Exactly one of `request`, `attach`, `command`, `resync` and `leave` is there.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    /// Comes back with the answer.
    #[serde(default)]
    tag: Value,
    request: Option<Request>,
    attach: Option<AttachLine>,
    /// The game of a command or a resync.
    game: Option<GameId>,
    command: Option<Command>,
    /// The last event that changed the position; the newest known if left out.
    on: Option<Seq>,
    resync: Option<ResyncLine>,
    leave: Option<GameId>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct AttachLine {
    game: GameId,
    #[serde(default = "player")]
    seat: Seat,
    #[serde(default)]
    legal_moves: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ResyncLine {
    #[serde(default)]
    after: Option<Seq>,
}

fn player() -> Seat {
    Seat::Player
}

/// Runs the command until the input ends or the server turns the client away.
pub async fn run(target: &Target) -> Outcome {
    let (client, notices) = target.connect().await?;
    let (out, lines) = mpsc::channel(LINES_MAX);
    let printing = tokio::spawn(print(lines));
    tokio::spawn(tell_notices(notices, out.clone()));
    let linking = tokio::spawn(tell_link(client.clone(), out.clone()));
    let mut pipe = Pipe { client: client.clone(), out, games: HashMap::new(), answers: JoinSet::new() };
    tokio::select! {
        error = linking => {
            // Only a bug would make the task fail; then there is no reason to name.
            return Err(error.unwrap_or(Error::Left).into());
        }
        _ = printing => return Ok(ExitCode::SUCCESS),
        result = pipe.obey_input() => result?,
    }
    let answers = async { while pipe.answers.join_next().await.is_some() {} };
    // What does not come in time is given up.
    let _ = tokio::time::timeout(LAST_ANSWERS, answers).await;
    flush(&pipe.out).await;
    drop(pipe);
    client.close().await;
    Ok(ExitCode::SUCCESS)
}

/// Prints lines until nobody can read them any more.
async fn print(mut lines: mpsc::Receiver<Printed>) {
    let mut stdout = tokio::io::stdout();
    while let Some(line) = lines.recv().await {
        let written = match line {
            Printed::Line(line) => stdout.write_all(format!("{line}\n").as_bytes()).await,
            Printed::Flush(done) => {
                let flushed = stdout.flush().await;
                // Whoever asked has gone on.
                let _ = done.send(());
                flushed
            }
        };
        if written.is_err() || (lines.is_empty() && stdout.flush().await.is_err()) {
            return;
        }
    }
}

/// What goes to standard output.
enum Printed {
    Line(Value),
    Flush(tokio::sync::oneshot::Sender<()>),
}

/// Waits until everything before has been written.
async fn flush(out: &mpsc::Sender<Printed>) {
    let (done, flushed) = tokio::sync::oneshot::channel();
    if out.send(Printed::Flush(done)).await.is_ok() {
        // An error: there is nobody to write for.
        let _ = flushed.await;
    }
}

async fn say(out: &mpsc::Sender<Printed>, line: Value) {
    // Without a reader the whole pipe ends by itself.
    let _ = out.send(Printed::Line(line)).await;
}

async fn tell_notices(mut notices: Notices, out: mpsc::Sender<Printed>) {
    while let Some(notice) = notices.recv().await {
        say(&out, json!({ "notice": notice })).await;
    }
}

/// Tells how the connection stands, until it has ended for good.
async fn tell_link(client: Client, out: mpsc::Sender<Printed>) -> Error {
    let mut link = client.link();
    loop {
        let line = match &*link.borrow_and_update() {
            Link::Up(_, welcome) => json!({ "welcome": **welcome }),
            Link::Down(error) => json!({ "link": "down", "why": error.to_string() }),
            Link::Over(error) => return error.clone(),
        };
        say(&out, line).await;
        if link.changed().await.is_err() {
            return Error::Left;
        }
    }
}

/// The games that are followed, and what waits for an answer.
struct Pipe {
    client: Client,
    out: mpsc::Sender<Printed>,
    games: HashMap<GameId, Followed>,
    answers: JoinSet<()>,
}

/// A game that is followed, and the newest position that was told.
struct Followed {
    game: Game,
    position: tokio::sync::watch::Receiver<Option<Seq>>,
}

impl Pipe {
    async fn obey_input(&mut self) -> Result<(), std::io::Error> {
        let mut input = BufReader::new(tokio::io::stdin()).lines();
        let mut number = 0u64;
        while let Some(text) = input.next_line().await? {
            number += 1;
            if text.trim().is_empty() {
                continue;
            }
            let obeyed = match serde_json::from_str::<Line>(&text) {
                Ok(line) => self.obey(line).await,
                Err(error) => Err((Value::Null, error.to_string())),
            };
            if let Err((tag, error)) = obeyed {
                say(&self.out, json!({ "error": error, "line": number, "tag": tag })).await;
            }
            while self.answers.try_join_next().is_some() {}
        }
        Ok(())
    }

    /// Does what the line says; on an error its tag and what is wrong with it.
    async fn obey(&mut self, line: Line) -> Result<(), (Value, String)> {
        let Line { tag, request, attach, game, command, on, resync, leave } = line;
        match (request, attach, command, resync, leave) {
            (Some(request), None, None, None, None) => self.request(tag, request).await,
            (None, Some(attach), None, None, None) => self.attach(&attach).await,
            (None, None, Some(command), None, None) => match game.and_then(|game| self.games.get(&game)) {
                Some(followed) => {
                    let on = on.or(*followed.position.borrow());
                    let answer = followed.game.post(on, command).await;
                    self.answers.spawn(tell_answer(followed.game.id(), answer, tag, self.out.clone()));
                }
                None => return Err((tag, "attach to the game first, and name it in `game`".into())),
            },
            (None, None, None, Some(resync), None) => match game.and_then(|game| self.games.get(&game)) {
                // An error: the game has ended, which was told.
                Some(followed) => drop(followed.game.resync(resync.after).await),
                None => return Err((tag, "attach to the game first, and name it in `game`".into())),
            },
            (None, None, None, None, Some(game)) => match self.games.remove(&game) {
                Some(followed) => followed.game.leave().await,
                None => return Err((tag, "that game is not attached".into())),
            },
            _ => {
                return Err((
                    tag,
                    "one of `request`, `attach`, `command`, `resync`, `leave` is needed".into(),
                ));
            }
        }
        Ok(())
    }

    /// Sends the request before the next line is read, and has its reply told when it comes.
    async fn request(&mut self, tag: Value, request: Request) {
        let (posted, out) = (self.client.post(request).await, self.out.clone());
        self.answers.spawn(async move {
            let reply = match posted {
                Ok(pending) => pending.wait().await,
                Err(error) => Err(error),
            };
            let line = match reply {
                Ok(reply) => json!({ "reply": reply, "tag": tag }),
                Err(error) => refused(&error, &tag),
            };
            say(&out, line).await;
        });
    }

    async fn attach(&mut self, attach: &AttachLine) {
        if let Some(before) = self.games.remove(&attach.game) {
            before.game.leave().await;
        }
        let (game, updates) = self.client.attach(attach.game, attach.seat, attach.legal_moves);
        let (told, position) = tokio::sync::watch::channel(None);
        tokio::spawn(tell_game(attach.game, updates, told, self.out.clone()));
        self.games.insert(attach.game, Followed { game, position });
    }
}

/// Tells what came of a command.
async fn tell_answer(
    game: GameId,
    answer: Result<PendingAnswer, Error>,
    tag: Value,
    out: mpsc::Sender<Printed>,
) {
    let result = match answer {
        Ok(pending) => pending.wait().await,
        Err(error) => Err(error),
    };
    let mut line = match result {
        Ok(seq) => json!({ "done": seq, "tag": tag }),
        Err(error) => refused(&error, &tag),
    };
    line["game"] = json!(game);
    say(&out, line).await;
}

/// A refusal by its name and in words, or another error in words.
fn refused(error: &Error, tag: &Value) -> Value {
    match error {
        Error::Refused(refusal) => {
            json!({ "refused": refusal.name(), "advice": refusal.advice(), "tag": tag })
        }
        other => json!({ "error": other.to_string(), "tag": tag }),
    }
}

/// Tells what happens in a game.
async fn tell_game(
    game: GameId,
    mut updates: Updates,
    position: tokio::sync::watch::Sender<Option<Seq>>,
    out: mpsc::Sender<Printed>,
) {
    while let Some(update) = updates.next().await {
        let line = match &update {
            Update::Snapshot { now, snapshot, .. } => {
                position.send_replace(Some(snapshot.position_seq));
                json!({ "game": game, "snapshot": snapshot, "now": now })
            }
            Update::Events { events, .. } => {
                position.send_replace(Some(events.position_seq));
                json!({ "game": game, "events": events })
            }
            Update::LegalMoves { on, moves } => {
                json!({ "game": game, "legal_moves": { "on": on, "moves": moves } })
            }
            Update::Interrupted(error) => json!({ "game": game, "interrupted": error.to_string() }),
            Update::Ended(error) => json!({ "game": game, "ended": error.to_string() }),
        };
        say(&out, line).await;
    }
}
