//! Files of test cases: their keys, the cases with their expectations, and the settings that the cases share.

use super::expected::Expected;
use crate::definition::Definition;
use crate::json::{Text, Value};
use crate::launch::{Given, LaunchConfig, LaunchError, Prepared, Program};
use crate::query::Profile;
use crate::service::FieldValidation;
use crate::session::Unmocked;
use crate::session::answers::MockFile;
use crate::source::{Diagnostic, Diagnostics, Node, SourceMap, Span, did_you_mean};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Diagnostic code for errors in a test file.
pub(super) const CODE: &str = "INVALID_TEST_FILE";

/// The keys that a test file may have at its top level.
pub const FILE_KEYS: [&str; 9] = [
    "$schema",
    "definition",
    "state_machine",
    "mock",
    "set",
    "children",
    "s3_root",
    "field_validation",
    "cases",
];

/// The keys that a case in a test file may have.
pub const CASE_KEYS: [&str; 15] = [
    "name",
    "skip",
    "input",
    "input_file",
    "answers",
    "profile",
    "seed",
    "start_time",
    "context",
    "variables",
    "start_at",
    "unmocked",
    "field_validation",
    "expect",
    "comment",
];

/// The keys that the object `expect` of a case may have.
pub const EXPECT_KEYS: [&str; 12] = [
    "status",
    "error",
    "cause",
    "output",
    "output_includes",
    "visits",
    "never",
    "attempts",
    "inputs",
    "calls",
    "variables",
    "duration",
];

/// The keys of rules. An object of rules may be written instead of an expected value.
pub const MATCHER_KEYS: [&str; 11] = [
    "$any",
    "$absent",
    "$type",
    "$min",
    "$max",
    "$length",
    "$matches",
    "$contains",
    "$includes",
    "$one_of",
    "$equals",
];

/// Creates a mock file with one test case. `states` has the answers to the calls of each state.
pub(super) fn mock_of(machine: &str, case: &Text, states: Vec<(Text, Value)>) -> Value {
    let named = states.iter();
    let named = named.map(|(state, _)| (state.clone(), Value::String(state.clone())));
    let cases = Value::object(vec![(case.clone(), Value::object(named.collect()))]);
    let cases = Value::object(vec![("TestCases".into(), cases)]);
    let machines = Value::object(vec![(machine.into(), cases)]);
    Value::object(vec![
        ("StateMachines".into(), machines),
        ("MockedResponses".into(), Value::object(states)),
    ])
}

/// True if an object consists of rules, which means that all of its keys begin with `$`.
pub(super) fn is_rules(node: &Node) -> bool {
    let members = node.members().unwrap_or_default();
    !members.is_empty()
        && members
            .iter()
            .all(|member| member.key.text.starts_with('$'))
}

/// Where the answers for the tasks of a case come from.
#[derive(Clone, Debug, Default)]
pub enum Answering {
    /// From the mock file: from its test case with the same name as this case, otherwise from the only test case in the
    /// mock file.
    #[default]
    Beside,
    /// From the test case of the mock file that has this name.
    Case(Text),
    /// From the test file itself: the names of states with the answers to their calls, in the format of a mock file.
    Inline(Vec<(Text, Value)>),
}

/// One test case.
#[derive(Clone, Debug, Default)]
pub struct Case {
    /// Name of the case.
    pub name: Text,
    /// Location of the case's name in the test file.
    pub span: Span,
    /// Location of the whole case in the test file.
    pub whole: Span,
    /// Reason for skipping the case, if it is skipped.
    pub skip: Option<Text>,
    /// The input of the execution, if the case specifies it.
    pub input: Option<Given>,
    /// Where the answers for the tasks come from.
    pub answers: Answering,
    /// The profile that the case specifies; `None` for the default.
    pub profile: Option<Profile>,
    /// Seed for random functions.
    pub seed: u64,
    /// Start of the virtual clock, in RFC 3339 format.
    pub start_time: Option<Text>,
    /// Object to merge into the context object.
    pub context: Option<Value>,
    /// Variables that are set at the start.
    pub variables: Vec<(Text, Value)>,
    /// State to begin at.
    pub start_at: Option<Text>,
    /// Location of `start_at` in the file.
    pub start_at_span: Span,
    /// The treatment of a task that has no answer; `None` for the default.
    pub unmocked: Option<Unmocked>,
    /// How strictly mocked answers are validated against the result of the task's resource; `None` for the file's
    /// setting.
    pub validation: Option<FieldValidation>,
    /// Expectations of the case.
    pub expect: Expectations,
}

impl Case {
    /// The profile with which the case is run.
    #[must_use]
    pub fn profile(&self) -> Profile {
        self.profile.unwrap_or_default()
    }
}

/// An expectation and its location.
#[derive(Clone, Debug)]
pub struct Check<T> {
    /// The expected value.
    pub expected: T,
    /// Location in the test file.
    pub span: Span,
}

