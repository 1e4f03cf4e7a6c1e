//! Hands requests to the engine's thread; each ends within the budget that it says.
//!
//! It must not know who asks.

use super::jsonata::Engine;
use crate::query::jsonata::{Evaluated, Evaluation, Failure};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, Once, PoisonError};
use std::thread;
use std::time::Duration;

/// After this, longer than any budget lasts, the engine is told to stop.
const PATIENCE: Duration = Duration::from_millis(3000);
/// After this more it is left alone: a defect of the engine, for which no expression is known.
const NET: Duration = Duration::from_millis(7000);
/// Stack of the engine's thread; it grows by itself beyond that.
const STACK: usize = 16 << 20;

thread_local! {
    static FENCED: Cell<bool> = const { Cell::new(false) };
}

/// Whether a panic on this thread is one that is caught.
#[must_use]
pub fn panic_is_caught() -> bool {
    FENCED.try_with(Cell::get).unwrap_or(false)
}

/// Evaluates JSONata, one request at a time; its thread begins with the first.
#[derive(Debug, Default)]
pub struct Evaluator {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    line: Option<Line>,
    started: u32,
}

type Request = (Evaluation, Arc<AtomicBool>);

#[derive(Debug)]
struct Line {
    requests: Sender<Request>,
    results: Receiver<Vec<Evaluated>>,
}

impl Evaluator {
    /// No thread yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// How many threads were started so far: none before the first request, one from then on.
    #[must_use]
    pub fn started(&self) -> u32 {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.started
    }

    /// The results of a request, in order; as many as it needs to say what it came to.
    #[must_use]
    pub fn evaluate(&self, evaluation: &Evaluation) -> Vec<Evaluated> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match state.ask(evaluation) {
            Ok(results) => results,
            Err(failure) => vec![Err(failure); evaluation.expressions.len().max(1)],
        }
    }
}

impl State {
    fn ask(&mut self, evaluation: &Evaluation) -> Result<Vec<Evaluated>, Failure> {
        let line = match self.line.take() {
            Some(line) => line,
            None => {
                self.started = self.started.saturating_add(1);
                Line::open().map_err(|error| {
                    Failure::Internal(format!("the evaluator cannot start: {error}").into())
                })?
            }
        };
        let cancel = Arc::new(AtomicBool::new(false));
        let request = (evaluation.clone(), Arc::clone(&cancel));
        if line.requests.send(request).is_err() {
            return Err(Failure::Internal("the evaluator has ended".into()));
        }
        let patience = PATIENCE.saturating_mul(count(evaluation));
        let mut waited = line.results.recv_timeout(patience);
        if matches!(waited, Err(RecvTimeoutError::Timeout)) {
            cancel.store(true, Ordering::Relaxed);
            waited = line.results.recv_timeout(NET);
        }
        match waited {
            Ok(results) => {
                self.line = Some(line);
                Ok(results)
            }
            Err(RecvTimeoutError::Disconnected) => {
                Err(Failure::Internal("the evaluator has ended".into()))
            }
            Err(RecvTimeoutError::Timeout) => {
                let text = "the evaluation did not end in time and was left";
                Err(Failure::Overdue(text.into()))
            }
        }
    }
}

/// How many expressions have a budget each.
fn count(evaluation: &Evaluation) -> u32 {
    u32::try_from(evaluation.expressions.len())
        .unwrap_or(u32::MAX)
        .max(1)
}

impl Line {
    fn open() -> std::io::Result<Self> {
        quiet_panics();
        let (requests, inbox) = channel::<Request>();
        let (outbox, results) = channel();
        thread::Builder::new()
            .name("jsonata".to_string())
            .stack_size(STACK)
            .spawn(move || work(&inbox, &outbox))?;
        Ok(Self { requests, results })
    }
}

fn work(inbox: &Receiver<Request>, outbox: &Sender<Vec<Evaluated>>) {
    FENCED.with(|fenced| fenced.set(true));
    let mut engine = Engine::default();
    for (evaluation, cancel) in inbox {
        let done = catch_unwind(AssertUnwindSafe(|| engine.evaluate(&evaluation, &cancel)));
        let results = done.unwrap_or_else(|_| {
            engine = Engine::default();
            let text: crate::json::Text = "the JSONata engine broke off".into();
            vec![Err(Failure::Internal(text)); evaluation.expressions.len().max(1)]
        });
        if outbox.send(results).is_err() {
            return;
        }
    }
}

/// A panic that is caught is not printed.
fn quiet_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if !panic_is_caught() {
                before(panic);
            }
        }));
    });
}
