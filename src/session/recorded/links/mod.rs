//! Assigns each event of a history to a recorded frame. In this folder, "frame" means a recorded frame.
//! `previousEventId` and the events of iterations (items of a Map) usually show the frame of an event. If they do not,
//! the event goes to a frame that allows such an event next.

mod before;
mod branch;

use super::event::{RecordedEvent, Unrepeatable};
use super::frame::{Attempt, Outline, RecordedFrame, RecordedRun, Visit};
use crate::definition::{Definition, ScopeId, State, StateKind};
use crate::interpreter::{AskKey, EventKind};
use crate::json::Text;
use std::collections::HashMap;

impl RecordedRun {
    /// Assigns the events of an execution of this definition to frames. The events must be sorted by id.
    #[must_use]
    pub fn link(events: Vec<RecordedEvent>, definition: &Definition) -> Self {
        Self::linked(events, Some(definition), ScopeId(0))
    }

    /// Like [`Self::link`], without a definition. The branches of a Parallel are numbered in the order in which they
    /// appear.
    #[must_use]
    pub fn link_alone(events: Vec<RecordedEvent>) -> Self {
        Self::linked(events, None, ScopeId(0))
    }

    /// Like [`Self::link`], for a child execution of a DISTRIBUTED Map, which runs only one scope of the definition.
    #[must_use]
    pub fn link_in(events: Vec<RecordedEvent>, definition: &Definition, scope: ScopeId) -> Self {
        Self::linked(events, Some(definition), scope)
    }

    fn linked(events: Vec<RecordedEvent>, definition: Option<&Definition>, scope: ScopeId) -> Self {
        let (events, guessed_from) = before::completed(events, definition, scope);
        let mut linker = Linker::new(events, definition);
        linker.run.guessed_from = guessed_from;
        if let Some(root) = linker.run.frames.first_mut() {
            root.scope = Some(scope);
        }
        let idle = linker.run.idle_redrives();
        for place in 0..linker.run.events.len() {
            match linker
                .event(place)
                .is_some_and(|event| idle.contains(&event.id))
            {
                true => linker.add_idle_redrive(),
                false => linker.add(place),
            }
        }
        linker.finish()
    }
}

/// Maximum nesting depth of branches and items.
const DEEPEST: usize = 64;

struct Linker<'d> {
    definition: Option<&'d Definition>,
    run: RecordedRun,
    places: HashMap<u32, usize>,
    /// Number of times that a state was entered so far, by frame and name of the state.
    entered: HashMap<(usize, Text), u32>,
    /// Recorded frames that have not ended, sorted by the time of their last event, the oldest first.
    live: Vec<usize>,
    /// True if events between the recorded events are missing.
    has_gaps: bool,
    outline: Outline,
    /// For each Parallel, by name: the scopes of its branches, in the order in which they appeared.
    branches: HashMap<Text, Vec<Option<ScopeId>>>,
}

impl<'d> Linker<'d> {
    fn new(events: Vec<RecordedEvent>, definition: Option<&'d Definition>) -> Self {
        let places = (0..).zip(&events).map(|(place, event)| (event.id, place));
        let outline = Outline::new(&events, definition);
        let root = RecordedFrame {
            scope: Some(ScopeId(0)),
            ..RecordedFrame::default()
        };
        let start = events.iter().find_map(|event| event.time);
        let last = events.iter().rev().find_map(|event| event.time);
        let whole = events
            .first()
            .is_some_and(|first| first.id == 1 && !first.is_made);
        let places = places.collect();
        let mut run = RecordedRun {
            frames: vec![root],
            by_key: HashMap::from([(AskKey::default(), 0)]),
            start: start.unwrap_or(0),
            has_times: start.is_some() && (start != last || events.len() < 4),
            repeats_failures: definition.is_none_or(|known| !Unrepeatable::of(known).has_failure()),
            events,
            ..RecordedRun::default()
        };
        let has_gaps = (1..run.events.len()).any(|place| run.is_gap_before(place));
        run.is_whole = whole && !has_gaps;
        Self {
            definition,
            places,
            entered: HashMap::new(),
            run,
            live: vec![0],
            has_gaps,
            outline,
            branches: HashMap::new(),
        }
    }

