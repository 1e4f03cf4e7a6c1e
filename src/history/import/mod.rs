//! Executions that were written down elsewhere, in every form in which people have them.
//!
//! It must not know files, nor how a run is repeated from them.

mod decode;
mod find;
mod lenient;
mod normal;

pub use find::is_history;

use crate::json::{Text, Value};
use crate::session::recorded::{Payload, RecordedEvent};
use std::collections::BTreeMap;

/// An execution of more events is not read: AWS ends one after 25,000.
const MOST_EVENTS: usize = 100_000;

/// What was found in a text.
#[derive(Clone, Debug, Default)]
pub struct Imported {
    /// The executions, the one to look at first: the last that failed, else the last.
    pub executions: Vec<RecordedExecution>,
    /// What a person should know of how they were written down.
    pub notes: Vec<String>,
}

/// One execution.
#[derive(Clone, Debug, Default)]
pub struct RecordedExecution {
    /// Its events by their ids.
    pub events: Vec<RecordedEvent>,
    /// Its ARN.
    pub arn: Option<Text>,
    /// Its name.
    pub name: Option<Text>,
    /// The ARN of its state machine.
    pub machine_arn: Option<Text>,
    /// The ARN of the role that it ran with.
    pub role_arn: Option<Text>,
    /// Its input.
    pub input: Payload,
    /// When it began, in milliseconds since 1970.
    pub start: Option<i64>,
    /// Its status as AWS names it.
    pub status: Option<Text>,
    /// The definition that ran, as text, where it stands beside the events.
    pub definition: Option<Text>,
    /// How often it had been redriven.
    pub redrive_count: u32,
}

/// Reads what was written down.
///
/// # Errors
/// Why nothing in it is an execution.
pub fn import(bytes: &[u8]) -> Result<Imported, String> {
    if let Some(name) = decode::packed(bytes) {
        return Err(format!("it is compressed ({name}): decompress it first"));
    }
    let decoded = decode::decode(bytes);
    import_text(&decoded.text, decoded.note)
}

fn import_text(text: &str, note: Option<String>) -> Result<Imported, String> {
    let mut found = find::Found::default();
    find::find_in(text, &mut found);
    if found.events.is_empty() {
        let text = match find::says_events(text) && crate::json::parse(text).is_err() {
            true => {
                "it is cut off before its first event is complete: nothing of the execution is known"
            }
            false => "no event of an execution was found in it",
        };
        return Err(text.to_string());
    }
    let mut imported = Imported {
        notes: note.into_iter().chain(found.notes.clone()).collect(),
        ..Imported::default()
    };
    let mut groups: BTreeMap<Option<Text>, Vec<RecordedEvent>> = BTreeMap::new();
    let mut last: BTreeMap<Option<Text>, usize> = BTreeMap::new();
    for (place, (arn, event)) in found.events.into_iter().enumerate() {
        last.insert(arn.clone(), place);
        groups.entry(arn).or_default().push(event);
    }
    let single = groups.len() == 1;
    let mut order: Vec<(i64, usize, RecordedExecution)> = Vec::new();
    for (arn, events) in groups {
        let place = last.get(&arn).copied().unwrap_or(0);
        let mut execution = execution(arn, events);
        if execution.events.len() > MOST_EVENTS {
            return Err(format!(
                "it holds {} events of one execution; AWS writes at most 25,000, asldbg reads at most {MOST_EVENTS}",
                execution.events.len()
            ));
        }
        let own = found
            .executions
            .iter()
            .find(|about| single || about.arn.is_some() && about.arn == execution.arn);
        if let Some(about) = own {
            execution.complete(about);
        }
        if execution.definition.is_none() {
            execution.definition.clone_from(&found.definition);
        }
        if execution.machine_arn.is_none() {
            execution.machine_arn.clone_from(&found.machine_arn);
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

/// Sorted, each event once.
fn execution(arn: Option<Text>, mut events: Vec<RecordedEvent>) -> RecordedExecution {
    // Without ids they are as they stand.
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

/// The name that an execution's ARN holds.
fn name_in(arn: &str) -> Option<Text> {
    let mut parts = arn.split(':').skip(5);
    let kind = parts.next()?;
    let name = parts.nth(1)?;
    matches!(kind, "execution" | "express").then(|| name.into())
}

impl Imported {
    /// Takes what an answer of DescribeExecution says of an execution that is among these, or is the only one.
    pub fn describe(&mut self, answer: &str) {
        let mut found = find::Found::default();
        find::find_in(answer, &mut found);
        let is_single = self.executions.len() == 1;
        for about in &found.executions {
            let own = self.executions.iter_mut().find(|execution| {
                execution.arn == about.arn || is_single && execution.arn.is_none()
            });
            if let Some(execution) = own {
                execution.complete(about);
            }
        }
    }
}

impl RecordedExecution {
    /// Takes what an answer of DescribeExecution says besides.
    fn complete(&mut self, about: &Self) {
        fn fill<T: Clone>(slot: &mut Option<T>, from: &Option<T>) {
            if slot.is_none() {
                slot.clone_from(from);
            }
        }
        fill(&mut self.arn, &about.arn);
        fill(&mut self.name, &about.name);
        fill(&mut self.machine_arn, &about.machine_arn);
        fill(&mut self.role_arn, &about.role_arn);
        fill(&mut self.status, &about.status);
        fill(&mut self.definition, &about.definition);
        fill(&mut self.start, &about.start);
        self.redrive_count = about.redrive_count;
        if matches!(self.input, Payload::Unknown | Payload::Absent) {
            self.input = about.input.clone();
        }
    }

    /// Whether it did not succeed.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        let end = self.events.iter().rev().find(|event| event.is_end());
        end.is_some_and(|event| &*event.type_name != "ExecutionSucceeded")
    }

    /// The name of its state machine.
    #[must_use]
    pub fn machine(&self) -> Option<&str> {
        let arn = self.machine_arn.as_deref();
        let own = arn.and_then(|arn| arn.split(':').nth(6));
        own.or_else(|| self.arn.as_deref()?.split(':').nth(6))
    }

    /// What of the context object is known.
    #[must_use]
    pub fn context(&self) -> Value {
        let text = |text: &Option<Text>| text.clone().map(Value::String);
        let mut execution: Vec<(Text, Value)> = Vec::new();
        let mut machine: Vec<(Text, Value)> = Vec::new();
        let known = [
            ("Id", text(&self.arn)),
            ("Name", text(&self.name)),
            ("RoleArn", text(&self.role_arn)),
        ];
        execution.extend(
            known
                .into_iter()
                .filter_map(|(name, value)| Some((name.into(), value?))),
        );
        if self.redrive_count > 0 {
            let count = Value::from(i64::from(self.redrive_count));
            execution.push(("RedriveCount".into(), count));
        }
        machine.extend(text(&self.machine_arn).map(|arn| ("Id".into(), arn)));
        machine.extend(
            self.machine()
                .map(|name| ("Name".into(), Value::from(name))),
        );
        let parts = [("Execution", execution), ("StateMachine", machine)];
        let parts = parts.into_iter().filter(|(_, members)| !members.is_empty());
        Value::object(
            parts
                .map(|(name, members)| (name.into(), Value::object(members)))
                .collect(),
        )
    }
}

#[cfg(test)]
mod tests;
