//! Work that continues while the user types: searching for text in the recorded events or in a large value, and reading
//! files in the background.

use crate::launch::Workspace;
use crate::tui::action::Pane;
use crate::tui::app::{App, Effect, SLICE};
use crate::tui::pane::{Looked, Match};
use crate::tui::panes::{EventSearch, Searching};
use crate::tui::reading::{Finished, Job, Then};
use crate::tui::theme::Role;
use std::panic::resume_unwind;
use std::time::{Duration, Instant};

impl App {
    /// Ends the filter of the timeline, so that the timeline shows all events again.
    pub(in crate::tui) fn show_all_events(&mut self) {
        self.change(Pane::Timeline, |panes, paint| {
            panes.timeline.show_matching(paint, None);
        });
    }

    /// Continues the search in progress for a short time.
    pub(in crate::tui) fn search_on(&mut self) {
        let Some(mut search) = self.search.take() else {
            return;
        };
        let (looked, wanted, pane) = match &mut search {
            Searching::Events(events) => {
                let looked = self.look_at_events(events);
                (looked, events.wanted.clone(), events.pane)
            }
            Searching::Data(data) => {
                let started = Instant::now();
                let looked = self.change(Pane::Data, |panes, paint| {
                    let goes_on = || started.elapsed() < SLICE;
                    panes.data.look(paint, data, goes_on)
                });
                (looked, data.wanted.clone(), Pane::Data)
            }
            Searching::Done(looked) => {
                let looked = std::mem::replace(looked, Looked::Nowhere);
                (looked, self.model.wanted.clone(), self.model.focus)
            }
        };
        let (text, role) = match &looked {
            Looked::Here(matched) => (matched.said(""), Role::Info),
            Looked::Further(Some(matched)) => (matched.said(" so far"), Role::Info),
            Looked::Further(None) => {
                let text = format!("searching for {wanted} … (any key stops the search)");
                (text, Role::Info)
            }
            Looked::Nowhere => {
                self.queue.clear();
                let text = format!(
                    "{wanted} was not found in the {pane} pane",
                    pane = pane.name()
                );
                (text, Role::Warning)
            }
        };
        self.model.say(text, role);
        self.search = Some(search).filter(|_| matches!(looked, Looked::Further(_)));
    }

    fn look_at_events(&mut self, search: &mut EventSearch) -> Looked {
        if search.look(&self.session) {
            return Looked::Further(None);
        }
        let Some((numbers, event, matching)) = search.result() else {
            return Looked::Nowhere;
        };
        let wanted = search.wanted.clone();
        self.change(Pane::Timeline, |panes, paint| {
            panes
                .timeline
                .show_matching(paint, Some((wanted, matching)));
            panes.timeline.select(paint, event);
        });
        Looked::Here(Match::new(numbers, &format!("event {event}"), ""))
    }

    /// Runs `work` in the background, and then calls `then` with the result. If another job is still running, only
    /// shows a message.
    pub(in crate::tui) fn read<T: Send + 'static>(
        &mut self,
        source: impl Into<String>,
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
        self.reading.begin(source.into(), work);
        self.effects.push(Effect::Read);
    }

    /// Takes the job that [`Effect::Read`] tells the caller to run.
    pub fn job(&mut self) -> Option<Job<Self>> {
        self.reading.take_job()
    }

    /// Waits for the job in the background, but at most for `time`, in which most jobs finish. If the job does not,
    /// shows a message.
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
        // If the user no longer waits for this job, its result is dropped.
        if !self.reading.stop_waiting(number) {
            return;
        }
        self.model.message = None;
        match finished {
            Ok(then) => then(self),
            // If the job panicked, continues the panic on this thread.
            Err(panic) => resume_unwind(panic),
        }
        self.ask();
        if std::mem::take(&mut self.reading.changed) {
            self.reload();
        }
    }

    /// Stops waiting for the job in the background. Returns false if no job is running.
    pub(in crate::tui) fn give_up_reading(&mut self) -> bool {
        let Some(source) = self.reading.give_up() else {
            return false;
        };
        self.queue.clear();
        let text = format!("reading {source} was stopped, so nothing has changed");
        self.model.say(text, Role::Warning);
        self.ask();
        true
    }

    /// While files are read in the background, shows a message that names them.
    pub(in crate::tui) fn say_reading(&mut self) {
        if let Some(words) = self.reading.words() {
            self.model.say(words, Role::Info);
        }
    }
}
