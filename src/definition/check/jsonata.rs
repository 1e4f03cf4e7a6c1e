//! Checks that JSONata expressions parse and read only values that are available where they are used. Also finds text
//! that was meant to be an expression.

use super::data::MIXED;
use super::facts::Found;
use super::located::Located;
use super::reach::Flow;
use super::{Checker, StateAt};
use crate::definition::field::{self, Content, FieldSpec};
use crate::definition::lower::{is_jsonata, is_opaque};
use crate::definition::rule::{Severities, lint_rules};
use crate::query::jsonata::{
    ADDED, Analysis, Expression, FUNCTIONS, Finding, NoCondition, Tree, inner, is_function,
};
use crate::query::{Unevaluated, is_jsonpath};
use crate::source::{Node, Span, did_you_mean};
use std::ops::Range;

lint_rules! {
    JSONATA = 70, "jsonata", "INVALID_JSONATA_EXPRESSION", Severities::ERROR, "a JSONata expression does not parse" {
        YOUNGER_OPERATOR = Severities::REFUSED_BY_AWS, "if the expression has an operator that AWS's JSONata lacks";
    };
    JSONATA_READS = 71, "jsonata-reads", "UNSUPPORTED_JSONATA_EXPRESSION", Severities::ERROR,
        "a JSONata expression reads something that its field cannot access" {
            SELECTS_NOTHING = Severities::WARNING, "if the expression reads a bare name such as order, which selects nothing";
            UNKNOWN_FUNCTION = Severities::WARNING, "if the expression calls a function that does not exist";
        };
    JSONATA_LIMITS = 82, "jsonata-limits", "JSONATA_TOO_LARGE", Severities::WARNING,
        "a JSONata expression builds a range or a padding that is longer than an evaluation allows";
    TEXT_ADDED = 107, "text-added", "TEXT_ADDED", Severities::WARNING, "a JSONata expression adds text with +";
    TEXT_CONDITION = 93, "text-condition", "TEXT_AS_CONDITION", Severities::WARNING,
        "a JSONata expression joins texts with & where a condition is needed";
    HALF_JSONATA = 72, "half-jsonata", "INVALID_JSONATA_EXPRESSION", Severities::REFUSED_BY_AWS, "a JSONata expression lacks the {% at its start or the %} at its end" {
        NEARLY_JSONATA = Severities::WARNING, "if the text only resembles an expression";
    };
}

/// Every expression in a state in JSONata.
pub(super) fn expressions(at: StateAt<'_>) -> Vec<Found<'_>> {
    let mut expressions_found = Vec::new();
    if !at.is_jsonata() {
        return expressions_found;
    }
    let works = matches!(at.kind(), Some("Task" | "Parallel" | "Map"));
    for field in at.object().members() {
        let name = field.name();
        if FieldSpec::of_state(name).is_some_and(FieldSpec::has_expressions) {
            let result: &[&str] = match name {
                "Output" | "Assign" if works => &["result"],
                _ => &[],
            };
            collect(field, result, &mut expressions_found);
        }
    }
    for (field, names, also) in [
        ("Choices", &["Condition", "Output", "Assign"][..], &[][..]),
        ("Catch", &["Output", "Assign"][..], &["errorOutput"][..]),
    ] {
        let members = at.entries(field).into_iter();
        let members = members.flat_map(|entry| entry.members());
        for member in members.filter(|member| names.contains(&member.name())) {
            collect(member, also, &mut expressions_found);
        }
    }
    expressions_found
}

fn collect<'d>(
    root: Located<'d>,
    also: &'static [&'static str],
    expressions_found: &mut Vec<Found<'d>>,
) {
    let mut waiting = vec![root];
    while let Some(place) = waiting.pop() {
        match place.expression() {
            Some(text) => expressions_found.push(Found {
                tree: Tree::parse(text),
                place,
                also,
            }),
            None => waiting.extend(place.inner()),
        }
    }
}

