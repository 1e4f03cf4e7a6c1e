//! The way of a run: its answers as a linked list, newest first, shared by all runs that continue from there.

use crate::definition::{Definition, StateId};
use crate::interpreter::{Answer, Outcome};
use crate::json::{Text, Value, one_line};
use std::sync::Arc;

/// One answer of a run.
#[derive(Clone, Debug)]
pub struct Step {
    /// The previous step.
    pub before: Option<Arc<Step>>,
    /// The state that made the request.
    pub state: StateId,
    /// The number of the attempt, from 1.
    pub attempt: u32,
    /// The answer.
    pub answer: Answer,
    /// True if it is not the usual answer.
    pub other: bool,
}

/// The answers of a run, newest first.
pub type Way = Option<Arc<Step>>;

/// How a run gets to a point: its input and its answers.
#[derive(Clone, Debug, Default)]
pub struct Course {
    /// The answers.
    pub way: Way,
    /// The input, if it is not the usual one.
    pub input: Option<Value>,
}

impl Course {
    /// The answers, oldest first.
    #[must_use]
    pub fn steps(&self) -> Vec<&Step> {
        steps(&self.way)
    }

    /// True if the input and all answers are the usual ones.
    #[must_use]
    pub fn is_usual(&self) -> bool {
        self.input.is_none() && self.steps().iter().all(|step| !step.other)
    }

    /// This course, followed by another answer to a state's first request.
    #[must_use]
    pub fn then(&self, state: StateId, answer: Answer) -> Self {
        Self {
            way: Some(Arc::new(Step {
                before: self.way.clone(),
                state,
                attempt: 1,
                answer,
                other: true,
            })),
            input: self.input.clone(),
        }
    }
}

/// The steps of a way, oldest first.
fn steps(way: &Way) -> Vec<&Step> {
    let mut all = Vec::new();
    let mut at = way.as_deref();
    while let Some(step) = at {
        all.push(step);
        at = step.before.as_deref();
    }
    all.reverse();
    all
}

impl Step {
    /// The name of the error in the answer; a timeout if there is no answer.
    #[must_use]
    pub fn error(&self) -> Option<Text> {
        match &self.answer.outcome {
            Outcome::Failure { error, .. } => Some(error.clone().unwrap_or_else(|| "".into())),
            Outcome::Never => Some("States.Timeout".into()),
            _ => None,
        }
    }

    /// Describes the outcome in a few words.
    #[must_use]
    pub fn outcome(&self) -> String {
        match &self.answer.outcome {
            Outcome::Success(value) if self.other => format!("gives {}", short(value)),
            Outcome::Success(_) => "succeeds".to_string(),
            Outcome::Never => "never answers".to_string(),
            _ => format!("fails with {}", self.error().unwrap_or_else(|| "".into())),
        }
    }

    /// State and outcome.
    #[must_use]
    pub fn text(&self, definition: &Definition) -> String {
        let state = definition.state(self.state);
        let name = state.map_or("", |state| &*state.path.0);
        let again = match self.attempt {
            1 => String::new(),
            attempt => format!(" (attempt {attempt})"),
        };
        format!("{name}{again} {}", self.outcome())
    }
}

fn short(value: &Value) -> String {
    let text = one_line(value);
    match text.char_indices().nth(60) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text,
    }
}
