//! A visit of a state as it is shown: when it was, how it stands, what is still to come of it.

use super::view::StateStatus;
use crate::interpreter::{Millis, Stage};

/// Which stages are still to come in a visit of a state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ToCome {
    /// Those that were not reached, in this attempt or the next.
    #[default]
    All,
    /// The output alone, which a catcher makes.
    Output,
    /// None: an error ends the visit, or it is over.
    Nothing,
}

impl ToCome {
    /// What is said of a stage that has no value.
    #[must_use]
    pub fn word(self, stage: Stage) -> &'static str {
        match self {
            Self::All => "not yet",
            Self::Output if stage == Stage::Output => "not yet",
            Self::Output | Self::Nothing => "not reached",
        }
    }
}

/// The visit of a state that is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VisitView {
    /// When the state was entered, on the virtual clock.
    pub entered: Millis,
    /// How long it took, or has taken so far.
    pub took: Millis,
    /// Whether it is over.
    pub is_over: bool,
    /// How it stands, by itself: other frames may be in the same state.
    pub status: StateStatus,
    /// Which visit of the state by its frame it is, from 1.
    pub number: u32,
}
