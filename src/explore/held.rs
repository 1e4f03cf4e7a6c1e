//! What lies beside the definition for its readers, as a run reads it; each file is read once for all runs.
//!
//! It must not know what is tried instead.

use crate::interpreter::{Answer, Ask, Serve, Want};
use crate::worker::{Files, Worker};
use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// Files that hold items.
#[derive(Clone, Debug, Default)]
pub struct Held(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    files: Files,
    server: Worker,
    /// By the state that asks and what it asks for.
    read: Mutex<HashMap<String, Option<Answer>>>,
}

impl Held {
    /// What these hold; nothing is ever written to them.
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

    /// Where the reader of a state finds its items.
    #[must_use]
    pub fn place(&self, state: &str) -> Option<&Path> {
        self.0.files.read_from(state)
    }

    /// What a reader is given; `None` where nothing stands for what it asks for.
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
