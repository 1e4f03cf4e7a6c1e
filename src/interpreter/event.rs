//! Events of a run. An event says what happened, in which state and frame, and when. The values that belong to it are
//! read from the machine.

pub use crate::definition::Stage;

use crate::definition::{Integration, Owner, State, StateId, StateKind, Target, Transition};

/// Identifies a frame: one execution of a scope, which is the list of states of the machine, a branch or an iteration.
/// Ids grow and are never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FrameId(pub u32);

/// Virtual time in milliseconds since the run began.
pub type Millis = u64;

/// One observable step of a run (an entry of the timeline).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// The kind of event, with its data.
    pub kind: EventKind,
    /// For an event of a stage: true if the field that produces the stage is written in the definition.
    pub written: bool,
    /// True if AWS behaves differently at this event; the frame's `difference` says how.
    pub diverges: bool,
    /// The state in which the event occurred; `None` for events of the whole execution.
    pub state: Option<StateId>,
    /// The frame in which the event occurred.
    pub frame: FrameId,
    /// A number whose meaning depends on the kind: the index of an item, branch, retrier, catcher or rule, an attempt,
    /// a length, or an encoded [`Edge`].
    pub arg: u32,
    /// Event id in AWS's history, from 1; 0 for events that AWS does not record.
    pub history_id: u32,
    /// `previousEventId` in AWS's history.
    pub previous_id: u32,
    /// Time of the event on the virtual clock.
    pub time: Millis,
}

/// The kind of an event. Events with a counterpart in AWS's history have a history id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EventKind {
    /// The execution began.
    ExecutionStarted,
    /// The execution succeeded.
    ExecutionSucceeded,
    /// The execution failed.
    ExecutionFailed,
    /// The execution's TimeoutSeconds passed.
    ExecutionTimedOut,
    /// A state was entered with its raw input.
    StateEntered,
    /// The value of a stage was computed. For `afterItemSelector`, `arg` is the index of the item, or `u32::MAX` for
    /// all items.
    Stage(Stage),
    /// A Choice took a rule; `arg` is its index, or `u32::MAX` for Default.
    Chosen,
    /// A task was scheduled; `arg` is the attempt, from 1.
    TaskScheduled,
    /// A task was started.
    TaskStarted,
    /// The service accepted the request (`.sync`, `.waitForTaskToken`).
    TaskSubmitted,
    /// A task returned a result.
    TaskSucceeded,
    /// A task returned an error.
    TaskFailed,
    /// TimeoutSeconds or HeartbeatSeconds of a task passed.
    TaskTimedOut,
    /// A heartbeat arrived.
    Heartbeat,
    /// An answer arrived after the attempt was over, and was dropped.
    LateAnswer,
    /// A Wait began.
    WaitStarted,
    /// An expression failed.
    EvaluationFailed,
    /// An error occurred in a state; Retry and Catch have not been tried yet.
    ErrorRaised,
    /// A retrier matched the error; `arg` is its index.
    RetryScheduled,
    /// A state is retried; `arg` is the attempt, from 1.
    Retried,
    /// A catcher matched the error; `arg` is its index.
    Caught,
    /// No retrier or catcher matched the error: the frame (the machine, branch or iteration) fails.
    Uncaught,
    /// Variables were assigned.
    Assigned,
    /// A Parallel started its branches; `arg` is their number.
    ParallelStarted,
    /// A branch began; `arg` is its index. The event's frame is the frame of the branch.
    BranchStarted,
    /// A branch succeeded; `arg` is its index. The event's frame is the frame of the branch.
    BranchSucceeded,
    /// A branch failed; `arg` is its index. The event's frame is the frame of the branch.
    BranchFailed,
    /// All branches succeeded.
    ParallelSucceeded,
    /// A Parallel failed after its retries were exhausted.
    ParallelFailed,
    /// A Parallel was aborted, usually because another branch or item of an enclosing state failed.
    ParallelAborted,
    /// A Map started; `arg` is the number of items.
    MapStarted,
    /// An iteration began; `arg` is its index. The event's frame is the frame of the iteration.
    IterationStarted,
    /// An iteration succeeded.
    IterationSucceeded,
    /// An iteration failed.
    IterationFailed,
    /// An iteration was aborted, usually because another branch or item of an enclosing state failed.
    IterationAborted,
    /// All iterations ended, with no more failures than the Map tolerates.
    MapSucceeded,
    /// A Map failed after its retries were exhausted.
    MapFailed,
    /// A Map was aborted, usually because another branch or item of an enclosing state failed.
    MapAborted,
    /// The child executions of a DISTRIBUTED Map were started.
    MapRunStarted,
    /// All child executions ended, with no more failures than the Map tolerates.
    MapRunSucceeded,
    /// More child executions failed than the Map tolerates.
    MapRunFailed,
    /// The child executions were aborted, usually because another branch or item of an enclosing state failed.
    MapRunAborted,
    /// A running Task was aborted, usually because another branch or item of an enclosing state failed.
    TaskAborted,
    /// A Wait was aborted, usually because another branch or item of an enclosing state failed.
    WaitAborted,
    /// A state was exited; `arg` is the encoded [`Edge`] by which the run left the state.
    StateExited,
}

