//! Limits on the steps, the live memory and the depth of an evaluation. An evaluation within these limits can still
//! take too long; then its time limit or a cancellation stops it.

use super::datum::{Datum, Items, Letters, List, Record, held};
use crate::json::Text;
use crate::query::Profile;
use crate::query::jsonata::{AWS_DEPTH, AWS_LONGEST_RANGE, Budget, Evaluation, Failure};
pub(super) use crate::query::jsonata::{MEMORY, STACK, TIMEOUT};
use indexmap::IndexMap;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Maximum number of nested levels of an evaluation in the `spec` profile. Each node being evaluated is a level.
const DEPTH: u32 = 3000;
/// Maximum number of function calls inside each other. A tail call does not count, because it replaces the call of its
/// caller; the call of a callback by a built-in function counts.
const CALLS: u32 = 1000;
/// Maximum size, in bytes, of a text in the `aws` profile: 8 bytes for each number of the longest `$range` that AWS
/// accepted.
const AWS_TEXT: usize = AWS_LONGEST_RANGE as usize * 8;
/// Maximum nesting depth of a value that contains no function.
pub(super) const NESTING: u32 = 1000;
/// Maximum nesting depth of a value that contains functions. The values that a function captures count as its contents.
pub(super) const CLOSURES: u32 = 4000;
/// Number of steps after which the clock is checked again.
const LOOK: u64 = 1024;

/// A value, or the reason why there is no value.
pub(super) type Outcome<T = Datum> = Result<T, Failure>;

/// An error that the expression raises; `words` begins with the error code.
pub(super) fn thrown<T>(words: impl Into<Text>) -> Outcome<T> {
    Err(Failure::Thrown(words.into()))
}

/// The failure of an evaluation that exceeds a limit. If the evaluation is repeated, it fails in the same way.
#[cold]
pub(super) fn bound<T>(words: &str) -> Outcome<T> {
    Err(Failure::Bound(words.into()))
}

/// The error that JavaScript raises if a property of `undefined` is read. AWS returns the same error.
pub(super) fn no_property<T>(name: &str) -> Outcome<T> {
    thrown(format!(
        "Cannot read properties of undefined (reading '{name}')"
    ))
}

/// The rest of the budget of an expression: steps, memory, depth and time.
#[derive(Debug)]
pub(super) struct Account {
    steps: u64,
    look: u64,
    depth: u32,
    calls: u32,
    profile: Profile,
    /// Maximum size of one value, in bytes. A part that occurs several times counts each time.
    largest: u64,
    /// Maximum memory of all live values of the expression, in bytes.
    most: u64,
    /// Bytes in use on this thread when the evaluation began; they do not count.
    base: u64,
    clock: Option<Clock>,
}

/// Until when an evaluation may run, and whether it was cancelled.
#[derive(Debug)]
struct Clock {
    begun: Instant,
    deadline: Instant,
    cancel: Arc<AtomicBool>,
}

/// The budget of a request, from which each of its expressions gets an account.
#[derive(Debug)]
pub(super) struct Allowance {
    /// Steps left: for all expressions of the request together or, if `among` is `None`, for each of them.
    steps: u64,
    /// Time left: for all expressions of the request together or, if `among` is `None`, for each of them.
    time: Duration,
    /// Number of expressions that still share the budget; `None` if each expression may use the full budget.
    among: Option<usize>,
    /// Maximum size, in bytes, of a value that enters or leaves an evaluation; see [`Evaluation::largest`].
    largest: u64,
    profile: Profile,
}

/// Maximum number of steps of an evaluation on the caller's thread.
const TRIAL: u64 = 50_000;

impl Allowance {
    /// Budget of a request that is evaluated in full, not only tried on the caller's thread.
    pub(super) fn new(evaluation: &Evaluation, budget: Budget) -> Self {
        // The number of steps is the same on every machine. The time limit should only stop evaluations that hang.
        let (steps, time, among) = match budget {
            Budget::Run => (8_000_000, 60_000, None),
            Budget::Glance => (250_000, 40, Some(evaluation.expressions.len())),
        };
        Self {
            steps,
            time: Duration::from_millis(time),
            among,
            largest: evaluation.largest,
            profile: evaluation.profile,
        }
    }

