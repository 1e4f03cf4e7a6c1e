//! What is read for a person beside the loop: files may lie on a slow disk, and keys are answered meanwhile.
//!
//! It must not know what is read, nor on which thread.

use super::app::{App, Effect};
use super::theme::Role;
use crate::launch::Workspace;
use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

/// What is done with what was read.
type Then = Box<dyn FnOnce(&mut App) + Send>;

/// The same, or the panic that reading it ended in.
type Finished = Result<Then, Box<dyn Any + Send>>;

/// Something to be read beside the loop; [`Input::Read`](super::input::Input::Read) says that it was.
pub struct Job {
    number: u64,
    work: Box<dyn FnOnce() -> Then + Send>,
    done: Sender<(u64, Finished)>,
}

impl fmt::Debug for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Job {}", self.number)
    }
}

impl Job {
    /// Reads; it may take as long as it takes.
    pub fn run(self) {
        let finished = catch_unwind(AssertUnwindSafe(self.work));
        // Nobody may wait for it any more.
        let _ = self.done.send((self.number, finished));
    }
}

/// What is being read.
#[derive(Debug)]
pub(super) struct Reading {
    /// What is waited for: its number and its name.
    waited: Option<(u64, String)>,
    /// How many were begun.
    begun: u64,
    /// To be begun outside.
    job: Option<Job>,
    /// Whether the definition was changed again while something was read.
    pub changed: bool,
    done: Sender<(u64, Finished)>,
    finished: Receiver<(u64, Finished)>,
}

impl Default for Reading {
    fn default() -> Self {
        let (done, finished) = channel();
        Self {
            waited: None,
            begun: 0,
            job: None,
            changed: false,
            done,
            finished,
        }
    }
}

impl Reading {
    /// Whether something is waited for.
    pub fn is_open(&self) -> bool {
        self.waited.is_some()
    }

    /// What is said while it is waited for.
    pub fn words(&self) -> Option<String> {
        let (_, what) = self.waited.as_ref()?;
        Some(format!("reading {what} … (Esc gives up)"))
    }
}

impl App {
    /// Reads something beside the loop, then does something with it; one thing at a time.
    pub(super) fn read<T: Send + 'static>(
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
            Box::new(finish) as Then
        };
        let reading = &mut self.reading;
        reading.begun += 1;
        reading.waited = Some((reading.begun, what.into()));
        reading.job = Some(Job {
            number: reading.begun,
            work: Box::new(work),
            done: reading.done.clone(),
        });
        self.effects.push(Effect::Read);
    }

    /// What is to be read, once [`Effect::Read`] asks for it.
    pub fn job(&mut self) -> Option<Job> {
        self.reading.job.take()
    }

    /// Waits for what is being read, so long at the most: most of it is there at once.
    pub(super) fn await_read(&mut self, time: Duration) {
        match self.reading.finished.recv_timeout(time) {
            Ok((number, finished)) => self.finish_read(number, finished),
            Err(_) => self.say_reading(),
        }
    }

    /// Takes in what has been read.
    pub(super) fn take_read(&mut self) {
        while let Ok((number, finished)) = self.reading.finished.try_recv() {
            self.finish_read(number, finished);
        }
    }

    fn finish_read(&mut self, number: u64, finished: Finished) {
        let waited = self.reading.waited.take_if(|(own, _)| *own == number);
        if waited.is_none() {
            // It was given up.
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
    pub(super) fn give_up_reading(&mut self) -> bool {
        let Some((_, what)) = self.reading.waited.take() else {
            return false;
        };
        self.reading.job = None;
        self.reading.changed = false;
        self.queue.clear();
        let text = format!("{what} is not waited for any more; all is as it was");
        self.model.say(text, Role::Warning);
        self.ask();
        true
    }

    /// Says what is being read, unless there is something else to say.
    pub(super) fn say_reading(&mut self) {
        if let Some(words) = self.reading.words() {
            self.model.say(words, Role::Info);
        }
    }
}