/// An entry of the expectation `visits`, which lists the states that a run enters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Visit {
    /// The run enters this state, which is given by its path or its name.
    State(Text),
    /// The run may enter any states here, or none.
    Any,
}

/// All expectations of a case; results without an expectation are not checked.
#[derive(Clone, Debug, Default)]
pub struct Expectations {
    /// Location of the expectations; `None` if there are none.
    pub span: Option<Span>,
    /// Status of the execution: `SUCCEEDED`, `FAILED` or `TIMED_OUT`.
    pub status: Option<Check<Expected>>,
    /// Name of the error.
    pub error: Option<Check<Expected>>,
    /// Cause of the error: a text that it has to contain, or rules.
    pub cause: Option<Check<Expected>>,
    /// The whole output.
    pub output: Option<Check<Expected>>,
    /// Members that the output must have; it may have more.
    pub output_includes: Option<Check<Expected>>,
    /// States in the order in which they are entered.
    pub visits: Option<Check<Vec<Visit>>>,
    /// States that must not be entered.
    pub never: Vec<Check<Text>>,
    /// For each state, how often it is started, including retries.
    pub attempts: Vec<(Text, Check<Expected>)>,
    /// The input that each listed state gets. The key `STATE` stands for every visit, `STATE#N` for the N-th visit.
    pub inputs: Vec<(Text, Check<Expected>)>,
    /// The input with which each listed state calls its task. The keys have the same form as in `inputs`.
    pub calls: Vec<(Text, Check<Expected>)>,
    /// Variables in the outermost scope at the end of the run.
    pub variables: Vec<(Text, Check<Expected>)>,
    /// Duration of the run in seconds of its virtual clock.
    pub duration: Option<Check<Expected>>,
}

impl Expectations {
    /// True if there are no expectations.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let whole = [&self.status, &self.error, &self.cause, &self.output];
        let parts = [&self.output_includes, &self.duration];
        let named = [&self.attempts, &self.inputs, &self.calls, &self.variables];
        whole.into_iter().chain(parts).all(Option::is_none)
            && named.into_iter().all(Vec::is_empty)
            && self.visits.is_none()
            && self.never.is_empty()
    }

    /// Every state name in the expectations, with its location.
    pub fn states(&self) -> impl Iterator<Item = (&str, Span)> {
        let visits = self.visits.iter().flat_map(|check| {
            let names = check.expected.iter();
            names.filter_map(|visit| match visit {
                Visit::State(name) => Some((&**name, check.span)),
                Visit::Any => None,
            })
        });
        let never = self.never.iter();
        let never = never.map(|check| (&*check.expected, check.span));
        let named = [&self.attempts, &self.inputs, &self.calls];
        let named = named.into_iter().flatten();
        let named = named.map(|(name, check)| (numbered(name).0, check.span));
        visits.chain(never).chain(named)
    }
}

/// Splits `Pay#2` into a name and a number; without `#`, there is no number.
#[must_use]
pub(super) fn numbered(name: &str) -> (&str, Option<usize>) {
    let parts = name.rsplit_once('#');
    let number = parts.and_then(|(name, number)| Some((name, number.parse::<usize>().ok()?)));
    match number {
        Some((name, number)) if number > 0 => (name, Some(number)),
        _ => (name, None),
    }
}

/// Default start time of a case. It is fixed, so that a test has the same result on every day.
const START: &str = "2026-01-01T00:00:00Z";

/// The kind of file that contains test cases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Written {
    /// A test file.
    #[default]
    Tests,
    /// A mock file that no test file uses.
    Mock,
    /// Files with recorded executions; each file is a case.
    Histories,
}

/// A file of test cases.
#[derive(Clone, Debug)]
pub struct TestFile {
    /// Path of the file.
    pub path: PathBuf,
    /// Text of the file.
    pub sources: Arc<SourceMap>,
    /// The definition to test, and the values for its placeholders.
    pub program: Program,
    /// The mock file, if it is not the mock file beside the definition.
    pub mock: Option<PathBuf>,
    /// The state machines of which tasks may start executions: the ARN or name of each, and the path of its definition.
    pub children: Vec<(String, PathBuf)>,
    /// Local folder that is used in place of S3.
    pub s3_root: Option<PathBuf>,
    /// How strictly mocked answers are validated against the result of the task's resource.
    pub validation: FieldValidation,
    /// The test cases.
    pub cases: Vec<Case>,
    /// The kind of file from which the cases were read.
    pub written: Written,
}

impl TestFile {
    pub(super) fn empty(path: &Path, sources: &Arc<SourceMap>) -> Self {
        Self {
            path: path.to_path_buf(),
            sources: Arc::clone(sources),
            program: Program::default(),
            mock: None,
            children: Vec::new(),
            s3_root: None,
            validation: FieldValidation::Present,
            cases: Vec::new(),
            written: Written::Tests,
        }
    }

