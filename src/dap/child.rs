//! Steps into child executions and back out: sets the breakpoints in the child, and returns to the parent when the
//! child ends.

use super::debuggee::Aim;
use super::debuggee::{Debuggee, Phase};
use super::handle::Standing;
use super::message::Outbox;
use super::protocol::StackFrame;
use super::source::absolute;
use crate::interpreter::{Frame, FrameId};
use crate::session::{Command, Direction, Session, Stop};
use std::path::Path;

impl Debuggee {
    /// Enters the child execution if the run has stopped at a task that starts one. Then runs the child to its first
    /// stop, except if `aim` is a step. Returns `true` if the run continues, `false` if it stays stopped.
    pub fn enter_child(&mut self, aim: Aim, out: &mut Outbox) -> bool {
        if !matches!(self.session.stop(), Stop::Child(_)) || !self.outer.enter(&mut self.session) {
            return false;
        }
        self.other_execution(out);
        self.tell_sources("new", out);
        let enters = self.is_broken_into();
        self.session.set_enters_children(enters);
        if aim == Aim::Step {
            return false;
        }
        self.phase = match self.apply(Command::Travel(0), out) {
            Ok(_) => Phase::Running(Aim::Rewind),
            Err(_) => Phase::Running(aim),
        };
        true
    }

    /// Continues in the parent after a child execution has ended; returns `false` if there is no parent.
    pub fn leave_child(&mut self, aim: Aim, out: &mut Outbox) -> bool {
        if self.outer.leave(&mut self.session).is_none() {
            return false;
        }
        self.other_execution(out);
        let command = match aim {
            Aim::Step => Command::Step(Direction::Forward),
            _ => Command::Continue(Direction::Forward),
        };
        if self.apply(command, out).is_ok() {
            self.phase = Phase::Running(aim);
        }
        true
    }

    /// The command for `stepOut`. It runs to the end of the frame that has the focus or, if this is the outermost frame
    /// of a child execution, to the end of the child execution.
    pub fn way_out(&self) -> Command {
        let frame = self.focus_frame();
        let frame = frame.and_then(|id| self.session.machine().frame(id));
        match frame.is_some_and(|frame| frame.parent.is_none()) && !self.outer.is_empty() {
            true => Command::Continue(Direction::Forward),
            false => Command::Finish(Direction::Forward),
        }
    }

    /// Leaves all child executions that the session has entered, and returns to the outermost execution.
    pub fn leave_children(&mut self, out: &mut Outbox) {
        if self.outer.leave_all(&mut self.session) {
            self.other_execution(out);
        }
    }

    fn other_execution(&mut self, out: &mut Outbox) {
        self.handles.clear();
        self.frame_before = None;
        self.set_lists_again(out);
    }

    /// True if the client has set a breakpoint in a file that defines a child state machine of this run.
    pub fn is_broken_into(&self) -> bool {
        let paths = self
            .lists
            .lines
            .iter()
            .filter_map(|list| list.source.path.as_ref());
        let paths = paths.map(|path| absolute(&self.client.own_path(path)));
        let wanted: Vec<_> = paths.collect();
        let children = self.session.child_definitions();
        let mut texts = children.flat_map(|definition| definition.sources.files());
        texts.any(|file| !file.derived && wanted.contains(&absolute(Path::new(&*file.name))))
    }

    /// Stack frames of the parent executions, innermost first. Each parent has one for the state whose task started the
    /// child, one for each Map or Parallel state around that state, and one for the execution itself.
    pub fn frames_around(&mut self, thread: FrameId) -> Vec<StackFrame> {
        let mut all = Vec::new();
        for session in self.outer.sessions().rev() {
            let machine = session.machine();
            let asks = match session.stop() {
                Stop::Child(ask) => machine.ask(*ask).map(|ask| ask.frame),
                _ => None,
            };
            let parent = |id: &FrameId| machine.frame(*id).and_then(|frame| frame.parent);
            let frames = std::iter::successors(asks, parent);
            let frames = frames.filter_map(|id| machine.frame(id));
            all.extend(frames.map(|frame| self.frame_outside(session, frame)));
            all.push(StackFrame {
                name: format!(
                    "execution of {machine}",
                    machine = session.definition().name
                ),
                presentation_hint: Some("label"),
                ..StackFrame::default()
            });
        }
        for (place, frame) in all.iter_mut().enumerate() {
            frame.id = self.handles.frame(thread, Standing::Outside(place));
        }
        all
    }

    /// Makes the stack frame for a frame of a parent execution. It shows the frame's state and, if the state is in a
    /// file, its location.
    fn frame_outside(&self, session: &Session, frame: &Frame) -> StackFrame {
        let Some(state) = session.definition().state(frame.visit.state) else {
            return StackFrame::default();
        };
        let mut made = StackFrame {
            name: state.name.to_string(),
            presentation_hint: Some("subtle"),
            ..StackFrame::default()
        };
        let span = state.name_span;
        let file = session.sources().get(span.source);
        if let Some(file) = file.filter(|file| !file.derived) {
            (made.line, made.column) = self.client.place(file, span.start as usize);
            made.source = Some(self.source_view(span.source, file));
        }
        made
    }
}
