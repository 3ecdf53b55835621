//! Reading.

use super::line::Line;
use super::{Dialect, Report, SourceLine, Subject, TrfError, consistency};
use crate::points::{PointSystem, Points};
use crate::round::{Bye, Color, Entry, Score, Tpn};
use crate::tournament::{Acceleration, Adjustment, Forbidden, Player, RequestedBye, Tournament};

/// State while the lines go by.
#[derive(Default)]
pub(super) struct Reader {
    pub(super) tournament: Tournament,
    pub(super) warnings: Vec<TrfError>,
    dialect: Dialect,
    /// Where each player's line is, in order of appearance.
    pub(super) lines: Vec<(Tpn, Line)>,
    /// The points each player's line claims.
    pub(super) claimed: Vec<(Tpn, Option<Points>)>,
    /// Players named in records, with the place, to be checked once all players are known.
    pub(super) mentioned: Vec<(Tpn, usize)>,
    /// `XXZ`: absent from the next round, which is known only at the end.
    absent: Vec<Tpn>,
}

pub(super) fn read(text: &str) -> Result<Report, TrfError> {
    let mut reader = Reader::default();
    let mut source = Vec::new();
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    for (i, (content, ending)) in split(body).into_iter().enumerate() {
        let subject = reader.line(&Line::new(i + 1, content))?;
        source.push(SourceLine { text: content.to_owned(), ending, subject });
    }
    if body.len() < text.len()
        && let Some(first) = source.first_mut()
    {
        first.text.insert(0, '\u{feff}');
    }
    consistency::check(&mut reader)?;
    let Reader { mut tournament, warnings, dialect, absent, .. } = reader;
    if !absent.is_empty() {
        let round = tournament.rounds_paired() + 1;
        tournament.requested_byes.push(RequestedBye { kind: Bye::Zero, round, players: absent });
    }
    Ok(Report { as_read: tournament.clone(), tournament, warnings, dialect, fresh: false, source })
}

/// Lines with their endings: CR LF, LF or the format's own CR.
fn split(text: &str) -> Vec<(&str, &'static str)> {
    let mut lines = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['\r', '\n']) {
        let ending = if rest[at..].starts_with("\r\n") {
            "\r\n"
        } else if rest[at..].starts_with('\n') {
            "\n"
        } else {
            "\r"
        };
        lines.push((&rest[..at], ending));
        rest = &rest[at + ending.len()..];
    }
    if !rest.is_empty() {
        lines.push((rest, ""));
    }
    lines
}

impl Reader {
    fn line(&mut self, line: &Line) -> Result<Subject, TrfError> {
        let tag = line.text(1, 3);
        let event = &mut self.tournament.event;
        Ok(match tag.as_str() {
            "001" => self.player(line)?,
            "012" => set("012", &mut event.name, line),
            "022" => set("022", &mut event.city, line),
            "032" => set("032", &mut event.federation, line),
            "042" => set("042", &mut event.start, line),
            "052" => set("052", &mut event.end, line),
            "062" => Subject::PlayerCount,
            "072" => Subject::RatedCount,
            "092" => set("092", &mut event.kind, line),
            "102" => set("102", &mut event.chief_arbiter, line),
            "112" => {
                event.deputies.push(line.rest(5));
                Subject::Text("112")
            }
            "122" => set("122", &mut event.time_control, line),
            "132" => {
                event.round_dates =
                    (92..=line.len()).step_by(10).map(|column| line.text(column, column + 7)).collect();
                Subject::Text("132")
            }
            "182" => set("182", &mut event.pairing_program, line),
            "192" => set("192", &mut self.tournament.system, line),
            "222" => set("222", &mut event.encoded_time_control, line),
            "202" | "212" => self.tie_breaks(line, &tag),
            "142" | "XXR" => self.rounds(line, &tag)?,
            "152" => self.initial_colour(line)?,
            "XXC" => self.configuration(line)?,
            "162" => self.point_values(line)?,
            "XXS" => self.point_codes(line)?,
            "BBW" | "BBD" | "BBL" | "BBZ" | "BBF" | "BBU" => self.bb_points(line, &tag)?,
            "240" => self.bye(line)?,
            "250" => self.acceleration(line)?,
            "XXA" => self.player_acceleration(line)?,
            "260" => self.forbidden(line)?,
            "XXP" => {
                self.dialect = Dialect::Bx;
                let players = self.mentions(line, 4)?;
                self.tournament.forbidden.push(Forbidden { rounds: None, players });
                Subject::Forbidden
            }
            "XXZ" => {
                self.dialect = Dialect::Bx;
                let players = self.mentions(line, 4)?;
                self.absent.extend(players);
                Subject::Byes
            }
            "299" => self.adjustment(line)?,
            "013" | "310" => return Err(line.error(1, "team tournaments are not supported")),
            // Comments, national ratings, counts and records this crate does not use.
            _ => Subject::Opaque,
        })
    }

