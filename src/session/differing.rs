//! The value in which a run first differs from the one before a reload, and the field that writes it.

use crate::definition::{Definition, State};
use crate::interpreter::{FrameId, Stage};
use crate::json::{Pointer, Step, Value};
use crate::source::{Node, Span};

/// The first difference between two runs.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Differing {
    /// Number of the run that differs.
    pub run: u32,
    /// Number of the event.
    pub event: u64,
    /// The frame.
    pub frame: FrameId,
    /// The stage whose value differs.
    pub stage: Stage,
    /// The member that differs; if the member no longer exists, its parent.
    pub at: Pointer,
    /// Location of the text that writes the member; `None` if no field does.
    pub span: Option<Span>,
}

/// The position itself, or its closest ancestor that exists in a value.
pub(super) fn in_reach(value: &Value, at: &Pointer) -> Pointer {
    let mut steps = at.0.clone();
    while Pointer(steps.clone()).get(value).is_none() && steps.pop().is_some() {}
    Pointer(steps)
}

/// Location of the text that writes a member, within the field that produces the stage; as precise as possible.
pub(super) fn written_at(
    definition: &Definition,
    state: &State,
    stage: Stage,
    at: &Pointer,
) -> Option<Span> {
    let mut node = definition.node.at(state.written(stage)?)?;
    let mut found = None;
    for step in &at.0 {
        let Some((span, inner)) = inside(node, step) else {
            break;
        };
        (found, node) = (Some(span), inner);
    }
    found
}

fn inside<'n>(node: &'n Node, step: &Step) -> Option<(Span, &'n Node)> {
    match step {
        Step::Member(name) => {
            let mut members = node.members()?.iter();
            let own = members.find(|member| {
                let key = &*member.key.text;
                key == &**name || key.strip_suffix(".$") == Some(&**name)
            })?;
            Some((own.key.span, &own.value))
        }
        Step::Item(index) => {
            let item = node.items()?.get(*index)?;
            Some((item.span, item))
        }
    }
}
