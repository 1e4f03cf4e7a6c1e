//! A rule of the user that answers many requests: all of a state, of a Resource or of some items, from now on.

use crate::definition::{Definition, StateKind, StatePath};
use crate::interpreter::{Answer, Ask, AskKey, Machine, Serve, Want};
use crate::json::Text;
use crate::session::argument::Reach;
use crate::session::expression;

/// One answer for many requests.
#[derive(Clone, Debug)]
pub struct AnswerRule {
    scope: Scope,
    pub(super) answer: Answer,
}

/// The requests that a rule answers.
#[derive(Clone, Debug)]
enum Scope {
    /// All requests of a state.
    State(StatePath),
    /// Tasks with this Resource.
    Resource(Text),
    /// Requests of a state for which a condition is true.
    Items(StatePath, Text),
}

impl AnswerRule {
    /// Creates a rule for `ask` and the similar requests that `reach` selects.
    ///
    /// # Errors
    /// One sentence that says why there is no such rule.
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
            .ok_or("the waiting state is not in the definition")?;
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

    /// Returns the answer.
    #[must_use]
    pub fn answer(&self) -> &Answer {
        &self.answer
    }

    /// Description of the requests that the rule answers.
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

    /// True if the rule answers a request.
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

    /// True if a request with this key belongs to the rule's state or Resource.
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
