//! Everything that front ends show, as plain data, computed from the machine and the timeline at one event.

use super::answerer::MocksToCome;
use super::breakpoint::{Breakpoint, BreakpointId};
pub use super::event_row::{EventDetail, EventRow, Touched};
pub use super::event_row::{Inner, ItemStanding, ItemView, LaneView};
use super::log::AnsweredBy;
use super::place::LedTo;
pub use super::place::{FaultView, Led, Raised};
use super::recorded::{FirstDifference, RecordedRow};
use super::stop_condition::Stop;
pub use super::visit_view::{Follows, Forecast, StateStatus, ToCome, VisitView, When};
use crate::definition::StateId;
use crate::interpreter::{
    Answer, Ask, AskId, Calling, Edge, Fault, FrameId, Millis, NoWait, Stage,
};
use crate::json::{Text, Value};
use crate::query::Profile;
use crate::source::Span;
use std::sync::Arc;

pub use super::no_items::NoItems;
pub use super::tally::stands_after;

pub use super::choice::{Compared, Joint, OperandView, Reason, RuleView, Side, joined, reason};

pub use super::end_view::{
    Became, ByDefault, EndView, ErrorRow, KeptAway, LeftOut, Remarked, RunOn, SpentView,
    TimeoutView,
};

/// All data that a front end shows about the run at the cursor.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// Data for the header of the screen.
    pub header: HeaderView,
    /// Comparison with the recorded execution, if the run repeats one.
    pub recorded: Option<RecordedView>,
    /// The state that the focus frame is in; `None` before the first state.
    pub current: Option<StateId>,
    /// The source text that the event at the cursor is about: the name of the state, the field that produced a stage,
    /// or the retrier, catcher or rule that was used.
    pub current_span: Option<Span>,
    /// The states of the definition, indexed by [`StateId`]. If the focus frame or one of its ancestors executes the
    /// list of states that contains a state, the state's status comes from that frame. Otherwise, the status comes from
    /// all frames that execute this list inside one of them: the innermost one whose states contain the list.
    pub states: Vec<StateView>,
    /// All transitions taken in the frames that give the states their status, with their counts.
    pub edges: Vec<(StateId, Edge, u32)>,
    /// The data of the shown state, by stage.
    pub data: DataView,
    /// The state pane.
    pub state: StatePane,
    /// The frames from the outermost one to the focus frame.
    pub frames: Vec<FrameView>,
    /// Tasks that wait because they have no answer.
    pub tasks: Vec<TaskView>,
    /// Tasks that have an answer which arrives later or never.
    pub held: Vec<TaskView>,
    /// Summary of the run, if the cursor is at the end of a finished run.
    pub end: Option<EndView>,
    /// Mocked answers that the mock file gives next.
    pub to_come: MocksToCome,
    /// The user's answer rules, each of which gives one answer to many requests.
    pub answer_rules: Vec<AnswerRuleView>,
    /// Breakpoints in the order in which they were set.
    pub breakpoints: Vec<BreakpointView>,
    /// Watches in the order in which they were added.
    pub watches: Vec<WatchView>,
    /// True if the task that the user may answer already has an answer. A new answer would replace it.
    pub has_answer: bool,
    /// The place to highlight: the place to which the user followed the origin of a value, while the cursor is there;
    /// or the first difference after a reload.
    pub led_to: Option<LedTo>,
    /// For each value that the failed expression read: the states whose fields wrote that value, latest first.
    pub made_by: Vec<Vec<StateId>>,
    /// Why a value is missing, if the missing value made the state fail and the run has stopped at the error.
    pub missing: Option<super::place::Absent>,
    /// The state that raised the error, if the error was not raised by the shown state but by a state inside it.
    pub raised: Option<Raised>,
    /// The transition or error that led to a Fail state: to the shown state, or to the state in `raised`.
    pub led: Option<Led>,
}

impl View {
    /// A state of the definition.
    #[must_use]
    pub fn of_state(&self, state: StateId) -> Option<&StateView> {
        self.states.get(state.0 as usize)
    }

    /// The status of a state.
    #[must_use]
    pub fn status_of(&self, state: StateId) -> StateStatus {
        self.of_state(state)
            .map_or_else(Default::default, |state| state.status)
    }
}

