//! Tests and coverage: converts arguments for the test runner, and opens test cases in the debugger.

use super::config;
use super::proof_options::{
    CoverageArguments, CoverageName, ExploreArguments, FindingFormatName, FindingLevelName,
    ReportFormatName, TestArguments,
};
use crate::explore::{self, Level};
use crate::headless::{self, CoverageFormat, CoverageOptions, Refusal};
use crate::launch::{LaunchConfig, Prepared};
use crate::session::{Command, Direction, Session};
use crate::settings::Settings;
use crate::source::{Severity, did_you_mean, load};
use crate::suite::{self, Options, Order, ReportFormat};
use crate::testing::{Limits, SCHEMA, TestFile, from_sfn_test, judge, observe, test_files_of};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Runs tests, or prints the schema of test files.
pub(super) fn test(arguments: &TestArguments) -> Result<ExitCode, Refusal> {
    if arguments.schema {
        return headless::print(SCHEMA).map(|()| ExitCode::SUCCESS);
    }
    let paths = match arguments.paths.is_empty() {
        true => vec![PathBuf::from(".")],
        false => arguments.paths.clone(),
    };
    if let Some(missing) = paths.iter().find(|path| !path.exists()) {
        let text = format!("there is no file or folder {}", missing.display());
        return Err(Refusal::new(text));
    }
    suite::test(&Options {
        paths,
        filter: arguments.filter.clone(),
        jobs: arguments.jobs.map(usize::from),
        order: match arguments.fail_fast {
            true => Order::FailFast,
            false => Order::All,
        },
        watch: arguments.watch,
        bless: arguments.bless,
        format: match arguments.format {
            ReportFormatName::Text => ReportFormat::Text,
            ReportFormatName::Json => ReportFormat::Json,
            ReportFormatName::Junit => ReportFormat::Junit,
            ReportFormatName::Tap => ReportFormat::Tap,
        },
        coverage: coverage(&arguments.coverage),
    })
}

/// Prints a test suite of another tool as a test file.
pub(super) fn take_over(file: &Path) -> Result<ExitCode, Refusal> {
    let taken = from_sfn_test(file).map_err(Refusal::new)?;
    for note in &taken.notes {
        headless::warn(&format!("note: {note}"));
    }
    headless::convert_to_yaml(&taken.tests).map(|()| ExitCode::SUCCESS)
}

/// Explores a definition.
pub(super) fn explore(
    arguments: &ExploreArguments,
    settings: &Settings,
) -> Result<ExitCode, Refusal> {
    explore::explore(&explore::Options {
        config: config::explore(arguments, settings)?,
        depth: arguments.depth,
        runs: arguments.runs.max(1),
        time: Duration::from_secs(arguments.time),
        jobs: arguments.jobs.map(usize::from),
        format: match arguments.format {
            FindingFormatName::Text => explore::ReportFormat::Text,
            FindingFormatName::Json => explore::ReportFormat::Json,
            FindingFormatName::Junit => explore::ReportFormat::Junit,
        },
        fail_on: match arguments.fail_on {
            FindingLevelName::Error => Some(Level::Error),
            FindingLevelName::Warning => Some(Level::Warning),
            FindingLevelName::Info => Some(Level::Info),
            FindingLevelName::Never => None,
        },
        write_cases: arguments.write_case,
    })
}

/// The requested coverage; `None` if no option mentions coverage.
pub(super) fn coverage(arguments: &CoverageArguments) -> Option<CoverageOptions> {
    let wanted = arguments.coverage
        || arguments.coverage_format.is_some()
        || arguments.coverage_file.is_some()
        || arguments.min_coverage.is_some();
    wanted.then(|| CoverageOptions {
        format: match arguments.coverage_format {
            None | Some(CoverageName::Text) => CoverageFormat::Text,
            Some(CoverageName::Source) => CoverageFormat::Source,
            Some(CoverageName::Lcov) => CoverageFormat::Lcov,
            Some(CoverageName::Cobertura) => CoverageFormat::Cobertura,
            Some(CoverageName::Html) => CoverageFormat::Html,
            Some(CoverageName::Json) => CoverageFormat::Json,
        },
        file: arguments.coverage_file.clone(),
        least: arguments.min_coverage,
    })
}

/// A test case to debug.
pub(super) struct OpenedCase {
    /// Configuration of the case's run.
    pub(super) config: LaunchConfig,
    /// Number of the event at which the run differs from the case's expectation.
    pub(super) event: Option<u64>,
    /// The result of the case, in a sentence.
    pub(super) told: String,
}

/// Finds the case with a name in the test files next to a definition.
///
/// # Errors
/// If no case has the name, or something cannot be read.
pub(super) fn case(definition: &Path, name: &str) -> Result<OpenedCase, Refusal> {
    let files = test_files_of(definition);
    if files.is_empty() {
        let text = format!(
            "there is no test file beside {}: NAME.test.yaml or NAME.test.json",
            definition.display()
        );
        return Err(Refusal::new(text));
    }
    let mut names: Vec<String> = Vec::new();
    for path in &files {
        let text = load::load(path).map_err(|error| Refusal::new(error.to_string()))?;
        let (file, sources, mut found) = TestFile::parse(path, text);
        found.retain(|found| found.severity == Severity::Error);
        let file = file.ok_or_else(|| Refusal::of(&found, &sources))?;
        match file.case(name) {
            Some(_) => return open(&file, name),
            None => names.extend(file.cases.iter().map(|case| case.name.to_string())),
        }
    }
    let near = did_you_mean(name, names.iter().map(String::as_str));
    let near = near.map(|near| format!("; {near}")).unwrap_or_default();
    let text = format!(
        "there is no test case \"{name}\"{near}; there are {}",
        names.join(", ")
    );
    Err(Refusal::new(text))
}

fn open(file: &TestFile, name: &str) -> Result<OpenedCase, Refusal> {
    let Some(case) = file.case(name) else {
        return Err(Refusal::new(format!("there is no test case \"{name}\"")));
    };
    let mut base = file.config();
    base.rules = file.rules_of(case);
    let prepared = Prepared::of(&base)?;
    let config = file.config_of(case, &prepared.cases(&base));
    let setup = prepared.load(&config)?.setup();
    let limits = Limits {
        max_steps: 1_000_000,
        interrupted: &AtomicBool::new(false),
    };
    let observed = observe(&setup, limits);
    let failures = judge(case, &observed, &setup.definition);
    let first = failures.iter().find(|failure| failure.event.is_some());
    let told = match first.or(failures.first()) {
        None => format!("the test case {name} passes"),
        Some(failure) => format!("the test case {name} fails: {}", failure.brief()),
    };
    Ok(OpenedCase {
        config,
        event: first.and_then(|failure| failure.event),
        told,
    })
}

/// Continues to an event without pausing at stops on the way.
pub(super) fn go_to(session: &mut Session, event: u64) {
    while session.event_count() < event {
        let before = session.event_count();
        let gone = session.apply(Command::Continue(Direction::Forward));
        session.settle();
        if gone.is_err() || session.event_count() == before {
            break;
        }
    }
    // If the recording is shorter, the run is at its end.
    if session.apply(Command::Travel(event)).is_ok() {
        session.settle();
    }
}
