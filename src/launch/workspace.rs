//! What a front end may ask of where its run came from, while a person is at work on it.
//!
//! It must not know whether there are files at all.

use super::case::NewCase;
use super::choice::Choice;
use super::error::LaunchError;
use super::origin::Begun;
use super::own_writes::OwnWrites;
use super::value::{Given, read_text};
use crate::definition::Definition;
use crate::json::Value;
use crate::session::children::Children;
use crate::session::{ExistingCase, Repetition, Session};
use crate::source::{Diagnostics, SourceFile};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A definition that was read again.
#[derive(Debug)]
pub struct Reloaded {
    /// What could be made of it.
    pub definition: Arc<Definition>,
    /// What is wrong with it.
    pub diagnostics: Diagnostics,
    /// The machines that its tasks may start executions of.
    pub children: Arc<Children>,
    /// The recorded execution that the run repeats, beside the definition.
    pub recorded: Option<Repetition>,
}

/// Where a run came from. What is not written says that it cannot be done.
pub trait Workspace: fmt::Debug + Send {
    /// The definitions to choose from; none where there is but one.
    fn choices(&self) -> &[Choice] {
        &[]
    }

    /// Reads the definition again.
    ///
    /// # Errors
    /// Where it cannot be read; a definition that is wrong is no error, and its diagnostics say so.
    fn reload(&mut self) -> Result<Reloaded, LaunchError> {
        Err(LaunchError::NotReadAgain)
    }

    /// The same once more, to be asked on another thread meanwhile.
    fn another(&self) -> Box<dyn Workspace>;

    /// Begins a session with another test case; breakpoints and watches of what was saved of the one before go over to it.
    ///
    /// # Errors
    /// Where there is no such case, or something cannot be read.
    fn choose_case(&mut self, name: &str, saved: Option<&Value>) -> Result<Session, LaunchError> {
        let _ = (name, saved);
        Err(LaunchError::NoCases)
    }

    /// Begins a session with another of the definitions to choose from, by its place; what was saved of the session before
    /// is kept.
    ///
    /// # Errors
    /// Where there is no such definition, or something cannot be read; all is as before then.
    fn choose_machine(
        &mut self,
        place: usize,
        saved: Option<&Value>,
    ) -> Result<Begun, LaunchError> {
        let _ = (place, saved);
        Err(LaunchError::NoChoice)
    }

    /// Writes a test case into the mock file, and says which file that is.
    ///
    /// # Errors
    /// Where there is no file to write to, it cannot be written, or it has the case already.
    fn write_case(&mut self, case: &NewCase<'_>) -> Result<PathBuf, LaunchError> {
        let _ = case;
        Err(LaunchError::NowhereToWrite)
    }

    /// Makes a test case the one that runs take which name none, and says in which file.
    ///
    /// # Errors
    /// Where there is no mock file, or it cannot be written, or has no such case.
    fn write_default_case(&mut self, machine: &str, case: &str) -> Result<PathBuf, LaunchError> {
        let _ = (machine, case);
        Err(LaunchError::NowhereToWrite)
    }

    /// Writes the input of a run beside the definition, and says which file that is.
    ///
    /// # Errors
    /// Where there is no file to write to, it cannot be written, or there is one that is not to be replaced.
    fn write_input(
        &mut self,
        input: &Value,
        existing: ExistingCase,
    ) -> Result<PathBuf, LaunchError> {
        let _ = (input, existing);
        Err(LaunchError::NowhereToWrite)
    }

    /// Keeps what was saved of a session until the next time; what cannot be kept is lost silently.
    fn keep(&mut self, saved: Option<&Value>) {
        let _ = saved;
    }

    /// What is written here, so that it starts no reload.
    fn own_writes(&self) -> OwnWrites {
        OwnWrites::default()
    }

    /// The JSON that a person typed, or that stands in the file that was named instead.
    ///
    /// # Errors
    /// Where it is neither.
    fn value(&self, typed: &str) -> Result<Value, LaunchError> {
        match Given::of(typed) {
            Given::File(path) if path == Path::new("-") => Err(LaunchError::StandardInputTaken),
            given => given.value("input"),
        }
    }

    /// Whether there is a file of this name that could be opened elsewhere.
    fn has_file(&self, file: &Path) -> bool {
        file.is_file()
    }

    /// The text of a file that a person named.
    ///
    /// # Errors
    /// Where it cannot be read.
    fn text(&self, file: &Path) -> Result<SourceFile, LaunchError> {
        match file == Path::new("-") {
            true => Err(LaunchError::StandardInputTaken),
            false => read_text(file),
        }
    }
}

/// A run that came from nowhere: nothing can be read again, chosen or kept.
#[derive(Clone, Copy, Debug, Default)]
struct Nowhere;

impl Workspace for Nowhere {
    fn another(&self) -> Box<dyn Workspace> {
        Box::new(*self)
    }
}

impl Default for Box<dyn Workspace> {
    fn default() -> Self {
        Box::new(Nowhere)
    }
}
