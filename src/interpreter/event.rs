//! What happened, small: kind, place, time. Values are looked up in the machine, not carried.
//!
//! It must not know how an event is shown or exported.

pub use crate::definition::Stage;
use crate::definition::{Owner, State, StateId, StateKind, Target, Transition};

/// A frame: one run of a scope (the machine, a branch, an iteration). Ids grow and are never used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FrameId(pub u32);

/// Virtual time in milliseconds since the run began.
pub type Millis = u64;

/// One thing worth seeing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// What happened.
    pub kind: EventKind,
    /// Whether the field behind a stage is written in the definition.
    pub written: bool,
    /// Whether AWS behaves differently here; `difference` of its frame says how.
    pub diverges: bool,
    /// In which state; `None` for events of the execution.
    pub state: Option<StateId>,
    /// In which frame.
    pub frame: FrameId,
    /// What the kind says: item index, branch, retrier, catcher, rule, attempt, length, or an [`Edge`].
    pub arg: u32,
    /// Id in AWS's history, from 1; 0 for events that AWS does not write.
    pub history_id: u32,
    /// `previousEventId` in AWS's history.
    pub previous_id: u32,
    /// When it happened, on the virtual clock.
    pub time: Millis,
}

/// What happened. Those with a counterpart in AWS's history carry a history id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EventKind {
    /// The execution began.
    ExecutionStarted,
    /// It succeeded.
    ExecutionSucceeded,
    /// It failed.
    ExecutionFailed,
    /// Its TimeoutSeconds passed.
    ExecutionTimedOut,
    /// A state was entered with its raw input.
    StateEntered,
    /// A stage of the pipeline was computed; `arg` is the item of an `afterItemSelector`, or `u32::MAX` for all of them.
    Stage(Stage),
    /// A Choice decided; `arg` is the rule, or `u32::MAX` for Default.
    Chosen,
    /// A task was scheduled; `arg` is the attempt, from 1.
    TaskScheduled,
    /// It was started.
    TaskStarted,
    /// The service took the request (`.sync`, `.waitForTaskToken`).
    TaskSubmitted,
    /// It gave a result.
    TaskSucceeded,
    /// It gave an error.
    TaskFailed,
    /// Its TimeoutSeconds or HeartbeatSeconds passed.
    TaskTimedOut,
    /// A heartbeat came.
    Heartbeat,
    /// An answer came after the attempt was over and was dropped.
    LateAnswer,
    /// A Wait began.
    WaitStarted,
    /// An expression failed.
    EvaluationFailed,
    /// An error stands in a state, before Retry and Catch are asked.
    ErrorRaised,
    /// A retrier takes it; `arg` is the retrier's index.
    RetryScheduled,
    /// The state is tried again; `arg` is the attempt, from 1.
    Retried,
    /// A catcher takes it; `arg` is the catcher's index.
    Caught,
    /// Nothing takes it: the scope fails.
    Uncaught,
    /// Variables were assigned.
    Assigned,
    /// A Parallel started its branches; `arg` is their number.
    ParallelStarted,
    /// A branch began; `arg` is its index. The frame is the branch's.
    BranchStarted,
    /// A branch ended well; `arg` is its index. The frame is the branch's.
    BranchSucceeded,
    /// A branch ended with an error; `arg` is its index. The frame is the branch's.
    BranchFailed,
    /// All branches ended well.
    ParallelSucceeded,
    /// The Parallel failed, retries being exhausted.
    ParallelFailed,
    /// A Parallel was stopped because a sibling failed.
    ParallelAborted,
    /// A Map started; `arg` is the number of items.
    MapStarted,
    /// An iteration began; `arg` is its index. The frame is the iteration's.
    IterationStarted,
    /// An iteration ended well.
    IterationSucceeded,
    /// An iteration ended with an error.
    IterationFailed,
    /// An iteration was stopped because a sibling failed.
    IterationAborted,
    /// All iterations ended within tolerance.
    MapSucceeded,
    /// The Map failed, retries being exhausted.
    MapFailed,
    /// A Map was stopped because a sibling failed.
    MapAborted,
    /// The child executions of a DISTRIBUTED Map were begun.
    MapRunStarted,
    /// They all ended within tolerance.
    MapRunSucceeded,
    /// They did not.
    MapRunFailed,
    /// They were stopped because a sibling of the Map failed.
    MapRunAborted,
    /// A running Task was stopped because a sibling failed.
    TaskAborted,
    /// A Wait was stopped because a sibling failed.
    WaitAborted,
    /// A state was left; `arg` is the [`Edge`] taken.
    StateExited,
}

impl EventKind {
    /// Whether it ends the frame that it is of, a branch or an iteration.
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

    /// Whether something is ended from outside by it.
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

/// How a state was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Edge {
    /// By `Next`.
    Next,
    /// By a Choice rule.
    Rule(u32),
    /// By `Default`.
    Default,
    /// By a catcher.
    Catch(u32),
    /// Its scope ended with it.
    End,
}

impl Edge {
    const KIND: u32 = 28;

    /// As an event's `arg`.
    #[must_use]
    pub fn to_arg(self) -> u32 {
        let (kind, index) = match self {
            Self::Next => (0, 0),
            Self::Rule(index) => (1, index),
            Self::Default => (2, 0),
            Self::Catch(index) => (3, index),
            Self::End => (4, 0),
        };
        debug_assert!(index >> Self::KIND == 0, "{self:?} does not fit");
        (kind << Self::KIND) | (index & ((1 << Self::KIND) - 1))
    }

    /// From the `arg` of a `StateExited`.
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

    /// The rule or catcher whose fields take effect by it; else the state itself.
    #[must_use]
    pub fn owner(self) -> Owner {
        match self {
            Self::Rule(index) => Owner::Rule(index),
            Self::Catch(index) => Owner::Catcher(index),
            Self::Next | Self::Default | Self::End => Owner::State,
        }
    }

    /// What a state names as the target of this way out.
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
