//! Writes what was answered in a run into a mock file, as a test case.
//!
//! It must not know how the answers were come by.

use super::error::LaunchError;
use super::own_writes::OwnWrites;
use crate::session::{Answers, CaseRefused, ExistingCase, with_case, with_default_case};
use std::path::Path;

/// A test case to write.
#[derive(Clone, Copy, Debug)]
pub struct NewCase<'a> {
    /// The state machine that it is for.
    pub machine: &'a str,
    /// Its name.
    pub name: &'a str,
    /// What was answered.
    pub answers: &'a Answers,
    /// What becomes of a case of that name.
    pub existing: ExistingCase,
}

/// Writes a test case into a mock file, which is made where there is none; the other text is kept byte for byte.
///
/// # Errors
/// Where the file cannot be read or written, is no mock file, or has a case of that name that is not to be replaced.
pub fn write_case(file: &Path, case: &NewCase<'_>, own: &OwnWrites) -> Result<(), LaunchError> {
    own.rewrite(file, |old| {
        Ok(with_case(
            old,
            case.machine,
            case.name,
            case.existing,
            case.answers,
        )?)
    })
}

/// Makes a test case of a machine the one that runs take which name none; the other text is kept byte for byte.
///
/// # Errors
/// Where the file cannot be read or written, or has no such case.
pub fn write_default_case(
    file: &Path,
    machine: &str,
    case: &str,
    own: &OwnWrites,
) -> Result<(), LaunchError> {
    own.rewrite(file, |old| {
        let old = old.ok_or(CaseRefused::MockFile("there is no mock file".to_owned()))?;
        Ok(with_default_case(old, machine, case)?)
    })
}