impl<'d> StateAt<'d> {
    /// The expressions of a state in JSONata, in the order of the text.
    pub(super) fn expressions(&self) -> &'d [Found<'d>] {
        self.facts.expressions.get_or_init(|| {
            let mut in_order = expressions(*self);
            in_order.sort_by_key(|in_order| in_order.place.node.span.start);
            in_order
        })
    }

    /// The tree of the JSONata expression at this node of the state.
    pub(super) fn tree(&self, node: &Node) -> Option<&'d Tree> {
        let start = |expression: &Found<'_>| expression.place.node.span.start;
        let all = self.expressions();
        let first = all.partition_point(|expression| start(expression) < node.span.start);
        // Several nodes may have the same span if a template generated them.
        let same = all.get(first..)?.iter();
        let mut same = same.take_while(|expression| start(expression) == node.span.start);
        let expression = same.find(|expression| std::ptr::eq(expression.place.node, node))?;
        expression.tree.as_ref().ok()
    }
}

impl<'d> Checker<'d> {
    pub(super) fn jsonata(&mut self, at: StateAt<'d>) {
        for expression in at.expressions() {
            if expression.place.expression().is_none_or(is_opaque) {
                continue;
            }
            match &expression.tree {
                Err(error) => {
                    let help = "the text between {% and %} must be a JSONata expression";
                    self.report(
                        JSONATA,
                        &*error.message,
                        expression.part(&error.range),
                        help,
                    );
                }
                Ok(tree) => {
                    for finding in &Analysis::of(tree).findings {
                        self.jsonata_finding(expression, finding);
                    }
                    let is_condition = expression.place.name() == "Condition";
                    for (kind, range) in tree.no_conditions(is_condition) {
                        self.no_condition(kind, expression.part(&range));
                    }
                }
            }
        }
    }

    fn no_condition(&mut self, kind: NoCondition, place: (Span, &str)) {
        let (message, help) = match kind {
            NoCondition::Whole => (
                "& produces a text, but a Condition must be true or false: the state fails",
                "write \"and\" instead of &, or compare the text with another text",
            ),
            NoCondition::Text => (
                "& produces a text, which as a condition is true unless the text is empty",
                "write \"and\" instead of &, or compare the text with another text",
            ),
            NoCondition::JoinedConditions => (
                "& joins two conditions to a text such as \"falsefalse\", which is true as a condition",
                "write and",
            ),
            NoCondition::BoundFirst => (
                "& binds more tightly than the comparisons around it, so the joined text is compared",
                "write and",
            ),
        };
        self.report(TEXT_CONDITION, message, place, help);
    }

    fn jsonata_finding(&mut self, expression: &Found<'_>, finding: &Finding) {
        let of_input = |name: &str| match name {
            "input" | "result" | "context" | "errorOutput" => format!(
                "write $states.{name}, or $states.input.{name} for a member of the state's input"
            ),
            _ if name.starts_with('$') => "the state's input is $states.input".to_string(),
            _ => format!("the state's input is $states.input: write $states.input.{name}"),
        };
        let (rule, message, range, help) = match finding {
            Finding::TopLevel { name, range } => {
                let message = format!("Reference to '{name}' at the top level is not supported.");
                let help = split_name(expression, range).unwrap_or_else(|| of_input(name));
                (JSONATA_READS, message, range, help)
            }
            Finding::Nothing { name, range } => {
                let message = format!("{name} at the top level of an expression selects nothing");
                (SELECTS_NOTHING, message, range, of_input(name))
            }
            Finding::States { member, range } => {
                let known = ["input", "context"].iter().chain(expression.also);
                if known.clone().any(|known_name| *known_name == &**member) {
                    return;
                }
                let message = format!("Field '$states.{member}' does not exist.");
                let help = match &**member {
                    "result" => {
                        "only Output and Assign of a Task, Parallel or Map can read $states.result"
                            .to_string()
                    }
                    "errorOutput" => {
                        "only Output and Assign of a catcher can read $states.errorOutput"
                            .to_string()
                    }
                    other => did_you_mean(other, known.copied())
                        .unwrap_or_else(|| "$states has the members input and context".to_string()),
                };
                (JSONATA_READS, message, range, help)
            }
            Finding::Beyond { error, range } => {
                let help = "the state fails when this expression is evaluated";
                (JSONATA_LIMITS, error.to_string(), range, help.to_string())
            }
            Finding::TextAdded { text, range } => {
                let message = format!("+ adds numbers, but {text} is text: the state fails here");
                (
                    TEXT_ADDED,
                    message,
                    range,
                    "write & to join texts".to_string(),
                )
            }
            Finding::Operator { name, range } => {
                let message = format!(
                    "the operator {name} is newer than JSONata 2.0.6, which Step Functions uses"
                );
                let help = match *name {
                    "??" => "write $exists(a) ? a : b",
                    _ => "write a ? a : b",
                };
                (YOUNGER_OPERATOR, message, range, help.to_string())
            }
            Finding::Function { name, .. } if is_function(name) => return,
            Finding::Function { name, range } => {
                let all = FUNCTIONS.iter().chain(&ADDED).copied();
                let help = match &**name {
                    "eval" => {
                        "Step Functions has $parse (for JSON text) instead of $eval".to_string()
                    }
                    "randomSeeded" => "write $random(seed) instead".to_string(),
                    _ => did_you_mean(name, all).unwrap_or_else(|| {
                        "the call fails with T1006 when it is evaluated".to_string()
                    }),
                };
                let message = format!("there is no function ${name}");
                (UNKNOWN_FUNCTION, message, range, help)
            }
            Finding::Variable { .. } => return,
        };
        self.report(rule, message, expression.part(range), help);
    }
}

