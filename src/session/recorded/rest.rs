//! Recorded events from the first difference on, as rows to show beside those of the run.

use super::event::{Payload, RecordedEvent};
use super::strand::RecordedRun;
use crate::interpreter::Millis;
use crate::json::{NOT_RECORDED, Text};
use crate::query::abridged;

/// Maximum number of events to list.
const MOST: usize = 2000;
/// Maximum length of data, in bytes.
const DATA: usize = 160;

/// A row for one of AWS's events.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedRow {
    /// AWS's id.
    pub id: u32,
    /// Time since the start; `None` if no times were recorded.
    pub time: Option<Millis>,
    /// AWS's name of the type.
    pub type_name: Text,
    /// Name of the event's state.
    pub state: Text,
    /// The event's error, or its data in short.
    pub data: String,
}

impl RecordedRun {
    /// Events in the order of their ids, without those that the run has matched.
    pub(super) fn rest(&self, from: u32, is_met: impl Fn(usize) -> bool) -> Vec<RecordedRow> {
        let left = self
            .recorded()
            .filter(|(place, event)| event.id >= from && !is_met(*place));
        left.take(MOST)
            .map(|(place, event)| RecordedRow {
                id: event.id,
                time: self.time(place).filter(|_| self.has_times),
                type_name: event.type_name.clone(),
                state: self.state_at(place).cloned().unwrap_or_default(),
                data: data(event),
            })
            .collect()
    }
}

fn data(event: &RecordedEvent) -> String {
    match &event.data {
        Payload::Absent => match (&event.error, &event.cause) {
            (Some(error), Some(cause)) => format!("{error}: {cause}").chars().take(DATA).collect(),
            (one, other) => one
                .as_ref()
                .or(other.as_ref())
                .map_or("", |text| text)
                .to_string(),
        },
        Payload::Unknown => NOT_RECORDED.to_string(),
        data => data
            .value()
            .map_or_else(String::new, |value| abridged(&value, DATA)),
    }
}
