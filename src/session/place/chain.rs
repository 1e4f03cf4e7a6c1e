//! The origin of a value: the chain of writes from the value back to its root (an input, an answer, a literal). Also
//! one step of the search along the chain, and a function that finds the one value of a list that differs from the
//! others.

use super::loss::Absent;
use super::site::{Holder, Lead, Site};
use crate::definition::StateId;
use crate::interpreter::{FrameId, Millis, Stage};
use crate::json::{Pointer, Text, Value};
use crate::query::Unevaluated;
use crate::session::log::AnsweredBy;
use crate::source::Span;

/// A place in the data of a run for front ends to highlight: the place to which the user has followed the origin of a
/// value, or the first difference after a reload.
#[derive(Clone, Debug, PartialEq)]
pub struct LedTo {
    /// The part of the frame's data, such as a stage or a variable, that has the value.
    pub holder: Holder,
    /// Position of the value within the data of `holder`.
    pub at: Pointer,
    /// Changes each time that the user goes to a place, so that front ends can detect a second visit of the same place.
    pub number: u64,
}

/// The origin of a value, as a chain of writes that ends at a root.
#[derive(Clone, Debug, PartialEq)]
pub struct Origin {
    /// The place of the value whose origin was asked for.
    pub of: Site,
    /// The state that `of` belongs to.
    pub state: Option<StateId>,
    /// The writes of the chain. The last write, which wrote the value, comes first.
    pub writes: Vec<Write>,
    /// The root of the chain: where the earliest write took its value from.
    pub root: Root,
    /// Set if the user asked about a missing value whose parent cannot have members, such as a string: explains the
    /// missing value. The chain then explains the parent.
    pub lacked: Option<Box<Absent>>,
    /// If the root is a literal: the transition, by a Choice or a catcher, that led to the state with the literal.
    pub chosen: Option<Box<Lead>>,
    /// Set if the user asked about an error: the field that failed. The chain then explains the value that made the
    /// field fail.
    pub failed: Option<Box<Write>>,
}

impl Origin {
    /// Number of points of the chain of writes that the user can go to: one for each write, one for the root if it is a
    /// place in the run, and one for `chosen` if it is set.
    #[must_use]
    pub fn stops(&self) -> usize {
        let root = usize::from(self.root.site().is_some());
        self.writes.len() + root + usize::from(self.chosen.is_some())
    }

    /// Source location of the point with the index `stop` in the chain of writes.
    #[must_use]
    pub fn span(&self, stop: usize) -> Option<Span> {
        match (self.writes.get(stop), &self.root, &self.chosen) {
            (Some(write), ..) => write.span,
            (None, _, Some(lead)) => lead.explained_at(),
            (None, Root::Led(_, lead), None) => lead.explained_at(),
            (None, Root::Literal(span), None) => *span,
            (None, ..) => None,
        }
    }

    /// The write by the field that failed, if the chain explains an error.
    #[must_use]
    pub fn failure(&self) -> Option<&Write> {
        let all = self.failed.iter().map(|write| &**write).chain(&self.writes);
        all.into_iter().find(|write| write.why_failed().is_some())
    }

    /// True if the write with the index `stop` wrote a literal that looks like a path or expression and was probably
    /// meant to be evaluated. For an index after the last write, the last write is checked.
    #[must_use]
    pub fn is_left_as_text(&self, stop: usize) -> bool {
        let write = self.writes.get(stop).or(self.writes.last());
        write.is_some_and(|write| matches!(write.note, Some(Note::LeftAsText(..))))
    }

    /// True if the chain has another point after the point with the index `stop`, or if another search can continue the
    /// chain.
    #[must_use]
    pub fn goes_on(&self, stop: usize) -> bool {
        stop + 1 < self.stops() || self.lacks().is_some()
    }

    /// If the chain ends at a missing value: the place of that value. A separate search can tell why the value is
    /// missing.
    #[must_use]
    pub fn lacks(&self) -> Option<&Site> {
        match &self.root {
            Root::Nothing { at, .. } => Some(at),
            _ => None,
        }
    }
}

