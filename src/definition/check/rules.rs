//! The rules by number: what each asks and how bad it is to break it.
//!
//! It must not know how a rule is checked.

use crate::source::{Diagnostic, Severity, did_you_mean};
use std::collections::BTreeSet;

/// One rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Its number, as diagnostics carry it.
    pub number: u8,
    /// Its short name.
    pub id: &'static str,
    /// How bad it is to break it, under the stricter profile where the profiles differ.
    pub severity: Severity,
    /// Whether only AWS refuses it: then it is a warning under `spec`.
    pub aws_only: bool,
    /// What it finds.
    pub summary: &'static str,
}

const fn rule(number: u8, severity: Severity, id: &'static str, summary: &'static str) -> Rule {
    Rule {
        number,
        id,
        severity,
        aws_only: false,
        summary,
    }
}

const fn aws(number: u8, id: &'static str, summary: &'static str) -> Rule {
    Rule {
        number,
        id,
        severity: Severity::Error,
        aws_only: true,
        summary,
    }
}

use Severity::{Error, Info, Warning};

/// Every rule that is checked, by number.
pub const RULES: &[Rule] = &[
    rule(
        1,
        Error,
        "json",
        "the text is not JSON, or an object has a name twice",
    ),
    rule(2, Error, "empty", "the text is empty"),
    rule(3, Error, "required", "StartAt or States is missing"),
    rule(4, Error, "states", "States is empty or no object"),
    rule(5, Error, "start-at", "StartAt names no state"),
    rule(
        6,
        Error,
        "target",
        "Next, Default or a catcher's Next names no state",
    ),
    rule(7, Error, "scope", "a transition leaves its States object"),
    rule(8, Error, "unreachable", "a state cannot be reached"),
    rule(
        9,
        Error,
        "no-end",
        "a States object has no End, Succeed or Fail",
    ),
    rule(
        10,
        Warning,
        "endless",
        "no way from a state leads to an end",
    ),
    rule(
        11,
        Error,
        "duplicate-state",
        "two states have the same name",
    ),
    rule(
        12,
        Error,
        "state-name",
        "a state's name is empty or too long (over 80 on AWS, over 128 in any edition)",
    ),
    rule(13, Error, "type", "Type is missing or unknown"),
    rule(
        14,
        Error,
        "unknown-field",
        "a field is unknown, or not allowed on this type of state",
    ),
    rule(
        15,
        Error,
        "other-language",
        "a field belongs to the other query language",
    ),
    rule(
        16,
        Error,
        "query-language",
        "QueryLanguage is wrong, or where it may not be",
    ),
    rule(17, Error, "next-end", "both of Next and End, or neither"),
    rule(19, Warning, "end-false", "End: false says nothing"),
    rule(
        20,
        Error,
        "value",
        "a value has the wrong JSON type or is out of range",
    ),
    rule(21, Error, "only-one", "two fields exclude each other"),
    rule(
        22,
        Error,
        "wait",
        "a Wait says neither how long nor until when",
    ),
    rule(
        23,
        Error,
        "heartbeat",
        "HeartbeatSeconds is not less than TimeoutSeconds",
    ),
    rule(
        24,
        Warning,
        "no-heartbeat",
        "a heartbeat that nothing can send, or a callback that may wait for a year",
    ),
    rule(25, Info, "no-timeout", "a Task has no timeout of its own"),
    rule(
        26,
        Error,
        "machine-timeout",
        "TimeoutSeconds of the machine is out of range",
    ),
    rule(
        27,
        Error,
        "resource",
        "a Task has no Resource, or it is no plain text",
    ),
    aws(28, "arn", "Resource is no ARN that AWS knows"),
    aws(
        29,
        "express",
        "a .sync, .waitForTaskToken or activity task in an EXPRESS workflow",
    ),
    rule(
        30,
        Warning,
        "token-not-passed",
        "a callback task does not pass $$.Task.Token on",
    ),
    rule(
        31,
        Warning,
        "no-token",
        "$$.Task.Token in a task that has no token",
    ),
    rule(
        32,
        Error,
        "reference-path",
        "no Reference Path where one is needed",
    ),
    rule(33, Error, "path", "no valid path"),
    rule(
        34,
        Error,
        "dynamic-field",
        "the value of a field named ….$ is neither a path nor an intrinsic function",
    ),
    rule(
        35,
        Error,
        "duplicate-field",
        "two fields of a template give the same name",
    ),
    rule(
        36,
        Warning,
        "no-dollar",
        "text that looks like a path or a call under a name without .$",
    ),
    rule(
        37,
        Warning,
        "static-result",
        "text that looks like a path in a Pass state's Result",
    ),
    rule(
        38,
        Error,
        "result-path",
        "ResultPath uses the context object or a variable, or can mean several places",
    ),
    rule(
        39,
        Error,
        "intrinsic",
        "an intrinsic function is unknown, misspelt or has the wrong number of arguments",
    ),
    rule(
        40,
        Warning,
        "intrinsic-literal",
        "a literal argument makes an intrinsic function fail",
    ),
    rule(
        41,
        Error,
        "fail-intrinsic",
        "ErrorPath or CausePath calls a function that gives no text",
    ),
    rule(42, Error, "choices", "Choices is missing or empty"),
    rule(
        43,
        Error,
        "choice-rule",
        "a choice rule has not exactly one test, or Next is missing or misplaced",
    ),
    rule(
        44,
        Error,
        "constant",
        "a comparator's constant has the wrong type, or a timestamp is none",
    ),
    rule(
        45,
        Error,
        "pattern",
        "a lone backslash in a StringMatches pattern",
    ),
    rule(46, Warning, "no-default", "a Choice has no Default"),
    rule(
        47,
        Warning,
        "not-guarded",
        "a test of what may be missing, before the IsPresent that the Choice has for it",
    ),
    rule(48, Info, "same-test", "an earlier rule asks the same"),
    rule(49, Error, "branches", "Branches is missing or empty"),
    rule(
        50,
        Error,
        "item-processor",
        "a Map has neither ItemProcessor nor Iterator",
    ),
    rule(
        51,
        Warning,
        "deprecated",
        "an older spelling: Iterator, or Parameters of a Map",
    ),
    rule(
        52,
        Error,
        "processor-config",
        "ProcessorConfig is not consistent",
    ),
    aws(
        53,
        "inline",
        "ItemReader, ItemBatcher, ResultWriter or Label in an INLINE Map",
    ),
    rule(
        54,
        Info,
        "inline-limits",
        "limits that an INLINE Map does not heed",
    ),
    rule(
        55,
        Error,
        "label",
        "a Label is too long, has characters that may not be, or stands twice",
    ),
    rule(
        56,
        Warning,
        "items-ignored",
        "ItemsPath beside an ItemReader",
    ),
    rule(57, Error, "reader-config", "ReaderConfig is not consistent"),
    rule(
        58,
        Error,
        "batch-or-writer",
        "an ItemBatcher without a limit, or an incomplete ResultWriter",
    ),
    rule(59, Error, "retry-catch", "Retry or Catch is malformed"),
    rule(
        60,
        Error,
        "states-all",
        "States.ALL is not alone or not last",
    ),
    rule(
        61,
        Warning,
        "covered",
        "an error name that an earlier entry handles already",
    ),
    rule(
        62,
        Warning,
        "unknown-error",
        "an unknown name that begins with States., or nearly does",
    ),
    rule(
        63,
        Warning,
        "unhandleable",
        "an error that cannot be handled, or not on AWS",
    ),
    rule(
        64,
        Error,
        "retrier",
        "a retrier's number is out of range (an unknown JitterStrategy: only on AWS)",
    ),
    rule(65, Warning, "no-effect", "a retrier's field has no effect"),
    rule(
        66,
        Info,
        "long-retry",
        "retrying can take longer than the machine's TimeoutSeconds",
    ),
    rule(
        67,
        Warning,
        "reserved-error",
        "a Fail uses a reserved error name",
    ),
    rule(
        68,
        Error,
        "assign",
        "a variable's name is not allowed, or belongs to an outer scope",
    ),
    rule(
        69,
        Warning,
        "variable",
        "a variable is read and never assigned, or assigned and never read",
    ),
    rule(70, Error, "jsonata", "a JSONata expression does not parse"),
    rule(
        71,
        Error,
        "jsonata-reads",
        "a JSONata expression reads what its place does not have",
    ),
    rule(
        72,
        Error,
        "half-jsonata",
        "an expression without its {% or %} (only on AWS), or text that is nearly one",
    ),
    rule(
        73,
        Warning,
        "mixed",
        "a spelling of the other query language, which stays text",
    ),
    aws(74, "credentials", "Credentials without RoleArn"),
    rule(75, Warning, "version", "Version is not \"1.0\""),
    rule(
        76,
        Warning,
        "nesting",
        "Maps and Parallels stand deeper inside each other than AWS surely takes",
    ),
    rule(
        77,
        Warning,
        "size",
        "the definition is larger than AWS takes",
    ),
    rule(78, Info, "anonymous-fail", "a Fail without an Error"),
    rule(
        79,
        Warning,
        "large-constant",
        "a constant is larger than a state's data may be on AWS",
    ),
    rule(
        80,
        Warning,
        "payload",
        "the result of lambda:invoke is read without its Payload",
    ),
    rule(
        81,
        Warning,
        "dropped",
        "a state replaces its input, and a later one reads what was in it",
    ),
];

