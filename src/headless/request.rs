//! Reads a TestState request and validates it: whether the mock fits the state, and whether the members of the context
//! object are valid.

use super::output::Refusal;
use crate::definition::{CallPattern, Definition, Integration, State, StateId, StateKind, Task};
use crate::json::{Number, Text, Value};
use crate::query::Profile;
use crate::service::{FieldValidation, mock_fault};

/// Maximum size of `mapItemReaderData`, in bytes.
const LARGEST_DATA: usize = 262_144;

/// Outcome of a mock: a result, or an error and its cause.
pub type Mock = Result<Value, (Text, Text)>;

/// The member `stateConfiguration` of a TestState request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Configuration {
    /// Number of retries that happened before the test, by the retrier that matches the error.
    pub retrier_retry_count: u64,
    /// If a Map or Parallel state is tested: name of the state inside it that is said to have raised the mocked error.
    pub error_caused_by_state: Option<Text>,
    /// If a Map state is tested: number of its iterations that are said to have failed.
    pub map_iteration_failure_count: Option<u64>,
    /// Contents of the file that the state's ItemReader reads.
    pub map_item_reader_data: Option<Text>,
}

/// The reason why AWS would reject the request, in AWS's words if they are known; `None` if AWS would accept it.
pub(super) fn refused(
    definition: &Definition,
    id: StateId,
    mock: Option<(&Mock, FieldValidation)>,
    configuration: &Configuration,
    profile: Profile,
) -> Option<String> {
    let state = definition.state(id)?;
    let by_configuration =
        || configuration_refused(definition, id, mock.map(|(mock, _)| mock), configuration);
    if mock.is_none() && configuration.map_iteration_failure_count.is_some() {
        return by_configuration();
    }
    mock_refused(state, mock, profile).or_else(by_configuration)
}

fn mock_refused(
    state: &State,
    mock: Option<(&Mock, FieldValidation)>,
    profile: Profile,
) -> Option<String> {
    let writes = state.field("ResultWriter").is_some();
    let text = match (&state.kind, mock) {
        (StateKind::Map(_) | StateKind::Parallel { .. }, None) if profile == Profile::Aws => {
            "TestState API does not support Map or Parallel states. Supported state types include: [Task, Wait, Pass, Succeed, Fail, Choice]".to_string()
        }
        (StateKind::Task(task), None) if profile == Profile::Aws && needs_mock(&task.integration) => {
            "a task with an activity, .sync or .waitForTaskToken can be tested only with a mock".to_string()
        }
        (StateKind::Task(task), Some((Ok(result), mode))) => {
            let call = task.call()?;
            let fault = mock_fault(call, result, mode)?;
            format!("Mock result schema validation error: {fault}")
        }
        (StateKind::Map(_), Some((Ok(result), _))) if writes && result.as_object().is_none() => {
            "Mocked result must be a JSON object.".to_string()
        }
        (StateKind::Map(_), Some((Ok(result), _))) if !writes && result.as_array().is_none() => {
            "Mocked result must be an array.".to_string()
        }
        (StateKind::Parallel { branches }, Some((Ok(result), _))) => match result.as_array() {
            None => "Mocked result must be an array.".to_string(),
            Some(results) if results.len() != branches.len() => {
                "Mocked result must contain the same number of items as number of Parallel branches."
                    .to_string()
            }
            Some(_) => return None,
        },
        (StateKind::Task(_) | StateKind::Map(_) | StateKind::Parallel { .. }, _) | (_, None) => {
            return None;
        }
        _ => format!(
            "State type '{}' is not supported when a mock is specified",
            state.type_name()
        ),
    };
    Some(text)
}

fn needs_mock(integration: &Integration) -> bool {
    match integration {
        Integration::Activity => true,
        Integration::Service { pattern, .. } => *pattern != CallPattern::RequestResponse,
        _ => false,
    }
}

