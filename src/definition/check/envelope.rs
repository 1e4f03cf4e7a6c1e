//! What `lambda:invoke` gives back is an envelope around the function's own result, and is often taken for it.
//!
//! It must not know what a function returns.

use super::carried::{Carried, carried, selected};
use super::evaluated::{Evaluated, evaluated};
use super::{Checker, StateAt};
use crate::definition::field::FieldSpec;
use crate::definition::rule::{Severities, rules};
use crate::definition::{CallPattern, Integration, ResultPath, State, StateKind};
use crate::json::{Pointer, Step, Text};
use crate::query::jsonata::{Finding, analyse, inner};
use crate::query::{Path, Root};

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
    /// Looks through the fields that read the result of a function, in the state itself and in those behind it.
    pub(super) fn envelopes(&mut self) {
        // Where the envelope has replaced what is read after it, that has been said.
        let invoking: Vec<StateAt<'d>> = self
            .states
            .iter()
            .copied()
            .filter(|at| is_invocation(at.state) && !self.replacing.contains(&at.id))
            .collect();
        if invoking.is_empty() {
            return;
        }
        for at in invoking {
            if at.is_jsonata() {
                self.envelope_in_jsonata(at);
            } else {
                self.envelope(at);
            }
        }
        let inputs = carried(self.definition, &self.states, &self.replacing);
        for at in self.states.clone() {
            if let Some(input) = inputs.get(&at.id).filter(|input| !input.is_empty())
                && !at.is_jsonata()
            {
                self.behind(at, input);
            }
        }
    }

    /// The fields of the state itself that read its result.
    fn envelope(&mut self, at: StateAt<'d>) {
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
    }

    /// The fields of a state that read an envelope in its input.
    fn behind(&mut self, at: StateAt<'d>, input: &[Carried]) {
        let given = selected(input, &at.state.input_path);
        for found in evaluated(at) {
            let spec = FieldSpec::of_state(found.field);
            let data = match found.field {
                "InputPath" => input,
                _ if spec.is_some_and(FieldSpec::reads_other_data) => continue,
                _ => &given,
            };
            for path in found.expression.paths() {
                if *path.root() == Root::Data
                    && let Some((one, name)) = misses(data, path)
                {
                    self.missed_in(one, (path, &name), &found);
                }
            }
        }
    }

    fn missed_in(&mut self, one: &Carried, (path, name): (&Path, &str), found: &Evaluated<'_>) {
        let state = self.definition.state(one.by);
        let state = state.map_or("?", |state| &*state.name);
        let message =
            format!("lambda:invoke of \"{state}\" returns an envelope that has no {name}");
        let member = |name: &str| Step::Member(name.into());
        let inside = [&*one.at, &[member("Payload"), member(name)]].concat();
        let help = match path.names().as_deref() {
            Some([Step::Member(map), Step::Member(item), ..])
                if &**map == "Map" && &**item == "Item" =>
            {
                format!("the context object is $$: write ${}", path.text())
            }
            _ => format!(
                "what the function returned is in its Payload: read {}, or give \"{state}\" a ResultSelector or OutputPath",
                Pointer(inside)
            ),
        };
        let span = found.member.value.span;
        self.report(PAYLOAD, message, span, found.location.as_str(), help);
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

/// The envelope that a path looks into for what it does not have, and the name of that.
fn misses<'c>(data: &'c [Carried], path: &Path) -> Option<(&'c Carried, Text)> {
    let names = path.leading_names();
    data.iter()
        .find_map(|one| match names.strip_prefix(&*one.at)? {
            [Step::Member(name), ..]
                if !ENVELOPE.contains(&&**name) && !one.more.contains(name) =>
            {
                Some((one, name.clone()))
            }
            _ => None,
        })
}

pub(super) fn is_invocation(state: &State) -> bool {
    let StateKind::Task(task) = &state.kind else {
        return false;
    };
    matches!(
        &task.integration,
        Integration::Service { service, pattern: CallPattern::RequestResponse, .. } if &**service == "lambda"
    )
}
