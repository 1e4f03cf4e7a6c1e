//! The messages between client and adapter: parses requests, and queues responses and events in the order in which they
//! will be sent. A response has a body or says why the request failed.

use super::protocol::Source;
use crate::launch::LaunchError;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

/// A request from the client.
#[derive(Clone, Debug)]
pub(super) struct Request {
    /// Sequence number of the request, which the response repeats.
    pub seq: i64,
    /// Name of the request, such as `launch`.
    pub command: String,
    /// Arguments; `null` if there are none.
    pub arguments: Value,
}

/// A parsed message from the client.
#[derive(Clone, Debug)]
pub(super) enum Incoming {
    /// A request, which must get a response.
    Request(Request),
    /// A response or an event; ignored, because the adapter sends no requests.
    Other,
    /// A message that is not JSON, has too many values, or does not follow the protocol.
    Malformed {
        /// Reason why the message is invalid.
        problem: String,
        /// Sequence number and name of the message, so that a response can report the problem; `None` if the message
        /// has no sequence number, has too many values or is not JSON.
        request: Option<(i64, String)>,
    },
}

impl Incoming {
    /// Parses one message from the bytes of its JSON.
    #[must_use]
    pub fn parse(bytes: &[u8]) -> Self {
        let malformed = |problem: String, request| Self::Malformed { problem, request };
        let memory = crate::json::parsed_memory(&String::from_utf8_lossy(bytes));
        if memory > crate::json::MOST_PARSED {
            return malformed("a message contains too many values".to_string(), None);
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
                    Some("request") => {
                        "a request needs a \"command\", and a \"seq\" that is a number"
                    }
                    _ => "the \"type\" of a message must be request, response or event",
                };
                let request = seq.map(|seq| (seq, command.unwrap_or_default()));
                malformed(problem.to_string(), request)
            }
        }
    }
}

/// The reason why a request failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    /// Short reason that a program can check, such as `notStopped`: the `message` of the response. If `None`, the
    /// `message` is the sentence.
    pub short: Option<&'static str>,
    /// One sentence that tells the user why the request failed.
    pub text: String,
    /// True if the client should show the sentence to the user at once.
    pub show: bool,
}

impl Refusal {
    /// Creates a refusal with a sentence that the client may show where the user made the request, such as in the debug
    /// console.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            short: None,
            text: text.into(),
            show: false,
        }
    }

    /// Creates a refusal whose sentence the client should show to the user at once, such as in a dialog.
    pub fn shown(text: impl Into<String>) -> Self {
        Self {
            show: true,
            ..Self::new(text)
        }
    }

    /// Creates a refusal without a sentence. It is for requests that the client made on its own, such as at a hover.
    pub fn silent() -> Self {
        Self::new("")
    }

    /// Creates the refusal of a request that needs a stopped run, but came while the run was in progress.
    pub fn not_stopped() -> Self {
        Self {
            short: Some("notStopped"),
            ..Self::new("pause the run first")
        }
    }

    /// Converts the refusal to the message and the body of an error response.
    fn response(self) -> (String, Value) {
        let message = self.short.map_or_else(|| self.text.clone(), str::to_string);
        let id = if self.short.is_some() { 2 } else { 1 };
        // The protocol lets a text contain variables, as `{name}`. A client replaces only variables that the error
        // defines. This error defines none, so braces in the text are safe.
        let error = json!({"id": id, "format": self.text, "showUser": self.show});
        (message, json!({"error": error}))
    }
}

