//! Reconstructs the frames of a history without a beginning: the states of each frame, the state that each was in
//! when the recorded events begin, and the nesting of frames. Events that must have come before are generated and
//! marked; their data is unknown.
//!
//! Chains of events that led to one another are certain. `nest` nests the chains that lack a beginning, `make`
//! generates the events before them.

mod make;
mod nest;

use crate::definition::{Definition, ScopeId};
use crate::interpreter::EventKind;
use crate::json::Text;
use crate::session::recorded::event::RecordedEvent;
use crate::session::recorded::strand::{Outline, Owner};
use std::collections::HashMap;

/// Maximum number of frames without a beginning; no execution has more branches and items in progress.
const MOST_FREE: usize = 500;
/// Maximum nesting depth of frames.
const DEEPEST: usize = 64;

/// The events, preceded by those that must have come before if the first ones are missing. Also returns the id of the
/// first event whose state had to be guessed.
pub(super) fn completed(
    mut events: Vec<RecordedEvent>,
    definition: Option<&Definition>,
    scope: ScopeId,
) -> (Vec<RecordedEvent>, Option<u32>) {
    match events.first() {
        Some(first) if &*first.type_name != "ExecutionStarted" => {}
        _ => return (events, None),
    }
    // A log of errors only does not show which event led to which.
    let is_gap = |pair: &[RecordedEvent]| match pair {
        [one, other] => other.id > one.id.saturating_add(1),
        _ => false,
    };
    if events.windows(2).any(is_gap) {
        return (events, None);
    }
    if let Some(definition) = definition {
        name_exits(&mut events, definition);
    }
    let mut before = Before::new(&events, definition);
    for place in 0..events.len() {
        before.add(place);
        if before.free > MOST_FREE {
            return (events, None);
        }
    }
    before.nest(scope);
    let guess = before.guess;
    let all = before.make();
    let recorded = all.iter().filter(|event| !event.is_made);
    let guessed = guess.and_then(|place| recorded.map(|event| event.id).nth(place));
    (all, guessed)
}

/// Gives the exit event of a Parallel or Map the type that the definition has, if the entry of the state is missing:
/// Step Functions Local writes `TaskStateExited` when a catcher ends one.
fn name_exits(events: &mut [RecordedEvent], definition: &Definition) {
    for event in events {
        let Some(name) = event.name.as_ref() else {
            continue;
        };
        let mut states = definition.states.iter();
        let state = states.find(|state| state.name == *name && !state.inner().is_empty());
        if let Some(state) = state.filter(|_| &*event.type_name == "TaskStateExited") {
            event.type_name = format!("{}StateExited", state.type_name()).into();
        }
    }
}

/// A state that was in progress when the recorded events begin.
#[derive(Clone, Debug, Default)]
struct Under {
    type_name: Text,
    name: Option<Text>,
    /// True if the work of the state had begun before.
    begun: bool,
    /// True if the work of the state had ended before.
    ended: bool,
    /// True if the state had been left before.
    left: bool,
    /// True if the state is a Map that starts a Map Run.
    is_run: bool,
    /// True if the start of the Map Run was recorded.
    starts_run: bool,
}

/// Known facts about a frame: the outermost one, a branch or an item.
#[derive(Clone, Debug, Default)]
struct Lane {
    parent: Option<usize>,
    /// Index of the item, and name of the Map.
    item: Option<(u32, Text)>,
    scope: Option<ScopeId>,
    under: Option<Under>,
    /// Indices of the first and last recorded event.
    first: Option<usize>,
    last: usize,
    /// Index of the event that ended the work of the state in progress.
    closed: Option<usize>,
    /// The state that the frame is in after the events so far.
    open: Option<Owner>,
    /// True if `open` is the state in `under`.
    is_under: bool,
    /// True if the frame's start was recorded.
    is_whole: bool,
    /// True if the enclosing state was entered after the first recorded event, so that the whole frame was recorded.
    is_later: bool,
    /// True if the frame is an item that ended.
    is_over: bool,
    /// True if the frame's state was aborted.
    is_stopped: bool,
    /// Index of the last event at which the frame or an inner one was active, including its abortion.
    until: usize,
    /// True if the work of the Parallel or Map in progress has failed.
    has_failed: bool,
    names: Vec<Text>,
    /// The enclosing state, as known when the frame started.
    of: Option<Owner>,
    /// Id of the missing event that led to the first one.
    after: Option<u32>,
}

