//! Finds tests: test files `NAME.test.yaml` beside a definition, mock files that no test file uses, and folders
//! `NAME.histories` of recorded executions.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Suffixes of test files.
const TESTS: [&str; 3] = [".test.yaml", ".test.yml", ".test.json"];
/// Suffixes of definitions, the most likely first.
const DEFINITIONS: [&str; 11] = [
    ".asl.json",
    ".asl.yaml",
    ".asl.yml",
    ".asl",
    ".sfn",
    ".json",
    ".yaml",
    ".yml",
    ".template",
    ".hsd",
    ".template.yaml",
];
/// Suffix of the names of folders that contain recorded executions.
const HISTORIES: &str = ".histories";
/// Suffixes of files that may contain recorded executions.
pub const RECORDINGS: [&str; 5] = [".json", ".jsonl", ".log", ".txt", ".ndjson"];
/// Names of folders that are not searched, because they contain third-party or generated files.
const SKIPPED: [&str; 2] = ["node_modules", "target"];
/// Maximum number of file names that one search examines; `DEEPEST` is the maximum depth of folders.
const MOST_NAMES: usize = 50_000;
const DEEPEST: usize = 12;

/// Result of a search for tests.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// Test files.
    pub tests: BTreeSet<PathBuf>,
    /// Definitions that are tested with a mock file, as (definition, mock file, name of the state machine in the mock
    /// file).
    pub mocks: BTreeSet<(PathBuf, PathBuf, String)>,
    /// Definitions that have to repeat recorded executions, as (definition, file of recorded executions).
    pub histories: BTreeSet<(PathBuf, PathBuf)>,
    /// Folders of recorded executions that have no definition beside them.
    pub orphans: BTreeSet<PathBuf>,
    /// Number of files that are definitions according to their names.
    pub definitions: usize,
    /// True if the search ended early because there were too many file names.
    pub cut: bool,
}

/// The file name without a suffix such as `.test.yaml` or `.asl.json`.
pub(super) fn stem(file: &Path) -> String {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let mut endings = TESTS.iter().chain(&DEFINITIONS);
    let stem = endings.find_map(|ending| name.strip_suffix(ending));
    stem.unwrap_or(&name).to_string()
}

/// The definition beside a test file or mock file; `None` if there is none.
pub(super) fn definition_for(file: &Path) -> Option<PathBuf> {
    let name = file.file_name()?.to_string_lossy();
    let name = name
        .strip_suffix(".mock.json")
        .map_or_else(|| stem(file), str::to_string);
    definition_named(file, &name)
}

fn definition_named(beside: &Path, name: &str) -> Option<PathBuf> {
    let endings = DEFINITIONS.iter();
    endings
        .map(|ending| beside.with_file_name(format!("{name}{ending}")))
        .find(|path| path.is_file())
}

/// Existing test files of a definition.
#[must_use]
pub fn test_files_of(definition: &Path) -> Vec<PathBuf> {
    let name = stem(definition);
    let all = TESTS.iter();
    all.map(|ending| definition.with_file_name(format!("{name}{ending}")))
        // Only folders are left out. A special file, such as a pipe, is kept: it causes an error when it is read.
        .filter(|path| std::fs::symlink_metadata(path).is_ok_and(|known| !known.is_dir()))
        .collect()
}

/// The file to write a new test to: the existing test file, otherwise `NAME.test.yaml`.
#[must_use]
pub fn test_file_for(definition: &Path) -> PathBuf {
    let known = test_files_of(definition).into_iter().next();
    known.unwrap_or_else(|| definition.with_file_name(format!("{}.test.yaml", stem(definition))))
}

fn is_test(name: &str) -> bool {
    TESTS.iter().any(|ending| name.ends_with(ending))
}

/// True if a file is a definition according to its name.
fn may_be_definition(name: &str) -> bool {
    let other = [".mock.json", ".input.json", "MockConfigFile.json"];
    DEFINITIONS.iter().any(|ending| name.ends_with(ending))
        && !is_test(name)
        && !other.iter().any(|ending| name.ends_with(ending))
}

/// Finds the tests in files and folders. If a path is a definition, finds the tests beside it.
#[must_use]
pub fn test_files(paths: &[PathBuf]) -> Found {
    let mut files = Found::default();
    let mut names = 0;
    for path in paths {
        if path.is_dir() && is_of_histories(path) {
            histories(path, &mut names, &mut files);
        } else if path.is_dir() {
            folder(path, 0, &mut names, &mut files);
        } else {
            file(path, &mut files);
        }
    }
    files.cut = names >= MOST_NAMES;
    files
}

