//! Selects the values that the steps of a path match.
//!
//! It must not know the text of a path.

use super::Selector;
use super::filter::Filter;
use crate::json::{Text, Value};
use crate::query::{Bindings, Divergence};

/// The result of following definite steps.
pub(super) enum Walk<'v> {
    One(&'v Value),
    Merged(Value),
    /// Index of the step without a match.
    Missing(usize),
}

/// The matches of an indefinite path.
pub(super) struct List(pub(super) Vec<Value>);

/// A step selected more values than it may.
#[derive(Debug)]
pub(super) struct TooMuch;

/// Follows definite steps.
pub(super) fn walk<'v>(steps: &[Selector], root: &'v Value) -> Walk<'v> {
    let mut value = root;
    for (place, step) in steps.iter().enumerate() {
        let next = match step {
            Selector::Name(name) => value.get(name),
            Selector::Index(index) => item(value, *index),
            Selector::Names(names) => {
                return match merged(value, names) {
                    Some(object) => Walk::Merged(object),
                    None => Walk::Missing(place),
                };
            }
            _ => None,
        };
        match next {
            Some(next) => value = next,
            None => return Walk::Missing(place),
        }
    }
    Walk::One(value)
}

/// Follows any steps.
pub(super) fn list(
    steps: &[Selector],
    root: &Value,
    bindings: &dyn Bindings,
) -> Result<List, TooMuch> {
    let (steps, names) = match steps.split_last() {
        Some((Selector::Names(names), before)) => (before, Some(names)),
        _ => (steps, None),
    };
    let mut found = vec![root];
    for step in steps {
        found = apply(step, &found, root, bindings)?;
    }
    Ok(List(match names {
        None => found.into_iter().cloned().collect(),
        Some(names) => found
            .into_iter()
            .filter_map(|value| merged(value, names))
            .filter(|object| object.size() > 2)
            .collect(),
    }))
}

/// Applies one step to each of `from`, in order.
pub(super) fn apply<'v>(
    step: &Selector,
    from: &[&'v Value],
    root: &Value,
    bindings: &dyn Bindings,
) -> Result<Vec<&'v Value>, TooMuch> {
    let mut found = Vec::new();
    for value in from {
        select(step, value, root, bindings, &mut found)?;
        if found.len() > bindings.selects_at_most() {
            return Err(TooMuch);
        }
    }
    Ok(found)
}

fn select<'v>(
    step: &Selector,
    value: &'v Value,
    root: &Value,
    bindings: &dyn Bindings,
    found: &mut Vec<&'v Value>,
) -> Result<(), TooMuch> {
    match step {
        Selector::Name(name) => found.extend(value.get(name)),
        Selector::Names(names) => found.extend(names.iter().filter_map(|name| value.get(name))),
        Selector::Index(index) => found.extend(item(value, *index)),
        Selector::Indexes(indexes) => {
            found.extend(indexes.iter().filter_map(|index| item(value, *index)));
        }
        Selector::Slice(from, to) => {
            if let Some(items) = value.as_array() {
                slice(items, *from, *to, bindings, found);
            }
        }
        Selector::All => children(value, found),
        Selector::Descend => descend(value, bindings.selects_at_most(), found),
        Selector::Filter(filter) => match value {
            Value::Array(array) => {
                // For AWS, `@` never matches a scalar.
                let note = |item: &Value| {
                    if filter.names_bare() && item.depth() == 0 {
                        bindings.diverges(Divergence::ScalarFilter);
                    }
                };
                let items = array.items();
                found.extend(
                    filter
                        .passing(value, root)?
                        .into_iter()
                        .filter_map(|place| items.get(place))
                        .inspect(|item| note(item)),
                );
            }
            _ => found.extend(passing(filter, value, root)?),
        },
        Selector::FilterEach(filter) => found.extend(passing(filter, value, root)?),
    }
    Ok(())
}

/// The object `value` if it passes.
fn passing<'v>(
    filter: &Filter,
    value: &'v Value,
    root: &Value,
) -> Result<Option<&'v Value>, TooMuch> {
    if value.as_object().is_none() {
        return Ok(None);
    }
    let alone = Value::array(vec![value.clone()]);
    let passes = !filter.passing(&alone, root)?.is_empty();
    Ok(passes.then_some(value))
}

fn item(value: &Value, index: i64) -> Option<&Value> {
    let items = value.as_array()?;
    match usize::try_from(index) {
        Ok(place) => items.get(place),
        Err(_) => {
            let back = usize::try_from(index.unsigned_abs()).ok()?;
            items.get(items.len().checked_sub(back)?)
        }
    }
}

fn children<'v>(value: &'v Value, found: &mut Vec<&'v Value>) {
    match value {
        Value::Array(array) => found.extend(array.items()),
        Value::Object(object) => found.extend(object.members().iter().map(|(_, value)| value)),
        _ => {}
    }
}

/// Containers from `value` down, parents first; a little more than `most` at the most.
fn descend<'v>(value: &'v Value, most: usize, found: &mut Vec<&'v Value>) {
    let mut waiting = vec![value];
    while let Some(next) = waiting.pop() {
        if next.depth() == 0 {
            continue;
        }
        if found.len() > most {
            return;
        }
        found.push(next);
        let start = waiting.len();
        match next {
            Value::Array(array) => {
                waiting.extend(array.items().iter().filter(|item| item.depth() > 0));
            }
            Value::Object(object) => waiting.extend(
                object
                    .members()
                    .iter()
                    .map(|(_, value)| value)
                    .filter(|value| value.depth() > 0),
            ),
            _ => {}
        }
        if let Some(new) = waiting.get_mut(start..) {
            new.reverse();
        }
    }
}

/// A slice. With two ends, AWS's library compares them before it resolves a negative one, which is noted.
fn slice<'v>(
    items: &'v [Value],
    from: Option<i64>,
    to: Option<i64>,
    bindings: &dyn Bindings,
    found: &mut Vec<&'v Value>,
) {
    let length = i64::try_from(items.len()).unwrap_or(i64::MAX);
    let from_front = |end: i64| {
        if end < 0 {
            end.saturating_add(length).max(0)
        } else {
            end.min(length)
        }
    };
    let asked = (from.map_or(0, from_front), to.map_or(length, from_front));
    let literal = match (from, to) {
        (Some(from), Some(to)) => (from.max(-length), to.min(length)),
        _ => asked,
    };
    if places(literal, length) != places(asked, length) {
        bindings.diverges(Divergence::Slice);
    }
    let (start, end) = asked;
    for place in start..end {
        let place = if place < 0 { place + length } else { place };
        found.extend(
            usize::try_from(place)
                .ok()
                .and_then(|place| items.get(place)),
        );
    }
}

/// First index and count of a range; empty ranges are equal wherever they would begin.
fn places((start, end): (i64, i64), length: i64) -> Option<(i64, i64)> {
    let first = if start < 0 { start + length } else { start };
    (start < end).then_some((first, end - start))
}

/// The members `names` of an object, as far as it has them.
pub(super) fn merged(value: &Value, names: &[Text]) -> Option<Value> {
    let object = value.as_object()?;
    Some(Value::object(
        names
            .iter()
            .filter_map(|name| Some((name.clone(), object.get(name)?.clone())))
            .collect(),
    ))
}
