//! Runs a machine to its end: answers from a mock file, result to standard output, history to a file.
//!
//! It must not know how arguments are spelt, nor how a machine works inside.

use super::output::{self, Refusal};
use super::trace::Trace;
use crate::definition::{State, StateKind, Task};
use crate::history::Recording;
use crate::interpreter::OnAws;
use crate::interpreter::{
    Answer, Ask, EventKind, Fault, Machine, MemoryWatch, Millis, Run, Serve as _, Status, Step,
    Want,
};
use crate::json::{Text, Value, one_line, pretty};
use crate::session::answers::MockCase;
use crate::session::child::{Children, Turn};
use crate::session::{Unmocked, seconds, service_response};
use crate::source::store::{Draft, Replace};
use crate::worker::{Files, Worker};
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// How a run's result is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RunFormat {
    /// The output, for people.
    #[default]
    Text,
    /// One object.
    Json,
    /// An object a line for every event.
    Jsonl,
}

/// How to run.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// How the result is printed.
    pub format: RunFormat,
    /// At most so many states are entered.
    pub max_steps: u64,
    /// Bytes of memory that the run may take.
    pub memory_limit: u64,
    /// What becomes of a task that has no answer.
    pub unmocked: Unmocked,
    /// Where AWS's form of the history goes.
    pub write_history: Option<PathBuf>,
    /// What stands for S3.
    pub files: Files,
    /// The machines that tasks may start executions of.
    pub children: Arc<Children>,
}

/// Runs to the end and prints what came of it.
///
/// # Errors
/// Where it could not be run to the end; nothing was written then.
pub fn run(
    run: Arc<Run>,
    case: Option<&MockCase>,
    options: &RunOptions,
) -> Result<ExitCode, Refusal> {
    let interrupted = watch_interrupt();
    let mut runner = Runner {
        machine: Machine::start(run),
        worker: Worker::with_files(options.files.clone()),
        case,
        options,
        calls: HashMap::new(),
        events: 0,
        retries: 0,
        memory: MemoryWatch::new(options.memory_limit),
    };
    let history = options
        .write_history
        .as_deref()
        .map(HistoryFile::create)
        .transpose()?;
    let ended = runner.drive(history, &interrupted)?;
    if !ended {
        return Ok(ExitCode::from(130));
    }
    runner.print()
}

/// Set when a person presses Ctrl-C; the second time ends the program at once.
fn watch_interrupt() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let signal = signal_hook::consts::SIGINT;
    // Without the hooks Ctrl-C ends the program anyway, only less tidily.
    drop(signal_hook::flag::register_conditional_shutdown(
        signal,
        130,
        Arc::clone(&flag),
    ));
    drop(signal_hook::flag::register(signal, Arc::clone(&flag)));
    flag
}

struct Runner<'r> {
    machine: Machine,
    worker: Worker,
    case: Option<&'r MockCase>,
    options: &'r RunOptions,
    /// How often each state called.
    calls: HashMap<Text, u64>,
    events: u64,
    retries: u64,
    memory: MemoryWatch,
}

