//! Writes files completely or not at all, and replaces only regular files.

mod folder;

pub use folder::{FolderDraft, TemporaryFolder};

use super::load::{kind_of, was_read};
use std::collections::BTreeSet;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// Temporary files and folders that are being written. `None` when the program is about to end; from then
/// on, no other file or folder can be created.
static BEGUN: Mutex<Option<BTreeSet<PathBuf>>> = Mutex::new(Some(BTreeSet::new()));

/// Maximum number of attempts to lock a folder, and the time between attempts.
const LOCK_TRIES: u32 = 100;
const LOCK_PAUSE: Duration = Duration::from_millis(10);
/// Maximum length, in bytes, of a file name derived from a name in a definition.
const LONGEST_NAME: usize = 200;

/// The existing files that a write may replace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replace {
    /// None: there must be no file at the path.
    Nothing,
    /// A regular file that this program has not read.
    Unread,
    /// Any regular file. For new content that was derived from the content of the old file.
    Regular,
}

/// The users who may read a newly created file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readers {
    /// The system's default permissions.
    Default,
    /// Only the user who runs the program.
    Owner,
}

/// The reason why a file was not written. If the file already existed, it is unchanged.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The path is a symbolic link.
    #[error("cannot write {name}: the file is a symbolic link to {to}; choose the target itself")]
    Link {
        /// Name of the file, as the message shows it.
        name: String,
        /// Target of the link.
        to: String,
    },
    /// The path is not a regular file.
    #[error(
        "cannot write {name}: the path is {kind}, but asldbg replaces only regular files; choose another file"
    )]
    Special {
        /// Name of the file, as the message shows it.
        name: String,
        /// The object at the path, which is not a regular file, such as `a folder`.
        kind: &'static str,
    },
    /// A folder is to be written, but its path exists and is not a folder.
    #[error("cannot write {name}: the path is not a folder; choose another folder")]
    NoFolder {
        /// The path that is not a folder, as the message shows it.
        name: String,
    },
    /// The file has been read by this program.
    #[error("cannot write {name}: asldbg has read the file as input; choose another file")]
    WasRead {
        /// Name of the file, as the message shows it.
        name: String,
    },
    /// The file exists already.
    #[error("cannot write {name}: the file already exists; choose another file")]
    Exists {
        /// Name of the file, as the message shows it.
        name: String,
    },
    /// The operating system reported an error.
    #[error("cannot write {name}: {source}")]
    Io {
        /// Name of the file, as the message shows it.
        name: String,
        /// The operating system's error.
        source: io::Error,
    },
}

impl StoreError {
    fn io(path: &Path, source: io::Error) -> Self {
        let name = path.display().to_string();
        Self::Io { name, source }
    }
}

/// A new file that is written next to its target. [`Draft::finish`] renames it to the target. If the draft is dropped
/// without that, the file is removed.
#[derive(Debug)]
pub struct Draft {
    target: PathBuf,
    replace: Replace,
    temporary: PathBuf,
    out: BufWriter<File>,
}

impl Draft {
    /// Begins a file that will be moved to `target`.
    ///
    /// # Errors
    /// If `target` exists and may not be replaced, or if the folder is not writable.
    pub fn begin(target: &Path, replace: Replace) -> Result<Self, StoreError> {
        Self::begin_for(target, replace, Readers::Default)
    }

    /// Begins a file that will be moved to `target`, with the given read permissions.
    ///
    /// # Errors
    /// As for [`Draft::begin`].
    pub fn begin_for(
        target: &Path,
        replace: Replace,
        readers: Readers,
    ) -> Result<Self, StoreError> {
        let io = |source| StoreError::io(target, source);
        if target.file_name().is_none() {
            return Err(io(io::Error::from(io::ErrorKind::InvalidInput)));
        }
        let known = replaced(target, replace)?;
        let mut options = OpenOptions::new();
        // Never follows a link, and never opens a file created by someone else.
        options.write(true).create_new(true);
        #[cfg(unix)]
        if readers == Readers::Owner {
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        }
        let (temporary, file) = temporary(target, |path| options.open(path)).map_err(io)?;
        let draft = Self {
            target: target.to_path_buf(),
            replace,
            temporary,
            out: BufWriter::with_capacity(1 << 16, file),
        };
        if let Some(known) = known {
            let file = draft.out.get_ref();
            file.set_permissions(known.permissions()).map_err(io)?;
        }
        Ok(draft)
    }

