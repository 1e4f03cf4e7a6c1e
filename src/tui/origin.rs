//! What a run was begun from: its files, and what a person may choose instead.
//!
//! It must not know how any of it is read.

use crate::session::Session;
use std::path::PathBuf;

/// Something that is asked before the commands of the start are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// Which definition of a file or folder.
    Machine,
    /// Which test case of the mock file.
    Case,
    /// Which of the files that may be the input.
    Input,
}

/// A definition that could be opened instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// What it is called: a state machine, or a file with one.
    pub name: String,
    /// What else there is to say.
    pub detail: String,
}

/// What a run was begun from.
#[derive(Clone, Debug, Default)]
pub struct Origin {
    /// The file of the definition, for an editor.
    pub file: Option<PathBuf>,
    /// The state machine of that file, where it has a name of its own there.
    pub machine: Option<String>,
    /// Test cases of the mock file.
    pub cases: Vec<String>,
    /// The mock file.
    pub mock_file: Option<PathBuf>,
    /// Files that may be the input.
    pub inputs: Vec<String>,
    /// Files whose changes reload the definition.
    pub watched: Vec<PathBuf>,
    /// What is to be asked, the first first.
    pub ask: Vec<Question>,
    /// What is said at the start.
    pub message: Option<String>,
}

/// A run that was begun, with what it was begun from.
pub struct Begun {
    /// The run.
    pub session: Session,
    /// What it was begun from.
    pub origin: Origin,
}