impl EventKind {
    /// True if the event ends the branch or iteration in which it occurs.
    #[must_use]
    pub fn ends_frame(self) -> bool {
        matches!(
            self,
            Self::BranchSucceeded
                | Self::BranchFailed
                | Self::IterationSucceeded
                | Self::IterationFailed
                | Self::IterationAborted
        )
    }

    /// True for the first event of a branch or an item: its start.
    #[must_use]
    pub fn begins_frame(self) -> bool {
        matches!(self, Self::BranchStarted | Self::IterationStarted)
    }

    /// True if the event says that a branch or an iteration failed.
    #[must_use]
    pub fn fails_frame(self) -> bool {
        matches!(self, Self::BranchFailed | Self::IterationFailed)
    }

    /// True if the event reports that work was aborted, usually because another branch or item of an enclosing state
    /// failed.
    #[must_use]
    pub fn is_abort(self) -> bool {
        matches!(
            self,
            Self::ParallelAborted
                | Self::IterationAborted
                | Self::MapAborted
                | Self::MapRunAborted
                | Self::TaskAborted
                | Self::WaitAborted
        )
    }
}

/// The transition by which a state was exited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Edge {
    /// The `Next` of the state.
    Next,
    /// A rule of a Choice, by its index.
    Rule(u32),
    /// The `Default` of a Choice.
    Default,
    /// A catcher, by its index.
    Catch(u32),
    /// No transition: the list of states ended with this state.
    End,
}

impl Edge {
    const KIND: u32 = 28;

    /// Encodes the edge as an event's `arg`.
    #[must_use]
    pub fn to_arg(self) -> u32 {
        let (kind, index) = match self {
            Self::Next => (0, 0),
            Self::Rule(index) => (1, index),
            Self::Default => (2, 0),
            Self::Catch(index) => (3, index),
            Self::End => (4, 0),
        };
        debug_assert!(
            index >> Self::KIND == 0,
            "the index of {self:?} is too large"
        );
        (kind << Self::KIND) | (index & ((1 << Self::KIND) - 1))
    }

    /// Decodes the edge in the `arg` of a `StateExited` event.
    #[must_use]
    pub fn from_arg(arg: u32) -> Self {
        let index = arg & ((1 << Self::KIND) - 1);
        match arg >> Self::KIND {
            0 => Self::Next,
            1 => Self::Rule(index),
            2 => Self::Default,
            3 => Self::Catch(index),
            _ => Self::End,
        }
    }

    /// Returns the rule or catcher by which the state is exited; for any other edge, the state itself.
    #[must_use]
    pub fn owner(self) -> Owner {
        match self {
            Self::Rule(index) => Owner::Rule(index),
            Self::Catch(index) => Owner::Catcher(index),
            Self::Next | Self::Default | Self::End => Owner::State,
        }
    }

    /// Returns the target state that `state` names for this edge.
    #[must_use]
    pub fn target(self, state: &State) -> Option<&Target> {
        match (self, &state.kind, &state.transition) {
            (Self::Rule(index), StateKind::Choice(choice), _) => {
                choice.rules.get(index as usize)?.next.as_ref()
            }
            (Self::Default, StateKind::Choice(choice), _) => choice.default.as_ref(),
            (Self::Catch(index), ..) => state.catch.get(index as usize)?.next.as_ref(),
            (Self::Next, _, Transition::Next(target)) => Some(target),
            _ => None,
        }
    }
}

