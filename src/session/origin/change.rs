//! Which of the values that an expression reads decides what it gives at a place: each is changed in turn, and the
//! expression evaluated again.
//!
//! It must not know the language of the expression.

use super::document::{Code, Documents};
use crate::json::{Number, Pointer, Step, Value};
use crate::query::trace::Base;
use std::mem::discriminant;

/// At most so many values are changed.
const TRIES: usize = 400;
/// The same of JSONata, which may take long.
const JSONATA_TRIES: usize = 48;
/// So many failures end it: what takes too long fails.
const FAILURES: usize = 4;
/// Of more equal values it is not tried which one is picked.
const EQUAL: usize = 8;
/// So many scalars below what is read whole are tried.
const PARTS: usize = 64;
/// So many places without a value are tried.
const LACKS: usize = 4;
/// So deep a value is looked into for its first scalar.
const DEEPEST: usize = 64;
/// At most about so many bytes are evaluated altogether.
const WORK: u64 = 8 << 20;

/// What decides what an expression gives at a place.
pub(super) enum Decision {
    /// The value at this place, which it is, and no other one.
    Picked(Base, Pointer),
    /// The value at this place.
    By(Base, Pointer),
    /// That there is nothing at this place.
    Nothing(Base, Pointer),
    /// The expression's text alone.
    Text,
    /// It was not found.
    Unknown,
}

/// What decides what an expression gives at `rest`; an array or an object comes from where its first scalar does, not
/// from what chose it.
pub(super) fn deciding(documents: &Documents<'_>, code: Code<'_>, rest: &[Step]) -> Decision {
    let mut place = Pointer(rest.to_vec());
    let given = documents.eval(code, None);
    let Some(given) = given.as_ref().and_then(|given| place.get(given)) else {
        return Decision::Unknown;
    };
    let (way, leaf) = first_leaf(given);
    let given = given.clone();
    place.0.extend(way.iter().cloned());
    if let Some((base, at, is_picked)) = decided(documents, code, &place, &leaf) {
        let whole = at.0.strip_suffix(way.as_slice()).filter(|_| is_picked);
        let whole = whole.map(|above| Pointer(above.to_vec()));
        let is_given = |whole: &Pointer| {
            let held = documents.value(&base);
            held.is_some_and(|held| whole.get(&held) == Some(&given))
        };
        return match whole.filter(is_given) {
            Some(whole) => Decision::Picked(base, whole),
            None => Decision::By(base, at),
        };
    }
    match lacking(documents, code, &place, &leaf) {
        Some((base, at)) => Decision::Nothing(base, at),
        None if is_written(code, &leaf) => Decision::Text,
        None => Decision::Unknown,
    }
}

/// A place without a value that an expression reads: with one there, it would give another value.
fn lacking(
    documents: &Documents<'_>,
    code: Code<'_>,
    place: &Pointer,
    given: &Value,
) -> Option<(Base, Pointer)> {
    let Code::Jsonata(expression) = code else {
        return None;
    };
    let lacks = documents.lacks(&expression.text);
    lacks.into_iter().take(LACKS).find(|(base, at)| {
        let Some(whole) = documents.value(base) else {
            return false;
        };
        let puts = [
            Some(Value::from("~")),
            Number::parse("1").map(Value::Number),
        ];
        puts.into_iter().flatten().any(|put| {
            let changed = with(&whole, at, put);
            let made = changed.and_then(|whole| documents.eval(code, Some((base, &whole))));
            made.is_some_and(|made| place.get(&made) != Some(given))
        })
    })
}

/// A value with another one at a place, and the objects above that which are not there.
fn with(whole: &Value, at: &Pointer, value: Value) -> Option<Value> {
    let holds = |count: &usize| {
        let above = at.0.get(..*count).unwrap_or_default().to_vec();
        Pointer(above)
            .get(whole)
            .is_some_and(|value| value.as_object().is_some())
    };
    let count = (0..at.0.len()).rev().find(holds)?;
    let (head, tail) = at.0.split_at_checked(count + 1)?;
    let mut made = value;
    for step in tail.iter().rev() {
        let Step::Member(name) = step else {
            return None;
        };
        made = Value::object(vec![(name.clone(), made)]);
    }
    Pointer(head.to_vec()).set(whole, made)
}

/// The way down to the first scalar in a value, and that.
fn first_leaf(value: &Value) -> (Vec<Step>, Value) {
    let mut way = Vec::new();
    let mut value = value.clone();
    while way.len() < DEEPEST {
        let (step, inner) = match &value {
            Value::Object(object) => match object.members().first() {
                Some((name, inner)) => (Step::Member(name.clone()), inner.clone()),
                None => break,
            },
            Value::Array(items) => match items.get(0) {
                Some(inner) => (Step::Item(0), inner.clone()),
                None => break,
            },
            _ => break,
        };
        way.push(step);
        value = inner;
    }
    (way, value)
}

