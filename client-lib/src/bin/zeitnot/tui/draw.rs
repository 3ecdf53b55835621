//! The picture of a game: board, clocks, moves, what happened, and the line that is typed.

use super::men;
use super::table::{Table, Tone};
use super::typed::HELP;
use super::words;
use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color as Ink, Modifier, Style};
use ratatui::symbols::border;
use ratatui::text::Line;
use ratatui::widgets::{Block, Borders, Paragraph, Widget};
use std::time::Instant;
use zeitnot_client::clock::format_clock;
use zeitnot_client::proto::time::SECOND_US;
use zeitnot_client::proto::{Color, Square};

/// The smallest terminal that shows a board.
const LEAST: (u16, u16) = (30, 16);
/// Below this much time a running clock is shown in red, in microseconds.
const SHORT_US: u64 = 20 * SECOND_US;
/// Columns that the moves need beside the board.
const SIDE_COLUMNS: u16 = 26;

/// Lines of a box in letters.
const ASCII_BORDER: border::Set<'_> = border::Set {
    top_left: "+",
    top_right: "+",
    bottom_left: "+",
    bottom_right: "+",
    vertical_left: "|",
    vertical_right: "|",
    horizontal_top: "-",
    horizontal_bottom: "-",
};

/// How signs and colours are shown.
#[derive(Debug, Clone, Copy)]
pub struct Look {
    /// Letters instead of figures.
    pub ascii: bool,
    /// No colours.
    pub plain: bool,
}

/// Draws the game as it stands at `now`.
pub fn table(frame: &mut Frame<'_>, table: &mut Table, look: Look, now: Instant) {
    let area = frame.area();
    if area.width < LEAST.0 || area.height < LEAST.1 {
        let text = format!("{}x{} is too small", area.width, area.height);
        frame.render_widget(Paragraph::new(text), area);
        return;
    }
    let rows = [Constraint::Length(1), Constraint::Min(0), Constraint::Length(3)];
    let [title, middle, bottom] = Layout::vertical(rows).areas(area);
    frame.render_widget(Line::from(table.title()).style(Modifier::BOLD), title);
    let (height, width) = square_size(middle);
    let columns = [Constraint::Length(8 * width + 3), Constraint::Length(1), Constraint::Min(0)];
    let [left, _, right] = Layout::horizontal(columns).areas(middle);
    let rows = [1, 8 * height + 1, 1].map(Constraint::Length);
    let [above, board, below] = Layout::vertical(rows).areas(left);
    let bottom_side = table.bottom;
    player(frame.buffer_mut(), above, table, !bottom_side, look, now);
    squares(frame.buffer_mut(), board, table, look, (width, height));
    player(frame.buffer_mut(), below, table, bottom_side, look, now);
    if right.width >= 12 {
        if table.help { help(frame, right, look) } else { beside(frame, right, table, look) }
    }
    prompt(frame, bottom, table);
}

/// Rows and columns of a square, as large as fits beside the list of moves.
fn square_size(area: Rect) -> (u16, u16) {
    let columns = |height: u16| if height == 1 { 3 } else { 2 * height };
    (1..=3)
        .rev()
        .find(|&height| 8 * height + 3 <= area.height && 8 * columns(height) + 3 + SIDE_COLUMNS <= area.width)
        .map_or((1, 3), |height| (height, columns(height)))
}

