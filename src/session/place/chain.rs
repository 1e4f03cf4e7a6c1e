//! A chain of writes that leads from a value back to its root, and one step of it.

use super::lead::Lead;
use super::loss::Absent;
use super::odd::{Items, Oddity};
use super::site::{Holder, Site};
use crate::definition::StateId;
use crate::interpreter::FrameId;
use crate::json::{Pointer, Text, Value};
use crate::query::Unevaluated;
use crate::session::log::AnsweredBy;
use crate::source::Span;

/// The place that an origin led to.
#[derive(Clone, Debug, PartialEq)]
pub struct LedTo {
    /// What of the focus frame.
    pub holder: Holder,
    /// The place in it.
    pub at: Pointer,
    /// One more for each place that was led to, so that the same one twice is told from one.
    pub number: u64,
}

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct Origin {
    /// The place that was asked about.
    pub of: Site,
    /// The state that it is in.
    pub state: Option<StateId>,
    /// What wrote it, the last write first.
    pub writes: Vec<Write>,
    /// What the first write was made of.
    pub root: Root,
    /// What is missing because of that value, where that was asked about.
    pub lacked: Option<Box<Absent>>,
    /// The Choice that led to the state in which it is written as a literal.
    pub chosen: Option<Box<Lead>>,
    /// The field that failed because of that value, where the error was asked about.
    pub failed: Option<Box<Write>>,
}

impl Origin {
    /// How many places it leads to, one after the other: its writes, its root where that can be seen, the Choice.
    #[must_use]
    pub fn stops(&self) -> usize {
        let root = usize::from(self.root.site().is_some());
        self.writes.len() + root + usize::from(self.chosen.is_some())
    }

    /// Where one of these places stands in the text.
    #[must_use]
    pub fn span(&self, stop: usize) -> Option<Span> {
        match (self.writes.get(stop), &self.root, &self.chosen) {
            (Some(write), ..) => write.span,
            (None, _, Some(lead)) => lead.span,
            (None, Root::Led(_, lead), None) => lead.span,
            (None, Root::Literal(span), None) => *span,
            (None, ..) => None,
        }
    }

    /// The field that failed, where an error is explained: it is not made of a value, it stands because of one.
    #[must_use]
    pub fn failure(&self) -> Option<&Write> {
        let all = self.failed.iter().map(|write| &**write).chain(&self.writes);
        all.into_iter().find(|write| write.why_failed().is_some())
    }

    /// Whether one of these is a text that was meant to be evaluated, or it ended in one.
    #[must_use]
    pub fn is_left_as_text(&self, stop: usize) -> bool {
        let write = self.writes.get(stop).or(self.writes.last());
        write.is_some_and(|write| matches!(write.note, Some(Note::LeftAsText(..))))
    }

    /// Whether it goes on behind one of these.
    #[must_use]
    pub fn goes_on(&self, stop: usize) -> bool {
        stop + 1 < self.stops() || self.lacks().is_some()
    }

    /// The place without a value that it ends in: why there is none is a search of its own.
    #[must_use]
    pub fn lacks(&self) -> Option<&Site> {
        match &self.root {
            Root::Nothing { at, .. } => Some(at),
            _ => None,
        }
    }
}

/// One write of a value: a field that placed it, or made it of what it read.
#[derive(Clone, Debug, PartialEq)]
pub struct Write {
    /// Where the value stands since then, and after which event.
    pub to: Site,
    /// The state whose field it is.
    pub state: StateId,
    /// The field: `Parameters`, `ItemSelector`, `Catch[0].ResultPath`.
    pub field: Text,
    /// The member of the field's value that it is, as far as the field names members.
    pub member: Option<Text>,
    /// The path or expression as written; `None` for a literal.
    pub expression: Option<Text>,
    /// Where that stands in the text.
    pub span: Option<Span>,
    /// The places it was made of, the one that is followed first.
    pub reads: Vec<Site>,
    /// What it is to them.
    pub how: How,
    /// The values that were used, in the same order; `None` for one that is not there.
    pub values: Vec<Option<Value>>,
    /// Whether they are the same member of several items, and the odd one of them.
    pub items: Option<Items>,
    /// The conditions that chose its expression among others, the last one first.
    pub conditions: Vec<Condition>,
    /// What more there is to say.
    pub note: Option<Note>,
}

/// What a written value is to the places that it was made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum How {
    /// It is the value at the one place, or of them alone.
    #[default]
    Copied,
    /// It is the value at the first place, picked from among others.
    Picked,
    /// It was computed from them.
    Computed,
}

/// What more there is to say of a write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// The field failed, for this reason: what stands there is the error.
    Failed(Text),
    /// The Map had no items.
    NoItems,
    /// It is this text, which looks as if it was meant to be evaluated.
    LeftAsText(Text, Unevaluated),
}

