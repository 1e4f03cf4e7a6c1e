//! The local Step Functions server: its options and data, and the choice of the operation that a request asks for.

use super::reply::{Answered, ApiError, Reply};
use super::store::{Store, Tasks};
use super::wire::Request;
use crate::interpreter::{Identity, MAX_MEMORY};
use crate::launch::{Checking, Door, Given, Mock, Program, mock_in};
use crate::query::Profile;
use crate::session::Unmocked;
use crate::target::Targets;
use crate::worker::Worker;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::hash::{BuildHasher as _, RandomState};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// Prefix of the operation's name in `X-Amz-Target`.
const SERVICE: &str = "AWSStepFunctions";

/// Options of the local Step Functions server.
#[derive(Clone, Debug)]
pub struct Options {
    /// Local address to listen on.
    pub listen: SocketAddr,
    /// Region for all ARNs.
    pub region: String,
    /// Account for all ARNs.
    pub account: String,
    /// Definitions, or folders with definitions, from which the server creates state machines when it starts.
    pub programs: Vec<Program>,
    /// The mock file. An execution uses the test case that its client names as `ARN#TestCase`; otherwise it uses the
    /// `DefaultTestCase` of the mock file.
    pub mock: Option<PathBuf>,
    /// Rules for checking definitions.
    pub checking: Checking,
    /// How to answer a task that no other source answers.
    pub unmocked: Unmocked,
    /// Local folder that is used in place of S3.
    pub s3_root: Option<PathBuf>,
    /// The programs, HTTP addresses and actions of AWS that answer the tasks that the test case does not answer.
    pub targets: Targets,
    /// Speed of waits and deadlines relative to real time; `None` if they pass at once.
    pub realtime: Option<f64>,
    /// Additional host names of this machine that are accepted in the Host header.
    pub allowed_hosts: Vec<String>,
    /// Maximum memory in bytes for the values of one execution, and for all finished executions together.
    pub memory_limit: u64,
    /// Connection to the front end in this process that debugs all executions; `None` if executions run without a
    /// debugger.
    pub debugger: Option<Door>,
    /// True if histories name AWS SDK tasks in the form that Step Functions Local uses.
    pub like_local: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            region: "us-east-1".to_string(),
            account: "123456789012".to_string(),
            programs: Vec::new(),
            mock: None,
            checking: Checking {
                profile: Profile::Aws,
                ..Checking::default()
            },
            unmocked: Unmocked::Fail,
            targets: Targets::default(),
            s3_root: None,
            realtime: None,
            allowed_hosts: Vec::new(),
            memory_limit: MAX_MEMORY,
            debugger: None,
            like_local: false,
        }
    }
}

/// The local Step Functions server: its options, resources and tasks.
#[derive(Debug)]
pub(super) struct Api {
    pub(super) options: Options,
    identity: Identity,
    store: Mutex<Store>,
    tasks: Mutex<Tasks>,
    /// Notified when a task of an activity is scheduled, so that a waiting GetActivityTask request can take the task.
    pub(super) scheduled: Condvar,
    /// The JSONata worker that is passed to the code for the option `--unmocked`. This code evaluates no expressions.
    pub(super) worker: Arc<Worker>,
    /// The content of the mock file as it was last read, with the modification time and length that the file had then.
    mock: Mutex<Option<(Stamp, Arc<Mock>)>>,
}

/// Modification time and length of a file.
type Stamp = Option<(SystemTime, u64)>;

impl Api {
    pub(super) fn new(options: Options) -> Self {
        let identity = Identity {
            region: options.region.as_str().into(),
            account: options.account.as_str().into(),
            ..Identity::default()
        };
        Self {
            options,
            identity,
            store: Mutex::default(),
            tasks: Mutex::default(),
            scheduled: Condvar::new(),
            worker: Arc::new(Worker::new()),
            mock: Mutex::default(),
        }
    }

    /// Region and account for all ARNs.
    pub(super) fn identity(&self) -> &Identity {
        &self.identity
    }

