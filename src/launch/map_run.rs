//! Finds the histories of a DISTRIBUTED Map's child executions, and links them to the Map's items.

use super::history_file::{Recorded, is_history_file, read_history};
use crate::definition::{Definition, Map, MapMode, State, StateId, StateKind};
use crate::interpreter::{Answer, AskKey, Outcome};
use crate::json::Value;
use crate::session::recorded::RecordedRun;
use crate::session::{RecordedAnswer, RecordedItem, RecordedItems};
use crate::source::counted;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Maximum number of child histories to read.
const MOST: usize = 10_000;

/// The history files in the folder `NAME.children`, sorted by file name. The folder is next to `NAME.history.json`, the
/// history of the execution that started the children.
#[must_use]
pub fn histories_of_children(history: &Path) -> Vec<PathBuf> {
    let name = history.file_name().unwrap_or_default().to_string_lossy();
    let stem = name.strip_suffix(".history.json");
    let stem = stem.or_else(|| name.strip_suffix(".json")).unwrap_or(&name);
    let folder = history.with_file_name(format!("{stem}.children"));
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let paths = entries.take(MOST).flatten().map(|entry| entry.path());
    let mut histories: Vec<PathBuf> = paths.filter(|path| is_history_file(path)).collect();
    histories.sort();
    histories
}

/// Name or label of the Map that started an execution, from the execution's ARN `…:execution:Machine/Map:name`.
#[must_use]
pub fn map_of(execution: &str) -> Option<&str> {
    let machine = execution.split(':').nth(6)?;
    machine.split_once('/').map(|(_, map)| map)
}

/// Takes the answers for the items of each recorded DISTRIBUTED Map from history files of child executions, which are
/// next to the recording. If these files do not cover all items of the Map, adds a note with the reason instead.
pub(super) fn take_items(recorded: &mut Recorded, file: &Path, definition: &Definition) {
    let maps: Vec<(StateId, &State, &Map)> = definition
        .state_ids()
        .filter_map(|id| match definition.state(id) {
            Some(state) => match &state.kind {
                StateKind::Map(map) if map.mode == MapMode::Distributed => {
                    Some((id, state, &**map))
                }
                _ => None,
            },
            None => None,
        })
        .collect();
    if maps.is_empty() {
        return;
    }
    let mut items_by_state: BTreeMap<usize, Vec<RecordedItem>> = BTreeMap::new();
    for child in histories_of_children(file) {
        let Ok(imported) = read_history(&child) else {
            continue;
        };
        for execution in imported.executions {
            let named = execution.arn.as_deref().and_then(map_of);
            let place = maps.iter().position(|(_, state, map)| match named {
                Some(named) => map.label.as_deref().unwrap_or(&state.name) == named,
                None => maps.len() == 1,
            });
            let input = execution.input.value();
            let Some((place, input)) = place.zip(input) else {
                continue;
            };
            let Some((_, _, map)) = maps.get(place) else {
                continue;
            };
            let run = RecordedRun::link_in(execution.events, definition, map.processor);
            let answers = run.answers(definition);
            let item = RecordedItem { input, answers };
            items_by_state.entry(place).or_default().push(item);
        }
    }
    let mut run = (*recorded.run).clone();
    let (mut answers, mut items) = ((*recorded.answers).clone(), RecordedItems::new());
    for (place, items_of_state) in items_by_state {
        let Some((id, state, map)) = maps.get(place) else {
            continue;
        };
        match is_enough(&run, (*id, map), items_of_state.len()) {
            Ok(read) => {
                if let Some(key) = read {
                    let inputs = items_of_state.iter().map(|item| item.input.clone()).collect();
                    let answer = Answer::of(Outcome::Success(Value::array(inputs)));
                    answers.insert(key, RecordedAnswer { input: None, answer });
                }
                run.item_runs.push(*id);
                items.insert(state.path.0.clone(), items_of_state);
            }
            Err(reason) => recorded.notes.push(format!(
                "only {executions} of {map} {are} in files beside the history, and {reason}, so the Map's result comes from the history",
                executions = counted(items_of_state.len(), "child execution"),
                map = state.name,
                are = if items_of_state.len() == 1 { "is" } else { "are" }
            )),
        }
    }
    if items.is_empty() {
        return;
    }
    recorded.course = Arc::new(run.course(definition));
    recorded.run = Arc::new(run);
    recorded.answers = Arc::new(answers);
    recorded.items = Arc::new(items);
}

/// Checks that `count` child executions cover all items of a Map; the error is the reason why they do not. If the Map
/// has an ItemReader, returns the key of the ItemReader's request, because the inputs of the child executions can
/// answer that request.
fn is_enough(
    run: &RecordedRun,
    (id, map): (StateId, &Map),
    count: usize,
) -> Result<Option<AskKey>, String> {
    if map.writer.is_some() {
        return Err("the files of the Map's ResultWriter are missing".to_string());
    }
    let mut visits = Vec::new();
    for frame in &run.frames {
        let visits_of_state = frame.visits.iter().filter(|visit| visit.state == Some(id));
        visits.extend(visits_of_state.map(|visit| (frame, visit)));
    }
    let begun = visits.iter().flat_map(|(_, visit)| &visit.attempts);
    let lengths = begun.map(|attempt| {
        let event = run.event(attempt.begun?);
        event.and_then(|event| event.length)
    });
    let expected: Option<u32> = lengths.sum();
    if map.reader.is_none() {
        return match expected {
            Some(expected) if expected as usize == count => Ok(None),
            // A child execution of a Map with an ItemBatcher gets several items. The recording does not say how many
            // child executions there are.
            Some(expected) if map.batcher.is_some() && count <= expected as usize => Ok(None),
            Some(expected) => Err(format!("the Map had {expected} items")),
            None => Ok(None),
        };
    }
    if map.makes_inputs() {
        return Err("the data of the Map's ItemReader is missing".to_string());
    }
    match visits.as_slice() {
        [(frame, visit)] if visit.attempts.len() == 1 => Ok(visit.key(frame, 1)),
        _ => {
            Err("the Map ran more than once, and the data of its ItemReader is missing".to_string())
        }
    }
}
