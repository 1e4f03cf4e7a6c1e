//! Finds programs in the folders of PATH.

use std::path::{Path, PathBuf};

/// The executable file of a program. A name with folders is a path; any other name is searched in the folders of PATH.
/// Relative folders in PATH are skipped, because they depend on the current folder, which anyone may have created.
#[must_use]
pub fn found(name: &str) -> Option<PathBuf> {
    if Path::new(name).components().count() > 1 {
        return std::path::absolute(name)
            .ok()
            .filter(|path| is_program(path));
    }
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(&name))
        .find(|file| is_program(file))
}

fn is_program(file: &Path) -> bool {
    let known = std::fs::metadata(file);
    #[cfg(unix)]
    let may_run = |known: &std::fs::Metadata| {
        std::os::unix::fs::PermissionsExt::mode(&known.permissions()) & 0o111 != 0
    };
    #[cfg(not(unix))]
    let may_run = |_: &std::fs::Metadata| true;
    known.is_ok_and(|known| known.is_file() && may_run(&known))
}
