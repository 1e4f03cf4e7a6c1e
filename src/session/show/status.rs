//! Status of frames, branches and items.

use crate::definition::StateKind;
use crate::interpreter::{Frame, Handled, Machine, Phase, SlotView};
use crate::json::{Text, Value};
use crate::session::tally::once_over;
use crate::session::view::StateStatus;

/// Status of a frame, for lanes and items.
fn frame_status(machine: &Machine, frame: &Frame) -> StateStatus {
    let kind = machine
        .definition()
        .state(frame.visit.state)
        .map(|state| &state.kind);
    match (frame.visit.phase, kind, &frame.visit.handled) {
        (Phase::Parked, _, Some(Handled::Retrier(_))) => StateStatus::Retrying,
        (Phase::Parked, Some(StateKind::Task(_)), _) => {
            let answered = frame
                .visit
                .call
                .as_ref()
                .is_some_and(|call| call.answer.is_some());
            match answered {
                true => StateStatus::Waiting,
                false => StateStatus::Asking,
            }
        }
        (Phase::Parked, Some(StateKind::Wait(_)), _) => StateStatus::Waiting,
        (Phase::Handle | Phase::Fail, ..) => StateStatus::ErrorRaised,
        _ => StateStatus::Running,
    }
}

/// The live frame of a branch or item.
pub(super) fn live_child<'m>(machine: &'m Machine, frame: &Frame, index: u32) -> Option<&'m Frame> {
    machine.frame(frame.visit.group.as_ref()?.live_child(index)?)
}

pub(super) fn slot_status(
    machine: &Machine,
    slot: Option<SlotView<'_>>,
    live: Option<&Frame>,
) -> StateStatus {
    match (slot, live) {
        (_, Some(child)) => once_over(machine, frame_status(machine, child)),
        (Some(SlotView::Succeeded(_)), _) => StateStatus::Succeeded,
        (Some(SlotView::Failed(_)), _) => StateStatus::Failed,
        (Some(SlotView::Aborted), _) => StateStatus::Aborted,
        (Some(SlotView::Live), _) => once_over(machine, StateStatus::Running),
        (Some(SlotView::Pending) | None, _) => StateStatus::NotReached,
    }
}

pub(super) fn slot_error(slot: SlotView<'_>) -> Option<Text> {
    match slot {
        SlotView::Failed(output) => Some(
            output
                .value()
                .get("Error")
                .and_then(Value::as_str)
                .unwrap_or("an error without a name")
                .into(),
        ),
        _ => None,
    }
}
