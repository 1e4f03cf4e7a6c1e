//! A run's execution history in AWS's format, as GetExecutionHistory would return it.

mod details;
pub mod import;
pub mod redact;
mod skeleton;

pub use skeleton::skeleton;

pub use crate::interpreter::type_name;
use crate::interpreter::{Event, EventKind, Machine};
use crate::json::{Text, Value, escaped, one_line};
use std::io::{self, Write};

/// Converts an event to AWS's form; `None` for an event that AWS does not record.
///
/// Call this right after the step that produced the event, while the machine still has the values of that moment.
#[must_use]
pub fn event(machine: &Machine, event: &Event) -> Option<Value> {
    if event.history_id == 0 {
        return None;
    }
    let state = event
        .state
        .and_then(|state| machine.definition().state(state));
    let name = type_name(event.kind, state)?;
    let mut members = vec![
        (
            "timestamp".into(),
            Value::string(machine.run().time_text(event.time)),
        ),
        ("type".into(), Value::string(name.clone())),
        ("id".into(), Value::from(i64::from(event.history_id))),
        (
            "previousEventId".into(),
            Value::from(i64::from(event.previous_id)),
        ),
    ];
    if let Some(details) = details::of(machine, event, state) {
        members.push((details_key(event.kind, &name), details));
    }
    Some(Value::object(members))
}

/// The name of the member with an event's details: `stateEnteredEventDetails`, `taskScheduledEventDetails`, ...
fn details_key(kind: EventKind, name: &str) -> Text {
    let stem = match kind {
        EventKind::StateEntered => "stateEntered".to_string(),
        EventKind::StateExited => "stateExited".to_string(),
        _ => {
            let mut letters = name.chars();
            let first = letters.next().map(|letter| letter.to_ascii_lowercase());
            first.into_iter().chain(letters).collect()
        }
    };
    format!("{stem}EventDetails").into()
}

/// Writes a history event by event, as `{"events":[...]}` with one event per line.
#[derive(Debug)]
pub struct Recording<W: Write> {
    out: W,
    events: u64,
}

impl<W: Write> Recording<W> {
    /// Creates the writer of a history; nothing is written yet.
    pub fn new(out: W) -> Self {
        Self { out, events: 0 }
    }

    /// Writes an event if AWS records it. Call this right after the step that produced the event, as for [`event`].
    ///
    /// # Errors
    /// If writing fails.
    pub fn note(&mut self, machine: &Machine, happened: &Event) -> io::Result<()> {
        match event(machine, happened) {
            Some(value) => self.note_value(&value),
            None => Ok(()),
        }
    }

    /// Writes an event that is in AWS's form already.
    ///
    /// # Errors
    /// If writing fails.
    pub fn note_value(&mut self, value: &Value) -> io::Result<()> {
        let before = if self.events == 0 {
            "{\"events\":[\n"
        } else {
            ",\n"
        };
        self.events += 1;
        let text = one_line(value);
        write!(self.out, "{before}{}", escaped(&text))
    }

    /// Writes the end of the JSON document.
    ///
    /// # Errors
    /// If writing fails.
    pub fn finish(mut self) -> io::Result<W> {
        let end = if self.events == 0 {
            "{\"events\":[]}\n"
        } else {
            "\n]}\n"
        };
        self.out.write_all(end.as_bytes())?;
        self.out.flush()?;
        Ok(self.out)
    }
}
