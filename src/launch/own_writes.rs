//! Writes to the user's files, for example a test case to a mock file. Remembers the contents that were written, so
//! that the debugger's own changes do not trigger a reload.

use super::error::LaunchError;
use crate::session::{Answers, CaseRefused, ExistingCase, with_case, with_default_case};
use crate::source::store::{Readers, Replace};
use crate::source::{load, store};
use sha2::{Digest as _, Sha256};
use std::collections::HashSet;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// SHA-256 of a file's content.
type Hash = [u8; 32];

/// The contents that this program wrote to files. A file that changes to one of these contents is not reloaded.
#[derive(Clone, Debug, Default)]
pub struct OwnWrites(Arc<Mutex<HashSet<Hash>>>);

impl OwnWrites {
    /// Records a content that is about to be written.
    pub fn note(&self, content: &[u8]) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(Sha256::digest(content).into());
    }

    /// True if a content with this SHA-256 was written by this program.
    #[must_use]
    pub fn has(&self, hash: &Hash) -> bool {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .contains(hash)
    }

    /// Replaces the content of a file by the result of `edit`, which gets the old text, or `None` if there is no file.
    /// Other instances of this program that write to the file wait until this write is done.
    ///
    /// # Errors
    /// If the file cannot be read, edited or written; in this case the file is unchanged.
    pub fn rewrite(
        &self,
        file: &Path,
        edit: impl FnOnce(Option<&str>) -> Result<String, LaunchError>,
    ) -> Result<(), LaunchError> {
        let _lock = store::lock(file);
        let old = match load::load(file) {
            Ok(source) => Some(source.text),
            Err(load::LoadError::Io { source, .. })
                if source.kind() == std::io::ErrorKind::NotFound =>
            {
                None
            }
            Err(error) => return Err(error.into()),
        };
        let content = edit(old.as_deref())?;
        self.note(content.as_bytes());
        store::write(file, content.as_bytes(), Replace::Regular, Readers::Default)?;
        Ok(())
    }
}

/// A test case to write.
#[derive(Clone, Copy, Debug)]
pub struct NewCase<'a> {
    /// Name of the state machine.
    pub machine: &'a str,
    /// Name of the test case.
    pub name: &'a str,
    /// The answers of a run, which become the answers of the test case.
    pub answers: &'a Answers,
    /// How to handle an existing case with the same name.
    pub existing: ExistingCase,
}

/// Writes a test case to a mock file, which is created if needed. The rest of the file is kept byte for byte.
///
/// # Errors
/// If the file cannot be read or written, is not a mock file, or has a case of that name that must not be replaced.
pub fn write_case(
    file: &Path,
    case: &NewCase<'_>,
    own_writes: &OwnWrites,
) -> Result<(), LaunchError> {
    own_writes.rewrite(file, |old| {
        Ok(with_case(
            old,
            case.machine,
            case.name,
            case.existing,
            case.answers,
        )?)
    })
}

/// Sets a machine's default test case, which is used if the user names none; keeps the rest of the file byte for byte.
///
/// # Errors
/// If the file cannot be read or written, or does not have the case.
pub fn write_default_case(
    file: &Path,
    machine: &str,
    case: &str,
    own_writes: &OwnWrites,
) -> Result<(), LaunchError> {
    own_writes.rewrite(file, |old| {
        let old = old.ok_or(CaseRefused::MockFile(
            "there is no mock file to change".to_owned(),
        ))?;
        Ok(with_default_case(old, machine, case)?)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn no_rewrite_of_several_at_a_time_is_lost() {
        let folder = std::env::temp_dir().join(format!("asldbg-rewrite-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let file = folder.join("a.txt");
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..8 {
                        let longer =
                            |old: Option<&str>| Ok(old.unwrap_or_default().to_owned() + "x");
                        OwnWrites::default()
                            .rewrite(&file, longer)
                            .expect("written");
                    }
                });
            }
        });
        let text = std::fs::read_to_string(&file).expect("read");
        std::fs::remove_dir_all(&folder).expect("removed");
        assert_eq!(text, "x".repeat(32));
    }
}
