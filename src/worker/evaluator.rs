//! Hands requests to the engine's thread and sees that every one ends: by the engine's limits, by a signal, or by being left alone.
//!
//! It must not know who asks.

use super::engine::Engine;
use crate::query::jsonata::{Evaluated, Evaluation, Failure};
use jsonata_core::evaluator::CancelToken;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, Once, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// After this the engine is told to stop.
const PATIENCE: Duration = Duration::from_millis(1200);
/// After this it is left alone.
const NET: Duration = Duration::from_millis(1800);
/// An evaluation may make the program grow by so many bytes.
const GROWTH: u64 = 160 << 20;
/// So many threads may have been left alone before JSONata is off.
const LEFT_ALONE: u32 = 4;
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
    left_alone: u32,
}

#[derive(Debug)]
struct Line {
    requests: Sender<(Evaluation, CancelToken)>,
    results: Receiver<Vec<Evaluated>>,
}

impl Evaluator {
    /// No thread yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// How many threads were started so far: none before the first request, another for each that was left alone.
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
        if self.left_alone >= LEFT_ALONE {
            let text = "JSONata is off: too many expressions had to be left running";
            return Err(Failure::Overdue(text.into()));
        }
        let line = match self.line.take() {
            Some(line) => line,
            None => {
                self.started = self.started.saturating_add(1);
                Line::open().map_err(|error| {
                    Failure::Internal(format!("the evaluator cannot start: {error}").into())
                })?
            }
        };
        let cancel = CancelToken::new();
        let request = (evaluation.clone(), cancel.clone());
        if line.requests.send(request).is_err() {
            return Err(Failure::Internal("the evaluator has ended".into()));
        }
        match line.wait(&cancel) {
            Waited::Results(results) => {
                self.line = Some(line);
                Ok(results)
            }
            Waited::Gone => Err(Failure::Internal("the evaluator has ended".into())),
            Waited::Overdue => {
                self.left_alone += 1;
                let text = "the evaluation did not end in time and was left";
                Err(Failure::Overdue(text.into()))
            }
        }
    }
}

enum Waited {
    Results(Vec<Evaluated>),
    Overdue,
    Gone,
}

impl Line {
    fn open() -> std::io::Result<Self> {
        quiet_panics();
        let (requests, inbox) = channel::<(Evaluation, CancelToken)>();
        let (outbox, results) = channel();
        thread::Builder::new()
            .name("jsonata".to_string())
            .stack_size(STACK)
            .spawn(move || work(&inbox, &outbox))?;
        Ok(Self { requests, results })
    }

    fn wait(&self, cancel: &CancelToken) -> Waited {
        // Nearly every request ends within this.
        match self.results.recv_timeout(Duration::from_millis(20)) {
            Ok(results) => return Waited::Results(results),
            Err(RecvTimeoutError::Disconnected) => return Waited::Gone,
            Err(RecvTimeoutError::Timeout) => {}
        }
        let begun = Instant::now();
        let before = resident_bytes();
        let mut told: Option<Instant> = None;
        loop {
            match self.results.recv_timeout(Duration::from_millis(4)) {
                Ok(results) => return Waited::Results(results),
                Err(RecvTimeoutError::Disconnected) => return Waited::Gone,
                Err(RecvTimeoutError::Timeout) => {}
            }
            let grown = resident_bytes().saturating_sub(before) > GROWTH;
            if told.is_none() && (grown || begun.elapsed() > PATIENCE) {
                cancel.cancel();
                told = Some(Instant::now());
            }
            if begun.elapsed() > NET {
                return Waited::Overdue;
            }
        }
    }
}

fn work(inbox: &Receiver<(Evaluation, CancelToken)>, outbox: &Sender<Vec<Evaluated>>) {
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

/// Memory that the program holds now, where the system tells it; 0 elsewhere.
fn resident_bytes() -> u64 {
    let Ok(text) = std::fs::read_to_string("/proc/self/statm") else {
        return 0;
    };
    let pages = text
        .split(' ')
        .nth(1)
        .and_then(|pages| pages.parse::<u64>().ok());
    pages.unwrap_or(0).saturating_mul(4096)
}
