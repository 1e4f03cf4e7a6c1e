//! Breakpoints, watches and typed answers from one time to the next: a file per definition in the platform's state folder.
//!
//! It must not know what is in it; a file that cannot be read or written costs nothing but what it kept.

use crate::json::{self, Text, Value};
use crate::source::load::read;
use crate::source::store::{self, Readers, Replace};
use etcetera::BaseStrategy as _;
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Names another folder, for tests and for those who want none in their home.
const FOLDER: &str = "ASLDBG_STATE_DIR";
/// More than this is not kept.
const MOST: u64 = 4 << 20;

/// What is kept for one definition.
#[derive(Clone, Copy, Debug)]
pub struct Kept<'a> {
    /// The folder of all that is kept; the platform's where it is not given.
    pub folder: Option<&'a Path>,
    /// The definition's file.
    pub file: &'a Path,
    /// The state machine of that file, where one was picked.
    pub machine: Option<&'a str>,
}

fn platform_folder() -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os(FOLDER).filter(|folder| !folder.is_empty()) {
        return Some(folder.into());
    }
    let strategy = etcetera::choose_base_strategy().ok()?;
    let folder = strategy.state_dir().unwrap_or_else(|| strategy.data_dir());
    Some(folder.join("asldbg"))
}

impl Kept<'_> {
    /// What was kept the last time.
    #[must_use]
    pub fn load(self) -> Option<Value> {
        let place = self.place()?;
        json::parse(&String::from_utf8(read(&place, MOST).ok()?).ok()?).ok()
    }

    /// Keeps something, or nothing any more.
    pub fn save(self, kept: Option<&Value>) {
        let Some(place) = self.place() else {
            return;
        };
        let Some(kept) = kept.filter(|kept| kept.size() <= MOST) else {
            return store::remove(&place);
        };
        let file = ("file".into(), Value::string(self.file.to_string_lossy()));
        let mut members: Vec<(Text, Value)> = vec![file];
        members.extend(
            kept.as_object()
                .into_iter()
                .flat_map(|all| all.members().to_vec()),
        );
        let text = json::pretty(&Value::object(members));
        // Typed answers may be nobody else's business. What cannot be kept is lost.
        let folder = place.parent().map_or(Ok(()), store::make_folder);
        let _ = folder
            .and_then(|()| store::write(&place, text.as_bytes(), Replace::Regular, Readers::Owner));
    }

    /// Where it lies: named as the definition's file is, told apart by its whole path and its state machine.
    fn place(self) -> Option<PathBuf> {
        let whole = std::fs::canonicalize(self.file).ok()?;
        let mut key = whole.as_os_str().as_encoded_bytes().to_vec();
        if let Some(machine) = self.machine {
            key.push(0);
            key.extend(machine.as_bytes());
        }
        let hash = Sha256::digest(key);
        let name: String = whole
            .file_name()?
            .to_string_lossy()
            .chars()
            .map(|c| {
                if c.is_alphanumeric() || ".-_".contains(c) {
                    c
                } else {
                    '_'
                }
            })
            .take(64)
            .collect();
        let mut short = String::new();
        for byte in hash.iter().take(8) {
            // Writing to a String cannot fail.
            let _ = write!(short, "{byte:02x}");
        }
        let folder = match self.folder {
            Some(folder) => folder.to_path_buf(),
            None => platform_folder()?,
        };
        Some(folder.join(format!("{name}-{short}.json")))
    }
}
