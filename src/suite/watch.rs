//! Waits until one of the files that tests were read from is saved.

use crate::headless::{self, Refusal};
use crate::launch::{OwnWrites, watch};
use crate::testing::{Found, test_files};
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, SystemTime};

/// How often to check whether the user has interrupted the wait.
const PATIENCE: Duration = Duration::from_millis(200);

/// Number of checks for an interruption between two searches for new tests.
const LOOKS: u32 = 10;

/// Returns the files that were saved or are new; `None` if the user interrupted the wait.
///
/// # Errors
/// If the folders cannot be watched.
pub(super) fn wait_for_change(
    files: &[PathBuf],
    own: &OwnWrites,
    paths: &[PathBuf],
    known: &Found,
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
    headless::warn_lines("\nwaiting for a change; Ctrl-C ends it");
    let interrupted = headless::interrupted();
    let mut looks = 0;
    loop {
        match changes.recv_timeout(PATIENCE) {
            Ok(()) => break,
            Err(RecvTimeoutError::Timeout) if interrupted.load(Ordering::Relaxed) => {
                return Ok(None);
            }
            Err(RecvTimeoutError::Timeout) => {
                looks += 1;
                let new = match looks % LOOKS {
                    0 => new_files(paths, known),
                    _ => Vec::new(),
                };
                if !new.is_empty() {
                    return Ok(Some(new));
                }
            }
            Err(RecvTimeoutError::Disconnected) => return Ok(None),
        }
    }
    drop(watching);
    let changed = files.iter().zip(before);
    let changed = changed.filter(|(file, before)| written(file) != *before);
    Ok(Some(changed.map(|(file, _)| file.clone()).collect()))
}

/// Tests that were not found before.
fn new_files(paths: &[PathBuf], known: &Found) -> Vec<PathBuf> {
    let now = test_files(paths);
    let mut new: Vec<PathBuf> = now.tests.difference(&known.tests).cloned().collect();
    let mocks = now.mocks.difference(&known.mocks);
    new.extend(mocks.map(|(_, mock, _)| mock.clone()));
    let histories = now.histories.difference(&known.histories);
    new.extend(histories.map(|(_, history)| history.clone()));
    new
}
