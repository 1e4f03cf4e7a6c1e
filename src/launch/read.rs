//! Reads a file as a document, whatever it is written in.
//!
//! It must not know which of its definitions is wanted.

use super::error::LaunchError;
use crate::source::open::{self, Wish};
use crate::source::{SourceFile, load};
use std::path::Path;

/// Reads a file, whatever it is.
///
/// # Errors
/// Where it cannot be read.
pub(super) fn read(file: &Path, wish: &Wish) -> Result<open::Opened, LaunchError> {
    let source = load::load_argument(file)?;
    Ok(parse(source, file, wish))
}

/// Reads a text as what stands in this file; what it includes is read from the folder of the file.
pub(super) fn parse(source: SourceFile, file: &Path, wish: &Wish) -> open::Opened {
    let folder = file.parent().unwrap_or(Path::new(""));
    let files = |relative: &str| load::load_below(folder, relative);
    open::parse(source, &files, wish)
}
