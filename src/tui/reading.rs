//! Reads for the user in the background, because files may be on a slow disk; keys are handled in the meantime.

use super::app::{App, Effect};
use super::theme::Role;
use crate::launch::Workspace;
use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

/// Handles what was read.
pub(super) type Then<A> = Box<dyn FnOnce(&mut A) + Send>;

/// The handler, or the panic of the job.
pub(super) type Finished<A> = Result<Then<A>, Box<dyn Any + Send>>;

/// A background job; [`Input::Read`](super::input::Input::Read) reports its end.
pub struct Job<A> {
    number: u64,
    work: Box<dyn FnOnce() -> Then<A> + Send>,
    done: Sender<(u64, Finished<A>)>,
}

impl<A> fmt::Debug for Job<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Job {}", self.number)
    }
}

impl<A> Job<A> {
    /// Runs the job, which may take any time.
    pub fn run(self) {
        let finished = catch_unwind(AssertUnwindSafe(self.work));
        // The result may not be wanted any more.
        let _ = self.done.send((self.number, finished));
    }
}

/// State of background reading.
#[derive(Debug)]
pub(super) struct Reading<A> {
    /// Number and name of the job that is awaited.
    waited: Option<(u64, String)>,
    /// Number of jobs started.
    begun: u64,
    /// A job to be started by the caller.
    job: Option<Job<A>>,
    /// True if the definition changed again while a job was running.
    pub changed: bool,
    done: Sender<(u64, Finished<A>)>,
    finished: Receiver<(u64, Finished<A>)>,
}

impl<A> Default for Reading<A> {
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

impl<A> Reading<A> {
    /// True if a job is awaited.
    pub fn is_open(&self) -> bool {
        self.waited.is_some()
    }

    /// Message while a job is awaited.
    pub fn words(&self) -> Option<String> {
        let (_, what) = self.waited.as_ref()?;
        Some(format!("reading {what} … (Esc gives up)"))
    }

    /// Starts a job; its work returns the handler for the result.
    pub fn begin(&mut self, what: String, work: impl FnOnce() -> Then<A> + Send + 'static) {
        self.begun += 1;
        self.waited = Some((self.begun, what));
        self.job = Some(Job {
            number: self.begun,
            work: Box::new(work),
            done: self.done.clone(),
        });
    }

    /// Takes the job to be started.
    pub fn take_job(&mut self) -> Option<Job<A>> {
        self.job.take()
    }

    /// Result of a job that finishes within this time.
    pub fn finished_within(&self, time: Duration) -> Option<(u64, Finished<A>)> {
        self.finished.recv_timeout(time).ok()
    }

    /// Stops waiting for the job with this number; returns whether it was awaited.
    pub fn stop_waiting(&mut self, number: u64) -> bool {
        self.waited.take_if(|(own, _)| *own == number).is_some()
    }

    /// Stops waiting; returns the name of the job.
    pub fn give_up(&mut self) -> Option<String> {
        let (_, what) = self.waited.take()?;
        self.job = None;
        self.changed = false;
        Some(what)
    }
}

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
