//! Fetches an execution of a standard or express state machine.

use super::arn::{Arn, Kind};
use super::aws::Aws;
use super::complaint::{self, Trouble};
use super::fetched::Fetched;
use super::{execution, express};
use crate::headless::Progress;

/// Fetches one execution, without its children.
///
/// # Errors
/// If it cannot be fetched.
pub(super) fn fetch_one(aws: &Aws, arn: &Arn, progress: &Progress) -> Result<Fetched, Trouble> {
    match arn.kind {
        Kind::Express => express::fetch(aws, arn, progress),
        _ => Ok(execution::fetch(aws, arn, progress)?),
    }
}

/// Returns the last failed execution of a state machine of either type.
///
/// # Errors
/// If there is none or it cannot be determined.
pub(super) fn last_failed(aws: &Aws, machine: &Arn, progress: &Progress) -> Result<Arn, Trouble> {
    let (found, since) = match execution::last_failed(aws, machine) {
        Err(refused) if refused.kind == complaint::Kind::WrongType => (
            express::last_failed(aws, machine, progress)?,
            "in the last 24 hours of its log",
        ),
        found => (found?, "in the 90 days that AWS keeps"),
    };
    found.ok_or_else(|| {
        Trouble::Told(
            format!("none failed or timed out {since}"),
            Some(format!(
                "`aws stepfunctions list-executions --state-machine-arn {}` lists those that exist",
                machine.text
            )),
        )
    })
}
