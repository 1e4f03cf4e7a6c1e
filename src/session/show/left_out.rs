//! What a run that is over did without: states that were not reached, Waits that did not wait.
//!
//! It must not know errors, nor how it is drawn.

use super::end::LISTED;
use crate::definition::{State, StateId, StateKind};
use crate::interpreter::{Event, EventKind, NoWait, Stage};
use crate::session::no_items::NoItems;
use crate::session::session::Session;
use crate::session::tally::StateTally;
use crate::session::view::{EndView, LeftOut, NoItemsRow, NoWaitRow};
use std::collections::HashMap;

/// At most so many states that were not reached are listed.
const LEFT_OUT: usize = 40;

impl Session {
    /// A Wait that did not wait: once for each state.
    pub(super) fn note_no_wait(
        &self,
        end: &mut EndView,
        (number, event): (u64, &Event),
        why: &NoWait,
    ) {
        let same = (end.no_waits.iter_mut()).find(|one| one.state == event.state);
        if let Some(same) = same {
            same.times += 1;
        } else if end.no_waits.len() < LISTED {
            let state = event.state.and_then(|id| self.setup.definition.state(id));
            let place = state.and_then(|state| {
                let fields = ["TimestampPath", "Timestamp", "SecondsPath", "Seconds"];
                let field = fields.iter().find_map(|name| state.field(name))?;
                self.setup.definition.sources.place(field.value)
            });
            end.no_waits.push(NoWaitRow {
                number,
                state: event.state,
                line: place.map(|place| place.line),
                why: why.clone(),
                times: 1,
            });
        }
    }

    /// A Map that had no items: once for each state.
    pub(super) fn note_no_items(
        &self,
        end: &mut EndView,
        (number, event): (u64, &Event),
        why: &NoItems,
    ) {
        let Some(id) = event.state else { return };
        let had_any = |own: &StateTally| own.items().1 > 0;
        if self.snapshot().tally.get(id).is_some_and(had_any) {
            return;
        }
        let same = (end.no_items.iter_mut()).find(|one| one.state == id);
        if let Some(same) = same {
            same.times += 1;
            return;
        }
        let state = self.setup.definition.state(id);
        let span = state.map(|state| {
            let fields = ["ItemReader", "Items", "ItemsPath"];
            let field = fields.iter().find_map(|name| state.field(name));
            field.map_or(state.name_span, |field| field.value)
        });
        let place = span.and_then(|span| self.setup.definition.sources.place(span));
        end.no_items.push(NoItemsRow {
            number: self.made_items(number, event).unwrap_or(number),
            state: id,
            line: place.map(|place| place.line),
            why: why.clone(),
            times: 1,
        });
    }

    /// The event that made the array of the Map that an event leaves.
    fn made_items(&self, number: u64, left: &Event) -> Option<u64> {
        let timeline = &self.recording.timeline;
        let own = (1..number).rev().map_while(|number| {
            let event = timeline.get(number)?;
            let entered = event.kind == EventKind::StateEntered && event.frame == left.frame;
            (!entered).then_some((number, event))
        });
        let mut made = own.filter(|(_, event)| {
            event.frame == left.frame && event.kind == EventKind::Stage(Stage::AfterItemsPath)
        });
        made.next().map(|(number, _)| number)
    }

    /// The states that were not reached.
    pub(super) fn left_out(&self, end: &mut EndView) {
        let definition = &self.setup.definition;
        let tally = &self.snapshot().tally;
        let ran = |id: &StateId| tally.get(*id).is_some_and(|own| own.visits > 0);
        let line = |id: StateId| {
            let state = definition.state(id)?;
            Some(definition.sources.place(state.name_span)?.line)
        };
        let mut by: HashMap<StateId, StateId> = HashMap::new();
        for id in definition.state_ids().filter(ran) {
            let state = definition.state(id);
            let state = state.filter(|state| matches!(state.kind, StateKind::Choice(_)));
            for target in state.into_iter().flat_map(State::targets) {
                if let Some(target) = target.state {
                    // Of several the last one in the text: those before it led to it.
                    by.insert(target, id);
                }
            }
        }
        let mut rows: Vec<LeftOut> = (definition.state_ids())
            .filter(|id| !ran(id))
            .map(|state| LeftOut {
                state,
                line: line(state),
                by: by.get(&state).map(|id| (*id, line(*id))),
            })
            .collect();
        rows.sort_by_key(|row| row.by.is_none());
        end.not_reached = rows.len();
        rows.truncate(LEFT_OUT);
        end.left_out = rows;
    }
}
