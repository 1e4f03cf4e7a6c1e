//! Explains a missing value: which field dropped it, that it never existed, or which Assign would set it. Also
//! describes errors as front ends show them, with the state that raised the error and the transition that led to this
//! state.

use super::site::{Lead, Site};
use crate::definition::{Definition, ScopeId, State, StateId};
use crate::interpreter::{Fault, Frame, Machine, Stage};
use crate::json::{Pointer, Text, Value};
use crate::session::finding::Finding;
use crate::source::{Node, Span};

/// Explains why a place has no value.
#[derive(Clone, Debug, PartialEq)]
pub struct Absent {
    /// The place without a value.
    pub of: Site,
    /// The state that the place belongs to.
    pub state: Option<StateId>,
    /// The shortest beginning of the position at which there is no value: `$.a.b` for `$.a.b.c`, if `$.a` has no `b`.
    pub missing: Pointer,
    /// How the value was lost, or that it never existed.
    pub absence: Absence,
    /// The existing member name that is most similar to the missing one.
    pub nearest: Option<Text>,
    /// For a value in an item of a Map: number of items that have the value, number of all items, and the Map.
    pub items: Option<(usize, usize, StateId)>,
    /// Another member with the same name: its position, and the state whose input contains it. Without a state, the
    /// member is in the same data as the missing value.
    pub elsewhere: Option<(Option<StateId>, Pointer)>,
    /// A state whose result had the value, if that result was discarded because ResultPath is null; and the location of
    /// the ResultPath.
    pub discarded: Option<(StateId, Option<Span>)>,
    /// For a variable that has not been set: the Assign that would set it.
    pub assigned: Option<Assigned>,
    /// A state, and the stage of this state that has a value at the position: the result if the user asked about the
    /// input, or vice versa.
    pub other: Option<(StateId, Stage)>,
    /// If the parent of the missing value is a value without members, such as a string: its position and the value.
    pub above: Option<(Pointer, Value)>,
    /// A state that would have written the value but did not run; and the location of the field.
    pub unrun: Option<(StateId, Span)>,
}

impl Absent {
    /// Code (a fixed word) of the reason why the value is missing, such as `dropped`.
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

    /// True if another place helps to explain the missing value: the place where it was lost, the Assign that would set
    /// it, or its parent.
    #[must_use]
    pub fn leads_on(&self) -> bool {
        self.absence != Absence::Never || self.assigned.is_some() || self.barred().is_some()
    }

    /// New position of the value, if the field did not drop it but moved it.
    #[must_use]
    pub fn now(&self) -> Option<&Pointer> {
        match &self.absence {
            Absence::Dropped(drop) => drop.now.as_ref(),
            _ => None,
        }
    }

    /// Place of the parent, if the value never existed because its parent is a value without members.
    #[must_use]
    pub fn barred(&self) -> Option<Site> {
        let (at, _) = self.above.as_ref()?;
        (self.absence == Absence::Never).then(|| self.of.at(at.clone()))
    }
}

/// A field whose output lacks the missing value, whether or not the value existed before.
#[derive(Clone, Debug, PartialEq)]
pub struct Passed {
    /// The place in the output of the field where the value is missing.
    pub to: Site,
    /// The state that has the field.
    pub state: StateId,
    /// Name of the field.
    pub field: Text,
    /// Location of the field. If the field is absent, the location of the catcher or state that could have the field.
    pub span: Option<Span>,
}

/// The reason why a value is missing: it was dropped, or it never existed.
#[derive(Clone, Debug, PartialEq)]
pub enum Absence {
    /// The value existed and a field dropped it.
    Dropped(Drop),
    /// The value did not exist at this position. But a field read from an object that has a member with the missing
    /// name, and did not pass that member on.
    Withheld(Withheld),
    /// The value never existed.
    Never,
}

/// A field that read from an object with a member of the missing name, but did not put this member into its output.
#[derive(Clone, Debug, PartialEq)]
pub struct Withheld {
    /// The field that left the member out.
    pub by: Passed,
    /// The place of the member that was left out.
    pub was: Site,
    /// For a Map's items: number of items that have the member, and number of all items.
    pub items: Option<(usize, usize)>,
}

/// The write that dropped a value.
#[derive(Clone, Debug, PartialEq)]
pub struct Drop {
    /// The field that dropped the value. An absent field can drop a value too, because of its default.
    pub by: Passed,
    /// Text of the field; `None` if it is absent.
    pub written: Option<Text>,
    /// The last place that still had the value.
    pub was: Site,
    /// Position to which the field moved the value, in the data that the user asked about; `None` if the value is not
    /// there.
    pub now: Option<Pointer>,
}

/// Says if a frame can read the variable that an Assign sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// The variable is visible.
    Seen,
    /// The variable is visible only from the next state on, because the current state sets it.
    Later,
    /// The variable is not visible, because the frame is inside a DISTRIBUTED Map and the Assign is outside.
    CutOff,
    /// The variable is not visible, because the Assign is inside this Map or Parallel and the frame is outside.
    Inside(StateId),
}

