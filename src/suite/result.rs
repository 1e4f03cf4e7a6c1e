//! Result of one test case.

use crate::coverage::Coverage;
use crate::definition::Definition;
use crate::headless::shell_word;
use crate::source::Place;
use crate::testing::{Failure, Observed, Written};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Outcome of a case.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// All expectations of the case were met.
    Passed,
    /// Some expectations of the case were not met: contains these failures.
    Failed(Vec<Failure>),
    /// The case was not run. Contains the reason.
    Skipped(String),
}

/// A case and its outcome.
#[derive(Clone, Debug)]
pub struct CaseResult {
    /// The file that contains the case.
    pub file: PathBuf,
    /// Line of the case's name in that file; 0 if the case is from a mock file.
    pub line: usize,
    /// The file of the definition.
    pub program: PathBuf,
    /// Name of the state machine within that file, if one was selected.
    pub machine: Option<String>,
    /// Name of the case.
    pub name: String,
    /// The kind of file that contains the case.
    pub written: Written,
    /// True if the case has expectations about the run; false if it only requires that the run ends.
    pub expects: bool,
    /// A sentence with the reason why AWS would reject the definition; `None` if AWS would accept it.
    pub refused: Option<String>,
    /// Outcome of the case.
    pub outcome: Outcome,
    /// Observations from the run; `None` if the case could not be run.
    pub observed: Option<Box<Observed>>,
    /// The coverage of the recorded executions that the case repeats; `None` for other cases.
    pub repeated: Option<Box<Coverage>>,
    /// The definition that was run; `None` if it could not be read.
    pub definition: Option<Arc<Definition>>,
    /// Time that the case took.
    pub took: Duration,
}

impl CaseResult {
    /// True if the case has failed.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        matches!(self.outcome, Outcome::Failed(_))
    }

    /// The expectations that were not met; empty if the case passed or was skipped.
    #[must_use]
    pub fn failures(&self) -> &[Failure] {
        match &self.outcome {
            Outcome::Failed(failures) => failures,
            _ => &[],
        }
    }

    /// Reasons why a passed case proves little: it has no expectations, or AWS would reject the definition.
    #[must_use]
    pub fn reservations(&self) -> Vec<String> {
        let observed = self.observed.as_ref().filter(|_| !self.expects);
        let status = observed.and_then(|observed| observed.end.status());
        let unexpected =
            status.map(|status| format!("the case expects nothing, and the run ended {status}"));
        unexpected.into_iter().chain(self.refused.clone()).collect()
    }

    /// Coverage of the case's run.
    #[must_use]
    pub fn coverage(&self) -> Option<&Coverage> {
        let observed = self.observed.as_ref().map(|observed| &observed.coverage);
        observed.or(self.repeated.as_deref())
    }

    /// The cause of a failure: the state, the position in the source text, and the name of the source file.
    #[must_use]
    pub fn place(&self, failure: &Failure) -> Option<(String, Place, String)> {
        let definition = self.definition.as_ref()?;
        let state = definition.state(failure.state?)?;
        let span = failure.blame.unwrap_or(state.name_span);
        let place = definition.sources.place(span)?;
        let file = definition.sources.get(span.source)?;
        Some((state.path.0.to_string(), place, file.name.to_string()))
    }

    /// Command that opens the case in the debugger.
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
/// Failure of a case that cannot be started.
pub(super) fn unstarted(problem: String) -> Failure {
    Failure::new("start", "the run of the case starts", problem)
}
