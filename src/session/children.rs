//! The machines that tasks may start executions of, and the execution that a question asks for.

use super::answers::MockCase;
use super::execution::{Execution, Start, machine_name};
use super::no_answer::{ChildProblem, NoAnswer};
use crate::definition::{Definition, StateKind};
use crate::interpreter::{Ask, AskId, Header, Machine, Run, Want, execution_name, seed_of_child};
use crate::json::{Text, Value};
use crate::source::nearest;
use std::sync::Arc;

/// Executions nest no deeper than this.
const DEEPEST: usize = 16;

/// A machine that tasks may start executions of.
#[derive(Clone, Debug)]
pub struct ChildMachine {
    /// Its ARN, or its name, as given.
    pub name: Text,
    /// Its definition.
    pub definition: Arc<Definition>,
    /// The test case that answers its tasks.
    pub case: Option<MockCase>,
    /// The names of the test cases that there are for it.
    pub cases: Vec<Text>,
}

/// The machines at hand.
#[derive(Clone, Debug, Default)]
pub struct Children {
    /// The machines in the order in which they were given.
    pub machines: Vec<ChildMachine>,
}

/// An execution that a question asks for, ready to be run.
#[derive(Clone, Debug)]
pub struct ChildRequest {
    /// The question that it answers.
    pub ask: AskId,
    /// How the task starts it.
    pub start: Start,
    /// The token of the task, where it waits for one.
    pub token: Option<Text>,
    /// As the task describes it.
    pub execution: Execution,
    /// What is run.
    pub run: Arc<Run>,
    /// The test case that answers its tasks.
    pub case: Option<MockCase>,
    /// The names of the test cases that there are for its machine.
    pub cases: Vec<Text>,
}

impl Children {
    /// The machine of an ARN: the one given by this ARN, else the one given by its name.
    #[must_use]
    pub fn find(&self, arn: &str) -> Option<&ChildMachine> {
        let by = |wanted: &str| self.machines.iter().find(|own| &*own.name == wanted);
        by(arn).or_else(|| by(machine_name(arn)))
    }

    /// Whether the same machines have the same texts and answers.
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

    /// The execution that a question of a machine asks for, which itself runs `depth` executions deep.
    ///
    /// `None` where the task starts no execution, or no machine was given at all.
    ///
    /// # Errors
    /// Why it cannot be run.
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

/// What the context object of an execution says of it and of its machine.
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
