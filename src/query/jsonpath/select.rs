//! Selects the values that the steps of a path match. If requested, also records the places of these values.

use super::Selector;
use super::filter::Filter;
use crate::json::{Pointer, Step, Text, Value};
use crate::query::{Bindings, Divergence};
use std::rc::Rc;

/// The result of following definite steps, each of which selects at most one value.
pub(super) enum Walk<'v> {
    One(&'v Value),
    Merged(Value),
    /// Index of the step that has no match.
    Missing(usize),
}

/// The error of a step that selects more values than the limit.
#[derive(Debug)]
pub(super) struct TooMuch;

/// Follows definite steps; `at` collects the steps of the place that was reached.
pub(super) fn walk<'v>(
    steps: &[Selector],
    root: &'v Value,
    mut at: Option<&mut Vec<Step>>,
) -> Walk<'v> {
    let mut value = root;
    for (place, step) in steps.iter().enumerate() {
        let next = match step {
            Selector::Name(name) => value.get(name),
            Selector::Index(index) => item(value, *index).map(|(_, item)| item),
            Selector::Names(names) => {
                return match merged(value, names) {
                    Some(object) => Walk::Merged(object),
                    None => Walk::Missing(place),
                };
            }
            _ => None,
        };
        let Some(next) = next else {
            return Walk::Missing(place);
        };
        if let Some(at) = &mut at {
            at.extend(definite(step, value));
        }
        value = next;
    }
    Walk::One(value)
}

/// Converts a name or an index to a step from the value `from`; `None` if a negative index does not exist.
pub(super) fn definite(step: &Selector, from: &Value) -> Option<Step> {
    match step {
        Selector::Name(name) => Some(Step::Member(name.clone())),
        Selector::Index(index) => match usize::try_from(*index) {
            Ok(place) => Some(Step::Item(place)),
            Err(_) => item(from, *index).map(|(place, _)| Step::Item(place)),
        },
        _ => None,
    }
}

/// If the last step of a path selects several names (an object with these members), returns the other steps and the
/// names.
pub(super) fn split_names(steps: &[Selector]) -> (&[Selector], Option<&[Text]>) {
    match steps.split_last() {
        Some((Selector::Names(names), before)) => (before, Some(names)),
        _ => (steps, None),
    }
}

/// Applies one step to each value in `from`, in order.
pub(super) fn apply<'v, C: Cursor<'v>>(
    step: &Selector,
    from: &[C],
    root: &Value,
    bindings: &dyn Bindings,
) -> Result<Vec<C>, TooMuch> {
    let mut selected = Vec::new();
    for value in from {
        select(step, value, root, bindings, &mut selected)?;
        if selected.len() > bindings.selects_at_most() {
            return Err(TooMuch);
        }
    }
    Ok(selected)
}

fn select<'v, C: Cursor<'v>>(
    step: &Selector,
    from: &C,
    root: &Value,
    bindings: &dyn Bindings,
    selected: &mut Vec<C>,
) -> Result<(), TooMuch> {
    let value = from.value();
    let member = |name: &Text| value.get(name).map(|member| from.member(name, member));
    let at = |index: &i64| item(value, *index).map(|(place, item)| from.item(place, item));
    match step {
        Selector::Name(name) => selected.extend(member(name)),
        Selector::Names(names) => selected.extend(names.iter().filter_map(member)),
        Selector::Index(index) => selected.extend(at(index)),
        Selector::Indexes(indexes) => selected.extend(indexes.iter().filter_map(at)),
        Selector::Slice(start, end) => {
            if let Some(items) = value.as_array() {
                for place in slice(items.len(), *start, *end, bindings) {
                    selected.extend(items.get(place).map(|item| from.item(place, item)));
                }
            }
        }
        Selector::All => children(from, |_| true, selected),
        Selector::Descend => descend(from, bindings.selects_at_most(), selected),
        Selector::Filter(filter) => match value {
            Value::Array(array) => {
                let items = array.items();
                for place in filter.passing(value, root)? {
                    let Some(item) = items.get(place) else {
                        continue;
                    };
                    // On AWS, `@` never matches a scalar.
                    if filter.names_bare && item.depth() == 0 {
                        bindings.diverges(Divergence::ScalarFilter);
                    }
                    selected.push(from.item(place, item));
                }
            }
            _ => selected.extend(passing(filter, from, root)?),
        },
        Selector::FilterEach(filter) => selected.extend(passing(filter, from, root)?),
    }
    Ok(())
}

/// The value at `from`, if it is an object that passes the filter.
fn passing<'v, C: Cursor<'v>>(
    filter: &Filter,
    from: &C,
    root: &Value,
) -> Result<Option<C>, TooMuch> {
    if from.value().as_object().is_none() {
        return Ok(None);
    }
    let alone = Value::array(vec![from.value().clone()]);
    let passes = !filter.passing(&alone, root)?.is_empty();
    Ok(passes.then(|| from.clone()))
}

/// The item at `index`, which may be negative, with its index from the front.
fn item(value: &Value, index: i64) -> Option<(usize, &Value)> {
    let items = value.as_array()?;
    let place = match usize::try_from(index) {
        Ok(place) => place,
        Err(_) => {
            let back = usize::try_from(index.unsigned_abs()).ok()?;
            items.len().checked_sub(back)?
        }
    };
    Some((place, items.get(place)?))
}

