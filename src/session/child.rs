//! Child executions: a task that starts one is answered by running the definition that was given for its machine.
//!
//! It must not know files, nor who asked for the child; nothing here reaches a network.

use super::answers::MockCase;
use super::execution::{Execution, Start, machine_name, status_word};
use super::service_response;
use super::session::Unmocked;
use crate::definition::{Definition, Integration, StateKind, Task};
use crate::interpreter::{
    Answer, Ask, AskId, Fault, Header, Machine, Millis, Outcome, Run, Serve, Status, Step, Want,
    execution_name, seed_of_child,
};
use crate::json::{Text, Value};
use crate::source::did_you_mean;
use std::collections::HashMap;
use std::sync::Arc;

/// Children nest no deeper than this.
const DEEPEST: usize = 16;

/// A machine that tasks may start executions of.
#[derive(Clone, Debug)]
pub struct ChildMachine {
    /// Its ARN, or its name, as given.
    pub name: Text,
    /// Its definition.
    pub definition: Arc<Definition>,
    /// The test case that answers its tasks.
    pub case: Option<MockCase>,
    /// The test cases that there are for it.
    pub cases: Vec<Text>,
}

/// The machines that are at hand, and what their tasks without an answer get.
#[derive(Clone, Debug, Default)]
pub struct Children {
    /// The machines in the order in which they were given.
    pub machines: Vec<ChildMachine>,
    /// `Ask` leaves the task that started the child without an answer.
    pub unmocked: Unmocked,
}

impl Children {
    /// The machine of an ARN: the one given by this ARN, else the one given by its name.
    #[must_use]
    pub fn find(&self, arn: &str) -> Option<&ChildMachine> {
        let by = |wanted: &str| self.machines.iter().find(|own| &*own.name == wanted);
        by(arn).or_else(|| by(machine_name(arn)))
    }

    /// Whether the same machines have the same texts and answers.
    #[must_use]
    pub fn agree(&self, other: &Self) -> bool {
        let texts = |machine: &ChildMachine| -> Vec<Arc<str>> {
            let files = machine.definition.sources.files().iter();
            files.map(|file| Arc::clone(&file.text)).collect()
        };
        self.machines.len() == other.machines.len()
            && self
                .machines
                .iter()
                .zip(&other.machines)
                .all(|(own, other)| {
                    own.name == other.name && own.case == other.case && texts(own) == texts(other)
                })
    }

    /// Starts the child that a question of a machine asks for.
    ///
    /// `None` where the task starts no execution, or no machine was given at all.
    ///
    /// # Errors
    /// Why the child cannot be run, in one sentence.
    #[must_use]
    pub fn start(&self, machine: &Machine, ask: &Ask) -> Option<Result<Child, String>> {
        let level = self.level(machine, ask)?;
        Some(level.map(|level| Child {
            levels: vec![level],
            notes: Vec::new(),
        }))
    }

    fn level(&self, machine: &Machine, ask: &Ask) -> Option<Result<Level, String>> {
        let Want::Call { input, token, .. } = &ask.want else {
            return None;
        };
        let state = machine.definition().state(ask.state)?;
        let StateKind::Task(task) = &state.kind else {
            return None;
        };
        let start = Start::of(task).filter(|_| !self.machines.is_empty())?;
        let from = &machine.run().header;
        let seed = seed_of_child(from.seed, u64::from(ask.id.0));
        let now = i64::try_from(machine.now()).unwrap_or(i64::MAX);
        let started = from.start_time.saturating_add(now);
        let execution = Execution::asked(input, &execution_name(seed), started);
        let Some(child) = self.find(&execution.machine) else {
            return Some(Err(self.unknown(&execution.machine)));
        };
        let text = |text: String| Value::string(text);
        let context = Value::object(vec![
            (
                "Execution".into(),
                Value::object(vec![
                    ("Id".into(), text(execution.arn())),
                    ("Name".into(), Value::String(execution.name.clone())),
                ]),
            ),
            (
                "StateMachine".into(),
                Value::object(vec![
                    ("Id".into(), Value::String(execution.machine.clone())),
                    ("Name".into(), Value::from(execution.machine_name())),
                ]),
            ),
        ]);
        let header = Header {
            seed,
            start_time: started,
            context,
            max_value: from.max_value,
            ..Header::new(execution.input.clone(), from.profile)
        };
        let run = Arc::new(Run::new(Arc::clone(&child.definition), header));
        Some(Ok(Level {
            machine: Machine::start(run),
            ask: ask.id,
            start,
            token: token.clone(),
            execution,
            called: None,
            beats: Vec::new(),
            calls: HashMap::new(),
        }))
    }

    fn unknown(&self, arn: &str) -> String {
        let names = || self.machines.iter().map(|machine| &*machine.name);
        let near = did_you_mean(machine_name(arn), names()).map(|near| format!("; {near}"));
        let given: Vec<&str> = names().collect();
        format!(
            "no --child stands for {arn}{}; given are {}",
            near.unwrap_or_default(),
            given.join(", ")
        )
    }
}