    fn finish(mut self) -> RecordedRun {
        self.fill_known();
        self.forget_begun();
        self.run.is_whole &= self.run.end().is_some();
        let end = self.run.end();
        let failed = end.is_some_and(|end| &*end.type_name != "ExecutionSucceeded");
        for frame in self.run.frames.iter_mut().skip(1) {
            frame.aborted |= failed && !frame.ended;
        }
        for frame in &mut self.run.frames {
            for visit in &mut frame.visits {
                visit.failed |= failed && visit.exited.is_none();
            }
        }
        self.run
    }

    fn event(&self, place: usize) -> Option<&RecordedEvent> {
        self.run.events.get(place)
    }

    fn add(&mut self, place: usize) {
        let frame = self.frame_for(place);
        self.run.frame_of.push(frame);
        let kind = self.event(place).and_then(|event| event.kind);
        let works = is_of_task(kind) || kind == Some(EventKind::StateExited);
        if let Some(frame) = self.run.frames.get_mut(frame) {
            frame.events.push(place);
            // In Step Functions Local, a branch can continue after its Parallel has failed. The branch was then not
            // aborted.
            frame.aborted &= !(frame.ended && works);
        }
        self.apply(place, frame);
        if let Some(at) = self.live.iter().position(|live| *live == frame) {
            self.live.remove(at);
        }
        if self.run.frames.get(frame).is_some_and(|frame| !frame.ended) {
            self.live.push(frame);
        }
    }

    fn frame_for(&mut self, place: usize) -> usize {
        let Some(event) = self.event(place) else {
            return 0;
        };
        let kind = event.kind;
        if event.type_name.starts_with("Execution") {
            return 0;
        }
        let name = event.name.clone().unwrap_or_else(|| "".into());
        let index = event.index;
        let before = event
            .previous
            .and_then(|previous| self.places.get(&previous).copied())
            .filter(|before| *before < place);
        let near = before.and_then(|before| self.run.frame_of.get(before).copied());
        match kind {
            Some(EventKind::StateEntered) => self.entered(before, near, &name),
            Some(EventKind::IterationStarted) => {
                let map = |frame: &RecordedFrame| frame.is_in(&name, Some("Map"));
                let owner = self.find(near, map).unwrap_or(near.unwrap_or(0));
                let started = || self.visit(owner).map_or(0, |visit| visit.started);
                let index = index.unwrap_or_else(started);
                let scope = self.visit(owner).and_then(|visit| self.state(visit));
                let scope = scope.and_then(|map| match &map.kind {
                    StateKind::Map(map) => Some(map.processor),
                    _ => None,
                });
                self.open(owner, index, scope)
            }
            _ => {
                let takes = |run: &RecordedRun, frame: &RecordedFrame| {
                    takes(run, frame, kind, &name, index)
                };
                if let Some(frame) = self.redriven_call(place) {
                    return frame;
                }
                if near.is_none() && is_of_task(kind) {
                    self.note_guess(place, takes);
                }
                let failed = before.and_then(|before| self.event(before)?.kind);
                let failed = matches!(
                    failed,
                    Some(EventKind::TaskFailed | EventKind::TaskTimedOut)
                );
                let frame = near.filter(|_| failed);
                let frame = frame.and_then(|near| self.run.frames.get(near));
                let taker = near.filter(|_| frame.is_some_and(|frame| takes(&self.run, frame)));
                let taker = match self.event(place).is_some_and(RecordedEvent::is_abort) {
                    // `previousEventId` of an abort event usually names an event of another frame, except in a branch
                    // whose task has failed.
                    true => taker
                        .or_else(|| self.waiting(takes))
                        .or_else(|| self.up(near, takes)),
                    false => self.up(near, takes).or_else(|| self.waiting(takes)),
                };
                taker.unwrap_or(near.unwrap_or(0))
            }
        }
    }

    /// If the event can be the next event of several frames, records that its assignment to a frame is a guess.
    /// Called for events whose preceding event is unknown.
    fn note_guess(&mut self, place: usize, can: impl Fn(&RecordedRun, &RecordedFrame) -> bool) {
        let frames = self
            .live
            .iter()
            .filter_map(|frame| self.run.frames.get(*frame));
        let is_guess = frames.filter(|frame| can(&self.run, frame)).count() > 1;
        if is_guess && self.run.guessed_from.is_none() {
            self.run.guessed_from = self.event(place).map(|event| event.id);
        }
    }

