//! Finding a text among the recorded events, some at a time, so that keys are answered meanwhile.
//!
//! It must not know how a row is drawn.

use super::action::Pane;
use super::app::{App, scene};
use super::theme::Role;
use crate::session::Direction;
use crate::session::view::Found;

/// So many events are looked at before the next key is.
const AT_ONCE: u64 = 2_000;

/// A search that is under way.
pub(super) struct EventSearch {
    wanted: String,
    direction: Direction,
    /// The next event to be looked at.
    at: u64,
    /// The pane that it was begun in.
    pane: Pane,
}

impl App {
    /// Begins to look for a text from the cursor on.
    pub(super) fn find_event(&mut self, wanted: String, direction: Direction) {
        let cursor = self.view.header.event;
        let at = match direction {
            Direction::Forward => cursor.saturating_add(1),
            Direction::Backward => cursor.saturating_sub(1),
        };
        self.search = Some(EventSearch {
            wanted,
            direction,
            at,
            pane: self.model.focus,
        });
        self.search_on();
    }

    /// The next events of the search.
    pub(super) fn search_on(&mut self) {
        let Some(search) = self.search.take() else {
            return;
        };
        let EventSearch {
            wanted,
            direction,
            at,
            pane,
        } = &search;
        match self.session.find_event(wanted, *direction, *at, AT_ONCE) {
            Found::At(event) => {
                scene!(self, scene);
                let material = scene.material(&self.model, &self.layout, *pane);
                let panes = &mut self.model.panes;
                panes.timeline.select(&material.paint, event);
            }
            Found::Further(at) => self.search = Some(EventSearch { at, ..search }),
            Found::Nowhere => {
                let text = format!("{wanted} is not found in {}", pane.name());
                self.model.say(text, Role::Warning);
            }
        }
    }
}
