//! Data of the server: state machines, executions and tags. Nothing is persisted.

use super::arn::{Arn, MachineArn};
use super::error::{Answered, ApiError};
use super::execution::Execution;
use super::machine::{Resolved, Revision, StateMachine, version_number};
use super::tag::Tags;
use indexmap::IndexMap;
use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

/// Maximum number of running executions that were started by requests.
pub(super) const MOST_RUNNING: usize = 100;
/// Maximum number of running executions, including those that other executions started.
pub(super) const MOST_NESTED: usize = 1000;
/// Maximum number of finished executions to keep.
const MOST_KEPT: usize = 1000;
/// Maximum number of requests to remember for idempotent repetition.
const MOST_REMEMBERED: usize = 1000;

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
    /// Size of the finished executions, in bytes.
    kept: u64,
    /// Finished executions, oldest first, with their sizes in bytes.
    over: VecDeque<(String, u64)>,
    /// Executions by id of the request that started them, because clients may repeat the request.
    started: VecDeque<(u64, Arc<Execution>)>,
}

impl Store {
    /// The execution with this ARN.
    pub(super) fn execution(&self, arn: &str) -> Answered<Arc<Execution>> {
        let found = self.executions.get(arn).cloned();
        found.ok_or_else(|| ApiError::ExecutionDoesNotExist(arn.to_string()))
    }

    /// Adds an execution that starts.
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

    /// The execution that an earlier copy of the same request started.
    pub(super) fn started_by(&self, request: Option<u64>) -> Option<&Arc<Execution>> {
        let request = request?;
        let mut started = self.started.iter();
        started.find_map(|(own, execution)| (*own == request).then_some(execution))
    }

    /// Marks an execution as finished, and drops the oldest ones while there are too many or they use too much memory.
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
        self.over.retain(|(own, bytes)| {
            let stays = own != arn;
            if !stays {
                self.kept = self.kept.saturating_sub(*bytes);
            }
            stays
        });
    }

    /// Resolves an ARN that may name a version or alias; `draw` is between 0 and 99 and selects the version of an
    /// alias.
    pub(super) fn resolve(&self, arn: MachineArn<'_>, draw: i64) -> Answered<Resolved> {
        let unknown = || ApiError::StateMachineDoesNotExist(arn.whole.to_string());
        let machine = self.machines.get(arn.machine).ok_or_else(unknown)?;
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
        let alias = machine.aliases.get(qualifier);
        let number = match alias {
            None => qualifier.parse().ok(),
            Some(alias) => {
                let mut left = draw;
                let mut routes = alias.routes.iter();
                let chosen = routes.find(|route| {
                    left -= route.weight;
                    left < 0
                });
                chosen.and_then(|route| version_number(&route.state_machine_version_arn))
            }
        };
        let number = number.ok_or_else(unknown)?;
        let version = machine.versions.get(&number).ok_or_else(unknown)?;
        let alias = alias.map(|_| machine.qualified(qualifier));
        Ok(resolved(
            &version.revision,
            Some(machine.qualified(number)),
            alias,
        ))
    }

    /// The state machine with this ARN, which must not have a version or alias.
    pub(super) fn machine_mut(&mut self, arn: &str) -> Answered<&mut StateMachine> {
        Arn::of_kind(arn, &["stateMachine"])?;
        let unknown = || ApiError::StateMachineDoesNotExist(arn.to_string());
        self.machines.get_mut(arn).ok_or_else(unknown)
    }
}
