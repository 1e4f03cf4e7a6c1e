//! The values that exist during an evaluation. Copies of a value share its contents. The memory of all live values is
//! counted, and each value stores its approximate length as text.

use super::function::Function;
use indexmap::IndexMap;
use std::borrow::Borrow;
use std::cell::Cell;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::rc::Rc;

thread_local! {
    static HELD: Cell<u64> = const { Cell::new(0) };
}

/// Memory of all live values on this thread, in bytes.
pub(super) fn held() -> u64 {
    HELD.try_with(Cell::get).unwrap_or(0)
}

/// A number of bytes that count as memory in use until this object is dropped.
#[derive(Debug)]
pub(super) struct Held(u64);

impl Held {
    pub(super) fn new(bytes: usize) -> Self {
        let mut held = Self(0);
        held.grow(bytes);
        held
    }

    fn grow(&mut self, bytes: usize) {
        let bytes = bytes as u64;
        self.0 = self.0.saturating_add(bytes);
        let _ = HELD.try_with(|all| all.set(all.get().saturating_add(bytes)));
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let _ = HELD.try_with(|all| all.set(all.get().saturating_sub(self.0)));
    }
}

/// The size of a value. A part that occurs several times in the value counts each time.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Extent {
    /// Approximate length of the value as text, in bytes.
    pub bytes: u64,
    /// Nesting depth.
    pub depth: u32,
    /// True if the value contains a function.
    pub functions: bool,
}

impl Extent {
    fn around(inner: Self) -> Self {
        Self {
            bytes: inner.bytes.saturating_add(2),
            depth: inner.depth.saturating_add(1),
            functions: inner.functions,
        }
    }

    fn and(&mut self, other: Self) {
        self.bytes = self.bytes.saturating_add(other.bytes).saturating_add(1);
        self.depth = self.depth.max(other.depth);
        self.functions |= other.functions;
    }
}

/// A text whose copies share one allocation.
#[derive(Clone, Debug)]
pub(super) struct Letters(Rc<Counted>);

#[derive(Debug)]
struct Counted {
    text: Box<str>,
    _held: Held,
}

impl From<&str> for Letters {
    fn from(text: &str) -> Self {
        Self::from(text.to_string())
    }
}

impl From<String> for Letters {
    fn from(text: String) -> Self {
        let _held = Held::new(text.len() + 48);
        let text = text.into_boxed_str();
        Self(Rc::new(Counted { text, _held }))
    }
}

impl Deref for Letters {
    type Target = str;
    fn deref(&self) -> &str {
        &self.0.text
    }
}

impl Borrow<str> for Letters {
    fn borrow(&self) -> &str {
        self
    }
}

impl PartialEq for Letters {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0) || **self == **other
    }
}

impl Eq for Letters {}