    /// Moves the file to its target.
    ///
    /// # Errors
    /// If the file cannot be written completely, or if the target may no longer be replaced.
    pub fn finish(mut self) -> Result<(), StoreError> {
        let written = self.out.flush();
        let written = written.and_then(|()| self.out.get_ref().sync_all());
        written.map_err(|error| self.failed(error))?;
        replaced(&self.target, self.replace)?;
        let mut begun = begun();
        let begun = begun.as_mut().ok_or_else(|| self.failed(ending()))?;
        std::fs::rename(&self.temporary, &self.target).map_err(|error| self.failed(error))?;
        begun.remove(&self.temporary);
        Ok(())
    }

    /// The error for a failed write to this file.
    #[must_use]
    pub fn failed(&self, source: io::Error) -> StoreError {
        StoreError::io(&self.target, source)
    }
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if let Some(begun) = begun().as_mut()
            && begun.remove(&self.temporary)
        {
            let _ = std::fs::remove_file(&self.temporary);
        }
    }
}

/// Removes all temporary files and folders. Called when the program is about to end: after this call, no file or folder
/// can be begun or moved to its target.
pub fn abandon() {
    for path in begun().take().into_iter().flatten() {
        if std::fs::remove_file(&path).is_err() {
            let _ = std::fs::remove_dir_all(&path);
        }
    }
}

fn begun() -> MutexGuard<'static, Option<BTreeSet<PathBuf>>> {
    BEGUN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The error of a write after [`abandon`] was called.
fn ending() -> io::Error {
    io::Error::new(io::ErrorKind::Interrupted, "asldbg is exiting")
}

/// Writes a complete file.
///
/// # Errors
/// If the target may not be replaced, or if the file cannot be written completely.
pub fn write(
    target: &Path,
    content: &[u8],
    replace: Replace,
    readers: Readers,
) -> Result<(), StoreError> {
    let mut draft = Draft::begin_for(target, replace, readers)?;
    let written = draft.write_all(content);
    written.map_err(|error| draft.failed(error))?;
    draft.finish()
}

/// Creates a folder and its missing parents. Only the current user can access the folders that are created.
///
/// # Errors
/// If the folder cannot be created, or if the path exists and is not a folder.
pub fn make_folder(folder: &Path) -> Result<(), StoreError> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
        .create(folder)
        .map_err(|source| StoreError::io(folder, source))
}

/// Locks the folder that contains `file`. While the lock is held, no other instance of this program rewrites files in
/// the folder. `None` if another instance holds the lock for a second, or if the folder cannot be locked.
#[must_use]
pub fn lock(file: &Path) -> Option<File> {
    let folder = std::fs::canonicalize(folder_of(file)).ok()?;
    let folder = open(&folder).ok()?;
    for _ in 0..LOCK_TRIES {
        match folder.try_lock() {
            Ok(()) => return Some(folder),
            Err(std::fs::TryLockError::WouldBlock) => thread::sleep(LOCK_PAUSE),
            Err(std::fs::TryLockError::Error(_)) => return None,
        }
    }
    None
}

/// Removes a regular file. Anything else is left unchanged.
pub fn remove(file: &Path) {
    if std::fs::symlink_metadata(file).is_ok_and(|known| known.is_file()) {
        // If the file cannot be removed, the next write reports the problem.
        let _ = std::fs::remove_file(file);
    }
}

/// True if a name from a definition can safely begin a file name. It must not be a path, look like a command-line
/// option, or contain characters that control a terminal.
#[must_use]
pub fn is_file_name(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= LONGEST_NAME
        && !name.starts_with(['.', '-', '~', '+'])
        && !name.contains(['/', '\\', ':'])
        && matches!(crate::json::visible(name), std::borrow::Cow::Borrowed(_))
}

/// Metadata of the existing file at the path; `None` if there is no file. It is an error if the file may not be
/// replaced.
fn replaced(target: &Path, replace: Replace) -> Result<Option<Metadata>, StoreError> {
    let name = || target.display().to_string();
    let known = match std::fs::symlink_metadata(target) {
        Ok(known) => known,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(StoreError::io(target, source)),
    };
    if known.is_symlink() {
        return Err(link(target));
    }
    if !known.is_file() {
        let kind = kind_of(&known);
        return Err(StoreError::Special { name: name(), kind });
    }
    match replace {
        Replace::Nothing => Err(StoreError::Exists { name: name() }),
        Replace::Unread if was_read(target) => Err(StoreError::WasRead { name: name() }),
        Replace::Unread | Replace::Regular => Ok(Some(known)),
    }
}

