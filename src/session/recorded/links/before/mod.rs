//! The frames of a history whose beginning is missing: what each went through, in which state each was when the recorded
//! events begin, and which frame each is in. What must have come before is made as events, which are marked; their data
//! are unknown.
//!
//! Chains of events that lead to one another are the certain part. `nest` puts the chains without a beginning into each
//! other, `make` makes the events before them.

mod make;
mod nest;

use super::outline::{Outline, Owner};
use crate::definition::{Definition, ScopeId, StateId};
use crate::interpreter::EventKind;
use crate::json::Text;
use crate::session::recorded::event::RecordedEvent;
use std::collections::HashMap;

/// Maximum number of frames without a beginning: no execution has so many branches and items at work.
const MOST_FREE: usize = 500;
/// Frames are nested at most this deep.
const DEEPEST: usize = 64;

/// The events with those that must have come before them, if the first ones are missing.
pub(super) fn completed(
    events: Vec<RecordedEvent>,
    definition: Option<&Definition>,
    scope: ScopeId,
) -> Vec<RecordedEvent> {
    match events.first() {
        Some(first) if &*first.type_name != "ExecutionStarted" => {}
        _ => return events,
    }
    // A log of errors alone does not say what led to what.
    let is_gap = |pair: &[RecordedEvent]| match pair {
        [one, other] => other.id > one.id.saturating_add(1),
        _ => false,
    };
    if events.windows(2).any(is_gap) {
        return events;
    }
    let mut before = Before::new(&events, definition);
    for place in 0..events.len() {
        before.add(place);
        if before.free > MOST_FREE {
            return events;
        }
    }
    before.nest(scope);
    before.make()
}

/// A state that was under way when the recorded events begin.
#[derive(Clone, Debug, Default)]
struct Under {
    type_name: Text,
    name: Option<Text>,
    /// Whether its work had begun before.
    begun: bool,
    /// Whether its work had ended before.
    ended: bool,
    /// Whether it is a Map that starts a Map Run.
    is_run: bool,
    /// Whether that start was recorded.
    starts_run: bool,
}

/// What is known of a frame: of the machine itself, a branch or an item.
#[derive(Clone, Debug, Default)]
struct Lane {
    parent: Option<usize>,
    /// The item's index, and the Map's name.
    item: Option<(u32, Text)>,
    scope: Option<ScopeId>,
    under: Option<Under>,
    /// The first recorded event, and the last.
    first: Option<usize>,
    last: usize,
    /// The event with which the work of the state under way was over.
    closed: Option<usize>,
    /// The state that it is in after the events so far.
    open: Option<Owner>,
    /// Whether that is the one of `under`.
    is_under: bool,
    /// Whether its beginning was recorded.
    is_whole: bool,
    /// Whether the state that it is in was entered after the beginning: all of the frame was recorded.
    is_later: bool,
    /// Whether it is an item that came to its end.
    is_over: bool,
    /// Whether its state was stopped.
    is_stopped: bool,
    /// The last event at which it or a frame in it was at work, its being stopped included.
    until: usize,
    /// Whether the work of the Parallel or Map that it is in has failed.
    has_failed: bool,
    names: Vec<Text>,
    /// The state that it is in, as it was known when the frame began.
    of: Option<Owner>,
    /// The missing event that led to its first one.
    after: Option<u32>,
}

struct Before<'e> {
    events: &'e [RecordedEvent],
    definition: Option<&'e Definition>,
    outline: Outline,
    states: HashMap<(ScopeId, Text), StateId>,
    places: HashMap<u32, usize>,
    lanes: Vec<Lane>,
    lane_of: Vec<Option<usize>>,
    root: Option<usize>,
    /// How many frames were begun that are in no other.
    free: usize,
    /// The last frame whose first event a missing one led to.
    after: HashMap<u32, usize>,
}

impl<'e> Before<'e> {
    fn new(events: &'e [RecordedEvent], definition: Option<&'e Definition>) -> Self {
        let states = definition.into_iter().flat_map(|definition| {
            definition.state_ids().filter_map(|id| {
                let state = definition.state(id)?;
                Some(((state.scope, state.name.clone()), id))
            })
        });
        let places = (0..).zip(events).map(|(place, event)| (event.id, place));
        Self {
            events,
            definition,
            outline: Outline::new(events, definition),
            states: states.collect(),
            places: places.collect(),
            lanes: Vec::new(),
            lane_of: Vec::new(),
            root: None,
            free: 0,
            after: HashMap::new(),
        }
    }

    fn lane(&mut self, at: usize) -> Option<&mut Lane> {
        self.lanes.get_mut(at)
    }

    fn begin(&mut self, mut lane: Lane) -> usize {
        let around = lane.parent.and_then(|parent| self.lanes.get(parent));
        lane.is_later = around.is_some_and(|around| !around.is_under);
        lane.of = around.and_then(|around| around.open.clone());
        self.free += usize::from(lane.parent.is_none());
        self.lanes.push(lane);
        self.lanes.len() - 1
    }

