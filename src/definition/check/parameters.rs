//! Checks whether the Resource of a Task exists on AWS, and whether the parameters match the API action that it calls.

use super::shapes::Shapes;
use super::{Checker, StateAt};
use crate::definition::lower::rules::RESOURCE;
use crate::definition::lower::{
    is_filled_later, is_jsonata, is_opaque, is_reference, last_members,
};
use crate::definition::rule::{LintRule, Severities, lint_rules};
use crate::definition::{Integration, Task};
use crate::service::{Call, Kind, Member, Naming, Shape, Unknown, date};
use crate::source::{Node, NodeKind, Severity, Span, did_you_mean, with_article};

lint_rules! {
    ARN = 28, "arn", "SCHEMA_VALIDATION_FAILED", Severities::REFUSED_BY_AWS, "Resource is not an ARN that AWS knows" {
        URI = Severities::WARNING, "if the Resource is a URI other than an ARN";
        UNKNOWN_ACTION = Severities::ON_AWS,
            "if the action may be newer than asldbg's catalogue of AWS services";
        UNKNOWN_SERVICE = Severities::INFO, "if the service may be newer than asldbg's catalogue of AWS services";
    };
    NO_PARAMETERS = 98, "no-parameters", "SCHEMA_VALIDATION_FAILED",
        Severities { aws: Severity::Error, spec: Severity::Info }, "a Task that calls a service has no Parameters or Arguments";
    UNKNOWN_PARAMETER = 99, "unknown-parameter", "SCHEMA_VALIDATION_FAILED", Severities::REFUSED_BY_AWS,
        "a Task passes a parameter that the action does not have" {
            NEW_PARAMETER = Severities::ON_AWS, "if the parameter may be newer than asldbg's catalogue of AWS services";
        };
    MISSING_PARAMETER = 100, "missing-parameter", "SCHEMA_VALIDATION_FAILED", Severities::REFUSED_BY_AWS,
        "a required parameter is missing" {
            MISSING_WITHIN = Severities::ON_AWS, "if the missing field is a member of a parameter";
        };
    PARAMETER_TYPE = 101, "parameter-type", "PARAMETER_TYPE", Severities::ON_AWS, "a parameter has the wrong JSON type" {
        NOT_TEXT("SCHEMA_VALIDATION_FAILED") = Severities::REFUSED_BY_AWS, "if the value is a number or boolean instead of text";
    };
    PARAMETER_VALUE = 102, "parameter-value", "PARAMETER_VALUE", Severities::INFO,
        "the service does not accept the value of a parameter";
    TWICE_DYNAMIC = 103, "twice-dynamic", "TWICE_DYNAMIC", Severities::WARNING,
        "a field's name ends in .$.$: only the last .$ is removed, and AWS refuses the remaining name when the task starts";
}

impl Checker<'_> {
    /// Checks the Resource of a Task. Returns the API action of a service that the Resource names, if it names one.
    pub(super) fn resource(&mut self, at: StateAt<'_>, task: &Task) -> Option<Call> {
        let field = at.field("Resource")?;
        let text = field.text()?;
        if text.is_empty() {
            let help = "write the ARN of the action that the task calls";
            self.report(RESOURCE, "Value cannot be empty", field.value(), help);
            return None;
        }
        if is_jsonata(text) || text.starts_with("$.") {
            let help = "write a fixed ARN, and pass values that vary as parameters";
            let message = "a Resource is plain text and is not evaluated";
            self.report(RESOURCE, message, field.value(), help);
            return None;
        }
        let filled;
        let integration = match is_opaque(text) {
            true => {
                // The partition in the ARN may be a placeholder, whose value is not known.
                let (before, after) = text.split_once(":states:::")?;
                filled = Integration::parse(&format!("arn:aws:states:::{after}"));
                if is_opaque(after) || before.matches(':').count() > 3 {
                    return None;
                }
                &filled
            }
            false => &task.integration,
        };
        match integration {
            Integration::Service { service, api, .. } => match Call::find(service, api) {
                Ok(call) => Some(call),
                Err(unknown) => {
                    let (rule, help) = unknown_resource(text, unknown);
                    self.report(rule, not_recognized(text), field.value(), help);
                    None
                }
            },
            _ if text.starts_with("arn:") => None,
            _ => {
                // By the specification, any URI is a valid resource.
                let rule = if text.contains(':') { URI } else { ARN };
                let help = "write an ARN such as arn:aws:states:::lambda:invoke";
                self.report(rule, not_recognized(text), field.value(), help);
                None
            }
        }
    }
}

