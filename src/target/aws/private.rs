//! Files with parameters for `aws` that no other user may read. Parameters in command-line options could be misread and
//! would be limited in length.

use crate::source::store::TemporaryFolder;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

/// A folder with the files of one call. Dropping this value removes the folder.
pub(super) struct Private {
    folder: TemporaryFolder,
    count: u32,
}

impl Private {
    pub(super) fn new() -> io::Result<Self> {
        let folder = TemporaryFolder::private()?;
        Ok(Self { folder, count: 0 })
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
        self.folder.path().join(name)
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
