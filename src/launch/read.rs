//! Reads a file as a document, whatever it is written in.
//!
//! It must not know which of its definitions is wanted.

use super::error::LaunchError;
use crate::source::SourceFile;
use crate::source::load::{self, LoadError};
use crate::source::open::{self, Wish};
use crate::source::store;
use std::cell::Cell;
use std::path::Path;

/// Once the files that a file includes have so many bytes, no more are read.
const MOST_INCLUDED: u64 = 32 << 20;

/// Reads a file, whatever it is.
///
/// # Errors
/// Where it cannot be read.
pub(super) fn read(file: &Path, wish: &Wish) -> Result<open::Opened, LaunchError> {
    store::sweep(file);
    let source = load::load_argument(file)?;
    Ok(parse(source, file, wish))
}

/// Reads a text as what stands in this file; what it includes is read from the folder of the file.
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