    pub(super) fn store(&self) -> MutexGuard<'_, Store> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn tasks(&self) -> MutexGuard<'_, Tasks> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The current time in milliseconds since 1970.
    pub(super) fn now(&self) -> i64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        i64::try_from(since.unwrap_or_default().as_millis()).unwrap_or(0)
    }

    /// Returns the mock file; reads it again if it has changed.
    ///
    /// # Errors
    /// If the file cannot be read; the error is a sentence with the reason.
    pub(super) fn mock(&self) -> Result<Option<Arc<Mock>>, String> {
        let Some(path) = &self.options.mock else {
            return Ok(None);
        };
        let now = stamp(path);
        let mut known = self.mock.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((stamp, mock)) = &*known
            && *stamp == now
            && now.is_some()
        {
            return Ok(Some(Arc::clone(mock)));
        }
        let mock = mock_in(&Given::File(path.clone())).map_err(|error| error.to_string())?;
        let mock = Arc::new(mock);
        *known = Some((now, Arc::clone(&mock)));
        Ok(Some(mock))
    }

    /// Performs the operation that the `X-Amz-Target` field of an HTTP request names.
    pub(super) fn answer(self: &Arc<Self>, request: &Request) -> Answered<Reply> {
        let target = request.head.get("x-amz-target").unwrap_or_default();
        let operation = match target.split_once('.') {
            Some((SERVICE, operation)) => operation,
            _ => return Err(ApiError::UnknownOperationException(target.to_string())),
        };
        let id = request.head.get("amz-sdk-invocation-id");
        let id = id.map(|id| {
            let hash = foldhash::fast::FixedState::default();
            hash.hash_one((id, operation, request.body.as_slice()))
        });
        let value = match request.body.is_empty() {
            true => Value::Object(serde_json::Map::new()),
            false => serde_json::from_slice(&request.body)
                .map_err(|error| ApiError::SerializationException(error.to_string()))?,
        };
        self.call(operation, value, id)
    }

    /// Performs the operation named `operation`; `value` contains the members of the request.
    pub(super) fn call(
        self: &Arc<Self>,
        operation: &str,
        value: Value,
        id: Option<u64>,
    ) -> Answered<Reply> {
        let answer = match operation {
            "CreateActivity" => self.create_activity(typed(value)?),
            "CreateStateMachine" => self.create_state_machine(typed(value)?),
            "CreateStateMachineAlias" => self.create_alias(typed(value)?),
            "DeleteActivity" => self.delete_activity(&field(value, "activityArn")?),
            "DeleteStateMachine" => self.delete_state_machine(&field(value, "stateMachineArn")?),
            "DeleteStateMachineAlias" => self.delete_alias(&field(value, "stateMachineAliasArn")?),
            "DeleteStateMachineVersion" => {
                self.delete_version(&field(value, "stateMachineVersionArn")?)
            }
            "DescribeActivity" => self.describe_activity(&field(value, "activityArn")?),
            "DescribeExecution" => self.describe_execution(&field(value, "executionArn")?),
            "DescribeMapRun" => self.describe_map_run(&field(value, "mapRunArn")?),
            "DescribeStateMachine" => {
                self.describe_state_machine(&field(value, "stateMachineArn")?)
            }
            "DescribeStateMachineAlias" => {
                self.describe_alias(&field(value, "stateMachineAliasArn")?)
            }
            "DescribeStateMachineForExecution" => {
                self.machine_of_execution(&field(value, "executionArn")?)
            }
            "GetActivityTask" => return self.get_activity_task(typed(value)?),
            "GetExecutionHistory" => return self.get_execution_history(&typed(value)?),
            "ListActivities" => self.list_activities(&typed(value)?),
            "ListExecutions" => self.list_executions(&typed(value)?),
            "ListMapRuns" => self.list_map_runs(&typed(value)?),
            "ListStateMachineAliases" => self.list_aliases(&typed(value)?),
            "ListStateMachineVersions" => self.list_versions(&typed(value)?),
            "ListStateMachines" => self.list_state_machines(&typed(value)?),
            "ListTagsForResource" => self.list_tags_for_resource(&field(value, "resourceArn")?),
            "PublishStateMachineVersion" => self.publish_version(typed(value)?),
            "RedriveExecution" => self.redrive_execution(&field(value, "executionArn")?),
            "SendTaskFailure" => self.send_task_failure(typed(value)?),
            "SendTaskHeartbeat" => self.beat(&field(value, "taskToken")?),
            "SendTaskSuccess" => self.send_task_success(&typed(value)?),
            "StartExecution" => self.start_execution(typed(value)?, id),
            "StartSyncExecution" => return self.start_sync_execution(typed(value)?, id),
            "StopExecution" => self.stop_execution(typed(value)?),
            "TagResource" => self.tag_resource(typed(value)?),
            "TestState" => self.test_state(&typed(value)?),
            "UntagResource" => self.untag_resource(&typed(value)?),
            "UpdateMapRun" => self.update_map_run(&typed(value)?),
            "UpdateStateMachine" => self.update_state_machine(typed(value)?),
            "UpdateStateMachineAlias" => self.update_alias(typed(value)?),
            "ValidateStateMachineDefinition" => self.validate(&typed(value)?),
            other => Err(ApiError::UnknownOperationException(other.to_string())),
        };
        answer.map(Reply::from)
    }
}

fn stamp(path: &Path) -> Stamp {
    let data = std::fs::metadata(path).ok()?;
    Some((data.modified().ok()?, data.len()))
}

/// A random number, from the random seed that the standard library gives its hash tables.
pub(super) fn random() -> u64 {
    RandomState::new().hash_one(())
}

/// A version 4 UUID.
pub(super) fn uuid() -> String {
    let bits = (u128::from(random()) << 64) | u128::from(random());
    let uuid = uuid::Builder::from_random_bytes(bits.to_be_bytes());
    uuid.into_uuid().to_string()
}

/// Parses the members of a request.
fn typed<T: DeserializeOwned>(value: Value) -> Answered<T> {
    serde_json::from_value(value).or_else(|error| typed_error(&error))
}

/// The value of the member `name`, in a request that needs only this member.
fn field(mut value: Value, name: &'static str) -> Answered<String> {
    match value.get_mut(name) {
        Some(field) => typed(field.take()),
        None => typed_error(&serde::de::Error::missing_field(name)),
    }
}

fn typed_error<T>(error: &serde_json::Error) -> Answered<T> {
    let text = format!("1 validation error detected: {error}");
    Err(ApiError::ValidationException(text))
}