/// Help for a name that contains an operator without spaces around it, as in `$states.input.detail-type`.
fn split_name(expression: &Found<'_>, range: &Range<usize>) -> Option<String> {
    let text = inner(expression.place.text()?)?;
    let before = text.get(..range.start)?;
    let operator = before
        .chars()
        .next_back()
        .filter(|c| "-/%&:".contains(*c))?;
    let before = before.strip_suffix(operator)?;
    let is_of_path = |c: char| c.is_alphanumeric() || matches!(c, '$' | '.' | '_' | '-');
    let start = before.rfind(|c| !is_of_path(c)).map_or(0, |at| at + 1);
    let (base, first) = before.get(start..)?.rsplit_once('.')?;
    let after = text.get(range.start..)?;
    let length = after
        .find(|c| !is_of_path(c) || c == '.')
        .unwrap_or(after.len());
    let rest = after.get(..length)?;
    (!first.is_empty() && base.starts_with('$')).then(|| {
        format!(
            "{operator} is an operator here; a name that contains {operator} needs quotes: {base}.'{first}{operator}{rest}'"
        )
    })
}

/// True for fields that are not searched for expressions: nested states and comments.
fn is_skipped(name: &str) -> bool {
    field::is_any(name, |spec| {
        matches!(spec.content, Content::Comment | Content::States)
    })
}

/// True for fields that contain data whose members the author chooses, such as `Arguments`.
fn is_data(name: &str) -> bool {
    field::is_any(name, FieldSpec::is_data)
}

/// True for the fields of a Fail state that may be expressions.
fn is_fail_text(name: &str) -> bool {
    matches!(name, "Error" | "Cause")
}

