//! Temporary files and folders, including those left behind by a program that was killed.
//!
//! A temporary path stays locked while its program runs, so that other programs can detect that it is in use.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Folders that have been checked for leftovers.
static SWEPT: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Maximum number of names that are tried for a temporary path.
const TRIES: u64 = 64;

/// Creates a temporary file or folder next to the target. Returns its path and the file that holds its lock.
///
/// # Errors
/// If nothing can be created there.
pub(super) fn create(
    target: &Path,
    make: impl Fn(&Path) -> io::Result<File>,
) -> io::Result<(PathBuf, File)> {
    static MADE: AtomicU64 = AtomicU64::new(0);
    sweep(target);
    let mut tried = 0;
    loop {
        tried += 1;
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let path = target.with_file_name(format!(".asldbg-{}-{number}.part", std::process::id()));
        match make(&path) {
            // Another program may have removed it before it was locked.
            Ok(made) if is_held(&made) || std::fs::symlink_metadata(&path).is_err() => {}
            Ok(made) => return Ok((path, made)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && tried < TRIES => {}
            Err(error) => return Err(error),
        }
    }
}

/// The folder that contains a file.
pub(super) fn folder_of(file: &Path) -> &Path {
    file.parent()
        .filter(|folder| *folder != Path::new(""))
        .unwrap_or(Path::new("."))
}

/// Removes the temporary files and folders of terminated programs from the folder of `file`. Each folder is checked
/// once.
pub fn sweep(file: &Path) {
    let folder = folder_of(file);
    let mut swept = SWEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if !swept.insert(folder.to_path_buf()) {
        return;
    }
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| is_temporary(&entry.file_name().to_string_lossy())) {
        let path = entry.path();
        // Links and pipes are never ours.
        let is_ours = entry
            .file_type()
            .is_ok_and(|kind| kind.is_file() || kind.is_dir());
        let Some(left) = open(&path).ok().filter(|_| is_ours) else {
            continue;
        };
        if left.try_lock().is_ok() && std::fs::remove_file(&path).is_err() {
            let _ = std::fs::remove_dir_all(&path);
        }
    }
}

/// Opens a file or folder for locking, without following a link or waiting for a pipe.
pub(super) fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        libc::O_NONBLOCK | libc::O_NOCTTY | libc::O_NOFOLLOW,
    );
    options.open(path)
}

/// True if another program holds the lock. False if it is now ours, or if the system does not support locks.
fn is_held(file: &File) -> bool {
    matches!(file.try_lock(), Err(std::fs::TryLockError::WouldBlock))
}

/// True if [`create`] could have created this name.
fn is_temporary(name: &str) -> bool {
    let numbers = name
        .strip_prefix(".asldbg-")
        .and_then(|rest| rest.strip_suffix(".part"))
        .and_then(|numbers| numbers.split_once('-'));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    numbers.is_some_and(|(process, number)| is_number(process) && is_number(number))
}
