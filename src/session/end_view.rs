//! What a run that is over came to, as it is shown: plain data.
//!
//! It must not know how it is found out, nor how it is drawn.

use super::no_items::NoItems;
use crate::definition::{StateId, Unit};
use crate::interpreter::{FrameId, Millis, NoWait};
use crate::json::Text;

/// What a run that is over came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EndView {
    /// How many errors were raised; one that fails an item and is caught by the Map is one.
    pub raised: u64,
    /// How many retries there were.
    pub retried: u64,
    /// How many retries were waited for when the run ended.
    pub cut_short: u64,
    /// How many errors were caught.
    pub caught: u64,
    /// How many items failed.
    pub items_failed: u64,
    /// How many batches of items failed.
    pub batches_failed: u64,
    /// The error of an item that was one too many for its Map.
    pub exceeded: Option<ErrorRow>,
    /// How many of them the Map tolerated.
    pub tolerated: u64,
    /// The Maps that a person had go on over their failures.
    pub run_on: Vec<RunOn>,
    /// How many answers a person typed.
    pub answers: usize,
    /// How many values were edited.
    pub edits: usize,
    /// The first errors: what the run failed with comes first, then what was not caught, caught, retried, each in order.
    pub errors: Vec<ErrorRow>,
    /// The Waits that did not wait.
    pub no_waits: Vec<NoWaitRow>,
    /// The Maps that never had items.
    pub no_items: Vec<NoItemsRow>,
    /// The Choices with a rule that could not match what it was given.
    pub misfits: Vec<MisfitRow>,
    /// The states at which AWS does otherwise than the specification that the run follows.
    pub differing: Vec<DifferingRow>,
    /// The first of the states that were not reached; those that a Choice could have led to come first.
    pub left_out: Vec<LeftOut>,
    /// How many were not reached.
    pub not_reached: usize,
    /// Of a run that timed out: what ended it.
    pub timeout: Option<TimeoutView>,
}

impl EndView {
    /// What became of the errors, counted: `1 retried`, `2 caught`.
    #[must_use]
    pub fn handled(&self) -> Vec<String> {
        let all = [
            (self.retried, "retried"),
            (self.cut_short, "cut short"),
            (self.caught, "caught"),
        ];
        let counted = all.into_iter().filter(|(count, _)| *count > 0);
        counted
            .map(|(count, word)| format!("{count} {word}"))
            .collect()
    }
}

/// A Choice with a rule that could not match what it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MisfitRow {
    /// The event at which the Choice was evaluated first.
    pub number: u64,
    /// The Choice.
    pub state: StateId,
    /// The line of the rule.
    pub line: Option<usize>,
    /// The comparison with both values, and why it cannot be true.
    pub text: String,
    /// How often that happened.
    pub times: u64,
}

/// One error of a run that is over.
#[derive(Clone, Debug, PartialEq)]
pub struct ErrorRow {
    /// The event that raised it.
    pub number: u64,
    /// When.
    pub time: Millis,
    /// The state that raised it.
    pub state: Option<StateId>,
    /// The line of that state; of the field in it that failed the run.
    pub line: Option<usize>,
    /// Its frame in words, empty for the machine's own.
    pub frame: String,
    /// The frame that it stands in since: its own, or the one around the branch or item that it failed.
    pub frame_id: FrameId,
    /// Its name.
    pub error: Text,
    /// Why, in a few words; empty where nothing says so.
    pub reason: String,
    /// Why it was not tried again, where a retrier tells.
    pub no_retry: Option<String>,
    /// What became of it.
    pub became: Became,
}

/// A Wait that did not wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoWaitRow {
    /// The event of the first time.
    pub number: u64,
    /// The state.
    pub state: Option<StateId>,
    /// The line of the field that says until when.
    pub line: Option<usize>,
    /// Why, the first time.
    pub why: NoWait,
    /// How often.
    pub times: u64,
}

/// A Map that never had items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoItemsRow {
    /// The event that made its array the first time.
    pub number: u64,
    /// The Map.
    pub state: StateId,
    /// The line of the field that gives its items; of the Map where none does.
    pub line: Option<usize>,
    /// Why, the first time.
    pub why: NoItems,
    /// How often.
    pub times: u64,
}

/// A state at which AWS does otherwise than the specification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DifferingRow {
    /// The event of the first time.
    pub number: u64,
    /// The state.
    pub state: StateId,
    /// The line of its name.
    pub line: Option<usize>,
    /// How often.
    pub times: u64,
}

/// A state that was not reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The state.
    pub state: StateId,
    /// The line of its name.
    pub line: Option<usize>,
    /// The states that kept the run away, with the lines of their names.
    pub by: Vec<(StateId, Option<usize>)>,
    /// How they did.
    pub how: KeptAway,
}

/// How states kept a run away from another one. The first that applies is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum KeptAway {
    /// A rule, a Default or a catcher of theirs led elsewhere.
    Led,
    /// They are Maps that had no items.
    Empty,
    /// Only a catcher of theirs leads there, and no error was raised in them.
    Unfailed,
    /// No state did: the run ended before.
    Ended,
}

/// What became of an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Became {
    /// The run ended before Retry and Catch were asked.
    Raised,
    /// It was tried again: by which retrier, and after how long.
    Retried(String),
    /// A retrier waited to try it again, and the run ended before: which one, and how long it waited.
    CutShort(String),
    /// It was caught: by what, and where it led.
    Caught(String),
    /// A catcher took it and failed itself, with an error of its own: which one.
    Overtaken(String),
    /// It was not caught.
    Failed,
    /// It failed an item, and the Map went on: why.
    Tolerated(String),
}

impl Became {
    /// What matters more comes first.
    #[must_use]
    pub fn rank(&self) -> u8 {
        match self {
            Self::Raised | Self::Failed => 0,
            Self::Tolerated(_) => 1,
            Self::Caught(_) | Self::Overtaken(_) => 2,
            Self::Retried(_) | Self::CutShort(_) => 3,
        }
    }
}

/// A Map that a person had go on over its failures, which no service does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunOn {
    /// The Map.
    pub map: Text,
    /// What it runs its processor for.
    pub unit: Unit,
    /// How many of those failed.
    pub failed: u32,
    /// How many it has.
    pub all: u32,
}

/// What ended a run that timed out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeoutView {
    /// TimeoutSeconds of the machine; `None` where its type sets the limit.
    pub seconds: Option<u64>,
    /// The line of that field.
    pub line: Option<usize>,
    /// Who was waiting and for what, in words.
    pub waiting: Vec<String>,
    /// How many were waiting besides.
    pub others: usize,
    /// The states that took the longest.
    pub spent: Vec<SpentView>,
    /// A state that was waiting, and the name in its Catch that might be thought to take the timeout.
    pub not_caught: Option<(Text, Text)>,
}

/// How long a run that timed out was in a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpentView {
    /// The state.
    pub state: Text,
    /// How long it was in it, over all visits.
    pub time: Millis,
    /// How much of that it waited to try again.
    pub between_tries: Millis,
}
