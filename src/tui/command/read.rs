//! Reading something beside the loop, and what the app does with it.

use crate::launch::Workspace;
use crate::tui::app::{App, Effect};
use crate::tui::reading::{Finished, Job, Then};
use crate::tui::theme::Role;
use std::panic::resume_unwind;
use std::time::Duration;

impl App {
    /// Reads something beside the loop, then does something with it; one thing at a time.
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

    /// What is to be read, once [`Effect::Read`] asks for it.
    pub fn job(&mut self) -> Option<Job<Self>> {
        self.reading.take_job()
    }

    /// Waits for what is being read, so long at the most: most of it is there at once.
    pub(in crate::tui) fn await_read(&mut self, time: Duration) {
        match self.reading.finished_within(time) {
            Some((number, finished)) => self.finish_read(number, finished),
            None => self.say_reading(),
        }
    }

    /// Takes in what has been read.
    pub(in crate::tui) fn take_read(&mut self) {
        while let Some((number, finished)) = self.reading.finished_within(Duration::ZERO) {
            self.finish_read(number, finished);
        }
    }

    fn finish_read(&mut self, number: u64, finished: Finished<Self>) {
        // What was given up is not waited for.
        if !self.reading.stop_waiting(number) {
            return;
        }
        self.model.message = None;
        match finished {
            Ok(then) => then(self),
            // As if it had been read here.
            Err(panic) => resume_unwind(panic),
        }
        self.ask();
        if std::mem::take(&mut self.reading.changed) {
            self.reload();
        }
    }

    /// Gives up waiting for what is being read; whether there was something.
    pub(in crate::tui) fn give_up_reading(&mut self) -> bool {
        let Some(what) = self.reading.give_up() else {
            return false;
        };
        self.queue.clear();
        let text = format!("stopped reading {what}; nothing has changed");
        self.model.say(text, Role::Warning);
        self.ask();
        true
    }

    /// Says what is being read, unless there is something else to say.
    pub(in crate::tui) fn say_reading(&mut self) {
        if let Some(words) = self.reading.words() {
            self.model.say(words, Role::Info);
        }
    }
}
