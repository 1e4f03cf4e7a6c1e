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

fn folder() -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os(FOLDER).filter(|folder| !folder.is_empty()) {
        return Some(folder.into());
    }
    let strategy = etcetera::choose_base_strategy().ok()?;
    let folder = strategy.state_dir().unwrap_or_else(|| strategy.data_dir());
    Some(folder.join("asldbg"))
}

/// Where the file for a definition lies: named as it is, told apart by its whole path and its state machine.
fn place(file: &Path, machine: Option<&str>) -> Option<PathBuf> {
    let whole = std::fs::canonicalize(file).ok()?;
    let mut key = whole.as_os_str().as_encoded_bytes().to_vec();
    if let Some(machine) = machine {
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
    Some(folder()?.join(format!("{name}-{short}.json")))
}

/// What was kept for a definition.
#[must_use]
pub fn load(file: &Path, machine: Option<&str>) -> Option<Value> {
    let place = place(file, machine)?;
    json::parse(&String::from_utf8(read(&place, MOST).ok()?).ok()?).ok()
}

/// Keeps something for a definition, or nothing any more.
pub fn save(file: &Path, machine: Option<&str>, kept: Option<&Value>) {
    let Some(place) = place(file, machine) else {
        return;
    };
    match kept.filter(|kept| kept.size() <= MOST) {
        None => store::remove(&place),
        Some(kept) => {
            let mut members: Vec<(Text, Value)> =
                vec![("file".into(), Value::string(file.to_string_lossy()))];
            members.extend(
                kept.as_object()
                    .into_iter()
                    .flat_map(|all| all.members().to_vec()),
            );
            let text = json::pretty(&Value::object(members));
            // Typed answers may be nobody else's business. What cannot be kept is lost.
            let folder = place.parent().map_or(Ok(()), store::make_folder);
            let _ = folder.and_then(|()| {
                store::write(&place, text.as_bytes(), Replace::Regular, Readers::Owner)
            });
        }
    }
}
