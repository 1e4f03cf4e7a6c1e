//! ARNs of Step Functions resources in requests.

use super::error::{Answered, ApiError};

/// The parts of an ARN that the API uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Arn<'a> {
    /// Resource type: `stateMachine`, `execution`, `express`, `activity` or `mapRun`.
    pub(super) kind: &'a str,
    /// The part after the resource type.
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
                "Resource type not valid in this context: {}",
                arn.kind
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
