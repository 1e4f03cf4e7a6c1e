//! Checks states in JSONata for text that was meant to be evaluated: mistakes in delimiters, and JSONPath syntax.

use super::data::MIXED;
use super::flow::Flow;
use super::{Checker, StateAt};
use crate::definition::field::{self, Content, FieldSpec};
use crate::definition::lower::{is_jsonata, is_opaque};
use crate::definition::rule::{Severities, rules};
use crate::query::jsonata::Expression;
use crate::query::{Unevaluated, is_jsonpath};
use crate::source::Span;

rules! {
    HALF_JSONATA = 72, "half-jsonata", "INVALID_JSONATA_EXPRESSION", Severities::REFUSED_BY_AWS, "an expression without its {% or %}" {
        NEARLY_JSONATA = Severities::WARNING, "where it is text that is nearly an expression";
    };
}

/// True for fields that are not searched for expressions: nested states and comments.
fn is_skipped(name: &str) -> bool {
    field::is_any(name, |spec| {
        matches!(spec.content, Content::Comment | Content::States)
    })
}

/// True for fields whose value is data at any depth.
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
                        "the state is in JSONata, so a name that ends in .$ means nothing";
                    let help = "drop the .$ and write the value as {% ... %}";
                    let (span, _) = inner.key();
                    self.report(MIXED, message, (span, &place.location), help);
                }
                let is_own = data || is_data(name) || fails && is_fail_text(name);
                waiting.push((inner, is_own));
            }
        }
    }

    /// Checks one text. `data` is true inside data; `variable` is true if the text is the name of a variable.
    fn slip(&mut self, text: &str, place: (Span, &str), (data, variable): (bool, bool)) {
        if is_jsonata(text) || is_opaque(text) {
            return;
        }
        // AWS refuses an expression with a broken delimiter. If there are spaces at both ends, AWS was observed to keep
        // it as text.
        let (rule, message, help) = match (text.starts_with("{%"), text.ends_with("%}")) {
            (true, _) => {
                let broken = text.trim_end_matches(['\n', '\r']).ends_with("%}");
                let help = match broken && text.len() > 4 {
                    true => "a line break follows %}: in YAML begin the block with |- or >-",
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
                "this is not a JSONata expression, it stays text".to_string(),
                "an expression begins with {% and ends with %}, with nothing around".to_string(),
            ),
            _ if !data => return,
            _ if text.contains("{%") => match inside(text) {
                Some((first, joined)) => (
                    NEARLY_JSONATA,
                    format!("{{%{first}%}} stays text, it is not evaluated inside other text"),
                    format!("write {{% {joined} %}}"),
                ),
                None => return,
            },
            _ if variable || Unevaluated::of(text) == Some(Unevaluated::Bare) => (
                NEARLY_JSONATA,
                format!("{text} stays text, it is not evaluated"),
                format!("write {{% {text} %}}"),
            ),
            _ if is_jsonpath(text) => (
                MIXED,
                format!("the state is in JSONata, so {text} stays text"),
                "write an expression such as {% $states.input.order %}".to_string(),
            ),
            _ => return,
        };
        self.report(rule, message, place, help);
    }
}

/// The first expression between delimiters inside a longer text, and an expression that joins all parts of the text.
/// `None` if there is no expression between the delimiters, or it reads nothing.
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

/// True if a text begins like an expression except for whitespace in the delimiter.
fn nearly_opens(text: &str) -> bool {
    let rest = text.trim_start().strip_prefix('{');
    rest.is_some_and(|rest| rest.trim_start().starts_with('%'))
}

/// True if a text ends like an expression except for whitespace in the delimiter.
fn nearly_closes(text: &str) -> bool {
    let rest = text.trim_end().strip_suffix('}');
    rest.is_some_and(|rest| rest.trim_end().ends_with('%'))
}
