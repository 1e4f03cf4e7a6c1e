//! Files next to a definition that belong to it: input, mock file, the folder that represents S3.

use super::config::{LaunchConfig, Program};
use super::error::{Field, LaunchError};
use super::value::{Given, value_of};
use crate::json::Value;
use crate::session::answers::MockFile;
use crate::source::store::is_file_name;
use crate::source::{Severity, SourceFile, SourceId, SourceMap, load};
use crate::worker::Files;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Maximum number of files in the folder `events` that are offered as input.
const MAX_INPUTS: usize = 200;

/// The file's name without an ending such as `.asl.json`; `StateMachine` if the rest is empty or `-`.
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

/// Path of the file `name` in the folder of the definition; `None` if there is no such file.
fn beside(program: &Program, name: &str) -> Option<PathBuf> {
    let path = program.on_disk()?.with_file_name(name);
    path.is_file().then_some(path)
}

/// Reads a file that the user did not name and that was found next to the definition.
fn load_beside(path: &Path) -> Result<SourceFile, LaunchError> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    Ok(load::load_below(folder, &name)?)
}

/// The JSON files in the folder `events` next to the definition; SAM keeps sample inputs there.
#[must_use]
pub fn inputs(program: &Program) -> Vec<PathBuf> {
    let folder = program.on_disk().map(|file| file.with_file_name("events"));
    let Some(Ok(entries)) = folder.map(std::fs::read_dir) else {
        return Vec::new();
    };
    let paths = entries.flatten().map(|entry| entry.path());
    let mut files_found: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|ending| ending == "json") && path.is_file())
        .take(MAX_INPUTS)
        .collect();
    files_found.sort();
    files_found
}

/// Where the execution input comes from.
#[derive(Clone, Debug)]
pub enum Input {
    /// The user gave this input.
    Given(Given),
    /// The input is in this file, which was found next to the definition.
    Beside(PathBuf),
    /// No input was given, and there is no input file, so the input is `{}`.
    None,
}

impl Input {
    /// Returns the input that the user gave, otherwise the input file next to the definition. Also returns a note, with
    /// the reason, if no file with the machine's name was searched for.
    ///
    /// # Errors
    /// If both the input and the definition would have to be read from standard input.
    pub fn find(config: &LaunchConfig, name: &str) -> Result<(Self, Vec<String>), LaunchError> {
        let program = &config.program;
        let stdin = Path::new("-");
        match &config.input {
            Some(Given::File(path)) if path == stdin && program.file == stdin => {
                return Err(LaunchError::BothStandardInput);
            }
            Some(given) => return Ok((Self::Given(given.clone()), Vec::new())),
            None => {}
        }
        // If the machine's name is not a valid file name, no input file with this name is searched for.
        let (exact, skipped) = match is_file_name(name) {
            true => (beside(program, &format!("{name}.input.json")), None),
            false => (None, program.on_disk().map(|_| skipped(name))),
        };
        let input_file =
            exact.or_else(|| beside(program, &format!("{}.input.json", stem(&program.file))));
        let input_file = input_file.map_or(Self::None, Self::Beside);
        Ok((input_file, skipped.into_iter().collect()))
    }

    /// Path of the input file; `None` if the input does not come from a file on disk.
    #[must_use]
    pub fn on_disk(&self) -> Option<&Path> {
        match self {
            Self::Given(given) => given.on_disk(),
            Self::Beside(path) => Some(path),
            Self::None => None,
        }
    }

    /// The value of the input.
    ///
    /// # Errors
    /// If the input cannot be read or is not JSON.
    pub fn value(&self) -> Result<Value, LaunchError> {
        match self {
            Self::Given(given) => given.value(&Field::Input.to_string()),
            Self::Beside(path) => value_of(&load_beside(path)?),
            Self::None => Ok(Value::empty_object()),
        }
    }
}

fn skipped(name: &str) -> String {
    format!(
        "no input file was searched for, because the state machine's name, \"{name}\", is not a valid file name; {option} FILE names an input file",
        option = Field::Input
    )
}

/// The folders that represent S3, and the files for ItemReaders. A run writes only to a folder that the user named; a
/// folder that was found next to the definition is only read.
#[must_use]
pub fn files(config: &LaunchConfig) -> Files {
    let folder_beside = || {
        let file = config.program.on_disk()?;
        let path = file.with_file_name(format!("{}.s3", stem(file)));
        path.is_dir().then_some(path)
    };
    let readers = config.readers.iter();
    Files {
        read_root: config.s3_root.clone().or_else(folder_beside),
        write_root: config.s3_root.clone(),
        readers: readers
            .map(|(state, path)| (state.as_str().into(), path.clone()))
            .collect(),
    }
}

/// A mock file that has been read and parsed.
#[derive(Clone, Debug)]
pub struct Mock {
    /// Path of the mock file; `None` if the mock file was not read from a file on disk.
    pub path: Option<PathBuf>,
    /// Name of the mock file in messages.
    pub name: String,
    /// The parsed content of the mock file.
    pub file: MockFile,
    /// The text of the mock file, to which diagnostics refer.
    pub sources: Arc<SourceMap>,
}

/// Reads the mock file that the user named, otherwise the one next to the definition; `None` if there is neither.
///
/// # Errors
/// If the mock file cannot be read or is invalid, or if the user named a test case and there is no mock file.
pub fn mock(config: &LaunchConfig) -> Result<Option<Mock>, LaunchError> {
    let program = &config.program;
    let file_beside = || {
        beside(program, &format!("{}.mock.json", stem(&program.file)))
            .or_else(|| beside(program, "MockConfigFile.json"))
    };
    match (&config.mock, &config.test_case) {
        (Some(given), _) => mock_in(given).map(Some),
        (None, case) => match (file_beside(), case.clone()) {
            (Some(path), _) => read_mock(load_beside(&path)?, Some(path)).map(Some),
            (None, Some(case)) => Err(LaunchError::NoMockFile { case }),
            (None, None) => Ok(None),
        },
    }
}

/// Reads the mock file that the user named.
///
/// # Errors
/// If the mock file cannot be read or is invalid.
pub fn mock_in(given: &Given) -> Result<Mock, LaunchError> {
    let text = given
        .text(&Field::Mock.to_string())
        .map_err(|error| LaunchError::unreadable(Field::Mock, error))?;
    read_mock(text, given.on_disk().map(Path::to_path_buf))
}

fn read_mock(text: SourceFile, path: Option<PathBuf>) -> Result<Mock, LaunchError> {
    let name = text.name.to_string();
    let (mocks, mut diagnostics) = MockFile::parse(&text, SourceId(0));
    let sources = Arc::new(SourceMap::of(text));
    diagnostics.retain(|diagnostic| diagnostic.severity == Severity::Error);
    match mocks {
        Some(file) if diagnostics.is_empty() => Ok(Mock {
            path,
            name,
            file,
            sources,
        }),
        _ => Err(LaunchError::Invalid {
            diagnostics,
            sources,
        }),
    }
}

/// The path at which a machine's mock file is created if there is none yet.
///
/// # Errors
/// If the definition is not in a file, or the machine's name is not a valid file name.
pub fn mock_file(program: &Program, machine: &str) -> Result<PathBuf, LaunchError> {
    let file = program.on_disk().ok_or(LaunchError::NowhereToWrite)?;
    if !is_file_name(machine) {
        let machine = machine.to_string();
        return Err(LaunchError::NoFileName { machine });
    }
    Ok(file.with_file_name(format!("{machine}.mock.json")))
}
