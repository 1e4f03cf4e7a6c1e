//! One file with what was found in it.

use crate::source::{Diagnostics, SourceMap};
use std::sync::Arc;

/// One file that was checked.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The file as named.
    pub file: String,
    /// What was found.
    pub found: Diagnostics,
    /// The texts that the findings speak of.
    pub sources: Arc<SourceMap>,
}
