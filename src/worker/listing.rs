//! Finds the files that contain the items: the files below a folder, or the files that a manifest lists. Also unpacks
//! gzip.

use crate::json::{Text, Value, count, parse};
use crate::source::load;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// Maximum number of files below a folder that are listed.
const MOST_FILES: usize = 200_000;
/// Maximum size, in bytes, of a file whose contents are hashed for its Etag. The maximum for all these files together
/// is the next constant. Other files get an Etag from their key, size and time.
const DIGESTED: u64 = 16 << 20;
const ALL_DIGESTED: u64 = 256 << 20;
/// Maximum nesting depth of the folders that are listed.
const DEEPEST: usize = 64;

/// Returns the key and the path of each file below a folder, in the order of the keys.
///
/// # Errors
/// If a folder cannot be read.
pub(super) fn listed(root: &Path, prefix: &str) -> Result<Vec<(String, PathBuf)>, String> {
    let mut files: Vec<(String, PathBuf)> = Vec::new();
    let mut waiting = vec![(root.to_path_buf(), 0_usize)];
    while let Some((at, depth)) = waiting.pop() {
        if files.len() >= MOST_FILES {
            break;
        }
        let entries = fs::read_dir(&at).map_err(|error| {
            format!(
                "cannot list the files in {folder}: {error}",
                folder = at.display()
            )
        })?;
        for entry in entries.flatten() {
            let path = entry.path();
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            if kind.is_dir() && depth < DEEPEST {
                waiting.push((path, depth + 1));
            } else if kind.is_file() && files.len() < MOST_FILES {
                let key = path.strip_prefix(root).unwrap_or(&path);
                let parts: Vec<_> = key.iter().map(|part| part.to_string_lossy()).collect();
                let key = parts.join("/");
                if key.starts_with(prefix) {
                    files.push((key, path));
                }
            }
        }
    }
    files.sort();
    Ok(files)
}

/// Describes each file as S3's listObjectsV2 does: key, size, time and Etag.
pub(super) fn entries(files: Vec<(String, PathBuf)>, most: usize) -> Value {
    let mut digested = 0_u64;
    let objects = files.into_iter().take(most).map(|(key, path)| {
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
            ("LastModified".into(), count(changed)),
            ("Size".into(), count(size)),
            ("StorageClass".into(), Value::from("STANDARD")),
        ])
    });
    Value::array(objects.collect())
}

/// An S3 object that a manifest lists.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Object {
    pub bucket: String,
    pub key: String,
}

/// The objects that an Athena manifest lists, one `s3://bucket/key` per line.
pub(super) fn of_athena(text: &str) -> Vec<Object> {
    let lines = text.lines().map(|line| line.trim().trim_matches('"'));
    let objects = lines.filter_map(|line| {
        let (bucket, key) = line.strip_prefix("s3://")?.split_once('/')?;
        Some(Object {
            bucket: bucket.to_string(),
            key: key.to_string(),
        })
    });
    objects.collect()
}

/// The objects that an S3 inventory manifest lists, and the names of the inventory's columns.
///
/// # Errors
/// If the text is not a manifest of a CSV inventory.
pub(super) fn of_inventory(text: &str) -> Result<(Vec<Object>, Option<Vec<Text>>), String> {
    let whole =
        parse(text).map_err(|error| format!("the inventory's manifest is not JSON: {error}"))?;
    let part = |name: &str| whole.get(name).and_then(Value::as_str);
    match part("fileFormat") {
        Some("CSV") | None => {}
        Some(format) => {
            return Err(format!(
                "the inventory has the format {format}, but asldbg reads only CSV"
            ));
        }
    }
    let bucket = part("destinationBucket").unwrap_or_default();
    let bucket = bucket.strip_prefix("arn:aws:s3:::").unwrap_or(bucket);
    let files = whole.get("files").and_then(Value::as_array);
    let files = files.ok_or("the inventory's manifest lists no files")?;
    let keys = files.iter().filter_map(|file| file.get("key")?.as_str());
    let objects = keys.map(|key| Object {
        bucket: bucket.to_string(),
        key: key.to_string(),
    });
    let columns = part("fileSchema").map(|schema| {
        let names = schema.split(',').map(|name| Text::from(name.trim()));
        names.collect()
    });
    Ok((objects.collect(), columns))
}

/// Decompresses the bytes of a gzip file to at most `most` bytes; `None` if the bytes are not gzip.
pub(super) fn unpacked(bytes: &[u8], most: u64) -> Option<Result<Vec<u8>, String>> {
    let [0x1f, 0x8b, 8, flags, _, _, _, _, _, _, rest @ ..] = bytes else {
        return None;
    };
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let body = body(rest, *flags).ok_or("the gzip file is incomplete");
    let inflated = body.map_err(str::to_string).and_then(|body| {
        let inflated = miniz_oxide::inflate::decompress_to_vec_with_limit(body, most);
        inflated.map_err(|error| format!("the gzip file cannot be unpacked: {error}"))
    });
    Some(inflated)
}

/// The compressed data, which follows the optional fields of a gzip header. `rest` begins after the fixed fields.
fn body(mut rest: &[u8], flags: u8) -> Option<&[u8]> {
    const EXTRA: u8 = 4;
    const TEXTS: [u8; 2] = [8, 16];
    const CHECKSUM: u8 = 2;
    if flags & EXTRA != 0 {
        let (length, after) = rest.split_first_chunk::<2>()?;
        rest = after.get(usize::from(u16::from_le_bytes(*length))..)?;
    }
    for text in TEXTS {
        if flags & text != 0 {
            let end = rest.iter().position(|byte| *byte == 0)?;
            rest = rest.get(end + 1..)?;
        }
    }
    match flags & CHECKSUM {
        0 => Some(rest),
        _ => rest.get(2..),
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn manifests_name_files() {
        let file = |bucket: &str, key: &str| Object {
            bucket: bucket.to_string(),
            key: key.to_string(),
        };
        let lines = "s3://b/a/1.gz\n\"s3://b/2\"\nno file\n";
        assert_eq!(of_athena(lines), [file("b", "a/1.gz"), file("b", "2")]);
        let json = r#"{"destinationBucket":"arn:aws:s3:::d","fileFormat":"CSV","fileSchema":"Bucket, Key","files":[{"key":"i/1.csv.gz","size":4}]}"#;
        let (files, columns) = of_inventory(json).unwrap();
        assert_eq!(files, [file("d", "i/1.csv.gz")]);
        assert_eq!(columns, Some(vec!["Bucket".into(), "Key".into()]));
        assert!(of_inventory(r#"{"fileFormat":"ORC","files":[]}"#).is_err());
    }

    #[test]
    fn gzip_is_unpacked() {
        let mut packed = vec![0x1f, 0x8b, 8, 8 | 4, 0, 0, 0, 0, 0, 255, 2, 0, 1, 2];
        packed.extend(b"name\0");
        packed.extend(miniz_oxide::deflate::compress_to_vec(b"a,b\n", 6));
        packed.extend([0; 8]);
        assert_eq!(unpacked(&packed, 100), Some(Ok(b"a,b\n".to_vec())));
        assert!(unpacked(&packed, 2).unwrap().is_err());
        assert!(unpacked(packed.get(..15).unwrap(), 100).unwrap().is_err());
        assert_eq!(unpacked(b"a,b", 100), None);
    }
}
