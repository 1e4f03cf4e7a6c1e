//! Replies to commands, outputs during a run, and the types of arguments of commands, as plain data.

use super::breakpoint::{BreakpointId, Location};
use super::no_answer::{NoAnswer, Remark};
use super::place::{Absent, Holder, Onward, Origin};
use crate::definition::{StateId, Unit};
use crate::interpreter::{FrameId, Stage};
use crate::json::{Pointer, Text, Value};
use crate::source::Span;
use std::sync::Arc;

/// The result of a command, or the action that the command started.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// The command is done; there is nothing to report.
    Done,
    /// The command has started; [`super::Session::advance`] continues the command.
    Begun,
    /// The cursor starts to travel to this recorded event; 0 means before the first event.
    Travels(u64),
    /// This frame has the focus.
    Focus(FrameId),
    /// A breakpoint was set, or changed under the same id.
    Breakpoint(Resolved),
    /// The breakpoints of a list were set; the replies have the order of the list.
    Breakpoints(Vec<Resolved>),
    /// A breakpoint was toggled.
    Toggled {
        /// Result of the toggle.
        toggle: Toggle,
        /// The requested line (from 1), and the line that is used instead because the run cannot stop on the requested
        /// line.
        moved: Option<(usize, usize)>,
    },
    /// An expression was added to the watches.
    Watched {
        /// The expression as given.
        text: Text,
        /// Value of the expression at the cursor, or why there is no value.
        value: Result<Value, String>,
    },
    /// The value of a stage was changed; the run continues with the new value.
    Edited(Stage),
    /// A request was answered; the run continues with the answer.
    Answered,
    /// Open requests were answered, and similar requests will be answered in the same way.
    AnsweredAll {
        /// Number of requests that were open.
        count: usize,
        /// Description of the requests that the answer applies to: the name of a state, or a Resource.
        rule: String,
    },
    /// An answer rule was removed.
    RuleGone {
        /// Description of the requests that the removed rule applied to.
        rule: String,
    },
    /// The run was started again.
    Restarted {
        /// Number of the user's answers that the restart keeps.
        typed: usize,
        /// Number of answers from files that the restart keeps.
        files: usize,
    },
    /// A changed definition is in use; the run is being repeated with it.
    Reloaded {
        /// Number of diagnostics for which AWS would reject the definition.
        errors: usize,
    },
}

/// A breakpoint with its place in the source.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Resolved {
    /// Id of the breakpoint; `None` if the breakpoint could not be set.
    pub id: Option<BreakpointId>,
    /// Location of the breakpoint.
    pub at: Option<Location>,
    /// The state on which the breakpoint is, if it is on a state.
    pub state: Option<StateId>,
    /// The source text that the breakpoint is on; `None` if the breakpoint is not on a state of the definition.
    pub span: Option<Span>,
    /// Line of `span`, starting at 1.
    pub line: Option<usize>,
    /// The reason why the breakpoint can never stop in the current definition; `None` if it can stop.
    pub unverified: Option<Unverified>,
}

/// The reason why a breakpoint can never stop in the current definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unverified {
    /// The line (from 1) does not belong to a state.
    LineWithoutState(usize),
    /// There is no state with this name or path.
    NoState(Text),
    /// The state does not have the field, retrier, catcher or rule that the breakpoint is on.
    NoPart,
    /// The condition cannot be parsed, for this reason.
    Condition(String),
}

/// Result of toggling a breakpoint.
#[derive(Clone, Debug, PartialEq)]
pub enum Toggle {
    /// The breakpoint was set.
    Set(Resolved),
    /// A breakpoint without condition, hit count and message was removed.
    Gone(BreakpointId),
    /// A breakpoint with a condition, hit count or message was enabled or disabled instead of removed, so that these
    /// are not lost.
    Switched(BreakpointId, Switch),
}

/// The reason why a command is refused. Nothing has changed then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The run has ended, and the cursor is at its end.
    Over,
    /// Nothing has run yet.
    NothingRan,
    /// This stage has no value at this position that could be edited.
    NoPlace(Stage, Pointer),
    /// The value is the input of this item, and ItemSelector has already produced it. An edit would have no effect.
    IsItemInput(Option<u32>),
    /// The frame is not live at the cursor.
    FrameNotLive(FrameId),
    /// The focus frame is the outermost frame.
    Outermost,
    /// The focus frame is not in a Map or Parallel that has started an item or a branch.
    NoChild,
    /// There is no live or recorded branch or item in the requested direction.
    NoSibling,
    /// The request is not open at the cursor.
    NotAsked,
    /// The request is not from a Task, so it has no Resource.
    NoResource,
    /// The condition cannot be evaluated for the request that the user answers.
    Condition(String),
    /// The run has not entered a state before the cursor.
    NothingEntered,
    /// A run cannot begin at this state, because the state is inside a Parallel or Map.
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
    /// No Map has failed before the cursor.
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
    /// No expression of the shown state failed because of a missing value.
    NothingMissing,
    /// The run has not reached this state before the cursor.
    NotReached(StateId),
    /// No landmark of the wanted kind is recorded after the cursor.
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
        /// Number of diagnostics that prevent a run.
        count: usize,
        /// Line of the first of these diagnostics, starting at 1.
        line: Option<usize>,
        /// Message of the first of these diagnostics.
        message: String,
    },
}

