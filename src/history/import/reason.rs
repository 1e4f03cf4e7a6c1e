//! Parses the text of AWS's causes to a [`Reason`]. This is the inverse of [`Reason::cause`]; data that the text does
//! not contain are lost.

use crate::definition::{FieldAt, Owner};
use crate::interpreter::{Given, ItemsFrom, Needs, Reason, TooLarge};
use crate::query::jsonata::{Expression, Failure};
use crate::query::{Path, QueryError, Root};
use std::sync::Arc;

/// Names of types in a cause. AWS writes `missing` if a ResultPath selects nothing.
const TYPES: [&str; 8] = [
    "null", "boolean", "number", "integer", "string", "array", "object", "missing",
];

/// Parses a cause. Returns the reason for the error, and the id of the StateEntered event that the cause names.
pub(super) fn read(cause: &str) -> (Option<u32>, Option<Arc<Reason>>) {
    const PREFIX: &str =
        "An error occurred while executing the state '{}' (entered at the event id #{}). {}";
    match fit(cause, PREFIX) {
        Some([_, id, text]) => (id.parse().ok(), reason(text).map(Arc::new)),
        None => (None, reason(cause).map(Arc::new)),
    }
}

fn reason(text: &str) -> Option<Reason> {
    evaluation(text)
        .or_else(|| query(text).map(|error| Reason::Query { field: None, error }))
        .or_else(|| condition(text))
        .or_else(|| items(text))
        .or_else(|| wait(text))
        .or_else(|| number(text))
        .or_else(|| rest(text))
}

fn evaluation(text: &str) -> Option<Reason> {
    let [expression, location, what] = fit(
        text,
        "The JSONata expression '{}' specified for the field '{}' {}",
    )?;
    let expression = Arc::new(Expression::parse(expression, location).ok()?);
    if let Some([wanted, actual, value]) = fit(
        what,
        "returned an unexpected result type. Expected '{}', but was '{}' for value: {}",
    ) {
        return Some(Reason::WrongType {
            expression,
            wanted: type_name(wanted)?,
            found: type_name(actual)?,
            value: value.into(),
        });
    }
    let failure = match what {
        "returned nothing (undefined)." => Failure::Undefined,
        "returned an unsupported result type." => Failure::Unsupported,
        _ => fit(what, "threw an error during evaluation. {}")
            .map(|[thrown]| operand(thrown).unwrap_or_else(|| Failure::Thrown(thrown.into())))
            .or_else(|| {
                let words = fit(what, "threw an error during evaluation: {}");
                words.map(|[words]| Failure::Bound(words.into()))
            })
            .or_else(|| {
                let words = fit(what, "threw an internal error during evaluation. {}");
                words.map(|[words]| Failure::Internal(words.into()))
            })?,
    };
    Some(Reason::Evaluation {
        expression,
        failure,
    })
}

fn operand(thrown: &str) -> Option<Failure> {
    let [code, _, operator] = fit(
        thrown,
        "{}: The {} side of the \"{}\" operator must evaluate to a number",
    )?;
    let operators = ["+", "-", "*", "/", "%"];
    Some(Failure::Operand {
        operator: operators.into_iter().find(|known| *known == operator)?,
        is_left: code == "T2001",
    })
}

