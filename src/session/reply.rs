//! What comes of a command, and what comes up while a run goes on, as data.
//!
//! It must not know words or keys: a front end makes its sentences of it.

use super::argument::Switch;
use super::breakpoint::{BreakpointId, Location};
use super::no_answer::NoAnswer;
use super::place::{Absent, Onward, Origin};
use super::remark::Remark;
use crate::definition::{StateId, Unit};
use crate::interpreter::{FrameId, Stage};
use crate::json::{Pointer, Text, Value};
use crate::source::Span;
use std::sync::Arc;

/// What a command did, or began to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// It is done, and there is nothing to tell about it.
    Done,
    /// It is under way: [`super::Session::advance`] goes on with it.
    Begun,
    /// It is under way to this recorded event, 0 being before the first.
    Travels(u64),
    /// This frame is the focus.
    Focus(FrameId),
    /// A breakpoint was set, or has become another one under the same number.
    Breakpoint(Resolved),
    /// The breakpoints of a list, in its order.
    Breakpoints(Vec<Resolved>),
    /// A breakpoint was toggled.
    Toggled {
        /// What became of it.
        toggle: Toggle,
        /// The line asked for (from 1) and the one that it was taken for, where nothing happens on the first.
        moved: Option<(usize, usize)>,
    },
    /// An expression is watched; its value, or why it has none.
    Watched {
        /// As given.
        text: Text,
        /// Its value at the cursor.
        value: Result<Value, String>,
    },
    /// The value of a stage was changed; running goes on from it.
    Edited(Stage),
    /// A question was answered; running goes on with it.
    Answered,
    /// Questions were answered, and those that come will be.
    AnsweredAll {
        /// How many were open.
        count: usize,
        /// Which ones the answer is for: a state's name, a resource.
        rule: String,
    },
    /// An answer for many was taken back.
    RuleGone {
        /// Which ones it was for.
        rule: String,
    },
    /// The run was begun once more.
    Restarted {
        /// How many answers of a person are kept.
        typed: usize,
        /// How many answers of files are kept.
        files: usize,
    },
    /// A changed text is in force; the run is being repeated with it.
    Reloaded {
        /// How many findings of it AWS would refuse.
        errors: usize,
    },
}

/// Where a breakpoint stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Resolved {
    /// Its number; `None` where none could be set.
    pub id: Option<BreakpointId>,
    /// What stops there.
    pub at: Option<Location>,
    /// The state, where it stands on one.
    pub state: Option<StateId>,
    /// Where in the text.
    pub span: Option<Span>,
    /// The line of `span`, from 1.
    pub line: Option<usize>,
    /// Why it can never stop as things are; `None` for one that can.
    pub unverified: Option<Unverified>,
}

/// Why a breakpoint can never stop as things are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unverified {
    /// The line (from 1) belongs to no state.
    LineWithoutState(usize),
    /// No state has this name or path.
    NoState(Text),
    /// The state has no such part.
    NoPart,
    /// Its condition cannot be read, and why.
    Condition(String),
}

/// What became of a toggled breakpoint.
#[derive(Clone, Debug, PartialEq)]
pub enum Toggle {
    /// It was set.
    Set(Resolved),
    /// A plain one was taken away.
    Gone(BreakpointId),
    /// One with a condition, a hit count or a message was switched, so that those are not lost.
    Switched(BreakpointId, Switch),
}

