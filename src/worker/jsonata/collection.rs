//! Built-in functions on lists, records and values of any type.

use super::account::{Outcome, thrown};
use super::datum::{Datum, Items, Letters};
use super::evaluate::{Run, comparable_bytes};
use super::number::float;
use super::text::argument;
use indexmap::{IndexMap, IndexSet};
use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

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

pub(super) fn error(_: &mut Run, given: &[Datum]) -> Outcome {
    let words = argument(given, 0)
        .as_str()
        .filter(|words| !words.is_empty());
    thrown(format!(
        "D3137: {}",
        words.unwrap_or("$error() function evaluated")
    ))
}

pub(super) fn assert(_: &mut Run, given: &[Datum]) -> Outcome {
    if matches!(argument(given, 0), Datum::Bool(true, _)) {
        return Ok(Datum::Nothing);
    }
    let words = argument(given, 1)
        .as_str()
        .filter(|words| !words.is_empty());
    thrown(format!(
        "D3141: {}",
        words.unwrap_or("$assert() statement failed")
    ))
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
        let mut found = false;
        for place in alike.iter() {
            if let Some(other) = items.get(*place) {
                run.account.scan(comparable_bytes(item, other))?;
                found |= other.equals(item);
            }
            if found {
                break;
            }
        }
        if !found {
            alike.push(items.len());
            run.account.push(&mut items, item.clone())?;
        }
    }
    if list.sequence {
        return run.account.sequence(items);
    }
    run.account.list(items)
}

/// A hash that equal values share.
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
                let mut own = DefaultHasher::new();
                (**name).hash(&mut own);
                digest(member).hash(&mut own);
                sum.wrapping_add(own.finish())
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
