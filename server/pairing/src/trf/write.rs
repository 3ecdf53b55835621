//! Writing.

use std::fmt::Write as _;

use super::{Dialect, Report, Subject};
use crate::points::{PointSystem, Points};
use crate::round::{Bye, Color, Entry, Score, Tpn};
use crate::tournament::{Acceleration, Player, Tournament};

/// The plain text records in the order of the format.
const TEXTS: [&str; 15] =
    ["012", "022", "032", "042", "052", "092", "102", "112", "122", "132", "182", "192", "202", "212", "222"];

pub(super) fn write(report: &Report) -> String {
    let (now, before) = (&report.tournament, &report.as_read);
    let ending =
        report.source.first().map_or("\r\n", |line| if line.ending.is_empty() { "\n" } else { line.ending });
    let mut out = String::new();
    let mut done: Vec<Subject> = Vec::new();
    let unchanged = |subject| render(now, subject, report.dialect) == render(before, subject, report.dialect);
    for line in &report.source {
        if line.subject == Subject::Opaque || unchanged(line.subject) {
            out.push_str(&line.text);
            out.push_str(line.ending);
        } else if !done.contains(&line.subject) {
            for text in render(now, line.subject, report.dialect) {
                out.push_str(&text);
                out.push_str(ending);
            }
        }
        if !done.contains(&line.subject) {
            done.push(line.subject);
        }
    }
    for subject in canonical(now) {
        let lines = render(now, subject, report.dialect);
        // What a file read never said and nobody changed stays unsaid.
        let said = done.contains(&subject) || !report.fresh && unchanged(subject);
        if said || lines.is_empty() {
            continue;
        }
        if !out.is_empty() && !out.ends_with(['\r', '\n']) {
            out.push_str(ending);
        }
        for text in lines {
            out.push_str(&text);
            out.push_str(ending);
        }
    }
    out
}

/// Every subject of a tournament in the order of a fresh file.
fn canonical(tournament: &Tournament) -> Vec<Subject> {
    let mut subjects: Vec<Subject> = TEXTS[..5].iter().map(|&tag| Subject::Text(tag)).collect();
    subjects.extend([Subject::PlayerCount, Subject::RatedCount]);
    subjects.extend(TEXTS[5..10].iter().map(|&tag| Subject::Text(tag)));
    subjects.extend([Subject::Rounds, Subject::InitialColour, Subject::Points]);
    subjects.extend(TEXTS[10..].iter().map(|&tag| Subject::Text(tag)));
    subjects.extend(tournament.players.iter().map(|p| Subject::Player(p.tpn)));
    subjects.extend([Subject::Byes, Subject::Accelerations, Subject::Forbidden, Subject::Adjustments]);
    subjects
}

/// The lines about one subject; none if there is nothing to say.
fn render(tournament: &Tournament, subject: Subject, dialect: Dialect) -> Vec<String> {
    match subject {
        Subject::Text(tag) => texts(tournament, tag),
        Subject::PlayerCount => vec![format!("062 {}", tournament.players.len())],
        Subject::RatedCount => {
            let rated = tournament.players.iter().filter(|player| player.rating.is_some()).count();
            vec![format!("072 {rated}")]
        }
        Subject::Rounds => {
            let tag = if dialect == Dialect::Bx { "XXR" } else { "142" };
            tournament.rounds.map(|rounds| format!("{tag} {rounds}")).into_iter().collect()
        }
        Subject::InitialColour => {
            let text = |colour| match (dialect, colour) {
                (Dialect::Bx, Color::White) => "XXC white1",
                (Dialect::Bx, Color::Black) => "XXC black1",
                (Dialect::Trf2026, Color::White) => "152 W",
                (Dialect::Trf2026, Color::Black) => "152 B",
            };
            tournament.initial_colour.map(|colour| text(colour).to_owned()).into_iter().collect()
        }
        Subject::Points => point_lines(&tournament.points, dialect),
        Subject::Player(tpn) => {
            tournament.player(tpn).map(|player| player_line(tournament, player)).into_iter().collect()
        }
        Subject::Byes => byes(tournament),
        Subject::Accelerations => accelerations(tournament),
        Subject::Forbidden => forbidden(tournament, dialect),
        Subject::Adjustments => tournament
            .adjustments
            .iter()
            .map(|a| {
                let round = a.round.map_or_else(String::new, |r| r.to_string());
                format!("299          {:>5} {round:>3} {}", a.points, list(&a.players))
            })
            .collect(),
        Subject::Opaque => Vec::new(),
    }
}

