//! Results as one JSON object.

use super::result::{CaseResult, Outcome};
use crate::coverage::{self, Covered};
use crate::json::{Text, Value, count, one_line};
use crate::testing::Failure;

/// The report in the form `{"passed", "failed", "skipped", "cases": [...], "coverage": {...}}`.
pub(super) fn report(results: &[CaseResult], covered: &[Covered]) -> String {
    let of = |is: fn(&Outcome) -> bool| {
        let matching = results.iter().filter(|result| is(&result.outcome));
        count(matching.count())
    };
    let mut members: Vec<(Text, Value)> = vec![
        (
            "passed".into(),
            of(|outcome| matches!(outcome, Outcome::Passed)),
        ),
        (
            "failed".into(),
            of(|outcome| matches!(outcome, Outcome::Failed(_))),
        ),
        (
            "skipped".into(),
            of(|outcome| matches!(outcome, Outcome::Skipped(_))),
        ),
        (
            "cases".into(),
            Value::array(results.iter().map(case).collect()),
        ),
    ];
    if !covered.is_empty() {
        members.push(("coverage".into(), coverage::json(covered)));
    }
    one_line(&Value::object(members))
}

fn case(result: &CaseResult) -> Value {
    let word = match &result.outcome {
        Outcome::Passed => "passed",
        Outcome::Failed(_) => "failed",
        Outcome::Skipped(_) => "skipped",
    };
    let failures = result.failures().iter();
    let failures = failures.map(|failure| self::failure(result, failure));
    let mut members: Vec<(Text, Value)> = vec![
        (
            "file".into(),
            Value::string(result.file.display().to_string()),
        ),
        ("name".into(), Value::from(&*result.name)),
        ("result".into(), Value::from(word)),
        ("failures".into(), Value::array(failures.collect())),
        ("open".into(), Value::string(result.command())),
    ];
    let notes = result.reservations();
    if !notes.is_empty() {
        let notes = notes.into_iter().map(Value::string);
        members.push(("notes".into(), Value::array(notes.collect())));
    }
    Value::object(members)
}

fn failure(result: &CaseResult, failure: &Failure) -> Value {
    let place = result.place(failure);
    let differences = failure.differences.iter().map(|one| {
        let mut members: Vec<(Text, Value)> = vec![
            ("path".into(), Value::string(one.at.to_string())),
            ("expected".into(), Value::from(&*one.expected)),
        ];
        members.extend(one.actual.clone().map(|actual| ("actual".into(), actual)));
        Value::object(members)
    });
    let event = failure.event.and_then(|event| i64::try_from(event).ok());
    Value::object(vec![
        ("what".into(), Value::from(&*failure.what)),
        ("expected".into(), Value::from(&*failure.expected)),
        ("actual".into(), Value::from(&*failure.actual)),
        ("differences".into(), Value::array(differences.collect())),
        (
            "line".into(),
            place
                .as_ref()
                .map_or(Value::Null, |(_, place, _)| count(place.line)),
        ),
        (
            "state".into(),
            place.map_or(Value::Null, |(state, ..)| Value::string(state)),
        ),
        ("event".into(), event.map_or(Value::Null, Value::from)),
    ])
}
