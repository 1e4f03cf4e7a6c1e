//! Checks for parameters with which AWS would not start a task.

use super::call::Call;
use super::model::{Kind, Shape};
use crate::json::Value;

/// AWS's reason not to start a task with these parameters; `None` if it starts the task, or if the parameters are not
/// known.
///
/// `templated` is true if a payload template created the parameters, so that no name may still end in `.$`.
#[must_use]
pub fn start_fault<'c>(
    call: impl FnOnce() -> Option<&'c Call>,
    parameters: &Value,
    templated: bool,
) -> Option<String> {
    let (name, is_scalar) = suspects(parameters);
    if let Some(name) = name.filter(|_| templated) {
        return Some(format!(
            "The value for the field '{name}' must be a valid JSONPath or a valid intrinsic function call"
        ));
    }
    let call = is_scalar.then(call)??;
    let known = call.parameters.as_ref()?;
    let mut waiting: Vec<(&Value, Kind, &str)> = Vec::new();
    let mut structure = Some((parameters, known.as_slice()));
    loop {
        if let Some((value, members)) = structure.take() {
            for (name, value) in value.as_object()?.members() {
                let member = members.iter().find(|member| member.is(name, call.naming));
                waiting.extend(member.map(|member| (value, member.kind, &**name)));
            }
        }
        let (value, kind, name) = waiting.pop()?;
        let text = match call.shape(kind) {
            None => kind == Kind::Text,
            Some(Shape::Scalar(scalar)) => scalar.kind == Kind::Text,
            Some(Shape::List(item)) => {
                let items = value.as_array().into_iter().flatten();
                waiting.extend(items.map(|value| (value, *item, name)));
                false
            }
            Some(Shape::Map(item)) => {
                let members = value.as_object().map_or(&[][..], |object| object.members());
                waiting.extend(members.iter().map(|(_, value)| (value, *item, name)));
                false
            }
            Some(Shape::Structure(members)) => {
                structure = value.as_object().map(|_| (value, members.as_slice()));
                false
            }
        };
        if text && matches!(value, Value::Number(_) | Value::Bool(_)) {
            return Some(format!("The value for the field '{name}' must be a STRING"));
        }
    }
}

/// The first name that ends in `.$`, and true if there is a number or a boolean.
fn suspects(value: &Value) -> (Option<&str>, bool) {
    let (mut name, mut is_scalar) = (None, false);
    let mut waiting = vec![value];
    while let Some(value) = waiting.pop() {
        is_scalar |= matches!(value, Value::Number(_) | Value::Bool(_));
        if let Some(object) = value.as_object() {
            for (member, value) in object.members() {
                name = name.or_else(|| member.ends_with(".$").then_some(&**member));
                waiting.push(value);
            }
        }
        waiting.extend(value.as_array().into_iter().flatten());
    }
    (name, is_scalar)
}
