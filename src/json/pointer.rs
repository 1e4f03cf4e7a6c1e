//! A place inside a value, as a list of member names and array indexes.

use super::{Text, Value};
use std::fmt;

/// One step down into a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Step {
    /// To the member with this name.
    Member(Text),
    /// To the array item with this index, from 0.
    Item(usize),
}

/// Steps from the root of a value. The empty pointer is the root itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pointer(pub Vec<Step>);

impl Pointer {
    /// The pointer to the root.
    #[must_use]
    pub fn root() -> Self {
        Self::default()
    }

    /// Returns this pointer extended by one step.
    #[must_use]
    pub fn child(&self, step: Step) -> Self {
        let mut steps = self.0.clone();
        steps.push(step);
        Self(steps)
    }

    /// Returns the value at this place, if it exists.
    #[must_use]
    pub fn get<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        self.0.iter().try_fold(value, |at, step| match step {
            Step::Member(name) => at.get(name),
            Step::Item(index) => at.item(*index),
        })
    }

    /// Returns a copy of `value` with `new` at this place; `None` if the parent of the place does not exist.
    #[must_use]
    pub fn set(&self, value: &Value, new: Value) -> Option<Value> {
        set(value, &self.0, new)
    }
}

fn set(value: &Value, steps: &[Step], new: Value) -> Option<Value> {
    let Some((step, rest)) = steps.split_first() else {
        return Some(new);
    };
    match (step, value) {
        (Step::Member(name), Value::Object(object)) => {
            let child = match object.get(name) {
                Some(old) => set(old, rest, new)?,
                None if rest.is_empty() => new,
                None => return None,
            };
            Some(Value::Object(std::sync::Arc::new(object.with(name, child))))
        }
        (Step::Item(index), Value::Array(array)) => {
            let child = set(array.items().get(*index)?, rest, new)?;
            let mut items = array.items().to_vec();
            *items.get_mut(*index)? = child;
            Some(Value::array(items))
        }
        _ => None,
    }
}

/// Prints a path that can be parsed again, such as `$.order['a b'][0]`.
impl fmt::Display for Pointer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("$")?;
        for step in &self.0 {
            match step {
                Step::Item(index) => write!(out, "[{index}]")?,
                Step::Member(name) if is_plain(name) => write!(out, ".{name}")?,
                Step::Member(name) => {
                    write!(
                        out,
                        "['{}']",
                        name.replace('\\', "\\\\").replace('\'', "\\'")
                    )?;
                }
            }
        }
        Ok(())
    }
}

fn is_plain(name: &str) -> bool {
    !name.is_empty()
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || c == '_' || c == '-')
}
