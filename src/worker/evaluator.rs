//! Evaluates JSONata requests within their budgets: short ones on the caller's thread, longer ones on the engine's
//! thread.

use super::jsonata::Engine;
use crate::query::jsonata::{Evaluated, Evaluation, Failure, Traced};
use crate::query::{fenced, is_fenced};
use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, Once, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Time per expression after which the engine is told to cancel a request. It is longer than every evaluation budget.
const PATIENCE: Duration = Duration::from_secs(64);
/// Additional time, after the cancellation, until the engine's thread is abandoned. Only a defect in the engine could
/// take that long; no expression is known to cause this.
const NET: Duration = Duration::from_secs(7);
/// Maximum time that one call waits for a result. The caller repeats the call until there is a result.
const SOON: Duration = Duration::from_millis(4);
/// Initial stack size of the engine's thread; the stack grows on demand.
const STACK: usize = 16 << 20;

thread_local! {
    /// The engine that evaluates short requests on the caller's thread.
    static AT_ONCE: RefCell<Option<Box<Engine>>> = const { RefCell::new(None) };
}

/// Evaluates JSONata, one request at a time. The engine's thread starts with the first request that is not short.
#[derive(Debug, Default)]
pub struct Evaluator {
    state: Mutex<State<Evaluated>>,
    /// State of the traced evaluations. They repeat an evaluation to explain its value to the user; a run does not wait
    /// for them.
    looks: Mutex<State<Traced>>,
}

/// The kind of result that the engine produces for each expression: the result alone, or the result with a trace.
trait Work: Sized + Send + 'static {
    /// Returns the results of a request. `cancel` stops the evaluation. Without `cancel`, the request is only tried:
    /// returns `None` if it needs too many steps.
    fn all(
        engine: &mut Engine,
        evaluation: &Evaluation,
        cancel: Option<&Arc<AtomicBool>>,
    ) -> Option<Vec<Self>>;

    fn failed(failure: Failure) -> Self;
}

impl Work for Evaluated {
    fn all(
        engine: &mut Engine,
        evaluation: &Evaluation,
        cancel: Option<&Arc<AtomicBool>>,
    ) -> Option<Vec<Self>> {
        engine.evaluate(evaluation, cancel)
    }

    fn failed(failure: Failure) -> Self {
        Err(failure)
    }
}

impl Work for Traced {
    fn all(
        engine: &mut Engine,
        evaluation: &Evaluation,
        cancel: Option<&Arc<AtomicBool>>,
    ) -> Option<Vec<Self>> {
        engine.look(evaluation, cancel)
    }

    fn failed(failure: Failure) -> Self {
        Self::failed(failure)
    }
}

#[derive(Debug)]
struct State<W> {
    line: Option<Line<W>>,
    started: u32,
    /// The request that the engine's thread is working on.
    open: Option<Open>,
}

impl<W> Default for State<W> {
    fn default() -> Self {
        Self {
            line: None,
            started: 0,
            open: None,
        }
    }
}

/// A request that the engine's thread is working on.
#[derive(Debug)]
struct Open {
    evaluation: Arc<Evaluation>,
    cancel: Arc<AtomicBool>,
    begun: Instant,
}

type Request = (Arc<Evaluation>, Arc<AtomicBool>);

#[derive(Debug)]
struct Line<W> {
    requests: Sender<Request>,
    results: Receiver<Vec<W>>,
}

impl Evaluator {
    /// An evaluator whose thread has not started yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Number of engine threads started so far: none until the first request that takes long.
    #[must_use]
    pub fn started(&self) -> u32 {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.started
    }

    /// Returns the results of a request, in the order of its expressions. If a result makes the later expressions
    /// unnecessary, the list ends with this result.
    #[must_use]
    pub fn evaluate(&self, evaluation: &Evaluation) -> Vec<Evaluated> {
        if let Some(results) = at_once(evaluation) {
            return results;
        }
        let evaluation = Arc::new(evaluation.clone());
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(results) = state.ask_soon(&evaluation) {
                return results;
            }
        }
    }

    /// Like [`Self::evaluate`], but does not wait long. Returns `None` while the engine is still working; the caller
    /// then has to repeat the same request. A different request in the meantime cancels the first request.
    #[must_use]
    pub fn evaluate_soon(&self, evaluation: &Arc<Evaluation>) -> Option<Vec<Evaluated>> {
        soon(&self.state, evaluation)
    }

    /// Returns the results of a request with their traces, without waiting long; see [`Self::evaluate_soon`].
    #[must_use]
    pub fn look(&self, evaluation: &Arc<Evaluation>) -> Option<Vec<Traced>> {
        soon(&self.looks, evaluation)
    }
}

/// Returns the results of a request. A short request is evaluated on the caller's thread. A longer one is sent to the
/// engine; `None` means that the engine is still working.
fn soon<W: Work>(state: &Mutex<State<W>>, evaluation: &Arc<Evaluation>) -> Option<Vec<W>> {
    let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
    if !state.works_at(evaluation)
        && let Some(results) = at_once(evaluation)
    {
        return Some(results);
    }
    state.ask_soon(evaluation)
}

/// Evaluates a short request on the caller's thread; `None` if the request needs too many steps. Panics are caught.
fn at_once<W: Work>(evaluation: &Evaluation) -> Option<Vec<W>> {
    quiet_panics();
    let tried = fenced(|| {
        AT_ONCE.try_with(|engine| {
            let mut engine = engine.try_borrow_mut().ok()?;
            // The engine is taken out of the thread-local variable; if the evaluation panics, the engine is dropped.
            let mut own_engine = engine.take().unwrap_or_default();
            let results = W::all(&mut own_engine, evaluation, None);
            *engine = Some(own_engine);
            results
        })
    });
    match tried {
        Some(results) => results.ok().flatten(),
        None => Some(failed(&broken_off(), evaluation)),
    }
}

