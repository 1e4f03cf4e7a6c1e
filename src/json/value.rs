//! The JSON value. Every array and object stores its size and nesting depth, so neither has to be computed when it is
//! needed.

use super::Number;
use super::array::Array;
use super::print::quoted_len;
use std::collections::HashMap;
use std::sync::Arc;

/// Shared immutable text.
pub type Text = Arc<str>;

/// A JSON value. Cloning is cheap because strings and containers are shared.
#[derive(Clone, Debug, Default)]
pub enum Value {
    /// `null`
    #[default]
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number, including its original text.
    Number(Number),
    /// A string.
    String(Text),
    /// An array.
    Array(Arc<Array>),
    /// An object with its members in order.
    Object(Arc<Object>),
}

/// The members of an object, in order and with unique names. Also stores the object's size as compact JSON in bytes,
/// and its nesting depth.
#[derive(Clone, Debug)]
pub struct Object {
    members: Vec<(Text, Value)>,
    /// Positions of the members by name; `None` if there are few enough members to search them one by one.
    index: Option<Box<NameIndex>>,
    size: u64,
    depth: u32,
}

/// Member positions by name. Stored behind a pointer because most objects do not need it.
#[derive(Clone, Debug)]
struct NameIndex(HashMap<Text, usize>);

/// Objects with at least this many members have an index of names.
const INDEXED: usize = 24;

impl Object {
    /// Creates an object. If a name is repeated, the last value is used at the position of the first.
    #[must_use]
    pub fn new(members: Vec<(Text, Value)>) -> Self {
        Self::of_unique(match members.len() < INDEXED {
            true => unique_few(members),
            false => unique_many(members),
        })
    }

    fn of_unique(members: Vec<(Text, Value)>) -> Self {
        let commas = (members.len() as u64).saturating_sub(1);
        let size = members.iter().fold(2 + commas, |sum, (name, value)| {
            sum.saturating_add(quoted_len(name) + 1)
                .saturating_add(value.size())
        });
        let depths = members.iter().map(|(_, value)| value.depth());
        let depth = 1 + depths.max().unwrap_or(0);
        let index = (members.len() >= INDEXED).then(|| {
            let places = members.iter().enumerate();
            let index = places.map(|(place, (name, _))| (name.clone(), place));
            Box::new(NameIndex(index.collect()))
        });
        let is_unique = |index: &NameIndex| index.0.len() == members.len();
        debug_assert!(index.as_deref().is_none_or(is_unique), "a repeated name");
        Self {
            members,
            index,
            size,
            depth,
        }
    }

    /// The members, in order.
    #[must_use]
    pub fn members(&self) -> &[(Text, Value)] {
        &self.members
    }

    /// Memory that the object itself needs, in bytes; the contents of its members are not included.
    pub(super) fn own_bytes(&self) -> u64 {
        let members = self.members.capacity() * size_of::<(Text, Value)>();
        let index = self.index.as_ref().map_or(0, |index| {
            size_of::<NameIndex>() + index.0.capacity() * (size_of::<(Text, usize)>() + 1)
        });
        (size_of::<Self>() + members + index) as u64
    }

    /// The position of the member `name`.
    #[must_use]
    pub fn place(&self, name: &str) -> Option<usize> {
        match &self.index {
            Some(index) => index.0.get(name).copied(),
            None => self.members.iter().position(|(key, _)| &**key == name),
        }
    }

    /// The value of the member `name`.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        let member = self.members.get(self.place(name)?);
        member.map(|(_, value)| value)
    }

    /// Returns a copy with the member `name` set to `value`. An existing member keeps its position; a new member is the
    /// last.
    #[must_use]
    pub fn with(&self, name: &Text, value: Value) -> Self {
        let mut members = Vec::with_capacity(self.members.len() + 1);
        members.extend_from_slice(&self.members);
        match self.place(name).and_then(|place| members.get_mut(place)) {
            Some(member) => member.1 = value,
            None => members.push((name.clone(), value)),
        }
        Self::of_unique(members)
    }

    /// Returns a copy without the member `name`.
    #[must_use]
    pub fn without(&self, name: &str) -> Self {
        let others = self.members.iter().filter(|(key, _)| &**key != name);
        Self::of_unique(others.cloned().collect())
    }
}

fn unique_few(mut members: Vec<(Text, Value)>) -> Vec<(Text, Value)> {
    let mut place = 1;
    while place < members.len() {
        let (before, rest) = members.split_at_mut(place);
        let Some((name, value)) = rest.first_mut() else {
            break;
        };
        match before.iter_mut().find(|(key, _)| key == name) {
            Some(first) => {
                first.1 = std::mem::take(value);
                members.remove(place);
            }
            None => place += 1,
        }
    }
    members
}

