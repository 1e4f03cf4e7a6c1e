//! One visit to a state: its progress, the values of its stages, and the outcome of each attempt.

use super::ask::{Answer, Ask, Want};
use super::children::{Group, GroupWork, Item};
use super::evaluate::FailedEvaluation;
use super::event::{Edge, Millis, Stage};
use super::fault::{Fault, RetrierUse};
use super::frame::Variables;
use super::states::NoWait;
use crate::definition::{Owner, Source, StateId};
use crate::json::{Text, Value};
use crate::query::jsonata::Evaluated;
use std::sync::Arc;

/// One visit to a state by a frame. When the frame moves to the next state, a new visit replaces the whole visit: no
/// data of one state can be taken for data of another state.
#[derive(Clone, Debug)]
pub struct StateVisit {
    /// The visited state.
    pub state: StateId,
    /// The frame's next action.
    pub phase: Phase,
    /// The time at which the state was entered, on the virtual clock. Before the entry, the time at which the state
    /// became the frame's current state.
    pub entered_at: Millis,
    /// History id of the StateEntered event; 0 until the state is entered.
    pub(super) entered_id: u32,
    /// Number of the current attempt, from 1.
    pub attempt: u32,
    /// The retries made by each retrier of the state, by the retrier's index.
    pub retriers: Vec<RetrierUse>,
    /// The attempts so far, oldest first; only the last `ATTEMPTS_KEPT`.
    pub attempts: Vec<Attempt>,
    // The fields below belong to the current attempt.
    /// The values of the stages computed so far.
    pub data: Data,
    /// The current error, and the stage in which it occurred. The stage is `None` if the error occurred in
    /// the work of the state itself, such as a task call, and not in a field.
    pub fault: Option<(Fault, Option<Stage>)>,
    /// How the error was handled; `None` until Retry and Catch have been tried.
    pub handled: Option<Handled>,
    /// Variables that are assigned when the state is exited, in the order of the text.
    pub assigned: Vec<(Text, Value)>,
    /// The variables from before the state's Assign, which the state's fields read. `None` until Assign has changed the
    /// frame's own variables.
    pub(super) read: Option<Arc<Variables>>,
    /// The transition by which the state is exited; `None` until it is decided.
    pub edge: Option<Edge>,
    /// The branches or items of a Parallel or Map; `None` until the first branch or item may start.
    pub group: Option<Box<Group>>,
    /// The current request and its answer, if there is one, until the answer is processed.
    pub call: Option<Box<Call>>,
    /// The evaluation that has been requested and is not answered yet.
    pub(super) evaluation: Option<Box<Evaluating>>,
    /// Results of the evaluation that the current phase requested, until the phase reads them.
    pub(super) evaluated: Option<Vec<Evaluated>>,
    /// The last evaluation in which an expression failed.
    pub failed_evaluation: Option<Arc<FailedEvaluation>>,
    /// Values of fields that consist of one expression, each with the field's location.
    pub(super) field_values: Vec<(Text, Value)>,
    /// Where a Map's items were read from, as `S3://bucket/key`; `None` if the items are the state's own data.
    pub(super) source: Option<Text>,
    /// History id of the MapRunStarted event; 0 if there is none. The Map Run's name contains this id.
    pub(super) map_run: u32,
    /// The batches of a Map's items, while they are being built.
    pub(super) batching: Option<Box<Batching>>,
    /// The reason why a Wait that has begun ends immediately; `None` if the Wait takes time.
    pub no_wait: Option<Box<NoWait>>,
}