    /// Budget of a request that is tried on the caller's thread. Its expressions share the steps of the trial.
    pub(super) fn trial(evaluation: &Evaluation) -> Self {
        Self {
            steps: TRIAL,
            among: Some(1),
            ..Self::new(evaluation, Budget::Run)
        }
    }

    /// Opens the account of the next expression, whose time begins now. Without `cancel`, the expression has no time
    /// limit.
    pub(super) fn account(&self, cancel: Option<&Arc<AtomicBool>>) -> Account {
        let among = self.among.unwrap_or(1).max(1);
        let clock = cancel.map(|cancel| {
            let time = self.time / u32::try_from(among).unwrap_or(u32::MAX);
            let begun = Instant::now();
            Clock {
                begun,
                deadline: begun + time,
                cancel: Arc::clone(cancel),
            }
        });
        Account {
            steps: self.steps / among as u64,
            look: LOOK,
            depth: 0,
            calls: 0,
            profile: self.profile,
            largest: self.largest / 2,
            most: self.largest.saturating_add(self.largest / 2),
            base: held(),
            clock,
        }
    }

    /// Deducts from a shared budget the steps and the time that a finished expression used.
    pub(super) fn spend(&mut self, account: &Account) {
        let Some(among) = &mut self.among else {
            return;
        };
        let taken = (self.steps / (*among).max(1) as u64).saturating_sub(account.steps);
        self.steps = self.steps.saturating_sub(taken);
        if let Some(clock) = &account.clock {
            self.time = self.time.saturating_sub(clock.begun.elapsed());
        }
        *among = among.saturating_sub(1);
    }
}

impl Account {
    /// Spends steps, and fails if too few are left. One step is about the cost of one node of an expression.
    pub(super) fn take(&mut self, steps: usize) -> Outcome<()> {
        let steps = steps as u64;
        match self.steps.checked_sub(steps) {
            Some(left) => self.steps = left,
            None => return bound(TIMEOUT),
        }
        match self.look.checked_sub(steps) {
            Some(left) => self.look = left,
            None => {
                self.look = LOOK;
                self.look()?;
            }
        }
        Ok(())
    }

    /// Spends the steps for processing this number of bytes.
    pub(super) fn scan(&mut self, bytes: usize) -> Outcome<()> {
        self.take(bytes / 64 + 1)
    }

    /// Fails if the time is over, the evaluation was cancelled or its values take too much memory.
    pub(super) fn look(&self) -> Outcome<()> {
        if let Some(clock) = &self.clock
            && (clock.cancel.load(Ordering::Relaxed) || Instant::now() > clock.deadline)
        {
            return Err(Failure::Overdue(TIMEOUT.into()));
        }
        self.room(0)
    }

    /// Fails if this many more bytes would exceed the memory limit.
    pub(super) fn room(&self, more: usize) -> Outcome<()> {
        let all = held().saturating_sub(self.base).saturating_add(more as u64);
        if all > self.most {
            return bound(MEMORY);
        }
        Ok(())
    }

    /// Enters the next level of nodes and fails if it is too deep. [`Self::up`] leaves the level.
    pub(super) fn down(&mut self) -> Outcome<()> {
        self.depth += 1;
        let most = match self.profile {
            Profile::Aws => AWS_DEPTH,
            Profile::Spec => DEPTH,
        };
        if self.depth > most {
            return bound(STACK);
        }
        Ok(())
    }

    /// Begins a function call and fails if there are too many calls inside each other. [`Self::end_call`] ends the
    /// call.
    pub(super) fn begin_call(&mut self) -> Outcome<()> {
        self.calls += 1;
        if self.calls > CALLS {
            return bound(STACK);
        }
        Ok(())
    }

    /// Ends the innermost function call.
    pub(super) fn end_call(&mut self) {
        self.calls = self.calls.saturating_sub(1);
    }

    /// Raises the memory limit for an evaluation with a trace, because the trace keeps values that would otherwise be
    /// dropped.
    pub(super) fn traced(self) -> Self {
        Self {
            most: self.most.saturating_mul(4),
            ..self
        }
    }

