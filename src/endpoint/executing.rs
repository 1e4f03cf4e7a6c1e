//! Operations on executions: start, stop, redrive, describe, list, get history.

use super::api::{Api, random, uuid};
use super::checked::{Arn, Checks, LARGEST_PAYLOAD, MachineArn, name};
use super::debugged::Debugged;
use super::desk::Desk;
use super::execution::{Begin, Execution, Progress, Standing, Watcher};
use super::machine::Resolved;
use super::page::{Paging, body_of_events, page_of_events};
use super::reply::{Answered, ApiError, Pending, Reply, body_of, timestamp};
use super::runner::{self, Beginning};
use super::store::{MOST_NESTED, MOST_RUNNING};
use crate::definition::{MachineType, StateId};
use crate::interpreter::{Header, Identity, Run, Serve, Status};
use crate::json::{self, Value as Data};
use crate::launch::Visit;
use crate::session::answerer::Repeats;
use crate::session::answers::MockCase;
use crate::session::{Session, Setup, Unmocked};
use crate::target::Caller;
use crate::worker::{Files, Worker};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// Maximum time that StopExecution waits for the execution to stop.
const STOP: Duration = Duration::from_secs(5);
/// Maximum nesting depth of executions that start each other.
const DEEPEST: u32 = 100;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Start {
    state_machine_arn: String,
    name: Option<String>,
    input: Option<String>,
    trace_header: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Stop {
    execution_arn: String,
    error: Option<String>,
    cause: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ListExecutions {
    state_machine_arn: Option<String>,
    map_run_arn: Option<String>,
    status_filter: Option<String>,
    redrive_filter: Option<String>,
    #[serde(flatten)]
    paging: Paging,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct GetHistory {
    execution_arn: String,
    #[serde(flatten)]
    paging: Paging,
    #[serde(default)]
    reverse_order: bool,
    include_execution_data: Option<bool>,
}

/// A client that waits for the end of an execution.
struct Sync(Arc<Execution>);

impl Pending for Sync {
    fn wait(&mut self, patience: Duration) -> Option<String> {
        let progress = self.0.ended_within(patience)?;
        Some(body_of(self.0.result(&progress)))
    }
}

impl Execution {
    /// Registers a task of another execution that waits for the end of this execution. Notifies the task at once if
    /// this execution has ended.
    pub(super) fn watch(&self, watcher: Watcher) {
        let mut progress = self.progress();
        let Progress {
            standing,
            status: Some(status),
            stopped: Some(stopped),
            ..
        } = &*progress
        else {
            progress.watchers.push(watcher);
            return;
        };
        if *standing == Standing::Running {
            progress.watchers.push(watcher);
            return;
        }
        let took = u64::try_from(stopped.saturating_sub(self.started)).unwrap_or(0);
        let status = status.clone();
        drop(progress);
        watcher.tell(&status, took);
    }
}

impl Api {
    pub(super) fn start_execution(
        self: &Arc<Self>,
        request: Start,
        id: Option<u64>,
    ) -> Answered<Value> {
        let execution = self.start(request, id, None)?;
        Ok(json!({
            "executionArn": execution.arn,
            "startDate": timestamp(execution.started),
        }))
    }

    pub(super) fn start_sync_execution(
        self: &Arc<Self>,
        request: Start,
        id: Option<u64>,
    ) -> Answered<Reply> {
        let execution = self.start(request, id, Some(MachineType::Express))?;
        Ok(Reply::Later(Box::new(Sync(execution))))
    }

    /// Starts an execution. If `only` is given, rejects a state machine of another type.
    fn start(
        self: &Arc<Self>,
        request: Start,
        id: Option<u64>,
        only: Option<MachineType>,
    ) -> Answered<Arc<Execution>> {
        let arn = MachineArn::parse(&request.state_machine_arn)?;
        if let Some(text) = &request.name {
            name(text)?;
        }
        let input = request.input.unwrap_or_else(|| "{}".to_string());
        if input.len() > LARGEST_PAYLOAD {
            let text = "Input exceeds the limit of 262144 bytes";
            return Err(ApiError::InvalidExecutionInput(text.to_string()));
        }
        let of = self.resolve(arn)?;
        if only.is_some_and(|only| only != of.kind) {
            return Err(ApiError::StateMachineTypeNotSupported);
        }
        let begin = Begin {
            of,
            name: request.name.unwrap_or_else(uuid),
            input,
            trace_header: request.trace_header,
            test_case: arn.test_case.map(str::to_string),
            depth: 0,
        };
        self.begin(begin, id, MOST_RUNNING)
    }

    /// Finds the state machine of an ARN, and the version or alias that the ARN names.
    pub(super) fn resolve(&self, arn: MachineArn<'_>) -> Answered<Resolved> {
        let draw = i64::try_from(random() % 100).unwrap_or(0);
        self.store().resolve(arn, draw)
    }

    /// Starts an execution on behalf of a parent execution.
    pub(super) fn start_nested(self: &Arc<Self>, begin: Begin) -> Answered<Arc<Execution>> {
        if begin.depth > DEEPEST {
            return Err(ApiError::ExecutionLimitExceeded(format!(
                "child executions are nested more than {DEEPEST} levels deep"
            )));
        }
        name(&begin.name)?;
        self.begin(begin, None, MOST_NESTED)
    }

    fn begin(
        self: &Arc<Self>,
        mut begin: Begin,
        id: Option<u64>,
        most: usize,
    ) -> Answered<Arc<Execution>> {
        let input = json::parse(&begin.input).map_err(|error| {
            let text = match begin.input.trim() {
                "" => "Invalid execution input.".to_string(),
                _ => error.message.to_string(),
            };
            ApiError::InvalidExecutionInput(text)
        })?;
        let (seed, now) = (random(), self.now());
        if begin.depth == 0 && begin.test_case.is_none() {
            begin.test_case = self.default_case(&begin.of.name);
        }
        let case = self.case_of(&begin)?;
        let run = self.run(&begin.of, &begin.name, input, seed, now);
        let arn = run.execution_arn().to_string();
        let mut store = self.store();
        if let Some(known) = store.started_by(id) {
            return Ok(Arc::clone(known));
        }
        if begin.of.kind == MachineType::Standard
            && let Some(known) = store.executions.get(&arn)
        {
            let is_same =
                known.input == begin.input && known.progress().standing == Standing::Running;
            return match is_same {
                true => Ok(Arc::clone(known)),
                false => Err(ApiError::ExecutionAlreadyExists(arn)),
            };
        }
        if store.running >= most {
            return Err(ApiError::ExecutionLimitExceeded(format!(
                "{most} executions are already running, and the server allows no more"
            )));
        }
        let execution = Arc::new(Execution::new(
            begin,
            arn,
            now,
            self.options.debugger.clone(),
        ));
        store.begin(&execution, id);
        drop(store);
        self.launch(&execution, run, case, 0)?;
        Ok(execution)
    }

    /// Creates the run that executes the state machine `of` with this input, seed and start time.
    fn run(&self, of: &Resolved, name: &str, input: Data, seed: u64, start: i64) -> Run {
        let identity = self.identity();
        let header = Header {
            seed,
            start_time: start,
            identity: Arc::new(Identity {
                execution: Some(name.into()),
                role: Some(of.revision.role.as_str().into()),
                ..Identity::clone(identity)
            }),
            ..Header::new(input, self.options.checking.profile)
        };
        Run::new(Arc::clone(&of.revision.definition), header)
    }

    /// The default test case that the mock file has for a state machine.
    fn default_case(&self, machine: &str) -> Option<String> {
        let mock = self.mock().ok()??;
        let case = MockCase::default_of(mock.file.cases_of(&[machine]))?;
        Some(case.name.to_string())
    }

    /// The test case of the mock file with which an execution runs.
    fn case_of(&self, begin: &Begin) -> Answered<Option<MockCase>> {
        let Some(case) = &begin.test_case else {
            return Ok(None);
        };
        let machine = begin.of.name.as_str();
        let mock = self.mock().map_err(ApiError::ValidationException)?;
        let case = match (&mock, begin.depth) {
            (None, _) => Err("the server was started without a mock file (--mock)".to_string()),
            (Some(mock), 0) => mock.file.select(&[machine], Some(case)).map(Some),
            // A child execution is mocked only if the mock file has, for the child's state machine, a test case with
            // the name of the parent's test case.
            (Some(mock), _) => {
                let mut cases = mock.file.cases_of(&[machine]).iter();
                Ok(cases.find(|known| *known.name == **case).cloned())
            }
        };
        case.map_err(ApiError::NoTestCase)
    }

    fn launch(
        self: &Arc<Self>,
        execution: &Arc<Execution>,
        run: Run,
        case: Option<MockCase>,
        events_before: i64,
    ) -> Answered<()> {
        let files = Files {
            read_root: self.options.s3_root.clone(),
            write_root: self.options.s3_root.clone(),
            readers: Vec::new(),
        };
        let server = Caller::before(Arc::new(Worker::with_files(files)), &self.options.targets);
        if let Some(door) = &self.options.debugger {
            let desk = Desk {
                api: Arc::clone(self),
                execution: Arc::clone(execution),
            };
            let start = run.header.start_time;
            let debugged = Arc::new(Debugged::new(server, desk, events_before, start));
            let setup = Setup {
                test_case: execution.test_case.as_deref().map(Into::into),
                unmocked: self.options.unmocked,
                ..self.setup(&run, case, debugged.clone())
            };
            door.enter(Visit {
                session: Session::new(setup),
                name: execution.name.clone(),
                started: start,
                is_of_file: self.store().preloaded.contains(&execution.of.machine),
                client: debugged,
            });
            return Ok(());
        }
        let setup = self.setup(&run, case, server);
        let beginning = Beginning {
            answerer: setup.answerer(Repeats::Never),
            run,
            events_before,
        };
        runner::begin(self, execution, beginning).map_err(|error| {
            let mut store = self.store();
            store.end(&execution.arn, 0, self.options.memory_limit);
            store.executions.shift_remove(&execution.arn);
            ApiError::ExecutionLimitExceeded(format!(
                "no thread can be started for the execution: {error}"
            ))
        })
    }

    fn setup(&self, run: &Run, case: Option<MockCase>, server: Arc<dyn Serve>) -> Setup {
        let definition = Arc::clone(&run.definition);
        Setup {
            mock: case,
            unmocked: Unmocked::Ask,
            memory_limit: self.options.memory_limit,
            ..Setup::new(definition, run.header.clone(), server)
        }
    }

    pub(super) fn describe_execution(&self, arn: &str) -> Answered<Value> {
        Ok(self.execution(arn)?.described())
    }

    pub(super) fn machine_of_execution(&self, arn: &str) -> Answered<Value> {
        Ok(self.execution(arn)?.machine())
    }

    pub(super) fn execution(&self, arn: &str) -> Answered<Arc<Execution>> {
        Arn::of_kind(arn, &["execution"])?;
        self.store().execution(arn)
    }

    pub(super) fn stop_execution(&self, request: Stop) -> Answered<Value> {
        Checks::default()
            .length_within("error", request.error.as_deref(), 0, 256)
            .length_within("cause", request.cause.as_deref(), 0, 32_768)
            .done()?;
        let execution = self.execution(&request.execution_arn)?;
        execution.stop(request.error, request.cause);
        let ended = execution.ended_within(STOP);
        let stopped = ended.and_then(|progress| progress.stopped);
        Ok(json!({"stopDate": timestamp(stopped.unwrap_or_else(|| self.now()))}))
    }

    pub(super) fn list_executions(&self, request: &ListExecutions) -> Answered<Value> {
        let status = request.status_filter.as_deref();
        let known = [
            "SUCCEEDED",
            "TIMED_OUT",
            "PENDING_REDRIVE",
            "ABORTED",
            "FAILED",
            "RUNNING",
        ];
        let redrive = request.redrive_filter.as_deref();
        let checks = Checks::default()
            .one_of("statusFilter", status, &known)
            .one_of("redriveFilter", redrive, &["REDRIVEN", "NOT_REDRIVEN"]);
        let named = &request.state_machine_arn;
        let list = format!("executions {named:?} {status:?} {redrive:?}");
        let page = request.paging.checked_page(checks, 3096, &list)?;
        let arn = match (named, &request.map_run_arn) {
            (Some(arn), None) => MachineArn::parse(arn)?,
            (None, Some(_)) => return Ok(json!({"executions": []})),
            _ => {
                let text = "Must specify exactly one of StateMachineArn and MapRunArn";
                return Err(ApiError::ValidationException(text.to_string()));
            }
        };
        let (all, kind): (Vec<Arc<Execution>>, MachineType) = {
            let store = self.store();
            let machine = store.machine(arn)?;
            let executions = store.executions.values().rev();
            let matching = executions.filter(|execution| {
                let qualified = [&execution.of.version, &execution.of.alias];
                execution.of.machine == arn.machine
                    && (arn.qualifier.is_none()
                        || qualified
                            .iter()
                            .any(|known| known.as_deref() == Some(arn.whole)))
            });
            (matching.cloned().collect(), machine.kind)
        };
        if kind == MachineType::Express {
            return Err(ApiError::StateMachineTypeNotSupported);
        }
        let wanted = all.iter().filter(|execution| {
            let progress = execution.progress();
            let is_redriven = progress.redrives > 0;
            status.is_none_or(|status| status == progress.standing.word())
                && redrive.is_none_or(|redrive| (redrive == "REDRIVEN") == is_redriven)
        });
        let (executions, next) = page.of(wanted.map(|execution| execution.listed()));
        Ok(json!({"executions": executions, "nextToken": next}))
    }

    pub(super) fn get_execution_history(&self, request: &GetHistory) -> Answered<Reply> {
        let (arn, reverse) = (&request.execution_arn, request.reverse_order);
        let page = request.paging.page(&format!("history {arn} {reverse}"))?;
        let execution = self.execution(arn)?;
        let with_data = request.include_execution_data.unwrap_or(true);
        // The response is created after the lock on the progress is released, because the run needs this lock to
        // publish its next event.
        let (events, next) = page_of_events(&execution.progress(), page, reverse);
        let body = body_of_events(&events, next.as_deref(), with_data);
        Ok(Reply::Now(body))
    }

    pub(super) fn redrive_execution(self: &Arc<Self>, arn: &str) -> Answered<Value> {
        let execution = self.execution(arn)?;
        let now = self.now();
        let refused = |text: &str| Err(ApiError::ExecutionNotRedrivable(text.to_string()));
        let mut progress = execution.progress();
        match progress.standing {
            Standing::Running => return refused("Execution is RUNNING and cannot be redriven"),
            Standing::Succeeded => {
                return refused("Execution is SUCCEEDED and cannot be redriven");
            }
            _ => {}
        }
        let Some((state, input)) = last_entered(&execution, &progress) else {
            return refused("Execution entered no state from which a redrive could continue");
        };
        let case = execution.test_case.clone();
        let run = self.run(&execution.of, &execution.name, input, random(), now);
        let mut header = run.header.clone();
        header.start_at = Some(state);
        let run = Run::new(Arc::clone(&run.definition), header);
        progress.redrive(now);
        let events = i64::try_from(progress.events.len()).unwrap_or(i64::MAX);
        drop(progress);
        self.store().resume(&execution.arn);
        let begin = Begin {
            of: execution.of.clone(),
            name: execution.name.clone(),
            input: String::new(),
            trace_header: None,
            test_case: case,
            depth: execution.depth,
        };
        let case = self.case_of(&begin)?;
        self.launch(&execution, run, case, events)?;
        Ok(json!({"redriveDate": timestamp(now)}))
    }
}

/// The top-level state that was entered last, and its input.
fn last_entered(execution: &Execution, progress: &Progress) -> Option<(StateId, Data)> {
    let definition = &execution.revision().definition;
    progress.events.iter().rev().find_map(|event| {
        let details = event.get("stateEnteredEventDetails")?;
        let name = details.get("name")?.as_str()?;
        let state = definition.find_by_name(name)?;
        let is_outermost = definition.state(state)?.scope.0 == 0;
        let input = json::parse(details.get("input")?.as_str()?).ok()?;
        is_outermost.then_some((state, input))
    })
}

impl Progress {
    /// Resets the progress for a redrive.
    fn redrive(&mut self, now: i64) {
        self.redrives += 1;
        self.redriven = Some(now);
        self.standing = Standing::Running;
        (self.output, self.error, self.cause) = (None, None, None);
        (self.stopped, self.status) = (None, None::<Status>);
        let count = Data::from(i64::from(self.redrives));
        let details = Data::object(vec![("redriveCount".into(), count)]);
        let last = self.last_id();
        self.add_last("ExecutionRedriven", now, last, details);
    }
}
