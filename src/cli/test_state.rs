//! Reads the arguments of `test-state`, spelt as in AWS's TestState.
//!
//! It must not know how a state is run.

use super::config;
use super::options::{LevelName, TestStateArguments, TestStateFormatName};
use crate::headless::{
    Configuration, Level, Mock, Refusal, TestFormat, TestState, context_refused,
};
use crate::interpreter::Header;
use crate::json::{Text, Value};
use crate::launch::{self, Given};
use crate::query::Profile;
use crate::service::FieldValidation;
use crate::settings::Settings;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

/// Runs one state as asked.
pub(super) fn run(
    arguments: &TestStateArguments,
    settings: &Settings,
) -> Result<ExitCode, Refusal> {
    let profile = config::profile(arguments.profile, settings)?;
    let opened = launch::open(&config::test_state(arguments))?;
    let node = opened.readable()?;
    let name = opened.name();
    let state = arguments.state_name.as_deref();
    let mut test = TestState::new(node, &opened.sources, &name, state).map_err(|found| {
        if found.is_empty() {
            let state = state.unwrap_or("");
            Refusal::new(format!("the definition has no state \"{state}\""))
        } else {
            Refusal::of(&found, &opened.sources)
        }
    })?;
    let level = match arguments.inspection_level {
        LevelName::Info => Level::Info,
        LevelName::Debug | LevelName::Trace => Level::Debug,
    };
    let format = match arguments.format {
        TestStateFormatName::Text => TestFormat::Text,
        TestStateFormatName::Json => TestFormat::Json,
    };
    if let Some(mock) = &arguments.mock {
        let mock = Given::of(mock).value("--mock")?;
        test.mock = Some(answer(&mock)?);
        test.validation = validation(&mock)?;
    }
    if let Some(given) = &arguments.state_configuration {
        test.configuration = configuration(&Given::of(given).value("--state-configuration")?)?;
    }
    if let Some(text) = test.refused(profile) {
        return Err(Refusal::new(text));
    }
    let input = match &arguments.input {
        Some(input) => Given::of(input).value("--input")?,
        None => Value::empty_object(),
    };
    let result = test.run(header(arguments, input, profile)?)?;
    result.print(level, format)
}

fn header(
    arguments: &TestStateArguments,
    input: Value,
    profile: Profile,
) -> Result<Header, Refusal> {
    let mut header = Header::new(input, profile);
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    header.start_time = i64::try_from(since.as_millis()).unwrap_or(0);
    if let Some(context) = &arguments.context {
        header.context = Given::of(context).object("--context")?;
        // What it may hold is left to the interpreter by the specification.
        let refused = context_refused(&header.context);
        if let Some(text) = refused.filter(|_| profile == Profile::Aws) {
            return Err(Refusal::new(text));
        }
        header.context_whole = true;
    }
    if let Some(variables) = &arguments.variables {
        let variables = Given::of(variables).value("--variables")?;
        let Some(object) = variables.as_object() else {
            return Err(Refusal::new(
                "--variables must be an object of names and values",
            ));
        };
        header.variables = object.members().to_vec();
    }
    Ok(header)
}

/// `fieldValidationMode` of a mock; AWS's default is STRICT.
fn validation(mock: &Value) -> Result<FieldValidation, Refusal> {
    let Some(mode) = mock.get("fieldValidationMode") else {
        return Ok(FieldValidation::Strict);
    };
    let known = mode.as_str().and_then(FieldValidation::parse);
    known.ok_or_else(|| {
        Refusal::new(format!(
            "--mock: fieldValidationMode must be STRICT, PRESENT or NONE, not {mode}"
        ))
    })
}

/// `{"result": JSON text}` or `{"errorOutput": {"error", "cause"}}`.
fn answer(mock: &Value) -> Result<Mock, Refusal> {
    const FIELDS: [&str; 3] = ["result", "errorOutput", "fieldValidationMode"];
    members(mock, "--mock", &FIELDS)?;
    match (mock.get("result"), mock.get("errorOutput")) {
        (Some(Value::String(text)), None) => crate::json::parse(text).map(Ok).map_err(|error| {
            Refusal::new(format!("--mock: result is not JSON: {}", error.message))
        }),
        (Some(value), None) => Ok(Ok(value.clone())),
        (None, Some(output)) => {
            members(output, "--mock: errorOutput", &["error", "cause"])?;
            let part = |name: &str| text(output, "--mock: errorOutput", name);
            let (error, cause) = (part("error")?, part("cause")?);
            Ok(Err((
                error.unwrap_or_else(|| "".into()),
                cause.unwrap_or_else(|| "".into()),
            )))
        }
        _ => Err(Refusal::new(
            "A test mock should have only one of the following fields: [result, errorOutput].",
        )),
    }
}

fn configuration(given: &Value) -> Result<Configuration, Refusal> {
    const OPTION: &str = "--state-configuration";
    const FIELDS: [&str; 4] = [
        "retrierRetryCount",
        "errorCausedByState",
        "mapIterationFailureCount",
        "mapItemReaderData",
    ];
    members(given, OPTION, &FIELDS)?;
    Ok(Configuration {
        retrier_retry_count: count(given, "retrierRetryCount")?.unwrap_or(0),
        error_caused_by_state: text(given, OPTION, "errorCausedByState")?,
        map_iteration_failure_count: count(given, "mapIterationFailureCount")?,
        map_item_reader_data: text(given, OPTION, "mapItemReaderData")?,
    })
}

/// Refuses what is no object, and members that mean nothing.
fn members(given: &Value, what: &str, known: &[&str]) -> Result<(), Refusal> {
    let Some(object) = given.as_object() else {
        let found = given.type_name();
        return Err(Refusal::new(format!(
            "{what} must be an object, not {found}"
        )));
    };
    let unknown = object
        .members()
        .iter()
        .find(|(name, _)| !known.contains(&&**name));
    match unknown {
        None => Ok(()),
        Some((name, _)) => Err(Refusal::new(format!(
            "{what} has no field \"{name}\"; it takes {}",
            known.join(", ")
        ))),
    }
}

fn text(given: &Value, what: &str, name: &str) -> Result<Option<Text>, Refusal> {
    match given.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(other) => Err(Refusal::new(format!(
            "{what}: {name} must be a string, not {}",
            other.type_name()
        ))),
    }
}

fn count(configuration: &Value, name: &str) -> Result<Option<u64>, Refusal> {
    let Some(value) = configuration.get(name) else {
        return Ok(None);
    };
    let number = value.as_number().and_then(crate::json::Number::as_i64);
    let count = number.and_then(|number| u64::try_from(number).ok());
    count.map(Some).ok_or_else(|| {
        Refusal::new(format!(
            "--state-configuration: {name} must be a whole number, 0 or more"
        ))
    })
}