fn query(text: &str) -> Option<QueryError> {
    if let Some([path, field, input]) = fit(
        text,
        "The JSONPath '{}' specified for the field '{}' could not be found in the input '{}'",
    ) {
        return Some(QueryError::Template {
            path: path.into(),
            field: field.into(),
            input: input.into(),
        });
    }
    if let Some([expression, path, input]) = fit(
        text,
        "The function '{}' had the following error: The JsonPath argument for the field '{}' could not be found in the input '{}'",
    ) {
        return Some(QueryError::IntrinsicArgument {
            expression: expression.into(),
            path: path.into(),
            input: input.into(),
        });
    }
    if let Some([path, why]) = fit(text, "Invalid path '{}' : {}") {
        let parsed = Path::parse(path).ok();
        return Some(QueryError::NoMatch {
            path: path.into(),
            root: parsed.map_or(Root::Data, |path| path.root().clone()),
            why: why.into(),
        });
    }
    // This cause does not contain the path, so the path is unknown.
    let unknown = QueryError::NullDocument { path: "$".into() };
    if text == unknown.reason() {
        return Some(unknown);
    }
    if let Some([name]) = fit(text, "The variable '${}' has not been assigned a value") {
        return Some(QueryError::Variable { name: name.into() });
    }
    if let Some([path, actual]) = fit(
        text,
        "The ResultPath '{}' cannot be applied to the state's input: the value to write into is {}, but must be an object, or an array that has this index",
    ) {
        return Some(QueryError::ResultPath {
            path: path.into(),
            found: type_name(actual)?,
        });
    }
    // The call in the cause ends with a parenthesis; the error message follows.
    let [call] = fit(
        text,
        "There was an error while evaluating the intrinsic function: {}",
    )?;
    let (expression, message) = call.split_once("). ")?;
    Some(QueryError::Intrinsic {
        expression: format!("{expression})").into(),
        message: message.into(),
    })
}

fn condition(text: &str) -> Option<Reason> {
    let [path] = fit(
        text,
        "Invalid path '{}': The choice state's condition path references an invalid value.",
    )?;
    Some(Reason::Condition {
        path: path.into(),
        on_null: false,
    })
}

fn items(text: &str) -> Option<Reason> {
    let (from, value) =
        if let Some([path]) = fit(text, "Reference path \"{}\" must point to array.") {
            (ItemsFrom::Path(path.into()), "")
        } else if let Some([value]) = fit(text, "Map state Items must be an array but was: {}") {
            (ItemsFrom::Items, value)
        } else if let Some([value]) = fit(text, "Map state input must be an array but was: {}") {
            (ItemsFrom::Input, value)
        } else if text == "Attempting to map over non-iterable node." {
            (ItemsFrom::Reader, "")
        } else {
            return None;
        };
    let value = value.into();
    Some(Reason::NotItems { from, value })
}

fn wait(text: &str) -> Option<Reason> {
    if let Some([parameters, why]) = fit(
        text,
        "The Parameters '{}' could not be used to start the Task: [{}]",
    ) {
        let (parameters, why) = (parameters.into(), why.into());
        return Some(Reason::Parameters { parameters, why });
    }
    if text == "Wait state delay is too long." {
        return Some(Reason::WaitTooLong);
    }
    if let Some([name, path]) = fit(
        text,
        "The {} parameter does not reference an input value: {}",
    ) {
        let (field, path) = (FieldAt::named(Owner::State, name)?, path.into());
        return Some(Reason::Reference { field, path });
    }
    let time = |name, given, value: &str| Reason::BadTime {
        field: FieldAt::state(name),
        given,
        value: value.into(),
    };
    if let Some([path, value]) = fit(
        text,
        "The TimestampPath parameter does not reference a valid ISO-8601 extended offset date-time format string: {} == {}",
    ) {
        return Some(time("TimestampPath", Given::Path(path.into()), value));
    }
    if let Some([value]) = fit(
        text,
        "The Timestamp field cannot be parsed as an ISO-8601 extended offset date-time format string: {}",
    ) {
        return Some(time("Timestamp", Given::Literal, value));
    }
    let [name, actual] = fit(text, "The {} field refers to a {} and not to a string")?;
    Some(Reason::NotText {
        field: FieldAt::named(Owner::State, name)?,
        type_name: type_name(actual)?,
    })
}

