//! Generates the events that must have happened before the first recorded event.

use super::{Before, Lane, Under};
use crate::definition::{MapMode, State, StateId, StateKind, Transition, reach};
use crate::interpreter::kind_of;
use crate::json::Text;
use crate::session::recorded::event::{Payload, RecordedEvent, UNKNOWN_IDS};
use std::collections::{HashMap, HashSet};

impl Before<'_> {
    /// Returns the generated events, followed by the recorded events.
    pub(super) fn make(self) -> Vec<RecordedEvent> {
        let Some(root) = self.root else {
            return self.events.to_vec();
        };
        let mut made = Made {
            events: Vec::new(),
            unknown: HashMap::new(),
            previous: HashMap::new(),
            beside: HashMap::new(),
            time: self.events.first().and_then(|event| event.time),
        };
        let mut inner: HashMap<usize, Vec<usize>> = HashMap::new();
        for (at, lane) in self.lanes.iter().enumerate().rev() {
            if let Some(parent) = lane.parent.filter(|_| !lane.is_later) {
                inner.entry(parent).or_default().push(at);
            }
        }
        let started = made.add("ExecutionStarted", None, 0);
        let mut open = vec![(root, started)];
        let mut seen = HashSet::new();
        while let Some((at, mut last)) = open.pop() {
            let Some(lane) = self.lanes.get(at).filter(|_| seen.insert(at)) else {
                continue;
            };
            if !lane.is_whole {
                last = self.begin_lane(&mut made, lane, last);
            }
            let (mut is_begun, mut within) = (false, last);
            if let Some(under) = &lane.under {
                let name = under.name.clone();
                let name = name.unwrap_or_else(|| made.unknown(lane.parent, &under.type_name));
                let state = self.state(lane, &name).map(State::type_name);
                let type_name = state.unwrap_or(&under.type_name);
                last = made.add(&format!("{type_name}StateEntered"), Some(&name), last);
                is_begun = under.begun;
                if is_begun {
                    within = self.begin_work(&mut made, at, under, &name, last);
                    last = within;
                }
                if under.ended {
                    let failed = self.left_by_catch(at, &name);
                    last = made.work_over(&under.type_name, failed, last);
                }
                if under.left {
                    last = made.add(&format!("{type_name}StateExited"), Some(&name), last);
                }
            }
            let is_known = |place: usize| {
                let previous = self.events.get(place).and_then(|event| event.previous);
                previous.is_some_and(|previous| self.places.contains_key(&previous))
            };
            if let Some(first) = lane.first.filter(|first| !is_known(*first)) {
                made.previous.insert(first, last);
            }
            let inner = inner.get(&at).filter(|_| is_begun);
            open.extend(inner.into_iter().flatten().map(|inner| (*inner, within)));
        }
        let mut last: HashMap<usize, usize> = HashMap::new();
        for (place, event) in self.events.iter().enumerate() {
            let Some(lane) = self.lane_of.get(place).copied().flatten() else {
                continue;
            };
            // A recorded event whose predecessor is missing follows the previous event of its frame.
            let before = last.insert(lane, place);
            let is_missing = event
                .previous
                .is_some_and(|previous| !self.places.contains_key(&previous));
            if let Some(before) = before.filter(|_| is_missing) {
                made.beside.insert(place, before);
            }
        }
        made.before(self.events)
    }

    /// Generates the first events of a frame: the start of an item, and the states before the first known state, if
    /// there is only one path to it.
    fn begin_lane(&self, made: &mut Made, lane: &Lane, mut last: u32) -> u32 {
        let owner = lane.parent.and_then(|parent| self.lanes.get(parent));
        let map = owner.and_then(|owner| owner.under.as_ref());
        if let Some(under) = map.filter(|under| &*under.type_name == "Map") {
            let item = lane.item.as_ref();
            let name = under.name.as_ref().or(item.map(|(_, map)| map));
            last = made.add("MapIterationStarted", name, last);
            if let Some(event) = made.events.last_mut() {
                event.index = item.map(|(index, _)| *index);
            }
        }
        let first = lane.names.first();
        let way = first.map_or_else(Vec::new, |first| self.way(lane, first));
        for (at, id) in way.iter().enumerate() {
            let Some(state) = self.definition.and_then(|definition| definition.state(*id)) else {
                continue;
            };
            let (type_name, name) = (state.type_name(), Some(&state.name));
            last = made.add(&format!("{type_name}StateEntered"), name, last);
            let next = way
                .get(at + 1)
                .and_then(|next| self.definition?.state(*next));
            let next = next.map(|next| &next.name).or(first);
            let failed = next.is_some_and(|next| is_caught(state, next));
            last = made.work(type_name, 0, last);
            last = made.work_over(type_name, failed, last);
            last = made.add(&format!("{type_name}StateExited"), name, last);
        }
        last
    }

    /// The states that a frame must have passed before its first known state; empty if there are several possible
    /// paths.
    fn way(&self, lane: &Lane, first: &Text) -> Vec<StateId> {
        let known = || {
            let definition = self.definition?;
            let scope = lane.scope?;
            let goal = self.outline.state(scope, first)?;
            let mut at = definition.scope(scope)?.start_at.as_ref()?.state?;
            let leads = |from: StateId| -> Vec<StateId> {
                let state = definition.state(from);
                let targets = state.into_iter().flat_map(|state| state.targets());
                targets.filter_map(|target| target.state).collect()
            };
            // The states from which the first known state is reachable.
            let reaching: HashSet<StateId> = reach([goal], |to| {
                let before = definition.state_ids().filter(|id| {
                    let is_inside = definition
                        .state(*id)
                        .is_some_and(|state| state.scope == scope);
                    is_inside && leads(*id).contains(&to)
                });
                before.collect::<Vec<_>>()
            });
            // If the first known state is in a loop, the frame may have passed it several times.
            if leads(goal).iter().any(|next| reaching.contains(next)) {
                return None;
            }
            let mut way = Vec::new();
            while at != goal {
                if way.contains(&at) {
                    return None;
                }
                way.push(at);
                let mut next = leads(at);
                next.retain(|to| reaching.contains(to));
                next.sort();
                next.dedup();
                let [only] = next[..] else { return None };
                at = only;
            }
            Some(way)
        };
        known().unwrap_or_default()
    }

    /// Generates the events that start the work of the Parallel, Map or Task that a frame was in, including the start
    /// of a Map Run.
    fn begin_work(&self, made: &mut Made, at: usize, under: &Under, name: &Text, last: u32) -> u32 {
        let items = self.lanes.iter();
        let items = items.filter(|lane| lane.parent == Some(at) && !lane.is_later);
        let (mut count, mut most) = (0, 0);
        for lane in items {
            count += 1;
            most = most.max(lane.item.as_ref().map_or(0, |(index, _)| index + 1));
        }
        let mut last = made.work(&under.type_name, most.max(count), last);
        let state = self.lanes.get(at).and_then(|lane| self.state(lane, name));
        let is_distributed = state.is_some_and(
            |state| matches!(&state.kind, StateKind::Map(map) if map.mode == MapMode::Distributed),
        );
        if (under.is_run || is_distributed) && !under.starts_run {
            last = made.add("MapRunStarted", None, last);
        }
        last
    }

    /// The state with this name in the scope of a frame, if the definition has it.
    fn state(&self, lane: &Lane, name: &Text) -> Option<&State> {
        let id = self.outline.state(lane.scope?, name)?;
        self.definition?.state(id)
    }

    /// True if the definition shows that a frame left the state with this name by a catcher.
    fn left_by_catch(&self, at: usize, name: &Text) -> bool {
        let known = || {
            let lane = self.lanes.get(at)?;
            let state = self.state(lane, name)?;
            let mut next = lane.names.iter().skip_while(|entered| *entered != name);
            Some(is_caught(state, next.find(|entered| *entered != name)?))
        };
        known().unwrap_or(false)
    }
}

