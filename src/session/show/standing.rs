//! Computes the status of each state in the graph. The status comes from the frame that runs the state, if this frame
//! is the focus frame or one of its ancestors. Otherwise, the status comes from all frames that run the state inside
//! the focus frame and its ancestors.

use crate::definition::{Definition, ScopeId, StateId, StateKind, Unit};
use crate::interpreter::{Edge, Event, EventKind, Frame, FrameId, Status};
use crate::session::event_row;
use crate::session::event_row::{EndedBy, failed_child};
use crate::session::fault::retries_used;
use crate::session::note::EventNote;
use crate::session::origin::names_of;
use crate::session::session::Session;
use crate::session::snapshot::Recording;
use crate::session::tally::{StateTally, Tally, once_over, row_status};
use crate::session::view::{EventDetail, EventRow, StateStatus, StateView};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// Determines for each state the frame whose events give its status.
pub(super) struct Standing<'s> {
    session: &'s Session,
    /// The frames from the outermost to the focus frame.
    path: Vec<FrameId>,
    /// For each frame in `path`, the counts of events in the frame and its descendants.
    tallies: Vec<Cow<'s, Tally>>,
    /// For each scope, the index in `path` of the frame that runs the scope, or that contains all frames which run it.
    places: Vec<usize>,
}

impl<'s> Standing<'s> {
    pub(super) fn of(session: &'s Session, focus: Option<&Frame>) -> Self {
        let machine = &session.snapshot().machine;
        let path = match focus {
            Some(frame) => session.recording.timeline.path(frame.id),
            None => vec![FrameId(0)],
        };
        let runs: Vec<Option<ScopeId>> = (path.iter())
            .map(|id| machine.frame(*id).map(|frame| frame.scope))
            .collect();
        let definition = &session.setup.definition;
        let mut places: Vec<usize> = Vec::with_capacity(definition.scopes.len());
        for (scope, number) in definition.scopes.iter().zip(0_u32..) {
            let inner = runs
                .iter()
                .position(|scope| *scope == Some(ScopeId(number)));
            // An outer scope precedes its inner scopes in the definition, so its entry in `places` exists already.
            let around = scope.owner.and_then(|owner| definition.state(owner));
            let around = around.and_then(|owner| places.get(owner.scope.0 as usize));
            places.push(inner.or(around.copied()).unwrap_or(0));
        }
        let tallies = (path.iter())
            .map(|frame| match frame {
                FrameId(0) => Cow::Borrowed(&session.snapshot().tally),
                frame => Cow::Owned(session.tally_of(*frame)),
            })
            .collect();
        Self {
            session,
            path,
            tallies,
            places,
        }
    }

    /// Index in `path` of the frame that determines the status of a state.
    fn place(&self, id: StateId) -> usize {
        let state = self.session.setup.definition.state(id);
        let place = state.and_then(|state| self.places.get(state.scope.0 as usize));
        place.copied().unwrap_or(0)
    }

    fn tally(&self, id: StateId) -> Option<&StateTally> {
        self.tallies.get(self.place(id))?.get(id)
    }

    fn is_map(&self, id: StateId) -> bool {
        let state = self.session.setup.definition.state(id);
        state.is_some_and(|state| matches!(state.kind, StateKind::Map(_)))
    }

    /// Edges (transitions) that the run took, each with the state that it leaves and the number of times.
    pub(super) fn edges(&self) -> Vec<(StateId, Edge, u32)> {
        let all = (self.tallies.iter().enumerate()).flat_map(|(place, tally)| {
            let edges = tally
                .edges()
                .filter(move |(id, ..)| self.place(*id) == place);
            edges.collect::<Vec<_>>()
        });
        all.collect()
    }

