//! Paths that AWS reads otherwise than the specification, wherever a state evaluates one.
//!
//! It must not know how AWS's library reads a path, nor any data.

use super::evaluated::evaluated;
use super::{Checker, StateAt};
use crate::definition::rule::{Severities, rules};
use crate::query::OnAws;
use crate::source::Severity;

rules! {
    ON_AWS = 87, "path-on-aws", "PATH_ON_AWS", Severities { aws: Severity::Warning, spec: Severity::Info },
        "a path that AWS reads otherwise than the specification";
}

impl Checker<'_> {
    pub(super) fn on_aws(&mut self, at: StateAt<'_>) {
        if at.is_jsonata() {
            return;
        }
        for found in evaluated(at) {
            for (place, path) in found.expression.located_paths() {
                for (range, part) in path.on_aws() {
                    let range = place.start + range.start..place.start + range.end;
                    let written = found.expression.text().get(range.clone()).unwrap_or("");
                    let (message, help) = told(*part, written);
                    let span = found.member.value.inner_span(range);
                    self.report(ON_AWS, message, span, found.location.clone(), help);
                }
            }
        }
    }
}

/// What AWS makes of a part of a path, and what to write instead.
fn told(part: OnAws, written: &str) -> (String, &'static str) {
    match part {
        OnAws::NegativeIndex => (
            format!(
                "AWS counts no index from the end: {written} is never there, and the path fails"
            ),
            "write [(@.length-1)] for the last item",
        ),
        OnAws::Unreadable => (
            format!("AWS cannot read {written}: the path fails"),
            "write names in single quotes and [*] without blanks",
        ),
        OnAws::DoubleQuotes => (
            format!("to AWS the quotes of {written} belong to the text that is compared"),
            "write the text in single quotes",
        ),
        OnAws::Negation => (
            "AWS does not negate parentheses: nothing passes this filter".to_string(),
            "turn the comparison round, or ask it in a Choice state",
        ),
        OnAws::SliceStep => (
            format!("only the start and the end count in {written}: the rest is passed over"),
            "leave it away",
        ),
        OnAws::Quotes => (
            format!(
                "AWS knows no escapes in {written} and takes what stands between two quotes as a name each"
            ),
            "write ['a','b'], with names that hold no quote, bracket or backslash",
        ),
        OnAws::NamesBefore => (
            format!("AWS takes several names at the end of a path only: after {written} it fails"),
            "name one member, or give its members their own fields",
        ),
        OnAws::MayMiss => (
            format!(
                "where one of the values has no {}, the path fails on AWS, and is shorter elsewhere",
                written.trim_start_matches('.')
            ),
            "select with [*], which passes over what has no such member, or see to it that all have it",
        ),
    }
}
