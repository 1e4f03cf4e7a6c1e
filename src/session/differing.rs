//! The member in which a run first differs from the one before a reload, and the field that is written for it.

use crate::definition::{Definition, State};
use crate::interpreter::{FrameId, Stage};
use crate::json::{Pointer, Step, Value};
use crate::source::{Node, Span};

/// The first place in which a run differs.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Differing {
    /// The run that differs.
    pub run: u32,
    /// The event.
    pub event: u64,
    /// The frame.
    pub frame: FrameId,
    /// The stage that differs there.
    pub stage: Stage,
    /// The member of its value; the one around it, where the member is gone.
    pub at: Pointer,
    /// Where that is written; `None` where no field names it.
    pub span: Option<Span>,
}

/// The place itself, or the closest one around it that a value has.
pub(super) fn in_reach(value: &Value, at: &Pointer) -> Pointer {
    let mut steps = at.0.clone();
    while Pointer(steps.clone()).get(value).is_none() && steps.pop().is_some() {}
    Pointer(steps)
}

/// Where the member at a place is written, in the field that makes a stage: as far inside as it is written at all.
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
