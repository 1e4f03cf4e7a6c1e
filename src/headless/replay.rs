//! Repeats recorded executions with a definition and reports the first difference of each.

use super::output::{self, Refusal};
use crate::definition::Definition;
use crate::json::{Text, Value, count, on_line, xml};
use crate::launch::{
    LaunchConfig, Loaded, histories_of_children, item_processor, map_of, read_history,
    recorded_beside,
};
use crate::session::recorded::FirstDifference;
use crate::source::{Diagnostic, Severity, render_with};
use crate::testing::{RECORDINGS, ReplayOutcome, replay_one};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Output format of the results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum ReplayFormat {
    /// One line per execution, and the details of a difference.
    #[default]
    Text,
    /// One JSON object.
    Json,
    /// JUnit's XML.
    Junit,
}

/// Result of repeating one execution.
#[derive(Clone, Debug)]
pub struct Replayed {
    /// Name of the file.
    pub file: String,
    /// Name of the execution, if the file contains several.
    pub execution: Option<String>,
    /// The agreement with the recording, the first difference, or the reason why the two were not compared completely.
    pub outcome: ReplayOutcome,
    /// Number of AWS's events that the run reproduced.
    pub events: usize,
    /// Notes for the user.
    pub notes: Vec<String>,
    /// The definition that was run, if it is not the one that the user gave but the item processor of one of its Maps.
    pub definition: Option<Arc<Definition>>,
}

/// Repeats all executions in files and folders with a definition and prints the results.
///
/// # Errors
/// If no execution could be repeated.
pub fn replay(
    loaded: &Loaded,
    config: &LaunchConfig,
    files: &[PathBuf],
    format: ReplayFormat,
) -> Result<ExitCode, Refusal> {
    let (files, skipped) = expanded(files)?;
    let all = replay_all(loaded, config, &files);
    match format {
        ReplayFormat::Text => print_text(&all, loaded, &skipped)?,
        ReplayFormat::Json => output::print_value(&as_json(&all))?,
        ReplayFormat::Junit => output::print(&as_junit(&all, loaded))?,
    }
    let any = |is: fn(&ReplayOutcome) -> bool| all.iter().any(|outcome| is(&outcome.outcome));
    let unreadable = any(|outcome| matches!(outcome, ReplayOutcome::Unreadable(_)));
    Ok(
        if any(|outcome| matches!(outcome, ReplayOutcome::Differs(_))) {
            ExitCode::from(1)
        } else if unreadable || all.is_empty() || all.iter().all(is_unknown) {
            ExitCode::from(2)
        } else {
            ExitCode::SUCCESS
        },
    )
}

fn is_unknown(replayed: &Replayed) -> bool {
    matches!(replayed.outcome, ReplayOutcome::Unknown { .. })
}

/// Replaces each folder by the histories in it. Also returns a sentence about each folder that contains other files.
fn expanded(files: &[PathBuf]) -> Result<(Vec<PathBuf>, Vec<String>), Refusal> {
    let (mut all, mut skipped) = (Vec::new(), Vec::new());
    for file in files {
        if !file.is_dir() {
            all.push(file.clone());
            continue;
        }
        let folder = file.display();
        let unreadable = |error| Refusal::new(format!("cannot read {folder}: {error}"));
        let entries = std::fs::read_dir(file).map_err(unreadable)?;
        let files = entries.flatten().map(|entry| entry.path());
        let files = files.filter(|path| path.is_file() && is_of_interest(path));
        let (mut histories, others): (Vec<_>, Vec<_>) =
            files.partition(|path| crate::launch::is_history_file(path));
        histories.sort_unstable();
        if !others.is_empty() {
            let count = others.len();
            skipped.push(if count == 1 {
                format!("1 file of the folder {folder} contains no history")
            } else {
                format!("{count} files of the folder {folder} contain no history")
            });
        }
        if histories.is_empty() {
            let text = format!("the folder {folder} contains no history");
            return Err(Refusal::new(text));
        }
        all.extend(histories);
    }
    Ok((all, skipped))
}

fn is_of_interest(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    !name.starts_with('.') && RECORDINGS.iter().any(|ending| name.ends_with(ending))
}

