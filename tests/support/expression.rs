//! JSONata expressions as test data: reads the lines of `tests/jsonata/*.txt` and compares actual results with those in
//! the lines.

use super::{stored, value};
use asldbg::json::Value;
use asldbg::query::jsonata::{Budget, Evaluated, Evaluation, Expression};
use asldbg::query::{MAX_VALUE, Profile};
use asldbg::worker::Evaluator;
use std::sync::{Arc, LazyLock};

/// The value of `$now()` in these tests.
const NOW: i64 = 1_738_317_600_123;

pub(crate) fn members(all: &Value, name: &str) -> Vec<(asldbg::json::Text, Value)> {
    let part = all.get(name).unwrap();
    part.as_object().unwrap().members().to_vec()
}

pub(crate) fn evaluation(text: &str) -> Result<Evaluation, String> {
    static BINDINGS: LazyLock<Value> =
        LazyLock::new(|| value(&super::read("tests/jsonata/bindings.json")));
    let bindings = &*BINDINGS;
    let expression = Expression::parse(text, "Output").map_err(|error| error.message)?;
    Ok(Evaluation {
        expressions: vec![Arc::new(expression)],
        states: members(bindings, "states"),
        variables: members(bindings, "variables"),
        now: NOW,
        seed: 1,
        until_true: false,
        budget: Budget::Run,
        largest: MAX_VALUE,
        profile: Profile::Spec,
    })
}

pub(crate) fn result(evaluator: &Evaluator, text: &str) -> Result<Evaluated, String> {
    let results = evaluator.evaluate(&evaluation(text)?);
    Ok(results.into_iter().next().unwrap())
}

/// The lines of a file: each has an expression and its expected result.
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

/// The result of a line's expression as the files write it: a value, or `! ` and the error.
pub(crate) fn found(
    evaluator: &Evaluator,
    budget: Budget,
    (profile, largest): (Profile, u64),
    expression: &str,
) -> String {
    let evaluation = match evaluation(expression) {
        Err(message) => return format!("! does not parse: {message}"),
        Ok(evaluation) => Evaluation {
            budget,
            profile,
            largest,
            ..evaluation
        },
    };
    match evaluator.evaluate(&evaluation).into_iter().next().unwrap() {
        Ok(found) => found.to_string(),
        Err(failure) => format!("! {failure}"),
    }
}

/// Describes how the actual result of a line differs from the expected one; empty if both agree, or if the actual one
/// will be stored.
pub(crate) fn judge(
    evaluator: &Evaluator,
    budget: Budget,
    file: &str,
    (expression, wanted): &(String, String),
) -> String {
    let profile = match file {
        "aws.txt" => Profile::Aws,
        _ => Profile::Spec,
    };
    let largest = match file {
        "growing.txt" => 2 << 20,
        _ => MAX_VALUE,
    };
    let found = found(evaluator, budget, (profile, largest), expression);
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
