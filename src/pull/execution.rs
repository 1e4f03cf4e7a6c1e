//! Fetches an execution whose history AWS keeps. Can follow a running execution until it ends.

use super::arn::Arn;
use super::aws::{Aws, Next, Question};
use super::complaint::{Complaint, Kind, Trouble};
use super::fetched::{Fetched, time};
use super::folder::Folder;
use crate::headless::Progress;
use crate::json::{Text, Value};
use crate::source::counted;
use std::thread;
use std::time::Duration;

const SERVICE: &str = "stepfunctions";
/// Maximum number of events that AWS returns in one response.
const PAGE: i64 = 1000;

/// The input of a request about one resource: the member `name` with the resource's ARN.
pub(super) fn about(name: &str, arn: &str) -> Vec<(Text, Value)> {
    vec![(name.into(), Value::string(arn))]
}

/// Fetches the description of an execution, the definition that ran, and the complete history.
///
/// # Errors
/// If the description or the history cannot be fetched.
pub(super) fn fetch(aws: &Aws, arn: &Arn, progress: &Progress) -> Result<Fetched, Complaint> {
    let mut fetched = Fetched::new(arn);
    fetched.description = Some(description(aws, arn)?);
    definition(aws, arn, &mut fetched)?;
    let history = Question {
        service: SERVICE,
        operation: "get-execution-history",
        member: "events",
        input: paged(arn, PAGE),
    };
    fetched.events = history.ask(aws, |events| {
        progress.step(&format!("{}: {}", arn.name, counted(events.len(), "event")));
        Next::Page
    })?;
    if fetched.is_running() && fetched.has_end() {
        // The execution has ended since its description was fetched, so the description is fetched again.
        fetched.description = Some(description(aws, arn)?);
    }
    fetched.doubt();
    Ok(fetched)
}

/// Fetches the events that come after the `known` events. Requests the newest events first. If the events come in
/// another order, fetches all pages.
///
/// # Errors
/// If `aws` reports an error.
pub(super) fn newer(aws: &Aws, arn: &Arn, known: &[Value]) -> Result<Vec<Value>, Complaint> {
    let last = known.iter().filter_map(id).max().unwrap_or(0);
    let mut input = paged(arn, 100);
    input.push(("reverseOrder".into(), Value::Bool(true)));
    let newest = Question {
        service: SERVICE,
        operation: "get-execution-history",
        member: "events",
        input,
    };
    // A server that ignores the requested order returns the oldest events first; then all pages are needed.
    let descends = |events: &[Value]| {
        let ids: Vec<i64> = events.iter().filter_map(id).collect();
        ids.windows(2)
            .all(|pair| matches!(pair, [previous, next] if previous > next))
    };
    let mut events = newest.ask(aws, |events| {
        let reached = events.last().and_then(id).is_some_and(|id| id <= last);
        match reached && descends(events) {
            true => Next::Enough,
            false => Next::Page,
        }
    })?;
    events.retain(|event| id(event).is_none_or(|id| id > last));
    events.sort_by_key(|event| id(event).unwrap_or(i64::MAX));
    events.dedup_by_key(|event| id(event).unwrap_or(i64::MAX));
    Ok(events)
}

/// Fetches the description of an execution.
///
/// # Errors
/// If `aws` reports an error.
pub(super) fn description(aws: &Aws, arn: &Arn) -> Result<Value, Complaint> {
    let answer = aws.call(
        SERVICE,
        "describe-execution",
        about("executionArn", &arn.text),
    )?;
    match answer.get("status").and_then(Value::as_str) {
        Some(_) => Ok(answer),
        None => Err(Complaint::unreadable(
            "the output contains no status of the execution",
        )),
    }
}

fn definition(aws: &Aws, arn: &Arn, fetched: &mut Fetched) -> Result<(), Complaint> {
    let input = about("executionArn", &arn.text);
    match aws.call(SERVICE, "describe-state-machine-for-execution", input) {
        Ok(machine) => {
            let text = machine.get("definition").and_then(Value::as_str);
            fetched.definition = text.map(str::to_string);
            if fetched.definition.is_none() {
                fetched.lacks("the server returned no definition of the state machine".to_string());
            }
            Ok(())
        }
        Err(complaint) if complaint.kind == Kind::Everything => Err(complaint),
        // The definition is not required: without it, the history still shows the states and their data.
        Err(complaint) => {
            fetched.lacks_lines(complaint.message("cannot fetch the definition that ran"));
            Ok(())
        }
    }
}

