//! What a run is asked to start from: plain data that every front end fills.
//!
//! It must not know where it was written: in arguments, in a request of a protocol, in a file of tests.

use super::value::Given;
use crate::definition::{Allowed, MachineType};
use crate::query::Profile;
use crate::session::{ErrorMoment, RecordedAnswers, Unmocked};
use crate::source::{Diagnostics, SourceFile};
use crate::target::Targets;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Which definition is meant, and what is filled into its text.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// The file; `-` is standard input.
    pub file: PathBuf,
    /// The text, where it is not to be read from the file: nothing is then looked for beside the file either.
    pub text: Option<Arc<str>>,
    /// The state machine of a file that holds several; the only one where it is not named.
    pub state_machine: Option<String>,
    /// Values of placeholders; the first one given for a name counts.
    pub set: Vec<(String, String)>,
    /// Files of such values: JSON, YAML or `NAME=VALUE` lines.
    pub set_files: Vec<PathBuf>,
    /// Region of ARNs without one; `AWS_REGION`, else `AWS_DEFAULT_REGION` of the environment where it is not given.
    pub region: Option<String>,
    /// Account of ARNs without one; `AWS_ACCOUNT_ID` of the environment where it is not given.
    pub account: Option<String>,
}

impl Program {
    /// The only definition of a file.
    #[must_use]
    pub fn of(file: impl Into<PathBuf>) -> Self {
        Self {
            file: file.into(),
            ..Self::default()
        }
    }

    /// The file, where it is one: neither standard input nor a text that was handed in.
    #[must_use]
    pub fn on_disk(&self) -> Option<&Path> {
        (self.text.is_none() && self.file != Path::new("-")).then_some(self.file.as_path())
    }

    /// The text that was handed in, under the file's name.
    pub(super) fn embedded(&self) -> Option<SourceFile> {
        let text = self.text.as_ref()?;
        Some(SourceFile::new(self.file.display().to_string(), text))
    }
}

/// How a definition is held against the rules.
#[derive(Clone, Debug, Default)]
pub struct Checking {
    /// Which semantics apply where the specification and AWS's service differ.
    pub profile: Profile,
    /// The machine's type, whatever its file says.
    pub machine_type: Option<MachineType>,
    /// Rules whose findings are not wanted.
    pub allowed: Allowed,
}

impl Checking {
    /// What of some findings a person wants to see; what keeps a run from starting is seen always.
    #[must_use]
    pub fn seen(&self, found: Diagnostics) -> Diagnostics {
        found
            .into_iter()
            .filter(|found| found.blocking || !self.allowed.hides(found))
            .collect()
    }
}

/// In which form the text of a definition is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TextForm {
    /// As it was written.
    #[default]
    AsWritten,
    /// Formatted, where it was written on lines that nobody can read.
    Readable,
}

/// Whether somebody is there who can be asked what was left open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Questions {
    /// Nobody: the input that was not named is `{}`.
    #[default]
    Leave,
    /// A person picks the input among the files that may be one.
    Ask,
}

/// What a run starts from. What is not given is looked for beside the definition, else has its default.
#[derive(Clone, Debug, Default)]
pub struct LaunchConfig {
    /// The definition.
    pub program: Program,
    /// The form in which its text is shown.
    pub form: TextForm,
    /// Which semantics and rules it is held against.
    pub rules: Checking,
    /// The execution input; `NAME.input.json` beside the definition, else `{}`, where it is not given.
    pub input: Option<Given>,
    /// Answers for tasks in the format of AWS Step Functions Local; `NAME.mock.json`, else `MockConfigFile.json`, beside the
    /// definition where they are not given.
    pub mock: Option<Given>,
    /// The mock file's test case; the only one where it is not named.
    pub test_case: Option<String>,
    /// Answers that were recorded elsewhere, under the keys of the questions that they were given to: a history that was
    /// imported, another run.
    pub recorded: Arc<RecordedAnswers>,
    /// A recorded execution that the run repeats: input, start time, names, answers and times are taken from it.
    pub history: Option<HistoryGiven>,
    /// Whether the definition was made of the events of the recorded execution.
    pub skeleton: bool,
    /// Whether whom to follow was asked for; what AWS did is else repeated as AWS does it.
    pub profile_asked: bool,
    /// Whom a person named for tasks that nothing else answers.
    pub targets: Targets,
    /// What becomes of a task without an answer; each front end has its own default.
    pub unmocked: Option<Unmocked>,
    /// For random functions, UUIDs and jitter.
    pub seed: u64,
    /// When the virtual clock starts, as RFC 3339 writes it; now where it is not given.
    pub start_time: Option<String>,
    /// Merged into the context object.
    pub context: Option<Given>,
    /// Variables that are set from the start, with or without their `$`.
    pub variables: Vec<(String, Given)>,
    /// The state to begin at instead of `StartAt`.
    pub start_at: Option<String>,
    /// The folder that stands for S3 as `bucket/key`; `NAME.s3` beside the definition, which is only read, where it is not
    /// given.
    pub s3_root: Option<PathBuf>,
    /// Files for the ItemReaders of states, by the states' names.
    pub readers: Vec<(String, PathBuf)>,
    /// Files of the machines that tasks may start executions of, by their ARNs or names.
    pub children: Vec<(String, PathBuf)>,
    /// Bytes of memory that a run with its record may take; the program's own limit where it is not given.
    pub max_memory: Option<u64>,
    /// At which moments of an error to stop; where none is given, when nothing takes it.
    pub stop_on: Vec<ErrorMoment>,
    /// Whether somebody can be asked.
    pub questions: Questions,
    /// Whether what a person set up is neither restored nor kept.
    pub fresh: bool,
    /// The folder in which it is kept; the platform's folder for such things where it is not given.
    pub state_folder: Option<PathBuf>,
}

impl LaunchConfig {
    /// The only definition of a file, all else by default.
    #[must_use]
    pub fn of(file: impl Into<PathBuf>) -> Self {
        Self {
            program: Program::of(file),
            ..Self::default()
        }
    }
}

/// Which recorded execution is meant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HistoryGiven {
    /// The file.
    pub file: PathBuf,
    /// The execution of a file that holds several, by its ARN, its name or the end of either.
    pub execution: Option<String>,
}

impl HistoryGiven {
    /// The only execution of a file, else the last that failed.
    #[must_use]
    pub fn of(file: impl Into<PathBuf>) -> Self {
        Self {
            file: file.into(),
            execution: None,
        }
    }
}
