//! What a question gets without a person: an answer of an earlier run, the mock file, an echo.
//!
//! It must not know how far the run goes.

use super::answer_rule::AnswerRule;
use super::answers::RunOut;
use super::child::{Child, Turn};
use super::log::{AnsweredBy, EntryKind};
use super::service_response;
use super::session::{Session, Unmocked};
use crate::definition::{StateId, StateKind};
use crate::interpreter::{Answer, Ask, AskId, AskKey, Outcome, Want};
use crate::json::{Text, Value};
use crate::query::jsonata::{Evaluated, Failure};
use std::collections::{HashMap, HashSet};

/// What questions are answered with, besides what the run was set up with, and what is being answered.
#[derive(Debug, Default)]
pub(super) struct Answering {
    /// Answers of earlier runs, by the question's key.
    pub known: HashMap<AskKey, Known>,
    /// What files and the like gave earlier runs, by the question's key, with what was asked.
    pub served: HashMap<AskKey, Vec<(Want, Answer)>>,
    /// Answers of a person for many questions, oldest first.
    pub rules: Vec<AnswerRule>,
    /// The child execution that answers a question at the end of the record, while it runs.
    pub child: Option<(AskId, Child)>,
    /// The states whose questions were left open since the last stop.
    pub left_open: Vec<Text>,
}

/// An answer of an earlier run.
#[derive(Clone, Debug)]
pub(super) struct Known {
    /// What the task was called with.
    pub input: Value,
    pub answer: Answer,
    /// Who gave it first.
    pub by: AnsweredBy,
}

/// What became of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// It was answered.
    Answered,
    /// A person has to answer it.
    Open,
    /// A child execution that answers it was begun.
    Begun,
}

impl Session {
    /// Answers a question if there is an answer for it.
    pub(super) fn answer_by_itself(&mut self, ask: &Ask) -> Asked {
        let before = self.served_before(ask);
        if let Some(answer) = before.or_else(|| self.setup.server.serve(ask)) {
            return self.serve(ask, answer);
        }
        match self.answer_for(ask) {
            Some((answer, by)) => {
                self.give(ask.id, answer, by);
                Asked::Answered
            }
            None => self.begin_child(ask),
        }
    }

    /// Starts the child execution that a question asks for, else the question gets what one without an answer gets.
    fn begin_child(&mut self, ask: &Ask) -> Asked {
        match self.setup.children.start(&self.recording.head.machine, ask) {
            Some(Ok(child)) => {
                self.answering.child = Some((ask.id, child));
                return Asked::Begun;
            }
            Some(Err(problem)) => self.refuse(problem),
            None => {}
        }
        match self.without_answer(ask) {
            Some(answer) => {
                self.give(ask.id, answer, AnsweredBy::Echo);
                Asked::Answered
            }
            None => Asked::Open,
        }
    }

    /// One step of the child execution that is being run.
    pub(super) fn step_child(&mut self) {
        let Some((ask, child)) = &mut self.answering.child else {
            return;
        };
        let ask = *ask;
        match child.step(&self.setup.children, &*self.setup.server) {
            Turn::Going => {}
            Turn::Ended(answer, notes) => {
                self.answering.child = None;
                notes.into_iter().for_each(|note| self.say(note));
                self.give(ask, answer, AnsweredBy::Child);
            }
            Turn::Unanswered(problem) => {
                self.answering.child = None;
                self.refuse(problem);
                let open = self.recording.head.machine.ask(ask).cloned();
                if open.is_some_and(|ask| self.leave_open(&ask)) {
                    self.forget_comparison();
                }
            }
        }
    }

    /// What an earlier run was given for the same question: no file is read or written again.
    fn served_before(&self, ask: &Ask) -> Option<Answer> {
        let all = self.answering.served.get(&ask.key)?;
        let found = all.iter().rev().find(|(want, _)| *want == ask.want);
        found.map(|(_, answer)| answer.clone())
    }

    /// Gives an answer that no person gave. One that another run might not come to is logged.
    fn serve(&mut self, ask: &Ask, answer: Answer) -> Asked {
        if !is_repeatable(ask, &answer) {
            let kind = EntryKind::Served {
                ask: ask.id,
                key: ask.key.clone(),
                want: ask.want.clone(),
                answer: answer.clone(),
            };
            self.recording.note(kind);
        }
        self.recording.head.machine.answer(ask.id, answer);
        Asked::Answered
    }

