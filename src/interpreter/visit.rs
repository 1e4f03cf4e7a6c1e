//! One visit of a state: how far its pipeline is, with which values, and what came of each attempt.
//!
//! It must not know how a stage is computed, nor what the frame keeps from one state to the next.

use super::ask::{Answer, Ask, AskId};
use super::children::Group;
use super::event::{Edge, Millis, Stage};
use super::fault::Fault;
use super::states::NoWait;
use super::variable::Variables;
use crate::definition::{Owner, Source, StateId};
use crate::json::{Text, Value};
use crate::query::jsonata::Evaluated;
use std::sync::Arc;

/// One visit of a state by a frame, replaced whole when the frame goes on to the next state: what is said of one state
/// is never said of another.
#[derive(Clone, Debug)]
pub struct StateVisit {
    /// The state.
    pub state: StateId,
    /// What the frame does next.
    pub phase: Phase,
    /// When the state was entered, on the virtual clock; until then, when it was come to.
    pub entered_at: Millis,
    /// The history id of its StateEntered; 0 until then.
    pub(super) entered_id: u32,
    /// The number of the attempt that is under way, from 1.
    pub attempt: u32,
    /// What each retrier of the state used, by its index.
    pub retriers: Vec<RetrierUse>,
    /// The attempts so far, oldest first; the last `ATTEMPTS_KEPT`.
    pub attempts: Vec<Attempt>,
    // What follows is of the attempt that is under way.
    /// The values of the pipeline so far.
    pub data: Data,
    /// The error that stands, and the stage in which it arose (`None`: in the work).
    pub fault: Option<(Fault, Option<Stage>)>,
    /// What took the error; `None` until Retry and Catch were asked.
    pub handled: Option<Handled>,
    /// What was assigned as the state was left, in the order written.
    pub assigned: Vec<(Text, Value)>,
    /// The variables that the state's fields read, once its Assign has changed them.
    pub(super) read: Option<Arc<Variables>>,
    /// The edge by which the state is left; `None` until that is known.
    pub edge: Option<Edge>,
    /// The children of a Parallel or Map, from when the first may start.
    pub group: Option<Box<Group>>,
    /// The question that is open, or was answered and not yet completed.
    pub call: Option<Box<Call>>,
    /// The evaluation that is open.
    pub(super) evaluation: Option<Box<Evaluating>>,
    /// The results of the evaluation that the phase asked for, until it takes them.
    pub(super) evaluated: Option<Vec<Evaluated>>,
    /// What the expressions of single fields gave, by the field's location.
    pub(super) field_values: Vec<(Text, Value)>,
    /// Where a Map's items were read from, `S3://bucket/key`; `None` where they are the state's own data.
    pub(super) source: Option<Text>,
    /// The history id of the MapRunStarted, which names the Map Run; 0 without one.
    pub(super) map_run: u32,
    /// The batches of a Map's items, while they are made.
    pub(super) batching: Option<Box<Batching>>,
    /// Why a Wait that has begun does not wait; `None` where it does.
    pub no_wait: Option<Box<NoWait>>,
}

impl StateVisit {
    /// Of a state that is come to with this raw input and not entered yet.
    pub(super) fn new(state: StateId, input: Value, at: Millis) -> Self {
        Self {
            state,
            phase: Phase::Enter,
            entered_at: at,
            entered_id: 0,
            attempt: 1,
            retriers: Vec::new(),
            attempts: Vec::new(),
            data: Data::of_input(input),
            fault: None,
            handled: None,
            assigned: Vec::new(),
            read: None,
            edge: None,
            group: None,
            call: None,
            evaluation: None,
            evaluated: None,
            field_values: Vec::new(),
            source: None,
            map_run: 0,
            batching: None,
            no_wait: None,
        }
    }

    /// Goes on to another state. The buffers serve again, empty: a loop makes none anew.
    pub(super) fn go_to(&mut self, state: StateId, input: Value, at: Millis) {
        let mut retriers = std::mem::take(&mut self.retriers);
        let mut attempts = std::mem::take(&mut self.attempts);
        retriers.clear();
        attempts.clear();
        *self = Self {
            retriers,
            attempts,
            ..Self::new(state, input, at)
        };
    }

    /// Begins the next attempt, with the same raw input.
    pub(super) fn next_attempt(&mut self) {
        self.restart_after(Stage::Input);
        self.attempt = self.attempt.saturating_add(1);
    }