impl Hash for Letters {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl Letters {
    /// True if both texts are the same allocation, not merely equal.
    pub(super) fn same(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

/// A number by which the tracer finds the origin of a value. Comparisons of values ignore tags.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Tag(u32);

/// The origin that a tag stands for.
pub(super) enum Origin {
    /// The value comes from a location in an input. The number is the index of the location in the tracer.
    Spot(u32),
    /// The recorded evaluation step (act) with this index in the tracer created the value.
    Act(u32),
    /// The value is a literal of the expression. The number is the id of the literal's node.
    Literal(u32),
}

impl Tag {
    /// The tag of a value of unknown origin. Without a tracer, every value has this tag.
    pub(super) const NONE: Self = Self(0);
    const INDEX: u32 = (1 << 30) - 1;

    pub(super) fn spot(index: u32) -> Self {
        Self(1 << 30 | index & Self::INDEX)
    }

    pub(super) fn act(index: u32) -> Self {
        Self(2 << 30 | index & Self::INDEX)
    }

    pub(super) fn literal(node: u32) -> Self {
        Self(3 << 30 | node & Self::INDEX)
    }

    pub(super) fn origin(self) -> Option<Origin> {
        let index = self.0 & Self::INDEX;
        match self.0 >> 30 {
            1 => Some(Origin::Spot(index)),
            2 => Some(Origin::Act(index)),
            3 => Some(Origin::Literal(index)),
            _ => None,
        }
    }
}

/// A value during the evaluation of an expression.
#[derive(Clone, Debug, Default)]
pub(super) enum Datum {
    /// No value: the result of a path that selects nothing.
    #[default]
    Nothing,
    Null(Tag),
    Bool(bool, Tag),
    Number(f64, Tag),
    Text(Letters, Tag),
    List(List),
    Record(Rc<Record>, Tag),
    Function(Rc<Function>),
    /// The values of a path, each with the names that the path's steps bound. Only a path around this path uses the
    /// names; all other nodes use only the values.
    Rows(Rc<Vec<Row>>),
}

/// A list: its items, which other lists may share, and its own flags.
#[derive(Clone, Debug)]
pub(super) struct List {
    items: Rc<Items>,
    extent: Extent,
    /// True if a path or a function built the list (a sequence): when the sequence is finished, a single item replaces
    /// it, and an empty sequence becomes no value.
    pub sequence: bool,
    /// True if the list stays a list even if it is a sequence with a single item, as after `[]`.
    pub keep: bool,
    /// True if the list was written in brackets as a step of a path. The items of such a list are not merged into the
    /// step's results; the list itself is one result.
    pub whole: bool,
    pub tag: Tag,
}

/// Items of a list. Their memory is counted as the list grows.
#[derive(Debug)]
pub(super) struct Items {
    all: Vec<Datum>,
    held: Held,
}

impl Default for Items {
    fn default() -> Self {
        Self {
            all: Vec::new(),
            held: Held::new(48),
        }
    }
}

impl Items {
    /// Appends an item. If the list has to grow, the memory is counted.
    pub(super) fn push(&mut self, item: Datum) {
        if self.all.len() == self.all.capacity() {
            self.reserve(self.all.len().max(4));
        }
        self.all.push(item);
    }

    /// Reserves room for this many more items.
    pub(super) fn reserve(&mut self, more: usize) {
        let before = self.all.capacity();
        self.all.reserve_exact(more);
        let grown = self.all.capacity().saturating_sub(before);
        self.held.grow(grown.saturating_mul(size_of::<Datum>()));
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    pub(super) fn all_mut(&mut self) -> &mut [Datum] {
        &mut self.all
    }
}

impl Deref for Items {
    type Target = [Datum];
    fn deref(&self) -> &[Datum] {
        &self.all
    }
}

impl List {
    /// A list without flags.
    pub(super) fn new(items: Items) -> Self {
        let mut extent = Extent::default();
        for item in items.iter() {
            extent.and(item.extent());
        }
        Self {
            items: Rc::new(items),
            extent: Extent::around(extent),
            sequence: false,
            keep: false,
            whole: false,
            tag: Tag::NONE,
        }
    }

    /// A sequence with the same items and no other flag.
    pub(super) fn as_sequence(&self) -> Self {
        Self {
            sequence: true,
            keep: false,
            whole: false,
            ..self.clone()
        }
    }

    pub(super) fn same(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.items, &other.items)
    }
}

impl Deref for List {
    type Target = [Datum];
    fn deref(&self) -> &[Datum] {
        &self.items
    }
}

/// Members of an object, in order.
#[derive(Debug)]
pub(super) struct Record {
    members: IndexMap<Letters, Datum>,
    extent: Extent,
    _held: Held,
}

impl Record {
    pub(super) fn new(members: IndexMap<Letters, Datum>) -> Self {
        let mut extent = Extent::default();
        for (name, member) in &members {
            let mut inner = member.extent();
            inner.bytes = inner.bytes.saturating_add(name.len() as u64 + 3);
            extent.and(inner);
        }
        let each = size_of::<(Letters, Datum)>() + 24;
        Self {
            _held: Held::new(members.capacity().saturating_mul(each) + 96),
            members,
            extent: Extent::around(extent),
        }
    }

    pub(super) fn members(&self) -> &IndexMap<Letters, Datum> {
        &self.members
    }

    pub(super) fn get(&self, name: &str) -> Option<&Datum> {
        self.members.get(name)
    }
}

/// A value of a path, and the names that the path's steps bound on the way to the value.
#[derive(Clone, Debug, Default)]
pub(super) struct Row {
    pub value: Datum,
    pub names: Rc<Names>,
}

/// The names that the steps of a path bound, with their values; the latest is the last.
#[derive(Debug, Default)]
pub(super) struct Names {
    pub bound: Vec<(Letters, Datum)>,
    _held: Option<Held>,
}

impl Names {
    /// Returns a copy with one more name. An older binding of the same name is removed.
    pub(super) fn with(&self, name: &Letters, value: Datum) -> Self {
        let mut bound: Vec<_> = self
            .bound
            .iter()
            .filter(|(key, _)| key != name)
            .cloned()
            .collect();
        bound.push((name.clone(), value));
        let held = Held::new(bound.capacity() * size_of::<(Letters, Datum)>() + 64);
        Self {
            bound,
            _held: Some(held),
        }
    }
}

impl Datum {
    pub(super) fn null() -> Self {
        Self::Null(Tag::NONE)
    }

    pub(super) fn bool(flag: bool) -> Self {
        Self::Bool(flag, Tag::NONE)
    }

    pub(super) fn number(number: f64) -> Self {
        Self::Number(number, Tag::NONE)
    }

    pub(super) fn text(text: impl Into<Letters>) -> Self {
        Self::Text(text.into(), Tag::NONE)
    }

    pub(super) fn record(record: Rc<Record>) -> Self {
        Self::Record(record, Tag::NONE)
    }

    pub(super) fn tag(&self) -> Tag {
        match self {
            Self::Null(tag)
            | Self::Bool(_, tag)
            | Self::Number(_, tag)
            | Self::Text(_, tag)
            | Self::Record(_, tag) => *tag,
            Self::List(list) => list.tag,
            Self::Nothing | Self::Function(_) | Self::Rows(_) => Tag::NONE,
        }
    }

    /// Replaces the tag of the value. Functions, rows and missing values have no tag and stay unchanged.
    pub(super) fn with_tag(mut self, new: Tag) -> Self {
        match &mut self {
            Self::Null(tag)
            | Self::Bool(_, tag)
            | Self::Number(_, tag)
            | Self::Text(_, tag)
            | Self::Record(_, tag) => *tag = new,
            Self::List(list) => list.tag = new,
            Self::Nothing | Self::Function(_) | Self::Rows(_) => {}
        }
        self
    }

    /// Gives the tag to the value and to all its parts that have no tag, and adds their number to `parts`. A value that
    /// has a tag is left as it is, because all of its parts have tags.
    pub(super) fn tagged(self, tag: Tag, parts: &mut usize) -> Self {
        if self.tag() != Tag::NONE {
            return self;
        }
        let mut value = self.with_tag(tag);
        *parts = parts.saturating_add(1);
        match &mut value {
            Self::List(list) => {
                let items = Rc::get_mut(&mut list.items).map(Items::all_mut);
                match items {
                    Some(items) => tag_all(items, tag, parts),
                    None => {
                        let mut items = Items::default();
                        items.reserve(list.len());
                        list.iter().for_each(|item| items.push(item.clone()));
                        tag_all(items.all_mut(), tag, parts);
                        list.items = Rc::new(items);
                    }
                }
            }
            Self::Record(record, _) => match Rc::get_mut(record) {
                Some(record) => tag_all(record.members.values_mut(), tag, parts),
                None => {
                    let mut members = record.members.clone();
                    tag_all(members.values_mut(), tag, parts);
                    *record = Rc::new(Record::new(members));
                }
            },
            _ => {}
        }
        value
    }

    pub(super) fn is_nothing(&self) -> bool {
        matches!(self, Self::Nothing)
    }

    pub(super) fn as_str(&self) -> Option<&str> {
        match self {
            Self::Text(text, _) => Some(text),
            _ => None,
        }
    }

    /// The name of the value's type, as `$type` returns it.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Nothing => "undefined",
            Self::Null(_) => "null",
            Self::Bool(..) => "boolean",
            Self::Number(..) => "number",
            Self::Text(..) => "string",
            Self::List(_) | Self::Rows(_) => "array",
            Self::Record(..) => "object",
            Self::Function(_) => "function",
        }
    }

