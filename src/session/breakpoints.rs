//! Breakpoints of a session: set, toggled, switched and taken away, and how often each was hit.

use super::argument::Switch;
use super::breakpoint::{
    Breakpoint, BreakpointId, ErrorFilter, ErrorMoment, Location, SourceBreakpoint, StateBreakpoint,
};
use super::breakpoint_location::{location_of_line, part_span, span_of};
use super::condition_syntax::check_condition_at;
use super::reply::{Refused, Reply, Resolved, Toggle, Unverified};
use crate::definition::{Definition, StateId};
use crate::interpreter::FrameId;
use crate::json::Value;
use crate::source::SourceId;
use std::collections::BTreeSet;

/// A breakpoint with its number.
#[derive(Clone, Debug)]
pub(super) struct PlacedBreakpoint {
    pub id: BreakpointId,
    pub breakpoint: Breakpoint,
    pub enabled: bool,
    /// The events at which it was hit, ascending.
    pub hits: Vec<u64>,
    /// The frame in which a data breakpoint looked last, and what it saw.
    pub seen: Option<(FrameId, Result<Value, String>)>,
    /// The list that it was set with.
    list: List,
}

/// What sets breakpoints together: a new list of one kind takes the place of the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum List {
    /// None: it was set by itself.
    Single,
    /// The lines of a source.
    Lines(SourceId),
    /// The names of states.
    States,
    /// Filters of errors.
    Errors,
}

impl PlacedBreakpoint {
    /// Notes a hit; the ordinal of it, from 1. An event that is walked through again is no new one.
    pub(super) fn hit(&mut self, event: u64) -> u64 {
        let place = match self.hits.binary_search(&event) {
            Ok(place) => place,
            Err(place) => {
                self.hits.insert(place, event);
                place
            }
        };
        place as u64 + 1
    }

    /// How many hits there were up to an event.
    pub(super) fn hits_until(&self, event: u64) -> u64 {
        self.hits.partition_point(|hit| *hit <= event) as u64
    }

    /// Whether a hit at this event is one that stops, as far as hits count.
    pub(super) fn had_enough(&self, event: u64) -> bool {
        self.hits.binary_search(&event).is_err()
            || self.hits_until(event) >= self.breakpoint.hit_count
    }

    /// Where it stands in the text.
    fn resolved(&self, definition: &Definition) -> Resolved {
        let at = &self.breakpoint.at;
        let place = span_of(definition, at);
        let line = place.and_then(|(_, span)| definition.sources.place(span));
        Resolved {
            id: Some(self.id),
            at: Some(at.clone()),
            state: place.map(|(state, _)| state),
            span: place.map(|(_, span)| span),
            line: line.map(|place| place.line),
            unverified: unverified(definition, at),
        }
    }
}

/// Why a breakpoint can never stop in a definition.
fn unverified(definition: &Definition, at: &Location) -> Option<Unverified> {
    let path = match at {
        Location::State(path) | Location::Part(path, _) | Location::Item(path, _) => path,
        Location::Error(..) | Location::Data(_) => return None,
    };
    let Some(state) = definition.find(path).and_then(|id| definition.state(id)) else {
        return Some(Unverified::NoState(path.0.clone()));
    };
    match at {
        Location::Part(_, part) if part_span(state, part).is_none() => Some(Unverified::NoPart),
        _ => None,
    }
}

/// A breakpoint whose condition can be read: one that cannot would stop where it is not wanted.
fn readable(breakpoint: Breakpoint, definition: &Definition) -> Result<Breakpoint, Unverified> {
    let condition = breakpoint.condition.as_deref();
    match condition.map(|text| check_condition_at(text, Some(&breakpoint.at), definition)) {
        Some(Err(why)) => Err(Unverified::Condition(why)),
        Some(Ok(())) | None => Ok(breakpoint),
    }
}

/// A place of a list for which no breakpoint could be set.
fn nowhere(why: Unverified) -> Resolved {
    Resolved {
        id: None,
        at: None,
        state: None,
        span: None,
        line: None,
        unverified: Some(why),
    }
}

/// All that stops a run.
#[derive(Debug)]
pub(super) struct Breakpoints {
    /// In the order in which they were set.
    pub placed: Vec<PlacedBreakpoint>,
    /// The number of the next one.
    next: u32,
    /// The moments of errors that stop.
    pub moments: BTreeSet<ErrorMoment>,
    /// Whether a difference between the profiles stops.
    pub differences: bool,
}

impl Default for Breakpoints {
    fn default() -> Self {
        Self {
            placed: Vec::new(),
            next: 1,
            moments: BTreeSet::from([ErrorMoment::Uncaught]),
            differences: true,
        }
    }
}

impl Breakpoints {
    /// Sets one.
    pub fn add(&mut self, breakpoint: Breakpoint) -> BreakpointId {
        self.add_to(List::Single, breakpoint)
    }

