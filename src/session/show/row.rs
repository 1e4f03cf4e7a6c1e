//! One row of the timeline.

use crate::definition::{Definition, Unit};
use crate::interpreter::{Edge, Event, EventKind, FrameId};
use crate::session::event_row::{self, EndedBy};
use crate::session::lane_view::failed_child;
use crate::session::note::EventNote;
use crate::session::origin::names_of;
use crate::session::recording::Recording;
use crate::session::tally::row_status;
use crate::session::view::{EventDetail, EventRow, StateStatus};

/// A recorded event as a row, using only what events up to `known` say about it.
pub(in crate::session) fn row(
    recording: &Recording,
    (number, event): (u64, &Event),
    known: u64,
) -> EventRow {
    let frame = frame_name(recording, event.frame);
    EventRow {
        number,
        history_id: event.history_id,
        time: event.time,
        kind: event.kind,
        state: event.state,
        frame: if frame == "main" {
            String::new()
        } else {
            frame
        },
        frame_id: event.frame,
        unit: (event.state).map_or(Unit::Item, |id| recording.run.definition.unit(id)),
        arg: event.arg,
        detail: detail(recording, (number, event), known),
        touched: recording.log.touched_at(number),
        status: status(recording, (number, event), known),
    }
}

/// Status of the event; a Map without any successful item counts as failed, even if the run continues.
fn status(recording: &Recording, (number, event): (u64, &Event), known: u64) -> StateStatus {
    match recording.timeline.note(number) {
        Some(EventNote::ItemsFailed {
            failed,
            all,
            is_ignored,
        }) if *is_ignored || failed == all => StateStatus::Failed,
        _ if is_withdrawn(recording, (number, event), known) => StateStatus::Aborted,
        _ if event.kind == EventKind::RetryScheduled => {
            let cut = event_row::cut_short(recording, (number, event), known);
            match cut.map(|cut| cut.by) {
                None => row_status(event),
                Some(EndedBy::Timeout) => StateStatus::TimedOut,
                Some(EndedBy::End | EndedBy::Sibling(_)) => StateStatus::Aborted,
            }
        }
        _ => row_status(event),
    }
}

/// True if the event belongs to a call that was never answered because the user edited its input.
fn is_withdrawn(recording: &Recording, (number, event): (u64, &Event), known: u64) -> bool {
    let is_call = |kind| matches!(kind, EventKind::TaskScheduled | EventKind::TaskStarted);
    let edited = is_call(event.kind).then(|| recording.log.edited_input(event.frame, number));
    let edited = edited.flatten().filter(|edited| *edited <= known);
    edited.is_some_and(|edited| {
        let between = (number + 1..=edited).filter_map(|number| recording.timeline.get(number));
        let mut own = between.filter(|other| other.frame == event.frame);
        own.all(|other| is_call(other.kind))
    })
}

fn detail(recording: &Recording, (number, event): (u64, &Event), known: u64) -> EventDetail {
    let definition = &recording.run.definition;
    let noted = || {
        let note = recording.timeline.note(number);
        note.map_or(EventDetail::Nothing, |note| EventDetail::Note(note.clone()))
    };
    match event.kind {
        EventKind::Chosen if event.arg == u32::MAX => next(definition, event, Edge::Default),
        EventKind::Chosen => next(definition, event, Edge::Rule(event.arg)),
        EventKind::StateExited => {
            let next = next(definition, event, Edge::from_arg(event.arg));
            match (next, recording.timeline.note(number)) {
                (EventDetail::Next(next), Some(EventNote::ItemsFailed { failed, all, .. })) => {
                    EventDetail::NextDespite(next, *failed, *all)
                }
                (EventDetail::Next(next), Some(EventNote::NoItems(_))) => {
                    EventDetail::NextWithout(next)
                }
                (next, _) => next,
            }
        }
        EventKind::IterationFailed | EventKind::BranchFailed => {
            let child = failed_child(&recording.timeline, number, definition);
            let inner = child.and_then(|child| child.inner);
            inner.map_or_else(noted, EventDetail::FailedFor)
        }
        EventKind::Assigned => assigned(definition, event, recording.timeline.assigned_by(number)),
        _ if is_withdrawn(recording, (number, event), known) => EventDetail::Withdrawn,
        EventKind::RetryScheduled => {
            let cut = cut_short(recording, (number, event), known);
            cut.unwrap_or_else(noted)
        }
        _ => noted(),
    }
}

/// The wait for a retry that did not happen.
fn cut_short(
    recording: &Recording,
    (number, event): (u64, &Event),
    known: u64,
) -> Option<EventDetail> {
    let cut = event_row::cut_short(recording, (number, event), known)?;
    let by = match cut.by {
        EndedBy::Sibling(frame) => Some(frame_name(recording, frame).into()),
        EndedBy::Timeout | EndedBy::End => None,
    };
    Some(EventDetail::CutShort(cut.passed, cut.whole, by))
}

/// Names of the variables that an Assign sets; if they are not known, only their number.
fn assigned(definition: &Definition, event: &Event, edge: Edge) -> EventDetail {
    let state = event.state.and_then(|id| definition.state(id));
    let names = state.and_then(|state| names_of(state, edge));
    let names = names.filter(|names| names.len() == event.arg as usize);
    EventDetail::Assigned(event.arg, names.unwrap_or_default())
}

/// The next state along an edge.
fn next(definition: &Definition, event: &Event, edge: Edge) -> EventDetail {
    let state = event.state.and_then(|id| definition.state(id));
    let target = state.and_then(|state| edge.target(state));
    EventDetail::Next(target.map(|target| target.name.clone()))
}

/// Readable name of a frame: `main`, `Orders[12]`, `Fan[AskEurope]/Each[3]`; items by index, branches by their first
/// state.
pub(in crate::session) fn frame_name(recording: &Recording, id: FrameId) -> String {
    let path = recording.timeline.path(id).into_iter();
    let names = path.filter_map(|id| {
        let lineage = recording.timeline.lineage(id)?;
        let owner = recording.run.definition.state(lineage.owner?)?;
        Some(
            match recording.run.definition.branch(owner, lineage.index) {
                Some(branch) => format!("{}[{branch}]", owner.name),
                None => format!("{}[{}]", owner.name, lineage.index),
            },
        )
    });
    let name = names.collect::<Vec<_>>().join("/");
    if name.is_empty() {
        "main".to_string()
    } else {
        name
    }
}