fn unique_many(members: Vec<(Text, Value)>) -> Vec<(Text, Value)> {
    let mut places: HashMap<Text, usize> = HashMap::with_capacity(members.len());
    let mut kept: Vec<(Text, Value)> = Vec::with_capacity(members.len());
    for (name, value) in members {
        match places.get(&name).and_then(|place| kept.get_mut(*place)) {
            Some(first) => first.1 = value,
            None => {
                places.insert(name.clone(), kept.len());
                kept.push((name, value));
            }
        }
    }
    kept
}

impl Value {
    /// Creates a string.
    #[must_use]
    pub fn string(text: impl Into<Text>) -> Self {
        Self::String(text.into())
    }

    /// Creates an array.
    #[must_use]
    pub fn array(items: Vec<Value>) -> Self {
        Self::Array(Arc::new(Array::new(items)))
    }

    /// Creates an object; see [`Object::new`] for repeated names.
    #[must_use]
    pub fn object(members: Vec<(Text, Value)>) -> Self {
        Self::Object(Arc::new(Object::new(members)))
    }

    /// Creates an empty object.
    #[must_use]
    pub fn empty_object() -> Self {
        Self::object(Vec::new())
    }

    /// The text, if this is a string.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// The number, if this is a number.
    #[must_use]
    pub fn as_number(&self) -> Option<&Number> {
        match self {
            Self::Number(number) => Some(number),
            _ => None,
        }
    }

    /// The boolean, if this is a boolean.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(flag) => Some(*flag),
            _ => None,
        }
    }

    /// The items, if this is an array.
    #[must_use]
    pub fn as_array(&self) -> Option<&[Value]> {
        match self {
            Self::Array(array) => Some(array.items()),
            _ => None,
        }
    }

    /// True if this is an array.
    #[must_use]
    pub fn is_array(&self) -> bool {
        matches!(self, Self::Array(_))
    }

    /// The item at `index`, if this is an array; see [`Array::get`].
    #[must_use]
    pub fn item(&self, index: usize) -> Option<&Value> {
        match self {
            Self::Array(array) => array.get(index),
            _ => None,
        }
    }

    /// The object, if this is an object.
    #[must_use]
    pub fn as_object(&self) -> Option<&Object> {
        match self {
            Self::Object(object) => Some(object),
            _ => None,
        }
    }

    /// Returns this value merged with `under`. Members of two objects are combined; if both objects have a member, its
    /// two values are merged in the same way. Otherwise the result is a copy of this value.
    #[must_use]
    pub fn over(&self, under: &Self) -> Self {
        let (Self::Object(upper), Self::Object(others)) = (self, under) else {
            return self.clone();
        };
        let mut whole = (**others).clone();
        for (name, value) in upper.members() {
            let under = others.get(name).unwrap_or(&Self::Null);
            whole = whole.with(name, value.over(under));
        }
        Self::Object(Arc::new(whole))
    }

    /// The value of the member `name`, if this is an object with such a member.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.as_object().and_then(|object| object.get(name))
    }

    /// Length as compact JSON in UTF-8 bytes; saturates at the maximum of `u64`.
    #[must_use]
    pub fn size(&self) -> u64 {
        match self {
            Self::Null | Self::Bool(true) => 4,
            Self::Bool(false) => 5,
            Self::Number(number) => number.text_len() as u64,
            Self::String(text) => quoted_len(text),
            Self::Array(array) => array.size,
            Self::Object(object) => object.size,
        }
    }

    /// Nesting depth: 0 for a scalar, 1 for a container without inner containers, and so on.
    #[must_use]
    pub fn depth(&self) -> u32 {
        match self {
            Self::Array(array) => array.depth,
            Self::Object(object) => object.depth,
            _ => 0,
        }
    }

    /// True if both values are the same container in memory; the contents are not compared.
    #[must_use]
    pub fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Array(a), Self::Array(b)) => Arc::ptr_eq(a, b),
            (Self::Object(a), Self::Object(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }

    /// The name of the JSON type: `null`, `boolean`, `number`, `string`, `array` or `object`.
    #[must_use]
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "boolean",
            Self::Number(_) => "number",
            Self::String(_) => "string",
            Self::Array(_) => "array",
            Self::Object(_) => "object",
        }
    }

    /// Converts to a `serde_json` value; the text of numbers is preserved.
    #[must_use]
    pub fn to_serde(&self) -> serde_json::Value {
        match self {
            Self::Null => serde_json::Value::Null,
            Self::Bool(flag) => (*flag).into(),
            Self::Number(Number::Int(int)) => (*int).into(),
            Self::Number(Number::Real(_, text)) => text
                .parse::<serde_json::Number>()
                .map_or(serde_json::Value::Null, Into::into),
            Self::String(text) => (&**text).into(),
            Self::Array(array) => array.items().iter().map(Self::to_serde).collect(),
            Self::Object(object) => {
                let members = object.members().iter();
                let members = members.map(|(name, value)| (name.to_string(), value.to_serde()));
                serde_json::Value::Object(members.collect())
            }
        }
    }
}

