//! Data of the server: state machines, executions, tags, activities and task tokens. All data are lost when the server
//! ends.

use super::checked::{Arn, MachineArn};
use super::execution::Execution;
use super::machine::{Resolved, Revision, StateMachine};
use super::reply::{Answered, ApiError};
use crate::interpreter::AskId;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::Arc;

/// Maximum number of running executions that were started by requests.
pub(super) const MOST_RUNNING: usize = 100;
/// Maximum number of running executions, including those that other executions started.
pub(super) const MOST_NESTED: usize = 1000;
/// Maximum number of finished executions to keep.
const MOST_KEPT: usize = 1000;
/// Maximum number of start requests to remember. A repeated request returns the execution that the first one started.
const MOST_REMEMBERED: usize = 1000;
/// Maximum number of tags per resource.
const MOST_TAGS: usize = 50;
/// Maximum number of closed task tokens to remember.
const MOST_CLOSED: usize = 10_000;

/// State machines, executions and tags.
#[derive(Debug, Default)]
pub(super) struct Store {
    /// State machines by ARN.
    pub(super) machines: IndexMap<String, StateMachine>,
    /// Executions by ARN, oldest first.
    pub(super) executions: IndexMap<String, Arc<Execution>>,
    pub(super) tags: Tags,
    /// ARNs of the state machines that were created from files at the start.
    pub(super) preloaded: HashSet<String>,
    /// Number of running executions.
    pub(super) running: usize,
    /// Total size of the finished executions, in bytes.
    kept: u64,
    /// Finished executions, oldest first, with their sizes in bytes.
    over: VecDeque<(String, u64)>,
    /// Executions by the id of the request that started them. A client may repeat such a request.
    started: VecDeque<(u64, Arc<Execution>)>,
}

impl Store {
    /// The execution with this ARN.
    pub(super) fn execution(&self, arn: &str) -> Answered<Arc<Execution>> {
        let execution = self.executions.get(arn).cloned();
        execution.ok_or_else(|| ApiError::ExecutionDoesNotExist(arn.to_string()))
    }

    /// Adds an execution that starts, and remembers the id of the request that started it.
    pub(super) fn begin(&mut self, execution: &Arc<Execution>, request: Option<u64>) {
        self.running += 1;
        let arn = execution.arn.clone();
        self.executions.insert(arn, Arc::clone(execution));
        if let Some(request) = request {
            self.started.push_back((request, Arc::clone(execution)));
            if self.started.len() > MOST_REMEMBERED {
                self.started.pop_front();
            }
        }
    }

    /// The execution that an earlier copy of this request started.
    pub(super) fn started_by(&self, request: Option<u64>) -> Option<&Arc<Execution>> {
        let request = request?;
        let mut started = self.started.iter();
        started.find_map(|(key, execution)| (*key == request).then_some(execution))
    }

    /// Marks an execution as finished. Drops the oldest finished executions while there are too many or they use too
    /// much memory.
    pub(super) fn end(&mut self, arn: &str, bytes: u64, limit: u64) {
        self.running = self.running.saturating_sub(1);
        self.kept = self.kept.saturating_add(bytes);
        self.over.push_back((arn.to_string(), bytes));
        while self.over.len() > 1 && (self.over.len() > MOST_KEPT || self.kept > limit) {
            let Some((arn, bytes)) = self.over.pop_front() else {
                break;
            };
            self.kept = self.kept.saturating_sub(bytes);
            self.executions.shift_remove(&arn);
            self.started.retain(|(_, execution)| execution.arn != arn);
        }
    }

    /// Marks a finished execution as running again.
    pub(super) fn resume(&mut self, arn: &str) {
        self.running += 1;
        self.over.retain(|(key, bytes)| {
            let stays = key != arn;
            if !stays {
                self.kept = self.kept.saturating_sub(*bytes);
            }
            stays
        });
    }

