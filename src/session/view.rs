//! What a front end shows, as plain data: made from the machine and the timeline at one event, nothing of the terminal.
//!
//! It must not know colours, glyphs, widths or keys.

use super::answerer::MocksToCome;
use super::breakpoint::{Breakpoint, BreakpointId};
pub use super::event_row::{EventDetail, EventRow, Touched};
pub use super::failed_child::Inner;
pub use super::fault_view::{FaultView, Led, Raised};
pub use super::forecast::{Follows, Forecast, When};
pub use super::item_standing::ItemStanding;
use super::log::AnsweredBy;
use super::place::LedTo;
use super::recorded::{FirstDifference, RecordedRow};
pub use super::state_status::StateStatus;
use super::stop::Stop;
use crate::definition::StateId;
use crate::interpreter::{Answer, Ask, AskId, Edge, Fault, FrameId, Millis, NoWait, Stage};
use crate::json::{Text, Value};
use crate::query::Profile;
use crate::source::Span;
use std::sync::Arc;

pub use super::lane_view::{ItemView, LaneView};
pub use super::no_items::NoItems;
pub use super::tally::stands_after;
pub use super::visit_view::{ToCome, VisitView};

pub use super::choice::{Compared, Joint, OperandView, Reason, RuleView, Side, joined, reason};

pub use super::end_view::{
    Became, DifferingRow, EndView, ErrorRow, KeptAway, LeftOut, MisfitRow, NoItemsRow, NoWaitRow,
    RunOn, SpentView, TimeoutView,
};

/// Everything about the run at the cursor.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// For the header.
    pub header: HeaderView,
    /// How the run stands to the recorded execution that it repeats, where it repeats one.
    pub recorded: Option<RecordedView>,
    /// The state of the focus frame; `None` before the first state.
    pub current: Option<StateId>,
    /// Where the "current line" is: the state's name, or the field of the stage, the retrier, the catcher, the rule.
    pub current_span: Option<Span>,
    /// One per state of the definition, by [`StateId`]: as the frame in focus left it, and those around that one; what
    /// none of these runs, as all that they started left it.
    pub states: Vec<StateView>,
    /// Every edge that was taken there, with how often.
    pub edges: Vec<(StateId, Edge, u32)>,
    /// The pipeline of the state looked at.
    pub data: DataView,
    /// The state pane.
    pub state: StatePane,
    /// The frames from the machine's own down to the focus frame.
    pub frames: Vec<FrameView>,
    /// Tasks that wait for an answer.
    pub tasks: Vec<TaskView>,
    /// The tasks that are answered already, later or never.
    pub held: Vec<TaskView>,
    /// What the run came to, at its end.
    pub end: Option<EndView>,
    /// What the mock file has for the calls to come.
    pub to_come: MocksToCome,
    /// Answers that were given for many tasks.
    pub answer_rules: Vec<AnswerRuleView>,
    /// Breakpoints in the order they were made.
    pub breakpoints: Vec<BreakpointView>,
    /// Watches in the order they were made.
    pub watches: Vec<WatchView>,
    /// Whether the task that a person may answer has an answer already: then it would be another one.
    pub has_answer: bool,
    /// The place that an origin led to, while the cursor stands there; or that in which the run first differs after a reload.
    pub led_to: Option<LedTo>,
    /// The states whose fields wrote what the failed expression read.
    pub made_by: Vec<StateId>,
    /// Why the value is missing that failed the state, in words; known where the run has stopped at the error.
    pub missing: Option<super::place::Absent>,
    /// What raised the error in or inside of the state that is looked at, where that was another state.
    pub raised: Option<Raised>,
    /// What led to the Fail state that is looked at, or that raised that error.
    pub led: Option<Led>,
}

/// A run beside the recorded execution that it repeats.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedView {
    /// Where they first differ, once they do.
    pub difference: Option<Arc<FirstDifference>>,
    /// What was recorded from there on.
    pub rest: Arc<[RecordedRow]>,
    /// Whether the definition was made of its events.
    pub is_skeleton: bool,
    /// Whether the run does what its events say, whatever the definition would make of the data.
    pub follows: bool,
    /// Whether its input was not recorded, and something else stands in its place.
    pub lacks_input: bool,
    /// In a few words, what of it is not known, and what else marks it.
    pub marks: Arc<[String]>,
    /// How many of its events the run has come to.
    pub count: usize,
    /// How many events it has.
    pub events: usize,
}