/// A player's line: whose clock runs, name, what is offered, time.
fn player(buffer: &mut Buffer, area: Rect, table: &mut Table, side: Color, look: Look, now: Instant) {
    let running = table.view.running() == Some(side);
    let remaining = table.view.remaining_us(side, now);
    let view = &table.view;
    let marker = match (running, look.ascii) {
        (true, false) => "▶ ",
        (true, true) => "> ",
        (false, _) => "  ",
    };
    let mut text = format!("{marker}{}", view.setup().players[side]);
    if !view.present()[side] && !view.status().is_over() {
        text.push_str(" (away)");
    }
    if view.offer() == Some(side) {
        text.push_str(": draw?");
    } else if view.takeback() == Some(side) {
        text.push_str(": take back?");
    }
    let clock = remaining.map_or_else(|| "no clock".into(), format_clock);
    let clock = format!(" {clock} ");
    let room = usize::from(area.width).saturating_sub(clock.len() + 1);
    buffer.set_stringn(area.x, area.y, &text, room, Style::new().add_modifier(Modifier::BOLD));
    let mut style = Style::new().add_modifier(Modifier::BOLD);
    if running {
        style = style.add_modifier(Modifier::REVERSED);
        if remaining.is_some_and(|us| us < SHORT_US) && !look.plain {
            style = style.fg(Ink::Red);
        }
    }
    let at = area.right().saturating_sub(u16::try_from(clock.len()).unwrap_or(0));
    buffer.set_string(at.max(area.x), area.y, &clock, style);
}

/// The board with its coordinates.
fn squares(buffer: &mut Buffer, area: Rect, table: &Table, look: Look, (width, height): (u16, u16)) {
    let last = table.view.moves().last();
    for index in 0..64u8 {
        let Some(square) = Square::new(index) else { continue };
        let (mut column, mut row) = (u16::from(square.file()), u16::from(7 - square.rank()));
        if table.bottom == Color::Black {
            (column, row) = (7 - column, 7 - row);
        }
        let place = Rect::new(area.x + 3 + column * width, area.y + row * height, width, height);
        let place = place.intersection(buffer.area);
        if place.is_empty() {
            continue;
        }
        let man = table.view.board().man(square);
        let marked = last.is_some_and(|mv| mv.from == square || mv.to == square);
        buffer.set_style(place, men::style(square, man, marked, look.plain));
        let sign = match man {
            Some(man) => men::sign(man, look.ascii, look.plain),
            None if look.plain && men::is_dark(square) => '.',
            None => ' ',
        };
        let middle = (place.x + (width - 1) / 2, place.y + (height - 1) / 2);
        if let Some(cell) = buffer.cell_mut(middle) {
            cell.set_char(sign);
        }
        if column == 0 {
            buffer.set_string(area.x + 1, middle.1, (square.rank() + 1).to_string(), Style::new());
        }
        if row == 7 {
            let letter = char::from(b'a' + square.file()).to_string();
            let below = (place.y + height).min(buffer.area.bottom().saturating_sub(1));
            buffer.set_string(middle.0, below, letter, Style::new());
        }
    }
}

/// The list of moves and, under it, what happened.
fn beside(frame: &mut Frame<'_>, area: Rect, table: &Table, look: Look) {
    let rows = [Constraint::Percentage(55), Constraint::Min(0)];
    let [above, below] = Layout::vertical(rows).areas(area);
    panel(frame, above, look, "Moves", move_lines(table));
    let width = usize::from(below.width.saturating_sub(2));
    let lines = table.log.iter().flat_map(|text| wrapped(text, width)).collect();
    panel(frame, below, look, "Events", lines);
}

/// A titled box with the last of these lines.
fn panel(frame: &mut Frame<'_>, area: Rect, look: Look, title: &str, lines: Vec<String>) {
    let mut block = Block::new().borders(Borders::TOP | Borders::LEFT).title(title.to_string());
    if look.ascii {
        block = block.border_set(ASCII_BORDER);
    }
    let room = usize::from(block.inner(area).height);
    let skipped = lines.len().saturating_sub(room);
    let lines: Vec<Line<'_>> = lines.into_iter().skip(skipped).map(Line::from).collect();
    frame.render_widget(Paragraph::new(lines).block(block), area);
}