/// Comparison of a run with the recorded execution that it repeats.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedView {
    /// The first difference, if there is one.
    pub difference: Option<Arc<FirstDifference>>,
    /// Recorded events from the first difference on.
    pub rest: Arc<[RecordedRow]>,
    /// True if the definition is not the definition that ran on AWS, but was generated from the recorded events.
    pub is_skeleton: bool,
    /// True if the run does what the recorded events say, even where the definition would do something else.
    pub follows: bool,
    /// True if the input was not recorded, so that another value is used in its place.
    pub lacks_input: bool,
    /// Short remarks about the recorded execution, such as what was not recorded.
    pub marks: Arc<[String]>,
    /// Number of recorded events that the run has matched.
    pub count: usize,
    /// Number of recorded events.
    pub events: usize,
}

/// Data for the header.
#[derive(Clone, Debug, PartialEq)]
pub struct HeaderView {
    /// Name of the state machine.
    pub machine: Text,
    /// Number of the run: starts at 1; increases with each new run and each fork.
    pub run: u32,
    /// True if the user made a Map ignore its failures, which AWS never does.
    pub not_aws: bool,
    /// Number of answers typed, and number of values edited, in the whole run.
    pub touched: (usize, usize),
    /// Number of calls to real targets in the whole run.
    pub calls: usize,
    /// The real call that is in flight, if any.
    pub calling: Option<Calling>,
    /// After a reload: how the run differs from the run before; empty if there is no difference.
    pub differs: String,
    /// Status of the run.
    pub status: RunStatus,
    /// The cursor: number of the last event that this view includes; 0 is before the first event.
    pub event: u64,
    /// Number of recorded events.
    pub event_count: u64,
    /// AWS's id of the last event in the history, before or at the cursor.
    pub history_id: u32,
    /// Time on the virtual clock.
    pub clock: Millis,
    /// Readable name of the focus frame: `main`, `Orders[12]`, `Fan[1]/Each[3]`.
    pub frame: String,
    /// The profile in use.
    pub profile: Profile,
    /// The mock file's test case in use.
    pub test_case: Option<Text>,
}

/// Status of the run as seen at the cursor.
#[derive(Clone, Debug, PartialEq)]
pub enum RunStatus {
    /// Nothing has run yet.
    Ready,
    /// The debugger is running, or is travelling through the recorded events.
    Running,
    /// The run has stopped, for this reason.
    Paused(Stop),
    /// The cursor is before the last recorded event.
    Past,
    /// The run succeeded.
    Succeeded {
        /// Output of the execution.
        output: Value,
    },
    /// The run failed with this error.
    Failed(Fault),
    /// The execution's TimeoutSeconds expired.
    TimedOut,
}

impl RunStatus {
    /// True if the run has ended, and the cursor is at its end.
    #[must_use]
    pub fn is_over(&self) -> bool {
        matches!(
            self,
            Self::Succeeded { .. } | Self::Failed(_) | Self::TimedOut
        )
    }
}

/// A state of the graph.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StateView {
    /// Status according to the frame that was last in the state.
    pub status: StateStatus,
    /// Number of visits.
    pub visits: u32,
    /// While a retry is in progress: the number of retries made by the last retrier that matched, and its MaxAttempts.
    pub retries: Option<(u64, u64)>,
    /// Number of finished items and number of all items, for a Map that was entered.
    pub progress: Option<(u32, u32)>,
    /// Number of times that the Map started its items; `progress` counts the items of all these times.
    pub runs: u32,
    /// Number of failed items.
    pub items_failed: u32,
    /// Number of visits that ended with an uncaught error.
    pub failures: u32,
    /// Number of frames that are in the state.
    pub live: u32,
    /// Number of retries over all visits.
    pub retried: u32,
    /// Duration of the last visit, once it has ended.
    pub took: Option<Millis>,
}

