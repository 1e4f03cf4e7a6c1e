//! Checks the rules of a Choice for comparisons that cannot match the type or format of the data, and for matching
//! rules
//! that are never taken because an earlier rule matches too.

use super::step::Way;
use crate::definition::{Choice, StateId, StateKind, Test};
use crate::interpreter::{Edge, EventKind, Frame, Machine, Stage, holds};
use crate::json::Value;
use crate::session;

/// A comparison that is false because of the type or format of its value.
#[derive(Clone, Debug)]
pub struct Misfit {
    /// The Choice.
    pub state: StateId,
    /// Index of its rule.
    pub rule: u32,
    /// Both values, and why they cannot match.
    pub text: String,
    /// True if the value is null, which may mean a missing value, and no other test requires it to be present.
    pub is_null: bool,
    /// The answers up to this point.
    pub way: Way,
    /// The input, if it is not the usual one.
    pub input: Option<Value>,
    /// Number of earlier moments in the run.
    pub moments: usize,
}

/// A rule that matches, but comes after another matching rule.
#[derive(Clone, Debug)]
pub struct Late {
    /// The Choice.
    pub state: StateId,
    /// Index of the rule.
    pub rule: u32,
    /// Index of the earlier rule.
    pub by: u32,
    /// The answers up to this point.
    pub way: Way,
    /// The input, if it is not the usual one.
    pub input: Option<Value>,
    /// Number of earlier moments in the run.
    pub moments: usize,
}

/// A Choice that has just been evaluated, in a frame of a machine.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    machine: &'a Machine,
    frame: &'a Frame,
    choice: &'a Choice,
    taken: Option<Edge>,
}

impl<'a> Asked<'a> {
    /// The Choice that an event is about; `None` for an event about anything else.
    #[must_use]
    pub fn of(machine: &'a Machine, frame: &'a Frame, kind: EventKind) -> Option<Self> {
        let taken = match kind {
            EventKind::Chosen => frame.visit.edge,
            EventKind::ErrorRaised => None,
            _ => return None,
        };
        match &machine.definition().state(frame.visit.state)?.kind {
            StateKind::Choice(choice) => Some(Self {
                machine,
                frame,
                choice,
                taken,
            }),
            _ => None,
        }
    }

    /// The evaluated comparisons that cannot match their values.
    #[must_use]
    pub fn misfits(&self) -> Vec<session::Misfit> {
        session::misfits(self.machine, self.frame, self.choice)
    }

    /// The matching rules after the rule that was taken, as pairs of (later rule, taken rule).
    #[must_use]
    pub fn late(&self) -> Vec<(u32, u32)> {
        let Some(Edge::Rule(by)) = self.taken else {
            return Vec::new();
        };
        let data = self.frame.visit.data.latest(Stage::AfterInputPath);
        let bindings = self.machine.inspect(self.frame, &data);
        let later = (0..).zip(&self.choice.rules).skip(by as usize + 1);
        later
            .filter(|(_, rule)| !matches!(rule.test, Test::Always(_) | Test::Condition(_)))
            .filter(|(_, rule)| holds(&rule.test, &bindings) == Ok(true))
            .map(|(rule, _)| (rule, by))
            .collect()
    }
}