impl Write {
    /// The first of the parts that it made, if they stand in its value; else the whole.
    #[must_use]
    pub fn part(&self) -> &Site {
        let part = self.reads.first();
        let is_inside = |part: &&Site| {
            (part.event, part.frame) == (self.to.event, self.to.frame)
                && part.holder == self.to.holder
        };
        part.filter(is_inside).unwrap_or(&self.to)
    }

    /// Why the field failed, where it did.
    #[must_use]
    pub fn why_failed(&self) -> Option<&str> {
        match &self.note {
            Some(Note::Failed(why)) => Some(why),
            _ => None,
        }
    }
}

/// A condition that chose between two parts of an expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// As it is written.
    pub text: Text,
    /// Where it stands in the text.
    pub span: Option<Span>,
    /// Whether it counts as true.
    pub holds: bool,
    /// Its value; `None` if it has none.
    pub value: Option<Value>,
    /// What it compares, as written, with the values: of a test that decides it where there are more.
    pub compared: Vec<(Text, Option<Value>)>,
    /// The places that it read, what decides it first.
    pub reads: Vec<Site>,
}

/// Where a chain of writes ends.
#[derive(Clone, Debug, PartialEq)]
pub enum Root {
    /// The execution's input.
    Input(Site),
    /// What answered a task, an ItemReader or a ResultWriter.
    Answer(Answered),
    /// It is written in the definition.
    Literal(Option<Span>),
    /// It is written in a Fail state, here, or not at all; and this led there.
    Led(Option<Span>, Box<Lead>),
    /// A function that needs nothing: `States.UUID`, `$now`.
    Function(Text),
    /// An expression gave it because there is nothing at this place.
    Nothing {
        /// The place.
        at: Site,
        /// As the expression names it.
        path: Text,
        /// Where else in the same document there is a member of its name.
        elsewhere: Option<Text>,
    },
    /// The context object.
    Context(Pointer),
    /// The interpreter itself: a failed path, a timeout.
    Fault(Site),
    /// The results of the items of a Map or the branches of a Parallel, gathered.
    Children {
        /// Where they stand.
        to: Site,
        /// Whose.
        state: StateId,
        /// How many.
        count: usize,
        /// One of them.
        one: Option<Box<Gathered>>,
    },
    /// The values that the last write names, each in a field of its own, and so many literals: it has no one origin.
    Fields(usize),
    /// A person put it in.
    Edit(Site),
    /// It was taken from the recorded execution that the run repeats.
    Recorded(Site),
    /// It cannot be followed further.
    Unknown,
}

/// An item or a branch whose result was gathered.
#[derive(Clone, Debug, PartialEq)]
pub struct Gathered {
    /// Which.
    pub index: u32,
    /// Its result.
    pub site: Site,
    /// What it has that no other one has.
    pub odd: Option<Oddity>,
}

/// What answered.
#[derive(Clone, Debug, PartialEq)]
pub struct Answered {
    /// Where the answer stands.
    pub to: Site,
    /// Who was asked.
    pub state: StateId,
    /// Which field of a Map asked, where no task did: ItemReader or ResultWriter.
    pub field: Option<&'static str>,
    /// Who answered; `None` for the program itself, which reads and writes files.
    pub by: Option<AnsweredBy>,
    /// Which call of a mocked response it is, from 0, with the response's name.
    pub mocked: Option<(Text, u64)>,
    /// What a task was called with.
    pub asked: Option<Site>,
}

impl Root {
    /// Where it can be seen in the run.
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
            | Self::Fields(_)
            | Self::Unknown => None,
        }
    }
}

/// One step back from a place.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::session) enum Hop {
    /// The run right after this event has to be looked at.
    Need(u64),
    /// How this frame evaluated its fields since this event has to be looked at.
    Look(FrameId, u64),
    /// It came from there as it is.
    To(Site),
    /// It was written.
    Written(Box<Write>),
    /// The last write, and what it was made of.
    Last(Box<Write>, Root),
    /// It began here.
    Root(Root),
    /// No such place is made here; the site is the same place in what the state, or the Map, had before.
    Missing(Box<Loss>),
}

/// A field, or an answer, that makes no such place.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::session) struct Loss {
    /// Where the place would be.
    pub to: Site,
    /// The state.
    pub state: StateId,
    /// The field that does not make it; `None` for an answer.
    pub field: Option<Text>,
    /// Where the field stands, or what stands for it.
    pub span: Option<Span>,
    /// Where the same member may have been before, the likeliest first.
    pub before: Vec<Site>,
    /// Where a member of its name stands beside what the field did read.
    pub beside: Option<Site>,
}
