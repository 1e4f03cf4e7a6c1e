//! Links the events of a recorded execution to a definition, so that a run can repeat the execution.

use super::config::{HistoryGiven, LaunchConfig, Questions};
use super::error::LaunchError;
use super::history_file::{Recorded, is_history_file, read_history};
use super::map_run::take_items;
use crate::definition::{Definition, ResultPath, StateId, StateKind};
use crate::history::import::{Imported, RecordedExecution};
use crate::history::skeleton;
use crate::query::Profile;
use crate::session::Repetition;
use crate::session::recorded::{Payload, RecordedRun};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Returns the execution that the user selected in an imported file, or the file's first execution if the user selected
/// none. Also returns notes about the import and the selection.
///
/// # Errors
/// If no execution has the given name.
pub fn pick(
    given: &HistoryGiven,
    imported: Imported,
) -> Result<(RecordedExecution, Vec<String>), LaunchError> {
    let count = imported.executions.len();
    let mut notes = imported.notes;
    let names: Vec<String> = imported.executions.iter().map(label).collect();
    let mut executions = imported.executions.into_iter();
    let picked = match &given.execution {
        None => executions.next(),
        Some(wanted) => executions.find(|execution| {
            let label = [execution.arn.as_deref(), execution.name.as_deref()];
            label
                .into_iter()
                .flatten()
                .any(|label| label.ends_with(wanted.as_str()))
        }),
    };
    let picked = picked.ok_or_else(|| LaunchError::History {
        file: given.file.clone(),
        problem: format!(
            "the history contains no execution {wanted}; it contains {names}",
            wanted = given.execution.as_deref().unwrap_or_default(),
            names = names.join(", ")
        ),
    })?;
    if count > 1 && given.execution.is_none() {
        notes.push(format!(
            "the history contains {count} executions, and asldbg uses {name} (--execution picks another execution: {names})",
            name = label(&picked),
            names = names.join(", ")
        ));
    }
    Ok((picked, notes))
}

/// The name or ARN of an execution, for messages.
fn label(execution: &RecordedExecution) -> String {
    let label = execution.name.as_ref().or(execution.arn.as_ref());
    label.map_or_else(
        || "an execution without a name".to_string(),
        ToString::to_string,
    )
}

/// Reads the selected execution and links it to a definition.
///
/// # Errors
/// The errors of [`read_history`] and [`pick`].
pub fn recorded(
    given: &HistoryGiven,
    definition: &Definition,
    config: &LaunchConfig,
) -> Result<Recorded, LaunchError> {
    let (execution, notes) = pick(given, read_history(&given.file)?)?;
    let mut recorded = beside(execution, notes, definition);
    if config.skeleton {
        recorded.follow(definition);
        recorded.follows = false;
        recorded.view_only = None;
        recorded.notes.extend(contradiction(&recorded.run));
        let text = "no definition was found, so this definition was made from the events (--definition FILE names the real definition)";
        recorded.notes.insert(0, text.to_string());
        return Ok(recorded);
    }
    let is_known = recorded.execution.input.value().is_some() && !recorded.run.is_completed();
    let lacks_input = !is_known && config.input.is_none();
    if let Some(why) = recorded.view_only.take() {
        recorded.follow(definition);
        recorded.notes.push(why);
    } else if lacks_input {
        recorded.follow(definition);
        let text = "the execution's input was not recorded, so the run follows the recorded events (with --input the execution is repeated)";
        recorded.notes.push(text.to_string());
    } else {
        take_items(&mut recorded, &given.file, definition);
    }
    Ok(recorded)
}

impl Recorded {
    /// Makes the run take its transitions and values from the recorded events, even if the definition would compute
    /// others.
    fn follow(&mut self, definition: &Definition) {
        self.follows = true;
        self.course = Arc::new(self.run.course_followed(definition));
        self.answers = Arc::new(self.run.answers_followed());
    }

    /// The recorded data that a run needs to repeat the execution.
    #[must_use]
    pub fn repetition(&self) -> Repetition {
        Repetition {
            run: Arc::clone(&self.run),
            course: Arc::clone(&self.course),
            answers: Arc::clone(&self.answers),
            items: Arc::clone(&self.items),
        }
    }

