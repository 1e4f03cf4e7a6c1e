//! Files of the person's that the front end writes, known as our own.
//!
//! It must not know what is in them.

use super::watch::OwnWrites;
use crate::source::store::{self, Readers, Replace, StoreError};
use std::path::Path;

/// Puts `content`, which was made from what lay there, in the place of a file.
///
/// # Errors
/// Where the folder or the file cannot be written to; the file is as it was then.
pub fn replace(file: &Path, content: &[u8], own: &OwnWrites) -> Result<(), StoreError> {
    own.note(content);
    store::write(file, content, Replace::Regular, Readers::Default)
}
