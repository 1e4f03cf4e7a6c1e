//! Child executions that the user stepped into: each is a session on top of the enclosing ones.

use super::answerer::Repeats;
use super::execution::{ChildRequest, Start};
use super::log::AnsweredBy;
use super::session::{Session, Setup};
use super::stop_condition::Stop;
use crate::definition::Definition;
use crate::interpreter::Status;

/// Sessions around the current one, outermost first.
#[derive(Debug, Default)]
pub struct Outer(Vec<Session>);

/// How an execution that was stepped into was left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Left {
    /// The execution had ended; its task is answered.
    Answered,
    /// The execution had not ended; it runs without stops when the enclosing run continues.
    Unfinished,
}

impl Outer {
    /// True if no child execution was stepped into.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Sessions around the innermost one, outermost first.
    pub fn sessions(&self) -> impl DoubleEndedIterator<Item = &Session> {
        self.0.iter()
    }

    /// The outermost session; `session` is the innermost one.
    #[must_use]
    pub fn outermost<'s>(&'s self, session: &'s Session) -> &'s Session {
        self.0.first().unwrap_or(session)
    }

    /// Replaces the session by that of the child execution at which it is stopped; returns `false` if it is not
    /// stopped at one.
    pub fn enter(&mut self, session: &mut Session) -> bool {
        let Some(inner) = session.child_session() else {
            return false;
        };
        self.0.push(std::mem::replace(session, inner));
        true
    }

    /// Replaces the session by the enclosing one; returns `None` if there is none.
    pub fn leave(&mut self, session: &mut Session) -> Option<Left> {
        let inner = std::mem::replace(session, self.0.pop()?);
        let left = session.take_child(&inner);
        session.discard(inner);
        Some(left)
    }

    /// Replaces the session by the outermost one; returns whether there was an enclosing one.
    pub fn leave_all(&mut self, session: &mut Session) -> bool {
        let entered = !self.0.is_empty();
        while self.leave(session).is_some() {}
        entered
    }
}

impl Session {
    /// True if a step enters the execution that a request asks for. An execution that sends its task's token runs
    /// without stops, because only the enclosing executions can receive its callbacks.
    pub(in crate::session) fn steps_into(&self, request: &ChildRequest) -> bool {
        let ask = self.recording.head.machine.ask(request.ask);
        let in_focus = ask.is_some_and(|ask| ask.frame == self.stepper.focus);
        let stepped = in_focus && self.stepper.is_stepping();
        (stepped || self.stepper.enters_children) && request.start != Start::Callback
    }

    /// Sets whether to enter every execution that a task starts, as is necessary for breakpoints in it.
    pub fn set_enters_children(&mut self, enters: bool) {
        self.stepper.enters_children = enters;
    }

    /// Definitions of the state machines that tasks may start executions of.
    pub fn child_definitions(&self) -> impl Iterator<Item = &Definition> {
        let machines = self.answering.answerer.children().machines.iter();
        machines.map(|machine| &*machine.definition)
    }

    /// The execution for the request at which the session is stopped.
    fn entered(&self) -> Option<ChildRequest> {
        let Stop::Child(ask) = self.stepper.stop else {
            return None;
        };
        let machine = &self.recording.head.machine;
        let request = self.answering.answerer.child(machine, machine.ask(ask)?);
        request.filter(|_| self.recording.past.is_none())
    }

    /// A session for the child execution at which this one is stopped; `None` if it is not stopped at one.
    fn child_session(&self) -> Option<Session> {
        let request = self.entered()?;
        let depth = self.answering.answerer.depth() as u64;
        let setup = Setup {
            checkpoint_budget: self.setup.checkpoint_budget / 2,
            memory_limit: self.setup.memory_limit / (depth + 2),
            max_child_steps: self.setup.max_child_steps,
            ..Setup::new(
                request.run.definition.clone(),
                request.run.header.clone(),
                self.setup.server.clone(),
            )
        };
        let answerer = &self.answering.answerer;
        let answerer = answerer.for_child(&request, Repeats::MayBe);
        let mut inner = Session::new(setup);
        inner.answering.answerer = answerer;
        Some(inner)
    }

    /// Takes over the result of a child execution that was stepped into.
    fn take_child(&mut self, inner: &Session) -> Left {
        let status = inner.recording.head.machine.status();
        let took = inner.recording.head.machine.now();
        let request = self.entered();
        self.stop_at(Stop::Step);
        match request {
            Some(request) if *status != Status::Running => {
                let answer = request.execution.answer(request.start, status, took);
                self.recording.head.pending = None;
                self.give(request.ask, answer, AnsweredBy::Child);
                Left::Answered
            }
            _ => Left::Unfinished,
        }
    }
}
