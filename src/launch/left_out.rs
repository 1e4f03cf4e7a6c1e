//! Result of searching a folder for definitions: the definitions that a user may choose from, and the files that were
//! not examined because they are too large or because the limit of time or size was reached.

use crate::source::counted;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Maximum size, in bytes, of a file that a search examines; a file that the user names may be larger. AWS accepts
/// definitions and templates of 1 MB.
const LARGEST: u64 = 4 << 20;
/// Maximum total size of the files that a search examines, in bytes.
const MOST: u64 = 64 << 20;
/// Time after which a search examines no further file.
const LONGEST: Duration = Duration::from_secs(2);

/// The files that were not examined.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Number of files that are too large.
    large: usize,
    /// Number of files that were not examined because the limit of time or total size was reached.
    late: usize,
    /// True if the folder has more files that were not even counted.
    more: bool,
}

impl LeftOut {
    /// True if any file was not examined.
    #[must_use]
    pub fn is_some(&self) -> bool {
        *self != Self::default()
    }
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let files = |count: usize| counted(count, "file");
        let mut parts = Vec::new();
        if self.large > 0 {
            parts.push(format!(
                "{files} of more than {limit} MiB",
                files = files(self.large),
                limit = LARGEST >> 20
            ));
        }
        if self.late > 0 {
            let (limit, seconds) = (MOST >> 20, LONGEST.as_secs());
            parts.push(format!(
                "{files} after the first {limit} MiB or {seconds} s",
                files = files(self.late)
            ));
        }
        if self.more {
            parts.push("and more files".to_string());
        }
        write!(
            f,
            "not examined: {files}; name a file to open it",
            files = parts.join(", ")
        )
    }
}

/// Decides which files of a folder a search examines, within limits of time and size.
#[derive(Debug)]
pub struct Patience {
    begun: Instant,
    bytes: u64,
    /// The files that were left out so far because of a limit.
    pub left_out: LeftOut,
}

impl Patience {
    /// Starts to measure the time of a search. `complete` is false if the folder has more files than the caller will
    /// ask about.
    #[must_use]
    pub fn new(complete: bool) -> Self {
        Self {
            begun: Instant::now(),
            bytes: 0,
            left_out: LeftOut {
                more: !complete,
                ..LeftOut::default()
            },
        }
    }

    /// True if the time limit has not been reached yet.
    #[must_use]
    pub fn lasts(&self) -> bool {
        self.begun.elapsed() < LONGEST
    }

    /// True if the file should be examined. If not, the file is counted in `left_out`.
    pub fn lets(&mut self, file: &Path) -> bool {
        let size = std::fs::metadata(file).map_or(0, |known| known.len());
        if size > LARGEST {
            self.left_out.large += 1;
            return false;
        }
        let bytes = self.bytes.saturating_add(size);
        if bytes > MOST || !self.lasts() {
            self.left_out.late += 1;
            return false;
        }
        self.bytes = bytes;
        true
    }
}

/// An entry of the list from which the user chooses a definition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// The file with the definition.
    pub file: PathBuf,
    /// The state machine in the file, if the file has several.
    pub machine: Option<String>,
    /// Name of the definition in the list.
    pub name: String,
    /// Details to show with the name, such as the number of states.
    pub detail: String,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::path::PathBuf;

    #[test]
    fn large_files_and_too_many_bytes_are_left_out_and_counted() {
        let folder = std::env::temp_dir().join(format!("asldbg-left-out-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let file = |name: &str, size: u64| -> PathBuf {
            let path = folder.join(name);
            let made = File::create(&path).and_then(|file| file.set_len(size));
            made.expect("a file");
            path
        };
        let (small, full, large) = (file("s", 10), file("f", LARGEST), file("l", LARGEST + 1));
        let mut patience = Patience::new(true);
        assert!(patience.lets(&small) && !patience.left_out.is_some());
        let let_in = (0..20).filter(|_| patience.lets(&full)).count();
        assert_eq!(let_in as u64, MOST / LARGEST - 1);
        assert!(patience.lets(&small), "there is room for a small one");
        assert!(!patience.lets(&large));
        let said = patience.left_out.to_string();
        std::fs::remove_dir_all(&folder).expect("removed");
        assert_eq!(
            said,
            "not examined: 1 file of more than 4 MiB, 5 files after the first 64 MiB or 2 s; name a file to open it"
        );
    }

    #[test]
    fn time_ends() {
        let mut patience = Patience::new(false);
        let before = Instant::now().checked_sub(LONGEST);
        patience.begun = before.expect("the machine is up that long");
        assert!(!patience.lets(Path::new("x")));
        let said = patience.left_out.to_string();
        assert!(
            said.contains("1 file after") && said.contains("more files"),
            "{said}"
        );
    }
}
