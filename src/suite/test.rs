//! `asldbg test`: runs the tests once or, on request, again after every save.

use super::plan::{Plan, Unit};
use super::report::{json, junit, tap, text_begin, text_end, text_line};
use super::result::CaseResult;
use super::run::run_all;
use crate::coverage::{Coverage, Covered};
use crate::headless::{self, CoverageOptions, Printed, Progress, Refusal};
use crate::launch::{OwnWrites, watch};
use crate::testing::{Blessed, Found, bless, test_files};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant, SystemTime};

/// Maximum duration of a run before progress is printed.
const PATIENCE: Duration = Duration::from_secs(1);

/// Output format of the results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum ReportFormat {
    /// A text for people to read.
    #[default]
    Text,
    /// A single JSON object.
    Json,
    /// An XML document in JUnit's format.
    Junit,
    /// A text in the format of the Test Anything Protocol (TAP).
    Tap,
}

/// Options of a test run.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Files and folders to search for tests.
    pub paths: Vec<PathBuf>,
    /// Run only cases whose file or name contains this text.
    pub filter: Option<String>,
    /// Maximum number of cases to run at once; defaults to the number of cores.
    pub jobs: Option<usize>,
    /// Stop at the first failure.
    pub fail_fast: bool,
    /// Run the tests again on every save.
    pub watch: bool,
    /// Update the expectations to match the actual results.
    pub bless: bool,
    /// Output format of the results.
    pub format: ReportFormat,
    /// Coverage report to produce, if any.
    pub coverage: Option<CoverageOptions>,
}

/// Runs the tests and prints the results.
///
/// # Errors
/// If the results cannot be printed or one of the user's files cannot be written.
pub fn test(options: &Options) -> Result<ExitCode, Refusal> {
    let mut concerned: Option<Vec<PathBuf>> = None;
    loop {
        let plan = Plan::read(&options.paths);
        let own_writes = OwnWrites::default();
        let code = once(&plan, options, concerned.as_deref(), &own_writes)?;
        if !options.watch {
            return Ok(code);
        }
        let mut files: Vec<PathBuf> = plan.units.iter().flat_map(Unit::files).collect();
        files.extend(plan.files.tests.iter().cloned());
        files.extend(plan.broken.iter().filter(|file| file.is_file()).cloned());
        files.sort_unstable();
        files.dedup();
        match wait_for_change(&files, &own_writes, &options.paths, &plan.files)? {
            None => return Ok(ExitCode::from(headless::INTERRUPTED_STATUS)),
            changed => concerned = changed,
        }
    }
}

/// Runs all tests or, if `concerned` is given, only the tests that depend on these files.
fn once(
    plan: &Plan,
    options: &Options,
    concerned: Option<&[PathBuf]>,
    own_writes: &OwnWrites,
) -> Result<ExitCode, Refusal> {
    let begun = Instant::now();
    for problem in &plan.problems {
        problem.report();
    }
    let cases = chosen(plan, options, concerned);
    if cases.is_empty() && (plan.problems.is_empty() || options.format == ReportFormat::Text) {
        if plan.problems.is_empty() {
            headless::warn(&nothing(plan, options));
        }
        return Ok(ExitCode::from(2));
    }
    if options.format == ReportFormat::Text {
        headless::print(&text_begin(cases.len()))?;
    }
    let (mut results, mut failed) = (Vec::new(), None);
    let jobs = options
        .jobs
        .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, std::num::NonZero::get));
    let interrupted = headless::interrupted();
    let progress = match Progress::new() {
        Progress::Lines => Progress::Silent,
        progress => progress,
    };
    run_all(&plan.units, &cases, jobs, interrupted, |result| {
        let Some(result) = result else {
            progress.step(&running(plan, &cases, results.len(), begun.elapsed()));
            return true;
        };
        if options.format == ReportFormat::Text {
            progress.clear();
            if let Err(refusal) = headless::print(&text_line(&result)) {
                failed = Some(refusal);
            }
        } else if begun.elapsed() > PATIENCE {
            progress.step(&format!("{} of {} tests", results.len() + 1, cases.len()));
        }
        let ends = result.has_failed() && options.fail_fast;
        results.push(result);
        failed.is_none() && !ends
    });
    progress.clear();
    if let Some(refusal) = failed {
        return Err(refusal);
    }
    if interrupted.load(Ordering::Relaxed) {
        return Ok(ExitCode::from(headless::INTERRUPTED_STATUS));
    }
    let covered = match &options.coverage {
        Some(_) => covered(&results),
        None => Vec::new(),
    };
    let elapsed = begun.elapsed();
    match options.format {
        ReportFormat::Text => headless::print(&text_end(&results, elapsed))?,
        ReportFormat::Json => headless::print_json(&json(&results, &covered))?,
        ReportFormat::Junit => headless::print(&junit(&results, elapsed))?,
        ReportFormat::Tap => headless::print(&tap(&results))?,
    }
    if options.bless {
        bless_all(plan, &results, own_writes)?;
    }
    let enough = match &options.coverage {
        Some(wanted) => {
            let printed = match options.format {
                ReportFormat::Text => {
                    headless::print("\n")?;
                    Printed::WithResults
                }
                _ => Printed::Apart,
            };
            headless::report_coverage(&covered, wanted, printed)?
        }
        None => true,
    };
    let fails = results.iter().any(CaseResult::has_failed) && !options.bless;
    Ok(match plan.problems.is_empty() {
        false => ExitCode::from(2),
        true => ExitCode::from(u8::from(fails || !enough)),
    })
}