    /// Views of all states.
    pub(super) fn states(&self) -> Vec<StateView> {
        let session = self.session;
        let machine = &session.snapshot().machine;
        let ids = session.setup.definition.state_ids();
        let mut views: Vec<StateView> = ids.map(|id| self.entered(id)).collect();
        self.mark_failed_maps(&mut views);
        for ask in machine.held_asks() {
            let mut open = machine.open_asks();
            if let Some(view) = views.get_mut(ask.state.0 as usize)
                && view.status == StateStatus::Asking
                && !open.any(|open| open.state == ask.state)
            {
                view.status = StateStatus::Waiting;
            }
        }
        for frame in machine.frames() {
            let id = frame.visit.state;
            let looked_at = self.path.get(self.place(id)).copied().unwrap_or(FrameId(0));
            let is_within = (session.recording.timeline).is_within(frame.id, looked_at);
            if let Some(view) = views.get_mut(id.0 as usize).filter(|_| is_within) {
                self.put_live(view, frame, frame.id == looked_at);
            }
        }
        // After the end of the run, no frame is in any state.
        if !matches!(machine.status(), Status::Running) {
            views.iter_mut().for_each(|view| view.live = 0);
        }
        views
    }

    /// The view of a state, from its finished visits and its last event.
    fn entered(&self, id: StateId) -> StateView {
        let tally = self.tally(id).cloned().unwrap_or_default();
        let had_no_items = tally.status == StateStatus::Succeeded && self.is_map(id);
        StateView {
            status: once_over(&self.session.snapshot().machine, tally.status),
            visits: tally.visits,
            retries: None,
            progress: Some(tally.items()).filter(|(_, all)| *all > 0 || had_no_items),
            runs: tally.runs,
            items_failed: tally.items_failed,
            failures: tally.failures,
            live: 0,
            retried: tally.retried,
            took: tally.took(),
        }
    }

    /// Adds to a view the progress of a frame that is in the viewed state. `is_looked_at` is true if the view shows the
    /// visit of this frame.
    fn put_live(&self, view: &mut StateView, frame: &Frame, is_looked_at: bool) {
        let session = self.session;
        let id = frame.visit.state;
        view.live += 1;
        // The counts of this visit replace the counts of the view only if the view shows this visit. Otherwise, the
        // counts of the view stay sums over all visits of the state.
        if let Some(group) = frame.visit.group.as_ref().filter(|_| is_looked_at) {
            let is_map = self.is_map(id);
            view.progress = is_map.then_some((group.succeeded + group.failed, group.total));
            view.items_failed = if is_map { group.failed } else { 0 };
            view.runs = u32::from(is_map);
        }
        let mut used = frame.visit.retriers.iter().enumerate();
        let last = used.rfind(|(_, retrier)| retrier.used > 0);
        let state = session.setup.definition.state(id);
        let last =
            last.and_then(|(place, counter)| Some((place, counter, state?.retry.get(place)?)));
        view.retries = last
            .filter(|_| view.live == 1)
            .map(|(place, counter, retrier)| {
                let machine = &session.snapshot().machine;
                let used = retries_used(machine, frame, place, counter.used);
                (used, retrier.max_attempts)
            });
    }

    /// Marks Maps as failed if no item succeeded, or if they continued only because the user ignored the failures.
    fn mark_failed_maps(&self, views: &mut [StateView]) {
        let ended_well = |view: &StateView| view.status == StateStatus::Succeeded;
        let open = views
            .iter()
            .filter(|view| ended_well(view) && view.items_failed > 0);
        let mut open = open.count();
        let timeline = &self.session.recording.timeline;
        let cursor = self.session.snapshot().events;
        let notes = timeline.notes().rev();
        let mut seen = BTreeSet::new();
        for (number, note) in notes.skip_while(|(number, _)| *number > cursor) {
            if open == 0 {
                return;
            }
            let EventNote::ItemsFailed {
                failed,
                all,
                is_ignored,
            } = note
            else {
                continue;
            };
            let map = timeline.get(number).and_then(|event| event.state);
            let Some(map) = map.filter(|map| seen.insert(*map)) else {
                continue;
            };
            let view = views.get_mut(map.0 as usize);
            if let Some(view) = view.filter(|view| ended_well(view) && view.items_failed > 0) {
                open -= 1;
                if *is_ignored || failed == all {
                    view.status = StateStatus::Failed;
                }
            }
        }
    }
}

