//! Answers that the user may give to a request of the machine, each with what would follow.

use crate::definition::{Integration, StateKind, Transition};
use crate::interpreter::{AskId, Fault, Machine, Origin, Outcome, Want};
use crate::json::{Text, Value};
use crate::service::Call;
use crate::session::answerer::Answerer;
use crate::session::fault::what_follows;
use crate::session::service_response;
use crate::session::view::AnswerOffer;

/// Errors offered for every task, in addition to those that its Retry and Catch name and its service can raise.
const USUAL: [&str; 3] = ["States.TaskFailed", "States.Timeout", "States.Permissions"];
/// Service and API of a Lambda function whose ARN is the resource.
const LAMBDA: (&str, &str) = ("lambda", "invoke");

/// Returns the answers that the user may give to a request.
pub(super) fn offer(machine: &Machine, answerer: &Answerer, ask: AskId) -> Option<AnswerOffer> {
    let held = machine.held(ask);
    let ask = machine.ask(ask).or(held)?;
    let frame = machine.frame(ask.frame)?;
    let state = machine.definition().state(ask.state)?;
    let shaped = match (&state.kind, &ask.want) {
        (StateKind::Task(task), Want::Call { input, .. }) => {
            service_response::offered(task, input, machine.definition())
        }
        (_, Want::Read { .. }) => Value::array(Vec::new()),
        _ => return None,
    };
    // The answer of a task that has one already is to be replaced, so it is not offered.
    let before = answerer.offered(&ask.key).filter(|_| held.is_none());
    let result = match before.map(|answer| &answer.outcome) {
        Some(Outcome::Success(result)) => result.clone(),
        _ => {
            let reads = state.template("ResultSelector");
            reads.map_or(shaped.clone(), |reads| {
                service_response::with_reads(&shaped, reads)
            })
        }
    };
    let task = match &state.kind {
        StateKind::Task(task) => Some(task),
        _ => None,
    };
    let raised = match task.map(|task| (&task.integration, task.call())) {
        Some((Integration::Lambda, _)) => Call::find(LAMBDA.0, LAMBDA.1)
            .map(|call| call.raised())
            .ok(),
        Some((_, call)) => call.map(Call::raised),
        None => None,
    };
    let raised = raised.unwrap_or_default();
    let mut names: Vec<Text> = Vec::new();
    let named = state.retry.iter().flat_map(|one| &one.error_equals);
    let named = named
        .chain(state.catch.iter().flat_map(|one| &one.error_equals))
        .cloned();
    let wildcard = |name: &Text| {
        matches!(
            &**name,
            "States.ALL" | "States.Runtime" | "States.BranchFailed"
        )
    };
    for name in named
        .filter(|name| !wildcard(name))
        .chain(USUAL.map(Text::from))
        .chain(raised.into_iter().map(Text::from))
    {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let errors = names.into_iter().map(|name| {
        let mut fault = Fault::task(name.clone(), "");
        if &*name == "States.Timeout" {
            fault.origin = Origin::Timeout;
        }
        let follows = what_follows(machine, frame, state, &fault);
        (name, follows.to_string())
    });
    let then = match &state.transition {
        Transition::Next(next) => format!("→ {}", next.name),
        _ => "→ end".to_string(),
    };
    Some(AnswerOffer {
        ask: ask.id,
        state: ask.state,
        whole: task.and_then(service_response::whole),
        result,
        before: before.cloned(),
        errors: errors.collect(),
        then,
        heartbeat: match &ask.want {
            Want::Call { heartbeat, .. } => *heartbeat,
            _ => None,
        },
    })
}
