//! Operations on Map Runs. A Map Run is AWS's record of the progress of a DISTRIBUTED Map.

use super::api::Api;
use super::checked::Arn;
use super::execution::{Execution, MapRun};
use super::page::Paging;
use super::reply::{Answered, ApiError, timestamp};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;

impl MapRun {
    fn counts(&self) -> Value {
        let over = self.succeeded + self.failed + self.aborted;
        json!({
            "pending": self.total.saturating_sub(self.begun),
            "running": self.begun.saturating_sub(over),
            "succeeded": self.succeeded,
            "failed": self.failed,
            "timedOut": 0,
            "aborted": self.aborted,
            "total": self.total,
            "resultsWritten": self.succeeded + self.failed,
        })
    }

    fn described(&self, execution: &Execution) -> Value {
        json!({
            "mapRunArn": self.arn,
            "executionArn": execution.arn,
            "status": self.standing.word(),
            "startDate": timestamp(self.started),
            "stopDate": self.stopped.map(timestamp),
            "maxConcurrency": self.max_concurrency,
            "toleratedFailureCount": self.tolerated_count,
            "toleratedFailurePercentage": self.tolerated_percentage,
            "itemCounts": self.counts(),
            "executionCounts": self.counts(),
        })
    }

    fn listed(&self, execution: &Execution) -> Value {
        // A Map Run with the ARN `...:mapRun:MACHINE/LABEL:ID` belongs to the state machine with the ARN
        // `...:stateMachine:MACHINE/LABEL`.
        let label = self.arn.split('/').nth(1);
        let label = label.and_then(|rest| rest.split(':').next());
        json!({
            "mapRunArn": self.arn,
            "executionArn": execution.arn,
            "stateMachineArn": format!("{}/{}", execution.of.machine, label.unwrap_or_default()),
            "startDate": timestamp(self.started),
            "stopDate": self.stopped.map(timestamp),
        })
    }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct UpdateMapRun {
    map_run_arn: String,
    max_concurrency: Option<i64>,
    tolerated_failure_count: Option<i64>,
    tolerated_failure_percentage: Option<f64>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ListMapRuns {
    execution_arn: String,
    #[serde(flatten)]
    paging: Paging,
}

impl Api {
    pub(super) fn describe_map_run(&self, arn: &str) -> Answered<Value> {
        self.with_map_run(arn, |run, execution| run.described(execution))
    }

    pub(super) fn update_map_run(&self, request: &UpdateMapRun) -> Answered<Value> {
        // The interpreter reads these limits only when the Map starts. Later updates are stored and returned but have
        // no effect.
        let whole = |number: Option<i64>| number.and_then(|number| u64::try_from(number).ok());
        self.with_map_run(&request.map_run_arn, |run, _| {
            let most = whole(request.max_concurrency);
            run.max_concurrency = most.unwrap_or(run.max_concurrency);
            let count = whole(request.tolerated_failure_count);
            run.tolerated_count = count.unwrap_or(run.tolerated_count);
            let share = request.tolerated_failure_percentage;
            run.tolerated_percentage = share.unwrap_or(run.tolerated_percentage);
            json!({})
        })
    }

    pub(super) fn list_map_runs(&self, request: &ListMapRuns) -> Answered<Value> {
        let arn = &request.execution_arn;
        let page = request.paging.page(&format!("map runs of {arn}"))?;
        let execution = self.execution(arn)?;
        let progress = execution.progress();
        let runs = progress.map_runs.iter().rev();
        let (runs, next) = page.of(runs.map(|run| run.listed(&execution)));
        Ok(json!({"mapRuns": runs, "nextToken": next}))
    }

    fn with_map_run(
        &self,
        arn: &str,
        act: impl FnOnce(&mut MapRun, &Execution) -> Value,
    ) -> Answered<Value> {
        Arn::of_kind(arn, &["mapRun"])?;
        let executions: Vec<Arc<Execution>> = self.store().executions.values().cloned().collect();
        for execution in executions {
            let mut progress = execution.progress();
            if let Some(run) = progress.map_runs.iter_mut().find(|run| run.arn == arn) {
                return Ok(act(run, &execution));
            }
        }
        Err(ApiError::ResourceNotFound(format!(
            "Resource not found: '{arn}'"
        )))
    }
}