/// A write of a value by a field of a state. The field copied the value or computed it from the values that it read.
#[derive(Clone, Debug, PartialEq)]
pub struct Write {
    /// The place that was written, directly after the event that wrote it.
    pub to: Site,
    /// The state that has the field.
    pub state: StateId,
    /// Name of the field: `Parameters`, `ItemSelector`, `Catch[0].ResultPath`.
    pub field: Text,
    /// If the field's value is an object or array: the member in it whose expression or literal wrote the value.
    pub member: Option<Text>,
    /// Source text of the path or expression that produced the value; `None` for a literal.
    pub expression: Option<Text>,
    /// Source location of the path, expression or literal.
    pub span: Option<Span>,
    /// Places that the value was produced from. The chain of writes continues with the first place.
    pub reads: Vec<Site>,
    /// The way in which the value was produced from `reads`.
    pub how: How,
    /// Values at the places in `reads`, in the same order; `None` for a missing value.
    pub values: Vec<Option<Value>>,
    /// Set if `reads` are the same member of several items of an array. Also says which item differs from the others.
    pub items: Option<Items>,
    /// Conditions, such as `a` in `a ? b : c`, that selected the part of the expression which produced the value; the
    /// innermost condition first.
    pub conditions: Vec<Condition>,
    /// A remark on the write, such as that it replaced an existing value.
    pub note: Option<Note>,
}

/// How a written value was produced from the places that it read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum How {
    /// The value is a copy of the value of a single place, or an array of copies from several places.
    #[default]
    Copied,
    /// The value was selected from several values, and is the value of the first place that was read. If that place is
    /// inside an array, contains the number of the array's items.
    Picked(Option<usize>),
    /// The value was computed from the values of the places that were read.
    Computed,
}

/// A remark on a write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// The field failed for this reason; the written value is the error.
    Failed(Text),
    /// The Map had no items, so its result is an empty array.
    NoItems,
    /// The value is this text, which looks like a path or expression and was probably meant to be evaluated.
    LeftAsText(Text, Unevaluated),
    /// An expression read an array and used only some of its items: the others were not selected, or do not have a
    /// member.
    Fewer {
        /// The member that the unused items do not have; `None` if the expression selected items.
        without: Option<Text>,
        /// Number of items that the expression used.
        kept: usize,
        /// Number of all items of the array.
        of: usize,
    },
    /// A ResultPath replaced an existing value at this position. The text is the replaced value.
    Replaces(Text),
    /// The field read the variable with this name before the state's own Assign set it. The second text is the value
    /// that was set.
    Earlier(Text, Text),
}

impl Write {
    /// The place to show for the write: the first place in `reads` if that place is inside the written value, otherwise
    /// the whole written value.
    #[must_use]
    pub fn part(&self) -> &Site {
        let part = self.reads.first();
        let is_inside = |part: &&Site| {
            (part.event, part.frame) == (self.to.event, self.to.frame)
                && part.holder == self.to.holder
        };
        part.filter(is_inside).unwrap_or(&self.to)
    }

    /// True if the field only copies a value to the same position in its output, such as `"id": "{% $states.input.id
    /// %}"` in an Output.
    #[must_use]
    pub fn passes_on(&self) -> bool {
        // For an ItemSelector, only a member of the item counts as passed on. A member of the Map's input does not,
        // because it is the same for all items.
        let is_selected = self.to.holder == Holder::Stage(Stage::AfterItemSelector);
        let same = |read: &Site| {
            let is_of_item = !is_selected || matches!(read.holder, Holder::Item(_));
            read.at == self.to.at && !read.at.0.is_empty() && is_of_item
        };
        self.is_copy() && self.reads.iter().all(same)
    }

    /// True if the field is a ResultPath that inserts the result unchanged.
    #[must_use]
    pub fn is_inserted(&self) -> bool {
        self.is_copy() && &*self.field == "ResultPath"
    }

    fn is_copy(&self) -> bool {
        let plain = self.items.is_none() && self.conditions.is_empty() && self.note.is_none();
        plain && self.how == How::Copied && self.reads.len() == 1
    }

    /// The reason why the field failed; `None` if the field did not fail.
    #[must_use]
    pub fn why_failed(&self) -> Option<&str> {
        match &self.note {
            Some(Note::Failed(why)) => Some(why),
            _ => None,
        }
    }
}

/// A condition that selected one of two parts of an expression: `c` in `c ? a : b`.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// Source text of the condition.
    pub text: Text,
    /// Location of the condition.
    pub span: Option<Span>,
    /// True if the condition counts as true.
    pub holds: bool,
    /// Value of the condition; `None` if it has none.
    pub value: Option<Value>,
    /// Source texts and values of the operands of the condition. If the condition joins several tests, contains only
    /// the operands of the tests that decided it.
    pub compared: Vec<(Text, Option<Value>)>,
    /// Places that the condition read. The place that decided the condition comes first.
    pub reads: Vec<Site>,
}