/// True if a catcher leads from a state to the state `next`, and Next does not.
fn is_caught(state: &State, next: &Text) -> bool {
    let by_next = matches!(&state.transition, Transition::Next(to) if to.name == *next);
    let mut catchers = state.catch.iter();
    !by_next && catchers.any(|catcher| catcher.next.as_ref().is_some_and(|to| to.name == *next))
}

/// The generated events, numbered from 1. The number of an event serves as its id until the final ids are known.
struct Made {
    events: Vec<RecordedEvent>,
    /// Names for states that no recorded event names, by enclosing frame and type of the state.
    unknown: HashMap<(Option<usize>, Text), Text>,
    /// For recorded events, by index: the number of the generated event that led to them.
    previous: HashMap<usize, u32>,
    /// For recorded events with a missing predecessor, by index: the index of the event before them in the same frame.
    beside: HashMap<usize, usize>,
    time: Option<i64>,
}

impl Made {
    /// A name for a state that no recorded event names. Differs for each enclosing frame, because the names in a state
    /// machine are unique.
    fn unknown(&mut self, parent: Option<usize>, type_name: &str) -> Text {
        let count = self
            .unknown
            .keys()
            .filter(|(_, known)| **known == *type_name)
            .count();
        let name = match count {
            0 => format!("({type_name} not recorded)"),
            more => {
                let number = more + 1;
                format!("({type_name} {number} not recorded)")
            }
        };
        let known = self.unknown.entry((parent, type_name.into()));
        known.or_insert_with(|| name.into()).clone()
    }