/// The data of a state by stage.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DataView {
    /// The state; `None` before the first one.
    pub state: Option<StateId>,
    /// Number of the attempt, starting at 1.
    pub attempt: u32,
    /// Stages that a state of this type has, in order.
    pub stages: Vec<StageView>,
    /// The Map field that produced the input, if the state is the first state of an item.
    pub item: Option<ItemInput>,
    /// The stage that the event at the cursor produced, if any.
    pub now: Option<Stage>,
    /// Start and duration of the frame's visit to the state; `None` before that visit.
    pub visit: Option<VisitView>,
    /// The source of the task's answer; `None` while the task has no result.
    pub answer: Option<AnswerView>,
    /// Location of the Assign that took effect: the Assign of the state, the rule or the catcher.
    pub assign: Option<Span>,
    /// Remarks on the variables that the Assign set, one sentence each.
    pub assign_remarks: Vec<String>,
    /// The current error of the state, if any.
    pub fault: Option<FaultView>,
    /// True if a catcher handled the error. The stages other than input and output are then of no use.
    pub caught: bool,
    /// Tells which stages without a value will still get a value.
    pub to_come: ToCome,
    /// The conditions on which the next event depends, each with what happens if the condition is met.
    pub forecast: Vec<Forecast>,
    /// Variables in scope, outermost scope first.
    pub variables: Vec<(Text, Value)>,
    /// The context object.
    pub context: Value,
}

/// The answer of a task.
#[derive(Clone, Debug, PartialEq)]
pub struct AnswerView {
    /// Source of the answer; `None` if asldbg itself answered.
    pub by: Option<AnsweredBy>,
    /// For a mocked answer, the name of the mocked response and the number of the call (from 0).
    pub mocked: Option<(Text, u64)>,
    /// Duration on the virtual clock.
    pub took: Option<Millis>,
}

/// The field of a Map that produced the input of an item.
#[derive(Clone, Debug, PartialEq)]
pub struct ItemInput {
    /// Name of the field: `ItemSelector`, `Parameters` or `ItemBatcher`.
    pub field: Text,
    /// The Map that has the field.
    pub map: StateId,
    /// Span of the field's value.
    pub span: Span,
}

/// A stage of the data flow, for display.
#[derive(Clone, Debug, PartialEq)]
pub struct StageView {
    /// The stage.
    pub stage: Stage,
    /// Value of the stage; `None` if it was not reached.
    pub value: Option<Value>,
    /// Index of the item, if `value` is the input that ItemSelector produced for a single item.
    pub item: Option<u32>,
    /// Text of the field that produces the stage, such as `$.order` or `{ 2 fields }`; `None` without a field.
    pub expression: Option<String>,
    /// Location of the field that produces the stage.
    pub span: Option<Span>,
    /// For a field that builds the stage's value only from the previous stage: names of the members that the field does
    /// not read. `None` for other fields, or if the names are not known.
    pub unread: Option<Vec<Text>>,
    /// Remarks on the value, one sentence each, such as: a single result is not in an array, or a function was applied
    /// to an array of arrays.
    pub remarks: Vec<String>,
    /// One sentence on the values that the stage's field lost: `left out: id, sku, qty`, `no ResultPath: the result
    /// replaces the whole input; lost: order, stock`.
    pub loss: Option<String>,
}

impl DataView {
    /// A stage of the state, whether or not it was reached.
    #[must_use]
    pub fn stage(&self, stage: Stage) -> Option<&StageView> {
        self.stages.iter().find(|view| view.stage == stage)
    }

    /// The value of a stage; `None` if it was not reached.
    #[must_use]
    pub fn value(&self, stage: Stage) -> Option<&Value> {
        self.stage(stage)?.value.as_ref()
    }
}

