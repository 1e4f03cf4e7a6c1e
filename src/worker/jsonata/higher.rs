//! Built-in functions that take callbacks.

use super::account::{Outcome, thrown};
use super::datum::{Datum, Items, Letters};
use super::evaluate::{Run, comparable_bytes};
use super::function::Function;
use super::number::float;
use super::signature::wrong_argument;
use super::text::argument;
use indexmap::IndexMap;
use std::rc::Rc;

fn callback(given: &[Datum], place: usize, name: &str) -> Outcome<Rc<Function>> {
    match argument(given, place) {
        Datum::Function(function) => Ok(Rc::clone(function)),
        _ => wrong_argument(place + 1, name),
    }
}

pub(super) fn map(run: &mut Run, given: &[Datum]) -> Outcome {
    let list = argument(given, 0);
    if list.is_nothing() {
        return Ok(Datum::Nothing);
    }
    let function = callback(given, 1, "map")?;
    let mut made = Items::default();
    for (place, item) in list.items().iter().enumerate() {
        let arguments = [item.clone(), Datum::number(float(place)), list.clone()];
        let value = run.call_back(&function, &arguments)?;
        if !value.is_nothing() {
            run.account.push(&mut made, value)?;
        }
    }
    run.account.sequence(made)
}

pub(super) fn filter(run: &mut Run, given: &[Datum]) -> Outcome {
    let list = argument(given, 0);
    if list.is_nothing() {
        return Ok(Datum::Nothing);
    }
    let function = callback(given, 1, "filter")?;
    let mut made = Items::default();
    for (place, item) in list.items().iter().enumerate() {
        let arguments = [item.clone(), Datum::number(float(place)), list.clone()];
        if holds(run, &function, &arguments)? {
            run.account.push(&mut made, item.clone())?;
        }
    }
    run.account.sequence(made)
}

pub(super) fn single(run: &mut Run, given: &[Datum]) -> Outcome {
    let list = argument(given, 0);
    if list.is_nothing() {
        return Ok(Datum::Nothing);
    }
    let function = match argument(given, 1) {
        Datum::Nothing => None,
        _ => Some(callback(given, 1, "single")?),
    };
    let mut found = None;
    for (place, item) in list.items().iter().enumerate() {
        let fits = match &function {
            None => true,
            Some(function) => {
                let arguments = [item.clone(), Datum::number(float(place)), list.clone()];
                holds(run, function, &arguments)?
            }
        };
        run.account.take(1)?;
        if fits && found.replace(item.clone()).is_some() {
            return thrown(
                "D3138: The $single() function expected exactly 1 matching result.  Instead it matched more.",
            );
        }
    }
    match found {
        Some(found) => Ok(found),
        None => thrown(
            "D3139: The $single() function expected exactly 1 matching result.  Instead it matched 0.",
        ),
    }
}

pub(super) fn reduce(run: &mut Run, given: &[Datum]) -> Outcome {
    let list = argument(given, 0);
    if list.is_nothing() {
        return Ok(Datum::Nothing);
    }
    let function = callback(given, 1, "reduce")?;
    let arity = function.arity();
    if arity < 2 {
        return thrown(
            "D3050: The second argument of reduce function must be a function with at least two arguments",
        );
    }
    let mut items = list.items().iter().enumerate();
    let mut result = match argument(given, 2) {
        Datum::Nothing => match items.next() {
            Some((_, first)) => first.clone(),
            None => return Ok(Datum::Nothing),
        },
        first => first.clone(),
    };
    for (place, item) in items {
        let mut arguments = vec![result, item.clone()];
        if arity >= 3 {
            arguments.push(Datum::number(float(place)));
        }
        if arity >= 4 {
            arguments.push(list.clone());
        }
        result = run.call(&function, arguments, &Datum::null())?;
    }
    Ok(result)
}

pub(super) fn each(run: &mut Run, given: &[Datum]) -> Outcome {
    let Datum::Record(record, _) = argument(given, 0) else {
        return Ok(Datum::Nothing);
    };
    let function = callback(given, 1, "each")?;
    let mut made = Items::default();
    for (name, member) in record.members() {
        let arguments = [
            member.clone(),
            Datum::text(name.clone()),
            argument(given, 0).clone(),
        ];
        let value = run.call_back(&function, &arguments)?;
        if !value.is_nothing() {
            run.account.push(&mut made, value)?;
        }
    }
    run.account.sequence(made)
}

pub(super) fn sift(run: &mut Run, given: &[Datum]) -> Outcome {
    let Datum::Record(record, _) = argument(given, 0) else {
        return Ok(Datum::Nothing);
    };
    if record.members().is_empty() {
        return Ok(Datum::Nothing);
    }
    let function = callback(given, 1, "sift")?;
    let mut members: IndexMap<Letters, Datum> = IndexMap::new();
    for (name, member) in record.members() {
        let arguments = [
            member.clone(),
            Datum::text(name.clone()),
            argument(given, 0).clone(),
        ];
        if holds(run, &function, &arguments)? {
            members.insert(name.clone(), member.clone());
        }
    }
    if members.is_empty() {
        return Ok(Datum::Nothing);
    }
    run.account.record(members)
}

pub(super) fn sort(run: &mut Run, given: &[Datum]) -> Outcome {
    let list = argument(given, 0);
    let items = list.items();
    if items.len() < 2 {
        return Ok(list.clone());
    }
    let places = (0..items.len()).collect();
    let item = |place: usize| items.get(place).cloned().unwrap_or_default();
    let order = match argument(given, 1) {
        Datum::Nothing => {
            let numbers = items.iter().all(|item| matches!(item, Datum::Number(_, _)));
            let texts = items.iter().all(|item| matches!(item, Datum::Text(_, _)));
            if !numbers && !texts {
                return thrown(
                    "D3070: The single argument form of the sort function can only be applied to an array of strings or an array of numbers.  Use the second argument to specify a comparison function",
                );
            }
            run.merge_sorted(places, &mut |run, left, right| {
                let (Some(left), Some(right)) = (items.get(left), items.get(right)) else {
                    return Ok(false);
                };
                run.account.scan(comparable_bytes(left, right))?;
                Ok(match (left, right) {
                    (Datum::Number(left, _), Datum::Number(right, _)) => left > right,
                    (Datum::Text(left, _), Datum::Text(right, _)) => **left > **right,
                    _ => false,
                })
            })?
        }
        _ => {
            let function = callback(given, 1, "sort")?;
            run.merge_sorted(places, &mut |run, left, right| {
                let arguments = vec![item(left), item(right)];
                let after = run.call(&function, arguments, &Datum::null())?.unwrapped();
                Ok(is_truthy(&after))
            })?
        }
    };
    let mut sorted = run.account.items(items.len())?;
    for place in order {
        sorted.push(item(place));
    }
    run.account.list(sorted)
}

/// True for values that JavaScript considers truthy; does not look inside lists or records.
fn is_truthy(value: &Datum) -> bool {
    match value {
        Datum::Number(number, _) => *number != 0.0 && !number.is_nan(),
        Datum::List(_) | Datum::Record(_, _) | Datum::Function(_) | Datum::Rows(_) => true,
        other => other.truth(&mut 0),
    }
}

/// True if a callback's result counts as true.
fn holds(run: &mut Run, function: &Rc<Function>, given: &[Datum]) -> Outcome<bool> {
    let value = run.call_back(function, given)?.unwrapped();
    run.account.truth(&value)
}
