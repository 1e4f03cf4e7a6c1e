//! A file and its diagnostics.

use crate::source::{Diagnostics, SourceMap};
use std::sync::Arc;

/// A file that was checked.
#[derive(Clone, Debug)]
pub struct Checked {
    /// Name of the file as given by the user.
    pub file: String,
    /// The diagnostics.
    pub found: Diagnostics,
    /// The sources that the diagnostics refer to.
    pub sources: Arc<SourceMap>,
}