    fn answer_for(&mut self, ask: &Ask) -> Option<(Answer, AnsweredBy)> {
        let input = asked_with(&ask.want)?;
        if let Some(known) = self.answering.known.get(&ask.key) {
            if known.input == *input {
                return Some((known.answer.clone(), known.by));
            }
            // A child is simply run again.
            if known.by == AnsweredBy::Person {
                let key = ask.key.path.clone();
                self.say(format!(
                    "{key} is called with other data than before: its old answer is offered, not taken"
                ));
            }
        }
        if let Some(answer) = self.rule_for(ask) {
            return Some((answer, AnsweredBy::Person));
        }
        match self.mocked(ask.state) {
            Some(Ok(answer)) => return Some((answer, AnsweredBy::Mock)),
            Some(Err(run_out)) => self.refuse(run_out.to_string()),
            None => {}
        }
        None
    }

    /// What the mock file has for the next call of a state.
    fn mocked(&self, id: StateId) -> Option<Result<Answer, RunOut>> {
        let mock = self.setup.mock.as_ref()?;
        let state = self.setup.definition.state(id)?;
        let entry = mock.entry_of(state)?;
        if *entry == state.name {
            return mock.answer(entry, self.recording.log.answers_of(entry));
        }
        // Every state that the entry answers for has had some of its answers.
        let states = &self.setup.definition.states;
        let names: HashSet<&Text> = states
            .iter()
            .filter(|other| mock.entry_of(other) == Some(entry))
            .map(|other| &other.name)
            .collect();
        let number = names
            .iter()
            .map(|name| self.recording.log.answers_of(name))
            .sum();
        mock.answer(entry, number)
    }

    /// What a question gets that nothing answers; `None` where a person is asked.
    fn without_answer(&self, ask: &Ask) -> Option<Answer> {
        let input = asked_with(&ask.want)?;
        let state = self.setup.definition.state(ask.state)?;
        let StateKind::Task(task) = &state.kind else {
            // The items of a file that nothing stands for.
            let cause = "no folder and no file stands for what the ItemReader names";
            let failed = Answer::failure("States.ItemReaderFailed", cause);
            return (self.setup.unmocked == Unmocked::Fail).then_some(failed);
        };
        match self.setup.unmocked {
            Unmocked::Ask => None,
            Unmocked::Echo => Some(Answer::success(service_response::echo(task, input))),
            Unmocked::Fail => {
                let cause = format!(
                    "no answer for {}: neither typed nor in the mock file",
                    state.name
                );
                Some(Answer::failure("States.TaskFailed", cause))
            }
        }
    }

    fn bare_name(&self, state: StateId) -> Text {
        let state = self.setup.definition.state(state);
        state.map_or_else(|| "".into(), |state| state.name.clone())
    }

    /// Gives an answer at the end of the record and logs it.
    pub(super) fn give(&mut self, id: AskId, answer: Answer, by: AnsweredBy) {
        let Some(ask) = self.recording.head.machine.ask(id).cloned() else {
            return;
        };
        if self
            .answering
            .child
            .as_ref()
            .is_some_and(|(asked, _)| *asked == id)
        {
            self.answering.child = None;
        }
        let Some(input) = asked_with(&ask.want).cloned() else {
            return;
        };
        let kind = EntryKind::Answer {
            ask: id,
            state: self.bare_name(ask.state),
            key: ask.key,
            input,
            answer: answer.clone(),
            by,
        };
        self.recording.note(kind);
        self.recording.head.machine.answer(id, answer);
    }
}

/// What a question that a person may answer was asked with.
fn asked_with(want: &Want) -> Option<&Value> {
    match want {
        Want::Call { input, .. } => Some(input),
        Want::Read { arguments, .. } => Some(arguments),
        Want::Write { .. } | Want::Evaluate(_) => None,
    }
}

/// Whether serving the question again gives the same answer: evaluations do, but for those that were ended by time.
pub(super) fn is_repeatable(ask: &Ask, answer: &Answer) -> bool {
    let overdue = |result: &Evaluated| matches!(result, Err(Failure::Overdue(_)));
    match (&ask.want, &answer.outcome) {
        (Want::Evaluate(_), Outcome::Evaluated(results)) => !results.iter().any(overdue),
        _ => false,
    }
}
