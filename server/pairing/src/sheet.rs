//! Standings and crosstables as tables of text: CSV, Markdown, and one printable HTML page.

use std::fmt::Write as _;

use crate::round::{Bye, Color, Entry, Score, Tpn};
use crate::standings::Standings;
use crate::tournament::{Player, Tournament};

/// A table of text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sheet {
    /// What it shows.
    pub title: String,
    /// Column heads.
    pub head: Vec<String>,
    /// Rows as long as the head.
    pub rows: Vec<Vec<String>>,
}

/// Rank, number, name, rating, points, and the tie-breaks in order.
pub fn standings(tournament: &Tournament, standings: &Standings) -> Sheet {
    let mut head: Vec<String> =
        ["Rank", "No", "Title", "Name", "Fed", "Rating", "Points"].map(str::to_owned).to_vec();
    head.extend(standings.criteria.iter().map(ToString::to_string));
    let rows = standings
        .places
        .iter()
        .map(|place| {
            let mut row = vec![place.rank.to_string()];
            row.extend(person(tournament.player(place.tpn), place.tpn));
            row.push(place.points.to_string());
            row.extend(place.values.iter().map(ToString::to_string));
            row
        })
        .collect();
    Sheet { title: format!("Standings after round {}", standings.rounds), head, rows }
}

fn person(player: Option<&Player>, tpn: Tpn) -> [String; 5] {
    let text = |of: fn(&Player) -> &String| player.map(of).cloned().unwrap_or_default();
    let rating = player.and_then(|p| p.rating).map_or_else(String::new, |r| r.to_string());
    [tpn.to_string(), text(|p| &p.title), text(|p| &p.name), text(|p| &p.federation), rating]
}

/// One column a round, in order of the standings: opponent's rank, colour, result.
pub fn crosstable(tournament: &Tournament, standings: &Standings) -> Sheet {
    let rank = |tpn: Tpn| standings.places.iter().position(|place| place.tpn == tpn).map(|i| i + 1);
    let mut head: Vec<String> = ["Rank", "No", "Name", "Rating"].map(str::to_owned).to_vec();
    head.extend((1..=standings.rounds).map(|round| format!("R{round}")));
    head.push("Points".to_owned());
    let row = |(i, place): (usize, &crate::standings::Place)| {
        let [number, _, name, _, rating] = person(tournament.player(place.tpn), place.tpn);
        let mut row = vec![(i + 1).to_string(), number, name, rating];
        let entry = |round| tournament.player(place.tpn).map(|p| p.entry(round)).unwrap_or_default();
        row.extend((1..=standings.rounds).map(|round| cell(entry(round), &rank)));
        row.push(place.points.to_string());
        row
    };
    let rows = standings.places.iter().enumerate().map(row).collect();
    Sheet { title: format!("Crosstable after round {}", standings.rounds), head, rows }
}

/// Everyone against everyone, for round robins: results by opponent, one character a game.
pub fn matrix(tournament: &Tournament, standings: &Standings) -> Sheet {
    let mut head: Vec<String> = ["Rank", "No", "Name", "Rating"].map(str::to_owned).to_vec();
    head.extend((1..=standings.places.len()).map(|i| i.to_string()));
    head.push("Points".to_owned());
    let result = |own: &Player, opponent: Tpn| -> String {
        let games = own.rounds.iter().take(standings.rounds).filter(|e| e.opponent() == Some(opponent));
        games.map(|&entry| mark(entry)).collect()
    };
    let row = |(i, place): (usize, &crate::standings::Place)| {
        let [number, _, name, _, rating] = person(tournament.player(place.tpn), place.tpn);
        let mut row = vec![(i + 1).to_string(), number, name, rating];
        row.extend(standings.places.iter().map(|other| {
            if other.tpn == place.tpn {
                return "*".to_owned();
            }
            tournament.player(place.tpn).map_or_else(String::new, |own| result(own, other.tpn))
        }));
        row.push(place.points.to_string());
        row
    };
    let rows = standings.places.iter().enumerate().map(row).collect();
    Sheet { title: format!("Crosstable after round {}", standings.rounds), head, rows }
}

fn mark(entry: Entry) -> &'static str {
    match entry {
        Entry::Played { score: Score::Win, .. } => "1",
        Entry::Played { score: Score::Draw, .. } => "½",
        Entry::Played { score: Score::Loss, .. } => "0",
        Entry::Forfeit { won: true, .. } => "+",
        Entry::Forfeit { won: false, .. } => "-",
        Entry::Paired { .. } => "?",
        Entry::Bye(Bye::Half) => "½ bye",
        Entry::Bye(Bye::Full) => "1 bye",
        Entry::Bye(Bye::Allocated) => "bye",
        Entry::Bye(Bye::Zero) | Entry::Absent => "",
    }
}

fn cell(entry: Entry, rank: &impl Fn(Tpn) -> Option<usize>) -> String {
    let opponent =
        entry.opponent().map(|tpn| rank(tpn).map_or_else(|| format!("({tpn})"), |r| r.to_string()));
    let colour = match entry {
        Entry::Played { colour, .. } | Entry::Paired { colour, .. } => Some(colour),
        Entry::Forfeit { colour, .. } => colour,
        Entry::Bye(_) | Entry::Absent => None,
    };
    let letter = colour.map_or("", |c| if c == Color::White { "w" } else { "b" });
    format!("{}{letter}{}", opponent.unwrap_or_default(), mark(entry))
}

