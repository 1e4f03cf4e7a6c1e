//! What is known of a missing value: the write that dropped it, or that it was never there.

use super::assigned::Assigned;
use super::site::Site;
use crate::definition::StateId;
use crate::interpreter::Stage;
use crate::json::{Pointer, Text, Value};
use crate::source::Span;

/// What is known of a value that is missing.
#[derive(Clone, Debug, PartialEq)]
pub struct Absent {
    /// The place that was asked about.
    pub of: Site,
    /// The state that it is in.
    pub state: Option<StateId>,
    /// The place down to the first step that is missing.
    pub missing: Pointer,
    /// What became of it.
    pub absence: Absence,
    /// The name that is there and most like the missing one.
    pub nearest: Option<Text>,
    /// How many items of this Map have it, of how many.
    pub items: Option<(usize, usize, StateId)>,
    /// Where else there is a member of the same name: in the same document, or in the input of this state.
    pub elsewhere: Option<(Option<StateId>, Pointer)>,
    /// The state whose result has what is missing, and whose ResultPath null drops that result; and where that stands.
    pub discarded: Option<(StateId, Option<Span>)>,
    /// Of a variable that nothing has set: what would.
    pub assigned: Option<Assigned>,
    /// The same place in another document of the same state: its result has it where its input was read, or the other
    /// way round.
    pub other: Option<(StateId, Stage)>,
    /// What would be its parent, where that is there and has no members.
    pub above: Option<(Pointer, Value)>,
    /// The state that would write it, and did not run; and where that stands.
    pub unrun: Option<(StateId, Span)>,
}

impl Absent {
    /// What became of it, as a code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match &self.absence {
            Absence::Dropped(_) => "dropped",
            Absence::Withheld(_) => "withheld",
            Absence::Never if self.assigned.is_some() => "assigned",
            Absence::Never if self.unrun.is_some() => "unrun",
            Absence::Never if self.discarded.is_some() => "discarded",
            Absence::Never => "never",
        }
    }

    /// Whether there is a place to go to: where it was lost, what would have set it, or where its parent comes from.
    #[must_use]
    pub fn leads_on(&self) -> bool {
        self.absence != Absence::Never || self.assigned.is_some() || self.barred().is_some()
    }

    /// Where it stands now, where the field that dropped it moved it.
    #[must_use]
    pub fn now(&self) -> Option<&Pointer> {
        match &self.absence {
            Absence::Dropped(drop) => drop.now.as_ref(),
            _ => None,
        }
    }

    /// Its parent, where it was never there because that has no members.
    #[must_use]
    pub fn barred(&self) -> Option<Site> {
        let (at, _) = self.above.as_ref()?;
        (self.absence == Absence::Never).then(|| self.of.at(at.clone()))
    }
}

/// A field that leaves out what is missing, whether it was there before or not.
#[derive(Clone, Debug, PartialEq)]
pub struct Passed {
    /// Where it is missing after the field.
    pub to: Site,
    /// The state.
    pub state: StateId,
    /// The field.
    pub field: Text,
    /// Where the field stands, or the state.
    pub span: Option<Span>,
}

/// What became of a value that is missing.
#[derive(Clone, Debug, PartialEq)]
pub enum Absence {
    /// It was there.
    Dropped(Drop),
    /// It was not, but a field had it at hand and did not pass it on.
    Withheld(Withheld),
    /// It never was.
    Never,
}

/// A field that read from what has a member of the name that is missing, and leaves that member out.
#[derive(Clone, Debug, PartialEq)]
pub struct Withheld {
    /// The field.
    pub by: Passed,
    /// Where the member stands.
    pub was: Site,
    /// Of the items of a Map: how many of them have it, of how many.
    pub items: Option<(usize, usize)>,
}

/// Where a value was dropped.
#[derive(Clone, Debug, PartialEq)]
pub struct Drop {
    /// Where it is missing first, and after which event.
    pub to: Site,
    /// The state that dropped it.
    pub state: StateId,
    /// The field that did, or whose absence did.
    pub field: Text,
    /// The field's text; `None` where it is not written.
    pub written: Option<Text>,
    /// Where the field stands, or the state.
    pub span: Option<Span>,
    /// Where it was there last.
    pub was: Site,
    /// Where, in what was asked about, all of it stands since then: the field moved it there.
    pub now: Option<Pointer>,
}