    fn mentions(&mut self, line: &Line, from: usize) -> Result<Vec<Tpn>, TrfError> {
        let players = line.tpns(from)?;
        self.mentioned.extend(players.iter().map(|&tpn| (tpn, line.number)));
        Ok(players)
    }

    fn tie_breaks(&mut self, line: &Line, tag: &str) -> Subject {
        let codes = line.rest(5);
        let codes = codes.split([',', ' ']).map(str::trim).filter(|code| !code.is_empty()).map(str::to_owned);
        if tag == "202" || self.tournament.tie_breaks.is_empty() {
            self.tournament.tie_breaks = codes.filter(|code| code != "PTS").collect();
        }
        Subject::Text(if tag == "202" { "202" } else { "212" })
    }

    fn rounds(&mut self, line: &Line, tag: &str) -> Result<Subject, TrfError> {
        if tag == "XXR" {
            self.dialect = Dialect::Bx;
        }
        let rounds = line.number::<usize>(4, usize::MAX, "the number of rounds")?;
        match rounds {
            Some(rounds) if (1..=999).contains(&rounds) => self.tournament.rounds = Some(rounds),
            _ => return Err(line.error(5, "expected the number of rounds, 1 to 999")),
        }
        Ok(Subject::Rounds)
    }

    fn initial_colour(&mut self, line: &Line) -> Result<Subject, TrfError> {
        self.tournament.initial_colour = Some(match line.rest(4).as_str() {
            "W" | "w" => Color::White,
            "B" | "b" => Color::Black,
            other => return Err(line.error(5, format!("expected W or B, found '{other}'"))),
        });
        Ok(Subject::InitialColour)
    }

    fn configuration(&mut self, line: &Line) -> Result<Subject, TrfError> {
        self.dialect = Dialect::Bx;
        for (column, word) in line.words(4) {
            match word.as_str() {
                "white1" => self.tournament.initial_colour = Some(Color::White),
                "black1" => self.tournament.initial_colour = Some(Color::Black),
                other => {
                    return Err(line.error(column, format!("expected white1 or black1, found '{other}'")));
                }
            }
        }
        Ok(Subject::InitialColour)
    }

    /// Record 162: pairs of a letter and a value in columns 6, 15, 24, ...
    fn point_values(&mut self, line: &Line) -> Result<Subject, TrfError> {
        let points = &mut self.tournament.points;
        let mut allocated = None;
        let mut unknown = None;
        for column in (6..=line.len()).step_by(9) {
            let code = line.char(column);
            if code == ' ' {
                continue;
            }
            let value = line
                .points(column + 1, column + 4)?
                .ok_or_else(|| line.error(column + 1, format!("no points for '{code}'")))?;
            match code.to_ascii_uppercase() {
                'W' => {
                    (points.win, points.forfeit_win, points.full_bye) = (value, value, value);
                    points.allocated_bye = allocated.unwrap_or(value);
                }
                'D' => {
                    (points.draw, points.half_bye) = (value, value);
                    points.unknown = unknown.unwrap_or(value);
                }
                'L' => points.loss = value,
                'A' => (points.zero_bye, points.forfeit_loss) = (value, value),
                'P' => {
                    allocated = Some(value);
                    points.allocated_bye = value;
                }
                'X' => {
                    unknown = Some(value);
                    points.unknown = value;
                }
                other => {
                    return Err(line.error(column, format!("unknown result '{other}'; W, D, L, A, P or X")));
                }
            }
        }
        Ok(Subject::Points)
    }

