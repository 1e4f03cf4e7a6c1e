//! Outgoing messages, in order.

use super::protocol::{Event, Outgoing, Output, Response};
use serde_json::Value;

/// Messages that have not been written yet.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    messages: Vec<Outgoing>,
    /// Events that occur while a request is handled; they are sent after its response.
    held: Option<Vec<Event>>,
    /// Number of the last message.
    last: i64,
}

impl Outbox {
    /// Holds back events until the next response.
    pub fn hold(&mut self) {
        self.held.get_or_insert_default();
    }

    /// Adds a response, followed by the events that were held back.
    pub fn respond(
        &mut self,
        request_seq: i64,
        command: String,
        result: Result<Option<Value>, (Option<String>, Value)>,
    ) {
        let success = result.is_ok();
        let (message, body) = match result {
            Ok(body) => (None, body),
            Err((message, body)) => (message, Some(body)),
        };
        let response = Response {
            seq: self.number(),
            r#type: "response",
            request_seq,
            success,
            command,
            message,
            body,
        };
        self.messages.push(Outgoing::Response(response));
        for event in self.held.take().unwrap_or_default() {
            self.event(event);
        }
    }

    /// Adds an event.
    pub fn event(&mut self, event: Event) {
        if let Some(held) = &mut self.held {
            held.push(event);
            return;
        }
        let seq = self.number();
        self.messages.push(Outgoing::Event {
            seq,
            r#type: "event",
            event,
        });
    }

    /// Adds a line for the debug console.
    pub fn say(&mut self, text: &str) {
        self.output("console", text);
    }

    /// Adds an output line of the given category.
    pub fn output(&mut self, category: &'static str, text: &str) {
        self.event(Event::Output(Output {
            category,
            output: format!("{text}\n"),
            ..Output::default()
        }));
    }

    /// Takes the messages to write, oldest first.
    pub fn take(&mut self) -> Vec<Outgoing> {
        std::mem::take(&mut self.messages)
    }

    fn number(&mut self) -> i64 {
        self.last += 1;
        self.last
    }
}
