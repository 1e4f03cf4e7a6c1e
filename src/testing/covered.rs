//! Combined coverage of a definition's test cases, for display while debugging.

use super::case::{Answering, Case};
use super::file::TestFile;
use super::find::test_files;
use super::observed::{Limits, observe};
use crate::coverage::Coverage;
use crate::definition::Definition;
use crate::launch::{Given, LaunchConfig, Prepared, read_history, recorded_beside};
use crate::query::Profile;
use crate::session::Repeats;
use crate::session::recorded::Follower;
use crate::session::unattended::{Happened, Unattended};
use crate::source::{Severity, load};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Maximum number of states that a case may enter.
const MAX_STEPS: u64 = 1_000_000;
/// Maximum number of cases to run.
const MOST_CASES: usize = 1_000;

/// Coverage that test cases reached.
#[derive(Clone, Debug, Default)]
pub struct ReachedByTests {
    /// Combined coverage of the cases.
    pub coverage: Coverage,
    /// Number of cases that were run.
    pub cases: usize,
    /// True if there were more cases, which were not run.
    pub cut: bool,
}

/// Runs the cases of a definition whose names contain `filter`: the cases of its test files and mock file, and its
/// recorded executions.
///
/// # Errors
/// If there is no such case or a file cannot be read; the error is a sentence.
pub fn reached_by_tests(
    definition: &Definition,
    file: &Path,
    filter: &str,
) -> Result<ReachedByTests, String> {
    let found = test_files(&[file.to_path_buf()]);
    let mut reached = ReachedByTests::default();
    for path in &found.tests {
        let text = load::load(path).map_err(|error| error.to_string())?;
        let (tests, _, problems) = TestFile::parse(path, text);
        let broken = problems
            .iter()
            .find(|found| found.severity == Severity::Error);
        let tests = tests.ok_or_else(|| {
            let why = broken.map_or("", |found| &*found.message);
            format!("{}: {why}", path.display())
        })?;
        run_all(definition, &tests, filter, &mut reached)?;
    }
    for (file, mock, machine) in &found.mocks {
        let config = LaunchConfig {
            mock: Some(Given::File(mock.clone())),
            ..LaunchConfig::of(file)
        };
        let prepared = Prepared::of(&config).map_err(|error| error.brief())?;
        if let Some(read) = &prepared.mock {
            let tests = TestFile::of_mock(file, mock, &read.file, machine);
            run_all(definition, &tests, filter, &mut reached)?;
        }
    }
    for (file, history) in &found.histories {
        let name = history.file_name().unwrap_or_default().to_string_lossy();
        if name.contains(filter) {
            repeat(definition, file, history, &mut reached)?;
        }
    }
    match (reached.cases, filter) {
        (0, "") => Err(nothing(file)),
        (0, filter) => Err(format!("\"{filter}\" is in the name of no test case")),
        _ => Ok(reached),
    }
}

fn nothing(file: &Path) -> String {
    let name: PathBuf = file.file_name().unwrap_or_default().into();
    format!(
        "there is no test case beside {}: write test NAME writes this run as one",
        name.display()
    )
}

/// Runs the cases of a test file if the file is for this definition.
fn run_all(
    definition: &Definition,
    tests: &TestFile,
    filter: &str,
    reached: &mut ReachedByTests,
) -> Result<(), String> {
    let wanted = |case: &&Case| case.skip.is_none() && case.name.contains(filter);
    for case in tests.cases.iter().filter(wanted) {
        if reached.cases >= MOST_CASES {
            reached.cut = true;
            return Ok(());
        }
        let mut base = tests.config();
        base.rules = tests.rules_of(case);
        let prepared = Prepared::of(&base).map_err(|error| error.brief())?;
        if !is_same(definition, &prepared.definition) {
            continue;
        }
        let known = prepared.cases(&base);
        if matches!(&case.answers, Answering::Case(name) if !known.iter().any(|own| own == &**name))
        {
            continue;
        }
        let loaded = prepared.load(&tests.config_of(case, &known));
        let setup = loaded.map_err(|error| error.brief())?.setup();
        let limits = Limits {
            max_steps: MAX_STEPS,
            interrupted: &AtomicBool::new(false),
        };
        reached.coverage.add(&observe(&setup, limits).coverage);
        reached.cases += 1;
    }
    Ok(())
}

/// Repeats the executions of a history, each up to the first difference from the definition; each counts as a case.
fn repeat(
    definition: &Definition,
    file: &Path,
    history: &Path,
    reached: &mut ReachedByTests,
) -> Result<(), String> {
    let mut config = LaunchConfig {
        fresh: true,
        ..LaunchConfig::of(file)
    };
    config.rules.profile = Profile::Aws;
    let base = LaunchConfig {
        input: Some(Given::Json("{}".to_string())),
        ..config.clone()
    };
    let prepared = Prepared::of(&base).map_err(|error| error.brief())?;
    if !is_same(definition, &prepared.definition) {
        return Ok(());
    }
    let loaded = prepared.load(&base).map_err(|error| error.brief())?;
    let imported = read_history(history).map_err(|error| error.brief())?;
    for execution in imported.executions {
        let recorded = recorded_beside(execution, Vec::new(), &loaded.definition);
        if recorded.view_only.is_some() || recorded.execution.input.value().is_none() {
            continue;
        }
        if reached.cases >= MOST_CASES {
            reached.cut = true;
            return Ok(());
        }
        let mut follower = Follower::new(Arc::clone(&recorded.run));
        let setup = loaded.clone().repeating(recorded, &config).setup();
        let answerer = setup.answerer(Repeats::Never);
        let mut run = Unattended::start(Arc::new(setup.run()), answerer, setup.memory_limit);
        loop {
            match run.step() {
                Happened::Event(event) => {
                    reached.coverage.note(run.machine(), &event);
                    if follower.follow(run.events(), run.machine(), &event) {
                        break;
                    }
                }
                Happened::Nothing => {}
                _ => break,
            }
        }
        reached.cases += 1;
    }
    Ok(())
}

/// True if both definitions have the same states, so that coverage of one applies to the other.
fn is_same(one: &Definition, other: &Definition) -> bool {
    one.states.len() == other.states.len()
        && (one.states.iter().zip(other.states.iter())).all(|(one, other)| one.path == other.path)
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
        let one = reached_by_tests(definition, &file, "sold out").expect("a test case");
        let (states, of) = all.coverage.tally(definition).of("states");
        assert_eq!((states, one.cases), (of, 1));
        assert!(one.coverage.tally(definition).of("states").0 < states);
        let none = reached_by_tests(definition, &file, "no such case").expect_err("no case");
        assert!(none.contains("no such case"), "{none}");
    }
}