fn link(path: &Path) -> StoreError {
    let to = std::fs::read_link(path).unwrap_or_default();
    StoreError::Link {
        name: path.display().to_string(),
        to: to.display().to_string(),
    }
}

/// Creates a temporary file or folder next to the target, and records its path in the list of paths that are being
/// written.
fn temporary(
    target: &Path,
    make: impl Fn(&Path) -> io::Result<File>,
) -> io::Result<(PathBuf, File)> {
    let mut begun = begun();
    let begun = begun.as_mut().ok_or_else(ending)?;
    let (path, made) = create(target, make)?;
    begun.insert(path.clone());
    Ok((path, made))
}

/// Folders in which the temporary files that terminated programs left behind have been removed.
static SWEPT: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Maximum number of names that are tried for a temporary path.
const TRIES: u64 = 64;

/// Creates a temporary file or folder next to the target. Returns its path, and the opened file or folder, which is
/// locked.
///
/// # Errors
/// If nothing can be created there.
pub(super) fn create(
    target: &Path,
    make: impl Fn(&Path) -> io::Result<File>,
) -> io::Result<(PathBuf, File)> {
    static MADE: AtomicU64 = AtomicU64::new(0);
    sweep(target);
    let mut tried = 0;
    loop {
        tried += 1;
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let path = target.with_file_name(format!(".asldbg-{}-{number}.part", std::process::id()));
        match make(&path) {
            // Another program may have taken the new file for a leftover. That program then holds the lock, or has
            // removed the file.
            Ok(made) if is_held(&made) || std::fs::symlink_metadata(&path).is_err() => {}
            Ok(made) => return Ok((path, made)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && tried < TRIES => {}
            Err(error) => return Err(error),
        }
    }
}

/// The folder that contains a file.
fn folder_of(file: &Path) -> &Path {
    let folder = file.parent().filter(|folder| *folder != Path::new(""));
    folder.unwrap_or(Path::new("."))
}

/// Removes temporary files and folders that terminated programs left in the folder of `file`. Each folder is checked
/// only once.
pub fn sweep(file: &Path) {
    let folder = folder_of(file);
    let mut swept = SWEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if !swept.insert(folder.to_path_buf()) {
        return;
    }
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| is_temporary(&entry.file_name().to_string_lossy())) {
        let path = entry.path();
        // This program creates only files and folders, so a link or a pipe of this name is not from it.
        let kind = entry.file_type();
        let is_ours = kind.is_ok_and(|kind| kind.is_file() || kind.is_dir());
        let Some(left) = open(&path).ok().filter(|_| is_ours) else {
            continue;
        };
        if left.try_lock().is_ok() && std::fs::remove_file(&path).is_err() {
            let _ = std::fs::remove_dir_all(&path);
        }
    }
}

/// Opens a file or folder for locking, without following a link or waiting for a pipe.
pub(super) fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        libc::O_NONBLOCK | libc::O_NOCTTY | libc::O_NOFOLLOW,
    );
    options.open(path)
}

/// True if another program holds the lock. False if this program now holds it, or if the system does not support locks.
fn is_held(file: &File) -> bool {
    matches!(file.try_lock(), Err(std::fs::TryLockError::WouldBlock))
}

