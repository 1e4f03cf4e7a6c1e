//! The run's values as the engine's and back; large documents are converted once.
//!
//! It must not know expressions.

use crate::json::{Number, Value};
use crate::query::jsonata::Failure;
use jsonata_core::value::{JMap, JValue, with_stack};
use std::rc::Rc;

/// Smaller values are converted each time.
const WORTH_KEEPING: u64 = 1 << 10;
/// So many converted documents are kept.
const KEPT: usize = 16;
/// A result of more values than this is ended.
const MOST_VALUES: usize = 1_000_000;

/// Documents that were converted lately.
#[derive(Default)]
pub(super) struct Documents {
    kept: Vec<(Value, JValue)>,
}

impl Documents {
    /// A value as the engine has it.
    pub(super) fn get(&mut self, value: &Value) -> JValue {
        if value.size() < WORTH_KEEPING {
            return to_engine(value);
        }
        if let Some(place) = self.kept.iter().position(|(own, _)| own.same(value)) {
            let found = self.kept.remove(place);
            let made = found.1.clone();
            self.kept.push(found);
            return made;
        }
        let made = to_engine(value);
        if self.kept.len() >= KEPT {
            self.kept.remove(0);
        }
        self.kept.push((value.clone(), made.clone()));
        made
    }
}

pub(super) fn to_engine(value: &Value) -> JValue {
    match value {
        Value::Null => JValue::Null,
        Value::Bool(flag) => JValue::Bool(*flag),
        Value::Number(number) => JValue::Number(number.as_f64()),
        Value::String(text) => JValue::string(&**text),
        Value::Array(array) => {
            with_stack(|| JValue::array(array.items().iter().map(to_engine).collect()))
        }
        Value::Object(object) => with_stack(|| {
            let members = object.members().iter();
            let map: JMap = members
                .map(|(name, member)| (name.to_string(), to_engine(member)))
                .collect();
            JValue::Object(Rc::new(map))
        }),
    }
}

/// A result as the run has it.
pub(super) fn from_engine(value: &JValue) -> Result<Value, Failure> {
    let mut left = MOST_VALUES;
    convert(value, &mut left)
}

fn convert(value: &JValue, left: &mut usize) -> Result<Value, Failure> {
    match left.checked_sub(1) {
        Some(rest) => *left = rest,
        None => return Err(Failure::Overdue("the result is too large".into())),
    }
    Ok(match value {
        JValue::Undefined => return Err(Failure::Undefined),
        JValue::Null => Value::Null,
        JValue::Bool(flag) => Value::Bool(*flag),
        JValue::Number(number) => match Number::from_f64(*number) {
            Some(number) => Value::Number(number),
            // AWS writes what JSON has no number for as text.
            None => Value::string(js_number(*number)),
        },
        JValue::String(text) => Value::string(&**text),
        JValue::Array(items) => {
            let mut made = Vec::with_capacity(items.len());
            for item in items.iter().filter(|item| !item.is_undefined()) {
                made.push(with_stack(|| convert(item, left))?);
            }
            Value::array(made)
        }
        JValue::Object(members) => {
            let mut made = Vec::with_capacity(members.len());
            for (name, member) in members.iter().filter(|(_, member)| !member.is_undefined()) {
                let member = with_stack(|| convert(member, left))?;
                made.push((name.as_str().into(), member));
            }
            Value::object(made)
        }
        _ => return Err(Failure::Unsupported),
    })
}

fn js_number(number: f64) -> &'static str {
    if number.is_nan() {
        "NaN"
    } else if number > 0.0 {
        "Infinity"
    } else {
        "-Infinity"
    }
}