    /// The state at which the run begins if the first events of the recording are missing. `None` if the recording is
    /// complete, or if the first recorded state is inside a Map or Parallel state.
    #[must_use]
    pub fn begins_at(&self, definition: &Definition) -> Option<StateId> {
        let visit = self.run.frames.first()?.visits.first()?;
        let state = definition.state(visit.state?)?;
        let is_own = self.run.begins_late() && state.scope.0 == 0;
        visit.state.filter(|_| is_own)
    }
}

/// Links the events of a recorded execution to a definition, and adds notes about missing events and data.
#[must_use]
pub fn beside(
    mut execution: RecordedExecution,
    mut notes: Vec<String>,
    definition: &Definition,
) -> Recorded {
    let events = std::mem::take(&mut execution.events);
    let run = RecordedRun::link(events, definition);
    if matches!(execution.input, Payload::Unknown | Payload::Absent)
        && let Some((_, first)) = run.recorded().next().filter(|(_, first)| first.id == 1)
    {
        execution.input = first.data.clone();
    }
    let idle = run.idle_redrives();
    let count = u32::try_from(run.redrives()).unwrap_or(u32::MAX);
    execution.redrive_count = execution.redrive_count.max(count);
    let redrives = run.redrives().saturating_sub(idle.len());
    if redrives > 0 {
        let times = if redrives == 1 {
            "once".to_string()
        } else {
            format!("{redrives} times")
        };
        notes.push(format!(
            "the execution was redriven {times}; the attempts before the redrive are not repeated"
        ));
    }
    for id in idle {
        notes.push(format!(
            "the redrive at event #{id} ended at once, because the failed state failed again before the state was entered"
        ));
    }
    if run.end().is_none() {
        let last = run.events.last().map_or(0, |event| event.id);
        notes.push(format!("nothing was recorded after event #{last}: the execution was still running, or the file is cut off"));
    } else if !run.is_whole && !run.is_completed() {
        notes.push("some events of the execution are missing".to_string());
    }
    if run.is_completed()
        && let Some((_, first)) = run.recorded().next()
    {
        let id = first.id;
        notes.push(match run.log_level() {
            Some(level) => format!(
                "only failures were recorded, from event #{id} on, because the log level is {level}: entered states, calls and results are missing (log level ALL records them)"
            ),
            None => format!(
                "nothing was recorded before event #{id}, so the earlier course of the running states is unknown"
            ),
        });
    }
    notes.extend(without_data(&run));
    notes.extend(run.guessed_from.map(|id| {
        format!("event #{id} has no previousEventId, so asldbg guesses to which branches or items this event and the later events belong")
    }));
    let view_only = contradiction(&run).or_else(|| view_only(&run, definition));
    Recorded {
        answers: Arc::new(run.answers(definition)),
        course: Arc::new(run.course(definition)),
        run: Arc::new(run),
        execution: Arc::new(execution),
        notes,
        view_only,
        items: Arc::default(),
        follows: false,
    }
}

/// A note about events whose data were not recorded, or not completely; `None` if there are none.
fn without_data(run: &RecordedRun) -> Option<String> {
    let recorded = run.recorded().map(|(_, event)| event);
    let mut lacking = recorded.filter(|event| event.data == Payload::Unknown);
    let first = lacking.next()?.id;
    Some(match lacking.count() {
        0 => format!("the data of event #{first} was not recorded completely"),
        more => format!(
            "the data of {count} events was not recorded completely; the first is event #{first}",
            count = more + 1
        ),
    })
}

/// If events of a recording contradict one another, returns the reason why the execution cannot be repeated: a task
/// failed, but its state was exited as if the task had succeeded.
fn contradiction(run: &RecordedRun) -> Option<String> {
    let (failed, visit) = run.frames.iter().find_map(|frame| {
        let last = frame.visits.len().checked_sub(1)?;
        Some((run.leaves_failed(frame, last)?, frame.visits.get(last)?))
    })?;
    let exited = run.event(visit.exited?)?.id;
    Some(format!(
        "the events contradict one another: event #{failed} says that the task of {state} failed, but event #{exited} exits the state as if the task had succeeded; the execution can be viewed, but not repeated",
        failed = failed.id,
        state = visit.name
    ))
}