impl StateVisit {
    /// A visit to a state with this raw input, before the state is entered.
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
            failed_evaluation: None,
            field_values: Vec::new(),
            source: None,
            map_run: 0,
            batching: None,
            no_wait: None,
        }
    }

    /// Begins a visit to another state. The memory of the old visit is used again, so a loop does not allocate memory
    /// for each visit.
    pub(super) fn go_to(&mut self, state: StateId, input: Value, at: Millis) {
        let mut next = Self::new(state, input, at);
        std::mem::swap(&mut next.retriers, &mut self.retriers);
        std::mem::swap(&mut next.attempts, &mut self.attempts);
        next.retriers.clear();
        next.attempts.clear();
        *self = next;
    }

    /// Begins the next attempt with the same raw input.
    pub(super) fn next_attempt(&mut self) {
        self.restart_after(Stage::Input);
        self.attempt = self.attempt.saturating_add(1);
    }

    /// Resets the current attempt to the moment after `stage` was computed, and drops everything later.
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
            // In JSONata mode the variables to assign were computed together with the output.
            self.assigned = before.assigned;
        }
    }

    /// Forgets the attempt that is in progress or has just failed, so that it can be made again with the same number.
    pub(super) fn forget_attempt(&mut self) {
        let attempt = self.attempt;
        self.attempts.retain(|retrier| retrier.number < attempt);
        if let Some(Handled::Retrier(index)) = self.handled
            && let Some(retrier) = self.retriers.get_mut(index as usize)
        {
            retrier.used = retrier.used.saturating_sub(1);
            retrier.waited.pop();
        }
    }

    /// The value of the field at `location`, if the field is an expression that the state's work uses.
    #[must_use]
    pub fn field_value(&self, location: &str) -> Option<&Value> {
        let mut all = self.field_values.iter();
        all.find(|(key, _)| &**key == location)
            .map(|(_, value)| value)
    }

    /// The task token of the current request.
    pub(super) fn token(&self) -> Option<Text> {
        match &self.call.as_ref()?.ask.want {
            Want::Call { token, .. } => token.clone(),
            _ => None,
        }
    }

    /// The batches of a Map's items.
    #[must_use]
    pub fn batches(&self) -> Option<&Value> {
        self.data.get(Stage::AfterItemBatcher)
    }

    /// True for `AfterItemSelector` once the items of a Map may start. The value of the stage is then the input of a
    /// single item.
    #[must_use]
    pub fn is_made_for_an_item(&self, stage: Stage) -> bool {
        stage == Stage::AfterItemSelector && self.group.is_some()
    }

    /// The items of a Map, before they are put into batches.
    #[must_use]
    pub fn items(&self) -> Option<GroupWork> {
        GroupWork::of(self.data.get(Stage::AfterItemsPath)?)
    }

    /// The item whose input ItemSelector computes next; `None` unless a Map is computing inputs.
    #[must_use]
    pub fn item_to_select(&self) -> Option<Item> {
        let index = match (&self.group, &self.batching) {
            (Some(group), _) => group.next,
            (None, batching) => u32::try_from(batching.as_ref()?.selected.len()).ok()?,
        };
        self.items()?.item(index)
    }

    /// The rule or catcher by which the state is exited; the state itself for any other exit, or before the exit is
    /// decided.
    #[must_use]
    pub fn way(&self) -> Owner {
        match (self.handled, self.edge) {
            (Some(Handled::Catcher(index)), _) => Owner::Catcher(index),
            (_, Some(Edge::Rule(index))) => Owner::Rule(index),
            _ => Owner::State,
        }
    }

    /// The document to which `source` refers; `None` if the visit does not have it. If a stage is not reached yet, the
    /// document is the value of the last stage before it.
    #[must_use]
    pub fn document(&self, source: Source) -> Option<Value> {
        match source {
            Source::Stage(stage) => Some(self.data.latest(stage)),
            Source::Error => self.fault.as_ref().map(|(fault, _)| fault.error_output()),
            Source::Item | Source::Answer | Source::Variable => None,
        }
    }

    /// Index of the item whose input ItemSelector computed last. `None` if no input was computed for a single item, for
    /// example because the inputs of all items were computed at once.
    #[must_use]
    pub fn selected(&self) -> Option<u32> {
        self.group.as_ref()?.selected
    }

    /// Index of the catcher whose fields raised the current error. No retrier or catcher of this state can handle that
    /// error.
    #[must_use]
    pub fn failed_catcher(&self) -> Option<usize> {
        let is_own = self.fault.is_some() && !matches!(self.handled, Some(Handled::Catcher(_)));
        match self.edge {
            Some(Edge::Catch(place)) if is_own => usize::try_from(place).ok(),
            _ => None,
        }
    }

    /// The location, as AWS prints it, of the JSONata expression whose evaluation failed.
    #[must_use]
    pub fn failed_at(&self) -> Option<&str> {
        self.fault.as_ref()?.0.reason.location()
    }
}

