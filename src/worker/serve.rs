//! The worker: which part serves which question of a machine.
//!
//! It must not know how a part does it, nor what a state does with an answer.

use super::evaluator::Evaluator;
use super::files::{Files, NoItems};
use crate::interpreter::{Answer, Ask, Outcome, Serve, Served, Want};

/// Serves evaluations, reads and writes.
#[derive(Debug, Default)]
pub struct Worker {
    evaluator: Evaluator,
    files: Files,
}

impl Worker {
    /// Nothing is started before it is needed.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// What evaluates JSONata.
    #[must_use]
    pub fn evaluator(&self) -> &Evaluator {
        &self.evaluator
    }

    /// The same with folders and files that stand for S3.
    #[must_use]
    pub fn with_files(files: Files) -> Self {
        Self {
            files,
            ..Self::default()
        }
    }
}

impl Serve for Worker {
    fn serve(&self, ask: &Ask) -> Option<Answer> {
        match &ask.want {
            Want::Call { .. } => None,
            Want::Read {
                resource,
                arguments,
                format,
                max_items,
            } => {
                let read = self
                    .files
                    .read(&ask.key.path, resource, arguments, format, *max_items);
                match read {
                    Ok(items) => Some(Answer::success(items)),
                    Err(NoItems::Failed(cause)) => {
                        Some(Answer::failure("States.ItemReaderFailed", cause))
                    }
                    Err(NoItems::NotServed) => None,
                }
            }
            Want::Write {
                arguments,
                succeeded,
                failed,
                lines,
                map_run_arn,
                run,
            } => Some(
                match self
                    .files
                    .write(arguments, succeeded, failed, *lines, map_run_arn, run)
                {
                    Ok(details) => Answer::success(details),
                    Err(cause) => Answer::failure("States.ResultWriterFailed", cause),
                },
            ),
            Want::Evaluate(evaluation) => Some(Answer::of(Outcome::Evaluated(
                self.evaluator.evaluate(evaluation).into(),
            ))),
        }
    }

    fn serve_soon(&self, ask: &Ask) -> Served {
        match &ask.want {
            Want::Evaluate(evaluation) => match self.evaluator.evaluate_soon(evaluation) {
                Some(results) => Served::Now(Answer::of(Outcome::Evaluated(results.into()))),
                None => Served::Later,
            },
            _ => self.serve(ask).map_or(Served::Not, Served::Now),
        }
    }
}
