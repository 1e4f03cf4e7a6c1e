//! What a Choice asked of the data that came to it: comparisons that cannot hold for what that is, and rules that hold
//! too late, as one before them was taken.
//!
//! It must not know whether that is worth telling.

use super::step::Way;
use crate::definition::{Choice, StateId, StateKind, Test};
use crate::interpreter::{Edge, EventKind, Frame, Machine, Stage, holds};
use crate::json::Value;
use crate::session;

/// A comparison that is false for the type or the spelling of what it compares.
#[derive(Clone, Debug)]
pub struct Misfit {
    /// The Choice.
    pub state: StateId,
    /// Its rule.
    pub rule: u32,
    /// Both values, and why.
    pub text: String,
    /// Whether the value is null, which may stand for none, and nothing says that it is to be there.
    pub is_null: bool,
    /// What was answered until then.
    pub way: Way,
    /// The input, where it was not the usual one.
    pub input: Option<Value>,
    /// How many moments of the run came before.
    pub moments: usize,
}

/// A rule that holds, and comes after one that does.
#[derive(Clone, Debug)]
pub struct Late {
    /// The Choice.
    pub state: StateId,
    /// The rule.
    pub rule: u32,
    /// The rule before it.
    pub by: u32,
    /// What was answered until then.
    pub way: Way,
    /// The input, where it was not the usual one.
    pub input: Option<Value>,
    /// How many moments of the run came before.
    pub moments: usize,
}

/// What is looked at: a Choice that was just asked, in a frame of a machine.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    machine: &'a Machine,
    frame: &'a Frame,
    choice: &'a Choice,
    taken: Option<Edge>,
}

impl<'a> Asked<'a> {
    /// What an event says was asked; `None` where it is about something else.
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

    /// The comparisons that were asked and cannot hold for what they compare.
    #[must_use]
    pub fn misfits(&self) -> Vec<session::Misfit> {
        session::misfits(self.machine, self.frame, self.choice)
    }

    /// The rules after the one that was taken that hold as well, with the latter.
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
