//! How an item of a Map stands.

use crate::json::Text;

/// How an item of a Map stands.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ItemStanding {
    /// It succeeded.
    Ok,
    /// It failed with an error of this name.
    Failed(Text),
    /// It was stopped.
    Aborted,
    /// It is running.
    Running,
    /// It was running when the run ended.
    CutShort,
    /// It has not begun.
    NotBegun,
}

impl ItemStanding {
    /// `ok`, `running`, ..., or the error's name.
    #[must_use]
    pub fn words(&self) -> &str {
        match self {
            Self::Ok => "ok",
            Self::Failed(error) => error,
            Self::Aborted => "aborted",
            Self::Running => "running",
            Self::CutShort => "cut short",
            Self::NotBegun => "not begun",
        }
    }
}
