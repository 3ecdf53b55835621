//! Games in a list, as plain text.

use zeitnot_client::proto::control::{GameFilter, GameSummary, Reply, Request};
use zeitnot_client::{Client, Error};

/// Prints at most `limit` games of this kind, newest first, one a line.
pub async fn print(client: &Client, filter: GameFilter, limit: usize) -> Result<(), Error> {
    let (mut before, mut left) = (None, limit);
    loop {
        let request = Request::ListGames { filter: filter.clone(), before };
        let Reply::Games { page, more } = client.request(request).await? else {
            return Err(Error::Protocol("no list of games came".into()));
        };
        for game in page.iter().take(left) {
            println!("{}", line(game));
        }
        left = left.saturating_sub(page.len());
        match page.last() {
            Some(last) if more && left > 0 => before = Some(last.game),
            _ => return Ok(()),
        }
    }
}

/// One game: number, players, time control, half-moves, result.
fn line(game: &GameSummary) -> String {
    let result = match &game.outcome {
        Some(outcome) => format!("{} {}", outcome.result(), outcome.reason.name().replace('_', " ")),
        None if game.over => "annulled".into(),
        None => "live".into(),
    };
    let (white, black) = (&game.players.white, &game.players.black);
    let time_control = game.time_control.to_string();
    format!("{:>6}  {white} - {black}  {time_control}  {} plies  {result}", game.game.0, game.plies)
}

#[cfg(test)]
mod tests {
    use super::*;
    use zeitnot_client::proto::{ByColor, Color, GameId, Outcome, Reason, Text};

    #[test]
    fn a_line_says_how_it_stands() {
        let mut game = GameSummary {
            game: GameId(12),
            players: ByColor::new(Text::cut("anna"), Text::cut("bela")),
            time_control: "300+3".parse().unwrap(),
            outcome: None,
            over: false,
            plies: 31,
        };
        assert_eq!(line(&game), "    12  anna - bela  300+3  31 plies  live");
        game.over = true;
        assert!(line(&game).ends_with("annulled"));
        game.outcome = Some(Outcome::win(Color::Black, Reason::TimeVsNoMate));
        assert!(line(&game).ends_with("0-1 time vs no mate"));
    }
}