/// For the header.
#[derive(Clone, Debug, PartialEq)]
pub struct HeaderView {
    /// The machine's name.
    pub machine: Text,
    /// 1, and one more for each fork.
    pub run: u32,
    /// Whether a Map was made to run on over its failures, which AWS does not.
    pub not_aws: bool,
    /// How many answers a person typed and how many values were edited in the whole run.
    pub touched: (usize, usize),
    /// After a reload: in which values or events the run differs from the one before; empty where it does not.
    pub differs: String,
    /// What the run is doing.
    pub status: RunStatus,
    /// The cursor: events before and at it have happened in this view; 0 is before the first.
    pub event: u64,
    /// How many events are recorded.
    pub event_count: u64,
    /// AWS's id of the last history event at the cursor.
    pub history_id: u32,
    /// The virtual clock.
    pub clock: Millis,
    /// The focus frame in words: `main`, `Orders[12]`, `Fan[1]/Each[3]`.
    pub frame: String,
    /// Whom to follow.
    pub profile: Profile,
    /// The mock file's test case in force.
    pub test_case: Option<Text>,
}

/// What the run is doing, as seen at the cursor.
#[derive(Clone, Debug, PartialEq)]
pub enum RunStatus {
    /// Nothing has run yet.
    Ready,
    /// It is being run or travelled.
    Running,
    /// It stopped, and why.
    Paused(Stop),
    /// The cursor is before the last recorded event.
    Past,
    /// It ended well.
    Succeeded {
        /// The execution's output.
        output: Value,
    },
    /// It ended with an error.
    Failed(Fault),
    /// The execution's TimeoutSeconds passed.
    TimedOut,
}

/// One state of the graph.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StateView {
    /// How it stands, of the frame that was last in it.
    pub status: StateStatus,
    /// How often it was entered.
    pub visits: u32,
    /// Retries used of the retrier last taken, and its MaxAttempts, while a retry counts.
    pub retries: Option<(u64, u64)>,
    /// Items done and all items, of a Map that was entered.
    pub progress: Option<(u32, u32)>,
    /// Over how many runs of the Map that is summed up.
    pub runs: u32,
    /// How many of those items failed.
    pub items_failed: u32,
    /// How many of its visits ended with an error that nothing in it caught.
    pub failures: u32,
    /// How many frames are in it now.
    pub live: u32,
    /// How often it was tried again, over all visits.
    pub retried: u32,
    /// How long the last visit took, once it is over.
    pub took: Option<Millis>,
}

/// The pipeline of one state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DataView {
    /// The state; `None` before the first.
    pub state: Option<StateId>,
    /// Which attempt, from 1.
    pub attempt: u32,
    /// The stages that a state of this type has, in order.
    pub stages: Vec<StageView>,
    /// What made the input, where the state is the first one of a Map's item.
    pub item: Option<ItemInput>,
    /// The stage that the cursor's event made, if it made one.
    pub now: Option<Stage>,
    /// When the visit of the state began and how long it took; `None` before it.
    pub visit: Option<VisitView>,
    /// Who answered the task, where its result is there.
    pub answer: Option<AnswerView>,
    /// The Assign of the state, of the rule or of the catcher that took effect.
    pub assign: Option<Span>,
    /// What is said of the variables that it set, one sentence each.
    pub assign_remarks: Vec<String>,
    /// The error that stands in the state.
    pub fault: Option<FaultView>,
    /// Whether a catcher took the error, which leaves the input and the output alone.
    pub caught: bool,
    /// Which of the stages without a value are still to come.
    pub to_come: ToCome,
    /// What would follow, one line each.
    pub forecast: Vec<Forecast>,
    /// Variables that can be read, outermost scope first.
    pub variables: Vec<(Text, Value)>,
    /// The context object.
    pub context: Value,
}

/// The answer of a task.
#[derive(Clone, Debug, PartialEq)]
pub struct AnswerView {
    /// Who gave it; `None` for the program itself.
    pub by: Option<AnsweredBy>,
    /// Which call of a mocked response it is, from 0, with the response's name.
    pub mocked: Option<(Text, u64)>,
    /// How long it took on the virtual clock.
    pub took: Option<Millis>,
}

/// The field of a Map that made the input of an item.
#[derive(Clone, Debug, PartialEq)]
pub struct ItemInput {
    /// `ItemSelector`, `Parameters` or `ItemBatcher`.
    pub field: Text,
    /// The Map.
    pub map: StateId,
    /// The field's value in the text.
    pub span: Span,
}

