//! Writes folders. A new folder is written completely or not at all.

use super::{Replace, StoreError, begun, ending, link, open, replaced, temporary};
use std::fs::{DirBuilder, File};
use std::io::{self, Write as _};
use std::path::{Component, Path, PathBuf};

/// A new folder that is filled next to its target. [`FolderDraft::finish`] moves it to the target. If the draft is
/// dropped without that, the folder is removed.
#[derive(Debug)]
pub struct FolderDraft {
    target: PathBuf,
    replace: Replace,
    temporary: TemporaryFolder,
    files: Vec<PathBuf>,
}

/// A folder that is removed when this value is dropped. If the program is killed before, a later run of the program
/// removes the folder.
#[derive(Debug)]
pub struct TemporaryFolder {
    path: PathBuf,
    /// The opened folder, whose lock tells other programs that the folder is in use.
    _lock: File,
}

impl TemporaryFolder {
    /// Creates a folder that only the current user can read, in the system's folder for temporary files.
    ///
    /// # Errors
    /// If the folder cannot be created, or if the program is ending.
    pub fn private() -> io::Result<Self> {
        #[cfg_attr(not(unix), expect(unused_mut, reason = "only Unix has file modes"))]
        let mut builder = DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        Self::beside(&std::env::temp_dir().join("private"), &builder)
    }

    fn beside(target: &Path, builder: &DirBuilder) -> io::Result<Self> {
        let make = |path: &Path| builder.create(path).and_then(|()| open(path));
        let (path, lock) = temporary(target, make)?;
        Ok(Self { path, _lock: lock })
    }

    /// Path of the folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        if let Some(begun) = begun().as_mut()
            && begun.remove(&self.path)
        {
            let _ = std::fs::remove_dir_all(&self.path);
        }
    }
}

impl FolderDraft {
    /// Begins a folder that will be moved to `target`. If `target` is an existing folder that may be replaced, the new
    /// files will be moved into it instead.
    ///
    /// # Errors
    /// If `target` exists and may not be replaced, or if its parent folder is not writable.
    pub fn begin(target: &Path, replace: Replace) -> Result<Self, StoreError> {
        let io = |source| StoreError::io(target, source);
        if target.file_name().is_none() {
            return Err(io(io::Error::from(io::ErrorKind::InvalidInput)));
        }
        folder_at(target, replace)?;
        Ok(Self {
            target: target.to_path_buf(),
            replace,
            temporary: TemporaryFolder::beside(target, &DirBuilder::new()).map_err(io)?,
            files: Vec::new(),
        })
    }

    /// Writes a file in the folder; `relative` must consist of plain names.
    ///
    /// # Errors
    /// If the file cannot be written completely.
    pub fn write(&mut self, relative: &Path, content: &[u8]) -> Result<(), StoreError> {
        let io = |source| StoreError::io(&self.target.join(relative), source);
        let is_plain = |part| matches!(part, Component::Normal(_));
        if !relative.components().all(is_plain) {
            return Err(io(io::Error::from(io::ErrorKind::InvalidInput)));
        }
        let path = self.temporary.path.join(relative);
        // This keeps the list of begun folders locked. So the folder cannot be removed while the file is written.
        let begun = begun();
        begun.as_ref().ok_or_else(|| io(ending()))?;
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(io)?;
        }
        let mut file = File::create_new(&path).map_err(io)?;
        let written = file.write_all(content).and_then(|()| file.sync_all());
        written.map_err(io)?;
        self.files.push(relative.to_path_buf());
        Ok(())
    }

    /// Moves the folder to its target. If the target is an existing folder that may be replaced, moves the files into
    /// it instead, in the order in which they were written.
    ///
    /// # Errors
    /// If the target exists and may not be replaced.
    pub fn finish(self) -> Result<(), StoreError> {
        let stands = folder_at(&self.target, self.replace)?;
        let pair = |file| (self.temporary.path.join(file), self.target.join(file));
        let targets: Vec<(PathBuf, PathBuf)> = self.files.iter().map(pair).collect();
        for (_, target) in targets.iter().filter(|_| stands) {
            let inner = target.ancestors().skip(1);
            for folder in inner.take_while(|folder| *folder != self.target) {
                folder_at(folder, self.replace)?;
            }
            replaced(target, self.replace)?;
        }
        let mut begun = begun();
        let begun = begun
            .as_mut()
            .ok_or_else(|| StoreError::io(&self.target, ending()))?;
        if !stands {
            std::fs::rename(&self.temporary.path, &self.target)
                .map_err(|error| StoreError::io(&self.target, error))?;
            begun.remove(&self.temporary.path);
            return Ok(());
        }
        for (from, target) in &targets {
            if let Some(folder) = target.parent() {
                std::fs::create_dir_all(folder).map_err(|error| StoreError::io(target, error))?;
            }
            std::fs::rename(from, target).map_err(|error| StoreError::io(target, error))?;
        }
        Ok(())
    }
}