    /// Returns the number of steps left. To restore it later, pass it to [`Self::restart`].
    pub(super) fn mark(&self) -> u64 {
        self.steps
    }

    /// Sets the number of steps left to `mark`, which [`Self::mark`] returned, and the depth to 0.
    pub(super) fn restart(&mut self, mark: u64) {
        self.steps = mark;
        self.depth = 0;
        self.calls = 0;
    }

    /// Number of levels that the evaluation has entered and not left.
    pub(super) fn depth(&self) -> u32 {
        self.depth
    }

    /// Sets the number of entered levels and returns the previous number.
    pub(super) fn at_depth(&mut self, depth: u32) -> u32 {
        std::mem::replace(&mut self.depth, depth)
    }

    /// The profile whose limits apply.
    pub(super) fn profile(&self) -> Profile {
        self.profile
    }

    /// Leaves the innermost level that [`Self::down`] entered.
    pub(super) fn up(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// Returns the value, or fails if it is too large or too deeply nested.
    pub(super) fn bounded(&self, value: Datum) -> Outcome {
        let extent = value.extent();
        if extent.bytes > self.largest {
            return bound(MEMORY);
        }
        let nesting = if extent.functions { CLOSURES } else { NESTING };
        if extent.depth > nesting {
            return bound(STACK);
        }
        Ok(value)
    }

    /// True if JSONata treats the value as true, as `$boolean` does. An infinite number is an error.
    pub(super) fn truth(&mut self, value: &Datum) -> Outcome<bool> {
        let mut looked = 0;
        let number = match value {
            Datum::List(list) if list.len() == 1 => list.first().unwrap_or(value),
            other => other,
        };
        if let Datum::Number(number, _) = number
            && number.is_infinite()
        {
            return thrown("D1001: Number out of range: null");
        }
        let truth = value.truth(&mut looked);
        self.take(looked / 8)?;
        Ok(truth)
    }

    /// Returns an empty list of items with room for `count` items, or fails if there is not enough memory.
    pub(super) fn items(&mut self, count: usize) -> Outcome<Items> {
        self.take(count / 8)?;
        self.room(count.saturating_mul(size_of::<Datum>()))?;
        let mut items = Items::default();
        items.reserve(count);
        Ok(items)
    }

    /// Appends an item to a list.
    pub(super) fn push(&self, items: &mut Items, item: Datum) -> Outcome<()> {
        if items.len() >= 1024 && items.len().is_power_of_two() {
            self.room(items.len().saturating_mul(size_of::<Datum>()))?;
        }
        items.push(item);
        Ok(())
    }

    /// Appends copies of items to a list.
    pub(super) fn extend(&mut self, items: &mut Items, more: &[Datum]) -> Outcome<()> {
        self.take(more.len() / 8)?;
        if more.len() >= 64 {
            self.room(more.len().saturating_mul(size_of::<Datum>()))?;
        }
        for item in more {
            self.push(items, item.clone())?;
        }
        Ok(())
    }

    /// A list with no flag set; see [`List`].
    pub(super) fn list(&mut self, items: Items) -> Outcome {
        self.take(items.len() / 8)?;
        self.bounded(Datum::List(List::new(items)))
    }

    /// A list with the flag `sequence`; see [`List`].
    pub(super) fn sequence(&mut self, items: Items) -> Outcome {
        self.take(items.len() / 8)?;
        let mut list = List::new(items);
        list.sequence = true;
        self.bounded(Datum::List(list))
    }

    /// A record with these members.
    pub(super) fn record(&mut self, members: IndexMap<Letters, Datum>) -> Outcome {
        self.take(members.len() / 4)?;
        let record = self.bounded(Datum::record(Rc::new(Record::new(members))))?;
        self.room(0)?;
        Ok(record)
    }

    /// A text value. Call [`Self::room`] with the length before building the text.
    pub(super) fn text(&mut self, text: String) -> Outcome {
        self.scan(text.len())?;
        self.room(text.len())?;
        if text.len() > AWS_TEXT && self.profile == Profile::Aws {
            return bound(MEMORY);
        }
        self.bounded(Datum::text(text))
    }
}
