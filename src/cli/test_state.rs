//! Reads the arguments of `test-state`, spelt as in AWS's TestState.
//!
//! It must not know how a state is run.

use super::load;
use super::options::{LevelName, TestStateArguments, TestStateFormatName};
use super::value;
use crate::headless::{Level, Refusal, TestState};
use crate::interpreter::Header;
use crate::json::{Text, Value};
use crate::settings::Settings;
use crate::source::Severity;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

/// Runs one state as asked.
pub(super) fn run(
    arguments: &TestStateArguments,
    settings: &Settings,
) -> Result<ExitCode, Refusal> {
    let profile = load::profile(arguments.profile, settings)?;
    let opened = load::open(
        &arguments.file,
        arguments.state_machine.as_deref(),
        &arguments.values,
    )?;
    let failed = opened
        .found
        .iter()
        .any(|found| found.severity == Severity::Error);
    let Some(node) = opened.node.as_ref().filter(|_| !failed) else {
        return Err(Refusal::of(&opened.found, &opened.sources));
    };
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
    test.level = match arguments.inspection_level {
        LevelName::Info => Level::Info,
        LevelName::Debug | LevelName::Trace => Level::Debug,
    };
    test.json = arguments.format == TestStateFormatName::Json;
    test.mock = match &arguments.mock {
        Some(mock) => Some(answer(&value::value(mock, "--mock")?)?),
        None => None,
    };
    if let Some(text) = test.unfit() {
        return Err(Refusal::new(text));
    }
    if let Some(configuration) = &arguments.state_configuration {
        let configuration = value::value(configuration, "--state-configuration")?;
        let retries = count(&configuration, "retrierRetryCount")?;
        test.retrier_retry_count = retries.unwrap_or(0);
        let data = configuration
            .get("mapItemReaderData")
            .and_then(Value::as_str);
        test.item_reader_data = data.and_then(|data| crate::json::parse(data).ok());
        test.map_iteration_failure_count = count(&configuration, "mapIterationFailureCount")?;
    }
    let input = match &arguments.input {
        Some(input) => value::value(input, "--input")?,
        None => Value::empty_object(),
    };
    test.run(header(arguments, input, profile)?)
}

fn header(
    arguments: &TestStateArguments,
    input: Value,
    profile: crate::query::Profile,
) -> Result<Header, Refusal> {
    let mut header = Header::new(input, profile);
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    header.start_time = i64::try_from(since.as_millis()).unwrap_or(0);
    if let Some(context) = &arguments.context {
        header.context = value::object(context, "--context")?;
        header.context_whole = true;
    }
    if let Some(variables) = &arguments.variables {
        let variables = value::value(variables, "--variables")?;
        let Some(object) = variables.as_object() else {
            return Err(Refusal::new("--variables is an object of names and values"));
        };
        header.variables = object.members().to_vec();
    }
    Ok(header)
}

/// `{"result": JSON text}` or `{"errorOutput": {"error", "cause"}}`.
fn answer(mock: &Value) -> Result<Result<Value, (Text, Text)>, Refusal> {
    match (mock.get("result"), mock.get("errorOutput")) {
        (Some(Value::String(text)), None) => crate::json::parse(text).map(Ok).map_err(|error| {
            Refusal::new(format!("--mock: result is not JSON: {}", error.message))
        }),
        (Some(value), None) => Ok(Ok(value.clone())),
        (None, Some(output)) => {
            let part = |name: &str| {
                output
                    .get(name)
                    .and_then(Value::as_str)
                    .unwrap_or("")
                    .into()
            };
            Ok(Err((part("error"), part("cause"))))
        }
        _ => Err(Refusal::new(
            "A test mock should have only one of the following fields: [result, errorOutput].",
        )),
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
            "--state-configuration: {name} is a whole number, 0 or more"
        ))
    })
}