    fn add(&mut self, type_name: &str, name: Option<&Text>, previous: u32) -> u32 {
        let id = u32::try_from(self.events.len() + 1).unwrap_or(u32::MAX);
        self.events.push(RecordedEvent {
            id,
            previous: Some(previous),
            time: self.time,
            type_name: type_name.into(),
            kind: kind_of(type_name),
            name: name.cloned(),
            data: Payload::Unknown,
            is_made: true,
            ..RecordedEvent::default()
        });
        id
    }

    /// Generates the events that start a state's work.
    fn work(&mut self, type_name: &str, items: u32, last: u32) -> u32 {
        match type_name {
            "Task" => self.add("TaskScheduled", None, last),
            "Parallel" => self.add("ParallelStateStarted", None, last),
            "Map" => {
                let last = self.add("MapStateStarted", None, last);
                if let Some(event) = self.events.last_mut() {
                    event.length = Some(items);
                }
                last
            }
            _ => last,
        }
    }

    /// Generates the event that ends a state's work.
    fn work_over(&mut self, type_name: &str, failed: bool, last: u32) -> u32 {
        let how = if failed { "Failed" } else { "Succeeded" };
        match type_name {
            "Task" => self.add(&format!("Task{how}"), None, last),
            "Parallel" | "Map" => self.add(&format!("{type_name}State{how}"), None, last),
            _ => last,
        }
    }

    /// Appends the recorded events to the generated events, and sets the ids of the generated events. If a recorded
    /// event follows a generated event, sets `previous` of the recorded event.
    fn before(mut self, recorded: &[RecordedEvent]) -> Vec<RecordedEvent> {
        let ids = self.ids(recorded);
        let id = |number: u32| ids.get(&number).copied().unwrap_or(0);
        for event in &mut self.events {
            event.id = id(event.id);
            event.previous = event.previous.map(id);
        }
        for (place, event) in recorded.iter().enumerate() {
            let mut event = event.clone();
            let beside = self.beside.get(&place).and_then(|at| recorded.get(*at));
            let made = self.previous.get(&place).copied().map(id);
            if let Some(previous) = made.or(beside.map(|beside| beside.id)) {
                event.previous = Some(previous);
            }
            self.events.push(event);
        }
        self.events
    }

    /// The ids of the generated events, by number. AWS's id of an event is known if as many events were generated as
    /// are missing, or if a recorded event has this id as `previousEventId`. All other events get ids that no recorded
    /// event has.
    fn ids(&self, recorded: &[RecordedEvent]) -> HashMap<u32, u32> {
        let first = recorded.first().map_or(0, |event| event.id);
        let numbers = self.events.iter().map(|event| event.id);
        if usize::try_from(first).is_ok_and(|first| first == self.events.len() + 1) {
            return numbers.map(|number| (number, number)).collect();
        }
        let mut taken = HashSet::new();
        let mut ids: HashMap<u32, u32> = HashMap::new();
        let started = (first > 1).then_some((1, 1));
        let named = self.previous.iter().filter_map(|(place, made)| {
            let id = recorded.get(*place)?.previous?;
            Some((*made, id))
        });
        let mut known: Vec<(u32, u32)> = started.into_iter().chain(named).collect();
        known.sort_unstable();
        for (made, id) in known {
            if (1..first).contains(&id) && !ids.contains_key(&made) && taken.insert(id) {
                ids.insert(made, id);
            }
        }
        for number in numbers {
            ids.entry(number).or_insert(UNKNOWN_IDS + number);
        }
        ids
    }
}
