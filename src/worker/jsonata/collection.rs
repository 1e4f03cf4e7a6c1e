//! Built-in functions on lists, records and values of any type, with and without callbacks.

use super::account::{Outcome, thrown};
use super::builtin::wrong_argument;
use super::datum::{Datum, Items, Letters, Record};
use super::evaluate::{Run, comparable_bytes};
use super::function::Function;
use super::number::float;
use super::text::argument;
use indexmap::{IndexMap, IndexSet};
use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

pub(super) fn boolean(run: &mut Run, given: &[Datum]) -> Outcome {
    Ok(match argument(given, 0) {
        Datum::Nothing => Datum::Nothing,
        value => Datum::bool(run.account.truth(value)?),
    })
}

pub(super) fn not(run: &mut Run, given: &[Datum]) -> Outcome {
    Ok(match argument(given, 0) {
        Datum::Nothing => Datum::Nothing,
        value => Datum::bool(!run.account.truth(value)?),
    })
}

pub(super) fn exists(_: &mut Run, given: &[Datum]) -> Outcome {
    Ok(Datum::bool(!argument(given, 0).is_nothing()))
}

/// The text argument at an index; `otherwise` if the argument is empty or missing.
fn message<'d>(given: &'d [Datum], place: usize, otherwise: &'d str) -> &'d str {
    let words = argument(given, place).as_str();
    words.filter(|words| !words.is_empty()).unwrap_or(otherwise)
}

pub(super) fn error(_: &mut Run, given: &[Datum]) -> Outcome {
    let words = message(given, 0, "$error() function evaluated");
    thrown(format!("D3137: {words}"))
}

pub(super) fn assert(_: &mut Run, given: &[Datum]) -> Outcome {
    if matches!(argument(given, 0), Datum::Bool(true, _)) {
        return Ok(Datum::Nothing);
    }
    let words = message(given, 1, "$assert() statement failed");
    thrown(format!("D3141: {words}"))
}

pub(super) fn type_name(_: &mut Run, given: &[Datum]) -> Outcome {
    match argument(given, 0) {
        Datum::Nothing => Ok(Datum::Nothing),
        Datum::Number(number, _) if number.is_infinite() => {
            thrown("D1001: Number out of range: null")
        }
        value => Ok(Datum::text(value.kind())),
    }
}

pub(super) fn count(_: &mut Run, given: &[Datum]) -> Outcome {
    Ok(Datum::number(float(argument(given, 0).items().len())))
}

pub(super) fn append(run: &mut Run, given: &[Datum]) -> Outcome {
    match (argument(given, 0), argument(given, 1)) {
        (Datum::Nothing, other) | (other, Datum::Nothing) => Ok(other.clone()),
        (first, second) => {
            let mut items = run
                .account
                .items(first.items().len() + second.items().len())?;
            run.account.extend(&mut items, first.items())?;
            run.account.extend(&mut items, second.items())?;
            run.account.list(items)
        }
    }
}

pub(super) fn reverse(run: &mut Run, given: &[Datum]) -> Outcome {
    let Datum::List(list) = argument(given, 0) else {
        return Ok(argument(given, 0).clone());
    };
    if list.len() < 2 {
        return Ok(Datum::List(list.clone()));
    }
    let mut items = run.account.items(list.len())?;
    for item in list.iter().rev() {
        items.push(item.clone());
    }
    run.account.list(items)
}

pub(super) fn zip(run: &mut Run, given: &[Datum]) -> Outcome {
    let shortest = given.iter().map(|list| list.items().len()).min();
    let mut rows = run.account.items(shortest.unwrap_or(0))?;
    for place in 0..shortest.unwrap_or(0) {
        let mut row = run.account.items(given.len())?;
        for list in given {
            row.push(list.items().get(place).cloned().unwrap_or_default());
        }
        run.account.take(2)?;
        run.account.room(0)?;
        let row = run.account.list(row)?;
        rows.push(row);
    }
    run.account.list(rows)
}

pub(super) fn distinct(run: &mut Run, given: &[Datum]) -> Outcome {
    let Datum::List(list) = argument(given, 0) else {
        return Ok(argument(given, 0).clone());
    };
    if list.len() < 2 {
        return Ok(Datum::List(list.clone()));
    }
    let mut seen: HashMap<u64, Vec<usize>> = HashMap::new();
    let mut items = Items::default();
    for item in list.iter() {
        let bytes = usize::try_from(item.extent().bytes).unwrap_or(usize::MAX);
        run.account.scan(bytes)?;
        run.account.take(1)?;
        let alike = seen.entry(digest(item)).or_default();
        let mut is_known = false;
        for place in alike.iter() {
            if let Some(other) = items.get(*place) {
                run.account.scan(comparable_bytes(item, other))?;
                is_known |= other.equals(item);
            }
            if is_known {
                break;
            }
        }
        if !is_known {
            alike.push(items.len());
            run.account.push(&mut items, item.clone())?;
        }
    }
    if list.sequence {
        return run.account.sequence(items);
    }
    run.account.list(items)
}