/// Maximum number of attempts, and of delays per retrier, that are kept for display.
pub const ATTEMPTS_KEPT: usize = 100;

/// The next action of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Enter the state.
    Enter,
    /// Compute this stage.
    Stage(Stage),
    /// Begin the state's work, such as a task call.
    Work,
    /// Request the items of a file, for an ItemReader of a Map.
    Read,
    /// Group items into batches (Map).
    Batch,
    /// Write the results to files (Map).
    Write,
    /// Wait for an answer, for a deadline, or until all branches or items have ended.
    Parked,
    /// Apply the recorded outcome of a Map Run.
    MapRunEnd,
    /// Start a branch or item of the Parallel or Map.
    Spawn,
    /// Collect the results of the branches or items.
    Join,
    /// Process the answer to the frame's request.
    Complete,
    /// Assign variables and exit the state.
    Exit,
    /// Go to the next state, or end the list of states.
    Leave,
    /// Try Retry and Catch for the fault.
    Handle,
    /// Begin the next attempt of the state.
    Retry,
    /// End the frame (the machine, a branch or an iteration) with its fault.
    Fail,
    /// Nothing more: the frame has ended.
    Ended,
}

/// The values of a state's stages; `None` for a stage that has not been reached.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Data {
    values: [Option<Value>; Stage::ALL.len()],
}

impl Data {
    /// The data of a state that has only its raw input.
    #[must_use]
    pub fn of_input(input: Value) -> Self {
        let mut data = Self::default();
        data.set(Stage::Input, input);
        data
    }

    /// The value of a stage; `None` if the stage has not been reached.
    #[must_use]
    pub fn get(&self, stage: Stage) -> Option<&Value> {
        self.values.get(stage as usize).and_then(Option::as_ref)
    }

    /// The values of all stages reached, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Value> {
        self.values.iter().flatten()
    }

    /// Sets the value of a stage.
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

    /// The value of the last stage reached, up to and including `stage`; `null` if there is none.
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

/// The way in which Retry and Catch handled an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handled {
    /// The retrier with this index handled the error.
    Retrier(u32),
    /// The catcher with this index handled the error.
    Catcher(u32),
    /// No retrier and no catcher handled the error.
    Nothing,
}

/// One attempt of a state.
#[derive(Clone, Debug, PartialEq)]
pub struct Attempt {
    /// Number of the attempt, from 1.
    pub number: u32,
    /// The time at which the attempt began, on the virtual clock.
    pub started: Millis,
    /// The time at which the attempt ended, on the virtual clock; `None` while it is running.
    pub ended: Option<Millis>,
    /// Name of the error with which the attempt ended; `None` if the attempt succeeded or is still running.
    pub error: Option<Text>,
}

/// A request that a state has made, and its answer.
#[derive(Clone, Debug)]
pub struct Call {
    /// The request.
    pub ask: Ask,
    /// The answer, once there is one.
    pub answer: Option<Answer>,
    /// True if the service has accepted the request.
    pub submitted: bool,
}

/// A requested evaluation without results yet, and the phase that continues when the results have arrived.
#[derive(Clone, Debug)]
pub(super) struct Evaluating {
    /// The request.
    pub(super) ask: Ask,
    /// The phase that needs the results.
    pub(super) resume: Phase,
}

/// Items that are being grouped into batches.
#[derive(Clone, Debug)]
pub(super) struct Batching {
    /// Value of `BatchInput`.
    pub(super) input: Option<Value>,
    /// Maximum number of items in a batch.
    pub(super) most_items: u64,
    /// Maximum size of a batch, in bytes of compact JSON.
    pub(super) most_bytes: u64,
    /// The inputs of the items so far, which the ItemSelector has computed. Without an ItemSelector, the items
    /// themselves.
    pub(super) selected: Vec<Value>,
}
