//! `asldbg explore`: tries the possible runs of a workflow and reports findings. In the usual run, the input and all
//! answers are the usual ones: from the user if possible, otherwise made up. Every other input or answer is a
//! deviation. A moment is a point of a run at which a request is open; at a moment, the machine is copied, and other
//! runs (forks) continue with other answers. The way of a run is the list of its answers, in order.

mod compensation;
mod constant;
mod finding;
mod grow;
mod lasting;
mod moment;
mod report;
mod search;
mod unreached;
mod walk;
mod world;

pub use finding::{Finding, FindingKind, Level};
pub use report::ReportFormat;

use self::finding::findings;
use self::grow::{grow_usual, repair};
use self::report::Report;
use self::search::{Bounds, Seen, search};
use self::world::{Deadline, Held, World};
use crate::definition::StateKind;
use crate::headless::{self, Refusal};
use crate::launch::{LaunchConfig, Mock, NewCase, OwnWrites, Prepared, write_case};
use crate::session::{Answers, ExistingCase};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

/// Maximum number of times that the search starts over with more made-up data.
const ROUNDS: usize = 12;
/// Maximum number of runs in a first search, which only finds out which data are missing.
const FIRST_RUNS: u64 = 4_000;

/// Options of an exploration.
#[derive(Clone, Debug)]
pub struct Options {
    /// The definition, and the input and the answers of the usual run.
    pub config: LaunchConfig,
    /// Maximum number of deviations in one run: inputs and answers that differ from the usual run's.
    pub depth: u32,
    /// Maximum number of runs.
    pub runs: u64,
    /// Maximum duration of the exploration.
    pub time: Duration,
    /// Number of threads; the number of cores by default.
    pub jobs: Option<usize>,
    /// Output format.
    pub format: ReportFormat,
    /// Minimum severity of a finding that makes the command fail; `None` for never.
    pub fail_on: Option<Level>,
    /// True to write the runs of findings to the mock file as test cases.
    pub write_cases: bool,
}

/// Explores and prints the findings.
///
/// # Errors
/// If the definition cannot be run, or output cannot be written.
pub fn explore(options: &Options) -> Result<ExitCode, Refusal> {
    let prepared = Prepared::of(&options.config)?;
    let loaded = prepared.load(&options.config)?;
    if loaded.case.is_none() && loaded.cases.len() > 1 {
        return Err(Refusal::new(format!(
            "the mock file has several test cases; choose the test case of the usual run with --test-case NAME: {names}",
            names = loaded.cases.join(", ")
        )));
    }
    let input_made = !loaded.has_input;
    let input = match (&loaded.input_file, input_made) {
        (_, true) => "made up".to_string(),
        (Some(file), _) => file.display().to_string(),
        (None, _) => "as given".to_string(),
    };
    let held = Held::in_files(loaded.files.clone());
    let setup = loaded.setup();
    let deadline = Deadline::new(options.time, headless::interrupted());
    let run = Arc::new(setup.run());
    let mut world = World::new(run, setup.mock.clone(), held, input_made, deadline);
    let jobs = options
        .jobs
        .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, std::num::NonZero::get));
    let bounds = Bounds {
        depth: options.depth,
        runs: options.runs,
        deadline,
        jobs,
        progress: headless::Progress::new(),
    };
    if grow_usual(&mut world) {
        cut(&mut world);
    }
    let seen = searched(&mut world, bounds);
    // Starts a new time limit of a tenth of the time: to derive some findings, a few more runs are needed.
    world.deadline = deadline.anew(options.time / 10);
    let (all_findings, doubtful) = findings(&world, &seen, &setup.diagnostics);
    let names = match options.write_cases {
        true if world.uncut.is_some() => {
            headless::warn(
                "no test case is written, because only the first items of each Map were tried",
            );
            Vec::new()
        }
        true => write_cases(&world, &prepared, options, &all_findings)?,
        false => Vec::new(),
    };
    let report = Report {
        definition: &setup.definition,
        file: &options.config.program.file,
        seen: &seen,
        findings: &all_findings,
        doubtful,
        cut_to: world.uncut.as_ref().and(world.run.header.most_items),
        names: &names,
        usual: usual(&world, input, prepared.mock.as_ref()),
        elapsed: deadline.elapsed(),
    };
    report::print(&report, options.format)?;
    if deadline.is_interrupted() {
        return Ok(ExitCode::from(headless::INTERRUPTED_STATUS));
    }
    let worst = all_findings.iter().map(|finding| finding.level).max();
    let fails = worst.zip(options.fail_on);
    let fails = fails.is_some_and(|(worst, level)| worst >= level);
    Ok(ExitCode::from(u8::from(fails)))
}