/// If Step Functions Local wrote a recording, returns the reason why the execution cannot be repeated. Step Functions
/// Local records the result of a task only after ResultSelector and ResultPath. If a Parallel or Map caught an error,
/// its exit has the event type `TaskStateExited`.
fn view_only(run: &RecordedRun, definition: &Definition) -> Option<String> {
    let (mut same, mut other) = (0, 0);
    for visit in run.frames.iter().flat_map(|frame| &frame.visits) {
        let exited = visit.exited.and_then(|place| run.event(place));
        let left_as = exited.and_then(|event| event.raw.get("type")?.as_str());
        let is_group = matches!(&*visit.type_name, "Parallel" | "Map");
        if is_group && left_as.is_some_and(|left_as| left_as == "TaskStateExited") {
            same += 1;
        }
        let Some(state) = visit.state.and_then(|id| definition.state(id)) else {
            continue;
        };
        let StateKind::Task(task) = &state.kind else {
            continue;
        };
        let changes = state.template("ResultSelector").is_some()
            || matches!(state.result_path, ResultPath::Insert(_));
        let ended = visit.attempts.last().and_then(|attempt| attempt.ended);
        let result = ended.and_then(|place| run.event(place)?.data.value());
        let Some(result) = result.filter(|_| changes) else {
            continue;
        };
        let is_invoke = &*task.resource == "arn:aws:states:::lambda:invoke";
        match exited.and_then(|event| event.data.value()) {
            Some(output) if result == output => same += 1,
            Some(_) => other += 1,
            // On AWS, the result of `lambda:invoke` always has a Payload, so Step Functions Local wrote this recording.
            None if is_invoke && result.get("Payload").is_none() => same += 1,
            None => {}
        }
    }
    (same > 0 && other == 0).then(|| {
        "Step Functions Local wrote the history and recorded the results of tasks only after ResultSelector and ResultPath changed them: the execution can be viewed, but not repeated".to_string()
    })
}

/// If the configured file is a recorded execution and not a definition, returns the configuration that repeats this
/// execution; otherwise returns `config` unchanged.
///
/// # Errors
/// If the file cannot be read.
pub(super) fn resolved(mut config: LaunchConfig) -> Result<LaunchConfig, LaunchError> {
    let file = config.program.file.clone();
    if config.history.is_some() || config.program.text.is_some() || !is_history_file(&file) {
        return Ok(config);
    }
    let given = HistoryGiven {
        file: file.clone(),
        execution: None,
    };
    let (execution, _) = pick(&given, read_history(&file)?)?;
    config.history = Some(given);
    config.questions = Questions::Leave;
    if !config.profile_asked {
        config.rules.profile = Profile::Aws;
    }
    let name = execution.machine().unwrap_or("machine").to_string();
    if let Some(definition) = &execution.definition {
        config.program.text = Some(Arc::from(&**definition));
        config.program.file = file.with_file_name(format!("{name}.asl.json"));
        return Ok(config);
    }
    if let Some(beside) = definition_beside(&file, &name) {
        config.program.file = beside;
        return Ok(config);
    }
    config.program.text = Some(skeleton(&execution.events).into());
    let stem = super::beside::stem(&file);
    let stem = stem.strip_suffix(".history").unwrap_or(&stem);
    config.program.file = file.with_file_name(format!("{stem}.skeleton.asl.json"));
    config.skeleton = true;
    Ok(config)
}

/// Finds the definition next to a recorded execution: a file that has the name of the recording or of the machine, or
/// that is named `definition`. Otherwise the only definition in the folder; `None` if there are several.
fn definition_beside(file: &Path, machine: &str) -> Option<PathBuf> {
    let name = file.file_name()?.to_string_lossy().into_owned();
    let stem = name.split('.').next().unwrap_or(&name).to_string();
    let endings = [".asl.json", ".asl.yaml", ".asl.yml", ".sfn"];
    let stems = [stem.as_str(), machine, "definition"];
    let named = stems
        .iter()
        .flat_map(|stem| endings.map(|ending| format!("{stem}{ending}")));
    let mut named = named
        .filter(|name| crate::source::store::is_file_name(name))
        .map(|name| file.with_file_name(name));
    if let Some(histories) = named.find(|path| path.is_file()) {
        return Some(histories);
    }
    let entries = std::fs::read_dir(match file.parent()? {
        folder if folder == Path::new("") => Path::new("."),
        folder => folder,
    });
    let paths = entries.ok()?.flatten().map(|entry| entry.path());
    let is_one = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        endings.iter().any(|ending| name.ends_with(ending)) && path.is_file()
    };
    let mut histories = paths.filter(is_one);
    match (histories.next(), histories.next()) {
        (Some(only), None) => Some(only),
        _ => None,
    }
}