/// Repeats the executions in parallel; returns the results in the order of the files.
fn replay_all(loaded: &Loaded, config: &LaunchConfig, files: &[PathBuf]) -> Vec<Replayed> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, Vec<Replayed>)>> = Mutex::new(Vec::new());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads.min(files.len()) {
            scope.spawn(|| {
                while let Some((place, file)) = {
                    let place = next.fetch_add(1, Ordering::Relaxed);
                    files.get(place).map(|file| (place, file))
                } {
                    let outcome = replay_file(loaded, config, file);
                    let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
                    done.push((place, outcome));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_unstable_by_key(|(place, _)| *place);
    done.into_iter().flat_map(|(_, outcome)| outcome).collect()
}

fn replay_file(loaded: &Loaded, config: &LaunchConfig, file: &Path) -> Vec<Replayed> {
    let name = file.display().to_string();
    let imported = match read_history(file) {
        Ok(imported) => imported,
        Err(error) => {
            return vec![Replayed {
                file: name,
                execution: None,
                outcome: ReplayOutcome::Unreadable(error.brief()),
                events: 0,
                notes: Vec::new(),
                definition: None,
            }];
        }
    };
    let several = imported.executions.len() > 1;
    let wanted = config.history.as_ref();
    let wanted = wanted.and_then(|history| history.execution.as_deref());
    let notes = imported.notes;
    let executions = imported.executions.into_iter().filter(|execution| {
        let names = [&execution.arn, &execution.name];
        let mut names = names.into_iter().flatten();
        wanted.is_none_or(|wanted| names.any(|name| name.ends_with(wanted)))
    });
    let replayed = executions.map(|execution| {
        let label = execution.name.as_ref().or(execution.arn.as_ref());
        let label = label.map(ToString::to_string);
        let recorded = recorded_beside(execution, notes.clone(), &loaded.definition);
        let notes = recorded.notes.clone();
        let repeated = replay_one(loaded, config, recorded);
        Replayed {
            file: name.clone(),
            execution: label.filter(|_| several),
            outcome: repeated.outcome,
            events: repeated.events,
            notes,
            definition: None,
        }
    });
    let mut all: Vec<Replayed> = replayed.collect();
    all.extend(replay_children(config, file));
    all
}

/// Repeats the recorded child executions that the Maps of the execution in `file` started. Each child is repeated with
/// the item processor of its Map.
#[must_use]
pub fn replay_children(config: &LaunchConfig, file: &Path) -> Vec<Replayed> {
    let mut machines: BTreeMap<String, Result<Option<Loaded>, String>> = BTreeMap::new();
    let mut all = Vec::new();
    for child in histories_of_children(file) {
        let Ok(imported) = read_history(&child) else {
            continue;
        };
        for execution in imported.executions {
            let map = execution.arn.as_deref().and_then(map_of);
            // An execution of another state machine is not a child of this definition's Maps.
            let Some(map) = map.map(str::to_string) else {
                continue;
            };
            let machine = machines
                .entry(map.clone())
                .or_insert_with(|| item_processor(config, &map).map_err(|error| error.brief()));
            let (outcome, events, machine) = match machine {
                Ok(Some(loaded)) => {
                    let recorded = recorded_beside(execution, Vec::new(), &loaded.definition);
                    let config = LaunchConfig {
                        input: None,
                        history: None,
                        ..config.clone()
                    };
                    let repeated = replay_one(loaded, &config, recorded);
                    (repeated.outcome, repeated.events, Some(loaded))
                }
                Ok(None) => (
                    ReplayOutcome::Unknown {
                        after: 0,
                        reason: format!("the definition no longer has the Map {map}"),
                    },
                    0,
                    None,
                ),
                Err(error) => (ReplayOutcome::Unreadable(error.clone()), 0, None),
            };
            all.push(Replayed {
                file: child.display().to_string(),
                execution: None,
                outcome,
                events,
                notes: Vec::new(),
                definition: machine.map(|loaded| Arc::clone(&loaded.definition)),
            });
        }
    }
    all
}

fn headline(replayed: &Replayed) -> String {
    match &replayed.outcome {
        ReplayOutcome::Same => format!("same ({count} events)", count = replayed.events),
        ReplayOutcome::Differs(difference) => {
            let at_event = difference
                .event
                .map(|id| format!(" at #{id}"))
                .unwrap_or_default();
            let state = difference.state.as_ref().map(|state| format!(" {state}"));
            let (state, difference) = (state.unwrap_or_default(), &difference.what);
            format!("differs{at_event}{state}: {difference}")
        }
        ReplayOutcome::Unknown { after: 0, reason } => format!("unknown: {reason}"),
        ReplayOutcome::Unknown { after, reason } => {
            format!("unknown: {reason} after event #{after}")
        }
        ReplayOutcome::Unreadable(reason) => format!("the history could not be read: {reason}"),
    }
}

fn title(replayed: &Replayed) -> String {
    match &replayed.execution {
        Some(execution) => format!("{file} {execution}", file = replayed.file),
        None => replayed.file.clone(),
    }
}

fn line(text: &mut String, line: &str) {
    text.push_str(&on_line(line));
    text.push('\n');
}

fn print_text(all: &[Replayed], loaded: &Loaded, skipped: &[String]) -> Result<(), Refusal> {
    let style = output::style_of_results();
    let mut text = String::new();
    for replayed in all {
        line(
            &mut text,
            &format!("{}: {}", title(replayed), headline(replayed)),
        );
        for note in &replayed.notes {
            line(&mut text, &format!("  note: {note}"));
        }
        if let ReplayOutcome::Differs(difference) = &replayed.outcome {
            let definition = replayed.definition.as_ref().unwrap_or(&loaded.definition);
            let (difference, sides) = (diagnostic(difference), sides(difference));
            text += &render_with(&difference, &sides, &definition.sources, style);
            text.push('\n');
        }
    }
    for note in skipped {
        line(&mut text, note);
    }
    if all.len() > 1 {
        let [same, differ, unknown] = counts(all);
        let counts =
            format!("executions compared: {same} same, {differ} different, {unknown} unknown");
        line(&mut text, &counts);
    }
    output::print_rendered(&text, style)
}

/// Number of executions that agree, that differ, and that could not be compared completely.
fn counts(all: &[Replayed]) -> [usize; 3] {
    all.iter()
        .fold([0; 3], |[same, differ, unknown], replayed| {
            match replayed.outcome {
                ReplayOutcome::Same => [same + 1, differ, unknown],
                ReplayOutcome::Differs(_) => [same, differ + 1, unknown],
                _ => [same, differ, unknown + 1],
            }
        })
}

fn diagnostic(difference: &FirstDifference) -> Diagnostic {
    let message = match &difference.reason {
        Some(reason) => reason.text.clone(),
        None => difference.what.clone(),
    };
    let mut diagnostic = Diagnostic::new(Severity::Error, "FIRST_DIFFERENCE", 0, message);
    diagnostic.span = difference.reason.as_ref().and_then(|reason| reason.span);
    diagnostic
}

fn sides(difference: &FirstDifference) -> Vec<String> {
    vec![
        format!("on AWS: {difference}", difference = difference.there),
        format!("here:   {difference}", difference = difference.here),
    ]
}

fn as_json(all: &[Replayed]) -> Value {
    let histories = all.iter().map(|replayed| {
        let (result, event, state, reason) = match &replayed.outcome {
            ReplayOutcome::Same => ("same", None, None, None),
            ReplayOutcome::Differs(difference) => (
                "differs",
                difference.event,
                difference.state.clone(),
                Some(&difference.what),
            ),
            ReplayOutcome::Unknown { after, reason } => (
                "unknown",
                Some(*after).filter(|id| *id > 0),
                None,
                Some(reason),
            ),
            ReplayOutcome::Unreadable(reason) => ("unknown", None, None, Some(reason)),
        };
        let mut members: Vec<(Text, Value)> = vec![
            ("file".into(), Value::from(&*replayed.file)),
            ("result".into(), Value::from(result)),
            ("event".into(), event.map_or(Value::Null, count)),
            ("state".into(), state.map_or(Value::Null, Value::String)),
            (
                "reason".into(),
                reason.map_or(Value::Null, |reason| Value::from(&**reason)),
            ),
        ];
        if let Some(execution) = &replayed.execution {
            members.push(("execution".into(), Value::from(&**execution)));
        }
        if let ReplayOutcome::Differs(difference) = &replayed.outcome {
            members.push(("aws".into(), Value::from(&*difference.there)));
            members.push(("here".into(), Value::from(&*difference.here)));
            if let Some(reason) = &difference.reason {
                members.push(("because".into(), Value::from(&*reason.text)));
            }
        }
        let notes = replayed
            .notes
            .iter()
            .map(|note| Value::from(&**note))
            .collect();
        members.push(("notes".into(), Value::array(notes)));
        Value::object(members)
    });
    Value::object(vec![(
        "histories".into(),
        Value::array(histories.collect()),
    )])
}

fn as_junit(all: &[Replayed], loaded: &Loaded) -> String {
    let [_, failed, skipped] = counts(all);
    let name = xml(&loaded.definition.name);
    let count = all.len();
    let counts = format!("tests=\"{count}\" failures=\"{failed}\" errors=\"0\"");
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {counts}>\n  <testsuite name=\"replay {name}\" {counts} skipped=\"{skipped}\">\n"
    );
    for replayed in all {
        let start = format!(
            "    <testcase classname=\"{name}\" name=\"{title}\"",
            title = xml(&title(replayed))
        );
        let body = match &replayed.outcome {
            ReplayOutcome::Same => {
                text.push_str(&format!("{start}/>\n"));
                continue;
            }
            ReplayOutcome::Differs(difference) => {
                let mut lines = sides(difference);
                lines.extend(difference.reason.as_ref().map(|reason| reason.text.clone()));
                let lines: Vec<String> = lines.iter().map(|line| xml(line)).collect();
                let lines = lines.join("\n");
                format!(
                    "<failure message=\"{message}\">{lines}</failure>",
                    message = xml(&headline(replayed))
                )
            }
            _ => format!(
                "<skipped message=\"{message}\"/>",
                message = xml(&headline(replayed))
            ),
        };
        text.push_str(&format!("{start}>{body}</testcase>\n"));
    }
    text.push_str("  </testsuite>\n</testsuites>\n");
    text
}
