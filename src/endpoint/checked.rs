//! Checks the members of a request before the server looks up any resource: limits, names and ARNs.

use super::reply::{Answered, ApiError};
use std::fmt::Display;

/// Maximum size of an execution's input and output, in bytes.
pub(super) const LARGEST_PAYLOAD: usize = 262_144;
/// Maximum size of a definition, in bytes.
const LARGEST_DEFINITION: usize = 1_048_576;

/// Collects the constraints that a request violates, in AWS's words.
#[derive(Debug, Default)]
pub(super) struct Checks {
    violations: Vec<String>,
}

impl Checks {
    /// Adds a constraint that the request violates.
    fn broken(mut self, value: &dyn Display, field: &str, constraint: &str) -> Self {
        self.violations.push(format!(
            "Value '{value}' at '{field}' failed to satisfy constraint: {constraint}"
        ));
        self
    }

    /// Requires a text of 1 to `most` characters.
    pub(super) fn length(self, field: &str, text: &str, most: usize) -> Self {
        self.length_within(field, Some(text), 1, most)
    }

    /// Requires a text of `least` to `most` characters, if the member is present.
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

    /// Requires a number from `least` to `most`, if the member is present.
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

    /// Requires a word from the list `known`, if the member is present.
    pub(super) fn one_of(self, field: &str, word: Option<&str>, known: &[&str]) -> Self {
        match word {
            Some(word) if !known.contains(&word) => {
                let constraint = format!(
                    "Member must satisfy enum value set: [{values}]",
                    values = known.join(", ")
                );
                self.broken(&word, field, &constraint)
            }
            _ => self,
        }
    }

    /// Adds a violation if `is_right` is false, which means that `text` does not have a valid form. `pattern` is the
    /// regular expression for valid texts, as AWS prints it.
    pub(super) fn form(self, field: &str, text: &str, is_right: bool, pattern: &str) -> Self {
        if is_right {
            return self;
        }
        let constraint = format!("Member must satisfy regular expression pattern: {pattern}");
        self.broken(&text, field, &constraint)
    }

    /// Requires a definition within AWS's size limit.
    pub(super) fn definition(self, text: Option<&str>) -> Self {
        match text {
            // The definition is not quoted in the message, because it is longer than a megabyte.
            Some(text) if text.len() > LARGEST_DEFINITION => {
                let constraint =
                    format!("Member must have length less than or equal to {LARGEST_DEFINITION}");
                self.broken(&"...", "definition", &constraint)
            }
            _ => self,
        }
    }

    /// Returns an error with all violations, if there are any.
    pub(super) fn done(self) -> Answered<()> {
        let count = self.violations.len();
        match count {
            0 => Ok(()),
            _ => Err(ApiError::ValidationException(format!(
                "{count} validation {errors} detected: {violations}",
                errors = if count == 1 { "error" } else { "errors" },
                violations = self.violations.join("; ")
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

/// The parts of an ARN that the API uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Arn<'a> {
    /// Resource type: `stateMachine`, `execution`, `express`, `activity` or `mapRun`.
    pub(super) kind: &'a str,
    /// The text after the resource type.
    pub(super) rest: &'a str,
}

impl<'a> Arn<'a> {
    /// Parses the ARN of any Step Functions resource.
    pub(super) fn parse(text: &'a str) -> Answered<Self> {
        let mut parts = text.splitn(7, ':');
        let head = (parts.next(), parts.next(), parts.next());
        let place = (parts.next(), parts.next());
        match (head, place, parts.next(), parts.next()) {
            (
                (Some("arn"), Some(_), Some("states")),
                (Some(_), Some(_)),
                Some(kind),
                Some(rest),
            ) if !rest.is_empty() => Ok(Self { kind, rest }),
            _ => Err(ApiError::InvalidArn(format!("Invalid ARN prefix: {text}"))),
        }
    }

    /// Parses an ARN whose resource type is one of `kinds`.
    pub(super) fn of_kind(text: &'a str, kinds: &[&str]) -> Answered<Self> {
        let arn = Self::parse(text)?;
        match kinds.contains(&arn.kind) {
            true => Ok(arn),
            false => Err(ApiError::InvalidArn(format!(
                "Resource type not valid in this context: {kind}",
                kind = arn.kind
            ))),
        }
    }
}

/// The parts of a state machine's ARN: `MACHINE`, `MACHINE:VERSION` or `MACHINE:ALIAS`, each optionally with
/// `#TestCase`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MachineArn<'a> {
    /// ARN of the state machine, without version, alias and test case.
    pub(super) machine: &'a str,
    /// The version or alias.
    pub(super) qualifier: Option<&'a str>,
    /// The ARN without the test case.
    pub(super) whole: &'a str,
    /// Name of a test case of the mock file.
    pub(super) test_case: Option<&'a str>,
}

impl<'a> MachineArn<'a> {
    /// Parses the ARN of a state machine.
    pub(super) fn parse(text: &'a str) -> Answered<Self> {
        let (whole, test_case) = match text.split_once('#') {
            Some((whole, case)) => (whole, Some(case)),
            None => (text, None),
        };
        let arn = Arn::of_kind(whole, &["stateMachine"])?;
        let (machine, qualifier) = match arn.rest.split_once(':') {
            Some((_, qualifier)) => {
                let end = whole.len().saturating_sub(qualifier.len() + 1);
                (whole.get(..end).unwrap_or(whole), Some(qualifier))
            }
            None => (whole, None),
        };
        Ok(Self {
            machine,
            qualifier,
            whole,
            test_case,
        })
    }
}
