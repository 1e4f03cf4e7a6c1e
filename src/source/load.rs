//! Reads the files that a person named.
//!
//! It must not know what is in them beyond UTF-8 and size.

use super::{MAX_BYTES, SourceFile};
use std::io::Read as _;
use std::path::Path;

/// Why a file could not be read.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The system said no.
    #[error("cannot read {name}: {source}")]
    Io {
        /// The file as named.
        name: String,
        /// The system's reason.
        source: std::io::Error,
    },
    /// It is not text.
    #[error("{name} is not UTF-8 text (byte {at})")]
    NotText {
        /// The file as named.
        name: String,
        /// Offset of the first bad byte.
        at: usize,
    },
    /// It is too large.
    #[error("{name} has more than {MAX_BYTES} bytes")]
    TooLarge {
        /// The file as named.
        name: String,
    },
}

/// Reads `path` (`-` is standard input).
///
/// # Errors
/// Where it cannot be read, is too large or not UTF-8.
pub fn load(path: &Path) -> Result<SourceFile, LoadError> {
    let name = if path == Path::new("-") {
        "standard input".to_string()
    } else {
        path.display().to_string()
    };
    let io = |source| LoadError::Io {
        name: name.clone(),
        source,
    };
    let mut bytes = Vec::new();
    let limit = MAX_BYTES as u64 + 1;
    if path == Path::new("-") {
        std::io::stdin()
            .lock()
            .take(limit)
            .read_to_end(&mut bytes)
            .map_err(io)?;
    } else {
        std::fs::File::open(path)
            .map_err(io)?
            .take(limit)
            .read_to_end(&mut bytes)
            .map_err(io)?;
    }
    if bytes.len() > MAX_BYTES {
        return Err(LoadError::TooLarge { name });
    }
    let text = String::from_utf8(bytes).map_err(|error| LoadError::NotText {
        name: name.clone(),
        at: error.utf8_error().valid_up_to(),
    })?;
    Ok(SourceFile::new(name, &text))
}
