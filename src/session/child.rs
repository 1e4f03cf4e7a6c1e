//! Runs child executions for tasks, including the executions that the tasks of a child start. Also holds the data with
//! which a session answers requests: the answerer, which knows all sources of answers, and the child execution that is
//! computing an answer.

use super::answerer::{Answerer, ChildDecision, Decision, Repeats};
use super::execution::{Callback, ChildRequest, Start, status_word};
use super::no_answer::{ChildProblem, NoAnswer, Remark};
use crate::definition::StateKind;
use crate::interpreter::{
    Answer, Ask, AskId, EventKind, Fault, Machine, MemoryWatch, Millis, Status, Step, Want,
};
use crate::json::{Text, Value};
use std::sync::Arc;

/// A running child execution, with the executions that its tasks started.
#[derive(Clone, Debug)]
pub struct Child {
    /// The running executions, outermost first. A task of each execution started the next execution in the list.
    levels: Vec<Level>,
    /// Memory limit of the whole run, in bytes. Each execution may use a part of this limit; the part is smaller for
    /// deeper executions.
    memory_limit: u64,
    /// Number of states entered and retries made, including those in executions that have finished.
    steps: u64,
    /// Remarks for the user.
    notes: Vec<Remark>,
    /// A request of the innermost execution, while the server (which evaluates expressions and reads files) computes
    /// the answer.
    pending: Option<Ask>,
}

/// Result of a step of a child execution.
#[derive(Clone, Debug, PartialEq)]
pub enum Turn {
    /// The child is still running.
    Going,
    /// The child has ended, with this answer for the task that started it.
    Ended(Answer),
    /// The child cannot continue, because a task in the child (or in an execution inside it) has no answer. So the task
    /// that started the child gets no answer either.
    NoAnswer(NoAnswer),
}

impl Child {
    /// Starts the child execution that a task's request asks for. `parent` answers the requests of the run that
    /// contains the task, and `memory_limit` is that run's limit in bytes.
    #[must_use]
    pub fn begin(request: ChildRequest, parent: &Answerer, memory_limit: u64) -> Self {
        Self {
            levels: vec![Level::begin(request, parent, memory_limit / 2)],
            memory_limit,
            steps: 0,
            notes: Vec::new(),
            pending: None,
        }
    }

    /// Number of states entered and retries made so far, by the child and all executions that it started.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Removes and returns the remarks that were added since the last call.
    pub fn take_notes(&mut self) -> Vec<Remark> {
        std::mem::take(&mut self.notes)
    }

    /// Performs one step, the smallest possible, of the innermost execution.
    pub fn step(&mut self) -> Turn {
        if let Some(ask) = self.pending.take() {
            return self.answer(&ask);
        }
        let Some(level) = self.levels.last_mut() else {
            return Turn::NoAnswer(NoAnswer::of_child(ChildProblem::Over));
        };
        if level.memory.is_over(&level.machine, 0) {
            let why = ChildProblem::TooLarge {
                child: level.machine.definition().name.clone(),
                limit: level.memory.limit(),
            };
            return self.abandon(NoAnswer::of_child(why));
        }
        let before = level.machine.transitions();
        let step = level.machine.step(Millis::MAX);
        let entered = level.machine.transitions().saturating_sub(before);
        self.steps = self.steps.saturating_add(entered);
        match step {
            Step::Event(event) => {
                let retried = event.kind == EventKind::Retried;
                self.steps = self.steps.saturating_add(u64::from(retried));
                Turn::Going
            }
            Step::Ask(ask) => self.answer(&ask),
            Step::Waiting | Step::Idle(_) | Step::Stuck => {
                let name = level.machine.definition().name.clone();
                self.abandon(NoAnswer::of_child(ChildProblem::NeverEnds(name)))
            }
            Step::Done => self.ended(),
        }
    }

    /// Answers a request of the innermost execution, with an answer from the answerer of that execution.
    fn answer(&mut self, ask: &Ask) -> Turn {
        let tokens = match &ask.want {
            Want::Call { .. } => self.awaited_tokens(),
            _ => Vec::new(),
        };
        let limit = self.memory_limit / (self.levels.len() as u64 + 2);
        let Some(level) = self.levels.last_mut() else {
            return Turn::Going;
        };
        let answerer = &mut level.answerer;
        let decision = answerer.decide_in_child(&level.machine, ask, &tokens);
        self.notes.extend(answerer.take_remarks());
        match decision {
            ChildDecision::Decided(Decision::Later) => {
                self.pending = Some(ask.clone());
                Turn::Going
            }
            ChildDecision::Decided(Decision::Serve(answer) | Decision::Answer(answer, _)) => {
                self.give(ask.id, answer)
            }
            ChildDecision::Decided(Decision::Start(request)) => {
                let inner = Level::begin(*request, answerer, limit);
                self.levels.push(inner);
                Turn::Going
            }
            ChildDecision::Decided(Decision::NoAnswer(why)) => {
                let blocked = blocked(level, ask, why);
                self.abandon(NoAnswer::of_child(blocked))
            }
            ChildDecision::Callback(callback) => {
                self.call_back(callback);
                self.give(ask.id, Answer::success(Value::empty_object()))
            }
        }
    }

