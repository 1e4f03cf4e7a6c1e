//! Parses the JSONata fields of a state. In JSONPath mode, there are none.

use super::lowering::is_opaque;
use super::object::Object;
use super::state::StateReader;
use crate::definition::{Jsonata, Payload, QueryLanguage};
use crate::json::Value;
use crate::query::jsonata::{Expression, Template, inner};
use crate::source::Node;
use std::sync::Arc;

impl<'n> StateReader<'_, 'n> {
    /// Parses `Arguments`, `Output` and `Assign`, as far as the object may have these fields.
    pub(super) fn jsonata(
        &mut self,
        object: Object<'n, '_>,
        names: &[&str],
        below: &str,
    ) -> Jsonata {
        let mut read = |name: &str| {
            let location = format!("{below}{name}");
            names
                .contains(&name)
                .then(|| self.jsonata_field(object, name, &location))
                .flatten()
        };
        Jsonata {
            arguments: read("Arguments"),
            output: read("Output"),
            assign: read("Assign"),
        }
    }

    /// Parses a field that may contain expressions at any depth.
    pub(super) fn jsonata_field(
        &mut self,
        object: Object<'n, '_>,
        name: &str,
        location: &str,
    ) -> Option<Template> {
        if self.language() != QueryLanguage::Jsonata {
            return None;
        }
        let value = object.get(name)?.to_value();
        Some(self.compiled(&value, location))
    }

    fn compiled(&mut self, value: &Value, location: &str) -> Template {
        let (template, problems) = Template::compile(value, location);
        for problem in problems {
            self.broken(format!("{}: {}", problem.location, problem.error.message));
        }
        let opaque = template
            .expressions()
            .iter()
            .find(|one| is_opaque(&one.text));
        if let Some(expression) = opaque {
            self.broken(format!("{} holds a placeholder", expression.location));
        }
        template
    }

    /// Parses a field in the query language of the state.
    pub(super) fn payload(
        &mut self,
        object: Object<'n, '_>,
        name: &str,
        location: &str,
    ) -> Option<Payload> {
        match self.language() {
            QueryLanguage::JsonPath => self.template(object, name).map(Payload::Template),
            QueryLanguage::Jsonata => self
                .jsonata_field(object, name, location)
                .map(Payload::Jsonata),
        }
    }

    /// Parses a field whose whole value is an expression.
    pub(super) fn expression_field(
        &mut self,
        object: Object<'n, '_>,
        name: &str,
    ) -> Option<Arc<Expression>> {
        let value = object.get(name)?;
        self.expression(value, name)
    }

    /// Parses a value that is an expression as a whole; `None` for any other value.
    pub(super) fn expression(&mut self, value: &Node, location: &str) -> Option<Arc<Expression>> {
        if self.language() != QueryLanguage::Jsonata {
            return None;
        }
        inner(value.as_str()?)?;
        let template = self.compiled(&value.to_value(), location);
        template.expressions().first().cloned()
    }
}