    fn add_to(&mut self, list: List, breakpoint: Breakpoint) -> BreakpointId {
        let id = BreakpointId(self.next);
        self.next += 1;
        self.placed.push(PlacedBreakpoint {
            id,
            breakpoint,
            enabled: true,
            hits: Vec::new(),
            seen: None,
            list,
        });
        id
    }

    fn find(&mut self, id: BreakpointId) -> Result<&mut PlacedBreakpoint, Refused> {
        let mut placed = self.placed.iter_mut();
        placed
            .find(|placed| placed.id == id)
            .ok_or(Refused::NoBreakpoint(id))
    }

    /// Switches one on or off.
    pub fn enable(&mut self, id: BreakpointId, switch: Switch) -> Result<Reply, Refused> {
        self.find(id)?.enabled = switch == Switch::On;
        Ok(Reply::Done)
    }

    /// Switches one on that is off, and off one that is on.
    pub fn switch(&mut self, id: BreakpointId) -> Result<Reply, Refused> {
        let placed = self.find(id)?;
        placed.enabled = !placed.enabled;
        Ok(Reply::Done)
    }

    /// Takes one away.
    pub fn remove(&mut self, id: BreakpointId) -> Result<Reply, Refused> {
        self.find(id)?;
        self.placed.retain(|placed| placed.id != id);
        Ok(Reply::Done)
    }

    /// Whether a moment of errors stops.
    pub fn stop_on(&mut self, moment: ErrorMoment, switch: Switch) {
        match switch {
            Switch::On => self.moments.insert(moment),
            Switch::Off => self.moments.remove(&moment),
        };
    }

    /// Takes a hit one away that goes after its first stop.
    pub fn spend(&mut self, id: BreakpointId) {
        self.placed
            .retain(|placed| placed.id != id || !placed.breakpoint.once);
    }

    /// Another run begins: none was hit in it.
    pub fn forget_hits(&mut self) {
        for placed in &mut self.placed {
            placed.hits.clear();
            placed.seen = None;
        }
    }

    /// What was recorded after an event is given up: the hits in it as well.
    pub fn forget_hits_after(&mut self, event: u64) {
        for placed in &mut self.placed {
            let kept = placed.hits.partition_point(|hit| *hit <= event);
            placed.hits.truncate(kept);
        }
    }

    /// Whether one without condition or hits to wait for is on at a place.
    pub fn stops_always_at(&self, at: &Location) -> bool {
        self.placed.iter().any(|placed| {
            placed.enabled
                && placed.breakpoint.at == *at
                && placed.breakpoint.condition.is_none()
                && placed.breakpoint.hit_count <= 1
        })
    }

    /// A plain one goes away; one with a condition, hit count or message is switched instead, never lost.
    fn toggle(&mut self, at: Location) -> Toggled {
        let mut places = self.placed.iter();
        let Some(place) = places.position(|placed| placed.breakpoint.at == at) else {
            return Toggled::Set(self.add(Breakpoint::at(at)));
        };
        let plain = Breakpoint::at(at);
        match self.placed.get_mut(place) {
            Some(placed) if placed.breakpoint != plain => {
                placed.enabled = !placed.enabled;
                let switch = if placed.enabled {
                    Switch::On
                } else {
                    Switch::Off
                };
                Toggled::Switched(placed.id, switch)
            }
            _ => Toggled::Gone(self.placed.remove(place).id),
        }
    }

    /// Makes a list the only one of its kind; one that was set before by the same words keeps its number and its hits.
    fn replace(
        &mut self,
        list: List,
        wanted: Vec<Result<Breakpoint, Unverified>>,
    ) -> Vec<Result<BreakpointId, Unverified>> {
        let (mut old, others) = std::mem::take(&mut self.placed)
            .into_iter()
            .partition::<Vec<_>, _>(|placed| placed.list == list);
        self.placed = others;
        let mut ids = Vec::with_capacity(wanted.len());
        for breakpoint in wanted {
            ids.push(breakpoint.map(|breakpoint| {
                let same = old.iter().position(|own| own.breakpoint == breakpoint);
                match same.map(|place| old.remove(place)) {
                    Some(own) => {
                        let id = own.id;
                        self.placed.push(own);
                        id
                    }
                    None => self.add_to(list, breakpoint),
                }
            }));
        }
        self.placed.sort_by_key(|placed| placed.id);
        ids
    }
}

/// What became of a toggled breakpoint, before it is looked up in the text.
enum Toggled {
    Set(BreakpointId),
    Gone(BreakpointId),
    Switched(BreakpointId, Switch),
}

/// What each of these does, in the words of the commands; places are looked up in the definition in force.
impl Breakpoints {
    /// Where one stands in the text.
    fn resolved(&self, id: BreakpointId, definition: &Definition) -> Resolved {
        let mut placed = self.placed.iter();
        let placed = placed.find(|placed| placed.id == id);
        debug_assert!(placed.is_some(), "breakpoint {} was just set", id.0);
        placed.map_or_else(
            || nowhere(Unverified::NoPart),
            |placed| placed.resolved(definition),
        )
    }

