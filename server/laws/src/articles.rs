//! The articles that rulings rest on, in the numbering of the game's edition.

use crate::rulebook::Rulebook;
use zeitnot_proto::event::Article;
use zeitnot_proto::rules::{Edition, Speed};

macro_rules! articles {
    ($($(#[$doc:meta])+ $name:ident: $a97:literal, $a14:literal, $a23:literal;)+) => {
        /// What a ruling rests on.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Ground { $($(#[$doc])+ $name,)+ }

        impl Ground {
            const fn number(self, edition: Edition) -> &'static str {
                match (self, edition) {
                    $((Ground::$name, Edition::Fide1997) => $a97,
                      (Ground::$name, Edition::Fide2014) => $a14,
                      (Ground::$name, Edition::Fide2023) => $a23,)+
                }
            }
        }
    };
}

articles! {
    /// Mate.
    Checkmate: "5.1a", "5.1a", "5.1.1";
    /// Resignation.
    Resignation: "5.1b", "5.1b", "5.1.2";
    /// Stalemate.
    Stalemate: "5.2", "5.2a", "5.2.1";
    /// A dead position.
    DeadPosition: "9.6", "5.2b", "5.2.2";
    /// Agreement.
    Agreement: "5.3", "5.2c", "5.2.3";
    /// Start of play.
    Start: "6.5", "6.6", "6.6";
    /// Default time.
    Default: "6.6", "6.7a", "6.7.1";
    /// Misuse of the clock.
    Misuse: "6.7c", "6.2d", "6.2.4";
    /// A flag that counts as fallen.
    FlagFall: "6.8", "6.8", "6.8";
    /// The moves of the period were completed.
    Period: "6.3", "6.3b", "6.3.2";
    /// Time.
    Time: "6.9", "6.9", "6.9";
    /// Clock settings.
    ClockSetting: "6.10", "6.10b", "6.10.2";
    /// Both flags down, a period to come.
    BothFlags: "6.11", "6.11a", "III.3.1.1";
    /// Both flags down, in the last period.
    BothFlagsLast: "10.4", "6.11b", "III.3.1.2";
    /// The arbiter stops the clocks.
    Pause: "6.12a", "6.12a", "6.11.1";
    /// A player stops them.
    PlayerPause: "6.12b", "6.12b", "6.11.2";
    /// Resumption.
    Resume: "6.12c", "6.12c", "6.11.3";
    /// Setting clocks after an irregularity.
    Judgement: "6.13", "7.1", "7.1";
    /// A wrong array.
    WrongArray: "7.1a", "7.2a", "7.2.1";
    /// A turned board.
    TurnedBoard: "7.1b", "7.2b", "7.2.2";
    /// Reversed colours.
    Colours: "7.2", "7.3", "7.3";
    /// Displaced men.
    Displaced: "7.3", "7.4", "7.4.1";
    /// An illegal move is taken back.
    Restore: "7.4", "7.5a", "7.5.1";
    /// What illegal moves cost.
    IllegalPenalty: "10.3", "7.5b", "7.5.5";
    /// A pawn left on the last rank.
    Unpromoted: "7.4", "7.5a", "7.5.2";
    /// A press without a move.
    EmptyPress: "6.7c", "6.2d", "7.5.3";
    /// Two hands.
    TwoHands: "4.1", "4.1", "7.5.4";
    /// Touched men.
    Touch: "4.3", "4.3", "4.3";
    /// The right to complain about touched men.
    ClaimTouch: "4.6", "4.8", "4.8";
    /// Scoresheets after the flag.
    Scoresheet: "8.5", "8.5", "8.5";
    /// The result stands as confirmed.
    Confirmed: "8", "8.7", "8.7";
    /// Offers.
    Offer: "9.1", "9.1b", "9.1.2.1";
    /// Agreements that the event restricts.
    Consent: "9.1", "9.1a", "9.1.1";
    /// A claim that offers a draw.
    ClaimOffers: "9.1", "9.1b3", "9.1.2.3";
    /// Three occurrences.
    Threefold: "9.2", "9.2", "9.2";
    /// Fifty moves.
    Fifty: "9.3", "9.3", "9.3";
    /// A claim stops the clocks.
    ClaimStops: "9.5", "9.5", "9.5.1";
    /// A correct claim.
    ClaimRight: "9.5a", "9.5a", "9.5.2";
    /// A wrong claim.
    ClaimWrong: "9.5b", "9.5b", "9.5.3";
    /// Five occurrences.
    Fivefold: "9.2", "9.6a", "9.6.1";
    /// Seventy-five moves.
    SeventyFive: "9.3", "9.6b", "9.6.2";
    /// A quickplay claim.
    Quickplay: "10.2", "G.5", "III.5";
    /// A quickplay draw.
    QuickplayDraw: "10.2a", "G.5a", "III.5.1";
    /// A postponed quickplay claim.
    QuickplayPostponed: "10.2b", "G.5b", "III.5.2";
    /// A quickplay claim decided after the flag.
    QuickplayAfterFlag: "10.2c", "G.5b", "III.5.2";
    /// A rejected quickplay claim.
    QuickplayRejected: "10.2", "G.5c", "III.5.3";
    /// An increment on request.
    Increment: "10.2", "G.4", "III.4";
    /// Quickplay without an arbiter.
    QuickplayReferred: "D", "G.6", "III.6";
    /// An arbiter's result: refusal to comply.
    Refusal: "12.7", "11.7", "11.7";
    /// Both at fault.
    BothLose: "12.8", "11.8", "11.8";
    /// Disturbing the opponent.
    Disturbing: "12.5", "11.5", "11.5";
    /// Fair play.
    FairPlay: "12.2", "11.3", "11.3";
    /// The arbiter watches time scrambles.
    Scramble: "13.3", "12.3", "12.3";
    /// Extra time.
    ExtraTime: "13.5", "12.5", "12.5";
    /// A warning.
    Warning: "13.4a", "12.9a", "12.9.1";
    /// More time for the opponent.
    AddTime: "13.4b", "12.9b", "12.9.2";
    /// Less time for the offender.
    SubtractTime: "13.4c", "12.9c", "12.9.3";
    /// Loss of the game.
    Loss: "13.4d", "12.9f", "12.9.6";
    /// Expulsion.
    Expulsion: "13.4e", "12.9h", "12.9.9";
    /// Adjournment.
    Adjourn: "A", "Guidelines I", "I.1";
    /// A sealed move that loses.
    Sealed: "A", "Guidelines I", "I.9";
    /// An illegal position that stands.
    IllegalPosition: "7.4", "A.4d", "A.5.4";
}

/// Rapid and blitz have appendices of their own for some of it.
const FAST: &[(Ground, Edition, &str)] = &[
    (Ground::Restore, Edition::Fide2014, "A.4b"),
    (Ground::Restore, Edition::Fide2023, "A.5.2"),
    (Ground::IllegalPenalty, Edition::Fide2014, "A.4b"),
    (Ground::IllegalPenalty, Edition::Fide2023, "A.5.2"),
    (Ground::Restore, Edition::Fide1997, "B5"),
    (Ground::IllegalPenalty, Edition::Fide1997, "B5"),
    (Ground::FlagFall, Edition::Fide1997, "B6"),
    (Ground::FlagFall, Edition::Fide2014, "A.4d"),
    (Ground::FlagFall, Edition::Fide2023, "A.5.5"),
    (Ground::BothFlags, Edition::Fide1997, "B8"),
    (Ground::BothFlagsLast, Edition::Fide1997, "B8"),
    (Ground::WrongArray, Edition::Fide1997, "B4"),
    (Ground::WrongArray, Edition::Fide2014, "A.4a"),
    (Ground::WrongArray, Edition::Fide2023, "A.5.1"),
    (Ground::ClockSetting, Edition::Fide1997, "B4"),
    (Ground::ClockSetting, Edition::Fide2014, "A.4a"),
    (Ground::ClockSetting, Edition::Fide2023, "A.5.1.1"),
];

impl Rulebook {
    /// The article of this ground in the numbering of the game's edition.
    pub(crate) fn article(&self, ground: Ground) -> &'static str {
        // Law 1997 C3: blitz has its own rule on illegal moves.
        let blitz97 = self.edition == Edition::Fide1997 && self.speed == Speed::Blitz;
        if blitz97 && matches!(ground, Ground::Restore | Ground::IllegalPenalty) {
            return "C3";
        }
        if self.speed != Speed::Standard && !self.supervised {
            let own = FAST.iter().find(|(g, edition, _)| *g == ground && *edition == self.edition);
            if let Some((_, _, article)) = own {
                return article;
            }
        }
        ground.number(self.edition)
    }

    /// The same as it stands on an entry.
    pub(crate) fn cite(&self, ground: Ground) -> Article {
        Article::cut(self.article(ground))
    }
}