/// True if [`create`] could have created this name.
fn is_temporary(name: &str) -> bool {
    let rest = name.strip_prefix(".asldbg-");
    let numbers = rest.and_then(|rest| rest.strip_suffix(".part")?.split_once('-'));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    numbers.is_some_and(|(process, number)| is_number(process) && is_number(number))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::load::load;

    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let name = format!("asldbg-store-{}-{name}", std::process::id());
            let path = std::env::temp_dir().join(name);
            std::fs::create_dir_all(&path).expect("a folder");
            Self(path)
        }

        fn names(&self) -> Vec<String> {
            let entries = std::fs::read_dir(&self.0).expect("read").flatten();
            let mut names: Vec<String> = entries
                .map(|entry| entry.file_name().to_string_lossy().into_owned())
                .collect();
            names.sort();
            names
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    fn put(target: &Path, content: &str, replace: Replace) -> Result<(), String> {
        write(target, content.as_bytes(), replace, Readers::Default)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn a_file_is_replaced_in_full_and_nothing_is_left_behind() {
        let folder = Folder::new("replace");
        let file = folder.0.join("a.json");
        put(&file, "1", Replace::Nothing).expect("written");
        put(&file, "22", Replace::Unread).expect("written");
        assert_eq!(std::fs::read(&file).expect("read"), b"22");
        assert!(put(&file, "3", Replace::Nothing).is_err_and(|text| text.contains("already")));
        assert!(put(&folder.0.join("no").join("a"), "3", Replace::Regular).is_err());
        let draft = Draft::begin(&folder.0.join("b"), Replace::Unread).expect("begun");
        drop(draft);
        assert_eq!(folder.names(), ["a.json"]);
    }

    #[cfg(unix)]
    #[test]
    fn what_a_killed_program_left_is_removed_and_nothing_else() {
        let folder = Folder::new("left");
        let at = |name: &str| folder.0.join(name);
        for name in [".asldbg-1-0.part", ".asldbg-1-x.part", "a.part"] {
            std::fs::write(at(name), "").expect("written");
        }
        std::fs::create_dir_all(at(".asldbg-1-2.part/in")).expect("made");
        std::os::unix::fs::symlink("a.part", at(".asldbg-1-3.part")).expect("linked");
        let used = File::create(at(".asldbg-1-4.part")).expect("made");
        used.lock().expect("locked");
        sweep(&at("a.part"));
        let left = [
            ".asldbg-1-3.part",
            ".asldbg-1-4.part",
            ".asldbg-1-x.part",
            "a.part",
        ];
        assert_eq!(folder.names(), left);
    }

    #[test]
    fn what_was_read_is_replaced_only_where_that_is_meant() {
        let folder = Folder::new("read");
        let (file, other) = (folder.0.join("a.json"), folder.0.join("hard.json"));
        put(&file, "1", Replace::Nothing).expect("written");
        std::fs::hard_link(&file, &other).expect("linked");
        load(&file).expect("read");
        for place in [&file, &other] {
            let refused = put(place, "2", Replace::Unread);
            assert!(refused.is_err_and(|text| text.contains("has read the file")));
        }
        put(&file, "2", Replace::Regular).expect("written");
        assert_eq!(std::fs::read(&other).expect("read"), b"1");
    }

    #[cfg(unix)]
    #[test]
    fn links_pipes_and_folders_stay_what_they_are() {
        let folder = Folder::new("special");
        let (link, pipe, inner) = (
            folder.0.join("link"),
            folder.0.join("pipe"),
            folder.0.join("inner"),
        );
        std::fs::write(folder.0.join("aim"), "aim").expect("written");
        std::os::unix::fs::symlink("aim", &link).expect("linked");
        std::fs::create_dir(&inner).expect("made");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.is_ok_and(|status| status.success()));
        for (place, said) in [
            (&link, "a symbolic link to aim"),
            (&pipe, "a pipe"),
            (&inner, "a folder"),
        ] {
            for replace in [Replace::Nothing, Replace::Unread, Replace::Regular] {
                let refused = put(place, "x", replace).expect_err("refused");
                assert!(refused.contains(said), "{refused}");
            }
        }
        assert_eq!(folder.names(), ["aim", "inner", "link", "pipe"]);
        assert_eq!(std::fs::read(folder.0.join("aim")).expect("read"), b"aim");
        assert!(link.is_symlink());
    }

    #[test]
    fn names_of_files_are_one_plain_part_of_a_path() {
        for good in ["order", "Order Machine", "größe", "a.b-c_1"] {
            assert!(is_file_name(good), "{good}");
        }
        let long = "x".repeat(201);
        for bad in [
            "",
            ".",
            "..",
            "../x",
            "a/b",
            "/etc/x",
            "a\\b",
            "C:x",
            ".hidden",
            "-x",
            "+x",
            "~x",
            "a\nb",
            "a\u{1b}b",
            "a\u{202e}b",
            &long,
        ] {
            assert!(!is_file_name(bad), "{bad:?}");
        }
    }
}
