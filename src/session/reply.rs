//! Replies to commands, outputs during a run, and arguments of commands, as data.

use super::breakpoint::{BreakpointId, Location};
use super::no_answer::{NoAnswer, Remark};
use super::place::{Absent, Holder, Onward, Origin};
use crate::definition::{StateId, Unit};
use crate::interpreter::{FrameId, Stage};
use crate::json::{Pointer, Text, Value};
use crate::source::Span;
use std::sync::Arc;

/// The effect of a command that is done or has started.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// The command is done; there is nothing to report.
    Done,
    /// The command has started: [`super::Session::advance`] continues it.
    Begun,
    /// Travelling to this recorded event has started; 0 is before the first.
    Travels(u64),
    /// This frame has the focus.
    Focus(FrameId),
    /// A breakpoint was set, or changed under the same id.
    Breakpoint(Resolved),
    /// The breakpoints of a list, in its order.
    Breakpoints(Vec<Resolved>),
    /// A breakpoint was toggled.
    Toggled {
        /// Result of the toggle.
        toggle: Toggle,
        /// The requested line (from 1) and the line used instead, if nothing happens on the first.
        moved: Option<(usize, usize)>,
    },
    /// An expression is watched.
    Watched {
        /// The expression as given.
        text: Text,
        /// Value of the expression at the cursor, or why it has none.
        value: Result<Value, String>,
    },
    /// The value of a stage was changed; the run continues with it.
    Edited(Stage),
    /// A request was answered; the run continues with the answer.
    Answered,
    /// Requests were answered, and similar ones will be.
    AnsweredAll {
        /// Number of requests that were open.
        count: usize,
        /// Description of the requests that the answer applies to: name of a state, or a Resource.
        rule: String,
    },
    /// An answer rule was removed.
    RuleGone {
        /// Description of the requests that the removed rule applied to.
        rule: String,
    },
    /// The run was started again.
    Restarted {
        /// Number of the user's answers that are kept.
        typed: usize,
        /// Number of answers from files that are kept.
        files: usize,
    },
    /// A changed definition is in use; the run is being repeated with it.
    Reloaded {
        /// Number of diagnostics for which AWS would reject the definition.
        errors: usize,
    },
}

/// A breakpoint with its location.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Resolved {
    /// Id of the breakpoint; `None` if it could not be set.
    pub id: Option<BreakpointId>,
    /// Location of the breakpoint.
    pub at: Option<Location>,
    /// The state, if the breakpoint is on one.
    pub state: Option<StateId>,
    /// Span in the source.
    pub span: Option<Span>,
    /// Line of `span`, starting at 1.
    pub line: Option<usize>,
    /// The reason why the breakpoint can never stop at present; `None` if it can.
    pub unverified: Option<Unverified>,
}

/// The reason why a breakpoint can never stop at present.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unverified {
    /// The line (from 1) does not belong to a state.
    LineWithoutState(usize),
    /// There is no state with this name or path.
    NoState(Text),
    /// The state does not have this part.
    NoPart,
    /// The condition cannot be parsed, for this reason.
    Condition(String),
}

/// Result of toggling a breakpoint.
#[derive(Clone, Debug, PartialEq)]
pub enum Toggle {
    /// The breakpoint was set.
    Set(Resolved),
    /// A plain breakpoint was removed.
    Gone(BreakpointId),
    /// A breakpoint with a condition, hit count or message was enabled or disabled, so that these are not lost.
    Switched(BreakpointId, Switch),
}

/// The reason why a command is refused. Nothing has changed then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The run has ended, and the cursor is at its end.
    Over,
    /// Nothing has run yet.
    NothingRan,
    /// The value of the stage has no such position to edit.
    NoPlace(Stage, Pointer),
    /// The value of ItemSelector has already become the input of this item.
    IsItemInput(Option<u32>),
    /// The frame is not live at the cursor.
    FrameNotLive(FrameId),
    /// The focus frame is the outermost frame.
    Outermost,
    /// The focus is not in a Map or Parallel that has started an item or branch.
    NoChild,
    /// The focus frame has no live or recorded sibling in this direction.
    NoSibling,
    /// The request is not open at the cursor.
    NotAsked,
    /// Only a Task has a Resource.
    NoResource,
    /// The condition cannot be evaluated for the request that the user answers.
    Condition(String),
    /// No state has been entered up to the cursor.
    NothingEntered,
    /// The state is inside a Parallel or Map, where a run cannot begin.
    InsideGroup(Text),
    /// There is no such state.
    NoState,
    /// The line (from 1) does not belong to a state.
    LineWithoutState(usize),
    /// There is no breakpoint with this id.
    NoBreakpoint(BreakpointId),
    /// There is no watch with this index.
    NoWatch(usize),
    /// There is no answer rule with this index.
    NoAnswerRule(usize),
    /// No Map has failed up to the cursor.
    NoMapFailed,
    /// The Map failed before any item started.
    MapFailedEarly,
    /// The item of the Map has not started.
    ItemNotBegun(Unit, u32),
    /// The expression cannot be parsed.
    Expression {
        /// The expression as given.
        text: Text,
        /// The problem.
        problem: String,
    },
    /// No expression of the shown state lacks a value.
    NothingMissing,
    /// The state has not been reached up to the cursor.
    NotReached(StateId),
    /// Nothing of this kind is recorded in this direction.
    NothingRecorded,
    /// There is no recorded event with this number.
    NoEvent {
        /// Number of the last event.
        last: u64,
    },
    /// This attempt of the shown state is not recorded.
    NoAttempt(u32),
    /// The changed definition cannot be run; the last valid version stays in use.
    Blocking {
        /// Number of blocking diagnostics.
        count: usize,
        /// Line of the first diagnostic, starting at 1.
        line: Option<usize>,
        /// Message of the first diagnostic.
        message: String,
    },
}