/// The contents of the state pane, by type of state.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum StatePane {
    /// No contents, for a Pass, Succeed or Fail state, or without a state.
    #[default]
    Nothing,
    /// A Task, with its retriers, catchers and attempts.
    Task(HandlingView),
    /// A Choice: its rules.
    Choice(Vec<RuleView>),
    /// A Wait.
    Wait {
        /// Start of the wait.
        since: Millis,
        /// End of the wait; `None` while it is not known.
        until: Option<Millis>,
        /// End of the wait as a timestamp, if the state gives one.
        date: Option<Text>,
        /// The field that sets the end of the wait, with its text: `TimestampPath $.due`.
        written: Option<Text>,
        /// The reason why the state does not wait, if it does not.
        no_wait: Option<NoWait>,
        /// The execution's time limit, if the limit ends the run before the wait is over.
        cut: Option<MachineLimit>,
    },
    /// A Parallel.
    Parallel {
        /// One row per branch.
        lanes: Vec<LaneView>,
        /// Retriers, catchers and attempts.
        handling: HandlingView,
    },
    /// A Map.
    Map {
        /// The first items, at most [`ITEM_ROWS`]: failed items first, then running items, then the others.
        items: Vec<ItemView>,
        /// Number of items with each status, the most important status first.
        summary: Vec<(ItemStanding, u32)>,
        /// Number of all items.
        total: u32,
        /// Number of items that match the filter; `None` without a filter.
        fitting: Option<u32>,
        /// The text that shown items must contain; empty to show all items.
        filter: Text,
        /// The expression that the user chose to show beside each item.
        column: Option<Text>,
        /// Why the Map has no items, once this is known.
        no_items: Option<NoItems>,
        /// Retriers, catchers and attempts.
        handling: HandlingView,
    },
}

impl StatePane {
    /// Retriers, catchers and attempts, for the types of state that have them.
    #[must_use]
    pub fn handling(&self) -> Option<&HandlingView> {
        match self {
            Self::Task(handling) | Self::Parallel { handling, .. } | Self::Map { handling, .. } => {
                Some(handling)
            }
            Self::Nothing | Self::Choice(_) | Self::Wait { .. } => None,
        }
    }
}

/// The time limit of an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MachineLimit {
    /// Virtual time at which the limit ends the run.
    pub at: Millis,
    /// Line of TimeoutSeconds; `None` if the limit comes from the state machine's type (Standard or Express).
    pub line: Option<usize>,
}

/// Maximum number of items in a [`StatePane`].
pub const ITEM_ROWS: usize = 200;

/// Retriers, catchers and attempts of a state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HandlingView {
    /// Retriers in order.
    pub retriers: Vec<RetrierView>,
    /// Catchers in order.
    pub catchers: Vec<CatcherView>,
    /// The name of an error that no retrier or catcher matches, and the most similar name in an ErrorEquals.
    pub near: Option<(Text, Text)>,
    /// The last 100 attempts, in order.
    pub attempts: Vec<AttemptView>,
    /// Time at which TimeoutSeconds ends the attempt in progress.
    pub timeout_at: Option<Millis>,
    /// Time at which HeartbeatSeconds ends the attempt in progress, unless a heartbeat arrives before that time.
    pub heartbeat_at: Option<Millis>,
}

/// A retrier.
#[derive(Clone, Debug, PartialEq)]
pub struct RetrierView {
    /// The field `ErrorEquals`.
    pub errors: Vec<Text>,
    /// Number of retries made.
    pub used: u64,
    /// The field `MaxAttempts`.
    pub max: u64,
    /// The delays as text, such as `2 s × 2.0, at most 60 s, jitter`.
    pub back_off: String,
    /// The delays before the retries so far, in milliseconds; the last delay may still be in progress.
    pub waited: Vec<Millis>,
    /// True if the last delay is in progress.
    pub waits: bool,
    /// The part of the last delay that had passed, in milliseconds, if the end of the run cut the delay short.
    pub cut_short: Option<Millis>,
    /// Delay in milliseconds (before jitter) of the retry that follows the current error; `None` once the retry is
    /// scheduled.
    pub next: Option<Millis>,
    /// True if the retrier matches the current error; if there is no current error, true if it matches the last error.
    pub takes: bool,
    /// True if no retrier matches the current error and this retrier names a similar error.
    pub is_close: bool,
    /// Why the retrier retries or does not: `States.TaskFailed does not match States.Timeout`, `matches (States.ALL),
    /// used up: 3 of 3`. Empty if there is no error.
    pub why: String,
    /// Location of the retrier in the source.
    pub span: Span,
}

/// A catcher.
#[derive(Clone, Debug, PartialEq)]
pub struct CatcherView {
    /// The field `ErrorEquals`.
    pub errors: Vec<Text>,
    /// The state in `Next`.
    pub next: Text,
    /// Text of `ResultPath`; `$` if absent.
    pub result_path: Text,
    /// True if the catcher catches or would catch the current error.
    pub takes: bool,
    /// The first name in ErrorEquals that matches the error.
    pub matched: Option<Text>,
    /// Why the catcher matches or does not; empty if there is no error.
    pub why: String,
    /// Location of the catcher in the source.
    pub span: Span,
}

