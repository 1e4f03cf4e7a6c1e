//! State machines that tasks may start executions of, and requests for such executions.

use super::answers::MockCase;
use super::execution::{Execution, Start, machine_name};
use super::no_answer::{ChildProblem, NoAnswer};
use crate::definition::{Definition, StateKind};
use crate::interpreter::{Ask, AskId, Header, Machine, Run, Want, execution_name, seed_of_child};
use crate::json::{Text, Value};
use crate::source::nearest;
use std::sync::Arc;

/// Maximum nesting depth of executions.
const DEEPEST: usize = 16;

/// A state machine that tasks may start executions of.
#[derive(Clone, Debug)]
pub struct ChildMachine {
    /// ARN or name of the state machine, as given.
    pub name: Text,
    /// Definition of the state machine.
    pub definition: Arc<Definition>,
    /// Test case that answers the tasks of the state machine.
    pub case: Option<MockCase>,
    /// Names of the state machine's test cases.
    pub cases: Vec<Text>,
}

/// The available state machines.
#[derive(Clone, Debug, Default)]
pub struct Children {
    /// State machines in the order in which they were given.
    pub machines: Vec<ChildMachine>,
}

/// A requested execution, ready to be run.
#[derive(Clone, Debug)]
pub struct ChildRequest {
    /// The request that the execution answers.
    pub ask: AskId,
    /// How the task starts the execution.
    pub start: Start,
    /// Token of the task, if the task waits for one.
    pub token: Option<Text>,
    /// The execution as the task describes it.
    pub execution: Execution,
    /// The run of the execution.
    pub run: Arc<Run>,
    /// Test case that answers the tasks of the state machine.
    pub case: Option<MockCase>,
    /// Names of the state machine's test cases.
    pub cases: Vec<Text>,
}

impl Children {
    /// The state machine for an ARN: the one given by this ARN, otherwise the one with its name.
    #[must_use]
    pub fn find(&self, arn: &str) -> Option<&ChildMachine> {
        let by = |wanted: &str| self.machines.iter().find(|own| &*own.name == wanted);
        by(arn).or_else(|| by(machine_name(arn)))
    }

    /// True if both have the same state machines with the same definitions and answers.
    #[must_use]
    pub fn agree(&self, other: &Self) -> bool {
        let texts = |machine: &ChildMachine| -> Vec<Arc<str>> {
            let files = machine.definition.sources.files().iter();
            files.map(|file| Arc::clone(&file.text)).collect()
        };
        self.machines.len() == other.machines.len()
            && self
                .machines
                .iter()
                .zip(&other.machines)
                .all(|(own, other)| {
                    own.name == other.name && own.case == other.case && texts(own) == texts(other)
                })
    }

    /// The execution that a machine's request asks for; `depth` is the nesting depth of that machine.
    ///
    /// Returns `None` if the task starts no execution, or no state machines were given.
    ///
    /// # Errors
    /// The reason why the execution cannot be run.
    #[must_use]
    pub fn request(
        &self,
        machine: &Machine,
        ask: &Ask,
        depth: usize,
    ) -> Option<Result<ChildRequest, NoAnswer>> {
        let Want::Call { input, token, .. } = &ask.want else {
            return None;
        };
        let state = machine.definition().state(ask.state)?;
        let StateKind::Task(task) = &state.kind else {
            return None;
        };
        let start = Start::of(task).filter(|_| !self.machines.is_empty())?;
        let from = &machine.run().header;
        let seed = seed_of_child(from.seed, u64::from(ask.id.0));
        let now = i64::try_from(machine.now()).unwrap_or(i64::MAX);
        let started = from.start_time.saturating_add(now);
        let execution = Execution::requested(input, &execution_name(seed), started);
        let Some(child) = self.find(&execution.machine) else {
            return Some(Err(self.unknown(&execution.machine)));
        };
        if depth >= DEEPEST {
            let state = state.path.0.clone();
            let problem = ChildProblem::TooDeep {
                most: DEEPEST,
                state,
            };
            return Some(Err(NoAnswer::of_child(problem)));
        }
        let header = Header {
            seed,
            start_time: started,
            context: context(&execution),
            max_value: from.max_value,
            most_items: from.most_items,
            ..Header::new(execution.input.clone(), from.profile)
        };
        Some(Ok(ChildRequest {
            ask: ask.id,
            start,
            token: token.clone(),
            execution,
            run: Arc::new(Run::new(Arc::clone(&child.definition), header)),
            case: child.case.clone(),
            cases: child.cases.clone(),
        }))
    }

    fn unknown(&self, arn: &str) -> NoAnswer {
        let names = || self.machines.iter().map(|machine| &machine.name);
        let near = nearest(machine_name(arn), names().map(|name| &**name));
        NoAnswer::of_child(ChildProblem::Unknown {
            machine: arn.into(),
            near: near.map(Text::from),
            given: names().cloned().collect(),
        })
    }
}

/// The part of the context object that describes an execution and its state machine.
fn context(execution: &Execution) -> Value {
    let of_execution = Value::object(vec![
        ("Id".into(), Value::string(execution.arn())),
        ("Name".into(), Value::String(execution.name.clone())),
    ]);
    let of_machine = Value::object(vec![
        ("Id".into(), Value::String(execution.machine.clone())),
        ("Name".into(), Value::from(execution.machine_name())),
    ]);
    Value::object(vec![
        ("Execution".into(), of_execution),
        ("StateMachine".into(), of_machine),
    ])
}
