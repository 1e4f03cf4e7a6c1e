//! Dispatches a request to its operation.

use super::api::Api;
use super::error::{Answered, ApiError};
use super::reply::Reply;
use super::wire::Request;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::hash::BuildHasher as _;
use std::sync::Arc;

/// Prefix of the operation's name in `X-Amz-Target`.
const SERVICE: &str = "AWSStepFunctions";

impl Api {
    /// Handles a request.
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

    /// Performs an operation.
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
            "DeleteActivity" => self.delete_activity(&typed(value)?),
            "DeleteStateMachine" => self.delete_state_machine(&typed(value)?),
            "DeleteStateMachineAlias" => self.delete_alias(&typed(value)?),
            "DeleteStateMachineVersion" => self.delete_version(&typed(value)?),
            "DescribeActivity" => self.describe_activity(&typed(value)?),
            "DescribeExecution" => self.describe_execution(&typed(value)?),
            "DescribeMapRun" => self.describe_map_run(&typed(value)?),
            "DescribeStateMachine" => self.describe_state_machine(&typed(value)?),
            "DescribeStateMachineAlias" => self.describe_alias(&typed(value)?),
            "DescribeStateMachineForExecution" => self.machine_of_execution(&typed(value)?),
            "GetActivityTask" => return self.get_activity_task(typed(value)?),
            "GetExecutionHistory" => return self.get_execution_history(&typed(value)?),
            "ListActivities" => self.list_activities(&typed(value)?),
            "ListExecutions" => self.list_executions(&typed(value)?),
            "ListMapRuns" => self.list_map_runs(&typed(value)?),
            "ListStateMachineAliases" => self.list_aliases(&typed(value)?),
            "ListStateMachineVersions" => self.list_versions(&typed(value)?),
            "ListStateMachines" => self.list_state_machines(&typed(value)?),
            "ListTagsForResource" => self.list_tags_for_resource(&typed(value)?),
            "PublishStateMachineVersion" => self.publish_version(typed(value)?),
            "RedriveExecution" => self.redrive_execution(&typed(value)?),
            "SendTaskFailure" => self.send_task_failure(typed(value)?),
            "SendTaskHeartbeat" => self.send_task_heartbeat(&typed(value)?),
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

/// Parses the fields of a request.
fn typed<T: DeserializeOwned>(value: Value) -> Answered<T> {
    serde_json::from_value(value).map_err(|error| {
        ApiError::ValidationException(format!("1 validation error detected: {error}"))
    })
}
