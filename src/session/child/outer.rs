//! Executions that a person stepped into: each a session of its own, on top of those around it.

use crate::definition::Definition;
use crate::interpreter::Status;
use crate::session::answerer::Repeats;
use crate::session::children::ChildRequest;
use crate::session::execution::Start;
use crate::session::log::AnsweredBy;
use crate::session::session::{Session, Setup};
use crate::session::stop::Stop;

/// The sessions around the one that is stepped in, the outermost first.
#[derive(Debug, Default)]
pub struct Outer(Vec<Session>);

/// How an execution was left that had been stepped into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Left {
    /// It was over: the task that started it is answered.
    Answered,
    /// It was not: it runs by itself when the run around it goes on.
    Unfinished,
}

impl Outer {
    /// Whether no execution was stepped into.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The sessions around the innermost, the outermost first.
    pub fn sessions(&self) -> impl DoubleEndedIterator<Item = &Session> {
        self.0.iter()
    }

    /// The outermost session, `session` being the innermost.
    #[must_use]
    pub fn outermost<'s>(&'s self, session: &'s Session) -> &'s Session {
        self.0.first().unwrap_or(session)
    }

    /// Puts the execution that the session's task starts in its place; `false` where it does not stand at one.
    pub fn enter(&mut self, session: &mut Session) -> bool {
        let Some(inner) = session.child_session() else {
            return false;
        };
        self.0.push(std::mem::replace(session, inner));
        true
    }

    /// Puts the session around it back in its place; `None` where there is none.
    pub fn leave(&mut self, session: &mut Session) -> Option<Left> {
        let inner = std::mem::replace(session, self.0.pop()?);
        let left = session.take_child(&inner);
        session.discard(inner);
        Some(left)
    }

    /// Puts the outermost session back in its place; whether there was one.
    pub fn leave_all(&mut self, session: &mut Session) -> bool {
        let entered = !self.0.is_empty();
        while self.leave(session).is_some() {}
        entered
    }
}

impl Session {
    /// Whether a step goes into an execution that a question asks for. One that brings its task a token runs by itself:
    /// what it calls back with is known to those around it alone.
    pub(in crate::session) fn steps_into(&self, request: &ChildRequest) -> bool {
        let ask = self.recording.head.machine.ask(request.ask);
        let in_focus = ask.is_some_and(|ask| ask.frame == self.stepper.focus);
        let stepped = in_focus && self.stepper.is_stepping();
        (stepped || self.stepper.enters_children) && request.start != Start::Callback
    }

    /// Whether from now on every execution that a task starts is gone into, as one must for a breakpoint in it.
    pub fn set_enters_children(&mut self, enters: bool) {
        self.stepper.enters_children = enters;
    }

    /// The definitions of the machines that tasks may start executions of.
    pub fn child_definitions(&self) -> impl Iterator<Item = &Definition> {
        let machines = self.answering.answerer.children().machines.iter();
        machines.map(|machine| &*machine.definition)
    }

    /// The execution that the question asks for at which the session stands.
    fn entered(&self) -> Option<ChildRequest> {
        let Stop::Child(ask) = self.stepper.stop else {
            return None;
        };
        let machine = &self.recording.head.machine;
        let request = self.answering.answerer.child(machine, machine.ask(ask)?);
        request.filter(|_| self.recording.past.is_none())
    }

    /// A session in the execution that the task starts at which this one stands; `None` where it stands at none.
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

    /// Takes in what an execution came to that was stepped into.
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