impl Rule {
    /// The rule of a number; `None` for 0, which is no rule.
    #[must_use]
    pub fn of(number: u8) -> Option<&'static Self> {
        RULES.iter().find(|rule| rule.number == number)
    }
}

/// Rules whose findings are not wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Allowed(BTreeSet<u8>);

impl Allowed {
    /// Adds a rule by its name, or by its number.
    ///
    /// # Errors
    /// With the nearest name, where there is no such rule.
    pub fn add(&mut self, name: &str) -> Result<(), String> {
        let found = RULES
            .iter()
            .find(|rule| rule.id == name || rule.number.to_string() == name);
        match found {
            Some(rule) => {
                self.0.insert(rule.number);
                Ok(())
            }
            None => {
                let near = did_you_mean(name, RULES.iter().map(|rule| rule.id));
                let near = near.unwrap_or_else(|| {
                    "check prints a rule's name beside the code, as no-default".to_string()
                });
                Err(format!("there is no rule \"{name}\"; {near}"))
            }
        }
    }

    /// Whether a finding is not wanted.
    #[must_use]
    pub fn hides(&self, found: &Diagnostic) -> bool {
        self.0.contains(&found.rule)
    }
}

/// The code of a rule's diagnostics: AWS's where it has one.
pub(super) fn code(number: u8) -> &'static str {
    match number {
        1 => "INVALID_JSON_DESCRIPTION",
        5..=7 => "MISSING_TRANSITION_TARGET",
        8 => "UNREACHABLE_STATE",
        9 => "MISSING_END_STATE",
        10 => "ENDLESS_LOOP",
        11 => "DUPLICATE_STATE_NAME",
        12 => "INVALID_STATE_NAME",
        28 => "INVALID_RESOURCE",
        36 => "NO_DOLLAR",
        37 => "PASS_RESULT_IS_STATIC",
        55 => "INVALID_LABEL_NAME",
        19 => "END_FALSE",
        24 => "HEARTBEAT",
        25 => "NO_TIMEOUT",
        30 => "TOKEN_NOT_PASSED",
        31 => "NO_TOKEN",
        40 => "INTRINSIC_ARGUMENT",
        46 => "NO_DEFAULT",
        47 => "NOT_GUARDED",
        48 => "SAME_TEST",
        51 => "DEPRECATED",
        54 => "NOT_HEEDED",
        56 => "ITEMS_IGNORED",
        61 => "ERROR_COVERED",
        62 => "UNKNOWN_ERROR",
        63 => "CANNOT_BE_HANDLED",
        65 => "NO_EFFECT",
        66 => "LONG_RETRY",
        67 => "RESERVED_ERROR",
        69 => "VARIABLE",
        70 | 72 => "INVALID_JSONATA_EXPRESSION",
        71 => "UNSUPPORTED_JSONATA_EXPRESSION",
        73 => "OTHER_LANGUAGE",
        75 => "VERSION",
        76 => "TOO_DEEPLY_NESTED",
        77 => "DEFINITION_TOO_LARGE",
        78 => "ANONYMOUS_FAIL",
        79 => "CONSTANT_TOO_LARGE",
        80 => "ENVELOPE",
        81 => "DROPPED_AND_READ",
        _ => "SCHEMA_VALIDATION_FAILED",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_ascend() {
        assert!(RULES.is_sorted_by(|a, b| a.number < b.number));
    }
}
