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
    /// A text was read but is invalid.
    #[error("{}", rendered(.diagnostics, .sources))]
    Invalid {
        /// The diagnostics.
        diagnostics: Diagnostics,
        /// The texts that the diagnostics refer to.
        sources: Arc<SourceMap>,
    },
    /// A file cannot be read.
    #[error("{}{source}", colon(.place.as_deref()))]
    Unreadable {
        /// The configuration field that names the file; `None` for the definition and for files next to it.
        place: Option<String>,
        /// The cause.
        source: LoadError,
    },
    /// The value of a field is invalid.
    #[error("{option}: {problem}", option = .field)]
    Field {
        /// The field.
        field: Field,
        /// Description of the problem.
        problem: String,
    },
    /// A value is not an object.
    #[error("{place} must be an object, not {actual}", actual = with_article(.json_type))]
    NoObject {
        /// The field or place of the value.
        place: String,
        /// Name of the value's actual type.
        json_type: &'static str,
    },
    /// A machine that tasks may execute as a child cannot be read.
    #[error("{option} {name}: {problem}", option = Field::Child)]
    Child {
        /// ARN or name of the machine, as given.
        name: String,
        /// The cause.
        problem: String,
    },
    /// The file has several state machines, and none was selected.
    #[error("{path} contains {count} state machines; {option} picks one: {machines}", path = .file.display(), count = .names.len(), option = Field::StateMachine, machines = .names.join(", "))]
    SeveralMachines {
        /// The file.
        file: PathBuf,
        /// The names of the machines.
        names: Vec<String>,
    },
    /// A folder was named instead of a file.
    #[error("{path} is a folder; it contains{definitions}{not_examined}", path = shown(.folder), definitions = lines(.choices), not_examined = besides(.left_out))]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// The definitions in the folder.
        choices: Vec<Choice>,
        /// The files that were not examined.
        left_out: LeftOut,
    },
    /// A folder was named that has no definition.
    #[error("{path} is a folder without a definition; {examined}{not_examined}{advice}", path = shown(.folder), examined = looked(*.files), not_examined = besides(.left_out), advice = below(.instead.as_deref()))]
    EmptyFolder {
        /// The folder.
        folder: PathBuf,
        /// Number of files examined.
        files: usize,
        /// The files that were not examined.
        left_out: LeftOut,
        /// Advice about a file from which definitions are generated.
        instead: Option<String>,
    },
    /// Both the definition and its input are standard input.
    #[error("FILE and {option} cannot both be standard input", option = Field::Input)]
    BothStandardInput,
    /// A test case was named, but there is no mock file.
    #[error(
        "there is no test case \"{case}\", because no mock file was given ({option} FILE)",
        option = Field::Mock
    )]
    NoMockFile {
        /// The test case.
        case: String,
    },
    /// The mock file does not have the machine or the test case.
    #[error("{file}: {problem}")]
    NoCase {
        /// The mock file.
        file: String,
        /// Says which machine or test case is missing, and which ones the file has.
        problem: String,
    },
    /// The mock file is for other state machines.
    #[error("the mock file {file} has no state machine \"{machine}\"; it has {machines}", machines = quoted(.known))]
    NotInMockFile {
        /// The mock file.
        file: String,
        /// The requested machine.
        machine: String,
        /// The machines in the mock file.
        known: Vec<String>,
    },
    /// The state does not exist.
    #[error("the definition has no state \"{name}\"{suggestion}", suggestion = after(.near.as_deref()))]
    NoState {
        /// The name of the missing state.
        name: String,
        /// The existing name that is most similar.
        near: Option<String>,
    },
    /// A file of recorded executions is invalid.
    #[error("{path}: {problem}", path = .file.display())]
    History {
        /// The file.
        file: PathBuf,
        /// Description of the problem.
        problem: String,
    },
    /// The chosen definition does not exist.
    #[error("the list has no such definition; choose a definition from the list")]
    NoChoice,
    /// An input file exists already next to the definition.
    #[error("the input file {path} already exists", path = .0.display())]
    InputExists(PathBuf),
    /// There is no mock file to choose test cases from.
    #[error("there is no mock file with test cases")]
    NoCases,
    /// The definition was not read from a file.
    #[error("this definition was not read from a file, so it cannot be read again")]
    NotReadAgain,
    /// The definition was not read from a file, so no file can be written next to it.
    #[error("the definition was not read from a file, so there is no file to write to")]
    NowhereToWrite,
    /// A test case cannot be written.
    #[error(transparent)]
    CaseRefused(#[from] CaseRefused),
    /// The state machine's name would be used as a file name, but is not a valid one.
    #[error(
        "the state machine's name, \"{machine}\", is not a valid file name; start asldbg with {option} FILE to name the mock file",
        option = Field::Mock
    )]
    NoFileName {
        /// The name.
        machine: String,
    },
    /// Standard input is the terminal.
    #[error("standard input is the debugger's terminal; name a file instead of -")]
    StandardInputTaken,
    /// A file cannot be written.
    #[error(transparent)]
    Unwritable(#[from] StoreError),
}

impl LaunchError {
    /// The error for a text with diagnostics.
    #[must_use]
    pub fn invalid(diagnostics: Diagnostics, sources: &Arc<SourceMap>) -> Self {
        Self::Invalid {
            diagnostics,
            sources: Arc::clone(sources),
        }
    }

    /// The error for an invalid value of a field.
    #[must_use]
    pub fn field(field: Field, problem: impl Into<String>) -> Self {
        Self::Field {
            field,
            problem: problem.into(),
        }
    }

    /// The error for an unreadable file that is named by a field.
    #[must_use]
    pub(super) fn unreadable(field: Field, source: LoadError) -> Self {
        let place = Some(field.to_string());
        Self::Unreadable { place, source }
    }

    /// The message on one line.
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

    /// The message, on one line, for a refused command `write case`. If `write! case` can write the case nevertheless,
    /// the message says so.
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
