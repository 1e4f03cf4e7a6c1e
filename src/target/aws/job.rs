//! Waits for the end of a job by repeatedly requesting its description.

use super::super::answer::failure;
use super::super::request::Request;
use super::program::{Aws, failed};
use crate::interpreter::Outcome;
use crate::json::{Text, Value, parse};
use crate::service::{Call, Naming};
use crate::target::watch::Watch;
use std::thread;
use std::time::{Duration, Instant};

/// Shortest and longest pause between two requests for the description of a job.
const FIRST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(10);
/// While the program pauses, the time between two checks for the end of the call.
const SLICE: Duration = Duration::from_millis(50);

/// A kind of job that tasks start, and how to recognize that the job has ended.
pub(super) struct Job {
    /// Service and action in the Resource of the task that starts the job.
    of: (&'static str, &'static str),
    /// Service and action of the API with which the job is described.
    describe: (&'static str, &'static str),
    /// Path of the job's identifier in the result of the action that starts it.
    id: &'static [&'static str],
    /// Path of the job's members within the API's description of the job.
    job: &'static [&'static str],
    status: &'static str,
    /// The statuses of a job that has ended; the first one means success.
    ended: &'static [&'static str],
}

const JOBS: [Job; 4] = [
    Job {
        of: ("states", "startExecution"),
        describe: ("sfn", "describeExecution"),
        id: &["ExecutionArn"],
        job: &[],
        status: "Status",
        ended: &["SUCCEEDED", "FAILED", "TIMED_OUT", "ABORTED"],
    },
    Job {
        of: ("batch", "submitJob"),
        describe: ("batch", "describeJobs"),
        id: &["JobId"],
        job: &["Jobs", "0"],
        status: "Status",
        ended: &["SUCCEEDED", "FAILED"],
    },
    Job {
        of: ("ecs", "runTask"),
        describe: ("ecs", "describeTasks"),
        id: &["Tasks", "0", "TaskArn"],
        job: &["Tasks", "0"],
        status: "LastStatus",
        ended: &["STOPPED"],
    },
    Job {
        of: ("glue", "startJobRun"),
        describe: ("glue", "getJobRun"),
        id: &["JobRunId"],
        job: &["JobRun"],
        status: "JobRunState",
        ended: &["SUCCEEDED", "FAILED", "STOPPED", "TIMEOUT", "ERROR"],
    },
];

impl Job {
    /// The kind of job for which a call waits. `None` if the call does not wait for a job, or if the end of the job
    /// cannot be recognized.
    pub(super) fn of(call: &Call) -> Option<&'static Self> {
        let is_job = call.pattern.starts_with("sync");
        let is_meant = |job: &&Self| job.of.0 == call.service && call.calls(job.of.1);
        JOBS.iter().find(is_meant).filter(|_| is_job)
    }

    /// Waits for the end of the job; returns `None` if this takes too long.
    pub(super) fn follow(
        &self,
        aws: &Aws,
        call: &Call,
        request: &Request,
        started: &Value,
        watch: &Watch,
    ) -> Option<Outcome> {
        let id = member(started, self.id).and_then(Value::as_str);
        let describe = Call::of_action(self.describe.0, self.describe.1, Naming::Optimized);
        let (Some(id), Some(describe)) = (id, describe) else {
            // No job was started; for example, ECS could not place the task.
            return Some(failure("States.TaskFailed", started.to_string()));
        };
        let given = |name: &str| request.input.get(name).cloned().unwrap_or_default();
        let asked = match self.of.0 {
            "states" => object([("ExecutionArn", id.into())]),
            "batch" => object([("Jobs", Value::array(vec![id.into()]))]),
            "glue" => object([("JobName", given("JobName")), ("RunId", id.into())]),
            _ => match given("Cluster") {
                Value::Null => object([("Tasks", Value::array(vec![id.into()]))]),
                cluster => object([
                    ("Cluster", cluster),
                    ("Tasks", Value::array(vec![id.into()])),
                ]),
            },
        };
        let mut pause = FIRST;
        let mut seen = "started".to_string();
        loop {
            watch.say(format!("{id} is {seen}"));
            let since = Instant::now();
            while since.elapsed() < pause {
                if watch.is_over() {
                    return None;
                }
                thread::sleep(SLICE);
            }
            pause = LONGEST.min(pause * 2);
            let described = match aws.call(&describe, &asked, watch) {
                Ok(described) => described,
                Err(trouble) => return failed(trouble, call, request),
            };
            let Some(job) = member(&described, self.job) else {
                return Some(failure("States.TaskFailed", described.to_string()));
            };
            let status = job.get(self.status).and_then(Value::as_str);
            seen = status.unwrap_or("not described").to_string();
            if !self.ended.contains(&seen.as_str()) {
                continue;
            }
            let is_good = self.ended.first() == Some(&seen.as_str()) && !has_failed(job);
            return Some(match is_good {
                true if call.pattern == "sync:2" => Outcome::Success(parsed(job)),
                true => Outcome::Success(job.clone()),
                false => failure("States.TaskFailed", job.to_string()),
            });
        }
    }
}

/// True if an ECS task could not be started, or if one of its containers failed.
fn has_failed(job: &Value) -> bool {
    let containers = job.get("Containers").and_then(Value::as_array);
    let code = |container: &Value| container.get("ExitCode")?.as_number()?.as_i64();
    containers.is_some_and(|all| {
        all.iter()
            .any(|container| code(container).is_some_and(|code| code != 0))
    }) || job.get("StopCode").and_then(Value::as_str) == Some("TaskFailedToStart")
}

/// The description of an execution, which is the job here; its input and output are parsed as JSON.
fn parsed(job: &Value) -> Value {
    let members = job.as_object().map_or(&[][..], |object| object.members());
    let members = members.iter().map(|(name, value)| {
        let text = value
            .as_str()
            .filter(|_| matches!(&**name, "Input" | "Output"));
        let read = text.and_then(|text| parse(text).ok());
        (name.clone(), read.unwrap_or_else(|| value.clone()))
    });
    Value::object(members.collect())
}

fn member<'v>(value: &'v Value, path: &[&str]) -> Option<&'v Value> {
    path.iter().try_fold(value, |value, name| match *name {
        "0" => value.item(0),
        name => value.get(name),
    })
}

fn object<const N: usize>(members: [(&str, Value); N]) -> Value {
    let members = members
        .into_iter()
        .map(|(name, value)| (Text::from(name), value));
    Value::object(members.collect())
}