/// An Assign in the definition that sets a variable, but has not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Assigned {
    /// The state with the Assign.
    pub state: StateId,
    /// Location of the variable's name in the Assign.
    pub span: Span,
    /// Says if the frame can read the variable.
    pub reach: Reach,
    /// Number of other Assigns in the definition that set the variable.
    pub others: usize,
}

/// The Assign in the definition that sets a variable. Prefers the Assign of the frame's current state, then an Assign
/// whose variable is visible to the frame, then any other.
pub(in crate::session) fn assigned(
    machine: &Machine,
    frame: &Frame,
    name: &str,
) -> Option<Assigned> {
    let definition = machine.definition();
    let own_scope = definition.state(frame.visit.state)?.scope;
    let ids = (0..).map(StateId).zip(&definition.states);
    let mut all: Vec<Assigned> = Vec::new();
    for (id, state) in ids {
        let reach = match id == frame.visit.state {
            true => Reach::Later,
            false => reach(definition, state.scope, own_scope),
        };
        all.extend(named(definition, state, name).map(|span| Assigned {
            state: id,
            span,
            reach,
            others: 0,
        }));
    }
    let others = all.len().saturating_sub(1);
    let of = |reach: Reach| all.iter().find(move |assigned| assigned.reach == reach);
    let first = of(Reach::Later).or(of(Reach::Seen)).or(all.first())?;
    Some(Assigned { others, ..*first })
}

/// Locations of a variable's name in the Assigns of a state, of its Choice rules and of its catchers.
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

/// The visibility, in the scope `scope`, of variables that are set in the scope `set`.
fn reach(definition: &Definition, set: ScopeId, scope: ScopeId) -> Reach {
    let outer = definition.outer(scope);
    match outer.iter().find(|outer| outer.scope == set) {
        _ if set == scope => Reach::Seen,
        Some(outer) if !outer.is_cut_off => Reach::Seen,
        Some(_) => Reach::CutOff,
        None => {
            let owner = definition.scope(set).and_then(|scope| scope.owner);
            owner.map_or(Reach::Seen, Reach::Inside)
        }
    }
}

/// An error and its explanation, as front ends show them.
#[derive(Clone, Debug, PartialEq)]
pub struct FaultView {
    /// The error that occurred.
    pub fault: Fault,
    /// The stage in which the error arose; `None` if it arose in the state's work itself, such as the call of a task.
    pub stage: Option<Stage>,
    /// The error in one sentence: `$.parcel.insuredCents finds nothing`, `NoSuchKey: the key does not exist`.
    pub finding: Finding,
    /// The path that found nothing, if this is the cause of the error.
    pub misses: Option<Text>,
    /// Source location of the path or expression that failed.
    pub span: Option<Span>,
    /// Explanations of the problem, such as the steps of a path or the existing member names.
    pub because: Vec<Finding>,
    /// The behaviour of AWS, if it differs from the specification: `AWS: States.Runtime (cannot be caught)`.
    pub aws: Option<String>,
    /// Why no retrier handled the error, with the location of the error name in the retrier. Either the retrier has no
    /// attempts left (`Retry[1], line 48 (States.Timeout), used up: 2 of 2`), or the retrier names a similar error
    /// (`Retry[1], line 139, is for BedLocked`).
    pub no_retry: Option<(String, Span)>,
    /// If the cause of the error mentions an event of the execution's history: the event's id on AWS, and its number in
    /// the run.
    pub entered: Option<(u32, u64)>,
}

/// Code ([`Finding::code`]) of the advice that an expression should accept a missing value.
pub(in crate::session) const MAY_BE_ABSENT: &str = "may-be-absent";
/// Code ([`Finding::code`]) of the finding about a path step that finds nothing because the step before it selected
/// several values.
pub const AFTER_SEVERAL: &str = "after-several";

impl FaultView {
    /// Drops the advice to accept a missing value, if the value existed in the run and was lost. The user should then
    /// pass the value on instead.
    pub(in crate::session) fn drop_advice_on_lost(&mut self, missing: Option<&Absent>) {
        if missing.is_some_and(|missing| missing.absence != Absence::Never) {
            self.because.retain(|finding| finding.code != MAY_BE_ABSENT);
        }
    }
}

/// An error at the state that first raised it. An enclosing Parallel or Map may have caught the error, or failed
/// because of it.
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
    /// If a missing value caused the error: why the value is missing.
    pub missing: Option<Box<Absent>>,
}

/// Why a run reached a Fail state.
#[derive(Clone, Debug, PartialEq)]
pub struct Led {
    /// The last transition before the Fail state at which the run could have taken another path.
    pub lead: Lead,
    /// If a catcher led to the Fail state: the caught error, at the state that first raised it.
    pub raised: Option<Box<Raised>>,
    /// If a Choice rule led to the Fail state: the value that the rule tested, if it tested a single one.
    pub compared: Option<Value>,
}
