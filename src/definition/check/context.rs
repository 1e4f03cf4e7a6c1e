//! Paths into the context object that name what it never has.
//!
//! It must not know the values of the context object.

use super::evaluated::evaluated;
use super::flow::Flow;
use super::{Checker, StateAt};
use crate::definition::rule::{Severities, rules};
use crate::json::{Step, Text};
use crate::query::Root;
use crate::query::jsonata::{inner, paths};
use crate::source::{Span, did_you_mean};

rules! {
    CONTEXT = 96, "context-member", "CONTEXT_MEMBER", Severities::WARNING,
        "a path names a member that the context object never has";
}

/// What the objects of the context object can have; below the others anything may be.
const MEMBERS: [(&[&str], &[&str]); 7] = [
    (&[], &["Execution", "Map", "State", "StateMachine", "Task"]),
    (
        &["Execution"],
        &[
            "Id",
            "Input",
            "Name",
            "RedriveCount",
            "RedriveTime",
            "RoleArn",
            "StartTime",
        ],
    ),
    (&["Map"], &["Item"]),
    (&["Map", "Item"], &["Index", "Key", "Source", "Value"]),
    (&["State"], &["EnteredTime", "Name", "RetryCount"]),
    (&["StateMachine"], &["Id", "Name"]),
    (&["Task"], &["Token"]),
];

impl<'d> Checker<'d> {
    pub(super) fn context(&mut self, at: StateAt<'d>, flow: &Flow<'d>) {
        if at.is_jsonata() {
            for found in super::jsonata::expressions(at) {
                let text = found.node.as_str().and_then(inner).unwrap_or_default();
                for path in paths(text) {
                    if let [states, context, names @ ..] = path.as_slice()
                        && states == "states"
                        && context == "context"
                    {
                        let names: Vec<&str> = names.iter().map(String::as_str).collect();
                        let place = (found.node.span, found.location.as_str());
                        self.no_context_member(&names, "$states.context", place, flow);
                    }
                }
            }
            return;
        }
        for found in evaluated(at) {
            for path in found.expression.paths() {
                if *path.root() != Root::Context {
                    continue;
                }
                let steps = path.leading_names();
                let names: Vec<Text> = steps
                    .into_iter()
                    .map_while(|step| match step {
                        Step::Member(name) => Some(name),
                        Step::Item(_) => None,
                    })
                    .collect();
                let names: Vec<&str> = names.iter().map(|name| &**name).collect();
                let place = (found.member.value.span, found.location.as_str());
                self.no_context_member(&names, "$$", place, flow);
            }
        }
    }

    fn no_context_member(
        &mut self,
        names: &[&str],
        root: &str,
        (span, location): (Span, &str),
        flow: &Flow<'d>,
    ) {
        let lacked = (0..names.len()).find_map(|depth| {
            let (above, name) = (names.get(..depth)?, names.get(depth)?);
            let (_, known) = MEMBERS.iter().find(|(of, _)| *of == above)?;
            (!known.contains(name)).then_some((above, *name, *known))
        });
        let Some((above, name, known)) = lacked else {
            return;
        };
        let of = std::iter::once(root).chain(above.iter().copied());
        let of = of.collect::<Vec<_>>().join(".");
        let is_variable = above.is_empty() && !flow.assigned(name).is_empty();
        let help = match did_you_mean(name, known.iter().copied()) {
            _ if is_variable => format!("the variable is ${name}"),
            Some(near) => near,
            None => format!("it has {}", known.join(", ")),
        };
        let message = format!("{of} never has a member {name}");
        self.report(CONTEXT, message, span, location, help);
    }
}
