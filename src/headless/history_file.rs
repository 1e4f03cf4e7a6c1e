//! The file that a run's history is written to, in AWS's form.
//!
//! It must not know how the run is driven.

use super::output::Refusal;
use super::run::Observer;
use crate::history::Recording;
use crate::interpreter::{Event, Machine};
use crate::source::store::{Draft, Replace};
use std::io;
use std::path::{Path, PathBuf};

/// A history being written; without an end it vanishes.
pub(super) struct HistoryFile {
    target: PathBuf,
    recording: Recording<Draft>,
}

impl HistoryFile {
    pub(super) fn create(target: &Path) -> Result<Self, Refusal> {
        let draft = Draft::begin(target, Replace::Unread);
        let draft = draft.map_err(|error| Refusal::new(error.to_string()))?;
        Ok(Self {
            target: target.to_path_buf(),
            recording: Recording::new(draft),
        })
    }

    pub(super) fn finish(self) -> Result<(), Refusal> {
        let whole = self.recording.finish();
        let draft = whole.map_err(|error| unwritten(&self.target, &error))?;
        draft
            .finish()
            .map_err(|error| Refusal::new(error.to_string()))
    }
}

impl Observer for HistoryFile {
    fn note(&mut self, machine: &Machine, event: &Event) -> Result<(), Refusal> {
        let noted = self.recording.note(machine, event);
        noted.map_err(|error| unwritten(&self.target, &error))
    }
}

fn unwritten(target: &Path, error: &io::Error) -> Refusal {
    Refusal::new(format!("cannot write {}: {error}", target.display()))
}
