//! Parses `Retry` and `Catch`.

use super::lowering::Object;
use super::rules::{RETRIER, RETRY_CATCH};
use super::state::{MOST_SECONDS, StateReader};
use crate::definition::{Catcher, Jitter, Retrier};
use crate::json::Text;
use crate::source::Node;

/// Maximum value of `MaxDelaySeconds`: 366 days.
const MOST_DELAY: u64 = 31_622_400;

impl<'n> StateReader<'_, 'n> {
    pub(super) fn retry(&mut self, object: Object<'n, '_>) -> Vec<Retrier> {
        let mut retriers = Vec::new();
        for (index, node) in self.list(object, "Retry").iter().enumerate() {
            let location = format!("{}[{index}]", object.at("Retry"));
            let object = Object::new(node, &location);
            if !self.is_object(object) {
                continue;
            }
            let whole =
                |reader: &mut Self, name, limits| reader.integer(object, name, limits, RETRIER);
            retriers.push(Retrier {
                span: node.span,
                error_equals: self.error_equals(object),
                interval_seconds: whole(self, "IntervalSeconds", (1, MOST_SECONDS)).unwrap_or(1),
                max_attempts: whole(self, "MaxAttempts", (0, MOST_SECONDS)).unwrap_or(3),
                backoff_rate: self
                    .number(object, "BackoffRate", (1.0, f64::MAX), RETRIER)
                    .unwrap_or(2.0),
                max_delay_seconds: whole(self, "MaxDelaySeconds", (1, MOST_DELAY)),
                jitter: match object.get("JitterStrategy").and_then(Node::as_str) {
                    Some("FULL") => Jitter::Full,
                    _ => Jitter::None,
                },
            });
        }
        retriers
    }

    pub(super) fn catch(&mut self, object: Object<'n, '_>) -> Vec<Catcher> {
        let mut catchers = Vec::new();
        for (index, node) in self.list(object, "Catch").iter().enumerate() {
            let location = format!("{}[{index}]", object.at("Catch"));
            let object = Object::new(node, &location);
            if !self.is_object(object) {
                continue;
            }
            if object.get("Next").is_none() {
                let help = "Next is the state that runs after the error";
                self.required(object, "Next", RETRY_CATCH, help);
            }
            catchers.push(Catcher {
                span: node.span,
                error_equals: self.error_equals(object),
                next: self.target(object, "Next"),
                result_path: self.result_path(object),
                assign: self.template(object, "Assign"),
                jsonata: self.jsonata(object, &["Output", "Assign"], &format!("Catch[{index}]/")),
            });
        }
        catchers
    }

    fn list(&mut self, object: Object<'n, '_>, name: &str) -> &'n [Node] {
        let Some(value) = object.get(name) else {
            return &[];
        };
        if value.items().is_none() {
            self.wrong_type(value, object.at(name), "Array", RETRY_CATCH);
        }
        value.items().unwrap_or_default()
    }

    fn is_object(&mut self, object: Object<'n, '_>) -> bool {
        let is_object = object.node.members().is_some();
        if !is_object {
            let location = object.location.to_string();
            self.wrong_type(object.node, location, "Object", RETRY_CATCH);
        }
        is_object
    }

    fn error_equals(&mut self, object: Object<'n, '_>) -> Vec<Text> {
        const NAME: &str = "ErrorEquals";
        let location = object.at(NAME);
        let Some(value) = object.get(NAME) else {
            let help = "ErrorEquals is the array of error names to handle";
            self.required(object, NAME, RETRY_CATCH, help);
            return Vec::new();
        };
        let Some(items) = value.items() else {
            self.wrong_type(value, location, "Array", RETRY_CATCH);
            return Vec::new();
        };
        if items.is_empty() {
            let place = (value.span, location.as_str());
            let help = "name at least one error, or States.ALL";
            self.report(RETRY_CATCH, "Value cannot be empty", place, help);
        }
        let mut names = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            match item.string() {
                Some(string) => names.push(string.text.clone()),
                None => {
                    self.wrong_type(item, format!("{location}[{index}]"), "String", RETRY_CATCH)
                }
            }
        }
        names
    }
}