fn configuration_refused(
    definition: &Definition,
    id: StateId,
    mock: Option<&Mock>,
    configuration: &Configuration,
) -> Option<String> {
    let state = definition.state(id)?;
    let group = matches!(state.kind, StateKind::Map(_) | StateKind::Parallel { .. });
    let reads = matches!(&state.kind, StateKind::Map(map) if map.reader.is_some());
    let name = &state.name;
    if let Some(inner) = &configuration.error_caused_by_state {
        if !group {
            return Some(format!(
                "errorCausedByState names a state inside a Map or Parallel, but \"{name}\" is a {state_type}",
                state_type = state.type_name()
            ));
        }
        if !matches!(mock, Some(Err(_))) {
            return Some("errorCausedByState needs a mock that has an errorOutput".to_string());
        }
        let state = definition.find_by_name(inner);
        if !state.is_some_and(|state| is_inside(definition, state, id)) {
            return Some(format!(
                "errorCausedByState: there is no state \"{inner}\" inside the state \"{name}\""
            ));
        }
    }
    if configuration.map_iteration_failure_count.is_some() {
        let state_type = state.type_name();
        if !matches!(state.kind, StateKind::Map(_)) {
            return Some(format!(
                "mapIterationFailureCount needs a Map, but \"{name}\" is a {state_type}"
            ));
        }
        if mock.is_none() {
            let text =
                "TestState does not support MapIterationFailureCount when a mock is not specified.";
            return Some(text.to_string());
        }
    }
    match &configuration.map_item_reader_data {
        Some(_) if !reads => Some(format!(
            "mapItemReaderData needs a Map with an ItemReader; the state \"{name}\" has no ItemReader"
        )),
        Some(data) if data.len() > LARGEST_DATA => Some(format!(
            "mapItemReaderData has {count} bytes; at most {LARGEST_DATA} bytes are allowed",
            count = data.len()
        )),
        _ => None,
    }
}

/// True if a state is inside another state, at any depth.
pub(super) fn is_inside(definition: &Definition, inner: StateId, outer: StateId) -> bool {
    definition.around(inner).any(|id| id == outer)
}

/// The objects that AWS allows in a context object, each with its members and their types (an empty type means any
/// value).
const CONTEXT: [(&str, &[(&str, &str)]); 4] = [
    (
        "Execution",
        &[
            ("Id", "string"),
            ("Input", ""),
            ("Name", "string"),
            ("RoleArn", "string"),
            ("StartTime", "string"),
            ("RedriveCount", "number"),
            ("RedriveTime", "string"),
        ],
    ),
    ("StateMachine", &[("Id", "string"), ("Name", "string")]),
    (
        "State",
        &[
            ("EnteredTime", "string"),
            ("Name", "string"),
            ("RetryCount", "number"),
        ],
    ),
    ("Task", &[("Token", "string")]),
];

/// The reason why a context object is not valid for a state, in AWS's words; `None` if it is valid.
#[must_use]
pub fn context_refused(context: &Value, state: Option<&State>) -> Option<String> {
    let task = state.and_then(|state| match &state.kind {
        StateKind::Task(task) => Some(task),
        _ => None,
    });
    let has_token = task.is_some_and(Task::has_token);
    let text = context_problem(context).or_else(|| {
        let text = "Context object contains 'Task' when state is not a Task state with a '.sync' or '.waitForTaskToken' service integration pattern";
        (!has_token && context.get("Task").is_some()).then(|| text.to_string())
    })?;
    Some(format!("Invalid Context object provided: {text}"))
}

fn context_problem(context: &Value) -> Option<String> {
    let members = context.as_object().map_or(&[][..], |all| all.members());
    for (part, value) in members {
        if &**part == "Map" {
            return Some("'Map' field is not supported when mocking a Context object".to_string());
        }
        let known = CONTEXT.iter().find(|(name, _)| *name == &**part);
        let Some((_, fields)) = known else {
            return Some(format!("Field '{part}' is not allowed"));
        };
        let Some(object) = value.as_object() else {
            return Some(format!("{part} must be an object"));
        };
        for (field, value) in object.members() {
            let known = fields.iter().find(|(name, _)| *name == &**field);
            match known {
                None => return Some(format!("Field '{field}' is not allowed")),
                Some((_, wanted)) if !wanted.is_empty() && value.type_name() != *wanted => {
                    return Some(format!("{part}.{field} must be a {wanted}"));
                }
                Some(_) => {}
            }
        }
    }
    None
}