impl From<String> for Refusal {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

impl From<LaunchError> for Refusal {
    fn from(error: LaunchError) -> Self {
        Self::new(error.brief())
    }
}

impl From<&str> for Refusal {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

/// The outcome of a request: the body of the response, if it has one, or the reason why the request failed.
pub(super) type Body = Result<Option<Value>, Refusal>;

/// Creates the refusal of a request that the adapter does not know.
pub(super) fn unknown(command: &str) -> Refusal {
    Refusal::new(format!("asldbg does not know the request \"{command}\""))
}

/// Parses the arguments of a request; if there are none, each gets its default.
pub(super) fn read<T: DeserializeOwned + Default>(arguments: Value) -> Result<T, Refusal> {
    if arguments.is_null() {
        return Ok(T::default());
    }
    serde_json::from_value(arguments).map_err(|error| {
        Refusal::new(format!(
            "the arguments of the request are not valid: {error}"
        ))
    })
}

/// Makes the body of a response, and removes all members that are `null`.
pub(super) fn body(mut value: Value) -> Body {
    remove_nulls(&mut value);
    Ok(Some(value))
}

/// Makes the body of a response with a single member, which is a list.
pub(super) fn list(name: &str, items: Vec<Value>) -> Body {
    body(Value::Object(Map::from_iter([(
        name.to_string(),
        Value::Array(items),
    )])))
}

fn remove_nulls(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|_, value| !value.is_null());
            members.values_mut().for_each(remove_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(remove_nulls),
        _ => {}
    }
}

/// The messages that are still to be sent to the client.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    messages: Vec<Value>,
    /// Events that occurred while a request was being handled, as (name, body). They are sent after the response.
    held: Option<Vec<(&'static str, Value)>>,
    /// Sequence number of the last message.
    last: i64,
}

impl Outbox {
    /// Holds back the events that follow, until the next response has been added.
    pub fn hold(&mut self) {
        self.held.get_or_insert_default();
    }

    /// Adds a response, followed by the events that were held back.
    pub fn respond(&mut self, request_seq: i64, command: &str, result: Body) {
        let success = result.is_ok();
        let (message, body) = match result {
            Ok(body) => (None, body),
            Err(refusal) => {
                let (message, body) = refusal.response();
                (Some(message), Some(body))
            }
        };
        let head = json!({
            "type": "response", "request_seq": request_seq, "success": success, "command": command,
            "message": message,
        });
        self.send(head, body);
        for (name, body) in self.held.take().unwrap_or_default() {
            self.event(name, body);
        }
    }

    /// Adds an event; removes the members of its body that are `null`.
    pub fn event(&mut self, name: &'static str, mut body: Value) {
        if let Some(held) = &mut self.held {
            held.push((name, body));
            return;
        }
        remove_nulls(&mut body);
        self.send(json!({"type": "event", "event": name}), Some(body));
    }

    /// Adds a line for the debug console.
    pub fn say(&mut self, text: &str) {
        self.output("console", text);
    }

    /// Adds a line of output in this category of the protocol, such as `stderr`.
    pub fn output(&mut self, category: &str, text: &str) {
        self.output_at(category, text, None, None);
    }

    /// Adds a line of output, with the source, line and column that it is about.
    pub fn output_at(
        &mut self,
        category: &str,
        text: &str,
        place: Option<(Source, i64)>,
        column: Option<i64>,
    ) {
        let (source, line) = place.unzip();
        let body = json!({
            "category": category, "output": format!("{text}\n"), "source": source, "line": line,
            "column": column,
        });
        self.event("output", body);
    }

    /// Takes the messages to write, oldest first.
    pub fn take(&mut self) -> Vec<String> {
        let messages = std::mem::take(&mut self.messages);
        messages.iter().map(Value::to_string).collect()
    }

    /// Gives a message the next sequence number and adds it, without members of `head` that are `null`. The body is
    /// moved into the message, because copying 100,000 variables would be slow.
    fn send(&mut self, head: Value, body: Option<Value>) {
        self.last += 1;
        let mut numbered = Map::from_iter([("seq".to_string(), json!(self.last))]);
        if let Value::Object(members) = head {
            numbered.extend(members.into_iter().filter(|(_, value)| !value.is_null()));
        }
        let body = body.filter(|body| !body.is_null());
        numbered.extend(body.map(|body| ("body".to_string(), body)));
        self.messages.push(Value::Object(numbered));
    }
}
