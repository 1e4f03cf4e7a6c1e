//! The debuggee: a session and its origin, with the breakpoints, threads and progress as the client knows them.

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
    /// The debugger is executing the run or moving through its history.
    Running(Aim),
    /// `terminated` has been sent.
    Ended,
}

/// How the run starts and ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Manner {
    /// True if the run stops before the first state does anything.
    pub stop_on_entry: bool,
    /// True if the client can still inspect the run and step back after the run has ended.
    pub stop_at_end: bool,
    /// True if only a task without an answer stops the run.
    pub no_debug: bool,
}

/// The debuggee.
#[derive(Debug)]
pub(super) struct Debuggee {
    pub client: Client,
    pub session: Session,
    /// Sessions of the parent executions; empty unless the user stepped into a child execution.
    pub outer: Outer,
    pub project: Project,
    pub origin: Origin,
    /// Arguments of `launch`. A restart with the same arguments keeps the answers of the run.
    pub launched: Value,
    pub manner: Manner,
    pub phase: Phase,
    pub handles: Handles,
    pub lists: Lists,
    /// Frames that were reported to the client as threads.
    pub threads: BTreeSet<FrameId>,
    /// The frame that had the focus before the run stopped in another frame, which then got the focus.
    pub frame_before: Option<FrameId>,
    /// Commands that are queued until the run stops.
    pub queue: VecDeque<Queued>,
    pub progress: Progress,
    /// True if the set of files to watch has changed.
    pub watch_again: bool,
}

impl Debuggee {
    /// Returns an error if the run is in progress.
    pub fn standing(&self) -> Result<(), Refusal> {
        match self.phase {
            Phase::Running(_) => Err(Refusal::not_stopped()),
            _ => Ok(()),
        }
    }

    /// Applies a command to the session and reports the outputs that it produced.
    pub fn apply(&mut self, command: Command, out: &mut Outbox) -> Result<Reply, Refusal> {
        let result = self.session.apply(command);
        self.tell_outputs(out);
        result.map_err(|refused| refusal(&refused))
    }

    /// Reports the session's new outputs.
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

    /// The view of a frame. If the focus is on another frame, moves the focus to this frame during the call.
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
            // The focus was on this frame before, so moving it back is never refused.
            drop(self.session.apply(Command::Focus(focus)));
        }
        Ok(view)
    }

    /// Moves the focus to a frame. The next step then applies to this frame.
    pub fn focus(&mut self, frame: FrameId, out: &mut Outbox) -> Result<(), Refusal> {
        if self.focus_frame() != Some(frame) {
            self.apply(Command::Focus(frame), out)?;
        }
        Ok(())
    }

    /// The frame that a request is about: the frame that the request names, otherwise the frame that has the focus.
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

    /// The live frame of a thread.
    pub fn frame_of_thread(&self, thread: i64) -> Result<FrameId, Refusal> {
        let frame = thread.checked_sub(1).and_then(|id| u32::try_from(id).ok());
        let frame = frame.map(FrameId);
        let live = frame.filter(|frame| self.session.machine().frame(*frame).is_some());
        live.ok_or_else(|| Refusal::new(format!("thread {thread} does not exist at this event")))
    }
}

/// The thread id of a frame.
pub(super) fn thread_of(frame: FrameId) -> i64 {
    i64::from(frame.0).saturating_add(1)
}

/// Progress of a long run as reported to the client.
#[derive(Debug, Default)]
pub(super) struct Progress {
    /// Id of the progress that is shown.
    pub(super) shown: Option<u64>,
    /// The last id that was used.
    pub(super) last: u64,
}

/// Start of the ids for those breakpoints of the client that could not be set in the session.
const UNSET: i64 = 1 << 30;

/// The breakpoints of one source.
#[derive(Clone, Debug, Default)]
pub(super) struct LineList {
    pub(super) source: Source,
    pub(super) wanted: Vec<SourceBreakpoint>,
    /// The breakpoints as last reported to the client.
    pub(super) reported: Vec<Breakpoint>,
}

/// All breakpoints that the client has set.
#[derive(Clone, Debug, Default)]
pub(super) struct Lists {
    pub(super) lines: Vec<LineList>,
    pub(super) names: Vec<FunctionBreakpoint>,
    /// The breakpoints on names as last reported to the client.
    pub(super) reported: Vec<Breakpoint>,
    /// The client's id of each breakpoint whose id in the session is different.
    pub(super) shown: BTreeMap<BreakpointId, i64>,
    /// Breakpoints that were set by name.
    pub(super) by_name: BTreeSet<BreakpointId>,
    pub(super) filters: Option<(Vec<ErrorFilter>, Switch)>,
    pub(super) data: Vec<Placed>,
    pub(super) unset: i64,
    /// Number that is added to an id of the session to get the client's id. Differs between sessions, because the ids
    /// of every session start with 1.
    pub(super) base: i64,
}

/// Number of ids reserved for the breakpoints of each session.
pub(super) const OF_SESSION: i64 = 1 << 20;

impl Lists {
    /// The id by which the client knows this breakpoint of the session.
    pub fn shown_id(&self, id: BreakpointId) -> i64 {
        let shown = self.shown.get(&id).copied();
        shown.unwrap_or_else(|| self.number(id))
    }

    /// An id that is unique among all sessions.
    pub fn number(&self, id: BreakpointId) -> i64 {
        self.base.saturating_add(i64::from(id.0))
    }

    /// Reports the breakpoints that changed. A breakpoint that the client already knows keeps its id.
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

    /// A breakpoint that cannot stop the run because the run was launched with `noDebug`.
    pub fn without_debugging(&mut self) -> Breakpoint {
        let why = "this run was launched without debugging (noDebug)";
        self.unverified(why, "failed")
    }

    /// A breakpoint that currently cannot stop the run.
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

/// A data breakpoint of the client.
#[derive(Clone, Debug)]
pub(super) struct Placed {
    pub(super) wanted: DataBreakpoint,
    /// Id of the session's breakpoint; `None` if the session has none.
    pub(super) id: Option<BreakpointId>,
    /// The id by which the client knows the breakpoint.
    pub(super) shown: Option<i64>,
}

/// The purpose for which the run is in progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Aim {
    /// To go from the start of the run to the first stop.
    Start,
    /// To go back to the start, and then to run from there.
    Rewind,
    /// For a step or similar command.
    Step,
    /// To reach the next stop.
    Continue,
    /// To begin at another state (`goto`).
    Goto,
    /// To pause at the current position.
    Pause,
    /// To repeat the recorded run with a changed definition.
    Reload,
    /// To begin again and stop at the first state.
    Entry,
}
