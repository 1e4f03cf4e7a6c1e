//! Information about a missing value: the write that dropped it, or that it never existed.

use super::assigned::Assigned;
use super::site::Site;
use crate::definition::StateId;
use crate::interpreter::Stage;
use crate::json::{Pointer, Text, Value};
use crate::source::Span;

/// Information about a missing value.
#[derive(Clone, Debug, PartialEq)]
pub struct Absent {
    /// The place that was asked about.
    pub of: Site,
    /// The state of that place.
    pub state: Option<StateId>,
    /// The position up to the first missing step.
    pub missing: Pointer,
    /// How the value was lost, or that it never existed.
    pub absence: Absence,
    /// The existing name that is most similar to the missing one.
    pub nearest: Option<Text>,
    /// For a Map: number of items that have the value, number of all items, and the Map.
    pub items: Option<(usize, usize, StateId)>,
    /// Another member with the same name: in the same document, or in the input of this state.
    pub elsewhere: Option<(Option<StateId>, Pointer)>,
    /// The state whose result has the value but is discarded by a ResultPath of null; and the location of that field.
    pub discarded: Option<(StateId, Option<Span>)>,
    /// For a variable that has not been set: the Assign that would set it.
    pub assigned: Option<Assigned>,
    /// The same position in another document of the same state: its result has the value if the input was read, or
    /// vice versa.
    pub other: Option<(StateId, Stage)>,
    /// The value that would contain the missing one, if it exists but has no members.
    pub above: Option<(Pointer, Value)>,
    /// A state that would write the value and did not run; and the location of the field.
    pub unrun: Option<(StateId, Span)>,
}

impl Absent {
    /// Code for what happened to the value.
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

    /// True if there is a place to go to: where the value was lost, what would have set it, or the origin of its
    /// parent.
    #[must_use]
    pub fn leads_on(&self) -> bool {
        self.absence != Absence::Never || self.assigned.is_some() || self.barred().is_some()
    }

    /// Current position of the value, if the field that dropped it moved it there.
    #[must_use]
    pub fn now(&self) -> Option<&Pointer> {
        match &self.absence {
            Absence::Dropped(drop) => drop.now.as_ref(),
            _ => None,
        }
    }

    /// The parent, if the value never existed because its parent has no members.
    #[must_use]
    pub fn barred(&self) -> Option<Site> {
        let (at, _) = self.above.as_ref()?;
        (self.absence == Absence::Never).then(|| self.of.at(at.clone()))
    }
}

/// A field that omits the missing value, whether or not the value existed before.
#[derive(Clone, Debug, PartialEq)]
pub struct Passed {
    /// The place after the field, where the value is missing.
    pub to: Site,
    /// The state.
    pub state: StateId,
    /// Name of the field.
    pub field: Text,
    /// Location of the field, or of the state.
    pub span: Option<Span>,
}

/// How a missing value was lost, or that it never existed.
#[derive(Clone, Debug, PartialEq)]
pub enum Absence {
    /// The value existed and was dropped.
    Dropped(Drop),
    /// The value did not exist, but a field could have passed it on and did not.
    Withheld(Withheld),
    /// The value never existed.
    Never,
}

/// A field that read from a value with a member of the missing name, and omits that member.
#[derive(Clone, Debug, PartialEq)]
pub struct Withheld {
    /// The field.
    pub by: Passed,
    /// The place of the member.
    pub was: Site,
    /// For a Map's items: number of items that have the member, and number of all items.
    pub items: Option<(usize, usize)>,
}

/// The write that dropped a value.
#[derive(Clone, Debug, PartialEq)]
pub struct Drop {
    /// The first place at which the value is missing.
    pub to: Site,
    /// The state that dropped the value.
    pub state: StateId,
    /// Name of the field that dropped the value, by its text or by being absent.
    pub field: Text,
    /// Text of the field; `None` if it is absent.
    pub written: Option<Text>,
    /// Location of the field, or of the state.
    pub span: Option<Span>,
    /// The last place that had the value.
    pub was: Site,
    /// Position within the document asked about to which the field moved the value.
    pub now: Option<Pointer>,
}
