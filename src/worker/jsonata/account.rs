//! What an evaluation may take: steps, bytes held at a time, depth; the clock and a sign from outside end only what those do not.
//!
//! It must not know expressions.

use super::datum::{Datum, Items, Letters, List, Record, held};
use crate::query::Profile;
use crate::query::jsonata::Budget;
use crate::query::jsonata::{AWS_DEPTH, AWS_LONGEST_RANGE};
pub(super) use crate::query::jsonata::{MEMORY, STACK, TIMEOUT};
use indexmap::IndexMap;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Levels of evaluation.
const DEPTH: u32 = 3000;
/// Calls inside each other: a call in the place of its caller's result is no level, but takes stack where a built-in
/// function lies between.
const CALLS: u32 = 1000;
/// Bytes of a text on AWS: what the longest range takes that was measured there.
const AWS_TEXT: usize = AWS_LONGEST_RANGE as usize * 8;
/// Levels of a value.
pub(super) const NESTING: u32 = 1000;
/// Levels of functions that hold functions.
pub(super) const CLOSURES: u32 = 4000;
/// Bytes that one value may come to, its shared parts counted each time.
const LARGEST: u64 = 32 << 20;
/// Bytes that all values of one evaluation may hold at a time.
pub(super) const HELD: u64 = 96 << 20;
/// The clock is looked at after so many steps.
const LOOK: u64 = 1024;

/// Why an evaluation ends without a value.
#[derive(Debug)]
pub(super) enum Stop {
    /// The expression threw: code and words.
    Thrown(String),
    /// An operand of an arithmetic operator is no number.
    Operand {
        /// The operator as it is written.
        operator: &'static str,
        /// True for the operand before the operator.
        is_left: bool,
    },
    /// It would take more than it may; the same each time.
    Bound(&'static str),
    /// The clock or a sign from outside ended it.
    Overdue,
}

/// A value, or why there is none.
pub(super) type Outcome<T = Datum> = Result<T, Stop>;

/// An error with a code.
pub(super) fn thrown<T>(words: impl Into<String>) -> Outcome<T> {
    Err(Stop::Thrown(words.into()))
}

/// What is left of what an expression may take.
#[derive(Debug)]
pub(super) struct Account {
    steps: u64,
    look: u64,
    depth: u32,
    calls: u32,
    profile: Profile,
    /// Bytes that all its values may hold at a time.
    most: u64,
    /// Bytes that were held when the evaluation began.
    base: u64,
    clock: Option<Clock>,
}

/// What ends an evaluation from outside.
#[derive(Debug)]
struct Clock {
    begun: Instant,
    deadline: Instant,
    cancel: Arc<AtomicBool>,
}

/// What the expressions of a request may take together, and each of them of that.
#[derive(Debug)]
pub(super) struct Allowance {
    /// Steps that are left.
    steps: u64,
    /// Time that is left.
    time: Duration,
    /// Among so many expressions it is divided; `None` where each has all of it.
    among: Option<usize>,
    profile: Profile,
}

/// Steps of an evaluation that is tried at once, without a thread of its own.
const TRIAL: u64 = 50_000;

impl Allowance {
    /// All of a budget, for so many expressions.
    pub(super) fn new(budget: Budget, expressions: usize, profile: Profile) -> Self {
        // The steps of a run end it on every machine alike; its time ends only what hangs.
        let (steps, time, among) = match budget {
            Budget::Run => (8_000_000, 60_000, None),
            Budget::Glance => (250_000, 40, Some(expressions)),
        };
        Self {
            steps,
            time: Duration::from_millis(time),
            among,
            profile,
        }
    }

    /// What all expressions together may take where they are tried at once.
    pub(super) fn trial(profile: Profile) -> Self {
        Self {
            steps: TRIAL,
            time: Duration::ZERO,
            among: Some(1),
            profile,
        }
    }

    /// What the next expression of a trial may take: all that is left, without a look at the clock.
    pub(super) fn trial_account(&self) -> Account {
        Account {
            steps: self.steps,
            look: LOOK,
            depth: 0,
            calls: 0,
            profile: self.profile,
            most: HELD,
            base: held(),
            clock: None,
        }
    }

    /// An expression of a trial has come to its end.
    pub(super) fn spend_trial(&mut self, account: &Account) {
        self.steps = account.steps;
    }

    /// What the next expression may take, from now on.
    pub(super) fn account(&self, cancel: Arc<AtomicBool>) -> Account {
        let among = self.among.unwrap_or(1).max(1);
        let time = self.time / u32::try_from(among).unwrap_or(u32::MAX);
        let begun = Instant::now();
        Account {
            steps: self.steps / among as u64,
            look: LOOK,
            depth: 0,
            calls: 0,
            profile: self.profile,
            most: HELD,
            base: held(),
            clock: Some(Clock {
                begun,
                deadline: begun + time,
                cancel,
            }),
        }
    }

