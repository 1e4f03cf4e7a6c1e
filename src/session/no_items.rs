//! Why a Map had no items: what made its array, and what of a filter fits none of those that were there.
//!
//! It must not know where it is shown.

use super::show::{differing, named, with_article};
use crate::definition::{PathField, State, StateKind};
use crate::interpreter::{Event, EventKind, Frame, Machine, Stage};
use crate::json::{Text, Value};
use crate::query::jsonata::{ConditionPart, literal};
use crate::query::{Bindings, Path, abridged};

/// At most so many items are looked at for what they have in common.
const MOST: usize = 1_000;

/// Why a Map had no items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoItems {
    /// What made its array: a path, an expression with its delimiters; empty where it is its input.
    pub expression: Text,
    /// Whether it is an ItemReader that gave none.
    pub is_read: bool,
    /// What a filter in it was asked of, and why nothing fits; empty where there is none.
    pub why: Text,
}

/// Why the Map had no items that an event leaves; `None` where it had some, and for other states.
pub fn no_items(event: &Event, machine: &Machine) -> Option<NoItems> {
    if event.kind != EventKind::StateExited {
        return None;
    }
    let frame = machine.frame(event.frame)?;
    let group = frame.visit.group.as_ref()?;
    let is_over = group.total == 0 && frame.visit.fault.is_none();
    let state = machine.definition().state(event.state?)?;
    is_over.then(|| of_frame(machine, frame, state)).flatten()
}

/// The same for the Map that a frame is in, as soon as its array is known to be empty.
pub fn of_frame(machine: &Machine, frame: &Frame, state: &State) -> Option<NoItems> {
    let StateKind::Map(map) = &state.kind else {
        return None;
    };
    let made = frame.visit.data.get(Stage::AfterItemsPath);
    let is_empty = made.is_some_and(|made| made.as_array().is_some_and(|items| items.is_empty()));
    let has_none = frame
        .visit
        .group
        .as_ref()
        .is_some_and(|group| group.total == 0);
    if !is_empty && !has_none {
        return None;
    }
    let data = frame.visit.data.latest(Stage::AfterInputPath);
    let bindings = machine.inspect(frame, &data);
    let (expression, picked) = match (&map.items_path, &map.items) {
        _ if map.reader.is_some() => (Text::from(""), None),
        (_, Some(items)) => match items.whole() {
            Some(own) => {
                let picked = picked_by_jsonata(&own.text, frame, &bindings);
                (format!("{{% {} %}}", own.text).into(), picked)
            }
            None => ("Items".into(), None),
        },
        (PathField::Path(path), None) => (path.text().into(), picked_by_path(path, &bindings)),
        (PathField::Whole | PathField::Null, None) => (Text::from(""), None),
    };
    let why = picked.map_or_else(String::new, |picked| picked.why());
    Some(NoItems {
        expression,
        is_read: map.reader.is_some(),
        why: why.into(),
    })
}

/// What a filter was asked of.
struct Picked {
    from: String,
    items: Vec<Value>,
    tests: Vec<Asked>,
}

/// One comparison of a filter: the member of an item by its names, and what it is compared with.
struct Asked {
    member: Vec<String>,
    is_equality: bool,
    wanted: Value,
}

impl Picked {
    /// `none of the 3 items of $.orders fits: open is a string in each of them, compared with true, a boolean`.
    fn why(&self) -> String {
        let (from, items) = (&self.from, &self.items);
        let head = match items.len() {
            0 => return format!("{from} is empty"),
            1 => format!("the only item of {from} does not fit"),
            count => format!("none of the {count} items of {from} fits"),
        };
        let reason = self.tests.iter().find_map(|test| test.misses(items));
        reason.map_or_else(|| head.clone(), |reason| format!("{head}: {reason}"))
    }
}

impl Asked {
    /// What the items have in common that keeps this from being true.
    fn misses(&self, items: &[Value]) -> Option<String> {
        let name = self.member.join(".");
        let found: Vec<&Value> = items
            .iter()
            .take(MOST)
            .filter_map(|item| {
                let mut names = self.member.iter();
                names.try_fold(item, |value, name| value.get(name))
            })
            .collect();
        let Some(first) = found.first() else {
            return Some(format!("none has {name}"));
        };
        let wanted = abridged(&self.wanted, 40);
        let (own, other) = (first.type_name(), self.wanted.type_name());
        let in_all = if found.len() > 1 {
            " in each of them"
        } else {
            ""
        };
        if found.iter().all(|value| value.type_name() == own) && own != other {
            let (own, other) = (with_article(own), with_article(other));
            return Some(match self.wanted {
                Value::Null => format!("{name} is {own}{in_all}, compared with null"),
                _ => format!("{name} is {own}{in_all}, compared with {wanted}, {other}"),
            });
        }
        let text = self.wanted.as_str().filter(|_| self.is_equality)?;
        found.iter().find_map(|value| {
            let differing = differing(value.as_str()?, text)?;
            let value = abridged(value, 40);
            Some(format!(
                "{name} is {value}, compared with {wanted}: {differing}"
            ))
        })
    }
}

/// What the first step of a path was asked of that left nothing.
fn picked_by_path(path: &Path, bindings: &dyn Bindings) -> Option<Picked> {
    let told = path.explain(bindings);
    let place = told.steps.iter().position(|step| step.count == 0)?;
    let before = match place.checked_sub(1) {
        Some(before) => told.steps.get(before)?.value.clone(),
        None => told.root,
    }?;
    let tests = path.filter_tests(place)?.iter();
    let begins = path.ranges().get(place)?.start;
    let asked = tests.map(|test| Asked {
        member: test.member.iter().map(ToString::to_string).collect(),
        is_equality: test.operator == "==",
        wanted: test.wanted.clone(),
    });
    Some(Picked {
        from: path.text().get(..begins)?.to_string(),
        items: before.as_array()?.to_vec(),
        tests: asked.collect(),
    })
}

/// What the last filter in an expression was asked of, where that is a member by its names.
fn picked_by_jsonata(text: &str, frame: &Frame, bindings: &dyn Bindings) -> Option<Picked> {
    let text = text.trim();
    let text = text
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
        .unwrap_or(text);
    let end = text.rfind(']')?;
    let begin = text.get(..end)?.rfind('[')?;
    let from = text.get(..begin)?.trim();
    let path = names(from.strip_prefix('$')?)?;
    let (_, value) = named(&path, frame, bindings)?;
    let items = match value? {
        Value::Array(array) => array.items().to_vec(),
        single => vec![single],
    };
    let tests = match ConditionPart::parse(text.get(begin + 1..end)?) {
        ConditionPart::All(tests) => tests,
        one => vec![one],
    };
    let asked = tests.into_iter().filter_map(|test| match test {
        ConditionPart::Compare {
            left, sign, right, ..
        } => Some(Asked {
            member: names(&left)?,
            is_equality: sign == "=",
            wanted: literal(&right)?,
        }),
        _ => None,
    });
    Some(Picked {
        from: from.to_string(),
        items,
        tests: asked.collect(),
    })
}

/// `status.code` by its names; `None` for anything else.
fn names(text: &str) -> Option<Vec<String>> {
    let is_name = |name: &str| {
        let mut letters = name.chars();
        !name.is_empty() && letters.all(|letter| letter.is_alphanumeric() || letter == '_')
    };
    let names: Vec<String> = text.split('.').map(ToString::to_string).collect();
    names.iter().all(|name| is_name(name)).then_some(names)
}