/// True if there is a folder at the path and it may be replaced; false if there is nothing. Anything else is an error.
fn folder_at(path: &Path, replace: Replace) -> Result<bool, StoreError> {
    let name = || path.display().to_string();
    match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(source) => Err(StoreError::io(path, source)),
        Ok(known) if known.is_symlink() => Err(link(path)),
        Ok(known) if !known.is_dir() => Err(StoreError::NoFolder { name: name() }),
        Ok(_) if replace == Replace::Nothing => Err(StoreError::Exists { name: name() }),
        Ok(_) => Ok(true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The relative paths of all files below a folder, sorted.
    fn names(folder: &Path) -> Vec<String> {
        let mut file_names = Vec::new();
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if entry.path().is_dir() {
                let inner = names(&entry.path());
                file_names.extend(inner.iter().map(|inner| format!("{name}/{inner}")));
            } else {
                file_names.push(name);
            }
        }
        file_names.sort();
        file_names
    }

    fn put(target: &Path, replace: Replace, content: &[u8]) -> Result<(), StoreError> {
        let mut draft = FolderDraft::begin(target, replace)?;
        draft.write(Path::new("b/one"), content)?;
        draft.write(Path::new("two"), content)?;
        draft.finish()
    }

    #[cfg(unix)]
    #[test]
    fn it_comes_as_a_whole_and_replaces_only_what_it_may() {
        let root = std::env::temp_dir().join(format!("asldbg-folder-{}", std::process::id()));
        std::fs::create_dir_all(&root).unwrap();
        let at = |name: &str| root.join(name);
        put(&at("a"), Replace::Nothing, b"1").unwrap();
        assert_eq!(names(&root), ["a/b/one", "a/two"]);
        // Files that are not part of the draft are kept.
        std::fs::write(at("a/mine"), "mine").unwrap();
        let refused = put(&at("a"), Replace::Nothing, b"2").unwrap_err();
        assert!(refused.to_string().contains("already exists"), "{refused}");
        put(&at("a"), Replace::Regular, b"2").unwrap();
        assert_eq!(names(&root), ["a/b/one", "a/mine", "a/two"]);
        assert_eq!(std::fs::read(at("a/b/one")).unwrap(), b"2");
        // A symbolic link inside the target is not followed.
        std::fs::create_dir(at("away")).unwrap();
        std::fs::remove_dir_all(at("a/b")).unwrap();
        std::os::unix::fs::symlink(at("away"), at("a/b")).unwrap();
        let refused = put(&at("a"), Replace::Regular, b"3").unwrap_err();
        assert!(refused.to_string().contains("symbolic link"), "{refused}");
        assert_eq!(std::fs::read(at("a/two")).unwrap(), b"2");
        assert_eq!(names(&at("away")), Vec::<String>::new());
        for (target, said) in [("a/mine", "not a folder"), ("a/b", "symbolic link")] {
            let refused = put(&at(target), Replace::Regular, b"3").unwrap_err();
            assert!(refused.to_string().contains(said), "{refused}");
        }
        // A dropped draft leaves nothing behind, and no name can point outside the folder.
        let mut draft = FolderDraft::begin(&at("c"), Replace::Nothing).unwrap();
        draft.write(Path::new("x"), b"x").unwrap();
        for wrong in ["../x", "/x", "a/../../x"] {
            assert!(draft.write(Path::new(wrong), b"x").is_err(), "{wrong}");
        }
        drop(draft);
        let left = names(&root);
        std::fs::remove_dir_all(&root).unwrap();
        assert!(!left.iter().any(|name| name.contains(".part")), "{left:?}");
    }
}
