//! Checks for paths into the context object that name members which it never has.

use super::facts::{Document, Read};
use super::flow::Flow;
use super::{Checker, StateAt};
use crate::definition::StateKind;
use crate::definition::rule::{Severities, rules};
use crate::source::did_you_mean;

rules! {
    CONTEXT = 96, "context-member", "CONTEXT_MEMBER", Severities::WARNING,
        "a path names a member that the context object never has" {
            NO_ITEM = Severities::ON_AWS,
                "where it is the item of a DISTRIBUTED Map, read by a state inside";
        };
}

/// Possible members of the objects in the context object. Objects that are not listed may have any members.
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
        for read in at.reads() {
            if read.document == Document::Context {
                self.no_context_member(read, flow);
                self.no_item(at, read);
            }
        }
    }

    /// Reports a state inside a DISTRIBUTED Map that reads the Map's item: the state runs in a separate execution,
    /// whose context object has no item.
    fn no_item(&mut self, at: StateAt<'d>, read: &Read<'_>) {
        let reads_item = read.names.first().is_some_and(|name| &**name == "Map");
        let around = self.definition.map_around(at.id);
        let around = around.filter(|around| around.is_distributed());
        let is_map = matches!(at.state.kind, StateKind::Map(_));
        let own = [
            "ItemSelector",
            "Parameters",
            "ItemBatcher",
            "ItemReader",
            "ResultWriter",
        ];
        let makes_items = is_map
            && own
                .iter()
                .any(|field| read.place.location.starts_with(&at.at(field)));
        let Some(around) = around.filter(|_| reads_item && !makes_items) else {
            return;
        };
        let (path, map) = (&read.path, &around.name);
        let message = format!(
            "{path} leads nowhere here: each item of \"{map}\" runs as an execution of its own, whose context object has no Map"
        );
        let help =
            format!("let the ItemSelector of \"{map}\" pass it on, and read it of the input");
        self.report(NO_ITEM, message, read.place.value(), help);
    }

    fn no_context_member(&mut self, read: &Read<'_>, flow: &Flow<'d>) {
        let names: Vec<&str> = read.names.iter().map(|name| &**name).collect();
        let lacked = (0..names.len()).find_map(|depth| {
            let (above, name) = (names.get(..depth)?, names.get(depth)?);
            let (_, known) = MEMBERS.iter().find(|(of, _)| *of == above)?;
            (!known.contains(name)).then_some((above, *name, *known))
        });
        let Some((above, name, known)) = lacked else {
            return;
        };
        let root = match read.in_jsonata {
            true => "$states.context",
            false => "$$",
        };
        let of = std::iter::once(root).chain(above.iter().copied());
        let of = of.collect::<Vec<_>>().join(".");
        let is_variable = above.is_empty() && flow.is_assigned(name);
        let help = match did_you_mean(name, known.iter().copied()) {
            _ if is_variable => format!("the variable is ${name}"),
            Some(near) => near,
            None => format!("it has {}", known.join(", ")),
        };
        let message = format!("{of} never has a member {name}");
        self.report(CONTEXT, message, read.place.value(), help);
    }
}