/// A child execution being run, with those that it started itself.
#[derive(Clone, Debug)]
pub struct Child {
    /// From the child outwards in: each was started by a task of the one before.
    levels: Vec<Level>,
    notes: Vec<String>,
}

/// One execution.
#[derive(Clone, Debug)]
struct Level {
    machine: Machine,
    /// The question that it answers.
    ask: AskId,
    start: Start,
    /// The token of the task that waits for one.
    token: Option<Text>,
    execution: Execution,
    /// What came with the token.
    called: Option<Answer>,
    /// Heartbeats that came with the token.
    beats: Vec<Millis>,
    /// How often each state called.
    calls: HashMap<Text, u64>,
}

/// What one step of a child came to.
#[derive(Clone, Debug, PartialEq)]
pub enum Turn {
    /// It goes on.
    Going,
    /// It is over: the answer to the task that started it, and what a person should know besides.
    Ended(Answer, Vec<String>),
    /// The task has no answer, for this reason.
    Unanswered(String),
}

impl Child {
    /// The smallest step of the innermost execution.
    pub fn step(&mut self, children: &Children, server: &dyn Serve) -> Turn {
        let Some(level) = self.levels.last_mut() else {
            return Turn::Unanswered("the child execution is over".into());
        };
        match level.machine.step(Millis::MAX) {
            Step::Event(_) => Turn::Going,
            Step::Ask(ask) => self.asked(&ask, children, server),
            Step::Waiting | Step::Idle(_) | Step::Stuck => {
                let name = level.machine.definition().name.clone();
                self.cannot(format!("the child {name} never ends: a task of it never answers and has no TimeoutSeconds"))
            }
            Step::Done => self.ended(),
        }
    }

    /// How many states were entered by the executions that still run.
    #[must_use]
    pub fn transitions(&self) -> u64 {
        self.levels
            .iter()
            .map(|level| level.machine.transitions())
            .sum()
    }

    fn asked(&mut self, ask: &Ask, children: &Children, server: &dyn Serve) -> Turn {
        if let Some(answer) = server.serve(ask) {
            return self.give(ask.id, answer);
        }
        let depth = self.levels.len();
        let Some(level) = self.levels.last_mut() else {
            return Turn::Going;
        };
        let definition = Arc::clone(&level.machine.run().definition);
        let Some(state) = definition.state(ask.state) else {
            return Turn::Going;
        };
        let (StateKind::Task(task), Want::Call { input, .. }) = (&state.kind, &ask.want) else {
            let what = format!(
                "the ItemReader of its state {} has nothing to read",
                state.path
            );
            return match children.unmocked {
                Unmocked::Ask => self.cannot_answer(&definition, &what),
                Unmocked::Echo | Unmocked::Fail => {
                    let cause = "no folder and no file stands for what the ItemReader names";
                    self.give(ask.id, Answer::failure("States.ItemReaderFailed", cause))
                }
            };
        };
        let machine = children.find(&level.execution.machine);
        let case = machine.and_then(|own| own.case.as_ref());
        let mocked = case.and_then(|case| {
            let entry = case.entry_of(state)?;
            let calls = level.calls.entry(entry.clone()).or_insert(0);
            let number = *calls;
            *calls += 1;
            case.answer(entry, number)
        });
        match mocked {
            Some(Ok(answer)) => return self.give(ask.id, answer),
            Some(Err(run_out)) => return self.cannot_answer(&definition, &run_out.to_string()),
            None => {}
        }
        match children.level(&level.machine, ask) {
            Some(Ok(_)) if depth >= DEEPEST => {
                let what = format!(
                    "executions nest deeper than {DEEPEST} at its state {}",
                    state.path
                );
                return self.cannot_answer(&definition, &what);
            }
            Some(Ok(inner)) => {
                self.levels.push(inner);
                return Turn::Going;
            }
            Some(Err(problem)) if children.unmocked == Unmocked::Ask => {
                let what = format!("its state {} starts another: {problem}", state.path);
                return self.cannot_answer(&definition, &what);
            }
            Some(Err(_)) | None => {}
        }
        if self.called_back(task, input) {
            return self.give(ask.id, Answer::success(Value::empty_object()));
        }
        match children.unmocked {
            Unmocked::Echo => {
                self.give(ask.id, Answer::success(service_response::echo(task, input)))
            }
            Unmocked::Fail => {
                let cause = format!("no answer for {}: the mock file has none", state.name);
                self.give(ask.id, Answer::failure("States.TaskFailed", cause))
            }
            Unmocked::Ask => {
                let cases = machine
                    .filter(|own| own.case.is_none())
                    .map_or(&[][..], |own| &own.cases);
                let cases = match cases {
                    [] => String::new(),
                    cases => format!(
                        " (none of its test cases {} is named as that of the run)",
                        cases.join(", ")
                    ),
                };
                let what = format!(
                    "task {} of its state {} has no answer{cases}; the mock file gives one under \"{}\"",
                    task.resource, state.path, definition.name
                );
                self.cannot_answer(&definition, &what)
            }
        }
    }

    fn give(&mut self, ask: AskId, answer: Answer) -> Turn {
        if let Some(level) = self.levels.last_mut() {
            level.machine.answer(ask, answer);
        }
        Turn::Going
    }

