//! `asldbg pull`: fetches an execution from AWS into a folder. The requests are made by the user's `aws` program.

mod arn;
mod aws;
mod children;
mod complaint;
mod execution;
mod express;
mod fetched;
mod folder;

use crate::headless::{self, Progress, Refusal};
use crate::source::counted;
use crate::source::store::Replace;
use arn::{Arn, Kind};
use aws::Aws;
use children::Room;
use complaint::Trouble;
use fetched::Fetched;
use folder::Folder;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Options of `asldbg pull`.
#[derive(Clone, Debug)]
pub struct PullOptions {
    /// The execution to fetch.
    pub wanted: Wanted,
    /// Maximum number of child executions that are fetched in addition; `None` if no child executions are fetched.
    pub children: Option<usize>,
    /// How to handle a running execution.
    pub follow: Follow,
    /// The target folder; by default it is named after the execution.
    pub into: Option<PathBuf>,
    /// The treatment of a folder that exists already: [`Replace::Regular`] replaces it, [`Replace::Nothing`] is an
    /// error.
    pub replace: Replace,
    /// Patterns of the values to redact in everything that is written.
    pub redact: Vec<String>,
    /// Additional options for the `aws` program.
    pub aws: Vec<String>,
}

/// Selects the execution to fetch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The execution with this ARN.
    Execution(String),
    /// The last execution that failed or timed out, of the state machine with this ARN.
    LastFailed(String),
}

/// How to handle a running execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Follow {
    /// Fetch only the events that exist now.
    No,
    /// Fetch new events repeatedly until the execution ends.
    UntilEnd,
}

/// Fetches an execution and prints the path of its history. The exit status is 1 if a part of the execution could not
/// be fetched.
///
/// # Errors
/// If the execution cannot be fetched; in this case nothing is written. Also if it cannot be followed any longer; in
/// this case the fetched files are kept.
pub fn pull(options: &PullOptions) -> Result<ExitCode, Refusal> {
    let progress = Progress::new();
    let ended = fetch(options, &progress);
    progress.clear();
    ended
}

fn fetch(options: &PullOptions, progress: &Progress) -> Result<ExitCode, Refusal> {
    let mut folder = Folder::new(options.into.clone(), options.replace, &options.redact)?;
    let (aws, arn) = choose(options, progress)?;
    if options.follow == Follow::UntilEnd && arn.kind == Kind::Express {
        return Err(Refusal::new(
            "--follow cannot follow an express execution, because the log lines arrive late; after the end of the execution (within five minutes), call `asldbg pull` without --follow",
        ));
    }
    if options.redact.is_empty() || options.into.is_some() {
        folder.look(&arn)?;
    }
    let refused = |trouble: Trouble| Refusal::of_lines(&trouble.message(&unfetched(&arn)));
    let mut fetched = children::fetch_one(&aws, &arn, progress).map_err(refused)?;
    if let Some(most) = options.children {
        children::fetch(&aws, &mut fetched, &mut Room::of(most), progress).map_err(refused)?;
    }
    let file = folder.write(&fetched)?;
    progress.clear();
    headless::print(&format!("{}\n", file.display()))?;
    tell(options, &fetched, &mut folder, &file);
    if options.follow == Follow::UntilEnd && fetched.is_running() {
        execution::follow(&aws, &mut fetched, &mut folder, progress).map_err(|trouble| {
            let undone = format!(
                "cannot follow {execution} any longer; the fetched files are kept",
                execution = arn.text
            );
            Refusal::of_lines(&trouble.message(&undone))
        })?;
        progress.clear();
        headless::warn(&folder.seen(&fetched));
    }
    Ok(ExitCode::from(u8::from(fetched.is_partial)))
}

/// Finds the `aws` program, and the execution that the options select.
fn choose(options: &PullOptions, progress: &Progress) -> Result<(Aws, Arn), Refusal> {
    let find = |arn: &Arn| {
        Aws::find(&options.aws, &arn.region)
            .map_err(|complaint| Refusal::of_lines(&complaint.message(&unfetched(arn))))
    };
    match &options.wanted {
        Wanted::Execution(text) => {
            let arn = Arn::execution(text).map_err(Refusal::new)?;
            Ok((find(&arn)?, arn))
        }
        Wanted::LastFailed(text) => {
            let machine = Arn::state_machine(text).map_err(Refusal::new)?;
            let aws = find(&machine)?;
            let arn = children::last_failed(&aws, &machine, progress).map_err(|trouble| {
                let undone = format!(
                    "cannot find a failed execution of {machine}",
                    machine = machine.text
                );
                Refusal::of_lines(&trouble.message(&undone))
            })?;
            progress.clear();
            headless::warn(&format!(
                "the last failed execution is {arn}",
                arn = arn.text
            ));
            Ok((aws, arn))
        }
    }
}

/// The beginning of the error message for an execution that could not be fetched.
fn unfetched(arn: &Arn) -> String {
    format!(
        "cannot fetch {execution}, nothing was written",
        execution = arn.text
    )
}

/// Prints the notes and a summary of what was fetched, and suggests the next command.
fn tell(options: &PullOptions, fetched: &Fetched, folder: &mut Folder, file: &Path) {
    let is_followed = options.follow == Follow::UntilEnd;
    let all = fetched.all();
    let mut notes: Vec<(&str, usize)> = Vec::new();
    for note in all.iter().flat_map(|execution| &execution.notes) {
        match notes.iter_mut().find(|(known, _)| *known == note.as_str()) {
            Some((_, times)) => *times += 1,
            None => notes.push((note, 1)),
        }
    }
    for (note, times) in notes {
        let times = match times {
            1 => String::new(),
            times => format!(" (of {times} executions)"),
        };
        headless::warn_lines(&format!("note{times}: {}", folder.redacted(note)));
    }
    let children = match all.len() - 1 {
        0 => String::new(),
        children => format!(", {}", counted(children, "child execution")),
    };
    let outcome = folder.seen(fetched);
    headless::warn(&format!(
        "{outcome}{children}; open the execution: asldbg {file}",
        file = headless::shell_word(&file.display().to_string())
    ));
    if fetched.is_running() && !is_followed {
        headless::warn("the execution is still running: --follow fetches its events until it ends");
    }
}
