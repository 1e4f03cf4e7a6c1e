//! An answer that a person gives for many questions: those of a state, of a resource, of some items, from now on.

use crate::definition::{Definition, StateKind, StatePath};
use crate::interpreter::{Answer, Ask, AskKey, Machine, Serve, Want};
use crate::json::Text;
use crate::session::argument::Reach;
use crate::session::expression;

/// One answer for many questions.
#[derive(Clone, Debug)]
pub struct AnswerRule {
    scope: Scope,
    pub(super) answer: Answer,
}

/// Which questions.
#[derive(Clone, Debug)]
enum Scope {
    /// Of a state.
    State(StatePath),
    /// Of every task of a Resource.
    Resource(Text),
    /// Of a state where a condition holds.
    Items(StatePath, Text),
}

impl AnswerRule {
    /// For the questions that `ask` stands for.
    ///
    /// # Errors
    /// Why there is no such rule, in one sentence.
    pub fn new(
        machine: &Machine,
        ask: &Ask,
        reach: &Reach,
        answer: Answer,
        server: &dyn Serve,
    ) -> Result<Self, String> {
        let state = machine.definition().state(ask.state);
        let path = state
            .map(|state| state.path.clone())
            .ok_or("the state that waits for it is not in the definition")?;
        let scope = match reach {
            Reach::State => Scope::State(path),
            Reach::Items(condition) => {
                if let Some(frame) = machine.frame(ask.frame) {
                    expression::condition(machine, frame, condition, server)?;
                }
                Scope::Items(path, condition.clone())
            }
            Reach::Resource => match &ask.want {
                Want::Call { resource, .. } => Scope::Resource(resource.clone()),
                _ => return Err("only a Task has a Resource; answer this state instead".into()),
            },
        };
        Ok(Self { scope, answer })
    }

    /// The answer.
    #[must_use]
    pub fn answer(&self) -> &Answer {
        &self.answer
    }

    /// Which questions, in words.
    #[must_use]
    pub fn text(&self, definition: &Definition) -> String {
        let name = |path: &StatePath| {
            let state = definition.find(path).and_then(|id| definition.state(id));
            state.map_or_else(|| path.0.to_string(), |state| state.name.to_string())
        };
        match &self.scope {
            Scope::State(path) => name(path),
            Scope::Resource(resource) => format!("every {resource}"),
            Scope::Items(path, condition) => format!("{} where {condition}", name(path)),
        }
    }

    /// Whether it answers a question.
    #[must_use]
    pub fn fits(&self, machine: &Machine, ask: &Ask, server: &dyn Serve) -> bool {
        if !self.is_of(machine.definition(), &ask.key) {
            return false;
        }
        let Scope::Items(_, condition) = &self.scope else {
            return true;
        };
        machine.frame(ask.frame).is_some_and(|frame| {
            expression::condition(machine, frame, condition, server).unwrap_or(false)
        })
    }

    /// Whether a question under this key is of the rule's state or resource.
    #[must_use]
    pub fn is_of(&self, definition: &Definition, key: &AskKey) -> bool {
        match &self.scope {
            Scope::State(path) | Scope::Items(path, _) => path.0 == key.path,
            Scope::Resource(resource) => {
                let id = definition.find(&StatePath(key.path.clone()));
                let state = id.and_then(|id| definition.state(id));
                matches!(state.map(|state| &state.kind), Some(StateKind::Task(task)) if task.resource == *resource)
            }
        }
    }
}
