//! The machine's requests to the world outside of the interpreter (task calls, files, evaluations), and the answers to
//! them. The machine has no other contact with the outside.

use super::FrameId;
use super::event::{Event, Millis};
use super::machine::Machine;
use crate::definition::{ReaderFormat, StateId};
use crate::json::{Text, Value};
use crate::query::jsonata::{Evaluated, Evaluation, Traced};
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// Identifies one request of a run. Ids grow and are never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AskId(pub u32);

/// A request of the machine to the outside. Until the request is answered, the other frames continue, but the virtual
/// clock stands still.
#[derive(Clone, Debug, PartialEq)]
pub struct Ask {
    /// The request's id.
    pub id: AskId,
    /// A key that identifies the request even if the run is repeated or the definition is reloaded.
    pub key: AskKey,
    /// The state that makes the request.
    pub state: StateId,
    /// The frame that makes the request.
    pub frame: FrameId,
    /// The action that is requested.
    pub want: Want,
}

/// The action that a request asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Want {
    /// Asks for the result of a task.
    Call {
        /// The field `Resource`, as written.
        resource: Text,
        /// The effective input of the task.
        input: Value,
        /// The task token of a callback task.
        token: Option<Text>,
        /// The time on the virtual clock at which the task times out, by TimeoutSeconds.
        timeout_at: Option<Millis>,
        /// The interval in HeartbeatSeconds, in milliseconds.
        heartbeat: Option<Millis>,
    },
    /// Asks for the items in the file that an ItemReader names: an array or an object.
    Read {
        /// The field `Resource`, as written.
        resource: Text,
        /// The arguments of the reader: `Bucket`, `Key` and similar.
        arguments: Value,
        /// The format of the file with the items.
        format: ReaderFormat,
        /// Maximum number of items to read.
        max_items: Option<u64>,
    },
    /// Asks to write the result files of a ResultWriter, and for the names of these files.
    Write {
        /// The arguments of the ResultWriter: `Bucket` and `Prefix`.
        arguments: Value,
        /// Results of the child executions that succeeded.
        succeeded: Value,
        /// Results of the child executions that failed.
        failed: Value,
        /// True for JSON Lines (one value per line), false for a JSON array.
        lines: bool,
        /// ARN of the Map Run.
        map_run_arn: Text,
        /// The name of a folder for the result files. Repeating the run gives the same name.
        run: Text,
    },
    /// Asks for the results of the JSONata expressions of one stage. The [`Evaluation`] alone determines the results.
    Evaluate(Arc<Evaluation>),
}

/// A server: answers requests of the machine without the user, such as evaluations and file reads.
///
/// While a server works on a request that it supports, the machine takes no further step.
pub trait Serve: fmt::Debug + Send + Sync {
    /// Waits for the answer; `None` if this server does not support the request.
    fn serve(&self, ask: &Ask) -> Option<Answer>;

    /// Returns the answer if it is ready within a few milliseconds. Otherwise the server keeps working, and a later
    /// call with the same request returns the answer. A call with another request in between may cancel the work, which
    /// then starts over.
    fn serve_soon(&self, ask: &Ask) -> Served {
        self.serve(ask).map_or(Served::Not, Served::Now)
    }

    /// True if the user named a target for the task, such as a program to call. The target is called if no other source
    /// has an answer.
    fn calls(&self, _machine: &Machine, _ask: &Ask) -> bool {
        false
    }

    /// True if a call of the target is in progress for this request.
    fn is_calling(&self, _machine: &Machine, _ask: &Ask) -> bool {
        false
    }

    /// The target's call that has been in progress longest; `None` if no call is in progress.
    fn calling(&self) -> Option<Calling> {
        None
    }

    /// Calls the target of a task without waiting for its answer. The caller repeats this call with the same request
    /// until the answer is there.
    fn call_soon(&self, _machine: &Machine, _ask: &Ask) -> Served {
        Served::Not
    }

    /// True if this server receives the messages that clients send with task tokens. It can then answer a task that
    /// waits for such a message.
    fn takes_tokens(&self) -> bool {
        false
    }

