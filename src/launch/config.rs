//! The configuration of a run, as plain data that every front end fills in.

use super::value::Given;
use crate::definition::{Allowed, MachineType};
use crate::query::Profile;
use crate::session::{ErrorMoment, RecordedAnswers, Unmocked};
use crate::source::{Diagnostics, SourceFile};
use crate::target::Targets;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Says which definition to open, and gives values for the placeholders in its text.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// The file with the definition; `-` is standard input.
    pub file: PathBuf,
    /// The text of the definition, if it was passed in instead of being read from `file`. In this case, no other files
    /// are searched for next to `file`.
    pub text: Option<Arc<str>>,
    /// Name of the state machine to open; can be omitted if the file has only one state machine.
    pub state_machine: Option<String>,
    /// Values for the placeholders in the definition's text, as (name, value). If a name occurs twice, its first value
    /// is used.
    pub set: Vec<(String, String)>,
    /// Files with more values for placeholders: JSON, YAML or `NAME=VALUE` lines.
    pub set_files: Vec<PathBuf>,
    /// Value of the placeholder `AWS::Region`, and region of the ARNs that the SFN DSL builds from names; by default
    /// `AWS_REGION` or `AWS_DEFAULT_REGION` of the environment.
    pub region: Option<String>,
    /// Value of the placeholder `AWS::AccountId`, and account of the ARNs that the SFN DSL builds from names; by
    /// default `AWS_ACCOUNT_ID` of the environment.
    pub account: Option<String>,
}

impl Program {
    /// Selects the only definition in a file, without values for placeholders.
    #[must_use]
    pub fn of(file: impl Into<PathBuf>) -> Self {
        Self {
            file: file.into(),
            ..Self::default()
        }
    }

    /// Path of the definition's file; `None` if the definition comes from standard input or its text was passed in.
    #[must_use]
    pub fn on_disk(&self) -> Option<&Path> {
        (self.text.is_none() && self.file != Path::new("-")).then_some(self.file.as_path())
    }

    /// The text that was passed in, with the file's name as its name; `None` if no text was passed in.
    pub(super) fn embedded(&self) -> Option<SourceFile> {
        let text = self.text.as_ref()?;
        Some(SourceFile::new(self.file.display().to_string(), text))
    }
}

/// Settings for the check of a definition.
#[derive(Clone, Debug, Default)]
pub struct Checking {
    /// The semantics to use where the specification and AWS differ.
    pub profile: Profile,
    /// Type of the state machine; if this is set, the type in the file is ignored.
    pub machine_type: Option<MachineType>,
    /// Rules whose diagnostics are hidden.
    pub allowed: Allowed,
}

impl Checking {
    /// Removes the diagnostics of allowed rules, but keeps diagnostics that prevent a run.
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
    /// The text as the user wrote it.
    #[default]
    AsWritten,
    /// The text reformatted if its lines are too long to read, otherwise as the user wrote it.
    Readable,
}

/// The reaction to a missing execution input: use a default, or ask the user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Questions {
    /// Ask nothing: the input is `{}`.
    #[default]
    Leave,
    /// Let the user pick the input from the files that may be the input.
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
    /// Recorded answers from an imported history or from another run, each by the key of the request that it answers.
    pub recorded: Arc<RecordedAnswers>,
    /// A recorded execution to repeat; its input, start time, names, answers and times are used.
    pub history: Option<HistoryGiven>,
    /// True if the definition was reconstructed from the events of the recorded execution.
    pub skeleton: bool,
    /// True if the user chose the profile. If false, an execution recorded on AWS is repeated with the profile `aws`.
    pub profile_asked: bool,
    /// The targets (HTTP addresses, programs or AWS calls) that the user configured to answer tasks without any other
    /// answer.
    pub targets: Targets,
    /// The treatment of a task for which no source has an answer; each front end has its own default.
    pub unmocked: Option<Unmocked>,
    /// Seed for random functions, UUIDs and jitter.
    pub seed: u64,
    /// Time at which the virtual clock starts, in RFC 3339; the current time by default.
    pub start_time: Option<String>,
    /// Object to merge into the context object.
    pub context: Option<Given>,
    /// Variables with their initial values; a name may begin with `$`.
    pub variables: Vec<(String, Given)>,
    /// State at which the run begins, instead of `StartAt`.
    pub start_at: Option<String>,
    /// Folder that represents S3; it contains the file `bucket/key` for each object. The default is the folder
    /// `NAME.s3` next to the definition; a run does not write to this default folder.
    pub s3_root: Option<PathBuf>,
    /// Files that the ItemReaders of Map states read, each by the name of the state.
    pub readers: Vec<(String, PathBuf)>,
    /// Files of the machines that tasks may execute as children, by ARN or name.
    pub children: Vec<(String, PathBuf)>,
    /// Maximum memory of a run and its recorded events, in bytes; by default the same limit as on the command line.
    pub max_memory: Option<u64>,
    /// The moments in the handling of an error at which the run stops. If none is given, the run stops if nothing
    /// handles the error.
    pub stop_on: Vec<ErrorMoment>,
    /// The reaction to a missing execution input.
    pub questions: Questions,
    /// True if the session starts without the settings of the last session, and its own settings are not kept.
    pub fresh: bool,
    /// Folder for kept settings; the platform's state folder by default.
    pub state_folder: Option<PathBuf>,
}

impl LaunchConfig {
    /// Configures a run of the only definition in a file, with default settings.
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
    /// The file with one or more recorded executions.
    pub file: PathBuf,
    /// The execution to use if the file has several: its ARN or name, or the end of either.
    pub execution: Option<String>,
}

impl HistoryGiven {
    /// Selects the only execution in a file. Of several executions, selects the last that failed or, if none failed,
    /// the last.
    #[must_use]
    pub fn of(file: impl Into<PathBuf>) -> Self {
        Self {
            file: file.into(),
            execution: None,
        }
    }
}
