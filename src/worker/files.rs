//! Items read from folders that stand for S3, and results written there. Nothing here reaches a network.
//!
//! It must not know states, but by the path of the one that asks.

use super::csv;
use crate::definition::{InputType, ReaderFormat};
use crate::json::{Step, Text, Value, parse};
use std::fs;
use std::io::Write as _;
use std::path::{Component, Path, PathBuf};
use std::time::UNIX_EPOCH;

/// Larger files are not read.
const LARGEST: u64 = 256 << 20;
/// At most so many files are listed.
const MOST_FILES: usize = 200_000;
/// So deep folders are walked.
const DEEPEST: usize = 64;

/// Which folders and files stand for S3.
#[derive(Clone, Debug, Default)]
pub struct Files {
    /// `DIR/bucket/key` stands for an object that is read.
    pub read_root: Option<PathBuf>,
    /// The same for objects that are written: only a folder that a person named.
    pub write_root: Option<PathBuf>,
    /// A file for the ItemReader of a state, by the state's name or path.
    pub readers: Vec<(Text, PathBuf)>,
}

/// Why a reader gave no items: a fault, or nothing that stands for what it names.
pub(super) enum NoItems {
    /// `States.ItemReaderFailed` with this cause.
    Failed(String),
    /// No folder or file was given.
    NotServed,
}

type Read<T> = Result<T, NoItems>;

fn failed(cause: impl Into<String>) -> NoItems {
    NoItems::Failed(cause.into())
}

impl Files {
    /// The items that a reader names.
    pub(super) fn read(
        &self,
        state: &str,
        resource: &str,
        arguments: &Value,
        format: &ReaderFormat,
        most: Option<u64>,
    ) -> Read<Value> {
        let own = self.readers.iter().find(|(name, _)| is_state(state, name));
        let lists = resource.contains("listObjects");
        if let Some((_, path)) = own {
            return if lists || path.is_dir() {
                list(path, path, "", most)
            } else {
                items(path, format, most)
            };
        }
        let root = self.read_root.as_ref().ok_or(NoItems::NotServed)?;
        let bucket = argument(arguments, "Bucket")?;
        let folder = inside(root, bucket)?;
        if lists {
            let prefix = arguments.get("Prefix").and_then(Value::as_str);
            return list(&folder, &folder, prefix.unwrap_or(""), most);
        }
        let key = argument(arguments, "Key")?;
        items(&inside(&folder, key)?, format, most)
    }

    /// Writes the files of a ResultWriter; gives what the state's result says of them.
    pub(super) fn write(
        &self,
        arguments: &Value,
        succeeded: &Value,
        failed_ones: &Value,
        lines: bool,
        map_run_arn: &str,
        run: &str,
    ) -> Result<Value, String> {
        let text = |name: &str| arguments.get(name).and_then(Value::as_str);
        let bucket = text("Bucket").ok_or("The ResultWriter names no Bucket")?;
        let prefix = text("Prefix").unwrap_or("").trim_end_matches('/');
        let folder = match prefix {
            "" => run.to_string(),
            prefix => format!("{prefix}/{run}"),
        };
        let key = format!("{folder}/manifest.json");
        if let Some(root) = &self.write_root {
            let place = inside(root, bucket).and_then(|bucket| inside(&bucket, &folder));
            let place = place.map_err(|_| format!("{bucket}/{folder} is no place in a folder"))?;
            let files = [("SUCCEEDED", succeeded), ("FAILED", failed_ones)];
            let mut named: Vec<(Text, Value)> = Vec::new();
            for (name, values) in files {
                let entries = values.as_array().unwrap_or_default();
                let mut listed = Vec::new();
                if !entries.is_empty() {
                    let file = format!("{name}_0.{}", if lines { "jsonl" } else { "json" });
                    let body = body(entries, lines);
                    let size = i64::try_from(body.len()).unwrap_or(i64::MAX);
                    put(&place, &file, &body)?;
                    listed.push(Value::object(vec![
                        ("Key".into(), Value::string(format!("{folder}/{file}"))),
                        ("Size".into(), Value::from(size)),
                    ]));
                }
                named.push((name.into(), Value::array(listed)));
            }
            named.push(("PENDING".into(), Value::array(Vec::new())));
            let manifest = Value::object(vec![
                ("DestinationBucket".into(), Value::from(bucket)),
                ("MapRunArn".into(), Value::from(map_run_arn)),
                ("ResultFiles".into(), Value::object(named)),
            ]);
            put(&place, "manifest.json", &manifest.to_string())?;
        }
        Ok(Value::object(vec![
            ("Bucket".into(), Value::from(bucket)),
            ("Key".into(), Value::string(key)),
        ]))
    }
}

/// Whether a state's path is the one that a person means.
fn is_state(path: &str, name: &str) -> bool {
    path == name || path.rsplit('/').next() == Some(name)
}

fn argument<'v>(arguments: &'v Value, name: &str) -> Read<&'v str> {
    arguments
        .get(name)
        .and_then(Value::as_str)
        .ok_or_else(|| failed(format!("The ItemReader names no {name}")))
}

/// A place below a folder; names that lead out of it are refused.
fn inside(folder: &Path, below: &str) -> Read<PathBuf> {
    let below = Path::new(below);
    let plain = below
        .components()
        .all(|part| matches!(part, Component::Normal(_)));
    if plain {
        Ok(folder.join(below))
    } else {
        Err(failed(format!(
            "{} leads out of the folder",
            below.display()
        )))
    }
}