/// Parses a mock: returns its outcome, and how strictly it is validated against the API model (by default STRICT, as on
/// AWS). `option` is the name of the mock in error messages.
///
/// # Errors
/// If the value is not a mock.
pub fn mock_of(mock: &Value, option: &str) -> Result<(Option<Mock>, FieldValidation), Refusal> {
    Ok((Some(answer(mock, option)?), validation(mock, option)?))
}

/// Parses a `stateConfiguration`. `option` is its name in error messages.
///
/// # Errors
/// If the value is not a state configuration.
pub fn configuration_of(given: &Value, option: &str) -> Result<Configuration, Refusal> {
    const FIELDS: [&str; 4] = [
        "retrierRetryCount",
        "errorCausedByState",
        "mapIterationFailureCount",
        "mapItemReaderData",
    ];
    members(given, option, &FIELDS)?;
    Ok(Configuration {
        retrier_retry_count: count(given, option, "retrierRetryCount")?.unwrap_or(0),
        error_caused_by_state: text(given, option, "errorCausedByState")?,
        map_iteration_failure_count: count(given, option, "mapIterationFailureCount")?,
        map_item_reader_data: text(given, option, "mapItemReaderData")?,
    })
}

/// Parses the `fieldValidationMode` of a mock; by default STRICT, as on AWS.
fn validation(mock: &Value, option: &str) -> Result<FieldValidation, Refusal> {
    let Some(mode) = mock.get("fieldValidationMode") else {
        return Ok(FieldValidation::Strict);
    };
    let known = mode.as_str().and_then(FieldValidation::parse);
    known.ok_or_else(|| {
        Refusal::new(format!(
            "{option}: fieldValidationMode must be STRICT, PRESENT or NONE, not {mode}"
        ))
    })
}

/// Parses the outcome of a mock: `{"result": JSON text}` or `{"errorOutput": {"error", "cause"}}`.
fn answer(mock: &Value, option: &str) -> Result<Mock, Refusal> {
    const FIELDS: [&str; 3] = ["result", "errorOutput", "fieldValidationMode"];
    members(mock, option, &FIELDS)?;
    match (mock.get("result"), mock.get("errorOutput")) {
        (Some(Value::String(text)), None) => crate::json::parse(text)
            .map(Ok)
            .map_err(|_| Refusal::new("Mocked result must be valid JSON")),
        (Some(value), None) => Ok(Ok(value.clone())),
        (None, Some(output)) => {
            let option = format!("{option}: errorOutput");
            members(output, &option, &["error", "cause"])?;
            let part = |name: &str| text(output, &option, name);
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
fn members(given: &Value, option: &str, known: &[&str]) -> Result<(), Refusal> {
    let Some(object) = given.as_object() else {
        let json_type = given.type_name();
        return Err(Refusal::new(format!(
            "{option} must be an object, not {json_type}"
        )));
    };
    let unknown = object
        .members()
        .iter()
        .find(|(name, _)| !known.contains(&&**name));
    match unknown {
        None => Ok(()),
        Some((name, _)) => Err(Refusal::new(format!(
            "{option} has no field \"{name}\"; its fields are {fields}",
            fields = known.join(", ")
        ))),
    }
}

fn text(given: &Value, option: &str, name: &str) -> Result<Option<Text>, Refusal> {
    match given.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(other) => Err(Refusal::new(format!(
            "{option}: {name} must be a string, not {json_type}",
            json_type = other.type_name()
        ))),
    }
}

fn count(configuration: &Value, option: &str, name: &str) -> Result<Option<u64>, Refusal> {
    let Some(value) = configuration.get(name) else {
        return Ok(None);
    };
    let number = value.as_number().and_then(Number::as_i64);
    let count = number.and_then(|number| u64::try_from(number).ok());
    count.map(Some).ok_or_else(|| {
        Refusal::new(format!(
            "{option}: {name} must be a whole number, 0 or more"
        ))
    })
}
