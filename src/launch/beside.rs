//! What lies beside a definition and belongs to it: input, answers, the folder that stands for S3.
//!
//! It must not know what is in a definition.

use super::config::{LaunchConfig, Program};
use super::error::{Field, LaunchError};
use super::mock::Mock;
use super::value::{Given, value_of};
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

/// The file of a name beside a definition, where there is one.
fn beside(program: &Program, name: &str) -> Option<PathBuf> {
    let path = program.on_disk()?.with_file_name(name);
    path.is_file().then_some(path)
}

/// Reads a file that lies beside the definition and was not named.
fn load_beside(path: &Path) -> Result<SourceFile, LaunchError> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    Ok(load::load_below(folder, &name)?)
}

/// What lies in the folder events beside a definition, as SAM has it.
#[must_use]
pub fn inputs(program: &Program) -> Vec<PathBuf> {
    let folder = program.on_disk().map(|file| file.with_file_name("events"));
    let Some(Ok(entries)) = folder.map(std::fs::read_dir) else {
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

/// Where the execution input comes from.
#[derive(Clone, Debug)]
pub enum Input {
    /// It was given.
    Given(Given),
    /// It lies beside the definition.
    Beside(PathBuf),
    /// It is `{}`, as there is none.
    None,
}

impl Input {
    /// What was given, else what lies beside the definition; and what was not looked for, with the reason.
    ///
    /// # Errors
    /// Where both it and the definition were to be standard input.
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
        // A file gives its machine any name: one that is no file's name leads nowhere.
        let (own, skipped) = match is_file_name(name) {
            true => (beside(program, &format!("{name}.input.json")), None),
            false => (None, program.on_disk().map(|_| skipped(name))),
        };
        let found = own.or_else(|| beside(program, &format!("{}.input.json", stem(&program.file))));
        let found = found.map_or(Self::None, Self::Beside);
        Ok((found, skipped.into_iter().collect()))
    }

    /// The file that holds it, where that can change.
    #[must_use]
    pub fn on_disk(&self) -> Option<&Path> {
        match self {
            Self::Given(given) => given.on_disk(),
            Self::Beside(path) => Some(path),
            Self::None => None,
        }
    }

    /// The value.
    ///
    /// # Errors
    /// Where it cannot be read or is not JSON.
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
        "no input was looked for under the name of the state machine, \"{name}\": it cannot be the name of a file ({} FILE names one)",
        Field::Input
    )
}

/// What stands for S3: results are written only to a folder that was named, not to the one that happens to lie there.
#[must_use]
pub fn files(config: &LaunchConfig) -> Files {
    let found = || {
        let file = config.program.on_disk()?;
        let path = file.with_file_name(format!("{}.s3", stem(file)));
        path.is_dir().then_some(path)
    };
    let readers = config.readers.iter();
    Files {
        read_root: config.s3_root.clone().or_else(found),
        write_root: config.s3_root.clone(),
        readers: readers
            .map(|(state, path)| (state.as_str().into(), path.clone()))
            .collect(),
    }
}

/// The mock file: the one given, else what lies beside the definition.
///
/// # Errors
/// Where it cannot be read or is none, or where there is none and a test case was named.
pub fn mock(config: &LaunchConfig) -> Result<Option<Mock>, LaunchError> {
    let program = &config.program;
    let found = || {
        beside(program, &format!("{}.mock.json", stem(&program.file)))
            .or_else(|| beside(program, "MockConfigFile.json"))
    };
    match (&config.mock, &config.test_case) {
        (Some(given), _) => mock_in(given).map(Some),
        (None, case) => match (found(), case.clone()) {
            (Some(path), _) => read_mock(load_beside(&path)?, Some(path)).map(Some),
            (None, Some(case)) => Err(LaunchError::NoMockFile { case }),
            (None, None) => Ok(None),
        },
    }
}

/// The mock file that was named.
///
/// # Errors
/// Where it cannot be read or is none.
pub fn mock_in(given: &Given) -> Result<Mock, LaunchError> {
    let text = given
        .text(&Field::Mock.to_string())
        .map_err(|error| LaunchError::unreadable(Field::Mock, error))?;
    read_mock(text, given.on_disk().map(Path::to_path_buf))
}

fn read_mock(text: SourceFile, path: Option<PathBuf>) -> Result<Mock, LaunchError> {
    let name = text.name.to_string();
    let (mocks, mut found) = MockFile::parse(&text, SourceId(0));
    let sources = Arc::new(SourceMap::of(text));
    found.retain(|diagnostic| diagnostic.severity == Severity::Error);
    match mocks {
        Some(file) if found.is_empty() => Ok(Mock {
            path,
            name,
            file,
            sources,
        }),
        _ => Err(LaunchError::Invalid { found, sources }),
    }
}

/// Where the mock file of a machine would lie.
///
/// # Errors
/// Where the definition lies in no file, or its name cannot be that of one.
pub fn mock_file(program: &Program, machine: &str) -> Result<PathBuf, LaunchError> {
    let file = program.on_disk().ok_or(LaunchError::NowhereToWrite)?;
    if !is_file_name(machine) {
        let machine = machine.to_string();
        return Err(LaunchError::NoFileName { machine });
    }
    Ok(file.with_file_name(format!("{machine}.mock.json")))
}
