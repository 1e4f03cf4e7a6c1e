//! The origin of a run: its files, alternatives the user may choose, and notes.

use crate::session::{Restored, Session};
use std::path::PathBuf;

/// A question to ask before the run continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// Which definition in a file or folder to open.
    Machine,
    /// Which test case of the mock file to use.
    Case,
    /// Which possible input file to use.
    Input,
}

/// A note for the user about the start of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// A file or folder has several definitions; the first one that can be opened was opened.
    Several {
        /// The file or folder.
        place: PathBuf,
        /// Number of definitions.
        count: usize,
    },
    /// Something was not searched next to the definition; the text has the reason.
    Skipped(String),
    /// No input was found, so it is `{}`; the definition would read these paths from the input.
    NoInput {
        /// The paths, as written.
        reads: Vec<String>,
    },
    /// A note about the recorded execution that the run repeats.
    Recording(String),
    /// The target that a task calls.
    Target(String),
    /// A test case: its expectation at the current event, or that it passes.
    Test(String),
    /// Address of the local server whose executions open in the debugger.
    Listening(String),
    /// Settings of the last session were restored.
    Restored(Restored),
}

/// The origin of a run.
#[derive(Clone, Debug, Default)]
pub struct Origin {
    /// The file of the definition, for an editor; `None` if it was not read from a file.
    pub file: Option<PathBuf>,
    /// The state machine in that file, if it has a name there.
    pub machine: Option<String>,
    /// Test cases of the mock file.
    pub cases: Vec<String>,
    /// Files that may be the input.
    pub inputs: Vec<String>,
    /// Files whose changes trigger a reload.
    pub watched: Vec<PathBuf>,
    /// Questions for the user, in order.
    pub ask: Vec<Question>,
    /// Notes for the user.
    pub notes: Vec<Note>,
}

/// A session that has been started, with its origin.
#[derive(Debug)]
pub struct Begun {
    /// The session.
    pub session: Session,
    /// Its origin.
    pub origin: Origin,
}
