//! Notations: what is written reads back, and what is not of the form is refused.

use proptest::prelude::*;
use zeitnot_proto::time::{format_us, parse_us};
use zeitnot_proto::time_control::{Added, BadTimeControl, Period, TimeControl};
use zeitnot_proto::{Move, Reason, Role, Score, Square, Text};

#[test]
fn squares() {
    for index in 0..64 {
        let square = Square::new(index).unwrap();
        assert_eq!(square.to_string().parse(), Ok(square));
        assert_eq!(Square::at(square.file(), square.rank()), Some(square));
    }
    assert_eq!(Square::new(64), None);
    assert_eq!(Square::at(8, 0), None);
    assert_eq!("a1".parse::<Square>().unwrap().index(), 0);
    assert_eq!("h8".parse::<Square>().unwrap().index(), 63);
    for bad in ["", "a", "a0", "a9", "i1", "A1", "a1 ", "é1"] {
        assert!(bad.parse::<Square>().is_err(), "{bad}");
    }
}

#[test]
fn moves() {
    let promotions = [None, Some(Role::Knight), Some(Role::Bishop), Some(Role::Rook), Some(Role::Queen)];
    for from in 0..64 {
        for to in 0..64 {
            let (from, to) = (Square::new(from).unwrap(), Square::new(to).unwrap());
            for promotion in promotions {
                let mv = match promotion {
                    None => Move::new(from, to),
                    Some(role) => Move::promoting(from, to, role).unwrap(),
                };
                assert_eq!(mv.to_string().parse(), Ok(mv));
                assert_eq!(Move::from_bytes(mv.to_bytes()), Some(mv));
                assert_eq!(mv.promotion(), promotion);
            }
        }
    }
    for bad in ["", "e2", "e2e", "e2e4qq", "e7e8k", "e7e8p", "e7e8Q", "e2-e4", "0000", "ee44", "e2é4"] {
        assert!(bad.parse::<Move>().is_err(), "{bad}");
    }
    let all = (0..=u16::MAX).filter_map(|n| Move::from_bytes(n.to_le_bytes()));
    assert_eq!(all.count(), 64 * 64 * 5);
}

#[test]
fn time_controls() {
    for text in [
        "-",
        "300",
        "300+3",
        "0+1",
        "300d5",
        "300b5",
        "40/5400+30:1800+30",
        "40/7200:20/3600*",
        "15/60*",
        "1.5+0.25",
        "0.000001",
    ] {
        let control: TimeControl = text.parse().unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(control.to_string(), text);
    }
    for (text, why) in [
        ("", BadTimeControl::Notation),
        ("five", BadTimeControl::Notation),
        ("300+", BadTimeControl::Notation),
        ("300 + 3", BadTimeControl::Notation),
        ("-300", BadTimeControl::Notation),
        ("300.", BadTimeControl::Notation),
        (".5", BadTimeControl::Notation),
        ("300.1234567", BadTimeControl::Notation),
        ("70000/300:60", BadTimeControl::Notation),
        ("2592001", BadTimeControl::Notation),
        ("99999999999999999999", BadTimeControl::Notation),
        ("1/1:1/1:1/1:1/1:1/1:1/1:1/1:1/1:1", BadTimeControl::Notation),
        ("0", BadTimeControl::NoTime),
        ("0/300:60", BadTimeControl::Quota),
        ("300:60", BadTimeControl::Quota),
        ("40/300", BadTimeControl::Quota),
        ("300*", BadTimeControl::Quota),
    ] {
        assert_eq!(text.parse::<TimeControl>(), Err(why), "{text}");
    }
}

#[test]
fn periods_are_numbered_from_one() {
    let control: TimeControl = "40/7200:20/3600*".parse().unwrap();
    assert_eq!(control.period(0), None);
    assert_eq!(control.period(1).unwrap().moves, Some(40));
    assert_eq!(control.period(2).unwrap().moves, Some(20));
    assert_eq!(control.period(999).unwrap().moves, Some(20));
    assert!(!control.is_last(2));
    let control: TimeControl = "40/5400:1800".parse().unwrap();
    assert!(!control.is_last(1));
    assert!(control.is_last(2));
    assert_eq!(control.period(3), None);
}

#[test]
fn scores() {
    for text in ["0", "1", "1/2", "3/4", "255/254"] {
        assert_eq!(text.parse::<Score>().unwrap().to_string(), text);
    }
    assert_eq!("2/4".parse::<Score>(), Ok(Score::HALF));
    assert_eq!(Score::new(0, 7), Some(Score::ZERO));
    for bad in ["", "1/0", "0/0", "-1", "256", "1/2/3", "½"] {
        assert!(bad.parse::<Score>().is_err(), "{bad}");
    }
}

#[test]
fn reasons() {
    for name in ["checkmate", "seventyfive", "time_vs_no_mate", "adjudication"] {
        let reason = Reason::from_name(name);
        assert!(!matches!(reason, Reason::Named(_)), "{name}");
        assert_eq!(reason.name(), name);
    }
    assert_eq!(Reason::from_name("power failure"), Reason::Named(Text::cut("power failure")));
}

#[test]
fn times() {
    for (text, us) in [
        ("0", 0),
        ("5.25", 5_250_000),
        ("90", 90_000_000),
        ("1:30", 90_000_000),
        ("1:43:20.000", 6_200_000_000),
        ("0.000001", 1),
    ] {
        assert_eq!(parse_us(text), Some(us), "{text}");
    }
    for bad in ["", ":", "1:", "1:60", "1:60:00", "1:2:3:4", "1.", "1.1234567", "-1", "1e3", "99999999999999"]
    {
        assert_eq!(parse_us(bad), None, "{bad}");
    }
    assert_eq!(format_us(5_000_000), "0:05.000");
    assert_eq!(format_us(6_200_000_000), "1:43:20.000");
    assert_eq!(format_us(1), "0:00.000001");
}

fn added() -> impl Strategy<Value = Added> {
    let us = 1..=2_592_000_000_000u64;
    prop_oneof![
        Just(Added::Nothing),
        us.clone().prop_map(Added::Increment),
        us.clone().prop_map(Added::Delay),
        us.prop_map(Added::Bronstein),
    ]
}

proptest! {
    #[test]
    fn a_clock_reading_reads_back(us in 0..u64::MAX / 2) {
        prop_assert_eq!(parse_us(&format_us(us)), Some(us));
    }

    #[test]
    fn a_time_control_reads_back(
        rows in prop::collection::vec((1..=u16::MAX, 1..=2_592_000_000_000u64, added()), 1..=8),
        repeats: bool,
    ) {
        let last = rows.len() - 1;
        let periods = rows.into_iter().enumerate().map(|(i, (moves, base_us, added))| {
            Period { moves: (i < last || repeats).then_some(moves), base_us, added }
        });
        let control = TimeControl::new(periods.collect(), repeats).unwrap();
        prop_assert_eq!(control.to_string().parse(), Ok(control));
    }

    #[test]
    fn no_text_makes_a_notation_panic(text in ".{0,24}") {
        let _ = text.parse::<TimeControl>();
        let _ = text.parse::<Move>();
        let _ = text.parse::<Square>();
        let _ = text.parse::<Score>();
        let _ = parse_us(&text);
        let _ = Reason::from_name(&text);
        prop_assert!(Text::<5>::cut(&text).len() <= 5);
    }
}