/// Output of a session during a run, in order.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// A log point was reached.
    LogPoint(LogPoint),
    /// A condition could not be evaluated, which stops the run.
    Condition {
        /// The breakpoint with the condition.
        breakpoint: BreakpointId,
        /// The frame at the time.
        frame: FrameId,
        /// Number of the event.
        event: u64,
        /// The reason.
        problem: String,
    },
    /// Everything recorded after an event was discarded.
    Forked {
        /// Number of the event.
        after: u64,
        /// Number of the run that continues from the event.
        run: u32,
    },
    /// A stop in another frame moved the focus.
    FocusMoved {
        /// The frame that now has the focus.
        frame: FrameId,
        /// Name of the frame according to [`super::Session::frame_name`].
        name: String,
    },
    /// Requests were left unanswered since the last stop; the states that made them.
    LeftOpen(Vec<Text>),
    /// After a reload, the run differs from the previous one.
    Differs {
        /// Number of the new run.
        run: u32,
        /// Description of the differing values or events.
        what: String,
        /// Number of the first event that differs.
        from: u64,
        /// Cursor position in the previous run.
        stood: u64,
        /// The state at that position, if the new run can still reach it.
        back: Option<WayBack>,
    },
    /// This number of edits of the previous run could not be applied to the new one.
    EditsDropped(usize),
    /// The previous run ignored the failures of a Map; this one does not.
    FailuresCount,
    /// From here on, a Map runs all its items, regardless of failures.
    IgnoresFailures {
        /// Number of the run.
        run: u32,
        /// Name of the Map.
        map: Text,
        /// Unit that the Map runs its processor for.
        unit: Unit,
    },
    /// The Map whose failures were to be ignored has no active items at the fork.
    NoItemsAtWork,
    /// The origin of a value was found; the cursor travels to one of its stops.
    Origin {
        /// The origin.
        origin: Arc<Origin>,
        /// Index of the stop; equal to the number of stops if none can be shown.
        place: usize,
        /// The place that the chain belongs to, if that is not the value asked about.
        onward: Option<Onward>,
        /// The place to follow after this chain.
        next: Option<Onward>,
    },
    /// Why a value is missing.
    Absent(Box<Absent>),
    /// The run ended before it reached the state with this path.
    NotReached(Text),
    /// A remark on an answer.
    Remark(Remark),
    /// Why a request has no answer although one was expected.
    NoAnswer(NoAnswer),
}

/// Output of a log point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogPoint {
    /// The breakpoint.
    pub breakpoint: BreakpointId,
    /// The frame at the time.
    pub frame: FrameId,
    /// Number of the event.
    pub event: u64,
    /// The message, with the values of its expressions.
    pub text: String,
}

/// How to return to the state in which the previous run was before a reload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WayBack {
    /// Name of the state.
    pub state: Text,
    /// The one-time breakpoint that was set there; `None` if there already was one.
    pub set: Option<BreakpointId>,
}

/// Selects other requests that an answer also applies to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Requests of the same state.
    State,
    /// Requests of tasks with the same Resource.
    Resource,
    /// Requests of the same state for which an expression is true, mostly in items of a Map.
    Items(Text),
}

/// A value whose origin is searched, in the focus frame at the cursor.
#[derive(Clone, Debug, PartialEq)]
pub enum Sought {
    /// The value of a path that the user typed: `$.order`, `$result.id`, `$error.Cause`, `$$.Execution.Input`,
    /// `$total`.
    Path(Text),
    /// The value of a path as the state's fields read it: variables have their values from before the state's own
    /// Assign.
    Read(Text),
    /// The value at a position in the data of a holder.
    At(Holder, Pointer),
    /// The value that is missing for the expression that failed.
    Missing,
    /// The output of the last finished visit of a state up to the cursor, otherwise its input.
    State(StateId),
}

/// Direction in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Forwards.
    Forward,
    /// Backwards.
    Backward,
}

/// The answers that a restart keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Restart {
    /// The user's answers.
    KeepAnswers,
    /// Keeps nothing: the next run has only the same input, seed and start time.
    Fresh,
}

/// On or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Switch {
    /// On.
    On,
    /// Off.
    Off,
}

/// Kinds of recorded events that the user may travel to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Landmark {
    /// A stage of the focus frame, or another of its events that is worth a stop.
    Stage,
    /// The entry of a state in the focus frame.
    State,
    /// An error raised in the focus frame.
    Error,
    /// Any event of any frame.
    Event,
    /// The end of an attempt (from 1) of the focus frame's state, in either direction; if the attempt has no recorded
    /// end, its last event.
    Attempt(u32),
}