    /// Returns the frame in which a state was entered. If the state is the first one of a branch, opens a new frame
    /// for the branch.
    fn entered(&mut self, before: Option<usize>, near: Option<usize>, name: &Text) -> usize {
        let after_parallel = before
            .and_then(|before| self.event(before))
            .is_some_and(|event| event.kind == Some(EventKind::ParallelStarted));
        if let (true, Some(owner)) = (after_parallel, near) {
            return self.branch(owner, name);
        }
        let outline = &self.outline;
        let definition = self.definition;
        let fits = |_: &RecordedRun, frame: &RecordedFrame| {
            let mut all = definition
                .into_iter()
                .flat_map(|definition| &definition.states);
            let known = all.any(|state| state.name == *name);
            let has_state = frame
                .scope
                .is_none_or(|scope| !known || outline.state(scope, name).is_some());
            frame.is_between() && has_state
        };
        if let Some(near) = near {
            let at = |run: &RecordedRun, frame: &RecordedFrame| fits(run, frame);
            return self.up(Some(near), at).unwrap_or(near);
        }
        if let Some(frame) = self.waiting(fits) {
            return frame;
        }
        let starts = |run: &RecordedRun, frame: &RecordedFrame| {
            takes(run, frame, Some(EventKind::ParallelSucceeded), name, None)
        };
        match self.waiting(starts) {
            Some(owner) => self.branch(owner, name),
            None => 0,
        }
    }

