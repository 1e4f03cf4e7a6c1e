//! Selects values with a JSONPath exactly as AWS does. AWS uses the library Jayway JsonPath 2.0.0; error texts are the
//! same, too.
//!
//! In Jayway's filters, literals are texts, and parentheses do not group.

use super::select::{Place, merged};
use super::token::Token;
use crate::json::{Number, Step, Text, Value};
use crate::query::abridged;
use std::cmp::Ordering;

/// Maximum length of a value quoted in a message, in bytes.
const QUOTED: usize = 1_000;

/// The reason why nothing was selected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// A member or item is missing. A wildcard over an array skips the items for which this happens.
    Missing(String),
    /// The path cannot be applied to the value.
    Unfit(String),
    /// The step selects more values than the limit.
    TooMuch,
}

/// Selects values, starting at the value `from` of a document. A definite path selects exactly one.
pub(super) fn select(
    tokens: &[Token],
    definite: bool,
    from: &Value,
    root: &Value,
    most: usize,
) -> Result<Vec<Value>, Failure> {
    let mut selection = Selection::new(tokens, root, most);
    selection.run(tokens, definite, from)?;
    Ok(selection
        .selected
        .into_iter()
        .map(|(_, value)| value)
        .collect())
}

/// The values that a path selects from a document: while the steps are applied, the values selected so far.
pub(super) struct Selection<'r> {
    /// True if a missing member is an error, which is the case if no step can select several values.
    strict: bool,
    root: &'r Value,
    most: usize,
    visited: usize,
    /// The selected values with their places. A merged object has the place of the object from which its members were
    /// copied.
    pub selected: Vec<(Place, Value)>,
    /// Places of the values to which filters were applied.
    pub filtered: Vec<Place>,
    /// The place of the first value in which a step found nothing, and that step if it is a name or a non-negative
    /// index.
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
            selected: Vec::new(),
            filtered: Vec::new(),
            missed: None,
        }
    }

    /// Applies the steps to the value `from` of the document.
    pub(super) fn run(&mut self, tokens: &[Token], definite: bool, from: &Value) -> Done {
        self.step(tokens, &Place::default(), from)?;
        if definite && self.selected.is_empty() {
            return Err(Failure::Missing("No results for path: $".to_owned()));
        }
        Ok(())
    }

    fn miss(&mut self, place: &Place, step: Option<Step>) {
        self.missed.get_or_insert_with(|| (place.clone(), step));
    }

    fn step(&mut self, tokens: &[Token], place: &Place, value: &Value) -> Done {
        self.visited += 1;
        if self.visited > self.most.saturating_mul(2) || self.selected.len() > self.most {
            return Err(Failure::TooMuch);
        }
        let Some((token, rest)) = tokens.split_first() else {
            self.selected.push((place.clone(), value.clone()));
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
        let path = place.name(name);
        match value.get(name) {
            Some(member) => self.step(rest, &path, member),
            None if rest.is_empty() => {
                Err(Failure::Missing(format!("No results for path: {path}")))
            }
            None if self.strict => {
                let said = format!("Missing property in path {path}");
                Err(Failure::Missing(said))
            }
            None => Ok(()),
        }
    }

    fn properties(&mut self, names: &[Text], rest: &[Token], place: &Place, value: &Value) -> Done {
        let quoted: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
        let quoted = quoted.join(", ");
        let Some(object) = merged(value, names) else {
            self.miss(place, None);
            let said = format!("Property [{quoted}] not found in path {place}");
            return Err(Failure::Missing(said));
        };
        if rest.is_empty() {
            self.selected.push((place.clone(), object));
            return Ok(());
        }
        Err(Failure::Unfit(format!(
            "Multi properties can only be used as path leafs: {place}[{quoted}]"
        )))
    }

    fn item(&mut self, items: &[Value], index: i64, rest: &[Token], place: &Place) -> Done {
        let item = usize::try_from(index).ok().and_then(|at| items.get(at));
        let path = place.index(index);
        match item {
            Some(item) => self.step(rest, &path, item),
            None => {
                let step = usize::try_from(index).ok().map(Step::Item);
                self.miss(place, step);
                Err(Failure::Missing(format!(
                    "Index out of bounds when evaluating path {path}"
                )))
            }
        }
    }

    /// Returns the items of `value`, to which the step `token` is applied; fails if `value` is not an array.
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
                "Filter: {filter} can only be applied to arrays. Current context is: {value}",
                filter = shown(token),
                value = abridged(other, QUOTED)
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

    /// Applies the step after `..` to every object and array, at any depth, that matches the step. If an array matches
    /// and more steps follow, these further steps are applied to each item of the array.
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

    /// True if `target`, the step after `..`, is applied to this value.
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
            other => {
                self.miss(place, None);
                Err(Failure::Unfit(format!(
                    "Filter: [?] can not be applied to primitives. Current context is: {value}",
                    value = abridged(other, QUOTED)
                )))
            }
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

/// The condition of a filter, which an item has to meet to pass.
#[derive(Clone, Debug, Default)]
pub(super) struct Criteria {
    /// An item passes if it meets all criteria of at least one group.
    pub groups: Vec<Vec<Criterion>>,
    /// True if a criterion tests `@` itself.
    pub bare: bool,
}

/// A single test in a filter, such as `@.price < 10`.
#[derive(Clone, Debug)]
pub(super) struct Criterion {
    /// The tested value.
    pub left: Expected,
    pub test: Test,
}

/// The kinds of tests.
#[derive(Clone, Debug)]
pub(super) enum Test {
    /// For `true`, tests that the value exists and is not null; for `false`, that it is missing or null.
    Exists(bool),
    Compare(&'static str, Expected),
    /// A test that no item passes.
    Never,
}

/// One side of a comparison.
#[derive(Clone, Debug)]
pub(super) enum Expected {
    Null,
    /// A literal as written, without its single quotes.
    Text(Text),
    Path(FilterPath),
}

/// A path in a filter.
#[derive(Clone, Debug)]
pub(super) struct FilterPath {
    /// True if the path starts at the document rather than at the item.
    pub from_root: bool,
    pub tokens: Vec<Token>,
    pub definite: bool,
}

impl Expected {
    /// Creates the operand for a literal from the literal's text.
    pub(super) fn literal(written: &str) -> Self {
        let quoted = written
            .strip_prefix('\'')
            .and_then(|rest| rest.strip_suffix('\''));
        match quoted.unwrap_or(written) {
            "null" => Self::Null,
            text => Self::Text(text.replace("\\'", "'").into()),
        }
    }
}

impl Criteria {
    /// True if `item` meets the condition. `root` is the document, to which the filter's paths with `$` refer.
    fn accept(&self, item: &Value, root: &Value, most: usize) -> Result<bool, Failure> {
        // On AWS, `@` never matches a scalar.
        if self.bare && item.depth() == 0 {
            return Ok(false);
        }
        for group in &self.groups {
            let mut all = true;
            for criterion in group {
                if !criterion.holds(item, root, most)? {
                    all = false;
                    break;
                }
            }
            if all {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl FilterPath {
    /// The value at the path; `None` if any part of the path is missing.
    fn value(&self, item: &Value, root: &Value, most: usize) -> Result<Option<Value>, Failure> {
        if !self.definite {
            return Err(Failure::Unfit(
                "the predicate path is not definite".to_owned(),
            ));
        }
        let from = if self.from_root { root } else { item };
        match select(&self.tokens, true, from, root, most) {
            Ok(values) => Ok(values.into_iter().next()),
            Err(Failure::Missing(_)) => Ok(None),
            Err(other) => Err(other),
        }
    }
}

impl Criterion {
    fn holds(&self, item: &Value, root: &Value, most: usize) -> Result<bool, Failure> {
        let left = || match &self.left {
            Expected::Null => Ok(Some(Value::from("null"))),
            Expected::Text(text) => Ok(Some(Value::String(text.clone()))),
            Expected::Path(path) => path.value(item, root, most),
        };
        match &self.test {
            Test::Never => Ok(false),
            Test::Exists(wanted) => {
                let value = left()?;
                let exists = value.is_some_and(|value| value != Value::Null);
                Ok(exists == *wanted)
            }
            Test::Compare(operator, expected) => {
                let Some(actual) = left()? else {
                    return Ok(false);
                };
                let ordering = match expected {
                    Expected::Null => ordering(&Value::Null, &actual)?,
                    Expected::Text(text) => of_text(text, &actual)?,
                    Expected::Path(path) => match path.value(item, root, most)? {
                        Some(expected) => ordering(&expected, &actual)?,
                        None => None,
                    },
                };
                Ok(ordering.is_some_and(|ordering| holds(operator, ordering, &actual)))
            }
        }
    }
}

/// True if the comparison with `operator` holds. `expected` is the order of the expected value relative to `actual`:
/// `Less` if the expected value is less.
fn holds(operator: &str, expected: Ordering, actual: &Value) -> bool {
    let ordered = *actual != Value::Null;
    match operator {
        "==" => expected == Ordering::Equal,
        "!=" => expected != Ordering::Equal,
        "<" => ordered && expected == Ordering::Greater,
        "<=" => ordered && expected != Ordering::Less,
        ">" => ordered && expected == Ordering::Less,
        _ => ordered && expected != Ordering::Greater,
    }
}

/// Compares the value of a path with another value; `None` if they are not comparable.
fn ordering(expected: &Value, actual: &Value) -> Result<Option<Ordering>, Failure> {
    Ok(match (expected, actual) {
        (expected, actual) if expected.same(actual) => Some(Ordering::Equal),
        (expected, actual) if is_nullish(expected) || is_nullish(actual) => {
            Some(is_nullish(actual).cmp(&is_nullish(expected)))
        }
        (Value::String(text), _) => of_text(text, actual)?,
        (Value::Number(expected), Value::Number(actual)) => expected.compare(actual),
        (Value::Bool(expected), Value::Bool(actual)) => Some(expected.cmp(actual)),
        _ => None,
    })
}

/// True for null and for the text `null`.
fn is_nullish(value: &Value) -> bool {
    *value == Value::Null || value.as_str() == Some("null")
}

/// Compares a text with a value. For a number or a boolean, the text is first parsed as a number or a boolean.
fn of_text(text: &str, actual: &Value) -> Result<Option<Ordering>, Failure> {
    Ok(match actual {
        // Null is less than any text.
        actual if is_nullish(actual) => Some(Ordering::Greater),
        Value::Null => Some(Ordering::Greater),
        Value::String(other) => Some(text.encode_utf16().cmp(other.encode_utf16())),
        Value::Number(number) => decimal(text)?.compare(number),
        Value::Bool(flag) => Some(text.eq_ignore_ascii_case("true").cmp(flag)),
        Value::Array(_) | Value::Object(_) => None,
    })
}

/// Parses a number as Java does: leading zeros, a plus sign and a missing integer or fraction part are allowed.
fn decimal(text: &str) -> Result<Number, Failure> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let sign = if text.starts_with('-') { "-" } else { "" };
    let split = unsigned.find(['.', 'e', 'E']).unwrap_or(unsigned.len());
    let (whole, rest) = unsigned.split_at_checked(split).unwrap_or((unsigned, ""));
    let whole = whole.trim_start_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    let rest = rest.trim_end_matches('.');
    let is_number = unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    let number = Number::parse(&format!("{sign}{whole}{rest}")).filter(|_| is_number);
    number.ok_or_else(|| {
        let fits = |c: &char| c.is_ascii_digit() || ".eE+-".contains(*c);
        let invalid = unsigned.chars().find(|c| !fits(c)).unwrap_or(' ');
        Failure::Unfit(format!(
            "Character {invalid} is neither a decimal digit number, decimal point, nor \"e\" notation exponential mark."
        ))
    })
}

/// A comparison in a filter between a member of the item and a literal.
#[derive(Clone, Debug, PartialEq)]
pub struct FilterTest {
    /// The names that lead from the item to the member.
    pub member: Vec<Text>,
    /// `==`, `!=`, `<=`, `>=`, `<` or `>`.
    pub operator: &'static str,
    /// The literal with which the member is compared.
    pub wanted: Value,
}

#[cfg(test)]
mod tests {
    use crate::query::Path;

    #[test]
    fn a_filter_tells_what_it_compares_members_with() {
        for (path, wanted) in [
            ("$.orders[?(@.open==true)]", "open == true"),
            (
                "$.o[?(@.a.b >= 2 && @.c != 'x && y')]",
                "a.b >= 2; c != \"x && y\"",
            ),
            ("$.o[?(@.note == 'it\\'s')]", "note == \"it's\""),
            ("$.o[?((@.a == 1) && @.b)]", "a == 1"),
            ("$.o[?(@.a == EU)]", "a == \"EU\""),
            ("$.o[?(@.a == null || @.b == 1)]", ""),
            ("$.o[?(!(@.a == 1))]", ""),
            ("$.o[?(@.a == $.b)]", ""),
            ("$.o[?(@[0] == 1)]", ""),
        ] {
            let path = Path::parse(path).unwrap();
            let tests = path.filter_tests(1).unwrap().iter();
            let tests = tests.map(|test| {
                let member: Vec<&str> = test.member.iter().map(|name| &**name).collect();
                format!("{} {} {}", member.join("."), test.operator, test.wanted)
            });
            let shown: Vec<String> = tests.collect();
            assert_eq!(shown.join("; "), wanted, "{}", path.text());
        }
        assert!(Path::parse("$.o[0]").unwrap().filter_tests(1).is_none());
    }
}
