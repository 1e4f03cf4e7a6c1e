//! Searches for text in the recorded events or a large value: how a search starts and continues, and where it moves
//! the cursor.

use crate::definition::Definition;
use crate::session::view::EventRow;
use crate::session::{Direction, Session};
use crate::tui::action::Pane;
use crate::tui::app::{App, SLICE, scene};
use crate::tui::pane::{DataSearch, Looked, Match};
use crate::tui::theme::Role;
use crate::wording;
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

/// Number of events to search at a time.
const AT_ONCE: u64 = 2_000;

/// A search in progress.
pub(in crate::tui) struct EventSearch {
    pub(super) wanted: String,
    pub(super) direction: Direction,
    /// The event at which the search started.
    pub(super) from: u64,
    /// The pane in which the search started.
    pub(super) pane: Pane,
    /// Matching events among those before `next`.
    found: Vec<u64>,
    /// The next event to examine.
    next: u64,
}

impl EventSearch {
    pub(super) fn new(wanted: String, direction: Direction, from: u64, pane: Pane) -> Self {
        Self {
            wanted,
            direction,
            from,
            pane,
            found: Vec::new(),
            next: 1,
        }
    }

    /// Searches the state, texts and frame of the next events; returns whether there are more.
    pub(super) fn look(&mut self, session: &Session) -> bool {
        let wanted = self.wanted.to_lowercase();
        let definition = session.definition();
        let last = session.event_count();
        let end = last
            .saturating_add(1)
            .min(self.next.saturating_add(AT_ONCE));
        let rows = session.rows(self.next..end).into_iter();
        let holding = rows.filter(|row| text_of(row, definition).to_lowercase().contains(&wanted));
        self.found.extend(holding.map(|row| row.number));
        self.next = end;
        end <= last
    }

    /// Index of the next match in the search direction, wrapping around; together with all matches.
    pub(super) fn result(self) -> Option<(usize, Vec<u64>)> {
        let last = self.found.len().checked_sub(1)?;
        let place = match self.direction {
            Direction::Forward => {
                let place = self.found.partition_point(|number| *number <= self.from);
                if place > last { 0 } else { place }
            }
            Direction::Backward => {
                let until = self.found.partition_point(|number| *number < self.from);
                until.checked_sub(1).unwrap_or(last)
            }
        };
        Some((place, self.found))
    }
}

fn text_of(row: &EventRow, definition: &Definition) -> String {
    let state = row.state.and_then(|id| definition.state(id));
    let state = state.map_or("", |state| &*state.path.0);
    let (title, detail) = (wording::title(row, definition), wording::detail(row));
    [state, &title, &detail, &row.frame].join(" ")
}

/// A search in progress.
pub(in crate::tui) enum Searching {
    /// Among the recorded events.
    Events(EventSearch),
    /// In the values of the data pane.
    Data(Box<DataSearch>),
}
