//! Finds every string that a state in JSONPath evaluates, with its path or call.

use super::StateAt;
use super::facts::Evaluated;
use crate::definition::field::{self, FieldSpec};
use crate::query::Expression;

impl<'d> StateAt<'d> {
    /// The paths and intrinsic calls of a state in JSONPath.
    pub(super) fn evaluated(&self) -> &'d [Evaluated<'d>] {
        self.facts.evaluated.get_or_init(|| evaluated(*self))
    }
}

/// Returns every string of a state that is evaluated and parses.
fn evaluated(at: StateAt<'_>) -> Vec<Evaluated<'_>> {
    let mut found = Vec::new();
    let fields = at.object().members().into_iter();
    let mut waiting: Vec<_> = fields.map(|field| (field.name(), false, field)).collect();
    while let Some((field, in_template, place)) = waiting.pop() {
        let name = place.name();
        if !in_template && field::is_any(name, FieldSpec::is_unread) {
            continue;
        }
        if let Some(text) = place.text() {
            let is_path = !in_template && (name.ends_with("Path") || name == "Variable");
            if (is_path || name.ends_with(".$"))
                && let Ok(expression) = Expression::parse(text)
            {
                found.push(Evaluated {
                    field,
                    place,
                    expression,
                });
            }
            continue;
        }
        let in_template = in_template || field::is_any(name, FieldSpec::is_template);
        // A text in an array has no member name that could end in `.$`, so it is not evaluated.
        let is_array = place.node.items().is_some();
        let inner = place.inner().into_iter();
        let inner = inner.filter(|inner| !is_array || inner.text().is_none());
        waiting.extend(inner.map(|inner| (field, in_template, inner)));
    }
    found
}
