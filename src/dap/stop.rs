//! Reports a stop to the client: which thread, why, and the user's options.

use super::client::number;
use super::debuggee::{Debuggee, Phase, thread_of};
use super::outbox::Outbox;
use super::protocol::{Event, Stopped};
use super::run_reason::Aim;
use super::wording;
use crate::interpreter::{AskId, FrameId, Want};
use crate::json::one_line;
use crate::session::view::{RunStatus, View};
use crate::session::{BreakpointId, ErrorMoment, Location, Stop};
use std::collections::BTreeSet;

/// Maximum number of threads whose start and end are reported; a client requests further threads when it shows them.
const TOLD: usize = 64;

impl Debuggee {
    /// Handles a stop: reports it, or continues with the next queued command.
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
        if self.goes_on_by_itself(aim) {
            return;
        }
        self.tell_stop(aim, out);
    }

    /// True if a queued command follows, so that the stop need not be reported.
    fn goes_on_by_itself(&self, aim: Aim) -> bool {
        aim != Aim::Pause && self.has_queued()
    }

    /// True if the run has ended and the cursor is at the end.
    pub fn is_over(&self) -> bool {
        let status = self.session.view().header.status;
        matches!(
            status,
            RunStatus::Succeeded { .. } | RunStatus::Failed(_) | RunStatus::TimedOut
        )
    }

    fn tell_result(&mut self, out: &mut Outbox) {
        match self.session.view().header.status {
            RunStatus::Succeeded { output } => out.output("stdout", &one_line(&output)),
            RunStatus::Failed(fault) => {
                let cause = fault.cause_text();
                let between = if cause.is_empty() { "" } else { ": " };
                let text = format!("FAILED {}{between}{cause}", fault.name());
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
        out.event(Event::Exited { exit_code });
        out.event(Event::Terminated);
    }

    /// Reports the threads that started or ended since the last report.
    fn tell_threads(&mut self, out: &mut Outbox) {
        let live: BTreeSet<FrameId> = self.session.machine().frames().map(|one| one.id).collect();
        let gone = self
            .threads
            .difference(&live)
            .map(|frame| ("exited", *frame));
        let come = live
            .difference(&self.threads)
            .map(|frame| ("started", *frame));
        let news: Vec<_> = gone.chain(come).collect();
        if news.len() <= TOLD {
            for (reason, frame) in news {
                out.event(Event::Thread {
                    reason,
                    thread_id: thread_of(frame),
                });
            }
        }
        self.threads = live;
    }

    /// Reports where the run stopped and why.
    pub fn tell_stop(&mut self, aim: Aim, out: &mut Outbox) {
        let view = self.session.view();
        let stop = self.session.stop().clone();
        // A breakpoint of an error filter is reported as a stop on that kind of error.
        let stop = match (&stop, &view.data.fault) {
            (Stop::Breakpoint(id), Some(error)) => match self.moment_of(*id) {
                Some(moment) => Stop::Error(moment, error.fault.name().into()),
                None => stop,
            },
            _ => stop,
        };
        let (reason, description) = self.reason(&stop, aim);
        let hit = match &stop {
            Stop::Breakpoint(id) => vec![self.lists.shown_id(*id)],
            _ => Vec::new(),
        };
        let text = self.text(&stop, &view);
        if let Stop::Ask(ask) = &stop {
            self.say_how_to_answer(*ask, out);
        }
        out.event(Event::Stopped(Stopped {
            reason,
            description,
            thread_id: view.frames.last().map(|frame| thread_of(frame.frame)),
            text,
            all_threads_stopped: true,
            hit_breakpoint_ids: hit,
        }));
    }

    /// The protocol's reason of a stop, and a description if it adds information.
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
            Stop::ProfilesDiffer(_) => said("exception", "AWS differs"),
            Stop::NotRecorded(_) => said("step", "Nothing more was recorded"),
            Stop::Recorded(_) => said("exception", "Differs from the recording"),
            Stop::Target if aim == Aim::Goto => ("goto", None),
            Stop::Target => ("step", None),
            Stop::Pause => ("pause", None),
            Stop::Travel if aim == Aim::Continue && self.is_at_last_event() => {
                said("step", "The end of what was recorded; continue runs on")
            }
            Stop::Travel => ("step", None),
            Stop::Reload(None) => said("reload", "Reloaded: the run is the same up to here"),
            Stop::Reload(Some(_)) => said("reload", "Reloaded: the run differs from here on"),
            Stop::Memory(_) => said("memory", "The run has reached its memory limit"),
            Stop::Stuck => said("stuck", "The run is stuck: nothing more can happen"),
            Stop::End => said("end", "The run has ended"),
        }
    }

    /// True if the cursor is at the last recorded event.
    fn is_at_last_event(&self) -> bool {
        let header = self.session.view().header;
        header.event == header.event_count
    }

    /// The error moment of a breakpoint, if it stops on errors.
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
            Some(Location::State(_)) if self.lists.is_by_name(id) => "function breakpoint",
            _ => "breakpoint",
        }
    }

    /// Additional information about a stop.
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
            Stop::ProfilesDiffer(text) => Some(format!("AWS: {text}")),
            Stop::Recorded(found) => Some(found.text()),
            Stop::Ask(ask) => self.question(*ask),
            Stop::Memory(bytes) => Some(format!(
                "{} MiB: nothing more is recorded; maxMemory sets the limit",
                bytes >> 20
            )),
            Stop::Stuck => Some("a task never answers and has no timeout".to_string()),
            Stop::Reload(Some(event)) => Some(format!("the first event that differs is {event}")),
            _ => None,
        }
    }

    /// Description of the request that is waiting for an answer.
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
        let question = self.question(ask).unwrap_or_default();
        let offer = self.session.offer(ask);
        let result = offer.as_ref().map(|offer| one_line(&offer.result));
        let errors = offer.as_ref().map_or_else(String::new, |offer| {
            let lines = offer.errors.iter().take(6);
            let lines = lines.map(|(name, then)| format!("\n  fail {name}   {then}"));
            lines.collect()
        });
        let then = offer.map_or_else(String::new, |offer| offer.then);
        let result = result.unwrap_or_else(|| "{}".to_string());
        out.output(
            "important",
            &format!(
                "{question}: there is no answer for it. Type one of\n  answer {result}   {then}{errors}"
            ),
        );
        let left = self.session.view().tasks.len().saturating_sub(1);
        if left > 0 {
            out.say(&format!(
                "{} more tasks are waiting for an answer",
                number(left)
            ));
        }
    }

    /// True if commands are queued and the run is stopped.
    pub fn has_queued(&self) -> bool {
        !self.queue.is_empty() && self.phase == Phase::Stopped
    }

    /// An output of the session as an event.
    pub fn output_event(&self, output: &crate::session::Output) -> Event {
        use crate::session::Output;
        let (category, text) = wording::output(output, self.session.definition());
        let place = match output {
            Output::LogPoint(point) => self.place_of_breakpoint(point.breakpoint),
            Output::Condition { breakpoint, .. } => self.place_of_breakpoint(*breakpoint),
            _ => None,
        };
        let (source, line) = place.unzip();
        Event::Output(super::protocol::Output {
            category,
            output: format!("{text}\n"),
            source,
            line,
            column: None,
        })
    }
}

/// A table row as a sentence, with single spaces between its words.
pub(super) fn one_blank(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}
