//! The way of a run: what each question was answered, newest first, shared by all that went on from there.
//!
//! It must not know how an answer was chosen.

use crate::definition::{Definition, StateId};
use crate::interpreter::{Answer, Outcome};
use crate::json::{Text, Value, one_line};
use std::sync::Arc;

/// One answer on a way.
#[derive(Clone, Debug)]
pub struct Step {
    /// The step before.
    pub before: Option<Arc<Step>>,
    /// Which state asked.
    pub state: StateId,
    /// Its attempt, from 1.
    pub attempt: u32,
    /// The answer.
    pub answer: Answer,
    /// Whether it is another than usual.
    pub other: bool,
}

/// A way, newest step first.
pub type Way = Option<Arc<Step>>;

/// The steps of a way, oldest first.
#[must_use]
pub fn steps(way: &Way) -> Vec<&Step> {
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
    /// The error that the answer is, by its name; a timeout where there is none at all.
    #[must_use]
    pub fn error(&self) -> Option<Text> {
        match &self.answer.outcome {
            Outcome::Failure { error, .. } => Some(error.clone().unwrap_or_else(|| "".into())),
            Outcome::Never => Some("States.Timeout".into()),
            _ => None,
        }
    }

    /// What was answered, in a few words.
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
