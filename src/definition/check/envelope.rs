//! What `lambda:invoke` gives back is an envelope around the function's own result, and is often taken for it.
//!
//! It must not know what a function returns.

use super::evaluated::{Evaluated, evaluated};
use super::{Checker, StateAt};
use crate::definition::field::FieldSpec;
use crate::definition::rule::{Severities, rules};
use crate::definition::{
    CallPattern, Integration, PathField, ResultPath, State, StateId, StateKind, Transition,
};
use crate::json::Step;
use crate::query::jsonata::{Finding, analyse, inner};
use crate::query::{Path, Root};
use std::collections::HashMap;

rules! {
    PAYLOAD = 80, "payload", "ENVELOPE", Severities::WARNING, "the result of lambda:invoke is read without its Payload";
}

/// What stands in the envelope.
pub(super) const ENVELOPE: [&str; 5] = [
    "ExecutedVersion",
    "Payload",
    "SdkHttpMetadata",
    "SdkResponseMetadata",
    "StatusCode",
];
impl<'d> Checker<'d> {
    /// Looks through the fields that read the result of a function, of the state itself and of the one after it.
    pub(super) fn envelopes(&mut self) {
        // Where the envelope has replaced what is read after it, that has been said.
        let invoking: Vec<StateAt<'d>> = self
            .states
            .iter()
            .copied()
            .filter(|at| is_invocation(at.state) && !self.replacing.contains(&at.id))
            .collect();
        let mut before: HashMap<StateId, usize> = HashMap::new();
        if !invoking.is_empty() {
            for at in &self.states {
                for target in at.state.targets().filter_map(|target| target.state) {
                    *before.entry(target).or_default() += 1;
                }
            }
        }
        for at in invoking {
            if at.is_jsonata() {
                self.envelope_in_jsonata(at);
            } else {
                self.envelope(at, &before);
            }
        }
    }

    fn envelope(&mut self, at: StateAt<'d>, before: &HashMap<StateId, usize>) {
        let own = evaluated(at);
        for found in own
            .iter()
            .filter(|found| matches!(found.field, "ResultSelector" | "Assign"))
        {
            self.past_envelope(found, &[]);
        }
        let inserted = match &at.state.result_path {
            ResultPath::Replace => &[],
            ResultPath::Insert(path) => path.steps(),
            ResultPath::Discard => return,
        };
        if at.get("ResultSelector").is_some() {
            return;
        }
        for found in own.iter().filter(|found| found.field == "OutputPath") {
            self.past_envelope(found, inserted);
        }
        let Transition::Next(target) = &at.state.transition else {
            return;
        };
        let next = target
            .state
            .filter(|_| matches!(at.state.output_path, PathField::Whole))
            // What else leads there may bring other data.
            .filter(|next| before.get(next) == Some(&1) && !self.is_start(*next))
            .and_then(|next| self.states.get(*self.places.get(&next)?).copied());
        let Some(next) = next.filter(|next| !next.is_jsonata()) else {
            return;
        };
        let behind = at.get("InputPath").is_some();
        let moved = next.get("InputPath").is_some();
        for found in evaluated(next) {
            let reads = match found.field {
                "InputPath" => true,
                field => {
                    let spec = FieldSpec::of_state(field);
                    !moved && !spec.is_some_and(FieldSpec::reads_other_data)
                }
            };
            // Behind an InputPath the state's own input has lost its other members, but a result in place of it has not.
            if reads && (inserted.is_empty() || !behind || moved) {
                self.past_envelope(&found, inserted);
            }
        }
    }

    fn is_start(&self, id: StateId) -> bool {
        let starts = self.definition.scopes.iter();
        starts
            .filter_map(|scope| scope.start_at.as_ref())
            .any(|target| target.state == Some(id))
    }

    /// Reports paths into the envelope that name nothing of it.
    fn past_envelope(&mut self, found: &Evaluated<'_>, inserted: &[Step]) {
        for path in found.expression.paths() {
            let Some(name) = missed(path, inserted) else {
                continue;
            };
            let message = format!("lambda:invoke returns an envelope that has no {name}");
            let help = "what the function returned is in its Payload: read $.Payload, or set ResultSelector or OutputPath; a ResultPath keeps the input beside it";
            self.report(
                PAYLOAD,
                message,
                found.member.value.span,
                found.location.as_str(),
                help,
            );
        }
    }

    fn envelope_in_jsonata(&mut self, at: StateAt<'d>) {
        for found in super::jsonata::expressions(at) {
            let text = found.node.as_str().and_then(inner).unwrap_or_default();
            for finding in analyse(text)
                .map(|analysis| analysis.findings)
                .unwrap_or_default()
            {
                let Finding::States { member, range } = finding else {
                    continue;
                };
                let after = text
                    .get(range.end..)
                    .and_then(|rest| rest.strip_prefix('.'));
                let name: String = after
                    .unwrap_or_default()
                    .chars()
                    .take_while(|c| c.is_alphanumeric() || *c == '_')
                    .collect();
                if &*member == "result" && !name.is_empty() && !ENVELOPE.contains(&name.as_str()) {
                    let message = format!("lambda:invoke returns an envelope that has no {name}");
                    let help = format!(
                        "what the function returned is in its Payload: $states.result.Payload.{name}"
                    );
                    self.report(
                        PAYLOAD,
                        message,
                        found.node.span,
                        found.location.as_str(),
                        help,
                    );
                }
            }
        }
    }
}

/// The member that a path looks for right in the envelope, where there is none of that name.
fn missed(path: &Path, inserted: &[Step]) -> Option<String> {
    let steps = path.names().filter(|_| *path.root() == Root::Data)?;
    match steps.strip_prefix(inserted)?.first()? {
        Step::Member(name) if !ENVELOPE.contains(&&**name) => Some(name.to_string()),
        _ => None,
    }
}

fn is_invocation(state: &State) -> bool {
    let StateKind::Task(task) = &state.kind else {
        return false;
    };
    matches!(
        &task.integration,
        Integration::Service { service, pattern: CallPattern::RequestResponse, .. } if &**service == "lambda"
    )
}
