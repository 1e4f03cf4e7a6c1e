//! The numbers by which the client refers to frames and structured values. They are valid until the run continues.

use super::client::number;
use super::message::Refusal;
use crate::interpreter::{FrameId, Stage};
use crate::json::{Pointer, Step, Value};
use indexmap::IndexSet;

/// Kind of a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScopeKind {
    /// Stages of the state's data.
    Data,
    /// The current error.
    Error,
    /// Variables.
    Variables,
    /// The context object.
    Context,
    /// Retriers, catchers, attempts, Choice rules, and the consequence of each possible error.
    Retries,
    /// The branches of a Parallel or the items of a Map.
    Children,
}

/// A value of a frame, and how to evaluate or edit it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Node {
    /// The frame.
    pub frame: FrameId,
    /// The value.
    pub value: Value,
    /// Expression that evaluates to the value.
    pub expression: Option<String>,
    /// The stage and position to change if the value is edited.
    pub place: Option<(Stage, Pointer)>,
}

impl Node {
    /// Creates a node for the value of `expression`. The value cannot be edited.
    pub fn of(frame: FrameId, value: Value, expression: String) -> Self {
        Self {
            frame,
            value,
            expression: Some(expression),
            place: None,
        }
    }

    /// The member or item with this name. The returned node has the right expression and position, but its value is
    /// null.
    pub fn child_named(&self, name: &str) -> Option<Self> {
        let step = match self.value.is_array() {
            true => Step::Item(name.parse().ok()?),
            false => Step::Member(name.into()),
        };
        Some(self.child(step, Value::Null))
    }

    /// A part of the value.
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

/// A step of a path as text.
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

/// The state, execution or task that a stack frame represents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Standing {
    /// The current state of this frame: the thread's state, or a Map or Parallel state around it.
    In(FrameId),
    /// The execution, which encloses all states.
    Execution,
    /// A stack frame of a parent execution, by its index; the innermost of these stack frames has index 0.
    Outside(usize),
}

/// A row of text that is not a value of the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    /// Name of the row.
    pub name: String,
    /// Text of the row.
    pub text: String,
}

impl Row {
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            text: text.into(),
        }
    }
}

/// Something whose children the client can request.
#[derive(Clone, Debug)]
pub(super) enum Container {
    /// Values of a frame.
    Scope(FrameId, ScopeKind),
    /// A value.
    Value(Node),
    /// A range of items of an array: the index of the first item, and the number of items.
    Range(Node, usize, usize),
}

/// The numbers in use.
#[derive(Debug, Default)]
pub(super) struct Handles {
    containers: Vec<Container>,
    /// For each DAP stack frame: the frame of the run that its thread shows, and what the stack frame represents.
    frames: IndexSet<(FrameId, Standing)>,
}

impl Handles {
    /// Forgets all numbers, because the run continues.
    pub fn clear(&mut self) {
        self.containers.clear();
        self.frames.clear();
    }

    /// Returns a new number for a container.
    pub fn add(&mut self, container: Container) -> i64 {
        self.containers.push(container);
        number(self.containers.len())
    }

    /// The container with this number.
    pub fn container(&self, reference: i64) -> Result<&Container, Refusal> {
        let container = place_of(reference).and_then(|place| self.containers.get(place));
        container.ok_or_else(|| Refusal::new("this value is no longer shown: the run has moved on"))
    }

    /// Returns the number of a stack frame of a thread.
    pub fn frame(&mut self, thread: FrameId, frame: Standing) -> i64 {
        let (place, _) = self.frames.insert_full((thread, frame));
        number(place).saturating_add(1)
    }

    /// True if the number refers to a stack frame of a parent execution.
    pub fn is_outside(&self, id: i64) -> bool {
        let standing = place_of(id).and_then(|place| self.frames.get_index(place));
        matches!(standing, Some((_, Standing::Outside(_))))
    }

    /// The frame that the stack frame with this number represents; if it represents the execution, the frame of the
    /// thread.
    pub fn frame_of(&self, id: i64) -> Result<FrameId, Refusal> {
        match place_of(id).and_then(|place| self.frames.get_index(place)) {
            None => Err(Refusal::new("this frame does not exist at this event")),
            Some((_, Standing::In(frame)) | (frame, Standing::Execution)) => Ok(*frame),
            Some((_, Standing::Outside(_))) => Err(Refusal::new(
                "this frame is in the parent of the execution that is being stepped",
            )),
        }
    }
}

/// Index of the entry with this number; numbers start with 1.
pub(super) fn place_of(number: i64) -> Option<usize> {
    usize::try_from(number).ok()?.checked_sub(1)
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