/// One stage.
#[derive(Clone, Debug, PartialEq)]
pub struct StageView {
    /// Which.
    pub stage: Stage,
    /// Its value; `None` where it was not reached.
    pub value: Option<Value>,
    /// The index of the item that the value is the input of, where a Map makes one after the other.
    pub item: Option<u32>,
    /// The text of the field that makes it, where it is written: `$.order`, `{ 2 fields }`.
    pub expression: Option<String>,
    /// Where that field stands.
    pub span: Option<Span>,
    /// Of a stage that is made anew of members of the one before: those that nothing reads; `None` where it is not, or that
    /// cannot be told.
    pub unread: Option<Vec<Text>>,
    /// What there is to say of the value, one sentence each: that a single result came without an array, that a function
    /// went through an array of arrays.
    pub remarks: Vec<String>,
    /// One sentence on what was lost here: `left out: id, sku, qty`, `no ResultPath: replaces the whole input; order, stock are gone`.
    pub loss: Option<String>,
}

impl DataView {
    /// A stage of the state, whether it was reached or not.
    #[must_use]
    pub fn stage(&self, stage: Stage) -> Option<&StageView> {
        self.stages.iter().find(|view| view.stage == stage)
    }

    /// The value of a stage; `None` where it was not reached.
    #[must_use]
    pub fn value(&self, stage: Stage) -> Option<&Value> {
        self.stage(stage)?.value.as_ref()
    }
}

/// The state pane, by type.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum StatePane {
    /// Nothing to say: Pass, Succeed, Fail, or no state.
    #[default]
    Nothing,
    /// Task: and the part of Parallel and Map that they share with it.
    Task(HandlingView),
    /// Choice.
    Choice(Vec<RuleView>),
    /// Wait.
    Wait {
        /// When it began.
        since: Millis,
        /// When it ends; `None` while that is not known.
        until: Option<Millis>,
        /// The same as a timestamp.
        date: Option<Text>,
        /// The field that says so, with what it says: `TimestampPath $.due`.
        written: Option<Text>,
        /// Why it does not wait.
        no_wait: Option<NoWait>,
        /// What ends it before, where the machine's own limit does.
        cut: Option<MachineLimit>,
    },
    /// Parallel.
    Parallel {
        /// A lane per branch.
        lanes: Vec<LaneView>,
        /// Retry and Catch.
        handling: HandlingView,
    },
    /// Map.
    Map {
        /// The items, failed first, then live, then the others, at most [`ITEM_ROWS`].
        items: Vec<ItemView>,
        /// How many items stand how, the most telling first.
        summary: Vec<(ItemStanding, u32)>,
        /// How many items there are.
        total: u32,
        /// How many of them the filter lets through; `None` without one.
        fitting: Option<u32>,
        /// The filter.
        filter: Text,
        /// The expression that is shown beside each item.
        column: Option<Text>,
        /// Why there are no items, once that is known.
        no_items: Option<NoItems>,
        /// Retry and Catch.
        handling: HandlingView,
    },
}

impl StatePane {
    /// Retry, Catch and attempts, of the types that have them.
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

/// When a machine's TimeoutSeconds ends its run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MachineLimit {
    /// When.
    pub at: Millis,
    /// The line of the field; `None` where the machine's type sets the limit.
    pub line: Option<usize>,
}

/// At most so many items of a Map stand in a [`StatePane`].
pub const ITEM_ROWS: usize = 200;

/// Retry, Catch and attempts of a state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HandlingView {
    /// Retriers in order.
    pub retriers: Vec<RetrierView>,
    /// Catchers in order.
    pub catchers: Vec<CatcherView>,
    /// The error that none of them takes, and the name among theirs that comes near it.
    pub near: Option<(Text, Text)>,
    /// Attempts in order, the last 100.
    pub attempts: Vec<AttemptView>,
    /// The deadline of TimeoutSeconds, while one runs.
    pub timeout_at: Option<Millis>,
    /// The deadline of HeartbeatSeconds, while one runs.
    pub heartbeat_at: Option<Millis>,
}

/// One retrier.
#[derive(Clone, Debug, PartialEq)]
pub struct RetrierView {
    /// `ErrorEquals`.
    pub errors: Vec<Text>,
    /// Retries used.
    pub used: u64,
    /// `MaxAttempts`.
    pub max: u64,
    /// `2 s × 2.0, at most 60 s, jitter`.
    pub back_off: String,
    /// Delays that were waited so far, in milliseconds; the last of them may be under way.
    pub waited: Vec<Millis>,
    /// Whether the last of them is under way.
    pub waits: bool,
    /// How much of the last of them passed, where the end of the run cut it short.
    pub cut_short: Option<Millis>,
    /// The delay in milliseconds (before jitter) of the retry that the current error leads to, until it is scheduled.
    pub next: Option<Millis>,
    /// Whether it takes the current error, or took the last one.
    pub takes: bool,
    /// True if no retrier takes the current error, and this one is for an error close to it.
    pub is_close: bool,
    /// Why, or why not: `no: "States.TaskFailed" does not take States.Timeout`, `used up 3/3`; empty while no error stands.
    pub why: String,
    /// Where it stands in the text.
    pub span: Span,
}