fn number(text: &str) -> Option<Reason> {
    let bad = |name: &str, given, value: &str, needs| {
        Some(Reason::BadNumber {
            field: field(name)?,
            given,
            value: value.into(),
            needs,
        })
    };
    let path = |path: &str| Given::Path(path.into());
    if let Some([name, value, needs, at]) = fit(
        text,
        "The {} field refers to value \"{}\" which is not a {}: {}",
    ) {
        let needs = match needs {
            "positive integer" => Needs::Positive,
            "valid float" => Needs::Float,
            _ => Needs::Integer,
        };
        return bad(name, path(at), value, needs);
    }
    let by_path = "SecondsPath";
    if let Some([at, value]) = fit(
        text,
        "The SecondsPath parameter references a negative value: {} == {}",
    ) {
        return bad(by_path, path(at), value, Needs::NotNegative);
    }
    if let Some([at, value]) = fit(
        text,
        "The SecondsPath parameter cannot be parsed as a long value: {} == {}",
    ) {
        return bad(by_path, path(at), value, Needs::Integer);
    }
    if let Some([value]) = fit(text, "The Seconds field must not be negative: {}") {
        return bad("Seconds", Given::Expression, value, Needs::NotNegative);
    }
    if let Some([name, value]) = fit(text, "The {} field must be a positive integer: {}") {
        return bad(name, Given::Expression, value, Needs::Positive);
    }
    if let Some([name]) = fit(text, "{} cannot be negative.") {
        return bad(name, Given::Expression, "", Needs::NotNegative);
    }
    let [name] = fit(text, "{} must be between 0 and 100.")?;
    bad(name, Given::Expression, "", Needs::Percentage)
}

fn rest(text: &str) -> Option<Reason> {
    let same = [Reason::NoRule, Reason::HistoryFull];
    if let Some(reason) =
        (same.into_iter()).find(|reason| reason.cause(None).as_deref() == Some(text))
    {
        return Some(reason);
    }
    let [by] = fit(
        text,
        "The state/task '{}' returned a result with a size exceeding the maximum number of bytes service limit.",
    )?;
    let by = by.into();
    let is_result = true;
    Some(Reason::TooLarge(TooLarge::Payload { by, is_result }))
}

/// The field of a state that has this name, which a cause quotes.
fn field(name: &str) -> Option<FieldAt> {
    Owner::ALL
        .into_iter()
        .find_map(|owner| FieldAt::named(owner, name))
}

fn type_name(name: &str) -> Option<&'static str> {
    TYPES.into_iter().find(|known| *known == name)
}

