//! JSONata expressions: that they parse, and that they read only what their place has.
//!
//! It must not know what an expression comes to.

use super::{Checker, StateAt};
use crate::definition::field::FieldSpec;
use crate::definition::lower::{is_opaque, last_members};
use crate::definition::rule::{Severities, rules};
use crate::query::jsonata::{
    ADDED, FUNCTIONS, Finding, NoCondition, analyse, inner, is_function, no_conditions,
};
use crate::source::{Member, Node, NodeKind, Span, did_you_mean};
use std::ops::Range;

rules! {
    JSONATA = 70, "jsonata", "INVALID_JSONATA_EXPRESSION", Severities::ERROR, "a JSONata expression does not parse" {
        YOUNGER_OPERATOR = Severities::REFUSED_BY_AWS, "where it has an operator that the JSONata of AWS does not have";
    };
    JSONATA_READS = 71, "jsonata-reads", "UNSUPPORTED_JSONATA_EXPRESSION", Severities::ERROR,
        "a JSONata expression reads what its place does not have" {
            SELECTS_NOTHING = Severities::WARNING, "where it reads a bare name, which selects nothing";
            UNKNOWN_FUNCTION = Severities::WARNING, "where it calls a function that does not exist";
        };
    JSONATA_LIMITS = 82, "jsonata-limits", "JSONATA_TOO_LARGE", Severities::WARNING,
        "a JSONata expression asks for a longer range or a wider padding than an evaluation allows";
    TEXT_CONDITION = 93, "text-condition", "TEXT_AS_CONDITION", Severities::WARNING,
        "a JSONata expression joins texts with & where a condition is wanted";
}

/// An expression where it stands.
pub(super) struct Found<'d> {
    pub(super) node: &'d Node,
    pub(super) member: &'d Member,
    pub(super) location: String,
    /// Members of `$states` that the place has besides `input` and `context`.
    also: &'static [&'static str],
}

impl Found<'_> {
    /// The source of bytes of the expression itself.
    fn span(&self, range: Range<usize>) -> Span {
        let Some(text) = self.node.as_str() else {
            return self.node.span;
        };
        let rest = text.strip_prefix("{%").unwrap_or(text);
        let before = text.len() - rest.trim_start().len();
        let whole = inner(text).map_or(0, str::len);
        if range.is_empty() || range.end > whole {
            return self.node.span;
        }
        self.node
            .inner_span(before + range.start..before + range.end)
    }
}

/// Every expression of a state in JSONata mode.
pub(super) fn expressions<'d>(at: StateAt<'d>) -> Vec<Found<'d>> {
    let mut found = Vec::new();
    if !at.is_jsonata() {
        return found;
    }
    let works = matches!(at.kind(), Some("Task" | "Parallel" | "Map"));
    for member in last_members(at.node) {
        let name = &*member.key.text;
        if FieldSpec::of_state(name).is_some_and(FieldSpec::has_expressions) {
            let result: &[&str] = match name {
                "Output" | "Assign" if works => &["result"],
                _ => &[],
            };
            collect(&member.value, member, at.at(name), result, &mut found);
        }
    }
    for (field, names, also) in [
        ("Choices", &["Condition", "Output", "Assign"][..], &[][..]),
        ("Catch", &["Output", "Assign"][..], &["errorOutput"][..]),
    ] {
        let items = at.get(field).and_then(Node::items).unwrap_or_default();
        for (index, item) in items.iter().enumerate() {
            for member in last_members(item) {
                if names.contains(&&*member.key.text) {
                    let location = format!("{}[{index}]/{}", at.at(field), member.key.text);
                    collect(&member.value, member, location, also, &mut found);
                }
            }
        }
    }
    found
}

fn collect<'d>(
    node: &'d Node,
    member: &'d Member,
    location: String,
    also: &'static [&'static str],
    found: &mut Vec<Found<'d>>,
) {
    let first = found.len();
    let mut waiting = vec![(node, member, location)];
    while let Some((node, member, location)) = waiting.pop() {
        match &node.kind {
            NodeKind::String(string) if inner(&string.text).is_some() => found.push(Found {
                node,
                member,
                location,
                also,
            }),
            NodeKind::Array(items) => waiting.extend(
                items
                    .iter()
                    .enumerate()
                    .map(|(index, item)| (item, member, format!("{location}[{index}]"))),
            ),
            NodeKind::Object(_) => waiting.extend(last_members(node).into_iter().map(|member| {
                let below = format!("{location}/{}", member.key.text);
                (&member.value, member, below)
            })),
            _ => {}
        }
    }
    if let Some(new) = found.get_mut(first..) {
        new.sort_by_key(|one| one.node.span.start);
    }
}

