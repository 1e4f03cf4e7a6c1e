//! The commands for tests: test cases, every path through a workflow, and a single state. Also opens test cases in the
//! debugger.

use super::config;
use super::options::{ExploreArguments, FindingLevelName, TestArguments, TestStateArguments};
use super::start_options::CoverageArguments;
use crate::explore::{self, Level};
use crate::headless::{self, CoverageOptions, Refusal, TestState, configuration_of, mock_of};
use crate::interpreter::Header;
use crate::json::Value;
use crate::launch::{self, Given, LaunchConfig};
use crate::query::Profile;
use crate::session::{Command, Direction, Session};
use crate::settings::Settings;
use crate::source::did_you_mean;
use crate::source::yaml::to_yaml;
use crate::suite::{self, Options};
use crate::testing::{
    Case, Limits, SCHEMA, TestFile, from_sfn_test, judge, observe, test_files_of,
};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Runs tests, or prints the schema of test files.
pub(super) fn test(arguments: &TestArguments) -> Result<ExitCode, Refusal> {
    if arguments.schema {
        return headless::print(SCHEMA).map(|()| ExitCode::SUCCESS);
    }
    let mut paths = arguments.paths.clone();
    if paths.is_empty() {
        paths.push(PathBuf::from("."));
    }
    if let Some(missing) = paths.iter().find(|path| !path.exists()) {
        let text = format!(
            "there is no file or folder {path}",
            path = missing.display()
        );
        return Err(Refusal::new(text));
    }
    suite::test(&Options {
        paths,
        filter: arguments.filter.clone(),
        jobs: arguments.jobs.map(usize::from),
        fail_fast: arguments.fail_fast,
        watch: arguments.watch,
        bless: arguments.bless,
        format: arguments.format,
        coverage: coverage(&arguments.coverage),
    })
}

/// Converts a test suite of another tool and prints it as a test file.
pub(super) fn take_over(file: &Path) -> Result<ExitCode, Refusal> {
    let taken = from_sfn_test(file).map_err(Refusal::new)?;
    for note in &taken.notes {
        headless::warn(&format!("note: {note}"));
    }
    headless::print(&to_yaml(&taken.tests)).map(|()| ExitCode::SUCCESS)
}

/// Runs `asldbg explore`: tries the paths through a definition and prints the findings.
pub(super) fn explore(
    arguments: &ExploreArguments,
    settings: &Settings,
) -> Result<ExitCode, Refusal> {
    explore::explore(&explore::Options {
        config: config::start(&arguments.start, &arguments.file, settings)?,
        depth: arguments.depth,
        runs: arguments.runs.max(1),
        time: Duration::from_secs(arguments.time),
        jobs: arguments.jobs.map(usize::from),
        format: arguments.format,
        fail_on: match arguments.fail_on {
            FindingLevelName::Error => Some(Level::Error),
            FindingLevelName::Warning => Some(Level::Warning),
            FindingLevelName::Info => Some(Level::Info),
            FindingLevelName::Never => None,
        },
        write_cases: arguments.write_case,
    })
}

/// The coverage report that the options request; `None` if no option requests one.
pub(super) fn coverage(arguments: &CoverageArguments) -> Option<CoverageOptions> {
    let wanted = arguments.coverage
        || arguments.coverage_format.is_some()
        || arguments.coverage_file.is_some()
        || arguments.min_coverage.is_some();
    wanted.then(|| CoverageOptions {
        format: arguments.coverage_format.unwrap_or_default(),
        file: arguments.coverage_file.clone(),
        least: arguments.min_coverage,
    })
}

/// A test case to open in the debugger.
pub(super) struct OpenedCase {
    /// Configuration of the case's run.
    pub(super) config: LaunchConfig,
    /// Number of the event at which the run differs from the case's expectation; `None` if there is no such event.
    pub(super) event: Option<u64>,
    /// The result of the case, as a sentence.
    pub(super) verdict: String,
}

