//! Files of recorded executions.

use super::error::LaunchError;
use crate::history::import::{Imported, RecordedExecution, import, is_history};
use crate::interpreter::Course;
use crate::session::recorded::RecordedRun;
use crate::session::{RecordedAnswers, RecordedItems};
use crate::source::load;
use std::path::Path;
use std::sync::Arc;

/// Histories may be larger than definitions: 25,000 events, each with up to 256 KiB.
const MAX_HISTORY: u64 = 1 << 30;

/// A recorded execution beside a definition.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// The execution.
    pub execution: Arc<RecordedExecution>,
    /// Its events by frame.
    pub run: Arc<RecordedRun>,
    /// What its tasks were answered.
    pub answers: Arc<RecordedAnswers>,
    /// Its times.
    pub course: Arc<Course>,
    /// What a person should know of it.
    pub notes: Vec<String>,
    /// Why it can only be looked at, and not be repeated.
    pub view_only: Option<String>,
    /// What was recorded of the items of DISTRIBUTED Maps.
    pub items: Arc<RecordedItems>,
    /// Whether a run does what its events say, whatever the definition would make of the data.
    pub follows: bool,
}

/// Reads a file of recorded executions.
///
/// # Errors
/// Where it cannot be read or holds none.
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

/// What DescribeExecution answered, beside the history as `asldbg pull` writes it: a history alone tells no name.
fn description_beside(file: &Path) -> Option<String> {
    let name = file.file_name()?.to_str()?;
    let stem = name.strip_suffix(".history.json")?;
    let beside = file.with_file_name(format!("{stem}.execution.json"));
    Some(load::load(&beside).ok()?.text.to_string())
}

/// So much of a file is looked at to see what it is.
const HEAD: u64 = 64 << 10;

/// Whether a file holds recorded executions, as far as its beginning says.
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
