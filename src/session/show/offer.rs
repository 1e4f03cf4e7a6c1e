//! What a person may answer to a question, with what would follow.
//!
//! It must not know how the answer is typed.

use super::handling::what_follows;
use crate::definition::{StateKind, Transition};
use crate::interpreter::{AskId, Fault, Origin, Want};
use crate::json::Text;
use crate::session::session::Session;
use crate::session::shape;
use crate::session::view::AnswerOffer;

/// Errors that are offered for every task, besides those that its Retry and Catch name.
const USUAL: [&str; 6] = [
    "States.TaskFailed",
    "States.Timeout",
    "States.Permissions",
    "Lambda.TooManyRequestsException",
    "Lambda.ServiceException",
    "Lambda.Unknown",
];

impl Session {
    /// What a person may answer to a question.
    #[must_use]
    pub fn offer(&self, ask: AskId) -> Option<AnswerOffer> {
        let machine = &self.point().machine;
        let ask = machine.ask(ask)?;
        let frame = machine.frame(ask.frame)?;
        let state = self.setup.definition.state(ask.state)?;
        let StateKind::Task(task) = &state.kind else {
            return None;
        };
        let Want::Call { input, .. } = &ask.want else {
            return None;
        };
        let before = self.known.get(&ask.key).map(|(_, answer)| answer.clone());
        let result = match before.map(|answer| answer.outcome) {
            Some(crate::interpreter::Outcome::Success(result)) => result,
            _ => {
                let offered = shape::offered(task, input);
                let reads = state.result_selector.as_ref();
                reads.map_or(offered.clone(), |reads| shape::with_reads(&offered, reads))
            }
        };
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
            let follows = what_follows(frame, state, &fault, self.profile());
            (name, follows)
        });
        let then = match &state.transition {
            Transition::Next(next) => format!("→ {}", next.name),
            _ => "→ end".to_string(),
        };
        Some(AnswerOffer {
            ask: ask.id,
            state: ask.state,
            result,
            errors: errors.collect(),
            then,
        })
    }
}
