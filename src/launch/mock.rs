//! A loaded mock file with its origin.

use crate::session::answers::MockFile;
use crate::source::SourceMap;
use std::path::PathBuf;
use std::sync::Arc;

/// A mock file that has been read.
#[derive(Clone, Debug)]
pub struct Mock {
    /// Its path; `None` if the text was passed in.
    pub path: Option<PathBuf>,
    /// Its name in messages.
    pub name: String,
    /// Its content.
    pub file: MockFile,
    /// Its text.
    pub sources: Arc<SourceMap>,
}