    /// Takes `sendTaskSuccess` and its like for the token of a task that waits; whether it was one.
    fn called_back(&mut self, task: &Task, input: &Value) -> bool {
        let Integration::Service { service, api, .. } = &task.integration else {
            return false;
        };
        let text = |name: &str| input.get(name).and_then(Value::as_str);
        let Some(token) = text("TaskToken").filter(|_| &**service == "aws-sdk:sfn") else {
            return false;
        };
        let outcome = match &**api {
            "sendTaskSuccess" => {
                let output = input.get("Output").cloned().unwrap_or_default();
                let parsed = output
                    .as_str()
                    .and_then(|text| crate::json::parse(text).ok());
                Some(Outcome::Success(parsed.unwrap_or(output)))
            }
            "sendTaskFailure" => Some(Outcome::Failure {
                error: text("Error").map(Text::from),
                cause: text("Cause").map(Text::from),
            }),
            "sendTaskHeartbeat" => None,
            _ => return false,
        };
        let Some(now) = self.levels.last().map(Level::time) else {
            return false;
        };
        let waits =
            |level: &&mut Level| level.token.as_deref() == Some(token) && level.called.is_none();
        let Some(level) = self.levels.iter_mut().find(waits) else {
            return false;
        };
        let took = Millis::try_from(now.saturating_sub(level.execution.started)).unwrap_or(0);
        match outcome {
            None => level.beats.push(took),
            Some(outcome) => {
                level.called = Some(Answer {
                    outcome,
                    took,
                    heartbeats: std::mem::take(&mut level.beats),
                });
            }
        }
        true
    }

    /// The innermost execution ended: what waits for it is answered.
    fn ended(&mut self) -> Turn {
        let Some(level) = self.levels.pop() else {
            return Turn::Going;
        };
        let status = level.machine.status().clone();
        let failed = failure(&status);
        let name = &level.machine.definition().name;
        if level.start == Start::Callback && level.called.is_none() {
            let why =
                failed.map_or_else(|| " ended".into(), |failed| format!(" failed ({failed})"));
            let problem =
                format!("the child {name}{why} and never sent the token that the task waits for");
            return self.unanswered(problem);
        }
        if let Some(failed) = failed.filter(|_| level.waits_not()) {
            self.notes.push(format!(
                "the child {name}, which no task waits for, failed: {failed}"
            ));
        }
        let answer = level.answer(&status);
        self.settle(level.ask, answer)
    }

    /// The innermost execution cannot go on: executions that nothing waits for end with a note, the others have no answer.
    fn cannot(&mut self, problem: String) -> Turn {
        while let Some(level) = self.levels.pop() {
            if level.waits_not() {
                self.notes.push(format!("{problem} (no task waits for it)"));
                let answer = level.answer(&Status::Running);
                return self.settle(level.ask, answer);
            }
        }
        Turn::Unanswered(problem)
    }

    fn cannot_answer(&mut self, definition: &Definition, what: &str) -> Turn {
        self.cannot(format!(
            "the child {} cannot go on: {what}",
            definition.name
        ))
    }

    /// The task of the innermost execution that is left has no answer.
    fn unanswered(&mut self, problem: String) -> Turn {
        if self.levels.is_empty() {
            return Turn::Unanswered(problem);
        }
        self.cannot(problem)
    }

    fn settle(&mut self, ask: AskId, answer: Answer) -> Turn {
        if self.levels.is_empty() {
            return Turn::Ended(answer, std::mem::take(&mut self.notes));
        }
        self.give(ask, answer)
    }
}

impl Level {
    /// Now, in milliseconds since 1970.
    fn time(&self) -> i64 {
        let now = i64::try_from(self.machine.now()).unwrap_or(i64::MAX);
        self.execution.started.saturating_add(now)
    }

    /// Whether the task that started it has all that it waits for.
    fn waits_not(&self) -> bool {
        self.start.is_asynchronous() || self.called.is_some()
    }

    fn answer(&self, status: &Status) -> Answer {
        if let Some(answer) = &self.called {
            return answer.clone();
        }
        if self.start.is_asynchronous() {
            return Answer::success(self.execution.begun(self.start));
        }
        let described = self.execution.described(self.start, status, self.time());
        let outcome = match status {
            Status::Succeeded(_) => Outcome::Success(described),
            _ if self.start == Start::SdkSync => Outcome::Success(described),
            _ => Outcome::Failure {
                error: Some("States.TaskFailed".into()),
                cause: Some(described.to_string().into()),
            },
        };
        Answer {
            outcome,
            took: self.machine.now(),
            heartbeats: Vec::new(),
        }
    }
}

/// How an execution failed, in words.
fn failure(status: &Status) -> Option<String> {
    match status {
        Status::Failed(fault) => Some(words(fault)),
        Status::TimedOut => Some(status_word(status).into()),
        Status::Succeeded(_) | Status::Running => None,
    }
}

fn words(fault: &Fault) -> String {
    match (fault.name(), fault.cause_text()) {
        ("", "") => "no error name".into(),
        (name, "") => name.into(),
        (name, cause) => format!("{name}: {cause}"),
    }
}