/// An attempt of a state.
#[derive(Clone, Debug, PartialEq)]
pub struct AttemptView {
    /// Number of the attempt, starting at 1.
    pub number: u32,
    /// Start time.
    pub started: Millis,
    /// Duration, once the attempt or the run has ended.
    pub took: Option<Millis>,
    /// Name of the error, if the attempt failed.
    pub error: Option<Text>,
    /// Status of the attempt.
    pub status: StateStatus,
}

/// A frame on the path from the outermost frame to the focus frame.
#[derive(Clone, Debug, PartialEq)]
pub struct FrameView {
    /// Id of the frame.
    pub frame: FrameId,
    /// Name of the frame: `main`, `Orders[12]`.
    pub name: String,
    /// The state that the frame is in.
    pub state: Option<StateId>,
}

/// A task for which an answer is missing or has not arrived.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskView {
    /// The request.
    pub ask: Ask,
    /// Time of the call.
    pub since: Millis,
    /// Time at which the next heartbeat is due.
    pub heartbeat_at: Option<Millis>,
    /// Time at which the task times out.
    pub timeout_at: Option<Millis>,
    /// Time at which the task's answer arrives; `None` if the task has no answer, or if its answer never arrives.
    pub answer_at: Option<Millis>,
}

impl TaskView {
    /// The time at which the task's wait ends: the answer arrives, or a time limit passes.
    #[must_use]
    pub fn until(&self) -> Option<Millis> {
        match (self.answer_at, self.timeout_at) {
            (None, None) => self.heartbeat_at,
            (None, Some(out)) => Some(self.heartbeat_at.map_or(out, |beat| beat.min(out))),
            (Some(answer), out) => Some(out.map_or(answer, |out| out.min(answer))),
        }
    }
}

/// A rule by which an answer applies to many requests.
#[derive(Clone, Debug, PartialEq)]
pub struct AnswerRuleView {
    /// Description of the requests to which the rule applies.
    pub what: String,
    /// The answer.
    pub answer: Answer,
}

/// A breakpoint for display.
#[derive(Clone, Debug, PartialEq)]
pub struct BreakpointView {
    /// Id, as displayed and as used in commands.
    pub id: BreakpointId,
    /// The breakpoint.
    pub breakpoint: Breakpoint,
    /// True if the breakpoint is enabled.
    pub enabled: bool,
    /// Number of hits.
    pub hits: u64,
    /// True if the run has stopped at this breakpoint.
    pub here: bool,
    /// True if the breakpoint's state does not exist any more since a reload.
    pub gone: bool,
    /// The state that the breakpoint is on.
    pub state: Option<StateId>,
    /// Location of the breakpoint in the source.
    pub span: Option<Span>,
}

/// A watch for display.
#[derive(Clone, Debug, PartialEq)]
pub struct WatchView {
    /// The expression as typed.
    pub text: Text,
    /// Current value, or why there is none.
    pub value: Result<Value, String>,
    /// Value at the previous stop, if the current value is different.
    pub was: Option<Result<Value, String>>,
}

/// The answers that the user may give to a request, and what follows each answer.
#[derive(Clone, Debug, PartialEq)]
pub struct AnswerOffer {
    /// Id of the request.
    pub ask: AskId,
    /// The state that made the request.
    pub state: StateId,
    /// A sample result to edit, with the members that the definition reads and the members that are always present.
    pub result: Value,
    /// A sample result with all possible members; `None` if the members are not known.
    pub whole: Option<Value>,
    /// An earlier answer to the same request, from this run or another run.
    pub before: Option<Answer>,
    /// Names of errors that the user may answer with, and what follows each error: `Catch[0] (States.ALL) →
    /// NotifyDeclined`, `retry 1/3 in 2 s`, `not caught: the run fails`.
    pub errors: Vec<(Text, String)>,
    /// The next step of the run if the user answers with a result.
    pub then: String,
    /// HeartbeatSeconds in milliseconds, if the task has a heartbeat limit.
    pub heartbeat: Option<Millis>,
}
