//! One of the definitions that a person may choose from.
//!
//! It must not know how it was found.

use std::path::PathBuf;

/// A definition that could be opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// The file.
    pub file: PathBuf,
    /// The state machine of that file, where it holds several.
    pub machine: Option<String>,
    /// What it is called among the others.
    pub name: String,
    /// What else there is to say.
    pub detail: String,
}
