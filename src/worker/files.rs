//! Reads items from local folders that represent S3, and writes results to them. Nothing here uses the network.

use super::items::{LONGEST_LINE, Made, most_items, of_json, of_lines, read_text, readable};
use super::listing::{entries, listed, of_athena, of_inventory, unpacked};
use crate::definition::{HeldIn, InputType, ReaderFormat};
use crate::json::{Array, Text, Value, count};
use crate::source::load::{self, LoadError};
use crate::source::store::{self, Readers, Replace};
use std::fs;
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::path::{Component, Path, PathBuf};

/// Maximum size of a file to read, in bytes.
const LARGEST: u64 = 256 << 20;

/// The folders and files that represent S3.
#[derive(Clone, Debug, Default)]
pub struct Files {
    /// Folder for reading: the object `key` in `bucket` is the file `bucket/key` in this folder.
    pub read_root: Option<PathBuf>,
    /// Folder for writing, with the same layout as `read_root`. Only a folder that the user named is written to.
    pub write_root: Option<PathBuf>,
    /// Files that the ItemReaders of individual states read, by the state's name or path.
    pub readers: Vec<(Text, PathBuf)>,
}

/// Why an ItemReader returns no items: it failed, or there is no file that represents its S3 object.
pub(super) enum NoItems {
    /// Reading failed: the state fails with `States.ItemReaderFailed` and this cause.
    Failed(String),
    /// No folder or file that represents the S3 object was configured.
    NotServed,
}

type Served<T> = Result<T, NoItems>;

fn failed(cause: impl Into<String>) -> NoItems {
    NoItems::Failed(cause.into())
}

impl Files {
    /// The file or folder from which a state's ItemReader would read: the one configured for the state, otherwise the
    /// folder that represents S3.
    #[must_use]
    pub fn read_from(&self, state: &str) -> Option<&Path> {
        self.reader(state).or(self.read_root.as_deref())
    }

    /// The file or folder configured for a state's ItemReader.
    fn reader(&self, state: &str) -> Option<&Path> {
        let is_state = |name: &str| state == name || state.rsplit('/').next() == Some(name);
        let mut readers = self.readers.iter();
        let reader = readers.find(|(name, _)| is_state(name))?;
        Some(&reader.1)
    }

    /// Reads the items that a state's ItemReader refers to.
    pub(super) fn read(
        &self,
        state: &str,
        resource: &str,
        arguments: &Value,
        format: &ReaderFormat,
        most: Option<u64>,
    ) -> Served<Value> {
        let lists = resource.contains("listObjects");
        if let Some(path) = self.reader(state) {
            let beside = Beside::Named(path.parent().unwrap_or(Path::new("")));
            return match lists || path.is_dir() {
                true => all_of(path, "", format, most),
                false => self.held(path, beside, format, most),
            };
        }
        let root = self.read_root.as_ref().ok_or(NoItems::NotServed)?;
        let bucket = argument(arguments, "Bucket")?;
        let folder = inside(root, bucket)?;
        if lists {
            let prefix = arguments.get("Prefix").and_then(Value::as_str);
            let folder = followed(root, &folder)?;
            return all_of(&folder, prefix.unwrap_or(""), format, most);
        }
        let key = argument(arguments, "Key")?;
        let path = followed(root, &inside(&folder, key)?)?;
        self.held(&path, Beside::Below(root), format, most)
    }

    /// Returns the items of a file or, if the file is a manifest, of the files that it lists.
    fn held(
        &self,
        path: &Path,
        beside: Beside<'_>,
        format: &ReaderFormat,
        most: Option<u64>,
    ) -> Served<Value> {
        let manifest = || text_of(open(path)?, path);
        let (objects, columns) = match format.held_in {
            HeldIn::File | HeldIn::Listed => return items(path, format, most),
            HeldIn::AthenaManifest => (of_athena(&manifest()?), None),
            HeldIn::InventoryManifest => of_inventory(&manifest()?).map_err(NoItems::Failed)?,
        };
        let paths = objects.iter().map(|object| match beside {
            Beside::Below(root) => {
                let folder = inside(root, &object.bucket)?;
                followed(root, &inside(&folder, &object.key)?)
            }
            Beside::Named(folder) => {
                let name = object.key.rsplit('/').next().unwrap_or_default();
                inside(folder, name)
            }
        });
        let paths: Served<Vec<PathBuf>> = paths.collect();
        let mut format = format.clone();
        format.csv_headers = columns.or(format.csv_headers);
        gathered(&paths?, &format, most)
    }

