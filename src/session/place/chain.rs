//! The chain of writes that leads from a value back to its root, a single step of it, and the item whose value differs
//! from all others.

use super::loss::Absent;
use super::site::{Holder, Lead, Site};
use crate::definition::StateId;
use crate::interpreter::{FrameId, Millis, Stage};
use crate::json::{Pointer, Text, Value};
use crate::query::Unevaluated;
use crate::session::log::AnsweredBy;
use crate::source::Span;

/// The place that an origin led to.
#[derive(Clone, Debug, PartialEq)]
pub struct LedTo {
    /// The holder within the focus frame.
    pub holder: Holder,
    /// Position within the holder's value.
    pub at: Pointer,
    /// Increases with each place, so that going to the same place twice can be detected.
    pub number: u64,
}

/// The origin of a value.
#[derive(Clone, Debug, PartialEq)]
pub struct Origin {
    /// The place that was asked about.
    pub of: Site,
    /// The state of that place.
    pub state: Option<StateId>,
    /// Writes of the value, the last one first.
    pub writes: Vec<Write>,
    /// The root that the first write was produced from.
    pub root: Root,
    /// The missing value that was asked about, if the origin explains why it is missing.
    pub lacked: Option<Box<Absent>>,
    /// The Choice that led to the state in which the value is a literal.
    pub chosen: Option<Box<Lead>>,
    /// The field that failed because of the value, if an error was asked about.
    pub failed: Option<Box<Write>>,
}

impl Origin {
    /// Number of stops along the chain: the writes, the root if it can be shown, and the Choice.
    #[must_use]
    pub fn stops(&self) -> usize {
        let root = usize::from(self.root.site().is_some());
        self.writes.len() + root + usize::from(self.chosen.is_some())
    }

    /// Location in the source of the stop with this index along the chain.
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

    /// The field that failed, if an error is explained. An error is not produced from a value, but occurs because of
    /// one.
    #[must_use]
    pub fn failure(&self) -> Option<&Write> {
        let all = self.failed.iter().map(|write| &**write).chain(&self.writes);
        all.into_iter().find(|write| write.why_failed().is_some())
    }

    /// True if the write at a stop is text that was meant to be evaluated, or the chain ended in one.
    #[must_use]
    pub fn is_left_as_text(&self, stop: usize) -> bool {
        let write = self.writes.get(stop).or(self.writes.last());
        write.is_some_and(|write| matches!(write.note, Some(Note::LeftAsText(..))))
    }

    /// True if the chain continues after a stop.
    #[must_use]
    pub fn goes_on(&self, stop: usize) -> bool {
        stop + 1 < self.stops() || self.lacks().is_some()
    }

    /// The place without a value at which the chain ends; finding out why needs another search.
    #[must_use]
    pub fn lacks(&self) -> Option<&Site> {
        match &self.root {
            Root::Nothing { at, .. } => Some(at),
            _ => None,
        }
    }
}

/// A write of a value: by a field that copied it or computed it from what it read.
#[derive(Clone, Debug, PartialEq)]
pub struct Write {
    /// The place written to, and the event after which it has the value.
    pub to: Site,
    /// The state with the field.
    pub state: StateId,
    /// Name of the field: `Parameters`, `ItemSelector`, `Catch[0].ResultPath`.
    pub field: Text,
    /// The member of the field's value that was written, if the field names members.
    pub member: Option<Text>,
    /// Source text of the path or expression; `None` for a literal.
    pub expression: Option<Text>,
    /// Location of that text.
    pub span: Option<Span>,
    /// Places that the value was produced from; the first one is followed.
    pub reads: Vec<Site>,
    /// How the value was produced from those places.
    pub how: How,
    /// Values of those places, in the same order; `None` for a missing one.
    pub values: Vec<Option<Value>>,
    /// Set if the places are the same member of several items; also says which one is odd.
    pub items: Option<Items>,
    /// Conditions that selected the expression among others, the last one first.
    pub conditions: Vec<Condition>,
    /// Further information.
    pub note: Option<Note>,
}

/// How a written value was produced from the places that it read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum How {
    /// The value is that of a single place, or consists only of the values of several places.
    #[default]
    Copied,
    /// The value was selected from several: it is that of the first place. If that place is in an item of an array, the
    /// number is that of the array's items.
    Picked(Option<usize>),
    /// The value was computed from the values at the places.
    Computed,
}