/// Why a command was not done. Nothing has changed then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The run has ended, and the cursor stands there.
    Over,
    /// Nothing has run yet.
    NothingRan,
    /// The stage has no such place to put a value in.
    NoPlace(Stage, Pointer),
    /// What ItemSelector made is the input of this item by now.
    IsItemInput(Option<u32>),
    /// The frame does not run at the cursor.
    FrameNotLive(FrameId),
    /// The focus is the outermost frame.
    Outermost,
    /// The focus is in no Map or Parallel that began an item or a branch.
    NoChild,
    /// The focus has no sibling that way, neither a running nor a recorded one.
    NoSibling,
    /// The question is not open at the cursor.
    NotAsked,
    /// Only a Task has a Resource.
    NoResource,
    /// The condition cannot be told for the question that it is given with.
    Condition(String),
    /// No state was entered up to the cursor.
    NothingEntered,
    /// The state stands inside a Parallel or Map, where no run can begin.
    InsideGroup(Text),
    /// There is no such state.
    NoState,
    /// The line (from 1) belongs to no state.
    LineWithoutState(usize),
    /// There is no breakpoint of this number.
    NoBreakpoint(BreakpointId),
    /// There is no watch at this place.
    NoWatch(usize),
    /// There is no answer for many at this place.
    NoAnswerRule(usize),
    /// No Map has failed up to the cursor.
    NoMapFailed,
    /// The Map failed before any item began.
    MapFailedEarly,
    /// The item of the Map has not begun.
    ItemNotBegun(Unit, u32),
    /// The expression cannot be read.
    Expression {
        /// As given.
        text: Text,
        /// What is wrong with it.
        problem: String,
    },
    /// No expression found nothing in the state looked at.
    NothingMissing,
    /// This state was not reached up to here.
    NotReached(StateId),
    /// Nothing like that is recorded that way.
    NothingRecorded,
    /// No event of this number is recorded.
    NoEvent {
        /// The last one.
        last: u64,
    },
    /// This attempt is not recorded for the state looked at.
    NoAttempt(u32),
    /// The changed text cannot be run; still running the last valid version.
    Blocking {
        /// How many findings block.
        count: usize,
        /// The line of the first, from 1.
        line: Option<usize>,
        /// The first.
        message: String,
    },
}

/// What comes up while a run goes on, in the order in which it did.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// A log point was passed.
    LogPoint(LogPoint),
    /// A condition could not be told, which stops.
    Condition {
        /// Whose condition.
        breakpoint: BreakpointId,
        /// Where the run was.
        frame: FrameId,
        /// After which event.
        event: u64,
        /// Why.
        problem: String,
    },
    /// What was recorded after an event is given up.
    Forked {
        /// The event.
        after: u64,
        /// The number of the run that goes on from it.
        run: u32,
    },
    /// A stop elsewhere moved the focus.
    FocusMoved {
        /// To this frame.
        frame: FrameId,
        /// Its name, as [`super::Session::frame_name`] has it.
        name: String,
    },
    /// Questions were left open since the last stop: the states that ask.
    LeftOpen(Vec<Text>),
    /// After a reload, the run is another than before from an event on.
    Differs {
        /// The number of the new run.
        run: u32,
        /// In which values or events.
        what: String,
        /// The first event that differs.
        from: u64,
        /// Where the cursor stood in the run before.
        stood: u64,
        /// The state that it stood in, if the new run can still come there.
        back: Option<WayBack>,
    },
    /// So many edits of the run before found no place in the new one.
    EditsDropped(usize),
    /// The run before went on over the failures of a Map; this one does not.
    FailuresCount,
    /// From here on a Map runs all its items, whatever fails.
    IgnoresFailures {
        /// The number of the run.
        run: u32,
        /// The Map's state.
        map: Text,
        /// What it runs its processor for.
        unit: Unit,
    },
    /// The Map whose failures were to be ignored has no items at work where it is forked.
    NoItemsAtWork,
    /// Where a value comes from; the cursor is on its way to one of the places that it leads to.
    Origin {
        /// What was found.
        origin: Arc<Origin>,
        /// Which of its places, from 0; the number of them for none that can be seen.
        place: usize,
        /// What it is the chain of, where that is not what was asked about.
        onward: Option<Onward>,
        /// What is followed next, when this one is.
        next: Option<Onward>,
    },
    /// Why a value is missing.
    Absent(Box<Absent>),
    /// The run ended before the state (its path) that it was to go to.
    NotReached(Text),
    /// Something about an answer that is worth a line.
    Remark(Remark),
    /// Why a question has no answer that one was expected for.
    NoAnswer(NoAnswer),
}

/// What a log point noted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogPoint {
    /// Which.
    pub breakpoint: BreakpointId,
    /// Where the run was.
    pub frame: FrameId,
    /// After which event.
    pub event: u64,
    /// The message, expressions filled in.
    pub text: String,
}

/// How the place can be reached where the run before a reload stood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WayBack {
    /// The state.
    pub state: Text,
    /// The breakpoint for one stop that was set there; `None` where one stands there already.
    pub set: Option<BreakpointId>,
}
