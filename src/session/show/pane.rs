//! The state pane: information specific to the type of the shown state.

use super::items::item_table;
use super::status::{live_child, slot_error, slot_status};
use crate::definition::{PathField, State, StateKind};
use crate::interpreter::{Frame, Machine, Stage, Timer};
use crate::json::Text;
use crate::session::breakpoints::Breakpoints;
use crate::session::choice::{Weighed, rules};
use crate::session::fault::{handling, machine_limit};
use crate::session::place::WAIT_FIELDS;
use crate::session::view::{LaneView, StatePane};
use crate::session::watches::ItemTable;
use crate::session::written::field_text;

/// The field that defines the duration of a Wait, and its text.
fn wait_field(machine: &Machine, state: &State) -> Option<Text> {
    let field = WAIT_FIELDS.iter().find_map(|name| state.field(name))?;
    let text = field_text(machine.definition(), field.value)?;
    Some(format!("{} {text}", field.name).into())
}

/// The state pane for a frame's current state.
pub(super) fn state_pane(
    machine: &Machine,
    frame: &Frame,
    (items, weighed): (&ItemTable, &Weighed),
    breakpoints: &Breakpoints,
) -> StatePane {
    let Some(state) = machine.definition().state(frame.visit.state) else {
        return StatePane::Nothing;
    };
    match &state.kind {
        StateKind::Task(_) => StatePane::Task(handling(machine, frame, state)),
        StateKind::Choice(choice) => {
            let whole = matches!(state.input_path, PathField::Whole);
            StatePane::Choice(rules(machine, frame, choice, (whole, weighed)))
        }
        StateKind::Wait(how) => {
            let due = machine
                .timers(frame.id)
                .iter()
                .find(|(_, timer)| *timer == Timer::Wake);
            let over = frame.visit.data.get(Stage::Output).is_some();
            let begun = frame.visit.no_wait.as_deref().cloned();
            let forecast = match due {
                Some((due, _)) => Some((*due, begun)),
                None if over => Some((machine.now(), begun)),
                None if frame.visit.fault.is_some() => None,
                None => machine.wait_forecast(frame, how),
            };
            let (until, no_wait) = forecast.map_or((None, None), |(due, why)| (Some(due), why));
            let date = until.map(|until| machine.run().time_text(until).into());
            StatePane::Wait {
                since: frame.visit.entered_at,
                until,
                date,
                written: wait_field(machine, state),
                no_wait,
                cut: machine_limit(machine).filter(|cut| until.is_some_and(|end| cut.at < end)),
            }
        }
        StateKind::Parallel { branches } => {
            let lanes = lanes(
                machine,
                frame,
                u32::try_from(branches.len()).unwrap_or(u32::MAX),
            );
            StatePane::Parallel {
                lanes,
                handling: handling(machine, frame, state),
            }
        }
        StateKind::Map(map) => {
            let handling = handling(machine, frame, state);
            item_table(machine, (frame, map), items, breakpoints, handling)
        }
        StateKind::Pass { .. } | StateKind::Succeed | StateKind::Fail(_) => StatePane::Nothing,
    }
}

fn lanes(machine: &Machine, frame: &Frame, count: u32) -> Vec<LaneView> {
    (0..count)
        .map(|index| {
            let slot = frame
                .visit
                .group
                .as_ref()
                .and_then(|group| group.slots.get(index));
            let live = live_child(machine, frame, index);
            LaneView {
                index,
                frame: live.map(|child| child.id),
                state: live.map(|child| child.visit.state),
                inner: None,
                status: slot_status(machine, slot, live),
                error: slot.and_then(slot_error),
            }
        })
        .collect()
}