impl Session {
    /// Counts of the events in a frame and its descendants, up to the cursor.
    fn tally_of(&self, frame: FrameId) -> Tally {
        let mut out = Tally::new(self.setup.definition.states.len());
        let timeline = &self.recording.timeline;
        let begun = timeline.lineage(frame).map_or(1, |lineage| lineage.begun);
        for number in begun..=self.snapshot().events {
            let event = timeline.get(number);
            let inner = event.filter(|event| timeline.is_within(event.frame, frame));
            inner.into_iter().for_each(|event| out.apply(event));
        }
        out
    }
}

/// An event of the timeline as a row. The row depends only on the events up to the number `known`.
pub(in crate::session) fn row(
    recording: &Recording,
    (number, event): (u64, &Event),
    known: u64,
) -> EventRow {
    EventRow {
        number,
        history_id: event.history_id,
        time: event.time,
        kind: event.kind,
        state: event.state,
        frame: inner_frame(recording, event.frame),
        frame_id: event.frame,
        unit: (event.state).map_or(Unit::Item, |id| recording.run.definition.unit(id)),
        arg: event.arg,
        detail: detail(recording, (number, event), known),
        touched: recording.log.touched_at(number),
        status: status(recording, (number, event), known),
    }
}

/// Status that the row of an event shows. A Map in which no item succeeded counts as failed, even if the run continues.
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

/// True if the event belongs to a call that got no answer, because the user edited the call's input.
fn is_withdrawn(recording: &Recording, (number, event): (u64, &Event), known: u64) -> bool {
    let is_call = |kind| matches!(kind, EventKind::TaskScheduled | EventKind::TaskStarted);
    let edited = is_call(event.kind).then(|| recording.log.edited_input(event.frame, number));
    let edited = edited.flatten().filter(|edited| *edited <= known);
    edited.is_some_and(|edited| {
        let between = (number + 1..=edited).filter_map(|number| recording.timeline.get(number));
        let mut in_frame = between.filter(|later| later.frame == event.frame);
        in_frame.all(|later| is_call(later.kind))
    })
}

fn detail(recording: &Recording, (number, event): (u64, &Event), known: u64) -> EventDetail {
    let definition = &recording.run.definition;
    let noted = || {
        let note = recording.timeline.note(number);
        note.map_or(EventDetail::Nothing, |note| EventDetail::Note(note.clone()))
    };
    let next = |edge: Edge, note: Option<EventNote>| {
        let state = event.state.and_then(|id| definition.state(id));
        let target = state.and_then(|state| edge.target(state));
        EventDetail::Next(target.map(|target| target.name.clone()), note)
    };
    match event.kind {
        EventKind::Chosen if event.arg == u32::MAX => next(Edge::Default, None),
        EventKind::Chosen => next(Edge::Rule(event.arg), None),
        EventKind::StateExited => {
            let note = recording.timeline.note(number).cloned();
            next(Edge::from_arg(event.arg), note)
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

/// Details of a wait that was cut short, so that its retry did not happen, for the row of the event that started it.
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

/// Names of the variables that an Assign sets, or only their number if the names are not known.
fn assigned(definition: &Definition, event: &Event, edge: Edge) -> EventDetail {
    let state = event.state.and_then(|id| definition.state(id));
    let names = state.and_then(|state| names_of(state, edge));
    let names = names.filter(|names| names.len() == event.arg as usize);
    EventDetail::Assigned(event.arg, names.unwrap_or_default())
}

/// Readable name of a frame: `main`, `Orders[12]`, `Fan[AskEurope]/Each[3]`. Shows an item with its index, and a branch
/// with the name of its first state.
pub(in crate::session) fn frame_name(recording: &Recording, id: FrameId) -> String {
    match inner_frame(recording, id) {
        name if name.is_empty() => "main".to_string(),
        name => name,
    }
}

/// Like [`frame_name`], but empty for the outermost frame.
pub(super) fn inner_frame(recording: &Recording, id: FrameId) -> String {
    let path = recording.timeline.path(id).into_iter();
    let names = path.filter_map(|id| {
        let lineage = recording.timeline.lineage(id)?;
        let definition = &recording.run.definition;
        let owner = definition.state(lineage.owner?)?;
        Some(match definition.branch(owner, lineage.index) {
            Some(branch) => format!("{}[{branch}]", owner.name),
            None => format!("{}[{}]", owner.name, lineage.index),
        })
    });
    names.collect::<Vec<_>>().join("/")
}