    /// As if `stage` had just been put in place: of the attempt under way, what comes after it is gone.
    pub(super) fn restart_after(&mut self, stage: Stage) {
        let fresh = Self::new(self.state, Value::Null, self.entered_at);
        let mut before = std::mem::replace(self, fresh);
        before.data.cut_after(stage);
        self.phase = before.phase;
        self.entered_id = before.entered_id;
        self.attempt = before.attempt;
        self.retriers = before.retriers;
        self.attempts = before.attempts;
        self.data = before.data;
        if stage >= Stage::AfterItemReader {
            self.field_values = before.field_values;
            self.source = before.source;
            self.map_run = before.map_run;
        }
        if stage >= Stage::Result {
            self.group = before.group;
            self.batching = before.batching;
        }
        if stage == Stage::Output {
            // In JSONata what is to be assigned was made together with the output.
            self.assigned = before.assigned;
        }
    }

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

    /// What the expression of a field gave, where that is a value that the work uses.
    #[must_use]
    pub fn field_value(&self, location: &str) -> Option<&Value> {
        let mut all = self.field_values.iter();
        all.find(|(own, _)| &**own == location)
            .map(|(_, value)| value)
    }

    /// The batches that the items of a Map were put into.
    #[must_use]
    pub fn batches(&self) -> Option<&Value> {
        self.data.get(Stage::AfterItemBatcher)
    }

    /// Whether a stage holds what ItemSelector made for one of several items, which is in that item's hands by then.
    #[must_use]
    pub fn is_made_for_an_item(&self, stage: Stage) -> bool {
        stage == Stage::AfterItemSelector && self.group.is_some()
    }

    /// The index of the item whose input ItemSelector makes next, while a Map does.
    #[must_use]
    pub fn item_to_select(&self) -> Option<u32> {
        match (&self.group, &self.batching) {
            (Some(group), _) => Some(group.next),
            (None, Some(batching)) => u32::try_from(batching.selected.len()).ok(),
            (None, None) => None,
        }
    }

    /// The rule or catcher that the state is left by, as soon as that is decided; else the state itself.
    #[must_use]
    pub fn way(&self) -> Owner {
        match (self.handled, self.edge) {
            (Some(Handled::Catcher(index)), _) => Owner::Catcher(index),
            (_, Some(Edge::Rule(index))) => Owner::Rule(index),
            _ => Owner::State,
        }
    }

    /// The value of a document, as far as the visit holds it: of a stage that was not reached, the one before it.
    #[must_use]
    pub fn document(&self, source: Source) -> Option<Value> {
        match source {
            Source::Stage(stage) => Some(self.data.latest(stage)),
            Source::Error => self.fault.as_ref().map(|(fault, _)| fault.error_output()),
            Source::Item | Source::Answer | Source::Variable => None,
        }
    }

    /// Index of the item whose input an ItemSelector made last; `None` if none did, or of all items at once.
    #[must_use]
    pub fn selected(&self) -> Option<u32> {
        self.group.as_ref()?.selected
    }

    /// The catcher whose own fields raised the error that stands: nothing takes that in this state.
    #[must_use]
    pub fn failed_catcher(&self) -> Option<usize> {
        let is_own = self.fault.is_some() && !matches!(self.handled, Some(Handled::Catcher(_)));
        match self.edge {
            Some(Edge::Catch(place)) if is_own => usize::try_from(place).ok(),
            _ => None,
        }
    }

    /// The location of the JSONata expression whose evaluation failed, as AWS prints it.
    #[must_use]
    pub fn failed_at(&self) -> Option<&str> {
        self.fault.as_ref()?.0.reason.location()
    }
}

/// At most so many attempts, and delays of a retrier, are kept for showing.
pub const ATTEMPTS_KEPT: usize = 100;

/// What a frame does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Enter the state.
    Enter,
    /// Make this stage.
    Stage(Stage),
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
    /// Take over what a recorded Map Run came to.
    MapRunEnd,
    /// Start a child of the Parallel or Map.
    Spawn,
    /// Gather the children's results.
    Join,
    /// Take the answer in.
    Complete,
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
    values: [Option<Value>; Stage::ALL.len()],
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

    /// The values of all stages that were reached, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Value> {
        self.values.iter().flatten()
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
    /// How many retries it gave.
    pub used: u64,
    /// The delays waited in milliseconds, oldest first; the last `ATTEMPTS_KEPT`.
    pub waited: Vec<Millis>,
}

/// One attempt of a state.
#[derive(Clone, Debug, PartialEq)]
pub struct Attempt {
    /// Its number, from 1.
    pub number: u32,
    /// When it began, on the virtual clock.
    pub started: Millis,
    /// When it ended, on the virtual clock; `None` while it goes on.
    pub ended: Option<Millis>,
    /// The name of the error it ended with; `None` where it ended well or has not ended.
    pub error: Option<Text>,
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
    /// At most so many items in a batch.
    pub(super) most_items: u64,
    /// At most so many bytes of compact JSON in a batch.
    pub(super) most_bytes: u64,
    /// What ItemSelector made of the items so far.
    pub(super) selected: Vec<Value>,
}