    fn give(&mut self, ask: AskId, answer: Answer) -> Turn {
        if let Some(level) = self.levels.last_mut() {
            level.machine.answer(ask, answer);
        }
        Turn::Going
    }

    fn awaited_tokens(&self) -> Vec<Text> {
        let tokens = self.levels.iter().filter_map(Level::awaited_token);
        tokens.cloned().collect()
    }

    /// Finds the task that waits for the callback's token, and stores the callback with the execution that this task
    /// started.
    fn call_back(&mut self, callback: Callback) {
        let Some(now) = self.levels.last().map(Level::time) else {
            return;
        };
        let waits = |level: &&mut Level| level.awaited_token() == Some(&callback.token);
        if let Some(level) = self.levels.iter_mut().find(waits) {
            level.take(callback, now);
        }
    }

    /// Handles the end of the innermost execution: answers the task that started it.
    fn ended(&mut self) -> Turn {
        let Some(level) = self.levels.pop() else {
            return Turn::Going;
        };
        let failed = level.failure();
        let child = level.machine.definition().name.clone();
        if level.owes_token() {
            let failure = failed;
            let why = NoAnswer::of_child(ChildProblem::NoToken { child, failure });
            return match self.leave_unanswered(level.request.ask, why) {
                Ok(turn) => turn,
                Err(why) => self.abandon(why),
            };
        }
        if let Some(failure) = failed.filter(|_| level.is_awaited_no_more()) {
            self.notes.push(Remark::ChildFailed { child, failure });
        }
        let answer = level.answer(level.machine.status());
        self.settle(level.request.ask, answer)
    }

    /// Ends the innermost execution, which cannot continue. If no task waits for that execution, only adds a remark.
    /// Otherwise answers the waiting task as `--unmocked` says; without such an answer, the enclosing execution cannot
    /// continue either.
    fn abandon(&mut self, mut why: NoAnswer) -> Turn {
        while let Some(level) = self.levels.pop() {
            if level.is_awaited_no_more() {
                self.notes.push(Remark::ChildAbandoned(why));
                let answer = level.answer(&Status::Running);
                return self.settle(level.request.ask, answer);
            }
            match self.leave_unanswered(level.request.ask, why) {
                Ok(turn) => return turn,
                Err(back) => why = back,
            }
        }
        Turn::NoAnswer(why)
    }

    /// Answers the request `ask` of the execution that is now innermost, as `--unmocked` says; `why` is the reason why
    /// no other source answers the request. Returns a reason if `--unmocked` gives no answer either.
    fn leave_unanswered(&mut self, ask: AskId, why: NoAnswer) -> Result<Turn, NoAnswer> {
        let Some(level) = self.levels.last_mut() else {
            return Err(why);
        };
        let Some(ask) = level.machine.ask(ask).cloned() else {
            return Err(why);
        };
        let answer = level.answerer.unmocked(&level.machine, &ask, why)?;
        self.notes.extend(level.answerer.take_remarks());
        Ok(self.give(ask.id, answer))
    }

    fn settle(&mut self, ask: AskId, answer: Answer) -> Turn {
        if self.levels.is_empty() {
            return Turn::Ended(answer);
        }
        self.give(ask, answer)
    }
}

/// Why an execution cannot continue: one of its requests has no answer.
fn blocked(level: &Level, ask: &Ask, why: NoAnswer) -> ChildProblem {
    let definition = level.machine.definition();
    let state = definition.state(ask.state);
    ChildProblem::Blocked {
        child: definition.name.clone(),
        state: state.map_or_else(|| "".into(), |state| state.path.0.clone()),
        resource: state.and_then(|state| match &state.kind {
            StateKind::Task(task) => Some(task.resource.clone()),
            _ => None,
        }),
        unused_cases: match level.request.case {
            Some(_) => Vec::new(),
            None => level.request.cases.clone(),
        },
        why,
    }
}

