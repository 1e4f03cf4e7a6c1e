//! Short texts about events, and about how a run timed out.

use crate::definition::{Definition, Owner, StateId, Unit};
use crate::interpreter::{EventKind, NoWait, Stage};
use crate::session::view::{EventDetail, EventRow, Inner, SpentView, TimeoutView, Touched};
use crate::session::{EventNote, NoItems, Phrase, duration};
use crate::source::in_line;

/// Names the rule that a Choice followed: `rule of line 37`, or the rule's index if its line is not known.
fn rule(row: &EventRow, definition: &Definition) -> String {
    let state = row.state.and_then(|id| definition.state(id));
    let span = state.and_then(|state| state.part_span(Owner::Rule(row.arg)));
    definition.rule_name(span, row.arg)
}

/// Short description of an event: `afterParameters`, `attempt 2`, `rule of line 37`, `entered`.
#[must_use]
pub fn title(row: &EventRow, definition: &Definition) -> String {
    let EventRow {
        kind,
        arg: number,
        unit,
        ..
    } = *row;
    let word = match kind {
        EventKind::Stage(stage) => stage.name(),
        EventKind::Chosen if number == u32::MAX => "Default",
        EventKind::Chosen => return rule(row, definition),
        EventKind::TaskScheduled | EventKind::TaskStarted | EventKind::Retried => {
            return format!("attempt {number}");
        }
        EventKind::RetryScheduled => return format!("Retry[{number}]"),
        EventKind::Caught => return format!("Catch[{number}]"),
        EventKind::BranchStarted | EventKind::BranchSucceeded | EventKind::BranchFailed => {
            return branch(row.state, number, definition);
        }
        EventKind::IterationStarted
        | EventKind::IterationSucceeded
        | EventKind::IterationFailed
        | EventKind::IterationAborted => return format!("{unit} {number}"),
        EventKind::ExecutionStarted => "started",
        EventKind::ExecutionSucceeded => "succeeded",
        EventKind::ExecutionFailed => "failed",
        EventKind::ExecutionTimedOut | EventKind::TaskTimedOut => "timed out",
        EventKind::StateEntered => "entered",
        EventKind::TaskSubmitted => "submitted",
        EventKind::TaskSucceeded | EventKind::TaskFailed => "answered",
        EventKind::Heartbeat => "heartbeat",
        EventKind::LateAnswer => "late answer",
        EventKind::WaitStarted => match row.detail {
            EventDetail::Note(EventNote::NoWait(_)) => "no wait",
            _ => "waits",
        },
        EventKind::EvaluationFailed => "evaluation",
        EventKind::ErrorRaised => "error",
        EventKind::Uncaught => "not caught",
        EventKind::Assigned => "assigned",
        EventKind::ParallelStarted | EventKind::ParallelSucceeded | EventKind::ParallelFailed => {
            "branches"
        }
        EventKind::MapStarted | EventKind::MapSucceeded | EventKind::MapFailed => match unit {
            Unit::Item => "items",
            Unit::Batch => "batches",
        },
        EventKind::MapRunStarted | EventKind::MapRunSucceeded | EventKind::MapRunFailed => {
            "executions"
        }
        EventKind::ParallelAborted
        | EventKind::MapAborted
        | EventKind::MapRunAborted
        | EventKind::TaskAborted
        | EventKind::WaitAborted => "aborted",
        EventKind::StateExited => "exited",
    };
    word.to_string()
}

/// Further details of an event: `→ InStock?`, `Payment.Throttled`, `wait 4 s`; empty if the event has none.
#[must_use]
pub fn detail(row: &EventRow) -> String {
    let detail = untouched(row);
    let by_hand = match row.touched {
        Some(Touched::Answered) => "answer typed",
        Some(Touched::Edited) => "edited",
        None => return detail,
    };
    match detail.as_str() {
        "" => by_hand.to_string(),
        detail => format!("{detail}, {by_hand}"),
    }
}