/// Further information about a write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// The field failed for this reason; the written value is the error.
    Failed(Text),
    /// The Map had no items.
    NoItems,
    /// The value is this text, which was probably meant to be evaluated.
    LeftAsText(Text, Unevaluated),
    /// The value contains, or the member with this name is present in, only some of this number of items.
    Fewer {
        /// The missing member; `None` if the items were selected.
        without: Option<Text>,
        /// Number of items that are part of the value.
        kept: usize,
        /// Number of all items.
        of: usize,
    },
    /// A ResultPath replaced another value at this position. The text is the replaced value.
    Replaces(Text),
    /// The field read the variable's earlier value, because the Assign that sets it to this value (as text) takes
    /// effect afterwards.
    Earlier(Text, Text),
}

impl Write {
    /// The first place that was read, if it is part of the written value; otherwise the whole value.
    #[must_use]
    pub fn part(&self) -> &Site {
        let part = self.reads.first();
        let is_inside = |part: &&Site| {
            (part.event, part.frame) == (self.to.event, self.to.frame)
                && part.holder == self.to.holder
        };
        part.filter(is_inside).unwrap_or(&self.to)
    }

    /// True if the field copies a value from the same place of another document, as `"id": "{% $states.input.id %}"` in
    /// an Output does.
    #[must_use]
    pub fn passes_on(&self) -> bool {
        // What an ItemSelector takes from the Map's input is the same for all items.
        let is_selected = self.to.holder == Holder::Stage(Stage::AfterItemSelector);
        let same = |read: &Site| {
            let is_of_item = !is_selected || matches!(read.holder, Holder::Item(_));
            read.at == self.to.at && !read.at.0.is_empty() && is_of_item
        };
        self.is_copy() && self.reads.iter().all(same)
    }

    /// True if the field is a ResultPath, which inserts the result as it is.
    #[must_use]
    pub fn is_inserted(&self) -> bool {
        self.is_copy() && &*self.field == "ResultPath"
    }

    fn is_copy(&self) -> bool {
        let plain = self.items.is_none() && self.conditions.is_empty() && self.note.is_none();
        plain && self.how == How::Copied && self.reads.len() == 1
    }

    /// Why the field failed, if it did.
    #[must_use]
    pub fn why_failed(&self) -> Option<&str> {
        match &self.note {
            Some(Note::Failed(why)) => Some(why),
            _ => None,
        }
    }
}

/// A condition that selected one of two parts of an expression.
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
    /// Source texts and values of the operands; of the test that decided, if there are several.
    pub compared: Vec<(Text, Option<Value>)>,
    /// Places that the condition read, the deciding one first.
    pub reads: Vec<Site>,
}

/// The root of a chain of writes.
#[derive(Clone, Debug, PartialEq)]
pub enum Root {
    /// The execution's input.
    Input(Site),
    /// The answer to a task, an ItemReader or a ResultWriter.
    Answer(Answered),
    /// A literal in the definition.
    Literal(Option<Span>),
    /// A literal in a Fail state, or the state itself if it has none; with what led to the state.
    Led(Option<Span>, Box<Lead>),
    /// A function without input: `States.UUID`, `$now`.
    Function(Text),
    /// A missing value, because of which an expression returned this value.
    Nothing {
        /// The place without a value.
        at: Site,
        /// The path of the place in the expression.
        path: Text,
        /// Another position in the same document with a member of the same name.
        elsewhere: Option<Text>,
    },
    /// The context object.
    Context(Pointer),
    /// The clock of the run, with the states that took the time until it was read.
    Clock(Vec<Took>),
    /// The interpreter: a failed path, a timeout.
    Fault(Site),
    /// The collected results of a Map's items or a Parallel's branches.
    Children {
        /// The place of the results.
        to: Site,
        /// The Map or Parallel state.
        state: StateId,
        /// Number of results.
        count: usize,
        /// One of the results.
        one: Option<Box<Gathered>>,
    },
    /// Several values, each written by its own field, and this number of literals: there is no single origin.
    Fields(usize),
    /// An edit by the user.
    Edit(Site),
    /// A value taken from the recorded execution that the run repeats.
    Recorded(Site),
    /// An origin that cannot be determined.
    Unknown,
}

