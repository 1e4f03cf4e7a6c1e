//! Checks paths: members that the context object never has, and parts of paths that AWS evaluates differently from the
//! specification.

use super::facts::{Document, Read};
use super::reach::Flow;
use super::{Checker, StateAt};
use crate::definition::StateKind;
use crate::definition::rule::{Severities, lint_rules};
use crate::query::OnAws;
use crate::source::did_you_mean;

lint_rules! {
    CONTEXT = 96, "context-member", "CONTEXT_MEMBER", Severities::WARNING,
        "a path names a member that the context object never has" {
            NO_ITEM = Severities::ON_AWS,
                "if a state inside a DISTRIBUTED Map reads the Map's item";
        };
    ON_AWS = 87, "path-on-aws", "PATH_ON_AWS", Severities::ON_AWS,
        "AWS reads a path differently from the specification";
}

/// The members that objects in the context object can have: the path of each object, and its members. An object that is
/// not listed may have any members.
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
        // If the state inside the DISTRIBUTED Map is itself a Map, these of its fields may read `Map.Item`: there, it
        // is the item of the inner Map.
        let fields = [
            "ItemSelector",
            "Parameters",
            "ItemBatcher",
            "ItemReader",
            "ResultWriter",
        ];
        let is_in = |field: &str| read.place.location.starts_with(&at.at(field));
        let is_map = matches!(at.state.kind, StateKind::Map(_));
        let makes_items = is_map && fields.into_iter().any(is_in);
        let Some(around) = around.filter(|_| reads_item && !makes_items) else {
            return;
        };
        let (path, map) = (&read.path, &around.name);
        let message = format!(
            "{path} does not exist here: each item of \"{map}\" is its own execution, whose context object has no Map"
        );
        let help = format!(
            "pass the item on with the ItemSelector of \"{map}\", and read it from the input"
        );
        self.report(NO_ITEM, message, read.place.value(), help);
        self.related(around.name_span, "the Map");
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
        let object = std::iter::once(root).chain(above.iter().copied());
        let object = object.collect::<Vec<_>>().join(".");
        let is_variable = above.is_empty() && flow.is_assigned(name);
        let help = match did_you_mean(name, known.iter().copied()) {
            _ if is_variable => format!("to read the variable, write ${name}"),
            Some(near) => near,
            None => format!("it has {}", known.join(", ")),
        };
        let message = format!("{object} never has a member {name}");
        self.report(CONTEXT, message, read.place.value(), help);
    }
}

impl Checker<'_> {
    pub(super) fn on_aws(&mut self, at: StateAt<'_>) {
        for expression in at.evaluated() {
            for (place, path) in expression.expression.located_paths() {
                for (range, part) in path.on_aws() {
                    let range = place.start + range.start..place.start + range.end;
                    let text = expression.expression.text();
                    let written = text.get(range.clone()).unwrap_or("");
                    let Some((message, help)) = difference(*part, written) else {
                        continue;
                    };
                    let span = expression.place.node.inner_span(range);
                    self.report(ON_AWS, message, (span, &expression.place.location), help);
                }
            }
        }
    }
}

/// The message and the help for a part of a path that AWS evaluates differently. `None` if AWS has the same result for
/// most data.
fn difference(part: OnAws, step: &str) -> Option<(String, &'static str)> {
    let message_and_help = match part {
        OnAws::NegativeIndex => (
            format!(
                "AWS does not count indexes from the end: {step} finds nothing, and the path fails"
            ),
            "write [(@.length-1)] for the last item",
        ),
        OnAws::Unreadable => (
            format!("AWS cannot read {step}: the path fails"),
            "write names in single quotes and [*] without spaces",
        ),
        OnAws::DoubleQuotes => (
            format!("AWS takes the quotes of {step} as part of the string that is compared"),
            "write the string in single quotes",
        ),
        OnAws::Negation => (
            "AWS does not negate a test in parentheses, so nothing passes this filter".to_string(),
            "write the opposite operator, such as >= in place of a negated <, or test the condition in a Choice state",
        ),
        OnAws::SliceStep => (
            format!("AWS uses only the start and the end of the slice {step} and ignores the step"),
            "omit the step",
        ),
        OnAws::Quotes => (
            format!(
                "AWS does not support escapes: it reads each text between two quotes in {step} as a name"
            ),
            "write ['a','b'], with names that contain no quote, bracket or backslash",
        ),
        OnAws::NamesBefore => (
            format!(
                "AWS allows several names only at the end of a path: the path fails after {step}"
            ),
            "select one member, or use a separate field for each member",
        ),
        // The difference depends on the data, so it is reported during a run.
        OnAws::MayMiss => return None,
    };
    Some(message_and_help)
}