/// The rule and the message for a Resource that does not exist.
fn unknown_resource(text: &str, unknown: Unknown) -> (LintRule, String) {
    let date = date();
    match unknown {
        Unknown::Service(None) => (
            UNKNOWN_SERVICE,
            format!("AWS had no such service on {date}, the date of asldbg's catalogue"),
        ),
        Unknown::Action(None) => (
            UNKNOWN_ACTION,
            format!("the service had no such action on {date}, the date of asldbg's catalogue"),
        ),
        Unknown::Service(Some(meant)) | Unknown::Action(Some(meant)) => {
            (ARN, format!("did you mean \"{meant}\"?"))
        }
        Unknown::Refused => (ARN, "Step Functions cannot call this action".to_string()),
        Unknown::Pattern(meant) if meant.contains(".sync") && text.contains("aws-sdk:") => (
            ARN,
            format!("aws-sdk integrations have no .sync: write \"{meant}\""),
        ),
        Unknown::Pattern(meant) => (
            ARN,
            format!("this action does not support this integration pattern: write \"{meant}\""),
        ),
    }
}

fn not_recognized(text: &str) -> String {
    format!(
        "The resource provided {text} is not recognized. The value is not a valid resource ARN, or the resource is not available in this region."
    )
}

/// The call whose parameters are checked.
#[derive(Clone, Copy)]
struct Called<'c> {
    call: &'c Call,
    /// Name of the state.
    state: &'c str,
    /// A function that determines the possible contents of the result of a JSONata expression in Arguments.
    made: &'c dyn Fn(&Node) -> super::shape::Shape,
    is_jsonata: bool,
    /// Location of `Parameters` or `Arguments`.
    location: &'c str,
}

/// A value in the parameters.
#[derive(Clone, Copy)]
struct Given<'c> {
    node: &'c Node,
    kind: Kind,
    /// The name of the parameter to which the value belongs.
    name: &'c str,
    /// Span of the parameter's name.
    key: Span,
}

