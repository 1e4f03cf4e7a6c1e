//! Explains how to answer a task or reader that has no answer.

use crate::definition::{State, StateKind, Task};
use crate::interpreter::{Ask, Want};
use crate::json::Value;
use crate::session::no_answer::{ChildProblem, NoAnswer};
use crate::session::{Setup, service_response};

/// Why a run cannot continue, and how to fix it.
#[must_use]
pub fn text(setup: &Setup, ask: &Ask, why: &NoAnswer) -> String {
    let state = setup.definition.state(ask.state);
    match (why, task_of(state)) {
        (NoAnswer::RunOut(run_out), _) => run_out.to_string(),
        (NoAnswer::Overdue, _) => {
            let path = state.map_or("", |state| &*state.path.0);
            format!("state \"{path}\" was stopped: {why}")
        }
        (NoAnswer::Child(problem), Some((state, task))) => {
            let way_out = match **problem {
                ChildProblem::Unknown { .. } => "; --child NAME=FILE gives one",
                ChildProblem::TooLarge { .. } => "; --max-memory MIB sets the limit of the run",
                _ => "",
            };
            format!(
                "task {} of state \"{}\" has no answer: {}{way_out}",
                task.resource, state.path, problem
            )
        }
        (NoAnswer::Nowhere | NoAnswer::Unread, Some((state, task))) => of_task(setup, state, task),
        (NoAnswer::OtherData | NoAnswer::Token, Some((state, task))) => format!(
            "task {} of state \"{}\" has no answer: {why}",
            task.resource, state.path
        ),
        (_, None) => of_other(state, ask),
    }
}

/// Like [`text`], for a test case that contains its answers.
#[must_use]
pub fn in_test_case(setup: &Setup, ask: &Ask, why: &NoAnswer) -> String {
    match (why, task_of(setup.definition.state(ask.state))) {
        (NoAnswer::RunOut(run_out), _) => run_out.of_test_case(),
        (NoAnswer::Nowhere | NoAnswer::Unread, Some((state, task))) => format!(
            "task {} of state \"{}\" has no answer: add {}: {{\"Return\": {}}} to the answers of the test case, or \"unmocked\": \"echo\" to have it return its input",
            task.resource,
            state.path,
            Value::String(state.name.clone()),
            offered(setup, task)
        ),
        _ => text(setup, ask, why),
    }
}

fn offered(setup: &Setup, task: &Task) -> Value {
    service_response::offered(task, &Value::empty_object(), &setup.definition)
}

fn task_of(state: Option<&State>) -> Option<(&State, &Task)> {
    let state = state?;
    match &state.kind {
        StateKind::Task(task) => Some((state, task)),
        _ => None,
    }
}

fn of_task(setup: &Setup, state: &State, task: &Task) -> String {
    let name = Value::String(state.name.clone());
    let offered = offered(setup, task);
    let part = match &setup.mock {
        Some(case) => format!(
            "the test case \"{}\" of the mock file has no entry for it; add {name}: \"RESPONSE\" there and \"RESPONSE\": {{\"0\": {{\"Return\": {offered}}}}} under \"MockedResponses\"",
            case.name
        ),
        None => format!(
            "give one with --mock FILE, for example {{\"StateMachines\": {{\"{}\": {{\"TestCases\": {{\"Case\": {{{name}: \"RESPONSE\"}}}}}}}}, \"MockedResponses\": {{\"RESPONSE\": {{\"0\": {{\"Return\": {offered}}}}}}}}}",
            setup.definition.name
        ),
    };
    format!(
        "task {} of state \"{}\" has no answer: {part}, or use --unmocked echo to have it return its input",
        task.resource, state.path
    )
}

/// The message for an ItemReader without a folder or file to read from.
fn of_other(state: Option<&State>, ask: &Ask) -> String {
    let path = state.map_or("", |state| &*state.path.0);
    match ask.want {
        Want::Read { .. } => format!(
            "the ItemReader of state \"{path}\" has nothing to read: give a folder that holds BUCKET/KEY with --s3-root DIR or as NAME.s3 beside the definition, or a file with --reader '{path}=FILE'"
        ),
        _ => format!("what state \"{path}\" asks for has no answer"),
    }
}
