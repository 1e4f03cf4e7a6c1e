//! Reads the files that the user names. Only regular files up to a size limit are read, and reading never blocks.

use super::{MAX_BYTES, SourceFile};
use std::collections::BTreeSet;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// Paths of the files that this program has read. They are recorded so that none of the files is overwritten by
/// accident.
static READ: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
/// True if standard input has been read, which is possible only once.
static STANDARD_INPUT: AtomicBool = AtomicBool::new(false);

/// Limits of the search for definitions in a folder: the number of files found, and the depth of the folders.
const MAX_CANDIDATES: usize = 500;
const MAX_FOLDERS: usize = 6;
/// Maximum number of directory entries that the search examines, including those that are no candidates.
const MAX_NAMES: usize = 20_000;
/// Extensions of files that may contain a definition.
pub const ENDINGS: &[&str] = &[
    ".json",
    ".yaml",
    ".yml",
    ".asl",
    ".sfn",
    ".hsd",
    ".template",
];

/// The reason why a file could not be read.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The operating system reported an error.
    #[error("cannot read {name}: {source}")]
    Io {
        /// Name of the file, as the message shows it.
        name: String,
        /// The operating system's error.
        source: io::Error,
    },
    /// The path is not a regular file.
    #[error(
        "{name} is {kind}, but asldbg reads only regular files; `-` means standard input where an option accepts standard input"
    )]
    Special {
        /// Name of the file, as the message shows it.
        name: String,
        /// The object at the path, which is not a regular file, such as `a folder`.
        kind: &'static str,
    },
    /// Standard input has already been read.
    #[error(
        "standard input was already read; save the input to a file, which asldbg can read more than once"
    )]
    Spent,
    /// The file is not UTF-8 text.
    #[error("{name} is not UTF-8 text: the byte at offset {at} is invalid")]
    NotText {
        /// Name of the file, as the message shows it.
        name: String,
        /// Byte offset of the first byte that is not UTF-8.
        at: usize,
    },
    /// The file is too large.
    #[error("{name} has more than {limit} bytes, which is the limit")]
    TooLarge {
        /// Name of the file, as the message shows it.
        name: String,
        /// Limit in bytes.
        limit: u64,
    },
    /// The files included so far are, taken together, larger than the limit.
    #[error(
        "{name} is not included, because the files included so far have more than {limit} bytes"
    )]
    Enough {
        /// Name of the file, as the message shows it.
        name: String,
        /// Limit in bytes.
        limit: u64,
    },
    /// The file is outside of the only folder from which files may be read.
    #[error("{name} is not read, because it is outside the folder of the file that refers to it")]
    Outside {
        /// Name of the file, as the message shows it.
        name: String,
    },
}

impl LoadError {
    fn io(name: &str, source: io::Error) -> Self {
        let name = name.to_string();
        Self::Io { name, source }
    }
}

/// Reads the file with the path `relative` to `folder`. The file must be below `folder` even after symbolic links are
/// resolved.
///
/// # Errors
/// If the file is outside the folder, cannot be read, is too large or is not UTF-8.
pub fn load_below(folder: &Path, relative: &str) -> Result<SourceFile, LoadError> {
    let (folder, path) = if ["", "."].map(Path::new).contains(&folder) {
        (Path::new("."), PathBuf::from(relative))
    } else {
        (folder, folder.join(relative))
    };
    let name = path.display().to_string();
    let io = |source| LoadError::io(&name, source);
    let base = folder.canonicalize().map_err(io)?;
    let real = path.canonicalize().map_err(io)?;
    if !real.starts_with(&base) {
        return Err(LoadError::Outside { name });
    }
    // Read the resolved path: the link itself may have changed after the check.
    let bytes = read(&real, MAX_BYTES as u64)?;
    note(&real);
    source(name, bytes)
}

/// The files below `folder` whose extension suggests that they contain a definition. Skips hidden files, hidden folders
/// and the folders of tools. The flag is false if a limit ended the search early.
#[must_use]
pub fn candidates(folder: &Path) -> (Vec<PathBuf>, bool) {
    let mut files = Vec::new();
    let mut names = MAX_NAMES;
    collect(folder, 0, &mut names, &mut files);
    files.sort();
    let all = names > 0 && files.len() < MAX_CANDIDATES;
    (files, all)
}

fn collect(folder: &Path, depth: usize, names: &mut usize, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        if *names == 0 || files.len() >= MAX_CANDIDATES {
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
            collect(&entry.path(), depth + 1, names, files);
        } else if kind.is_file() && ENDINGS.iter().any(|ending| name.ends_with(ending)) {
            files.push(entry.path());
        }
    }
}

/// Reads the regular file `path`.
///
/// # Errors
/// If the file cannot be read, is not a regular file, is too large or is not UTF-8.
pub fn load(path: &Path) -> Result<SourceFile, LoadError> {
    let bytes = read(path, MAX_BYTES as u64)?;
    note(path);
    source(path.display().to_string(), bytes)
}

/// Reads the file that an argument names: a regular file, or standard input for `-`, which can be read only once.
///
/// # Errors
/// As for [`load`], and if standard input has already been read.
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

/// Reads the bytes of a regular file.
///
/// # Errors
/// If the file cannot be read, is not a regular file, or has more than `limit` bytes.
pub fn read(path: &Path, limit: u64) -> Result<Vec<u8>, LoadError> {
    let mut file = open_regular(path, limit)?;
    bounded(&mut file, &path.display().to_string(), limit)
}

/// Opens a regular file for incremental reading. The file may still grow beyond the limit afterwards.
///
/// # Errors
/// If the file cannot be opened, is not a regular file, or has more than `limit` bytes.
pub fn open_regular(path: &Path, limit: u64) -> Result<File, LoadError> {
    let name = path.display().to_string();
    let io = |source| LoadError::io(&name, source);
    let regular = |known: &Metadata| match known.is_file() {
        true => Ok(()),
        false => Err(LoadError::Special {
            name: name.clone(),
            kind: kind_of(known),
        }),
    };
    // The kind of the file is checked before opening, because even opening a device may have an effect.
    regular(&std::fs::metadata(path).map_err(io)?)?;
    let file = open(path).map_err(io)?;
    let known = file.metadata().map_err(io)?;
    regular(&known)?;
    if known.len() > limit {
        return Err(LoadError::TooLarge { name, limit });
    }
    Ok(file)
}

/// Opens a file without waiting. A wait is possible if a pipe took the file's place after the check.
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
        Err(source) => Err(LoadError::io(&name, source)),
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

/// Records that a file was read.
pub fn note(path: &Path) {
    if let Ok(place) = path.canonicalize() {
        let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
        read.insert(place);
    }
}

/// True if this program has read the file, even under another path.
#[must_use]
pub fn was_read(path: &Path) -> bool {
    let (Ok(place), Ok(known)) = (path.canonicalize(), std::fs::metadata(path)) else {
        return false;
    };
    let read = READ.lock().unwrap_or_else(PoisonError::into_inner);
    let is_same = |file: &PathBuf| std::fs::metadata(file).is_ok_and(|file| same(&file, &known));
    read.contains(&place) || read.iter().any(is_same)
}

/// True if both metadata belong to the same file.
fn same(left: &Metadata, right: &Metadata) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        (left.dev(), left.ino()) == (right.dev(), right.ino())
    }
    #[cfg(not(unix))]
    {
        // Without inode numbers, two files cannot be compared here, so they count as different.
        let _ = (left, right);
        false
    }
}

/// Describes the thing at a path that is not a regular file, such as `a folder`.
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
