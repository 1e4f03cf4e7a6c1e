//! The editions of the Amazon States Language.

/// An edition of the language, named after its additions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Edition {
    /// The oldest known edition.
    First,
    /// Added the Map state.
    Maps,
    /// Added `ResultSelector`, the `...Path` forms of timeouts, and the first intrinsic functions.
    Selectors,
    /// Added `Credentials`.
    Roles,
    /// Added distributed Maps, and renamed `Iterator` to `ItemProcessor`.
    Distributed,
    /// Added `ErrorPath`, and the maximum delay of a retrier.
    ErrorPaths,
    /// Added JSONata and variables.
    Expressions,
    /// Stands for fields that AWS documents but the specification does not have.
    Aws,
}

impl Edition {
    /// All editions, oldest first.
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

    /// The release date of the edition, as precisely as it is known; `AWS alone` for [`Self::Aws`].
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