/// Fields of a Wait that set its end.
pub const WAIT_FIELDS: [&str; 4] = ["TimestampPath", "Timestamp", "SecondsPath", "Seconds"];

/// Fields of a Map that set how many failures it tolerates.
pub const TOLERANCES: [&str; 4] = [
    "ToleratedFailureCount",
    "ToleratedFailureCountPath",
    "ToleratedFailurePercentage",
    "ToleratedFailurePercentagePath",
];

/// The time that a state took, over all of its visits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Took {
    /// The state.
    pub state: StateId,
    /// The time, in milliseconds.
    pub time: Millis,
    /// The part of the time that was spent waiting for retries, in milliseconds.
    pub between_tries: Millis,
}

/// An item or branch whose result was collected.
#[derive(Clone, Debug, PartialEq)]
pub struct Gathered {
    /// Index of the item or branch.
    pub index: u32,
    /// Place of the result.
    pub site: Site,
    /// The property that distinguishes the result from all others.
    pub odd: Option<Oddity>,
}

/// An answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Answered {
    /// The place of the answer.
    pub to: Site,
    /// The state that made the request.
    pub state: StateId,
    /// The field of a Map that made the request: ItemReader or ResultWriter; `None` for a task.
    pub field: Option<&'static str>,
    /// Source of the answer; `None` for the program itself, which reads and writes files.
    pub by: Option<AnsweredBy>,
    /// Name of the mocked response, and number of the call (from 0).
    pub mocked: Option<(Text, u64)>,
    /// Input of the task's call.
    pub asked: Option<Site>,
    /// Number of the attempt (from 1), and the error that ended the previous attempt.
    pub attempt: (u32, Option<Text>),
}

impl Root {
    /// A place in the run at which the root can be shown.
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

/// One step back from a place.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::session) enum Hop {
    /// To continue, the search needs the state of the run directly after this event.
    Need(u64),
    /// To continue, the search needs the traces of this frame's evaluations since this event.
    Look(FrameId, u64),
    /// The value was passed on unchanged from this place.
    To(Site),
    /// The value was written.
    Written(Box<Write>),
    /// The last write, and the root that it was produced from.
    Last(Box<Write>, Root),
    /// The value originates here.
    Root(Root),
    /// There is no value at the place.
    Missing(Box<Loss>),
}

/// A field that does not produce a position.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::session) struct Loss {
    /// The state.
    pub state: StateId,
    /// The field that should produce the value but does not.
    pub field: Text,
    /// Places that may have had the value before, the likeliest first.
    pub before: Vec<Site>,
    /// A member with the same name next to what the field did read.
    pub beside: Option<Site>,
}

/// Maximum number of values to compare.
pub(in crate::session) const MOST: usize = 1_000;
/// Minimum number of values among which one can be odd.
const FEWEST: usize = 3;

/// The odd one of several values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Odd {
    /// Index of the value.
    pub index: usize,
    /// How the odd value differs.
    pub what: Oddity,
}

/// How a value differs from all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Oddity {
    /// The value has this type; the others have another one.
    Type(&'static str),
    /// The value is an object with other members than the others.
    Members,
}

/// The same member of several items, as an expression read it.
#[derive(Clone, Debug, PartialEq)]
pub struct Items {
    /// The odd one of the values.
    pub odd: Option<Odd>,
}

/// The odd one among some values.
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
        (Some(own), Some(usual)) => {
            let (own, usual) = (own.members(), usual.members());
            own.len() != usual.len() || own.iter().zip(usual).any(|(one, other)| one.0 != other.0)
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

/// The minority of values that have another type than the majority, and the type of the majority.
pub(in crate::session) fn of_other_type(values: &[&Value]) -> Option<(Vec<usize>, &'static str)> {
    if !(FEWEST..=MOST).contains(&values.len()) {
        return None;
    }
    let are = |kind: &str| values.iter().filter(|one| one.type_name() == kind).count();
    let usual = values
        .iter()
        .map(|value| value.type_name())
        .find(|kind| are(kind) * 2 > values.len())?;
    let others = values.iter().enumerate();
    let others = others.filter(|(_, value)| value.type_name() != usual);
    let others: Vec<usize> = others.map(|(index, _)| index).collect();
    (!others.is_empty()).then_some((others, usual))
}