/// One line for each full move.
fn move_lines(table: &Table) -> Vec<String> {
    let start = table.view.start();
    let mut lines = Vec::new();
    let mut number = start.number();
    let mut line = match start.turn() {
        Color::White => String::new(),
        Color::Black => format!("{number:>3}. {:<9}", "..."),
    };
    for name in &table.names {
        if line.is_empty() {
            line = format!("{number:>3}. {name:<9}");
        } else {
            lines.push(format!("{line} {name}"));
            line.clear();
            number = number.saturating_add(1);
        }
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}

fn help(frame: &mut Frame<'_>, area: Rect, look: Look) {
    let lines = HELP.iter().flat_map(|(word, meaning)| {
        let one = format!("{word:<15} {meaning}");
        if one.len() <= usize::from(area.width.saturating_sub(1)) {
            vec![one]
        } else {
            vec![(*word).to_string(), format!("  {meaning}")]
        }
    });
    panel(frame, area, look, "Help (Enter closes it)", lines.collect());
}

/// How it stands, what is typed, and what can be typed.
fn prompt(frame: &mut Frame<'_>, area: Rect, table: &Table) {
    let rows = [1, 1, 1].map(Constraint::Length);
    let [said, typed, hint] = Layout::vertical(rows).areas(area);
    let (text, tone) = said_text(table);
    let style = match tone {
        Tone::Quiet => Style::new(),
        Tone::Loud => Style::new().add_modifier(Modifier::BOLD),
    };
    Line::from(text).style(style).render(said, frame.buffer_mut());
    let line = format!("> {}", table.input);
    let end = u16::try_from(Line::from(line.as_str()).width()).unwrap_or(u16::MAX);
    frame.render_widget(Line::from(line), typed);
    frame.set_cursor_position((typed.x.saturating_add(end).min(typed.right().saturating_sub(1)), typed.y));
    let hints = match (table.side, table.view.status().is_over()) {
        (None, _) => "flip  help  quit",
        (Some(_), true) => "rematch  flip  quit",
        (Some(_), false) if table.view.setup().terms.rules.casual => {
            "move (Nf3 or g1f3)  draw  resign  takeback  abort  flip  help  quit"
        }
        (Some(_), false) => "move (Nf3 or g1f3)  draw  resign  flip  help  quit",
    };
    frame.render_widget(Line::from(hints).style(Modifier::DIM), hint);
}

/// The most urgent thing to say.
fn said_text(table: &Table) -> (String, Tone) {
    if let Some((text, tone)) = &table.message {
        return (text.clone(), *tone);
    }
    if let Some(text) = words::status(table.view.status()) {
        return match &table.rematch {
            Some(by) => (format!("{text}. {by} offers another game: type rematch"), Tone::Loud),
            None => (text, Tone::Loud),
        };
    }
    if let Some(text) = asked(table) {
        return (text, Tone::Loud);
    }
    let turn = table.view.board().turn();
    let text = match table.side {
        Some(side) if side == turn => "your move".into(),
        Some(_) => format!("{} is thinking", table.view.setup().players[turn]),
        None => format!("{turn} to move"),
    };
    (text, Tone::Quiet)
}

/// What the opponent waits to be answered.
fn asked(table: &Table) -> Option<String> {
    let opponent = !table.side?;
    let name = &table.view.setup().players[opponent];
    if table.view.offer() == Some(opponent) {
        Some(format!("{name} offers a draw: accept, decline, or just play on"))
    } else if table.view.takeback() == Some(opponent) {
        Some(format!("{name} asks to take back: accept or decline"))
    } else {
        None
    }
}

/// `text` in lines of at most `width` letters, broken between words where possible.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let mut letters: Vec<char> = word.chars().collect();
        let used = lines.last().map_or(0, |line| line.chars().count());
        if used > 0 && used + 1 + letters.len() <= width {
            if let Some(line) = lines.last_mut() {
                line.push(' ');
                line.extend(letters);
            }
            continue;
        }
        while !letters.is_empty() {
            let rest = letters.split_off(letters.len().min(width.max(1)));
            let line: String = letters.into_iter().collect();
            match lines.last_mut() {
                Some(last) if last.is_empty() => *last = line,
                _ => lines.push(line),
            }
            letters = rest;
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;
    use std::time::Duration;
    use zeitnot_client::GameView;
    use zeitnot_client::game::Heard;
    use zeitnot_client::proto::rules::{Rules, Start, Terms};
    use zeitnot_client::proto::snapshot::{ClockReading, Snapshot, Status};
    use zeitnot_client::proto::{ByColor, GameId, List, Seq, Setup, Stamp, Text};

    #[test]
    fn texts_are_broken_between_words() {
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(wrapped("abcdefgh ij", 3), ["abc", "def", "gh", "ij"]);
        assert_eq!(wrapped("", 5), [""]);
        assert_eq!(wrapped("ab", 0), ["a", "b"]);
    }

    /// A game after three moves, Black's flag near.
    fn game() -> Table {
        let moves = ["e2e4", "e7e5", "g1f3"].map(|mv| mv.parse().unwrap()).to_vec();
        let setup = Setup {
            game: GameId(12),
            players: ByColor::new(Text::cut("anna"), Text::cut("bela")),
            terms: Terms {
                time_control: "300+3".parse().unwrap(),
                rules: Rules::default(),
                start: Start::default(),
                spectator_delay_us: 0,
            },
            event: Text::default(),
            round: Text::default(),
        };
        let snapshot = Snapshot {
            setup,
            seq: Seq(9),
            position_seq: Seq(9),
            fen: Text::cut("rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2"),
            moves: List::cut(moves),
            completed: ByColor::new(2, 1),
            period: ByColor::both(1),
            clock: ClockReading {
                main_us: ByColor::new(290_500_000, 9_000_000),
                running: Some(Color::Black),
                began: None,
                delay_us: 0,
            },
            status: Status::Playing,
            offer: Some(Color::White),
            takeback: None,
            claim: None,
            bound_to: None,
            present: ByColor::new(true, false),
            last_command: None,
        };
        let heard = Heard { at: Instant::now(), rtt: Duration::ZERO };
        let mut table = Table::new(GameView::new(Stamp(0), snapshot, heard), Some(Color::White));
        table.log.push("anna offers a draw (9.1)".into());
        table.input = "Nc6".into();
        table
    }

    fn picture(width: u16, height: u16, table: &mut Table) -> Vec<String> {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        let look = Look { ascii: true, plain: true };
        terminal.draw(|frame| super::table(frame, table, look, Instant::now())).unwrap();
        let cells = terminal.backend().buffer().content.chunks(usize::from(width.max(1)));
        cells
            .map(|row| row.iter().map(ratatui::buffer::Cell::symbol).collect::<String>().trim_end().into())
            .collect()
    }

    #[test]
    fn a_game_at_80_by_24() {
        let expected = "
Game 12: anna - bela, 300+3, fide-2023
> bela (away)                 0:09  +Moves--------------------------------------
 8  r   n   b   q   k   b   n   r   |  1. e2-e4     e7-e5
                                    |  2. Ng1-f3
 7  p   p   p   p   .   p   p   p   |
                                    |
 6      .       .       .       .   |
                                    |
 5  .       .       p       .       |
                                    |
 4      .       .   P   .       .   |
                                    |
 3  .       .       .   N   .       +Events-------------------------------------
                                    |anna offers a draw (9.1)
 2  P   P   P   P       P   P   P   |
                                    |
 1  R   N   B   Q   K   B   .   R   |
                                    |
    a   b   c   d   e   f   g   h   |
  anna: draw?                 4:51  |
                                    |
bela is thinking
> Nc6
move (Nf3 or g1f3)  draw  resign  flip  help  quit";
        assert_eq!(picture(80, 24, &mut game()), expected.lines().skip(1).collect::<Vec<_>>());
    }

    proptest! {
        #[test]
        fn no_size_panics(width in 0u16..150, height in 0u16..60, help: bool, black: bool) {
            let mut table = game();
            table.help = help;
            table.bottom = if black { Color::Black } else { Color::White };
            picture(width, height, &mut table);
        }
    }

    #[test]
    fn squares_fit_the_terminal() {
        // What is left of 80x24 after title and prompt.
        assert_eq!(square_size(Rect::new(0, 1, 80, 20)), (2, 4));
        assert_eq!(square_size(Rect::new(0, 1, 120, 36)), (3, 6));
        assert_eq!(square_size(Rect::new(0, 1, 40, 12)), (1, 3));
    }
}
