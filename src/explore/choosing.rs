//! Checks the rules of a Choice for comparisons that cannot match the type or format of the data, and for matching
//! rules
//! that are never taken because an earlier rule matches too.

use super::step::Course;
use crate::definition::{Choice, StateId, StateKind, Test};
use crate::interpreter::{Edge, EventKind, Frame, Machine, Stage, holds};
use crate::session;

/// A rule of a Choice with a possible mistake that a run revealed.
#[derive(Clone, Debug)]
pub struct Noticed {
    /// The Choice.
    pub state: StateId,
    /// Index of the rule.
    pub rule: u32,
    /// Description of the possible mistake.
    pub why: Why,
    /// The input and the answers up to this point.
    pub course: Course,
    /// Number of earlier moments in the run.
    pub moments: usize,
}

/// The possible mistake in a rule.
#[derive(Clone, Debug)]
pub enum Why {
    /// A comparison cannot match the type or the format of the data.
    Misfit {
        /// The reason.
        text: String,
        /// True if the value is null.
        is_null: bool,
    },
    /// The rule matches, but was not taken because the earlier rule with this index matches as well.
    Late(u32),
}

impl Noticed {
    /// True if both describe the same rule and the same kind of mistake.
    #[must_use]
    pub fn is_like(&self, other: &Self) -> bool {
        let kind = |one: &Self| (one.state, one.rule, matches!(one.why, Why::Late(_)));
        kind(self) == kind(other)
    }
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
    pub fn misfits(&self) -> Vec<(u32, Why)> {
        let all = session::misfits(self.machine, self.frame, self.choice).into_iter();
        let why = |session::Misfit {
                       rule,
                       text,
                       is_null,
                   }| (rule, Why::Misfit { text, is_null });
        all.map(why).collect()
    }

    /// The matching rules after the rule that was taken, as pairs of (later rule, taken rule).
    #[must_use]
    pub fn late(&self) -> Vec<(u32, Why)> {
        let Some(Edge::Rule(by)) = self.taken else {
            return Vec::new();
        };
        let data = self.frame.visit.data.latest(Stage::AfterInputPath);
        let bindings = self.machine.inspect(self.frame, &data);
        let later = (0..).zip(&self.choice.rules).skip(by as usize + 1);
        later
            .filter(|(_, rule)| !matches!(rule.test, Test::Always(_) | Test::Condition(_)))
            .filter(|(_, rule)| holds(&rule.test, &bindings) == Ok(true))
            .map(|(rule, _)| (rule, Why::Late(by)))
            .collect()
    }
}
