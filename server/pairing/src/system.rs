//! Which system a report file is paired by.

use crate::tournament::Tournament;

/// The systems told apart by record 192, or by the words of record 092.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum System {
    /// FIDE (Dutch), also where a file says nothing.
    Dutch,
    /// Berger, one or more cycles.
    RoundRobin {
        /// How often everyone meets everyone.
        cycles: usize,
    },
    /// Something this crate does not pair; the code as written.
    Other(String),
}

impl System {
    /// What a tournament says it is.
    pub fn of(tournament: &Tournament) -> Self {
        let code = tournament.system.to_ascii_uppercase().replace([' ', '-'], "_");
        let words = tournament.event.kind.to_ascii_lowercase();
        let double = code.contains("DOUBLE") || words.contains("double");
        let squeezed = code.replace('_', "");
        if squeezed.contains("ROUNDROBIN")
            || code.is_empty() && words.contains("round") && words.contains("robin")
        {
            Self::RoundRobin { cycles: if double { 2 } else { 1 } }
        } else if code.is_empty() || code.contains("DUTCH") {
            Self::Dutch
        } else {
            Self::Other(tournament.system.clone())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_words_name_the_system() {
        let of = |system: &str, kind: &str| {
            let mut tournament = Tournament { system: system.into(), ..Tournament::default() };
            tournament.event.kind = kind.into();
            System::of(&tournament)
        };
        assert_eq!(of("FIDE_DUTCH_2025_BAKU", ""), System::Dutch);
        assert_eq!(of("", "Individual: Swiss-System (FIDE Dutch)"), System::Dutch);
        assert_eq!(of("FIDE_ROUNDROBIN", ""), System::RoundRobin { cycles: 1 });
        assert_eq!(of("FIDE_DOUBLE_ROUND_ROBIN", ""), System::RoundRobin { cycles: 2 });
        assert_eq!(of("", "Individual: Round-Robin"), System::RoundRobin { cycles: 1 });
        assert_eq!(of("FIDE_DUBOV", ""), System::Other("FIDE_DUBOV".into()));
    }
}
