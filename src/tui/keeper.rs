//! Keeps what a person set up as soon as it changes, beside the loop: a program that is killed loses none of it.

use crate::json::Value;
use crate::launch::Workspace;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};

/// What is to be kept until the next time.
#[derive(Debug)]
pub struct Kept {
    /// Where it is kept.
    pub workspace: Box<dyn Workspace>,
    /// What was saved of the session.
    pub saved: Option<Value>,
}

/// Keeps one thing after the other, each in the place of those before.
#[derive(Debug, Default)]
pub(super) struct Keeper {
    thread: Option<(Sender<Kept>, JoinHandle<()>)>,
}

impl Keeper {
    /// Begins to keep; where no thread can be had it is kept at once.
    pub fn keep(&mut self, kept: Kept) {
        if self.thread.is_none() {
            let (sender, jobs) = channel();
            let named = thread::Builder::new().name("keeper".into());
            let begun = named.spawn(move || keep_all(&jobs));
            self.thread = begun.ok().map(|thread| (sender, thread));
        }
        let left = match &self.thread {
            Some((sender, _)) => sender.send(kept).err().map(|back| back.0),
            None => Some(kept),
        };
        if let Some(Kept {
            mut workspace,
            saved,
        }) = left
        {
            workspace.keep(saved.as_ref());
        }
    }

    /// Waits until the last of it is kept.
    pub fn finish(&mut self) {
        if let Some((sender, thread)) = self.thread.take() {
            drop(sender);
            // A thread that panicked has kept nothing, and nobody is left to be told.
            let _ = thread.join();
        }
    }
}

fn keep_all(jobs: &Receiver<Kept>) {
    while let Ok(kept) = jobs.recv() {
        // Of several that wait, only the newest counts.
        let Kept {
            mut workspace,
            saved,
        } = jobs.try_iter().last().unwrap_or(kept);
        workspace.keep(saved.as_ref());
    }
}
