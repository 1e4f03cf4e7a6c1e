//! Reads files of recorded executions.

use super::error::LaunchError;
use crate::history::import::{Imported, RecordedExecution, import, is_history};
use crate::interpreter::Course;
use crate::session::recorded::RecordedRun;
use crate::session::{RecordedAnswers, RecordedItems};
use crate::source::load;
use std::path::Path;
use std::sync::Arc;

/// Maximum size in bytes. A history may be larger than a definition: 25,000 events, each with up to 256 KiB.
const MAX_HISTORY: u64 = 1 << 30;
/// Number of bytes examined to detect the type of a file.
const HEAD: u64 = 64 << 10;

/// A recorded execution linked to a definition.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// The execution.
    pub execution: Arc<RecordedExecution>,
    /// The events of the recorded execution, by frame.
    pub run: Arc<RecordedRun>,
    /// The recorded answers of the execution's tasks.
    pub answers: Arc<RecordedAnswers>,
    /// The recorded times and values of the execution.
    pub course: Arc<Course>,
    /// Notes for the user.
    pub notes: Vec<String>,
    /// The reason why the execution can only be viewed and not repeated, if any.
    pub view_only: Option<String>,
    /// Recordings of the items of DISTRIBUTED Maps.
    pub items: Arc<RecordedItems>,
    /// True if the run follows the recorded events, even if the definition would compute other values or transitions.
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

/// The DescribeExecution response that `asldbg pull` writes next to a history. It has the names of the execution and
/// the state machine, which a history does not contain.
fn description_beside(file: &Path) -> Option<String> {
    let name = file.file_name()?.to_str()?;
    let stem = name.strip_suffix(".history.json")?;
    let beside = file.with_file_name(format!("{stem}.execution.json"));
    Some(load::load(&beside).ok()?.text.to_string())
}

/// True if a file contains recorded executions, judged by its beginning.
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
