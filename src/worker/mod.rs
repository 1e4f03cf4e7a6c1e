//! Answers the machine's requests that do not need the user: evaluates JSONata, and reads and writes item files in the
//! configured folders.

mod evaluator;
mod files;
mod items;
mod jsonata;
mod listing;

use self::files::NoItems;
use crate::interpreter::{Answer, Ask, AskId, AskKey, Looked, Outcome, Serve, Served, Want};
use crate::json::Value;
use crate::query::jsonata::Evaluation;
pub use evaluator::Evaluator;
pub use files::Files;
pub use items::read_text;
use std::any::Any;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// Maximum time that one call waits for a file operation. The caller repeats the call until there is an answer.
const SOON: Duration = Duration::from_millis(4);

/// Answers the machine's requests to evaluate JSONata, to read items and to write results.
#[derive(Debug, Default)]
pub struct Worker {
    evaluator: Evaluator,
    files: Arc<Files>,
    /// The file operation in progress, whose answer the caller asks for again.
    open: Mutex<Option<Open>>,
}

/// A read or a write in progress.
#[derive(Debug)]
struct Open {
    id: AskId,
    key: AskKey,
    arguments: Value,
    answer: Receiver<Option<Answer>>,
}

impl Open {
    /// Starts the operation on a new thread; `None` if no thread can be started.
    fn begin(files: &Arc<Files>, ask: &Ask, arguments: &Value) -> Option<Self> {
        let (done, answer) = channel();
        let (files, asked) = (Arc::clone(files), ask.clone());
        let thread = thread::Builder::new().name("files".to_string());
        thread
            .spawn(move || {
                // Sending fails if the caller no longer waits for the answer. That is no error.
                let _ = done.send(by_files(&files, &asked));
            })
            .ok()?;
        Some(Self {
            id: ask.id,
            key: ask.key.clone(),
            arguments: arguments.clone(),
            answer,
        })
    }

    fn is_for(&self, ask: &Ask, arguments: &Value) -> bool {
        let same = self.arguments.same(arguments) || self.arguments == *arguments;
        self.id == ask.id && self.key == ask.key && same
    }
}

impl Worker {
    /// A worker that starts threads only when they are needed.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The JSONata evaluator.
    #[must_use]
    pub fn evaluator(&self) -> &Evaluator {
        &self.evaluator
    }

    /// A worker with folders and files that represent S3.
    #[must_use]
    pub fn with_files(files: Files) -> Self {
        Self {
            files: Arc::new(files),
            ..Self::default()
        }
    }

    /// Answers a file request. Returns [`Served::Later`] if the operation takes long, because the disk is slow or the
    /// file large; the caller then has to repeat the request.
    fn file_soon(&self, ask: &Ask, arguments: &Value) -> Served {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if !open
            .as_ref()
            .is_some_and(|open| open.is_for(ask, arguments))
        {
            *open = Open::begin(&self.files, ask, arguments);
        }
        let answer = match open.as_ref().map(|open| open.answer.recv_timeout(SOON)) {
            Some(Err(RecvTimeoutError::Timeout)) => return Served::Later,
            Some(Ok(answer)) => answer,
            Some(Err(RecvTimeoutError::Disconnected)) => Some(Answer::failure(
                "States.Runtime",
                "the thread that reads the file stopped without a result",
            )),
            None => by_files(&self.files, ask),
        };
        *open = None;
        answer.map_or(Served::Not, Served::Now)
    }
}

/// Reads or writes the files that a request asks for. `None` if no folder or file is configured for a read, or if the
/// request is of another kind.
fn by_files(files: &Files, ask: &Ask) -> Option<Answer> {
    match &ask.want {
        Want::Call { .. } | Want::Evaluate(_) => None,
        Want::Read {
            resource,
            arguments,
            format,
            max_items,
        } => match files.read(&ask.key.path, resource, arguments, format, *max_items) {
            Ok(items) => Some(Answer::success(items)),
            Err(NoItems::Failed(cause)) => Some(Answer::failure("States.ItemReaderFailed", cause)),
            Err(NoItems::NotServed) => None,
        },
        Want::Write {
            arguments,
            succeeded,
            failed,
            lines,
            map_run_arn,
            run,
        } => {
            let written = files.write(arguments, succeeded, failed, *lines, map_run_arn, run);
            Some(match written {
                Ok(details) => Answer::success(details),
                Err(cause) => Answer::failure("States.ResultWriterFailed", cause),
            })
        }
    }
}

impl Serve for Worker {
    fn serve(&self, ask: &Ask) -> Option<Answer> {
        match &ask.want {
            Want::Evaluate(evaluation) => Some(Answer::of(Outcome::Evaluated(
                self.evaluator.evaluate(evaluation).into(),
            ))),
            _ => by_files(&self.files, ask),
        }
    }

    fn serve_soon(&self, ask: &Ask) -> Served {
        match &ask.want {
            Want::Evaluate(evaluation) => match self.evaluator.evaluate_soon(evaluation) {
                Some(results) => Served::Now(Answer::of(Outcome::Evaluated(results.into()))),
                None => Served::Later,
            },
            Want::Read { arguments, .. } if self.files.read_from(&ask.key.path).is_some() => {
                self.file_soon(ask, arguments)
            }
            Want::Write { arguments, .. } if self.files.write_root.is_some() => {
                self.file_soon(ask, arguments)
            }
            _ => self.serve(ask).map_or(Served::Not, Served::Now),
        }
    }

    fn look(&self, evaluation: &Arc<Evaluation>) -> Looked {
        let results = self.evaluator.look(evaluation);
        results.map_or(Looked::Later, Looked::Now)
    }

    fn discard(&self, value: Box<dyn Any + Send>) {
        // If no thread can be started, the closure is dropped on this thread, and the value with it.
        let _ = thread::Builder::new()
            .name("discard".to_string())
            .spawn(move || drop(value));
    }
}
