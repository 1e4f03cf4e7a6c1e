//! Checks for Maps in JSONata whose `Items` are a single item instead of an array if a filter or a map finds only one.

use super::shape::{Part, Shape};
use super::shapes::Shapes;
use super::{Checker, StateAt};
use crate::definition::rule::{Severities, rules};
use crate::definition::{Source, Stage};
use crate::query::jsonata::Made;

rules! {
    SINGLE_ITEM = 85, "single-item", "SINGLE_ITEM", Severities::WARNING,
        "a filter or a map of JSONata gives the Items of a Map: a single result comes without an array";
}

impl<'d> Checker<'d> {
    pub(super) fn single_items(&mut self, at: StateAt<'d>, shapes: &Shapes) {
        let Some(items) = at.get("Items").filter(|_| at.is_jsonata()) else {
            return;
        };
        let documents = shapes.documents(at);
        let shape = documents.get(Source::Stage(Stage::AfterItemsPath));
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
            let message = format!(
                "where {what} finds a single value, \"{}\" gets that value as its Items, not an array of one; of an object it takes the members",
                at.state.name
            );
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
            if span != items.span {
                diagnostic = diagnostic.related(items.span, "here they are the Items");
            }
            self.add(diagnostic);
        }
    }
}
