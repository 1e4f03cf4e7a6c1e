//! Creates an example of a result from the API's model, with meaningless values.

use super::call::Call;
use super::model::{Kind, Member, Scalar, Shape};
use crate::json::{Text, Value};
use std::collections::HashSet;

/// Maximum nesting depth of structures; deeper ones stay empty.
const DEEPEST: usize = 6;
/// Maximum length of a text that is padded to its minimum length.
const LONGEST: usize = 64;

/// The members that an example contains.
#[derive(Clone, Copy, Debug)]
pub enum Members<'n> {
    /// All members.
    All,
    /// Required members, members with these names, and members that contain such members.
    Read(&'n HashSet<&'n str>),
}

/// Creates an example of a call's result; `None` if its members are not known.
///
/// Unless all members are wanted, the example has a single page of results.
#[must_use]
pub fn sample(call: &Call, wanted: Members<'_>) -> Option<Value> {
    let members = call.likely.as_ref()?;
    Some(structure(call, members, wanted, 0))
}

fn structure(call: &Call, members: &[Member], wanted: Members<'_>, depth: usize) -> Value {
    let is_read = |member: &Member| match wanted {
        Members::All => true,
        Members::Read(names) => names.contains(member.name(call.naming)),
    };
    // The members that are read are either at this level or further inside.
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

/// True if a value contains a member that is read.
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
        Some(Shape::Structure(members)) => structure(call, members, wanted, depth + 1),
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

/// True if the member indicates further results or failures.
fn leads_on(name: &str) -> bool {
    name.ends_with("Token")
        || name.ends_with("Marker")
        || matches!(
            name,
            "LastEvaluatedKey" | "Failures" | "UnprocessedItems" | "UnprocessedKeys"
        )
}
