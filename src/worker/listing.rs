//! Lists the files below a folder that represents S3, in the form of listObjectsV2.

use crate::json::Value;
use crate::source::load;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// Maximum number of files to list.
const MOST_FILES: usize = 200_000;
/// Maximum size of a file whose digest is computed, and maximum total size, in bytes; other files are listed without
/// one.
const DIGESTED: u64 = 16 << 20;
const ALL_DIGESTED: u64 = 256 << 20;
/// Maximum depth of folders.
const DEEPEST: usize = 64;

/// Lists the files below a folder, in the order of their keys.
///
/// # Errors
/// If a folder cannot be read.
pub(super) fn listed(root: &Path, prefix: &str) -> Result<Vec<(String, PathBuf)>, String> {
    let mut found: Vec<(String, PathBuf)> = Vec::new();
    let mut waiting = vec![(root.to_path_buf(), 0_usize)];
    while let Some((at, depth)) = waiting.pop() {
        if found.len() >= MOST_FILES {
            break;
        }
        let entries = fs::read_dir(&at)
            .map_err(|error| format!("{} cannot be listed: {error}", at.display()))?;
        for entry in entries.flatten() {
            let path = entry.path();
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            if kind.is_dir() && depth < DEEPEST {
                waiting.push((path, depth + 1));
            } else if kind.is_file() && found.len() < MOST_FILES {
                let key = path.strip_prefix(root).unwrap_or(&path);
                let parts: Vec<_> = key.iter().map(|part| part.to_string_lossy()).collect();
                let key = parts.join("/");
                if key.starts_with(prefix) {
                    found.push((key, path));
                }
            }
        }
    }
    found.sort();
    Ok(found)
}

/// The listObjectsV2 entries of files.
pub(super) fn entries(found: Vec<(String, PathBuf)>, most: usize) -> Value {
    let mut digested = 0_u64;
    let objects = found.into_iter().take(most).map(|(key, path)| {
        let known = fs::metadata(&path).ok();
        let size = known.as_ref().map_or(0, fs::Metadata::len);
        let changed = known
            .and_then(|known| known.modified().ok())
            .and_then(|time| time.duration_since(UNIX_EPOCH).ok())
            .map_or(0, |since| since.as_secs());
        let read =
            (size <= DIGESTED && digested <= ALL_DIGESTED).then(|| load::read(&path, DIGESTED));
        let digest = match read {
            Some(Ok(bytes)) => {
                digested += bytes.len() as u64;
                crate::query::digest_bytes(&bytes)
            }
            _ => crate::query::digest_bytes(format!("{key} {size} {changed}").as_bytes()),
        };
        Value::object(vec![
            ("Etag".into(), Value::string(format!("\"{digest}\""))),
            ("Key".into(), Value::string(key)),
            (
                "LastModified".into(),
                Value::from(i64::try_from(changed).unwrap_or(i64::MAX)),
            ),
            (
                "Size".into(),
                Value::from(i64::try_from(size).unwrap_or(i64::MAX)),
            ),
            ("StorageClass".into(), Value::from("STANDARD")),
        ])
    });
    Value::array(objects.collect())
}
