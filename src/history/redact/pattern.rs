//! The user's patterns of values to replace: field names and regular expressions.

use regex::Regex;
use std::ops::Range;

/// All patterns that the user gave.
#[derive(Clone, Debug)]
pub(super) struct Patterns {
    /// The field names to replace. Each is the end of a path, in lower case; `*` matches any characters.
    names: Vec<Vec<String>>,
    expressions: Vec<Regex>,
}

impl Patterns {
    pub(super) fn of(patterns: &[String]) -> Result<Self, String> {
        let mut read = Self {
            names: Vec::new(),
            expressions: Vec::new(),
        };
        for pattern in patterns {
            let expression = pattern.strip_prefix('/').map(|rest| rest.strip_suffix('/'));
            match expression {
                Some(Some(expression)) if !expression.is_empty() => {
                    let regex = Regex::new(expression)
                        .map_err(|error| format!("--redact {pattern}: {error}"))?;
                    read.expressions.push(regex);
                }
                Some(_) => {
                    return Err(format!(
                        "--redact {pattern}: write a regular expression between two slashes, as in /[0-9]{{12}}/"
                    ));
                }
                None => read.names.push(parts(pattern)?),
            }
        }
        Ok(read)
    }

    /// True if the last names of a path match a pattern. Empty names in the path stand for array items and are ignored.
    pub(super) fn name(&self, path: &[&str]) -> bool {
        let names = || path.iter().rev().filter(|name| !name.is_empty());
        self.names.iter().any(|pattern| {
            let wanted = pattern.len();
            names().take(wanted).count() == wanted
                && pattern
                    .iter()
                    .rev()
                    .zip(names())
                    .all(|(pattern, name)| matches(pattern, &plain(name)))
        })
    }

    /// The byte ranges of a text that match a regular expression of the user.
    pub(super) fn found_in(&self, text: &str) -> impl Iterator<Item = Range<usize>> {
        let expressions = self.expressions.iter();
        expressions
            .flat_map(move |regex| regex.find_iter(text))
            .map(|matched| matched.range())
            .filter(|place| !place.is_empty())
    }
}

/// Splits a pattern for field names, such as `$.customer.email`, `customer.email` or `email`, into its names.
fn parts(pattern: &str) -> Result<Vec<String>, String> {
    let path = pattern.strip_prefix("$.").unwrap_or(pattern);
    let parts: Vec<String> = path.split('.').map(str::to_lowercase).collect();
    let is_name =
        |part: &String| !part.is_empty() && !part.contains(['[', ']', '\'', '"', '@', '?']);
    match parts.iter().all(is_name) {
        true => Ok(parts),
        false => Err(format!(
            "--redact {pattern}: write the name of a field (email, *token*), the end of a path (customer.email), or /REGEX/"
        )),
    }
}

/// The name in lower case, without the suffix `.$` that marks a field whose value is a path.
fn plain(name: &str) -> String {
    name.strip_suffix(".$").unwrap_or(name).to_lowercase()
}

/// True if a name matches one name of a pattern, in which `*` stands for any characters.
fn matches(pattern: &str, name: &str) -> bool {
    let mut pieces = pattern.split('*');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else {
        return false;
    };
    let mut pieces = pieces.peekable();
    if pieces.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(piece) = pieces.next() {
        if pieces.peek().is_none() {
            return rest.ends_with(piece);
        }
        match rest.find(piece) {
            Some(at) => rest = rest.get(at + piece.len()..).unwrap_or_default(),
            None => return false,
        }
    }
    true
}
