//! Limits on an evaluation: steps, live memory and depth. The clock and cancellation stop only evaluations that stay
//! within these limits but take too long.

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

/// Maximum depth of evaluation.
const DEPTH: u32 = 3000;
/// Maximum depth of nested calls. A tail call replaces its caller and does not count, but it uses stack if a built-in
/// function made the call.
const CALLS: u32 = 1000;
/// Maximum size, in bytes, of a text in the `aws` profile: 8 bytes for each number of the longest `$range` that AWS
/// accepted.
const AWS_TEXT: usize = AWS_LONGEST_RANGE as usize * 8;
/// Maximum nesting depth of a value without functions.
pub(super) const NESTING: u32 = 1000;
/// Maximum nesting depth of a value with functions, where a function also contains the values that it captures.
pub(super) const CLOSURES: u32 = 4000;
/// Number of steps between two checks of the clock.
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

/// JavaScript's error for reading a property of `undefined`. AWS returns this error.
pub(super) fn no_property<T>(name: &str) -> Outcome<T> {
    thrown(format!(
        "Cannot read properties of undefined (reading '{name}')"
    ))
}

/// Remaining budget of an expression.
#[derive(Debug)]
pub(super) struct Account {
    steps: u64,
    look: u64,
    depth: u32,
    calls: u32,
    profile: Profile,
    /// Maximum size of one value in bytes, counting shared parts each time.
    largest: u64,
    /// Maximum memory of all live values of the expression, in bytes.
    most: u64,
    /// Bytes in use when the evaluation began.
    base: u64,
    clock: Option<Clock>,
}

/// Time limit and cancellation of an evaluation.
#[derive(Debug)]
struct Clock {
    begun: Instant,
    deadline: Instant,
    cancel: Arc<AtomicBool>,
}

/// Budget that the expressions of a request share.
#[derive(Debug)]
pub(super) struct Allowance {
    /// Steps left.
    steps: u64,
    /// Time left.
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
    /// Allowance for an evaluation that is not a trial on the caller's thread.
    pub(super) fn new(evaluation: &Evaluation, budget: Budget) -> Self {
        // The number of steps is the same on every machine. The time limit only stops evaluations that hang.
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

    /// Budget for all expressions of a request that is tried on the caller's thread.
    pub(super) fn trial(evaluation: &Evaluation) -> Self {
        Self {
            steps: TRIAL,
            among: Some(1),
            ..Self::new(evaluation, Budget::Run)
        }
    }

    /// Account for the next expression, starting now. Without `cancel`, the expression has no time limit.
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

    /// Ends an expression and deducts the steps and the time that the expression used.
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
    /// Spends steps; one step is about the cost of one node of an expression.
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

    /// Checks the clock and the memory.
    pub(super) fn look(&self) -> Outcome<()> {
        if let Some(clock) = &self.clock
            && (clock.cancel.load(Ordering::Relaxed) || Instant::now() > clock.deadline)
        {
            return Err(Failure::Overdue(TIMEOUT.into()));
        }
        self.room(0)
    }

    /// Checks that this many more bytes may be allocated.
    pub(super) fn room(&self, more: usize) -> Outcome<()> {
        let all = held().saturating_sub(self.base).saturating_add(more as u64);
        if all > self.most {
            return bound(MEMORY);
        }
        Ok(())
    }

    /// Enters the next level; [`Self::up`] leaves the level.
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

    /// Begins a nested call; [`Self::end_call`] ends the call.
    pub(super) fn begin_call(&mut self) -> Outcome<()> {
        self.calls += 1;
        if self.calls > CALLS {
            return bound(STACK);
        }
        Ok(())
    }

    /// Ends a nested call.
    pub(super) fn end_call(&mut self) {
        self.calls = self.calls.saturating_sub(1);
    }

    /// Raises the memory limit for a traced evaluation, because the trace keeps values that would be dropped otherwise.
    pub(super) fn traced(self) -> Self {
        Self {
            most: self.most.saturating_mul(4),
            ..self
        }
    }

    /// Steps left now, to pass to [`Self::restart`].
    pub(super) fn mark(&self) -> u64 {
        self.steps
    }

    /// Sets the number of steps left to a value that [`Self::mark`] returned; the depth becomes 0.
    pub(super) fn restart(&mut self, mark: u64) {
        self.steps = mark;
        self.depth = 0;
        self.calls = 0;
    }

    /// Current depth of the evaluation.
    pub(super) fn depth(&self) -> u32 {
        self.depth
    }

    /// Sets the depth and returns the previous one.
    pub(super) fn at_depth(&mut self, depth: u32) -> u32 {
        std::mem::replace(&mut self.depth, depth)
    }

    /// The profile whose limits apply.
    pub(super) fn profile(&self) -> Profile {
        self.profile
    }

    /// Leaves a level.
    pub(super) fn up(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// Returns the value if it is neither too large nor too deeply nested.
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

    /// True if a value counts as true, as in `$boolean`.
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

    /// Allocates a list with room for this number of items.
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