/// The root of a chain of writes: where a value comes from in the end.
#[derive(Clone, Debug, PartialEq)]
pub enum Root {
    /// The execution's input, at this place.
    Input(Site),
    /// The answer to a task, an ItemReader or a ResultWriter.
    Answer(Answered),
    /// A literal at this location in the definition.
    Literal(Option<Span>),
    /// A literal in a Fail state, and the transition that led to this state. The location is `None` if the Fail state
    /// has no Error or Cause.
    Led(Option<Span>, Box<Lead>),
    /// The function with this name, which produces a new value without reading any: `States.UUID`, `$now`.
    Function(Text),
    /// A missing value: an expression read a place without a value, and therefore produced the value that the chain
    /// explains.
    Nothing {
        /// The place without a value.
        at: Site,
        /// The place as a path in JSONata or JSONPath.
        path: Text,
        /// Path of another member of the same data that has the name of the missing value.
        elsewhere: Option<Text>,
    },
    /// The context object, at this position.
    Context(Pointer),
    /// The clock of the run, with the states that took most of the time until the clock was read.
    Clock(Vec<Took>),
    /// The interpreter, which raised an error such as a timeout. Contains the place of the error.
    Fault(Site),
    /// The collected results of a Map's items or a Parallel's branches.
    Children {
        /// The place of the array of results.
        to: Site,
        /// The Map or Parallel state.
        state: StateId,
        /// Number of results.
        count: usize,
        /// One of the results as an example, preferably one that failed or differs from the others.
        one: Option<Box<Gathered>>,
    },
    /// No single origin: separate expressions wrote members of the value, and literals wrote the others. Contains the
    /// number of these literals.
    Fields(usize),
    /// An edit of this place by the user.
    Edit(Site),
    /// A value that the run took from the recorded execution that it repeats.
    Recorded(Site),
    /// The origin cannot be determined.
    Unknown,
}

/// Fields of a Wait state that set when the wait ends.
pub const WAIT_FIELDS: [&str; 4] = ["TimestampPath", "Timestamp", "SecondsPath", "Seconds"];

/// Fields of a Map that set how many failures it tolerates.
pub const TOLERANCES: [&str; 4] = [
    "ToleratedFailureCount",
    "ToleratedFailureCountPath",
    "ToleratedFailurePercentage",
    "ToleratedFailurePercentagePath",
];

/// The time that a state took, summed over all of its visits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Took {
    /// The state.
    pub state: StateId,
    /// The time, in milliseconds.
    pub time: Millis,
    /// The part of the time that was spent waiting for retries, in milliseconds.
    pub between_tries: Millis,
}

/// An item of a Map or branch of a Parallel, whose result is part of the state's result.
#[derive(Clone, Debug, PartialEq)]
pub struct Gathered {
    /// Index of the item or branch.
    pub index: u32,
    /// Place of the result.
    pub site: Site,
    /// How the result differs from all other results, if it is the only one that does.
    pub odd: Option<Oddity>,
}

/// The answer to a request, as the root of a chain of writes.
#[derive(Clone, Debug, PartialEq)]
pub struct Answered {
    /// The place of the answer: the result or error of the state.
    pub to: Site,
    /// The state that made the request.
    pub state: StateId,
    /// The field of a Map that made the request: ItemReader or ResultWriter; `None` for a task.
    pub field: Option<&'static str>,
    /// Source of the answer; `None` if asldbg itself answered the request by reading or writing a file.
    pub by: Option<AnsweredBy>,
    /// If the answer is from a mock file: name of the mocked response, and number of the call (from 0).
    pub mocked: Option<(Text, u64)>,
    /// Place of the input of the request.
    pub asked: Option<Site>,
    /// Number of the attempt (from 1), and the error that ended the previous attempt.
    pub attempt: (u32, Option<Text>),
}

