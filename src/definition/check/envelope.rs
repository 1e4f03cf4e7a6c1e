//! What `lambda:invoke` gives back is an envelope around the function's own result, and is often taken for it.
//!
//! It must not know what a function returns.

use super::evaluated::{Evaluated, evaluated};
use super::invocation::{ENVELOPE, is_invocation};
use super::left_out::all_of;
use super::reads::{Read, reads};
use super::shape::Maker;
use super::{Checker, StateAt};
use crate::definition::ResultPath;
use crate::definition::rule::{Severities, rules};
use crate::json::{Pointer, Step, Text};
use crate::query::jsonata::{Finding, analyse, inner};
use crate::query::{Path, Root};

rules! {
    PAYLOAD = 80, "payload", "ENVELOPE", Severities::WARNING, "the result of lambda:invoke is read without its Payload";
}

impl<'d> Checker<'d> {
    /// Looks through the fields of each state that read the result of its function.
    pub(super) fn envelopes(&mut self) {
        // Where the envelope has replaced what is read after it, that has been said.
        for at in self.states.clone() {
            if !is_invocation(at.state) || self.replacing.contains(&at.id) {
                continue;
            }
            if at.is_jsonata() {
                self.envelope_in_jsonata(at);
            } else {
                self.envelope(at);
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

    /// A read of the input that looks into the envelopes of these states for what they do not have.
    pub(super) fn missed_in(&mut self, makers: &[Maker], lacked: &[Text], read: &Read) {
        let Some((name, outer)) = lacked.split_last() else {
            return;
        };
        let made: Vec<StateAt<'d>> = makers
            .iter()
            .filter_map(|maker| self.state_at(maker.state))
            .collect();
        let states = all_of(made.iter().map(|at| format!("\"{}\"", at.state.name)));
        let of_context = !read.in_jsonata && read.path.starts_with("$.Map.Item");
        let message = match of_context {
            true => format!(
                "{} looks for Map in the state's input, which has none",
                read.path
            ),
            false => format!("lambda:invoke of {states} returns an envelope that has no {name}"),
        };
        let inside = [outer, &["Payload".into(), name.clone()]].concat();
        let each = match made.len() {
            1 => states,
            _ => "each of them".to_string(),
        };
        let payload = match read.in_jsonata {
            true => format!("$states.input.{}", inside.join(".")),
            false => Pointer(inside.into_iter().map(Step::Member).collect()).to_string(),
        };
        let replaces = |at: &StateAt<'_>| matches!(at.state.result_path, ResultPath::Replace);
        let way = match read.in_jsonata {
            true => "an Output",
            // It would take the rest of the data away.
            false if !made.iter().all(replaces) => "a ResultSelector",
            false => "a ResultSelector or OutputPath",
        };
        let had = |at: &&StateAt<'_>| {
            let is_it = |own: &Read| own.names.starts_with(lacked);
            at.is_jsonata() && reads(**at).iter().any(is_it)
        };
        let help = if of_context {
            format!("the context object is $$: write ${}", read.path)
        } else if let Some(at) = made.iter().find(had) {
            let by = &at.state.name;
            format!(
                "\"{by}\" reads {name} of its own input, which the envelope replaces: keep it there with Assign or an Output; what the function returned is {payload}"
            )
        } else {
            format!(
                "what the function returned is in its Payload: read {payload}, or give {each} {way}"
            )
        };
        let mut found = self
            .found(PAYLOAD, message)
            .at(read.span, read.location.as_str())
            .help(help);
        if made.len() > 1 {
            for at in made {
                found = found.related(at.state.name_span, "its envelope comes here");
            }
        }
        self.add(found);
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
