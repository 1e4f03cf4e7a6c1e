//! The configuration of a run, as plain data that every front end fills in.

use super::value::Given;
use crate::definition::{Allowed, MachineType};
use crate::query::Profile;
use crate::session::{ErrorMoment, RecordedAnswers, Unmocked};
use crate::source::{Diagnostics, SourceFile};
use crate::target::Targets;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Selects a definition, and the values to substitute in its text.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// The file; `-` is standard input.
    pub file: PathBuf,
    /// The text of the definition, if it is not read from the file. With a text, no other files are searched for next
    /// to the file.
    pub text: Option<Arc<str>>,
    /// Name of the state machine to open; can be omitted if the file has only one state machine.
    pub state_machine: Option<String>,
    /// Values of placeholders, as (name, value). If a name occurs twice, its first value is used.
    pub set: Vec<(String, String)>,
    /// Files with values of placeholders: JSON, YAML or `NAME=VALUE` lines.
    pub set_files: Vec<PathBuf>,
    /// Region for ARNs that contain no region; by default `AWS_REGION` or `AWS_DEFAULT_REGION` of the environment.
    pub region: Option<String>,
    /// Account for ARNs that contain no account; by default `AWS_ACCOUNT_ID` of the environment.
    pub account: Option<String>,
}

impl Program {
    /// Selects the definition in a file that has only one.
    #[must_use]
    pub fn of(file: impl Into<PathBuf>) -> Self {
        Self {
            file: file.into(),
            ..Self::default()
        }
    }

    /// The file, unless it is standard input or the text was passed in.
    #[must_use]
    pub fn on_disk(&self) -> Option<&Path> {
        (self.text.is_none() && self.file != Path::new("-")).then_some(self.file.as_path())
    }

    /// The text that was passed in, under the file's name.
    pub(super) fn embedded(&self) -> Option<SourceFile> {
        let text = self.text.as_ref()?;
        Some(SourceFile::new(self.file.display().to_string(), text))
    }
}

/// How a definition is checked.
#[derive(Clone, Debug, Default)]
pub struct Checking {
    /// The semantics to use where the specification and AWS differ.
    pub profile: Profile,
    /// Type of the machine; overrides the one in the file.
    pub machine_type: Option<MachineType>,
    /// Rules whose diagnostics are hidden.
    pub allowed: Allowed,
}

impl Checking {
    /// Removes the diagnostics that the allowed rules hide, except diagnostics that prevent a run.
    #[must_use]
    pub fn seen(&self, diagnostics: Diagnostics) -> Diagnostics {
        diagnostics
            .into_iter()
            .filter(|diagnostic| diagnostic.blocking || !self.allowed.hides(diagnostic))
            .collect()
    }
}

/// The form in which a definition's text is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TextForm {
    /// As written.
    #[default]
    AsWritten,
    /// Reformatted, if its lines are too long to read.
    Readable,
}

/// The source of missing settings: a default, or the answer of the user to a question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Questions {
    /// Nobody is asked: the default input is `{}`.
    #[default]
    Leave,
    /// The user picks the input from possible files.
    Ask,
}

/// Everything that a run starts from. A setting that is not given comes from a file next to the definition or has a
/// default.
#[derive(Clone, Debug, Default)]
pub struct LaunchConfig {
    /// The definition.
    pub program: Program,
    /// The form in which the definition's text is shown.
    pub form: TextForm,
    /// The semantics and rules to check the definition with.
    pub rules: Checking,
    /// The execution input; by default `NAME.input.json` next to the definition, otherwise `{}`.
    pub input: Option<Given>,
    /// Answers of tasks in the format of AWS Step Functions Local; by default `NAME.mock.json` or `MockConfigFile.json`
    /// next to the definition.
    pub mock: Option<Given>,
    /// The test case in the mock file; can be omitted if the mock file has only one.
    pub test_case: Option<String>,
    /// Recorded answers from an imported history or from another run, each under the key of its request.
    pub recorded: Arc<RecordedAnswers>,
    /// A recorded execution to repeat; its input, start time, names, answers and times are used.
    pub history: Option<HistoryGiven>,
    /// True if the definition was reconstructed from the events of the recorded execution.
    pub skeleton: bool,
    /// True if the user chose the profile; otherwise an execution recorded on AWS is repeated with the profile `aws`.
    pub profile_asked: bool,
    /// The targets that the user configured for tasks without any other answer.
    pub targets: Targets,
    /// How to handle a task without an answer; each front end has its own default.
    pub unmocked: Option<Unmocked>,
    /// Seed for random functions, UUIDs and jitter.
    pub seed: u64,
    /// Start of the virtual clock in RFC 3339; the current time by default.
    pub start_time: Option<String>,
    /// Object to merge into the context object.
    pub context: Option<Given>,
    /// Initial variables, with or without `$`.
    pub variables: Vec<(String, Given)>,
    /// State at which the run begins, instead of `StartAt`.
    pub start_at: Option<String>,
    /// Folder that represents S3; it contains the file `bucket/key` for each object. By default `NAME.s3` next to the
    /// definition, which is only read.
    pub s3_root: Option<PathBuf>,
    /// Files for the ItemReaders of states, by state name.
    pub readers: Vec<(String, PathBuf)>,
    /// Files of the machines that tasks may execute as children, by ARN or name.
    pub children: Vec<(String, PathBuf)>,
    /// Maximum memory of a run and its recorded events, in bytes; by default the limit of the command line.
    pub max_memory: Option<u64>,
    /// The moments in the handling of an error at which the run stops; by default, it stops if nothing handles the
    /// error.
    pub stop_on: Vec<ErrorMoment>,
    /// The source of missing settings.
    pub questions: Questions,
    /// True if the settings of the last session are not restored, and the settings of this session are not kept.
    pub fresh: bool,
    /// Folder for kept settings; the platform's state folder by default.
    pub state_folder: Option<PathBuf>,
}

impl LaunchConfig {
    /// Selects the definition in a file that has only one, with default settings.
    #[must_use]
    pub fn of(file: impl Into<PathBuf>) -> Self {
        Self {
            program: Program::of(file),
            ..Self::default()
        }
    }
}

/// Selects a recorded execution.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HistoryGiven {
    /// The file.
    pub file: PathBuf,
    /// The execution to use if the file has several: its ARN or name, or the end of either.
    pub execution: Option<String>,
}

impl HistoryGiven {
    /// Selects the only execution in a file or, if there are several, the last that failed.
    #[must_use]
    pub fn of(file: impl Into<PathBuf>) -> Self {
        Self {
            file: file.into(),
            execution: None,
        }
    }
}
