//! Numbers that the client holds for frames and for values with parts, until the run goes on.

use super::client::number;
use super::refusal::Refusal;
use crate::interpreter::{FrameId, Stage};
use crate::json::{Pointer, Step, Value};
use indexmap::IndexSet;

/// The values of a frame that belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScopeKind {
    /// The pipeline of the state.
    Data,
    /// The error that stands.
    Error,
    /// Variables.
    Variables,
    /// The context object.
    Context,
    /// Retriers, catchers, attempts, and what would follow.
    Retries,
    /// Branches or items.
    Children,
}

/// A value, and how it is come to.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Node {
    /// The frame.
    pub frame: FrameId,
    /// The value.
    pub value: Value,
    /// What `evaluate` gives it for.
    pub expression: Option<String>,
    /// Where an edit of it would be.
    pub place: Option<(Stage, Pointer)>,
}

impl Node {
    /// A part of it.
    pub fn child(&self, step: Step, value: Value) -> Self {
        let expression = self.expression.as_ref();
        Self {
            frame: self.frame,
            value,
            expression: expression.map(|text| text.clone() + &step_text(&step)),
            place: self
                .place
                .as_ref()
                .map(|(stage, at)| (*stage, at.child(step))),
        }
    }
}

/// A step as a path writes it.
fn step_text(step: &Step) -> String {
    match step {
        Step::Item(index) => format!("[{index}]"),
        Step::Member(name) => {
            let mut letters = name.chars();
            let first = letters
                .next()
                .is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
            if first && letters.all(|c| c.is_ascii_alphanumeric() || c == '_') {
                return format!(".{name}");
            }
            let escaped = name.replace('\\', "\\\\").replace('\'', "\\'");
            format!("['{escaped}']")
        }
    }
}

/// What a frame of a stack stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Standing {
    /// A state of the run, or a Map or Parallel around it.
    In(FrameId),
    /// The execution around all of them.
    Execution,
    /// One of those around a child execution, counted from the inner one out.
    Outside(usize),
}

/// A row that is no value of the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    /// Its name.
    pub name: String,
    /// What it says.
    pub text: String,
}

/// What has parts.
#[derive(Clone, Debug)]
pub(super) enum Container {
    /// Values of a frame.
    Scope(FrameId, ScopeKind),
    /// A value.
    Value(Node),
    /// Some items of an array, from one on.
    Range(Node, usize, usize),
}

/// The numbers in use.
#[derive(Debug, Default)]
pub(super) struct Handles {
    containers: Vec<Container>,
    /// The thread's frame and the frame; `None` for the execution around all.
    frames: IndexSet<(FrameId, Standing)>,
}

impl Handles {
    /// Forgets all: the run goes on.
    pub fn clear(&mut self) {
        self.containers.clear();
        self.frames.clear();
    }

    /// A number for what has parts.
    pub fn add(&mut self, container: Container) -> i64 {
        self.containers.push(container);
        number(self.containers.len())
    }

    /// What has this number.
    pub fn container(&self, reference: i64) -> Result<&Container, Refusal> {
        let place = usize::try_from(reference)
            .ok()
            .and_then(|n| n.checked_sub(1));
        place
            .and_then(|place| self.containers.get(place))
            .ok_or_else(|| Refusal::new("this value is no longer shown: the run has moved on"))
    }

    /// A number for a frame as a thread has it.
    pub fn frame(&mut self, thread: FrameId, frame: Standing) -> i64 {
        let (place, _) = self.frames.insert_full((thread, frame));
        number(place).saturating_add(1)
    }

    /// Whether the number is that of a frame around a child execution.
    pub fn is_outside(&self, id: i64) -> bool {
        let place = usize::try_from(id).ok().and_then(|n| n.checked_sub(1));
        let found = place.and_then(|place| self.frames.get_index(place));
        matches!(found, Some((_, Standing::Outside(_))))
    }

    /// The frame of a number; the thread's own for that of the execution around it.
    pub fn frame_of(&self, id: i64) -> Result<FrameId, Refusal> {
        let place = usize::try_from(id).ok().and_then(|n| n.checked_sub(1));
        let found = place.and_then(|place| self.frames.get_index(place));
        match found {
            None => Err(Refusal::new("there is no such frame now")),
            Some((_, Standing::In(frame)) | (frame, Standing::Execution)) => Ok(*frame),
            Some((_, Standing::Outside(_))) => Err(Refusal::new(
                "this frame belongs to the parent of the execution being stepped",
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_written_as_paths_read_them() {
        let text = |name: &str| step_text(&Step::Member(name.into()));
        assert_eq!(text("qty"), ".qty");
        assert_eq!(text("a b"), "['a b']");
        assert_eq!(text("it's"), "['it\\'s']");
        assert_eq!(text(""), "['']");
        assert_eq!(step_text(&Step::Item(3)), "[3]");
    }
}
