//! Status of a Map's item.

use crate::json::Text;

/// Status of a Map's item.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ItemStanding {
    /// The item succeeded.
    Ok,
    /// The item failed with this error.
    Failed(Text),
    /// The item was aborted.
    Aborted,
    /// The item is running.
    Running,
    /// The item was running when the run ended.
    CutShort,
    /// The item has not started.
    NotBegun,
}

impl ItemStanding {
    /// Status as text: `ok`, `running`, ..., or the name of the error.
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
