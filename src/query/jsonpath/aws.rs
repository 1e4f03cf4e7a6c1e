//! Selects values exactly as Jayway JsonPath 2.0.0, the library that AWS uses, with the same error texts.

use super::Selector;
use super::criteria::Criteria;
use super::place::Place;
use super::select::merged;
use crate::json::{Step, Text, Value};
use crate::query::abridged;
use std::ops::Range;
use std::sync::Arc;

/// Maximum length of a value quoted in a message, in bytes.
const QUOTED: usize = 1_000;

/// One step of a path.
#[derive(Clone, Debug)]
pub(super) enum Token {
    Name(Text),
    /// Several names, which select one merged object; only valid at the end of a path.
    Names(Arc<[Text]>),
    /// One or more indexes. Jayway never finds a negative index.
    Indexes(Arc<[i64]>),
    /// `(@.length-N)`.
    FromEnd(i64),
    Slice(Option<i64>, Option<i64>),
    All,
    Descend,
    Filter(Arc<Criteria>),
    /// A step that Jayway cannot parse, with its error message.
    Unreadable(Text),
}

/// The reason why nothing was selected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// A member or item is missing. A wildcard over an array ignores this.
    Missing(String),
    /// The path cannot be applied to the value.
    Unfit(String),
    /// The step selects more values than the limit.
    TooMuch,
}

/// Converts the steps of a path; `ranges` are the byte ranges of the steps in `text`.
pub(super) fn tokens(steps: &[Selector], ranges: &[Range<usize>], text: &str) -> Vec<Token> {
    let written = ranges
        .iter()
        .map(|range| text.get(range.clone()).unwrap_or(""));
    steps
        .iter()
        .zip(written)
        .map(|(step, written)| token(step, written.trim_start_matches('.')))
        .collect()
}

fn token(step: &Selector, written: &str) -> Token {
    let unreadable =
        || Token::Unreadable(format!("Could not analyze path component: {written}").into());
    match step {
        _ if written.starts_with("[\"") => unreadable(),
        Selector::Name(_) | Selector::Names(_) if written.starts_with('[') => names(written),
        Selector::Name(name) => Token::Name(name.clone()),
        Selector::Names(names) => Token::Names(Arc::clone(names)),
        Selector::Index(index) if written.starts_with("[(") => {
            Token::FromEnd(index.saturating_neg())
        }
        Selector::Index(index) => Token::Indexes(Arc::from([*index])),
        Selector::Indexes(indexes) => Token::Indexes(Arc::clone(indexes)),
        Selector::Slice(from, to) => Token::Slice(*from, *to),
        Selector::All if written.starts_with('[') && written != "[*]" => unreadable(),
        Selector::All => Token::All,
        Selector::Descend => Token::Descend,
        Selector::Filter(filter) | Selector::FilterEach(filter) => {
            Token::Filter(Arc::clone(filter.criteria()))
        }
    }
}

/// Reads names in brackets as Jayway does: a name is the text between two quotes, without escapes, and the first
/// closing bracket ends the list even inside a name. Jayway finds the end of the step differently, by counting nested
/// brackets.
fn names(written: &str) -> Token {
    let mut names: Vec<Text> = Vec::new();
    let mut open = None;
    for (place, c) in written.char_indices() {
        match (c, open) {
            (']', _) => break,
            ('\'', None) => open = Some(place + 1),
            ('\'', Some(start)) => {
                names.push(written.get(start..place).unwrap_or_default().into());
                open = None;
            }
            _ => {}
        }
    }
    let mut nested = 0_i32;
    let ends = written.bytes().position(|byte| {
        nested += i32::from(byte == b'[') - i32::from(byte == b']');
        nested == 0
    });
    if ends.is_some_and(|end| end + 1 < written.len()) {
        let shown: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
        let shown = shown.join(",");
        let said = format!("Multi properties can only be used as path leafs: $[{shown}]");
        return Token::Unreadable(said.into());
    }
    match names.as_slice() {
        [name] => Token::Name(name.clone()),
        _ => Token::Names(names.into()),
    }
}

/// Selects values of a document. A definite path selects exactly one.
pub(super) fn select(
    tokens: &[Token],
    definite: bool,
    root: &Value,
    most: usize,
) -> Result<Vec<Value>, Failure> {
    select_from(tokens, definite, root, root, most)
}

/// Like [`select`], but starts at the value `from` of the document.
pub(super) fn select_from(
    tokens: &[Token],
    definite: bool,
    from: &Value,
    root: &Value,
    most: usize,
) -> Result<Vec<Value>, Failure> {
    let mut selection = Selection::new(tokens, root, most);
    selection.run(tokens, definite, from)?;
    Ok(selection
        .found
        .into_iter()
        .map(|(_, value)| value)
        .collect())
}

