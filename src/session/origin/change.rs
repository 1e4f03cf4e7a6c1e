//! Which of the values that an expression reads decides what it gives at a place: each is changed in turn, and the
//! expression evaluated again.
//!
//! It must not know the language of the expression.

use super::document::{Base, Code, Documents};
use crate::json::{Number, Pointer, Step, Value};

/// At most so many values are changed.
const TRIES: usize = 400;
/// The same of JSONata, which may take long.
const JSONATA_TRIES: usize = 48;
/// So many failures end it: what takes too long fails.
const FAILURES: usize = 4;
/// At most about so many bytes are evaluated altogether.
const WORK: u64 = 8 << 20;

/// The place that decides what an expression gives at `rest`.
pub(super) fn deciding(
    documents: &Documents<'_>,
    code: Code<'_>,
    rest: &[Step],
) -> Option<(Base, Pointer)> {
    let place = Pointer(rest.to_vec());
    let given = documents.eval(code, None)?;
    let given = place.get(&given)?.clone();
    let mut wholes: Vec<(Base, Value)> = Vec::new();
    let mut candidates: Vec<(usize, Pointer, Value)> = Vec::new();
    for read in documents.reads(code) {
        let place = match wholes.iter().position(|(base, _)| *base == read.base) {
            Some(place) => place,
            None => {
                wholes.push((read.base.clone(), documents.value(&read.base)?));
                wholes.len() - 1
            }
        };
        let (_, whole) = wholes.get(place)?;
        let Some(value) = read.at.get(whole) else {
            continue;
        };
        collect(value, &read.at, &mut |at, value| {
            candidates.push((place, at.clone(), value.clone()));
            candidates.len() < 20 * TRIES
        });
    }
    // What is the same value may be copied; a scalar decides more narrowly than what holds it.
    candidates.sort_by_key(|(_, _, value)| (*value != given, is_container(value)));
    candidates.dedup();
    let size: u64 = wholes.iter().map(|(_, value)| value.size()).sum();
    let most = match code {
        Code::Jsonata(_) => JSONATA_TRIES,
        Code::Path(_) | Code::Expression(_) => TRIES,
    };
    let tries = usize::try_from(WORK / size.max(1)).unwrap_or(most);
    let tries = tries.clamp(8, most);
    let mut failures = 0;
    let mut changes = None;
    let mut fails = None;
    for (whole, at, value) in candidates.into_iter().take(tries) {
        let (base, whole) = wholes.get(whole)?;
        let other = another(&value);
        let Some(changed) = at.set(whole, other.clone()) else {
            continue;
        };
        let found = documents.eval(code, Some((base, &changed)));
        let copied = value == given;
        match found {
            None => {
                failures += 1;
                if failures >= FAILURES && matches!(code, Code::Jsonata(_)) {
                    break;
                }
                fails.get_or_insert((base.clone(), at));
            }
            Some(found) => match place.get(&found) {
                Some(found) if *found == given => {}
                Some(found) if copied && *found == other => return Some((base.clone(), at)),
                _ if !copied => return Some(changes.unwrap_or((base.clone(), at))),
                _ => {
                    changes.get_or_insert((base.clone(), at));
                }
            },
        }
    }
    changes.or(fails)
}

fn is_container(value: &Value) -> bool {
    value.as_object().is_some() || value.as_array().is_some()
}

/// Every value from here down, until `take` has enough.
fn collect(value: &Value, at: &Pointer, take: &mut dyn FnMut(&Pointer, &Value) -> bool) -> bool {
    if !take(at, value) {
        return false;
    }
    match value {
        Value::Object(object) => object
            .members()
            .iter()
            .all(|(name, value)| collect(value, &at.child(Step::Member(name.clone())), take)),
        Value::Array(array) => array
            .items()
            .iter()
            .enumerate()
            .all(|(place, value)| collect(value, &at.child(Step::Item(place)), take)),
        _ => true,
    }
}

/// A value of the same type that is another.
pub(super) fn another(value: &Value) -> Value {
    match value {
        Value::Null => Value::from("~"),
        Value::Bool(flag) => Value::Bool(!flag),
        Value::Number(number) => Value::Number(next(number)),
        Value::String(text) => Value::string(format!("{text}~")),
        Value::Array(array) => {
            let items = array.items().iter().cloned();
            Value::array(items.chain([Value::Null]).collect())
        }
        Value::Object(object) => {
            let members = object.members().iter().cloned();
            Value::object(members.chain([("~".into(), Value::Null)]).collect())
        }
    }
}

fn next(number: &Number) -> Number {
    let whole = number.as_i64().and_then(|whole| whole.checked_add(1));
    let text = match whole {
        Some(whole) => whole.to_string(),
        None => (number.as_f64() / 2.0).to_string(),
    };
    Number::parse(&text).unwrap_or_else(|| number.clone())
}
