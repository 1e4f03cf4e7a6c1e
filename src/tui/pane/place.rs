//! A position in a displayed value, including JSON text inside strings.

use crate::json::{Pointer, Step, Value, parse};

/// Maximum length of a string that is checked for being JSON text, in bytes.
const TEXT_LIMIT: usize = 256 << 10;

/// One step down in a displayed value.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Hop {
    /// Into a member or an item.
    Into(Step),
    /// Into a string that contains JSON text.
    Text,
}

/// A position in a displayed value; it may be inside a string that contains JSON text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place(pub Vec<Hop>);

impl Place {
    /// The position in the value itself; for a place inside JSON text, that of the string.
    #[must_use]
    pub fn pointer(&self) -> Pointer {
        Pointer(
            self.0
                .iter()
                .map_while(|hop| match hop {
                    Hop::Into(step) => Some(step.clone()),
                    Hop::Text => None,
                })
                .collect(),
        )
    }

    /// True if the position is inside JSON text.
    #[must_use]
    pub fn is_in_text(&self) -> bool {
        self.0.contains(&Hop::Text)
    }

    /// The value at the position.
    #[must_use]
    pub fn get(&self, value: &Value) -> Option<Value> {
        self.0.iter().try_fold(value.clone(), |at, hop| match hop {
            Hop::Into(Step::Member(name)) => at.get(name).cloned(),
            Hop::Into(Step::Item(index)) => at.item(*index).cloned(),
            Hop::Text => json_text(&at),
        })
    }

    pub(super) fn child(&self, hop: Hop) -> Self {
        let mut hops = self.0.clone();
        hops.push(hop);
        Self(hops)
    }
}

/// The parsed object or array if a string contains JSON text.
#[must_use]
pub fn json_text(value: &Value) -> Option<Value> {
    let text = value.as_str()?.trim();
    let looks = (text.starts_with('{') && text.ends_with('}'))
        || (text.starts_with('[') && text.ends_with(']'));
    if !looks || text.len() < 3 || text.len() > TEXT_LIMIT {
        return None;
    }
    parse(text).ok()
}

pub(super) fn has_children(value: &Value) -> bool {
    match value {
        Value::Array(array) => !array.is_empty(),
        Value::Object(object) => !object.members().is_empty(),
        _ => false,
    }
}

pub(super) fn get<'v>(value: &'v Value, step: &Step) -> Option<&'v Value> {
    match step {
        Step::Member(name) => value.get(name),
        Step::Item(index) => value.item(*index),
    }
}

pub(super) fn steps(value: &Value) -> impl Iterator<Item = (Step, &Value)> {
    steps_from(value, 0)
}

pub(super) fn steps_from(value: &Value, from: usize) -> impl Iterator<Item = (Step, &Value)> {
    let members = value.as_object().map_or(&[][..], |object| object.members());
    let array = match value {
        Value::Array(array) => Some(array),
        _ => None,
    };
    let members = members.iter().skip(from);
    let items = array
        .into_iter()
        .flat_map(move |array| (from..).zip(array.from(from)));
    members
        .map(|(name, child)| (Step::Member(name.clone()), child))
        .chain(items.map(|(index, child)| (Step::Item(index), child)))
}
