//! The only way out of the machine: what it needs from outside, and what may be answered.
//!
//! It must not know who answers: a mock file, a person or a recording.

use super::FrameId;
use super::event::Millis;
use super::machine::Machine;
use crate::definition::ReaderFormat;
use crate::definition::StateId;
use crate::json::{Text, Value};
use crate::query::jsonata::{Evaluated, Evaluation, Traced};
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// Names one question of a run; grows and is never used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AskId(pub u32);

/// A question. The machine goes on with other frames; virtual time stands until it is answered.
#[derive(Clone, Debug, PartialEq)]
pub struct Ask {
    /// Which.
    pub id: AskId,
    /// What stays the same about it in a repetition or after a reload.
    pub key: AskKey,
    /// The state.
    pub state: StateId,
    /// The frame.
    pub frame: FrameId,
    /// What is wanted.
    pub want: Want,
}

/// What a question wants.
#[derive(Clone, Debug, PartialEq)]
pub enum Want {
    /// A task's result.
    Call {
        /// `Resource` as written.
        resource: Text,
        /// The effective input.
        input: Value,
        /// The task token, of a callback task.
        token: Option<Text>,
        /// When TimeoutSeconds passes, on the virtual clock.
        timeout_at: Option<Millis>,
        /// HeartbeatSeconds in milliseconds.
        heartbeat: Option<Millis>,
    },
    /// The items of a file that an ItemReader names: an array, or an object.
    Read {
        /// `Resource` as written.
        resource: Text,
        /// Bucket, key and the like.
        arguments: Value,
        /// What the file holds.
        format: ReaderFormat,
        /// At most so many items.
        max_items: Option<u64>,
    },
    /// That a ResultWriter's files are written; the answer names them.
    Write {
        /// Bucket and prefix.
        arguments: Value,
        /// Of the children that succeeded.
        succeeded: Value,
        /// Of those that failed.
        failed: Value,
        /// Whether a file is a value a line instead of an array.
        lines: bool,
        /// The Map Run.
        map_run_arn: Text,
        /// A name that no other run has.
        run: Text,
    },
    /// The results of the JSONata expressions of one stage; a pure function of what it carries.
    Evaluate(Arc<Evaluation>),
}

/// Answers what needs no person: evaluations, files.
///
/// A question of a kind that it serves is answered at once, before the machine is stepped again.
pub trait Serve: fmt::Debug + Send + Sync {
    /// The answer, waited for; `None` for a question that it does not serve.
    fn serve(&self, ask: &Ask) -> Option<Answer>;

    /// The answer if it is there within some milliseconds; else it is worked at further, and the same question asked again
    /// has it later. Another question meanwhile may give the first one up, which then begins anew.
    fn serve_soon(&self, ask: &Ask) -> Served {
        self.serve(ask).map_or(Served::Not, Served::Now)
    }

    /// Whether whoever a person named for a task is asked when this question has no other answer.
    fn calls(&self, _machine: &Machine, _ask: &Ask) -> bool {
        false
    }

    /// Whether such a call is under way for this question.
    fn is_calling(&self, _ask: &Ask) -> bool {
        false
    }

    /// Asks whoever a person named for a task, and is not waited for: the same question asked again has the answer later.
    fn call_soon(&self, _machine: &Machine, _ask: &Ask) -> Served {
        Served::Not
    }

    /// Ends the call that is under way: nobody waits for it any more.
    fn abandon(&self) {}

    /// Evaluates expressions again to record how they are evaluated; if it takes longer than some milliseconds, the same
    /// request is repeated. Another request meanwhile may give the first one up.
    fn look(&self, _evaluation: &Arc<Evaluation>) -> Looked {
        Looked::Now(Vec::new())
    }

    /// Drops what is so large that dropping it takes a while: at once, or while nobody waits for it.
    fn discard(&self, what: Box<dyn Any + Send>) {
        drop(what);
    }
}

/// What came of serving a question without waiting long.
#[derive(Clone, Debug, PartialEq)]
pub enum Served {
    /// The answer.
    Now(Answer),
    /// It is being worked at: ask again.
    Later,
    /// It is of a kind that is not served.
    Not,
}

/// Result of evaluating expressions again.
#[derive(Clone, Debug, PartialEq)]
pub enum Looked {
    /// The results and traces, as many as the evaluation gives; none if this server does not evaluate.
    Now(Vec<Traced>),
    /// The evaluation has not ended: repeat the request.
    Later,
}

/// A question's stable name: the same place of the same run asks under the same key.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AskKey {
    /// The state's path.
    pub path: Text,
    /// Branch and item indexes from the outermost frame inwards.
    pub indices: Vec<u32>,
    /// Visit and attempt of the Parallel or Map that each index is of: a retry and a loop ask their children anew.
    pub rounds: Vec<(u32, u32)>,
    /// How often the frame had entered the state, from 1.
    pub visit: u32,
    /// Which attempt, from 1.
    pub attempt: u32,
}

/// An answer to an [`Ask`].
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// What came of it.
    pub outcome: Outcome,
    /// How long it took, in virtual milliseconds.
    pub took: Millis,
    /// When heartbeats came, in virtual milliseconds after the call, ascending.
    pub heartbeats: Vec<Millis>,
}

impl Answer {
    /// An outcome that took no time.
    #[must_use]
    pub fn of(outcome: Outcome) -> Self {
        Self {
            outcome,
            took: 0,
            heartbeats: Vec::new(),
        }
    }

    /// A result that took no time.
    #[must_use]
    pub fn success(result: Value) -> Self {
        Self {
            outcome: Outcome::Success(result),
            took: 0,
            heartbeats: Vec::new(),
        }
    }

    /// Whether it does not arrive at once.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.took > 0 || self.outcome == Outcome::Never
    }

    /// An error that took no time.
    #[must_use]
    pub fn failure(error: impl Into<Text>, cause: impl Into<Text>) -> Self {
        let outcome = Outcome::Failure {
            error: Some(error.into()),
            cause: Some(cause.into()),
        };
        Self {
            outcome,
            took: 0,
            heartbeats: Vec::new(),
        }
    }
}

/// What came of a question.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// A result.
    Success(Value),
    /// An error; SendTaskFailure may leave either part out.
    Failure {
        /// The error's name.
        error: Option<Text>,
        /// The cause.
        cause: Option<Text>,
    },
    /// No answer ever: TimeoutSeconds passes.
    Never,
    /// What expressions came to.
    Evaluated(Arc<[Evaluated]>),
}