struct Before<'e> {
    events: &'e [RecordedEvent],
    definition: Option<&'e Definition>,
    outline: Outline,
    places: HashMap<u32, usize>,
    lanes: Vec<Lane>,
    lane_of: Vec<Option<usize>>,
    root: Option<usize>,
    /// Number of frames without a parent.
    free: usize,
    /// The last frame whose first event followed each missing event.
    after: HashMap<u32, usize>,
    /// Index of the first event whose state had to be guessed among several.
    guess: Option<usize>,
}

impl<'e> Before<'e> {
    fn new(events: &'e [RecordedEvent], definition: Option<&'e Definition>) -> Self {
        let places = (0..).zip(events).map(|(place, event)| (event.id, place));
        Self {
            events,
            definition,
            outline: Outline::new(events, definition),
            places: places.collect(),
            lanes: Vec::new(),
            lane_of: Vec::new(),
            root: None,
            free: 0,
            after: HashMap::new(),
            guess: None,
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

    /// Adds a frame that was in a state when the recorded events begin, as seen at index `place`.
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

    /// The outermost known frame around a frame.
    fn top(&self, mut at: usize) -> usize {
        for _ in 0..DEEPEST {
            match self.lanes.get(at).and_then(|lane| lane.parent) {
                Some(parent) => at = parent,
                None => break,
            }
        }
        at
    }

    /// The frame, or its nearest ancestor, for which `holds` is true.
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

    /// Appends an event to the chain of the event that led to it, or starts a chain.
    fn add(&mut self, place: usize) {
        let Some(event) = self.events.get(place) else {
            return;
        };
        let before = match event.previous {
            // If `previousEventId` was not recorded, usually the preceding event led to this one.
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
        // Events that followed the same missing event are in the same frame, except starts of branches and items.
        let beside = missing.filter(|_| !begins);
        let beside = beside.and_then(|missing| self.after.get(&missing).copied());
        let near = near.or(beside);
        // The event that caused an abortion is not in the frame that was aborted.
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
                // In Step Functions Local, the exit event of a Parallel has the type of a Task.
                let by_name =
                    |lane: &Lane| open(lane).is_some_and(|(_, own)| own.is_some() && own == name);
                // In Step Functions Local, the exit event of a Parallel follows the entry event, which may be missing.
                let failed = || {
                    let mut lanes = self.lanes.iter();
                    let is_free = before.is_none() && near.is_none();
                    lanes.rposition(|lane| is_free && lane.has_failed && is_in(lane))
                };
                self.up(near, is_in)
                    .or_else(|| self.up(near, by_name))
                    .or_else(failed)
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
                | EventKind::ParallelFailed
                | EventKind::MapStarted
                | EventKind::MapSucceeded
                | EventKind::MapFailed
                | EventKind::MapRunStarted
                | EventKind::MapRunSucceeded
                | EventKind::MapRunFailed),
            ) => {
                let starts = matches!(kind, EventKind::ParallelStarted | EventKind::MapStarted);
                let is_parallel = event.type_name.starts_with("Parallel");
                let type_name = if is_parallel { "Parallel" } else { "Map" };
                let begun = !starts || near.is_some();
                self.group(near, under(type_name, begun, false), place, starts)
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
            _ => near.unwrap_or_else(|| {
                // The next event tells the type of a state whose expression failed.
                let mut later = self.events.iter().skip(place);
                let next = later.find(|later| later.previous == Some(event.id));
                let type_name = next.and_then(|next| match next.kind? {
                    EventKind::MapFailed => Some("Map"),
                    EventKind::ParallelFailed => Some("Parallel"),
                    _ => next.state_type(),
                });
                self.begin_under(under(type_name.unwrap_or("Pass"), false, false), place)
            }),
        }
    }

    /// Adds a frame in which a state ended and of which nothing else is known, around the frame of the previous event.
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

    /// The frame whose current state is the Parallel or Map.
    fn group(&mut self, near: Option<usize>, under: Under, place: usize, starts: bool) -> usize {
        let is_in = |lane: &Lane| lane.is_in(&under.type_name) && (starts || !lane.has_failed);
        match self.up(near, is_in) {
            Some(own) => own,
            None => self.around(near, under, place),
        }
    }

    /// The frame of an item that ended.
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