    pub(super) fn extent(&self) -> Extent {
        let bytes = match self {
            Self::Nothing | Self::Null(_) | Self::Bool(_, _) => 4,
            Self::Number(_, _) => 8,
            Self::Text(text, _) => text.len() as u64 + 2,
            Self::List(list) => return list.extent,
            Self::Record(record, _) => return record.extent,
            Self::Function(function) => {
                return Extent {
                    bytes: 16,
                    depth: function.depth(),
                    functions: true,
                };
            }
            Self::Rows(rows) => {
                let mut extent = Extent::default();
                for row in rows.iter() {
                    extent.and(row.value.extent());
                    for (_, value) in &row.names.bound {
                        extent.and(value.extent());
                    }
                }
                return Extent::around(extent);
            }
        };
        Extent {
            bytes,
            depth: 0,
            functions: false,
        }
    }

    /// The items of a list; an empty slice for no value; any other value as a single item.
    pub(super) fn items(&self) -> &[Datum] {
        match self {
            Self::Nothing => &[],
            Self::List(list) => list,
            other => std::slice::from_ref(other),
        }
    }

    /// True if JSONata treats the value as true, as `$boolean` does. Adds the number of values examined to `looked`.
    pub(super) fn truth(&self, looked: &mut usize) -> bool {
        *looked += 1;
        match self {
            Self::Nothing | Self::Null(_) | Self::Function(_) => false,
            Self::Bool(flag, _) => *flag,
            Self::Number(number, _) => *number != 0.0,
            Self::Text(text, _) => !text.is_empty(),
            Self::List(list) => list.iter().any(|item| item.truth(looked)),
            Self::Record(record, _) => !record.members.is_empty(),
            Self::Rows(rows) => rows.iter().any(|row| row.value.truth(looked)),
        }
    }

