//! A client of the debug adapter in the same process. It checks each message against the protocol's schema.

use crate::protocol;
use asldbg::dap::{Adapter, Effect};
use asldbg::launch::LaunchConfig;
use serde_json::{Value, json};

/// A client that is connected to an adapter in memory.
pub(crate) struct Client {
    pub(crate) adapter: Adapter,
    seq: i64,
    /// All messages received so far.
    pub(crate) all: Vec<Value>,
}

impl Client {
    pub(crate) fn new() -> Self {
        Self {
            adapter: Adapter::new(LaunchConfig::default()),
            seq: 0,
            all: Vec::new(),
        }
    }

    /// Sends a request and runs until the session stops; returns the messages received.
    pub(crate) fn ask(&mut self, command: &str, arguments: Value) -> Vec<Value> {
        let mut came = self.send(command, arguments);
        came.extend(self.settle());
        came
    }

    /// Sends a request; returns the messages received before anything runs.
    pub(crate) fn send(&mut self, command: &str, arguments: Value) -> Vec<Value> {
        self.seq += 1;
        let mut request = json!({"seq": self.seq, "type": "request", "command": command});
        if !arguments.is_null() {
            request["arguments"] = arguments;
        }
        self.raw(request.to_string().as_bytes())
    }

    /// Sends bytes that need not be a valid message; returns the messages received.
    pub(crate) fn raw(&mut self, message: &[u8]) -> Vec<Value> {
        self.adapter.receive(message);
        self.came()
    }

    /// Runs until the session stops; returns the messages received.
    pub(crate) fn settle(&mut self) -> Vec<Value> {
        let mut came = Vec::new();
        let mut left = 1_000_000;
        while self.adapter.is_busy() {
            self.adapter.slice(|| {
                left -= 1;
                left % 64 != 0
            });
            came.extend(self.came());
            assert!(left > 0, "the run never stands");
        }
        came
    }

    /// Returns the messages received since the last call.
    pub(crate) fn came(&mut self) -> Vec<Value> {
        let texts = self.adapter.messages();
        let came: Vec<Value> = texts
            .iter()
            .map(|text| serde_json::from_str(text).expect("a message is JSON"))
            .collect();
        for message in &came {
            let problems = protocol::problems(message);
            assert!(problems.is_empty(), "{message:#}\n{problems:#?}");
        }
        self.all.extend(came.iter().cloned());
        came
    }

    /// True if the adapter has ended.
    pub(crate) fn is_over(&mut self) -> bool {
        let effects = self.adapter.effects();
        effects.iter().any(|effect| matches!(effect, Effect::End))
    }

    /// Sends a request that must succeed; returns the body of its response.
    pub(crate) fn body(&mut self, command: &str, arguments: Value) -> Value {
        let came = self.ask(command, arguments);
        let response = came.iter().find(|message| message["type"] == "response");
        let response = response.unwrap_or_else(|| panic!("{command} has no response"));
        assert!(response["success"] == true, "{command}: {response:#}");
        response["body"].clone()
    }

    /// Sends `initialize` with the arguments that an editor sends.
    pub(crate) fn initialize(&mut self) {
        self.body(
            "initialize",
            json!({
                "adapterID": "asldbg",
                "supportsVariableType": true,
                "supportsVariablePaging": true,
                "supportsInvalidatedEvent": true,
                "supportsProgressReporting": true,
            }),
        );
    }

    /// Initializes and launches without breakpoints; returns the messages that follow `configurationDone`.
    pub(crate) fn launch(&mut self, arguments: Value) -> Vec<Value> {
        self.initialize();
        self.body("launch", arguments);
        self.ask("configurationDone", Value::Null)
    }
}

/// The first event with this name among the messages.
pub(crate) fn event<'m>(messages: &'m [Value], name: &str) -> Option<&'m Value> {
    messages.iter().find(|message| message["event"] == name)
}
