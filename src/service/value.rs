//! Checks the values of a call's parameters and of mocked results, and creates example results.

use super::call::Call;
use super::model::{Kind, Member, Naming, Need, Scalar, Shape};
use crate::json::{Text, Value};
use std::collections::HashSet;

/// The reason why AWS would not start a task with these parameters; `None` if AWS would start it, or if the parameters
/// are not known.
///
/// If `templated` is true, a payload template created the parameters; a name that still ends in `.$` is then a fault.
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

/// Searches a value at any depth: returns the first member name that ends in `.$`, and whether there is a number or a
/// boolean.
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
    /// Parses the mode's name in the API operation TestState: `STRICT`, `PRESENT` or `NONE`.
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

/// A value to check, its type, and the name of the member that contains it.
type Waiting<'v> = (&'v Value, Kind, &'v str);

/// The first error in a mocked result, in AWS's words; `None` if there is no error, or if the members of the result are
/// not known.
///
/// In every result, AWS expects member names in the spelling of SDK integrations, and accepts unknown members.
#[must_use]
pub fn mock_fault(call: &Call, result: &Value, mode: FieldValidation) -> Option<String> {
    let members = call.result.as_ref()?;
    // How AWS validates the result of a job is not known.
    if mode == FieldValidation::None || !call.pattern.is_empty() {
        return None;
    }
    let mut waiting: Vec<Waiting<'_>> = Vec::new();
    let fault = checked(result, members, mode, &mut waiting);
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
                    inner.extend(items.iter().map(|item_value| (item_value, *item, name)));
                    None
                }
                None => Some(wrong(name, "an array")),
            },
            Some(Shape::Map(item)) => match value.as_object() {
                Some(object) => {
                    let values = object.members().iter();
                    inner.extend(values.map(|(_, member_value)| (member_value, *item, name)));
                    None
                }
                None => Some(wrong(name, "an object")),
            },
            Some(Shape::Structure(_)) if value.as_object().is_none() => {
                Some(wrong(name, "an object"))
            }
            Some(Shape::Structure(members)) => checked(value, members, mode, &mut inner),
        };
        if fault.is_some() {
            return fault;
        }
        // The values inside this value are checked next, in the order of the text.
        waiting.extend(inner.into_iter().rev());
    }
    None
}

/// Checks for required members, and adds the existing members to `waiting`.
fn checked<'v>(
    value: &'v Value,
    members: &[Member],
    mode: FieldValidation,
    waiting: &mut Vec<Waiting<'v>>,
) -> Option<String> {
    let object = value.as_object()?;
    if mode == FieldValidation::Strict {
        let mut required = members
            .iter()
            .filter(|member| member.need != Need::Optional);
        let missing = required.find(|member| object.get(member.name(Naming::Sdk)).is_none());
        if let Some(member) = missing {
            let name = member.name(Naming::Sdk);
            return Some(format!("Required field '{name}' is missing"));
        }
    }
    let known = object.members().iter().filter_map(|(name, value)| {
        let member = members.iter().find(|member| member.is(name, Naming::Sdk))?;
        Some((value, member.kind, &**name))
    });
    waiting.extend(known);
    None
}

fn built_in(value: &Value, kind: Kind, name: &str, naming: Naming) -> Option<String> {
    let (fits, wanted) = match kind {
        // Optimized integrations return a body as JSON of any type.
        Kind::Blob if naming == Naming::Optimized => return None,
        Kind::Text | Kind::Timestamp | Kind::Blob => (value.as_str().is_some(), "a string"),
        Kind::Integer => (
            value
                .as_number()
                .is_some_and(|number| number.as_i64().is_some()),
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

/// Maximum nesting depth of structures in an example; deeper structures are left empty.
const DEEPEST: usize = 6;
/// Maximum length, in characters, to which a text with a minimum length is padded.
const LONGEST: usize = 64;

/// The members that an example of a result has.
#[derive(Clone, Copy, Debug)]
pub enum Members<'n> {
    /// All members.
    All,
    /// The required members, the members with one of these names, and the members that contain a member with one of
    /// these names.
    Read(&'n HashSet<&'n str>),
}

/// Creates an example of a call's result; `None` if its members are not known.
///
/// The example has a single page of results, unless `wanted` is [`Members::All`].
#[must_use]
pub fn sample(call: &Call, wanted: Members<'_>) -> Option<Value> {
    let members = call.likely.as_ref()?;
    Some(example(call, members, wanted, 0))
}

fn example(call: &Call, members: &[Member], wanted: Members<'_>, depth: usize) -> Value {
    let is_read = |member: &Member| match wanted {
        Members::All => true,
        Members::Read(names) => names.contains(member.name(call.naming)),
    };
    // If this structure itself has a member with a wanted name, the structures inside it are not searched for wanted
    // names.
    let is_here = members.iter().any(is_read);
    let made = members.iter().filter_map(|member| {
        let name = member.name(call.naming);
        let is_kept = match wanted {
            Members::All => true,
            Members::Read(names) => {
                let holds = || !is_here && holds(call, member.kind, names, depth + 1);
                !leads_on(name) && (member.is_required(call.naming) || is_read(member) || holds())
            }
        };
        is_kept.then(|| (Text::from(name), value(call, member.kind, wanted, depth)))
    });
    Value::object(made.collect())
}

/// True if a type contains a member with one of the wanted names.
fn holds(call: &Call, kind: Kind, names: &HashSet<&str>, depth: usize) -> bool {
    if depth > DEEPEST {
        return false;
    }
    match call.shape(kind) {
        Some(Shape::Structure(members)) => members.iter().any(|member| {
            names.contains(member.name(call.naming)) || holds(call, member.kind, names, depth + 1)
        }),
        Some(Shape::List(item)) => holds(call, *item, names, depth + 1),
        _ => false,
    }
}

fn value(call: &Call, kind: Kind, wanted: Members<'_>, depth: usize) -> Value {
    match call.shape(kind) {
        None => plain(kind, None),
        Some(Shape::Scalar(scalar)) => plain(scalar.kind, Some(scalar)),
        Some(Shape::Map(_)) => Value::empty_object(),
        Some(Shape::List(_)) if depth >= DEEPEST => Value::array(Vec::new()),
        Some(Shape::List(item)) => Value::array(vec![value(call, *item, wanted, depth + 1)]),
        Some(Shape::Structure(_)) if depth >= DEEPEST => Value::empty_object(),
        Some(Shape::Structure(members)) => example(call, members, wanted, depth + 1),
    }
}

fn plain(kind: Kind, scalar: Option<&Scalar>) -> Value {
    let least = scalar.and_then(|scalar| scalar.least).unwrap_or(0);
    match kind {
        Kind::Text | Kind::Blob => {
            let first = scalar.and_then(|scalar| scalar.values.first());
            let length = usize::try_from(least).unwrap_or(0).min(LONGEST);
            first.map_or_else(
                || Value::string("x".repeat(length)),
                |first| Value::from(*first),
            )
        }
        Kind::Timestamp => Value::from("1970-01-01T00:00:00Z"),
        Kind::Integer | Kind::Float => Value::from(least.max(0)),
        Kind::Boolean => Value::from(false),
        Kind::Any | Kind::Nothing | Kind::Shape(_) => Value::empty_object(),
    }
}

/// True for the name of a member that says that there are more pages of results, or that some items failed.
fn leads_on(name: &str) -> bool {
    name.ends_with("Token")
        || name.ends_with("Marker")
        || matches!(
            name,
            "LastEvaluatedKey" | "Failures" | "UnprocessedItems" | "UnprocessedKeys"
        )
}