    /// `XXS WW=1 WD=.5 ...`
    fn point_codes(&mut self, line: &Line) -> Result<Subject, TrfError> {
        self.dialect = Dialect::Bx;
        for (column, word) in line.words(4) {
            let (code, value) = word
                .split_once('=')
                .and_then(|(code, value)| Some((code, Points::parse(value)?)))
                .ok_or_else(|| line.error(column, format!("expected CODE=POINTS, found '{word}'")))?;
            let points: &mut PointSystem = &mut self.tournament.points;
            match code {
                "W" => (points.win, points.forfeit_win, points.full_bye) = (value, value, value),
                "D" => (points.draw, points.half_bye) = (value, value),
                "WW" | "BW" => points.win = value,
                "WD" | "BD" => points.draw = value,
                "WL" | "BL" => points.loss = value,
                "ZPB" => points.zero_bye = value,
                "HPB" => points.half_bye = value,
                "FPB" => points.full_bye = value,
                "PAB" => points.allocated_bye = value,
                "FW" => points.forfeit_win = value,
                "FL" => points.forfeit_loss = value,
                other => return Err(line.error(column, format!("unknown code '{other}'"))),
            }
        }
        Ok(Subject::Points)
    }

    fn bb_points(&mut self, line: &Line, tag: &str) -> Result<Subject, TrfError> {
        self.dialect = Dialect::Bx;
        let value =
            line.points(4, usize::MAX)?.ok_or_else(|| line.error(5, "expected points such as 1.0"))?;
        let points = &mut self.tournament.points;
        match tag {
            "BBW" => {
                // The allocated bye follows the win until BBU says otherwise.
                let follows = points.allocated_bye == points.win;
                (points.win, points.forfeit_win, points.full_bye) = (value, value, value);
                if follows {
                    points.allocated_bye = value;
                }
            }
            "BBD" => (points.draw, points.half_bye, points.unknown) = (value, value, value),
            "BBL" => points.loss = value,
            "BBZ" => points.zero_bye = value,
            "BBF" => points.forfeit_loss = value,
            _ => points.allocated_bye = value,
        }
        Ok(Subject::Points)
    }

    fn bye(&mut self, line: &Line) -> Result<Subject, TrfError> {
        let kind = match line.char(5).to_ascii_uppercase() {
            'F' => Bye::Full,
            'H' => Bye::Half,
            'Z' => Bye::Zero,
            other => return Err(line.error(5, format!("expected F, H or Z, found '{other}'"))),
        };
        let round = line
            .number::<usize>(7, 9, "a round number")?
            .filter(|&round| round > 0)
            .ok_or_else(|| line.error(7, "expected a round number"))?;
        let players = self.mentions(line, 10)?;
        self.tournament.requested_byes.push(RequestedBye { kind, round, players });
        Ok(Subject::Byes)
    }

    fn acceleration(&mut self, line: &Line) -> Result<Subject, TrfError> {
        let need = |value: Option<usize>, column| {
            value.filter(|&v| v > 0).ok_or_else(|| line.error(column, "expected a round number"))
        };
        let points =
            line.points(10, 13)?.ok_or_else(|| line.error(10, "expected the number of fictitious points"))?;
        let first = need(line.number(15, 17, "a round number")?, 15)?;
        let last = need(line.number(19, 21, "a round number")?, 19)?;
        let player =
            |from, to| line.tpn(from, to)?.ok_or_else(|| line.error(from, "expected a pairing number"));
        let players = (player(23, 26)?, player(28, 31)?);
        self.tournament.accelerations.push(Acceleration::Range { points, rounds: (first, last), players });
        Ok(Subject::Accelerations)
    }

    fn player_acceleration(&mut self, line: &Line) -> Result<Subject, TrfError> {
        self.dialect = Dialect::Bx;
        let tpn = line.tpn(5, 8)?.ok_or_else(|| line.error(5, "expected a pairing number"))?;
        self.mentioned.push((tpn, line.number));
        let mut points = Vec::new();
        for column in (10..=line.len()).step_by(5) {
            points.push(line.points(column, column + 3)?.unwrap_or_default());
        }
        self.tournament.accelerations.push(Acceleration::Player { tpn, points });
        Ok(Subject::Accelerations)
    }

    fn forbidden(&mut self, line: &Line) -> Result<Subject, TrfError> {
        let first = line.number(5, 7, "a round number")?.unwrap_or(1);
        let last = line.number(9, 11, "a round number")?.unwrap_or(first);
        let players = self.mentions(line, 12)?;
        self.tournament.forbidden.push(Forbidden { rounds: Some((first, last)), players });
        Ok(Subject::Forbidden)
    }

