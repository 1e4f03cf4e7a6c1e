//! The operations ValidateStateMachineDefinition and TestState.

use super::api::{Api, uuid};
use super::checked::Checks;
use super::machine::invalid as invalid_definition;
use super::reply::{Answered, ApiError};
use crate::definition::{MachineType, StateKind};
use crate::headless::{Level, Refusal, TestState, configuration_of, mock_of};
use crate::interpreter::{Header, Identity};
use crate::json::{self, Text, one_line};
use crate::launch::{Checking, open_json};
use crate::query::Profile;
use crate::source::{Diagnostic, Severity};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;

/// AWS's name for a state that is tested without a state machine.
const ALONE: &str = "StateName";
/// Default maximum number of diagnostics in a response.
const USUAL_FINDINGS: usize = 100;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Validate {
    definition: String,
    #[serde(rename = "type")]
    kind: Option<String>,
    severity: Option<String>,
    max_results: Option<i64>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Test {
    definition: String,
    role_arn: Option<String>,
    input: Option<String>,
    inspection_level: Option<String>,
    #[serde(default)]
    reveal_secrets: bool,
    variables: Option<String>,
    state_name: Option<String>,
    mock: Option<Value>,
    context: Option<String>,
    state_configuration: Option<Value>,
}

fn invalid(text: impl Into<String>) -> ApiError {
    ApiError::ValidationException(text.into())
}

fn refused(refusal: &Refusal) -> ApiError {
    invalid(refusal.text())
}

impl Api {
    pub(super) fn validate(&self, request: &Validate) -> Answered<Value> {
        let (kind, severity) = (request.kind.as_deref(), request.severity.as_deref());
        Checks::default()
            .one_of("type", kind, &["STANDARD", "EXPRESS"])
            .one_of("severity", severity, &["ERROR", "WARNING"])
            .number("maxResults", request.max_results, 0, 100)
            .definition(Some(&request.definition))
            .done()?;
        let kind = kind.and_then(MachineType::parse).unwrap_or_default();
        let opened = open_json("StateMachine", &request.definition, kind);
        let checking = &self.options.checking;
        let diagnostics = match opened.lower(checking) {
            Ok((_, diagnostics)) => diagnostics,
            Err(diagnostics) => diagnostics,
        };
        let with_warnings = severity == Some("WARNING");
        let wanted = diagnostics.iter().filter(|finding| match finding.severity {
            Severity::Error => true,
            Severity::Warning => with_warnings && !checking.allowed.hides(finding),
            _ => false,
        });
        let is_failed = diagnostics
            .iter()
            .any(|finding| finding.severity == Severity::Error);
        let most = request
            .max_results
            .and_then(|most| usize::try_from(most).ok());
        let most = most.filter(|most| *most > 0).unwrap_or(USUAL_FINDINGS);
        let all: Vec<Value> = wanted.map(diagnostic).collect();
        Ok(json!({
            "result": if is_failed { "FAIL" } else { "OK" },
            "truncated": all.len() > most,
            "diagnostics": all.into_iter().take(most).collect::<Vec<_>>(),
        }))
    }

    pub(super) fn test_state(&self, request: &Test) -> Answered<Value> {
        let level = request.inspection_level.as_deref();
        Checks::default()
            .one_of("inspectionLevel", level, &["INFO", "DEBUG", "TRACE"])
            .definition(Some(&request.definition))
            .done()?;
        let profile = self.options.checking.profile;
        let checking = Checking {
            profile,
            ..self.options.checking.clone()
        };
        // AWS makes up a name for the execution.
        let name = uuid();
        let name = name.as_str();
        let opened = open_json(name, &request.definition, MachineType::Standard);
        let node = opened
            .readable()
            .map_err(|_| invalid_definition(&opened.found))?;
        let whole = match node.get("States") {
            Some(_) => opened.clone(),
            None => {
                let state = &request.definition;
                let text = format!(r#"{{"StartAt":"{ALONE}","States":{{"{ALONE}":{state}}}}}"#);
                open_json(name, &text, MachineType::Standard)
            }
        };
        let (_, mut findings) = whole
            .lower(&checking)
            .map_err(|findings| invalid_definition(&findings))?;
        // If a single state is tested, its transitions lead to missing states. This is no error here.
        let is_alone = node.get("States").is_none();
        findings.retain(|finding| !is_alone || finding.code == "SCHEMA_VALIDATION_FAILED");
        if findings
            .iter()
            .any(|finding| finding.severity == Severity::Error)
        {
            return Err(invalid_definition(&findings));
        }
        let state = request.state_name.as_deref();
        let test = TestState::new(node, &opened.sources, name, state);
        let mut test = test.map_err(|findings| match findings.is_empty() {
            true => invalid("State not found in definition"),
            false => invalid_definition(&findings),
        })?;
        if let Some(mock) = &request.mock {
            if request.reveal_secrets {
                let text = "TestState does not support RevealSecrets when a mock is specified.";
                return Err(invalid(text));
            }
            let mock = value(mock)?;
            let read = mock_of(&mock, "mock");
            (test.mock, test.validation) = read.map_err(|error| refused(&error))?;
        }
        let task = test.tested().map(|state| state.kind.clone());
        if let (Some(StateKind::Task(_)), None, None) = (&task, &request.role_arn, &request.mock) {
            return Err(invalid(
                "RoleArn must be specified when testing a Task state",
            ));
        }
        if let Some(configuration) = &request.state_configuration {
            let read = configuration_of(&value(configuration)?, "stateConfiguration");
            test.configuration = read.map_err(|error| refused(&error))?;
        }
        let is_group = matches!(task, Some(StateKind::Map(_) | StateKind::Parallel { .. }));
        let counts = test.configuration.map_iteration_failure_count.is_some();
        if let Some(text) = test.refused(profile) {
            // If a state requires a mock and has none, AWS rejects the definition as invalid.
            return Err(match is_group && test.mock.is_none() && !counts {
                true => ApiError::InvalidDefinition(text),
                false => invalid(text),
            });
        }
        let header = self.header(request, &test, profile)?;
        let result = test.run(header).map_err(|error| refused(&error))?;
        let level = match level {
            Some("DEBUG" | "TRACE") => Level::Debug,
            _ => Level::Info,
        };
        let mut answer = result.object(level).to_serde();
        let result = request.mock.as_ref().and_then(|mock| mock.get("result"));
        let given = [request.input.as_deref(), result.and_then(Value::as_str)];
        for text in given.into_iter().flatten() {
            as_given(&mut answer, text);
        }
        Ok(answer)
    }

    fn header(&self, request: &Test, test: &TestState, profile: Profile) -> Answered<Header> {
        let read = |text: &Option<String>, what: &str| match text {
            None => Ok(json::Value::empty_object()),
            Some(text) => json::parse(text)
                .map_err(|error| invalid(format!("Invalid {what}: {}", error.message))),
        };
        let mut header = Header::new(read(&request.input, "input")?, profile);
        header.start_time = self.now();
        header.identity = Arc::new(Identity {
            execution: Some(uuid().into()),
            role: request.role_arn.as_deref().map(Text::from),
            ..self.identity().clone()
        });
        if request.context.is_some() {
            header.context = read(&request.context, "context")?;
            if let Some(text) = test.context_refused(&header.context) {
                return Err(invalid(text));
            }
            header.tests_state = true;
        }
        let variables = read(&request.variables, "variables")?;
        let variables = variables.as_object().map(json::Object::members);
        header.variables = variables.unwrap_or_default().to_vec();
        Ok(header)
    }
}

/// Restores the spaces of `text`, a JSON text in the request (the input, or the result of the mock). As on AWS, every
/// string in the response that is this JSON text without spaces gets the spaces back.
fn as_given(answer: &mut Value, text: &str) {
    let Ok(value) = json::parse(text) else { return };
    let (value, mut rest) = (one_line(&value), vec![answer]);
    while let Some(part) = rest.pop() {
        match part {
            Value::Object(members) => rest.extend(members.values_mut()),
            Value::String(existing) if *existing == value => text.clone_into(existing),
            _ => {}
        }
    }
}

fn diagnostic(finding: &Diagnostic) -> Value {
    let severity = match finding.severity {
        Severity::Error => "ERROR",
        _ => "WARNING",
    };
    json!({
        "severity": severity,
        "code": finding.code,
        "message": finding.message,
        "location": Some(&finding.location).filter(|place| !place.is_empty()),
    })
}

fn value(value: &Value) -> Answered<json::Value> {
    json::parse(&value.to_string()).map_err(|error| invalid(error.message.to_string()))
}
