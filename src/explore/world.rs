//! What all runs of an exploration share: the run, the usual answers, and what may be tried instead.
//!
//! It must not know which ways were gone.

use super::constant::Constants;
use super::deadline::Deadline;
use super::held::Held;
use crate::definition::{Definition, StateId, StateKind, Task};
use crate::interpreter::{Answer, Ask, Frame, Machine, Outcome, Run, Want};
use crate::json::{Step, Text, Value};
use crate::service::Call;
use crate::session::answers::MockCase;
use crate::session::service_response;
use std::path::Path;
use std::sync::Arc;

/// What all runs share.
#[derive(Clone, Debug)]
pub struct World {
    /// Definition and header; the input is the usual one.
    pub run: Arc<Run>,
    /// The same with all items of each Map, where the runs are cut to the first of them.
    pub uncut: Option<Arc<Run>>,
    /// The mock file's test case.
    pub case: Option<MockCase>,
    /// What there is for readers.
    pub held: Held,
    /// What is made up for states that it does not answer: made once, so that all runs share it.
    pub made: Vec<Value>,
    /// Whether the input was made up.
    pub input_made: bool,
    /// What rules ask for.
    pub constants: Constants,
    /// The errors that each state may fail with, each with a cause.
    pub errors: Vec<Vec<(Text, Text)>>,
    /// Of each state an error that nobody names.
    unnamed: Vec<Text>,
    /// When runs that are walked one by one have to end.
    pub deadline: Deadline,
}

/// An error that nobody names, where it is not known which errors a task raises.
const UNNAMED: &str = "Explore.UnnamedError";

impl World {
    /// Of a run with the answers that there are.
    #[must_use]
    pub fn new(
        run: Arc<Run>,
        case: Option<MockCase>,
        held: Held,
        input_made: bool,
        deadline: Deadline,
    ) -> Self {
        let definition = &run.definition;
        let constants = Constants::of(definition);
        let unnamed: Vec<Text> = definition
            .state_ids()
            .map(|id| unnamed_of(definition, id))
            .collect();
        let errors = definition.state_ids().zip(&unnamed);
        let errors = errors.map(|(id, unnamed)| {
            let mut errors = errors_of(definition, id, case.as_ref());
            errors.push((unnamed.clone(), None));
            errors
                .into_iter()
                .flat_map(|(name, cause)| constants.with_causes(name, cause))
                .collect()
        });
        Self {
            errors: errors.collect(),
            unnamed,
            constants,
            made: definition
                .state_ids()
                .map(|id| made_up(definition, id))
                .collect(),
            case,
            held,
            input_made,
            run: Arc::clone(&run),
            uncut: None,
            deadline,
        }
    }

    /// From now on of each Map only the first items are gone through: a run with all of them is too large to be gone
    /// through in many ways.
    pub fn cut(&mut self) {
        let mut header = self.run.header.clone();
        header.most_items = Some(CUT_TO);
        let cut = Arc::new(Run::new(Arc::clone(&self.run.definition), header));
        self.uncut = Some(std::mem::replace(&mut self.run, cut));
    }

    /// The results that the mock file has for a state, in the order of the calls.
    pub fn returns(&self, id: StateId) -> Vec<&Answer> {
        let state = self.run.definition.state(id);
        let case = self.case.as_ref();
        let answers = case.zip(state).into_iter();
        answers
            .flat_map(|(case, state)| case.answers_for(state))
            .filter(|answer| matches!(answer.outcome, Outcome::Success(_)))
            .collect()
    }

    /// An error of a state that nobody names.
    #[must_use]
    pub fn unnamed(&self, id: StateId) -> Text {
        let name = self.unnamed.get(id.0 as usize).cloned();
        name.unwrap_or_else(|| UNNAMED.into())
    }

    /// Whether an error of a state is the one that nobody names.
    #[must_use]
    pub fn is_unnamed(&self, id: StateId, name: &Text) -> bool {
        self.unnamed(id) == *name
    }

    /// Whether a task inside a state, or that itself is, may fail with an error of this name.
    #[must_use]
    pub fn raises(&self, state: StateId, name: &str) -> bool {
        let definition = &self.run.definition;
        let mut inside = definition.state_ids().filter(|id| {
            task(definition, *id).is_some() && around(definition, *id).contains(&state)
        });
        inside.any(|id| {
            let errors = self.errors.get(id.0 as usize);
            errors.is_some_and(|errors| errors.iter().any(|(error, _)| &**error == name))
        })
    }

    /// Whether the answers of a state were given by a person.
    #[must_use]
    pub fn is_given(&self, id: StateId) -> bool {
        self.items_from(id).is_some() || !self.returns(id).is_empty()
    }

    /// Where the items of a Map with an ItemReader are read from.
    #[must_use]
    pub fn items_from(&self, id: StateId) -> Option<&Path> {
        let state = self.run.definition.state(id)?;
        match &state.kind {
            StateKind::Map(map) if map.reader.is_some() => self.held.place(&state.path.0),
            _ => None,
        }
    }

    /// The usual answer to a question: what a file holds, the mock file's that succeeds, else one in the shape of the
    /// resource.
    #[must_use]
    pub fn usual(&self, ask: &Ask) -> Answer {
        if let Some(answer) = self.held.answer(ask) {
            return answer;
        }
        let returns = self.returns(ask.state);
        let visit = ask.key.visit.max(1) as usize - 1;
        if let Some(answer) = returns.get(visit).or_else(|| returns.last()) {
            return (*answer).clone();
        }
        Answer::success(self.made_for(ask.state))
    }

