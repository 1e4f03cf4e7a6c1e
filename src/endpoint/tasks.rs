//! Operations on activities, whose workers poll for tasks, and on task tokens.

use super::api::Api;
use super::checked::{Arn, Checks, LARGEST_PAYLOAD, name};
use super::execution::Message;
use super::page::Paging;
use super::reply::{Answered, ApiError, Pending, Reply, body_of, timestamp};
use super::store::{Activity, Scheduled, Tag};
use crate::interpreter::Outcome;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

/// Maximum time that GetActivityTask waits for a task.
const HELD: Duration = Duration::from_secs(60);
/// Maximum number of activities.
const MOST_ACTIVITIES: usize = 10_000;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CreateActivity {
    name: String,
    #[serde(default)]
    tags: Vec<Tag>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct GetTask {
    activity_arn: String,
    worker_name: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Success {
    task_token: String,
    output: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Failure {
    task_token: String,
    error: Option<String>,
    cause: Option<String>,
}

/// A GetActivityTask request that waits for a task.
struct Worker {
    api: Arc<Api>,
    arn: String,
    name: Option<String>,
    until: Instant,
    taken: Option<Scheduled>,
}

impl Pending for Worker {
    fn wait(&mut self, patience: Duration) -> Option<String> {
        let end = self.until.min(Instant::now() + patience);
        let mut tasks = self.api.tasks();
        loop {
            self.taken = tasks.take(&self.arn);
            if let Some(task) = &self.taken {
                let body = json!({"taskToken": task.token, "input": task.input});
                return Some(body_of(body));
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                let is_over = Instant::now() >= self.until;
                return is_over.then(|| body_of(json!({})));
            }
            let waited = self.api.scheduled.wait_timeout(tasks, left);
            tasks = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn is_heard(&mut self, heard: bool) {
        let Some(task) = self.taken.take() else {
            return;
        };
        let mut tasks = self.api.tasks();
        if !heard {
            // The client has gone, so another worker may take the task.
            if let Some(activity) = tasks.activities.get_mut(&self.arn) {
                activity.scheduled.push_front(task);
            }
            self.api.scheduled.notify_all();
            return;
        }
        if let Ok(waiting) = tasks.waiting(&task.token) {
            drop(tasks);
            waiting.execution.show_taken(waiting.ask, self.name.clone());
        }
    }
}

impl Api {
    pub(super) fn create_activity(&self, request: CreateActivity) -> Answered<Value> {
        name(&request.name)?;
        let arn = self.identity().arn("activity", &request.name);
        let now = self.now();
        let created = {
            let mut tasks = self.tasks();
            if tasks.activities.len() >= MOST_ACTIVITIES {
                return Err(ApiError::ValidationException(format!(
                    "the server already has {MOST_ACTIVITIES} activities and allows no more"
                )));
            }
            let activity = tasks.activities.entry(arn.clone()).or_insert(Activity {
                name: request.name,
                created: now,
                scheduled: VecDeque::new(),
            });
            activity.created
        };
        if created == now {
            self.store().tags.add(&arn, request.tags)?;
        }
        Ok(json!({"activityArn": arn, "creationDate": timestamp(created)}))
    }

    pub(super) fn describe_activity(&self, arn: &str) -> Answered<Value> {
        Arn::of_kind(arn, &["activity"])?;
        let tasks = self.tasks();
        let activity = tasks.activities.get(arn);
        let activity = activity.ok_or_else(|| ApiError::ActivityDoesNotExist(arn.to_string()))?;
        Ok(json!({
            "activityArn": arn,
            "name": activity.name,
            "creationDate": timestamp(activity.created),
            "encryptionConfiguration": {"type": "AWS_OWNED_KEY"},
        }))
    }

    pub(super) fn delete_activity(&self, arn: &str) -> Answered<Value> {
        Arn::of_kind(arn, &["activity"])?;
        self.tasks().activities.remove(arn);
        self.store().tags.forget(arn);
        Ok(json!({}))
    }

    pub(super) fn list_activities(&self, paging: &Paging) -> Answered<Value> {
        let page = paging.page("activities")?;
        let tasks = self.tasks();
        let activities = tasks.activities.iter().map(|(arn, activity)| {
            json!({
                "activityArn": arn,
                "name": activity.name,
                "creationDate": timestamp(activity.created),
            })
        });
        let (activities, next) = page.of(activities);
        Ok(json!({"activities": activities, "nextToken": next}))
    }

    pub(super) fn get_activity_task(self: &Arc<Self>, request: GetTask) -> Answered<Reply> {
        let arn = request.activity_arn;
        Arn::of_kind(&arn, &["activity"])?;
        let worker = request.worker_name.as_deref();
        Checks::default()
            .length_within("workerName", worker, 1, 80)
            .done()?;
        if !self.tasks().activities.contains_key(&arn) {
            return Err(ApiError::ActivityDoesNotExist(arn));
        }
        Ok(Reply::Later(Box::new(Worker {
            api: Arc::clone(self),
            arn,
            name: request.worker_name,
            until: Instant::now() + HELD,
            taken: None,
        })))
    }

    pub(super) fn send_task_success(&self, request: &Success) -> Answered<Value> {
        Checks::default()
            .length("taskToken", &request.task_token, 2048)
            .done()?;
        if request.output.len() > LARGEST_PAYLOAD {
            let text = "Size of output exceeds the limit of 262144 bytes";
            return Err(ApiError::InvalidOutput(text.to_string()));
        }
        let output = crate::json::parse(&request.output);
        let output = output.map_err(|error| ApiError::InvalidOutput(error.message.to_string()))?;
        self.send(&request.task_token, Outcome::Success(output))
    }

    pub(super) fn send_task_failure(&self, request: Failure) -> Answered<Value> {
        Checks::default()
            .length("taskToken", &request.task_token, 2048)
            .length_within("error", request.error.as_deref(), 0, 256)
            .done()?;
        let outcome = Outcome::Failure {
            error: request.error.map(Into::into),
            cause: request.cause.map(Into::into),
        };
        self.send(&request.task_token, outcome)
    }

    /// Records a heartbeat for the task that waits for an answer with this token.
    pub(super) fn beat(&self, token: &str) -> Answered<Value> {
        let waiting = self.tasks().waiting(token)?;
        waiting.execution.send(Message::Heartbeat(waiting.ask));
        Ok(json!({}))
    }

    /// Completes the task that waits for an answer with this token.
    pub(super) fn send(&self, token: &str, outcome: Outcome) -> Answered<Value> {
        let waiting = {
            let mut tasks = self.tasks();
            let waiting = tasks.waiting(token)?;
            tasks.close(token);
            waiting
        };
        let message = Message::Answer(waiting.ask, outcome, None);
        waiting.execution.send(message);
        Ok(json!({}))
    }
}
