//! Status of each state in the graph: taken from the focus frame and its ancestors; for other states, from all frames.

use crate::definition::{ScopeId, StateId, StateKind};
use crate::interpreter::{Edge, Frame, FrameId, Status};
use crate::session::fault::retries_used;
use crate::session::note::EventNote;
use crate::session::session::Session;
use crate::session::tally::{StateTally, Tally, once_over};
use crate::session::view::{StateStatus, StateView};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// For each state, the frame whose events determine its status.
pub(super) struct Standing<'s> {
    session: &'s Session,
    /// The frames from the outermost to the focus frame.
    path: Vec<FrameId>,
    /// Counts of events in each of these frames and its descendants.
    tallies: Vec<Cow<'s, Tally>>,
    /// For each scope, the index of the frame that runs it or that started its frames.
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
            let own = runs.iter().position(|own| *own == Some(ScopeId(number)));
            // An outer scope precedes its inner ones.
            let around = scope.owner.and_then(|owner| definition.state(owner));
            let around = around.and_then(|owner| places.get(owner.scope.0 as usize));
            places.push(own.or(around.copied()).unwrap_or(0));
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

    /// Index of the frame that determines a state's status.
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

    /// Edges that were taken, with their counts.
    pub(super) fn edges(&self) -> Vec<(StateId, Edge, u32)> {
        let all = (self.tallies.iter().enumerate()).flat_map(|(place, tally)| {
            let own = tally
                .edges()
                .filter(move |(id, ..)| self.place(*id) == place);
            own.collect::<Vec<_>>()
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
                && !open.any(|own| own.state == ask.state)
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
        // After the end, no frame is in any state.
        if !matches!(machine.status(), Status::Running) {
            views.iter_mut().for_each(|view| view.live = 0);
        }
        views
    }

    /// A state's view from its finished visits and its last event.
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

    /// Updates a view with the state of a live frame; `is_looked_at` says whether its visit is the one that is shown.
    fn put_live(&self, view: &mut StateView, frame: &Frame, is_looked_at: bool) {
        let session = self.session;
        let id = frame.visit.state;
        view.live += 1;
        // If several visits are active at once, their sum is shown.
        if let Some(group) = frame.visit.group.as_ref().filter(|_| is_looked_at) {
            let is_map = self.is_map(id);
            view.progress = is_map.then_some((group.succeeded + group.failed, group.total));
            view.items_failed = if is_map { group.failed } else { 0 };
            view.runs = u32::from(is_map);
        }
        let mut used = frame.visit.retriers.iter().enumerate();
        let last = used.rfind(|(_, one)| one.used > 0);
        let state = session.setup.definition.state(id);
        let last = last.and_then(|(place, one)| Some((place, one, state?.retry.get(place)?)));
        view.retries = last
            .filter(|_| view.live == 1)
            .map(|(place, one, retrier)| {
                let machine = &session.snapshot().machine;
                let used = retries_used(machine, frame, place, one.used);
                (used, retrier.max_attempts)
            });
    }

    /// Marks Maps as failed that had no successful item, or that continued only because the user ignored the failures.
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
    /// Counts of events up to the cursor in a frame and its descendants.
    fn tally_of(&self, frame: FrameId) -> Tally {
        let mut out = Tally::new(self.setup.definition.states.len());
        let timeline = &self.recording.timeline;
        let begun = timeline.lineage(frame).map_or(1, |lineage| lineage.begun);
        for number in begun..=self.snapshot().events {
            let event = timeline.get(number);
            let own = event.filter(|event| timeline.is_within(event.frame, frame));
            own.into_iter().for_each(|event| out.apply(event));
        }
        out
    }
}
