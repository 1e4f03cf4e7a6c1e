//! The adapter as a value without I/O: takes messages in, gives messages out, and runs in slices in between.

use super::body::{Body, body, read, unknown};
use super::capabilities::capabilities;
use super::client::Client;
use super::debuggee::{Debuggee, Phase};
use super::outbox::Outbox;
use super::protocol::{Event, Incoming, InitializeArguments, Outgoing, Request};
use super::refusal::Refusal;
use crate::launch::{LaunchConfig, OwnWrites};
use crate::session::Session;
use serde_json::Value;
use std::path::PathBuf;

/// Something that the caller has to do.
#[derive(Clone, Debug)]
pub enum Effect {
    /// Watch these files from now on; `OwnWrites` identifies the adapter's own writes, which must be ignored.
    Watch(Vec<PathBuf>, OwnWrites),
    /// Close the connection: nothing more will be sent.
    End,
}

/// The debug adapter for one client.
#[derive(Debug, Default)]
pub struct Adapter {
    /// Defaults for settings that `launch` omits.
    base: LaunchConfig,
    pub(super) client: Option<Client>,
    pub(super) debuggee: Option<Debuggee>,
    pub(super) out: Outbox,
    pub(super) effects: Vec<Effect>,
}

impl Adapter {
    /// Creates an adapter for one client; `base` has the defaults for settings that its `launch` omits.
    #[must_use]
    pub fn new(base: LaunchConfig) -> Self {
        Self {
            base,
            ..Self::default()
        }
    }

    /// The session, once something has been launched.
    #[must_use]
    pub fn session(&self) -> Option<&Session> {
        self.debuggee.as_ref().map(|debuggee| &debuggee.session)
    }

    /// Takes the messages to send, oldest first.
    pub fn messages(&mut self) -> Vec<String> {
        let messages = self.out.take();
        let texts = messages.iter().map(serde_json::to_string::<Outgoing>);
        texts.filter_map(Result::ok).collect()
    }

    /// Takes the effects since the last call.
    pub fn effects(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.effects)
    }

    /// True if there is work to do without waiting for a message.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        let debuggee = self.debuggee.as_ref();
        debuggee.is_some_and(|debuggee| {
            matches!(debuggee.phase, Phase::Running(_)) || debuggee.has_queued()
        })
    }

    /// Runs while `keep_on` returns true; it is called after each event.
    pub fn slice(&mut self, keep_on: impl FnMut() -> bool) {
        if let Some(debuggee) = &mut self.debuggee {
            debuggee.slice(keep_on, &mut self.out);
        }
        self.after();
    }

    /// Reports progress; to be called regularly during a run, such as every half second.
    pub fn beat(&mut self) {
        if let Some(debuggee) = &mut self.debuggee {
            debuggee.beat(&mut self.out);
        }
    }

    /// Handles a change of a watched file.
    pub fn file_changed(&mut self) {
        if let Some(debuggee) = &mut self.debuggee {
            debuggee.reload(&mut self.out);
        }
        self.after();
    }

    /// Reports a message that could not be read and was skipped.
    pub fn unread(&mut self, problem: &str) {
        self.out.output("important", problem);
    }

    /// Handles one message.
    pub fn receive(&mut self, message: &[u8]) {
        match Incoming::parse(message) {
            Incoming::Request(request) => self.request(request),
            Incoming::Other => {}
            Incoming::Malformed { problem, request } => match request {
                Some((seq, command)) => self.respond(seq, command, Err(Refusal::new(problem))),
                None => self.unread(&problem),
            },
        }
        self.after();
    }

    fn request(&mut self, request: Request) {
        self.out.hold();
        let Request {
            seq,
            command,
            arguments,
        } = request;
        let result = self.perform(&command, arguments);
        self.respond(seq, command, result);
    }

    fn respond(&mut self, seq: i64, command: String, result: Body) {
        let result = result.map_err(|refusal| {
            let short = refusal.short.map(str::to_string);
            let message = short.unwrap_or_else(|| refusal.text.clone());
            let body = serde_json::to_value(refusal.body()).unwrap_or_default();
            (Some(message), body)
        });
        self.out.respond(seq, command, result);
    }

    /// Collects the effects of a request.
    fn after(&mut self) {
        if let Some(debuggee) = &mut self.debuggee
            && std::mem::take(&mut debuggee.watch_again)
        {
            let own = debuggee.workspace().own_writes();
            let watched = debuggee.origin.watched.clone();
            self.effects.push(Effect::Watch(watched, own));
        }
    }

    fn perform(&mut self, command: &str, arguments: Value) -> Body {
        if self.client.is_none() && !matches!(command, "initialize" | "disconnect") {
            return Err(Refusal::new("initialize must come first"));
        }
        match command {
            "initialize" => self.initialize(&read(arguments)?),
            "launch" => self.launch(arguments),
            "attach" => Err(Refusal::shown(
                "there is nothing to attach to; use launch with a program",
            )),
            "disconnect" => {
                self.effects.push(Effect::End);
                Ok(None)
            }
            "terminate" => self.terminate(),
            "restart" => self.restart(read(arguments)?),
            // Requests are handled one after the other, so only a run can be cancelled.
            "cancel" => self.cancel(&read(arguments)?),
            _ => {
                let Some(debuggee) = &mut self.debuggee else {
                    return match super::run::is_known(command) {
                        true => Err(Refusal::new("nothing has been launched yet")),
                        false => Err(unknown(command)),
                    };
                };
                debuggee.perform(command, arguments, &mut self.out)
            }
        }
    }

    fn initialize(&mut self, arguments: &InitializeArguments) -> Body {
        if self.client.is_some() {
            return Err(Refusal::new("initialize was already sent"));
        }
        self.client = Some(Client::new(arguments));
        body(&capabilities())
    }

    fn launch(&mut self, arguments: Value) -> Body {
        let Some(client) = self.client else {
            return Err(Refusal::new("initialize must come first"));
        };
        if self.debuggee.is_some() {
            return Err(Refusal::new("launch was already sent; restart starts over"));
        }
        let debuggee = Debuggee::open(client, arguments, &self.base, &mut self.out)?;
        self.debuggee = Some(debuggee);
        self.out.event(Event::Initialized);
        Ok(None)
    }

    fn terminate(&mut self) -> Body {
        let Some(debuggee) = &mut self.debuggee else {
            self.out.event(Event::Terminated);
            return Ok(None);
        };
        debuggee.terminate(&mut self.out);
        Ok(None)
    }

    fn restart(&mut self, arguments: super::protocol::RestartArguments) -> Body {
        let Some(debuggee) = &mut self.debuggee else {
            return Err(Refusal::new("nothing has been launched yet"));
        };
        debuggee.restart(arguments, &self.base, &mut self.out)?;
        Ok(None)
    }

    fn cancel(&mut self, arguments: &super::protocol::CancelArguments) -> Body {
        if let Some(debuggee) = &mut self.debuggee
            && let Some(id) = &arguments.progress_id
        {
            debuggee.cancel(id, &mut self.out)?;
        }
        Ok(None)
    }
}
