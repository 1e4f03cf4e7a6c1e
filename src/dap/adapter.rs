//! The debug adapter without I/O. The caller passes in the messages received from the client, takes out the messages to
//! send, and repeatedly runs the session for a short time.

use super::client::Client;
use super::debuggee::{Debuggee, Phase};
use super::message::{Body, Incoming, Outbox, Refusal, body, read, unknown};
use super::protocol::{CancelArguments, InitializeArguments};
use super::run::is_known;
use crate::launch::{LaunchConfig, OwnWrites, Workspace as _};
use crate::session::{ErrorMoment, Session};
use serde_json::{Value, json};
use std::path::PathBuf;

/// An action that the adapter cannot perform without I/O, so the caller of the adapter has to perform it.
#[derive(Clone, Debug)]
pub enum Effect {
    /// Watch these files for changes, and stop watching the files of any earlier effect. `OwnWrites` tells which
    /// changes the adapter itself made; the caller must ignore these.
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
    /// Creates an adapter for one client. `base` has the defaults for settings that the client's `launch` omits.
    #[must_use]
    pub fn new(base: LaunchConfig) -> Self {
        Self {
            base,
            ..Self::default()
        }
    }

    /// The session; `None` before the first `launch`.
    #[must_use]
    pub fn session(&self) -> Option<&Session> {
        self.debuggee.as_ref().map(|debuggee| &debuggee.session)
    }

    /// Takes the messages to send, oldest first.
    pub fn messages(&mut self) -> Vec<String> {
        self.out.take()
    }

    /// Takes the effects that the caller has to perform: those added since the last call, oldest first.
    pub fn effects(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.effects)
    }

    /// True if the adapter has work to do even if no message arrives: the run is in progress, or a command is queued.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        let debuggee = self.debuggee.as_ref();
        debuggee.is_some_and(|debuggee| {
            matches!(debuggee.phase, Phase::Running(_)) || debuggee.has_queued()
        })
    }

    /// Runs the session until it stops or `keep_on` returns false. `keep_on` is called after each event.
    pub fn slice(&mut self, keep_on: impl FnMut() -> bool) {
        if let Some(debuggee) = &mut self.debuggee {
            debuggee.slice(keep_on, &mut self.out);
        }
        self.after();
    }

    /// Reports to the client how far a run has come. The caller calls this at regular intervals, such as every half
    /// second.
    pub fn beat(&mut self) {
        if let Some(debuggee) = &mut self.debuggee {
            debuggee.beat(&mut self.out);
        }
    }

    /// Reloads the definition after a watched file has changed.
    pub fn file_changed(&mut self) {
        if let Some(debuggee) = &mut self.debuggee {
            debuggee.reload(&mut self.out);
        }
        self.after();
    }

    /// Shows a problem to the user, such as that a message could not be read and was skipped.
    pub fn unread(&mut self, problem: &str) {
        self.out.output("important", problem);
    }

    /// Handles one message from the client, given as the bytes of its JSON.
    pub fn receive(&mut self, message: &[u8]) {
        match Incoming::parse(message) {
            Incoming::Request(request) => {
                self.out.hold();
                let result = self.perform(&request.command, request.arguments);
                self.out.respond(request.seq, &request.command, result);
            }
            Incoming::Other => {}
            Incoming::Malformed { problem, request } => match request {
                Some((seq, command)) => {
                    self.out.respond(seq, &command, Err(Refusal::new(problem)));
                }
                None => self.unread(&problem),
            },
        }
        self.after();
    }

    /// Adds the effect [`Effect::Watch`] if the set of files to watch has changed.
    fn after(&mut self) {
        if let Some(debuggee) = &mut self.debuggee
            && std::mem::take(&mut debuggee.watch_again)
        {
            let own_writes = debuggee.project.own_writes();
            let watched = debuggee.origin.watched.clone();
            self.effects.push(Effect::Watch(watched, own_writes));
        }
    }

    fn perform(&mut self, command: &str, arguments: Value) -> Body {
        if self.client.is_none() && !matches!(command, "initialize" | "disconnect") {
            return Err(Refusal::new("the request \"initialize\" must come first"));
        }
        match command {
            "initialize" => self.initialize(&read(arguments)?),
            "launch" => self.launch(arguments),
            "attach" => Err(Refusal::shown(
                "asldbg cannot attach to a program; use \"launch\" in place of \"attach\"",
            )),
            "disconnect" => {
                self.effects.push(Effect::End);
                Ok(None)
            }
            "terminate" => {
                match &mut self.debuggee {
                    Some(debuggee) => debuggee.terminate(&mut self.out),
                    None => self.out.event("terminated", Value::Null),
                }
                Ok(None)
            }
            // Every earlier request has already been answered, so the client can cancel only a run, not a request.
            "cancel" => {
                let arguments: CancelArguments = read(arguments)?;
                if let (Some(debuggee), Some(id)) = (&mut self.debuggee, arguments.progress_id) {
                    debuggee.cancel(&id, &mut self.out)?;
                }
                Ok(None)
            }
            _ => match &mut self.debuggee {
                Some(debuggee) if command == "restart" => {
                    debuggee.restart(read(arguments)?, &self.base, &mut self.out)?;
                    Ok(None)
                }
                Some(debuggee) => debuggee.perform(command, arguments, &mut self.out),
                None if is_known(command) => Err(Refusal::new("nothing has been launched yet")),
                None => Err(unknown(command)),
            },
        }
    }

    fn initialize(&mut self, arguments: &InitializeArguments) -> Body {
        if self.client.is_some() {
            return Err(Refusal::new("the request \"initialize\" was already sent"));
        }
        self.client = Some(Client::new(arguments));
        body(capabilities())
    }

    fn launch(&mut self, arguments: Value) -> Body {
        let Some(client) = self.client else {
            return Err(Refusal::new("the request \"initialize\" must come first"));
        };
        if self.debuggee.is_some() {
            return Err(Refusal::new(
                "the request \"launch\" was already sent; \"restart\" begins a new run",
            ));
        }
        let debuggee = Debuggee::open(client, arguments, &self.base, &mut self.out)?;
        self.debuggee = Some(debuggee);
        self.out.event("initialized", Value::Null);
        Ok(None)
    }
}