/// A hash of a value, by which equal values are found quickly. Equal values have equal hashes.
fn digest(value: &Datum) -> u64 {
    let mut hasher = DefaultHasher::new();
    match value {
        Datum::Nothing | Datum::Function(_) | Datum::Rows(_) => 0_u8.hash(&mut hasher),
        Datum::Null(_) => 1_u8.hash(&mut hasher),
        Datum::Bool(flag, _) => flag.hash(&mut hasher),
        // Negative zero equals zero.
        Datum::Number(number, _) => (number + 0.0).to_bits().hash(&mut hasher),
        Datum::Text(text, _) => (**text).hash(&mut hasher),
        Datum::List(list) => {
            for item in list.iter() {
                digest(item).hash(&mut hasher);
            }
            list.len().hash(&mut hasher);
        }
        // The order of members does not matter.
        Datum::Record(record, _) => {
            let members = record.members().iter();
            let sum = members.fold(0_u64, |sum, (name, member)| {
                let mut member_hasher = DefaultHasher::new();
                (**name).hash(&mut member_hasher);
                digest(member).hash(&mut member_hasher);
                sum.wrapping_add(member_hasher.finish())
            });
            sum.hash(&mut hasher);
        }
    }
    hasher.finish()
}

pub(super) fn keys(run: &mut Run, given: &[Datum]) -> Outcome {
    let mut names = IndexSet::new();
    collect_names(run, argument(given, 0), &mut names)?;
    let mut items = run.account.items(names.len())?;
    for name in names {
        items.push(Datum::text(name));
    }
    run.account.sequence(items)
}

fn collect_names(run: &mut Run, value: &Datum, names: &mut IndexSet<Letters>) -> Outcome<()> {
    run.account.take(1)?;
    match value {
        Datum::Record(record, _) => {
            run.account.take(record.members().len() / 4)?;
            names.extend(record.members().keys().cloned());
        }
        Datum::List(list) => {
            for item in list.iter() {
                collect_names(run, item, names)?;
            }
        }
        _ => {}
    }
    Ok(())
}

pub(super) fn lookup(run: &mut Run, given: &[Datum]) -> Outcome {
    let name = argument(given, 1).as_str().unwrap_or("undefined");
    run.member(argument(given, 0), name)
}

pub(super) fn spread(run: &mut Run, given: &[Datum]) -> Outcome {
    let mut items = Items::default();
    match argument(given, 0) {
        Datum::Record(_, _) => {
            spread_into(run, argument(given, 0), &mut items)?;
            run.account.sequence(items)
        }
        Datum::List(list) => {
            for item in list
                .iter()
                .filter(|item| !matches!(item, Datum::Function(_)))
            {
                spread_into(run, item, &mut items)?;
            }
            if list.is_empty() {
                return Ok(Datum::Nothing);
            }
            run.account.list(items)
        }
        other => Ok(other.clone()),
    }
}

fn spread_into(run: &mut Run, value: &Datum, items: &mut Items) -> Outcome<()> {
    run.account.take(1)?;
    match value {
        Datum::Record(record, _) => {
            for (name, member) in record.members() {
                let single = IndexMap::from([(name.clone(), member.clone())]);
                let single = run.account.record(single)?;
                run.account.push(items, single)?;
            }
            Ok(())
        }
        Datum::List(list) => {
            for item in list.iter() {
                spread_into(run, item, items)?;
            }
            Ok(())
        }
        other => run.account.push(items, other.clone()),
    }
}

pub(super) fn merge(run: &mut Run, given: &[Datum]) -> Outcome {
    let all = match argument(given, 0) {
        Datum::Nothing => return Ok(Datum::Nothing),
        value => value.items(),
    };
    let mut members: IndexMap<Letters, Datum> = IndexMap::new();
    for record in all {
        if let Datum::Record(record, _) = record {
            run.account.take(record.members().len() / 4 + 1)?;
            run.account.room(members.len().saturating_mul(64))?;
            for (name, member) in record.members() {
                members.insert(name.clone(), member.clone());
            }
        }
    }
    run.account.record(members)
}

/// The arguments of the callback for each item of a list: the item, its index and the list.
fn indexed(list: &Datum) -> impl Iterator<Item = [Datum; 3]> {
    let items = list.items().iter().enumerate();
    items.map(|(place, item)| [item.clone(), Datum::number(float(place)), list.clone()])
}

/// The arguments of the callback for each member of a record: the value, its name and the record.
fn named<'d>(
    whole: &'d Datum,
    record: &'d Record,
) -> impl Iterator<Item = (&'d Letters, [Datum; 3])> {
    record.members().iter().map(|(name, member)| {
        let arguments = [member.clone(), Datum::text(name.clone()), whole.clone()];
        (name, arguments)
    })
}

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
    for arguments in indexed(list) {
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
    for arguments in indexed(list) {
        if holds(run, &function, &arguments)? {
            let [item, ..] = arguments;
            run.account.push(&mut made, item)?;
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
    let mut only = None;
    for arguments in indexed(list) {
        let fits = match &function {
            None => true,
            Some(function) => holds(run, function, &arguments)?,
        };
        run.account.take(1)?;
        let [item, ..] = arguments;
        if fits && only.replace(item).is_some() {
            return thrown(
                "D3138: The $single() function expected exactly 1 matching result.  Instead it matched more.",
            );
        }
    }
    match only {
        Some(only) => Ok(only),
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
    for (_, arguments) in named(argument(given, 0), record) {
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
    for (name, arguments) in named(argument(given, 0), record) {
        if holds(run, &function, &arguments)? {
            let [member, ..] = arguments;
            members.insert(name.clone(), member);
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

/// True for values that JavaScript considers truthy. The contents of lists and records are not examined.
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