impl Runner<'_> {
    /// Runs to the end; `false` where a person interrupted it.
    fn drive(
        &mut self,
        mut history: Option<HistoryFile>,
        interrupted: &AtomicBool,
    ) -> Result<bool, Refusal> {
        let mut trace = (self.options.format == RunFormat::Jsonl).then(Trace::new);
        loop {
            match self.machine.step(Millis::MAX) {
                Step::Event(event) => {
                    self.events += 1;
                    if let Some(history) = &mut history {
                        history.note(&self.machine, &event)?;
                    }
                    if let Some(trace) = &mut trace {
                        trace.note(&self.machine, &event)?;
                    }
                    self.retries += u64::from(event.kind == EventKind::Retried);
                    let entered = self.machine.transitions().saturating_add(self.retries);
                    self.bound("the run", entered)?;
                    if self.memory.is_over(&self.machine, 0) {
                        return Err(self.too_large());
                    }
                    if self.events.is_multiple_of(256) && interrupted.load(Ordering::Relaxed) {
                        return Ok(false);
                    }
                }
                Step::Ask(ask) => match self.answer(&ask, interrupted)? {
                    Some(answer) => self.machine.answer(ask.id, answer),
                    None => return Ok(false),
                },
                Step::Waiting | Step::Idle(_) | Step::Stuck => return Err(self.stuck()),
                Step::Done => break,
            }
        }
        if let Some(trace) = trace {
            trace.finish()?;
        }
        if let Some(history) = history {
            history.finish()?;
        }
        Ok(true)
    }

    fn too_large(&self) -> Refusal {
        Refusal::new(format!(
            "the run was ended: its values take more than {} MiB of memory (--max-memory MIB sets the limit)",
            self.memory.limit() >> 20
        ))
    }

    /// What is run is ended where it may never end by itself.
    fn bound(&self, what: &str, transitions: u64) -> Result<(), Refusal> {
        let most = self.options.max_steps;
        if transitions <= most {
            return Ok(());
        }
        Err(Refusal::new(format!(
            "{what} was ended after {most} states and retries: it may never end (--max-steps N sets the limit)"
        )))
    }

    /// The answer to a question; `None` where a person interrupted the run of a child.
    fn answer(&mut self, ask: &Ask, interrupted: &AtomicBool) -> Result<Option<Answer>, Refusal> {
        if let Some(answer) = self.known_answer(ask)? {
            return Ok(Some(answer));
        }
        let mut child = match self.options.children.start(&self.machine, ask) {
            Some(Ok(child)) => child,
            Some(Err(problem)) => return self.without_answer(ask, Some(&problem)).map(Some),
            None => return self.without_answer(ask, None).map(Some),
        };
        let mut turns = 0_u64;
        loop {
            turns = turns.wrapping_add(1);
            if turns.is_multiple_of(256) && interrupted.load(Ordering::Relaxed) {
                return Ok(None);
            }
            match child.step(&self.options.children, &self.worker) {
                Turn::Going => self.bound("a child execution", child.transitions())?,
                Turn::Ended(answer, notes) => {
                    for note in notes {
                        output::warn(&output::lines_visible(&format!("note: {note}")));
                    }
                    return Ok(Some(answer));
                }
                Turn::Unanswered(problem) => {
                    return self.without_answer(ask, Some(&problem)).map(Some);
                }
            }
        }
    }

    /// The answer that the program or the mock file has.
    fn known_answer(&mut self, ask: &Ask) -> Result<Option<Answer>, Refusal> {
        if let Some(answer) = self.worker.serve(ask) {
            return Ok(Some(answer));
        }
        let state = self.machine.definition().state(ask.state);
        let Some((state, _)) = state.and_then(as_task) else {
            return Ok(None);
        };
        let Some((case, entry)) = self
            .case
            .and_then(|case| Some((case, case.entry_of(state)?)))
        else {
            return Ok(None);
        };
        let calls = self.calls.entry(entry.clone()).or_insert(0);
        let number = *calls;
        *calls += 1;
        match case.answer(entry, number) {
            Some(Err(run_out)) => Err(Refusal::new(run_out.to_string())),
            answer => Ok(answer.and_then(Result::ok)),
        }
    }

    /// What a question gets that nothing answers; `why` a child execution did not.
    fn without_answer(&self, ask: &Ask, why: Option<&str>) -> Result<Answer, Refusal> {
        let Want::Call { input, .. } = &ask.want else {
            // There is no input that could be given back as items: the state fails, and the run goes on from that.
            return match self.options.unmocked {
                Unmocked::Echo => {
                    let cause = "no folder and no file stands for what it reads";
                    Ok(Answer::failure("States.ItemReaderFailed", cause))
                }
                _ => Err(self.unread(ask)),
            };
        };
        let state = self.machine.definition().state(ask.state);
        let Some((state, task)) = state.and_then(as_task) else {
            return Err(Refusal::new("a state that is no Task asked for an answer"));
        };
        match (self.options.unmocked, why) {
            (Unmocked::Echo, _) => Ok(Answer::success(service_response::echo(task, input))),
            (_, None) => Err(self.unanswered(state, task)),
            (_, Some(why)) => Err(Refusal::new(format!(
                "task {} of state \"{}\" has no answer: {}",
                task.resource,
                state.path,
                output::lines_visible(why)
            ))),
        }
    }

    /// An ItemReader for which no folder and no file stands.
    fn unread(&self, ask: &Ask) -> Refusal {
        let state = self.machine.definition().state(ask.state);
        let path = state.map_or("", |state| &*state.path.0);
        Refusal::new(format!(
            "the ItemReader of state \"{path}\" has nothing to read: give a folder that holds BUCKET/KEY with --s3-root DIR or as NAME.s3 beside the definition, or a file with --reader '{path}=FILE'"
        ))
    }

    fn unanswered(&self, state: &State, task: &Task) -> Refusal {
        let name = Value::String(state.name.clone());
        let offered = service_response::offered(task, &Value::empty_object());
        let part = match self.case {
            Some(case) => format!(
                "the test case \"{}\" of the mock file does not name it; add {name}: \"RESPONSE\" there and \"RESPONSE\": {{\"0\": {{\"Return\": {offered}}}}} under \"MockedResponses\"",
                case.name
            ),
            None => format!(
                "give one with --mock FILE, for example {{\"StateMachines\": {{\"{}\": {{\"TestCases\": {{\"Case\": {{{name}: \"RESPONSE\"}}}}}}}}, \"MockedResponses\": {{\"RESPONSE\": {{\"0\": {{\"Return\": {offered}}}}}}}}}",
                self.machine.definition().name
            ),
        };
        Refusal::new(format!(
            "task {} of state \"{}\" has no answer: {part}, or use --unmocked echo to have it give back its input",
            task.resource, state.path
        ))
    }

    fn stuck(&self) -> Refusal {
        let waiting = self.machine.frames().find_map(|frame| {
            let state = self.machine.definition().state(frame.visit.state)?;
            frame.visit.call.as_ref().map(|_| state)
        });
        Refusal::new(match waiting {
            Some(state) => format!(
                "the run cannot go on: the task of state \"{}\" never answers and has no TimeoutSeconds",
                state.path
            ),
            None => "the run cannot go on: nothing is left that could happen".to_string(),
        })
    }

    fn print(&self) -> Result<ExitCode, Refusal> {
        let status = self.machine.status();
        match self.options.format {
            RunFormat::Json => output::print(&format!("{}\n", one_line(&self.report(status))))?,
            RunFormat::Jsonl => {}
            RunFormat::Text => match status {
                Status::Succeeded(value) => output::print(&format!("{}\n", pretty(value)))?,
                Status::Failed(fault) => output::warn(&failure_text(fault)),
                Status::TimedOut => {
                    output::warn("the execution timed out: its TimeoutSeconds passed")
                }
                Status::Running => {}
            },
        }
        Ok(match status {
            Status::Succeeded(_) => ExitCode::SUCCESS,
            _ => ExitCode::from(1),
        })
    }

    fn report(&self, status: &Status) -> Value {
        let word = |text: &str| vec![("status".into(), Value::from(text))];
        let mut members = match status {
            Status::Succeeded(value) => {
                let mut members = word("SUCCEEDED");
                members.push(("output".into(), value.clone()));
                members
            }
            Status::Failed(fault) => {
                let mut members = word("FAILED");
                members.extend(error_members(fault));
                members
            }
            Status::TimedOut => {
                let mut members = word("TIMED_OUT");
                members.push(("error".into(), Value::from("States.Timeout")));
                members
            }
            Status::Running => word("RUNNING"),
        };
        members.push(("steps".into(), count(self.events)));
        members.push(("transitions".into(), count(self.machine.transitions())));
        members.push(("virtualSeconds".into(), seconds(self.machine.now())));
        Value::object(members)
    }
}