fn children<'v, C: Cursor<'v>>(from: &C, wanted: fn(&Value) -> bool, selected: &mut Vec<C>) {
    match from.value() {
        Value::Array(array) => {
            let items = array.items().iter().enumerate();
            let items = items.filter(|(_, item)| wanted(item));
            selected.extend(items.map(|(place, item)| from.item(place, item)));
        }
        Value::Object(object) => {
            let members = object.members().iter();
            let members = members.filter(|(_, member)| wanted(member));
            selected.extend(members.map(|(name, member)| from.member(name, member)));
        }
        _ => {}
    }
}

/// Collects all containers below `from`, parents first. Stops soon after `most` containers.
fn descend<'v, C: Cursor<'v>>(from: &C, most: usize, selected: &mut Vec<C>) {
    let mut waiting = vec![from.clone()];
    while let Some(next) = waiting.pop() {
        if next.value().depth() == 0 {
            continue;
        }
        if selected.len() > most {
            return;
        }
        let start = waiting.len();
        children(&next, |value| value.depth() > 0, &mut waiting);
        selected.push(next);
        if let Some(new) = waiting.get_mut(start..) {
            new.reverse();
        }
    }
}

/// The indexes that a slice selects. If the slice has both ends, AWS's library compares the ends before it converts
/// negative ends to indexes from the front. If AWS's result differs, the difference is reported to `bindings`.
fn slice(
    length: usize,
    from: Option<i64>,
    to: Option<i64>,
    bindings: &dyn Bindings,
) -> impl Iterator<Item = usize> + use<> {
    let length = i64::try_from(length).unwrap_or(i64::MAX);
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
    let places = (start..end).map(move |place| if place < 0 { place + length } else { place });
    places.filter_map(|place| usize::try_from(place).ok())
}

/// Returns the index of the first item in a range and the number of items; `None` if the range is empty. Two ranges
/// select the same items if these results are equal.
fn places((start, end): (i64, i64), length: i64) -> Option<(i64, i64)> {
    let first = if start < 0 { start + length } else { start };
    (start < end).then_some((first, end - start))
}

/// An object with those members of `value` that are in `names`.
pub(super) fn merged(value: &Value, names: &[Text]) -> Option<Value> {
    let object = value.as_object()?;
    Some(Value::object(
        names
            .iter()
            .filter_map(|name| Some((name.clone(), object.get(name)?.clone())))
            .collect(),
    ))
}

/// A place in a document. Cloning is cheap.
#[derive(Clone, Debug, Default)]
pub(super) struct Place(Option<Rc<(Place, Part)>>);

#[derive(Debug)]
enum Part {
    Name(Text),
    /// Index from the front. For an item that does not exist, this may be the negative index of the path.
    Index(i64),
}

impl Place {
    pub(super) fn name(&self, name: &Text) -> Self {
        Self(Some(Rc::new((self.clone(), Part::Name(name.clone())))))
    }

    pub(super) fn index(&self, index: i64) -> Self {
        Self(Some(Rc::new((self.clone(), Part::Index(index)))))
    }

    /// Returns the place as a pointer, which ends before the first negative index.
    pub(super) fn pointer(&self) -> Pointer {
        let steps = self.parts().into_iter().map_while(|part| match part {
            Part::Name(name) => Some(Step::Member(name.clone())),
            Part::Index(index) => usize::try_from(*index).ok().map(Step::Item),
        });
        Pointer(steps.collect())
    }

    fn parts(&self) -> Vec<&Part> {
        let mut parts = Vec::new();
        let mut at = self;
        while let Some(inner) = &at.0 {
            parts.push(&inner.1);
            at = &inner.0;
        }
        parts.reverse();
        parts
    }
}

/// Prints the form that AWS uses: `$['a'][0]`.
impl std::fmt::Display for Place {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("$")?;
        for part in self.parts() {
            match part {
                Part::Name(name) => write!(out, "['{name}']")?,
                Part::Index(index) => write!(out, "[{index}]")?,
            }
        }
        Ok(())
    }
}

/// A value that was reached by following a path, with or without a record of its place.
pub(super) trait Cursor<'v>: Clone {
    fn value(&self) -> &'v Value;

    /// Moves to a member of the value.
    fn member(&self, name: &Text, value: &'v Value) -> Self;

    /// Moves to an item of the value.
    fn item(&self, index: usize, value: &'v Value) -> Self;

    /// The place of the value; the root if places are not recorded.
    fn pointer(&self) -> Pointer;
}

impl<'v> Cursor<'v> for &'v Value {
    fn value(&self) -> &'v Value {
        self
    }

    fn member(&self, _: &Text, value: &'v Value) -> Self {
        value
    }

    fn item(&self, _: usize, value: &'v Value) -> Self {
        value
    }

    fn pointer(&self) -> Pointer {
        Pointer::root()
    }
}

/// A value with its place in the document.
#[derive(Clone, Debug)]
pub(super) struct Located<'v> {
    value: &'v Value,
    place: Place,
}

impl<'v> Located<'v> {
    pub(super) fn root(value: &'v Value) -> Self {
        Self {
            value,
            place: Place::default(),
        }
    }
}

impl<'v> Cursor<'v> for Located<'v> {
    fn value(&self) -> &'v Value {
        self.value
    }

    fn member(&self, name: &Text, value: &'v Value) -> Self {
        Self {
            value,
            place: self.place.name(name),
        }
    }

    fn item(&self, index: usize, value: &'v Value) -> Self {
        Self {
            value,
            place: self.place.index(i64::try_from(index).unwrap_or(i64::MAX)),
        }
    }

    fn pointer(&self) -> Pointer {
        self.place.pointer()
    }
}