/// Id of the exception filter that stops the run where AWS and the ASL specification differ.
pub(super) const DIFFERS: &str = "differs";

fn capabilities() -> Value {
    let mut filters: Vec<Value> = ErrorMoment::ALL.into_iter().map(error_filter).collect();
    filters.push(json!({
        "filter": DIFFERS,
        "label": "AWS differs from spec",
        "description": "Stops when AWS behaves differently from the specification",
        "default": true,
        "supportsCondition": false,
    }));
    json!({
        "supportsConfigurationDoneRequest": true,
        "supportsFunctionBreakpoints": true,
        "supportsConditionalBreakpoints": true,
        "supportsHitConditionalBreakpoints": true,
        "supportsEvaluateForHovers": true,
        "exceptionBreakpointFilters": filters,
        "supportsStepBack": true,
        "supportsSetVariable": true,
        "supportsRestartFrame": true,
        "supportsGotoTargetsRequest": true,
        "supportsStepInTargetsRequest": true,
        "supportsCompletionsRequest": true,
        "completionTriggerCharacters": [" ", ":"],
        "supportsRestartRequest": true,
        "supportsExceptionInfoRequest": true,
        "supportTerminateDebuggee": true,
        "supportsLoadedSourcesRequest": true,
        "supportsLogPoints": true,
        "supportsSetExpression": true,
        "supportsTerminateRequest": true,
        "supportsDataBreakpoints": true,
        "supportsCancelRequest": true,
        "supportsBreakpointLocationsRequest": true,
        "supportsClipboardContext": true,
        "supportsSteppingGranularity": true,
        "supportsExceptionFilterOptions": true,
        // All threads share one virtual clock, so no thread can run alone.
        "supportsSingleThreadExecutionRequests": false,
    })
}

fn error_filter(moment: ErrorMoment) -> Value {
    let (filter, label, description) = match moment {
        ErrorMoment::Raised => (
            "raised",
            "Error raised",
            "Stops when an error is raised, before Retry and Catch",
        ),
        ErrorMoment::Retried => ("retried", "Error retried", "Stops when an error is retried"),
        ErrorMoment::Caught => ("caught", "Error caught", "Stops when an error is caught"),
        ErrorMoment::Uncaught => (
            "uncaught",
            "Error uncaught",
            "Stops when an error is not caught",
        ),
    };
    json!({
        "filter": filter,
        "label": label,
        "description": description,
        "default": moment == ErrorMoment::Uncaught,
        "supportsCondition": true,
        "conditionDescription": "An error name, with * for anything (Payment.*), a condition (attempt >= 2), or both (Payment.* if attempt >= 2)",
    })
}
