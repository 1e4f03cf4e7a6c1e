//! Sample inputs: what services send to the executions that they start.
//!
//! Does not depend on the definition that reads them.

use crate::json::{Value, parse};
use std::sync::OnceLock;

/// The events by name, each with the service that sends it.
const DATA: &str = include_str!("triggers.json");

/// Names of the events, listed here so that the command line need not parse the events.
pub const TRIGGER_NAMES: [&str; 10] = [
    "eventbridge",
    "s3",
    "schedule",
    "rule-schedule",
    "sqs",
    "dynamodb",
    "kinesis",
    "pipes",
    "apigateway",
    "stepfunctions",
];

/// A service that starts executions.
#[derive(Clone, Debug, PartialEq)]
pub struct Trigger {
    /// Its name on the command line: `sqs`.
    pub name: String,
    /// The sender of the event, in words: `a queue of SQS by EventBridge Pipes`.
    pub from: String,
    /// The input of the execution.
    pub event: Value,
}

/// All services, in the order of the help text.
#[must_use]
pub fn triggers() -> &'static [Trigger] {
    static ALL: OnceLock<Vec<Trigger>> = OnceLock::new();
    ALL.get_or_init(|| {
        let data = parse(DATA).unwrap_or_default();
        let members = data.as_object().map(|object| object.members());
        let members = members.unwrap_or_default().iter();
        let all = members.filter_map(|(name, one)| {
            Some(Trigger {
                name: name.to_string(),
                from: one.get("from")?.as_str()?.to_string(),
                event: one.get("event")?.clone(),
            })
        });
        all.collect()
    })
}

impl Trigger {
    /// The service with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        triggers().iter().find(|one| one.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_is_read() {
        let data = parse(DATA).expect("JSON");
        let members = data.as_object().map_or(0, |all| all.members().len());
        assert_eq!(triggers().len(), members);
        let names: Vec<&str> = triggers().iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, TRIGGER_NAMES);
        assert!(Trigger::named("sqs").is_some_and(|one| one.event.is_array()));
    }
}