/// A running execution: the child, or an execution that was started inside it.
#[derive(Clone, Debug)]
pub(super) struct Level {
    pub machine: Machine,
    pub answerer: Answerer,
    pub memory: MemoryWatch,
    /// The request that started this execution. The end of the execution gives the answer to the request.
    request: ChildRequest,
    /// The answer that the execution sent with the task token of the request.
    called: Option<Answer>,
    /// Times of the heartbeats that were sent with that token, in milliseconds since the start of the execution.
    heartbeats: Vec<Millis>,
}

impl Level {
    /// Starts the execution that a request asks for, with at most `memory_limit` bytes. `parent` is the answerer of the
    /// run that made the request.
    pub(super) fn begin(request: ChildRequest, parent: &Answerer, memory_limit: u64) -> Self {
        Self {
            machine: Machine::start(Arc::clone(&request.run)),
            answerer: parent.for_child(&request, Repeats::Never),
            memory: MemoryWatch::new(memory_limit),
            request,
            called: None,
            heartbeats: Vec::new(),
        }
    }

    /// The current virtual time, in milliseconds since 1970.
    pub(super) fn time(&self) -> i64 {
        let now = i64::try_from(self.machine.now()).unwrap_or(i64::MAX);
        self.request.execution.started.saturating_add(now)
    }

    /// The token of the task that started this execution, while that task still waits for the token.
    pub(super) fn awaited_token(&self) -> Option<&Text> {
        (self.request.token.as_ref()).filter(|_| self.called.is_none())
    }

    /// Takes a callback for the task that started this execution; `time` is in milliseconds since 1970.
    pub(super) fn take(&mut self, callback: Callback, time: i64) {
        let took = time.saturating_sub(self.request.execution.started);
        let took = Millis::try_from(took).unwrap_or(0);
        match callback.outcome {
            None => self.heartbeats.push(took),
            Some(outcome) => {
                self.called = Some(Answer {
                    outcome,
                    took,
                    heartbeats: std::mem::take(&mut self.heartbeats),
                });
            }
        }
    }

    /// True if the task that started this execution does not wait for the execution, or no longer waits.
    pub(super) fn is_awaited_no_more(&self) -> bool {
        self.request.start.is_asynchronous() || self.called.is_some()
    }

    /// True if the task that started this execution waits for a task token that the execution has not sent.
    pub(super) fn owes_token(&self) -> bool {
        self.request.start == Start::Callback && self.called.is_none()
    }

    /// The answer for the task that started the execution; `status` is how the execution ended.
    pub(super) fn answer(&self, status: &Status) -> Answer {
        let (request, now) = (&self.request, self.machine.now());
        let called = self.called.clone();
        called.unwrap_or_else(|| request.execution.answer(request.start, status, now))
    }

    /// Description of the failure; `None` if the execution did not fail.
    pub(super) fn failure(&self) -> Option<Text> {
        let status = self.machine.status();
        match status {
            Status::Failed(fault) => Some(fault_text(fault).into()),
            Status::TimedOut => Some(status_word(status).into()),
            Status::Succeeded(_) | Status::Running => None,
        }
    }
}

fn fault_text(fault: &Fault) -> String {
    match (fault.name(), fault.cause_text()) {
        ("", "") => "an error without a name".into(),
        (name, "") => name.into(),
        (error_name, cause) => format!("{error_name}: {cause}"),
    }
}

/// The answerer of a session's run, the child execution that is computing an answer, and the states whose requests got
/// no answer.
#[derive(Debug)]
pub(super) struct Answering {
    pub answerer: Answerer,
    /// The child execution that is running, and the request for which it computes the answer.
    pub child: Option<(AskId, Child)>,
    /// Number of states entered and retries made in child executions that finished since the run began.
    pub child_steps: u64,
    /// Paths of the states whose requests got no answer since the last stop.
    pub left_open: Vec<Text>,
}

impl Answering {
    pub fn new(answerer: Answerer) -> Self {
        Self {
            answerer,
            child: None,
            child_steps: 0,
            left_open: Vec::new(),
        }
    }

    /// Forgets the running child execution, the counted steps and the unanswered requests, because the run starts
    /// again.
    pub fn begin(&mut self) {
        self.child = None;
        self.child_steps = 0;
        self.left_open.clear();
    }
}

/// Result of trying to answer a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// The request was answered.
    Answered,
    /// The user has to answer the request.
    Open,
    /// The answer is being computed by a child execution or by the server.
    Begun,
    /// A call was sent to a real target, while other branches and items continue; `true` if the call had been sent
    /// earlier.
    Called(bool),
}
