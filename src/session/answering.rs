//! Answers requests of a session's run, and tracks those in progress.

use super::answerer::Answerer;
use super::child::Child;
use crate::interpreter::AskId;
use crate::json::Text;

/// The answerer of a session's run, and the answers in progress.
#[derive(Debug)]
pub(super) struct Answering {
    pub answerer: Answerer,
    /// The child execution that is running to answer a request at the end of the recording.
    pub child: Option<(AskId, Child)>,
    /// Number of states and retries in finished child executions since the run began.
    pub child_steps: u64,
    /// Paths of the states whose requests were left unanswered since the last stop.
    pub left_open: Vec<Text>,
}

impl Answering {
    pub fn new(answerer: Answerer) -> Self {
        Self {
            answerer,
            child: None,
            child_steps: 0,
            left_open: Vec::new(),
        }
    }

    /// Prepares for a new run or a repetition.
    pub fn begin(&mut self) {
        self.child = None;
        self.child_steps = 0;
        self.left_open.clear();
    }
}

/// Result of trying to answer a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// The request was answered.
    Answered,
    /// The user has to answer the request.
    Open,
    /// The answer is in progress: in a child execution, or by the server.
    Begun,
    /// A target is being called while other branches and items continue; `true` if the call was already in flight.
    Called(bool),
}
