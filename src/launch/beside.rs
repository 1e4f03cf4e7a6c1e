//! What lies beside a definition and belongs to it: input, answers, the folder that stands for S3.
//!
//! It must not know what is in a definition.

use super::load::Mock;
use super::value::{is_json, text_of, value_of};
use crate::cli::options::StartArguments;
use crate::headless::Refusal;
use crate::json::Value;
use crate::session::answers::MockFile;
use crate::source::store::is_file_name;
use crate::source::{Severity, SourceFile, SourceId, SourceMap, load};
use crate::worker::Files;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How many files of the folder events are offered.
const MAX_INPUTS: usize = 200;

/// A file's name without `.asl.json` and the like.
#[must_use]
pub fn stem(file: &Path) -> String {
    let name = file
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    let endings = [
        ".asl.json",
        ".asl.yaml",
        ".asl.yml",
        ".json",
        ".yaml",
        ".yml",
        ".asl",
        ".sfn",
        ".hsd",
    ];
    let stem = endings
        .iter()
        .find_map(|ending| name.strip_suffix(ending))
        .unwrap_or(&name);
    match stem {
        "" | "-" => "StateMachine".to_string(),
        stem => stem.to_string(),
    }
}

/// The file of that name beside another one; `None` where there is none.
fn beside(file: &Path, name: &str) -> Option<PathBuf> {
    if file == Path::new("-") {
        return None;
    }
    let path = file.with_file_name(name);
    path.is_file().then_some(path)
}

/// Reads a file that lies beside the definition and was not named.
fn load_beside(path: &Path) -> Result<SourceFile, Refusal> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    load::load_below(folder, &name).map_err(|error| Refusal::new(error.to_string()))
}

/// What lies in the folder events beside a definition, as SAM has it.
#[must_use]
pub fn inputs(file: &Path) -> Vec<PathBuf> {
    if file == Path::new("-") {
        return Vec::new();
    }
    let Ok(entries) = std::fs::read_dir(file.with_file_name("events")) else {
        return Vec::new();
    };
    let paths = entries.flatten().map(|entry| entry.path());
    let mut found: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|ending| ending == "json") && path.is_file())
        .take(MAX_INPUTS)
        .collect();
    found.sort();
    found
}

/// The execution input: the one named, else what lies beside the definition, which is then watched, else `{}`.
///
/// # Errors
/// Where it cannot be read or is not JSON.
pub fn input(
    file: &Path,
    name: &str,
    start: &StartArguments,
    watch: &mut Vec<PathBuf>,
    skipped: &mut Vec<String>,
) -> Result<Value, Refusal> {
    let stem = stem(file);
    let argument = match &start.input {
        Some(argument) if argument == "-" && file == Path::new("-") => {
            return Err(Refusal::new(
                "FILE and --input cannot both be standard input",
            ));
        }
        Some(argument) => argument.clone(),
        None => {
            // A file gives its machine any name: one that is no file's name leads nowhere.
            let own = is_file_name(name)
                .then(|| beside(file, &format!("{name}.input.json")))
                .flatten();
            if !is_file_name(name) && file != Path::new("-") {
                skipped.push(format!(
                    "no input was looked for under the name of the state machine, \"{name}\": it cannot be the name of a file (--input FILE names one)"
                ));
            }
            let found = own.or_else(|| beside(file, &format!("{stem}.input.json")));
            match found {
                Some(path) => {
                    let text = load_beside(&path)?;
                    watch.push(path);
                    return value_of(&text);
                }
                None => return Ok(Value::empty_object()),
            }
        }
    };
    let text = text_of(&argument, "--input")?;
    if argument != "-" && !is_json(&argument) {
        watch.push(PathBuf::from(&argument));
    }
    value_of(&text)
}

/// What stands for S3: results are written only to a folder that was named, not to the one that happens to lie there.
#[must_use]
pub fn files(file: &Path, start: &StartArguments) -> Files {
    let found = || {
        let path = file.with_file_name(format!("{}.s3", stem(file)));
        (file != Path::new("-") && path.is_dir()).then_some(path)
    };
    let readers = start.reader.iter();
    Files {
        read_root: start.s3_root.clone().or_else(found),
        write_root: start.s3_root.clone(),
        readers: readers
            .map(|(state, path)| (state.as_str().into(), PathBuf::from(path)))
            .collect(),
    }
}

/// The mock file: the one named, else what lies beside the definition.
///
/// # Errors
/// Where it cannot be read or is none.
pub fn mock(file: &Path, start: &StartArguments) -> Result<Option<Mock>, Refusal> {
    let found = || {
        beside(file, &format!("{}.mock.json", stem(file)))
            .or_else(|| beside(file, "MockConfigFile.json"))
    };
    let Some(path) = start.mock.clone().or_else(found) else {
        return match &start.test_case {
            Some(name) => Err(Refusal::new(format!(
                "there is no test case \"{name}\": no mock file was given (--mock FILE)"
            ))),
            None => Ok(None),
        };
    };
    let text = match &start.mock {
        Some(path) => load::load(path).map_err(|error| Refusal::new(format!("--mock: {error}")))?,
        None => load_beside(&path)?,
    };
    let (mocks, mut found) = MockFile::parse(&text, SourceId(0));
    let sources = SourceMap::of(text);
    found.retain(|diagnostic| diagnostic.severity == Severity::Error);
    match mocks {
        Some(file) if found.is_empty() => Ok(Some(Mock {
            path,
            file,
            sources: Arc::new(sources),
        })),
        _ => Err(Refusal::of(&found, &sources)),
    }
}
