//! The debuggee: the session of the run, with everything that the adapter stores about this run, such as breakpoints
//! and threads as last reported to the client.

use super::client::Client;
use super::command::{Queued, output_text, refusal};
use super::handle::Handles;
use super::message::{Outbox, Refusal};
use super::protocol::{Breakpoint, DataBreakpoint, FunctionBreakpoint, Source, SourceBreakpoint};
use crate::interpreter::FrameId;
use crate::launch::{Origin, Project};
use crate::session::Outer;
use crate::session::view::View;
use crate::session::{BreakpointId, Command, ErrorFilter, Output, Reply, Session, Switch};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Phase of the run as the client sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// The client is setting breakpoints. Nothing runs until the request `configurationDone`.
    Configuring,
    /// The run is stopped.
    Stopped,
    /// The run is in progress: the session executes new events or moves through recorded ones.
    Running(Aim),
    /// The client was told that the run has ended: the event `terminated` has been sent.
    Ended,
}

/// Settings of the launch configuration that say whether and where the run stops.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Manner {
    /// True if the run stops at its start, before the first state does anything.
    pub stop_on_entry: bool,
    /// True if the debugging session stays open when the run has ended, so the client can still inspect the run and
    /// step back.
    pub stop_at_end: bool,
    /// True if the run ignores breakpoints and errors, and stops only at a task that waits for an answer.
    pub no_debug: bool,
}

/// The session of the run, with everything that the adapter stores about this run for its client.
#[derive(Debug)]
pub(super) struct Debuggee {
    pub client: Client,
    pub session: Session,
    /// Sessions of the parent executions, outermost first; empty unless a child execution was entered.
    pub outer: Outer,
    pub project: Project,
    pub origin: Origin,
    /// Arguments of the request `launch`. If a restart has the same arguments, the new run keeps the answers of this
    /// run.
    pub launched: Value,
    pub manner: Manner,
    pub phase: Phase,
    pub handles: Handles,
    pub lists: Lists,
    /// The frames that the client knows as threads, as of the last report.
    pub threads: BTreeSet<FrameId>,
    /// The frame to which the command `frame-back` returns the focus: the frame that had the focus when the run last
    /// continued, or before the last `frame-back`.
    pub frame_before: Option<FrameId>,
    /// Commands that are queued until the run stops.
    pub queue: VecDeque<Queued>,
    pub progress: Progress,
    /// True if the set of files to watch has changed since the caller last received it.
    pub watch_again: bool,
}

impl Debuggee {
    /// Returns an error if the run is in progress, because the request needs a stopped run.
    pub fn standing(&self) -> Result<(), Refusal> {
        match self.phase {
            Phase::Running(_) => Err(Refusal::not_stopped()),
            _ => Ok(()),
        }
    }

    /// Applies a command to the session, and sends the client the outputs that the command produced.
    pub fn apply(&mut self, command: Command, out: &mut Outbox) -> Result<Reply, Refusal> {
        let result = self.session.apply(command);
        self.tell_outputs(out);
        result.map_err(|refused| refusal(&refused))
    }

    /// Sends the client the outputs that the session has produced since the last call, such as log messages.
    pub fn tell_outputs(&mut self, out: &mut Outbox) {
        for output in self.session.take_outputs() {
            let (category, text) = output_text(&output, self.session.definition());
            let breakpoint = match output {
                Output::LogPoint(point) => Some(point.breakpoint),
                Output::Condition { breakpoint, .. } => Some(breakpoint),
                _ => None,
            };
            let place = breakpoint.and_then(|id| self.place_of(self.session.breakpoint(id)?.span?));
            out.output_at(category, &text, place, None);
        }
    }

    /// Returns the view in which this frame has the focus. The focus itself is the same after the call as before.
    pub fn look(&mut self, frame: FrameId) -> Result<View, Refusal> {
        let view = self.session.view();
        let focus = view.frames.last().map(|frame| frame.frame);
        if focus == Some(frame) {
            return Ok(view);
        }
        let moved = self.session.apply(Command::Focus(frame));
        moved.map_err(|refused| refusal(&refused))?;
        let view = self.session.view();
        if let Some(focus) = focus {
            // The focus was on this frame before the call, so the session never refuses to move it back.
            drop(self.session.apply(Command::Focus(focus)));
        }
        Ok(view)
    }

    /// Moves the focus to a frame, so that the next step applies to this frame.
    pub fn focus(&mut self, frame: FrameId, out: &mut Outbox) -> Result<(), Refusal> {
        if self.focus_frame() != Some(frame) {
            self.apply(Command::Focus(frame), out)?;
        }
        Ok(())
    }

    /// The frame that a request is about: the frame of the DAP stack frame with the given id; without an id, the frame
    /// that has the focus.
    pub fn frame_or_focus(&self, frame: Option<i64>) -> Result<FrameId, Refusal> {
        match frame {
            Some(id) => self.handles.frame_of(id),
            None => (self.focus_frame()).ok_or_else(|| Refusal::new("nothing has run yet")),
        }
    }

    /// The frame that has the focus.
    pub fn focus_frame(&self) -> Option<FrameId> {
        let frames = self.session.view().frames;
        frames.last().map(|frame| frame.frame)
    }

    /// The frame that the client knows as this thread; an error if the frame is not live at the current event.
    pub fn frame_of_thread(&self, thread: i64) -> Result<FrameId, Refusal> {
        let frame = thread.checked_sub(1).and_then(|id| u32::try_from(id).ok());
        let frame = frame.map(FrameId);
        let live = frame.filter(|frame| self.session.machine().frame(*frame).is_some());
        live.ok_or_else(|| Refusal::new(format!("thread {thread} does not exist at this event")))
    }
}

