//! Watches files for changes by other programs, which may write to a file or replace it.

use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use sha2::{Digest as _, Sha256};
use std::collections::HashSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;
use std::{io, thread};

use super::own_writes::OwnWrites;
use crate::source::load::read;

/// A change counts as complete if no further event of the file system follows within this time.
const SILENCE: Duration = Duration::from_millis(80);
/// Maximum time for which `watch` waits until the files' initial contents have been read.
const AT_ONCE: Duration = Duration::from_millis(20);
/// Maximum size of a file whose changes are noticed, in bytes.
const MAX_BYTES: u64 = 64 << 20;

/// SHA-256 of a file's content.
type Hash = [u8; 32];

/// Watches files until it is dropped.
#[derive(Debug)]
pub struct Watch {
    _watcher: RecommendedWatcher,
}

/// Calls `news` when another program has changed the content of one of `files`; stops when `news` returns false.
///
/// The folders are watched instead of the files, because an editor that saves by renaming replaces the file.
///
/// # Errors
/// If a folder cannot be watched.
pub fn watch(
    files: &[PathBuf],
    own_writes: &OwnWrites,
    news: impl Fn() -> bool + Send + 'static,
) -> io::Result<Watch> {
    let (sender, changes) = channel::<()>();
    let names: HashSet<OsString> = files
        .iter()
        .filter_map(|file| file.file_name().map(Into::into))
        .collect();
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        let news = event.is_ok_and(|event| {
            !matches!(event.kind, EventKind::Access(_))
                && event
                    .paths
                    .iter()
                    .any(|path| path.file_name().is_some_and(|name| names.contains(name)))
        });
        if news {
            let _ = sender.send(());
        }
    })
    .map_err(io::Error::other)?;
    let folders: HashSet<PathBuf> = files.iter().map(|file| folder(file)).collect();
    for folder in folders {
        watcher
            .watch(&folder, RecursiveMode::NonRecursive)
            .map_err(io::Error::other)?;
    }
    let (files, own_writes) = (files.to_vec(), own_writes.clone());
    let (ready, read) = channel();
    thread::Builder::new().name("files".into()).spawn(move || {
        let mut known: Vec<Option<Hash>> = files.iter().map(|file| hash(file)).collect();
        // Sending fails if nobody waits any longer, because reading took longer than `AT_ONCE`.
        let _ = ready.send(());
        while changes.recv().is_ok() {
            loop {
                match changes.recv_timeout(SILENCE) {
                    Ok(()) => {}
                    Err(RecvTimeoutError::Timeout) => break,
                    Err(RecvTimeoutError::Disconnected) => return,
                }
            }
            let mut changed = false;
            for (file, known) in files.iter().zip(&mut known) {
                // While a program saves a file, the file may be missing for a moment. Only the content that the file
                // has next matters.
                if let Some(now) = hash(file).filter(|now| *known != Some(*now)) {
                    *known = Some(now);
                    changed |= !own_writes.has(&now);
                }
            }
            if changed && !news() {
                return;
            }
        }
    })?;
    // Wait until the initial contents have been read, which is usually soon; do not wait longer for a slow disk.
    let _ = read.recv_timeout(AT_ONCE);
    Ok(Watch { _watcher: watcher })
}

fn folder(file: &Path) -> PathBuf {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_path_buf(),
        _ => PathBuf::from("."),
    }
}

fn hash(file: &Path) -> Option<Hash> {
    Some(Sha256::digest(read(file, MAX_BYTES).ok()?).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sees_writes_and_renames_but_not_our_own() {
        let folder = std::env::temp_dir().join(format!("asldbg-watch-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("folder");
        let file = folder.join("a.json");
        std::fs::write(&file, "1").expect("write");
        let own_writes = OwnWrites::default();
        let (sender, inputs) = channel();
        let news = move || sender.send(()).is_ok();
        let watching = watch(std::slice::from_ref(&file), &own_writes, news).expect("watch");
        let seen = || inputs.recv_timeout(Duration::from_secs(5)).ok();
        let silent = || inputs.recv_timeout(Duration::from_millis(400)).is_err();
        for round in ["2", "3"] {
            let other = folder.join("a.json.tmp");
            std::fs::write(&other, round).expect("write");
            std::fs::rename(&other, &file).expect("rename");
            assert_eq!(seen(), Some(()));
        }
        std::fs::write(&file, "4").expect("write");
        assert_eq!(seen(), Some(()));
        std::fs::write(&file, "4").expect("write");
        std::fs::write(folder.join("b.json"), "x").expect("write");
        assert!(silent());
        own_writes.note(b"5");
        std::fs::write(&file, "5").expect("write");
        assert!(silent());
        drop(watching);
        let _ = std::fs::remove_dir_all(&folder);
    }
}
