//! Finds the source text of the fields in a definition, and the location of this text.

use crate::definition::Definition;
use crate::json::{Pointer, Step};
use crate::source::{Node, Span, counted};

/// The node at the place `at` inside a node; `None` if the node has nothing at this place.
pub(super) fn node_in<'n>(node: &'n Node, at: &Pointer) -> Option<&'n Node> {
    at.0.iter().try_fold(node, |node, step| match step {
        Step::Member(name) => node.get(name),
        Step::Item(index) => node.items()?.get(*index),
    })
}

/// The source text of the value at the place `at` inside a node; for a string, without the quotes.
pub(super) fn inner(node: &Node, at: &Pointer) -> Option<Span> {
    let value = node_in(node, at)?;
    Some(
        value
            .string()
            .map_or(value.span, |string| value.inner_span(0..string.text.len())),
    )
}

/// Converts AWS's notation of a position, such as `Choices[1]/Output/v`.
pub(super) fn pointer_of(location: &str) -> Pointer {
    let mut steps = Vec::new();
    for part in location.split('/') {
        let (name, indexes) = part.split_once('[').unwrap_or((part, ""));
        steps.push(Step::Member(name.into()));
        let numbers = indexes
            .split(['[', ']'])
            .filter_map(|index| index.parse().ok());
        steps.extend(numbers.map(Step::Item));
    }
    Pointer(steps)
}

/// Short text of a field's value, the same for JSON and YAML: a path without quotes, an object as the number of its
/// fields.
pub(super) fn field_text(definition: &Definition, span: Span) -> Option<String> {
    let node = definition.node.at(span);
    let short = node.and_then(|node| {
        let object = node
            .members()
            .map(|members| counted(members.len(), "field"));
        let text = || {
            Some(
                node.as_str()?
                    .split_whitespace()
                    .collect::<Vec<_>>()
                    .join(" "),
            )
        };
        object.or_else(text)
    });
    short.or_else(|| {
        let file = definition.sources.get(span.source)?;
        let text = file.text.get(span.range())?;
        Some(match crate::json::parse(text) {
            Ok(value) => value.to_string(),
            Err(_) => text.chars().take(40).collect(),
        })
    })
}
