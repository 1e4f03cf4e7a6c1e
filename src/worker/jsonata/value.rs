//! Converts values of the run to the evaluator's values and back. Converted documents are cached if they are large.

use super::account::{Account, Outcome};
use super::datum::{Datum, Letters, Tag};
use super::tracer::Spots;
use crate::json::{Number, Step, Value};
use crate::query::jsonata::{Failure, js_text};
use indexmap::IndexMap;

/// Minimum size of a value whose conversion is cached, in bytes.
const WORTH_KEEPING: u64 = 1 << 10;
/// Maximum number of converted documents in the cache.
const KEPT: usize = 16;
/// Maximum total size of the documents in the cache, in bytes.
const KEPT_BYTES: u64 = 16 << 20;
/// Maximum number of values in a result.
const MOST_VALUES: usize = 1_000_000;

/// Cache of recently converted documents.
#[derive(Default)]
pub(super) struct Documents {
    kept: Vec<(Value, Datum)>,
}

impl Documents {
    /// Converts a value, using the cache.
    pub(super) fn get(&mut self, value: &Value, account: &mut Account) -> Outcome {
        if value.size() < WORTH_KEEPING {
            return from_json(value, account);
        }
        if let Some(place) = self.kept.iter().position(|(key, _)| key.same(value)) {
            let kept = self.kept.remove(place);
            let made = kept.1.clone();
            self.kept.push(kept);
            return Ok(made);
        }
        let made = from_json(value, account)?;
        self.kept.push((value.clone(), made.clone()));
        while self.kept.len() > KEPT || self.bytes() > KEPT_BYTES {
            self.kept.remove(0);
        }
        Ok(made)
    }

    fn bytes(&self) -> u64 {
        self.kept.iter().map(|(key, _)| key.size()).sum()
    }
}

/// Converts a value of the run to the evaluator's form.
pub(super) fn from_json(value: &Value, account: &mut Account) -> Outcome {
    read(value, Tag::NONE, None, account)
}

/// Like [`from_json`], but tags each part of the value with its location. `tag` is the tag of the whole value.
pub(super) fn located(
    value: &Value,
    tag: Tag,
    spots: &mut Spots,
    account: &mut Account,
) -> Outcome {
    read(value, tag, Some(spots), account)
}

fn read(value: &Value, tag: Tag, mut spots: Option<&mut Spots>, account: &mut Account) -> Outcome {
    let mut part = |step: &dyn Fn() -> Step, value: &Value, account: &mut Account| {
        let tag = spots
            .as_mut()
            .map_or(Tag::NONE, |spots| spots.part(tag, step()));
        deep(|| read(value, tag, spots.as_deref_mut(), account))
    };
    let made = match value {
        Value::Null => Datum::null(),
        Value::Bool(flag) => Datum::bool(*flag),
        Value::Number(number) => Datum::number(number.as_f64()),
        Value::String(text) => {
            account.room(text.len())?;
            Datum::text(&**text)
        }
        Value::Array(array) => {
            let mut items = account.items(array.items().len())?;
            for (place, item) in array.items().iter().enumerate() {
                items.push(part(&|| Step::Item(place), item, account)?);
            }
            account.list(items)?
        }
        Value::Object(object) => {
            let mut members = IndexMap::with_capacity(object.members().len());
            for (name, member) in object.members() {
                let member = part(&|| Step::Member(name.clone()), member, account)?;
                members.insert(Letters::from(&**name), member);
            }
            account.record(members)?
        }
    };
    Ok(made.with_tag(tag))
}

pub(super) fn deep<T>(work: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(128 << 10, 2 << 20, work)
}

/// Converts a result to the run's form.
pub(super) fn to_json(value: &Datum) -> Result<Value, Failure> {
    let mut left = MOST_VALUES;
    convert(value, &mut left)
}

fn convert(value: &Datum, left: &mut usize) -> Result<Value, Failure> {
    match left.checked_sub(1) {
        Some(rest) => *left = rest,
        None => {
            return Err(Failure::Bound(
                "the result of the expression is too large".into(),
            ));
        }
    }
    Ok(match value {
        Datum::Nothing => return Err(Failure::Undefined),
        Datum::Null(_) => Value::Null,
        Datum::Bool(flag, _) => Value::Bool(*flag),
        Datum::Number(number, _) => match Number::from_f64(*number) {
            Some(number) => Value::Number(number),
            // AWS turns numbers that JSON cannot represent into strings.
            None => Value::string(js_text(*number)),
        },
        Datum::Text(text, _) => Value::string(&**text),
        Datum::List(list) => {
            let mut made = Vec::with_capacity(list.len());
            for item in list.iter() {
                // JSON cannot represent a missing value in an array, so it becomes null.
                made.push(match item {
                    Datum::Nothing => Value::Null,
                    item => deep(|| convert(item, left))?,
                });
            }
            Value::array(made)
        }
        Datum::Record(record, _) => {
            let mut made = Vec::with_capacity(record.members().len());
            for (name, member) in record.members() {
                if !member.is_nothing() {
                    made.push(((&**name).into(), deep(|| convert(member, left))?));
                }
            }
            Value::object(made)
        }
        Datum::Rows(rows) => {
            let mut made = Vec::with_capacity(rows.len());
            for row in rows.iter() {
                made.push(deep(|| convert(&row.value, left))?);
            }
            Value::array(made)
        }
        Datum::Function(_) => return Err(Failure::Unsupported),
    })
}
