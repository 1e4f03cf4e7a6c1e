//! One of the nested executions that run because a task started the outermost of them.

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
    /// The request that the execution answers.
    pub ask: AskId,
    start: Start,
    /// Token of the task that started the execution, if that task waits for one.
    token: Option<Text>,
    execution: Execution,
    /// The answer that was sent with the token.
    called: Option<Answer>,
    /// Times of heartbeats with the token, in milliseconds since the start of the execution.
    heartbeats: Vec<Millis>,
    /// Names of the state machine's test cases, if none of them is used.
    pub unused_cases: Vec<Text>,
}

impl Level {
    /// Starts the execution that a request asks for; `parent` answers the requests of the machine that asks. The
    /// execution may use `memory_limit` bytes.
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

    /// The current virtual time, in milliseconds since 1970.
    pub(super) fn time(&self) -> i64 {
        let now = i64::try_from(self.machine.now()).unwrap_or(i64::MAX);
        self.execution.started.saturating_add(now)
    }

    /// The token that the task which started the execution still waits for.
    pub(super) fn awaited_token(&self) -> Option<&Text> {
        self.token.as_ref().filter(|_| self.called.is_none())
    }

    /// Handles a callback; `time` is in milliseconds since 1970.
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

    /// True if the task that started the execution no longer waits for it.
    pub(super) fn is_awaited_no_more(&self) -> bool {
        self.start.is_asynchronous() || self.called.is_some()
    }

    /// True if the task waits for a token that the execution never sent.
    pub(super) fn owes_token(&self) -> bool {
        self.start == Start::Callback && self.called.is_none()
    }

    /// The answer for the task that started the execution, given the execution's status.
    pub(super) fn answer(&self, status: &Status) -> Answer {
        if let Some(answer) = &self.called {
            return answer.clone();
        }
        self.execution
            .answer(self.start, status, self.machine.now())
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
        ("", "") => "no error name".into(),
        (name, "") => name.into(),
        (name, cause) => format!("{name}: {cause}"),
    }
}
