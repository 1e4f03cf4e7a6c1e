//! Keeps breakpoints, watches and typed answers between sessions: one file per definition in the platform's state
//! folder. Several debuggers may use the same file at the same time.

use crate::json::{self, Text, Value};
use crate::source::load::read;
use crate::source::store::{self, Readers, Replace};
use etcetera::BaseStrategy as _;
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Environment variable with the path of the folder for breakpoints, watches and typed answers. Tests set this
/// variable, and so can users who want nothing in their home folder.
const FOLDER: &str = "ASLDBG_STATE_DIR";
/// Maximum size of the breakpoints, watches and answers that are kept for one definition, in bytes.
const MOST: u64 = 4 << 20;

/// The breakpoints, watches and answers as this program last loaded or saved them. A comparison with the current ones
/// shows which of them this program has added or removed since then.
#[derive(Clone, Debug, Default)]
pub struct Known(Arc<Mutex<Option<Value>>>);

impl Known {
    /// Records that this program has loaded the data `saved`.
    pub fn is(&self, saved: Option<Value>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = saved;
    }
}

/// Identifies the file with the breakpoints, watches and answers that are kept for one definition.
#[derive(Clone, Copy, Debug)]
pub struct Kept<'a> {
    /// The folder with the kept data of all definitions; `None` for the folder that the platform provides.
    pub folder: Option<&'a Path>,
    /// The definition's file.
    pub file: &'a Path,
    /// The state machine in that file, if the user selected it.
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
    /// Loads the breakpoints, watches and answers that were kept; `None` if there are none or they cannot be read.
    #[must_use]
    pub fn load(self) -> Option<Value> {
        let place = self.place()?;
        store::sweep(&place);
        // A link is not followed, because another user could have put it at this path.
        if !std::fs::symlink_metadata(&place).ok()?.is_file() {
            return None;
        }
        json::parse(&String::from_utf8(read(&place, MOST).ok()?).ok()?).ok()
    }

    /// Saves the data `now`, or removes this program's entries from the saved data if `now` is `None`. Changes that
    /// other programs have saved in the meantime are kept.
    pub fn save(self, now: Option<&Value>, known: &Known) {
        let Some(place) = self.place() else {
            return;
        };
        let mut known = known.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Only the user can access a folder that is created here, because typed answers may be confidential. If saving
        // fails, the data are lost silently.
        let folder = place.parent().map_or(Ok(()), store::make_folder);
        if folder.is_err() {
            return;
        }
        let lock = store::lock(&place);
        let others = self.load();
        let merged = merged(known.as_ref(), now, others.as_ref());
        known.clone_from(&now.cloned());
        if merged.is_empty() {
            store::remove(&place);
        } else {
            let file = ("file".into(), Value::string(self.file.to_string_lossy()));
            let members = std::iter::once(file).chain(merged).collect();
            let kept = Value::object(members);
            if kept.size() <= MOST && others.as_ref() != Some(&kept) {
                let text = json::pretty(&kept);
                let _ = store::write(&place, text.as_bytes(), Replace::Regular, Readers::Owner);
            }
        }
        drop(lock);
    }

    /// Path of the file with the kept data. This file has the name of the definition's file, followed by a hash of the
    /// full path and the state machine.
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

/// Merges lists of breakpoints, watches and answers: takes the lists that other programs saved (`others`), removes the
/// entries that this program removed since `known`, and adds the entries that this program added.
fn merged(
    known: Option<&Value>,
    now: Option<&Value>,
    others: Option<&Value>,
) -> Vec<(Text, Value)> {
    let list = |kept: Option<&Value>, name: &str| -> Vec<Value> {
        let list = kept.and_then(|kept| kept.get(name)?.as_array());
        list.unwrap_or_default().to_vec()
    };
    let all = [now, others].into_iter().flatten();
    let all = all.filter_map(Value::as_object);
    let mut names: Vec<Text> = Vec::new();
    for (name, value) in all.flat_map(|object| object.members()) {
        if value.as_array().is_some() && !names.contains(name) {
            names.push(name.clone());
        }
    }
    let lists = names.into_iter().filter_map(|name| {
        let (known, now) = (list(known, &name), list(now, &name));
        let mut all = list(others, &name);
        all.retain(|entry| now.contains(entry) || !known.contains(entry));
        let added = now.into_iter().filter(|entry| !known.contains(entry));
        for entry in added {
            if !all.contains(&entry) {
                all.push(entry);
            }
        }
        (!all.is_empty()).then(|| (name, Value::array(all)))
    });
    lists.collect()
}
