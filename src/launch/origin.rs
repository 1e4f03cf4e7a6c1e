//! What a run was begun from: its files, what a person may choose instead, and what there is to know of it.
//!
//! It must not know how any of it is read, nor the words in which a person is told.

use crate::session::{Restored, Session};
use std::path::PathBuf;

/// Something that is asked before the run goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// Which definition of a file or folder.
    Machine,
    /// Which test case of the mock file.
    Case,
    /// Which of the files that may be the input.
    Input,
}

/// Something that a person should know of how a run was begun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// A file or folder holds several definitions; the first that can be opened is.
    Several {
        /// The file or folder.
        place: PathBuf,
        /// How many it holds.
        count: usize,
    },
    /// Something was not looked for beside the definition, with the reason.
    Skipped(String),
    /// No input was found, so it is `{}`; the definition would read these paths of one.
    NoInput {
        /// The paths, as written.
        reads: Vec<String>,
    },
    /// What there is to know of the recorded execution that the run repeats.
    Recording(String),
    /// What a test case expects where the run stands, or that it passes.
    Test(String),
    /// What a person set up the last time was had back.
    Restored(Restored),
}

/// What a run was begun from.
#[derive(Clone, Debug, Default)]
pub struct Origin {
    /// The file of the definition, for an editor; `None` where it came from none.
    pub file: Option<PathBuf>,
    /// The state machine of that file, where it has a name of its own there.
    pub machine: Option<String>,
    /// Test cases of the mock file.
    pub cases: Vec<String>,
    /// Files that may be the input.
    pub inputs: Vec<String>,
    /// Files whose changes are a reason to read the definition again.
    pub watched: Vec<PathBuf>,
    /// What is to be asked, the first first.
    pub ask: Vec<Question>,
    /// What a person should know.
    pub notes: Vec<Note>,
}

/// A run that was begun, with what it was begun from.
#[derive(Debug)]
pub struct Begun {
    /// The run.
    pub session: Session,
    /// What it was begun from.
    pub origin: Origin,
}