/// A progress message for a case that takes long.
fn running(plan: &Plan, cases: &[(usize, usize)], done: usize, since: Duration) -> String {
    let next = cases.get(done).and_then(|(unit, case)| {
        let unit = plan.units.get(*unit)?;
        unit.file.cases.get(*case)
    });
    format!(
        "{done} of {count} tests done in {seconds} s; running {name}",
        count = cases.len(),
        seconds = since.as_secs(),
        name = next.map_or("", |case| &*case.name)
    )
}

/// The cases to run, as (index of the unit, index of the case within the unit).
fn chosen(plan: &Plan, options: &Options, concerned: Option<&[PathBuf]>) -> Vec<(usize, usize)> {
    let mut cases = Vec::new();
    for (unit_place, unit) in plan.units.iter().enumerate() {
        let files = unit.files();
        if concerned.is_some_and(|changed| !changed.iter().any(|file| files.contains(file))) {
            continue;
        }
        for (place, case) in unit.file.cases.iter().enumerate() {
            let title = format!("{} {}", unit.file.path.display(), case.name);
            let wanted = options.filter.as_ref();
            if wanted.is_none_or(|filter| title.contains(filter.as_str())) {
                cases.push((unit_place, place));
            }
        }
    }
    cases
}

/// Message that explains why there is nothing to run and how to write a first test.
fn nothing(plan: &Plan, options: &Options) -> String {
    let all: usize = plan.units.iter().map(|unit| unit.file.cases.len()).sum();
    if let (Some(filter), true) = (&options.filter, all > 0) {
        return format!(
            "there is no test to run: none of the {all} cases has \"{filter}\" in its name"
        );
    }
    let places = options.paths.iter().map(|path| path.display().to_string());
    let places: Vec<String> = places.collect();
    let definitions = match plan.files.definitions {
        0 => "no file seems to be a definition".to_string(),
        1 => "1 file seems to be a definition".to_string(),
        count => format!("{count} files seem to be definitions"),
    };
    let cut = match plan.files.cut {
        true => "; asldbg did not examine all files",
        false => "",
    };
    format!(
        "found no test in {places}: there is no NAME.test.yaml, NAME.test.json, NAME.mock.json or NAME.histories ({definitions}{cut}). `:write test NAME` in the debugger writes the current run as a test; `asldbg test --schema` prints the format",
        places = places.join(", ")
    )
}