impl Checker<'_> {
    /// Reports every text and name in a state that looks like an expression but is not evaluated.
    pub(super) fn left_as_text(&mut self, at: StateAt<'_>, flow: &Flow<'_>) {
        let fails = at.kind() == Some("Fail");
        let mut waiting = vec![(at.object(), false)];
        while let Some((place, data)) = waiting.pop() {
            if let Some(text) = place.text() {
                self.slip(text, place.value(), (data, flow.is_variable(text)));
            }
            let is_object = place.node.members().is_some();
            for inner in place.inner() {
                let name = inner.name();
                if !is_object {
                    waiting.push((inner, data));
                    continue;
                }
                if !data && is_skipped(name) {
                    continue;
                }
                if data && name.ends_with(".$") {
                    let message =
                        "the state uses JSONata, so the ending .$ of a field name has no effect";
                    let help = "remove the .$ and write the value as {% ... %}";
                    let (span, _) = inner.key();
                    self.report(MIXED, message, (span, &place.location), help);
                }
                let is_own = data || is_data(name) || fails && is_fail_text(name);
                waiting.push((inner, is_own));
            }
        }
    }

    /// Reports a text that looks like a mistyped expression. `data` is true if the text is part of the data that the
    /// state passes on. `variable` is true if the text is the name of a variable.
    fn slip(&mut self, text: &str, place: (Span, &str), (data, variable): (bool, bool)) {
        if is_jsonata(text) || is_opaque(text) {
            return;
        }
        // AWS refuses an expression with a broken delimiter. But if the text begins and ends with spaces, AWS was
        // observed to keep it as text.
        let (rule, message, help) = match (text.starts_with("{%"), text.ends_with("%}")) {
            (true, _) => {
                let broken = text.trim_end_matches(['\n', '\r']).ends_with("%}");
                let help = match broken && text.len() > 4 {
                    true => "a line break follows %}: in YAML, begin the block with |- or >-",
                    false => "write %} as the last two characters, with nothing after them",
                };
                let message = "the JSONata expression is not closed: the text must end with %}";
                (HALF_JSONATA, message.to_string(), help.to_string())
            }
            (_, true) => (
                HALF_JSONATA,
                "the JSONata expression is not opened: the text must begin with {%".to_string(),
                "write {% as the first two characters, with nothing before them".to_string(),
            ),
            _ if nearly_opens(text) || nearly_closes(text) => (
                NEARLY_JSONATA,
                "this text is not a JSONata expression and is not evaluated".to_string(),
                "an expression begins with {% and ends with %}, with no other text around them"
                    .to_string(),
            ),
            _ if !data => return,
            _ if text.contains("{%") => match inside(text) {
                Some((expression, joined)) => (
                    NEARLY_JSONATA,
                    format!(
                        "{{%{expression}%}} stays text: an expression inside other text is not evaluated"
                    ),
                    format!("write {{% {joined} %}}"),
                ),
                None => return,
            },
            _ if variable || Unevaluated::of(text) == Some(Unevaluated::Bare) => (
                NEARLY_JSONATA,
                format!("{text} is not evaluated and stays text"),
                format!("write {{% {text} %}}"),
            ),
            _ if is_jsonpath(text) => (
                MIXED,
                format!("the state uses JSONata, so {text} stays text"),
                "write an expression such as {% $states.input.order %}".to_string(),
            ),
            _ => return,
        };
        self.report(rule, message, place, help);
    }
}

/// Finds expressions in `{% %}` inside a longer text. Returns the first one, and an expression that joins all parts of
/// the text. `None` if there is none, or if one of them is not closed, does not parse or reads nothing.
fn inside(text: &str) -> Option<(&str, String)> {
    let mut parts = text.split("{%");
    let mut joined: Vec<String> = parts.next().into_iter().map(literal).collect();
    let mut first = None;
    for part in parts {
        let (expression, behind) = part.split_once("%}")?;
        let reads = expression.contains('$');
        Expression::parse(expression, "Output")
            .ok()
            .filter(|_| reads)?;
        first = first.or(Some(expression));
        joined.push(expression.trim().to_string());
        joined.push(literal(behind));
    }
    joined.retain(|part| part != "''");
    Some((first?, joined.join(" & ")))
}

/// The text as a JSONata string literal.
fn literal(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('\n', "\\n");
    match text.contains('\'') {
        true => format!("\"{}\"", text.replace('"', "\\\"")),
        false => format!("'{text}'"),
    }
}

/// True if a text begins like an expression, but with additional whitespace before or inside the delimiter.
fn nearly_opens(text: &str) -> bool {
    let rest = text.trim_start().strip_prefix('{');
    rest.is_some_and(|rest| rest.trim_start().starts_with('%'))
}

/// True if a text ends like an expression, but with additional whitespace after or inside the delimiter.
fn nearly_closes(text: &str) -> bool {
    let rest = text.trim_end().strip_suffix('}');
    rest.is_some_and(|rest| rest.trim_end().ends_with('%'))
}
