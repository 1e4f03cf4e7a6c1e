//! A place in what is shown of a value, and the steps that lead from a value to what is in it.

use crate::json::{Pointer, Step, Value, parse};

/// A string of at most this many bytes is looked at for being JSON text.
const TEXT_LIMIT: usize = 256 << 10;

/// One step down in what is shown.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Hop {
    /// Into a member or an item.
    Into(Step),
    /// Into a string that is JSON text.
    Text,
}

/// A place in what is shown: that of a value, and inside strings that are JSON text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place(pub Vec<Hop>);

impl Place {
    /// The place in the value itself: of the string, where this is inside JSON text.
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

    /// Whether it is inside JSON text.
    #[must_use]
    pub fn is_in_text(&self) -> bool {
        self.0.contains(&Hop::Text)
    }

    /// The value there.
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

/// What a string holds that is the text of an object or array.
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
