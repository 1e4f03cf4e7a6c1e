//! Finding a text among the recorded events: how the search begins, goes on, and where it puts the cursor.
//!
//! It must not know how a row is drawn.

use crate::session::Direction;
use crate::tui::app::{App, scene};
use crate::tui::event_search::{EventSearch, Found};
use crate::tui::theme::Role;

impl App {
    /// Begins to look for a text from the cursor on.
    pub(in crate::tui) fn find_event(&mut self, wanted: String, direction: Direction) {
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
    pub(in crate::tui) fn search_on(&mut self) {
        let Some(search) = self.search.take() else {
            return;
        };
        match search.look(&self.session) {
            Found::At(event) => {
                scene!(self, scene);
                let material = scene.material(&self.model, &self.layout, search.pane);
                let panes = &mut self.model.panes;
                panes.timeline.select(&material.paint, event);
            }
            Found::Further(at) => self.search = Some(EventSearch { at, ..search }),
            Found::Nowhere => {
                let EventSearch { wanted, pane, .. } = search;
                let text = format!("{wanted} is not found in {}", pane.name());
                self.model.say(text, Role::Warning);
            }
        }
    }
}
