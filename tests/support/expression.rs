//! JSONata expressions as data: lines of `tests/jsonata/*.txt`, what they come to, what is wrong with that.

use super::{stored, value};
use asldbg::json::Value;
use asldbg::query::jsonata::{Budget, Evaluated, Evaluation, Expression};
use asldbg::worker::Evaluator;
use std::sync::Arc;

/// What `$now()` says in these tests.
const NOW: i64 = 1_738_317_600_123;

pub(crate) fn members(all: &Value, name: &str) -> Vec<(asldbg::json::Text, Value)> {
    let part = all.get(name).unwrap();
    part.as_object().unwrap().members().to_vec()
}

pub(crate) fn evaluation(text: &str) -> Result<Evaluation, String> {
    let bindings = value(&super::read("tests/jsonata/bindings.json"));
    let expression = Expression::parse(text, "Output").map_err(|error| error.message)?;
    Ok(Evaluation {
        expressions: vec![Arc::new(expression)],
        states: members(&bindings, "states"),
        variables: members(&bindings, "variables"),
        now: NOW,
        seed: 1,
        until_true: false,
        budget: Budget::Run,
    })
}

pub(crate) fn result(evaluator: &Evaluator, text: &str) -> Result<Evaluated, String> {
    let results = evaluator.evaluate(&evaluation(text)?);
    Ok(results.into_iter().next().unwrap())
}

/// The lines of a file: an expression and what is wanted of it.
pub(crate) fn cases(file: &str) -> Vec<(String, String)> {
    let text = super::read(format!("tests/jsonata/{file}"));
    let lines = text
        .lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty());
    lines
        .map(|line| {
            let (expression, wanted) = line.split_once(" ⇒ ").unwrap_or_else(|| panic!("{line}"));
            (expression.to_string(), wanted.to_string())
        })
        .collect()
}

/// What a line comes to, as one is written: a value, or `! ` and why there is none.
pub(crate) fn found(evaluator: &Evaluator, expression: &str) -> String {
    match result(evaluator, expression) {
        Err(message) => format!("! does not parse: {message}"),
        Ok(Ok(found)) => found.to_string(),
        Ok(Err(failure)) => format!("! {failure}"),
    }
}

/// What is wrong with the result of a line; empty where nothing is, or where what came is to be written.
pub(crate) fn judge(
    evaluator: &Evaluator,
    file: &str,
    (expression, wanted): &(String, String),
) -> String {
    let found = found(evaluator, expression);
    let right = match wanted.strip_prefix('!') {
        Some(words) => {
            let words = words.trim();
            match found.strip_prefix("! ") {
                Some(said) => words.is_empty() || said.starts_with(words),
                None => words.is_empty(),
            }
        }
        None => !found.starts_with('!') && value(&found) == value(wanted),
    };
    if right {
        String::new()
    } else if stored::blessing() {
        let path = super::root().join("tests/jsonata").join(file);
        let line = format!("{expression} ⇒ {wanted}\n");
        let text = format!("\n{}", super::read(&path));
        let start = text.find(&format!("\n{line}")).unwrap();
        stored::replace(
            &path,
            start..start + line.len(),
            format!("{expression} ⇒ {found}\n"),
        );
        String::new()
    } else {
        format!(
            "{expression}\n    wanted {wanted}\n    found  {}\n",
            found.chars().take(200).collect::<String>()
        )
    }
}
