//! One run of a scope: the state it is in, how far, with which data; and the children of a Parallel or Map.
//!
//! It must not know how a stage is computed.

use super::ask::{Answer, Ask, AskId};
use super::event::{FrameId, Millis, Stage};
use super::fault::Fault;
use super::profile::Difference;
use crate::definition::{ScopeId, StateId};
use crate::json::{Array, Object, Text, Value};
use crate::query::jsonata::Evaluated;
use std::sync::Arc;

/// One run of a scope.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Its id.
    pub id: FrameId,
    /// The frame whose Parallel or Map started it.
    pub parent: Option<FrameId>,
    /// Its branch or item index; 0 for the machine's own.
    pub index: u32,
    /// The scope.
    pub scope: ScopeId,
    /// The state it is in.
    pub state: StateId,
    /// What it does next.
    pub phase: Phase,
    /// The values of the state's pipeline so far.
    pub data: Data,
    /// The error that stands in the state, and the stage in which it arose (`None`: in the work).
    pub fault: Option<(Fault, Option<Stage>)>,
    /// What took the error last.
    pub handled: Option<Handled>,
    /// From 1.
    pub attempt: u32,
    /// How often each state of the scope was entered by this frame, by its place in the scope.
    pub(super) visits: Vec<u32>,
    /// What each retrier used.
    pub retriers: Vec<RetrierUse>,
    /// The attempts of the state so far, the last `ATTEMPTS_KEPT`.
    pub attempts: Vec<Attempt>,
    /// When the state was entered.
    pub entered_at: Millis,
    /// The history id of its StateEntered.
    pub entered_id: u32,
    /// The last history id of this strand.
    pub last_id: u32,
    /// Variables that can be read.
    pub variables: Arc<Variables>,
    /// Whether it runs in a child execution of a DISTRIBUTED Map: AWS keeps its events in a history of its own.
    pub(super) in_child_execution: bool,
    /// What the state assigned as it was left, in the order written.
    pub assigned: Vec<(Text, Value)>,
    /// The Map item that it runs for.
    pub item: Option<Item>,
    /// Where AWS would have gone another way last.
    pub difference: Option<Difference>,
    /// Children, while the state is a Parallel or Map at work.
    pub group: Option<Box<Group>>,
    /// The question that is open, or was answered and not yet completed.
    pub call: Option<Box<Call>>,
    /// The evaluation that is open.
    pub(super) evaluation: Option<Box<Evaluating>>,
    /// The results of the evaluation that its phase asked for.
    pub(super) evaluated: Option<Vec<Evaluated>>,
    /// Numbers of fields that expressions gave, by location.
    pub(super) field_values: Vec<(Text, Value)>,
    /// The field whose evaluation failed, for the history.
    pub(super) failed_at: Option<Text>,
    /// Where the items of its Map were read from: `S3://bucket/key`.
    pub source: Option<Text>,
    /// The history id of the MapRunStarted, which names the Map Run.
    pub(super) map_run: u32,
    /// The batches of a Map's items, while they are made and run.
    pub(super) batching: Option<Box<Batching>>,
    /// `Execution` of the context object, where it is a child execution's own.
    pub(super) execution: Option<Value>,
    /// Its deadlines in the machine's queue.
    pub(super) timers: Vec<(Millis, Timer)>,
    /// The edge by which the state is left, once that is known.
    pub(super) edge: Option<super::Edge>,
}

/// An evaluation that is open, and what its frame does next.
#[derive(Clone, Debug)]
pub(super) struct Evaluating {
    /// The question.
    pub(super) ask: Ask,
    /// The phase that wants the results.
    pub(super) resume: Phase,
}

/// Items that are being put into batches.
#[derive(Clone, Debug)]
pub(super) struct Batching {
    /// What `BatchInput` gave.
    pub(super) input: Option<Value>,
    /// Items of one batch.
    pub(super) most_items: u64,
    /// Bytes of one batch.
    pub(super) most_bytes: u64,
    /// What ItemSelector made of the items so far.
    pub(super) selected: Vec<Value>,
    /// The batches, once they are made.
    pub(super) batches: Option<Value>,
}

impl Frame {
    /// What the expression of a field gave, where that is a number that the state uses.
    #[must_use]
    pub fn field_value(&self, location: &str) -> Option<&Value> {
        let mut all = self.field_values.iter();
        all.find(|(own, _)| &**own == location)
            .map(|(_, value)| value)
    }

