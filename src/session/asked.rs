//! What answers the questions of a session's run, and what is being answered.

use super::answerer::Answerer;
use super::child::Child;
use crate::interpreter::AskId;
use crate::json::Text;

/// What answers the questions of a session's run, and what is being answered.
#[derive(Debug)]
pub(super) struct Answering {
    pub answerer: Answerer,
    /// The child execution that answers a question at the end of the record, while it runs.
    pub child: Option<(AskId, Child)>,
    /// States and retries of child executions that are over, since the run began.
    pub child_steps: u64,
    /// The paths of the states whose questions were left open since the last stop.
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

    /// Another run begins, or the same is repeated.
    pub fn begin(&mut self) {
        self.child = None;
        self.child_steps = 0;
        self.left_open.clear();
    }
}

/// What became of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// It was answered.
    Answered,
    /// A person has to answer it.
    Open,
    /// What answers it was begun: a child execution, or somebody who serves it later.
    Begun,
}