/// The result of applying a path, and the state while it is applied.
pub(super) struct Selection<'r> {
    /// True if a missing member is an error, which is the case if no step can select several values.
    strict: bool,
    root: &'r Value,
    most: usize,
    visited: usize,
    /// The selected values with their places. For a merged object, this is the place of the object that its members are
    /// from.
    pub found: Vec<(Place, Value)>,
    /// Places of the values to which filters were applied.
    pub filtered: Vec<Place>,
    /// The first value without the required step, and that step unless it is a negative index.
    pub missed: Option<(Place, Option<Step>)>,
}

type Done = Result<(), Failure>;

impl<'r> Selection<'r> {
    pub(super) fn new(tokens: &[Token], root: &'r Value, most: usize) -> Self {
        let one_value = |token: &Token| match token {
            Token::Name(_) | Token::Names(_) | Token::FromEnd(_) => true,
            Token::Indexes(indexes) => indexes.len() == 1,
            _ => false,
        };
        Self {
            strict: tokens.iter().all(one_value),
            root,
            most,
            visited: 0,
            found: Vec::new(),
            filtered: Vec::new(),
            missed: None,
        }
    }

    /// Applies the steps to the value `from` of the document.
    pub(super) fn run(&mut self, tokens: &[Token], definite: bool, from: &Value) -> Done {
        self.step(tokens, &Place::default(), from)?;
        if definite && self.found.is_empty() {
            return Err(Failure::Missing("No results for path: $".to_owned()));
        }
        Ok(())
    }

    fn miss(&mut self, place: &Place, step: Option<Step>) {
        self.missed.get_or_insert_with(|| (place.clone(), step));
    }

    fn step(&mut self, tokens: &[Token], place: &Place, value: &Value) -> Done {
        self.visited += 1;
        if self.visited > self.most.saturating_mul(2) || self.found.len() > self.most {
            return Err(Failure::TooMuch);
        }
        let Some((token, rest)) = tokens.split_first() else {
            self.found.push((place.clone(), value.clone()));
            return Ok(());
        };
        match token {
            Token::Name(name) => self.property(name, rest, place, value),
            Token::Names(names) => self.properties(names, rest, place, value),
            Token::Indexes(indexes) => {
                let items = self.array(token, place, value)?;
                indexes
                    .iter()
                    .try_for_each(|index| self.item(items, *index, rest, place))
            }
            Token::FromEnd(back) => {
                let items = self.array(token, place, value)?;
                self.item(items, length(items).saturating_sub(*back), rest, place)
            }
            Token::Slice(from, to) => {
                let items = self.array(token, place, value)?;
                let length = length(items);
                let (start, end) = match (*from, *to) {
                    (Some(from), Some(to)) => (from, to.min(length)),
                    (Some(from), None) if from < 0 => ((length + from).max(0), length),
                    (Some(from), None) => (from, length),
                    (None, Some(to)) if to < 0 => (0, (length + to).min(length)),
                    (None, to) => (0, to.unwrap_or(length).min(length)),
                };
                (start..end.max(start))
                    .filter(|_| length > 0)
                    .try_for_each(|index| self.item(items, index, rest, place))
            }
            Token::All => self.children(rest, place, value),
            Token::Descend => self.descend(rest, place, value),
            Token::Filter(criteria) => self.filter(criteria, rest, place, value),
            Token::Unreadable(said) => Err(Failure::Unfit(said.to_string())),
        }
    }

    fn property(&mut self, name: &Text, rest: &[Token], place: &Place, value: &Value) -> Done {
        if value.get(name).is_none() {
            self.miss(place, Some(Step::Member(name.clone())));
        }
        if value.as_object().is_none() {
            let said = format!("Property ['{name}'] not found in path {place}");
            return Err(Failure::Missing(said));
        }
        let there = place.name(name);
        match value.get(name) {
            Some(member) => self.step(rest, &there, member),
            None if rest.is_empty() => {
                Err(Failure::Missing(format!("No results for path: {there}")))
            }
            None if self.strict => {
                let said = format!("Missing property in path {there}");
                Err(Failure::Missing(said))
            }
            None => Ok(()),
        }
    }

    fn properties(&mut self, names: &[Text], rest: &[Token], place: &Place, value: &Value) -> Done {
        let quoted: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
        let quoted = quoted.join(", ");
        let Some(object) = merged(value, names) else {
            let said = format!("Property [{quoted}] not found in path {place}");
            return Err(Failure::Missing(said));
        };
        if rest.is_empty() {
            self.found.push((place.clone(), object));
            return Ok(());
        }
        Err(Failure::Unfit(format!(
            "Multi properties can only be used as path leafs: {place}[{quoted}]"
        )))
    }

    fn item(&mut self, items: &[Value], index: i64, rest: &[Token], place: &Place) -> Done {
        let item = usize::try_from(index).ok().and_then(|at| items.get(at));
        let there = place.index(index);
        match item {
            Some(item) => self.step(rest, &there, item),
            None => {
                let step = usize::try_from(index).ok().map(Step::Item);
                self.miss(place, step);
                Err(Failure::Missing(format!(
                    "Index out of bounds when evaluating path {there}"
                )))
            }
        }
    }