    /// The batches that the items of a Map were put into.
    #[must_use]
    pub fn batches(&self) -> Option<&Value> {
        self.batching.as_ref()?.batches.as_ref()
    }

    /// The field whose evaluation failed last; `None` where it was no field's.
    #[must_use]
    pub fn failed_at(&self) -> Option<&str> {
        self.failed_at.as_deref()
    }

    /// The edge by which the state is left, once that is known.
    #[must_use]
    pub fn edge(&self) -> Option<super::Edge> {
        self.edge
    }
}

/// At most so many attempts are kept for showing.
pub const ATTEMPTS_KEPT: usize = 100;

/// What a frame does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Enter the state.
    Enter,
    /// Compute `afterInputPath`.
    InputPath,
    /// Compute `afterItemsPath` (Map).
    ItemsPath,
    /// Compute `afterParameters`.
    Parameters,
    /// Begin the work.
    Work,
    /// Ask for the items of a file (Map).
    Read,
    /// Put items into batches (Map).
    Batch,
    /// Write the results to files (Map).
    Write,
    /// Wait for an answer, a deadline or children.
    Parked,
    /// Start a child of the Parallel or Map.
    Spawn,
    /// Gather the children's results.
    Join,
    /// Take the answer in.
    Complete,
    /// Note the result as a stage.
    Result,
    /// Compute `afterResultSelector`.
    ResultSelector,
    /// Compute `afterResultPath`.
    ResultPath,
    /// Compute `output`.
    OutputPath,
    /// Assign variables and leave the state.
    Exit,
    /// Go to the next state, or end.
    Leave,
    /// Ask Retry and Catch about the fault.
    Handle,
    /// Try the state again.
    Retry,
    /// End the scope with the fault.
    Fail,
    /// Over.
    Ended,
}

/// The values of a pipeline; `None` where the stage was not reached.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Data {
    values: [Option<Value>; 9],
}

impl Data {
    /// Begins with the raw input.
    #[must_use]
    pub fn of_input(input: Value) -> Self {
        let mut data = Self::default();
        data.set(Stage::Input, input);
        data
    }

    /// The value of a stage.
    #[must_use]
    pub fn get(&self, stage: Stage) -> Option<&Value> {
        self.values.get(stage as usize).and_then(Option::as_ref)
    }

    /// Puts the value of a stage.
    pub fn set(&mut self, stage: Stage, value: Value) {
        if let Some(slot) = self.values.get_mut(stage as usize) {
            *slot = Some(value);
        }
    }

    /// Drops all stages after `stage`.
    pub(super) fn cut_after(&mut self, stage: Stage) {
        for slot in self.values.iter_mut().skip(stage as usize + 1) {
            *slot = None;
        }
    }

    /// The value of the last stage up to `stage` that was reached; `null` before any.
    #[must_use]
    pub fn latest(&self, stage: Stage) -> Value {
        self.values
            .iter()
            .take(stage as usize + 1)
            .rev()
            .find_map(Clone::clone)
            .unwrap_or_default()
    }
}

impl Frame {
    /// As if the attempt that is under way, or that just failed, had not begun: it is made again.
    pub(super) fn forget_attempt(&mut self) {
        let attempt = self.attempt;
        self.attempts.retain(|one| one.number < attempt);
        if let Some(Handled::Retrier(index)) = self.handled
            && let Some(one) = self.retriers.get_mut(index as usize)
        {
            one.used = one.used.saturating_sub(1);
            one.waited.pop();
        }
    }
}

/// What took an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handled {
    /// The retrier of this index.
    Retrier(u32),
    /// The catcher of this index.
    Catcher(u32),
    /// Nothing.
    Nothing,
}

/// What a retrier used in the state being executed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RetrierUse {
    /// Retries.
    pub used: u64,
    /// The delays waited, the last `ATTEMPTS_KEPT`.
    pub waited: Vec<Millis>,
}

/// One attempt of a state.
#[derive(Clone, Debug, PartialEq)]
pub struct Attempt {
    /// From 1.
    pub number: u32,
    /// When it began.
    pub started: Millis,
    /// When it ended.
    pub ended: Option<Millis>,
    /// The error it ended with.
    pub error: Option<Text>,
}

