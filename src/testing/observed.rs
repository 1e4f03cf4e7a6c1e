//! Runs cases and observes the runs: how each run ended, the states that it entered, their inputs, and its coverage.
//! Also adds up the coverage of several cases.

use super::file::{Answering, Case, TestFile};
use super::find::test_files;
use super::repeat::replay_one;
use crate::coverage::Coverage;
use crate::definition::{Definition, StateId, StatePath};
use crate::interpreter::{
    Ask, Event, EventKind, Fault, FrameId, Machine, Millis, Stage, Status, Variables,
};
use crate::json::Value;
use crate::launch::{Given, LaunchConfig, LaunchError, Prepared, read_history, recorded_beside};
use crate::query::Profile;
use crate::session::no_answer::NoAnswer;
use crate::session::unattended::{Happened, Unattended};
use crate::session::{Repeats, Setup};
use std::collections::HashMap;
use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Maximum number of visits to record per run.
const MOST_VISITS: usize = 100_000;
/// Maximum number of outputs of top-level states to record.
const MOST_OUTPUTS: usize = 10_000;

/// The outcome of a run.
#[derive(Clone, Debug, Default)]
pub enum End {
    /// The run succeeded with this output.
    Succeeded(Value),
    /// The run failed with this error and cause.
    Failed(Fault),
    /// The execution's TimeoutSeconds expired.
    TimedOut,
    /// A state made this request, and no source has an answer for it. The second value says why.
    NoAnswer(Box<Ask>, NoAnswer),
    /// The run waits for something that never happens. If it waits for the answer of a task, this is the path of the
    /// task's state.
    Stuck(Option<StatePath>),
    /// The run was stopped because it entered more states than allowed.
    TooLong {
        /// Maximum number of states.
        most: u64,
        /// True if the states of child executions were counted, too.
        with_children: bool,
    },
    /// The run was stopped because its values need more than this number of bytes of memory.
    TooLarge(u64),
    /// The user interrupted the run.
    #[default]
    Interrupted,
}

impl End {
    /// How an execution with this status ended; `None` if it is still running.
    #[must_use]
    pub fn of(status: &Status) -> Option<Self> {
        Some(match status {
            Status::Succeeded(output) => Self::Succeeded(output.clone()),
            Status::Failed(fault) => Self::Failed(fault.clone()),
            Status::TimedOut => Self::TimedOut,
            Status::Running => return None,
        })
    }

    /// `SUCCEEDED`, `FAILED` or `TIMED_OUT`; `None` if the execution did not end by itself.
    #[must_use]
    pub fn status(&self) -> Option<&'static str> {
        match self {
            Self::Succeeded(_) => Some("SUCCEEDED"),
            Self::Failed(_) => Some("FAILED"),
            Self::TimedOut => Some("TIMED_OUT"),
            _ => None,
        }
    }
}

/// A state, the event at which it was observed, and a value.
#[derive(Clone, Debug)]
pub struct At {
    /// The state.
    pub state: StateId,
    /// Event number, starting at 1.
    pub event: u64,
    /// The value: the state's input or output, or the input of the task's call. `null` if no value was recorded.
    pub value: Value,
}

/// Observations of a run: its end, its states and their data, and its coverage.
#[derive(Clone, Debug, Default)]
pub struct Observed {
    /// How the run ended.
    pub end: End,
    /// The first hundred thousand states, in the order in which they were entered.
    pub visits: Vec<At>,
    /// The calls that tasks made, with the input of each call.
    pub calls: Vec<At>,
    /// Number of times that each state was started, including retries.
    pub begun: HashMap<StateId, u64>,
    /// Outputs of top-level states, oldest first.
    pub outputs: Vec<At>,
    /// The error that was raised last, even if it was caught.
    pub error: Option<At>,
    /// The variables in the outermost scope at the end of the run.
    pub variables: Option<Arc<Variables>>,
    /// Duration in virtual milliseconds.
    pub took: Millis,
    /// Number of events.
    pub events: u64,
    /// Coverage of the run.
    pub coverage: Coverage,
}

/// Limits that may stop a run early.
#[derive(Clone, Copy, Debug)]
pub struct Limits<'l> {
    /// Maximum number of states to enter.
    pub max_steps: u64,
    /// Becomes true when the user interrupts the run.
    pub interrupted: &'l AtomicBool,
}

impl<'l> Limits<'l> {
    /// The limits of a test case.
    #[must_use]
    pub fn of_case(interrupted: &'l AtomicBool) -> Self {
        Self {
            max_steps: 1_000_000,
            interrupted,
        }
    }
}

