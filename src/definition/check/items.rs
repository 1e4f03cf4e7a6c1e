//! Checks JSONata expressions that should give an array (the Items of a Map, or a parameter of a service), but give a
//! single item if a filter or a map has only one result.

use super::shape::{Part, Shape};
use super::shapes::Shapes;
use super::{Checker, StateAt};
use crate::definition::rule::{Severities, rules};
use crate::definition::{Source, Stage};
use crate::query::jsonata::Made;
use crate::source::Node;

rules! {
    SINGLE_ITEM = 85, "single-item", "SINGLE_ITEM", Severities::WARNING,
        "a filter or a map of JSONata gives the Items of a Map, or a parameter that is an array: a single result comes without one";
}

impl Checker<'_> {
    pub(super) fn single_items(&mut self, at: StateAt<'_>, shapes: &Shapes) {
        let Some(items) = at.get("Items").filter(|_| at.is_jsonata()) else {
            return;
        };
        let documents = shapes.documents(at);
        let shape = documents.get(Source::Stage(Stage::AfterItemsPath));
        let name = &at.state.name;
        let gets = format!(
            "\"{name}\" gets that value as its Items, not an array of one; of an object it takes the members"
        );
        self.single_item(shape, items, &gets, "here they are the Items");
    }

    /// Reports each expression of the shape that gives a single match without an array, although `node` needs an array.
    pub(super) fn single_item(&mut self, shape: &Shape, node: &Node, gets: &str, here: &str) {
        let Shape::Several(makers) = shape else {
            return;
        };
        for maker in makers {
            let by = self.state_at(maker.state);
            let (Part::Sequence(what, span), Some(by)) = (maker.part, by) else {
                continue;
            };
            let mut written = by.expressions().iter();
            let Some(found) = written.find(|one| one.place.node.span == span) else {
                continue;
            };
            let message = format!("where {what} finds a single value, {gets}");
            let help = match &found.tree {
                Ok(tree) if tree.text().len() < 60 && matches!(tree.made(), Made::Each(..)) => {
                    format!("write it in brackets: {{% [{}] %}}", tree.text())
                }
                _ => "write the expression in brackets: {% [ … ] %}".to_string(),
            };
            let mut diagnostic = self
                .found(SINGLE_ITEM, message)
                .at(span, found.place.location.as_str())
                .help(help);
            if span != node.span {
                diagnostic = diagnostic.related(node.span, here);
            }
            self.add(diagnostic);
        }
    }
}
