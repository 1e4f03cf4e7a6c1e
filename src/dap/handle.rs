//! The numbers by which the client refers to stack frames and to values that have children. A number is valid until the
//! run continues.

use super::client::number;
use super::message::Refusal;
use crate::interpreter::{FrameId, Stage};
use crate::json::{Pointer, Step, Value};
use indexmap::IndexSet;

/// The scopes that the client can show for a frame. Each scope is a list of values or rows of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScopeKind {
    /// The value of each stage of the state, from its input to its output.
    Data,
    /// The error that the state raised, and the reasons for it.
    Error,
    /// The workflow variables that the state can read.
    Variables,
    /// The members of the context object.
    Context,
    /// Rows about the state's retriers, catchers, attempts and Choice rules, and what happens next for each possible
    /// error.
    Retries,
    /// Rows about the branches of a Parallel state or the items of a Map state.
    Children,
}

/// A value that the client can show, with the information that is needed to evaluate it again or to edit it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Node {
    /// The frame that the value belongs to.
    pub frame: FrameId,
    /// The value.
    pub value: Value,
    /// Expression that evaluates to the value in this frame; `None` if there is none.
    pub expression: Option<String>,
    /// Where to write the new value if the user edits this value; `None` if the value cannot be edited.
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

    /// The node of the member or item with this name. Only its expression and position are right: its value is null,
    /// because no caller needs it. `None` if an item's name is not a number.
    pub fn child_named(&self, name: &str) -> Option<Self> {
        let step = match self.value.is_array() {
            true => Step::Item(name.parse().ok()?),
            false => Step::Member(name.into()),
        };
        Some(self.child(step, Value::Null))
    }

    /// The node of a member or item of this node's value. `step` is its name or index, and `value` its value.
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

/// Writes a member's name or an item's index as the end of a path, such as `.qty`, `['a b']` or `[3]`.
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

/// The object that a DAP stack frame (an entry of the stack of a thread) represents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Standing {
    /// The current state of a frame. This frame is the thread's frame or one that encloses it.
    In(FrameId),
    /// The execution that is being debugged; it encloses all states.
    Execution,
    /// A parent execution, or a state in it. The number is the index of the stack frame among those of all parent
    /// executions; the innermost has index 0.
    Outside(usize),
}

/// A row that the client shows among values, but that is only a name and a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    /// The left part of the row, such as `attempt 1`.
    pub name: String,
    /// The right part of the row, such as the outcome of the attempt.
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

/// Something that the client shows as a tree node, and whose children it can request by number.
#[derive(Clone, Debug)]
pub(super) enum Container {
    /// A scope of a frame: its children are the scope's values and rows.
    Scope(FrameId, ScopeKind),
    /// An object or array: its children are its members or items.
    Value(Node),
    /// A range of the items of an array. The numbers are the index of the first item and the number of items.
    Range(Node, usize, usize),
}

/// All numbers that the client may use at the moment, and what each refers to.
#[derive(Debug, Default)]
pub(super) struct Handles {
    containers: Vec<Container>,
    /// The stack frames that have a number. Each entry has the frame of the run that the client sees as the thread, and
    /// the object that the stack frame represents. The index of an entry is its number minus 1.
    frames: IndexSet<(FrameId, Standing)>,
}

impl Handles {
    /// Makes all numbers invalid, because the run continues.
    pub fn clear(&mut self) {
        self.containers.clear();
        self.frames.clear();
    }

    /// Stores a container and returns the number by which the client can request its children.
    pub fn add(&mut self, container: Container) -> i64 {
        self.containers.push(container);
        number(self.containers.len())
    }

    /// The container that the client refers to by this number; an error if the number is no longer valid.
    pub fn container(&self, reference: i64) -> Result<&Container, Refusal> {
        let container = place_of(reference).and_then(|place| self.containers.get(place));
        container.ok_or_else(|| Refusal::new("this value is no longer shown: the run has moved on"))
    }

    /// Returns the number by which the client can refer to a stack frame of this thread.
    pub fn frame(&mut self, thread: FrameId, frame: Standing) -> i64 {
        let (place, _) = self.frames.insert_full((thread, frame));
        number(place).saturating_add(1)
    }

    /// True if the stack frame with this number belongs to a parent execution.
    pub fn is_outside(&self, id: i64) -> bool {
        let standing = place_of(id).and_then(|place| self.frames.get_index(place));
        matches!(standing, Some((_, Standing::Outside(_))))
    }

    /// The frame of the run that the stack frame with this number represents. If the stack frame represents the whole
    /// execution, returns the thread's frame. If it belongs to a parent execution, returns an error.
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

/// Converts a number that starts with 1 to an index that starts with 0.
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
