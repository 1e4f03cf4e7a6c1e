//! Answers the tasks of an execution within this server: by child executions, task tokens, activities, and operations
//! of the server's own API.

use super::api::{Api, uuid};
use super::checked::MachineArn;
use super::execution::{Begin, Execution, Message, Standing, Watcher};
use super::reply::{ApiError, Reply, sdk_operation, sdk_request, sdk_result};
use super::store::{Scheduled, Waiting};
use crate::definition::{Integration, Task};
use crate::interpreter::{Answer, Ask, AskId, Outcome};
use crate::json::{Value, one_line};
use crate::session::execution::{Callback, Execution as Described, Start};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// A thread that waits for a pending operation checks at this interval whether the execution is still running.
const PATIENCE: Duration = Duration::from_secs(1);

/// Answers the tasks of one execution within this server.
#[derive(Clone, Debug)]
pub(super) struct Desk {
    pub(super) api: Arc<Api>,
    pub(super) execution: Arc<Execution>,
}

/// The answer to a task, or how the answer will arrive later.
pub(super) enum Given {
    Now(Answer),
    /// The task's activity does not exist, so the execution cannot continue; contains a sentence that says so.
    Missing(String),
    /// A client will send the answer with this token.
    Token(String),
    /// No answer yet: this server sends it later, when the operation or the child execution has ended.
    Later,
}

impl Desk {
    /// Answers a task, or arranges for a later answer; `None` if neither this server nor one of its clients answers the
    /// task.
    pub(super) fn of_task(
        &self,
        ask: &Ask,
        task: &Task,
        input: &Value,
        token: Option<&str>,
    ) -> Option<Given> {
        let start = Start::of(task);
        if let Some(start) = start.filter(|start| *start != Start::Callback) {
            return Some(self.start(ask, task, start, input));
        }
        if let Some(callback) = Callback::of(task, input) {
            return Some(Given::Now(self.send_back(task, callback)));
        }
        if let Integration::Service { service, api, .. } = &task.integration
            && let Some(operation) = sdk_operation(service, api)
        {
            return Some(self.call_here(ask, task, &operation, input));
        }
        let is_activity = task.integration == Integration::Activity;
        let token = match (is_activity, token) {
            (true, _) => uuid(),
            (false, Some(token)) => token.to_string(),
            (false, None) => return None,
        };
        self.open(ask.id, &token);
        let given = match start {
            Some(start) => self.start(ask, task, start, input),
            None if is_activity => self.schedule(task, input, &token),
            None => Given::Later,
        };
        match given {
            Given::Now(_) | Given::Missing(_) => {
                self.api.tasks().close(&token);
                Some(given)
            }
            Given::Token(_) | Given::Later => Some(Given::Token(token)),
        }
    }

    /// From now on, accepts answers for the task that are sent with this token. Call this before the task starts,
    /// because the receiver of the token may use it at once.
    pub(super) fn open(&self, ask: AskId, token: &str) {
        let waiting = Waiting {
            execution: Arc::clone(&self.execution),
            ask,
        };
        self.api.tasks().open(token, waiting);
    }

    /// Performs an operation of this server for a task. If the operation takes time, a separate thread waits for it.
    fn call_here(&self, ask: &Ask, task: &Task, operation: &str, input: &Value) -> Given {
        let mut pending = match self.api.call(operation, sdk_request(input), None) {
            Ok(Reply::Now(body)) => return Given::Now(Answer::success(sdk_result(&body))),
            Ok(Reply::Later(pending)) => pending,
            Err(error) => return Given::Now(refused(task, &error)),
        };
        let (execution, ask) = (Arc::clone(&self.execution), ask.id);
        let begun = Instant::now();
        let thread = thread::Builder::new().name("operation".to_string());
        let waits = thread.spawn(move || {
            loop {
                let body = pending.wait(PATIENCE);
                let is_running = execution.progress().standing == Standing::Running;
                if body.is_some() || !is_running {
                    pending.is_heard(is_running);
                }
                match body {
                    Some(body) => {
                        let took = u64::try_from(begun.elapsed().as_millis()).unwrap_or(0);
                        let outcome = Outcome::Success(sdk_result(&body));
                        return execution.send(Message::Answer(ask, outcome, Some(took)));
                    }
                    None if is_running => {}
                    None => return,
                }
            }
        });
        match waits {
            Ok(_) => Given::Later,
            Err(error) => Given::Now(Answer::failure("States.Runtime", error.to_string())),
        }
    }

    /// Schedules a task for the workers of its activity.
    fn schedule(&self, task: &Task, input: &Value, token: &str) -> Given {
        let scheduled = Scheduled {
            token: token.to_string(),
            input: one_line(input),
        };
        if !self.api.tasks().schedule(&task.resource, scheduled) {
            return Given::Missing(format!(
                "The activity {activity} does not exist.",
                activity = task.resource
            ));
        }
        self.api.scheduled.notify_all();
        Given::Later
    }

    /// Starts the execution that a task requests.
    fn start(&self, ask: &Ask, task: &Task, start: Start, input: &Value) -> Given {
        let mut described = Described::requested(input, &uuid(), self.api.now());
        let begun = MachineArn::parse(&described.machine).and_then(|arn| {
            let of = self.api.resolve(arn)?;
            let begin = Begin {
                of,
                name: described.name.to_string(),
                input: one_line(&described.input),
                trace_header: None,
                // The child execution uses the test case of its own state machine that has the same name as the
                // parent's test case, if there is one.
                test_case: self.execution.test_case.clone(),
                depth: self.execution.depth.saturating_add(1),
            };
            self.api.start_nested(begin)
        });
        let execution = match begun {
            Ok(execution) => execution,
            Err(error) => return Given::Now(refused(task, &error)),
        };
        described.started = execution.started;
        match start {
            Start::Plain | Start::Sdk => Given::Now(Answer::success(described.begun(start))),
            Start::Callback => Given::Later,
            Start::Sync(_) | Start::SdkSync => {
                execution.watch(Watcher {
                    execution: Arc::clone(&self.execution),
                    ask: ask.id,
                    start,
                    described,
                });
                Given::Later
            }
        }
    }

    /// Performs a task that sends back the token of another task: completes that other task, or records a heartbeat for
    /// it.
    fn send_back(&self, task: &Task, callback: Callback) -> Answer {
        let sent = match callback.outcome {
            Some(outcome) => self.api.send(&callback.token, outcome),
            None => self.api.beat(&callback.token),
        };
        match sent {
            Ok(_) => Answer::success(Value::empty_object()),
            Err(error) => refused(task, &error),
        }
    }
}

/// The answer to a task whose request this server rejects: a failure with the error `error`.
fn refused(task: &Task, error: &ApiError) -> Answer {
    let (code, text) = (error.code(), error.to_string());
    let (family, cause) = match &task.integration {
        Integration::Service { service, .. } if service.starts_with("aws-sdk:") => (
            "Sfn",
            format!("{text} (Service: Sfn, Status Code: 400, Request ID: unknown)"),
        ),
        _ => (
            "StepFunctions",
            format!(
                "{text} (Service: AWSStepFunctions; Status Code: 400; Error Code: {code}; Request ID: unknown; Proxy: null)"
            ),
        ),
    };
    let ending = if code.ends_with("Exception") {
        ""
    } else {
        "Exception"
    };
    Answer::failure(format!("{family}.{code}{ending}"), cause)
}