/// Like [`detail`], but leaves out the note that the user typed the answer or edited the data.
fn untouched(row: &EventRow) -> String {
    let named = |error: &Option<crate::json::Text>| {
        let name = error.as_deref().unwrap_or("an error without a name");
        name.to_string()
    };
    match &row.detail {
        EventDetail::Nothing if row.kind == EventKind::Stage(Stage::AfterItemSelector) => {
            match row.arg {
                u32::MAX => "all items".to_owned(),
                index => format!("item {index}"),
            }
        }
        EventDetail::Nothing | EventDetail::Note(EventNote::AssignedBy(_)) => {
            outcome(row.kind, row.arg)
        }
        EventDetail::Note(EventNote::Error(error)) => named(error),
        EventDetail::Note(EventNote::Raised { fault, .. }) => named(&fault.error),
        EventDetail::Note(EventNote::NoWait(no_wait)) => match &no_wait.timestamp {
            Some(timestamp) => timestamp.to_string(),
            None => "0 seconds".to_string(),
        },
        EventDetail::Note(EventNote::Caught { error, next, .. }) => {
            format!("{} → {next}", named(error))
        }
        EventDetail::Withdrawn => "withdrawn".to_string(),
        EventDetail::Note(EventNote::Failed) => "failed".to_string(),
        EventDetail::FailedFor(inner) => {
            format!("failed: {inner_item}", inner_item = self::inner(inner))
        }
        EventDetail::Note(EventNote::ItemsFailed { failed, all, .. }) => {
            items_failed(*failed, *all, row.unit)
        }
        EventDetail::Note(EventNote::NoItems(none)) => no_items(none, row.unit).to_string(),
        EventDetail::Note(EventNote::Misfit(misfit)) => misfit.text.clone(),
        EventDetail::Note(EventNote::Delay(millis)) => {
            format!("wait {duration}", duration = duration(*millis))
        }
        EventDetail::CutShort(_, _, Some(branch)) => format!("cut short: {branch} failed"),
        EventDetail::CutShort(passed, whole, None) => {
            let (waited, delay) = (duration(*passed), duration(*whole));
            format!("cut short after {waited} of {delay}")
        }
        EventDetail::Next(state, note) => {
            let next_state = state.as_deref().unwrap_or("end");
            match note {
                Some(EventNote::ItemsFailed { failed, all, .. }) => {
                    format!("{} → {next_state}", items_failed(*failed, *all, row.unit))
                }
                Some(EventNote::NoItems(_)) => {
                    format!("no {items} → {next_state}", items = row.unit.plural())
                }
                _ => format!("→ {next_state}"),
            }
        }
        EventDetail::Assigned(1, names) if names.is_empty() => "1 variable".to_string(),
        EventDetail::Assigned(count, names) if names.is_empty() => format!("{count} variables"),
        EventDetail::Assigned(_, names) => {
            let names: Vec<String> = names.iter().map(|name| format!("${name}")).collect();
            names.join(" ")
        }
    }
}

/// Why a Wait does not wait, such as `2026-11-02T08:14:00Z is 21 d in the past: no wait`.
#[must_use]
pub fn no_wait(no_wait: &NoWait) -> String {
    match &no_wait.timestamp {
        Some(timestamp) => format!(
            "{timestamp} is {how_long_ago}: no wait",
            how_long_ago = past(no_wait)
        ),
        None => "0 seconds: does not wait".to_string(),
    }
}

/// Why a Map had no items, such as `no items: $.orders[?(@.open==true)] finds nothing: none of the 3 items of $.orders
/// fits`.
#[must_use]
pub fn no_items(none: &NoItems, unit: Unit) -> Phrase {
    let reason = match &*none.expression {
        _ if none.is_read => "the ItemReader returned nothing".into(),
        "" => "the input is an empty array".into(),
        expression if none.why.is_empty() => format!("{expression} is an empty array").into(),
        expression => {
            Phrase::from(format!("{expression} finds nothing")).may(format!(": {}", none.why), 1)
        }
    };
    Phrase::from(format!("no {items}: ", items = unit.plural())).join(reason)
}

fn past(no_wait: &NoWait) -> String {
    match no_wait.past {
        0 => "now".to_string(),
        past => format!("{duration} in the past", duration = duration(past)),
    }
}

/// Names a branch or item that is inside another branch or item: `inner item 3`.
#[must_use]
pub fn inner(inner: &Inner) -> String {
    match inner {
        Inner::Branch(name) => format!("inner branch {name}"),
        Inner::Part(unit, index) => format!("inner {unit} {index}"),
    }
}

/// Says how many items failed: `3 of 28 items failed`.
#[must_use]
pub fn items_failed(failed: u32, all: u32, unit: Unit) -> String {
    match (failed, all) {
        (_, 1) => format!("the only {unit} failed"),
        (2, 2) => format!("both {items} failed", items = unit.plural()),
        (failed, all) if failed == all => format!("all {items} failed", items = unit.counted(all)),
        (failed, all) => format!("{failed} of {items} failed", items = unit.counted(all)),
    }
}

