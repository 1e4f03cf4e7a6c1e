//! Completes a history whose first events are missing. Reconstructs the frames: which state each frame was in when the
//! recorded events begin, which states the frame entered afterwards, and how the frames are nested. From the frames,
//! generates the events that must have happened before. Generated events are marked and have no data.
//!
//! `previousEventId` links events to chains, and all events of a chain certainly belong to one frame. `nest` finds the
//! enclosing frame of each chain whose first events are missing; `make` generates the missing events.

mod make;
mod nest;

use crate::definition::{Definition, ScopeId};
use crate::interpreter::EventKind;
use crate::json::Text;
use crate::session::recorded::event::RecordedEvent;
use crate::session::recorded::frame::{Outline, Owner};
use std::collections::HashMap;

/// Maximum number of frames whose enclosing frame is unknown. A history with more such frames is not completed.
const MOST_FREE: usize = 500;
/// Maximum nesting depth of frames.
const DEEPEST: usize = 64;

/// If the first events are missing, returns the generated events followed by the recorded events; otherwise returns the
/// recorded events unchanged. Also returns the id of the first event whose state had to be guessed.
pub(super) fn completed(
    mut events: Vec<RecordedEvent>,
    definition: Option<&Definition>,
    scope: ScopeId,
) -> (Vec<RecordedEvent>, Option<u32>) {
    match events.first() {
        Some(first) if &*first.type_name != "ExecutionStarted" => {}
        _ => return (events, None),
    }
    // A history with further gaps is not completed. A log of errors, for example, has such gaps and does not show which
    // event led to which.
    let is_gap = |pair: &[RecordedEvent]| match pair {
        [event, next] => next.id > event.id.saturating_add(1),
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

/// Corrects the type of the exit events of Parallels and Maps, because Step Functions Local writes `TaskStateExited` if
/// a catcher handled an error of such a state. Without the entry event, only the definition shows the right type.
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

/// A state that a frame was in, or had just left, when the recorded events begin.
#[derive(Clone, Debug, Default)]
struct Under {
    type_name: Text,
    name: Option<Text>,
    /// True if the state's work had begun before the first recorded event.
    begun: bool,
    /// True if the work of the state had ended before the first recorded event.
    ended: bool,
    /// True if the state had been left before the first recorded event.
    left: bool,
    /// True if the state is a Map that starts a Map Run.
    is_run: bool,
    /// True if the start of the Map Run was recorded.
    starts_run: bool,
}

/// The known facts about a frame, which is the outermost frame, a branch or an item. Frames are numbered by their index
/// in `Before::lanes`.
#[derive(Clone, Debug, Default)]
struct Lane {
    parent: Option<usize>,
    /// For an item: its index, and the name of the Map.
    item: Option<(u32, Text)>,
    scope: Option<ScopeId>,
    under: Option<Under>,
    /// Index of the first recorded event of the frame.
    first: Option<usize>,
    /// Index of the last recorded event of the frame.
    last: usize,
    /// Index of the event that ended the work of the state `under`.
    closed: Option<usize>,
    /// Type and name of the state that the frame is in after the events so far.
    open: Option<Owner>,
    /// True if the state in `open` is still the state `under`.
    is_under: bool,
    /// True if the frame's start was recorded.
    is_whole: bool,
    /// True if the enclosing Parallel or Map was entered after the recorded events begin. All events of the frame were
    /// then recorded.
    is_later: bool,
    /// True if the frame is an item that has ended.
    is_over: bool,
    /// True if the frame's state was aborted.
    is_stopped: bool,
    /// Index of the last event that shows that the frame, or a frame inside it, was active. An abort event counts, too.
    until: usize,
    /// True if the work of the Parallel or Map that the frame is in has failed.
    has_failed: bool,
    names: Vec<Text>,
    /// Type and name of the enclosing Parallel or Map, if they were known when the frame was added.
    of: Option<Owner>,
    /// Id of the missing event that led to the first recorded event of the frame.
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
    /// Number of frames whose parent was unknown when they were added.
    free: usize,
    /// The key is the id of a missing event. The value is the last frame whose first recorded event names that missing
    /// event in `previousEventId`.
    after: HashMap<u32, usize>,
    /// Index of the first recorded event whose state had to be guessed among several candidates.
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

    /// Adds a frame that was in the state `under` when the recorded events begin. The event with the index `place`
    /// shows this.
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

    /// The outermost known frame around the frame `at`; `at` itself if its parent is unknown.
    fn top(&self, mut at: usize) -> usize {
        for _ in 0..DEEPEST {
            match self.lanes.get(at).and_then(|lane| lane.parent) {
                Some(parent) => at = parent,
                None => break,
            }
        }
        at
    }

    /// Checks the frame `from`, then its ancestors from the inside out, and returns the first for which `holds` returns
    /// true.
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

    /// Assigns an event to the frame of the event that led to it, or to a new frame, and updates the known facts about
    /// the frame.
    fn add(&mut self, place: usize) {
        let Some(event) = self.events.get(place) else {
            return;
        };
        let before = match event.previous {
            // If `previousEventId` was not recorded, the event before this one in the history usually led to it.
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
        // Events that follow the same missing event are in the same frame, unless they start branches or items.
        let beside = missing.filter(|_| !begins);
        let beside = beside.and_then(|missing| self.after.get(&missing).copied());
        let near = near.or(beside);
        // The event that led to an abort event is usually in another frame. The aborted frame is found later.
        let lane = match event.is_abort() {
            true => near,
            false => Some(self.lane_for(event, place, before, near)),
        };
        self.lane_of.push(lane);
        let lane = lane.filter(|_| !event.is_abort());
        if let (Some(missing), Some(lane)) = (missing, lane)
            && self
                .lanes
                .get(lane)
                .is_some_and(|lane| lane.first.is_none())
        {
            self.after.insert(missing, lane);
        }
        let Some(lane) = lane.and_then(|lane| self.lane(lane)) else {
            return;
        };
        if lane.first.is_none() {
            (lane.first, lane.after) = (Some(place), missing);
        }
        lane.last = place;
        let name = event.name.clone();
        match event.kind {
            Some(EventKind::StateEntered) => {
                lane.names.extend(name.clone());
                lane.open = event.state_type().map(|type_name| (type_name.into(), name));
                (lane.is_under, lane.has_failed) = (false, false);
            }
            Some(EventKind::StateExited) => {
                lane.names.extend(name.clone());
                if lane.is_under
                    && let Some(under) = &mut lane.under
                {
                    lane.closed.get_or_insert(place);
                    under.name = under.name.take().or(name);
                    under.type_name = event.state_type().unwrap_or("Pass").into();
                }
                (lane.open, lane.is_under) = (None, false);
            }
            Some(EventKind::IterationSucceeded | EventKind::IterationFailed) => lane.is_over = true,
            Some(
                kind @ (EventKind::ParallelSucceeded
                | EventKind::ParallelFailed
                | EventKind::MapSucceeded
                | EventKind::MapFailed),
            ) => {
                lane.has_failed = matches!(kind, EventKind::ParallelFailed | EventKind::MapFailed);
                if lane.is_under {
                    lane.closed.get_or_insert(place);
                }
            }
            Some(EventKind::ParallelStarted | EventKind::MapStarted) => lane.has_failed = false,
            Some(
                kind @ (EventKind::MapRunStarted
                | EventKind::MapRunSucceeded
                | EventKind::MapRunFailed),
            ) if lane.is_under => {
                let is_first = lane.first == Some(place);
                if let Some(under) = &mut lane.under {
                    under.is_run |= kind != EventKind::MapRunStarted;
                    under.starts_run |= kind == EventKind::MapRunStarted && is_first;
                }
            }
            _ => {}
        }
    }

    /// Returns the frame of `event`, which has the index `place`; adds a frame if no known frame can contain the event.
    /// `before` is the index of the preceding event (the event that led to `event`), and `near` is the frame of the
    /// preceding event; `None` if they are unknown.
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
                let is_named = |open: &Option<Text>| open.is_none() || *open == name;
                let open = |lane: &Lane| lane.open.clone();
                let is_in = |lane: &Lane| {
                    open(lane)
                        .is_some_and(|(entered, name)| *entered == *type_name && is_named(&name))
                };
                // In Step Functions Local, the exit event of a Parallel can have the type `TaskStateExited`. Then only
                // the name identifies the state.
                let by_name = |lane: &Lane| {
                    open(lane).is_some_and(|(_, open)| open.is_some() && open == name)
                };
                // In Step Functions Local, `previousEventId` of a Parallel's exit event names the entry event of the
                // Parallel, which may be missing.
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
                let lane = self.up(near, |lane| lane.is_in("Task")).or(near);
                let begun = kind != EventKind::TaskScheduled;
                lane.unwrap_or_else(|| self.begin_under(under("Task", begun, false), place))
            }
            _ => near.unwrap_or_else(|| {
                // This event may report a failed expression. The event that follows it then shows the type of the
                // state.
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

    /// Adds a frame of which only the state `under` is known. If the state is a Parallel or Map, puts the outermost
    /// known frame around `near` into the new frame.
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

    /// The frame whose current state is the Parallel or Map in `under`; adds a frame if there is none.
    fn group(&mut self, near: Option<usize>, under: Under, place: usize, starts: bool) -> usize {
        let is_in = |lane: &Lane| lane.is_in(&under.type_name) && (starts || !lane.has_failed);
        match self.up(near, is_in) {
            Some(lane) => lane,
            None => self.around(near, under, place),
        }
    }

    /// The frame of an item, at the event that ends the item; adds a frame if there is none.
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
        let ended = known.or(top).unwrap_or_else(|| self.begin(Lane::default()));
        if let Some(lane) = self.lane(ended) {
            lane.item = Some(item);
        }
        ended
    }
}

impl Lane {
    fn is_in(&self, type_name: &str) -> bool {
        self.open
            .as_ref()
            .is_some_and(|(entered, _)| **entered == *type_name)
    }
}