    /// The items of the array that a step is applied to.
    fn array<'v>(
        &mut self,
        token: &Token,
        place: &Place,
        value: &'v Value,
    ) -> Result<&'v [Value], Failure> {
        if let Value::Array(array) = value {
            return Ok(array.items());
        }
        let index = match token {
            Token::Indexes(indexes) => indexes
                .first()
                .and_then(|index| usize::try_from(*index).ok()),
            _ => None,
        };
        self.miss(place, index.map(Step::Item));
        Err(match value {
            Value::Null => Failure::Missing(format!("The path {place} is null")),
            other => Failure::Unfit(format!(
                "Filter: {} can only be applied to arrays. Current context is: {}",
                shown(token),
                abridged(other, QUOTED)
            )),
        })
    }

    fn children(&mut self, rest: &[Token], place: &Place, value: &Value) -> Done {
        match value {
            Value::Object(object) => {
                for (name, member) in object.members() {
                    self.step(rest, &place.name(name), member)?;
                }
                Ok(())
            }
            Value::Array(array) => {
                for (index, item) in (0_i64..).zip(array.items()) {
                    match self.step(rest, &place.index(index), item) {
                        Ok(()) | Err(Failure::Missing(_)) => {}
                        failed => return failed,
                    }
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Applies the next step to every matching object and array at any depth. For a matching array, the steps after it
    /// are applied to every item.
    fn descend(&mut self, tokens: &[Token], place: &Place, value: &Value) -> Done {
        let Some((target, after)) = tokens.split_first() else {
            return Ok(());
        };
        let mut waiting = vec![(place.clone(), value)];
        while let Some((place, value)) = waiting.pop() {
            self.visited += 1;
            if matches!(target, Token::Filter(_)) {
                self.filtered.push(place.clone());
            }
            let fits = self.fits(target, value)?;
            let start = waiting.len();
            match value {
                Value::Array(array) => {
                    if fits && after.is_empty() {
                        self.step(tokens, &place, value)?;
                    } else if fits {
                        for (index, item) in (0_i64..).zip(array.items()) {
                            self.step(after, &place.index(index), item)?;
                        }
                    }
                    let items = (0_i64..).zip(array.items());
                    let deep = items.filter(|(_, item)| item.depth() > 0);
                    waiting.extend(deep.map(|(index, item)| (place.index(index), item)));
                }
                Value::Object(object) => {
                    if fits {
                        self.step(tokens, &place, value)?;
                    }
                    let members = object.members().iter();
                    let deep = members.filter(|(_, member)| member.depth() > 0);
                    waiting.extend(deep.map(|(name, member)| (place.name(name), member)));
                }
                _ => {}
            }
            if let Some(new) = waiting.get_mut(start..) {
                new.reverse();
            }
        }
        Ok(())
    }

    /// True if a descent applies the step to this value.
    fn fits(&self, target: &Token, value: &Value) -> Result<bool, Failure> {
        Ok(match target {
            Token::Name(name) => value.get(name).is_some(),
            Token::Names(names) => names.iter().all(|name| value.get(name).is_some()),
            Token::Indexes(_) | Token::FromEnd(_) | Token::Slice(..) => value.as_array().is_some(),
            Token::All => true,
            Token::Filter(criteria) => {
                value.depth() > 0 && criteria.accept(value, self.root, self.most)?
            }
            Token::Descend => false,
            Token::Unreadable(_) => true,
        })
    }

    fn filter(
        &mut self,
        criteria: &Criteria,
        rest: &[Token],
        place: &Place,
        value: &Value,
    ) -> Done {
        self.filtered.push(place.clone());
        match value {
            Value::Object(_) => {
                if criteria.accept(value, self.root, self.most)? {
                    self.step(rest, place, value)?;
                }
                Ok(())
            }
            Value::Array(array) => {
                for (index, item) in (0_i64..).zip(array.items()) {
                    if criteria.accept(item, self.root, self.most)? {
                        self.item(array.items(), index, rest, place)?;
                    }
                }
                Ok(())
            }
            other => Err(Failure::Unfit(format!(
                "Filter: [?] can not be applied to primitives. Current context is: {}",
                abridged(other, QUOTED)
            ))),
        }
    }
}

fn length(items: &[Value]) -> i64 {
    i64::try_from(items.len()).unwrap_or(i64::MAX)
}

fn shown(token: &Token) -> String {
    let end = |end: &Option<i64>| end.map_or_else(String::new, |end| end.to_string());
    match token {
        Token::Indexes(indexes) => {
            let indexes: Vec<String> = indexes.iter().map(ToString::to_string).collect();
            format!("[{}]", indexes.join(","))
        }
        Token::FromEnd(back) => format!("[@.length-{back}]"),
        Token::Slice(from, to) => format!("[{}:{}]", end(from), end(to)),
        _ => "[?]".to_owned(),
    }
}
