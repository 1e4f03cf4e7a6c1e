//! What `States.ArrayContains` searched, where nothing in it is of the kind that it looked for, what the functions that go
//! through an array found none of, the empty parts that `States.StringSplit` left out, and why a path that may select several
//! values selected none.
//!
//! It must not know how a value is shown.

use super::intrinsic_hint::arguments;
use super::walked;
use crate::definition::State;
use crate::interpreter::{Frame, Machine, Stage};
use crate::json::{Pointer, Step, Text, Value};
use crate::query::{Bindings, Expression, ExpressionExplanation, Path, abridged};

/// Functions of which there may be something to say.
const FUNCTIONS: [&str; 6] = [
    "States.StringSplit",
    "States.ArrayGetItem",
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
        Stage::AfterParameters => (
            state.template("Parameters"),
            data.get(Stage::AfterInputPath),
        ),
        Stage::AfterResultSelector => (state.template("ResultSelector"), data.get(Stage::Result)),
        _ => (None, None),
    };
    let (Some(template), Some(document)) = (template, document) else {
        return Vec::new();
    };
    if data.get(stage).is_none() {
        return Vec::new();
    }
    let bindings = machine.inspect(frame, document);
    let mut said = Vec::new();
    for (at, expression) in template.expressions() {
        let place = value_place(at).to_string();
        let name = place.strip_prefix("$.").unwrap_or(&place);
        let calls = calls(expression, &bindings).into_iter();
        let why = calls.filter_map(|call| {
            let why = of_call(&call, &bindings)?;
            Some(format!("{name}: {why}"))
        });
        said.extend(why);
        if let Expression::Path(path) = expression {
            let why = empty(path, &bindings);
            said.extend(why.map(|why| format!("{name} is []: {why}")));
        }
    }
    said
}

/// `$.phases[?(@.phase == 'FIX')] finds 0 of 3`.
fn empty(path: &Path, bindings: &dyn Bindings) -> Option<String> {
    let is_empty = !path.is_definite() && path.eval(bindings).ok()?.as_array()?.is_empty();
    is_empty.then(|| walked::empty(path, &path.explain(bindings)))?
}

/// The calls of the functions in an expression, the inner ones first.
fn calls(expression: &Expression, bindings: &dyn Bindings) -> Vec<Text> {
    let ExpressionExplanation::Intrinsic(parts) = expression.explain(bindings) else {
        return Vec::new();
    };
    let is_one = |text: &Text| {
        let name = text.split_once('(').map(|(name, _)| name);
        name.is_some_and(|name| FUNCTIONS.contains(&name))
    };
    let texts = parts.into_iter().map(|part| part.text);
    texts.filter(is_one).collect()
}

fn of_call(call: &str, bindings: &dyn Bindings) -> Option<String> {
    let (function, rest) = call.split_once('(')?;
    let written = arguments(rest.trim_end().strip_suffix(')')?);
    let path = *written.first()?;
    let value = |text: &str| match Expression::parse(text) {
        Ok(expression) => expression.eval(bindings).ok(),
        Err(_) => literal(text),
    };
    let searched = value(path)?;
    let second = written.get(1).and_then(|text| value(text));
    let why = match function {
        "States.StringSplit" => left_out(searched.as_str()?, second?.as_str()?)?,
        _ => why(function, path, &searched, second.as_ref())?,
    };
    Some(format!("{function} {why}"))
}

/// AWS splits at each of the characters, and gives no empty parts.
fn left_out(text: &str, splitters: &str) -> Option<String> {
    // At the end of the text they move nothing.
    let end = text.trim_end_matches(|c| splitters.contains(c)).len();
    let parts = text.get(..end)?.split(|c| splitters.contains(c));
    let empty: Vec<usize> = parts
        .enumerate()
        .filter(|(_, part)| part.is_empty() && end > 0)
        .map(|(place, _)| place)
        .collect();
    let behind = "what stands behind moves to the front";
    match empty.as_slice() {
        [] => None,
        [one] => Some(format!(
            "left out an empty part, the one at {one}: {behind}"
        )),
        [first, ..] => {
            let count = empty.len();
            Some(format!(
                "left out {count} empty parts, the first at {first}: {behind}"
            ))
        }
    }
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
    if function == "States.ArrayGetItem" {
        let is = if gathers { "finds nothing" } else { "is empty" };
        return items.is_empty().then(|| format!("gave null: {path} {is}"));
    }
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
