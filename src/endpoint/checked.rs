//! Checks the limits of a request's fields, before anything is looked up.

use super::error::{Answered, ApiError};
use std::fmt::Display;

/// Maximum size of an execution's input and output, in bytes.
pub(super) const LARGEST_PAYLOAD: usize = 262_144;
/// Maximum size of a definition, in bytes.
const LARGEST_DEFINITION: usize = 1_048_576;

/// Collects the violations of a request, in AWS's words.
#[derive(Debug, Default)]
pub(super) struct Checks {
    found: Vec<String>,
}

impl Checks {
    /// Adds a violated constraint.
    fn broken(mut self, value: &dyn Display, field: &str, constraint: &str) -> Self {
        self.found.push(format!(
            "Value '{value}' at '{field}' failed to satisfy constraint: {constraint}"
        ));
        self
    }

    /// Requires between 1 and `most` characters.
    pub(super) fn length(self, field: &str, text: &str, most: usize) -> Self {
        self.length_within(field, Some(text), 1, most)
    }

    /// Requires between `least` and `most` characters, if the field is present.
    pub(super) fn length_within(
        self,
        field: &str,
        text: Option<&str>,
        least: usize,
        most: usize,
    ) -> Self {
        let Some(text) = text else { return self };
        let count = text.chars().count();
        if count < least {
            let constraint = format!("Member must have length greater than or equal to {least}");
            return self.broken(&text, field, &constraint);
        }
        if count > most {
            let constraint = format!("Member must have length less than or equal to {most}");
            return self.broken(&text, field, &constraint);
        }
        self
    }

    /// Requires a number between `least` and `most`.
    pub(super) fn number(self, field: &str, number: Option<i64>, least: i64, most: i64) -> Self {
        match number {
            Some(number) if number < least => {
                let constraint = format!("Member must have value greater than or equal to {least}");
                self.broken(&number, field, &constraint)
            }
            Some(number) if number > most => {
                let constraint = format!("Member must have value less than or equal to {most}");
                self.broken(&number, field, &constraint)
            }
            _ => self,
        }
    }

    /// Requires one of the known words.
    pub(super) fn one_of(self, field: &str, word: Option<&str>, known: &[&str]) -> Self {
        match word {
            Some(word) if !known.contains(&word) => {
                let constraint =
                    format!("Member must satisfy enum value set: [{}]", known.join(", "));
                self.broken(&word, field, &constraint)
            }
            _ => self,
        }
    }

    /// Requires a valid form; `pattern` is its regular expression as AWS prints it.
    pub(super) fn form(self, field: &str, text: &str, is_right: bool, pattern: &str) -> Self {
        if is_right {
            return self;
        }
        let constraint = format!("Member must satisfy regular expression pattern: {pattern}");
        self.broken(&text, field, &constraint)
    }

    /// Requires a valid page size and page token.
    pub(super) fn page(self, size: Option<i64>, token: Option<&str>, longest: usize) -> Self {
        self.number("maxResults", size, 0, 1000)
            .length_within("nextToken", token, 1, longest)
    }

    /// Requires a definition within AWS's size limit.
    pub(super) fn definition(self, text: Option<&str>) -> Self {
        match text {
            // Not quoted, because it is longer than a megabyte.
            Some(text) if text.len() > LARGEST_DEFINITION => {
                let constraint =
                    format!("Member must have length less than or equal to {LARGEST_DEFINITION}");
                self.broken(&"...", "definition", &constraint)
            }
            _ => self,
        }
    }

    /// Returns an error if any check has failed.
    pub(super) fn done(self) -> Answered<()> {
        let count = self.found.len();
        match count {
            0 => Ok(()),
            _ => Err(ApiError::ValidationException(format!(
                "{count} validation {} detected: {}",
                if count == 1 { "error" } else { "errors" },
                self.found.join("; ")
            ))),
        }
    }
}

/// Requires a valid name of a state machine, execution or activity.
pub(super) fn name(text: &str) -> Answered<()> {
    Checks::default().length("name", text, 80).done()?;
    let is_wrong =
        |c: char| c.is_whitespace() || c.is_control() || "<>{}[]?*\"#%\\^|~`$&,;:/".contains(c);
    match text.contains(is_wrong) {
        true => Err(ApiError::InvalidName(text.to_string())),
        false => Ok(()),
    }
}
