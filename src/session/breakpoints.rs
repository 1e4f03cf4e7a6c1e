//! Breakpoints of a session: set, toggled, switched and taken away, and how often each was hit.
//!
//! It must not know when one stops.

use super::argument::Switch;
use super::breakpoint::{
    Breakpoint, BreakpointId, ErrorFilter, ErrorMoment, Location, Part, SourceBreakpoint,
    StateBreakpoint,
};
use super::breakpoint_location::{location_of_line, part_span, span_of};
use super::reply::{Refused, Reply, Resolved, Toggle, Unverified};
use super::session::Session;
use crate::definition::{Definition, StateId};
use crate::interpreter::{FrameId, Stage};
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
    /// Whether a difference of the profiles stops.
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

impl Session {
    /// Where a breakpoint stands in the text in force.
    fn resolved(&self, id: BreakpointId) -> Resolved {
        let mut placed = self.breakpoints.placed.iter();
        let placed = placed.find(|placed| placed.id == id);
        debug_assert!(placed.is_some(), "breakpoint {} was just set", id.0);
        placed.map_or_else(
            || nowhere(Unverified::NoPart),
            |placed| placed.resolved(&self.setup.definition),
        )
    }

    pub(super) fn add_breakpoint(&mut self, breakpoint: Breakpoint) -> Reply {
        let id = self.breakpoints.add(breakpoint);
        self.sample_data_breakpoints();
        Reply::Breakpoint(self.resolved(id))
    }

    /// One breakpoint becomes another under its number; its hits count on.
    pub(super) fn change_breakpoint(
        &mut self,
        id: BreakpointId,
        breakpoint: Breakpoint,
    ) -> Result<Reply, Refused> {
        self.breakpoints.find(id)?.breakpoint = breakpoint;
        self.sample_data_breakpoints();
        Ok(Reply::Breakpoint(self.resolved(id)))
    }

    pub(super) fn add_breakpoint_on_line(
        &mut self,
        source: SourceId,
        wanted: SourceBreakpoint,
    ) -> Result<Reply, Refused> {
        let line = wanted.line;
        let (at, _) = location_of_line(&self.setup.definition, source, line)
            .ok_or(Refused::LineWithoutState(line))?;
        Ok(self.add_breakpoint(wanted.breakpoint(at)))
    }

    pub(super) fn toggle_state(&mut self, state: StateId) -> Result<Reply, Refused> {
        let state = self.setup.definition.state(state);
        let path = state.map(|state| state.path.clone());
        let path = path.ok_or(Refused::NoState)?;
        Ok(self.toggle(Location::State(path), None))
    }

    pub(super) fn toggle_line(&mut self, source: SourceId, line: usize) -> Result<Reply, Refused> {
        let (location, own) = location_of_line(&self.setup.definition, source, line)
            .ok_or(Refused::LineWithoutState(line))?;
        Ok(self.toggle(location, (own != line).then_some((line, own))))
    }

    pub(super) fn toggle(&mut self, at: Location, moved: Option<(usize, usize)>) -> Reply {
        let toggle = match self.breakpoints.toggle(at) {
            Toggled::Set(id) => {
                self.sample_data_breakpoints();
                Toggle::Set(self.resolved(id))
            }
            Toggled::Gone(id) => Toggle::Gone(id),
            Toggled::Switched(id, switch) => Toggle::Switched(id, switch),
        };
        Reply::Toggled { toggle, moved }
    }

    /// The breakpoints on lines of a source, all at once.
    pub(super) fn set_line_breakpoints(
        &mut self,
        source: SourceId,
        wanted: Vec<SourceBreakpoint>,
    ) -> Reply {
        let definition = &self.setup.definition;
        let wanted =
            wanted
                .into_iter()
                .map(|one| match location_of_line(definition, source, one.line) {
                    Some((at, _)) => Ok(one.breakpoint(at)),
                    None => Err(Unverified::LineWithoutState(one.line)),
                });
        let wanted = wanted.collect();
        self.set_list(List::Lines(source), wanted)
    }

    /// The breakpoints on the entry of states, all at once.
    pub(super) fn set_state_breakpoints(&mut self, wanted: Vec<StateBreakpoint>) -> Reply {
        let definition = &self.setup.definition;
        let wanted = wanted.into_iter().map(|one| {
            let id = definition.find_by_name(&one.state);
            let path = id
                .and_then(|id| definition.state(id))
                .map(|state| &state.path);
            match path {
                Some(path) => Ok(one.breakpoint(Location::State(path.clone()))),
                None => Err(Unverified::NoState(one.state)),
            }
        });
        let wanted = wanted.collect();
        self.set_list(List::States, wanted)
    }

    /// Which errors stop, all at once, and whether a difference of the profiles does.
    pub(super) fn set_error_filters(
        &mut self,
        filters: Vec<ErrorFilter>,
        differences: Switch,
    ) -> Reply {
        self.breakpoints.differences = differences == Switch::On;
        self.breakpoints.moments.clear();
        let mut narrow = Vec::new();
        for filter in filters {
            if filter.pattern.is_none() && filter.condition.is_none() {
                self.breakpoints.moments.insert(filter.moment);
            } else {
                narrow.push(Ok(filter.breakpoint()));
            }
        }
        self.set_list(List::Errors, narrow)
    }

    fn set_list(&mut self, list: List, wanted: Vec<Result<Breakpoint, Unverified>>) -> Reply {
        let ids = self.breakpoints.replace(list, wanted);
        self.sample_data_breakpoints();
        let resolved = ids.into_iter().map(|id| match id {
            Ok(id) => self.resolved(id),
            Err(why) => nowhere(why),
        });
        Reply::Breakpoints(resolved.collect())
    }

    /// Notes what every data breakpoint sees now.
    pub(super) fn sample_data_breakpoints(&mut self) {
        let Some(focus) = self.focus_frame().map(|frame| frame.id) else {
            return;
        };
        let values: Vec<_> = self
            .breakpoints
            .placed
            .iter()
            .map(|placed| match &placed.breakpoint.at {
                Location::Data(path) => Some((focus, self.evaluate(path))),
                _ => None,
            })
            .collect();
        for (placed, value) in self.breakpoints.placed.iter_mut().zip(values) {
            placed.seen = value;
        }
    }
}

impl Part {
    /// The stage whose computing a field's breakpoint means.
    #[must_use]
    pub fn stage(&self) -> Option<Stage> {
        let Self::Field(name) = self else { return None };
        let by_field = Stage::ALL
            .into_iter()
            .find(|stage| stage.field() == Some(&**name));
        by_field.or(match &**name {
            "Result" => Some(Stage::Result),
            "ItemSelector" => Some(Stage::AfterItemsPath),
            _ => None,
        })
    }
}