fn as_task(state: &State) -> Option<(&State, &Task)> {
    match &state.kind {
        StateKind::Task(task) => Some((state, task)),
        _ => None,
    }
}

/// `error` and `cause`, as far as there are any.
pub(super) fn error_members(fault: &Fault) -> Vec<(Text, Value)> {
    let part = |name: &str, text: &Option<Text>| {
        text.clone().map(|text| (name.into(), Value::String(text)))
    };
    let parts = [part("error", &fault.error), part("cause", &fault.cause)];
    parts.into_iter().flatten().collect()
}

fn failure_text(fault: &Fault) -> String {
    let error = match fault.name() {
        "" => "no error name",
        name => name,
    };
    let cause = match fault.cause_text() {
        "" => String::new(),
        cause => format!(": {cause}"),
    };
    let aws = fault.aws.as_ref().map(|aws| match aws {
        OnAws::Fault { error, handled } => {
            let handled = if *handled {
                ""
            } else {
                ", which no Retry or Catch takes"
            };
            format!("\nnote: on AWS the error is {error}{handled} (--profile aws)")
        }
        OnAws::GoesOn(difference) => format!("\nnote: {} (--profile aws)", difference.text()),
    });
    output::lines_visible(&format!(
        "the execution failed: {error}{cause}{}",
        aws.unwrap_or_default()
    ))
}

fn count(number: u64) -> Value {
    Value::from(i64::try_from(number).unwrap_or(i64::MAX))
}

/// A history being written; without an end it vanishes.
struct HistoryFile {
    target: PathBuf,
    recording: Recording<Draft>,
}

impl HistoryFile {
    fn create(target: &Path) -> Result<Self, Refusal> {
        let draft = Draft::begin(target, Replace::Unread);
        let draft = draft.map_err(|error| Refusal::new(error.to_string()))?;
        Ok(Self {
            target: target.to_path_buf(),
            recording: Recording::new(draft),
        })
    }

    fn note(
        &mut self,
        machine: &Machine,
        event: &crate::interpreter::Event,
    ) -> Result<(), Refusal> {
        let noted = self.recording.note(machine, event);
        noted.map_err(|error| unwritten(&self.target, &error))
    }

    fn finish(self) -> Result<(), Refusal> {
        let whole = self.recording.finish();
        let draft = whole.map_err(|error| unwritten(&self.target, &error))?;
        draft
            .finish()
            .map_err(|error| Refusal::new(error.to_string()))
    }
}

fn unwritten(target: &Path, error: &io::Error) -> Refusal {
    Refusal::new(format!("cannot write {}: {error}", target.display()))
}
