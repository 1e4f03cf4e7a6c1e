//! The paths and calls of a state in JSONPath: every string that is evaluated.
//!
//! It must not know what they select.

use super::StateAt;
use super::located::Located;
use crate::definition::field::{self, FieldSpec};
use crate::query::Expression;

/// A string that is evaluated.
pub(super) struct Evaluated<'d> {
    /// The state's field that it stands in, at any depth.
    pub(super) field: &'d str,
    pub(super) place: Located<'d>,
    pub(super) expression: Expression,
}

impl Evaluated<'_> {
    /// The name that its value gets.
    pub(super) fn name(&self) -> &str {
        let written = self.place.name();
        written.strip_suffix(".$").unwrap_or(written)
    }
}

/// Every string of a state that is evaluated and can be read.
pub(super) fn evaluated(at: StateAt<'_>) -> Vec<Evaluated<'_>> {
    let mut found = Vec::new();
    let fields = at.object().members().into_iter();
    let mut waiting: Vec<_> = fields.map(|place| (place.name(), place, false)).collect();
    while let Some((field, place, is_template)) = waiting.pop() {
        let name = place.name();
        if !is_template && field::is_any(name, FieldSpec::is_unread) {
            continue;
        }
        let is_own = !is_template && (name.ends_with("Path") || name == "Variable");
        let is_template = is_template || field::is_any(name, FieldSpec::is_template);
        match place.text() {
            Some(text) if is_own || name.ends_with(".$") => {
                if let Ok(expression) = Expression::parse(text) {
                    found.push(Evaluated {
                        field,
                        place,
                        expression,
                    });
                }
            }
            _ => {
                // An item has the name of its array, but no value of its own.
                let inner = place.inner().into_iter();
                let inner =
                    inner.filter(|one| !(one.text().is_some() && place.node.items().is_some()));
                waiting.extend(inner.map(|one| (field, one, is_template)));
            }
        }
    }
    found
}