fn text_of(path: &Path) -> Read<String> {
    let cannot = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => failed(format!(
            "The specified key does not exist: there is no file {}",
            path.display()
        )),
        _ => failed(format!("{} cannot be read: {error}", path.display())),
    };
    let size = fs::metadata(path).map_err(cannot)?.len();
    if size > LARGEST {
        return Err(failed(format!(
            "{} has {size} bytes, more than are read",
            path.display()
        )));
    }
    let bytes = fs::read(path).map_err(cannot)?;
    String::from_utf8(bytes).map_err(|_| failed(format!("{} is no UTF-8 text", path.display())))
}

fn items(path: &Path, format: &ReaderFormat, most: Option<u64>) -> Read<Value> {
    readable(format)?;
    items_of(&text_of(path)?, format, most)
}

/// The items that a file with this text holds.
///
/// # Errors
/// With the cause of `States.ItemReaderFailed`.
pub fn read_text(text: &str, format: &ReaderFormat, most: Option<u64>) -> Result<Value, String> {
    let read = readable(format).and_then(|()| items_of(text, format, most));
    read.map_err(|none| match none {
        NoItems::Failed(cause) => cause,
        NoItems::NotServed => "nothing is read".to_string(),
    })
}

fn readable(format: &ReaderFormat) -> Read<()> {
    let unread = match format.input_type {
        InputType::Manifest => Some("MANIFEST"),
        InputType::Parquet => Some("PARQUET"),
        _ => None,
    };
    match unread {
        Some(name) => Err(failed(format!(
            "InputType {name} is not read by this program"
        ))),
        None => Ok(()),
    }
}

fn items_of(text: &str, format: &ReaderFormat, most: Option<u64>) -> Read<Value> {
    let most_items = most.map_or(usize::MAX, |most| {
        usize::try_from(most).unwrap_or(usize::MAX)
    });
    match format.input_type {
        InputType::Csv => {
            let headers = format.csv_headers.as_deref();
            csv::items(text, format.csv_delimiter, headers, most)
                .map(Value::array)
                .map_err(failed)
        }
        InputType::Jsonl => {
            let lines = text.lines().filter(|line| !line.trim().is_empty());
            let mut items = Vec::new();
            for (number, line) in lines.take(most_items).enumerate() {
                let item = parse(line)
                    .map_err(|error| failed(format!("line {} is not JSON: {error}", number + 1)))?;
                items.push(item);
            }
            Ok(Value::array(items))
        }
        _ => {
            let whole =
                parse(text).map_err(|error| failed(format!("the file is not JSON: {error}")))?;
            let found = match &format.items_pointer {
                Some(pointer) => pointed(&whole, pointer)?,
                None => whole,
            };
            Ok(limited(found, most_items))
        }
    }
}

/// The value at a JSON pointer (RFC 6901).
fn pointed(value: &Value, pointer: &str) -> Read<Value> {
    let missing = || {
        failed(format!(
            "the ItemsPointer {pointer} finds nothing in the file"
        ))
    };
    let mut at = value;
    if pointer.is_empty() {
        return Ok(at.clone());
    }
    for part in pointer.strip_prefix('/').ok_or_else(missing)?.split('/') {
        let name = part.replace("~1", "/").replace("~0", "~");
        let step = match at {
            Value::Array(_) => Step::Item(name.parse().map_err(|_| missing())?),
            _ => Step::Member(name.into()),
        };
        at = match (at, &step) {
            (Value::Array(array), Step::Item(index)) => array.items().get(*index),
            (_, Step::Member(name)) => at.get(name),
            _ => None,
        }
        .ok_or_else(missing)?;
    }
    Ok(at.clone())
}

fn limited(value: Value, most: usize) -> Value {
    match &value {
        Value::Array(array) if array.items().len() > most => {
            Value::array(array.items().iter().take(most).cloned().collect())
        }
        Value::Object(object) if object.members().len() > most => {
            Value::object(object.members().iter().take(most).cloned().collect())
        }
        _ => value,
    }
}

/// What listObjectsV2 tells of the files below a folder, in the order of their keys.
fn list(folder: &Path, root: &Path, prefix: &str, most: Option<u64>) -> Read<Value> {
    let mut found: Vec<(String, PathBuf)> = Vec::new();
    let mut waiting = vec![(folder.to_path_buf(), 0_usize)];
    while let Some((at, depth)) = waiting.pop() {
        let entries = fs::read_dir(&at)
            .map_err(|error| failed(format!("{} cannot be listed: {error}", at.display())))?;
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
    let most = most.map_or(usize::MAX, |most| {
        usize::try_from(most).unwrap_or(usize::MAX)
    });
    let objects = found.into_iter().take(most).map(|(key, path)| {
        let known = fs::metadata(&path).ok();
        let size = known.as_ref().map_or(0, fs::Metadata::len);
        let changed = known
            .and_then(|known| known.modified().ok())
            .and_then(|time| time.duration_since(UNIX_EPOCH).ok())
            .map_or(0, |since| since.as_secs());
        let bytes = if size <= LARGEST {
            fs::read(&path).unwrap_or_default()
        } else {
            Vec::new()
        };
        let digest = crate::query::digest_bytes(&bytes);
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
    Ok(Value::array(objects.collect()))
}

fn body(entries: &[Value], lines: bool) -> String {
    if !lines {
        return Value::array(entries.to_vec()).to_string();
    }
    entries.iter().map(|entry| format!("{entry}\n")).collect()
}

/// Writes a file by another name and moves it into place.
fn put(folder: &Path, name: &str, body: &str) -> Result<(), String> {
    let path = folder.join(name);
    let part = folder.join(format!(".{name}.{}.part", std::process::id()));
    let write = || -> std::io::Result<()> {
        fs::create_dir_all(folder)?;
        fs::File::create(&part)?.write_all(body.as_bytes())?;
        fs::rename(&part, &path)
    };
    write().map_err(|error| format!("{} cannot be written: {error}", path.display()))
}