/// Tells where the data of the usual run come from, as lines (name of the data, source).
fn usual(world: &World, input: String, mock: Option<&Mock>) -> Vec<(String, String)> {
    let answers = match (mock, &world.case) {
        (Some(mock), Some(case)) => format!(
            "test case {case} of {file}",
            case = case.name,
            file = mock.name
        ),
        _ => "made up".to_string(),
    };
    let mut all = vec![
        ("input".to_string(), input),
        ("answers".to_string(), answers),
    ];
    for id in world.run.definition.state_ids() {
        let Some(state) = world.run.definition.state(id) else {
            continue;
        };
        if matches!(&state.kind, StateKind::Map(map) if map.reader.is_some()) {
            let from = match world.items_from(id) {
                Some(place) => place.display().to_string(),
                None if world.returns(id).is_empty() => "made up".to_string(),
                None => "as answered".to_string(),
            };
            all.push((format!("items of {state}", state = state.path), from));
        }
    }
    all
}

/// Searches the runs. If runs failed because data were missing, makes up these data and searches again.
fn searched(world: &mut World, bounds: Bounds) -> Seen {
    for _ in 0..ROUNDS {
        let deadline = bounds.deadline;
        let first = Bounds {
            runs: bounds.runs.min(FIRST_RUNS),
            deadline: deadline.with(deadline.elapsed() + deadline.time() / 4),
            ..bounds
        };
        let seen = search(world, first);
        if seen.large_run && world.uncut.is_none() {
            cut(world);
            continue;
        }
        let mut mended = false;
        for fault in seen.faults.iter().take_while(|_| !deadline.is_over()) {
            mended |= repair(world, fault);
        }
        if !mended {
            return match seen.bound {
                Some(_) => search_in_what_is_left(world, bounds),
                None => seen,
            };
        }
    }
    search_in_what_is_left(world, bounds)
}

/// Limits each Map to its first items. With all items, each run would take so long that only a few runs could be tried.
fn cut(world: &mut World) {
    world.cut();
    grow_usual(world);
}

fn search_in_what_is_left(world: &World, bounds: Bounds) -> Seen {
    let deadline = bounds.deadline;
    let least = deadline.elapsed() + deadline.time() / 10;
    let left = Bounds {
        deadline: deadline.with(deadline.time().max(least)),
        ..bounds
    };
    search(world, left)
}

/// Writes the run of each finding to the mock file as a test case. Returns the names of the test cases; the name is
/// empty if the finding has no run.
fn write_cases(
    world: &World,
    prepared: &Prepared,
    options: &Options,
    findings: &[Finding],
) -> Result<Vec<String>, Refusal> {
    let program = &options.config.program;
    let known = prepared.mock.as_ref().and_then(|mock| mock.path.clone());
    let file: PathBuf = match (known, program.on_disk()) {
        (Some(file), _) => file,
        (None, Some(definition)) => {
            let name = format!("{}.mock.json", world.run.definition.name);
            definition.with_file_name(name)
        }
        (None, None) => {
            let why = "--write-case needs a definition that was read from a file";
            return Err(Refusal::new(why));
        }
    };
    let mut names = Vec::new();
    for finding in findings {
        let Some(course) = &finding.course else {
            names.push(String::new());
            continue;
        };
        let state = world.run.definition.state(finding.state);
        let state = state.map_or("", |state| &*state.name);
        let name = format!("explore {} {state}", finding.kind.name());
        let mut answers: Answers = Vec::new();
        for step in course.steps() {
            let Some(asked) = world.run.definition.state(step.state) else {
                continue;
            };
            let answer = step.answer.clone();
            match answers.iter_mut().find(|(key, _)| *key == asked.name) {
                Some((_, all)) => all.push(answer),
                None => answers.push((asked.name.clone(), vec![answer])),
            }
        }
        let case = NewCase {
            machine: &world.run.definition.name,
            name: &name,
            answers: &answers,
            existing: ExistingCase::IsReplaced,
        };
        write_case(&file, &case, &OwnWrites::default())?;
        names.push(name);
    }
    headless::warn(&format!(
        "the runs of the findings were written as test cases into {file}",
        file = file.display()
    ));
    Ok(names)
}
