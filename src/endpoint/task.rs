//! Tasks that somebody outside works at: activities, whose workers ask for them, and tokens that are sent back.

use super::error::{Answered, ApiError};
use super::execution::Execution;
use crate::interpreter::AskId;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;

/// Maximum number of tokens that are remembered, the open ones not counted.
const MOST_CLOSED: usize = 10_000;

/// Activities, and the tokens of tasks.
#[derive(Debug, Default)]
pub(super) struct Tasks {
    pub(super) activities: BTreeMap<String, Activity>,
    open: HashMap<String, Waiting>,
    closed: VecDeque<String>,
}

/// An activity.
#[derive(Debug)]
pub(super) struct Activity {
    pub(super) name: String,
    pub(super) created: i64,
    /// Tasks that no worker has, oldest first.
    pub(super) scheduled: VecDeque<Scheduled>,
}

/// A task of an activity.
#[derive(Clone, Debug)]
pub(super) struct Scheduled {
    pub(super) token: String,
    pub(super) input: String,
}

/// What a token stands for.
#[derive(Clone, Debug)]
pub(super) struct Waiting {
    pub(super) execution: Arc<Execution>,
    pub(super) ask: AskId,
}

impl Tasks {
    /// A task begins to wait for what its token brings; that of an activity waits for a worker first.
    pub(super) fn open(&mut self, token: &str, waiting: Waiting) {
        self.open.insert(token.to_string(), waiting);
    }

    /// Hands a task to the workers of an activity; `false` if there is no such activity.
    pub(super) fn schedule(&mut self, arn: &str, task: Scheduled) -> bool {
        match self.activities.get_mut(arn) {
            None => false,
            Some(activity) => {
                activity.scheduled.push_back(task);
                true
            }
        }
    }

    /// A task waits no more.
    pub(super) fn close(&mut self, token: &str) {
        if self.open.remove(token).is_some() {
            self.closed.push_back(token.to_string());
            if self.closed.len() > MOST_CLOSED {
                self.closed.pop_front();
            }
        }
    }

    /// The task that waits for a token.
    pub(super) fn waiting(&self, token: &str) -> Answered<Waiting> {
        match self.open.get(token) {
            Some(waiting) => Ok(waiting.clone()),
            None if self.closed.iter().any(|own| own == token) => Err(ApiError::TaskTimedOut),
            None if uuid::Uuid::try_parse(token).is_ok() => Err(ApiError::TaskDoesNotExist),
            None => Err(ApiError::InvalidToken),
        }
    }

    /// The oldest task of an activity that still waits.
    pub(super) fn take(&mut self, arn: &str) -> Option<Scheduled> {
        let activity = self.activities.get_mut(arn)?;
        while let Some(task) = activity.scheduled.pop_front() {
            if self.open.contains_key(&task.token) {
                return Some(task);
            }
        }
        None
    }
}
