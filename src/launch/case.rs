//! Writes the answers of a run to a mock file, as a test case.

use super::error::LaunchError;
use super::own_writes::OwnWrites;
use crate::session::{Answers, CaseRefused, ExistingCase, with_case, with_default_case};
use std::path::Path;

/// A test case to write.
#[derive(Clone, Copy, Debug)]
pub struct NewCase<'a> {
    /// Name of the state machine.
    pub machine: &'a str,
    /// Name of the test case.
    pub name: &'a str,
    /// The answers of the run.
    pub answers: &'a Answers,
    /// How to handle an existing case with the same name.
    pub existing: ExistingCase,
}

/// Writes a test case to a mock file, which is created if needed; the rest of the file is kept byte for byte.
///
/// # Errors
/// If the file cannot be read or written, is not a mock file, or has a case of that name that must not be replaced.
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

/// Sets the test case that a machine's runs use if they name none; the rest of the file is kept byte for byte.
///
/// # Errors
/// If the file cannot be read or written, or does not have the case.
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
