//! What is debugged: a session, where it came from, and what the client knows of it.

use super::aim::Aim;
use super::breakpoint_list::Lists;
use super::client::Client;
use super::handle::Handles;
use super::outbox::Outbox;
use super::refusal::Refusal;
use super::wording;
use crate::interpreter::FrameId;
use crate::launch::{Origin, Project, Workspace};
use crate::session::child::Outer;
use crate::session::view::View;
use crate::session::{Command, Refused, Reply, Session};
use serde_json::Value;
use std::collections::{BTreeSet, VecDeque};

/// What the run is doing, as the client sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Breakpoints are being set; nothing runs before `configurationDone`.
    Configuring,
    /// It stands.
    Stopped,
    /// It runs or travels, for this.
    Running(Aim),
    /// `terminated` was sent.
    Ended,
}

/// How the run begins and ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Manner {
    /// Whether it stops before the first state does anything.
    pub stop_on_entry: bool,
    /// Whether the session goes on when the run has ended.
    pub stop_at_end: bool,
    /// Whether nothing but a task without an answer stops it.
    pub no_debug: bool,
}

/// What is debugged.
#[derive(Debug)]
pub(super) struct Debuggee {
    pub client: Client,
    pub session: Session,
    /// The sessions around it, where a child execution was stepped into.
    pub outer: Outer,
    pub project: Project,
    pub origin: Origin,
    /// What `launch` had, so that a restart with the same keeps the answers.
    pub launched: Value,
    pub manner: Manner,
    pub phase: Phase,
    pub handles: Handles,
    pub lists: Lists,
    /// The frames that the client was told of as threads.
    pub threads: BTreeSet<FrameId>,
    /// The frame that was the focus before a stop elsewhere moved it.
    pub frame_before: Option<FrameId>,
    /// Commands that wait until the run stands.
    pub queue: VecDeque<super::command::Queued>,
    pub progress: Progress,
    /// Whether the files to watch are others than before.
    pub watch_again: bool,
}

impl Debuggee {
    /// Refuses what needs a run that stands.
    pub fn standing(&self) -> Result<(), Refusal> {
        match self.phase {
            Phase::Running(_) => Err(Refusal::not_stopped()),
            _ => Ok(()),
        }
    }

    /// Gives the session a command; what comes up beside the reply is told.
    pub fn apply(&mut self, command: Command, out: &mut Outbox) -> Result<Reply, Refusal> {
        let result = self.session.apply(command);
        self.tell_outputs(out);
        result.map_err(|refused: Refused| Refusal::new(wording::refused(&refused)))
    }

    /// Tells what came up in the session.
    pub fn tell_outputs(&mut self, out: &mut Outbox) {
        for output in self.session.take_outputs() {
            let event = self.output_event(&output);
            out.event(event);
        }
    }

    /// What a frame shows, whichever frame has the focus.
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
            // It was the focus just now, so it can be again.
            drop(self.session.apply(Command::Focus(focus)));
        }
        Ok(view)
    }

    /// Makes a frame the focus that steps are counted in.
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

    /// The frame of a thread that lives now.
    pub fn frame_of_thread(&self, thread: i64) -> Result<FrameId, Refusal> {
        let frame = thread.checked_sub(1).and_then(|id| u32::try_from(id).ok());
        let frame = frame.map(FrameId);
        frame
            .filter(|frame| self.session.machine().frame(*frame).is_some())
            .ok_or_else(|| Refusal::new(format!("there is no thread {thread} now")))
    }

    /// Keeps what a front end keeps between times: nothing, for an editor keeps its breakpoints itself.
    pub fn workspace(&mut self) -> &mut dyn Workspace {
        &mut self.project
    }
}

/// The number of a frame's thread.
pub(super) fn thread_of(frame: FrameId) -> i64 {
    i64::from(frame.0).saturating_add(1)
}

/// What the client was told of a run that takes long.
#[derive(Debug, Default)]
pub(super) struct Progress {
    /// The number of the one that is shown.
    pub(super) shown: Option<u64>,
    /// The number of the last one.
    pub(super) last: u64,
}
