//! Reports a stop to the client: the thread, the reason, the error and its cause, and what the user can do next.

use super::debuggee::{Aim, Debuggee, Phase, thread_of};
use super::message::{Outbox, Refusal};
use super::protocol::ThreadArguments;
use super::scope::{one_blank, reasons};
use crate::interpreter::{AskId, FrameId, Want};
use crate::json::one_line;
use crate::session::view::{RunStatus, View};
use crate::session::{BreakpointId, ErrorMoment, Location, Stop};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Maximum number of started and ended threads to report at a stop. If there are more, none is reported; the client
/// sees them when it next requests the list of threads.
const TOLD: usize = 64;

impl Debuggee {
    /// Handles a stop of the session. The client gets a report of the stop, unless the run continues at once in a child
    /// or parent execution or by a queued command.
    pub fn stopped(&mut self, aim: Aim, out: &mut Outbox) {
        self.handles.clear();
        self.tell_threads(out);
        let over = *self.session.stop() == Stop::End && self.is_over();
        if over && aim != Aim::Reload && self.leave_child(aim, out) {
            return;
        }
        if self.enter_child(aim, out) {
            return;
        }
        if over && aim != Aim::Reload {
            self.tell_result(out);
            if !self.manner.stop_at_end {
                self.end(out);
                return;
            }
        }
        // If a queued command will continue the run, the stop is not reported.
        if aim == Aim::Pause || !self.has_queued() {
            self.tell_stop(aim, out);
        }
    }

    /// True if the run has ended and the current event is the last one.
    pub fn is_over(&self) -> bool {
        self.session.view().header.status.is_over()
    }

    fn tell_result(&mut self, out: &mut Outbox) {
        match self.session.view().header.status {
            RunStatus::Succeeded { output } => out.output("stdout", &one_line(&output)),
            RunStatus::Failed(fault) => {
                let cause = fault.cause_text();
                let between = if cause.is_empty() { "" } else { ": " };
                let text = format!("FAILED {error}{between}{cause}", error = fault.name());
                out.output("stderr", &text);
            }
            RunStatus::TimedOut => out.output("stderr", "TIMED_OUT"),
            _ => {}
        }
    }

    fn end(&mut self, out: &mut Outbox) {
        let status = self.session.view().header.status;
        let exit_code = i64::from(!matches!(status, RunStatus::Succeeded { .. }));
        self.phase = Phase::Ended;
        self.queue.clear();
        out.event("exited", json!({"exitCode": exit_code}));
        out.event("terminated", Value::Null);
    }

    /// Reports to the client which threads have started and ended since the last report.
    fn tell_threads(&mut self, out: &mut Outbox) {
        let live: BTreeSet<FrameId> = self
            .session
            .machine()
            .frames()
            .map(|frame| frame.id)
            .collect();
        let gone = self.threads.difference(&live);
        let come = live.difference(&self.threads);
        let gone = gone.map(|frame| ("exited", *frame));
        let news: Vec<_> = gone.chain(come.map(|frame| ("started", *frame))).collect();
        if news.len() <= TOLD {
            for (reason, frame) in news {
                let body = json!({"reason": reason, "threadId": thread_of(frame)});
                out.event("thread", body);
            }
        }
        self.threads = live;
    }

    /// Sends the client the event `stopped`, which says where the run stopped and why.
    pub fn tell_stop(&mut self, aim: Aim, out: &mut Outbox) {
        let view = self.session.view();
        let stop = self.session.stop().clone();
        // A breakpoint on errors is reported as a stop at an error, with the error's name and cause.
        let stop = match (&stop, &view.data.fault) {
            (Stop::Breakpoint(id), Some(error)) => match self.moment_of(*id) {
                Some(moment) => Stop::Error(moment, error.fault.name().into()),
                None => stop,
            },
            _ => stop,
        };
        let (reason, description) = self.reason(&stop, aim);
        let hit = match &stop {
            Stop::Breakpoint(id) => Some([self.lists.shown_id(*id)]),
            _ => None,
        };
        let text = self.text(&stop, &view);
        if let Stop::Ask(ask) = &stop {
            self.say_how_to_answer(*ask, out);
        }
        let thread = view.frames.last().map(|frame| thread_of(frame.frame));
        let body = json!({
            "reason": reason, "description": description, "threadId": thread, "text": text,
            "allThreadsStopped": true, "hitBreakpointIds": hit,
        });
        out.event("stopped", body);
    }

    /// The protocol's word for why the run stopped. The second part is a description for the user, if there is more to
    /// say.
    fn reason(&self, stop: &Stop, aim: Aim) -> (&'static str, Option<String>) {
        let said = |reason, text: &str| (reason, Some(text.to_string()));
        match stop {
            _ if aim == Aim::Pause => ("pause", None),
            Stop::Start if aim == Aim::Goto => ("goto", None),
            Stop::Start => ("entry", None),
            Stop::Step => ("step", None),
            Stop::Breakpoint(id) => (self.breakpoint_reason(*id), None),
            Stop::Error(moment, _) => ("exception", Some(format!("Error {moment}"))),
            Stop::Ask(_) => said("task", "A task waits for an answer"),
            Stop::Child(_) => said("step", "A task starts an execution"),
            Stop::ProfilesDiffer(_) => said("exception", "AWS differs from spec"),
            Stop::NotRecorded(_) => said("step", "Nothing more was recorded"),
            Stop::Recorded(_) => said("exception", "The run differs from the recorded execution"),
            Stop::Target if aim == Aim::Goto => ("goto", None),
            Stop::Target => ("step", None),
            Stop::Pause => ("pause", None),
            Stop::Travel if aim == Aim::Continue && self.is_at_last_event() => said(
                "step",
                "The end of the recorded events; \"continue\" runs on from here",
            ),
            Stop::Travel => ("step", None),
            Stop::Reload(None) => said("reload", "Reloaded: the run is the same up to here"),
            Stop::Reload(Some(_)) => said("reload", "Reloaded: the run differs from here on"),
            Stop::Memory(_) => said("memory", "The run has reached its memory limit"),
            Stop::Stuck => said("stuck", "The run is stuck: nothing more can happen"),
            Stop::End => said("end", "The run has ended"),
        }
    }