/// One catcher.
#[derive(Clone, Debug, PartialEq)]
pub struct CatcherView {
    /// `ErrorEquals`.
    pub errors: Vec<Text>,
    /// The name in `Next`.
    pub next: Text,
    /// `ResultPath` as text, `$` where absent.
    pub result_path: Text,
    /// Whether it takes (or would take) the current error.
    pub takes: bool,
    /// The first of its names that matches the error.
    pub matched: Option<Text>,
    /// Why, or why not; empty while no error stands.
    pub why: String,
    /// Where it stands in the text.
    pub span: Span,
}

/// One attempt.
#[derive(Clone, Debug, PartialEq)]
pub struct AttemptView {
    /// From 1.
    pub number: u32,
    /// When it began.
    pub started: Millis,
    /// How long it took, once it or the run ended.
    pub took: Option<Millis>,
    /// The error's name, once it failed.
    pub error: Option<Text>,
    /// How it stands.
    pub status: StateStatus,
}

/// One frame on the way to the focus.
#[derive(Clone, Debug, PartialEq)]
pub struct FrameView {
    /// Which.
    pub frame: FrameId,
    /// `main`, `Orders[12]`.
    pub name: String,
    /// The state it is in.
    pub state: Option<StateId>,
}

/// One task that waits for an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskView {
    /// The question.
    pub ask: Ask,
    /// When it was called.
    pub since: Millis,
    /// When its next heartbeat is due.
    pub heartbeat_at: Option<Millis>,
    /// When it times out.
    pub timeout_at: Option<Millis>,
    /// When the answer that it has already arrives; `None` where it has none, or one that never comes.
    pub answer_at: Option<Millis>,
}

impl TaskView {
    /// When the wait ends at the latest: the answer arrives or the time runs out.
    #[must_use]
    pub fn until(&self) -> Option<Millis> {
        match (self.answer_at, self.timeout_at) {
            (None, None) => self.heartbeat_at,
            (None, Some(out)) => Some(self.heartbeat_at.map_or(out, |beat| beat.min(out))),
            (Some(answer), out) => Some(out.map_or(answer, |out| out.min(answer))),
        }
    }
}

/// An answer for many tasks.
#[derive(Clone, Debug, PartialEq)]
pub struct AnswerRuleView {
    /// Which tasks, in words.
    pub what: String,
    /// The answer.
    pub answer: Answer,
}

/// One breakpoint as shown.
#[derive(Clone, Debug, PartialEq)]
pub struct BreakpointView {
    /// Its number, as shown and as commands name it.
    pub id: BreakpointId,
    /// What it is.
    pub breakpoint: Breakpoint,
    /// Whether it stops.
    pub enabled: bool,
    /// How often it was hit.
    pub hits: u64,
    /// Whether the run stands at it.
    pub here: bool,
    /// Whether the state it names is gone after a reload.
    pub gone: bool,
    /// The state it stands on.
    pub state: Option<StateId>,
    /// Where it stands in the text.
    pub span: Option<Span>,
}

/// One watch as shown.
#[derive(Clone, Debug, PartialEq)]
pub struct WatchView {
    /// The expression as typed.
    pub text: Text,
    /// Its value now, or why there is none.
    pub value: Result<Value, String>,
    /// Its value at the previous stop, where that differs.
    pub was: Option<Result<Value, String>>,
}

/// An answer being asked for: what a person may give and what would follow.
#[derive(Clone, Debug, PartialEq)]
pub struct AnswerOffer {
    /// The question.
    pub ask: AskId,
    /// The state.
    pub state: StateId,
    /// A result in the shape that the resource gives, to be edited: what is read of it, and what is always there.
    pub result: Value,
    /// Every member that the result can have; `None` if they are not known.
    pub whole: Option<Value>,
    /// What was answered to it before, in this run or another.
    pub before: Option<Answer>,
    /// Names of errors with what would follow: `catch[0] → NotifyDeclined`, `retry 1/3 in 2 s`, `uncaught, run fails`.
    pub errors: Vec<(Text, String)>,
    /// What a result would lead to.
    pub then: String,
    /// HeartbeatSeconds in milliseconds, of a task that has any.
    pub heartbeat: Option<Millis>,
}
