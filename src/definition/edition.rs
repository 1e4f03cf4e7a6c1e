//! The editions of the language.
//!
//! It must not know the fields that they brought.

/// An edition of the language, by what it brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Edition {
    /// The oldest that is known.
    First,
    /// Map.
    Maps,
    /// `ResultSelector`, the paths of timeouts, the first intrinsic functions.
    Selectors,
    /// `Credentials`.
    Roles,
    /// Distributed Maps; `Iterator` became `ItemProcessor`.
    Distributed,
    /// `ErrorPath`, and the longest delay of a retrier.
    ErrorPaths,
    /// JSONata and variables.
    Expressions,
    /// None that is known: AWS documents it.
    Aws,
}

impl Edition {
    /// All, oldest first.
    pub const ALL: [Self; 8] = [
        Self::First,
        Self::Maps,
        Self::Selectors,
        Self::Roles,
        Self::Distributed,
        Self::ErrorPaths,
        Self::Expressions,
        Self::Aws,
    ];

    /// When it came out, as far as that is known.
    #[must_use]
    pub fn date(self) -> &'static str {
        match self {
            Self::First => "2018 or before",
            Self::Maps => "September 2019",
            Self::Selectors => "2020-08-11",
            Self::Roles => "2022-11-18",
            Self::Distributed => "2022-12-01",
            Self::ErrorPaths => "2023-09-07",
            Self::Expressions => "2024-11-22",
            Self::Aws => "AWS alone",
        }
    }
}
