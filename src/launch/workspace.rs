//! Says where a run comes from: its files, the alternatives that the user may choose, and notes. Also declares the
//! operations on files and settings that a front end can request during a session.

use super::error::LaunchError;
use super::left_out::Choice;
use super::own_writes::{NewCase, OwnWrites};
use super::value::{Given, read_text};
use crate::definition::Definition;
use crate::json::Value;
use crate::session::execution::Children;
use crate::session::{ExistingCase, Repetition, Restored, Session};
use crate::source::{Diagnostics, SourceFile};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A question that the front end asks the user before the run continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// Which of the definitions in a file or folder should be opened?
    Machine,
    /// Which test case of the mock file should be used?
    Case,
    /// Which of the possible input files should be used?
    Input,
}

/// A note for the user about the start of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// A file or folder has several definitions; the first one that can be opened was opened.
    Several {
        /// The file or folder.
        place: PathBuf,
        /// Number of definitions in the file or folder.
        count: usize,
    },
    /// A file was not searched for or not examined, or a sample input lacks a member; the text has the details.
    Skipped(String),
    /// No input was found, so the input is `{}`, although the definition reads these paths from the input.
    NoInput {
        /// The paths as written in the definition.
        reads: Vec<String>,
    },
    /// A note about the recorded execution that the run repeats.
    Recording(String),
    /// A sentence about a target that the user configured: which task the target answers, or why it answers none.
    Target(String),
    /// The result of checking a test case's expectations: one of them is not met at the current event, or the case has
    /// passed.
    Test(String),
    /// Address of the local server whose executions open in the debugger.
    Listening(String),
    /// Settings of the last session were restored in this session.
    Restored(Restored),
}

/// Where a run comes from: its files, the alternatives that the user may choose, and notes.
#[derive(Clone, Debug, Default)]
pub struct Origin {
    /// The definition's file, which an editor can open; `None` if the definition was not read from a file.
    pub file: Option<PathBuf>,
    /// Name of the state machine, if the file has a name for it.
    pub machine: Option<String>,
    /// Names of the test cases that the mock file has for the state machine.
    pub cases: Vec<String>,
    /// Paths of the files from which the user may choose the input.
    pub inputs: Vec<String>,
    /// Files whose changes trigger a reload.
    pub watched: Vec<PathBuf>,
    /// Questions to ask the user, in this order.
    pub ask: Vec<Question>,
    /// Notes for the user.
    pub notes: Vec<Note>,
}

/// A session that has been started, with the files, alternatives and notes for the front end.
#[derive(Debug)]
pub struct Begun {
    /// The session.
    pub session: Session,
    /// Where the session's run comes from.
    pub origin: Origin,
}

/// The result of a reload.
#[derive(Debug)]
pub struct Reloaded {
    /// The definition, without the parts that are invalid.
    pub definition: Arc<Definition>,
    /// Diagnostics of the definition.
    pub diagnostics: Diagnostics,
    /// The machines that tasks of the definition may execute as children, reloaded too.
    pub children: Arc<Children>,
    /// The recorded execution that the run repeats, linked to the definition.
    pub recorded: Option<Repetition>,
}

/// The files and settings of a run, for the front end. By default, nothing can be reloaded, chosen, written or kept:
/// these methods do nothing or return an error.
pub trait Workspace: fmt::Debug + Send {
    /// The definitions to choose from; empty if there is only one.
    fn choices(&self) -> &[Choice] {
        &[]
    }

    /// Reloads the definition.
    ///
    /// # Errors
    /// If the definition cannot be read. An invalid definition is not an error; its diagnostics describe the problems.
    fn reload(&mut self) -> Result<Reloaded, LaunchError> {
        Err(LaunchError::NotReadAgain)
    }

    /// Copies the workspace, for use on another thread.
    fn another(&self) -> Box<dyn Workspace>;

    /// Starts a session with another test case. The new session takes over the saved breakpoints and watches of the
    /// previous session.
    ///
    /// # Errors
    /// If there is no such case, or a file cannot be read.
    fn choose_case(&mut self, name: &str, saved: Option<&Value>) -> Result<Session, LaunchError> {
        let _ = (name, saved);
        Err(LaunchError::NoCases)
    }

    /// Starts a session with another definition, given by its index among the choices. The saved settings of the
    /// previous session are kept for later.
    ///
    /// # Errors
    /// If there is no such definition, or a file cannot be read; in this case nothing has changed.
    fn choose_machine(
        &mut self,
        place: usize,
        saved: Option<&Value>,
    ) -> Result<Begun, LaunchError> {
        let _ = (place, saved);
        Err(LaunchError::NoChoice)
    }

    /// Writes a test case to the mock file; returns the path of the file.
    ///
    /// # Errors
    /// If there is no file to write to, or the file cannot be written or has the case already.
    fn write_case(&mut self, case: &NewCase<'_>) -> Result<PathBuf, LaunchError> {
        let _ = case;
        Err(LaunchError::NowhereToWrite)
    }

    /// Sets the machine's default test case, which is used if the user names none; returns the path of the mock file.
    ///
    /// # Errors
    /// If there is no mock file, or the mock file cannot be written or does not have the case.
    fn write_default_case(&mut self, machine: &str, case: &str) -> Result<PathBuf, LaunchError> {
        let _ = (machine, case);
        Err(LaunchError::NowhereToWrite)
    }

    /// Writes the input of a run to a file next to the definition; returns the path of that file.
    ///
    /// # Errors
    /// If the definition has no file, or if the input file cannot be written or exists and must not be replaced.
    fn write_input(
        &mut self,
        input: &Value,
        existing: ExistingCase,
    ) -> Result<PathBuf, LaunchError> {
        let _ = (input, existing);
        Err(LaunchError::NowhereToWrite)
    }

    /// Keeps the saved settings of a session for the next session; failures are ignored.
    fn keep(&mut self, saved: Option<&Value>) {
        let _ = saved;
    }

    /// The contents that this program wrote to files, which must not trigger a reload.
    fn own_writes(&self) -> OwnWrites {
        OwnWrites::default()
    }

    /// Parses JSON that the user typed. If the text is the name of a file, parses the content of that file.
    ///
    /// # Errors
    /// If the text is neither JSON nor the name of a file with JSON.
    fn value(&self, typed: &str) -> Result<Value, LaunchError> {
        match Given::of(typed) {
            Given::File(path) if path == Path::new("-") => Err(LaunchError::StandardInputTaken),
            given => given.value("input"),
        }
    }

    /// True if `file` exists, so that an editor can open it.
    fn has_file(&self, file: &Path) -> bool {
        file.is_file()
    }

    /// Reads a file that the user named.
    ///
    /// # Errors
    /// If the file cannot be read.
    fn text(&self, file: &Path) -> Result<SourceFile, LaunchError> {
        match file == Path::new("-") {
            true => Err(LaunchError::StandardInputTaken),
            false => read_text(file),
        }
    }
}

/// The workspace of a run without files: nothing can be reloaded, chosen or kept.
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
