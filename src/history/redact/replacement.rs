//! The replacements of values: all occurrences of a value are replaced by the same text, such as `redacted-1`.

use super::finder::Finder;
use crate::json::{Number, Text, Value};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// Minimum length of a text that is also replaced outside its field; a shorter text may occur elsewhere by chance.
const SHORTEST: usize = 4;

/// The values that are to be replaced, and the replacement of each.
#[derive(Clone, Debug, Default)]
pub(super) struct Replacements {
    numbers: HashMap<Text, usize>,
    /// The texts to replace: the first by `redacted-1`, the second by `redacted-2`, and so on.
    texts: Vec<Text>,
    /// The texts that are numbers and not too short, each as the bits of the nearest float.
    values: HashSet<u64>,
    /// Finds the texts inside other texts; `None` if a text has been added since `prepare`.
    finder: Option<Finder>,
}

impl Replacements {
    pub(super) fn learn(&mut self, value: &Value) {
        match value {
            Value::String(text) => self.learn_text(text),
            Value::Number(number) => self.learn_text(&number.to_string()),
            _ => {}
        }
    }

    pub(super) fn learn_text(&mut self, text: &str) {
        if text.is_empty() || self.numbers.contains_key(text) {
            return;
        }
        if text.len() >= SHORTEST
            && let Some(number) = Number::parse(text)
        {
            self.values.insert(number.as_f64().to_bits());
        }
        let text = Text::from(text);
        self.texts.push(text.clone());
        self.numbers.insert(text, self.texts.len());
        self.finder = None;
    }

    /// Builds the finder for the texts to replace; it finds only texts that are long enough.
    pub(super) fn prepare(&mut self) {
        self.finder.get_or_insert_with(|| {
            let texts = (1..).zip(self.texts.iter().map(|text| &**text));
            Finder::of(texts.filter(|(_, text)| text.chars().count() >= SHORTEST))
        });
    }

    /// True if a number equals one of the numbers to replace.
    pub(super) fn knows(&self, number: &Number) -> bool {
        self.values.contains(&number.as_f64().to_bits())
    }

    /// Returns the replacement for a value that is to be replaced as a whole.
    pub(super) fn whole(&self, value: &Value) -> Value {
        match value {
            Value::String(text) if text.is_empty() => value.clone(),
            Value::String(text) => Value::string(name(self.numbers.get(text).copied())),
            Value::Number(_) => Value::from(0_i64),
            Value::Bool(_) => Value::Bool(false),
            other => other.clone(),
        }
    }

    /// Returns `text` with replacements for the byte ranges `places` and for each other occurrence of a text to
    /// replace.
    pub(super) fn within(&self, text: &Text, places: Vec<Range<usize>>) -> Text {
        let number = |place: &Range<usize>| self.numbers.get(text.get(place.clone())?).copied();
        let mut places: Vec<_> = places
            .into_iter()
            .map(|place| (number(&place), place))
            .collect();
        let known = self.finder.iter().flat_map(|finder| finder.find(text));
        places.extend(known.map(|(place, number)| (Some(number), place)));
        places.sort_by_key(|(_, place)| (place.start, std::cmp::Reverse(place.end)));
        let (mut out, mut done) = (String::new(), 0);
        for (number, place) in places {
            if place.start >= done {
                out += text.get(done..place.start).unwrap_or_default();
                out += &name(number);
            }
            // A range that overlaps an earlier range is covered by the replacement of the earlier range.
            done = done.max(place.end);
        }
        match done {
            0 => text.clone(),
            _ => (out + text.get(done..).unwrap_or_default()).into(),
        }
    }
}

fn name(number: Option<usize>) -> String {
    number.map_or_else(
        || "redacted".to_string(),
        |number| format!("redacted-{number}"),
    )
}
