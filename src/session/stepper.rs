//! The activity in progress: the goal, the focus frame, the last stop and the clock's limit.

use super::clock::Clock;
use super::goal::{Goal, Rule};
use super::stop::Stop;
use super::sweep::Sweep;
use super::trail::Seeking;
use crate::interpreter::FrameId;

/// State of stepping.
#[derive(Debug)]
pub(super) struct Stepper {
    /// The frame that steps apply to.
    pub focus: FrameId,
    /// The goal; `None` while nothing is in progress.
    pub goal: Option<Goal>,
    /// The range that a backward search replays.
    pub sweep: Option<Sweep>,
    /// The search for an origin, and the travel there.
    pub seeking: Option<Box<Seeking>>,
    /// Reason for the current or last stop.
    pub stop: Stop,
    pub clock: Clock,
    /// True to step into every child execution that a task starts, even when not stepping by stages.
    pub enters_children: bool,
}

impl Stepper {
    /// True if each stage stops and child executions are entered.
    pub fn is_stepping(&self) -> bool {
        matches!(
            self.goal,
            Some(Goal::Frame {
                rule: Rule::Stage,
                ..
            })
        )
    }
}

impl Default for Stepper {
    fn default() -> Self {
        Self {
            focus: FrameId(0),
            goal: None,
            sweep: None,
            seeking: None,
            stop: Stop::Start,
            clock: Clock::Free,
            enters_children: false,
        }
    }
}
