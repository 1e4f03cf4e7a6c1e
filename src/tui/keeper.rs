//! Saves the user's settings in the background as soon as they change, so that a killed program loses nothing.

use crate::json::Value;
use crate::launch::Workspace;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};

/// Settings and answers to save for the next session.
#[derive(Debug)]
pub struct Kept {
    /// Where to save the settings.
    pub workspace: Box<dyn Workspace>,
    /// Saved data of the session.
    pub saved: Option<Value>,
}

/// Saves one after the other; each replaces the previous one.
#[derive(Debug, Default)]
pub(super) struct Keeper {
    thread: Option<(Sender<Kept>, JoinHandle<()>)>,
}

impl Keeper {
    /// Starts to save in the background; if no thread can be started, saves at once.
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

    /// Waits until everything is saved.
    pub fn finish(&mut self) {
        if let Some((sender, thread)) = self.thread.take() {
            drop(sender);
            // If the thread panicked, nothing was saved, and the panic has already been reported.
            let _ = thread.join();
        }
    }
}

fn keep_all(jobs: &Receiver<Kept>) {
    while let Ok(kept) = jobs.recv() {
        // If several are waiting, only the newest is saved.
        let Kept {
            mut workspace,
            saved,
        } = jobs.try_iter().last().unwrap_or(kept);
        workspace.keep(saved.as_ref());
    }
}
