//! Validates a mocked result against the API's model, like TestState's `fieldValidationMode`.

use super::call::Call;
use super::model::{Kind, Member, Naming, Need, Scalar, Shape};
use crate::json::Value;

/// How strictly a mocked result is validated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldValidation {
    /// Required members must exist, and every member must have the correct type.
    Strict,
    /// Every member that exists must have the correct type.
    Present,
    /// Nothing is validated.
    None,
}

impl FieldValidation {
    /// Parses TestState's name of the mode: `STRICT`, `PRESENT` or `NONE`.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "STRICT" => Self::Strict,
            "PRESENT" => Self::Present,
            "NONE" => Self::None,
            _ => return None,
        })
    }
}

/// A value that still has to be checked, with its type and the name of the member that it belongs to.
type Waiting<'v> = (&'v Value, Kind, &'v str);

/// The first error in a mocked result, in AWS's words; `None` if there is none, or if the members of the result are not
/// known.
///
/// AWS expects the member names of SDK integrations in every result, and accepts unknown members.
#[must_use]
pub fn mock_fault(call: &Call, result: &Value, mode: FieldValidation) -> Option<String> {
    let members = call.result.as_ref()?;
    // It is not known how AWS validates the result of a job.
    if mode == FieldValidation::None || !call.pattern.is_empty() {
        return None;
    }
    let mut waiting: Vec<Waiting<'_>> = Vec::new();
    let fault = structure(result, members, mode, &mut waiting);
    if fault.is_some() {
        return fault;
    }
    while let Some((value, kind, name)) = waiting.pop() {
        let mut inner = Vec::new();
        let fault = match call.shape(kind) {
            None => built_in(value, kind, name, call.naming),
            Some(Shape::Scalar(scalar)) => built_in(value, scalar.kind, name, call.naming)
                .or_else(|| limited(value, scalar, name)),
            Some(Shape::List(item)) => match value.as_array() {
                Some(items) => {
                    inner.extend(items.iter().map(|one| (one, *item, name)));
                    None
                }
                None => Some(wrong(name, "an array")),
            },
            Some(Shape::Map(item)) => match value.as_object() {
                Some(object) => {
                    let values = object.members().iter();
                    inner.extend(values.map(|(_, one)| (one, *item, name)));
                    None
                }
                None => Some(wrong(name, "an object")),
            },
            Some(Shape::Structure(_)) if value.as_object().is_none() => {
                Some(wrong(name, "an object"))
            }
            Some(Shape::Structure(members)) => structure(value, members, mode, &mut inner),
        };
        if fault.is_some() {
            return fault;
        }
        // Depth first, in the order of the text.
        waiting.extend(inner.into_iter().rev());
    }
    None
}

/// Checks for required members, and adds the existing members to `waiting`.
fn structure<'v>(
    value: &'v Value,
    members: &[Member],
    mode: FieldValidation,
    waiting: &mut Vec<Waiting<'v>>,
) -> Option<String> {
    let object = value.as_object()?;
    if mode == FieldValidation::Strict {
        let mut required = members.iter().filter(|one| one.need != Need::Optional);
        let missing = required.find(|one| object.get(one.name(Naming::Sdk)).is_none());
        if let Some(member) = missing {
            let name = member.name(Naming::Sdk);
            return Some(format!("Required field '{name}' is missing"));
        }
    }
    let known = object.members().iter().filter_map(|(name, value)| {
        let member = members.iter().find(|one| one.is(name, Naming::Sdk))?;
        Some((value, member.kind, &**name))
    });
    waiting.extend(known);
    None
}

fn built_in(value: &Value, kind: Kind, name: &str, naming: Naming) -> Option<String> {
    let (fits, wanted) = match kind {
        // Optimized integrations return bodies as JSON.
        Kind::Blob if naming == Naming::Optimized => return None,
        Kind::Text | Kind::Timestamp | Kind::Blob => (value.as_str().is_some(), "a string"),
        Kind::Integer => (
            value.as_number().is_some_and(|one| one.as_i64().is_some()),
            "a number",
        ),
        Kind::Float => (value.as_number().is_some(), "a number"),
        Kind::Boolean => (value.as_bool().is_some(), "a boolean"),
        Kind::Any | Kind::Nothing | Kind::Shape(_) => return None,
    };
    (!fits).then(|| wrong(name, wanted))
}

fn limited(value: &Value, scalar: &Scalar, name: &str) -> Option<String> {
    if let Some(text) = value.as_str() {
        let is_known = scalar.values.is_empty() || scalar.values.contains(&text);
        let length = i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
        return match () {
            () if !is_known => Some(format!("Field '{name}' is not an expected value")),
            () if scalar.least.is_some_and(|least| length < least) => {
                Some(format!("Field '{name}' is smaller than the minimum length"))
            }
            () if scalar.most.is_some_and(|most| length > most) => {
                Some(format!("Field '{name}' exceeds the maximum length"))
            }
            () => None,
        };
    }
    let number = value.as_number()?.as_f64();
    match () {
        () if scalar.least.is_some_and(|least| number < least as f64) => {
            Some(format!("Field '{name}' is less than the minimum value"))
        }
        () if scalar.most.is_some_and(|most| number > most as f64) => {
            Some(format!("Field '{name}' exceeds the maximum value"))
        }
        () => None,
    }
}

fn wrong(name: &str, wanted: &str) -> String {
    format!("Field '{name}' must be {wanted}")
}