fn texts(tournament: &Tournament, tag: &str) -> Vec<String> {
    let event = &tournament.event;
    let text = match tag {
        "012" => &event.name,
        "022" => &event.city,
        "032" => &event.federation,
        "042" => &event.start,
        "052" => &event.end,
        "092" => &event.kind,
        "102" => &event.chief_arbiter,
        "112" => return event.deputies.iter().map(|name| format!("112 {name}")).collect(),
        "122" => &event.time_control,
        "132" => {
            let dates: Vec<String> = event.round_dates.iter().map(|date| format!("{date:<8}")).collect();
            return if dates.is_empty() {
                Vec::new()
            } else {
                vec![format!("132{:88}{}", "", dates.join("  ")).trim_end().to_owned()]
            };
        }
        "182" => &event.pairing_program,
        "192" => &tournament.system,
        "202" => &tournament.tie_breaks.join(","),
        "222" => &event.encoded_time_control,
        // Standings are points, then the tie-breaks of record 202.
        "212" if !tournament.tie_breaks.is_empty() => &format!("PTS,{}", tournament.tie_breaks.join(",")),
        _ => return Vec::new(),
    };
    if text.is_empty() { Vec::new() } else { vec![format!("{tag} {text}")] }
}

fn list(players: &[Tpn]) -> String {
    players.iter().map(|tpn| format!("{tpn:>4}")).collect::<Vec<_>>().join(" ")
}

fn point_lines(points: &PointSystem, dialect: Dialect) -> Vec<String> {
    let by_default = PointSystem::of(points.win, points.draw, points.loss);
    let standard = PointSystem::default();
    if *points == standard {
        return Vec::new();
    }
    // What single letters cannot say needs the codes of XXS.
    let letters_suffice = points.forfeit_win == points.win
        && points.full_bye == points.win
        && points.half_bye == points.draw
        && points.forfeit_loss == points.zero_bye;
    if dialect == Dialect::Bx && points.unknown == points.draw && also_by_letters(points) {
        let values = [
            ("BBW", points.win),
            ("BBD", points.draw),
            ("BBL", points.loss),
            ("BBZ", points.zero_bye),
            ("BBF", points.forfeit_loss),
            ("BBU", points.allocated_bye),
        ];
        return values.iter().map(|(tag, value)| format!("{tag} {value:>4}")).collect();
    }
    if dialect == Dialect::Bx || !letters_suffice {
        return vec![format!(
            "XXS W={} D={} WL={} FW={} FL={} HPB={} FPB={} ZPB={} PAB={}",
            points.win,
            points.draw,
            points.loss,
            points.forfeit_win,
            points.forfeit_loss,
            points.half_bye,
            points.full_bye,
            points.zero_bye,
            points.allocated_bye
        )];
    }
    let mut values: Vec<(char, Points)> = Vec::new();
    let mut say = |code, value: Points, default: Points| {
        if value != default {
            values.push((code, value));
        }
    };
    say('W', points.win, standard.win);
    say('D', points.draw, standard.draw);
    say('L', points.loss, standard.loss);
    say('A', points.zero_bye, standard.zero_bye);
    say('P', points.allocated_bye, by_default.allocated_bye);
    say('X', points.unknown, by_default.unknown);
    let mut line = "162  ".to_owned();
    for (i, (code, value)) in values.into_iter().enumerate() {
        let _ = write!(line, "{}{code}{value:>4}", if i == 0 { "" } else { "    " });
    }
    vec![line]
}