    fn state(&self, visit: &Visit) -> Option<&'d State> {
        self.definition?.state(visit.state?)
    }

    /// Starts the frame of a branch or item, inside the current visit of the frame `owner`.
    fn open(&mut self, owner: usize, index: u32, scope: Option<ScopeId>) -> usize {
        let Some(parent) = self.run.frames.get(owner) else {
            return 0;
        };
        if parent.key.indices.len() >= DEEPEST {
            return owner;
        }
        let mut key = parent.key.clone();
        let at = parent.visits.len().saturating_sub(1);
        let visit = parent.visits.last();
        let attempts = visit.map_or(1, |visit| visit.attempts.len().max(1));
        let attempt = u32::try_from(attempts).unwrap_or(u32::MAX);
        key.indices.push(index);
        key.rounds
            .push((visit.map_or(1, |visit| visit.nth), attempt));
        key.path = visit.map(|visit| visit.name.clone()).unwrap_or_default();
        let scope = scope.filter(|_| visit.is_some());
        let frame = self.run.frames.len();
        self.run.by_key.insert(key.clone(), frame);
        self.run.frames.push(RecordedFrame {
            parent: Some((owner, at)),
            key,
            scope,
            ..RecordedFrame::default()
        });
        if let Some(visit) = self.last_visit(owner) {
            visit.started += 1;
        }
        self.live.push(frame);
        frame
    }

    /// The current visit of the frame with this index.
    fn visit(&self, frame: usize) -> Option<&Visit> {
        self.run.frames.get(frame)?.visits.last()
    }

    fn last_visit(&mut self, frame: usize) -> Option<&mut Visit> {
        self.run.frames.get_mut(frame)?.visits.last_mut()
    }

    /// Checks the frame `from`, then its ancestors from the inside out, and returns the first for which `can` returns
    /// true.
    fn up(
        &self,
        from: Option<usize>,
        can: impl Fn(&RecordedRun, &RecordedFrame) -> bool,
    ) -> Option<usize> {
        let mut at = from;
        while let Some(place) = at {
            let frame = self.run.frames.get(place)?;
            if can(&self.run, frame) {
                return Some(place);
            }
            at = frame.parent.map(|(parent, _)| parent);
        }
        None
    }

    /// Returns the most deeply nested of the frames that have not ended and for which `can` returns true. If several
    /// frames have that depth, returns the frame whose last event is the oldest.
    fn waiting(&self, can: impl Fn(&RecordedRun, &RecordedFrame) -> bool) -> Option<usize> {
        let mut best: Option<(usize, usize)> = None;
        for place in &self.live {
            let Some(frame) = self.run.frames.get(*place) else {
                continue;
            };
            let depth = frame.key.indices.len();
            if best.is_none_or(|(most, _)| depth > most) && can(&self.run, frame) {
                best = Some((depth, *place));
            }
        }
        best.map(|(_, place)| place)
    }

    fn find(&self, near: Option<usize>, can: impl Fn(&RecordedFrame) -> bool) -> Option<usize> {
        self.up(near, |_, frame| can(frame))
            .or_else(|| self.waiting(|_, frame| can(frame)))
    }

    /// Updates the visits and attempts of a frame with an event.
    fn apply(&mut self, place: usize, frame: usize) {
        let Some(event) = self.event(place) else {
            return;
        };
        let (kind, name) = (event.kind, event.name.clone());
        if &*event.type_name == "ExecutionRedriven" {
            return self.redrive();
        }
        match kind {
            Some(EventKind::StateEntered) => self.enter(place, frame, name.unwrap_or_default()),
            Some(EventKind::StateExited) => {
                if let Some(visit) = self.last_visit(frame) {
                    visit.exited = Some(place);
                }
                self.end_children(frame);
            }
            Some(EventKind::TaskScheduled | EventKind::ParallelStarted | EventKind::MapStarted) => {
                self.end_children(frame);
                if let Some(visit) = self.last_visit(frame) {
                    (visit.finished, visit.started) = (false, 0);
                    visit.attempts.push(Attempt {
                        begun: Some(place),
                        ended: None,
                    });
                }
            }
            Some(EventKind::TaskSucceeded | EventKind::TaskFailed | EventKind::TaskTimedOut) => {
                let visit = self.last_visit(frame);
                if let Some(attempt) = visit.and_then(|visit| visit.attempts.last_mut()) {
                    attempt.ended = Some(place);
                }
            }
            Some(EventKind::MapRunStarted) => {
                if let Some(visit) = self.last_visit(frame) {
                    visit.map_run = (Some(place), None);
                }
            }
            Some(
                EventKind::MapRunSucceeded | EventKind::MapRunFailed | EventKind::MapRunAborted,
            ) => {
                if let Some(visit) = self.last_visit(frame) {
                    visit.map_run.1 = Some(place);
                }
            }
            Some(
                EventKind::ParallelSucceeded
                | EventKind::ParallelFailed
                | EventKind::MapSucceeded
                | EventKind::MapFailed,
            ) => {
                let failed = matches!(kind, Some(EventKind::ParallelFailed | EventKind::MapFailed));
                if let Some(visit) = self.last_visit(frame) {
                    visit.finished = true;
                    visit.worked = Some(place);
                    visit.failed |= failed;
                }
                self.end_children(frame);
            }
            Some(EventKind::IterationSucceeded | EventKind::IterationFailed) => {
                self.end(frame, false);
            }
            Some(EventKind::IterationAborted) => self.end(frame, true),
            Some(EventKind::TaskAborted | EventKind::WaitAborted) => {
                if let Some(frame) = self.run.frames.get_mut(frame) {
                    frame.aborted = true;
                }
            }
            _ => {}
        }
    }

    fn enter(&mut self, place: usize, frame: usize, name: Text) {
        self.forget_redriven(place, frame, &name);
        let type_name = self.event(place).and_then(RecordedEvent::state_type);
        let type_name: Text = type_name.unwrap_or_default().into();
        let Some(entered) = self.run.frames.get(frame) else {
            return;
        };
        let nth = self.entered.entry((frame, name.clone())).or_default();
        *nth = nth.saturating_add(1);
        let nth = *nth;
        let scope = entered.scope;
        let state = scope.and_then(|scope| self.outline.state(scope, &name));
        let known = state.and_then(|state| self.definition?.state(state));
        let visit = Visit {
            path: known.map(|state| state.path.clone()),
            name,
            type_name,
            nth,
            state,
            entered: Some(place),
            ..Visit::default()
        };
        if let Some(frame) = self.run.frames.get_mut(frame) {
            frame.visits.push(visit);
        }
    }

    fn end(&mut self, frame: usize, aborted: bool) {
        if let Some(frame) = self.run.frames.get_mut(frame) {
            frame.ended = true;
            frame.aborted |= aborted;
        }
        self.end_children(frame);
    }

    /// Ends the frames of all branches and items that a frame has started, at any depth.
    fn end_children(&mut self, owner: usize) {
        let frames = &mut self.run.frames;
        let mut gone: Vec<usize> = Vec::new();
        for place in &self.live {
            let mut at = frames.get(*place).and_then(|frame| frame.parent);
            while let Some((parent, _)) = at {
                if parent == owner {
                    gone.push(*place);
                    break;
                }
                at = frames.get(parent).and_then(|frame| frame.parent);
            }
        }
        for place in &gone {
            if let Some(frame) = frames.get_mut(*place) {
                frame.aborted |= !frame.is_between();
                frame.ended = true;
            }
        }
        self.live.retain(|place| !gone.contains(place));
    }
}

