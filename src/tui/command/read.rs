//! Reads files in the background, and passes the result to the app.

use crate::launch::Workspace;
use crate::tui::app::{App, Effect};
use crate::tui::reading::{Finished, Job, Then};
use crate::tui::theme::Role;
use std::panic::resume_unwind;
use std::time::Duration;

impl App {
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
