//! What the client is to be told, in the order in which it is.

use super::protocol::{Event, Outgoing, Output, Response};
use serde_json::Value;

/// Messages that are not written yet.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    messages: Vec<Outgoing>,
    /// Events that come up while a request is done: they follow its response.
    held: Option<Vec<Event>>,
    /// The number of the last message.
    last: i64,
}

impl Outbox {
    /// From now on events wait for a response.
    pub fn hold(&mut self) {
        self.held.get_or_insert_default();
    }

    /// The response, and the events that waited for it.
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

    /// An event.
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

    /// A line for the debug console.
    pub fn say(&mut self, text: &str) {
        self.output("console", text);
    }

    /// A line of a category.
    pub fn output(&mut self, category: &'static str, text: &str) {
        self.event(Event::Output(Output {
            category,
            output: format!("{text}\n"),
            ..Output::default()
        }));
    }

    /// What is to be written, oldest first.
    pub fn take(&mut self) -> Vec<Outgoing> {
        std::mem::take(&mut self.messages)
    }

    fn number(&mut self) -> i64 {
        self.last += 1;
        self.last
    }
}
