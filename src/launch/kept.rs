//! Breakpoints, watches and typed answers from one time to the next: a file per definition in the platform's state folder.
//!
//! It must not know what is in it; a file that cannot be read or written costs nothing but what it kept.

use crate::json::{self, Text, Value};
use etcetera::BaseStrategy as _;
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;
use std::io::Write as _;
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
    if std::fs::metadata(&place).ok()?.len() > MOST {
        return None;
    }
    json::parse(&std::fs::read_to_string(place).ok()?).ok()
}

/// Keeps something for a definition, or nothing any more.
pub fn save(file: &Path, machine: Option<&str>, kept: Option<&Value>) {
    let Some(place) = place(file, machine) else {
        return;
    };
    match kept.filter(|kept| kept.size() <= MOST) {
        None => drop(std::fs::remove_file(&place)),
        Some(kept) => {
            let mut members: Vec<(Text, Value)> =
                vec![("file".into(), Value::string(file.to_string_lossy()))];
            members.extend(
                kept.as_object()
                    .into_iter()
                    .flat_map(|all| all.members().to_vec()),
            );
            let text = json::pretty(&Value::object(members));
            if write(&place, text.as_bytes()).is_err() {
                drop(std::fs::remove_file(part(&place)));
            }
        }
    }
}

fn part(place: &Path) -> PathBuf {
    place.with_extension(format!("{}.part", std::process::id()))
}

fn write(place: &Path, content: &[u8]) -> std::io::Result<()> {
    if let Some(folder) = place.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    // Typed answers may be nobody else's business.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let part = part(place);
    options.open(&part)?.write_all(content)?;
    std::fs::rename(part, place)
}
