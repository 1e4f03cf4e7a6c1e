//! A definition that the user may choose.

use std::path::PathBuf;

/// A definition that could be opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// The file.
    pub file: PathBuf,
    /// The state machine in the file, if the file has several.
    pub machine: Option<String>,
    /// Its name in the list.
    pub name: String,
    /// Additional information.
    pub detail: String,
}