/// Runs until the run ends, waits for something that never happens, or reaches a limit. After each step of the run,
/// calls `note` with the event that happened in this step, if any.
///
/// # Errors
/// If `note` returns an error.
pub fn run_to_end<E>(
    run: &mut Unattended,
    memory_limit: u64,
    limits: Limits<'_>,
    mut note: impl FnMut(&mut Unattended, Option<&Event>) -> Result<(), E>,
) -> Result<End, E> {
    loop {
        let happened = run.step();
        let event = match &happened {
            Happened::Event(event) => Some(event),
            _ => None,
        };
        note(run, event)?;
        match happened {
            Happened::Event(_) | Happened::Nothing => {}
            Happened::TooLarge => return Ok(End::TooLarge(memory_limit)),
            Happened::NoAnswer(ask, why) => return Ok(End::NoAnswer(ask, why)),
            Happened::Stuck => return Ok(End::Stuck(waiting(run.machine()))),
            Happened::Done => {
                return Ok(End::of(run.machine().status()).unwrap_or(End::Stuck(None)));
            }
        }
        if run.steps() > limits.max_steps {
            return Ok(End::TooLong {
                most: limits.max_steps,
                with_children: run.has_children(),
            });
        }
        if limits.interrupted.load(Ordering::Relaxed) {
            return Ok(End::Interrupted);
        }
    }
}

/// The path of a state whose task waits for an answer; `None` if no task waits.
fn waiting(machine: &Machine) -> Option<StatePath> {
    machine.frames().find_map(|frame| {
        let state = machine.definition().state(frame.visit.state)?;
        frame.visit.call.as_ref().map(|_| state.path.clone())
    })
}

/// Runs until the run ends, waits for something that never happens, or reaches a limit; returns what was observed.
#[must_use]
pub fn observe(setup: &Setup, limits: Limits<'_>) -> Observed {
    let answerer = setup.answerer(Repeats::Never);
    let mut run = Unattended::start(Arc::new(setup.run()), answerer, setup.memory_limit);
    let mut seen = Observed::default();
    let Ok(end) = run_to_end(&mut run, setup.memory_limit, limits, |run, event| {
        if let Some(event) = event {
            seen.note(run.machine(), event, run.events());
        }
        drop(run.take_remarks());
        Ok::<(), Infallible>(())
    });
    let main = run.machine().frame(FrameId(0));
    seen.variables = main.map(|frame| Arc::clone(&frame.variables));
    (seen.end, seen.took, seen.events) = (end, run.machine().now(), run.events());
    seen
}

impl Observed {
    fn note(&mut self, machine: &Machine, event: &Event, number: u64) {
        self.coverage.note(machine, event);
        let Some(state) = event.state else {
            return;
        };
        let value = |stage| {
            let frame = machine.frame(event.frame);
            frame.map_or(Value::Null, |frame| frame.visit.data.latest(stage))
        };
        let at = |value| At {
            state,
            event: number,
            value,
        };
        match event.kind {
            EventKind::StateEntered => {
                *self.begun.entry(state).or_default() += 1;
                if self.visits.len() < MOST_VISITS {
                    self.visits.push(at(value(Stage::Input)));
                }
            }
            EventKind::Retried => *self.begun.entry(state).or_default() += 1,
            EventKind::TaskScheduled if self.calls.len() < MOST_VISITS => {
                self.calls.push(at(value(Stage::AfterArguments)));
            }
            EventKind::ErrorRaised => self.error = Some(at(Value::Null)),
            EventKind::StateExited if event.frame == FrameId(0) => {
                if self.outputs.len() >= MOST_OUTPUTS {
                    self.outputs.remove(0);
                }
                self.outputs.push(at(value(Stage::Output)));
            }
            _ => {}
        }
    }

    /// Finds the top-level state that wrote the value at `place` in `output`, the output of the run. Returns the output
    /// of this state.
    #[must_use]
    pub fn wrote(&self, place: &crate::json::Pointer, output: &Value) -> Option<&At> {
        let last = place.get(output);
        let same = |at: &&At| place.get(&at.value) == last;
        self.outputs.iter().rev().take_while(same).last()
    }

    /// The last output of a top-level state if the run succeeded. Otherwise the last error or, if there was no error,
    /// the last visited state.
    #[must_use]
    pub fn last(&self) -> Option<&At> {
        match &self.end {
            End::Succeeded(_) => self.outputs.last(),
            _ => self.error.as_ref().or_else(|| self.visits.last()),
        }
    }
}

/// Maximum number of cases to run.
const MOST_CASES: usize = 1_000;

/// Coverage that test cases reached.
#[derive(Clone, Debug, Default)]
pub struct ReachedByTests {
    /// Combined coverage of the cases.
    pub coverage: Coverage,
    /// Number of cases that were run.
    pub cases: usize,
    /// True if there were more cases than may be run; the rest was not run.
    pub cut: bool,
}

