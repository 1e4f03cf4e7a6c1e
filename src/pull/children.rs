//! Fetches an execution, or the last failed execution of a state machine. Also fetches the children of an execution:
//! Map Runs with their child executions, and executions of other state machines.

use super::arn::{Arn, Kind};
use super::aws::{Aws, LARGEST, Next, Question};
use super::complaint::{Complaint, Trouble};
use super::execution::about;
use super::fetched::Fetched;
use super::{complaint, execution, express};
use crate::headless::Progress;
use crate::json::{Value, parse};
use crate::source::counted;
use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Maximum depth of nested children to fetch.
const DEEPEST: usize = 8;
/// Maximum number of executions to fetch at the same time; each fetch runs a process.
const AT_ONCE: usize = 4;

/// Limits for what may still be fetched.
pub(super) struct Room {
    /// Number of executions that may still be fetched.
    pub executions: usize,
    /// Number of bytes that may still be fetched.
    pub bytes: u64,
    known: BTreeSet<String>,
}

impl Room {
    pub(super) fn of(executions: usize) -> Self {
        Self {
            executions,
            bytes: LARGEST,
            known: BTreeSet::new(),
        }
    }
}

/// Fetches the children of an execution, recursively.
///
/// # Errors
/// If no further request can succeed. If only some children cannot be fetched, a note says so.
pub(super) fn fetch(
    aws: &Aws,
    parent: &mut Fetched,
    room: &mut Room,
    progress: &Progress,
) -> Result<(), Trouble> {
    room.known.insert(parent.arn.text.clone());
    descend(aws, parent, room, progress, 0)
}

fn descend(
    aws: &Aws,
    parent: &mut Fetched,
    room: &mut Room,
    progress: &Progress,
    depth: usize,
) -> Result<(), Trouble> {
    if parent.arn.kind == Kind::Express || depth >= DEEPEST {
        return Ok(());
    }
    let mut wanted = started_by(&parent.events);
    for run in map_runs(aws, parent)? {
        wanted.extend(items_of(aws, &run, parent)?);
        parent.map_runs.push(run);
    }
    wanted.retain(|arn| room.known.insert(arn.text.clone()));
    let left = wanted.len().saturating_sub(room.executions);
    if left > 0 {
        parent.lacks(format!(
            "asldbg left out {children}; --children=N fetches up to N child executions",
            children = counted(left, "child execution")
        ));
    }
    wanted.truncate(room.executions);
    room.executions -= wanted.len();
    for (arn, child) in wanted.iter().zip(all(aws, &wanted, progress)) {
        let mut child = match child {
            Ok(child) => child,
            Err(trouble) if trouble.is_general() => return Err(trouble),
            Err(trouble) => {
                parent.lacks_lines(trouble.message(&format!(
                    "cannot fetch child execution {arn}",
                    arn = arn.text
                )));
                continue;
            }
        };
        let size = child.events.iter().map(Value::size).sum();
        let Some(bytes) = room.bytes.checked_sub(size) else {
            parent.lacks(format!(
                "more than {limit} MiB were fetched, so asldbg did not fetch the other child executions",
                limit = LARGEST >> 20
            ));
            return Ok(());
        };
        room.bytes = bytes;
        descend(aws, &mut child, room, progress, depth + 1)?;
        parent.is_partial |= child.is_partial;
        parent.children.push(child);
    }
    Ok(())
}

/// Fetches several executions, some at the same time; returns them in the given order.
fn all(aws: &Aws, wanted: &[Arn], progress: &Progress) -> Vec<Result<Fetched, Trouble>> {
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let slots: Vec<Mutex<Option<Result<Fetched, Trouble>>>> =
        wanted.iter().map(|_| Mutex::new(None)).collect();
    let silent = Progress::Silent;
    thread::scope(|scope| {
        for _ in 0..AT_ONCE.min(wanted.len()) {
            scope.spawn(|| {
                while let Some((arn, slot)) = {
                    let place = next.fetch_add(1, Ordering::Relaxed);
                    wanted.get(place).zip(slots.get(place))
                } {
                    let fetched = fetch_one(aws, arn, &silent);
                    if let Ok(mut slot) = slot.lock() {
                        *slot = Some(fetched);
                    }
                    let done = done.fetch_add(1, Ordering::Relaxed) + 1;
                    progress.step(&format!(
                        "child executions: fetched {done} of {all}",
                        all = wanted.len()
                    ));
                }
            });
        }
    });
    let slots = slots
        .into_iter()
        .map(|slot| slot.into_inner().ok().flatten());
    slots
        .map(|slot| {
            slot.unwrap_or_else(|| {
                Err(Trouble::Told(
                    "the execution was not fetched".to_string(),
                    None,
                ))
            })
        })
        .collect()
}

