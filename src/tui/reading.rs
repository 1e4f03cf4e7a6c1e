//! What is read for a person beside the loop: files may lie on a slow disk, and keys are answered meanwhile.

use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

/// What is done with what was read.
pub(super) type Then<A> = Box<dyn FnOnce(&mut A) + Send>;

/// The same, or the panic that reading it ended in.
pub(super) type Finished<A> = Result<Then<A>, Box<dyn Any + Send>>;

/// Something to be read beside the loop; [`Input::Read`](super::input::Input::Read) says that it was.
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
    /// Reads; it may take as long as it takes.
    pub fn run(self) {
        let finished = catch_unwind(AssertUnwindSafe(self.work));
        // Nobody may wait for it any more.
        let _ = self.done.send((self.number, finished));
    }
}

/// What is being read.
#[derive(Debug)]
pub(super) struct Reading<A> {
    /// What is waited for: its number and its name.
    waited: Option<(u64, String)>,
    /// How many were begun.
    begun: u64,
    /// To be begun outside.
    job: Option<Job<A>>,
    /// Whether the definition was changed again while something was read.
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
    /// Whether something is waited for.
    pub fn is_open(&self) -> bool {
        self.waited.is_some()
    }

    /// What is said while it is waited for.
    pub fn words(&self) -> Option<String> {
        let (_, what) = self.waited.as_ref()?;
        Some(format!("reading {what} … (Esc gives up)"))
    }

    /// Begins to read; what is then done with it comes from the work.
    pub fn begin(&mut self, what: String, work: impl FnOnce() -> Then<A> + Send + 'static) {
        self.begun += 1;
        self.waited = Some((self.begun, what));
        self.job = Some(Job {
            number: self.begun,
            work: Box::new(work),
            done: self.done.clone(),
        });
    }

    /// What is to be read outside.
    pub fn take_job(&mut self) -> Option<Job<A>> {
        self.job.take()
    }

    /// What was read, within this time.
    pub fn finished_within(&self, time: Duration) -> Option<(u64, Finished<A>)> {
        self.finished.recv_timeout(time).ok()
    }

    /// Waits no more for the read of this number; whether it was waited for.
    pub fn stop_waiting(&mut self, number: u64) -> bool {
        self.waited.take_if(|(own, _)| *own == number).is_some()
    }

    /// Waits for nothing any more; what was waited for.
    pub fn give_up(&mut self) -> Option<String> {
        let (_, what) = self.waited.take()?;
        self.job = None;
        self.changed = false;
        Some(what)
    }
}
