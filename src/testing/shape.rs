//! Checks that a mocked answer has the shape of its resource's result, as TestState's `fieldValidationMode` does.
//!
//! Checks only results whose shape is known: a Lambda function or a job may return anything.

use crate::definition::Task;
use crate::interpreter::{Answer, Outcome};
use crate::json::{Value, one_line};
use crate::service::{FieldValidation, mock_fault};

/// Returns a sentence that says what is wrong with an answer; `None` if it is valid or the result's shape is not
/// known.
#[must_use]
pub fn misshapen(task: &Task, answer: &Answer, validation: FieldValidation) -> Option<String> {
    let Outcome::Success(value) = &answer.outcome else {
        return None;
    };
    let call = task.call()?;
    let names: Vec<&str> = (call.result.iter().flatten())
        .map(|member| member.name(call.naming))
        .collect();
    if validation == FieldValidation::None || names.is_empty() || !call.pattern.is_empty() {
        return None;
    }
    let resource = task.resource.rsplit(":::").next().unwrap_or_default();
    let Some(object) = value.as_object() else {
        let kind = value.type_name();
        let article = match kind.starts_with(['a', 'o']) {
            true => "an",
            false => "a",
        };
        return Some(format!("{resource} gives an object, not {article} {kind}"));
    };
    let is_foreign = |name: &str| !names.contains(&name) && !name.starts_with("Sdk");
    let mut given = object.members().iter();
    if !object.members().is_empty() && given.all(|(name, _)| is_foreign(name)) {
        let way = match names.contains(&"Payload") {
            true => format!("; write {{\"Payload\": {}}}", short(value)),
            false => String::new(),
        };
        let names = names.join(", ");
        return Some(format!(
            "{resource} gives {names}, and nothing of that is there{way}"
        ));
    }
    mock_fault(call, value, validation)
}

fn short(value: &Value) -> String {
    let text = one_line(value);
    match text.char_indices().nth(60) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text,
    }
}
