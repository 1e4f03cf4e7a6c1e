//! What was recorded from the first difference on, as rows to be read beside the run's own.

use super::event::{Payload, RecordedEvent};
use super::strand::RecordedRun;
use crate::interpreter::Millis;
use crate::json::{NOT_RECORDED, Text};
use crate::query::abridged;

/// So many events are listed.
const MOST: usize = 2000;
/// Longest data, in bytes.
const DATA: usize = 160;

/// One of AWS's events.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedRow {
    /// Its id.
    pub id: u32,
    /// When, after the beginning; `None` where no times were recorded.
    pub time: Option<Millis>,
    /// Its type as AWS names it.
    pub type_name: Text,
    /// The state that it is of.
    pub state: Text,
    /// Its error, or its data in short.
    pub data: String,
}

impl RecordedRun {
    /// Events in the order of their ids, without those that the run has come to.
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
