//! Information about a missing value: the write that dropped it, that it never existed, or the Assign that would set it.
//! Also an error for display, with what raised it and what led to it.

use super::site::{Lead, Site};
use crate::definition::{Definition, ScopeId, State, StateId};
use crate::interpreter::{Fault, Frame, Machine, Stage};
use crate::json::{Pointer, Text, Value};
use crate::session::finding::Finding;
use crate::source::{Node, Span};

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
    /// The field that dropped the value, by its text or by being absent.
    pub by: Passed,
    /// Text of the field; `None` if it is absent.
    pub written: Option<Text>,
    /// The last place that had the value.
    pub was: Site,
    /// Position within the document asked about to which the field moved the value.
    pub now: Option<Pointer>,
}

/// Tells if a variable set by an Assign is visible to a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// The variable is visible.
    Seen,
    /// The variable is visible from the next state on: the current state sets it.
    Later,
    /// The variable is not visible, because the frame is inside a DISTRIBUTED Map and the Assign is outside.
    CutOff,
    /// The variable is not visible, because it is set inside this Map or Parallel.
    Inside(StateId),
}

/// An Assign that sets a variable and has not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Assigned {
    /// The state with the Assign.
    pub state: StateId,
    /// Location of the variable's name in the Assign.
    pub span: Span,
    /// Tells if the variable would be visible to the frame.
    pub reach: Reach,
    /// Number of further Assigns that set the variable.
    pub others: usize,
}

/// The Assign that sets a variable for a frame: preferably that of its current state, then one that is visible.
pub(in crate::session) fn assigned(
    machine: &Machine,
    frame: &Frame,
    name: &str,
) -> Option<Assigned> {
    let definition = machine.definition();
    let own = definition.state(frame.visit.state)?.scope;
    let ids = (0..).map(StateId).zip(&definition.states);
    let mut all: Vec<Assigned> = Vec::new();
    for (id, state) in ids {
        let reach = match id == frame.visit.state {
            true => Reach::Later,
            false => reach(definition, state.scope, own),
        };
        all.extend(named(definition, state, name).map(|span| Assigned {
            state: id,
            span,
            reach,
            others: 0,
        }));
    }
    let others = all.len().saturating_sub(1);
    let of = |reach: Reach| all.iter().find(move |one| one.reach == reach);
    let first = of(Reach::Later).or(of(Reach::Seen)).or(all.first())?;
    Some(Assigned { others, ..*first })
}

/// Locations of a variable's name in the Assigns of a state, its rules and its catchers.
fn named<'d>(
    definition: &'d Definition,
    state: &State,
    name: &'d str,
) -> impl Iterator<Item = Span> + use<'d> {
    let node = definition.node_of(state);
    let lists = ["Choices", "Catch"].into_iter();
    let inside = lists.filter_map(move |list| node?.get(list)?.items());
    let owners = node.into_iter().chain(inside.flatten());
    owners.filter_map(move |owner: &Node| {
        let mut members = owner.get("Assign")?.members()?.iter();
        let is_own = |key: &str| key == name || key.strip_suffix(".$") == Some(name);
        let member = members.find(|member| is_own(&member.key.text))?;
        Some(member.key.span)
    })
}

/// Determines if variables of one scope are visible in another.
fn reach(definition: &Definition, set: ScopeId, own: ScopeId) -> Reach {
    let outer = definition.outer(own);
    match outer.iter().find(|outer| outer.scope == set) {
        _ if set == own => Reach::Seen,
        Some(outer) if !outer.is_cut_off => Reach::Seen,
        Some(_) => Reach::CutOff,
        None => {
            let owner = definition.scope(set).and_then(|scope| scope.owner);
            owner.map_or(Reach::Seen, Reach::Inside)
        }
    }
}

/// An error for display.
#[derive(Clone, Debug, PartialEq)]
pub struct FaultView {
    /// The error.
    pub fault: Fault,
    /// The stage in which the error arose; `None` for the state's work itself.
    pub stage: Option<Stage>,
    /// Description of the problem: `$.parcel.insuredCents finds nothing`, `NoSuchKey: the key does not exist`.
    pub finding: Finding,
    /// The path that found nothing, if `finding` reports that.
    pub misses: Option<Text>,
    /// Location of the failed path or expression in the source.
    pub span: Option<Span>,
    /// Explanations, such as the steps of a path or the keys that exist instead of the missing one.
    pub because: Vec<Finding>,
    /// `AWS: States.Runtime, cannot be caught`, if the profiles differ.
    pub aws: Option<String>,
    /// Why the state was not retried, if a retrier is the reason: it has no attempts left (`Retry[1], line 48
    /// (States.Timeout), used up: 2 of 2`), or it names a similar error (`Retry[1], line 139, is for BedLocked`). Also
    /// the location of that name.
    pub no_retry: Option<(String, Span)>,
    /// AWS's event id in the cause of the error, and the number of that event in the run.
    pub entered: Option<(u32, u64)>,
}

/// Code of the advice to make the value that an expression reads optional.
pub(in crate::session) const MAY_BE_ABSENT: &str = "may-be-absent";
/// Code of the finding that shows step by step what a path selects, for paths that can select several values.
pub const AFTER_SEVERAL: &str = "after-several";

impl FaultView {
    /// Drops the advice to make a value optional if the run had the value and lost it, because the value should
    /// then be passed on instead.
    pub(in crate::session) fn drop_advice_on_lost(&mut self, missing: Option<&Absent>) {
        if missing.is_some_and(|missing| missing.absence != Absence::Never) {
            self.because.retain(|one| one.code != MAY_BE_ABSENT);
        }
    }
}

/// An error raised by a state inside the displayed one.
#[derive(Clone, Debug, PartialEq)]
pub struct Raised {
    /// Number of the event that raised the error.
    pub number: u64,
    /// Readable name of the frame: `Orders[12]`.
    pub frame: String,
    /// The state that raised the error.
    pub state: StateId,
    /// The error, with its reason and location.
    pub fault: FaultView,
    /// Why a value is missing, if that caused the error.
    pub missing: Option<Box<Absent>>,
}

/// The transition or error that led to a Fail state.
#[derive(Clone, Debug, PartialEq)]
pub struct Led {
    /// The last transition on the way to the Fail state that could have gone elsewhere.
    pub lead: Lead,
    /// The caught error, as it was where it was raised.
    pub raised: Option<Box<Raised>>,
    /// The value that the Choice rule tested, if it is a single one.
    pub compared: Option<Value>,
}