/// Combined coverage of the cases of each definition.
fn covered(results: &[CaseResult]) -> Vec<Covered> {
    type Key<'r> = (&'r PathBuf, &'r Option<String>);
    let mut all: BTreeMap<Key<'_>, Covered> = BTreeMap::new();
    for result in results {
        let (Some(definition), Some(coverage)) = (&result.definition, result.coverage()) else {
            continue;
        };
        let key = (&result.program, &result.machine);
        let covered = all.entry(key).or_insert_with(|| Covered {
            definition: Arc::clone(definition),
            coverage: Coverage::default(),
        });
        covered.coverage.add(coverage);
    }
    all.into_values().collect()
}

/// Writes the actual results into the test files, for cases that failed and cases without expectations.
fn bless_all(plan: &Plan, results: &[CaseResult], own_writes: &OwnWrites) -> Result<(), Refusal> {
    for unit in &plan.units {
        let mut all = Vec::new();
        for case in &unit.file.cases {
            let mut results = results.iter();
            let result =
                results.find(|result| result.file == unit.file.path && result.name == *case.name);
            let Some((result, observed)) = result.and_then(|result| {
                let observed = result.observed.as_deref()?;
                Some((result, observed.end.status().map(|_| observed)?))
            }) else {
                continue;
            };
            let is_new = case.expect.span.is_none();
            if is_new || !result.failures().is_empty() {
                all.push(Blessed {
                    case,
                    observed,
                    failures: result.failures(),
                });
            }
        }
        let Some((_, prepared)) = unit.prepared.first() else {
            continue;
        };
        if !all.is_empty() {
            let file = bless(&unit.file, &prepared.definition, &all, own_writes)?;
            let count = all.len();
            headless::warn(&format!(
                "{file} now expects the results of {count} cases",
                file = file.display()
            ));
        }
    }
    Ok(())
}

/// While the program waits for changes, the time between two checks for an interruption by the user.
const INTERVAL: Duration = Duration::from_millis(200);

/// Number of checks for an interruption between two searches for new tests.
const LOOKS: u32 = 10;

/// Returns the files that were saved or are new; `None` if the user interrupted the wait.
///
/// # Errors
/// If the folders cannot be watched.
fn wait_for_change(
    files: &[PathBuf],
    own_writes: &OwnWrites,
    paths: &[PathBuf],
    known: &Found,
) -> Result<Option<Vec<PathBuf>>, Refusal> {
    let written = |file: &PathBuf| {
        let known = std::fs::metadata(file);
        known.and_then(|known| known.modified()).ok()
    };
    let before: Vec<Option<SystemTime>> = files.iter().map(written).collect();
    let (sender, changes) = channel();
    let news = move || sender.send(()).is_ok();
    let watching = watch(files, own_writes, news).map_err(|error| {
        Refusal::new(format!(
            "the test files cannot be watched for changes: {error}"
        ))
    })?;
    headless::warn_lines("\nwaiting for the files to change; press Ctrl-C to stop");
    let interrupted = headless::interrupted();
    let mut looks = 0;
    loop {
        match changes.recv_timeout(INTERVAL) {
            Ok(()) => break,
            Err(RecvTimeoutError::Timeout) if interrupted.load(Ordering::Relaxed) => {
                return Ok(None);
            }
            Err(RecvTimeoutError::Timeout) => {
                looks += 1;
                let new = match looks % LOOKS {
                    0 => new_files(paths, known),
                    _ => Vec::new(),
                };
                if !new.is_empty() {
                    return Ok(Some(new));
                }
            }
            Err(RecvTimeoutError::Disconnected) => return Ok(None),
        }
    }
    drop(watching);
    let changed = files.iter().zip(before);
    let changed = changed.filter(|(file, before)| written(file) != *before);
    Ok(Some(changed.map(|(file, _)| file.clone()).collect()))
}

/// The files with tests that a new search in `paths` finds and that are not in `known`, the result of an earlier
/// search.
fn new_files(paths: &[PathBuf], known: &Found) -> Vec<PathBuf> {
    let now = test_files(paths);
    let mut new: Vec<PathBuf> = now.tests.difference(&known.tests).cloned().collect();
    let mocks = now.mocks.difference(&known.mocks);
    new.extend(mocks.map(|(_, mock, _)| mock.clone()));
    let histories = now.histories.difference(&known.histories);
    new.extend(histories.map(|(_, history)| history.clone()));
    new
}
