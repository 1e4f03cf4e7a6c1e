//! Imports recorded executions in all common formats: histories, logs, command output and notebooks.

mod decode;
mod execution;
mod find;
mod lenient;
mod normal;
mod reason;

pub use execution::RecordedExecution;
pub use find::is_history;

use crate::json::Text;
use crate::session::recorded::{Payload, RecordedEvent};
use std::collections::{BTreeMap, HashMap};

/// Maximum number of events in an execution. AWS ends an execution after 25,000 events.
const MOST: usize = 100_000;
const _: () = assert!(MOST >= 25_000);
/// The maximum number of events that an import accepts. It is lower in unit tests, which then need fewer events to
/// exceed it.
const MOST_EVENTS: usize = if cfg!(test) { 5_000 } else { MOST };

/// The result of an import.
#[derive(Clone, Debug, Default)]
pub struct Imported {
    /// The executions. The last failed execution comes first or, if none failed, the last execution.
    pub executions: Vec<RecordedExecution>,
    /// Notes for the user about the format of the recording.
    pub notes: Vec<String>,
}

/// Imports the executions in a file.
///
/// # Errors
/// If the file contains no execution; the message says why.
pub fn import(bytes: &[u8]) -> Result<Imported, String> {
    if let Some(name) = decode::packed(bytes) {
        return Err(format!(
            "the recording is compressed ({name}): decompress the file first"
        ));
    }
    let decoded = decode::decode(bytes);
    import_text(&decoded.text, decoded.note)
}

fn import_text(text: &str, note: Option<String>) -> Result<Imported, String> {
    let mut results = find::Found::default();
    find::find_in(text, &mut results);
    if results.events.is_empty() {
        let text = match find::says_events(text) && crate::json::parse(text).is_err() {
            true => {
                "the recording ends before its first event is complete, so nothing is known about the execution"
            }
            false => "the file contains no event of an execution",
        };
        return Err(text.to_string());
    }
    let mut imported = Imported {
        notes: note.into_iter().chain(results.notes.clone()).collect(),
        ..Imported::default()
    };
    let mut groups: BTreeMap<Option<Text>, Vec<RecordedEvent>> = BTreeMap::new();
    let mut last: BTreeMap<Option<Text>, usize> = BTreeMap::new();
    for (place, (arn, event)) in results.events.into_iter().enumerate() {
        last.insert(arn.clone(), place);
        groups.entry(arn).or_default().push(event);
    }
    let single = groups.len() == 1;
    let mut order: Vec<(i64, usize, RecordedExecution)> = Vec::new();
    for (arn, events) in groups {
        let place = last.get(&arn).copied().unwrap_or(0);
        let mut execution = execution(arn, events);
        if execution.events.len() > MOST_EVENTS {
            let count = execution.events.len();
            return Err(format!(
                "an execution in the recording has {count} events, but AWS writes at most 25,000 and asldbg reads at most {MOST_EVENTS}"
            ));
        }
        let description = results
            .executions
            .iter()
            .find(|about| single || about.arn.is_some() && about.arn == execution.arn);
        if let Some(about) = description {
            execution.complete(about);
        }
        if execution.definition.is_none() {
            execution.definition.clone_from(&results.definition);
        }
        if execution.machine_arn.is_none() {
            execution.machine_arn.clone_from(&results.machine_arn);
        }
        let time = execution.events.iter().filter_map(|event| event.time).max();
        order.push((time.unwrap_or(0), place, execution));
    }
    order.sort_by_key(|(time, place, execution)| {
        (!execution.has_failed(), std::cmp::Reverse((*time, *place)))
    });
    imported.executions = order.into_iter().map(|(.., execution)| execution).collect();
    Ok(imported)
}

/// Corrects the types of StateExited events: Step Functions Local writes `TaskStateExited` after a catcher has ended a
/// Parallel state. The correct type comes from the state's StateEntered event or, if this event is missing, from the
/// StateFailed event before the exit.
fn name_exits(events: &mut [RecordedEvent]) {
    let mut entered: HashMap<Text, Text> = HashMap::new();
    let mut worked: HashMap<u32, &'static str> = HashMap::new();
    for event in events {
        let type_name = Text::clone(&event.type_name);
        let work = ["Parallel", "Map"]
            .into_iter()
            .find(|kind| type_name.strip_prefix(kind) == Some("StateFailed"));
        worked.extend(work.map(|work| (event.id, work)));
        let Some(name) = &event.name else {
            continue;
        };
        if let Some(kind) = type_name.strip_suffix("StateEntered") {
            entered.insert(name.clone(), kind.into());
        } else if type_name.ends_with("StateExited") {
            let known = entered.get(name).map(|kind| &**kind);
            let led = || worked.get(&event.previous?).copied();
            if let Some(kind) = known.or_else(led) {
                event.type_name = format!("{kind}StateExited").into();
            }
        }
    }
}

/// Builds an execution from its events: sorts the events by id and removes duplicates.
fn execution(arn: Option<Text>, mut events: Vec<RecordedEvent>) -> RecordedExecution {
    // If the events have no ids, they keep their order, or are reversed if the newest event comes first.
    if events.iter().all(|event| event.id == 0) {
        let descends = events.first().is_some_and(RecordedEvent::is_end) && events.len() > 1;
        if descends {
            events.reverse();
        }
        for (number, event) in (1..).zip(&mut events) {
            event.id = number;
        }
    }
    events.sort_by_key(|event| event.id);
    events.dedup_by_key(|event| event.id);
    name_exits(&mut events);
    let started = events
        .iter()
        .find(|event| &*event.type_name == "ExecutionStarted");
    let member = |name: &str| {
        let details = normal::details(&started?.raw)?;
        details.get(name)?.as_str().map(Text::from)
    };
    RecordedExecution {
        name: arn.as_deref().and_then(name_in),
        role_arn: member("roleArn"),
        input: started.map_or(Payload::Unknown, |event| event.data.clone()),
        start: started.and_then(|event| event.time),
        arn,
        events,
        ..RecordedExecution::default()
    }
}

/// The execution name in an execution's ARN.
fn name_in(arn: &str) -> Option<Text> {
    let mut parts = arn.split(':').skip(5);
    let kind = parts.next()?;
    let name = parts.nth(1)?;
    matches!(kind, "execution" | "express").then(|| name.into())
}

impl Imported {
    /// Adds the data of a DescribeExecution response to the execution that it describes. If there is only one execution
    /// and its ARN is unknown, adds the data to this execution.
    pub fn describe(&mut self, answer: &str) {
        let mut results = find::Found::default();
        find::find_in(answer, &mut results);
        let is_single = self.executions.len() == 1;
        for about in &results.executions {
            let described = self.executions.iter_mut().find(|execution| {
                execution.arn == about.arn || is_single && execution.arn.is_none()
            });
            if let Some(execution) = described {
                execution.complete(about);
            }
        }
    }
}

#[cfg(test)]
mod tests;