/// Variables of a scope and of those around it.
#[derive(Debug, Default, PartialEq)]
pub struct Variables {
    outer: Option<Arc<Variables>>,
    own: Vec<(Text, Value)>,
}

impl Variables {
    /// The machine's own, with these values.
    #[must_use]
    pub fn new(own: Vec<(Text, Value)>) -> Self {
        Self { outer: None, own }
    }

    /// An inner scope.
    #[must_use]
    pub fn inside(outer: &Arc<Self>) -> Self {
        Self {
            outer: Some(Arc::clone(outer)),
            own: Vec::new(),
        }
    }

    /// The value of a name, the innermost scope first.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        let own = self
            .own
            .iter()
            .find(|(known, _)| &**known == name)
            .map(|(_, value)| value);
        own.or_else(|| self.outer.as_ref().and_then(|outer| outer.get(name)))
    }

    /// The same scope after an assignment.
    #[must_use]
    pub fn with(&self, assigned: &[(Text, Value)]) -> Self {
        let mut own = self.own.clone();
        for (name, value) in assigned {
            match own.iter_mut().find(|(known, _)| known == name) {
                Some(slot) => slot.1 = value.clone(),
                None => own.push((name.clone(), value.clone())),
            }
        }
        Self {
            outer: self.outer.clone(),
            own,
        }
    }

    /// Bytes of all values, those of the scopes around included.
    #[must_use]
    pub fn size(&self) -> u64 {
        let outer = self.outer.as_ref().map_or(0, |outer| outer.size());
        self.own
            .iter()
            .fold(outer, |sum, (_, value)| sum.saturating_add(value.size()))
    }

    /// All that can be read, outermost scope first.
    #[must_use]
    pub fn all(&self) -> Vec<(Text, Value)> {
        let mut all = self
            .outer
            .as_ref()
            .map(|outer| outer.all())
            .unwrap_or_default();
        all.extend(self.own.iter().cloned());
        all
    }
}

/// An item of a Map.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// From 0.
    pub index: u32,
    /// Its value.
    pub value: Value,
    /// Its name, of an item of an object.
    pub key: Option<Text>,
}

/// A question and what became of it.
#[derive(Clone, Debug)]
pub struct Call {
    /// The question.
    pub ask: Ask,
    /// The answer, once it was given.
    pub answer: Option<Answer>,
    /// Whether the service took the request.
    pub submitted: bool,
}

impl Call {
    /// Its id.
    #[must_use]
    pub fn id(&self) -> AskId {
        self.ask.id
    }
}

/// A deadline of a frame; at the same time the earlier kind wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Timer {
    /// The answer arrives.
    Completion,
    /// A heartbeat arrives; its place in the answer's list.
    Heartbeat(u32),
    /// A Wait ends.
    Wake,
    /// A retry begins.
    Retry,
    /// HeartbeatSeconds pass.
    HeartbeatTimeout,
    /// TimeoutSeconds pass.
    Timeout,
    /// The execution's TimeoutSeconds pass.
    Execution,
}

/// The children of a Parallel or Map at work.
#[derive(Clone, Debug)]
pub struct Group {
    /// How many there will be.
    pub total: u32,
    /// The next to start.
    pub next: u32,
    /// Those that run, by index.
    pub live: Vec<(u32, FrameId)>,
    /// How many ended well.
    pub succeeded: u32,
    /// How many ended with an error.
    pub failed: u32,
    /// At most so many run at once.
    pub limit: u32,
    /// What they run for.
    pub work: GroupWork,
    /// How each one stands.
    pub slots: Slots,
    /// `ToleratedFailureCount`.
    pub tolerated_count: Option<u64>,
    /// `ToleratedFailurePercentage`.
    pub tolerated_percentage: Option<f64>,
    /// What each child began with, where a ResultWriter tells of it.
    pub(super) inputs: Vec<Value>,
    /// The last history id among the children that ended.
    pub(super) last_id: u32,
    /// Whether a person wants all children run, whatever fails.
    pub(super) ignores_failures: bool,
}

impl Group {
    /// The child of an index while it runs.
    #[must_use]
    pub fn live_child(&self, index: u32) -> Option<FrameId> {
        let mut live = self.live.iter();
        live.find(|(own, _)| *own == index).map(|(_, child)| *child)
    }

