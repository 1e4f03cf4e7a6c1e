//! What values are replaced by: the same value by the same name, wherever it stands.
//!
//! It must not know which values are replaced.

use crate::json::{Text, Value};
use aho_corasick::{AhoCorasick, MatchKind};
use std::collections::HashMap;
use std::ops::Range;

/// Shorter texts are replaced only where their field is: they stand everywhere by chance.
const SHORTEST: usize = 4;

/// The values that are replaced.
#[derive(Clone, Debug, Default)]
pub(super) struct Replacements {
    numbers: HashMap<Text, usize>,
    /// In the order of their numbers.
    texts: Vec<Text>,
    /// Finds them in other texts; `None` where one was learnt since.
    finder: Option<AhoCorasick>,
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
        let text = Text::from(text);
        self.texts.push(text.clone());
        self.numbers.insert(text, self.texts.len());
        self.finder = None;
    }

    /// Makes ready to look for what was learnt.
    pub(super) fn prepare(&mut self) -> Result<(), String> {
        if self.finder.is_some() {
            return Ok(());
        }
        let long = self.texts.iter();
        let long = long.filter(|text| text.chars().count() >= SHORTEST);
        let finder = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .build(long.map(|text| text.as_bytes()));
        self.finder = Some(finder.map_err(|error| {
            let count = self.texts.len();
            format!("--redact: {count} different values are too many to look for: {error}")
        })?);
        Ok(())
    }

    /// Whether a text is replaced wherever it stands.
    pub(super) fn knows(&self, text: &str) -> bool {
        text.len() >= SHORTEST && self.numbers.contains_key(text)
    }

    /// A value of a field that is replaced.
    pub(super) fn whole(&self, value: &Value) -> Value {
        match value {
            Value::String(text) if text.is_empty() => value.clone(),
            Value::String(text) => Value::string(name(self.numbers.get(text).copied())),
            Value::Number(_) => Value::from(0_i64),
            Value::Bool(_) => Value::Bool(false),
            other => other.clone(),
        }
    }

    /// A text with what was learnt, and what stands at `places`, replaced in it.
    pub(super) fn within(&self, text: &Text, mut places: Vec<Range<usize>>) -> Text {
        if let Some(finder) = &self.finder {
            places.extend(finder.find_iter(text.as_bytes()).map(|found| found.range()));
        }
        places.sort_by_key(|place| (place.start, std::cmp::Reverse(place.end)));
        let (mut out, mut done) = (String::new(), 0);
        for place in places {
            if place.start >= done {
                out += text.get(done..place.start).unwrap_or_default();
                let found = text.get(place.clone()).unwrap_or_default();
                out += &name(self.numbers.get(found).copied());
            }
            // What overlaps goes with what begins before it.
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
