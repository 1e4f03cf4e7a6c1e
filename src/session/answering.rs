//! What a question gets without a person: an answer of an earlier run, the mock file, an echo.
//!
//! It must not know how far the run goes.

use super::log::{AnsweredBy, Entry, EntryKind};
use super::session::{Session, Unmocked};
use super::shape;
use crate::definition::{StateId, StateKind};
use crate::interpreter::{Answer, Ask, AskId, Outcome, Want};
use crate::json::{Text, Value};
use crate::query::jsonata::{Evaluated, Failure};

/// What became of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// It was answered.
    Answered,
    /// A person has to answer it.
    Open,
}

impl Session {
    /// Answers a question if there is an answer for it.
    pub(super) fn answer_by_itself(&mut self, ask: &Ask) -> Asked {
        if let Some(answer) = self.setup.server.serve(ask) {
            return self.serve(ask, answer);
        }
        match self.answer_for(ask) {
            Some((answer, by)) => {
                self.give(ask.id, answer, by);
                Asked::Answered
            }
            None => Asked::Open,
        }
    }

    /// Gives an answer that no person gave. One that another run might not come to is logged.
    fn serve(&mut self, ask: &Ask, answer: Answer) -> Asked {
        if !is_repeatable(ask, &answer) {
            let kind = EntryKind::Served {
                ask: ask.id,
                answer: answer.clone(),
            };
            self.log.push(Entry {
                after: self.head.events,
                kind,
            });
            self.head.applied = self.log.len();
        }
        self.head.machine.answer(ask.id, answer);
        Asked::Answered
    }

    fn answer_for(&mut self, ask: &Ask) -> Option<(Answer, AnsweredBy)> {
        let input = asked_with(&ask.want)?;
        if let Some((called_with, answer)) = self.known.get(&ask.key) {
            if called_with == input {
                return Some((answer.clone(), AnsweredBy::Before));
            }
            let key = ask.key.path.clone();
            self.say(format!(
                "{key} is called with other data than before: its old answer is offered, not taken"
            ));
        }
        let definition = std::sync::Arc::clone(&self.setup.definition);
        let state = definition.state(ask.state)?;
        let number = self.log.answers_of(&state.name);
        match self
            .setup
            .mock
            .as_ref()
            .and_then(|mock| mock.answer(&state.name, number))
        {
            Some(Ok(answer)) => return Some((answer, AnsweredBy::Mock)),
            Some(Err(run_out)) => self.refuse(run_out.to_string()),
            None => {}
        }
        let StateKind::Task(task) = &state.kind else {
            // The items of a file that nothing stands for.
            let cause = "no folder and no file stands for what the ItemReader names";
            let failed = Answer::failure("States.ItemReaderFailed", cause);
            let fails = self.setup.unmocked == Unmocked::Fail;
            return fails.then_some((failed, AnsweredBy::Echo));
        };
        match self.setup.unmocked {
            Unmocked::Ask => None,
            Unmocked::Echo => Some((Answer::success(shape::echo(task, input)), AnsweredBy::Echo)),
            Unmocked::Fail => {
                let cause = format!(
                    "no answer for {}: neither typed nor in the mock file",
                    state.name
                );
                Some((
                    Answer::failure("States.TaskFailed", cause),
                    AnsweredBy::Echo,
                ))
            }
        }
    }

    fn bare_name(&self, state: StateId) -> Text {
        let state = self.setup.definition.state(state);
        state.map_or_else(|| "".into(), |state| state.name.clone())
    }

    /// Gives an answer at the end of the record and logs it.
    pub(super) fn give(&mut self, id: AskId, answer: Answer, by: AnsweredBy) {
        let Some(ask) = self.head.machine.ask(id).cloned() else {
            return;
        };
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
        self.log.push(Entry {
            after: self.head.events,
            kind,
        });
        self.head.applied = self.log.len();
        self.head.machine.answer(id, answer);
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