/// What the records `BBW` to `BBU` can say: byes and forfeit wins are worth what a game is.
fn also_by_letters(points: &PointSystem) -> bool {
    points.forfeit_win == points.win && points.full_bye == points.win && points.half_bye == points.draw
}

fn byes(tournament: &Tournament) -> Vec<String> {
    tournament
        .requested_byes
        .iter()
        .filter(|bye| !bye.players.is_empty())
        .map(|bye| {
            let kind = match bye.kind {
                Bye::Full | Bye::Allocated => 'F',
                Bye::Half => 'H',
                Bye::Zero => 'Z',
            };
            format!("240 {kind} {:>3} {}", bye.round, list(&bye.players))
        })
        .collect()
}

fn accelerations(tournament: &Tournament) -> Vec<String> {
    tournament
        .accelerations
        .iter()
        .map(|acceleration| match acceleration {
            Acceleration::Range { points, rounds: (first, last), players: (low, high) } => {
                format!("250      {points:>4} {first:>3} {last:>3} {low:>4} {high:>4}")
            }
            Acceleration::Player { tpn, points } => {
                let points: Vec<String> = points.iter().map(|p| format!("{p:>4}")).collect();
                format!("XXA {tpn:>4} {}", points.join(" ")).trim_end().to_owned()
            }
        })
        .collect()
}

fn forbidden(tournament: &Tournament, dialect: Dialect) -> Vec<String> {
    tournament
        .forbidden
        .iter()
        .map(|group| match (group.rounds, dialect) {
            (None, Dialect::Bx) => {
                let players: Vec<String> = group.players.iter().map(Tpn::to_string).collect();
                format!("XXP {}", players.join(" "))
            }
            (rounds, _) => {
                let (first, last) = rounds.unwrap_or((1, tournament.rounds.unwrap_or(999)));
                format!("260 {first:>3} {last:>3} {}", list(&group.players))
            }
        })
        .collect()
}

fn player_line(tournament: &Tournament, player: &Player) -> String {
    let number = |value: Option<u16>| value.map_or_else(String::new, |v| v.to_string());
    let points = tournament.score_before(player, tournament.rounds_paired() + 1);
    let name: String = player.name.chars().take(33).collect();
    let mut line = format!(
        "001 {:>4} {}{:>3} {name:<33} {:>4} {:>3} {:>11} {:>10} {points:>4} {:>4}",
        player.tpn,
        player.sex.unwrap_or(' '),
        player.title,
        number(player.rating),
        player.federation,
        player.fide_id,
        player.birth,
        number(player.rank),
    );
    for &entry in &player.rounds {
        line.push_str("  ");
        line.push_str(&entry_text(entry));
    }
    line.trim_end().to_owned()
}

fn entry_text(entry: Entry) -> String {
    let letter = |colour| match colour {
        Color::White => 'w',
        Color::Black => 'b',
    };
    match entry {
        Entry::Played { opponent, colour, score, rated } => {
            let result = match (score, rated) {
                (Score::Win, true) => '1',
                (Score::Draw, true) => '=',
                (Score::Loss, true) => '0',
                (Score::Win, false) => 'W',
                (Score::Draw, false) => 'D',
                (Score::Loss, false) => 'L',
            };
            format!("{opponent:>4} {} {result}", letter(colour))
        }
        Entry::Forfeit { opponent, colour, won } => {
            format!("{opponent:>4} {} {}", colour.map_or('-', letter), if won { '+' } else { '-' })
        }
        Entry::Paired { opponent, colour } => format!("{opponent:>4} {}  ", letter(colour)),
        Entry::Bye(Bye::Half) => "0000 - H".to_owned(),
        Entry::Bye(Bye::Full) => "0000 - F".to_owned(),
        Entry::Bye(Bye::Zero) => "0000 - Z".to_owned(),
        Entry::Bye(Bye::Allocated) => "0000 - U".to_owned(),
        Entry::Absent => " ".repeat(8),
    }
}