    /// A frame that was in a state when the recorded events begin, seen at a place.
    fn begin_under(&mut self, under: Under, place: usize) -> usize {
        self.begin(Lane {
            names: under.name.iter().cloned().collect(),
            open: Some((under.type_name.clone(), under.name.clone())),
            under: Some(under),
            is_under: true,
            last: place,
            ..Lane::default()
        })
    }

    /// The outermost known frame around one.
    fn top(&self, mut at: usize) -> usize {
        for _ in 0..DEEPEST {
            match self.lanes.get(at).and_then(|lane| lane.parent) {
                Some(parent) => at = parent,
                None => break,
            }
        }
        at
    }

    /// The frame, or the nearest around it, for which something holds.
    fn up(&self, from: Option<usize>, holds: impl Fn(&Lane) -> bool) -> Option<usize> {
        let mut at = from;
        for _ in 0..=DEEPEST {
            let lane = self.lanes.get(at?)?;
            if holds(lane) {
                return at;
            }
            at = lane.parent;
        }
        None
    }

    /// Adds an event to the chain that led to it, or begins a chain.
    fn add(&mut self, place: usize) {
        let Some(event) = self.events.get(place) else {
            return;
        };
        let before = match event.previous {
            // It was not written down: mostly the event before it led to it.
            None => place.checked_sub(1),
            Some(previous) => self.places.get(&previous).copied(),
        };
        let before = before.filter(|before| *before < place);
        let near = before.and_then(|before| self.lane_of.get(before).copied().flatten());
        let missing = event.previous.filter(|_| before.is_none());
        let begins = matches!(
            event.kind,
            Some(EventKind::StateEntered | EventKind::IterationStarted)
        );
        // What followed the same missing event followed it in the same frame, but for what begins a branch or an item.
        let beside = missing.filter(|_| !begins);
        let beside = beside.and_then(|missing| self.after.get(&missing).copied());
        let near = near.or(beside);
        // What stopped something is not the frame that was stopped.
        let lane = match event.is_abort() {
            true => near,
            false => Some(self.lane_for(event, place, before, near)),
        };
        self.lane_of.push(lane);
        let own = lane.filter(|_| !event.is_abort());
        if let (Some(missing), Some(own)) = (missing, own)
            && self.lanes.get(own).is_some_and(|own| own.first.is_none())
        {
            self.after.insert(missing, own);
        }
        let Some(own) = own.and_then(|lane| self.lane(lane)) else {
            return;
        };
        if own.first.is_none() {
            (own.first, own.after) = (Some(place), missing);
        }
        own.last = place;
        let name = event.name.clone();
        match event.kind {
            Some(EventKind::StateEntered) => {
                own.names.extend(name.clone());
                own.open = event.state_type().map(|type_name| (type_name.into(), name));
                (own.is_under, own.has_failed) = (false, false);
            }
            Some(EventKind::StateExited) => {
                own.names.extend(name.clone());
                if own.is_under
                    && let Some(under) = &mut own.under
                {
                    own.closed.get_or_insert(place);
                    under.name = under.name.take().or(name);
                    under.type_name = event.state_type().unwrap_or("Pass").into();
                }
                (own.open, own.is_under) = (None, false);
            }
            Some(EventKind::IterationSucceeded | EventKind::IterationFailed) => own.is_over = true,
            Some(
                kind @ (EventKind::ParallelSucceeded
                | EventKind::ParallelFailed
                | EventKind::MapSucceeded
                | EventKind::MapFailed),
            ) => {
                own.has_failed = matches!(kind, EventKind::ParallelFailed | EventKind::MapFailed);
                if own.is_under {
                    own.closed.get_or_insert(place);
                }
            }
            Some(EventKind::ParallelStarted | EventKind::MapStarted) => own.has_failed = false,
            Some(
                kind @ (EventKind::MapRunStarted
                | EventKind::MapRunSucceeded
                | EventKind::MapRunFailed),
            ) if own.is_under => {
                let is_first = own.first == Some(place);
                if let Some(under) = &mut own.under {
                    under.is_run |= kind != EventKind::MapRunStarted;
                    under.starts_run |= kind == EventKind::MapRunStarted && is_first;
                }
            }
            _ => {}
        }
    }

