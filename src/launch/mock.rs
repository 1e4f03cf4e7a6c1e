//! A mock file that was read, with the place that it was read from.
//!
//! It must not know where it was looked for.

use crate::session::answers::MockFile;
use crate::source::SourceMap;
use std::path::PathBuf;
use std::sync::Arc;

/// A mock file that was read.
#[derive(Clone, Debug)]
pub struct Mock {
    /// Where it lies; `None` where its text was handed in.
    pub path: Option<PathBuf>,
    /// What it is called.
    pub name: String,
    /// What it holds.
    pub file: MockFile,
    /// Its text.
    pub sources: Arc<SourceMap>,
}