/// Runs the cases of a definition whose names contain `filter`: cases of its test files and its mock file, and recorded
/// executions.
///
/// # Errors
/// If there is no such case or a file cannot be read; the error is a sentence with the reason.
pub fn reached_by_tests(
    definition: &Definition,
    file: &Path,
    filter: &str,
) -> Result<ReachedByTests, String> {
    let reached = run_tests(definition, file, filter).map_err(|error| error.brief())?;
    match (reached.cases, filter) {
        (0, "") => Err(nothing(file)),
        (0, filter) => Err(format!("no test case has \"{filter}\" in its name")),
        _ => Ok(reached),
    }
}

fn run_tests(
    definition: &Definition,
    file: &Path,
    filter: &str,
) -> Result<ReachedByTests, LaunchError> {
    let files = test_files(&[file.to_path_buf()]);
    let mut reached = ReachedByTests::default();
    for path in &files.tests {
        let tests = TestFile::load(path)?;
        run_all(definition, &tests, filter, &mut reached)?;
    }
    for (file, mock, machine) in &files.mocks {
        let config = LaunchConfig {
            mock: Some(Given::File(mock.clone())),
            ..LaunchConfig::of(file)
        };
        let prepared = Prepared::of(&config)?;
        if let Some(read) = &prepared.mock {
            let tests = TestFile::of_mock(file, mock, &read.file, machine);
            run_all(definition, &tests, filter, &mut reached)?;
        }
    }
    for (file, history) in &files.histories {
        let name = history.file_name().unwrap_or_default().to_string_lossy();
        if name.contains(filter) {
            repeat_history(definition, file, history, &mut reached)?;
        }
    }
    Ok(reached)
}

fn nothing(file: &Path) -> String {
    let name: PathBuf = file.file_name().unwrap_or_default().into();
    format!(
        "there is no test case beside {file}: the command \"write test NAME\" writes this run as a test case",
        file = name.display()
    )
}

/// Runs the cases of a test file if the file is for this definition.
fn run_all(
    definition: &Definition,
    tests: &TestFile,
    filter: &str,
    reached: &mut ReachedByTests,
) -> Result<(), LaunchError> {
    let wanted = |case: &&Case| case.skip.is_none() && case.name.contains(filter);
    for case in tests.cases.iter().filter(wanted) {
        if reached.cases >= MOST_CASES {
            reached.cut = true;
            return Ok(());
        }
        let (base, prepared) = tests.prepare(case.profile())?;
        if !is_same(definition, &prepared.definition) {
            continue;
        }
        let known = prepared.cases(&base);
        if let Answering::Case(name) = &case.answers
            && !known.iter().any(|known| **known == **name)
        {
            continue;
        }
        let setup = prepared.load(&tests.config_of(case, &known))?.setup();
        let observed = observe(&setup, Limits::of_case(&AtomicBool::new(false)));
        reached.coverage.add(&observed.coverage);
        reached.cases += 1;
    }
    Ok(())
}

/// Repeats the executions in a history, each up to the first difference between the run and the recording. Each
/// execution counts as a case.
fn repeat_history(
    definition: &Definition,
    file: &Path,
    history: &Path,
    reached: &mut ReachedByTests,
) -> Result<(), LaunchError> {
    let mut config = LaunchConfig {
        fresh: true,
        ..LaunchConfig::of(file)
    };
    config.rules.profile = Profile::Aws;
    let base = LaunchConfig {
        input: Some(Given::Json("{}".to_string())),
        ..config.clone()
    };
    let prepared = Prepared::of(&base)?;
    if !is_same(definition, &prepared.definition) {
        return Ok(());
    }
    let loaded = prepared.load(&base)?;
    let imported = read_history(history)?;
    for execution in imported.executions {
        let recorded = recorded_beside(execution, Vec::new(), &loaded.definition);
        if recorded.view_only.is_some() || recorded.execution.input.value().is_none() {
            continue;
        }
        if reached.cases >= MOST_CASES {
            reached.cut = true;
            return Ok(());
        }
        let repeated = replay_one(&loaded, &config, recorded);
        reached.coverage.add(&repeated.coverage);
        reached.cases += 1;
    }
    Ok(())
}

/// True if both definitions have the same states. The coverage of one is then valid for the other.
fn is_same(definition: &Definition, other: &Definition) -> bool {
    let paths = definition.states.iter().map(|state| &state.path);
    paths.eq(other.states.iter().map(|state| &state.path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cases_of_a_sample_reach_all_of_its_states() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/order.asl.json");
        let prepared = Prepared::of(&LaunchConfig::of(&file)).expect("a sample");
        let definition = &prepared.definition;
        let all = reached_by_tests(definition, &file, "").expect("test cases");
        let reached = reached_by_tests(definition, &file, "sold out").expect("a test case");
        let (states, of) = all.coverage.tally(definition).of("states");
        assert_eq!((states, reached.cases), (of, 1));
        assert!(reached.coverage.tally(definition).of("states").0 < states);
        let none = reached_by_tests(definition, &file, "no such case").expect_err("no case");
        assert!(none.contains("no such case"), "{none}");
    }
}
