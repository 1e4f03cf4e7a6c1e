//! Reads files as documents of any supported format, and lists the definitions to choose from if a file or folder has
//! several.

use super::error::LaunchError;
use super::left_out::{Choice, LeftOut, Patience};
use crate::source::load::{self, LoadError};
use crate::source::open::{self, Wish};
use crate::source::{Node, SourceFile, counted, store};
use std::cell::Cell;
use std::path::{Path, PathBuf};

/// Maximum total size of the files that one file includes, in bytes.
const MOST_INCLUDED: u64 = 32 << 20;

/// Reads and parses a file.
///
/// # Errors
/// If the file cannot be read.
pub(super) fn read(file: &Path, wish: &Wish) -> Result<open::Opened, LaunchError> {
    store::sweep(file);
    let source = load::load_argument(file)?;
    Ok(parse(source, file, wish))
}

/// Parses a text as the content of `file`; files that the text includes are read from the folder of `file`.
pub(super) fn parse(source: SourceFile, file: &Path, wish: &Wish) -> open::Opened {
    let folder = file.parent().unwrap_or(Path::new(""));
    let left = Cell::new(MOST_INCLUDED);
    let files = |relative: &str| {
        if left.get() == 0 {
            return Err(LoadError::Enough {
                name: relative.to_string(),
                limit: MOST_INCLUDED,
            });
        }
        let source = load::load_below(folder, relative)?;
        left.set(left.get().saturating_sub(source.text.len() as u64));
        Ok(source)
    };
    open::parse(source, &files, wish)
}

/// The state machines in a file, as pairs of the name and details to show to the user; empty if the file is a single
/// definition.
#[must_use]
pub fn machines(opened: &open::Opened) -> Vec<(String, String)> {
    let all = opened.machines.iter();
    all.map(|machine| (machine.name.to_string(), detail(machine, opened)))
        .collect()
}

fn detail(machine: &open::Machine, opened: &open::Opened) -> String {
    if let Some(diagnostic) = machine
        .diagnostics
        .iter()
        .find(|diagnostic| diagnostic.blocking)
    {
        return format!(
            "the state machine cannot be opened: {error}",
            error = diagnostic.message
        );
    }
    let label = machine.label.as_ref().map(|label| format!("\"{label}\""));
    let mut parts: Vec<String> = label.into_iter().collect();
    if let Some(node) = &machine.node {
        parts.push(states(node));
        if let Some(file) = opened.sources.get(node.span.source)
            && node.span.source.0 > 0
        {
            parts.push(format!("in {}", file.name));
        }
    }
    parts.join(", ")
}

fn states(node: &Node) -> String {
    let states = node.get("States").and_then(Node::members);
    counted(states.map_or(0, <[_]>::len), "state")
}

/// Converts the state machines of a file, given as (name, details), to entries of the list from which the user chooses.
#[must_use]
pub fn of_file(file: &Path, machines: &[(String, String)]) -> Vec<Choice> {
    let all = machines.iter();
    all.map(|(name, detail)| Choice {
        file: file.to_path_buf(),
        machine: Some(name.clone()),
        name: name.clone(),
        detail: detail.clone(),
    })
    .collect()
}

/// Result of searching a folder for definitions.
#[derive(Debug, Default)]
pub struct InFolder {
    /// The definitions found.
    pub choices: Vec<Choice>,
    /// Number of files examined.
    pub files: usize,
    /// The files that were not examined.
    pub left_out: LeftOut,
}

/// Searches the files of a folder for definitions, for a few seconds at most, and returns the definitions found.
#[must_use]
pub fn definitions_in(folder: &Path) -> Vec<Choice> {
    of_folder(folder).choices
}

/// Searches the files of a folder for definitions, for a few seconds at most.
#[must_use]
pub fn of_folder(folder: &Path) -> InFolder {
    let (paths, complete) = load::candidates(folder);
    let mut patience = Patience::new(complete);
    let (mut all, mut files) = (Vec::new(), 0);
    for path in paths {
        if !patience.lets(&path) {
            continue;
        }
        files += 1;
        let Ok(opened) = read(&path, &Wish::default()) else {
            continue;
        };
        let name = path.strip_prefix(folder).unwrap_or(&path);
        let name = name.display().to_string();
        let machines = machines(&opened);
        match (machines.as_slice(), &opened.node) {
            ([], Some(node)) if node.get("States").is_some() => all.push(Choice {
                detail: states(node),
                machine: None,
                file: path,
                name,
            }),
            ([(_, detail)], _) => all.push(Choice {
                detail: detail.clone(),
                machine: None,
                file: path,
                name,
            }),
            (machines, _) => all.extend(machines.iter().map(|(machine, detail)| Choice {
                name: format!("{name} > {machine}"),
                detail: detail.clone(),
                machine: Some(machine.clone()),
                file: path.clone(),
            })),
        }
    }
    InFolder {
        choices: all,
        files,
        left_out: patience.left_out,
    }
}

/// The error for a user who named a folder instead of a file. Its message lists the definitions in the folder.
#[must_use]
pub fn listing(folder: &Path, definitions: InFolder) -> LaunchError {
    let folder = folder.to_path_buf();
    let InFolder {
        choices,
        files,
        left_out,
    } = definitions;
    if choices.is_empty() {
        return LaunchError::EmptyFolder {
            files,
            left_out,
            instead: foreign(&folder),
            folder,
        };
    }
    LaunchError::Folder {
        folder,
        choices,
        left_out,
    }
}

/// Advice for a folder with code that generates definitions, for example with CDK or Terraform. The advice says how to
/// get the definition from the first file with code; `None` if there is no such file.
fn foreign(folder: &Path) -> Option<String> {
    let entries = std::fs::read_dir(folder).ok()?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let mut patience = Patience::new(true);
    paths.into_iter().find_map(|path| {
        let ending = path.extension()?.to_str()?;
        let is_one = matches!(ending, "tf" | "ts" | "js" | "mjs" | "py") && path.is_file();
        if !is_one || !patience.lets(&path) {
            return None;
        }
        let opened = read(&path, &Wish::default()).ok()?;
        let diagnostic = opened
            .diagnostics
            .into_iter()
            .find(|diagnostic| diagnostic.blocking)?;
        let help = diagnostic.help?;
        Some(format!(
            "{path}: {error}; {help}",
            path = path.display(),
            error = diagnostic.message
        ))
    })
}
