//! Searches for text in the recorded events or a large value: how a search starts and continues, and where it moves
//! the cursor.

use crate::session::Direction;
use crate::tui::action::Pane;
use crate::tui::app::{App, SLICE, scene};
use crate::tui::event_search::EventSearch;
use crate::tui::event_search::Searching;
use crate::tui::pane::{DataSearch, Looked, Match};
use crate::tui::theme::Role;
use std::time::Instant;

impl App {
    /// Starts to search for a text from the selected event on.
    pub(in crate::tui) fn find_event(&mut self, wanted: String, direction: Direction) {
        let pane = self.model.focus;
        let from = {
            scene!(self, scene);
            let paint = scene.paint_in(&self.model, &self.layout, pane);
            self.model.panes.timeline.selected(&paint)
        };
        let search = EventSearch::new(wanted, direction, from, pane);
        self.search = Some(Searching::Events(search));
        self.search_on();
    }

    /// Shows all events again.
    pub(in crate::tui) fn show_all_events(&mut self) {
        scene!(self, scene);
        let paint = scene.paint_in(&self.model, &self.layout, Pane::Timeline);
        let timeline = &mut self.model.panes.timeline;
        timeline.show_matching(&paint, None);
    }

    /// Performs the next part of the search.
    pub(in crate::tui) fn search_on(&mut self) {
        match self.search.take() {
            None => {}
            Some(Searching::Events(search)) => self.search_events(search),
            Some(Searching::Data(search)) => self.search_data(search),
        }
    }

    fn search_events(&mut self, mut search: EventSearch) {
        if search.look(&self.session) {
            let text = format!("looking for {} … (a key ends it)", search.wanted);
            self.model.say(text, Role::Info);
            self.search = Some(Searching::Events(search));
            return;
        }
        let (wanted, pane) = (search.wanted.clone(), search.pane);
        let Some((place, found)) = search.result() else {
            return self.say_nowhere(&wanted, pane);
        };
        let (number, count) = (place + 1, found.len());
        let event = found.get(place).copied().unwrap_or(0);
        scene!(self, scene);
        let paint = scene.paint_in(&self.model, &self.layout, Pane::Timeline);
        let timeline = &mut self.model.panes.timeline;
        timeline.show_matching(&paint, Some((wanted, found)));
        timeline.select(&paint, event);
        self.model.say(
            format!("match {number} of {count}: event {event}"),
            Role::Info,
        );
    }

    fn search_data(&mut self, mut search: Box<DataSearch>) {
        let started = Instant::now();
        let looked = {
            scene!(self, scene);
            let paint = scene.paint_in(&self.model, &self.layout, Pane::Data);
            let data = &mut self.model.panes.data;
            data.look(&paint, &mut search, || started.elapsed() < SLICE)
        };
        match looked {
            Looked::Here(found) => self.say_match(&found, ""),
            Looked::Nowhere => self.say_nowhere(&search.wanted, Pane::Data),
            Looked::Further(found) => {
                match found {
                    Some(found) => self.say_match(&found, " so far"),
                    None => {
                        let text = format!("looking for {} … (a key ends it)", search.wanted);
                        self.model.say(text, Role::Info);
                    }
                }
                self.search = Some(Searching::Data(search));
            }
        }
    }

    /// Shows a message with the number of the selected match.
    pub(in crate::tui) fn say_match(&mut self, found: &Match, so_far: &str) {
        let Match {
            number,
            count,
            around,
        } = found;
        let text = format!("match {number} of {count}{so_far}: {around}");
        self.model.say(text, Role::Info);
    }

    fn say_nowhere(&mut self, wanted: &str, pane: Pane) {
        let text = format!("{wanted} is not found in {}", pane.name());
        self.model.say(text, Role::Warning);
        self.queue.clear();
    }
}
