//! Breakpoints of a session: set, toggled, switched and taken away, and how often each was hit.
//!
//! It must not know when one stops.

use super::breakpoint::{Breakpoint, BreakpointId, ErrorMoment, Location, Part};
use super::command::Switch;
use super::session::Session;
use crate::definition::StateId;
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
}

impl PlacedBreakpoint {
    /// Notes a hit; the how manieth it is. An event that is walked through again is no new one.
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
}

/// All that stops a run.
#[derive(Debug)]
pub(super) struct Breakpoints {
    /// In the order in which they were set.
    pub placed: Vec<PlacedBreakpoint>,
    /// The number of the next one.
    pub next: u32,
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

impl Session {
    pub(super) fn add_breakpoint(&mut self, breakpoint: Breakpoint) {
        let id = BreakpointId(self.breakpoints.next);
        self.breakpoints.next += 1;
        self.say(format!("breakpoint {}: {}", id.0, breakpoint.at));
        self.breakpoints.placed.push(PlacedBreakpoint {
            id,
            breakpoint,
            enabled: true,
            hits: Vec::new(),
            seen: None,
        });
        self.sample_data_breakpoints();
    }

    pub(super) fn toggle_state(&mut self, state: StateId) {
        let Some(path) = self
            .setup
            .definition
            .state(state)
            .map(|state| state.path.clone())
        else {
            return;
        };
        self.toggle(Location::State(path));
    }

    pub(super) fn toggle_line(&mut self, source: SourceId, line: usize) {
        match super::breakpoint_location::location_of_line(&self.setup.definition, source, line) {
            None => self.refuse(format!("line {line} belongs to no state")),
            Some((location, own)) => {
                self.toggle(location);
                if own != line {
                    self.say(format!(
                        "line {line} has nothing that happens; taken for line {own}"
                    ));
                }
            }
        }
    }

    /// A plain one goes away; one with a condition, hit count or message is switched instead, never lost.
    fn toggle(&mut self, at: Location) {
        let Some(place) = self
            .breakpoints
            .placed
            .iter()
            .position(|placed| placed.breakpoint.at == at)
        else {
            return self.add_breakpoint(Breakpoint::at(at));
        };
        let plain = self
            .breakpoints
            .placed
            .get(place)
            .is_some_and(|placed| placed.breakpoint == Breakpoint::at(at));
        if plain {
            let gone = self.breakpoints.placed.remove(place);
            return self.say(format!("breakpoint {} is gone", gone.id.0));
        }
        if let Some(placed) = self.breakpoints.placed.get_mut(place) {
            placed.enabled = !placed.enabled;
            let (id, word) = (placed.id.0, if placed.enabled { "on" } else { "off" });
            self.say(format!("breakpoint {id} is {word}"));
        }
    }

    pub(super) fn enable(&mut self, id: BreakpointId, switch: Switch) {
        match self
            .breakpoints
            .placed
            .iter_mut()
            .find(|placed| placed.id == id)
        {
            Some(placed) => placed.enabled = switch == Switch::On,
            None => self.refuse(format!("there is no breakpoint {}", id.0)),
        }
    }

    pub(super) fn remove(&mut self, id: BreakpointId) {
        let before = self.breakpoints.placed.len();
        self.breakpoints.placed.retain(|placed| placed.id != id);
        if self.breakpoints.placed.len() == before {
            self.refuse(format!("there is no breakpoint {}", id.0));
        }
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