impl<'d> Checker<'d> {
    pub(super) fn jsonata(&mut self, at: StateAt<'d>) {
        for found in expressions(at) {
            let Some(text) = found.node.as_str().and_then(inner) else {
                continue;
            };
            if is_opaque(text) {
                continue;
            }
            match analyse(text) {
                Err(error) => {
                    let span = found.span(error.range);
                    let help = "what stands between {% and %} is a JSONata expression";
                    self.report(JSONATA, error.message, span, found.location, help);
                }
                Ok(analysis) => {
                    for finding in &analysis.findings {
                        self.jsonata_finding(&found, finding);
                    }
                    let is_condition = &*found.member.key.text == "Condition";
                    for (kind, range) in no_conditions(text, is_condition) {
                        self.no_condition(&found, kind, range);
                    }
                }
            }
        }
    }

    fn no_condition(&mut self, found: &Found<'_>, kind: NoCondition, range: Range<usize>) {
        let (message, help) = match kind {
            NoCondition::Whole => (
                "& joins texts, and a Condition must be true or false: the state fails",
                "write and, or compare the text with another",
            ),
            NoCondition::Text => (
                "& joins texts: as a condition the text is true unless it is empty",
                "write and, or compare the text with another",
            ),
            NoCondition::JoinedConditions => (
                "& joins two conditions to a text such as \"falsefalse\", which is true as a condition",
                "write and",
            ),
            NoCondition::BoundFirst => (
                "& binds before the comparisons around it: what it joins is compared, then the outcome of that",
                "write and",
            ),
        };
        let span = found.span(range);
        self.report(TEXT_CONDITION, message, span, found.location.as_str(), help);
    }

    fn jsonata_finding(&mut self, found: &Found<'_>, finding: &Finding) {
        let location = found.location.as_str();
        match finding {
            Finding::TopLevel { name, range } => {
                let message = format!("Reference to '{name}' at the top level is not supported.");
                let help = if name.starts_with('$') {
                    "the state's input is $states.input".to_string()
                } else {
                    format!("the state's input is $states.input: write $states.input.{name}")
                };
                self.report(
                    JSONATA_READS,
                    message,
                    found.span(range.clone()),
                    location,
                    help,
                );
            }
            Finding::Nothing { name, range } => {
                let message = format!("{name} at the top level selects nothing");
                let help =
                    format!("the state's input is $states.input: write $states.input.{name}");
                self.report(
                    SELECTS_NOTHING,
                    message,
                    found.span(range.clone()),
                    location,
                    help,
                );
            }
            Finding::States { member, range } => {
                let known = ["input", "context"].iter().chain(found.also);
                if known.clone().any(|own| *own == &**member) {
                    return;
                }
                let message = format!("Field '$states.{member}' does not exist.");
                let help = match &**member {
                    "result" => "only Output and Assign of a Task, Parallel or Map have a result"
                        .to_string(),
                    "errorOutput" => {
                        "only Output and Assign of a catcher have an errorOutput".to_string()
                    }
                    other => did_you_mean(other, known.copied())
                        .unwrap_or_else(|| "$states has input and context".to_string()),
                };
                self.report(
                    JSONATA_READS,
                    message,
                    found.span(range.clone()),
                    location,
                    help,
                );
            }
            Finding::Beyond { error, range } => {
                let help = "the state fails with it when this is evaluated";
                self.report(
                    JSONATA_LIMITS,
                    error.as_str(),
                    found.span(range.clone()),
                    location,
                    help,
                );
            }
            Finding::Operator { name, range } => {
                let message = format!(
                    "the operator {name} is newer than the JSONata of Step Functions, 2.0.6"
                );
                let help = match *name {
                    "??" => "write $exists(a) ? a : b",
                    _ => "write a ? a : b",
                };
                self.report(
                    YOUNGER_OPERATOR,
                    message,
                    found.span(range.clone()),
                    location,
                    help,
                );
            }
            Finding::Function { name, range } => {
                if is_function(name) {
                    return;
                }
                let message = format!("there is no function ${name}");
                let all = FUNCTIONS.iter().chain(&ADDED).copied();
                let help = match &**name {
                    "eval" => "Step Functions has $parse for JSON text instead".to_string(),
                    "randomSeeded" => "write $random(seed)".to_string(),
                    _ => did_you_mean(name, all)
                        .unwrap_or_else(|| "it fails when it is called (T1006)".to_string()),
                };
                self.report(
                    UNKNOWN_FUNCTION,
                    message,
                    found.span(range.clone()),
                    location,
                    help,
                );
            }
            Finding::Variable { .. } => {}
        }
    }
}
