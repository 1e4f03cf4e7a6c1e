//! Fetches an express execution from the log group of its state machine, because AWS keeps no history of express
//! executions.

use super::arn::Arn;
use super::aws::{Aws, Next, Question};
use super::complaint::{Complaint, Trouble};
use super::execution::about;
use super::fetched::{Fetched, time};
use crate::headless::Progress;
use crate::json::{Text, Value, parse};
use crate::source::counted;
use std::time::{SystemTime, UNIX_EPOCH};

/// Length of the time before now in which the last failed execution is searched for, in milliseconds.
const DAY: i64 = 86_400_000;

/// Fetches the log lines of an execution, and the current definition of its state machine.
///
/// # Errors
/// If the log lines or the definition cannot be fetched.
pub(super) fn fetch(aws: &Aws, arn: &Arn, progress: &Progress) -> Result<Fetched, Trouble> {
    let mut fetched = Fetched::new(arn);
    let machine = describe(aws, &arn.of_machine())?;
    let log = Log::of(&machine)?;
    let mut input = log.input();
    let pattern = format!("{{ $.execution_arn = \"{}\" }}", arn.text);
    input.push(("filterPattern".into(), Value::string(pattern)));
    let mut pages = 0;
    fetched.events = lines(input).ask(aws, |events| {
        pages += 1;
        progress.step(&format!(
            "{execution}: {lines}, {pages} searched",
            execution = arn.name,
            lines = counted(events.len(), "log line"),
            pages = counted(pages, "page")
        ));
        Next::Page
    })?;
    if fetched.events.is_empty() {
        return Err(Trouble::Told(
            format!(
                "log group {group} has no line of this execution",
                group = log.group
            ),
            Some("check the name, region and account of the ARN; a log group deletes its lines after a set number of days, and new lines arrive after some seconds".to_string()),
        ));
    }
    fetched.definition = machine
        .get("definition")
        .and_then(Value::as_str)
        .map(str::to_string);
    fetched.notes.push("AWS does not keep the definition of an express execution: the fetched definition is the current definition of the state machine".to_string());
    let updated = machine.get("updateDate").and_then(time);
    let first = fetched
        .events
        .iter()
        .filter_map(|event| time(event.get("timestamp")?))
        .min();
    if let (Some(updated), Some(first)) = (updated, first)
        && updated > first
    {
        fetched.lacks(
            "the state machine was changed after this execution, so the current definition is not the definition that ran"
                .to_string(),
        );
    }
    if log.level != "ALL" {
        fetched.lacks(format!(
            "the log level of the execution is {level}: events are missing, and only a log of level ALL is enough to repeat an execution",
            level = log.level
        ));
    }
    if !log.has_data {
        fetched.lacks(
            "the log of the execution has no execution data: inputs and outputs are unknown"
                .to_string(),
        );
    }
    Ok(fetched)
}

/// Returns the last execution of an express state machine that failed in the last day; `None` if there is none.
///
/// # Errors
/// If the log cannot be read.
pub(super) fn last_failed(
    aws: &Aws,
    machine: &Arn,
    progress: &Progress,
) -> Result<Option<Arn>, Trouble> {
    let log = Log::of(&describe(aws, &machine.text)?)?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.map_or(0, |since| {
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
    });
    let mut input = log.input();
    input.push(("startTime".into(), Value::from(now.saturating_sub(DAY))));
    let pattern = "{ $.type = \"ExecutionFailed\" || $.type = \"ExecutionTimedOut\" }";
    input.push(("filterPattern".into(), Value::string(pattern)));
    let failed = lines(input).ask(aws, |events| {
        progress.step(&format!(
            "{machine}: found {executions} in the last day",
            machine = machine.name,
            executions = counted(events.len(), "failed execution")
        ));
        Next::Page
    })?;
    let newest = failed
        .iter()
        .max_by_key(|event| event.get("timestamp").and_then(time));
    let line = newest.and_then(|event| parse(event.get("message")?.as_str()?).ok());
    let arn = line.and_then(|line| Arn::execution(line.get("execution_arn")?.as_str()?).ok());
    Ok(arn.filter(|arn| arn.machine == machine.machine))
}

fn describe(aws: &Aws, machine: &str) -> Result<Value, Complaint> {
    aws.call(
        "stepfunctions",
        "describe-state-machine",
        about("stateMachineArn", machine),
    )
}

fn lines<'q>(input: Vec<(Text, Value)>) -> Question<'q> {
    Question {
        service: "logs",
        operation: "filter-log-events",
        member: "events",
        input,
    }
}

/// The log configuration of a state machine.
struct Log {
    group: String,
    level: String,
    has_data: bool,
}

impl Log {
    fn of(machine: &Value) -> Result<Self, Trouble> {
        let log = machine.get("loggingConfiguration");
        let level = log
            .and_then(|log| log.get("level")?.as_str())
            .unwrap_or("OFF");
        let destinations = log.and_then(|log| log.get("destinations")?.as_array());
        let group = destinations
            .unwrap_or_default()
            .iter()
            .find_map(|destination| {
                let arn = destination
                    .get("cloudWatchLogsLogGroup")?
                    .get("logGroupArn")?
                    .as_str()?;
                let name = arn.splitn(7, ':').nth(6)?;
                Some(name.strip_suffix(":*").unwrap_or(name).to_string())
            });
        match group {
            Some(group) if level != "OFF" => Ok(Self {
                group,
                level: level.to_string(),
                has_data: log.and_then(|log| log.get("includeExecutionData")?.as_bool())
                    == Some(true),
            }),
            _ => Err(Trouble::Told(
                "the state machine writes no log, and AWS keeps no other data of express executions"
                    .to_string(),
                Some(
                    "switch on logging (level ALL, with execution data) and run the state machine again"
                        .to_string(),
                ),
            )),
        }
    }

    fn input(&self) -> Vec<(Text, Value)> {
        vec![("logGroupName".into(), Value::string(self.group.as_str()))]
    }
}