    /// The frame of an event.
    fn lane_for(
        &mut self,
        event: &RecordedEvent,
        place: usize,
        before: Option<usize>,
        near: Option<usize>,
    ) -> usize {
        if event.type_name.starts_with("Execution") {
            let root = near.map(|near| self.top(near)).or(self.root);
            let root = root.unwrap_or_else(|| self.begin(Lane::default()));
            return *self.root.get_or_insert(root);
        }
        let name = event.name.clone();
        let under = |type_name: &str, begun: bool, ended: bool| Under {
            type_name: type_name.into(),
            name: name.clone(),
            begun,
            ended,
            ..Under::default()
        };
        match event.kind {
            Some(EventKind::StateEntered) => {
                let after = before.and_then(|before| self.events.get(before)?.kind);
                match (near, after) {
                    (Some(owner), Some(EventKind::ParallelStarted)) => self.begin(Lane {
                        parent: Some(owner),
                        is_whole: true,
                        ..Lane::default()
                    }),
                    (Some(near), _) => self.up(Some(near), |lane| !lane.is_over).unwrap_or(near),
                    (None, _) => self.begin(Lane::default()),
                }
            }
            Some(EventKind::StateExited) => {
                let type_name = event.state_type().unwrap_or("Pass");
                let is_named = |own: &Option<Text>| own.is_none() || *own == name;
                let open = |lane: &Lane| lane.open.clone();
                let is_in = |lane: &Lane| {
                    open(lane).is_some_and(|(own, name)| *own == *type_name && is_named(&name))
                };
                // Step Functions Local leaves a Parallel as a Task.
                let by_name =
                    |lane: &Lane| open(lane).is_some_and(|(_, own)| own.is_some() && own == name);
                self.up(near, is_in)
                    .or_else(|| self.up(near, by_name))
                    .unwrap_or_else(|| self.around(near, under(type_name, true, true), place))
            }
            Some(EventKind::IterationStarted) => {
                let owner = self.up(near, |lane| lane.is_in("Map"));
                let item = (event.index.unwrap_or(0), name.unwrap_or_default());
                self.begin(Lane {
                    parent: owner,
                    item: Some(item),
                    is_whole: true,
                    ..Lane::default()
                })
            }
            Some(EventKind::IterationSucceeded | EventKind::IterationFailed) => {
                self.item_over(event, near)
            }
            Some(
                kind @ (EventKind::ParallelStarted
                | EventKind::ParallelSucceeded
                | EventKind::ParallelFailed),
            ) => {
                let starts = kind == EventKind::ParallelStarted;
                let begun = !starts || near.is_some();
                self.group(near, under("Parallel", begun, false), place, starts)
            }
            Some(
                kind @ (EventKind::MapStarted
                | EventKind::MapSucceeded
                | EventKind::MapFailed
                | EventKind::MapRunStarted
                | EventKind::MapRunSucceeded
                | EventKind::MapRunFailed),
            ) => {
                let starts = kind == EventKind::MapStarted;
                let begun = !starts || near.is_some();
                self.group(near, under("Map", begun, false), place, starts)
            }
            Some(
                kind @ (EventKind::TaskScheduled
                | EventKind::TaskStarted
                | EventKind::TaskSubmitted
                | EventKind::TaskSucceeded
                | EventKind::TaskFailed
                | EventKind::TaskTimedOut),
            ) => {
                let own = self.up(near, |lane| lane.is_in("Task")).or(near);
                let begun = kind != EventKind::TaskScheduled;
                own.unwrap_or_else(|| self.begin_under(under("Task", begun, false), place))
            }
            _ => near.unwrap_or_else(|| self.begin_under(under("Pass", false, false), place)),
        }
    }

    /// A frame in which a state was left or done of which nothing else is known: around that of the event before.
    fn around(&mut self, near: Option<usize>, under: Under, place: usize) -> usize {
        let is_group = matches!(&*under.type_name, "Parallel" | "Map");
        let owner = self.begin_under(under, place);
        let top = near.filter(|_| is_group).map(|near| self.top(near));
        if let Some(inner) = top.filter(|top| Some(*top) != self.root)
            && let Some(inner) = self.lane(inner)
        {
            inner.parent = Some(owner);
        }
        owner
    }

    /// The frame that is in a Parallel or Map.
    fn group(&mut self, near: Option<usize>, under: Under, place: usize, starts: bool) -> usize {
        let is_in = |lane: &Lane| lane.is_in(&under.type_name) && (starts || !lane.has_failed);
        match self.up(near, is_in) {
            Some(own) => own,
            None => self.around(near, under, place),
        }
    }

    /// The frame of an item that came to its end.
    fn item_over(&mut self, event: &RecordedEvent, near: Option<usize>) -> usize {
        let item = (
            event.index.unwrap_or(0),
            event.name.clone().unwrap_or_default(),
        );
        let is_it = |lane: &Lane| !lane.is_over && lane.item.as_ref() == Some(&item);
        let known = self.up(near, is_it);
        let known = known.or_else(|| {
            self.lanes
                .iter()
                .rposition(is_it)
                .filter(|_| near.is_none())
        });
        let top = near.map(|near| self.top(near)).filter(|top| {
            let lane = self.lanes.get(*top);
            Some(*top) != self.root && lane.is_some_and(|lane| lane.item.is_none())
        });
        let own = known.or(top).unwrap_or_else(|| self.begin(Lane::default()));
        if let Some(lane) = self.lane(own) {
            lane.item = Some(item);
        }
        own
    }
}

impl Lane {
    fn is_in(&self, type_name: &str) -> bool {
        self.open
            .as_ref()
            .is_some_and(|(own, _)| **own == *type_name)
    }
}
