//! The breakpoints of a session, the commands that change them, and their hits.

use super::breakpoint::{
    Breakpoint, BreakpointId, ErrorFilter, ErrorMoment, Location, SourceBreakpoint,
    StateBreakpoint, location_of_line, part_span, span_of,
};
use super::condition_syntax::check_condition_at;
use super::reply::{Refused, Reply, Resolved, Switch, Toggle, Unverified};
use crate::definition::{Definition, StateId};
use crate::interpreter::FrameId;
use crate::json::Value;
use crate::source::SourceId;
use std::collections::{BTreeSet, HashMap};

/// A breakpoint that was set, with its id and its hits.
#[derive(Clone, Debug)]
pub(super) struct PlacedBreakpoint {
    pub id: BreakpointId,
    pub breakpoint: Breakpoint,
    pub enabled: bool,
    /// Numbers of the events at which the breakpoint was hit, ascending.
    pub hits: Vec<u64>,
    /// The list to which this breakpoint belongs; its breakpoints are set together.
    list: List,
}

/// A list of breakpoints that are set together. A new list replaces the previous list of the same kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum List {
    /// No list: the breakpoint was set alone.
    Single,
    /// Breakpoints on lines of this source.
    Lines(SourceId),
    /// Breakpoints on names of states.
    States,
    /// Breakpoints on moments of errors (error filters).
    Errors,
}

impl PlacedBreakpoint {
    /// Records a hit and returns its ordinal, starting at 1. An event that is replayed does not count again.
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

    /// Number of hits before or at an event.
    pub(super) fn hits_until(&self, event: u64) -> u64 {
        self.hits.partition_point(|hit| *hit <= event) as u64
    }

    /// False if the hit count prevents a stop at this event: the event is recorded as a hit, but there are fewer hits
    /// up to this event than the hit count demands.
    pub(super) fn had_enough(&self, event: u64) -> bool {
        self.hits.binary_search(&event).is_err()
            || self.hits_until(event) >= self.breakpoint.hit_count
    }

    /// The breakpoint with its location in the source.
    fn resolved(&self, definition: &Definition) -> Resolved {
        let at = &self.breakpoint.at;
        let place = span_of(definition, at);
        Resolved {
            id: Some(self.id),
            at: Some(at.clone()),
            state: place.map(|(state, _)| state),
            span: place.map(|(_, span)| span),
            line: definition.sources.line(place.map(|(_, span)| span)),
            unverified: unverified(definition, at),
        }
    }
}

/// The reason why a breakpoint can never stop in a definition.
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

/// Rejects a breakpoint whose condition cannot be parsed. If it were set, it would stop at every hit, because its
/// condition cannot be evaluated.
fn readable(breakpoint: Breakpoint, definition: &Definition) -> Result<Breakpoint, Unverified> {
    let condition = breakpoint.condition.as_deref();
    match condition.map(|text| check_condition_at(text, Some(&breakpoint.at), definition)) {
        Some(Err(why)) => Err(Unverified::Condition(why)),
        Some(Ok(())) | None => Ok(breakpoint),
    }
}

/// The result for a breakpoint that could not be set, as part of the reply to a list of breakpoints; contains the
/// reason.
fn nowhere(why: Unverified) -> Resolved {
    Resolved {
        unverified: Some(why),
        ..Resolved::default()
    }
}

/// The values that the paths of the data breakpoints had in one frame, when the paths were last evaluated.
#[derive(Clone, Debug)]
pub(super) struct DataSeen {
    pub focus: FrameId,
    pub seen: HashMap<BreakpointId, Result<Value, String>>,
}

impl DataSeen {
    /// Creates an empty record for a frame.
    pub fn at(focus: FrameId) -> Self {
        Self {
            focus,
            seen: HashMap::new(),
        }
    }
}

/// All breakpoints, and the other settings that make a run stop.
#[derive(Clone, Debug)]
pub(super) struct Breakpoints {
    /// Breakpoints in the order in which they were set.
    pub placed: Vec<PlacedBreakpoint>,
    /// Id of the next breakpoint.
    next: u32,
    /// The moments of errors (such as raised or caught) at which the run stops.
    pub moments: BTreeSet<ErrorMoment>,
    /// True if the run stops at differences between the profiles.
    pub differences: bool,
    /// Values of the data breakpoints at the last event.
    pub data: DataSeen,
}