/// Whether a value stands in an expression as it is.
fn is_written(code: Code<'_>, value: &Value) -> bool {
    let text = match code {
        Code::Path(_) => return false,
        Code::Expression(expression) => expression.text(),
        Code::Jsonata(expression) => &expression.text,
    };
    let quoted = crate::json::one_line(value);
    text.contains(&quoted) || text.contains(&quoted.replace('"', "'"))
}

/// A value that is read, of one of the documents.
struct Candidate {
    whole: usize,
    at: Pointer,
    value: Value,
}

/// The place whose value it is, whatever that is, and else the first whose change changes it.
fn decided(
    documents: &Documents<'_>,
    code: Code<'_>,
    place: &Pointer,
    given: &Value,
) -> Option<(Base, Pointer, bool)> {
    let (wholes, mut candidates) = candidates(documents, code)?;
    if let Some((base, at)) = picked(documents, code, (place, given), (&wholes, &candidates)) {
        return Some((base, at, true));
    }
    // A scalar decides more narrowly than what holds it, and a number is rather made of numbers.
    let is_like = |value: &Value| discriminant(value) == discriminant(given);
    candidates.sort_by_key(|one| (is_container(&one.value), !is_like(&one.value)));
    let size: u64 = wholes.iter().map(|(_, value)| value.size()).sum();
    let most = match code {
        Code::Jsonata(_) => JSONATA_TRIES,
        Code::Path(_) | Code::Expression(_) => TRIES,
    };
    let tries = usize::try_from(WORK / size.max(1)).unwrap_or(most);
    let tries = tries.clamp(8, most);
    let (mut failures, mut fails) = (0, None);
    let all = (0..VARIANTS).flat_map(|variant| candidates.iter().map(move |one| (variant, one)));
    for (variant, one) in all.take(tries) {
        let (base, whole) = wholes.get(one.whole)?;
        let Some(other) = another(&one.value, variant) else {
            continue;
        };
        let Some(changed) = one.at.set(whole, other) else {
            continue;
        };
        let found = documents.eval(code, Some((base, &changed)));
        match found.as_ref().map(|found| place.get(found)) {
            None => {
                failures += 1;
                fails.get_or_insert_with(|| (base.clone(), one.at.clone(), false));
                if failures >= FAILURES && matches!(code, Code::Jsonata(_)) {
                    break;
                }
            }
            Some(Some(found)) if found == given => {}
            Some(_) => return Some((base.clone(), one.at.clone(), false)),
        }
    }
    fails
}

/// The place whose value stands there as it is: an object in its place, which nothing calculates with, would stand there too.
fn picked(
    documents: &Documents<'_>,
    code: Code<'_>,
    (place, given): (&Pointer, &Value),
    (wholes, candidates): (&Wholes, &[Candidate]),
) -> Option<(Base, Pointer)> {
    let mark = Value::object(vec![("~".into(), Value::from("~"))]);
    let equal = candidates.iter().filter(|one| one.value == *given);
    equal.take(EQUAL).find_map(|one| {
        let (base, whole) = wholes.get(one.whole)?;
        let changed = one.at.set(whole, mark.clone())?;
        let found = documents.eval(code, Some((base, &changed)))?;
        (place.get(&found) == Some(&mark)).then(|| (base.clone(), one.at.clone()))
    })
}

