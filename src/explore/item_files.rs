//! Item files for ItemReaders; each file is read once and shared by all runs.

use crate::interpreter::{Answer, Ask, Serve, Want};
use crate::worker::{Files, Worker};
use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// Files with items.
#[derive(Clone, Debug, Default)]
pub struct Held(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    files: Files,
    server: Worker,
    /// Answers by state and request.
    read: Mutex<HashMap<String, Option<Answer>>>,
}

impl Held {
    /// Reads items from these files; never writes to them.
    #[must_use]
    pub fn in_files(files: Files) -> Self {
        let files = Files {
            write_root: None,
            ..files
        };
        Self(Arc::new(Inner {
            server: Worker::with_files(files.clone()),
            files,
            read: Mutex::default(),
        }))
    }

    /// The file or folder from which a state's reader gets its items.
    #[must_use]
    pub fn place(&self, state: &str) -> Option<&Path> {
        self.0.files.read_from(state)
    }

    /// Answers a reader's request; `None` if there is no file for it.
    #[must_use]
    pub fn answer(&self, ask: &Ask) -> Option<Answer> {
        let Want::Read {
            arguments,
            max_items,
            ..
        } = &ask.want
        else {
            return None;
        };
        self.place(&ask.key.path)?;
        let key = format!("{} {arguments} {max_items:?}", ask.key.path);
        let mut read = self.0.read.lock().unwrap_or_else(PoisonError::into_inner);
        let known = read.entry(key);
        known.or_insert_with(|| self.0.server.serve(ask)).clone()
    }
}
