//! Reads the files that a person named: regular ones, up to a limit, never waiting for what may not come.
//!
//! It must not know what is in them beyond UTF-8 and size.

use super::{MAX_BYTES, SourceFile};
use std::collections::BTreeSet;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// Where the files lie that were read: nothing is written over one of them unawares.
static READ: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
/// Whether standard input was read: it comes once.
static STANDARD_INPUT: AtomicBool = AtomicBool::new(false);

/// How many files of a folder are looked at, and how deep.
const MAX_CANDIDATES: usize = 500;
const MAX_FOLDERS: usize = 6;
/// How many names in it, whatever they are of.
const MAX_NAMES: usize = 20_000;
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
        source: io::Error,
    },
    /// It is no regular file.
    #[error(
        "{name} is {kind}, and only regular files are read; `-` is standard input where FILE may be that"
    )]
    Special {
        /// The file as named.
        name: String,
        /// What it is.
        kind: &'static str,
    },
    /// Standard input was read before.
    #[error("standard input was read already; save it to a file to have it twice")]
    Spent,
    /// It is not text.
    #[error("{name} is not UTF-8 text (byte {at})")]
    NotText {
        /// The file as named.
        name: String,
        /// Offset of the first bad byte.
        at: usize,
    },
    /// It is too large.
    #[error("{name} has more than {limit} bytes, and more is not read")]
    TooLarge {
        /// The file as named.
        name: String,
        /// How many bytes are read.
        limit: u64,
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
    if !real.starts_with(&base) {
        return Err(LoadError::Outside { name });
    }
    // What was looked at is what is read, should the name lead elsewhere meanwhile.
    let bytes = read(&real, MAX_BYTES as u64)?;
    note(&real);
    source(name, bytes)
}

/// Files below `folder` that may hold a definition, by their endings; folders of tools and hidden ones are left out.
#[must_use]
pub fn candidates(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut names = MAX_NAMES;
    collect(folder, 0, &mut names, &mut found);
    found.sort();
    found
}

fn collect(folder: &Path, depth: usize, names: &mut usize, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        if *names == 0 || found.len() >= MAX_CANDIDATES {
            return;
        }
        *names -= 1;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        if name.starts_with('.') {
            continue;
        }
        if kind.is_dir() && depth < MAX_FOLDERS && !matches!(&*name, "node_modules" | "target") {
            collect(&entry.path(), depth + 1, names, found);
        } else if kind.is_file() && ENDINGS.iter().any(|ending| name.ends_with(ending)) {
            found.push(entry.path());
        }
    }
}

/// Reads the regular file `path`.
///
/// # Errors
/// Where it cannot be read, is no regular file, is too large or not UTF-8.
pub fn load(path: &Path) -> Result<SourceFile, LoadError> {
    let bytes = read(path, MAX_BYTES as u64)?;
    note(path);
    source(path.display().to_string(), bytes)
}

/// Reads what an argument names: a regular file, or standard input where it is `-`, which can be had once.
///
/// # Errors
/// As [`load`], and where standard input was read before.
pub fn load_argument(path: &Path) -> Result<SourceFile, LoadError> {
    if path != Path::new("-") {
        return load(path);
    }
    if STANDARD_INPUT.swap(true, Ordering::Relaxed) {
        return Err(LoadError::Spent);
    }
    let name = "standard input".to_string();
    let bytes = bounded(&mut io::stdin().lock(), &name, MAX_BYTES as u64)?;
    source(name, bytes)
}

/// The bytes of a regular file.
///
/// # Errors
/// Where it cannot be read, is no regular file, or has more than `limit` bytes.
pub fn read(path: &Path, limit: u64) -> Result<Vec<u8>, LoadError> {
    let mut file = open_regular(path, limit)?;
    bounded(&mut file, &path.display().to_string(), limit)
}