    /// True if both values have the same content.
    pub(super) fn equals(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null(_), Self::Null(_)) | (Self::Nothing, Self::Nothing) => true,
            (Self::Bool(left, _), Self::Bool(right, _)) => left == right,
            (Self::Number(left, _), Self::Number(right, _)) => left == right,
            (Self::Text(left, _), Self::Text(right, _)) => left == right,
            (Self::List(left), Self::List(right)) => {
                left.same(right)
                    || left.len() == right.len()
                        && left.iter().zip(right.iter()).all(|(a, b)| a.equals(b))
            }
            (Self::Record(left, _), Self::Record(right, _)) => {
                Rc::ptr_eq(left, right)
                    || left.members.len() == right.members.len()
                        && left.members.iter().all(|(name, value)| {
                            right.get(name).is_some_and(|other| value.equals(other))
                        })
            }
            (Self::Function(left), Self::Function(right)) => Rc::ptr_eq(left, right),
            _ => false,
        }
    }

    /// Unwraps a sequence: a sequence with a single item becomes that item, and an empty sequence becomes no value.
    pub(super) fn unwrapped(self) -> Self {
        match self {
            Self::List(list) if list.sequence => match (list.first(), list.len()) {
                (None, _) => Self::Nothing,
                (Some(only), 1) if !list.keep => only.clone(),
                _ => Self::List(list),
            },
            other => other,
        }
    }
}

fn tag_all<'d>(values: impl IntoIterator<Item = &'d mut Datum>, tag: Tag, parts: &mut usize) {
    for value in values {
        let untagged = std::mem::take(value);
        *value = stacker::maybe_grow(128 << 10, 2 << 20, || untagged.tagged(tag, parts));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_takes_no_room() {
        assert_eq!(size_of::<Datum>(), 32);
    }
}
