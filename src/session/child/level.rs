//! One execution among those that run because a task started the outermost of them.

use crate::interpreter::{Answer, AskId, Fault, Machine, MemoryWatch, Millis, Status};
use crate::json::Text;
use crate::session::answerer::{Answerer, Repeats};
use crate::session::callback::Callback;
use crate::session::children::ChildRequest;
use crate::session::execution::{Execution, Start, status_word};
use std::sync::Arc;

/// One execution.
#[derive(Clone, Debug)]
pub(super) struct Level {
    pub machine: Machine,
    pub answerer: Answerer,
    pub memory: MemoryWatch,
    /// The question that it answers.
    pub ask: AskId,
    start: Start,
    /// The token of the task that started it, where that waits for one.
    token: Option<Text>,
    execution: Execution,
    /// What came with the token.
    called: Option<Answer>,
    /// When heartbeats came with the token, in milliseconds after the start.
    heartbeats: Vec<Millis>,
    /// The names of the test cases that there are for its machine, where none of them answers.
    pub unused_cases: Vec<Text>,
}

impl Level {
    /// Begins the execution that a question asks for; `parent` answers the questions of the machine that asks. It may
    /// take `memory_limit` bytes of memory.
    pub(super) fn begin(request: ChildRequest, parent: &Answerer, memory_limit: u64) -> Self {
        let unused = request.case.is_none();
        Self {
            machine: Machine::start(Arc::clone(&request.run)),
            answerer: parent.for_child(&request, Repeats::Never),
            memory: MemoryWatch::new(memory_limit),
            ask: request.ask,
            start: request.start,
            token: request.token,
            execution: request.execution,
            called: None,
            heartbeats: Vec::new(),
            unused_cases: if unused { request.cases } else { Vec::new() },
        }
    }

    /// Now, in milliseconds since 1970.
    pub(super) fn time(&self) -> i64 {
        let now = i64::try_from(self.machine.now()).unwrap_or(i64::MAX);
        self.execution.started.saturating_add(now)
    }

    /// The token that the task which started it still waits for.
    pub(super) fn awaited_token(&self) -> Option<&Text> {
        self.token.as_ref().filter(|_| self.called.is_none())
    }

    /// Takes a call with the token in that was made at a time in milliseconds since 1970.
    pub(super) fn take(&mut self, callback: Callback, time: i64) {
        let took = time.saturating_sub(self.execution.started);
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

    /// Whether the task that started it waits for nothing more.
    pub(super) fn is_awaited_no_more(&self) -> bool {
        self.start.is_asynchronous() || self.called.is_some()
    }

    /// Whether it is over and never sent the token that the task waits for.
    pub(super) fn owes_token(&self) -> bool {
        self.start == Start::Callback && self.called.is_none()
    }

    /// What the task that started it is answered with, when the execution stands so.
    pub(super) fn answer(&self, status: &Status) -> Answer {
        if let Some(answer) = &self.called {
            return answer.clone();
        }
        self.execution
            .answer(self.start, status, self.machine.now())
    }

    /// How it failed, in words; `None` where it did not.
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
        ("", "") => "no error name".into(),
        (name, "") => name.into(),
        (name, cause) => format!("{name}: {cause}"),
    }
}
