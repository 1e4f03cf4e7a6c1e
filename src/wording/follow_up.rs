//! Sentences about what is followed after a chain has ended, and about conditions that selected an expression.

use super::event::branch;
use super::written_place::{VALUE, field_name, line_of, name_of, placed};
use crate::definition::{Definition, StateKind};
use crate::interpreter::Stage;
use crate::json::Value;
use crate::query::abridged;
use crate::session::origin::{Condition, Holder, Oddity, Onward, Why};

/// Maximum number of conditions in a chain to report.
const CONDITIONS: usize = 2;

/// Description of the next step: `follows $.order`, `goes on with $.keep`.
pub(super) fn next(onward: &Onward, definition: &Definition) -> String {
    let place = placed(&onward.site, Some(onward.state), definition);
    match onward.why {
        Why::Field => format!("follows {}", field_name(&onward.site)),
        Why::Part { odd, .. } => format!("follows {place}{}", alone(odd)),
        Why::Condition => format!("follows {place}, which the condition read"),
        Why::Lead if onward.site.holder == Holder::Error => "follows the caught error".to_owned(),
        Why::Lead => format!("follows {place}"),
        Why::Asked => format!("follows {}", asked(onward, definition)),
        Why::Item { odd, .. } => format!("follows {}{}", item(onward, definition), alone(odd)),
    }
}

/// Text before the description of a chain, at its first stop or a later one: `2 of 3: `.
pub(super) fn head(onward: &Onward, is_first: bool, definition: &Definition) -> String {
    match onward.why {
        Why::Part {
            number, count, odd, ..
        } => format!("{number} of {count}{}: ", alone(odd)),
        Why::Asked if is_first => format!("{}: ", asked(onward, definition)),
        Why::Item { odd, .. } => format!("{}{}: ", item(onward, definition), alone(odd)),
        Why::Field | Why::Condition | Why::Lead | Why::Asked => String::new(),
    }
}

/// Text such as `, the only string`.
fn alone(odd: Option<Oddity>) -> String {
    match odd {
        Some(what) => format!(", {}", oddity(what)),
        None => String::new(),
    }
}

/// Describes what distinguishes a value from the others, for example "the only string".
pub(super) fn oddity(what: Oddity) -> String {
    match what {
        Oddity::Type(name) => format!("the only {name}"),
        Oddity::Members => "the only value with these members".to_owned(),
    }
}

/// Text such as `what Price was asked (Parameters, line 8)`.
fn asked(onward: &Onward, definition: &Definition) -> String {
    let state = definition.state(onward.state);
    let field = |name: &str| {
        let field = state?.field(name)?;
        Some(format!("{name}{}", line_of(definition, Some(field.value))))
    };
    let field = match onward.site.holder {
        Holder::Stage(Stage::AfterParameters) => field("Parameters"),
        Holder::Stage(Stage::AfterArguments) => field("Arguments"),
        Holder::Stage(Stage::AfterInputPath) => field("InputPath"),
        Holder::Stage(Stage::AfterItemReader) => field("ItemReader"),
        _ => None,
    };
    let field = field.unwrap_or_else(|| "its input".to_owned());
    let name = name_of(definition, onward.state);
    format!("the request of {name} ({field})")
}

/// Text such as `item 2`, `branch 0`.
fn item(onward: &Onward, definition: &Definition) -> String {
    let Why::Item { index, .. } = onward.why else {
        return String::new();
    };
    match definition.state(onward.state).map(|state| &state.kind) {
        Some(StateKind::Map(map)) => format!("{} {index}", map.unit()),
        _ => branch(Some(onward.state), index, definition),
    }
}

/// `$p > 10 (line 24:31) is true: $p is 60`: why a part of an expression was used.
pub(super) fn chosen(conditions: &[Condition], definition: &Definition) -> Option<String> {
    let told = conditions.iter().take(CONDITIONS).enumerate();
    let told: Vec<String> = told
        .map(|(place, condition)| match place {
            0 => condition_of(condition, definition),
            _ => format!("{} {}", condition.text, counts(condition)),
        })
        .collect();
    let more = match conditions.len().saturating_sub(CONDITIONS) {
        0 => String::new(),
        1 => ", after one more condition".to_owned(),
        more => format!(", after {more} more conditions"),
    };
    let told = told.join(", after ");
    (!conditions.is_empty()).then(|| format!("{told}{more}"))
}

fn condition_of(condition: &Condition, definition: &Definition) -> String {
    let place = condition
        .span
        .and_then(|span| definition.sources.place(span));
    let place = place.map_or_else(String::new, |place| {
        format!(" (line {}:{})", place.line, place.column)
    });
    let compared: Vec<String> = condition
        .compared
        .iter()
        .map(|(text, value)| match value {
            Some(value) => format!("{text} is {}", abridged(value, VALUE)),
            None => format!("{text} finds nothing"),
        })
        .collect();
    let compared = match compared.is_empty() {
        true => String::new(),
        false => format!(": {}", compared.join(", ")),
    };
    format!("{}{place} {}{compared}", condition.text, counts(condition))
}

/// Text such as `is true`, `is "a ", a string, and not empty, which counts as true`.
fn counts(condition: &Condition) -> String {
    let is_true = condition.holds;
    let Some(value) = &condition.value else {
        return format!("finds nothing, which counts as {is_true}");
    };
    let told = abridged(value, VALUE);
    let why = match (value, is_true) {
        (Value::Bool(_), _) => return format!("is {told}"),
        (Value::Null, _) => "",
        (Value::Number(_), true) => ", a number other than 0",
        (Value::Number(_), false) => ", a number",
        (Value::String(_), true) => ", a non-empty string",
        (Value::String(_), false) => ", an empty string",
        (Value::Array(_), true) => ", an array with a true item",
        (Value::Array(_), false) => ", an array without a true item",
        (Value::Object(_), true) => ", a non-empty object",
        (Value::Object(_), false) => ", an empty object",
    };
    format!("is {told}{why}, which counts as {is_true}")
}
