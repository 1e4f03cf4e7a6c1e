//! The debuggee: a session, its origin, and what the client knows about it.

use super::breakpoint_list::Lists;
use super::client::Client;
use super::handle::Handles;
use super::outbox::Outbox;
use super::refusal::Refusal;
use super::run_reason::Aim;
use super::wording;
use crate::interpreter::FrameId;
use crate::launch::{Origin, Project, Workspace};
use crate::session::outer::Outer;
use crate::session::view::View;
use crate::session::{Command, Refused, Reply, Session};
use serde_json::Value;
use std::collections::{BTreeSet, VecDeque};

/// Phase of the run as the client sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Breakpoints are being set; nothing runs before `configurationDone`.
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
    /// True if the session continues after the run has ended.
    pub stop_at_end: bool,
    /// True if only a task without an answer stops the run.
    pub no_debug: bool,
}

/// The debuggee.
#[derive(Debug)]
pub(super) struct Debuggee {
    pub client: Client,
    pub session: Session,
    /// Sessions of the parent executions if a child execution was stepped into.
    pub outer: Outer,
    pub project: Project,
    pub origin: Origin,
    /// Arguments of `launch`, to detect a restart with the same arguments, which keeps the answers.
    pub launched: Value,
    pub manner: Manner,
    pub phase: Phase,
    pub handles: Handles,
    pub lists: Lists,
    /// Frames that were reported to the client as threads.
    pub threads: BTreeSet<FrameId>,
    /// The frame that had the focus before a stop in another frame moved it.
    pub frame_before: Option<FrameId>,
    /// Commands that are queued until the run stops.
    pub queue: VecDeque<super::command::Queued>,
    pub progress: Progress,
    /// True if the set of files to watch has changed.
    pub watch_again: bool,
}

impl Debuggee {
    /// Returns an error unless the run is stopped.
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
        result.map_err(|refused: Refused| Refusal::new(wording::refused(&refused)))
    }

    /// Reports the session's new outputs.
    pub fn tell_outputs(&mut self, out: &mut Outbox) {
        for output in self.session.take_outputs() {
            let event = self.output_event(&output);
            out.event(event);
        }
    }

    /// The view of a frame, even if another frame has the focus.
    pub fn look(&mut self, frame: FrameId) -> Result<View, Refusal> {
        let view = self.session.view();
        let focus = view.frames.last().map(|frame| frame.frame);
        if focus == Some(frame) {
            return Ok(view);
        }
        let moved = self.session.apply(Command::Focus(frame));
        moved.map_err(|refused| Refusal::new(wording::refused(&refused)))?;
        let view = self.session.view();
        if let Some(focus) = focus {
            // The frame had the focus just now, so moving the focus back cannot fail.
            drop(self.session.apply(Command::Focus(focus)));
        }
        Ok(view)
    }

    /// Moves the focus to a frame, to which the next step then applies.
    pub fn focus(&mut self, frame: FrameId, out: &mut Outbox) -> Result<(), Refusal> {
        let view_focus = self.focus_frame();
        if view_focus != Some(frame) {
            self.apply(Command::Focus(frame), out)?;
        }
        Ok(())
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
        frame
            .filter(|frame| self.session.machine().frame(*frame).is_some())
            .ok_or_else(|| Refusal::new(format!("there is no thread {thread} now")))
    }

    /// Storage for what a front end keeps between sessions: nothing here, because editors store their breakpoints.
    pub fn workspace(&mut self) -> &mut dyn Workspace {
        &mut self.project
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