impl Default for Breakpoints {
    fn default() -> Self {
        Self {
            placed: Vec::new(),
            next: 1,
            moments: BTreeSet::from([ErrorMoment::Uncaught]),
            differences: true,
            data: DataSeen::at(FrameId(0)),
        }
    }
}

impl Breakpoints {
    /// Adds a breakpoint.
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

    /// Enables or disables a breakpoint.
    pub fn enable(&mut self, id: BreakpointId, switch: Switch) -> Result<Reply, Refused> {
        self.find(id)?.enabled = switch == Switch::On;
        Ok(Reply::Done)
    }

    /// Enables a disabled breakpoint, and disables an enabled one.
    pub fn switch(&mut self, id: BreakpointId) -> Result<Reply, Refused> {
        let placed = self.find(id)?;
        placed.enabled = !placed.enabled;
        Ok(Reply::Done)
    }

    /// Removes a breakpoint.
    pub fn remove(&mut self, id: BreakpointId) -> Result<Reply, Refused> {
        self.find(id)?;
        self.placed.retain(|placed| placed.id != id);
        Ok(Reply::Done)
    }

    /// Sets whether to stop at an error moment.
    pub fn stop_on(&mut self, moment: ErrorMoment, switch: Switch) {
        match switch {
            Switch::On => self.moments.insert(moment),
            Switch::Off => self.moments.remove(&moment),
        };
    }

    /// Removes a one-time breakpoint after its hit; other breakpoints stay.
    pub fn spend(&mut self, id: BreakpointId) {
        self.placed
            .retain(|placed| placed.id != id || !placed.breakpoint.once);
    }

    /// Clears all hits, because a new run begins.
    pub fn forget_hits(&mut self) {
        for placed in &mut self.placed {
            placed.hits.clear();
        }
        self.data.seen.clear();
    }

    /// Clears the hits after an event, because the recorded events after that event are discarded.
    pub fn forget_hits_after(&mut self, event: u64) {
        for placed in &mut self.placed {
            let kept = placed.hits.partition_point(|hit| *hit <= event);
            placed.hits.truncate(kept);
        }
    }

    /// True if an enabled breakpoint without a condition or hit count is at a location.
    pub fn stops_always_at(&self, at: &Location) -> bool {
        self.placed.iter().any(|placed| {
            placed.enabled
                && placed.breakpoint.at == *at
                && placed.breakpoint.condition.is_none()
                && placed.breakpoint.hit_count <= 1
        })
    }

