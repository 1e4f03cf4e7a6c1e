//! Reads files of recorded executions.

use super::error::LaunchError;
use crate::history::import::{Imported, RecordedExecution, import, is_history};
use crate::interpreter::Course;
use crate::session::recorded::RecordedRun;
use crate::session::{RecordedAnswers, RecordedItems};
use crate::source::load;
use std::path::Path;
use std::sync::Arc;

/// Maximum size of a file of recorded executions, in bytes. The file may be larger than a definition: a history has up
/// to 25,000 events, each with up to 256 KiB.
const MAX_HISTORY: u64 = 1 << 30;
/// Number of bytes at the beginning of a file that are examined to detect whether it contains recorded executions.
const HEAD: u64 = 64 << 10;

/// A recorded execution whose events are linked to a definition.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// The recorded execution; its events are in `run`.
    pub execution: Arc<RecordedExecution>,
    /// The events of the recorded execution, by frame.
    pub run: Arc<RecordedRun>,
    /// The recorded answers of the execution's tasks.
    pub answers: Arc<RecordedAnswers>,
    /// The recorded times and values of the execution.
    pub course: Arc<Course>,
    /// Notes for the user about the recording.
    pub notes: Vec<String>,
    /// The reason why the execution can only be viewed and not repeated; `None` if it can be repeated.
    pub view_only: Option<String>,
    /// Recorded executions of the items of DISTRIBUTED Maps.
    pub items: Arc<RecordedItems>,
    /// True if the run takes its transitions and values from the recorded events, even if the definition would compute
    /// others.
    pub follows: bool,
}

/// Reads a file of recorded executions.
///
/// # Errors
/// If the file cannot be read or contains no execution.
pub fn read_history(file: &Path) -> Result<Imported, LaunchError> {
    let bytes = match file == Path::new("-") {
        true => load::load_argument(file)?.text.as_bytes().to_vec(),
        false => load::read(file, MAX_HISTORY)?,
    };
    load::note(file);
    let mut imported = import(&bytes).map_err(|problem| LaunchError::History {
        file: file.to_path_buf(),
        problem,
    })?;
    if let Some(answer) = description_beside(file) {
        imported.describe(&answer);
    }
    Ok(imported)
}

/// The DescribeExecution response that `asldbg pull` writes next to a history. The response has the names of the
/// execution and the state machine, which a history does not contain.
fn description_beside(file: &Path) -> Option<String> {
    let name = file.file_name()?.to_str()?;
    let stem = name.strip_suffix(".history.json")?;
    let beside = file.with_file_name(format!("{stem}.execution.json"));
    Some(load::load(&beside).ok()?.text.to_string())
}

/// True if a file contains recorded executions; only the beginning of the file is examined.
#[must_use]
pub fn is_history_file(file: &Path) -> bool {
    use std::io::Read as _;
    let Ok(opened) = load::open_regular(file, MAX_HISTORY) else {
        return false;
    };
    let mut head = Vec::new();
    let read = opened.take(HEAD).read_to_end(&mut head);
    read.is_ok() && is_history(&head)
}
