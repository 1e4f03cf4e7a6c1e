//! Result of running one state alone, printed like a response of AWS's TestState.

use super::output::{self, Refusal, error_members};
use crate::definition::{QueryLanguage, StageGroup, State, StateKind};
use crate::interpreter::{Event, EventKind, Fault, Machine, Stage};
use crate::json::{Lines, Text, Value, bare, escaped, one_line, pretty};
use std::process::ExitCode;

/// Amount of detail in the result of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Level {
    /// The output of the state, or its error.
    Info,
    /// The output or the error, and the value of every stage.
    Debug,
    /// The same as debug, because an HTTP task gets the mock as its result and makes no request.
    Trace,
}

/// Output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum TestFormat {
    /// Text, not JSON.
    Text,
    /// One JSON object.
    Json,
}

/// Result of testing a state.
#[derive(Clone, Debug, Default)]
pub struct TestResult {
    /// `SUCCEEDED`, `FAILED`, `RETRIABLE` or `CAUGHT_ERROR`; `None` only while the state runs.
    pub status: Option<&'static str>,
    /// Output of the state, if it has one.
    pub output: Option<Value>,
    /// The members `error` and `cause`; each is left out if it has no value.
    pub error: Vec<(Text, Value)>,
    /// Name of the next state.
    pub next: Option<Text>,
    /// Values of the stages in order, under the names that `inspectionData` has for them.
    pub stages: Vec<(Text, Value)>,
    /// The tolerated failure count and the maximum concurrency of a Map state.
    pub numbers: Vec<(Text, Value)>,
    /// Variables after the state.
    pub variables: Vec<(Text, Value)>,
    /// The member `errorDetails` of the response.
    pub details: Vec<(Text, Value)>,
    /// The reason why AWS would reject the request, if it is only known after the run.
    pub(super) refused: Option<String>,
}

impl TestResult {
    /// Records the value of a stage.
    pub(super) fn stage(&mut self, machine: &Machine, event: &Event) {
        let stage = match event.kind {
            EventKind::Stage(stage) => stage,
            _ => Stage::Input,
        };
        let frame = machine.frame(event.frame);
        let Some(value) = frame.and_then(|frame| frame.visit.data.get(stage)) else {
            return;
        };
        // The stages of items are not recorded here, because AWS reports them once for all items.
        let is_of_items = stage.group() == StageGroup::Item;
        if matches!(stage, Stage::Output | Stage::AfterItemReader) || is_of_items {
            return;
        }
        self.stages.push((stage.name().into(), value.clone()));
        let state = frame.and_then(|frame| machine.definition().state(frame.visit.state));
        let Some(state) = state else { return };
        // AWS prints a ResultSelector stage for a Pass and an InputPath stage for a Fail, although they do not have
        // these fields.
        let also = match (&state.kind, stage, state.language) {
            (StateKind::Pass { .. }, Stage::Result, _) => Stage::AfterResultSelector,
            (StateKind::Fail(_), Stage::Input, QueryLanguage::JsonPath) => Stage::AfterInputPath,
            _ => return,
        };
        self.stages.push((also.name().into(), value.clone()));
    }

    pub(super) fn fail(&mut self, status: &'static str, fault: &Fault) {
        self.status = Some(status);
        self.error = error_members(fault);
    }

    /// Keeps only the stages that AWS reports for a state of this type.
    pub(super) fn keep_shown(&mut self, state: Option<&State>) {
        let kind = state.map(|state| &state.kind);
        let in_jsonata = state.is_some_and(|state| state.language == QueryLanguage::Jsonata);
        let hidden: &[&str] = match kind {
            Some(StateKind::Map(map)) if in_jsonata || map.reader.is_some() => {
                &["result", "afterItemsPath"]
            }
            Some(StateKind::Pass { result: Some(_) }) => &["afterInputPath", "afterParameters"],
            Some(StateKind::Pass { result: None } | StateKind::Map(_)) => &["result"],
            Some(StateKind::Parallel { .. }) => &[
                "afterInputPath",
                "afterParameters",
                "afterArguments",
                "result",
            ],
            _ => &[],
        };
        self.stages.retain(|(name, _)| !hidden.contains(&&**name));
    }

    /// The member `inspectionData` of the response.
    #[must_use]
    pub fn inspection(&self) -> Value {
        let stages = self.stages.iter();
        let stages = stages.map(|(name, value)| (name.clone(), Value::string(one_line(value))));
        let mut members: Vec<(Text, Value)> = stages.chain(self.numbers.clone()).collect();
        if !self.variables.is_empty() {
            let variables = Value::object(self.variables.clone());
            members.push(("variables".into(), Value::string(one_line(&variables))));
        }
        if !self.details.is_empty() {
            members.push(("errorDetails".into(), Value::object(self.details.clone())));
        }
        Value::object(members)
    }

    /// Prints the result. The exit status is 0 if the state succeeded or caught its error, otherwise 1.
    ///
    /// # Errors
    /// If writing to standard output fails.
    pub fn print(&self, level: Level, format: TestFormat) -> Result<ExitCode, Refusal> {
        let status = self.status.unwrap_or("FAILED");
        match format {
            TestFormat::Json => output::print_json(&one_line(&self.object(level)))?,
            TestFormat::Text => output::print(&self.text(status, level))?,
        }
        Ok(match status {
            "SUCCEEDED" | "CAUGHT_ERROR" => ExitCode::SUCCESS,
            _ => ExitCode::from(1),
        })
    }

    /// The result as a response of AWS's TestState.
    #[must_use]
    pub fn object(&self, level: Level) -> Value {
        let status = self.status.unwrap_or("FAILED");
        let text = |value: &Value| Value::string(one_line(value));
        let output = self.output.as_ref();
        let output = output.map(|output| ("output".into(), text(output)));
        let mut members: Vec<(Text, Value)> = Vec::from_iter(output);
        members.extend(self.error.clone());
        if level != Level::Info {
            members.push(("inspectionData".into(), self.inspection()));
        }
        let next = self.next.clone().map(Value::String);
        members.extend(next.map(|next| ("nextState".into(), next)));
        members.push(("status".into(), Value::from(status)));
        Value::object(members)
    }

    fn text(&self, status: &str, level: Level) -> String {
        let mut lines = Lines::default();
        lines.add(status);
        if let Some(next) = &self.next {
            lines.add(format!("next state: {next}"));
        }
        for (name, value) in &self.error {
            lines.add(format!("{name}: {}", value.as_str().unwrap_or("")));
        }
        if level != Level::Info {
            let inspection = self.inspection();
            for (name, value) in inspection.as_object().map_or(&[][..], |all| all.members()) {
                lines.add(format!("{name}: {}", escaped(&bare(value))));
            }
        }
        let mut text = String::from(lines);
        if let Some(output) = &self.output {
            text += &format!("output: {}\n", escaped(&pretty(output)));
        }
        text
    }
}