/// Opens a regular file to be read bit by bit; it may still grow beyond the limit meanwhile.
///
/// # Errors
/// Where it cannot be opened, is no regular file, or has more than `limit` bytes.
pub fn open_regular(path: &Path, limit: u64) -> Result<File, LoadError> {
    let name = path.display().to_string();
    let io = |source| LoadError::Io {
        name: name.clone(),
        source,
    };
    let regular = |known: &Metadata| match known.is_file() {
        true => Ok(()),
        false => Err(LoadError::Special {
            name: name.clone(),
            kind: kind_of(known),
        }),
    };
    // Before it is opened: opening a device may already do something.
    regular(&std::fs::metadata(path).map_err(io)?)?;
    let file = open(path).map_err(io)?;
    let known = file.metadata().map_err(io)?;
    regular(&known)?;
    if known.len() > limit {
        return Err(LoadError::TooLarge { name, limit });
    }
    Ok(file)
}

/// Opens a file without waiting, should it have become a pipe since it was looked at.
fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        libc::O_NONBLOCK | libc::O_NOCTTY,
    );
    options.open(path)
}

fn bounded(from: &mut impl Read, name: &str, limit: u64) -> Result<Vec<u8>, LoadError> {
    let mut bytes = Vec::new();
    let read = from.take(limit.saturating_add(1)).read_to_end(&mut bytes);
    let name = name.to_string();
    match read {
        Err(source) => Err(LoadError::Io { name, source }),
        Ok(_) if bytes.len() as u64 > limit => Err(LoadError::TooLarge { name, limit }),
        Ok(_) => Ok(bytes),
    }
}

fn source(name: String, bytes: Vec<u8>) -> Result<SourceFile, LoadError> {
    let text = String::from_utf8(bytes).map_err(|error| LoadError::NotText {
        name: name.clone(),
        at: error.utf8_error().valid_up_to(),
    })?;
    Ok(SourceFile::new(name, &text))
}

/// Notes that a file was read.
fn note(path: &Path) {
    if let Ok(place) = path.canonicalize() {
        let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
        read.insert(place);
    }
}

/// Whether this program has read the file, by whatever name.
#[must_use]
pub fn was_read(path: &Path) -> bool {
    let (Ok(place), Ok(known)) = (path.canonicalize(), std::fs::metadata(path)) else {
        return false;
    };
    let read = READ.lock().unwrap_or_else(PoisonError::into_inner);
    let is_same = |own: &PathBuf| std::fs::metadata(own).is_ok_and(|own| same(&own, &known));
    read.contains(&place) || read.iter().any(is_same)
}

/// Whether two names lead to one file.
fn same(one: &Metadata, other: &Metadata) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        (one.dev(), one.ino()) == (other.dev(), other.ino())
    }
    #[cfg(not(unix))]
    {
        // Without such numbers only the path tells.
        let _ = (one, other);
        false
    }
}

/// What lies at a place that holds no regular file, in words.
pub(super) fn kind_of(known: &Metadata) -> &'static str {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt as _;
        let kind = known.file_type();
        if kind.is_fifo() {
            return "a pipe";
        }
        if kind.is_socket() {
            return "a socket";
        }
        if kind.is_block_device() || kind.is_char_device() {
            return "a device";
        }
    }
    match known.is_dir() {
        true => "a folder",
        false => "no file",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(path: &str) -> String {
        load(Path::new(path)).expect_err("refused").to_string()
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_regular_file_is_not_read() {
        assert!(problem("/dev/zero").contains("is a device"));
        assert!(problem("/dev/tty").contains("is a device"));
        assert!(problem("/").contains("is a folder"));
        let pipe = std::env::temp_dir().join(format!("asldbg-load-{}", std::process::id()));
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.is_ok_and(|status| status.success()));
        let said = problem(&pipe.display().to_string());
        std::fs::remove_file(&pipe).expect("removed");
        assert!(said.contains("is a pipe"), "{said}");
    }

    #[test]
    fn more_than_the_limit_is_refused() {
        let file = std::env::temp_dir().join(format!("asldbg-large-{}", std::process::id()));
        std::fs::write(&file, "12345").expect("written");
        assert_eq!(read(&file, 5).expect("read"), b"12345");
        let refused = read(&file, 4).expect_err("refused").to_string();
        std::fs::remove_file(&file).expect("removed");
        assert!(refused.contains("more than 4 bytes"), "{refused}");
        let endless = bounded(&mut io::repeat(b'x'), "endless", 1000);
        assert!(matches!(
            endless,
            Err(LoadError::TooLarge { limit: 1000, .. })
        ));
    }
}
