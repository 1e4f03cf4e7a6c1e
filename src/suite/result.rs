//! What came of one test case.
//!
//! It must not know how it is printed.

use crate::coverage::Coverage;
use crate::definition::Definition;
use crate::headless::shell_word;
use crate::source::Place;
use crate::testing::{Failure, Observed, Written};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// What came of a case.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// All that was expected came.
    Passed,
    /// This did not.
    Failed(Vec<Failure>),
    /// It was not run, for this reason.
    Skipped(String),
}

/// A case with what came of it.
#[derive(Clone, Debug)]
pub struct CaseResult {
    /// The file that it stands in.
    pub file: PathBuf,
    /// The line of its name there; 0 where it stands in a mock file.
    pub line: usize,
    /// The definition's file.
    pub program: PathBuf,
    /// The state machine of that file, where it was named.
    pub machine: Option<String>,
    /// Its name.
    pub name: String,
    /// What it is a case of.
    pub written: Written,
    /// Whether anything is expected of it but that it comes to an end.
    pub expects: bool,
    /// That AWS refuses its definition, in a sentence.
    pub refused: Option<String>,
    /// What came of it.
    pub outcome: Outcome,
    /// What happened; `None` where it could not be run.
    pub observed: Option<Box<Observed>>,
    /// What a repetition of a recorded execution reached.
    pub repeated: Option<Box<Coverage>>,
    /// What it was run with; `None` where that could not be read.
    pub definition: Option<Arc<Definition>>,
    /// How long it took.
    pub took: Duration,
}

impl CaseResult {
    /// What did not come as expected.
    #[must_use]
    pub fn failures(&self) -> &[Failure] {
        match &self.outcome {
            Outcome::Failed(failures) => failures,
            _ => &[],
        }
    }

    /// What takes from the worth of a case that passed: that nothing was expected of it, that AWS refuses its definition.
    #[must_use]
    pub fn reservations(&self) -> Vec<String> {
        let observed = self.observed.as_ref().filter(|_| !self.expects);
        let status = observed.and_then(|observed| observed.end.status());
        let unexpected = status.map(|status| format!("nothing expected, ended {status}"));
        unexpected.into_iter().chain(self.refused.clone()).collect()
    }

    /// What it reached.
    #[must_use]
    pub fn coverage(&self) -> Option<&Coverage> {
        let observed = self.observed.as_ref().map(|observed| &observed.coverage);
        observed.or(self.repeated.as_deref())
    }

    /// The name of the state that is to blame, the line of it that is, and the file that the line is of.
    #[must_use]
    pub fn place(&self, failure: &Failure) -> Option<(String, Place, String)> {
        let definition = self.definition.as_ref()?;
        let state = definition.state(failure.state?)?;
        let span = failure.blame.unwrap_or(state.name_span);
        let place = definition.sources.place(span)?;
        let file = definition.sources.get(span.source)?;
        Some((state.path.0.to_string(), place, file.name.to_string()))
    }

    /// The command that opens it in the debugger, where it parted from what was expected.
    #[must_use]
    pub fn command(&self) -> String {
        let mut words = vec![
            "asldbg".to_string(),
            shell_word(&self.program.display().to_string()),
        ];
        if let Some(machine) = &self.machine {
            words.extend(["--state-machine".to_string(), shell_word(machine)]);
        }
        let (option, value) = match self.written {
            Written::Tests => ("--test", self.name.clone()),
            Written::Mock => ("--test-case", self.name.clone()),
            Written::Histories => {
                let file = self.file.join(&self.name);
                ("--history", file.display().to_string())
            }
        };
        words.extend([option.to_string(), shell_word(&value)]);
        words.join(" ")
    }
}
/// The failure of a case that cannot be started.
pub(super) fn unstarted(problem: String) -> Failure {
    Failure {
        what: "start".to_string(),
        expected: "a run that can be started".to_string(),
        actual: problem,
        differences: Vec::new(),
        event: None,
        state: None,
        span: None,
        blame: None,
    }
}
