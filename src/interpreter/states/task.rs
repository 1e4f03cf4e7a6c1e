//! Task state: one request per attempt, and how the answer is processed (ASL-SEMANTICS 11.7, 13).

use super::number_field;
use crate::definition::{
    CallPattern, FieldAt, Integration, Owner, Payload, Quantity, QueryLanguage, State, StateKind,
    Task,
};
use crate::interpreter::ask::{Answer, Outcome, Want};
use crate::interpreter::difference::Difference;
use crate::interpreter::evaluate::Beside;
use crate::interpreter::event::{EventKind, FrameId, Millis, Stage};
use crate::interpreter::fault::{Fault, Origin};
use crate::interpreter::frame::{Frame, Timer};
use crate::interpreter::machine::Machine;
use crate::interpreter::profile;
use crate::interpreter::reason::{Given, Needs, QUOTED, Reason};
use crate::interpreter::stage::{Done, Raised};
use crate::interpreter::visit::{Call, Phase};
use crate::json::{Text, Value};
use crate::query::{Profile, abridged};
use crate::service::start_fault;
use std::sync::Arc;

const TIMEOUT: [&str; 2] = ["TimeoutSeconds", "TimeoutSecondsPath"];
const HEARTBEAT: [&str; 2] = ["HeartbeatSeconds", "HeartbeatSecondsPath"];

impl Machine {
    pub(super) fn call(&mut self, id: FrameId, task: &Task) -> Done {
        if !self.task_numbers(id, task)? {
            return Ok(());
        }
        let Some(frame) = self.frame(id) else {
            return Ok(());
        };
        let timeout = self.seconds(frame, task.timeout.as_ref(), TIMEOUT)?;
        let timeout = timeout.or(profile::default_timeout_seconds(self.profile()));
        let heartbeat = self.seconds(frame, task.heartbeat.as_ref(), HEARTBEAT)?;
        let heartbeat = heartbeat
            .filter(|_| can_heartbeat(task))
            .map(|seconds| seconds.saturating_mul(1000));
        let due = |millis: Millis| self.now().saturating_add(millis);
        let timeout_at = timeout.map(|seconds| due(seconds.saturating_mul(1000)));
        let heartbeat_at = heartbeat.map(due);
        if let Some(Payload::Template(template)) = &task.credentials {
            let data = frame.visit.data.latest(Stage::AfterInputPath);
            let field = FieldAt::state("Credentials");
            self.query(frame, field, &data, template)?;
        }
        let input = frame.visit.data.latest(Stage::AfterArguments);
        self.can_start(frame, task, &input)?;
        let want = Want::Call {
            resource: task.resource.clone(),
            input,
            token: frame.visit.call.as_ref().and_then(|call| token_in(call)),
            timeout_at,
            heartbeat,
        };
        let attempt = frame.visit.attempt;
        self.begin_attempt(id);
        let Some(ask_id) = self.pose(id, want) else {
            return Ok(());
        };
        self.park(id);
        self.push_history(id, EventKind::TaskScheduled, attempt);
        self.push_history(id, EventKind::TaskStarted, attempt);
        if let Some(due) = timeout_at {
            self.set_timer(id, due, Timer::Timeout);
        }
        if let Some(due) = heartbeat_at {
            self.set_timer(id, due, Timer::HeartbeatTimeout);
        }
        self.open_ask(ask_id, id);
        Ok(())
    }

    /// Fails if AWS would not start a task with these parameters.
    fn can_start(&self, frame: &Frame, task: &Task, parameters: &Value) -> Done {
        if !matches!(task.integration, Integration::Service { .. }) {
            return Ok(());
        }
        let language = self.state_of(frame).map(|state| state.language);
        let templated = language == Some(QueryLanguage::JsonPath);
        let call = || task.call();
        let Some(why) = start_fault(call, parameters, templated) else {
            return Ok(());
        };
        if self.profile() == Profile::Spec {
            self.diverge(Difference::Parameters);
            return Ok(());
        }
        let reason = Reason::Parameters {
            parameters: abridged(parameters, QUOTED).into(),
            why: why.into(),
        };
        Err(self.own_fault(frame.id, reason, None))
    }

    /// Evaluates what the task needs besides its arguments; returns `false` while that is pending.
    fn task_numbers(&mut self, id: FrameId, task: &Task) -> Result<bool, Raised> {
        let numbers: Vec<_> = [&task.timeout, &task.heartbeat]
            .into_iter()
            .filter_map(|quantity| match quantity {
                Some(Quantity::Expression(expression)) => Some(Arc::clone(expression)),
                _ => None,
            })
            .collect();
        let mut expressions = numbers.clone();
        if let Some(Payload::Jsonata(template)) = &task.credentials {
            expressions.extend(template.expressions().iter().cloned());
        }
        let Some(mut results) = self.evaluate(id, || expressions, Beside::default()) else {
            return Ok(false);
        };
        self.keep_numbers(id, &numbers, &mut results, Stage::AfterParameters)?;
        if let Some(Payload::Jsonata(template)) = &task.credentials {
            let value = self.fill(id, template, &mut results, Stage::AfterParameters)?;
            self.with(id, |frame| {
                frame.visit.field_values.push(("Credentials".into(), value))
            });
        }
        Ok(true)
    }

