//! Why a run cannot be started: what is wrong, where, and the way out.
//!
//! It must not know how it is printed; fields are named as the command line spells them, and another front end matches on
//! the variant.

use super::choice::Choice;
use super::left_out::LeftOut;
use crate::json::{on_line, visible};
use crate::session::CaseRefused;
use crate::source::load::{self, LoadError};
use crate::source::store::StoreError;
use crate::source::{Diagnostics, SourceMap, Style, render};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The field of a configuration that an error speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// The execution input.
    Input,
    /// The mock file.
    Mock,
    /// The state machine of a file that holds several.
    StateMachine,
    /// A file of placeholders' values.
    SetFile,
    /// Members of the context object.
    Context,
    /// When the clock starts.
    StartTime,
    /// The state to begin at.
    StartAt,
    /// A variable.
    Variable,
    /// A machine that tasks may start executions of.
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

/// Why a run cannot be started, or what belongs to it cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// A text was read and does not do; each finding has its place.
    #[error("{}", rendered(.found, .sources))]
    Invalid {
        /// What is wrong.
        found: Diagnostics,
        /// The texts.
        sources: Arc<SourceMap>,
    },
    /// A file cannot be read.
    #[error("{}{source}", colon(.place.as_deref()))]
    Unreadable {
        /// What names it; `None` for the definition and what lies beside it.
        place: Option<String>,
        /// The reason.
        source: LoadError,
    },
    /// What is given for a field does not do.
    #[error("{field}: {problem}")]
    Field {
        /// The field.
        field: Field,
        /// What is wrong with it.
        problem: String,
    },
    /// What is given is no object.
    #[error("{place} must be an object, not {} {found}", if *.found == "array" { "an" } else { "a" })]
    NoObject {
        /// What it is given for.
        place: String,
        /// What it is instead.
        found: &'static str,
    },
    /// A machine that tasks may start executions of cannot be read.
    #[error("{} {name}: {problem}", Field::Child)]
    Child {
        /// Its ARN or name, as given.
        name: String,
        /// The reason.
        problem: String,
    },
    /// The definition is to be picked.
    #[error("{} holds {} state machines; {} picks one: {}", .file.display(), .names.len(), Field::StateMachine, .names.join(", "))]
    SeveralMachines {
        /// The file.
        file: PathBuf,
        /// The machines.
        names: Vec<String>,
    },
    /// A folder was named, and a file is wanted.
    #[error("{} is a folder; it holds{}{}", shown(.folder), lines(.choices), besides(.left_out))]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// The definitions in it.
        choices: Vec<Choice>,
        /// What was not looked into.
        left_out: LeftOut,
    },
    /// A folder was named that holds nothing that could be opened.
    #[error("{} is a folder, and no file below it holds a definition; {}{}{}", shown(.folder), looked(*.files), besides(.left_out), below(.instead.as_deref()))]
    EmptyFolder {
        /// The folder.
        folder: PathBuf,
        /// How many files were looked into.
        files: usize,
        /// What was not looked into.
        left_out: LeftOut,
        /// What to do with a file that makes definitions.
        instead: Option<String>,
    },
    /// Both the definition and its input were to come from standard input.
    #[error("FILE and {} cannot both be standard input", Field::Input)]
    BothStandardInput,
    /// A test case was named, and there is no mock file.
    #[error(
        "there is no test case \"{case}\": no mock file was given ({} FILE)",
        Field::Mock
    )]
    NoMockFile {
        /// The test case.
        case: String,
    },
    /// The mock file has no such machine or case.
    #[error("{file}: {problem}")]
    NoCase {
        /// The mock file.
        file: String,
        /// What it lacks, and what it has.
        problem: String,
    },
    /// The mock file is for other state machines.
    #[error("{file} has no state machine \"{machine}\"; it has {}", quoted(.known))]
    NotInMockFile {
        /// The mock file.
        file: String,
        /// The machine that was asked for.
        machine: String,
        /// Those that there are.
        known: Vec<String>,
    },
    /// There is no such state.
    #[error("the definition has no state \"{name}\"{}", after(.near.as_deref()))]
    NoState {
        /// Its name.
        name: String,
        /// The nearest that there is.
        near: Option<String>,
    },
    /// A file of recorded executions does not do.
    #[error("{}: {problem}", .file.display())]
    History {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// There is no such definition to choose.
    #[error("there is no such definition; choose one of those listed")]
    NoChoice,
    /// There is an input beside the definition already.
    #[error("{} already exists", .0.display())]
    InputExists(PathBuf),
    /// There is no mock file, so nothing to choose.
    #[error("there is no mock file with test cases")]
    NoCases,
    /// The definition came from no file.
    #[error("this definition was not read from a file, so it cannot be read again")]
    NotReadAgain,
    /// The definition came from no file, so nothing lies beside it.
    #[error("the definition was not read from a file, so there is none to write to")]
    NowhereToWrite,
    /// A test case cannot be written.
    #[error(transparent)]
    CaseRefused(#[from] CaseRefused),
    /// The state machine's name would have to be that of a file.
    #[error(
        "the state machine's name, \"{machine}\", cannot be the name of a file: begin with {} FILE",
        Field::Mock
    )]
    NoFileName {
        /// The name.
        machine: String,
    },
    /// Standard input is where the keys come from.
    #[error("standard input is the terminal here; name a file")]
    StandardInputTaken,
    /// A file cannot be written.
    #[error(transparent)]
    Unwritable(#[from] StoreError),
}

impl LaunchError {
    /// What was found, with the texts.
    #[must_use]
    pub fn invalid(found: Diagnostics, sources: &Arc<SourceMap>) -> Self {
        Self::Invalid {
            found,
            sources: Arc::clone(sources),
        }
    }

    /// A field that does not do.
    #[must_use]
    pub fn field(field: Field, problem: impl Into<String>) -> Self {
        Self::Field {
            field,
            problem: problem.into(),
        }
    }

    /// A file that cannot be read, named in a field.
    #[must_use]
    pub(super) fn unreadable(field: Field, source: LoadError) -> Self {
        let place = Some(field.to_string());
        Self::Unreadable { place, source }
    }

    /// What there is to say on one line.
    #[must_use]
    pub fn brief(&self) -> String {
        match self {
            Self::Invalid { found, sources } => {
                let Some(first) = found.first() else {
                    return String::new();
                };
                // It may be another file than the one that is looked at.
                let span = first.span;
                let file = span.and_then(|span| sources.get(span.source));
                let file = file.map(|file| file.name.rsplit('/').next().unwrap_or(&file.name));
                let place = span.and_then(|span| sources.place(span));
                match (file, place) {
                    (Some(file), Some(place)) => {
                        format!("{file} (line {}): {}", place.line, first.message)
                    }
                    _ => first.message.clone(),
                }
            }
            other => other.to_string().lines().next().unwrap_or("").to_string(),
        }
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

fn rendered(found: &Diagnostics, sources: &SourceMap) -> String {
    let texts: Vec<String> = found
        .iter()
        .map(|one| render(one, sources, Style::Plain))
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
    let looked = match files {
        0 => "it has no file with one of the usual endings".to_string(),
        1 => "looked into 1 file".to_string(),
        count => format!("looked into {count} files"),
    };
    format!("{looked} ({})", load::ENDINGS.join(" "))
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
