//! Reads the files that a person named.
//!
//! It must not know what is in them beyond UTF-8 and size.

use super::{MAX_BYTES, SourceFile};
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// How many files of a folder are looked at, and how deep.
const MAX_CANDIDATES: usize = 500;
const MAX_FOLDERS: usize = 6;
/// Endings of files that may hold a definition.
pub const ENDINGS: &[&str] = &[
    ".json",
    ".yaml",
    ".yml",
    ".asl",
    ".sfn",
    ".hsd",
    ".template",
];

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
    /// It lies elsewhere than where files may be read from.
    #[error("{name} is not read: it lies outside the folder of the file that names it")]
    Outside {
        /// The file as named.
        name: String,
    },
}

/// Reads the file at `relative` below `folder`, wherever links lead.
///
/// # Errors
/// Where it lies elsewhere, cannot be read, is too large or not UTF-8.
pub fn load_below(folder: &Path, relative: &str) -> Result<SourceFile, LoadError> {
    let folder = if folder == Path::new("") {
        Path::new(".")
    } else {
        folder
    };
    let path = if folder == Path::new(".") {
        PathBuf::from(relative)
    } else {
        folder.join(relative)
    };
    let name = path.display().to_string();
    let io = |source| LoadError::Io {
        name: name.clone(),
        source,
    };
    let base = folder.canonicalize().map_err(io)?;
    let real = path.canonicalize().map_err(io)?;
    if !real.starts_with(&base) || !real.is_file() {
        return Err(LoadError::Outside { name });
    }
    load(&path)
}

/// Files below `folder` that may hold a definition, by their endings; folders of tools and hidden ones are left out.
#[must_use]
pub fn candidates(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    collect(folder, 0, &mut found);
    found.sort();
    found
}

fn collect(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        if found.len() >= MAX_CANDIDATES || name.starts_with('.') {
            continue;
        }
        if kind.is_dir() && depth < MAX_FOLDERS && !matches!(&*name, "node_modules" | "target") {
            collect(&entry.path(), depth + 1, found);
        } else if kind.is_file() && ENDINGS.iter().any(|ending| name.ends_with(ending)) {
            found.push(entry.path());
        }
    }
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