impl Sheet {
    /// Comma-separated, RFC 4180. Text that a spreadsheet would take for a formula gets an apostrophe in front.
    pub fn csv(&self) -> String {
        let field = |text: &String| {
            let risky = text.starts_with(['=', '@', '\t', '\r'])
                || text.starts_with(['+', '-']) && text.len() > 1 && text.parse::<f64>().is_err();
            let text = if risky { format!("'{text}") } else { text.clone() };
            if text.contains([',', '"', '\n', '\r']) {
                format!("\"{}\"", text.replace('"', "\"\""))
            } else {
                text
            }
        };
        let line = |row: &Vec<String>| row.iter().map(field).collect::<Vec<_>>().join(",") + "\r\n";
        std::iter::once(&self.head).chain(&self.rows).map(line).collect()
    }

    /// A Markdown table under its title.
    pub fn markdown(&self) -> String {
        let escape = |text: &String| text.replace('\\', "\\\\").replace('|', "\\|").replace('\n', " ");
        let line =
            |row: &Vec<String>| format!("| {} |\n", row.iter().map(escape).collect::<Vec<_>>().join(" | "));
        let rule: String = self.head.iter().map(|head| if is_text(head) { "---|" } else { "--:|" }).collect();
        let mut out = format!("## {}\n\n{}|{rule}\n", self.title, line(&self.head));
        out.extend(self.rows.iter().map(line));
        out
    }

    /// Columns of equal width, for a terminal.
    pub fn text(&self) -> String {
        let all = || std::iter::once(&self.head).chain(&self.rows);
        let width = |i: usize| all().map(|row| row[i].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..self.head.len()).map(width).collect();
        let mut out = format!("{}\n", self.title);
        for row in all() {
            let mut line = String::new();
            for ((text, &width), head) in row.iter().zip(&widths).zip(&self.head) {
                if is_text(head) {
                    let _ = write!(line, "{text:<width$}  ");
                } else {
                    let _ = write!(line, "{text:>width$}  ");
                }
            }
            out.push_str(line.trim_end());
            out.push('\n');
        }
        out
    }

    fn html_table(&self) -> String {
        let mut out = format!("<h2>{}</h2>\n<table>\n<thead><tr>", escape_html(&self.title));
        let class = |head: &String| if is_text(head) { "" } else { " class=\"n\"" };
        for head in &self.head {
            let _ = write!(out, "<th{}>{}</th>", class(head), escape_html(head));
        }
        out.push_str("</tr></thead>\n<tbody>\n");
        for row in &self.rows {
            out.push_str("<tr>");
            for (text, head) in row.iter().zip(&self.head) {
                let _ = write!(out, "<td{}>{}</td>", class(head), escape_html(text));
            }
            out.push_str("</tr>\n");
        }
        out.push_str("</tbody>\n</table>\n");
        out
    }
}

fn is_text(head: &str) -> bool {
    matches!(head, "Name" | "Title" | "Fed" | "Round" | "Games" | "Winner" | "Colour")
        || head.starts_with('R') && head[1..].parse::<u16>().is_ok()
}

fn escape_html(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// One page that needs nothing else, on screen and on paper.
pub fn html_page(title: &str, sheets: &[Sheet], notes: &[String]) -> String {
    let tables: String = sheets.iter().map(Sheet::html_table).collect();
    let notes = notes.iter().fold(String::new(), |out, note| out + "<p>" + &escape_html(note) + "</p>\n");
    let title = escape_html(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n<style>\n\
         body {{ font: 14px/1.35 sans-serif; margin: 1.5em; }}\n\
         table {{ border-collapse: collapse; margin-bottom: 1.5em; }}\n\
         th, td {{ padding: 2px 8px; border-bottom: 1px solid #bbb; text-align: left; white-space: nowrap; }}\n\
         th {{ border-bottom: 2px solid #444; }}\n\
         .n {{ text-align: right; font-variant-numeric: tabular-nums; }}\n\
         @media print {{ body {{ font-size: 10px; margin: 0; }} thead {{ display: table-header-group; }} \
         tr {{ break-inside: avoid; }} h2 {{ break-after: avoid; }} }}\n\
         </style>\n</head>\n<body>\n<h1>{title}</h1>\n{tables}{notes}</body>\n</html>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sheet() -> Sheet {
        Sheet {
            title: "Standings <1>".into(),
            head: ["Rank", "Name", "R1", "Points"].map(str::to_owned).to_vec(),
            rows: vec![
                ["1", "O'Neil, \"Jo\" | <b>", "2w1", "1.0"].map(str::to_owned).to_vec(),
                ["2", "=cmd()", "1b0", "-"].map(str::to_owned).to_vec(),
            ],
        }
    }

    #[test]
    fn names_cannot_break_out_of_a_table() {
        assert_eq!(
            sheet().csv(),
            "Rank,Name,R1,Points\r\n1,\"O'Neil, \"\"Jo\"\" | <b>\",2w1,1.0\r\n2,'=cmd(),1b0,-\r\n"
        );
        assert!(sheet().markdown().contains("| 1 | O'Neil, \"Jo\" \\| <b> | 2w1 | 1.0 |"));
        let page = html_page("A & B", &[sheet()], &["<i>".into()]);
        assert!(page.contains("A &amp; B") && page.contains("&lt;b&gt;") && page.contains("&lt;i&gt;"));
        assert!(!page.contains("<b>") && !page.contains("<i>"));
    }

    #[test]
    fn terminal_columns_align() {
        let text = sheet().text();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[1], "Rank  Name                R1   Points");
        assert_eq!(lines[3], "   2  =cmd()              1b0       -");
    }
}
