//! What came before the first recorded event, as far as the recorded ones tell: the states that were under way when it
//! happened, in which Parallel or Map they stood, and, with a definition, the way to them where it is the only one.
//!
//! It is made as events of its own, which are marked; their data are unknown.

mod join;
mod make;

use crate::definition::{Definition, ScopeId, StateId};
use crate::interpreter::EventKind;
use crate::json::Text;
use crate::session::recorded::event::RecordedEvent;
use std::collections::HashMap;

/// Frames stand in one another no deeper than this.
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
    }
    before.join(scope);
    before.make()
}

/// A state that was under way when the recorded events begin.
#[derive(Clone, Debug)]
struct Under {
    type_name: Text,
    name: Option<Text>,
    /// Whether its work had begun before.
    begun: bool,
    /// Whether its work had ended before.
    ended: bool,
    /// Whether it is a Map that had started a Map Run.
    is_run: bool,
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
    open: Option<(Text, Option<Text>)>,
    /// Whether that is the one of `under`.
    is_under: bool,
    /// Whether its beginning was recorded.
    is_whole: bool,
    /// Whether the state around it that it is of was entered later: all of it was recorded.
    is_later: bool,
    is_aborted: bool,
    is_over: bool,
    /// Whether the work of the Parallel or Map that it is in has failed.
    has_failed: bool,
    names: Vec<Text>,
    /// Type and name of the state around it that it is of.
    of: Option<(Text, Option<Text>)>,
}

