//! Reads the arguments of `test-state`, which are named as in AWS's TestState.

use super::config;
use super::options::{LevelName, TestStateArguments, TestStateFormatName};
use crate::headless::{
    Level, Refusal, TestFormat, TestState, configuration_of, context_refused, mock_of,
};
use crate::interpreter::Header;
use crate::json::Value;
use crate::launch::{self, Given};
use crate::query::Profile;
use crate::settings::Settings;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

/// Runs the requested state.
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
        (test.mock, test.validation) = mock_of(&mock, "--mock")?;
    }
    if let Some(given) = &arguments.state_configuration {
        let option = "--state-configuration";
        test.configuration = configuration_of(&Given::of(given).value(option)?, option)?;
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
        // The specification lets the interpreter decide what the context object may contain.
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