    /// An expression has come to its end, with this on its account.
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
    /// Takes steps; each is about what one part of an expression costs.
    pub(super) fn take(&mut self, steps: usize) -> Outcome<()> {
        let steps = steps as u64;
        match self.steps.checked_sub(steps) {
            Some(left) => self.steps = left,
            None => return Err(Stop::Bound(TIMEOUT)),
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

    /// Takes the steps for going through so many bytes.
    pub(super) fn scan(&mut self, bytes: usize) -> Outcome<()> {
        self.take(bytes / 64 + 1)
    }

    /// Looks at the clock and at what is held.
    pub(super) fn look(&self) -> Outcome<()> {
        if let Some(clock) = &self.clock
            && (clock.cancel.load(Ordering::Relaxed) || Instant::now() > clock.deadline)
        {
            return Err(Stop::Overdue);
        }
        self.room(0)
    }

    /// Whether so many bytes more may be held.
    pub(super) fn room(&self, more: usize) -> Outcome<()> {
        let all = held().saturating_sub(self.base).saturating_add(more as u64);
        if all > self.most {
            return Err(Stop::Bound(MEMORY));
        }
        Ok(())
    }

    /// Goes one level deeper; `up` comes back.
    pub(super) fn down(&mut self) -> Outcome<()> {
        self.depth += 1;
        let most = match self.profile {
            Profile::Aws => AWS_DEPTH,
            Profile::Spec => DEPTH,
        };
        if self.depth > most {
            return Err(Stop::Bound(STACK));
        }
        Ok(())
    }

    /// Begins a call inside those that are under way; `end_call` ends it.
    pub(super) fn begin_call(&mut self) -> Outcome<()> {
        self.calls += 1;
        if self.calls > CALLS {
            return Err(Stop::Bound(STACK));
        }
        Ok(())
    }

    /// A call is over.
    pub(super) fn end_call(&mut self) {
        self.calls = self.calls.saturating_sub(1);
    }

    /// The same for an evaluation that is traced: its acts hold values that would be dropped otherwise.
    pub(super) fn traced(self) -> Self {
        Self {
            most: self.most.saturating_mul(4),
            ..self
        }
    }

    /// What it may take now, to begin again with.
    pub(super) fn mark(&self) -> u64 {
        self.steps
    }

    /// Begins again with what could be taken at a mark.
    pub(super) fn restart(&mut self, mark: u64) {
        self.steps = mark;
        self.depth = 0;
        self.calls = 0;
    }

    /// How many levels deep the evaluation is.
    pub(super) fn depth(&self) -> u32 {
        self.depth
    }

    /// Goes to a level; what is given back leads back.
    pub(super) fn at_depth(&mut self, depth: u32) -> u32 {
        std::mem::replace(&mut self.depth, depth)
    }

    /// Whose bounds hold.
    pub(super) fn profile(&self) -> Profile {
        self.profile
    }

    /// Comes back from a level.
    pub(super) fn up(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// A value that is neither too large nor too deep.
    pub(super) fn bounded(&self, value: Datum) -> Outcome {
        let extent = value.extent();
        if extent.bytes > LARGEST {
            return Err(Stop::Bound(MEMORY));
        }
        let nesting = if extent.functions { CLOSURES } else { NESTING };
        if extent.depth > nesting {
            return Err(Stop::Bound(STACK));
        }
        Ok(value)
    }

    /// Whether a value counts as true, as `$boolean` says.
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

    /// Room for a list of so many items, made at once.
    pub(super) fn items(&mut self, count: usize) -> Outcome<Items> {
        self.take(count / 8)?;
        self.room(count.saturating_mul(size_of::<Datum>()))?;
        let mut items = Items::default();
        items.reserve(count);
        Ok(items)
    }

    /// Adds an item to a list that grows.
    pub(super) fn push(&self, items: &mut Items, item: Datum) -> Outcome<()> {
        if items.len() >= 1024 && items.len().is_power_of_two() {
            self.room(items.len().saturating_mul(size_of::<Datum>()))?;
        }
        items.push(item);
        Ok(())
    }

    /// Adds copies of items to a list that grows.
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

    /// A list without marks.
    pub(super) fn list(&mut self, items: Items) -> Outcome {
        self.take(items.len() / 8)?;
        self.bounded(Datum::List(List::new(items)))
    }

    /// A list that was made step by step.
    pub(super) fn sequence(&mut self, items: Items) -> Outcome {
        self.take(items.len() / 8)?;
        let mut list = List::new(items);
        list.sequence = true;
        self.bounded(Datum::List(list))
    }

    /// A record of members.
    pub(super) fn record(&mut self, members: IndexMap<Letters, Datum>) -> Outcome {
        self.take(members.len() / 4)?;
        let record = self.bounded(Datum::record(Rc::new(Record::new(members))))?;
        self.room(0)?;
        Ok(record)
    }

    /// Text that was made; its length is asked for with `room` before it is made.
    pub(super) fn text(&mut self, text: String) -> Outcome {
        self.scan(text.len())?;
        self.room(text.len())?;
        if text.len() > AWS_TEXT && self.profile == Profile::Aws {
            return Err(Stop::Bound(MEMORY));
        }
        self.bounded(Datum::text(text))
    }
}
