//! Reads a file as a document of any supported format.

use super::error::LaunchError;
use crate::source::SourceFile;
use crate::source::load::{self, LoadError};
use crate::source::open::{self, Wish};
use crate::source::store;
use std::cell::Cell;
use std::path::Path;

/// Maximum total size of included files, in bytes.
const MOST_INCLUDED: u64 = 32 << 20;

/// Reads and parses a file.
///
/// # Errors
/// If it cannot be read.
pub(super) fn read(file: &Path, wish: &Wish) -> Result<open::Opened, LaunchError> {
    store::sweep(file);
    let source = load::load_argument(file)?;
    Ok(parse(source, file, wish))
}

/// Parses a text as the content of this file; included files are read from the file's folder.
pub(super) fn parse(source: SourceFile, file: &Path, wish: &Wish) -> open::Opened {
    let folder = file.parent().unwrap_or(Path::new(""));
    let left = Cell::new(MOST_INCLUDED);
    let files = |relative: &str| {
        if left.get() == 0 {
            return Err(LoadError::Enough {
                name: relative.to_string(),
                limit: MOST_INCLUDED,
            });
        }
        let source = load::load_below(folder, relative)?;
        left.set(left.get().saturating_sub(source.text.len() as u64));
        Ok(source)
    };
    open::parse(source, &files, wish)
}