    /// Sets one.
    pub fn set(&mut self, breakpoint: Breakpoint, definition: &Definition) -> Reply {
        let id = self.add(breakpoint);
        Reply::Breakpoint(self.resolved(id, definition))
    }

    /// One becomes another under its number; its hits count on.
    pub fn change(
        &mut self,
        id: BreakpointId,
        breakpoint: Breakpoint,
        definition: &Definition,
    ) -> Result<Reply, Refused> {
        self.find(id)?.breakpoint = breakpoint;
        Ok(Reply::Breakpoint(self.resolved(id, definition)))
    }

    /// Sets one on a line of a source.
    pub fn set_on_line(
        &mut self,
        source: SourceId,
        wanted: SourceBreakpoint,
        definition: &Definition,
    ) -> Result<Reply, Refused> {
        let line = wanted.line;
        let (at, _) = location_of_line(definition, source, line, wanted.column)
            .ok_or(Refused::LineWithoutState(line))?;
        Ok(self.set(wanted.breakpoint(at), definition))
    }

    /// Toggles the one on a state.
    pub fn toggle_state(
        &mut self,
        state: StateId,
        definition: &Definition,
    ) -> Result<Reply, Refused> {
        let state = definition.state(state).ok_or(Refused::NoState)?;
        Ok(self.toggle_at(Location::State(state.path.clone()), None, definition))
    }

    /// Toggles the one on a line of a source.
    pub fn toggle_line(
        &mut self,
        source: SourceId,
        line: usize,
        definition: &Definition,
    ) -> Result<Reply, Refused> {
        let (location, own) = location_of_line(definition, source, line, None)
            .ok_or(Refused::LineWithoutState(line))?;
        let moved = (own != line).then_some((line, own));
        Ok(self.toggle_at(location, moved, definition))
    }

    /// Toggles the one at a place; `moved` says of which line that was taken for which.
    pub fn toggle_at(
        &mut self,
        at: Location,
        moved: Option<(usize, usize)>,
        definition: &Definition,
    ) -> Reply {
        let toggle = match self.toggle(at) {
            Toggled::Set(id) => Toggle::Set(self.resolved(id, definition)),
            Toggled::Gone(id) => Toggle::Gone(id),
            Toggled::Switched(id, switch) => Toggle::Switched(id, switch),
        };
        Reply::Toggled { toggle, moved }
    }

    /// Those on lines of a source, all at once.
    pub fn set_lines(
        &mut self,
        source: SourceId,
        wanted: Vec<SourceBreakpoint>,
        definition: &Definition,
    ) -> Reply {
        let placed = |one: SourceBreakpoint| match location_of_line(
            definition, source, one.line, one.column,
        ) {
            Some((at, _)) => readable(one.breakpoint(at), definition),
            None => Err(Unverified::LineWithoutState(one.line)),
        };
        let wanted = wanted.into_iter().map(placed).collect();
        self.set_list(List::Lines(source), wanted, definition)
    }

    /// Those on the entry of states, all at once.
    pub fn set_states(&mut self, wanted: Vec<StateBreakpoint>, definition: &Definition) -> Reply {
        let placed = |one: StateBreakpoint| {
            let id = definition.find_by_name(&one.state);
            match id.and_then(|id| definition.state(id)) {
                Some(state) => {
                    let at = Location::State(state.path.clone());
                    readable(one.breakpoint(at), definition)
                }
                None => Err(Unverified::NoState(one.state)),
            }
        };
        let wanted = wanted.into_iter().map(placed).collect();
        self.set_list(List::States, wanted, definition)
    }

    /// Which errors stop, all at once, and whether a difference between the profiles does.
    pub fn set_error_filters(
        &mut self,
        filters: Vec<ErrorFilter>,
        differences: Switch,
        definition: &Definition,
    ) -> Reply {
        self.differences = differences == Switch::On;
        self.moments.clear();
        let mut narrow = Vec::new();
        for filter in filters {
            if filter.pattern.is_none() && filter.condition.is_none() {
                self.moments.insert(filter.moment);
            } else {
                narrow.push(Ok(filter.breakpoint()));
            }
        }
        self.set_list(List::Errors, narrow, definition)
    }

    fn set_list(
        &mut self,
        list: List,
        wanted: Vec<Result<Breakpoint, Unverified>>,
        definition: &Definition,
    ) -> Reply {
        let ids = self.replace(list, wanted);
        let resolved = ids.into_iter().map(|id| match id {
            Ok(id) => self.resolved(id, definition),
            Err(why) => nowhere(why),
        });
        Reply::Breakpoints(resolved.collect())
    }

    /// Notes what every one on data sees now in the frame that is followed.
    pub fn sample(&mut self, focus: FrameId, value: impl Fn(&str) -> Result<Value, String>) {
        for placed in &mut self.placed {
            placed.seen = match &placed.breakpoint.at {
                Location::Data(path) => Some((focus, value(path))),
                _ => None,
            };
        }
    }
}
