//! Tasks with external answers: activities, whose workers poll for tasks, and task tokens.

use super::error::{Answered, ApiError};
use super::execution::Execution;
use crate::interpreter::AskId;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;

/// Maximum number of closed tokens to remember.
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
    /// Tasks that no worker has taken yet, oldest first.
    pub(super) scheduled: VecDeque<Scheduled>,
}

/// A scheduled task of an activity.
#[derive(Clone, Debug)]
pub(super) struct Scheduled {
    pub(super) token: String,
    pub(super) input: String,
}

/// The task that waits for a token.
#[derive(Clone, Debug)]
pub(super) struct Waiting {
    pub(super) execution: Arc<Execution>,
    pub(super) ask: AskId,
}

impl Tasks {
    /// Opens a token; the task waits for an answer from now on.
    pub(super) fn open(&mut self, token: &str, waiting: Waiting) {
        self.open.insert(token.to_string(), waiting);
    }

    /// Schedules a task for the workers of an activity; returns `false` if there is no such activity.
    pub(super) fn schedule(&mut self, arn: &str, task: Scheduled) -> bool {
        match self.activities.get_mut(arn) {
            None => false,
            Some(activity) => {
                activity.scheduled.push_back(task);
                true
            }
        }
    }

    /// Closes a token; the task is no longer waiting.
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

    /// Takes the oldest task of an activity that is still waiting.
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