/// Results of a failed request: the same failure for every expression.
fn failed<W: Work>(failure: &Failure, evaluation: &Evaluation) -> Vec<W> {
    let each = std::iter::repeat_with(|| W::failed(failure.clone()));
    each.take(evaluation.expressions.len().max(1)).collect()
}

impl<W: Work> State<W> {
    /// Sends a request to the engine, starting its thread if needed.
    fn send(&mut self, evaluation: &Arc<Evaluation>) -> Result<(), Failure> {
        self.give_up();
        let line = match self.line.take() {
            Some(line) => line,
            None => {
                self.started = self.started.saturating_add(1);
                Line::open().map_err(|error| {
                    Failure::Internal(format!("the JSONata evaluator cannot start: {error}").into())
                })?
            }
        };
        let open = Open {
            evaluation: Arc::clone(evaluation),
            cancel: Arc::new(AtomicBool::new(false)),
            begun: Instant::now(),
        };
        let request = (Arc::clone(evaluation), Arc::clone(&open.cancel));
        line.requests.send(request).map_err(|_| gone())?;
        (self.line, self.open) = (Some(line), Some(open));
        Ok(())
    }

    /// Cancels the request in progress and drops its results.
    fn give_up(&mut self) {
        let Some(open) = self.open.take() else { return };
        open.cancel.store(true, Ordering::Relaxed);
        let ended = self
            .line
            .as_ref()
            .is_some_and(|line| line.results.recv_timeout(NET).is_ok());
        if !ended {
            self.line = None;
        }
    }

    /// True if the engine's thread is working on this request.
    fn works_at(&self, evaluation: &Arc<Evaluation>) -> bool {
        let same = |open: &Open| Arc::ptr_eq(&open.evaluation, evaluation);
        self.open.as_ref().is_some_and(same)
    }

    /// Sends a request to the engine, unless it is there already. Returns the results, or `None` while the engine is
    /// still working.
    fn ask_soon(&mut self, evaluation: &Arc<Evaluation>) -> Option<Vec<W>> {
        let results = self.try_soon(evaluation);
        results.unwrap_or_else(|failure| Some(failed(&failure, evaluation)))
    }

    fn try_soon(&mut self, evaluation: &Arc<Evaluation>) -> Result<Option<Vec<W>>, Failure> {
        if !self.works_at(evaluation) {
            self.send(evaluation)?;
        }
        let (Some(line), Some(open)) = (&self.line, &self.open) else {
            return Err(gone());
        };
        match line.results.recv_timeout(SOON) {
            Ok(results) => {
                self.open = None;
                Ok(Some(results))
            }
            Err(RecvTimeoutError::Disconnected) => {
                (self.line, self.open) = (None, None);
                Err(gone())
            }
            Err(RecvTimeoutError::Timeout) => {
                // Each expression has its own time, so the time for the request grows with the number of expressions.
                let count = u32::try_from(evaluation.expressions.len()).unwrap_or(u32::MAX);
                let patience = PATIENCE.saturating_mul(count.max(1));
                let waited = open.begun.elapsed();
                if waited > patience + NET {
                    (self.line, self.open) = (None, None);
                    let text = "the JSONata evaluation did not end in time and was aborted";
                    return Err(Failure::Overdue(text.into()));
                }
                if waited > patience {
                    open.cancel.store(true, Ordering::Relaxed);
                }
                Ok(None)
            }
        }
    }
}

fn broken_off() -> Failure {
    Failure::Internal("the JSONata engine stopped without a result".into())
}

fn gone() -> Failure {
    Failure::Internal("the JSONata evaluator has ended".into())
}

impl<W: Work> Line<W> {
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

fn work<W: Work>(inbox: &Receiver<Request>, outbox: &Sender<Vec<W>>) {
    let mut engine = Engine::default();
    for (evaluation, cancel) in inbox {
        let done = fenced(|| W::all(&mut engine, &evaluation, Some(&cancel)));
        let results = done.map(Option::unwrap_or_default).unwrap_or_else(|| {
            engine = Engine::default();
            failed(&broken_off(), &evaluation)
        });
        if outbox.send(results).is_err() {
            return;
        }
    }
}

/// Suppresses the messages of panics that this program catches.
fn quiet_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if !is_fenced() {
                before(panic);
            }
        }));
    });
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test")]
mod tests {
    use super::*;
    use crate::query::Profile;
    use crate::query::jsonata::{Budget, Expression};

    #[test]
    fn a_short_evaluation_is_traced_on_the_callers_thread() {
        for (text, threads) in [("1 + 1", 0), ("$sum([1..90000])", 1)] {
            let evaluation = Arc::new(Evaluation {
                expressions: vec![Arc::new(Expression::new(text, "Output"))],
                states: Vec::new(),
                variables: Vec::new(),
                now: 0,
                seed: 0,
                until_true: false,
                budget: Budget::Run,
                largest: 64 << 20,
                profile: Profile::Aws,
            });
            let evaluator = Evaluator::new();
            let mut looks = std::iter::repeat_with(|| evaluator.look(&evaluation));
            let traced = looks.find_map(|traced| traced).unwrap();
            assert!(
                traced.first().is_some_and(|traced| traced.value.is_ok()),
                "{text}: {traced:?}"
            );
            assert_eq!(evaluator.looks.lock().unwrap().started, threads, "{text}");
        }
    }
}
