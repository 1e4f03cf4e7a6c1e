//! Threads and their stacks. Each live frame is a thread. The stack of a thread has the frame itself and the frames
//! that enclose it.

use super::client::given_count;
use super::debuggee::{Debuggee, thread_of};
use super::handle::Standing;
use super::message::Refusal;
use super::protocol::{StackFrame, StackTraceArguments};
use crate::interpreter::{Frame, FrameId};
use crate::source::Span;
use crate::wording;
use serde_json::{Value, json};

impl Debuggee {
    /// Handles `threads`: returns a thread for the execution and one for each live branch and item.
    pub fn thread_list(&self) -> Value {
        let frames = self.session.machine().frames();
        let mut frames: Vec<FrameId> = frames.map(|frame| frame.id).collect();
        frames.sort_unstable();
        let thread = |id| json!({"id": thread_of(id), "name": self.session.frame_name(id)});
        json!({"threads": frames.into_iter().map(thread).collect::<Vec<_>>()})
    }

    /// Handles `stackTrace`: returns the stack of a thread. From the innermost, the stack has the thread's state, the
    /// Map and Parallel states around it, the execution, and the stack frames of parent executions.
    pub fn stack_trace(&mut self, arguments: &StackTraceArguments) -> Result<Value, Refusal> {
        let thread = self.frame_of_thread(arguments.thread_id)?;
        let path = self.path_of(thread);
        let inside = path.len().saturating_add(1);
        let around = self.frames_around(thread);
        let total = inside.saturating_add(around.len());
        let from = given_count(arguments.start_frame).unwrap_or(0);
        let levels = given_count(arguments.levels).filter(|levels| *levels > 0);
        let levels = levels.unwrap_or(total);
        let mut frames = Vec::new();
        for place in (from..total).take(levels) {
            let frame = match path.get(place) {
                Some(frame) if place == 0 => self.innermost(thread, *frame)?,
                Some(frame) => {
                    let inner = path.get(place - 1).copied();
                    self.around(thread, *frame, inner)
                }
                None => match place
                    .checked_sub(inside)
                    .and_then(|place| around.get(place))
                {
                    Some(frame) => frame.clone(),
                    None => self.execution(thread),
                },
            };
            frames.push(frame);
        }
        Ok(json!({"stackFrames": frames, "totalFrames": total}))
    }

    /// Returns this frame and the frames that enclose it, innermost first.
    fn path_of(&self, frame: FrameId) -> Vec<FrameId> {
        let machine = self.session.machine();
        let parent = |id: &FrameId| machine.frame(*id).and_then(|frame| frame.parent);
        std::iter::successors(Some(frame), parent).collect()
    }

    /// Makes the stack frame of the thread's state. The location of the stack frame is the field that is being
    /// evaluated.
    fn innermost(&mut self, thread: FrameId, frame: FrameId) -> Result<StackFrame, Refusal> {
        let view = self.look(frame)?;
        let Some(state) = view
            .current
            .and_then(|id| self.session.definition().state(id))
        else {
            return Ok(self.execution(thread));
        };
        let event = view.header.event;
        let row = self.session.rows(event..event.saturating_add(1)).pop();
        let row = row.filter(|row| row.frame_id == frame);
        let step = row.map(|row| wording::title(&row, self.session.definition()));
        let name = match step.filter(|step| !step.is_empty()) {
            Some(step) => format!("{} ({step})", state.name),
            None => state.name.to_string(),
        };
        let span = view.current_span.or(Some(state.name_span));
        Ok(self.stack_frame(thread, Standing::In(frame), name, span))
    }

    /// Makes the stack frame of a Map or Parallel state that encloses the thread. `inner` is the next frame inside it.
    fn around(&mut self, thread: FrameId, frame: FrameId, inner: Option<FrameId>) -> StackFrame {
        let machine = self.session.machine();
        let state = |frame: &Frame| self.session.definition().state(frame.visit.state);
        let state = machine.frame(frame).and_then(state);
        let inner = inner.and_then(|inner| machine.frame(inner));
        let index = inner.map(|frame| frame.index);
        let name = match (state, index) {
            (Some(state), Some(index)) => format!("{}[{index}]", state.name),
            (Some(state), None) => state.name.to_string(),
            (None, _) => "?".to_string(),
        };
        let span = state.map(|state| state.name_span);
        self.stack_frame(thread, Standing::In(frame), name, span)
    }

    /// Makes the stack frame of the execution as a whole.
    fn execution(&mut self, thread: FrameId) -> StackFrame {
        let name = format!(
            "execution of {machine}",
            machine = self.session.definition().name
        );
        let frame = self.stack_frame(thread, Standing::Execution, name, None);
        StackFrame {
            presentation_hint: Some("label"),
            ..frame
        }
    }

    fn stack_frame(
        &mut self,
        thread: FrameId,
        standing: Standing,
        name: String,
        span: Option<Span>,
    ) -> StackFrame {
        let mut made = StackFrame {
            id: self.handles.frame(thread, standing),
            name,
            can_restart: matches!(standing, Standing::In(_)),
            ..StackFrame::default()
        };
        let span_and_file =
            span.and_then(|span| Some((span, self.session.sources().get(span.source)?)));
        if let Some((span, file)) = span_and_file {
            let (end_line, end_column) = self.client.place(file, span.end as usize);
            (made.line, made.column) = self.client.place(file, span.start as usize);
            (made.end_line, made.end_column) = (Some(end_line), Some(end_column));
            made.source = self.source_of(span.source);
        }
        made
    }
}