    /// Writes the result files of a ResultWriter and their manifest, if there is a folder for writing. Returns the
    /// bucket and the key of the manifest.
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
        let bucket = text("Bucket").ok_or("The ResultWriter does not name a Bucket")?;
        let prefix = text("Prefix").unwrap_or("").trim_end_matches('/');
        let folder = match prefix {
            "" => run.to_string(),
            prefix => format!("{prefix}/{run}"),
        };
        let key = format!("{folder}/manifest.json");
        if let Some(root) = &self.write_root {
            let below = Path::new(bucket).join(&folder);
            let named = inside(root, bucket).and_then(|bucket| inside(&bucket, &folder));
            named.map_err(|_| format!("{bucket}/{folder} is not a valid path"))?;
            let place = made_folder(root, &below)?;
            let files = [("SUCCEEDED", succeeded), ("FAILED", failed_ones)];
            let mut named: Vec<(Text, Value)> = Vec::new();
            for (name, values) in files {
                let mut listed = Vec::new();
                if let Value::Array(entries) = values
                    && !entries.is_empty()
                {
                    let file = format!("{name}_0.{}", if lines { "jsonl" } else { "json" });
                    let body = match lines {
                        true => body(entries),
                        false => values.to_string(),
                    };
                    put(&place, &file, &body)?;
                    listed.push(Value::object(vec![
                        ("Key".into(), Value::string(format!("{folder}/{file}"))),
                        ("Size".into(), count(body.len())),
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

fn argument<'v>(arguments: &'v Value, argument: &str) -> Served<&'v str> {
    arguments
        .get(argument)
        .and_then(Value::as_str)
        .ok_or_else(|| failed(format!("The ItemReader does not name a {argument}")))
}

/// Returns the real path behind `path`, with all links followed; fails if it is outside the folder `root`.
fn followed(root: &Path, path: &Path) -> Served<PathBuf> {
    let resolved = |path: &Path| {
        path.canonicalize().map_err(|error| match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => missing(path),
            _ => failed(format!(
                "{file} cannot be read: {error}",
                file = path.display()
            )),
        })
    };
    let real = resolved(path)?;
    if real.starts_with(resolved(root)?) {
        Ok(real)
    } else {
        Err(failed(format!(
            "{path} is a link to a place outside the folder that represents S3",
            path = path.display()
        )))
    }
}

/// Joins a relative path to a folder; fails if the path would lead out of the folder.
fn inside(folder: &Path, below: &str) -> Served<PathBuf> {
    let below = Path::new(below);
    let plain = below
        .components()
        .all(|part| matches!(part, Component::Normal(_)));
    if plain {
        Ok(folder.join(below))
    } else {
        Err(failed(format!(
            "{path} is outside the folder that represents S3",
            path = below.display()
        )))
    }
}

/// Reads the items in a file.
fn items(path: &Path, format: &ReaderFormat, most: Option<u64>) -> Served<Value> {
    readable(format).map_err(NoItems::Failed)?;
    let most = most_items(most);
    let file = open(path)?;
    let made = match format.input_type {
        _ if path.extension().is_some_and(|end| end == "gz") => {
            read_text(&text_of(file, path)?, format, u64::try_from(most).ok())
        }
        InputType::Csv | InputType::Jsonl => {
            of_lines(Box::new(FileLines::of(file, path)), format, most)
        }
        _ => of_json(&text_of(file, path)?, format, most),
    };
    made.map_err(NoItems::Failed)
}

/// Opens a regular file. Pipes, devices and the like are refused, because they could block or produce data endlessly.
fn open(path: &Path) -> Served<fs::File> {
    let file = load::open_regular(path, LARGEST).map_err(|error| match error {
        LoadError::Io { source, .. } if source.kind() == io::ErrorKind::NotFound => missing(path),
        LoadError::Io { source, .. } => failed(format!(
            "{file} cannot be read: {source}",
            file = path.display()
        )),
        LoadError::Special { .. } => failed(format!(
            "{path} is not a regular file",
            path = path.display()
        )),
        other => failed(other.to_string()),
    })?;
    load::note(path);
    Ok(file)
}

fn missing(path: &Path) -> NoItems {
    failed(format!(
        "The specified key does not exist: there is no file {path}",
        path = path.display()
    ))
}

/// Reads a whole file as text. Checks the size again, because the file may have grown since it was opened.
fn text_of(file: fs::File, path: &Path) -> Served<String> {
    let mut bytes = Vec::new();
    let read = file.take(LARGEST + 1).read_to_end(&mut bytes);
    read.map_err(|error| {
        failed(format!(
            "{file} cannot be read: {error}",
            file = path.display()
        ))
    })?;
    if bytes.len() as u64 > LARGEST {
        return Err(failed(format!(
            "{file} grew while asldbg read it",
            file = path.display()
        )));
    }
    let bytes = match unpacked(&bytes, LARGEST) {
        Some(Ok(bytes)) => bytes,
        Some(Err(why)) => return Err(failed(format!("{}: {why}", path.display()))),
        None => bytes,
    };
    String::from_utf8(bytes).map_err(|_| failed(no_text(path)))
}

fn no_text(path: &Path) -> String {
    format!("{file} is not UTF-8 text", file = path.display())
}

/// The lines of a file, read one at a time.
struct FileLines {
    file: io::Take<BufReader<fs::File>>,
    name: PathBuf,
}

impl FileLines {
    fn of(file: fs::File, path: &Path) -> Self {
        Self {
            file: BufReader::new(file).take(LARGEST),
            name: path.to_path_buf(),
        }
    }

    fn line(&mut self) -> Result<Option<String>, String> {
        let most = LONGEST_LINE as u64 + 1;
        let mut bytes = Vec::new();
        let read = (&mut self.file).take(most).read_until(b'\n', &mut bytes);
        read.map_err(|error| {
            format!("{file} cannot be read: {error}", file = self.name.display())
        })?;
        if bytes.len() > LONGEST_LINE {
            return Err(format!(
                "{file} has a line with more than {LONGEST_LINE} bytes, which is the limit",
                file = self.name.display()
            ));
        }
        if bytes.is_empty() {
            return Ok(None);
        }
        match String::from_utf8(bytes) {
            Ok(line) => Ok(Some(line)),
            Err(_) => Err(no_text(&self.name)),
        }
    }
}

impl Iterator for FileLines {
    type Item = Result<String, String>;

    fn next(&mut self) -> Option<Self::Item> {
        self.line().transpose()
    }
}

/// The folder in which the files that a manifest lists are searched.
#[derive(Clone, Copy)]
enum Beside<'p> {
    /// The folder that represents S3: a file is at `bucket/key` below it.
    Below(&'p Path),
    /// The folder of the manifest that the user named: a file is directly in it.
    Named(&'p Path),
}

/// Reads the items of several files, one after another.
fn gathered(paths: &[PathBuf], format: &ReaderFormat, most: Option<u64>) -> Served<Value> {
    let mut made = Made::default();
    let most = most_items(most);
    for path in paths {
        let left = u64::try_from(most.saturating_sub(made.len())).ok();
        if left == Some(0) {
            break;
        }
        match items(path, format, left)? {
            Value::Array(array) => {
                for item in array.items() {
                    made.add(item.clone()).map_err(NoItems::Failed)?;
                }
            }
            item => made.add(item).map_err(NoItems::Failed)?,
        }
    }
    Ok(made.into_value())
}

/// Returns the items of the files below a folder: one item for each file, with its listObjectsV2 metadata, or, with
/// [`HeldIn::Listed`], the items that the files contain.
fn all_of(folder: &Path, prefix: &str, format: &ReaderFormat, most: Option<u64>) -> Served<Value> {
    let files = listed(folder, prefix).map_err(NoItems::Failed)?;
    match format.held_in {
        HeldIn::Listed => {
            let paths: Vec<PathBuf> = files.into_iter().map(|(_, path)| path).collect();
            gathered(&paths, format, most)
        }
        _ => Ok(entries(files, most_items(most))),
    }
}

/// The text of a JSONL result file: each entry on a line of its own.
fn body(entries: &Array) -> String {
    let items = (0..entries.len()).filter_map(|index| entries.item(index));
    items.map(|entry| format!("{entry}\n")).collect()
}

/// Creates the folder `below` the root, unless it exists, and returns its path. Fails if a part of `below` is a link or
/// a file.
fn made_folder(root: &Path, below: &Path) -> Result<PathBuf, String> {
    let cannot = |path: &Path, error: io::Error| {
        format!(
            "{folder} cannot be created: {error}",
            folder = path.display()
        )
    };
    fs::create_dir_all(root).map_err(|error| cannot(root, error))?;
    let mut folder = root.canonicalize().map_err(|error| cannot(root, error))?;
    for part in below.components() {
        folder.push(part);
        match fs::symlink_metadata(&folder) {
            Ok(known) if known.is_dir() => {}
            Ok(_) => {
                return Err(format!(
                    "{path} is a link or a file instead of a folder, so asldbg writes nothing below this path",
                    path = folder.display()
                ));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                fs::create_dir(&folder).map_err(|error| cannot(&folder, error))?;
            }
            Err(error) => return Err(cannot(&folder, error)),
        }
    }
    Ok(folder)
}

/// Writes a file to a folder.
fn put(folder: &Path, name: &str, body: &str) -> Result<(), String> {
    let path = folder.join(name);
    store::write(&path, body.as_bytes(), Replace::Unread, Readers::Default)
        .map_err(|error| error.to_string())
}

#[cfg(test)]
#[cfg(unix)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::json::parse;
    use std::os::unix::fs::symlink;

    struct Room(PathBuf);

    impl Room {
        /// Creates a test folder with `root/b/plain.json` in it, and `secret/s.json` outside `root`.
        fn new(name: &str) -> Self {
            let room =
                std::env::temp_dir().join(format!("asldbg-files-{name}-{}", std::process::id()));
            for folder in ["root/b", "secret", "out"] {
                fs::create_dir_all(room.join(folder)).unwrap();
            }
            fs::write(room.join("root/b/plain.json"), "[1]").unwrap();
            fs::write(room.join("secret/s.json"), r#"["SECRET"]"#).unwrap();
            Self(room)
        }

        fn files(&self) -> Files {
            Files {
                read_root: Some(self.0.join("root")),
                write_root: Some(self.0.join("root")),
                readers: Vec::new(),
            }
        }

        fn read(&self, files: &Files, bucket: &str, key: &str) -> Result<String, String> {
            let arguments = format!(r#"{{"Bucket":"{bucket}","Key":"{key}"}}"#);
            let arguments = parse(&arguments).unwrap();
            let resource = "arn:aws:states:::s3:getObject";
            match files.read("M", resource, &arguments, &ReaderFormat::default(), None) {
                Ok(items) => Ok(items.to_string()),
                Err(NoItems::Failed(cause)) => Err(cause),
                Err(NoItems::NotServed) => Err("not served".to_string()),
            }
        }

        fn written(&self, files: &Files) -> Result<Value, String> {
            let arguments = parse(r#"{"Bucket":"b","Prefix":"p"}"#).unwrap();
            let list = Value::array(vec![Value::from(1)]);
            files.write(
                &arguments,
                &list,
                &Value::array(Vec::new()),
                false,
                "arn",
                "run",
            )
        }
    }

    impl Drop for Room {
        fn drop(&mut self) {
            drop(fs::remove_dir_all(&self.0));
        }
    }

    #[test]
    fn links_that_lead_out_are_refused() {
        let room = Room::new("links");
        let root = room.0.join("root");
        symlink("../../secret/s.json", root.join("b/link.json")).unwrap();
        symlink("../secret", root.join("linked")).unwrap();
        symlink("plain.json", root.join("b/inside.json")).unwrap();
        symlink("../root", room.0.join("secret/root")).unwrap();
        let files = room.files();
        assert_eq!(room.read(&files, "b", "plain.json"), Ok("[1]".to_string()));
        assert_eq!(room.read(&files, "b", "inside.json"), Ok("[1]".to_string()));
        for (bucket, key) in [("b", "link.json"), ("linked", "s.json")] {
            let refused = room.read(&files, bucket, key).unwrap_err();
            assert!(refused.contains("a place outside the folder"), "{refused}");
        }
        let missing = room.read(&files, "b", "gone.json").unwrap_err();
        assert!(
            missing.starts_with("The specified key does not exist"),
            "{missing}"
        );
        // The root folder itself may be a link.
        let linked = Files {
            read_root: Some(room.0.join("secret/root")),
            ..Files::default()
        };
        assert_eq!(room.read(&linked, "b", "plain.json"), Ok("[1]".to_string()));
    }

    #[test]
    fn only_regular_files_are_read() {
        let room = Room::new("kinds");
        let root = room.0.join("root");
        let made = std::process::Command::new("mkfifo")
            .arg(root.join("b/fifo"))
            .status();
        assert!(made.unwrap().success());
        symlink("/dev/zero", root.join("b/zero")).unwrap();
        let files = room.files();
        let refused = room.read(&files, "b", "fifo").unwrap_err();
        assert!(refused.contains("not a regular file"), "{refused}");
        assert!(room.read(&files, "b", "zero").is_err());
        for path in [PathBuf::from("/dev/zero"), root.join("b/fifo")] {
            let named = Files {
                readers: vec![("M".into(), path)],
                ..Files::default()
            };
            let refused = room.read(&named, "b", "k").unwrap_err();
            assert!(refused.contains("not a regular file"), "{refused}");
        }
    }

    #[test]
    fn nothing_is_written_through_a_link() {
        let room = Room::new("write");
        let root = room.0.join("root");
        let files = room.files();
        room.written(&files).unwrap();
        assert!(root.join("b/p/run/manifest.json").is_file());
        fs::remove_dir_all(root.join("b/p")).unwrap();
        symlink("../../out", root.join("b/p")).unwrap();
        let refused = room.written(&files).unwrap_err();
        assert!(
            refused.contains("writes nothing below this path"),
            "{refused}"
        );
        fs::remove_file(root.join("b/p")).unwrap();
        fs::create_dir_all(root.join("b/p/run")).unwrap();
        symlink("../../../../out/x", root.join("b/p/run/manifest.json")).unwrap();
        let refused = room.written(&files).unwrap_err();
        assert!(refused.contains("is a symbolic link"), "{refused}");
        let out: Vec<_> = fs::read_dir(room.0.join("out")).unwrap().collect();
        assert!(out.is_empty(), "{out:?}");
    }

    #[test]
    fn lines_are_read_as_they_are_wanted() {
        let room = Room::new("lines");
        let path = room.0.join("root/b/rows.jsonl");
        fs::write(&path, "1\n\n{\"a\":2}\nno json").unwrap();
        let format = ReaderFormat {
            input_type: InputType::Jsonl,
            ..ReaderFormat::default()
        };
        let read = |most| match items(&path, &format, most) {
            Ok(items) => items.to_string(),
            Err(NoItems::Failed(cause)) => cause,
            Err(NoItems::NotServed) => String::new(),
        };
        assert_eq!(read(Some(2)), r#"[1,{"a":2}]"#);
        assert!(
            read(None).starts_with("line 3 is not JSON"),
            "{}",
            read(None)
        );
    }
}