/// Outcome of an event, if the event's title does not say it.
fn outcome(kind: EventKind, arg: u32) -> String {
    let word = match kind {
        EventKind::TaskScheduled => "scheduled",
        EventKind::TaskStarted => "called",
        EventKind::TaskSucceeded | EventKind::BranchSucceeded | EventKind::IterationSucceeded => {
            "ok"
        }
        EventKind::LateAnswer => "dropped",
        EventKind::Retried => "begins",
        EventKind::BranchStarted | EventKind::IterationStarted | EventKind::MapRunStarted => {
            "began"
        }
        EventKind::ParallelStarted | EventKind::MapStarted => return arg.to_string(),
        EventKind::ParallelSucceeded => "all ok",
        EventKind::MapSucceeded | EventKind::MapRunSucceeded => "done",
        EventKind::EvaluationFailed
        | EventKind::ParallelFailed
        | EventKind::MapFailed
        | EventKind::MapRunFailed => "failed",
        EventKind::IterationAborted => "aborted",
        _ => "",
    };
    word.to_string()
}

/// Names a branch of a Parallel by its name, which is the name of its first state: `branch FindBed`. Without a name,
/// uses the index of the branch.
#[must_use]
pub fn branch(parallel: Option<StateId>, index: u32, definition: &Definition) -> String {
    let parallel = parallel.and_then(|id| definition.state(id));
    match parallel.and_then(|state| definition.branch(state, index)) {
        Some(name) => format!("branch {name}"),
        None => format!("branch {index}"),
    }
}

/// Says which time limit a run exceeded: `TimeoutSeconds 1500 of the machine (line 5) passed`.
fn limit_passed(timeout: &TimeoutView) -> String {
    limit(timeout, " of the machine")
}

/// Says which time limit a run exceeded, for a reader who already knows that the whole execution timed out:
/// `TimeoutSeconds 1500 (line 5) passed`.
#[must_use]
pub fn limit_in_short(timeout: &TimeoutView) -> String {
    limit(timeout, "")
}

fn limit(timeout: &TimeoutView, of_machine: &str) -> String {
    match timeout.seconds {
        Some(seconds) => {
            format!(
                "TimeoutSeconds {seconds}{of_machine}{in_line} passed",
                in_line = in_line(timeout.line)
            )
        }
        None => "the five minutes of an EXPRESS execution passed".to_owned(),
    }
}

/// Says for a run that timed out: which limit passed, which frames were waiting, and which states took the most time.
#[must_use]
pub fn timed_out(timeout: &TimeoutView) -> String {
    let spent: Vec<String> = timeout.spent.iter().map(spent).collect();
    let spent = match spent.is_empty() {
        true => String::new(),
        false => format!(" Time spent: {states}.", states = spent.join(", ")),
    };
    let catch = match &timeout.not_caught {
        Some(_) => " A state machine's timeout cannot be caught.",
        None => "",
    };
    format!("{}{catch}{spent}", timed_out_by(timeout))
}

/// Says for a run that timed out: which limit passed, and which frames were waiting.
#[must_use]
pub fn timed_out_by(timeout: &TimeoutView) -> String {
    let limit = limit_passed(timeout);
    let others = match timeout.others {
        0 => String::new(),
        1 => "; 1 more frame was waiting".to_owned(),
        others => format!("; {others} more frames were waiting"),
    };
    let waiting = match timeout.waiting.is_empty() {
        true => String::new(),
        false => {
            let frames_waiting = timeout.waiting.join("; ");
            format!(" while {frames_waiting}{others}")
        }
    };
    format!("{limit}{waiting}.")
}

/// Says that the execution's time limit ends a Wait early; if `is_over` is true, that it has already ended the Wait.
#[must_use]
pub fn cut_wait(line: Option<usize>, time: &str, is_over: bool) -> String {
    let ends = if is_over { "ended" } else { "ends" };
    match line {
        Some(line) => {
            format!("the machine's TimeoutSeconds (line {line}) {ends} the wait at {time}")
        }
        None => format!("the limit of an EXPRESS execution {ends} the wait at {time}"),
    }
}

fn spent(spent: &SpentView) -> String {
    let waiting = match spent.between_tries {
        0 => String::new(),
        waited => {
            let waited = duration(waited);
            format!(" (including {waited} waiting for retries)")
        }
    };
    let (state, duration) = (&spent.state, duration(spent.time));
    format!("{state} {duration}{waiting}")
}

/// Says which field limits the number of items that run at the same time, such as `MaxConcurrency 2, line 19`.
#[must_use]
pub fn concurrency(field: Option<&str>, limit: u32, line: Option<usize>) -> String {
    let at_line = line.map_or_else(String::new, |line| format!(", line {line}"));
    match field {
        Some(field) if field.ends_with("Path") => format!("{field} is {limit}{at_line}"),
        Some(field) => format!("{field} {limit}{at_line}"),
        None => format!("at most {limit} items run at once"),
    }
}
