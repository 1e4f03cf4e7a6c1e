//! Task and Wait: the states that wait for an answer or a deadline. A Task makes one request per attempt. A Wait sets a
//! deadline on the virtual clock.

use super::{computed, number_field};
use crate::definition::{
    CallPattern, FieldAt, Integration, Owner, Payload, Quantity, QueryLanguage, State, StateKind,
    Task, WaitUntil,
};
use crate::interpreter::ask::{Answer, Outcome, Want};
use crate::interpreter::evaluate::Beside;
use crate::interpreter::event::{EventKind, FrameId, Millis, Stage};
use crate::interpreter::fault::{Difference, Fault, Origin};
use crate::interpreter::frame::{Frame, Timer};
use crate::interpreter::machine::Machine;
use crate::interpreter::reason::{Given, Needs, QUOTED, Reason};
use crate::interpreter::stage::{Done, Raised};
use crate::interpreter::visit::Phase;
use crate::json::{Number, Text, Value, bare};
use crate::query::jsonata::Expression;
use crate::query::{Instant, Path, Profile, abridged, parse_timestamp};
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
        // The default is 60 seconds in the specification; AWS has none (C10).
        let timeout = timeout.or((self.profile() == Profile::Spec).then_some(60));
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
            token: frame.visit.token(),
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

    /// Evaluates the expressions in the fields of a task other than its arguments, such as timeouts. Returns `false`
    /// while the results are pending.
    fn task_numbers(&mut self, id: FrameId, task: &Task) -> Result<bool, Raised> {
        let numbers = [&task.timeout, &task.heartbeat]
            .into_iter()
            .filter_map(computed);
        let numbers: Vec<_> = numbers.collect();
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

    /// Processes the answer to the frame's request.
    pub(in crate::interpreter) fn complete(&mut self, id: FrameId, state: &State) -> Done {
        let answer = self.call_of(id).and_then(|call| call.answer.clone());
        self.clear_timers(id);
        let outcome = answer.map(|answer| answer.outcome);
        match outcome {
            Some(Outcome::Success(result)) => match &state.kind {
                StateKind::Map(map) => self.complete_files(id, state, map, result)?,
                _ => self.succeed(id, state, result),
            },
            Some(Outcome::Failure { error, cause }) => {
                let mut fault = Fault::outside(Origin::Task, Reason::Answer, error, cause);
                if matches!(state.kind, StateKind::Map(_)) {
                    self.with(id, |frame| frame.visit.call = None);
                    self.map_run_failed(id);
                    return Err((fault, None));
                }
                if fault.name() == "States.Timeout" {
                    // A mocked timeout counts as a real timeout and has no cause.
                    fault.cause = fault.cause.filter(|cause| !cause.is_empty());
                    fault.origin = Origin::Timeout;
                }
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

    /// True if AWS would record that the service accepted the request; false if the service rejected the call itself.
    pub(in crate::interpreter) fn submits(&self, id: FrameId, answer: &Answer) -> bool {
        let Some(StateKind::Task(Task {
            integration: Integration::Service { pattern, .. },
            ..
        })) = self.kind_of(id)
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

/// True for activities and callbacks; other tasks ignore HeartbeatSeconds (11.7).
fn can_heartbeat(task: &Task) -> bool {
    task.pattern() == Some(CallPattern::Callback) || task.integration == Integration::Activity
}

/// Maximum wait on AWS: 2^31 seconds, in milliseconds.
const LONGEST: i64 = 2_147_483_648_000;

/// The reason why a Wait ends as soon as it begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoWait {
    /// The Wait's timestamp, which is not in the future; `None` if the Wait is for 0 seconds.
    pub timestamp: Option<Text>,
    /// Time from the timestamp to the beginning of the Wait, in virtual milliseconds.
    pub past: Millis,
}

/// Duration of a Wait; negative for a timestamp in the past.
struct Length {
    millis: i64,
    timestamp: Option<Text>,
}

impl Length {
    fn of_seconds(seconds: i64) -> Self {
        Self {
            millis: seconds.saturating_mul(1000),
            timestamp: None,
        }
    }

    fn no_wait(&self) -> Option<NoWait> {
        (self.millis <= 0).then(|| NoWait {
            timestamp: self.timestamp.clone(),
            past: self.millis.unsigned_abs(),
        })
    }

    /// The duration in virtual milliseconds, at least 0.
    fn ahead(&self) -> Millis {
        Millis::try_from(self.millis).unwrap_or(0)
    }
}

impl Machine {
    pub(super) fn wait(&mut self, id: FrameId, until: &WaitUntil) -> Done {
        if let WaitUntil::SecondsBy(expression) | WaitUntil::TimestampBy(expression) = until {
            return self.wait_by(id, until, expression);
        }
        let Some(frame) = self.frame(id) else {
            return Ok(());
        };
        let length = self.length_of(frame, until)?;
        self.wait_for(id, &length)
    }

    /// The time at which a Wait that has been entered but not yet begun will end, and the reason if it will end
    /// immediately. `None` if the duration needs an evaluation first, or cannot be computed.
    #[must_use]
    pub fn wait_forecast(
        &self,
        frame: &Frame,
        until: &WaitUntil,
    ) -> Option<(Millis, Option<NoWait>)> {
        let length = match until {
            WaitUntil::SecondsBy(_) | WaitUntil::TimestampBy(_) => return None,
            until => self.length_of(frame, until).ok()?,
        };
        Some((self.now().saturating_add(length.ahead()), length.no_wait()))
    }

    /// Duration of a Wait in a JSONPath state.
    fn length_of(&self, frame: &Frame, until: &WaitUntil) -> Result<Length, Raised> {
        Ok(match until {
            WaitUntil::Seconds(seconds) => {
                Length::of_seconds(i64::try_from(*seconds).unwrap_or(i64::MAX))
            }
            WaitUntil::SecondsPath(path) => Length::of_seconds(self.seconds_at(frame, path)?),
            WaitUntil::Timestamp(text) => match parse_timestamp(text) {
                Some(instant) => self.length_to(instant, text),
                None => {
                    let reason = bad_time("Timestamp", Given::Literal, text);
                    return Err(self.own_fault(frame.id, reason, None));
                }
            },
            WaitUntil::TimestampPath(path) => self.timestamp_at(frame, path)?,
            WaitUntil::SecondsBy(_) | WaitUntil::TimestampBy(_) | WaitUntil::Nothing => {
                let why = "the Wait state has neither Seconds nor Timestamp";
                return Err(self.own_fault(frame.id, Reason::Broken(why.into()), None));
            }
        })
    }

    /// Waits for the duration or timestamp that an expression returns.
    fn wait_by(&mut self, id: FrameId, until: &WaitUntil, expression: &Arc<Expression>) -> Done {
        let asked = vec![Arc::clone(expression)];
        let Some(mut results) = self.evaluate(id, || asked, Beside::default()) else {
            return Ok(());
        };
        let stage = Stage::AfterInputPath;
        let value = self.result_of(id, expression, &mut results, stage)?;
        if matches!(until, WaitUntil::SecondsBy(_)) {
            let number = value.as_number().and_then(Number::as_i64);
            return match number {
                Some(seconds) if seconds >= 0 => self.wait_for(id, &Length::of_seconds(seconds)),
                Some(_) => {
                    let field = FieldAt::state("Seconds");
                    let needs = Needs::NotNegative;
                    let reason = Reason::bad_number(field, Given::Expression, &value, needs);
                    Err(self.evaluation_fault(id, reason, stage))
                }
                None => Err(self.mistyped(id, expression, "number", &value, stage)),
            };
        }
        let Some(text) = value.as_str() else {
            return Err(self.mistyped(id, expression, "string", &value, stage));
        };
        match parse_timestamp(text) {
            Some(instant) => {
                let length = self.length_to(instant, text);
                self.wait_for(id, &length)
            }
            None => {
                let reason = bad_time("Timestamp", Given::Expression, text);
                Err(self.evaluation_fault(id, reason, stage))
            }
        }
    }

    fn wait_for(&mut self, id: FrameId, length: &Length) -> Done {
        if length.millis > LONGEST {
            return Err(self.own_fault(id, Reason::WaitTooLong, None));
        }
        let due = self.now().saturating_add(length.ahead());
        let due = self.wait_due(id, due);
        // In a repeated execution, the recording determines if the Wait took any time.
        let no_wait = length.no_wait().filter(|_| due <= self.now());
        self.with(id, |frame| frame.visit.no_wait = no_wait.map(Box::new));
        self.push(id, EventKind::WaitStarted, 0, true);
        self.park(id);
        self.set_timer(id, due, Timer::Wake);
        Ok(())
    }

    fn look_up(&self, frame: &Frame, path: &Path, name: &'static str) -> Result<Value, Raised> {
        let data = frame.visit.data.latest(Stage::AfterInputPath);
        let field = FieldAt::state(name);
        let given = self.evaluated(frame.id, field, &self.bindings(frame, &data), path);
        given.map_err(|_| {
            let path = path.text().into();
            self.own_fault(frame.id, Reason::Reference { field, path }, None)
        })
    }

    fn seconds_at(&self, frame: &Frame, path: &Path) -> Result<i64, Raised> {
        let name = "SecondsPath";
        let value = self.look_up(frame, path, name)?;
        let number = value.as_number().and_then(Number::as_i64);
        let needs = match number {
            Some(seconds) if seconds >= 0 => return Ok(seconds),
            Some(_) => Needs::NotNegative,
            None => Needs::Integer,
        };
        let given = Given::Path(path.text().into());
        let reason = Reason::bad_number(FieldAt::state(name), given, &value, needs);
        Err(self.own_fault(frame.id, reason, None))
    }

    fn timestamp_at(&self, frame: &Frame, path: &Path) -> Result<Length, Raised> {
        let name = "TimestampPath";
        let value = self.look_up(frame, path, name)?;
        let instant = value.as_str().and_then(parse_timestamp);
        match instant {
            Some(instant) => Ok(self.length_to(instant, &bare(&value))),
            None => {
                let reason = bad_time(name, Given::Path(path.text().into()), &bare(&value));
                Err(self.own_fault(frame.id, reason, None))
            }
        }
    }

    /// Duration from now to a timestamp.
    fn length_to(&self, instant: Instant, text: &str) -> Length {
        let now = i64::try_from(self.now()).unwrap_or(i64::MAX);
        let now = self.run().header.start_time.saturating_add(now);
        Length {
            millis: instant.millis().saturating_sub(now),
            timestamp: Some(text.into()),
        }
    }
}

fn bad_time(name: &'static str, given: Given, value: &str) -> Reason {
    Reason::BadTime {
        field: FieldAt::state(name),
        given,
        value: value.into(),
    }
}