impl Root {
    /// The place in the run to show for the root; `None` if the root is not in the data of the run.
    #[must_use]
    pub fn site(&self) -> Option<&Site> {
        match self {
            Self::Input(site) | Self::Fault(site) | Self::Edit(site) | Self::Recorded(site) => {
                Some(site)
            }
            Self::Children { to, .. } => Some(to),
            Self::Answer(answered) => Some(&answered.to),
            Self::Led(_, lead) => Some(&lead.to),
            Self::Literal(_)
            | Self::Function(_)
            | Self::Nothing { .. }
            | Self::Context(_)
            | Self::Clock(_)
            | Self::Fields(_)
            | Self::Unknown => None,
        }
    }
}

/// Result of one step of the search for an origin, which goes back from the place of a value.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::session) enum Hop {
    /// The step needs the run as it was directly after this event. The search repeats the run up to the event and then
    /// tries the step again.
    Need(u64),
    /// The step needs traces of what this frame evaluated since this event. The search records the traces and then
    /// tries the step again.
    Look(FrameId, u64),
    /// The value was passed on unchanged from this place, without a field that wrote it.
    To(Site),
    /// A field wrote the value. The search continues with the first place that the field read.
    Written(Box<Write>),
    /// A field wrote the value from this root, so that the search ends.
    Last(Box<Write>, Root),
    /// The value comes directly from this root, so that the search ends.
    Root(Root),
    /// There is no value at the place. Contains the field whose output lacks the value.
    Missing(Box<Loss>),
}

/// A field whose output has no value at the position that the search is looking for.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::session) struct Loss {
    /// The state that has the field.
    pub state: StateId,
    /// The field that produced the data, but no value at the position.
    pub field: Text,
    /// Places in earlier data that may have the value, the likeliest first.
    pub before: Vec<Site>,
    /// A member that has the name of the missing member, and that is next to the members that the field read.
    pub beside: Option<Site>,
}

/// Maximum number of values among which to search for the one that differs from the others.
pub(in crate::session) const MOST: usize = 1_000;
/// Minimum number of values among which to search for the one that differs from the others.
const FEWEST: usize = 3;

/// The one of several values that differs from all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Odd {
    /// Index of the value that differs.
    pub index: usize,
    /// How this value differs from the others.
    pub what: Oddity,
}

/// How a value differs from all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Oddity {
    /// The value is the only item of its list that has this type.
    Type(&'static str),
    /// All values are objects, and this one has other member names.
    Members,
}

/// Values that an expression read: the same member of several items of an array.
#[derive(Clone, Debug, PartialEq)]
pub struct Items {
    /// The item whose value differs from all others, if there is one.
    pub odd: Option<Odd>,
}

/// Returns the one value that differs from all others: the only one of another type, or the only object with other
/// member names.
pub(in crate::session) fn odd(values: &[&Value]) -> Option<Odd> {
    if !(FEWEST..=MOST).contains(&values.len()) {
        return None;
    }
    if let Some((others, _)) = of_other_type(values)
        && let [index] = *others.as_slice()
    {
        let what = Oddity::Type(values.get(index)?.type_name());
        return Some(Odd { index, what });
    }
    let is_other = |value: &Value, usual: &Value| match (value.as_object(), usual.as_object()) {
        (Some(members), Some(usual)) => {
            let (members, usual) = (members.members(), usual.members());
            members.len() != usual.len()
                || members
                    .iter()
                    .zip(usual)
                    .any(|(left, right)| left.0 != right.0)
        }
        _ => false,
    };
    values.iter().take(2).find_map(|usual| {
        let mut others = values.iter().enumerate();
        let (index, _) = others.find(|(_, value)| is_other(value, usual))?;
        let is_alone = !others.any(|(_, value)| is_other(value, usual));
        let what = Oddity::Members;
        is_alone.then_some(Odd { index, what })
    })
}

/// Indices of the values whose type differs from the type of the majority, and the type of the majority.
pub(in crate::session) fn of_other_type(values: &[&Value]) -> Option<(Vec<usize>, &'static str)> {
    if !(FEWEST..=MOST).contains(&values.len()) {
        return None;
    }
    let are = |kind: &str| {
        values
            .iter()
            .filter(|value| value.type_name() == kind)
            .count()
    };
    let usual = values
        .iter()
        .map(|value| value.type_name())
        .find(|kind| are(kind) * 2 > values.len())?;
    let others = values.iter().enumerate();
    let others = others.filter(|(_, value)| value.type_name() != usual);
    let others: Vec<usize> = others.map(|(index, _)| index).collect();
    (!others.is_empty()).then_some((others, usual))
}
