//! A state's visit for display: its time, its status and the stages still to come.

use super::view::StateStatus;
use crate::interpreter::{Millis, Stage};

/// The stages of a visit that are still to come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ToCome {
    /// All stages that have not been reached, in this attempt or the next.
    #[default]
    All,
    /// Only the output, which a catcher produces.
    Output,
    /// No stages: an error ends the visit, or the visit has ended.
    Nothing,
}

impl ToCome {
    /// Text for a stage that has no value.
    #[must_use]
    pub fn word(self, stage: Stage) -> &'static str {
        match self {
            Self::All => "not yet",
            Self::Output if stage == Stage::Output => "not yet",
            Self::Output | Self::Nothing => "not reached",
        }
    }
}

/// The shown visit of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VisitView {
    /// Virtual time at which the state was entered.
    pub entered: Millis,
    /// Duration so far.
    pub took: Millis,
    /// True if the visit has ended.
    pub is_over: bool,
    /// Status of this visit alone; other frames may be in the same state.
    pub status: StateStatus,
    /// Number of the visit within its frame, starting at 1.
    pub number: u32,
}
