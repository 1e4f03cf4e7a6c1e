//! What stays text in a state of JSONata though it was meant to be evaluated: slips of the delimiters, spellings of JSONPath.
//!
//! It must not know what an expression holds.

use super::data::MIXED;
use super::flow::Flow;
use super::{Checker, StateAt};
use crate::definition::field::{self, Content, FieldSpec};
use crate::definition::lower::{is_jsonata, is_opaque, last_members};
use crate::definition::rule::{Severities, rules};
use crate::query::{Unevaluated, is_jsonpath};
use crate::source::{Node, NodeKind};

rules! {
    HALF_JSONATA = 72, "half-jsonata", "INVALID_JSONATA_EXPRESSION", Severities::REFUSED_BY_AWS, "an expression without its {% or %}" {
        NEARLY_JSONATA = Severities::WARNING, "where it is text that is nearly an expression";
    };
}

/// Fields in which no expression is looked for: other states, and what people write to each other.
fn is_skipped(name: &str) -> bool {
    field::is_any(name, |spec| {
        matches!(spec.content, Content::Comment | Content::States)
    })
}

/// Fields whose value is data, at any depth.
fn is_data(name: &str) -> bool {
    field::is_any(name, FieldSpec::is_data)
}

/// Fields of a Fail that may be expressions.
fn is_fail_text(name: &str) -> bool {
    matches!(name, "Error" | "Cause")
}

impl Checker<'_> {
    /// Every text and name of a state that looks evaluated and is not.
    pub(super) fn left_as_text(&mut self, at: StateAt<'_>, flow: &Flow<'_>) {
        let fails = at.kind() == Some("Fail");
        let mut waiting = vec![(at.node, at.state.location.to_string(), false)];
        while let Some((node, location, data)) = waiting.pop() {
            match &node.kind {
                NodeKind::String(string) => {
                    let is_known = flow.is_variable(&string.text);
                    self.slip(node, &string.text, &location, (data, is_known));
                }
                NodeKind::Array(items) => {
                    let below = items.iter().enumerate();
                    waiting.extend(
                        below.map(|(index, item)| (item, format!("{location}[{index}]"), data)),
                    );
                }
                NodeKind::Object(_) => {
                    for member in last_members(node) {
                        let name = &*member.key.text;
                        if !data && is_skipped(name) {
                            continue;
                        }
                        if data && name.ends_with(".$") {
                            self.report(
                                MIXED,
                                "the state is in JSONata, so a name that ends in .$ means nothing",
                                member.key.span,
                                location.as_str(),
                                "drop the .$ and write the value as {% ... %}",
                            );
                        }
                        let below = format!("{location}/{name}");
                        let is_own = data || is_data(name) || fails && is_fail_text(name);
                        waiting.push((&member.value, below, is_own));
                    }
                }
                _ => {}
            }
        }
    }

    /// `data`: whether it stands in data; `variable`: whether it is a variable's name.
    fn slip(&mut self, node: &Node, text: &str, location: &str, (data, variable): (bool, bool)) {
        if is_jsonata(text) || is_opaque(text) {
            return;
        }
        // AWS refuses an expression that is opened or closed improperly; with blanks at both ends it was seen to stay text.
        match (text.starts_with("{%"), text.ends_with("%}")) {
            (true, _) => {
                let broken = text.trim_end_matches(['\n', '\r']).ends_with("%}");
                let help = if broken && text.len() > 4 {
                    "a line break follows %}: in YAML begin the block with |- or >-"
                } else {
                    "write %} as the last two characters, with nothing after them"
                };
                self.report(
                    HALF_JSONATA,
                    "the JSONata expression is not closed: the text must end with %}",
                    node.span,
                    location,
                    help,
                );
            }
            (_, true) => self.report(
                HALF_JSONATA,
                "the JSONata expression is not opened: the text must begin with {%",
                node.span,
                location,
                "write {% as the first two characters, with nothing before them",
            ),
            _ if nearly_opens(text) || nearly_closes(text) => self.report(
                NEARLY_JSONATA,
                "this is not a JSONata expression, it stays text",
                node.span,
                location,
                "an expression begins with {% and ends with %}, with nothing around",
            ),
            _ if !data => {}
            _ if variable || Unevaluated::of(text) == Some(Unevaluated::Bare) => self.report(
                NEARLY_JSONATA,
                format!("{text} stays text, it is not evaluated"),
                node.span,
                location,
                format!("write {{% {text} %}}"),
            ),
            _ if is_jsonpath(text) => self.report(
                MIXED,
                format!("the state is in JSONata, so {text} stays text"),
                node.span,
                location,
                "write an expression such as {% $states.input.order %}",
            ),
            _ => {}
        }
    }
}

/// Whether a text begins as an expression does but for blanks.
fn nearly_opens(text: &str) -> bool {
    let rest = text.trim_start().strip_prefix('{');
    rest.is_some_and(|rest| rest.trim_start().starts_with('%'))
}

/// Whether a text ends as an expression does but for blanks.
fn nearly_closes(text: &str) -> bool {
    let rest = text.trim_end().strip_suffix('}');
    rest.is_some_and(|rest| rest.trim_end().ends_with('%'))
}