/// Finds the case with this name in the test files next to a definition.
///
/// # Errors
/// If no case has this name, or a file cannot be read.
pub(super) fn case(definition: &Path, name: &str) -> Result<OpenedCase, Refusal> {
    let files = test_files_of(definition);
    if files.is_empty() {
        let text = format!(
            "there is no test file beside {definition}: NAME.test.yaml or NAME.test.json",
            definition = definition.display()
        );
        return Err(Refusal::new(text));
    }
    let mut names: Vec<String> = Vec::new();
    for path in &files {
        let file = TestFile::load(path)?;
        match file.case(name) {
            Some(case) => return open(&file, case),
            None => names.extend(file.cases.iter().map(|case| case.name.to_string())),
        }
    }
    let near = did_you_mean(name, names.iter().map(String::as_str));
    let suggestion = near.map(|text| format!("; {text}")).unwrap_or_default();
    let text = format!(
        "there is no test case \"{name}\"{suggestion}; the test cases are {names}",
        names = names.join(", ")
    );
    Err(Refusal::new(text))
}

fn open(file: &TestFile, case: &Case) -> Result<OpenedCase, Refusal> {
    let name = &case.name;
    let (base, prepared) = file.prepare(case.profile())?;
    let config = file.config_of(case, &prepared.cases(&base));
    let setup = prepared.load(&config)?.setup();
    let observed = observe(&setup, Limits::of_case(&AtomicBool::new(false)));
    let failures = judge(case, &observed, &setup.definition);
    let first = failures.iter().find(|failure| failure.event.is_some());
    let verdict = match first.or(failures.first()) {
        None => format!("the test case {name} passes"),
        Some(failure) => format!(
            "the test case {name} fails: {failure}",
            failure = failure.brief()
        ),
    };
    Ok(OpenedCase {
        config,
        event: first.and_then(|failure| failure.event),
        verdict,
    })
}

/// Moves the session forward to the event with this number, without a stop at breakpoints.
pub(super) fn go_to(session: &mut Session, event: u64) {
    while session.event_count() < event {
        let before = session.event_count();
        let gone = session.apply(Command::Continue(Direction::Forward));
        session.settle();
        if gone.is_err() || session.event_count() == before {
            break;
        }
    }
    // If the run has ended before this event, the command fails and the run stays at its end.
    if session.apply(Command::Travel(event)).is_ok() {
        session.settle();
    }
}

/// Runs one state alone, as AWS's TestState does.
pub(super) fn test_state(
    arguments: &TestStateArguments,
    settings: &Settings,
) -> Result<ExitCode, Refusal> {
    let profile = config::profile(arguments.profile, settings)?;
    let (file, machine) = (&arguments.file, arguments.state_machine.as_deref());
    let opened = launch::open(&config::program(file, machine, &arguments.values))?;
    let node = opened.readable()?;
    let name = opened.name();
    let state = arguments.state_name.as_deref();
    let mut test = TestState::new(node, &opened.sources, &name, state).map_err(|diagnostics| {
        if diagnostics.is_empty() {
            let state = state.unwrap_or("");
            Refusal::new(format!("the definition has no state \"{state}\""))
        } else {
            Refusal::of(&diagnostics, &opened.sources)
        }
    })?;
    if let Some(mock) = &arguments.mock {
        let mock = Given::of(mock).value("--mock")?;
        (test.mock, test.validation) = mock_of(&mock, "--mock")?;
    }
    if let Some(given) = &arguments.state_configuration {
        let option = "--state-configuration";
        test.configuration = configuration_of(&Given::of(given).value(option)?, option)?;
    }
    if let Some(text) = test.refused(profile) {
        return Err(Refusal::new(text));
    }
    let input = match &arguments.input {
        Some(input) => Given::of(input).value("--input")?,
        None => Value::empty_object(),
    };
    let header = header(arguments, input, &test, profile)?;
    let result = test.run(header)?;
    result.print(arguments.inspection_level, arguments.format)
}

fn header(
    arguments: &TestStateArguments,
    input: Value,
    test: &TestState,
    profile: Profile,
) -> Result<Header, Refusal> {
    let mut header = Header::new(input, profile);
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    header.start_time = i64::try_from(since.as_millis()).unwrap_or(0);
    if let Some(context) = &arguments.context {
        header.context = Given::of(context).object("--context")?;
        // According to the specification, each interpreter decides what the context object may contain, so only AWS's
        // profile refuses a context object.
        let refused = test.context_refused(&header.context);
        if let Some(text) = refused.filter(|_| profile == Profile::Aws) {
            return Err(Refusal::new(text));
        }
        header.tests_state = true;
    }
    if let Some(variables) = &arguments.variables {
        let variables = Given::of(variables).value("--variables")?;
        let Some(object) = variables.as_object() else {
            return Err(Refusal::new(
                "--variables must be an object of names and values",
            ));
        };
        header.variables = object.members().to_vec();
    }
    Ok(header)
}