    /// What is made up for a state.
    #[must_use]
    pub fn made_for(&self, id: StateId) -> Value {
        self.made.get(id.0 as usize).cloned().unwrap_or_default()
    }

    /// The name under which the answer of a task goes on as it is.
    #[must_use]
    pub fn result_name(&self, id: StateId) -> Option<Text> {
        let state = self.run.definition.state(id)?;
        let crate::definition::ResultPath::Insert(path) = &state.result_path else {
            return None;
        };
        match path.steps().last()? {
            Step::Member(name) => Some(name.clone()),
            Step::Item(_) => None,
        }
    }
}

/// An answer in the shape of a task's resource, with what the state's ResultSelector reads of it.
#[must_use]
fn made_up(definition: &Definition, id: StateId) -> Value {
    let Some(state) = definition.state(id) else {
        return Value::empty_object();
    };
    let StateKind::Task(task) = &state.kind else {
        return Value::array(vec![Value::empty_object(), Value::empty_object()]);
    };
    let shape = service_response::offered(task, &Value::empty_object(), definition);
    match state.template("ResultSelector") {
        Some(selector) => service_response::with_reads(&shape, selector),
        None => shape,
    }
}

/// The task of a state.
#[must_use]
pub fn task(definition: &Definition, id: StateId) -> Option<&Task> {
    match &definition.state(id)?.kind {
        StateKind::Task(task) => Some(task),
        _ => None,
    }
}

/// The states around a state, from the inside out, itself first.
#[must_use]
pub fn around(definition: &Definition, id: StateId) -> Vec<StateId> {
    let mut all = vec![id];
    let mut at = definition.state(id);
    while let Some(owner) = at
        .and_then(|state| definition.scope(state.scope))
        .and_then(|scope| scope.owner)
    {
        all.push(owner);
        at = definition.state(owner);
    }
    all
}

/// The names that the Retry and Catch on a state's way have.
fn handled(definition: &Definition, id: StateId) -> Vec<&Text> {
    let around = around(definition, id).into_iter();
    let states = around.filter_map(|id| definition.state(id));
    let names = states.flat_map(|state| {
        let retried = state.retry.iter().flat_map(|retrier| &retrier.error_equals);
        retried.chain(state.catch.iter().flat_map(|catcher| &catcher.error_equals))
    });
    names.collect()
}

/// What the mock file throws, and every error that a Retry or Catch on a task's way names and the task may raise; with
/// the cause that is given.
fn errors_of(
    definition: &Definition,
    id: StateId,
    case: Option<&MockCase>,
) -> Vec<(Text, Option<Text>)> {
    let mut errors: Vec<(Text, Option<Text>)> = Vec::new();
    let Some(task) = task(definition, id) else {
        return errors;
    };
    if let (Some(case), Some(state)) = (case, definition.state(id)) {
        for answer in case.answers_for(state) {
            if let Outcome::Failure {
                error: Some(name),
                cause,
            } = &answer.outcome
            {
                let thrown = (name.clone(), cause.clone());
                if !errors.contains(&thrown) {
                    errors.push(thrown);
                }
            }
        }
    }
    let call = task.call();
    let may_raise = |name: &Text| call.is_none_or(|call| call.never_raises(name).is_none());
    for name in handled(definition, id) {
        // Those that stand for several, and those that no service can give.
        let is_known = errors.iter().any(|(error, _)| error == name);
        if !name.starts_with("States.") && !is_known && may_raise(name) {
            errors.push((name.clone(), None));
        }
    }
    errors
}

/// An error of a task that no Retry or Catch on its way names: one of its service, where that is known.
fn unnamed_of(definition: &Definition, id: StateId) -> Text {
    let names = handled(definition, id);
    let call = task(definition, id).and_then(Task::call);
    let raised = call.map(Call::raised).unwrap_or_default();
    let mut raised = raised.into_iter().map(Text::from);
    let other = raised.find(|name| !names.contains(&name));
    other.unwrap_or_else(|| UNNAMED.into())
}

/// Of the items of a Map the first ones are tried, up to this index, and of Maps inside each other as many together: the
/// others go the same way.
pub const LAST_TRIED: u32 = 2;

/// So many items of each Map are run for where a run is too large: those that are tried, and one that is not.
pub const CUT_TO: u32 = LAST_TRIED + 2;

/// The index of the item that a frame runs for, from 0; 0 for a branch.
#[must_use]
pub fn item_index(frame: &Frame) -> u32 {
    match frame.item {
        Some(_) => frame.index,
        None => 0,
    }
}

/// Whether a question comes from inside an item that is not tried.
#[must_use]
pub fn asks_untried(machine: &Machine, ask: &Ask) -> bool {
    let (mut at, mut indices) = (machine.frame(ask.frame), 0_u32);
    while let Some(frame) = at {
        indices = indices.saturating_add(item_index(frame));
        at = frame.parent.and_then(|parent| machine.frame(parent));
    }
    indices > LAST_TRIED
}

/// Whether a question may be left without an answer: its time runs out.
#[must_use]
pub fn can_time_out(ask: &Ask) -> bool {
    matches!(&ask.want, Want::Call { timeout_at, heartbeat, .. } if timeout_at.is_some() || heartbeat.is_some())
}
