//! Checks for reads that mistake the envelope returned by `lambda:invoke` for the function's own result.

use super::facts::Read;
use super::left_out::all_of;
use super::shape::{Lack, Maker};
use super::{Checker, StateAt};
use crate::definition::ResultPath;
use crate::definition::rule::{Severities, rules};
use crate::json::{Pointer, Step, Text};

rules! {
    PAYLOAD = 80, "payload", "ENVELOPE", Severities::WARNING, "the result of lambda:invoke is read without its Payload";
}

impl<'d> Checker<'d> {
    /// Reports a read of the state's own result that looks in the envelope for a member it does not have.
    pub(super) fn missed_in_own(&mut self, name: &Text, read: &Read<'_>) {
        let message = format!("lambda:invoke returns an envelope that has no {name}");
        let help = match read.in_jsonata {
            true => format!(
                "what the function returned is in its Payload: $states.result.Payload.{name}"
            ),
            false => "what the function returned is in its Payload: read $.Payload, or set ResultSelector or OutputPath; a ResultPath keeps the input beside it".to_string(),
        };
        self.report(PAYLOAD, message, read.place.value(), help);
    }

    /// Reports a read that looks for an envelope in the result of a callback.
    pub(super) fn missed_in_callback(&mut self, lack: &Lack<'_>, read: &Read<'_>) {
        let (before, after) = read.names.split_at(lack.steps.min(read.names.len()));
        let Some((name, outer)) = before.split_last().filter(|_| !read.asks) else {
            return;
        };
        let message =
            format!("what a task token brings back has no envelope of lambda:invoke, so no {name}");
        let names: Vec<&str> = outer.iter().chain(after).map(|name| &**name).collect();
        let root = std::iter::once(read.root.as_str());
        let inside: Vec<&str> = root.chain(names).collect();
        let help = match &**name {
            "Payload" => format!("write {}", inside.join(".")),
            _ => "it has only what the function sent with SendTaskSuccess".to_string(),
        };
        self.report(PAYLOAD, message, read.place.value(), &*help);
    }

    /// Reports a read of the input that looks for a missing member in the envelopes returned by the states in `makers`.
    pub(super) fn missed_in(&mut self, makers: &[Maker], lacked: &[Text], read: &Read<'_>) {
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
            // An OutputPath would remove the rest of the data.
            false if !made.iter().all(replaces) => "a ResultSelector",
            false => "a ResultSelector or OutputPath",
        };
        let had = |at: &&StateAt<'_>| {
            let is_it = |own: &Read<'_>| own.is_of_input() && own.names.starts_with(lacked);
            at.is_jsonata() && at.reads().iter().any(is_it)
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
            .at(read.place.node.span, read.place.location.as_str())
            .help(help);
        if made.len() > 1 {
            for at in made {
                found = found.related(at.state.name_span, "its envelope comes here");
            }
        }
        self.add(found);
    }
}
