//! Errors that prevent a run from starting; each error says where the problem is and how to fix it.

use super::left_out::{Choice, LeftOut};
use crate::json::{on_line, visible};
use crate::session::CaseRefused;
use crate::source::load::{self, LoadError};
use crate::source::store::StoreError;
use crate::source::{Diagnostics, SourceMap, Style, render, with_article};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The configuration field that an error is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// The execution input.
    Input,
    /// The mock file.
    Mock,
    /// The state machine to open in a file that has several.
    StateMachine,
    /// A file with values of placeholders.
    SetFile,
    /// Members of the context object.
    Context,
    /// The start time of the clock.
    StartTime,
    /// The state to begin at.
    StartAt,
    /// A variable.
    Variable,
    /// A machine that tasks may execute as a child.
    Child,
}

impl fmt::Display for Field {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Input => "--input",
            Self::Mock => "--mock",
            Self::StateMachine => "--state-machine",
            Self::SetFile => "--set-file",
            Self::Context => "--context",
            Self::StartTime => "--start-time",
            Self::StartAt => "--start-at",
            Self::Variable => "--var",
            Self::Child => "--child",
        })
    }
}

/// The reason why a run cannot be started, or why one of its files cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// A text was read, for example a definition or a mock file, but the text is invalid.
    #[error("{}", rendered(.diagnostics, .sources))]
    Invalid {
        /// The diagnostics that say what is wrong with the text.
        diagnostics: Diagnostics,
        /// The texts that the diagnostics refer to.
        sources: Arc<SourceMap>,
    },
    /// A file cannot be read.
    #[error("{}{source}", colon(.place.as_deref()))]
    Unreadable {
        /// The configuration field that names the file; `None` for the definition and for files next to it.
        place: Option<String>,
        /// The reason why the file cannot be read.
        source: LoadError,
    },
    /// The value of a configuration field is invalid.
    #[error("{option}: {problem}", option = .field)]
    Field {
        /// The field with the invalid value.
        field: Field,
        /// Says why the value is invalid.
        problem: String,
    },
    /// A value must be an object, but has another type.
    #[error("{place} must be an object, not {actual}", actual = with_article(.json_type))]
    NoObject {
        /// The configuration field with the value, or another name for the value in the message.
        place: String,
        /// Name of the value's actual type.
        json_type: &'static str,
    },
    /// A machine that tasks may execute as a child cannot be read.
    #[error("{option} {name}: {problem}", option = Field::Child)]
    Child {
        /// ARN or name of the machine, as given.
        name: String,
        /// The reason why the machine cannot be read.
        problem: String,
    },
    /// The file has several state machines, and none was selected.
    #[error("{path} contains {count} state machines; {option} picks one: {machines}", path = .file.display(), count = .names.len(), option = Field::StateMachine, machines = .names.join(", "))]
    SeveralMachines {
        /// The file with the state machines.
        file: PathBuf,
        /// The names of the machines.
        names: Vec<String>,
    },
    /// The user named a folder instead of a file.
    #[error("{path} is a folder; it contains{definitions}{not_examined}", path = shown(.folder), definitions = lines(.choices), not_examined = besides(.left_out))]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// The definitions in the folder.
        choices: Vec<Choice>,
        /// The files that were not examined.
        left_out: LeftOut,
    },
    /// The user named a folder, and the folder has no definition.
    #[error("{path} is a folder without a definition; {examined}{not_examined}{advice}", path = shown(.folder), examined = looked(*.files), not_examined = besides(.left_out), advice = below(.instead.as_deref()))]
    EmptyFolder {
        /// The folder.
        folder: PathBuf,
        /// Number of files examined.
        files: usize,
        /// The files that were not examined.
        left_out: LeftOut,
        /// Says how to get the definition from code in the folder that generates it, if there is any.
        instead: Option<String>,
    },
    /// Both the definition and its input would have to be read from standard input.
    #[error("FILE and {option} cannot both be standard input", option = Field::Input)]
    BothStandardInput,
    /// A test case was named, but there is no mock file.
    #[error(
        "there is no test case \"{case}\", because no mock file was given ({option} FILE)",
        option = Field::Mock
    )]
    NoMockFile {
        /// Name of the test case.
        case: String,
    },
    /// The mock file does not have the machine or the test case.
    #[error("{file}: {problem}")]
    NoCase {
        /// Name of the mock file.
        file: String,
        /// Says which machine or test case is missing, and which ones the file has.
        problem: String,
    },
    /// The mock file has test cases for other state machines, but not for the requested one.
    #[error("the mock file {file} has no state machine \"{machine}\"; it has {machines}", machines = quoted(.known))]
    NotInMockFile {
        /// Name of the mock file.
        file: String,
        /// The requested machine.
        machine: String,
        /// The names of the machines in the mock file.
        known: Vec<String>,
    },
    /// The definition has no state with the requested name.
    #[error("the definition has no state \"{name}\"{suggestion}", suggestion = after(.near.as_deref()))]
    NoState {
        /// The name of the missing state.
        name: String,
        /// A suggestion that contains the most similar name of a state, if any is similar.
        near: Option<String>,
    },
    /// A file of recorded executions is invalid, or lacks the requested execution.
    #[error("{path}: {problem}", path = .file.display())]
    History {
        /// The file of recorded executions.
        file: PathBuf,
        /// Says what is wrong with the file, or which execution is missing.
        problem: String,
    },
    /// The user chose a definition that is not in the list.
    #[error("the list has no such definition; choose a definition from the list")]
    NoChoice,
    /// The input cannot be written, because the input file at this path already exists.
    #[error("the input file {path} already exists", path = .0.display())]
    InputExists(PathBuf),
    /// There is no mock file to choose test cases from.
    #[error("there is no mock file with test cases")]
    NoCases,
    /// The definition cannot be reloaded, because it was not read from a file.
    #[error("this definition was not read from a file, so it cannot be read again")]
    NotReadAgain,
    /// The definition was not read from a file, so no file can be written next to it.
    #[error("the definition was not read from a file, so there is no file to write to")]
    NowhereToWrite,
    /// A test case cannot be written; the inner error has the reason.
    #[error(transparent)]
    CaseRefused(#[from] CaseRefused),
    /// The state machine's name would be used as a file name, but is not a valid one.
    #[error(
        "the state machine's name, \"{machine}\", is not a valid file name; start asldbg with {option} FILE to name the mock file",
        option = Field::Mock
    )]
    NoFileName {
        /// Name of the state machine.
        machine: String,
    },
    /// The user named standard input (`-`) as a file, but the debugger needs it as its terminal.
    #[error("standard input is the debugger's terminal; name a file instead of -")]
    StandardInputTaken,
    /// A file cannot be written.
    #[error(transparent)]
    Unwritable(#[from] StoreError),
}