struct Before<'e> {
    events: &'e [RecordedEvent],
    definition: Option<&'e Definition>,
    states: HashMap<(ScopeId, Text), StateId>,
    places: HashMap<u32, usize>,
    lanes: Vec<Lane>,
    lane_of: Vec<usize>,
    /// The places of the last events that came after the same missing one.
    after: HashMap<u32, usize>,
    root: Option<usize>,
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
            states: states.collect(),
            places: places.collect(),
            lanes: Vec::new(),
            lane_of: Vec::new(),
            after: HashMap::new(),
            root: None,
        }
    }

    fn lane(&mut self, at: usize) -> Option<&mut Lane> {
        self.lanes.get_mut(at)
    }

    fn begin(&mut self, mut lane: Lane) -> usize {
        let around = lane.parent.and_then(|parent| self.lanes.get(parent));
        lane.is_later = around.is_some_and(|around| !around.is_under);
        lane.of = around.and_then(|around| around.open.clone());
        self.lanes.push(lane);
        self.lanes.len() - 1
    }

    /// A frame that was in a state when the recorded events begin.
    fn begin_under(&mut self, under: Under) -> usize {
        let open = (under.type_name.clone(), under.name.clone());
        self.begin(Lane {
            names: under.name.iter().cloned().collect(),
            under: Some(under),
            open: Some(open),
            is_under: true,
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

    /// Takes an event in.
    fn add(&mut self, place: usize) {
        let Some(event) = self.events.get(place) else {
            return;
        };
        let near = match event.previous {
            // It was not written down: mostly the event before it led to it.
            None => place.checked_sub(1),
            Some(previous) => self.places.get(&previous).copied(),
        };
        let near = near.filter(|near| *near < place);
        let missing = event.previous.filter(|_| near.is_none());
        let beside = missing.and_then(|missing| self.after.insert(missing, place));
        let lane = match beside {
            Some(beside) => self.lane_beside(event, beside),
            None => self.lane_for(event, near),
        };
        self.lane_of.push(lane);
        let Some(own) = self.lane(lane) else { return };
        own.first.get_or_insert(place);
        own.last = place;
        let closes = matches!(
            event.kind,
            Some(
                EventKind::StateExited
                    | EventKind::ParallelSucceeded
                    | EventKind::ParallelFailed
                    | EventKind::MapSucceeded
                    | EventKind::MapFailed
            )
        );
        if closes && own.is_under {
            own.closed.get_or_insert(place);
        }
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
                    under.name = under.name.take().or(name);
                    under.type_name = event.state_type().unwrap_or("Pass").into();
                }
                (own.open, own.is_under) = (None, false);
            }
            Some(
                EventKind::IterationSucceeded
                | EventKind::IterationFailed
                | EventKind::IterationAborted,
            ) => own.is_over = true,
            Some(EventKind::ParallelFailed | EventKind::MapFailed) => own.has_failed = true,
            Some(
                EventKind::TaskAborted
                | EventKind::WaitAborted
                | EventKind::ParallelAborted
                | EventKind::MapAborted,
            ) => own.is_aborted = true,
            Some(
                EventKind::MapRunSucceeded | EventKind::MapRunFailed | EventKind::MapRunAborted,
            ) if own.is_under => {
                if let Some(under) = &mut own.under {
                    under.is_run = true;
                }
            }
            _ => {}
        }
    }

    /// The frame of an event that came after the same missing one as another.
    fn lane_beside(&mut self, event: &RecordedEvent, other: usize) -> usize {
        let is_entry = |event: &RecordedEvent| event.kind == Some(EventKind::StateEntered);
        let first = self.lane_of.get(other).copied();
        let both = is_entry(event) && self.events.get(other).is_some_and(is_entry);
        let Some(first) = first.filter(|_| both) else {
            return self.lane_for(event, Some(other));
        };
        // Two states that were entered after one event begin two branches.
        let owner = self.lanes.get(first).and_then(|lane| lane.parent);
        let owner = owner.unwrap_or_else(|| {
            self.begin_under(Under {
                type_name: "Parallel".into(),
                name: None,
                begun: true,
                ended: false,
                is_run: false,
            })
        });
        for lane in [first, self.lanes.len()] {
            match self.lane(lane) {
                Some(lane) => (lane.parent, lane.is_whole) = (Some(owner), true),
                None => {
                    self.begin(Lane {
                        parent: Some(owner),
                        is_whole: true,
                        ..Lane::default()
                    });
                }
            }
        }
        self.lanes.len() - 1
    }

    /// The frame of an event.
    fn lane_for(&mut self, event: &RecordedEvent, before: Option<usize>) -> usize {
        let near = before.and_then(|before| self.lane_of.get(before).copied());
        if event.type_name.starts_with("Execution") {
            let root = near.map(|near| self.top(near)).or(self.root);
            let root = root.unwrap_or_else(|| self.begin(Lane::default()));
            self.root.get_or_insert(root);
            return root;
        }
        let name = event.name.clone();
        let under = |type_name: &str, begun: bool, ended: bool| Under {
            type_name: type_name.into(),
            name: name.clone(),
            begun,
            ended,
            is_run: false,
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
                let (type_name, wanted) = (event.state_type().unwrap_or("Pass"), name.clone());
                let is_in = |lane: &Lane| {
                    lane.open.as_ref().is_some_and(|(own, name)| {
                        **own == *type_name && (name.is_none() || *name == wanted)
                    })
                };
                // Step Functions Local leaves a Parallel as a Task.
                let by_name = |lane: &Lane| {
                    let open = lane.open.as_ref();
                    open.is_some_and(|(_, name)| name.is_some() && *name == wanted)
                };
                self.up(near, is_in)
                    .or_else(|| self.up(near, by_name))
                    .unwrap_or_else(|| self.around(near, under(type_name, true, true)))
            }
            Some(EventKind::IterationStarted) => {
                let owner = self.map_of(near, &name);
                let item = (event.index.unwrap_or(0), name.clone().unwrap_or_default());
                self.begin(Lane {
                    parent: Some(owner),
                    item: Some(item),
                    is_whole: true,
                    ..Lane::default()
                })
            }
            Some(
                EventKind::IterationSucceeded
                | EventKind::IterationFailed
                | EventKind::IterationAborted,
            ) => self.item(event, near),
            Some(
                kind @ (EventKind::ParallelStarted
                | EventKind::ParallelSucceeded
                | EventKind::ParallelFailed),
            ) => {
                let begun = kind != EventKind::ParallelStarted;
                self.group(near, under("Parallel", begun, false))
            }
            Some(
                kind @ (EventKind::MapStarted
                | EventKind::MapSucceeded
                | EventKind::MapFailed
                | EventKind::MapRunStarted
                | EventKind::MapRunSucceeded
                | EventKind::MapRunFailed
                | EventKind::MapRunAborted),
            ) => self.group(near, under("Map", kind != EventKind::MapStarted, false)),
            Some(
                kind @ (EventKind::TaskScheduled
                | EventKind::TaskStarted
                | EventKind::TaskSubmitted
                | EventKind::TaskSucceeded
                | EventKind::TaskFailed
                | EventKind::TaskTimedOut),
            ) => {
                let is_in = |lane: &Lane| lane.is_in("Task");
                let own = self.up(near, is_in).or(near);
                own.unwrap_or_else(|| {
                    self.begin_under(under("Task", kind != EventKind::TaskScheduled, false))
                })
            }
            // What is stopped did not lead to its own stop.
            Some(EventKind::TaskAborted) => self.aborted(near, under("Task", true, false)),
            Some(EventKind::WaitAborted) => self.aborted(near, under("Wait", false, false)),
            Some(EventKind::ParallelAborted) => self.aborted(near, under("Parallel", true, false)),
            Some(EventKind::MapAborted) => self.aborted(near, under("Map", true, false)),
            _ => near.unwrap_or_else(|| self.begin_under(under("Pass", false, false))),
        }
    }

    /// A frame in which a state was left or done of which nothing else is known: around that of the event before, or of
    /// its own.
    fn around(&mut self, near: Option<usize>, under: Under) -> usize {
        let is_group = matches!(&*under.type_name, "Parallel" | "Map");
        let owner = self.begin_under(under);
        let top = near.filter(|_| is_group).map(|near| self.top(near));
        if let Some(inner) = top.filter(|top| Some(*top) != self.root)
            && let Some(inner) = self.lane(inner)
        {
            inner.parent = Some(owner);
        }
        owner
    }

    /// The frame that is in a Parallel or Map.
    fn group(&mut self, near: Option<usize>, under: Under) -> usize {
        let type_name = under.type_name.clone();
        let found = self.up(near, |lane| lane.is_in(&type_name) && !lane.has_failed);
        let begun = under.begun || near.is_some();
        found.unwrap_or_else(|| self.around(near, Under { begun, ..under }))
    }

    /// The frame that is in the Map of a name.
    fn map_of(&mut self, near: Option<usize>, name: &Option<Text>) -> usize {
        let is_it = |lane: &Lane| {
            lane.is_in("Map")
                && lane
                    .open
                    .as_ref()
                    .is_some_and(|(_, own)| own.is_none() || own == name)
        };
        let found = self.up(near, is_it).or_else(|| {
            let mut lanes = self.lanes.iter();
            lanes.position(|lane| is_it(lane) && lane.is_under)
        });
        let owner = found.unwrap_or_else(|| {
            self.begin_under(Under {
                type_name: "Map".into(),
                name: name.clone(),
                begun: true,
                ended: false,
                is_run: false,
            })
        });
        if let Some(own) = self.lane(owner) {
            if let Some((_, known)) = &mut own.open {
                *known = known.take().or_else(|| name.clone());
            }
            if own.is_under
                && let Some(under) = &mut own.under
            {
                under.name = under.name.take().or_else(|| name.clone());
                own.names.extend(name.clone());
            }
        }
        owner
    }

    /// The frame of an item that came to its end.
    fn item(&mut self, event: &RecordedEvent, near: Option<usize>) -> usize {
        let name = event.name.clone().unwrap_or_default();
        let item = (event.index.unwrap_or(0), name.clone());
        let mut lanes = self.lanes.iter();
        let known = lanes.rposition(|lane| !lane.is_over && lane.item.as_ref() == Some(&item));
        if let Some(known) = known {
            return known;
        }
        let is_aborted = event.kind == Some(EventKind::IterationAborted);
        let top = near.map(|near| self.top(near));
        let own = top.filter(|top| {
            let is_free = self.lanes.get(*top).is_some_and(|lane| lane.item.is_none());
            is_free && !is_aborted && Some(*top) != self.root
        });
        let own = own.unwrap_or_else(|| self.begin(Lane::default()));
        let owner = self.map_of(None, &event.name);
        if let Some(own) = self.lane(own) {
            own.item = Some(item);
        }
        if self.top(owner) != own
            && let Some(own) = self.lane(own)
        {
            own.parent = Some(owner);
        }
        own
    }

    /// The frame of what was stopped.
    fn aborted(&mut self, near: Option<usize>, under: Under) -> usize {
        let is_it = |lane: &Lane| lane.is_in(&under.type_name) && !lane.is_aborted && !lane.is_over;
        let own = near.filter(|near| self.lanes.get(*near).is_some_and(is_it));
        let own = own.or_else(|| self.lanes.iter().position(is_it));
        own.unwrap_or_else(|| self.begin_under(under))
    }
}

impl Lane {
    fn is_in(&self, type_name: &str) -> bool {
        self.open
            .as_ref()
            .is_some_and(|(own, _)| **own == *type_name)
    }
}
