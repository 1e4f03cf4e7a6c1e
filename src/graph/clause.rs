//! What a link says: a condition or a list of names, in parts that a label may be cut between.
//!
//! It must not know how much room a label has, nor what other links say.

use super::expression;

/// A condition or a list of names, in parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Clause {
    /// A text that has no parts: `default`, an expression.
    Text(String),
    /// One comparison: what is asked (empty where all rules ask the same), a sign or a verb, and what it is compared
    /// with. A name alone is asked for its truth.
    Is {
        /// The path, or as much of it as tells it from others.
        name: String,
        /// `=`, `is not`; empty after a name alone.
        sign: String,
        /// A constant, a path, `present`; empty after a name alone.
        value: String,
    },
    /// All of them hold.
    All(Vec<Clause>),
    /// One of them holds.
    Any(Vec<Clause>),
    /// It does not hold.
    Not(Box<Clause>),
    /// Names of errors.
    Names(Vec<String>),
}

impl Clause {
    /// A condition as it is written: comparisons joined by `and` and `or`, brackets around lists.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        expression::read(&text)
    }

    /// Names of errors, parted by commas.
    #[must_use]
    pub fn names(text: &str) -> Self {
        let names = text
            .split(',')
            .map(str::trim)
            .filter(|name| !name.is_empty());
        Self::Names(names.map(str::to_owned).collect())
    }

    /// The opposite; what only compares for equality says so by its sign.
    #[must_use]
    pub fn denied(self) -> Self {
        match self {
            Self::Is { name, sign, value } if sign == "=" => Self::Is {
                name,
                sign: "!=".to_owned(),
                value,
            },
            other => Self::Not(Box::new(other)),
        }
    }

    /// All of it.
    #[must_use]
    pub fn whole(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Is { name, sign, value } => {
                let parts = [name, sign, value]
                    .into_iter()
                    .filter(|part| !part.is_empty());
                parts.map(String::as_str).collect::<Vec<_>>().join(" ")
            }
            Self::All(parts) => list(parts, "and"),
            Self::Any(parts) => list(parts, "or"),
            Self::Not(part) => format!("not {}", part.inside()),
            Self::Names(names) => names.join(", "),
        }
    }

    /// As a part of a list: one list inside of another stands in brackets.
    pub(super) fn inside(&self) -> String {
        match self.is_list() {
            true => format!("({})", self.whole()),
            false => self.whole(),
        }
    }

    /// Whether it has parts that `and` or `or` joins.
    pub(super) fn is_list(&self) -> bool {
        matches!(self, Self::All(parts) | Self::Any(parts) if parts.len() > 1)
    }

    /// What it says after `before` in a list of alternatives: a name that was just said is not said again.
    pub(super) fn after(&self, before: Option<&Self>) -> String {
        match (before, self) {
            (
                Some(Self::Is {
                    name: said,
                    sign: before,
                    ..
                }),
                Self::Is { name, sign, value },
            ) if said == name
                && before == sign
                && ["=", "~"].contains(&&**sign)
                && !name.is_empty() =>
            {
                value.clone()
            }
            _ => self.inside(),
        }
    }

    /// Visits every comparison.
    pub(super) fn each(&mut self, visit: &mut dyn FnMut(&mut String, &mut String)) {
        match self {
            Self::Is { name, value, .. } => visit(name, value),
            Self::All(parts) | Self::Any(parts) => {
                parts.iter_mut().for_each(|part| part.each(visit));
            }
            Self::Not(part) => part.each(visit),
            Self::Text(_) | Self::Names(_) => {}
        }
    }
}

/// The parts of a list in words.
fn list(parts: &[Clause], word: &str) -> String {
    let said = (0..parts.len()).filter_map(|place| {
        let before = place.checked_sub(1).and_then(|before| parts.get(before));
        let part = parts.get(place)?;
        Some(match parts.len() {
            1 => part.whole(),
            _ => part.after(before.filter(|_| word == "or")),
        })
    });
    said.collect::<Vec<_>>().join(&format!(" {word} "))
}