/// True for the kinds of events that report the work of a task and do not name its state.
fn is_of_task(kind: Option<EventKind>) -> bool {
    matches!(
        kind,
        Some(
            EventKind::TaskScheduled
                | EventKind::TaskSucceeded
                | EventKind::TaskFailed
                | EventKind::TaskTimedOut
        )
    )
}

impl RecordedFrame {
    /// True if the frame has not entered a state yet, or has left the last one. Its next event can then be the entry
    /// of a state.
    fn is_between(&self) -> bool {
        self.visits
            .last()
            .is_none_or(|visit| visit.exited.is_some())
    }

    /// True if the frame is in a state with this name and type. An empty name and a type of `None` match all states.
    fn is_in(&self, name: &str, type_name: Option<&str>) -> bool {
        let open = self.visits.last().filter(|visit| visit.exited.is_none());
        open.is_some_and(|visit| {
            (name.is_empty() || &*visit.name == name)
                && type_name.is_none_or(|wanted| &*visit.type_name == wanted)
        })
    }
}

/// True if the next event of the frame can have this kind, state name and item index.
fn takes(
    run: &RecordedRun,
    frame: &RecordedFrame,
    kind: Option<EventKind>,
    name: &str,
    index: Option<u32>,
) -> bool {
    let Some(kind) = kind.filter(|_| !frame.ended) else {
        return false;
    };
    let visit = frame.visits.last();
    let at_work = |type_name: &str| {
        frame.is_in("", Some(type_name)) && visit.is_some_and(|visit| !visit.finished)
    };
    let begun = visit.is_some_and(|visit| !visit.attempts.is_empty());
    let answered = visit.is_some_and(|visit| {
        visit
            .attempts
            .last()
            .is_none_or(|attempt| attempt.ended.is_some())
    });
    match kind {
        EventKind::TaskScheduled => at_work("Task") && answered,
        EventKind::TaskStarted
        | EventKind::TaskSubmitted
        | EventKind::TaskSucceeded
        | EventKind::TaskFailed
        | EventKind::TaskTimedOut => at_work("Task") && !answered,
        EventKind::TaskAborted => at_work("Task") && !frame.aborted,
        EventKind::WaitAborted => at_work("Wait") && !frame.aborted,
        EventKind::ParallelStarted => at_work("Parallel"),
        EventKind::ParallelSucceeded | EventKind::ParallelFailed | EventKind::ParallelAborted => {
            at_work("Parallel") && begun
        }
        EventKind::MapStarted => at_work("Map"),
        EventKind::MapSucceeded
        | EventKind::MapRunStarted
        | EventKind::MapRunSucceeded
        | EventKind::MapRunFailed
        | EventKind::MapRunAborted
        | EventKind::MapAborted => at_work("Map") && begun,
        // AWS also records MapStateFailed if the Map could not start.
        EventKind::MapFailed => at_work("Map"),
        EventKind::IterationSucceeded
        | EventKind::IterationFailed
        | EventKind::IterationAborted => {
            let owner = frame
                .parent
                .and_then(|(owner, visit)| run.frames.get(owner)?.visits.get(visit));
            !frame.ended
                && index.is_none_or(|index| frame.key.indices.last() == Some(&index))
                && owner.is_some_and(|visit| name.is_empty() || &*visit.name == name)
        }
        EventKind::StateExited => frame.is_in(name, None),
        EventKind::EvaluationFailed => frame.is_in(name, None),
        _ => false,
    }
}
