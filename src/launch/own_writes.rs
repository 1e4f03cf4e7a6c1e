//! Files of the person's that are written here, known as our own so that they are no news.
//!
//! It must not know what is in them.

use crate::source::store::{self, Readers, Replace, StoreError};
use sha2::{Digest as _, Sha256};
use std::collections::HashSet;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// SHA-256 of a content.
type Hash = [u8; 32];

/// Contents that we wrote ourselves: a change of a file to one of them is no news.
#[derive(Clone, Debug, Default)]
pub struct OwnWrites(Arc<Mutex<HashSet<Hash>>>);

impl OwnWrites {
    /// Notes what is about to be written.
    pub fn note(&self, content: &[u8]) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(Sha256::digest(content).into());
    }

    /// Whether a content of this SHA-256 was written here.
    #[must_use]
    pub fn has(&self, hash: &Hash) -> bool {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .contains(hash)
    }

    /// Puts `content`, which was made from what lay there, in the place of a file.
    ///
    /// # Errors
    /// Where the folder or the file cannot be written to; the file is as it was then.
    pub fn replace(&self, file: &Path, content: &[u8]) -> Result<(), StoreError> {
        self.note(content);
        store::write(file, content, Replace::Regular, Readers::Default)
    }
}