    /// True if the current event is the last recorded event.
    fn is_at_last_event(&self) -> bool {
        let header = self.session.view().header;
        header.event == header.event_count
    }

    /// The moment of error handling, such as raised or caught, at which a breakpoint on errors stops the run; `None`
    /// for any other breakpoint.
    fn moment_of(&self, id: BreakpointId) -> Option<ErrorMoment> {
        match self.session.breakpoint(id)?.breakpoint.at {
            Location::Error(moment, _) => Some(moment),
            _ => None,
        }
    }

    fn breakpoint_reason(&self, id: BreakpointId) -> &'static str {
        let point = self.session.breakpoint(id);
        match point.as_ref().map(|point| &point.breakpoint.at) {
            Some(Location::Data(_)) => "data breakpoint",
            Some(Location::Error(..)) => "exception",
            Some(Location::State(_)) if self.lists.by_name.contains(&id) => "function breakpoint",
            _ => "breakpoint",
        }
    }

    /// Text that tells the user more about a stop, such as the cause of an error; `None` if there is nothing to add.
    fn text(&self, stop: &Stop, view: &View) -> Option<String> {
        match stop {
            Stop::Error(ErrorMoment::Retried, name) => Some(match view.data.forecast.first() {
                Some(first) => format!("{name}: {}", one_blank(&first.follows.to_string())),
                None => name.to_string(),
            }),
            Stop::Error(_, name) => {
                let fault = view.data.fault.as_ref().map(|fault| &fault.fault);
                let cause = fault.map_or("", |fault| fault.cause_text());
                let between = if cause.is_empty() { "" } else { ": " };
                Some(format!("{name}{between}{cause}"))
            }
            Stop::ProfilesDiffer(text) => Some(format!("On AWS: {text}")),
            Stop::Recorded(difference) => Some(difference.text()),
            Stop::Ask(ask) => self.question(*ask),
            Stop::Memory(bytes) => Some(format!(
                "{size} MiB: no further events are recorded; maxMemory sets the limit",
                size = bytes >> 20
            )),
            Stop::Stuck => Some("a task never answers and has no timeout".to_string()),
            Stop::Reload(Some(event)) => {
                Some(format!("the first event that differs is event {event}"))
            }
            _ => None,
        }
    }

    /// Describes what a waiting task does, such as the resource that it calls.
    fn question(&self, ask: AskId) -> Option<String> {
        let ask = self.session.machine().ask(ask)?;
        let state = self.session.definition().state(ask.state)?;
        let what = match &ask.want {
            Want::Call { resource, .. } => format!("calls {resource}"),
            Want::Read { resource, .. } => format!("reads with {resource}"),
            _ => "asks".to_string(),
        };
        Some(format!("{} {what}", state.name))
    }

    fn say_how_to_answer(&mut self, ask: AskId, out: &mut Outbox) {
        let task = self.question(ask).unwrap_or_default();
        let offer = self.session.offer(ask);
        let result = offer.as_ref().map(|offer| one_line(&offer.result));
        let errors = offer.as_ref().map_or_else(String::new, |offer| {
            let lines = offer.errors.iter().take(6);
            let lines = lines.map(|(error, effect)| format!("\n  fail {error}   {effect}"));
            lines.collect()
        });
        let effect = offer.map_or_else(String::new, |offer| offer.then);
        let result = result.unwrap_or_else(|| "{}".to_string());
        let text = format!(
            "{task}: the task has no answer. Type one of\n  answer {result}   {effect}{errors}"
        );
        out.output("important", &text);
        let left = self.session.view().tasks.len().saturating_sub(1);
        if left > 0 {
            out.say(&format!("{left} more tasks are waiting for an answer"));
        }
    }

    /// True if commands are queued and the run is stopped.
    pub fn has_queued(&self) -> bool {
        !self.queue.is_empty() && self.phase == Phase::Stopped
    }
}

impl Debuggee {
    /// Handles `exceptionInfo`: returns the name, the cause and the explanation of the error in a thread.
    pub fn exception_info(&mut self, arguments: &ThreadArguments) -> Result<Value, Refusal> {
        let frame = self.frame_of_thread(arguments.thread_id)?;
        let view = self.look(frame)?;
        if let (Stop::ProfilesDiffer(text), None) = (self.session.stop(), &view.data.fault) {
            let details = json!({"typeName": "", "evaluateName": "", "stackTrace": ""});
            return Ok(json!({
                "exceptionId": "AWS differs from spec", "description": format!("On AWS: {text}"),
                "breakMode": "always", "details": details,
            }));
        }
        let error = view.data.fault.as_ref();
        let error = error.ok_or_else(|| Refusal::new("no error was raised in this thread"))?;
        let lines = reasons(&view, self.session.definition());
        let name = match error.fault.name() {
            "" => "an error without a name",
            name => name,
        };
        let cause = Some(error.fault.cause_text()).filter(|cause| !cause.is_empty());
        let break_mode = match self.session.stop() {
            Stop::Error(ErrorMoment::Uncaught, _) => "unhandled",
            _ => "always",
        };
        let details = json!({
            "message": cause, "typeName": name, "evaluateName": "$error",
            "stackTrace": lines.join("\n"),
        });
        Ok(json!({
            "exceptionId": name, "description": cause, "breakMode": break_mode, "details": details,
        }))
    }
}
