//! Portable game notation: tags, moves and results; comments, variations and glyphs are passed over.

use super::record::{Final, Ply, Record, scores};

/// A game as PGN writes it.
#[derive(Debug, Default)]
pub struct Written {
    /// Tags in their order.
    pub tags: Vec<(String, String)>,
    /// Moves of the main line, without signs of check or comment.
    pub sans: Vec<String>,
    /// The result after the moves, if there is one.
    pub result: Option<String>,
}

impl Written {
    /// The value of a tag.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }

    fn is_empty(&self) -> bool {
        self.tags.is_empty() && self.sans.is_empty() && self.result.is_none()
    }
}

/// The games of a file with a result.
pub fn read(text: &str) -> Vec<Record> {
    let games = parse(text);
    let numbered = games.into_iter().enumerate().map(|(i, game)| (i + 1, game));
    let records = numbered.filter_map(|(number, game)| {
        let result = game.result.as_deref().or_else(|| game.tag("Result"))?;
        let scores = scores(result)?;
        let players = (game.tag("White").unwrap_or("?"), game.tag("Black").unwrap_or("?"));
        Some(Record {
            label: format!("game {number} ({} - {})", players.0, players.1),
            fen: game.tag("FEN").map(str::to_string),
            scores,
            ending: Final::Unsaid,
            plies: game.sans.into_iter().map(Ply::San).collect(),
        })
    });
    records.collect()
}

/// All games of a text. Whatever the text is, something comes of it.
pub fn parse(text: &str) -> Vec<Written> {
    let mut games = Vec::new();
    let mut game = Written::default();
    let mut rest = Movetext::default();
    for line in text.lines() {
        let trimmed = line.trim();
        if rest.outside() && line.starts_with('%') {
            continue;
        }
        if rest.outside() && trimmed.starts_with('[') {
            // Tags after moves: the game before had no result.
            if !game.sans.is_empty() || game.result.is_some() {
                games.push(std::mem::take(&mut game));
            }
            game.tags.extend(tag(trimmed));
            continue;
        }
        for token in rest.tokens(line) {
            match token.as_str() {
                "1-0" | "0-1" | "1/2-1/2" | "*" => {
                    game.result = Some(token);
                    games.push(std::mem::take(&mut game));
                }
                _ => game.sans.extend(san(&token)),
            }
        }
    }
    if !game.is_empty() {
        games.push(game);
    }
    games
}

/// `[Name "value"]`, with `\"` and `\\` in the value.
fn tag(line: &str) -> Option<(String, String)> {
    let (name, rest) = line.strip_prefix('[')?.split_once('"')?;
    let mut value = String::new();
    let mut letters = rest.chars();
    loop {
        match letters.next()? {
            '"' => return Some((name.trim().to_string(), value)),
            '\\' => value.push(letters.next()?),
            letter => value.push(letter),
        }
    }
}

/// A token of the moves without number and signs; none if nothing is left.
fn san(token: &str) -> Option<String> {
    let token = token.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    // `0-0` begins with a digit that is no number.
    let token = if token.starts_with("-0") { format!("0{token}") } else { token.to_string() };
    let token = token.trim_end_matches(['+', '#', '!', '?']).replace('0', "O");
    if token.is_empty() || token == "e.p." || token.starts_with('$') { None } else { Some(token) }
}

/// Splits movetext into tokens, across lines.
#[derive(Debug, Default)]
struct Movetext {
    in_comment: bool,
    /// How deep within variations.
    depth: u32,
}

impl Movetext {
    /// Neither in a comment nor in a variation.
    fn outside(&self) -> bool {
        !self.in_comment && self.depth == 0
    }

    fn tokens(&mut self, line: &str) -> Vec<String> {
        let (mut tokens, mut token) = (Vec::new(), String::new());
        let mut end = |token: &mut String| {
            if !token.is_empty() {
                tokens.push(std::mem::take(token));
            }
        };
        for letter in line.chars() {
            match letter {
                '}' => self.in_comment = false,
                _ if self.in_comment => {}
                '{' => {
                    self.in_comment = true;
                    end(&mut token);
                }
                ';' => break,
                '(' => {
                    self.depth += 1;
                    end(&mut token);
                }
                ')' => self.depth = self.depth.saturating_sub(1),
                _ if self.depth > 0 => {}
                letter if letter.is_whitespace() => end(&mut token),
                // A number may stand right before its move.
                letter => token.push(letter),
            }
        }
        end(&mut token);
        tokens
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn games_are_read() {
        let text = r#"[Event "A \"quoted\" name"]
[White "Anna"]
[Black "Bela"]
[Result "1-0"]

% escaped
1. e4 {a comment
over lines} e5 2.Nf3 $1 (2. f4 exf4 (2... d5) 3. Nf3) 2... Nc6!? ; rest
3. 0-0-0 e8=Q+ 4. O-O exd6 e.p. 1-0

[White "Carl"]

1. d4 *

[White "Dora"]
[FEN "4k3/8/8/8/8/8/8/4K3 b - - 0 1"]

1... Kd8 1/2-1/2
"#;
        let games = parse(text);
        assert_eq!(games.len(), 3);
        assert_eq!(games[0].tag("Event"), Some("A \"quoted\" name"));
        assert_eq!(games[0].sans, ["e4", "e5", "Nf3", "Nc6", "O-O-O", "e8=Q", "O-O", "exd6"]);
        let records = read(text);
        assert_eq!(records.len(), 2, "a game without result is left out");
        assert_eq!(records[1].label, "game 3 (Dora - ?)");
        assert!(records[1].fen.is_some());
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "[\\[\\]{}();%$\"\\\\ \n.0-9a-hKQRBNOx=+#*/-]{0,120}") {
            read(&text);
        }
    }
}
