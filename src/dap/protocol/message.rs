//! What goes over the wire: requests in, responses and events out.

use super::event::Event;
use serde::Serialize;
use serde_json::{Map, Value};

/// A request of the client.
#[derive(Clone, Debug)]
pub struct Request {
    /// Its number.
    pub seq: i64,
    /// What it asks for.
    pub command: String,
    /// How; `null` where nothing was given.
    pub arguments: Value,
}

/// What a message of the client turned out to be.
#[derive(Clone, Debug)]
pub enum Incoming {
    /// A request.
    Request(Request),
    /// A response or an event: nothing was asked that would have one.
    Other,
    /// It cannot be understood: what is wrong, and the number that it has where it has one.
    Malformed {
        /// What is wrong with it.
        problem: String,
        /// Its `seq` and its `command`, as far as they are there.
        request: Option<(i64, String)>,
    },
}

impl Incoming {
    /// Reads one message.
    #[must_use]
    pub fn parse(bytes: &[u8]) -> Self {
        let malformed = |problem: String, request| Self::Malformed { problem, request };
        let memory = crate::json::parsed_memory(&String::from_utf8_lossy(bytes));
        if memory > crate::json::MOST_PARSED {
            return malformed("a message holds too many values".to_string(), None);
        }
        let value: Value = match serde_json::from_slice(bytes) {
            Ok(value) => value,
            Err(error) => return malformed(format!("a message is not JSON: {error}"), None),
        };
        let Value::Object(mut members) = value else {
            return malformed("a message is not an object".to_string(), None);
        };
        let text = |members: &Map<String, Value>, name: &str| {
            let value = members.get(name)?.as_str()?;
            Some(value.to_string())
        };
        let seq = members.get("seq").and_then(Value::as_i64);
        let command = text(&members, "command");
        match (text(&members, "type").as_deref(), seq, command) {
            (Some("response" | "event"), ..) => Self::Other,
            (Some("request"), Some(seq), Some(command)) => Self::Request(Request {
                seq,
                command,
                arguments: members.remove("arguments").unwrap_or_default(),
            }),
            (kind, seq, command) => {
                let problem = match kind {
                    Some("request") => "a request needs a command and a seq that is a number",
                    _ => "the type of a message must be request, response or event",
                };
                let request = seq.map(|seq| (seq, command.unwrap_or_default()));
                malformed(problem.to_string(), request)
            }
        }
    }
}

/// A message to the client.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Outgoing {
    /// The answer to a request.
    Response(Response),
    /// Something that happened.
    Event {
        /// Its number.
        seq: i64,
        /// `event`.
        r#type: &'static str,
        /// What.
        #[serde(flatten)]
        event: Event,
    },
}

/// The answer to a request.
#[derive(Clone, Debug, Serialize)]
pub struct Response {
    /// Its number.
    pub seq: i64,
    /// `response`.
    pub r#type: &'static str,
    /// The request's number.
    pub request_seq: i64,
    /// Whether it was done.
    pub success: bool,
    /// The request's command.
    pub command: String,
    /// In short why it was not done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// What came of it, or why it was not done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<Value>,
}