    /// Tells the server about a new event of a session's run. Stepping back and replaying report no events. After a
    /// fork, the event numbers continue from the event where the fork began.
    fn happened(&self, _number: u64, _machine: &Machine, _event: &Event) {}

    /// Abandons the call that is in progress for this request.
    fn abandon(&self, _machine: &Machine, _ask: &Ask) {}

    /// True if several calls may be in progress at the same time.
    fn calls_several(&self) -> bool {
        false
    }

    /// Evaluates expressions again to record a trace (the evaluation of each part). If that takes longer than a few
    /// milliseconds, the caller has to call again. A call with other expressions in between may cancel the evaluation.
    fn look(&self, _evaluation: &Arc<Evaluation>) -> Looked {
        Looked::Now(Vec::new())
    }

    /// Drops a large value. Dropping may take a while, so the server may do it in the background.
    fn discard(&self, what: Box<dyn Any + Send>) {
        drop(what);
    }
}

/// A call of a task's target, such as a program, that is in progress.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Calling {
    /// Name of the state that waits.
    pub state: Text,
    /// The called target as the user wrote it.
    pub target: Text,
    /// Real time since the call, in milliseconds.
    pub since: Millis,
    /// Number of other calls in progress.
    pub others: usize,
}

/// Result of trying to answer a request without waiting long.
#[derive(Clone, Debug, PartialEq)]
pub enum Served {
    /// The request is answered.
    Now(Answer),
    /// No answer yet. The server continues its work: call again with the same request to get the answer.
    Later,
    /// This server does not support requests of this kind.
    Not,
}

/// Result of evaluating expressions again.
#[derive(Clone, Debug, PartialEq)]
pub enum Looked {
    /// The result and the trace (the evaluation of each part) of each expression, in order; empty if this server does
    /// not evaluate expressions.
    Now(Vec<Traced>),
    /// The evaluation has not finished: repeat the request.
    Later,
}

/// A key that identifies a request, to find the same request when the run is repeated: the same point of the same run
/// always has the same key.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AskKey {
    /// Path of the state that makes the request.
    pub path: Text,
    /// The index of the branch or item in each frame that contains the request, from the outermost frame inwards.
    pub indices: Vec<u32>,
    /// For each index in `indices`: the numbers of the visit and of the attempt in which the Parallel or Map started
    /// this branch or item. A request that is repeated in a later visit or attempt thus gets another key.
    pub rounds: Vec<(u32, u32)>,
    /// Number of the visit to the state in its frame, from 1.
    pub visit: u32,
    /// Number of the attempt of the state, from 1.
    pub attempt: u32,
}

/// An answer to an [`Ask`].
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The outcome of the request: a result or an error.
    pub outcome: Outcome,
    /// Time from the request to the answer, in virtual milliseconds.
    pub took: Millis,
    /// The times at which heartbeats arrive, in virtual milliseconds after the call, ascending.
    pub heartbeats: Vec<Millis>,
}

impl Answer {
    /// An answer with this outcome, which arrives at once.
    #[must_use]
    pub fn of(outcome: Outcome) -> Self {
        Self {
            outcome,
            took: 0,
            heartbeats: Vec::new(),
        }
    }

    /// An answer with this result, which arrives at once.
    #[must_use]
    pub fn success(result: Value) -> Self {
        Self::of(Outcome::Success(result))
    }

    /// True if the answer takes time to arrive, or never arrives.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.took > 0 || self.outcome == Outcome::Never
    }

    /// An answer with this error, which arrives at once.
    #[must_use]
    pub fn failure(error: impl Into<Text>, cause: impl Into<Text>) -> Self {
        Self::of(Outcome::Failure {
            error: Some(error.into()),
            cause: Some(cause.into()),
        })
    }
}

/// The outcome of a request.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The request succeeded with this result.
    Success(Value),
    /// The request failed with an error; SendTaskFailure may omit its name and its cause.
    Failure {
        /// The error name.
        error: Option<Text>,
        /// The cause.
        cause: Option<Text>,
    },
    /// No answer ever arrives; the task runs until TimeoutSeconds have passed.
    Never,
    /// The results of the requested JSONata expressions.
    Evaluated(Arc<[Evaluated]>),
}
