//! Follows a running execution until it ends.

use super::aws::Aws;
use super::complaint::{Complaint, Kind};
use super::count::counted;
use super::execution::{description, newer};
use super::fetched::Fetched;
use super::folder::Folder;
use super::trouble::Trouble;
use crate::headless::Progress;
use std::thread;
use std::time::Duration;

/// Maximum number of seconds between two polls; the pause doubles from one second while nothing happens.
const LONGEST_PAUSE: u64 = 15;
/// Maximum number of polls in a row that may fail.
const MOST_FAILURES: usize = 5;
/// Maximum number of polls to wait for the last event after AWS reports the end of the execution.
const MOST_LATE: usize = 5;

/// Polls until the execution ends, and writes new data each time.
///
/// # Errors
/// If polling keeps failing; what was written is kept.
pub(super) fn follow(
    aws: &Aws,
    fetched: &mut Fetched,
    folder: &mut Folder,
    progress: &Progress,
) -> Result<(), Trouble> {
    let (mut pause, mut failures, mut late) = (1, 0, 0);
    loop {
        progress.step(&format!(
            "{}: {}, running",
            fetched.arn.name,
            counted(fetched.events.len(), "event")
        ));
        thread::sleep(Duration::from_secs(pause));
        match look(aws, fetched) {
            Ok(news) => {
                failures = 0;
                if news {
                    folder
                        .update(fetched)
                        .map_err(|refusal| Trouble::Told(refusal.text().to_string(), None))?;
                }
                pause = if news {
                    1
                } else {
                    (pause * 2).min(LONGEST_PAUSE)
                };
            }
            Err(complaint) if may_pass(&complaint) && failures < MOST_FAILURES => {
                failures += 1;
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
            Err(complaint) => return Err(complaint.into()),
        }
        if !fetched.is_running() {
            late += 1;
            if fetched.has_end() || late > MOST_LATE {
                return Ok(());
            }
            pause = 1;
        }
    }
}

/// Polls once; returns true if there is new data.
fn look(aws: &Aws, fetched: &mut Fetched) -> Result<bool, Complaint> {
    let description = description(aws, &fetched.arn)?;
    let events = newer(aws, &fetched.arn, &fetched.events)?;
    let status = description.get("status").cloned();
    let is_new =
        !events.is_empty() || fetched.status() != status.as_ref().and_then(|own| own.as_str());
    fetched.description = Some(description);
    fetched.events.extend(events);
    Ok(is_new)
}

/// True if the next poll may succeed.
fn may_pass(complaint: &Complaint) -> bool {
    matches!(complaint.kind, Kind::Throttled | Kind::Token) || complaint.is_connection()
}
