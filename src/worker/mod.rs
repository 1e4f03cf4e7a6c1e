//! What serves a machine's questions without a person: JSONata evaluation on a thread of its own, item files in given folders.
//!
//! It must not know sessions, terminals or what a state does with an answer.

mod engine;
mod evaluator;
mod function;
mod guard;
mod message;
mod value;

pub use evaluator::{Evaluator, panic_is_caught};

use crate::interpreter::{Answer, Ask, Outcome, Serve, Want};

/// Serves evaluations, reads and writes.
#[derive(Debug, Default)]
pub struct Worker {
    evaluator: Evaluator,
}

impl Worker {
    /// Nothing is started before it is needed.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl Serve for Worker {
    fn serve(&self, ask: &Ask) -> Option<Answer> {
        match &ask.want {
            Want::Call { .. } => None,
            Want::Evaluate(evaluation) => Some(Answer::of(Outcome::Evaluated(
                self.evaluator.evaluate(evaluation).into(),
            ))),
        }
    }
}
