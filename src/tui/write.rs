//! Files of the person's that the front end writes: in full or not at all, and known as our own.
//!
//! It must not know what is in them.

use super::watch::OwnWrites;
use std::io::{self, Write as _};
use std::path::Path;

/// Puts `content` in the place of a file, by a temporary file beside it.
///
/// # Errors
/// Where the folder or the file cannot be written to; the file is as it was then.
pub fn replace(file: &Path, content: &[u8], own: &OwnWrites) -> io::Result<()> {
    // Through a link to the file that it stands for.
    let target = std::fs::canonicalize(file).unwrap_or_else(|_| file.to_path_buf());
    let mut name = target.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.part", std::process::id()));
    let temporary = target.with_file_name(name);
    own.note(content);
    let done =
        write(&temporary, content, &target).and_then(|()| std::fs::rename(&temporary, &target));
    if done.is_err() {
        let _ = std::fs::remove_file(&temporary);
    }
    done
}

fn write(temporary: &Path, content: &[u8], target: &Path) -> io::Result<()> {
    let mut out = std::fs::File::create(temporary)?;
    out.write_all(content)?;
    if let Ok(known) = std::fs::metadata(target) {
        out.set_permissions(known.permissions())?;
    }
    out.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_in_full_and_nothing_is_left_behind() {
        let folder = std::env::temp_dir().join(format!("asldbg-write-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let file = folder.join("a.json");
        let own = OwnWrites::default();
        replace(&file, b"1", &own).expect("written");
        replace(&file, b"22", &own).expect("written");
        assert_eq!(std::fs::read(&file).expect("read"), b"22");
        assert!(replace(&folder.join("no").join("a"), b"3", &own).is_err());
        let left = std::fs::read_dir(&folder).expect("read").count();
        let _ = std::fs::remove_dir_all(&folder);
        assert_eq!(left, 1);
    }
}