    /// Sets a breakpoint if the location has none; removes the existing breakpoint if it has no further settings. A
    /// breakpoint with a condition, a hit count or a message is only enabled or disabled, so that its settings are not
    /// lost.
    fn toggle(&mut self, at: Location, definition: &Definition) -> Toggle {
        let mut places = self.placed.iter();
        let Some(place) = places.position(|placed| placed.breakpoint.at == at) else {
            let id = self.add(Breakpoint::at(at));
            return Toggle::Set(self.resolved(id, definition));
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
                Toggle::Switched(placed.id, switch)
            }
            _ => Toggle::Gone(self.placed.remove(place).id),
        }
    }

    /// Replaces all breakpoints of a list. A breakpoint that is set again without changes keeps its id and its hits.
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
                let same = old.iter().position(|kept| kept.breakpoint == breakpoint);
                match same.map(|place| old.remove(place)) {
                    Some(kept) => {
                        let id = kept.id;
                        self.placed.push(kept);
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

/// Implementations of the breakpoint commands; locations are resolved in the current definition.
impl Breakpoints {
    /// The breakpoint with its location in the source.
    fn resolved(&self, id: BreakpointId, definition: &Definition) -> Resolved {
        let mut placed = self.placed.iter();
        let placed = placed.find(|placed| placed.id == id);
        debug_assert!(
            placed.is_some(),
            "breakpoint {number} is missing, although it was just set",
            number = id.0
        );
        placed.map_or_else(
            || nowhere(Unverified::NoPart),
            |placed| placed.resolved(definition),
        )
    }

    /// Sets a breakpoint.
    pub fn set(&mut self, breakpoint: Breakpoint, definition: &Definition) -> Reply {
        let id = self.add(breakpoint);
        Reply::Breakpoint(self.resolved(id, definition))
    }

    /// Changes a breakpoint, whose id and hits stay the same.
    pub fn change(
        &mut self,
        id: BreakpointId,
        breakpoint: Breakpoint,
        definition: &Definition,
    ) -> Result<Reply, Refused> {
        self.find(id)?.breakpoint = breakpoint;
        Ok(Reply::Breakpoint(self.resolved(id, definition)))
    }

    /// Sets a breakpoint on a line of a source.
    pub fn set_on_line(
        &mut self,
        source: SourceId,
        wanted: SourceBreakpoint,
        definition: &Definition,
    ) -> Result<Reply, Refused> {
        let (line, column) = wanted.at;
        let (at, _) = location_of_line(definition, source, line, column)
            .ok_or(Refused::LineWithoutState(line))?;
        Ok(self.set(wanted.moved_to(at), definition))
    }

    /// Toggles the breakpoint on a state.
    pub fn toggle_state(
        &mut self,
        state: StateId,
        definition: &Definition,
    ) -> Result<Reply, Refused> {
        let state = definition.state(state).ok_or(Refused::NoState)?;
        Ok(self.toggle_at(Location::State(state.path.clone()), None, definition))
    }

    /// Toggles the breakpoint on a line of a source.
    pub fn toggle_line(
        &mut self,
        source: SourceId,
        line: usize,
        definition: &Definition,
    ) -> Result<Reply, Refused> {
        let (location, actual) = location_of_line(definition, source, line, None)
            .ok_or(Refused::LineWithoutState(line))?;
        let moved = (actual != line).then_some((line, actual));
        Ok(self.toggle_at(location, moved, definition))
    }

    /// Toggles the breakpoint at a location. `moved` has the requested line and the line that is used in its place, if
    /// they differ.
    pub fn toggle_at(
        &mut self,
        at: Location,
        moved: Option<(usize, usize)>,
        definition: &Definition,
    ) -> Reply {
        let toggle = self.toggle(at, definition);
        Reply::Toggled { toggle, moved }
    }

    /// Replaces all breakpoints on lines of a source.
    pub fn set_lines(
        &mut self,
        source: SourceId,
        wanted: Vec<SourceBreakpoint>,
        definition: &Definition,
    ) -> Reply {
        let placed = |wanted: SourceBreakpoint| {
            let (line, column) = wanted.at;
            match location_of_line(definition, source, line, column) {
                Some((at, _)) => readable(wanted.moved_to(at), definition),
                None => Err(Unverified::LineWithoutState(line)),
            }
        };
        let wanted = wanted.into_iter().map(placed).collect();
        self.set_list(List::Lines(source), wanted, definition)
    }

    /// Replaces all breakpoints on states.
    pub fn set_states(&mut self, wanted: Vec<StateBreakpoint>, definition: &Definition) -> Reply {
        let placed = |wanted: StateBreakpoint| {
            let id = definition.find_by_name(&wanted.at);
            match id.and_then(|id| definition.state(id)) {
                Some(state) => {
                    let at = Location::State(state.path.clone());
                    readable(wanted.moved_to(at), definition)
                }
                None => Err(Unverified::NoState(wanted.at)),
            }
        };
        let wanted = wanted.into_iter().map(placed).collect();
        self.set_list(List::States, wanted, definition)
    }

    /// Replaces the error filters, and sets whether to stop at differences between the profiles.
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
            match filter.at.clone() {
                (moment, None) if filter.condition.is_none() => {
                    self.moments.insert(moment);
                }
                (moment, pattern) => {
                    let pattern = pattern.unwrap_or_else(|| "*".into());
                    narrow.push(Ok(filter.moved_to(Location::Error(moment, pattern))));
                }
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

    /// Records the current value of each data breakpoint in the focus frame.
    pub fn sample(&mut self, focus: FrameId, value: impl Fn(&str) -> Result<Value, String>) {
        self.data = DataSeen::at(focus);
        for placed in &self.placed {
            if let Location::Data(path) = &placed.breakpoint.at {
                self.data.seen.insert(placed.id, value(path));
            }
        }
    }
}
