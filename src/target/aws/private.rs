//! Files with parameters for `aws` that no other user may read. Parameters in command-line options could be misread and
//! would be limited in length.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The folders that exist now; `None` once asldbg is exiting, so that no more are created.
static FOLDERS: Mutex<Option<Vec<PathBuf>>> = Mutex::new(Some(Vec::new()));
static COUNT: AtomicU32 = AtomicU32::new(0);
/// Number of names to try for a new folder.
const TRIES: u32 = 100;

/// A folder with the files of one call. Dropping this value removes the folder.
pub(super) struct Private {
    folder: PathBuf,
    count: u32,
}

impl Private {
    pub(super) fn new() -> io::Result<Self> {
        let mut folders = folders();
        let folders = folders.as_mut().ok_or(io::ErrorKind::Interrupted)?;
        let mut failed = io::Error::from(io::ErrorKind::AlreadyExists);
        for _ in 0..TRIES {
            let number = COUNT.fetch_add(1, Ordering::Relaxed);
            let name = format!("asldbg-aws-{}-{number}", std::process::id());
            let folder = std::env::temp_dir().join(name);
            match builder().create(&folder) {
                Ok(()) => {
                    folders.push(folder.clone());
                    return Ok(Self { folder, count: 0 });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => failed = error,
                Err(error) => return Err(error),
            }
        }
        Err(failed)
    }

    /// Writes a file; returns the option value `file://…` or `fileb://…` for it, for text or bytes.
    pub(super) fn write(&mut self, text: &str, is_blob: bool) -> io::Result<String> {
        let path = self.path(&self.count.to_string());
        self.count += 1;
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.open(&path)?.write_all(text.as_bytes())?;
        let kind = if is_blob { "fileb" } else { "file" };
        Ok(format!("{kind}://{}", path.display()))
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// The first bytes of a file.
    pub(super) fn read(path: &Path, limit: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        if let Ok(file) = File::open(path) {
            // A file that cannot be read gives no bytes.
            let _ = file.take(limit as u64).read_to_end(&mut bytes);
        }
        bytes
    }
}

impl Drop for Private {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
        for folders in folders().iter_mut() {
            folders.retain(|folder| *folder != self.folder);
        }
    }
}

fn builder() -> DirBuilder {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "only Unix has modes"))]
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

/// Removes all folders and prevents new ones.
pub fn remove_all() {
    for folder in folders().take().into_iter().flatten() {
        let _ = std::fs::remove_dir_all(folder);
    }
}

fn folders() -> MutexGuard<'static, Option<Vec<PathBuf>>> {
    FOLDERS.lock().unwrap_or_else(PoisonError::into_inner)
}