/// AWS's event type names that are the same for all types of states, each with its kind of event.
const TYPE_NAMES: [(EventKind, &str); 23] = [
    (EventKind::ExecutionStarted, "ExecutionStarted"),
    (EventKind::ExecutionSucceeded, "ExecutionSucceeded"),
    (EventKind::ExecutionFailed, "ExecutionFailed"),
    (EventKind::ExecutionTimedOut, "ExecutionTimedOut"),
    (EventKind::ParallelStarted, "ParallelStateStarted"),
    (EventKind::ParallelSucceeded, "ParallelStateSucceeded"),
    (EventKind::ParallelFailed, "ParallelStateFailed"),
    (EventKind::ParallelAborted, "ParallelStateAborted"),
    (EventKind::MapStarted, "MapStateStarted"),
    (EventKind::MapSucceeded, "MapStateSucceeded"),
    (EventKind::MapFailed, "MapStateFailed"),
    (EventKind::MapAborted, "MapStateAborted"),
    (EventKind::MapRunStarted, "MapRunStarted"),
    (EventKind::MapRunSucceeded, "MapRunSucceeded"),
    (EventKind::MapRunFailed, "MapRunFailed"),
    (EventKind::MapRunAborted, "MapRunAborted"),
    (EventKind::IterationStarted, "MapIterationStarted"),
    (EventKind::IterationSucceeded, "MapIterationSucceeded"),
    (EventKind::IterationFailed, "MapIterationFailed"),
    (EventKind::IterationAborted, "MapIterationAborted"),
    (EventKind::EvaluationFailed, "EvaluationFailed"),
    (EventKind::TaskAborted, "TaskStateAborted"),
    (EventKind::WaitAborted, "WaitStateAborted"),
];
/// Endings of AWS's event type names that begin with the type of the state, such as `Pass`.
const STATE_ENDINGS: [(EventKind, &str); 2] = [
    (EventKind::StateEntered, "StateEntered"),
    (EventKind::StateExited, "StateExited"),
];
/// Endings of AWS's event type names that begin with the kind of the task, such as `LambdaFunction`.
const TASK_ENDINGS: [(EventKind, &str); 6] = [
    (EventKind::TaskScheduled, "Scheduled"),
    (EventKind::TaskStarted, "Started"),
    (EventKind::TaskSubmitted, "Submitted"),
    (EventKind::TaskSucceeded, "Succeeded"),
    (EventKind::TaskFailed, "Failed"),
    (EventKind::TaskTimedOut, "TimedOut"),
];

/// The event type as AWS writes it: `PassStateEntered`, `LambdaFunctionScheduled`, ...
#[must_use]
pub fn type_name(kind: EventKind, state: Option<&State>) -> Option<String> {
    let name = |table: &[(EventKind, &'static str)]| {
        let entry = table.iter().find(|(known, _)| *known == kind);
        entry.map(|(_, name)| *name)
    };
    if let Some(ending) = name(&STATE_ENDINGS) {
        let state_type = state.map_or("", State::type_name);
        return Some(format!("{state_type}{ending}"));
    }
    let Some(ending) = name(&TASK_ENDINGS) else {
        return name(&TYPE_NAMES).map(str::to_owned);
    };
    let task = match state.map(|state| &state.kind) {
        Some(StateKind::Task(task)) => match task.integration {
            Integration::Lambda | Integration::Other => "LambdaFunction",
            Integration::Activity => "Activity",
            Integration::Service { .. } => "Task",
        },
        _ => "Task",
    };
    Some(format!("{task}{ending}"))
}

/// The kind of event whose type AWS names `type_name`.
#[must_use]
pub fn kind_of(type_name: &str) -> Option<EventKind> {
    let find = |table: &[(EventKind, &str)], is_it: &dyn Fn(&str) -> bool| {
        let entry = table.iter().find(|(_, name)| is_it(name));
        entry.map(|(kind, _)| *kind)
    };
    let families = ["LambdaFunction", "Activity", "Task"];
    let of_task = || {
        let mut families = families.iter();
        match families.find_map(|family| type_name.strip_prefix(family))? {
            "ScheduleFailed" | "StartFailed" | "SubmitFailed" => Some(EventKind::TaskFailed),
            ending => find(&TASK_ENDINGS, &|name| name == ending),
        }
    };
    find(&TYPE_NAMES, &|name| name == type_name)
        .or_else(|| find(&STATE_ENDINGS, &|name| type_name.ends_with(name)))
        .or_else(of_task)
}
