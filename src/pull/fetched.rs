//! The data that were fetched for one execution, as AWS returned them.

use super::arn::{Arn, Kind};
use crate::json::{Value, bare, on_line};
use crate::query::parse_timestamp;
use crate::source::counted;

/// The data that were fetched for an execution and its child executions.
#[derive(Clone, Debug)]
pub(super) struct Fetched {
    pub arn: Arn,
    /// The DescribeExecution response; `None` for an express execution.
    pub description: Option<Value>,
    /// Text of the definition that ran; for an express execution, the current definition of the state machine.
    pub definition: Option<String>,
    /// Events of the history; for an express execution, CloudWatch log events, each with a log line.
    pub events: Vec<Value>,
    /// The DescribeMapRun responses for the Map Runs that the execution started.
    pub map_runs: Vec<Value>,
    pub children: Vec<Fetched>,
    /// Notes for the user, for example that a part could not be fetched.
    pub notes: Vec<String>,
    /// True if a part of the execution could not be fetched.
    pub is_partial: bool,
}

/// A day, in milliseconds.
const DAY: i64 = 86_400_000;

impl Fetched {
    pub(super) fn new(arn: &Arn) -> Self {
        Self {
            arn: arn.clone(),
            description: None,
            definition: None,
            events: Vec::new(),
            map_runs: Vec::new(),
            children: Vec::new(),
            notes: Vec::new(),
            is_partial: false,
        }
    }

    /// The status of the execution according to AWS; `None` for an express execution.
    pub(super) fn status(&self) -> Option<&str> {
        self.description.as_ref()?.get("status")?.as_str()
    }

    /// True if, according to AWS, the execution is running or waits for a redrive.
    pub(super) fn is_running(&self) -> bool {
        matches!(self.status(), Some("RUNNING" | "PENDING_REDRIVE"))
    }

    /// True if the last fetched event is the end of the execution.
    pub(super) fn has_end(&self) -> bool {
        let last = self
            .events
            .last()
            .and_then(|event| event.get("type")?.as_str());
        matches!(
            last,
            Some(
                "ExecutionSucceeded" | "ExecutionFailed" | "ExecutionTimedOut" | "ExecutionAborted"
            )
        )
    }

    /// Adds a note that a part of the execution could not be fetched, and sets `is_partial`.
    pub(super) fn lacks(&mut self, note: String) {
        self.lacks_lines(on_line(&note).into_owned());
    }

    /// Like `lacks`, but the note may have several lines, which the caller has escaped with [`on_line`].
    pub(super) fn lacks_lines(&mut self, note: String) {
        self.notes.push(note);
        self.is_partial = true;
    }

    /// Adds a note if the events cannot belong to this execution; for example, a test server may return a fixed
    /// recording.
    pub(super) fn doubt(&mut self) {
        let began = self
            .description
            .as_ref()
            .and_then(|description| time(description.get("startDate")?));
        let first = self
            .events
            .iter()
            .find(|event| event.get("type").and_then(Value::as_str) == Some("ExecutionStarted"));
        let first = first.and_then(|event| time(event.get("timestamp")?));
        if let (Some(began), Some(first)) = (began, first)
            && (began - first).abs() > DAY
        {
            self.lacks("these events are not of this execution, because they began on another day. moto returns such events unless you let it run state machines with POST /moto-api/config {\"stepfunctions\": {\"execute_state_machine\": true}}".to_string());
        }
    }

    /// This execution, followed by all of its child executions at any depth.
    pub(super) fn all(&self) -> Vec<&Self> {
        let mut all = vec![self];
        let mut at = 0;
        while let Some(execution) = all.get(at).copied() {
            all.extend(&execution.children);
            at += 1;
        }
        all
    }

    /// A summary on one line: status, error and cause, and number of events or log lines.
    pub(super) fn summary(&self) -> String {
        let member = |name| {
            let value = self
                .description
                .as_ref()
                .and_then(|description| description.get(name));
            value.map(bare)
        };
        let status = self.status().unwrap_or("EXPRESS").to_string();
        let error = member("error").map(|error| format!(": {error}"));
        let cause = member("cause").map(|cause| {
            let line = cause.lines().next().unwrap_or_default();
            let short: String = line.chars().take(100).collect();
            let more = if short.len() < cause.len() { "…" } else { "" };
            format!(": {short}{more}")
        });
        let count = match self.arn.kind {
            Kind::Express => counted(self.events.len(), "log line"),
            _ => counted(self.events.len(), "event"),
        };
        format!(
            "{status}{}{}; {count}",
            error.unwrap_or_default(),
            cause.unwrap_or_default()
        )
    }
}

/// Converts a time in a response to milliseconds since 1970. The version of `aws` decides whether times are numbers of
/// seconds or RFC 3339; log events have milliseconds.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the number of milliseconds since 1970 is far below 2^63"
)]
pub(super) fn time(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => {
            let number = number.as_f64();
            let is_seconds = number < 100_000_000_000.0;
            Some((if is_seconds { number * 1000.0 } else { number }) as i64)
        }
        Value::String(text) => parse_timestamp(text).map(crate::query::Instant::millis),
        _ => None,
    }
}