/// The id of the thread that stands for this frame; thread ids start with 1.
pub(super) fn thread_of(frame: FrameId) -> i64 {
    i64::from(frame.0).saturating_add(1)
}

/// The state of the progress display that the client shows during a long run.
#[derive(Debug, Default)]
pub(super) struct Progress {
    /// Id of the progress display that is shown; `None` if none is shown.
    pub(super) shown: Option<u64>,
    /// The id that the latest progress display got; the next one gets the id after it.
    pub(super) last: u64,
}

/// The ids from this number on are for breakpoints of the client that could not be set in the session.
const UNSET: i64 = 1 << 30;

/// The line breakpoints that the client has set in one source.
#[derive(Clone, Debug, Default)]
pub(super) struct LineList {
    pub(super) source: Source,
    pub(super) wanted: Vec<SourceBreakpoint>,
    /// The breakpoints as last reported to the client, in the order of `wanted`.
    pub(super) reported: Vec<Breakpoint>,
}

/// All breakpoints that the client has set, of each kind, with the ids by which the client knows them.
#[derive(Clone, Debug, Default)]
pub(super) struct Lists {
    pub(super) lines: Vec<LineList>,
    pub(super) names: Vec<FunctionBreakpoint>,
    /// The breakpoints on state names as last reported to the client, in the order of `names`.
    pub(super) reported: Vec<Breakpoint>,
    /// The client's ids of two groups of session breakpoints: those that the client already knew under another id, and
    /// those that were set by state name. For all other breakpoints, `base` determines the id.
    pub(super) shown: BTreeMap<BreakpointId, i64>,
    /// The session's ids of the breakpoints that were set by state name.
    pub(super) by_name: BTreeSet<BreakpointId>,
    pub(super) filters: Option<(Vec<ErrorFilter>, Switch)>,
    pub(super) data: Vec<Placed>,
    pub(super) unset: i64,
    /// Number to add to a session's breakpoint id to get the client's id. Each session has another number, because the
    /// ids of every session start with 1.
    pub(super) base: i64,
}

/// Number of breakpoint ids of the client that are reserved for each session.
pub(super) const OF_SESSION: i64 = 1 << 20;

impl Lists {
    /// The client's id of this breakpoint of the session.
    pub fn shown_id(&self, id: BreakpointId) -> i64 {
        let shown = self.shown.get(&id).copied();
        shown.unwrap_or_else(|| self.number(id))
    }

    /// Makes an id for the client from the session's id. No breakpoint of another session gets the same id.
    pub fn number(&self, id: BreakpointId) -> i64 {
        self.base.saturating_add(i64::from(id.0))
    }

    /// Compares breakpoints with their last report, and reports those that changed. A breakpoint that the client
    /// already knows keeps its id. Returns the breakpoints with these ids.
    pub(super) fn retell(
        &mut self,
        before: &[Breakpoint],
        now: Vec<Breakpoint>,
        out: &mut Outbox,
    ) -> Vec<Breakpoint> {
        let reported = before.iter().zip(now).map(|(before, mut now)| {
            if let (Some(known), Some(fresh)) = (before.id, now.id)
                && known != fresh
            {
                for shown in self.shown.values_mut().filter(|shown| **shown == fresh) {
                    *shown = known;
                }
                if let Ok(id) = u32::try_from(fresh.saturating_sub(self.base)) {
                    self.shown.insert(BreakpointId(id), known);
                }
                now.id = Some(known);
            }
            if now != *before {
                let body = json!({"reason": "changed", "breakpoint": now});
                out.event("breakpoint", body);
            }
            now
        });
        reported.collect()
    }

    /// Describes, for the client, a breakpoint that cannot stop the run because the run was launched with `noDebug`.
    pub fn without_debugging(&mut self) -> Breakpoint {
        let why = "this run was launched without debugging (noDebug)";
        self.unverified(why, "failed")
    }

    /// Describes, for the client, a breakpoint that cannot stop the run. `why` is a sentence for the user; `reason` is
    /// the protocol's word, `pending` or `failed`.
    pub fn unverified(&mut self, why: impl Into<String>, reason: &'static str) -> Breakpoint {
        self.unset = self.unset.saturating_add(1);
        Breakpoint {
            id: Some(UNSET.saturating_add(self.unset)),
            verified: false,
            message: Some(why.into()),
            reason: Some(reason),
            ..Breakpoint::default()
        }
    }
}

/// A data breakpoint that the client has requested.
#[derive(Clone, Debug)]
pub(super) struct Placed {
    pub(super) wanted: DataBreakpoint,
    /// Id of the breakpoint in the session; `None` if it could not be set there.
    pub(super) id: Option<BreakpointId>,
    /// The client's id of the breakpoint.
    pub(super) shown: Option<i64>,
}

/// Why the run is in progress. This decides what happens at the next stop, and how that stop is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Aim {
    /// The run goes from its start to the first stop.
    Start,
    /// The session moves back to the start; from there, the run then goes to the first stop.
    Rewind,
    /// The user requested a step or a similar command, such as a move to another event.
    Step,
    /// The user requested `continue`, forward or backward: the run goes to the next stop.
    Continue,
    /// The user requested `goto`, which begins a run at another state, or `until`, which runs until a state is entered.
    Goto,
    /// The user requested a pause: the run stops at its current event.
    Pause,
    /// The definition or the profile has changed: the session repeats the recorded run with the change.
    Reload,
    /// The run begins, or begins again, and stops at once, before its first state.
    Entry,
}