fn paged(arn: &Arn, size: i64) -> Vec<(Text, Value)> {
    let mut input = about("executionArn", &arn.text);
    input.push(("maxResults".into(), Value::from(size)));
    input
}

fn id(event: &Value) -> Option<i64> {
    event.get("id")?.as_number()?.as_i64()
}

/// Returns the last execution of a state machine that failed or timed out; `None` if there is none.
///
/// # Errors
/// If `aws` reports an error.
pub(super) fn last_failed(aws: &Aws, machine: &Arn) -> Result<Option<Arn>, Complaint> {
    let mut newest: Option<(i64, Arn)> = None;
    for status in ["FAILED", "TIMED_OUT"] {
        let mut input = about("stateMachineArn", &machine.text);
        input.push(("statusFilter".into(), Value::string(status)));
        let listed = Question {
            service: SERVICE,
            operation: "list-executions",
            member: "executions",
            input,
        };
        // AWS returns the newest executions first, so the first page is enough.
        for execution in listed.ask(aws, |_| Next::Enough)? {
            let ended = execution
                .get("stopDate")
                .or_else(|| execution.get("startDate"));
            let ended = ended.and_then(time).unwrap_or(0);
            let arn = execution.get("executionArn").and_then(Value::as_str);
            let arn = arn.and_then(|arn| Arn::execution(arn).ok());
            if let Some(arn) = arn
                && newest.as_ref().is_none_or(|(time, _)| ended > *time)
            {
                newest = Some((ended, arn));
            }
        }
    }
    Ok(newest.map(|(_, arn)| arn))
}

/// Maximum pause between two requests, in seconds. The pause starts at one second and doubles while there are no new
/// events.
const LONGEST_PAUSE: u64 = 15;
/// Maximum number of requests in a row that may fail.
const MOST_FAILURES: usize = 5;
/// Maximum number of requests for the last event of an execution after AWS has reported that the execution has ended.
const MOST_LATE: usize = 5;

/// Asks AWS for new data repeatedly until the execution ends, and writes new data to the folder each time.
///
/// # Errors
/// If several requests in a row fail; the data written so far are kept.
pub(super) fn follow(
    aws: &Aws,
    fetched: &mut Fetched,
    folder: &mut Folder,
    progress: &Progress,
) -> Result<(), Trouble> {
    let (mut pause, mut failures, mut late) = (1, 0, 0);
    loop {
        progress.step(&format!(
            "{execution}: {events}, running",
            execution = fetched.arn.name,
            events = counted(fetched.events.len(), "event")
        ));
        thread::sleep(Duration::from_secs(pause));
        match look(aws, fetched) {
            Ok(news) => {
                failures = 0;
                if news {
                    folder
                        .update(fetched)
                        .map_err(|refusal| Trouble::Told(refusal.text().to_string(), None))?;
                }
                pause = if news {
                    1
                } else {
                    (pause * 2).min(LONGEST_PAUSE)
                };
            }
            Err(complaint) if may_pass(&complaint) && failures < MOST_FAILURES => {
                failures += 1;
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
            Err(complaint) => return Err(complaint.into()),
        }
        if !fetched.is_running() {
            late += 1;
            if fetched.has_end() || late > MOST_LATE {
                return Ok(());
            }
            pause = 1;
        }
    }
}

/// Asks AWS once for the status and the new events; returns true if there are new events or the status has changed.
fn look(aws: &Aws, fetched: &mut Fetched) -> Result<bool, Complaint> {
    let description = description(aws, &fetched.arn)?;
    let events = newer(aws, &fetched.arn, &fetched.events)?;
    let status = description.get("status").cloned();
    let is_new = !events.is_empty()
        || fetched.status() != status.as_ref().and_then(|status| status.as_str());
    fetched.description = Some(description);
    fetched.events.extend(events);
    Ok(is_new)
}

/// True if the error is temporary, so that the next request may succeed.
fn may_pass(complaint: &Complaint) -> bool {
    matches!(complaint.kind, Kind::Throttled | Kind::Token) || complaint.is_connection()
}