impl LaunchError {
    /// Creates the error for an invalid text: `diagnostics` say what is wrong with one of the texts in `sources`.
    #[must_use]
    pub fn invalid(diagnostics: Diagnostics, sources: &Arc<SourceMap>) -> Self {
        Self::Invalid {
            diagnostics,
            sources: Arc::clone(sources),
        }
    }

    /// Creates the error for a configuration field with an invalid value.
    #[must_use]
    pub fn field(field: Field, problem: impl Into<String>) -> Self {
        Self::Field {
            field,
            problem: problem.into(),
        }
    }

    /// Creates the error for a file that a configuration field names and that cannot be read.
    #[must_use]
    pub(super) fn unreadable(field: Field, source: LoadError) -> Self {
        let place = Some(field.to_string());
        Self::Unreadable { place, source }
    }

    /// The first line of the message. For an invalid text, this is the first diagnostic with its file and line.
    #[must_use]
    pub fn brief(&self) -> String {
        match self {
            Self::Invalid {
                diagnostics,
                sources,
            } => {
                let Some(first) = diagnostics.first() else {
                    return String::new();
                };
                // The diagnostic may be in another file than the definition, so the message names the file.
                let span = first.span;
                let file = span.and_then(|span| sources.get(span.source));
                let file = file.map(|file| file.name.rsplit('/').next().unwrap_or(&file.name));
                let place = span.and_then(|span| sources.place(span));
                match (file, place) {
                    (Some(file), Some(place)) => {
                        let (line, message) = (place.line, &first.message);
                        format!("{file} (line {line}): {message}")
                    }
                    _ => first.message.clone(),
                }
            }
            other => other.to_string().lines().next().unwrap_or("").to_string(),
        }
    }

    /// The message, on one line, of the error with which the command `write case` was refused. If `write! case` can
    /// write the case nevertheless, the message says so.
    #[must_use]
    pub fn of_case(&self, name: &str) -> String {
        let replaces_or_writes = match self {
            Self::CaseRefused(CaseRefused::Exists(_)) => "replaces",
            Self::CaseRefused(CaseRefused::Secret(_)) => "writes",
            _ => return self.brief(),
        };
        let problem = self.brief();
        format!("{problem}; \"write! case {name}\" {replaces_or_writes} the case")
    }
}

impl From<LoadError> for LaunchError {
    fn from(source: LoadError) -> Self {
        Self::Unreadable {
            place: None,
            source,
        }
    }
}

fn rendered(diagnostics: &Diagnostics, sources: &SourceMap) -> String {
    let texts: Vec<String> = diagnostics
        .iter()
        .map(|diagnostic| render(diagnostic, sources, Style::Plain))
        .collect();
    texts.join("\n")
}

fn colon(place: Option<&str>) -> String {
    place.map_or_else(String::new, |place| format!("{place}: "))
}

fn after(near: Option<&str>) -> String {
    near.map_or_else(String::new, |near| format!("; {near}"))
}

fn shown(file: &Path) -> String {
    visible(&file.display().to_string()).into_owned()
}

fn besides(left_out: &LeftOut) -> String {
    match left_out.is_some() {
        true => format!("\n  {left_out}"),
        false => String::new(),
    }
}

fn below(instead: Option<&str>) -> String {
    instead.map_or_else(String::new, |text| format!("\n  {}", visible(text)))
}

fn looked(files: usize) -> String {
    let examined = match files {
        0 => "no file in it has a known extension".to_string(),
        1 => "1 file was examined".to_string(),
        count => format!("{count} files were examined"),
    };
    format!(
        "{examined} ({extensions})",
        extensions = load::ENDINGS.join(" ")
    )
}

fn lines(choices: &[Choice]) -> String {
    let lines = choices.iter().map(|choice| {
        let machine = choice.machine.as_ref();
        let machine = machine.map_or_else(String::new, |name| {
            format!(" {} {name}", Field::StateMachine)
        });
        let line = format!("{}{machine}", choice.file.display());
        format!("\n  {}", on_line(&line))
    });
    lines.collect()
}

fn quoted(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
    names.join(", ")
}