    /// Finds the state machine of an ARN, which may name a version or alias. `draw` is a random number from 0 to 99
    /// that selects one of the routes if the ARN names an alias.
    pub(super) fn resolve(&self, arn: MachineArn<'_>, draw: i64) -> Answered<Resolved> {
        let machine = self.machine(arn)?;
        let resolved = |revision: &Arc<Revision>, version, alias| Resolved {
            machine: machine.arn.clone(),
            name: machine.name.clone(),
            kind: machine.kind,
            revision: Arc::clone(revision),
            version,
            alias,
        };
        let Some(qualifier) = arn.qualifier else {
            return Ok(resolved(&machine.current, None, None));
        };
        let version = machine.version(qualifier, draw);
        let (number, version) =
            version.ok_or_else(|| ApiError::StateMachineDoesNotExist(arn.whole.to_string()))?;
        let alias = machine.aliases.get(qualifier);
        let alias = alias.map(|_| machine.qualified(qualifier));
        Ok(resolved(
            &version.revision,
            Some(machine.qualified(number)),
            alias,
        ))
    }

    /// The state machine of an ARN; a version or alias in the ARN is ignored.
    pub(super) fn machine(&self, arn: MachineArn<'_>) -> Answered<&StateMachine> {
        let unknown = || ApiError::StateMachineDoesNotExist(arn.whole.to_string());
        self.machines.get(arn.machine).ok_or_else(unknown)
    }

    /// The state machine with this ARN; the ARN must not name a version or alias.
    pub(super) fn machine_mut(&mut self, arn: &str) -> Answered<&mut StateMachine> {
        Arn::of_kind(arn, &["stateMachine"])?;
        let unknown = || ApiError::StateMachineDoesNotExist(arn.to_string());
        self.machines.get_mut(arn).ok_or_else(unknown)
    }
}

/// A tag: a key and a value that a client attached to a resource.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(super) struct Tag {
    pub(super) key: String,
    value: String,
}

/// All tags by ARN of the resource.
#[derive(Debug, Default)]
pub(super) struct Tags {
    pub(super) of: HashMap<String, Vec<Tag>>,
}

impl Tags {
    /// Adds tags to a resource; replaces tags with the same key.
    pub(super) fn add(&mut self, arn: &str, tags: Vec<Tag>) -> Answered<()> {
        let all = self.of.entry(arn.to_string()).or_default();
        for tag in tags {
            all.retain(|known| known.key != tag.key);
            if all.len() >= MOST_TAGS {
                let text = format!("a resource can have at most {MOST_TAGS} tags");
                return Err(ApiError::TooManyTags(text));
            }
            all.push(tag);
        }
        Ok(())
    }

    pub(super) fn forget(&mut self, arn: &str) {
        self.of.remove(arn);
    }
}

/// The activities, and the tasks that wait for an answer with their token.
#[derive(Debug, Default)]
pub(super) struct Tasks {
    pub(super) activities: BTreeMap<String, Activity>,
    open: HashMap<String, Waiting>,
    closed: VecDeque<String>,
}

/// An activity, with the tasks that wait for its workers.
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

/// A task that waits for an answer with its token.
#[derive(Clone, Debug)]
pub(super) struct Waiting {
    pub(super) execution: Arc<Execution>,
    pub(super) ask: AskId,
}

impl Tasks {
    /// From now on, accepts answers with this token for the waiting task.
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

    /// Closes a token: from now on, answers with this token are rejected.
    pub(super) fn close(&mut self, token: &str) {
        if self.open.remove(token).is_some() {
            self.closed.push_back(token.to_string());
            if self.closed.len() > MOST_CLOSED {
                self.closed.pop_front();
            }
        }
    }

    /// The task that waits for an answer with this token.
    pub(super) fn waiting(&self, token: &str) -> Answered<Waiting> {
        match self.open.get(token) {
            Some(waiting) => Ok(waiting.clone()),
            None if self.closed.iter().any(|known| known == token) => Err(ApiError::TaskTimedOut),
            None if uuid::Uuid::try_parse(token).is_ok() => Err(ApiError::TaskDoesNotExist),
            None => Err(ApiError::InvalidToken),
        }
    }

    /// Takes the oldest scheduled task of an activity; skips tasks that no longer wait for an answer.
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