impl From<serde_json::Value> for Value {
    fn from(value: serde_json::Value) -> Self {
        match value {
            serde_json::Value::Null => Self::Null,
            serde_json::Value::Bool(flag) => Self::Bool(flag),
            serde_json::Value::Number(number) => {
                Number::parse(&number.to_string()).map_or(Self::Null, Self::Number)
            }
            serde_json::Value::String(text) => Self::String(text.into()),
            serde_json::Value::Array(items) => {
                Self::array(items.into_iter().map(Self::from).collect())
            }
            serde_json::Value::Object(members) => {
                let members = members.into_iter();
                let members = members.map(|(name, value)| (name.into(), Self::from(value)));
                Self::Object(Arc::new(Object::of_unique(members.collect())))
            }
        }
    }
}

impl From<bool> for Value {
    fn from(flag: bool) -> Self {
        Self::Bool(flag)
    }
}

impl From<i64> for Value {
    fn from(int: i64) -> Self {
        Self::Number(Number::Int(int))
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::string(text)
    }
}

/// Deep equality. Numbers are compared by value, and members in any order. If both values are the same container in
/// memory, its contents are not compared.
impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Number(a), Self::Number(b)) => a == b,
            (Self::String(a), Self::String(b)) => a == b,
            (Self::Array(a), Self::Array(b)) => Arc::ptr_eq(a, b) || a.equals(b),
            (Self::Object(a), Self::Object(b)) => {
                let is_in = |(name, value): &(Text, Self)| b.get(name) == Some(value);
                let (members, others) = (&a.members, &b.members);
                Arc::ptr_eq(a, b) || members.len() == others.len() && members.iter().all(is_in)
            }
            _ => false,
        }
    }
}

/// Converts a count to a number; a count above `i64::MAX` becomes `i64::MAX`.
#[must_use]
pub fn count(number: impl TryInto<i64>) -> Value {
    Value::from(number.try_into().unwrap_or(i64::MAX))
}

/// The placeholder for a value that a recording does not contain.
pub const NOT_RECORDED: &str = "(not recorded)";

/// Returns the placeholder for an unknown value.
#[must_use]
pub fn not_recorded() -> Value {
    Value::from(NOT_RECORDED)
}

/// True if the value is the placeholder for an unknown value.
#[must_use]
pub fn is_not_recorded(value: &Value) -> bool {
    value.as_str() == Some(NOT_RECORDED)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{one_line, parse};

    #[test]
    fn size_is_that_of_the_compact_text() {
        for text in [
            r#"{"a":[1,2.50,"x\ny\u0001\"é"],"b":{}}"#,
            "[]",
            "null",
            "false",
            r#""""#,
        ] {
            let value = parse(text).expect("valid");
            assert_eq!(value.size(), one_line(&value).len() as u64, "{text}");
            assert_eq!(parse(&one_line(&value)).ok().as_ref(), Some(&value));
        }
    }

    #[test]
    fn doubling_is_cheap_and_sized() {
        let mut value = Value::from("x");
        for _ in 0..80 {
            value = Value::object(vec![
                ("l".into(), value.clone()),
                ("r".into(), value.clone()),
            ]);
        }
        assert_eq!(value.depth(), 80);
        assert_eq!(value.size(), u64::MAX);
        assert!(value == value.clone());
    }

    #[test]
    fn repeated_names_keep_the_first_place_and_the_last_value() {
        for count in [3_i64, 100] {
            let members = (0..count)
                .map(|n| (Text::from((n % (count - 1)).to_string()), Value::from(n)))
                .collect();
            let object = Object::new(members);
            assert_eq!(object.members().len() as i64, count - 1);
            assert_eq!(object.get("0"), Some(&Value::from(count - 1)));
            assert_eq!(object.without("0").get("0"), None);
        }
    }
}