/// The places that an expression makes a scalar at `rest` of, in the order of its text: of what it reads whole, as an array or
/// an object, the scalars whose change changes it; `None` where it gives no scalar.
pub(super) fn parts(
    documents: &Documents<'_>,
    code: Code<'_>,
    rest: &[Step],
) -> Option<Vec<(Base, Pointer)>> {
    let place = Pointer(rest.to_vec());
    let given = documents.eval(code, None)?;
    let given = place.get(&given).filter(|value| !is_container(value))?;
    let mut left = PARTS;
    let mut found: Vec<(Base, Pointer)> = Vec::new();
    // Of what makes several members, a scalar that changes nothing at this one is another's.
    let mut of_others: Vec<(Base, Pointer)> = Vec::new();
    for read in documents.reads(code) {
        let Some(whole) = documents.value(&read.base) else {
            continue;
        };
        for at in &read.places {
            let Some(value) = at.get(&whole) else {
                continue;
            };
            let mut leaves = Vec::new();
            if is_container(value) {
                collect(value, at, &mut |at, value| {
                    if !is_container(value) {
                        leaves.push((at.clone(), value.clone()));
                    }
                    leaves.len() <= PARTS
                });
            }
            // So many that they cannot all be tried are told by what holds them.
            if leaves.len() > left {
                leaves.clear();
            }
            left = left.saturating_sub(leaves.len());
            leaves.retain(|(at, value)| {
                let read = (&read.base, &whole, at, value);
                decides(documents, code, read, (&place, given))
            });
            let is_other = !rest.is_empty()
                && !is_container(value)
                && !decides(
                    documents,
                    code,
                    (&read.base, &whole, at, value),
                    (&place, given),
                );
            if is_other {
                of_others.push((read.base.clone(), at.clone()));
                continue;
            }
            let own = match leaves.is_empty() {
                true => vec![at.clone()],
                false => leaves.into_iter().map(|(at, _)| at).collect(),
            };
            for at in own {
                let part = (read.base.clone(), at);
                if !found.contains(&part) {
                    found.push(part);
                }
            }
        }
    }
    Some(if found.is_empty() { of_others } else { found })
}

/// Whether another value at a place would change what an expression gives at another.
fn decides(
    documents: &Documents<'_>,
    code: Code<'_>,
    (base, whole, at, value): (&Base, &Value, &Pointer, &Value),
    (place, given): (&Pointer, &Value),
) -> bool {
    (0..VARIANTS).any(|variant| {
        let changed = another(value, variant).and_then(|other| at.set(whole, other));
        changed.is_some_and(|changed| {
            let made = documents.eval(code, Some((base, &changed)));
            made.is_none_or(|made| place.get(&made) != Some(given))
        })
    })
}

type Wholes = Vec<(Base, Value)>;

/// The documents that are read, and every value that is.
fn candidates(documents: &Documents<'_>, code: Code<'_>) -> Option<(Wholes, Vec<Candidate>)> {
    let mut wholes: Wholes = Vec::new();
    let mut found: Vec<Candidate> = Vec::new();
    for read in documents.reads(code) {
        let whole = match wholes.iter().position(|(base, _)| *base == read.base) {
            Some(whole) => whole,
            None => {
                wholes.push((read.base.clone(), documents.value(&read.base)?));
                wholes.len() - 1
            }
        };
        for at in &read.places {
            let Some(value) = wholes.get(whole).and_then(|(_, value)| at.get(value)) else {
                continue;
            };
            collect(value, at, &mut |at, value| {
                found.push(Candidate {
                    whole,
                    at: at.clone(),
                    value: value.clone(),
                });
                found.len() < 20 * TRIES
            });
        }
    }
    Some((wholes, found))
}

fn is_container(value: &Value) -> bool {
    value.as_object().is_some() || value.is_array()
}

/// Every value from here down, until `take` has enough.
pub(super) fn collect(
    value: &Value,
    at: &Pointer,
    take: &mut dyn FnMut(&Pointer, &Value) -> bool,
) -> bool {
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

/// In so many ways a value is changed.
const VARIANTS: usize = 3;

/// A value of the same type that is another; `None` where there is no such way.
fn another(value: &Value, variant: usize) -> Option<Value> {
    Some(match (value, variant) {
        (Value::Null, 0) => Value::from("~"),
        (Value::Bool(flag), 0) => Value::Bool(!flag),
        (Value::Number(number), _) => Value::Number(number_like(number, variant)),
        (Value::String(text), 0) => Value::string(format!("~{text}~")),
        (Value::String(_), 1) => Value::from(""),
        (Value::Array(array), 0) => {
            let items = array.items().iter().cloned();
            Value::array(items.chain([Value::Null]).collect())
        }
        (Value::Array(_), 1) => Value::array(Vec::new()),
        (Value::Object(object), 0) => {
            let members = object.members().iter().cloned();
            Value::object(members.chain([("~".into(), Value::Null)]).collect())
        }
        (Value::Object(_), 1) => Value::empty_object(),
        _ => return None,
    })
}

fn number_like(number: &Number, variant: usize) -> Number {
    let whole = number.as_i64();
    let text = match (variant, whole) {
        (0, Some(whole)) => whole.saturating_add(1).to_string(),
        (1, Some(whole)) => whole.saturating_neg().saturating_sub(1).to_string(),
        (_, Some(whole)) => whole.saturating_mul(1000).saturating_add(1).to_string(),
        (_, None) => (number.as_f64() / 2.0).to_string(),
    };
    Number::parse(&text).unwrap_or_else(|| number.clone())
}
