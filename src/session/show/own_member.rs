//! Members of an item's input that its ItemSelector makes of something else, while the item has a member of that name.
//!
//! It must not know how a value is shown.

use crate::definition::Map;
use crate::json::{Step, Text, Value};
use crate::query::{Root, abridged, jsonata};

/// Columns of a value.
const VALUE: usize = 40;

/// `diet: the item itself has "gluten-free"`, one sentence each.
pub(super) fn remarks(map: &Map, item: &Value, input: &Value) -> Vec<String> {
    if map.batcher.is_some() || !map.has_selector() {
        return Vec::new();
    }
    let Some(made) = input.as_object() else {
        return Vec::new();
    };
    let said = made.members().iter().filter_map(|(name, value)| {
        let own = item.get(name).filter(|own| *own != value)?;
        let shown = abridged(own, VALUE);
        (!reads_item(map, name)).then(|| format!("{name}: the item itself has {shown}"))
    });
    said.collect()
}

/// Whether what makes a member looks at the item.
fn reads_item(map: &Map, name: &str) -> bool {
    let is_of = |step: Option<&Step>| matches!(step, Some(Step::Member(own)) if own.strip_suffix(".$").unwrap_or(own) == name);
    let names_item = |steps: &[Text]| {
        let item = ["Map", "Item"];
        steps.len() < 2 || steps.iter().zip(item).all(|(one, other)| **one == *other)
    };
    if let Some(selector) = &map.item_selector {
        let own = selector.expressions().into_iter();
        let own = own.filter(|(at, _)| is_of(at.0.first()));
        return own
            .flat_map(|(_, expression)| expression.paths())
            .any(|path| {
                let steps = path.names().unwrap_or_default().into_iter();
                let steps: Vec<Text> = steps
                    .filter_map(|step| match step {
                        Step::Member(name) => Some(name),
                        Step::Item(_) => None,
                    })
                    .collect();
                matches!(path.root(), Root::Context) && names_item(&steps)
            });
    }
    let expressions = map
        .jsonata_selector
        .iter()
        .flat_map(|one| one.expressions());
    let own = expressions.filter(|expression| {
        let at = super::explain::pointer_of(&expression.location).0;
        at.get(1..).is_some_and(|at| is_of(at.first()))
    });
    own.flat_map(|expression| jsonata::paths(&expression.text))
        .any(|path| {
            let names: Vec<Text> = path.iter().map(|name| name.as_str().into()).collect();
            match names.split_at_checked(2) {
                Some(([first, second], rest)) => {
                    &**first == "states" && &**second == "context" && names_item(rest)
                }
                _ => false,
            }
        })
}
