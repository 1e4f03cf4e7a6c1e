//! Reads files in the background, because they may be on a slow disk. The front end handles keys in the meantime.

use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

/// The handler for the result of a background job: a function that changes the front end according to this result.
pub(super) type Then<A> = Box<dyn FnOnce(&mut A) + Send>;

/// How a background job ended: the handler for its result, or the payload of its panic.
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
        // Sending fails if the front end has ended. Nothing needs the result then.
        let _ = self.done.send((self.number, finished));
    }
}

/// The background jobs. At most one of them is awaited: the front end will use its result.
#[derive(Debug)]
pub(super) struct Reading<A> {
    /// Number of the awaited job, and the name of the files that the job reads.
    waited: Option<(u64, String)>,
    /// Number of jobs started.
    begun: u64,
    /// The job that was prepared and that the caller has to start.
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
    /// True while the front end waits for the result of a job.
    pub fn is_open(&self) -> bool {
        self.waited.is_some()
    }

    /// The message to show while a job is awaited; `None` if no job is awaited.
    pub fn words(&self) -> Option<String> {
        let (_, name) = self.waited.as_ref()?;
        Some(format!("reading {name} … (Esc cancels)"))
    }

    /// Prepares a job that reads the files called `name`. `work` reads them and returns the handler for the result.
    pub fn begin(&mut self, name: String, work: impl FnOnce() -> Then<A> + Send + 'static) {
        self.begun += 1;
        self.waited = Some((self.begun, name));
        self.job = Some(Job {
            number: self.begun,
            work: Box::new(work),
            done: self.done.clone(),
        });
    }

    /// Takes the job that the caller has to start.
    pub fn take_job(&mut self) -> Option<Job<A>> {
        self.job.take()
    }

    /// Number and result of a job, if one finishes within this time.
    pub fn finished_within(&self, time: Duration) -> Option<(u64, Finished<A>)> {
        self.finished.recv_timeout(time).ok()
    }

    /// Stops waiting for the job with this number; returns false if that job was not awaited.
    pub fn stop_waiting(&mut self, number: u64) -> bool {
        self.waited
            .take_if(|(awaited, _)| *awaited == number)
            .is_some()
    }

    /// Stops waiting for the job and returns the name of the files that the job reads; `None` if no job was awaited.
    pub fn give_up(&mut self) -> Option<String> {
        let (_, name) = self.waited.take()?;
        self.job = None;
        self.changed = false;
        Some(name)
    }
}
