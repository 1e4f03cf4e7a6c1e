//! Checks every path that a state evaluates for parts that AWS reads differently from the specification.

use super::{Checker, StateAt};
use crate::definition::rule::{Severities, rules};
use crate::query::OnAws;

rules! {
    ON_AWS = 87, "path-on-aws", "PATH_ON_AWS", Severities::ON_AWS,
        "a path that AWS reads differently from the specification";
}

impl Checker<'_> {
    pub(super) fn on_aws(&mut self, at: StateAt<'_>) {
        if at.is_jsonata() {
            return;
        }
        for found in at.evaluated() {
            for (place, path) in found.expression.located_paths() {
                for (range, part) in path.on_aws() {
                    let range = place.start + range.start..place.start + range.end;
                    let written = found.expression.text().get(range.clone()).unwrap_or("");
                    let Some((message, help)) = told(*part, written) else {
                        continue;
                    };
                    let span = found.place.node.inner_span(range);
                    self.report(ON_AWS, message, (span, &found.place.location), help);
                }
            }
        }
    }
}

/// The message and the help for a part that AWS reads differently; `None` if the result is the same for most data.
fn told(part: OnAws, written: &str) -> Option<(String, &'static str)> {
    let told = match part {
        OnAws::NegativeIndex => (
            format!(
                "AWS does not count an index from the end: {written} is not found, and the path fails"
            ),
            "write [(@.length-1)] for the last item",
        ),
        OnAws::Unreadable => (
            format!("AWS cannot read {written}: the path fails"),
            "write names in single quotes and [*] without spaces",
        ),
        OnAws::DoubleQuotes => (
            format!("AWS takes the quotes of {written} as part of the string that is compared"),
            "write the string in single quotes",
        ),
        OnAws::Negation => (
            "AWS does not negate parentheses: nothing passes this filter".to_string(),
            "reverse the comparison, or test it in a Choice state",
        ),
        OnAws::SliceStep => (
            format!("AWS uses only the start and the end of {written}: the rest is ignored"),
            "leave it out",
        ),
        OnAws::Quotes => (
            format!(
                "AWS has no escapes in {written} and takes each text between two quotes as a name"
            ),
            "write ['a','b'], with names that hold no quote, bracket or backslash",
        ),
        OnAws::NamesBefore => (
            format!("AWS allows several names only at the end of a path: after {written} it fails"),
            "name one member, or give its members their own fields",
        ),
        // This depends on the data, so it is reported during a run.
        OnAws::MayMiss => return None,
    };
    Some(told)
}