    /// Record 299: only bonus and penalty points; other kinds change what a result is worth for one player.
    fn adjustment(&mut self, line: &Line) -> Result<Subject, TrfError> {
        if line.char(5) != ' ' {
            return Err(line.error(5, "points by kind of result for single players are not supported"));
        }
        let points = line.points(14, 18)?.ok_or_else(|| line.error(14, "expected points"))?;
        let round = line.number(20, 22, "a round number")?.filter(|&round| round > 0);
        let players = self.mentions(line, 23)?;
        self.tournament.adjustments.push(Adjustment { points, round, players });
        Ok(Subject::Adjustments)
    }

    fn player(&mut self, line: &Line) -> Result<Subject, TrfError> {
        let tpn = line.tpn(5, 8)?.ok_or_else(|| line.error(5, "a player needs a pairing number"))?;
        let mut player = Player {
            tpn,
            name: line.text(15, 47),
            sex: Some(line.char(10)).filter(|c| !c.is_whitespace()),
            title: line.text(11, 13),
            rating: line.number::<u16>(49, 52, "a rating")?.filter(|&rating| rating > 0),
            federation: line.text(54, 56),
            fide_id: line.text(58, 68),
            birth: line.text(70, 79),
            rank: line.number(86, 89, "a rank")?,
            rounds: Vec::new(),
        };
        let claimed = line.points(81, 84)?;
        for column in (92..=line.len()).step_by(10) {
            player.rounds.push(entry(line, column, tpn)?);
        }
        while player.rounds.last() == Some(&Entry::Absent) {
            player.rounds.pop();
        }
        let Err(at) = self.tournament.players.binary_search_by_key(&tpn, |p| p.tpn) else {
            return Err(line.error(5, format!("pairing number {tpn} is used twice")));
        };
        self.tournament.players.insert(at, player);
        self.claimed.push((tpn, claimed));
        self.lines.push((tpn, line.clone()));
        Ok(Subject::Player(tpn))
    }
}

fn set(tag: &'static str, field: &mut String, line: &Line) -> Subject {
    *field = line.rest(5);
    Subject::Text(tag)
}

/// One round: opponent in four columns, colour, result.
fn entry(line: &Line, column: usize, own: Tpn) -> Result<Entry, TrfError> {
    let opponent = line.tpn(column, column + 3)?;
    let (colour_at, result_at) = (column + 5, column + 7);
    let colour = match line.char(colour_at).to_ascii_lowercase() {
        'w' => Some(Color::White),
        'b' => Some(Color::Black),
        '-' | ' ' => None,
        other => return Err(line.error(colour_at, format!("expected w, b or -, found '{other}'"))),
    };
    let result = line.char(result_at).to_ascii_uppercase();
    let Some(opponent) = opponent else {
        return match result {
            'H' | '=' => Ok(Entry::Bye(Bye::Half)),
            'F' | '+' => Ok(Entry::Bye(Bye::Full)),
            'U' => Ok(Entry::Bye(Bye::Allocated)),
            'Z' | '-' => Ok(Entry::Bye(Bye::Zero)),
            ' ' => Ok(Entry::Absent),
            '1' | '0' | 'W' | 'D' | 'L' => Err(line.error(result_at, "a game needs an opponent")),
            other => Err(line.error(result_at, format!("unknown result '{other}'"))),
        };
    };
    if opponent == own {
        return Err(line.error(column, "a player cannot meet himself"));
    }
    let score = match result {
        '1' | 'W' => Score::Win,
        '=' | 'D' => Score::Draw,
        '0' | 'L' => Score::Loss,
        '+' | '-' => return Ok(Entry::Forfeit { opponent, colour, won: result == '+' }),
        ' ' => {
            return colour
                .map(|colour| Entry::Paired { opponent, colour })
                .ok_or_else(|| line.error(colour_at, "an opponent without a colour"));
        }
        'H' | 'F' | 'U' | 'Z' => {
            return Err(line.error(result_at, format!("a bye ('{result}') cannot have an opponent")));
        }
        other => return Err(line.error(result_at, format!("unknown result '{other}'"))),
    };
    let colour = colour.ok_or_else(|| line.error(colour_at, "a game that was played needs a colour"))?;
    Ok(Entry::Played { opponent, colour, score, rated: matches!(result, '1' | '=' | '0') })
}