/// Adds the tests of a file that the user named, even if its suffix is unusual.
fn file(path: &Path, files: &mut Found) {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if is_test(&name) {
        files.tests.insert(path.to_path_buf());
        return;
    }
    if name.ends_with(".mock.json") || name == "MockConfigFile.json" {
        mock(path, files);
        return;
    }
    files.definitions += 1;
    files.tests.extend(test_files_of(path));
    let recorded = histories_of(path);
    if recorded.is_dir() {
        recordings(path, &recorded, 0, &mut 0, files);
    }
    let beside = path.with_file_name(format!("{}.mock.json", stem(path)));
    let shared = path.with_file_name("MockConfigFile.json");
    if let Some(mock) = [beside, shared].into_iter().find(|path| path.is_file()) {
        let machine = stem(path);
        files.mocks.insert((path.to_path_buf(), mock, machine));
    }
}

fn folder(path: &Path, depth: usize, names: &mut usize, files: &mut Found) {
    let Ok(entries) = std::fs::read_dir(path) else {
        return;
    };
    let mut entries: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    entries.sort_unstable();
    for entry in entries {
        // Paths in the current folder are shown without `./`.
        let entry = entry
            .strip_prefix(".")
            .map_or(entry.clone(), Path::to_path_buf);
        *names += 1;
        if *names >= MOST_NAMES {
            return;
        }
        let name = entry.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with('.') || SKIPPED.contains(&&*name) {
            continue;
        }
        if entry.is_dir() && is_of_histories(&entry) {
            histories(&entry, names, files);
        } else if entry.is_dir() && !entry.is_symlink() {
            if depth < DEEPEST {
                folder(&entry, depth + 1, names, files);
            }
        } else if is_test(&name) {
            files.tests.insert(entry);
        } else if name.ends_with(".mock.json") || name == "MockConfigFile.json" {
            mock(&entry, files);
        } else {
            files.definitions += usize::from(may_be_definition(&name));
        }
    }
}

/// Folder of the recorded executions that a definition has to repeat.
#[must_use]
pub fn histories_of(definition: &Path) -> PathBuf {
    definition.with_file_name(format!("{}{HISTORIES}", stem(definition)))
}

fn is_of_histories(folder: &Path) -> bool {
    let name = folder.file_name().unwrap_or_default();
    name.to_string_lossy().ends_with(HISTORIES)
}

/// Adds a folder of recorded executions if a definition is beside it.
fn histories(path: &Path, names: &mut usize, files: &mut Found) {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = name.strip_suffix(HISTORIES).unwrap_or(&name);
    match definition_named(path, name) {
        Some(definition) => recordings(&definition, path, 0, names, files),
        None => {
            files.orphans.insert(path.to_path_buf());
        }
    }
}

/// Adds the recordings in a folder and in its subfolders, which `asldbg pull` creates. Leaves out the recordings of
/// child executions, which are in folders `NAME.children`.
fn recordings(definition: &Path, path: &Path, depth: usize, names: &mut usize, files: &mut Found) {
    let Ok(entries) = std::fs::read_dir(path) else {
        return;
    };
    for entry in entries.flatten().map(|entry| entry.path()) {
        *names += 1;
        let name = entry.file_name().unwrap_or_default().to_string_lossy();
        if *names >= MOST_NAMES || name.starts_with('.') || name.ends_with(".children") {
            continue;
        }
        if entry.is_dir() {
            if depth == 0 {
                recordings(definition, &entry, 1, names, files);
            }
        } else if RECORDINGS.iter().any(|ending| name.ends_with(ending))
            && crate::launch::is_history_file(&entry)
        {
            files.histories.insert((definition.to_path_buf(), entry));
        }
    }
}

/// Adds a mock file, with each definition for which it has answers.
fn mock(path: &Path, files: &mut Found) {
    let shared = path
        .file_name()
        .is_some_and(|name| name == "MockConfigFile.json");
    if !shared {
        if let Some(definition) = definition_for(path) {
            let machine = stem(&definition);
            files
                .mocks
                .insert((definition, path.to_path_buf(), machine));
        }
        return;
    }
    let Ok(text) = crate::source::load::load(path) else {
        return;
    };
    let (file, _) = crate::session::answers::MockFile::parse(&text, crate::source::SourceId(0));
    for machine in file.iter().flat_map(|file| file.machines()) {
        if let Some(definition) = definition_named(path, machine) {
            let entry = (definition, path.to_path_buf(), machine.to_string());
            files.mocks.insert(entry);
        }
    }
}
