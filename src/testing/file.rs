//! A file of test cases: which definition it is for, and what its cases start from.
//!
//! It must not know how a case is run.

use super::case::{Answering, Case};
use super::reader::Reader;
use crate::definition::Definition;
use crate::json::{Text, Value};
use crate::launch::{Checking, Given, LaunchConfig, Program};
use crate::query::Profile;
use crate::session::answers::MockFile;
use crate::source::yaml::parse_yaml;
use crate::source::{
    Diagnostic, Diagnostics, Severity, SourceFile, SourceId, SourceMap, did_you_mean, parse_json,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What a test file may hold.
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

/// What a case may hold.
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

/// What may be expected.
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

/// The rules that may stand in the place of a value.
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

/// How mocked answers are held against what the resource gives, as TestState's `fieldValidationMode`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Validation {
    /// What it always gives is there, and all that is there is of its type.
    Strict,
    /// What is there is of the type that it gives.
    #[default]
    Present,
    /// Not at all.
    None,
}

/// When the clock of a case starts that does not say it: a test that passes today passes tomorrow.
const START: &str = "2026-01-01T00:00:00Z";

/// A file of test cases.
#[derive(Clone, Debug)]
pub struct TestFile {
    /// Where it lies.
    pub path: PathBuf,
    /// Its text.
    pub sources: Arc<SourceMap>,
    /// The definition that it is for, and what is filled into it.
    pub program: Program,
    /// The mock file, where it is not the one beside the definition.
    pub mock: Option<PathBuf>,
    /// Machines that tasks may start executions of.
    pub children: Vec<(String, PathBuf)>,
    /// The folder that stands for S3.
    pub s3_root: Option<PathBuf>,
    /// How answers are held against what resources give.
    pub validation: Validation,
    /// Its cases.
    pub cases: Vec<Case>,
    /// Whether there is no such file: the cases are those of a mock file.
    pub is_mock: bool,
}

impl TestFile {
    /// Reads a test file. What is wrong keeps it from being run where it is an error.
    #[must_use]
    pub fn parse(path: &Path, text: SourceFile) -> (Option<Self>, Arc<SourceMap>, Diagnostics) {
        let (node, found) = match path.extension().is_some_and(|ending| ending == "json") {
            true => parse_json(&text, SourceId(0)),
            false => parse_yaml(&text, SourceId(0)),
        };
        let sources = Arc::new(SourceMap::of(text));
        let mut reader = Reader { found };
        let folder = path.parent().unwrap_or(Path::new(""));
        let file = node.map(|node| {
            let mut file = Self::empty(path, &sources);
            reader.file(&node, folder, &mut file);
            if file.program.file.as_os_str().is_empty() {
                file.program.file = reader.definition_beside(path, &node);
            }
            file
        });
        let failed = |found: &Diagnostic| found.severity == Severity::Error;
        let broken = reader.found.iter().any(failed);
        (file.filter(|_| !broken), sources, reader.found)
    }

    fn empty(path: &Path, sources: &Arc<SourceMap>) -> Self {
        Self {
            path: path.to_path_buf(),
            sources: Arc::clone(sources),
            program: Program::default(),
            mock: None,
            children: Vec::new(),
            s3_root: None,
            validation: Validation::default(),
            cases: Vec::new(),
            is_mock: false,
        }
    }

    /// The test cases of a mock file as tests that expect nothing but to come to an end; `named` are those that a test
    /// file speaks of already.
    #[must_use]
    pub fn of_mock(definition: &Path, mock: &Path, file: &MockFile, machine: &str) -> Self {
        let mut tests = Self::empty(mock, &Arc::new(SourceMap::default()));
        tests.program = Program::of(definition);
        tests.mock = Some(mock.to_path_buf());
        tests.is_mock = true;
        let cases = file.cases(&[machine]).unwrap_or_default();
        tests.cases = cases
            .iter()
            .map(|case| Case {
                name: case.name.clone(),
                answers: Answering::Case(case.name.clone()),
                ..Case::default()
            })
            .collect();
        tests
    }

    /// What all of its cases start from.
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

    /// What a case starts from; `known` are the test cases of the mock file.
    #[must_use]
    pub fn config_of(&self, case: &Case, known: &[String]) -> LaunchConfig {
        let mut config = self.config();
        config.rules = self.rules_of(case);
        config.seed = case.seed;
        if let Some(time) = &case.start_time {
            config.start_time = Some(time.to_string());
        }
        config.input = case.input.clone();
        config.context = case.context.clone().map(Given::Value);
        config.start_at = case.start_at.as_ref().map(ToString::to_string);
        config.unmocked = case.unmocked;
        let variables = case.variables.iter();
        config.variables = variables
            .map(|(name, value)| (name.to_string(), Given::Value(value.clone())))
            .collect();
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

    /// Which semantics a case is run by.
    #[must_use]
    pub fn rules_of(&self, case: &Case) -> Checking {
        Checking {
            profile: case.profile.unwrap_or_default(),
            ..Checking::default()
        }
    }

    /// The semantics that its cases are run by, each once.
    #[must_use]
    pub fn profiles(&self) -> Vec<Profile> {
        let mut all: Vec<Profile> = Vec::new();
        for case in &self.cases {
            let profile = case.profile.unwrap_or_default();
            if !all.contains(&profile) {
                all.push(profile);
            }
        }
        all
    }

    /// The states that its cases name and the definition does not have.
    #[must_use]
    pub fn unknown_states(&self, definition: &Definition) -> Diagnostics {
        let names = || definition.states.iter().map(|state| &*state.name);
        let named = self.cases.iter().flat_map(|case| case.expect.states());
        let mut found = Vec::new();
        for (name, span) in named {
            if definition.find_by_name(name).is_none() {
                let text = format!(
                    "there is no state \"{name}\" in {}",
                    self.program.file.display()
                );
                let mut diagnostic = Diagnostic::error(super::reader::CODE, 0, text).at(span, "");
                diagnostic.help = did_you_mean(name, names());
                found.push(diagnostic);
            }
        }
        found
    }

    /// The case of a name.
    #[must_use]
    pub fn case(&self, name: &str) -> Option<&Case> {
        self.cases.iter().find(|case| &*case.name == name)
    }
}

/// A mock file with one case: states with what each of their calls gets.
pub(super) fn mock_of(machine: &str, case: &Text, states: Vec<(Text, Value)>) -> Value {
    let named = states.iter();
    let named = named.map(|(state, _)| (state.clone(), Value::String(state.clone())));
    let cases = Value::object(vec![(case.clone(), Value::object(named.collect()))]);
    let cases = Value::object(vec![("TestCases".into(), cases)]);
    Value::object(vec![
        (
            "StateMachines".into(),
            Value::object(vec![(machine.into(), cases)]),
        ),
        ("MockedResponses".into(), Value::object(states)),
    ])
}