/// The executions that tasks started. The results of these tasks contain the ARNs of the executions.
fn started_by(events: &[Value]) -> Vec<Arn> {
    let mut arns: Vec<Arn> = Vec::new();
    for event in events {
        let details = event
            .get("taskSubmittedEventDetails")
            .or_else(|| event.get("taskSucceededEventDetails"));
        let text = |name| details.and_then(|details| details.get(name)?.as_str());
        if !text("resource").is_some_and(|name| name.contains("startExecution")) {
            continue;
        }
        let answer = text("output").and_then(|text| parse(text).ok());
        let arn = answer.and_then(|answer| {
            let arn = answer
                .get("ExecutionArn")
                .or_else(|| answer.get("executionArn"));
            Arn::execution(arn?.as_str()?).ok()
        });
        arns.extend(arn.filter(|arn| !arns.contains(arn)));
    }
    arns
}

/// Fetches the descriptions of the Map Runs that an execution started.
fn map_runs(aws: &Aws, parent: &mut Fetched) -> Result<Vec<Value>, Complaint> {
    let says = |event: &Value| {
        let name = event.get("type").and_then(Value::as_str);
        name.is_some_and(|name| name.starts_with("MapRun"))
    };
    let may_have = parent.events.iter().any(says)
        || parent
            .definition
            .as_deref()
            .is_some_and(|text| text.contains("DISTRIBUTED"));
    if !may_have {
        return Ok(Vec::new());
    }
    let listed = Question {
        service: "stepfunctions",
        operation: "list-map-runs",
        member: "mapRuns",
        input: about("executionArn", &parent.arn.text),
    };
    let mut runs = Vec::new();
    for run in some(
        listed.ask(aws, |_| Next::Page),
        parent,
        "the list of Map Runs",
    )?
    .unwrap_or_default()
    {
        let arn = run.get("mapRunArn").and_then(Value::as_str);
        let Some(arn) = arn
            .and_then(|arn| Arn::parse(arn).ok())
            .filter(|arn| arn.kind == Kind::MapRun)
        else {
            parent.lacks("a Map Run in the list of Map Runs has no ARN".to_string());
            continue;
        };
        let input = about("mapRunArn", &arn.text);
        let described = aws.call("stepfunctions", "describe-map-run", input);
        // If the description cannot be fetched, the entry of the list is used, which has fewer details.
        runs.push(some(described, parent, &arn.text)?.unwrap_or(run));
    }
    Ok(runs)
}

/// Fetches the list of a Map Run's child executions; executions that did not succeed come first.
fn items_of(aws: &Aws, run: &Value, parent: &mut Fetched) -> Result<Vec<Arn>, Complaint> {
    let Some(arn) = run.get("mapRunArn").and_then(Value::as_str) else {
        return Ok(Vec::new());
    };
    let listed = Question {
        service: "stepfunctions",
        operation: "list-executions",
        member: "executions",
        input: about("mapRunArn", arn),
    };
    let listed = some(
        listed.ask(aws, |_| Next::Page),
        parent,
        &format!("the executions of {arn}"),
    )?;
    let mut arns: Vec<(bool, Arn)> = Vec::new();
    for execution in listed.unwrap_or_default() {
        let succeeded = execution.get("status").and_then(Value::as_str) == Some("SUCCEEDED");
        let arn = execution.get("executionArn").and_then(Value::as_str);
        arns.extend(
            arn.and_then(|arn| Arn::execution(arn).ok())
                .map(|arn| (succeeded, arn)),
        );
    }
    arns.sort_by_key(|(succeeded, _)| *succeeded);
    Ok(arns.into_iter().map(|(_, arn)| arn).collect())
}

/// Returns the response of a request. If only this request failed, adds a note to `parent` and returns `None`. If no
/// other request can succeed either, returns the error.
fn some<T>(
    answer: Result<T, Complaint>,
    parent: &mut Fetched,
    missing: &str,
) -> Result<Option<T>, Complaint> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(complaint) if complaint.kind == complaint::Kind::Everything => Err(complaint),
        Err(complaint) => {
            parent.lacks_lines(complaint.message(&format!("cannot fetch {missing}")));
            Ok(None)
        }
    }
}

/// Fetches one execution, without its children.
///
/// # Errors
/// If the execution cannot be fetched.
pub(super) fn fetch_one(aws: &Aws, arn: &Arn, progress: &Progress) -> Result<Fetched, Trouble> {
    match arn.kind {
        Kind::Express => express::fetch(aws, arn, progress),
        _ => Ok(execution::fetch(aws, arn, progress)?),
    }
}

/// Returns the last failed execution of a state machine of type STANDARD or EXPRESS.
///
/// # Errors
/// If there is no failed execution, or it cannot be determined.
pub(super) fn last_failed(aws: &Aws, machine: &Arn, progress: &Progress) -> Result<Arn, Trouble> {
    let (failed, since) = match execution::last_failed(aws, machine) {
        Err(refused) if refused.kind == complaint::Kind::WrongType => (
            express::last_failed(aws, machine, progress)?,
            "in the last 24 hours of the state machine's log",
        ),
        failed => (failed?, "in the 90 days for which AWS keeps executions"),
    };
    failed.ok_or_else(|| {
        Trouble::Told(
            format!("no execution failed or timed out {since}"),
            Some(format!(
                "`aws stepfunctions list-executions --state-machine-arn {arn}` lists the executions that exist",
                arn = machine.text
            )),
        )
    })
}