/// Something that a session reports during a run; outputs are reported in order.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// A breakpoint with a log message was hit.
    LogPoint(LogPoint),
    /// The condition of a breakpoint could not be evaluated, which stops the run.
    Condition {
        /// The breakpoint with the condition.
        breakpoint: BreakpointId,
        /// The frame in which the condition was evaluated.
        frame: FrameId,
        /// Number of the event at which the condition was evaluated.
        event: u64,
        /// Why the condition could not be evaluated.
        problem: String,
    },
    /// The run was forked: everything recorded after an event was discarded.
    Forked {
        /// Number of the last event that was kept.
        after: u64,
        /// Number of the new run, which continues from that event.
        run: u32,
    },
    /// A stop in another frame moved the focus.
    FocusMoved {
        /// The frame that now has the focus.
        frame: FrameId,
        /// Name of the frame according to [`super::Session::frame_name`].
        name: String,
    },
    /// Requests got no answer since the last stop; contains the names of the states that made them.
    LeftOpen(Vec<Text>),
    /// After a reload, the run differs from the previous one.
    Differs {
        /// Number of the new run.
        run: u32,
        /// Description of the differing values or events.
        what: String,
        /// Number of the first event that differs.
        from: u64,
        /// Cursor position in the previous run before the reload.
        stood: u64,
        /// How to return to the state in which the previous run was, if the new run can still reach that state.
        back: Option<WayBack>,
    },
    /// This number of edits of the previous run could not be applied to the new one.
    EditsDropped(usize),
    /// The previous run ignored the failures of a Map, but this run does not.
    FailuresCount,
    /// From now on, a Map runs all its items, whatever fails.
    IgnoresFailures {
        /// Number of the run.
        run: u32,
        /// Name of the Map.
        map: Text,
        /// The unit that the Map processes: an item or a batch.
        unit: Unit,
    },
    /// The Map whose failures the user wanted to ignore has no running items at the fork.
    NoItemsAtWork,
    /// The origin of a value was found; the cursor travels to one of the places in the value's chain of origins.
    Origin {
        /// The origin.
        origin: Arc<Origin>,
        /// Index in the chain of the place to which the cursor travels; equal to the number of places if the place
        /// cannot be shown.
        place: usize,
        /// The value that the chain explains, if the user asked about another value.
        onward: Option<Onward>,
        /// The value whose chain follows after this chain, if any.
        next: Option<Onward>,
    },
    /// Why a value is missing.
    Absent(Box<Absent>),
    /// The run ended before it reached the state with this path.
    NotReached(Text),
    /// A remark for the user on an answer, a state or a child execution.
    Remark(Remark),
    /// Why a request has no answer although one was expected.
    NoAnswer(NoAnswer),
}

/// Output of a breakpoint with a log message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogPoint {
    /// The breakpoint.
    pub breakpoint: BreakpointId,
    /// The frame in which the expressions of the message were evaluated.
    pub frame: FrameId,
    /// Number of the event at which the breakpoint was hit.
    pub event: u64,
    /// The message, with the values of its expressions.
    pub text: String,
}

/// How to return to the state in which the previous run was at the cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WayBack {
    /// Name of the state.
    pub state: Text,
    /// The one-time breakpoint that was set on that state; `None` if the state already had a breakpoint.
    pub set: Option<BreakpointId>,
}

/// Which further requests get the answer that the user gave to one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reach {
    /// All requests of the same state.
    State,
    /// All requests of tasks with the same Resource.
    Resource,
    /// The requests of the same state for which this expression is true, for example in some items of a Map.
    Items(Text),
}

/// A value whose origin the user asks for, in the focus frame at the cursor.
#[derive(Clone, Debug, PartialEq)]
pub enum Sought {
    /// The value of a path that the user typed: `$.order`, `$result.id`, `$error.Cause`, `$$.Execution.Input`,
    /// `$total`.
    Path(Text),
    /// The value of a path as fields of the state read it: variables have the values from before the state's own
    /// Assign.
    Read(Text),
    /// The value at a position in a stage or in another holder of data.
    At(Holder, Pointer),
    /// The value that is missing for the expression that failed.
    Missing,
    /// The output of the last finished visit of a state before the cursor; without a finished visit, the state's input.
    State(StateId),
}

/// Direction in which a command moves the cursor, or moves among sibling branches and items.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Towards later events, or branches and items with a higher index.
    Forward,
    /// Towards earlier events, or branches and items with a lower index.
    Backward,
}

/// The answers that a restart keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Restart {
    /// Keeps the user's answers: the next run uses them again.
    KeepAnswers,
    /// Keeps nothing: the next run has only the same input, seed and start time.
    Fresh,
}

/// The state of a setting: on or off.
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
    /// An event of the focus frame that produces a stage, or another important event of that frame, such as the end of
    /// a task, an error or the exit of a state.
    Stage,
    /// The event at which the focus frame enters a state.
    State,
    /// An error raised in the focus frame.
    Error,
    /// Any event of any frame.
    Event,
    /// The end of the attempt with this number (from 1) of the focus frame's state, before or after the cursor. If the
    /// end is not recorded, the last event of the attempt.
    Attempt(u32),
}
