//! What came of one state run alone, and how it is printed: as AWS's TestState answers.

use super::error_members::error_members;
use super::output::{self, Refusal};
use crate::definition::{QueryLanguage, StageGroup, State, StateKind};
use crate::interpreter::{Event, EventKind, Fault, Machine, Stage};
use crate::json::{Lines, Text, Value, escaped, one_line, pretty};
use std::process::ExitCode;

/// How much is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Output or error.
    Info,
    /// Every stage too.
    Debug,
}

/// How it is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestFormat {
    /// For people.
    Text,
    /// One object.
    Json,
}

/// What came of it.
#[derive(Clone, Debug, Default)]
pub struct TestResult {
    /// `SUCCEEDED`, `FAILED`, `RETRIABLE` or `CAUGHT_ERROR`; `None` only while it runs.
    pub status: Option<&'static str>,
    /// The state's output, where it came to one.
    pub output: Option<Value>,
    /// `error` and `cause`, as far as there are any.
    pub error: Vec<(Text, Value)>,
    /// The name of the state that follows.
    pub next: Option<Text>,
    /// The values of the stages, under the names of `inspectionData`, in order.
    pub stages: Vec<(Text, Value)>,
    /// The numbers of a Map.
    pub numbers: Vec<(Text, Value)>,
    /// The variables after the state.
    pub variables: Vec<(Text, Value)>,
    /// `errorDetails`.
    pub details: Vec<(Text, Value)>,
    /// Why AWS would refuse the request, where that shows on the way only.
    pub(super) refused: Option<String>,
}

impl TestResult {
    /// Notes the value of a stage.
    pub(super) fn stage(&mut self, machine: &Machine, event: &Event) {
        let stage = match event.kind {
            EventKind::Stage(stage) => stage,
            _ => Stage::Input,
        };
        let frame = machine.frame(event.frame);
        let Some(value) = frame.and_then(|frame| frame.visit.data.get(stage)) else {
            return;
        };
        // What a Map makes of its items is told of all of them together.
        let is_of_items = stage.group() == StageGroup::Item;
        if matches!(stage, Stage::Output | Stage::AfterItemReader) || is_of_items {
            return;
        }
        self.stages.push((stage.name().into(), value.clone()));
        let state = frame.and_then(|frame| machine.definition().state(frame.visit.state));
        let Some(state) = state else { return };
        // A Pass has no ResultSelector and a Fail no InputPath, and both are printed as if they had.
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

    /// Keeps the stages that AWS tells of a state of this type.
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

    /// `inspectionData`.
    #[must_use]
    pub fn inspection(&self) -> Value {
        let stages = self.stages.iter();
        let mut members: Vec<(Text, Value)> = stages
            .map(|(name, value)| (name.clone(), Value::string(one_line(value))))
            .collect();
        members.extend(self.numbers.clone());
        if !self.variables.is_empty() {
            let variables = Value::object(self.variables.clone());
            members.push(("variables".into(), Value::string(one_line(&variables))));
        }
        if !self.details.is_empty() {
            members.push(("errorDetails".into(), Value::object(self.details.clone())));
        }
        Value::object(members)
    }

    /// Prints it; the status says whether the state came to an output.
    ///
    /// # Errors
    /// Where standard output cannot be written.
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

    /// The answer of AWS's TestState.
    #[must_use]
    pub fn object(&self, level: Level) -> Value {
        let status = self.status.unwrap_or("FAILED");
        let text = |value: &Value| Value::string(one_line(value));
        let mut members: Vec<(Text, Value)> = Vec::new();
        if let Some(output) = &self.output {
            members.push(("output".into(), text(output)));
        }
        members.extend(self.error.clone());
        if level == Level::Debug {
            members.push(("inspectionData".into(), self.inspection()));
        }
        if let Some(next) = &self.next {
            members.push(("nextState".into(), Value::String(next.clone())));
        }
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
        if level == Level::Debug {
            let inspection = self.inspection();
            for (name, value) in inspection.as_object().map_or(&[][..], |all| all.members()) {
                let shown = value
                    .as_str()
                    .map_or_else(|| value.to_string(), str::to_string);
                lines.add(format!("{name}: {}", escaped(&shown)));
            }
        }
        let mut text = String::from(lines);
        if let Some(output) = &self.output {
            text += &format!("output: {}\n", escaped(&pretty(output)));
        }
        text
    }
}