    /// Turns the test cases of a mock file into tests that only expect the run to end.
    #[must_use]
    pub fn of_mock(definition: &Path, mock: &Path, file: &MockFile, machine: &str) -> Self {
        let mut tests = Self::empty(mock, &Arc::new(SourceMap::default()));
        tests.program = Program::of(definition);
        tests.mock = Some(mock.to_path_buf());
        tests.written = Written::Mock;
        let cases = file.cases(&[machine]).unwrap_or_default();
        let cases = cases.iter().map(|case| Case {
            name: case.name.clone(),
            answers: Answering::Case(case.name.clone()),
            ..Case::default()
        });
        tests.cases = cases.collect();
        tests
    }

    /// Turns the recorded executions in `folder` into tests, which pass if the definition repeats the executions.
    #[must_use]
    pub fn of_histories(definition: &Path, folder: &Path, files: &[PathBuf]) -> Self {
        let mut tests = Self::empty(folder, &Arc::new(SourceMap::default()));
        tests.program = Program::of(definition);
        tests.written = Written::Histories;
        let names = files
            .iter()
            .map(|file| file.strip_prefix(folder).unwrap_or(file));
        let cases = names.map(|name| Case {
            name: name.display().to_string().into(),
            profile: Some(Profile::Aws),
            ..Case::default()
        });
        tests.cases = cases.collect();
        tests
    }

    /// The launch configuration that is the same for all cases of the file.
    #[must_use]
    pub fn config(&self) -> LaunchConfig {
        LaunchConfig {
            program: self.program.clone(),
            mock: self.mock.clone().map(Given::File),
            children: self.children.clone(),
            s3_root: self.s3_root.clone(),
            start_time: Some(START.to_string()),
            fresh: true,
            ..LaunchConfig::default()
        }
    }

    /// Loads the definition for the cases with this profile; also returns the launch configuration that these cases
    /// share.
    ///
    /// # Errors
    /// If the definition or the mock file cannot be read.
    pub fn prepare(&self, profile: Profile) -> Result<(LaunchConfig, Prepared), LaunchError> {
        let mut config = self.config();
        config.rules.profile = profile;
        let prepared = Prepared::of(&config)?;
        Ok((config, prepared))
    }

    /// Launch configuration of a case; `known` has the names of the test cases in the mock file.
    #[must_use]
    pub fn config_of(&self, case: &Case, known: &[String]) -> LaunchConfig {
        let mut config = self.config();
        config.rules.profile = case.profile();
        config.seed = case.seed;
        if let Some(time) = &case.start_time {
            config.start_time = Some(time.to_string());
        }
        config.input = case.input.clone();
        config.context = case.context.clone().map(Given::Value);
        config.start_at = case.start_at.as_ref().map(ToString::to_string);
        config.unmocked = case.unmocked;
        let variables = case.variables.iter();
        let variables =
            variables.map(|(name, value)| (name.to_string(), Given::Value(value.clone())));
        config.variables = variables.collect();
        match &case.answers {
            Answering::Beside => {
                let same = known.iter().find(|name| **name == *case.name);
                config.test_case = same.cloned();
            }
            Answering::Case(name) => config.test_case = Some(name.to_string()),
            Answering::Inline(states) => {
                let machine = self.program.state_machine.as_deref();
                let machine = machine.unwrap_or("StateMachine");
                let mock = mock_of(machine, &case.name, states.clone());
                config.mock = Some(Given::Value(mock));
            }
        }
        config
    }

    /// Profiles that the cases use, without duplicates.
    #[must_use]
    pub fn profiles(&self) -> Vec<Profile> {
        let mut all: Vec<Profile> = Vec::new();
        for profile in self.cases.iter().map(Case::profile) {
            if !all.contains(&profile) {
                all.push(profile);
            }
        }
        all
    }

    /// Diagnostics for states that the cases name but the definition does not have.
    #[must_use]
    pub fn unknown_states(&self, definition: &Definition) -> Diagnostics {
        let names = || definition.states.iter().map(|state| &*state.name);
        let begun = self.cases.iter().filter_map(|case| {
            let name = case.start_at.as_deref()?;
            Some((name, case.start_at_span))
        });
        let named = self.cases.iter().flat_map(|case| case.expect.states());
        let mut diagnostics = Vec::new();
        for (name, span) in named.chain(begun) {
            if definition.find_by_name(name).is_none() {
                let file = self.program.file.display();
                let text = format!("there is no state \"{name}\" in the definition {file}");
                let mut diagnostic = Diagnostic::error(CODE, 0, text).at(span, "");
                diagnostic.help = did_you_mean(name, names());
                diagnostics.push(diagnostic);
            }
        }
        diagnostics
    }

    /// The case with this name.
    #[must_use]
    pub fn case(&self, name: &str) -> Option<&Case> {
        self.cases.iter().find(|case| &*case.name == name)
    }
}