impl Checker<'_> {
    pub(super) fn parameters(&mut self, at: StateAt<'_>, call: &Call, shapes: &Shapes) {
        let field = at.arguments();
        let Some(given) = at.field(field) else {
            if let Some(resource) = at.field("Resource") {
                let text = resource.text().unwrap_or_default();
                let message = format!("{field} field is required for resource ARN: {text}");
                let members = call.parameters.iter().flatten();
                let required = members.filter(|member| member.is_required(call.naming));
                let required: Vec<&str> = required.map(|member| member.name(call.naming)).collect();
                let help = match required.is_empty() {
                    true => format!("write \"{field}\": {{}}"),
                    false => format!("add \"{field}\" with {}", required.join(", ")),
                };
                let place = (resource.node.span, &*at.state.location);
                self.report(NO_PARAMETERS, message, place, help);
            }
            return;
        };
        let Some(parameters) = &call.parameters else {
            return;
        };
        if given.node.members().is_none() || is_reference(given.node) {
            return;
        }
        let (key, location) = given.key();
        let documents = shapes.documents(at);
        let called = Called {
            call,
            state: &at.state.name,
            made: &|node| documents.argument(at, node),
            is_jsonata: at.is_jsonata(),
            location,
        };
        self.structure(called, given.node, parameters, (key, true));
    }

    /// Checks the members of `node`, an object in the parameters. The span is the span of the member name that has this
    /// object as its value. The flag is true if `node` is the whole value of `Parameters` or `Arguments`.
    fn structure(
        &mut self,
        called: Called<'_>,
        node: &Node,
        known: &[Member],
        (key, is_whole): (Span, bool),
    ) {
        let (call, is_jsonata, location) = (called.call, called.is_jsonata, called.location);
        let mut given: Vec<&Member> = Vec::new();
        let mut is_filled = false;
        for member in last_members(node) {
            let text = &*member.key.text;
            if is_opaque(text) {
                is_filled = true;
                continue;
            }
            let (name, is_dynamic) = match text.strip_suffix(".$") {
                Some(name) if !is_jsonata => (name, true),
                _ => (text, false),
            };
            let name = name.strip_suffix(".$").unwrap_or(name);
            let mut all = known.iter();
            match all.find(|parameter| names(parameter, name, call, is_whole)) {
                Some(parameter) => {
                    given.push(parameter);
                    if !is_dynamic {
                        let value = Given {
                            node: &member.value,
                            kind: parameter.kind,
                            name,
                            key: member.key.span,
                        };
                        self.parameter(called, value);
                    }
                }
                None if is_whole && call.is_open => {}
                None => {
                    let message =
                        format!("The field \"{name}\" is not supported by Step Functions");
                    let names = known.iter().map(|member| member.name(call.naming));
                    let (rule, help) = match did_you_mean(name, names) {
                        Some(near) => (UNKNOWN_PARAMETER, near),
                        None => {
                            let date = date();
                            let help = format!(
                                "the API had no such field on {date}, the date of asldbg's catalogue"
                            );
                            (NEW_PARAMETER, help)
                        }
                    };
                    self.report(rule, message, (member.key.span, location), help);
                }
            }
        }
        let required = known
            .iter()
            .filter(|member| member.is_required(call.naming));
        for parameter in required.filter(|_| !is_filled) {
            let is_given = given.iter().any(|other| std::ptr::eq(*other, parameter));
            if !is_given {
                let name = parameter.name(call.naming);
                let rule = match is_whole {
                    true => MISSING_PARAMETER,
                    false => MISSING_WITHIN,
                };
                let message = format!("The field '{name}' is required but was missing");
                let help = match is_jsonata {
                    true => format!("add \"{name}\""),
                    false => format!("add \"{name}\" or \"{name}.$\""),
                };
                self.report(rule, message, (key, location), help);
            }
        }
    }

    /// Checks the value of one parameter against the type that the API action expects.
    fn parameter(&mut self, called: Called<'_>, value: Given<'_>) {
        let (node, kind, name) = (value.node, value.kind, value.name);
        let is_expression = node.as_str().is_some_and(is_jsonata);
        let call = called.call;
        if is_expression && called.is_jsonata && matches!(call.shape(kind), Some(Shape::List(_))) {
            let shape = (called.made)(node);
            let state = called.state;
            let gets = format!("{name} of \"{state}\" gets the single value instead of an array");
            self.single_item(&shape, node, &gets, "the value must be an array here");
        }
        if is_expression || node.is_null() || is_filled_later(node) {
            return;
        }
        let within = |node, kind| Given {
            node,
            kind,
            ..value
        };
        match call.shape(kind) {
            None => self.built_in(called, value, kind),
            Some(Shape::Scalar(scalar)) => {
                self.built_in(called, value, scalar.kind);
                let text = node
                    .as_str()
                    .filter(|text| !scalar.values.is_empty() && !scalar.values.contains(text));
                if let Some(text) = text {
                    let message = format!("\"{text}\" is not one of the values that {name} allows");
                    let help = did_you_mean(text, scalar.values.iter().copied())
                        .unwrap_or_else(|| format!("known values: {}", some(&scalar.values)));
                    self.report(PARAMETER_VALUE, message, (node.span, called.location), help);
                }
            }
            Some(Shape::List(inner)) => match node.items() {
                Some(items) => {
                    for node in items {
                        self.parameter(called, within(node, *inner));
                    }
                }
                None => self.wrong_parameter(called, value, "an array"),
            },
            Some(Shape::Map(inner)) => match node.members() {
                Some(_) => {
                    for member in last_members(node) {
                        if called.is_jsonata || !member.key.text.ends_with(".$") {
                            self.parameter(called, within(&member.value, *inner));
                        }
                    }
                }
                None => self.wrong_parameter(called, value, "an object"),
            },
            Some(Shape::Structure(members)) => match node.members() {
                Some(_) => self.structure(called, node, members, (value.key, false)),
                // The optimized integration of DynamoDB accepts plain text for an attribute.
                None if node.as_str().is_some()
                    && call.service == "dynamodb"
                    && call.naming == Naming::Optimized => {}
                None => self.wrong_parameter(called, value, "an object"),
            },
        }
    }

    fn built_in(&mut self, called: Called<'_>, value: Given<'_>, kind: Kind) {
        let (name, node) = (value.name, value.node);
        let text = node.as_str();
        let place = (node.span, called.location);
        match kind {
            Kind::Text if matches!(node.kind, NodeKind::Number(_) | NodeKind::Bool(_)) => {
                let message = format!("The value for the field '{name}' must be a STRING");
                self.report(NOT_TEXT, message, place, "put the value in quotes");
            }
            Kind::Blob if matches!(node.kind, NodeKind::Number(_) | NodeKind::Bool(_)) => {
                let message = format!(
                    "{name} must be a string, an object or an array, not {json_type}",
                    json_type = with_article(node.type_name())
                );
                let help = "put the value in quotes, or into an object";
                self.report(NOT_TEXT, message, place, help);
            }
            Kind::Integer | Kind::Float
                if node.as_number().is_none()
                    && text.is_none_or(|text| text.parse::<f64>().is_err()) =>
            {
                self.wrong_parameter(called, value, "a number");
            }
            Kind::Boolean
                if node.as_bool().is_none() && !matches!(text, Some("true" | "false")) =>
            {
                self.wrong_parameter(called, value, "a boolean");
            }
            _ => {}
        }
    }

    fn wrong_parameter(&mut self, called: Called<'_>, value: Given<'_>, wanted: &str) {
        let Given { node, name, .. } = value;
        let json_type = with_article(node.type_name());
        let message = format!("{name} must be {wanted}, not {json_type}");
        let help = format!("write {wanted}");
        self.report(PARAMETER_TYPE, message, (node.span, called.location), help);
    }

    /// Reports names that still end in `.$` after a payload template has been evaluated.
    pub(super) fn twice_dynamic(&mut self, at: StateAt<'_>) {
        let Some(parameters) = at.field("Parameters") else {
            return;
        };
        for (member, _) in parameters.node.walk() {
            let Some(member) = member else { continue };
            let name = member.key.text.strip_suffix(".$");
            if let Some(name) = name.filter(|name| name.ends_with(".$")) {
                let message = format!(
                    "\"{name}.$\" passes a field named \"{name}\", which AWS refuses when the task starts"
                );
                let place = (member.key.span, parameters.location.as_str());
                self.report(TWICE_DYNAMIC, message, place, "write .$ once");
            }
        }
    }
}

/// True if `name` is the name of the parameter `member`, in the spelling that the call accepts.
fn names(member: &Member, name: &str, call: &Call, is_whole: bool) -> bool {
    // AWS's own examples for Batch write members with either a lower-case or a capital first letter.
    let is_small = || {
        let mut letters = name.chars();
        let first = letters.next().map(|first| first.to_ascii_uppercase());
        first.is_some_and(|first| {
            member.name(call.naming).strip_prefix(first) == Some(letters.as_str())
        })
    };
    member.is(name, call.naming)
        || call.naming == Naming::Optimized && call.service == "batch" && !is_whole && is_small()
}

/// Lists the first few of many values.
fn some(values: &[&str]) -> String {
    const FEW: usize = 8;
    let first: Vec<&str> = values.iter().take(FEW).copied().collect();
    let more = if values.len() > FEW { ", …" } else { "" };
    format!("{}{more}", first.join(", "))
}
