//! Whether a condition that a person types can be read, before there is a run to ask it of.
//!
//! It must not know a run: what a readable path finds is no concern of it.

use super::breakpoint::Location;
use super::expression::{OPERATORS, split};
use crate::definition::{Definition, QueryLanguage, State};
use crate::json::parse;
use crate::query::{Expression, jsonata};

const DEEPEST: usize = 32;
/// What begins a path of a run's own: it reads on as `$` does.
const STAGES: [&str; 5] = ["$input", "$effective", "$result", "$output", "$error"];

/// Reads a condition; where the state may be in JSONata, text that is nothing else is read as that.
///
/// # Errors
/// What cannot be read and where it stands, in one sentence.
pub fn check_condition(text: &str, may_be_jsonata: bool) -> Result<(), String> {
    let whole = text.trim();
    if let Some(inner) = jsonata::inner(whole) {
        return jsonata::Expression::parse(inner, "")
            .map(|_| ())
            .map_err(|error| format!("the condition cannot be read: {}", error.message));
    }
    let Err((part, why)) = read(whole, 0) else {
        return Ok(());
    };
    if may_be_jsonata && jsonata::Expression::parse(whole, "").is_ok() {
        return Ok(());
    }
    let before = (part.as_ptr() as usize).saturating_sub(whole.as_ptr() as usize);
    let column = whole
        .get(..before)
        .map_or(1, |before| before.chars().count() + 1);
    let shown = match part.is_empty() {
        true => "at its end".to_string(),
        false => format!("at character {column}, \"{part}\""),
    };
    Err(format!("the condition cannot be read {shown}: {why}"))
}

/// Reads the condition of a breakpoint; `at` is its place, `None` that of a line.
///
/// # Errors
/// What cannot be read and where it stands, in one sentence.
pub fn check_condition_at(
    text: &str,
    at: Option<&Location>,
    definition: &Definition,
) -> Result<(), String> {
    check_condition(text, may_be_jsonata(at, definition))
}

/// Whether a condition may be asked in a state of JSONata.
fn may_be_jsonata(at: Option<&Location>, definition: &Definition) -> bool {
    let path = match at {
        Some(Location::State(path) | Location::Part(path, _) | Location::Item(path, _)) => {
            Some(path)
        }
        Some(Location::Error(..) | Location::Data(_)) | None => None,
    };
    let state = path.and_then(|path| definition.state(definition.find(path)?));
    let is_jsonata = |state: &State| state.language == QueryLanguage::Jsonata;
    state.map_or_else(|| definition.states.iter().any(is_jsonata), is_jsonata)
}

type Unread<'t> = (&'t str, String);

fn read(text: &str, depth: usize) -> Result<(), Unread<'_>> {
    let text = text.trim();
    if depth > DEEPEST {
        return Err((text, "it is nested too deep".to_string()));
    }
    if text.is_empty() {
        return Err((text, "a value is missing".to_string()));
    }
    for operator in OPERATORS {
        if let Some((left, right)) = split(text, operator) {
            let end = left.len() + operator.len();
            let sign = text.get(left.len()..end).unwrap_or_default();
            if left.trim().is_empty() {
                return Err((sign, "a value is missing before it".to_string()));
            }
            read(left, depth + 1)?;
            return match right.trim().is_empty() {
                true => Err((sign, "a value is missing after it".to_string())),
                false => read(right, depth + 1),
            };
        }
    }
    if let Some(inner) = text.strip_prefix('!') {
        return read(inner, depth + 1);
    }
    let inside = text
        .strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(')'));
    match inside {
        Some(inner) => read(inner, depth + 1),
        None => operand(text),
    }
}

fn operand(text: &str) -> Result<(), Unread<'_>> {
    let quoted = text
        .strip_prefix('\'')
        .is_some_and(|rest| rest.ends_with('\''));
    if quoted || matches!(text, "attempt" | "index" | "error") {
        return Ok(());
    }
    if !text.starts_with(['$', 'S']) {
        let why = match text.contains('=') {
            true => "it is neither a path nor a value; equal is ==, at least is >=",
            false => "it is neither a path nor a value; paths begin with $, strings need quotes",
        };
        return parse(text).map(|_| ()).map_err(|_| (text, why.to_string()));
    }
    let stage = STAGES.iter().find_map(|word| {
        let rest = text.strip_prefix(word)?;
        (rest.is_empty() || rest.starts_with(['.', '['])).then_some(rest)
    });
    let path = stage.map_or_else(|| text.to_string(), |rest| format!("${rest}"));
    match Expression::parse(&path) {
        Ok(_) => Ok(()),
        Err(error) if text.split_whitespace().any(|word| word == "=") => {
            Err((text, format!("{}; equal is ==", error.message)))
        }
        Err(error) => Err((text, error.message)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_and_what_is_not() {
        for text in [
            "attempt >= 3",
            "$.plan != 12",
            "$.a == \"x && y\" && !($.b < 3 || index == 2)",
            "$result.StatusCode == 200",
            "$error.Cause == 'it said no'",
            "States.ArrayLength($.a) > 2",
            "$var.x == null",
            "error == \"Card.Declined\"",
            "{% $states.input.a = 1 %}",
        ] {
            assert_eq!(check_condition(text, false), Ok(()), "{text}");
        }
        for (text, wanted) in [
            ("attempt =3>", "at character 1, \"attempt =3\""),
            ("attempt >", "at character 9, \">\""),
            ("$.plan != 12.Map.Item", "at character 11, \"12.Map.Item\""),
            ("$.a == open", "at character 8, \"open\""),
            ("$.a[ == 1", "at character 1"),
            ("$.a = 1", "equal is =="),
            ("{% 1 + %}", "the condition cannot be read"),
            ("&& $.a", "at character 1, \"&&\""),
            ("", "at its end"),
        ] {
            let said = check_condition(text, false).expect_err(text);
            assert!(said.contains(wanted), "{text}: {said}");
        }
        assert_eq!(check_condition("$sum([1]) > 0 and true", true), Ok(()));
        assert!(check_condition("$sum([1]) > 0 and true", false).is_err());
    }
}
