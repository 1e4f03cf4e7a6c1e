//! Parses the fields that only a Map has, including their older names.

use super::object::Object;
use super::path::Need;
use super::rules::{ITEM_PROCESSOR, VALUE};
use super::state::{MOST_SECONDS, StateReader};
use crate::definition::{Map, MapMode, Quantity, ScopeId};
use crate::source::Node;

impl<'n> StateReader<'_, 'n> {
    pub(super) fn map(&mut self, object: Object<'n, '_>) -> Map {
        self.only_one(object, &["ItemProcessor", "Iterator"]);
        self.only_one(object, &["ItemSelector", "Parameters"]);
        let selector = if object.get("ItemSelector").is_some() {
            "ItemSelector"
        } else {
            "Parameters"
        };
        let (processor, mode, is_express) = self.processor(object);
        Map {
            processor,
            mode,
            is_express,
            items_path: self.path_field(object, "ItemsPath", Need::Path),
            items: self.jsonata_field(object, "Items", "Items"),
            item_selector: self.template(object, selector),
            jsonata_selector: self.jsonata_field(object, "ItemSelector", "ItemSelector"),
            max_concurrency: self.quantity(object, "MaxConcurrency", (0, MOST_SECONDS)),
            tolerated_failure_count: self.quantity(
                object,
                "ToleratedFailureCount",
                (0, MOST_SECONDS),
            ),
            tolerated_failure_percentage: self.percentage(object),
            label: self.text(object, "Label"),
            reader: self.item_reader(object),
            batcher: self.item_batcher(object),
            writer: self.result_writer(object),
        }
    }

    fn processor(&mut self, object: Object<'n, '_>) -> (ScopeId, MapMode, bool) {
        let name = if object.get("ItemProcessor").is_some() {
            "ItemProcessor"
        } else {
            "Iterator"
        };
        let prefix = format!("{}/", self.state_path());
        let Some(processor) = object.get(name) else {
            self.required(
                object,
                "ItemProcessor",
                ITEM_PROCESSOR,
                "the object with StartAt and States that every item runs",
            );
            return (
                self.inner(nothing(), "ItemProcessor", 0, prefix),
                MapMode::Inline,
                false,
            );
        };
        if processor.members().is_none() {
            self.wrong_type(processor, object.at(name), "Object", ITEM_PROCESSOR);
        }
        let config = processor.get("ProcessorConfig");
        let word = |field| config.and_then(|config| config.get(field)?.as_str());
        let mode = match word("Mode") {
            Some("DISTRIBUTED") => MapMode::Distributed,
            _ => MapMode::Inline,
        };
        let is_express = word("ExecutionType") == Some("EXPRESS");
        (self.inner(processor, name, 0, prefix), mode, is_express)
    }

    fn percentage(&mut self, object: Object<'n, '_>) -> Option<Quantity<f64>> {
        const NAME: &str = "ToleratedFailurePercentage";
        const PATH: &str = "ToleratedFailurePercentagePath";
        self.only_one(object, &[NAME, PATH]);
        if let Some(expression) = self.expression_field(object, NAME) {
            return Some(Quantity::Expression(expression));
        }
        if let Some(number) = self.number(object, NAME, (0.0, 100.0), VALUE) {
            return Some(Quantity::Constant(number));
        }
        self.path(object, PATH, Need::Reference).map(Quantity::Path)
    }
}

/// A placeholder for a missing object.
fn nothing() -> &'static Node {
    static NOTHING: Node = Node {
        span: crate::source::Span {
            source: crate::source::SourceId(0),
            start: 0,
            end: 0,
        },
        kind: crate::source::NodeKind::Null,
    };
    &NOTHING
}