    /// Whether any failure is tolerated.
    pub(super) fn tolerates_any(&self) -> bool {
        self.tolerated_count.is_some_and(|count| count > 0)
            || self.tolerated_percentage.is_some_and(|share| share > 0.0)
    }

    /// Whether so many failed children are (12.5).
    pub(super) fn tolerates(&self, failed: u32) -> bool {
        let count = self.tolerated_count.filter(|count| *count > 0);
        let percentage = self.tolerated_percentage.filter(|share| *share > 0.0);
        let share = 100.0 * f64::from(failed) / f64::from(self.total.max(1));
        self.tolerates_any()
            && count.is_none_or(|count| u64::from(failed) <= count)
            && percentage.is_none_or(|percentage| share <= percentage)
    }
}

/// What children run for.
#[derive(Clone, Debug)]
pub enum GroupWork {
    /// Branches, all with this input.
    Branches(Value),
    /// Items of an array.
    Items(Arc<Array>),
    /// Members of an object.
    Members(Arc<Object>),
}

impl GroupWork {
    /// How many items there are.
    #[must_use]
    pub fn count(&self) -> u32 {
        let count = match self {
            Self::Branches(_) => 0,
            Self::Items(array) => array.items().len(),
            Self::Members(object) => object.members().len(),
        };
        u32::try_from(count).unwrap_or(u32::MAX)
    }

    /// The item of an index, with its key if it has one.
    #[must_use]
    pub fn item(&self, index: u32) -> Option<Item> {
        let place = index as usize;
        match self {
            Self::Branches(_) => None,
            Self::Items(array) => array.items().get(place).map(|value| Item {
                index,
                value: value.clone(),
                key: None,
            }),
            Self::Members(object) => object.members().get(place).map(|(name, value)| {
                let pair = vec![
                    ("Key".into(), Value::String(name.clone())),
                    ("Value".into(), value.clone()),
                ];
                Item {
                    index,
                    value: Value::object(pair),
                    key: Some(name.clone()),
                }
            }),
        }
    }
}

/// How a child stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Slot {
    /// Not started.
    #[default]
    Pending,
    /// Running.
    Live,
    /// Ended with this output.
    Succeeded(Value),
    /// Ended with this error output.
    Failed(Value),
    /// Stopped because another failed.
    Aborted,
}

const CHUNK: usize = 128;

/// One [`Slot`] per child and the retries in it, in shared chunks: a copy costs a pointer per chunk.
#[derive(Clone, Debug, Default)]
pub struct Slots {
    chunks: Vec<Arc<Vec<(Slot, u32)>>>,
    count: usize,
}

impl Slots {
    /// All pending.
    #[must_use]
    pub fn new(count: usize) -> Self {
        let full = Arc::new(vec![(Slot::Pending, 0); CHUNK]);
        Self {
            chunks: vec![full; count.div_ceil(CHUNK)],
            count,
        }
    }

    /// The slot of a child.
    #[must_use]
    pub fn get(&self, index: u32) -> Option<&Slot> {
        let index = index as usize;
        self.chunks
            .get(index / CHUNK)
            .and_then(|chunk| chunk.get(index % CHUNK))
            .map(|(slot, _)| slot)
    }

    /// How often something in a child was tried again.
    #[must_use]
    pub fn retries(&self, index: u32) -> u32 {
        let index = index as usize;
        let chunk = self.chunks.get(index / CHUNK);
        let found = chunk.and_then(|chunk| chunk.get(index % CHUNK));
        found.map_or(0, |(_, retries)| *retries)
    }

    /// Counts a retry in a child.
    pub(super) fn count_retry(&mut self, index: u32) {
        if let Some((_, retries)) = self.place(index) {
            *retries = retries.saturating_add(1);
        }
    }

    fn place(&mut self, index: u32) -> Option<&mut (Slot, u32)> {
        let index = index as usize;
        let chunk = self.chunks.get_mut(index / CHUNK)?;
        Arc::make_mut(chunk).get_mut(index % CHUNK)
    }

    /// Puts the slot of a child.
    pub fn set(&mut self, index: u32, slot: Slot) {
        if let Some((own, _)) = self.place(index) {
            *own = slot;
        }
    }

    /// All slots in order.
    pub fn iter(&self) -> impl Iterator<Item = &Slot> {
        self.chunks
            .iter()
            .flat_map(|chunk| chunk.iter())
            .map(|(slot, _)| slot)
            .take(self.count)
    }
}
