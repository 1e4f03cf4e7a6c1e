//! The messages on the wire: requests in, responses and events out.

use super::event::Event;
use serde::Serialize;
use serde_json::{Map, Value};

/// A request from the client.
#[derive(Clone, Debug)]
pub struct Request {
    /// Sequence number.
    pub seq: i64,
    /// Name of the request.
    pub command: String,
    /// Arguments; `null` if there are none.
    pub arguments: Value,
}

/// A parsed message from the client.
#[derive(Clone, Debug)]
pub enum Incoming {
    /// A request.
    Request(Request),
    /// A response or an event; ignored, because the adapter sends no requests.
    Other,
    /// A message that cannot be understood.
    Malformed {
        /// Reason why the message is invalid.
        problem: String,
        /// `seq` and `command` of the message, if present.
        request: Option<(i64, String)>,
    },
}

impl Incoming {
    /// Parses one message.
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
    /// The response to a request.
    Response(Response),
    /// Something that happened.
    Event {
        /// Sequence number.
        seq: i64,
        /// Always `event`.
        r#type: &'static str,
        /// The event.
        #[serde(flatten)]
        event: Event,
    },
}

/// The response to a request.
#[derive(Clone, Debug, Serialize)]
pub struct Response {
    /// Sequence number.
    pub seq: i64,
    /// Always `response`.
    pub r#type: &'static str,
    /// Sequence number of the request.
    pub request_seq: i64,
    /// True if the request succeeded.
    pub success: bool,
    /// Name of the request.
    pub command: String,
    /// Short reason why the request failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The result, or details of the failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<Value>,
}