    /// Generates the token that `$$.Task.Token` selects, before Parameters are computed.
    pub(in crate::interpreter) fn prepare_token(&mut self, id: FrameId, state: &State) {
        let StateKind::Task(task) = &state.kind else {
            return;
        };
        if !task.has_token() {
            return;
        }
        let token: Text = self.uuid().into();
        let want = Want::Call {
            resource: task.resource.clone(),
            input: Value::Null,
            token: Some(token),
            timeout_at: None,
            heartbeat: None,
        };
        self.pose(id, want);
    }

    fn seconds(
        &self,
        frame: &Frame,
        quantity: Option<&Quantity<u64>>,
        names: [&'static str; 2],
    ) -> Result<Option<u64>, Raised> {
        let Some(quantity) = quantity else {
            return Ok(None);
        };
        let field = number_field(Owner::State, names, quantity);
        let seconds = self.whole_number(frame, quantity, field)?;
        let given = match quantity {
            Quantity::Path(path) if seconds == 0 => Given::Path(path.text().into()),
            Quantity::Expression(_) if seconds == 0 => Given::Expression,
            _ => return Ok(Some(seconds)),
        };
        let reason = Reason::bad_number(field, given, &Value::from(0), Needs::Positive);
        Err(self.own_fault(frame.id, reason, None))
    }

    /// Processes an answer.
    pub(in crate::interpreter) fn complete(&mut self, id: FrameId, state: &State) -> Done {
        let Some(frame) = self.frame(id) else {
            return Ok(());
        };
        let answer = frame
            .visit
            .call
            .as_ref()
            .and_then(|call| call.answer.clone());
        self.clear_timers(id);
        let outcome = answer.map(|answer| answer.outcome);
        match outcome {
            Some(Outcome::Success(result)) => match &state.kind {
                StateKind::Map(map) => self.complete_files(id, map, result)?,
                _ => self.succeed(id, state, result),
            },
            Some(Outcome::Failure { error, cause }) => {
                let fault = Fault::outside(Origin::Task, Reason::Answer, error, cause);
                if matches!(state.kind, StateKind::Map(_)) {
                    self.with(id, |frame| frame.visit.call = None);
                    self.map_run_failed(id);
                    return Err((fault, None));
                }
                let fault = if fault.name() == "States.Timeout" {
                    timed_out(fault)
                } else {
                    fault
                };
                self.task_failed(id, fault);
            }
            Some(Outcome::Never | Outcome::Evaluated(_)) | None => self.park(id),
        }
        Ok(())
    }

    fn succeed(&mut self, id: FrameId, state: &State, result: Value) {
        if let Err((fault, _)) = self.check_payload(id, state, &result, Stage::Result) {
            return self.task_failed(id, fault);
        }
        self.with(id, |frame| frame.visit.data.set(Stage::Result, result));
        self.end_attempt(id);
        self.push_history(id, EventKind::TaskSucceeded, 0);
        self.set_phase(id, Phase::Stage(Stage::Result));
    }

    fn task_failed(&mut self, id: FrameId, fault: Fault) {
        let kind = match fault.origin {
            Origin::Timeout | Origin::Heartbeat => EventKind::TaskTimedOut,
            _ => EventKind::TaskFailed,
        };
        self.with(id, |frame| frame.visit.fault = Some((fault, None)));
        self.push_history(id, kind, 0);
        self.end_attempt(id);
        self.wake(id, Phase::Handle);
    }

    /// True if AWS would record that the service accepted the request; false if the call itself was rejected.
    pub(in crate::interpreter) fn submits(&self, id: FrameId, answer: &Answer) -> bool {
        let Some(state) = self.frame(id).and_then(|frame| self.state_of(frame)) else {
            return false;
        };
        let StateKind::Task(Task {
            integration: Integration::Service { pattern, .. },
            ..
        }) = &state.kind
        else {
            return false;
        };
        let refused = match &answer.outcome {
            Outcome::Failure {
                error: Some(error), ..
            } => error.contains('.') && !error.starts_with("States."),
            _ => false,
        };
        *pattern != CallPattern::RequestResponse && !refused
    }
}

/// A mocked `States.Timeout` counts as a timeout and has no cause (AWS-RECORDED 10).
fn timed_out(fault: Fault) -> Fault {
    let cause = fault.cause.filter(|cause| !cause.is_empty());
    Fault {
        cause,
        origin: Origin::Timeout,
        ..fault
    }
}

fn token_in(call: &Call) -> Option<Text> {
    match &call.ask.want {
        Want::Call { token, .. } => token.clone(),
        _ => None,
    }
}

/// True for activities and callbacks; other tasks ignore HeartbeatSeconds (11.7).
fn can_heartbeat(task: &Task) -> bool {
    task.pattern() == Some(CallPattern::Callback) || task.integration == Integration::Activity
}
