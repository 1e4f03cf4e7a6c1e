//! What `States.ArrayContains` searched, where nothing in it is of the kind that it looked for, and what the functions that go
//! through an array found none of.
//!
//! It must not know how a value is shown.

use super::intrinsic_hint::arguments;
use crate::definition::State;
use crate::interpreter::{Frame, Machine, Stage};
use crate::json::{Pointer, Step, Value};
use crate::query::{Expression, Template, abridged};

/// Functions that go through the array that is their first argument.
const FUNCTIONS: [&str; 4] = [
    "States.ArrayContains",
    "States.ArrayLength",
    "States.ArrayUnique",
    "States.ArrayPartition",
];
/// Columns of a value.
const VALUE: usize = 40;

/// `storm: States.ArrayContains searched [["storm"]] for "storm": its only element is an array`, one sentence a field.
pub(super) fn remarks(
    machine: &Machine,
    state: &State,
    frame: &Frame,
    stage: Stage,
) -> Vec<String> {
    let data = &frame.visit.data;
    let (template, document) = match stage {
        Stage::AfterParameters => (state.parameters.as_ref(), data.get(Stage::AfterInputPath)),
        Stage::AfterResultSelector => (state.result_selector.as_ref(), data.get(Stage::Result)),
        _ => (None, None),
    };
    let (Some(template), Some(document)) = (template, document) else {
        return Vec::new();
    };
    if data.get(stage).is_none() {
        return Vec::new();
    }
    let said = searching(template)
        .into_iter()
        .filter_map(|(at, expression)| {
            let bindings = machine.inspect(frame, document);
            let text = expression.text();
            let (function, rest) = text.split_once('(')?;
            let written = arguments(rest.strip_suffix(')')?);
            let path = *written.first()?;
            let value = |text: &str| match Expression::parse(text) {
                Ok(expression) => expression.eval(&bindings).ok(),
                Err(_) => literal(text),
            };
            let searched = value(path)?;
            let sought = written.get(1).and_then(|text| value(text));
            let why = why(function, path, &searched, sought.as_ref())?;
            let place = value_place(at).to_string();
            let name = place.strip_prefix("$.").unwrap_or(&place);
            Some(format!("{name}: {function} {why}"))
        });
    said.collect()
}

/// The fields of a template that are a call of one of the functions.
fn searching(template: &Template) -> Vec<(Pointer, &Expression)> {
    let all = template.expressions().into_iter();
    let own = |expression: &Expression| match expression {
        Expression::Intrinsic(intrinsic) => FUNCTIONS.contains(&intrinsic.name()),
        Expression::Path(_) => false,
    };
    all.filter(|(_, expression)| own(expression)).collect()
}

/// Where the value stands that a field makes: its name without `.$`.
fn value_place(mut written: Pointer) -> Pointer {
    if let Some(Step::Member(name)) = written.0.last_mut() {
        *name = name.strip_suffix(".$").unwrap_or(name).into();
    }
    written
}

fn literal(text: &str) -> Option<Value> {
    match text.strip_prefix('\'') {
        Some(quoted) => Some(Value::from(quoted.strip_suffix('\'')?)),
        None => crate::json::parse(text).ok(),
    }
}

fn why(function: &str, path: &str, searched: &Value, sought: Option<&Value>) -> Option<String> {
    let items = searched.as_array()?;
    let gathers =
        matches!(Expression::parse(path), Ok(Expression::Path(path)) if !path.is_definite());
    if items.is_empty() {
        return gathers.then(|| format!("had an empty array: {path} finds nothing"));
    }
    let kind = items.first()?.type_name();
    if items.iter().any(|item| item.type_name() != kind) {
        return None;
    }
    let are = match items.len() {
        1 => format!("its only element is {}", one(kind)),
        count => format!("all {count} elements of it are {kind}s"),
    };
    let shown = abridged(searched, VALUE);
    match (function, sought) {
        ("States.ArrayContains", Some(sought)) => (sought.type_name() != kind).then(|| {
            let sought = abridged(sought, VALUE);
            format!("searched {shown} for {sought}: {are}")
        }),
        (_, _) if gathers && kind == "array" => Some(format!("went through {shown}: {are}")),
        _ => None,
    }
}

fn one(kind: &str) -> String {
    match kind {
        "array" | "object" => format!("an {kind}"),
        "null" => kind.to_owned(),
        _ => format!("a {kind}"),
    }
}
