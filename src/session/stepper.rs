//! What is under way: the goal, the frame that is followed, the stop that was reached, how far the clock may go.

use super::clock::Clock;
use super::goal::{Goal, Rule};
use super::stop::Stop;
use super::sweep::Sweep;
use super::trail::Seeking;
use crate::interpreter::FrameId;

/// The state of stepping.
#[derive(Debug)]
pub(super) struct Stepper {
    /// The frame that steps are counted in.
    pub focus: FrameId,
    /// Where it goes; `None` while nothing is under way.
    pub goal: Option<Goal>,
    /// The stretch that a search backwards walks again.
    pub sweep: Option<Sweep>,
    /// The search for where a value comes from, and the way there.
    pub seeking: Option<Box<Seeking>>,
    /// Why it stands, or stood last.
    pub stop: Stop,
    pub clock: Clock,
    /// Whether every execution that a task starts is gone into, not only where each stage stops.
    pub enters_children: bool,
}

impl Stepper {
    /// Whether each stage stops, and what is inside of one is gone into.
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
