//! Work that continues between keys: searching for text in the recorded events or a large value, and reading files in
//! the background.

use crate::launch::Workspace;
use crate::tui::action::Pane;
use crate::tui::app::{App, Effect, SLICE};
use crate::tui::event_search::{EventSearch, Searching};
use crate::tui::pane::{DataSearch, Looked, Match};
use crate::tui::reading::{Finished, Job, Then};
use crate::tui::theme::Role;
use std::panic::resume_unwind;
use std::time::{Duration, Instant};

impl App {
    /// Starts to search for a text from the selected event on.
    pub(in crate::tui) fn find_event(&mut self, wanted: String, forward: bool) {
        let pane = self.model.focus;
        let from = self.selected_event();
        let search = EventSearch::new(wanted, forward, from, pane);
        self.search = Some(Searching::Events(search));
        self.search_on();
    }

    /// Shows all events again.
    pub(in crate::tui) fn show_all_events(&mut self) {
        self.change(Pane::Timeline, |panes, paint| {
            panes.timeline.show_matching(paint, None);
        });
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
        let Some(((number, count), event, found)) = search.result() else {
            return self.say_nowhere(&wanted, pane);
        };
        self.change(Pane::Timeline, |panes, paint| {
            panes.timeline.show_matching(paint, Some((wanted, found)));
            panes.timeline.select(paint, event);
        });
        self.inform(&format!("match {number} of {count}: event {event}"));
    }

    fn search_data(&mut self, mut search: Box<DataSearch>) {
        let started = Instant::now();
        let looked = self.change(Pane::Data, |panes, paint| {
            let data = &mut panes.data;
            data.look(paint, &mut search, || started.elapsed() < SLICE)
        });
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

    /// Runs `work` in the background, then calls `then` with its result; only one at a time.
    pub(in crate::tui) fn read<T: Send + 'static>(
        &mut self,
        what: impl Into<String>,
        work: impl FnOnce(&mut dyn Workspace) -> T + Send + 'static,
        then: impl FnOnce(&mut Self, T) + Send + 'static,
    ) {
        if self.reading.is_open() {
            self.say_reading();
            return;
        }
        let mut workspace = self.setup.workspace.another();
        let work = move || {
            let read = work(&mut *workspace);
            let finish = move |app: &mut Self| {
                app.setup.workspace = workspace;
                then(app, read);
            };
            Box::new(finish) as Then<Self>
        };
        self.reading.begin(what.into(), work);
        self.effects.push(Effect::Read);
    }

    /// Takes the job to run when [`Effect::Read`] requests it.
    pub fn job(&mut self) -> Option<Job<Self>> {
        self.reading.take_job()
    }

    /// Waits at most `time` for the job; most jobs finish at once.
    pub(in crate::tui) fn await_read(&mut self, time: Duration) {
        match self.reading.finished_within(time) {
            Some((number, finished)) => self.finish_read(number, finished),
            None => self.say_reading(),
        }
    }

    /// Handles results of finished jobs.
    pub(in crate::tui) fn take_read(&mut self) {
        while let Some((number, finished)) = self.reading.finished_within(Duration::ZERO) {
            self.finish_read(number, finished);
        }
    }

    fn finish_read(&mut self, number: u64, finished: Finished<Self>) {
        // The result of a job that was given up is dropped.
        if !self.reading.stop_waiting(number) {
            return;
        }
        self.model.message = None;
        match finished {
            Ok(then) => then(self),
            // Continues the panic as if the job had run here.
            Err(panic) => resume_unwind(panic),
        }
        self.ask();
        if std::mem::take(&mut self.reading.changed) {
            self.reload();
        }
    }

    /// Stops waiting for the job; returns whether there was one.
    pub(in crate::tui) fn give_up_reading(&mut self) -> bool {
        let Some(what) = self.reading.give_up() else {
            return false;
        };
        self.queue.clear();
        let text = format!("reading {what} was stopped; nothing has changed");
        self.model.say(text, Role::Warning);
        self.ask();
        true
    }

    /// Shows what is being read, unless there is another message.
    pub(in crate::tui) fn say_reading(&mut self) {
        if let Some(words) = self.reading.words() {
            self.model.say(words, Role::Info);
        }
    }
}
