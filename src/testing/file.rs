//! A file of test cases: the definition that it tests and the common settings of its cases.

use super::case::{Answering, Case};
use super::form::{CODE, mock_of};
use crate::definition::Definition;
use crate::launch::{Checking, Given, LaunchConfig, Program};
use crate::query::Profile;
use crate::service::FieldValidation;
use crate::session::answers::MockFile;
use crate::source::{Diagnostic, Diagnostics, SourceMap, did_you_mean};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Default start of a case's clock. Fixed, so that a test that passes today also passes tomorrow.
const START: &str = "2026-01-01T00:00:00Z";

/// Kind of file that test cases are from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Written {
    /// A test file.
    #[default]
    Tests,
    /// A mock file that no test file uses.
    Mock,
    /// Recorded executions; each file is a case.
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
    /// The mock file, if it is not the one beside the definition.
    pub mock: Option<PathBuf>,
    /// State machines whose executions tasks may start.
    pub children: Vec<(String, PathBuf)>,
    /// Local folder that is used in place of S3.
    pub s3_root: Option<PathBuf>,
    /// How strictly answers are validated against the resource's result.
    pub validation: FieldValidation,
    /// The test cases.
    pub cases: Vec<Case>,
    /// Kind of file that the cases are from.
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

    /// Turns the cases of a mock file into tests that only expect the run to end. `named` lists the cases that a test
    /// file already uses.
    #[must_use]
    pub fn of_mock(definition: &Path, mock: &Path, file: &MockFile, machine: &str) -> Self {
        let mut tests = Self::empty(mock, &Arc::new(SourceMap::default()));
        tests.program = Program::of(definition);
        tests.mock = Some(mock.to_path_buf());
        tests.written = Written::Mock;
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

    /// Turns the recorded executions in `folder` into tests: the definition has to repeat them.
    #[must_use]
    pub fn of_histories(definition: &Path, folder: &Path, files: &[PathBuf]) -> Self {
        let mut tests = Self::empty(folder, &Arc::new(SourceMap::default()));
        tests.program = Program::of(definition);
        tests.written = Written::Histories;
        tests.cases = files
            .iter()
            .map(|file| Case {
                name: file
                    .strip_prefix(folder)
                    .unwrap_or(file)
                    .display()
                    .to_string()
                    .into(),
                profile: Some(Profile::Aws),
                ..Case::default()
            })
            .collect();
        tests
    }

    /// Launch configuration common to all cases.
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

    /// Launch configuration of a case; `known` lists the test cases of the mock file.
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

    /// Checking rules that a case runs under.
    #[must_use]
    pub fn rules_of(&self, case: &Case) -> Checking {
        Checking {
            profile: case.profile.unwrap_or_default(),
            ..Checking::default()
        }
    }

    /// Profiles that the cases use, without duplicates.
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

    /// Diagnostics for states that the cases name but the definition does not have.
    #[must_use]
    pub fn unknown_states(&self, definition: &Definition) -> Diagnostics {
        let names = || definition.states.iter().map(|state| &*state.name);
        let begun = self.cases.iter().filter_map(|case| {
            let name = case.start_at.as_deref()?;
            Some((name, case.start_at_span))
        });
        let named = self.cases.iter().flat_map(|case| case.expect.states());
        let mut found = Vec::new();
        for (name, span) in named.chain(begun) {
            if definition.find_by_name(name).is_none() {
                let text = format!(
                    "there is no state \"{name}\" in {}",
                    self.program.file.display()
                );
                let mut diagnostic = Diagnostic::error(CODE, 0, text).at(span, "");
                diagnostic.help = did_you_mean(name, names());
                found.push(diagnostic);
            }
        }
        found
    }

    /// The case with this name.
    #[must_use]
    pub fn case(&self, name: &str) -> Option<&Case> {
        self.cases.iter().find(|case| &*case.name == name)
    }
}
