//! Parses the mock and the configuration of a TestState request from any caller.

use super::output::Refusal;
use super::request::{Configuration, Mock};
use crate::json::{Number, Text, Value};
use crate::service::FieldValidation;

/// Returns the outcome of a mock and how strictly it is validated against the API; AWS's default is STRICT. `what` is
/// the name of the mock in messages.
///
/// # Errors
/// If the value is not a mock.
pub fn mock_of(mock: &Value, what: &str) -> Result<(Option<Mock>, FieldValidation), Refusal> {
    Ok((Some(answer(mock, what)?), validation(mock, what)?))
}

/// Parses a `stateConfiguration`; messages refer to it as `what`.
///
/// # Errors
/// If the value is not a state configuration.
pub fn configuration_of(given: &Value, what: &str) -> Result<Configuration, Refusal> {
    const FIELDS: [&str; 4] = [
        "retrierRetryCount",
        "errorCausedByState",
        "mapIterationFailureCount",
        "mapItemReaderData",
    ];
    members(given, what, &FIELDS)?;
    Ok(Configuration {
        retrier_retry_count: count(given, what, "retrierRetryCount")?.unwrap_or(0),
        error_caused_by_state: text(given, what, "errorCausedByState")?,
        map_iteration_failure_count: count(given, what, "mapIterationFailureCount")?,
        map_item_reader_data: text(given, what, "mapItemReaderData")?,
    })
}

/// `fieldValidationMode` of a mock; AWS's default is STRICT.
fn validation(mock: &Value, what: &str) -> Result<FieldValidation, Refusal> {
    let Some(mode) = mock.get("fieldValidationMode") else {
        return Ok(FieldValidation::Strict);
    };
    let known = mode.as_str().and_then(FieldValidation::parse);
    known.ok_or_else(|| {
        Refusal::new(format!(
            "{what}: fieldValidationMode must be STRICT, PRESENT or NONE, not {mode}"
        ))
    })
}

/// `{"result": JSON text}` or `{"errorOutput": {"error", "cause"}}`.
fn answer(mock: &Value, what: &str) -> Result<Mock, Refusal> {
    const FIELDS: [&str; 3] = ["result", "errorOutput", "fieldValidationMode"];
    members(mock, what, &FIELDS)?;
    match (mock.get("result"), mock.get("errorOutput")) {
        (Some(Value::String(text)), None) => crate::json::parse(text)
            .map(Ok)
            .map_err(|_| Refusal::new("Mocked result must be valid JSON")),
        (Some(value), None) => Ok(Ok(value.clone())),
        (None, Some(output)) => {
            let what = format!("{what}: errorOutput");
            members(output, &what, &["error", "cause"])?;
            let part = |name: &str| text(output, &what, name);
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

/// Returns an error if the value is not an object or has unknown members.
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

fn count(configuration: &Value, what: &str, name: &str) -> Result<Option<u64>, Refusal> {
    let Some(value) = configuration.get(name) else {
        return Ok(None);
    };
    let number = value.as_number().and_then(Number::as_i64);
    let count = number.and_then(|number| u64::try_from(number).ok());
    count
        .map(Some)
        .ok_or_else(|| Refusal::new(format!("{what}: {name} must be a whole number, 0 or more")))
}
