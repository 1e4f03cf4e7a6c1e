//! A child execution: run for a task that starts one, with those that it starts itself.
//!
//! It must not know files, nor who asked for the child; nothing here reaches a network.

mod level;

use super::answerer::{Answerer, ChildDecision, Decision};
use super::callback::Callback;
use super::children::ChildRequest;
use super::no_answer::NoAnswer;
use crate::definition::StateKind;
use crate::interpreter::{Answer, Ask, AskId, EventKind, Millis, Status, Step, Want};
use crate::json::{Text, Value};
use level::Level;

/// A child execution being run, with those that it started itself.
#[derive(Clone, Debug)]
pub struct Child {
    /// From the child outwards in: each was started by a task of the one before.
    levels: Vec<Level>,
    /// Bytes of memory that the run may take which it belongs to. An execution may take a part of it, the deeper it runs
    /// the less.
    memory_limit: u64,
    /// States entered and retries made, those of executions that are over included.
    steps: u64,
    /// What a person should know besides the answer.
    notes: Vec<String>,
    /// A question of the innermost execution that the server is at work at.
    pending: Option<Ask>,
}

/// What one step of a child came to.
#[derive(Clone, Debug, PartialEq)]
pub enum Turn {
    /// It goes on.
    Going,
    /// It is over: the answer to the task that started it.
    Ended(Answer),
    /// It came to no answer.
    NoAnswer(NoAnswer),
}

impl Child {
    /// Begins the execution that a question asks for; `parent` answers the questions of the machine that asks, whose run
    /// may take `memory_limit` bytes of memory.
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

    /// States entered and retries made up to now, by the child and all that it started.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// What a person should know of it, since this was last asked.
    pub fn take_notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notes)
    }

    /// The smallest step of the innermost execution.
    pub fn step(&mut self) -> Turn {
        if let Some(ask) = self.pending.take() {
            return self.answer(&ask);
        }
        let Some(level) = self.levels.last_mut() else {
            return Turn::NoAnswer(NoAnswer::Child("the child execution is over".into()));
        };
        if level.memory.is_over(&level.machine, 0) {
            let why = format!(
                "the child {} was ended: its values take more than {} MiB of memory (--max-memory MIB sets the limit of a run, of which a child has its part)",
                level.machine.definition().name,
                level.memory.limit() >> 20
            );
            return self.abandon(NoAnswer::Stopped(why));
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
                let name = &level.machine.definition().name;
                let why = format!(
                    "the child {name} never ends: a task of it never answers and has no TimeoutSeconds"
                );
                self.abandon(NoAnswer::Child(why))
            }
            Step::Done => self.ended(),
        }
    }

    /// Answers a question of the innermost execution.
    fn answer(&mut self, ask: &Ask) -> Turn {
        let tokens = match &ask.want {
            Want::Call { .. } => self.awaited_tokens(),
            _ => Vec::new(),
        };
        let depth = self.levels.len();
        let limit = self.memory_limit / (depth as u64 + 2);
        let Some(level) = self.levels.last_mut() else {
            return Turn::Going;
        };
        let answerer = &mut level.answerer;
        let decision = answerer.decide_in_child(&level.machine, ask, depth, &tokens);
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
                let text = no_answer_text(level, ask, &why);
                self.abandon(why.of_child(text))
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

    /// Brings the task that waits for a token what was sent with it.
    fn call_back(&mut self, callback: Callback) {
        let Some(now) = self.levels.last().map(Level::time) else {
            return;
        };
        let waits = |level: &&mut Level| level.awaited_token() == Some(&callback.token);
        if let Some(level) = self.levels.iter_mut().find(waits) {
            level.take(callback, now);
        }
    }

    /// The innermost execution ended: the task that started it is answered.
    fn ended(&mut self) -> Turn {
        let Some(level) = self.levels.pop() else {
            return Turn::Going;
        };
        let failed = level.failure();
        let name = &level.machine.definition().name;
        if level.owes_token() {
            let end =
                failed.map_or_else(|| " ended".into(), |failed| format!(" failed ({failed})"));
            let why =
                format!("the child {name}{end} and never sent the token that the task waits for");
            return match self.leave_unanswered(level.ask, NoAnswer::Child(why)) {
                Ok(turn) => turn,
                Err(why) => self.abandon(why),
            };
        }
        if let Some(failed) = failed.filter(|_| level.is_awaited_no_more()) {
            self.notes.push(format!(
                "the child {name}, which no task waits for, failed: {failed}"
            ));
        }
        let answer = level.answer(level.machine.status());
        self.settle(level.ask, answer)
    }

    /// The innermost execution cannot go on. Where nothing waits for it, that is a note; else the task that started it
    /// has no answer, and where `--unmocked` has none either, the execution around it cannot go on.
    fn abandon(&mut self, mut why: NoAnswer) -> Turn {
        while let Some(level) = self.levels.pop() {
            if level.is_awaited_no_more() {
                self.notes.push(format!("{why} (no task waits for it)"));
                let answer = level.answer(&Status::Running);
                return self.settle(level.ask, answer);
            }
            match self.leave_unanswered(level.ask, why) {
                Ok(turn) => return turn,
                Err(back) => why = back,
            }
        }
        Turn::NoAnswer(why)
    }

    /// A task of the execution that is the innermost now has no answer but what `--unmocked` gives.
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

/// Why an execution cannot go on that has no answer for a question.
fn no_answer_text(level: &Level, ask: &Ask, why: &NoAnswer) -> String {
    let definition = level.machine.definition();
    let state = definition.state(ask.state);
    let path = state.map_or("", |state| &*state.path.0);
    let what = match (why, state.map(|state| &state.kind)) {
        (NoAnswer::Nowhere, Some(StateKind::Task(task))) => format!(
            "task {} of its state {path} has no answer{}; the mock file gives one under \"{}\"",
            task.resource,
            level.cases_text(),
            definition.name
        ),
        (NoAnswer::Nowhere | NoAnswer::Unread, _) => {
            format!("the ItemReader of its state {path} has nothing to read")
        }
        (NoAnswer::Child(problem), _) => {
            format!("its state {path} starts another: {problem}")
        }
        (NoAnswer::RunOut(_) | NoAnswer::Stopped(_), _) => why.to_string(),
    };
    format!("the child {} cannot go on: {what}", definition.name)
}