/// Matches a text with a pattern. Returns the text at the position of each `{}`; `None` if the text does not match.
fn fit<'t, const N: usize>(text: &'t str, pattern: &str) -> Option<[&'t str; N]> {
    let (head, last) = pattern.rsplit_once("{}")?;
    let mut pieces = head.split("{}");
    let mut rest = text.strip_prefix(pieces.next()?)?.strip_suffix(last)?;
    let mut texts = Vec::with_capacity(N);
    for piece in pieces {
        let (part, after) = rest.split_once(piece)?;
        texts.push(part);
        rest = after;
    }
    texts.push(rest);
    texts.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interpreter::Entered;
    use proptest::prelude::*;

    /// Generates reasons whose cause contains all of their data. The texts in these reasons can occur in a definition
    /// or in data.
    fn reasons() -> impl Strategy<Value = Reason> {
        let path = prop::sample::select(vec!["$.a", "$$.Map.Item.Value", "$x[0].b", "$['a b']"]);
        let value = "[a-z {}:,\"0-9]{0,12}";
        let expression = prop::sample::select(vec![
            ("$states.input.a + 1", "Output/total"),
            ("$x = 'it'", "Choices[1]/Condition"),
        ]);
        let types = ["null", "boolean", "number", "string", "array", "object"];
        let types = prop::sample::select(types.to_vec());
        let all = (path, value, expression, types, 0..33_usize);
        all.prop_map(|(path, value, (text, location), type_name, which)| {
            let (path, value): (crate::json::Text, crate::json::Text) = (path.into(), value.into());
            let expression =
                Arc::new(Expression::parse(text, location).expect("an expression that parses"));
            let evaluation = |failure| Reason::Evaluation {
                expression: Arc::clone(&expression),
                failure,
            };
            let query = |error| Reason::Query { field: None, error };
            let by_path = || Given::Path(path.clone());
            let number = |name, given, needs| Reason::BadNumber {
                field: field(name).expect(name),
                given,
                value: value.clone(),
                needs,
            };
            let time = |name, given| Reason::BadTime {
                field: FieldAt::state(name),
                given,
                value: value.clone(),
            };
            let items = |from| Reason::NotItems {
                from,
                value: value.clone(),
            };
            match which {
                0 => evaluation(Failure::Undefined),
                1 => evaluation(Failure::Unsupported),
                2 => evaluation(Failure::Thrown(format!("D3030: {value}").into())),
                3 => evaluation(Failure::Operand {
                    operator: "+",
                    is_left: value.len() > 6,
                }),
                4 => evaluation(Failure::Internal(value)),
                5 => evaluation(Failure::Bound(value)),
                6 => query(QueryError::Template {
                    path,
                    field: "a.$".into(),
                    input: value,
                }),
                7 => query(QueryError::NoMatch {
                    root: Path::parse(&path).expect("a path").root().clone(),
                    path,
                    why: value.to_string(),
                }),
                8 => query(QueryError::IntrinsicArgument {
                    expression: "States.Format('{}', $.a)".into(),
                    path,
                    input: value,
                }),
                9 => query(QueryError::Variable { name: "x".into() }),
                10 => query(QueryError::Intrinsic {
                    expression: "States.MathAdd($.a, 1)".into(),
                    message: "Invalid arguments in States.MathAdd".into(),
                }),
                11 => Reason::Condition {
                    path,
                    on_null: false,
                },
                12 => Reason::Reference {
                    field: FieldAt::state("SecondsPath"),
                    path,
                },
                13 => items(ItemsFrom::Items),
                14 => items(ItemsFrom::Input),
                15 => number("MaxConcurrencyPath", by_path(), Needs::Integer),
                16 => number("TimeoutSecondsPath", by_path(), Needs::Positive),
                17 => number("ToleratedFailurePercentagePath", by_path(), Needs::Float),
                18 => number("MaxItemsPath", by_path(), Needs::Integer),
                19 => number("SecondsPath", by_path(), Needs::NotNegative),
                20 => number("SecondsPath", by_path(), Needs::Integer),
                21 => number("Seconds", Given::Expression, Needs::NotNegative),
                22 => number("HeartbeatSeconds", Given::Expression, Needs::Positive),
                23 => time("Timestamp", Given::Literal),
                24 => time("TimestampPath", by_path()),
                25 => Reason::WaitTooLong,
                32 => Reason::Parameters {
                    parameters: value,
                    why: "The value for the field 'N' must be a STRING".into(),
                },
                26 => Reason::NoRule,
                27 => Reason::HistoryFull,
                28 => Reason::NotText {
                    field: FieldAt::state("CausePath"),
                    type_name,
                },
                29 => Reason::TooLarge(TooLarge::Payload {
                    by: value,
                    is_result: true,
                }),
                31 => query(QueryError::NullDocument { path: "$".into() }),
                30 => query(QueryError::ResultPath {
                    path,
                    found: "array",
                }),
                _ => Reason::WrongType {
                    expression,
                    wanted: "string",
                    found: type_name,
                    value,
                },
            }
        })
    }

    proptest! {
        #[test]
        fn a_cause_tells_its_reason(reason in reasons(), id in 1..30_000_u32) {
            let entered = Entered { state: "Charge card", event: id };
            let cause = reason.cause(Some(entered)).expect("a cause");
            prop_assert_eq!(read(&cause), (Some(id), Some(Arc::new(reason))));
        }
    }
}
