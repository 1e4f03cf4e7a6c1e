//! Waits until one of the files that tests were read from is saved.
//!
//! It must not know what is in them.

use crate::headless::{self, Refusal};
use crate::launch::{OwnWrites, watch};
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, SystemTime};

/// How often a person who wants to end it is looked for.
const PATIENCE: Duration = Duration::from_millis(200);

/// The files that were saved; `None` where a person ended it.
///
/// # Errors
/// Where the folders cannot be watched.
pub(super) fn wait_for_change(
    files: &[PathBuf],
    own: &OwnWrites,
) -> Result<Option<Vec<PathBuf>>, Refusal> {
    let written = |file: &PathBuf| {
        let known = std::fs::metadata(file);
        known.and_then(|known| known.modified()).ok()
    };
    let before: Vec<Option<SystemTime>> = files.iter().map(written).collect();
    let (sender, changes) = channel();
    let news = move || sender.send(()).is_ok();
    let watching = watch(files, own, news)
        .map_err(|error| Refusal::new(format!("the files cannot be watched: {error}")))?;
    headless::warn("\nwaiting for a change; Ctrl-C ends it");
    let interrupted = headless::interrupted();
    loop {
        match changes.recv_timeout(PATIENCE) {
            Ok(()) => break,
            Err(RecvTimeoutError::Timeout) if interrupted.load(Ordering::Relaxed) => {
                return Ok(None);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(None),
        }
    }
    drop(watching);
    let changed = files.iter().zip(before);
    let changed = changed.filter(|(file, before)| written(file) != *before);
    Ok(Some(changed.map(|(file, _)| file.clone()).collect()))
}
